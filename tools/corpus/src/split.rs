//! `ontrail corpus split`: split a dataset into parts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use ontrail_artifact::{BundleWriter, Output, Provenance, write_atomically};
use ontrail_cli::{ExitStatus, Printer, count, share_above_zero};
use ontrail_corpus::duplicates::find;
use ontrail_corpus::split::{check_shares, stratified};
use ontrail_corpus::{Columns, Data, Document, Format, Info, write_documents};
use serde_json::json;

use ontrail_intake::Read;
use ontrail_tool_input::{Input, LabelArg};

use crate::shared::DATASET;

/// Split a dataset into parts that keep the shares of its classes
///
/// The split depends on the random seed alone: the same data, shares and seed give the same files.
/// Texts that repeat each other stay in one part, so that no part leaks into another. The output
/// folder is a dataset itself, with a dataset.toml that lists its parts.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail corpus split datasets/news-mini -o news-split
  ontrail corpus split news.tsv -o news --parts train=0.7,dev=0.1,test=0.2 --seed 7
  ontrail corpus split datasets/rainstorm-pages -o pages-split --format jsonl")]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    labels: LabelArg,
    /// Folder to write
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Parts and their shares [default: those in the dataset.toml, or train=0.8,test=0.2]
    #[arg(long, value_name = "NAME=SHARE,…", value_parser = parse_shares)]
    parts: Option<Shares>,
    /// Random seed [default: the one in the dataset.toml, or 42]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Minimum similarity of texts that are kept in one part, above 0 and at most 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share_above_zero)]
    similarity: f64,
    /// Format of the files
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
}

/// The formats of output files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TableFormat {
    /// Lines of label, tab and text, without a header
    #[default]
    Tsv,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object per line
    Jsonl,
    /// Apache Parquet
    Parquet,
}

impl TableFormat {
    fn of_corpus(self) -> Format {
        match self {
            Self::Tsv => Format::Tsv,
            Self::Csv => Format::Csv,
            Self::Jsonl => Format::Jsonl,
            Self::Parquet => Format::Parquet,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Tsv => "tsv",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

pub(crate) fn run(args: &SplitArgs, printer: &mut Printer) -> Result<ExitStatus> {
    Output::bundle(&args.output, &DATASET).check([&args.input.path])?;
    let mut read = args.labels.read(&args.input, printer)?;
    let plan = Plan::of(args, read.info());
    // The provenance has checksums of the input, which may contain the output folder, so it must be
    // computed before anything is written.
    let provenance = args
        .labels
        .recorded(args.input.provenance("ontrail corpus split")?)
        .with_parameter("parts", &plan.shares)
        .with_parameter("similarity", args.similarity)
        .with_parameter("format", args.format.extension())
        .with_seed(plan.seed);
    let chosen = plan.choose(&read.documents, args.similarity);
    let mut parts: BTreeMap<String, Vec<Document>> =
        plan.shares.keys().map(|name| (name.clone(), Vec::new())).collect();
    let names: Vec<&String> = plan.shares.keys().collect();
    for (document, part) in std::mem::take(&mut read.documents).into_iter().zip(chosen) {
        // The file name says which part this is, so no column is needed.
        let document = Document { part: None, ..document };
        parts.entry(names[part].clone()).or_default().push(document);
    }
    for (name, _) in parts.iter().filter(|(_, documents)| documents.is_empty()) {
        printer
            .warn(format_args!("the part `{name}` is empty, because there are too few documents"));
    }
    write(args, &read, &parts, &provenance)?;
    report(args, &plan, &read, &parts, printer)
}

/// The share of each part, by its name.
type Shares = BTreeMap<String, f64>;

/// The shares and the random seed of a split.
struct Plan {
    shares: Shares,
    seed: u64,
}

impl Plan {
    /// Takes the settings from the flags, or else from the dataset.toml, or else the defaults.
    fn of(args: &SplitArgs, info: Option<&Info>) -> Self {
        let stated = info.and_then(|info| info.split.as_ref());
        let usual = || BTreeMap::from([("train".to_owned(), 0.8), ("test".to_owned(), 0.2)]);
        let stated_shares = || stated.map(|split| split.parts.clone());
        Self {
            shares: args.parts.clone().or_else(stated_shares).unwrap_or_else(usual),
            seed: args.seed.or(stated.map(|split| split.seed)).unwrap_or(42),
        }
    }

    /// Returns the index of each document's part. Texts that repeat each other get the same part,
    /// so that no part leaks into another.
    fn choose(&self, documents: &[Document], similarity: f64) -> Vec<usize> {
        let texts: Vec<String> =
            documents.iter().map(|document| document.full_text().unwrap_or_default()).collect();
        // A disjoint-set forest: the root of a text is the first text that it is grouped with.
        let mut parent: Vec<usize> = (0..documents.len()).collect();
        for pair in find(&texts, similarity) {
            let (a, b) = (root(&mut parent, pair.first), root(&mut parent, pair.second));
            parent[a.max(b)] = a.min(b);
        }
        for text in 0..parent.len() {
            parent[text] = root(&mut parent, text);
        }
        let is_root = |text: &usize| parent[*text] == *text;
        let roots: Vec<usize> = (0..documents.len()).filter(is_root).collect();
        let labels = roots.iter().map(|&text| documents[text].label.as_deref());
        let shares: Vec<f64> = self.shares.values().copied().collect();
        let parts = stratified(labels, &shares, self.seed);
        let part_of: BTreeMap<usize, usize> = roots.into_iter().zip(parts).collect();
        parent.iter().map(|root| part_of[root]).collect()
    }
}

/// Returns the root of a text, and shortens the path to it.
fn root(parent: &mut [usize], mut text: usize) -> usize {
    while parent[text] != text {
        parent[text] = parent[parent[text]];
        text = parent[text];
    }
    text
}

fn write(
    args: &SplitArgs,
    read: &Read,
    parts: &BTreeMap<String, Vec<Document>>,
    provenance: &Provenance,
) -> Result<()> {
    let bundle = BundleWriter::create(&args.output, &DATASET)?;
    let file_of = |name: &str| format!("{name}.{}", args.format.extension());
    for (name, documents) in parts {
        let path = bundle.path(&file_of(name));
        write_atomically(&path, |out| write_documents(out, args.format.of_corpus(), documents))?;
    }
    let files = parts.keys().map(|name| (name.clone(), PathBuf::from(file_of(name)))).collect();
    let info = info_of(read, files);
    let text = toml::to_string_pretty(&info).context("cannot write the dataset.toml")?;
    write_atomically(&bundle.path("dataset.toml"), |out| out.write_all(text.as_bytes()))?;
    bundle.finish(&DATASET, provenance)?;
    Ok(())
}

/// Returns the description of the new dataset: that of the old one, with the files of the parts.
fn info_of(read: &Read, parts: BTreeMap<String, PathBuf>) -> Info {
    let known = read.info().cloned();
    let unknown = || Info {
        name: read.name(),
        description: String::new(),
        source: String::new(),
        licence: String::new(),
        language: None,
        data: Data::default(),
        parts: BTreeMap::new(),
        split: None,
        labels: BTreeMap::new(),
    };
    let info = known.unwrap_or_else(unknown);
    let data = Data { path: None, format: None, columns: Columns::default() };
    Info { data, parts, split: None, ..info }
}

fn report(
    args: &SplitArgs,
    plan: &Plan,
    read: &Read,
    parts: &BTreeMap<String, Vec<Document>>,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    if printer.is_json() {
        let sizes: BTreeMap<_, _> = parts.iter().map(|(name, part)| (name, part.len())).collect();
        printer.json(&json!({
            "output": args.output, "seed": plan.seed, "parts": sizes, "skipped": read.skipped,
        }))?;
        return Ok(ExitStatus::Done);
    }
    for (name, documents) in parts {
        let path = args.output.join(format!("{name}.{}", args.format.extension()));
        let number = count(documents.len() as u64);
        printer.line(format_args!("{}: {number} documents", path.display()))?;
    }
    Ok(ExitStatus::Done)
}

/// Parses `train=0.8,test=0.2`.
fn parse_shares(text: &str) -> Result<Shares, String> {
    let mut shares = BTreeMap::new();
    for part in text.split(',') {
        let Some((name, share)) = part.split_once('=') else {
            return Err(format!(
                "`{part}` is not NAME=SHARE; write, for example, train=0.8,test=0.2"
            ));
        };
        let (name, share) = (name.trim(), share.trim());
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!(
                "`{name}` cannot be the name of a part; use letters, digits, - and _"
            ));
        }
        let share = share.parse().map_err(|_| format!("`{share}` is not a number"))?;
        if shares.insert(name.to_owned(), share).is_some() {
            return Err(format!("`{name}` is given twice"));
        }
    }
    check_shares(&shares)?;
    Ok(shares)
}
