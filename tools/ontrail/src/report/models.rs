//! The topic, the classifier, the disambiguation graph and a comparison, as parts of the page.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use ontrail_bcw::Evaluated;
use ontrail_cli::count;
use ontrail_lab::{Compared, Measures};
use ontrail_report::{Confusion, Part, Table, TermRow, Viewer};
use ontrail_sdg::{EdgeChoice, Sdg};
use ontrail_topic::{Term, Topic};

use super::facts;
use super::words::{Lang, Words};

/// Number of terms of a topic that are shown at once; the others are folded.
const TERMS_SHOWN: usize = 40;
/// Greatest number of terms of a graph that are drawn.
const MOST_SPOTS: usize = 60;

/// Returns the terms of a topic by weight. The names of one concept share a row, because they count
/// as one.
pub(super) fn topic(topic: &Topic, words: &Words) -> Vec<Part> {
    let concepts = concepts(topic);
    let most = concepts.first().map_or(1.0, |names| names[0].weight).max(f64::MIN_POSITIVE);
    let list = |concepts: &[Vec<&Term>]| {
        Part::Terms(concepts.iter().map(|names| term_row(names, most)).collect())
    };
    let (shown, rest) = concepts.split_at(concepts.len().min(TERMS_SHOWN));
    let mut parts = vec![
        facts([(count(topic.terms.len() as u64), words.terms)]),
        Part::Note(words.topic_note.to_owned()),
        list(shown),
    ];
    if !rest.is_empty() {
        let summary = format!("{} ({})", words.all_terms, count(rest.len() as u64));
        parts.push(Part::Folded { summary, parts: vec![list(rest)] });
    }
    parts
}

/// Groups the terms by concept, the greatest weight first. A term without a concept is a group of
/// its own.
fn concepts(topic: &Topic) -> Vec<Vec<&Term>> {
    let mut concepts: Vec<Vec<&Term>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for term in &topic.terms {
        let known = term.concept.as_deref().and_then(|it| places.get(it).copied());
        if let Some(place) = known {
            concepts[place].push(term);
        } else {
            places.extend(term.concept.as_deref().map(|it| (it, concepts.len())));
            concepts.push(vec![term]);
        }
    }
    concepts.iter_mut().for_each(|names| names.sort_by(|a, b| b.weight.total_cmp(&a.weight)));
    concepts.sort_by(|a, b| b[0].weight.total_cmp(&a[0].weight));
    concepts
}

fn term_row(names: &[&Term], most: f64) -> TermRow {
    let (first, others) = names.split_first().expect("a concept has a name");
    TermRow {
        name: first.term.clone(),
        others: others.iter().map(|term| term.term.clone()).collect(),
        weight: first.weight,
        share: first.weight / most,
    }
}

pub(super) fn classifier(path: &Path, words: &Words) -> Result<Vec<Part>> {
    let evaluated = Evaluated::read(path)?;
    let rows = evaluated.classes.iter().map(|(name, figures)| {
        let [precision, recall, f1] =
            [figures.precision, figures.recall, figures.f1].map(|share| format!("{share:.3}"));
        [name.clone(), precision, recall, f1, count(figures.support)]
    });
    let ontrail_bcw::Confusion { classes, answers, counts } = evaluated.confusion();
    let confusion = vec![
        Part::Note(words.confusion_note.to_owned()),
        Part::Confusion(Confusion { classes, answers, counts }),
    ];
    Ok(vec![
        Part::Note(evaluated.what.clone()),
        facts([
            (format!("{:.3}", evaluated.accuracy), words.accuracy),
            (format!("{:.3}", evaluated.macro_f1), words.macro_f1),
            (count(evaluated.documents), words.documents),
            (format!("{:.3}", evaluated.calibration_error), words.calibration),
        ]),
        Part::Beside(vec![
            Part::Table(Table::new("", words.class_heads, rows)),
            Part::Section(confusion),
        ]),
    ])
}

pub(super) fn senses(path: &Path, lang: Lang) -> Result<Vec<Part>> {
    let (words, sdg) = (lang.words(), Sdg::read(path)?);
    let picture = sdg.picture(MOST_SPOTS, EdgeChoice::default(), lang.tag());
    Ok(vec![
        facts([
            (count(sdg.terms.len() as u64), words.terms),
            (count(sdg.ambiguous().count() as u64), words.ambiguous),
            (count(sdg.edges.len() as u64), words.edges),
        ]),
        Part::Note(words.senses_note.to_owned()),
        Part::Viewer(Viewer::new(&picture.network, lang.tag())),
    ])
}

pub(super) fn comparison(folder: &Path, words: &Words) -> Result<Vec<Part>> {
    let compared = Compared::read(folder)?;
    let note = words
        .comparison_note
        .replace("%c", &compared.by_truth.rows.len().to_string())
        .replace("%b", &compared.blocks.to_string())
        .replace("%p", &count(compared.budget))
        .replace("%r", &compared.repeats.to_string());
    let table = |heading: &str, measures: Measures| {
        Part::Table(Table::new(heading, measures.heads, measures.rows))
    };
    Ok(vec![
        Part::Note(note),
        table(words.by_truth, compared.by_truth),
        table(words.by_themselves, compared.by_themselves),
    ])
}
