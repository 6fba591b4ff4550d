//! The topic, the classifier, the disambiguation graph and a comparison, as parts of the page.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use ontrail_cli::count;
use ontrail_diagram::{escape, report_table};
use ontrail_sdg::Sdg;
use ontrail_tool_bcw::Evaluated;
use ontrail_tool_lab::{Compared, Measures};
use ontrail_topic::{Term, Topic};

use super::facts;
use super::words::{Lang, Words};

/// How many terms of a topic stand in the open.
const TERMS_SHOWN: usize = 40;
/// How many terms of a graph are drawn.
const MOST_SPOTS: usize = 60;

/// The terms of a topic by weight. Names of one concept stand together, since they count together.
pub(super) fn topic(topic: &Topic, words: &Words) -> String {
    let concepts = concepts(topic);
    let most = concepts.first().map_or(1.0, |names| names[0].weight).max(f64::MIN_POSITIVE);
    let list = |concepts: &[Vec<&Term>]| -> String {
        let items: String = concepts.iter().map(|names| term_row(names, most)).collect();
        format!("<ul class=\"terms\">\n{items}</ul>\n")
    };
    let (shown, rest) = concepts.split_at(concepts.len().min(TERMS_SHOWN));
    let rest = if rest.is_empty() {
        String::new()
    } else {
        let number = count(rest.len() as u64);
        let heading = format!("{} ({number})", words.all_terms);
        format!("<details><summary>{heading}</summary>\n{}</details>\n", list(rest))
    };
    format!(
        "{}<p class=\"note\">{}</p>\n{}{rest}",
        facts(&[(count(topic.terms.len() as u64), words.terms)]),
        words.topic_note,
        list(shown)
    )
}

/// The terms by concept, the weightiest first; a term without one stands alone.
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

fn term_row(names: &[&Term], most: f64) -> String {
    let (first, others) = names.split_first().expect("a concept has a name");
    let others: Vec<String> = others.iter().map(|term| escape(&term.term)).collect();
    let width = (100.0 * first.weight / most).clamp(0.0, 100.0);
    format!(
        "<li><span>{} <span class=\"faint\">{}</span></span><i style=\"width:{width:.1}%\"></i><span>{:.4}</span></li>\n",
        escape(&first.term),
        others.join(" · "),
        first.weight
    )
}

pub(super) fn classifier(path: &Path, words: &Words) -> Result<String> {
    let evaluated = Evaluated::read(path)?;
    let rows: Vec<Vec<String>> = evaluated
        .classes
        .iter()
        .map(|(name, figures)| {
            let shares = [figures.precision, figures.recall, figures.f1];
            let shares = shares.map(|share| format!("{share:.3}"));
            [vec![name.clone()], shares.to_vec(), vec![count(figures.support)]].concat()
        })
        .collect();
    Ok(format!(
        "<p class=\"note\">{}</p>\n{}<div class=\"tables\">\n{}<section><p class=\"note\">{}</p>\n{}</section></div>\n",
        escape(&evaluated.what),
        facts(&[
            (format!("{:.4}", evaluated.accuracy), words.accuracy),
            (format!("{:.4}", evaluated.macro_f1), words.macro_f1),
            (count(evaluated.documents), words.documents),
            (format!("{:.3}", evaluated.calibration_error), words.calibration),
        ]),
        report_table("", &words.class_heads, &rows),
        words.confusion_note,
        evaluated.confusion_matrix()
    ))
}

pub(super) fn senses(path: &Path, lang: Lang) -> Result<String> {
    let (words, sdg) = (lang.words(), Sdg::read(path)?);
    let network = ontrail_tool_sdg::network_of(&sdg, MOST_SPOTS, lang.tag());
    Ok(format!(
        "{}<p class=\"note\">{}</p>\n{}",
        facts(&[
            (count(sdg.terms.len() as u64), words.terms),
            (count(sdg.ambiguous().count() as u64), words.ambiguous),
            (count(sdg.edges.len() as u64), words.edges),
        ]),
        words.senses_note,
        network.viewer(lang.tag())
    ))
}

pub(super) fn comparison(folder: &Path, words: &Words) -> Result<String> {
    let compared = Compared::read(folder)?;
    let note = words
        .comparison_note
        .replace("%c", &compared.by_truth.rows.len().to_string())
        .replace("%b", &compared.blocks.to_string())
        .replace("%p", &count(compared.budget))
        .replace("%r", &compared.repeats.to_string());
    let table =
        |heading: &str, measures: &Measures| report_table(heading, &measures.heads, &measures.rows);
    Ok(format!(
        "<p class=\"note\">{}</p>\n{}{}",
        escape(&note),
        table(words.by_truth, &compared.by_truth),
        table(words.by_themselves, &compared.by_themselves)
    ))
}
