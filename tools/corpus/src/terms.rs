//! `ontrail corpus terms`: the characteristic terms of each class.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, bar};
use ontrail_corpus::Document;
use ontrail_text::weight::{DocumentFrequency, Idf, Tf, tf_idf};
use ontrail_text::{Analyzer, PartOfSpeech, TermId, Vocabulary};
use serde_json::json;

use ontrail_tool_input::{Input, LabelArg};

/// Show the terms with the highest TF-IDF weight in each class
///
/// The weight is that of eq. 1 of bcw-cc: the term's share of all words in the class, times its
/// inverse document frequency. Documents without a label form a class of their own.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail corpus terms datasets/news-mini --top 8
  ontrail corpus terms datasets/rainstorm-pages --nouns --term 暴雨灾害")]
pub(crate) struct TermsArgs {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    labels: LabelArg,
    /// Number of terms to show for each class
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Ignore Chinese words that are not nouns
    #[arg(long)]
    nouns: bool,
    /// Term to find as a whole and to show whatever its weight; may be repeated
    #[arg(long = "term", value_name = "TERM")]
    terms: Vec<String>,
}

pub(crate) fn run(args: &TermsArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let read = args.labels.read(&args.input, printer)?;
    let part_of_speech = if args.nouns { PartOfSpeech::Nouns } else { PartOfSpeech::Any };
    let analyzer = Analyzer::builder()
        .terms(args.terms.iter().cloned())
        .part_of_speech(part_of_speech)
        .build();
    let progress = printer.progress("counting", Some(read.documents.len() as u64));
    let counts = Counts::of(&analyzer, &read.documents, || progress.step());
    drop(progress);
    let named: Vec<String> = args.terms.iter().flat_map(|term| analyzer.terms(term)).collect();
    let classes = counts.characteristic(args.top, &named);
    if printer.is_json() {
        printer.json(&json!({ "documents": read.documents.len(), "classes": classes }))?;
        return Ok(ExitStatus::Done);
    }
    for (class, terms) in &classes {
        printer.heading(class)?;
        let most = terms.first().map_or(1.0, |&(_, weight)| weight).max(f64::MIN_POSITIVE);
        let mut table =
            Table::new([("term", Align::Left), ("weight", Align::Right), ("", Align::Left)]);
        for (term, weight) in terms {
            table.row([term.clone(), format!("{weight:.3}"), bar(weight / most, 30)]);
        }
        printer.table(&table)?;
    }
    Ok(ExitStatus::Done)
}

/// The class of documents without a label.
const UNLABELLED: &str = "(unlabelled)";

/// The term counts of a dataset, by class.
struct Counts {
    vocabulary: Vocabulary,
    frequency: DocumentFrequency,
    classes: BTreeMap<String, BTreeMap<TermId, u32>>,
}

impl Counts {
    fn of(analyzer: &Analyzer, documents: &[Document], mut step: impl FnMut()) -> Self {
        let mut reader = analyzer.reader();
        let mut frequency = DocumentFrequency::new();
        let mut classes: BTreeMap<String, BTreeMap<TermId, u32>> = BTreeMap::new();
        for document in documents {
            let mut counts: BTreeMap<TermId, u32> = BTreeMap::new();
            let text = document.full_text().unwrap_or_default();
            reader.read(&text, |term, _| *counts.entry(term).or_default() += 1);
            frequency.add(counts.keys().copied());
            let label = document.label.as_deref().unwrap_or(UNLABELLED);
            let class = classes.entry(label.to_owned()).or_default();
            for (term, count) in counts {
                *class.entry(term).or_default() += count;
            }
            step();
        }
        Self { vocabulary: reader.into_vocabulary(), frequency, classes }
    }

    /// Returns the terms with the largest weights in each class, and those named by the user.
    fn characteristic(&self, top: usize, named: &[String]) -> BTreeMap<String, Vec<(String, f64)>> {
        let of_class = |counts: &BTreeMap<TermId, u32>| {
            let counts: Vec<_> = counts.iter().map(|(&term, &count)| (term, count)).collect();
            let weights = tf_idf(&counts, &self.frequency, Tf::Share, Idf::Offset);
            let mut shown = weights.largest(top);
            for term in named.iter().filter_map(|term| self.vocabulary.get(term)) {
                if !shown.iter().any(|&(known, _)| known == term) {
                    shown.push((term, weights.get(term)));
                }
            }
            let name = |(term, weight)| (self.vocabulary.term(term).to_owned(), weight);
            shown.into_iter().map(name).collect()
        };
        self.classes.iter().map(|(class, counts)| (class.clone(), of_class(counts))).collect()
    }
}
