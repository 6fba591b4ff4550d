//! `ontrail topic similarity`: measures the similarity of words, and compares it with human scores.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table};
use ontrail_taxonomy::{ConceptId, Measure, MeasureKind, WordId, Words};
use serde::Serialize;

use crate::correlation::{pearson, spearman};
use crate::meanings::{MeaningArgs, Meanings};
use crate::pairs::{self, Pair};

/// Measure the similarity of words, and compare it with human judgements
///
/// Meanings come from WordNet or from an ontology. The similarity of two words is that of their
/// most similar senses. If pairs have human scores, the command also prints how well the two
/// correlate. A word that is not in the taxonomy is similar only to itself, and its pairs do not
/// count for the correlation.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Measures:
  path      path distance (eq. 5 of sdvsm; Wu and Palmer)
  lch       path length relative to the depth of the taxonomy (Leacock and Chodorow)
  lin       shared information content relative to the total (eq. 6 and 7 of sdvsm)
  resnik    shared information content
  jcn       information content that is not shared (Jiang and Conrath)
  features  shared features (eq. 8 of sdvsm; Tversky)
  sem       weighted sum of five factors (eq. 1 of fcits-oh)
  all       all of these

Examples:
  ontrail topic similarity dog cat
  ontrail topic similarity dog#1 cat#1 --measure all
  ontrail topic similarity --pairs rg65.tsv --measure lin --json
  ontrail topic similarity 洪涝 山洪 --ontology ontologies/rainstorm/rainstorm.owl --measure sem")]
pub(crate) struct Similarity {
    /// Words to compare, in pairs; WORD#N is the N-th sense of a word in WordNet
    #[arg(value_name = "WORD", required_unless_present = "pairs")]
    words: Vec<String>,
    /// File of word pairs: two words per line and, optionally, a human score, separated by tabs or
    /// commas
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Measure of similarity: path, lch, lin, resnik, jcn, features, sem or all
    #[arg(long, value_name = "MEASURE", default_value = "lin")]
    measure: Measures,
    #[command(flatten)]
    meanings: MeaningArgs,
}

/// One measure or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Measures {
    One(MeasureKind),
    All,
}

impl std::str::FromStr for Measures {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        text.parse().map(Self::One).map_err(|error: String| format!("{error}, or all"))
    }
}

#[derive(Serialize)]
struct Report {
    measure: &'static str,
    source: String,
    pairs: Vec<Row>,
    /// Words that are not in the taxonomy.
    unknown: BTreeSet<String>,
    /// Number of known pairs with a human score, over which the correlations are computed.
    scored: usize,
    pearson: Option<f64>,
    spearman: Option<f64>,
}

#[derive(Serialize)]
struct Row {
    a: String,
    b: String,
    human: Option<f64>,
    /// The value as published; `None` if a word is not in the taxonomy.
    value: Option<f64>,
    /// The similarity, from 0 to 1.
    similarity: f64,
    senses: Option<(String, String)>,
    /// The senses, named by the words that the user gave.
    #[serde(skip)]
    shown: String,
}

pub(crate) fn run(args: &Similarity, printer: &mut Printer) -> Result<ExitStatus> {
    let kinds = match &args.measure {
        Measures::One(kind) => vec![*kind],
        Measures::All => MeasureKind::ALL.to_vec(),
    };
    args.meanings.check(&kinds)?;
    let pairs = word_pairs(args)?;
    let meanings = args.meanings.read()?;
    let mut reports = Vec::new();
    for kind in kinds {
        let measure = args.meanings.measure(kind, &meanings.taxonomy)?;
        reports.push(report(kind, measure, &meanings, &pairs));
    }
    match (reports.as_slice(), printer.is_json()) {
        ([one], true) => printer.json(one)?,
        (all, true) => printer.json(&serde_json::json!({ "measures": all }))?,
        ([one], false) => show_one(one, printer)?,
        (all, false) => show_all(all, printer)?,
    }
    Ok(ExitStatus::Done)
}

fn word_pairs(args: &Similarity) -> Result<Vec<Pair>> {
    if !args.words.len().is_multiple_of(2) {
        bail!("cannot pair an odd number of words ({}); give words in pairs", args.words.len());
    }
    let pair = |words: &[String]| Pair { words: (words[0].clone(), words[1].clone()), human: None };
    let mut all: Vec<Pair> = args.words.chunks_exact(2).map(pair).collect();
    if let Some(path) = &args.pairs {
        all.extend(pairs::read(path)?);
    }
    Ok(all)
}

fn report(
    kind: MeasureKind,
    measure: Box<dyn Measure>,
    meanings: &Meanings,
    pairs: &[Pair],
) -> Report {
    let words = Words::new(measure);
    let find = |word: &str| -> Option<WordId> {
        let wordnet = meanings.wordnet.as_ref();
        let sense = || {
            let id = wordnet?.sense(word)?;
            words.find_folded(&meanings.taxonomy.concept(id).key)
        };
        let base = || wordnet.into_iter().flat_map(|wordnet| wordnet.base_forms(word));
        let plain = words.find_folded(word).or_else(sense);
        plain.or_else(|| base().find_map(|form| words.find(&form)))
    };
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    let mut rows = Vec::new();
    for pair in pairs {
        let (a, b) = &pair.words;
        let found = (find(a), find(b));
        for (word, id) in [(a, found.0), (b, found.1)] {
            if id.is_none() {
                unknown.insert(word.clone());
            }
        }
        rows.push(row(&words, pair, found, meanings));
    }
    let scored: Vec<(f64, f64)> = rows.iter().filter_map(|row| row.value.zip(row.human)).collect();
    let (values, humans): (Vec<f64>, Vec<f64>) = scored.into_iter().unzip();
    Report {
        measure: kind.name(),
        source: meanings.source.clone(),
        pairs: rows,
        unknown,
        scored: humans.len(),
        pearson: pearson(&values, &humans),
        spearman: spearman(&values, &humans),
    }
}

fn row(
    words: &Words,
    pair: &Pair,
    found: (Option<WordId>, Option<WordId>),
    meanings: &Meanings,
) -> Row {
    let (a, b) = pair.words.clone();
    let mut shown = "unknown word".to_owned();
    let is_same = a.to_lowercase() == b.to_lowercase();
    let (value, similarity, senses) = match found {
        (Some(one), Some(other)) => {
            let found = words.compare(one, other);
            let key = |id: ConceptId| words.measure().taxonomy().concept(id).key.clone();
            let senses = (key(found.senses.0), key(found.senses.1));
            let name = |word: &str, id| meanings.sense_name(word, id).unwrap_or_else(|| key(id));
            shown = format!("{} {}", name(&a, found.senses.0), name(&b, found.senses.1));
            (Some(found.value), found.similarity, Some(senses))
        }
        _ if is_same => (None, 1.0, None),
        _ => (None, 0.0, None),
    };
    Row { a, b, human: pair.human, value, similarity, senses, shown }
}

fn show_one(report: &Report, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!("{} in {}", report.measure, report.source))?;
    let has_scores = report.scored > 0;
    let mut head = vec![("words", Align::Left), ("", Align::Left), (report.measure, Align::Right)];
    if has_scores {
        head.push(("human", Align::Right));
    }
    head.push(("most similar senses", Align::Left));
    let mut table = Table::new(head);
    for row in &report.pairs {
        let mut cells = vec![row.a.clone(), row.b.clone(), figure(row.value)];
        if has_scores {
            cells.push(row.human.map_or(String::new(), |score| format!("{score:.2}")));
        }
        cells.push(row.shown.clone());
        table.row(cells);
    }
    printer.table(&table)?;
    warn_unknown(report, printer);
    if has_scores {
        printer.line(format_args!(
            "Pearson {}, Spearman {} over {} pairs",
            figure(report.pearson),
            figure(report.spearman),
            report.scored
        ))?;
    }
    Ok(())
}

/// Prints all measures: their correlations with human scores if there are any, otherwise their
/// values.
fn show_all(reports: &[Report], printer: &mut Printer) -> Result<()> {
    let Some(first) = reports.first() else { return Ok(()) };
    printer.heading(format_args!("all measures in {}", first.source))?;
    if first.scored > 1 {
        let head =
            [("measure", Align::Left), ("Pearson", Align::Right), ("Spearman", Align::Right)];
        let mut table = Table::new(head);
        for report in reports {
            table.row([report.measure.to_owned(), figure(report.pearson), figure(report.spearman)]);
        }
        printer.table(&table)?;
    } else {
        let columns = reports.iter().map(|report| (report.measure, Align::Right));
        let mut table = Table::new([("words", Align::Left)].into_iter().chain(columns));
        for (place, pair) in first.pairs.iter().enumerate() {
            let values = reports.iter().map(|report| figure(report.pairs[place].value));
            table.row(std::iter::once(format!("{} {}", pair.a, pair.b)).chain(values));
        }
        printer.table(&table)?;
    }
    warn_unknown(first, printer);
    Ok(())
}

fn warn_unknown(report: &Report, printer: &mut Printer) {
    if !report.unknown.is_empty() {
        let shown: Vec<&str> = report.unknown.iter().take(20).map(String::as_str).collect();
        printer.warn(format_args!("words not in {}: {}", report.source, shown.join(", ")));
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.3}"))
}
