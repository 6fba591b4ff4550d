//! The source texts of a woven web, and the articles that are made from them. One text gives many
//! articles.

use std::collections::HashMap;

use ontrail_text::{Analyzer, is_han};

use super::words::Words;
use crate::random_stream::RandomStream;

/// Greatest number of labels.
const MAX_LABELS: usize = 1_000;
/// Greatest length of a label's slug in URLs.
const MAX_SLUG: usize = 40;
/// Number of keywords of a topic.
const KEYWORDS: usize = 30;
/// Probability that an article keeps a sentence of its source text.
const KEPT: f64 = 0.8;
/// Share of the sentences of an ambiguous article that come from another topic.
const BORROWED: f64 = 0.35;

/// A labelled text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// The label.
    pub label: String,
    /// The title, if it has one.
    pub title: Option<String>,
    /// The text.
    pub body: String,
}

/// The source texts, by topic.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) labels: Vec<String>,
    /// The form of each label in URLs.
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

/// The title and text of an article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    pub(crate) title: String,
    pub(crate) paragraphs: Vec<String>,
}

/// The choices from which an article is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) label: u16,
    /// The other topic of an ambiguous article.
    pub(crate) borrows: Option<u16>,
    /// The random seed for the choice of text, sentences and numbers.
    pub(crate) seed: u64,
    /// True for a near duplicate of the article with the same seed.
    pub(crate) is_copy: bool,
}

impl Texts {
    /// Groups texts by label. Labels are sorted, so the order among texts with different labels
    /// does not matter.
    pub(crate) fn new(sources: &[SourceText]) -> Result<Self, String> {
        let mut labels: Vec<String> = sources.iter().map(|text| text.label.clone()).collect();
        labels.sort();
        labels.dedup();
        if labels.len() < 2 {
            return Err("a web needs texts with at least two labels".to_owned());
        }
        if labels.len() > MAX_LABELS {
            return Err(format!(
                "{} labels, but a web can have at most {MAX_LABELS}",
                labels.len()
            ));
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
            return Err(format!("all texts with the label {:?} are empty", labels[empty]));
        }
        let slugs = slugs(&labels);
        let keywords = keywords(sources, &labels);
        Ok(Self { labels, slugs, keywords, is_chinese: is_chinese(sources), by_label: texts })
    }

    pub(crate) fn words(&self) -> &'static Words {
        Words::of(self.is_chinese)
    }

    fn text(&self, label: u16, random: &mut RandomStream) -> &Text {
        let own = &self.by_label[usize::from(label)];
        &own[random.below(own.len())]
    }

    /// Returns only the title of an article.
    pub(crate) fn title(&self, draft: Draft) -> String {
        let mut random = RandomStream::new(draft.seed, "title", 0);
        let base = self.base(draft);
        let title = renumbered(&base.title, &mut random);
        let words = self.words();
        match random.below(10) {
            0 => format!("{}{title}", random.pick(words.title_starts)),
            1 | 2 => format!("{title}{}", random.pick(words.title_ends)),
            3 => {
                let other = shortened(&self.text(draft.label, &mut random).title, 16);
                format!("{title} {other}")
            }
            _ => title,
        }
    }

    fn base(&self, draft: Draft) -> &Text {
        self.text(draft.label, &mut RandomStream::new(draft.seed, "base", 0))
    }

    /// Returns an article: most sentences of one text with new numbers, some sentences of other
    /// texts on the topic, and some of another topic if the article is ambiguous.
    pub(crate) fn article(&self, draft: Draft) -> Wording {
        let mut random = RandomStream::new(draft.seed, "article", 0);
        let base = self.base(draft);
        let mut chosen: Vec<String> = Vec::new();
        for sentence in &base.sentences {
            if random.happens(KEPT) {
                chosen.push(renumbered(sentence, &mut random));
            }
        }
        let extra = 2 + random.below(4);
        for _ in 0..extra {
            let place = random.below(chosen.len() + 1);
            let sentence = self.sentence(draft.label, &mut random);
            chosen.insert(place, sentence);
        }
        if let Some(other) = draft.borrows {
            for sentence in &mut chosen {
                if random.happens(BORROWED) {
                    *sentence = self.sentence(other, &mut random);
                }
            }
        }
        if draft.is_copy && chosen.len() > 4 {
            // A near duplicate lacks the last sentence.
            chosen.pop();
        }
        let joint = if self.is_chinese { "" } else { " " };
        let mut paragraphs = Vec::new();
        let mut rest = chosen.as_slice();
        while !rest.is_empty() {
            let (now, later) = rest.split_at((2 + random.below(3)).min(rest.len()));
            paragraphs.push(now.join(joint));
            rest = later;
        }
        Wording { title: self.title(draft), paragraphs }
    }

    /// Returns a random sentence on a topic, with new numbers.
    pub(crate) fn sentence(&self, label: u16, random: &mut RandomStream) -> String {
        let text = self.text(label, random);
        let sentence = match text.sentences.as_slice() {
            [] => &text.title,
            sentences => &sentences[random.below(sentences.len())],
        };
        renumbered(sentence, random)
    }

    /// Returns the summary of an article for lists.
    pub(crate) fn summary(&self, draft: Draft) -> String {
        let mut random = RandomStream::new(draft.seed, "summary", 0);
        let base = self.base(draft);
        let first = base.sentences.first().unwrap_or(&base.title);
        shortened(&renumbered(first, &mut random), 60)
    }
}

/// Splits a text into sentences, with their final punctuation.
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
            // Closing quotes and brackets belong to the sentence that they close.
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

/// Replaces the numbers in a text by random ones of the same length.
fn renumbered(text: &str, random: &mut RandomStream) -> String {
    let mut written = String::with_capacity(text.len());
    let mut is_first = true;
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            written.push(letter);
            is_first = true;
            continue;
        }
        let digit = if is_first { 1 + random.below(9) } else { random.below(10) };
        written.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
        is_first = false;
    }
    written
}

/// Cuts a text after a number of letters and appends `…`, if it is longer.
pub(crate) fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns true if most letters are Chinese.
fn is_chinese(sources: &[SourceText]) -> bool {
    let letters = || sources.iter().take(200).flat_map(|text| text.body.chars());
    let letters_of = |is: fn(char) -> bool| letters().filter(|letter| is(*letter)).count();
    letters_of(is_han) * 2 > letters_of(char::is_alphabetic)
}

/// Refuses labels that a woven web uses for its own pages, or that cannot be written to a table of
/// labels.
fn check_label(label: &str) -> Result<(), String> {
    let is_reserved = matches!(label, "portal" | "calendar") || label.ends_with("-hub");
    if is_reserved {
        return Err(format!(
            "the label {label:?} is reserved for pages that a woven web adds; use another name"
        ));
    }
    if label.trim().is_empty() || label.contains('|') || label.contains(char::is_control) {
        return Err(format!(
            "{label:?} cannot be a label: a label must not be empty or contain | or control characters"
        ));
    }
    Ok(())
}

/// Returns the form of each label in URLs: its ASCII letters and digits, or a number.
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
        let plain: String = plain.trim_matches('-').chars().take(MAX_SLUG).collect();
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

/// Returns the most distinctive terms of each label: those with the greatest
/// P(t | label) log(P(t | label) / P(t)).
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
    fn sentences_keep_their_final_punctuation() {
        assert_eq!(
            sentences("他说：“走。”然后走了！真的？"),
            ["他说：“走。”", "然后走了！", "真的？"]
        );
        assert_eq!(sentences("It is 3.5 m. Really?\nYes"), ["It is 3.5 m.", "Really?", "Yes"]);
        assert!(sentences(" \n").is_empty());
    }

    #[test]
    fn numbers_change_and_keep_their_length() {
        let mut random = RandomStream::new(1, "test", 0);
        let written = renumbered("2025年3.5毫米", &mut random);
        assert_eq!(written.len(), "2025年3.5毫米".len());
        assert_ne!(written, "2025年3.5毫米");
        assert!(!written.starts_with('0'));
    }

    #[test]
    fn equal_drafts_give_equal_articles_and_others_differ() {
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
    fn labels_become_parts_of_urls() {
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
