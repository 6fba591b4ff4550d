//! The texts that a web is woven from, and how one text becomes many articles.

use std::collections::HashMap;

use ontrail_text::{Analyzer, is_han};

use super::words::Words;
use crate::dice::Dice;

/// How many labels a web may have.
const MOST_LABELS: usize = 1_000;
/// How long the part of an address is that stands for a label.
const LONGEST_SLUG: usize = 40;
/// How many terms tell what a topic is about.
const KEYWORDS: usize = 30;
/// How often a sentence of the text that an article is made from is kept.
const KEPT: f64 = 0.8;
/// The share of an ambiguous article's sentences that are another topic's.
const BORROWED: f64 = 0.35;

/// A text with a label, as a corpus has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// What it is about.
    pub label: String,
    /// Its headline, if it has one.
    pub title: Option<String>,
    /// What it says.
    pub body: String,
}

/// Texts by topic.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) labels: Vec<String>,
    /// The part of an address that stands for each label.
    pub(crate) slugs: Vec<String>,
    pub(crate) keywords: Vec<Vec<String>>,
    pub(crate) is_chinese: bool,
    by_label: Vec<Vec<Text>>,
}

#[derive(Debug)]
struct Text {
    title: String,
    sentences: Vec<String>,
}

/// An article as it is written on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    pub(crate) title: String,
    pub(crate) paragraphs: Vec<String>,
}

/// What an article is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) label: u16,
    /// The topic that an ambiguous article borrows from.
    pub(crate) borrows: Option<u16>,
    /// What fixes the choice of text, sentences and numbers.
    pub(crate) seed: u64,
    /// Whether it is a near copy of the article with the same seed.
    pub(crate) is_copy: bool,
}

impl Texts {
    /// Puts texts in order. Labels are sorted, so the order of the texts of different labels does not matter.
    pub(crate) fn new(sources: &[SourceText]) -> Result<Self, String> {
        let mut labels: Vec<String> = sources.iter().map(|text| text.label.clone()).collect();
        labels.sort();
        labels.dedup();
        if labels.len() < 2 {
            return Err("a web is woven from texts of two labels at least".to_owned());
        }
        if labels.len() > MOST_LABELS {
            return Err(format!("{} labels are more than {MOST_LABELS}", labels.len()));
        }
        labels.iter().try_for_each(|label| check_label(label))?;
        let number = |label: &String| labels.iter().position(|own| own == label).unwrap_or(0);
        let mut texts: Vec<Vec<Text>> = labels.iter().map(|_| Vec::new()).collect();
        for source in sources {
            let sentences = sentences(&source.body);
            let title = source.title.clone().filter(|title| !title.trim().is_empty());
            let first = || sentences.first().map(|it| shortened(it, 40)).unwrap_or_default();
            let title = title.unwrap_or_else(first).trim().to_owned();
            if !title.is_empty() {
                texts[number(&source.label)].push(Text { title, sentences });
            }
        }
        if let Some(empty) = texts.iter().position(Vec::is_empty) {
            return Err(format!("no text on {:?} has words in it", labels[empty]));
        }
        let slugs = slugs(&labels);
        let keywords = keywords(sources, &labels);
        Ok(Self { labels, slugs, keywords, is_chinese: is_chinese(sources), by_label: texts })
    }

    pub(crate) fn words(&self) -> &'static Words {
        Words::of(self.is_chinese)
    }

    fn text(&self, label: u16, dice: &mut Dice) -> &Text {
        let own = &self.by_label[usize::from(label)];
        &own[dice.below(own.len())]
    }

    /// The title of an article alone.
    pub(crate) fn title(&self, draft: Draft) -> String {
        let mut dice = Dice::new(draft.seed, "title", 0);
        let base = self.base(draft);
        let title = renumbered(&base.title, &mut dice);
        let words = self.words();
        match dice.below(10) {
            0 => format!("{}{title}", dice.pick(words.title_starts)),
            1 | 2 => format!("{title}{}", dice.pick(words.title_ends)),
            3 => {
                let other = shortened(&self.text(draft.label, &mut dice).title, 16);
                format!("{title} {other}")
            }
            _ => title,
        }
    }

    fn base(&self, draft: Draft) -> &Text {
        self.text(draft.label, &mut Dice::new(draft.seed, "base", 0))
    }

    /// An article: most sentences of one text with other figures in them, some of others on the topic, and some of another
    /// topic if it is ambiguous.
    pub(crate) fn article(&self, draft: Draft) -> Wording {
        let mut dice = Dice::new(draft.seed, "article", 0);
        let base = self.base(draft);
        let mut chosen: Vec<String> = Vec::new();
        for sentence in &base.sentences {
            if dice.happens(KEPT) {
                chosen.push(renumbered(sentence, &mut dice));
            }
        }
        let extra = 2 + dice.below(4);
        for _ in 0..extra {
            let place = dice.below(chosen.len() + 1);
            let sentence = self.sentence(draft.label, &mut dice);
            chosen.insert(place, sentence);
        }
        if let Some(other) = draft.borrows {
            for sentence in &mut chosen {
                if dice.happens(BORROWED) {
                    *sentence = self.sentence(other, &mut dice);
                }
            }
        }
        if draft.is_copy && chosen.len() > 4 {
            // A copy elsewhere has lost its last sentence.
            chosen.pop();
        }
        let joint = if self.is_chinese { "" } else { " " };
        let mut paragraphs = Vec::new();
        let mut rest = chosen.as_slice();
        while !rest.is_empty() {
            let (now, later) = rest.split_at((2 + dice.below(3)).min(rest.len()));
            paragraphs.push(now.join(joint));
            rest = later;
        }
        Wording { title: self.title(draft), paragraphs }
    }

    /// A sentence on a topic, with figures of its own.
    pub(crate) fn sentence(&self, label: u16, dice: &mut Dice) -> String {
        let text = self.text(label, dice);
        let sentence = match text.sentences.as_slice() {
            [] => &text.title,
            sentences => &sentences[dice.below(sentences.len())],
        };
        renumbered(sentence, dice)
    }

    /// What is said of an article where it is listed.
    pub(crate) fn summary(&self, draft: Draft) -> String {
        let mut dice = Dice::new(draft.seed, "summary", 0);
        let base = self.base(draft);
        let first = base.sentences.first().unwrap_or(&base.title);
        shortened(&renumbered(first, &mut dice), 60)
    }
}

/// The sentences of a text, with what ends them.
fn sentences(body: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut letters = body.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\n' || letter == '\r' {
            found.push(std::mem::take(&mut current));
            continue;
        }
        current.push(letter);
        let ends = match letter {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => letters.peek().is_none_or(|next| next.is_whitespace()),
            _ => false,
        };
        if ends {
            // Closing quotes belong to what they close.
            while let Some(close) =
                letters.next_if(|it| matches!(it, '”' | '’' | '」' | '"' | '）' | ')'))
            {
                current.push(close);
            }
            found.push(std::mem::take(&mut current));
        }
    }
    found.push(current);
    found.into_iter().map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}

/// A text with other figures in it: each number keeps its length.
fn renumbered(text: &str, dice: &mut Dice) -> String {
    let mut written = String::with_capacity(text.len());
    let mut is_first = true;
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            written.push(letter);
            is_first = true;
            continue;
        }
        let digit = if is_first { 1 + dice.below(9) } else { dice.below(10) };
        written.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
        is_first = false;
    }
    written
}

/// So many letters of a text.
pub(crate) fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether most letters are Chinese.
fn is_chinese(sources: &[SourceText]) -> bool {
    let letters = || sources.iter().take(200).flat_map(|text| text.body.chars());
    let letters_of = |is: fn(char) -> bool| letters().filter(|letter| is(*letter)).count();
    letters_of(is_han) * 2 > letters_of(char::is_alphabetic)
}

/// Refuses labels that a table of labels cannot hold, or that a web has for pages of its own.
fn check_label(label: &str) -> Result<(), String> {
    let is_own = matches!(label, "portal" | "calendar") || label.ends_with("-hub");
    if is_own {
        return Err(format!(
            "the label {label:?} is what a web calls pages of its own; give it another name"
        ));
    }
    if label.trim().is_empty() || label.contains('|') || label.contains(char::is_control) {
        return Err(format!(
            "{label:?} cannot be a label here: it is empty, or has | or control characters in it"
        ));
    }
    Ok(())
}

/// Labels as parts of addresses: their plain letters, or a number.
fn slugs(labels: &[String]) -> Vec<String> {
    let slug = |(number, label): (usize, &String)| {
        let plain: String = label
            .chars()
            .map(
                |letter| {
                    if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' }
                },
            )
            .collect();
        let plain: String = plain.trim_matches('-').chars().take(LONGEST_SLUG).collect();
        let is_whole = label.is_ascii() && !plain.is_empty();
        if is_whole { plain } else { format!("topic{}", number + 1) }
    };
    let mut slugs: Vec<String> = labels.iter().enumerate().map(slug).collect();
    for at in 1..slugs.len() {
        let first = slugs[at].clone();
        let mut number = at + 1;
        while slugs[..at].contains(&slugs[at]) {
            slugs[at] = format!("{first}-{number}");
            number += 1;
        }
    }
    slugs
}

/// The terms that set each label apart: P(t | label) log(P(t | label) / P(t)) is greatest.
fn keywords(sources: &[SourceText], labels: &[String]) -> Vec<Vec<String>> {
    let analyzer = Analyzer::new();
    let mut counts: Vec<HashMap<String, u32>> = labels.iter().map(|_| HashMap::new()).collect();
    let mut all: HashMap<String, u32> = HashMap::new();
    for source in sources {
        let at = labels.iter().position(|own| *own == source.label).unwrap_or(0);
        for term in analyzer.terms(&source.body) {
            *counts[at].entry(term.clone()).or_default() += 1;
            *all.entry(term).or_default() += 1;
        }
    }
    let total = f64::from(all.values().sum::<u32>().max(1));
    let best = |own: &HashMap<String, u32>| {
        let sum = f64::from(own.values().sum::<u32>().max(1));
        let score = |term: &String, count: u32| {
            let share = f64::from(count) / sum;
            share * (share / (f64::from(all[term]) / total)).ln()
        };
        let mut scored: Vec<(f64, &String)> =
            own.iter().map(|(term, count)| (score(term, *count), term)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        scored.into_iter().take(KEYWORDS).map(|(_, term)| term.clone()).collect::<Vec<_>>()
    };
    counts.iter().map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Texts {
        let text = |label: &str, body: &str| SourceText {
            label: label.to_owned(),
            title: None,
            body: body.to_owned(),
        };
        Texts::new(&[
            text("sports", "The home team won 21 to 17. The coach was glad. It rained."),
            text("stocks", "The index fell by 3.5 points. Traders sold shares of banks."),
            text("sports", "Runners ran the marathon in 2025. A record fell."),
        ])
        .unwrap()
    }

    #[test]
    fn sentences_end_where_they_end() {
        assert_eq!(
            sentences("他说：“走。”然后走了！真的？"),
            ["他说：“走。”", "然后走了！", "真的？"]
        );
        assert_eq!(sentences("It is 3.5 m. Really?\nYes"), ["It is 3.5 m.", "Really?", "Yes"]);
        assert!(sentences(" \n").is_empty());
    }

    #[test]
    fn figures_change_and_keep_their_length() {
        let mut dice = Dice::new(1, "test", 0);
        let written = renumbered("2025年3.5毫米", &mut dice);
        assert_eq!(written.len(), "2025年3.5毫米".len());
        assert_ne!(written, "2025年3.5毫米");
        assert!(!written.starts_with('0'));
    }

    #[test]
    fn the_same_draft_is_the_same_article_and_others_are_others() {
        let texts = texts();
        let draft = Draft { label: 0, borrows: None, seed: 5, is_copy: false };
        assert_eq!(texts.article(draft), texts.article(draft));
        assert_eq!(texts.article(draft).title, texts.title(draft));
        let others: std::collections::BTreeSet<String> = (0..50)
            .map(|seed| texts.article(Draft { seed, ..draft }).paragraphs.join("\n"))
            .collect();
        assert!(others.len() > 40, "{}", others.len());
    }

    #[test]
    fn labels_become_parts_of_addresses() {
        let of =
            |labels: &[&str]| slugs(&labels.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            of(&["体育", "Real Estate", "a/b", "a b"]),
            ["topic1", "real-estate", "a-b", "a-b-4"]
        );
        assert_eq!(of(&["a b", "a b 3", "a-b"]), ["a-b", "a-b-3", "a-b-4"]);
        for wrong in ["portal", "x-hub", "a\tb", "a|b", " "] {
            assert!(check_label(wrong).is_err(), "{wrong:?}");
        }
        assert!(texts().keywords[1].contains(&"index".to_owned()));
    }
}
