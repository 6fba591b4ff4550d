//! `ontrail corpus split`: cut a dataset into parts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::{BundleWriter, write_atomically};
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_corpus::split::{check_shares, stratified};
use ontrail_corpus::{Columns, Data, Document, Format, Info, write_documents};
use serde_json::json;

use crate::shared::{DATASET, Input, Read, pages_to_texts};

/// Cut a dataset into parts that keep the shares of its classes
///
/// The parts are chosen by the seed alone: the same data, shares and seed give the same files. The
/// folder written is a dataset itself, with a dataset.toml that names its parts.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail corpus split datasets/news-mini -o news-split
  ontrail corpus split news.tsv -o news --parts train=0.7,dev=0.1,test=0.2 --seed 7 --format parquet")]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    input: Input,
    /// The folder to write
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The parts and their shares
    #[arg(long, value_name = "NAME=SHARE,…", default_value = "train=0.8,test=0.2")]
    parts: String,
    /// The seed of the choice
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// The format of the files
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
}

/// The formats that tables are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TableFormat {
    /// Lines of label, tab, text
    #[default]
    Tsv,
    /// Comma-separated values
    Csv,
    /// One JSON object a line
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
    let shares = parse_shares(&args.parts).context("--parts")?;
    let mut read = args.input.read(printer)?;
    pages_to_texts(&mut read.documents);
    let labels = read.documents.iter().map(|document| document.label.as_deref());
    let values: Vec<f64> = shares.values().copied().collect();
    let chosen = stratified(labels, &values, args.seed);
    let mut parts: BTreeMap<String, Vec<Document>> =
        shares.keys().map(|name| (name.clone(), Vec::new())).collect();
    let names: Vec<&String> = shares.keys().collect();
    for (document, part) in std::mem::take(&mut read.documents).into_iter().zip(chosen) {
        // The part is told by the file, not by a column.
        let document = Document { part: None, ..document };
        parts.entry(names[part].clone()).or_default().push(document);
    }
    write(args, &read, &parts)?;
    report(args, &parts, printer)
}

fn write(args: &SplitArgs, read: &Read, parts: &BTreeMap<String, Vec<Document>>) -> Result<()> {
    let bundle = BundleWriter::create(&args.output)?;
    let file_of = |name: &str| format!("{name}.{}", args.format.extension());
    for (name, documents) in parts {
        let path = bundle.path(&file_of(name));
        write_atomically(&path, |out| write_documents(out, args.format.of_corpus(), documents))?;
    }
    let files = parts.keys().map(|name| (name.clone(), PathBuf::from(file_of(name)))).collect();
    let info = info_of(read, files);
    let text = toml::to_string_pretty(&info).context("the dataset.toml cannot be written")?;
    write_atomically(&bundle.path("dataset.toml"), |out| out.write_all(text.as_bytes()))?;
    let provenance = args
        .input
        .provenance("split")?
        .with_parameter("parts", &args.parts)
        .with_parameter("format", args.format.extension())
        .with_seed(args.seed);
    bundle.finish(&DATASET, &provenance)?;
    Ok(())
}

/// What the new dataset says of itself: what the old one said, and where its parts are.
fn info_of(read: &Read, parts: BTreeMap<String, PathBuf>) -> Info {
    let known = read.dataset.info().cloned();
    let unknown = || Info {
        name: crate::shared::file_name(read.dataset.path()),
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
    parts: &BTreeMap<String, Vec<Document>>,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    if printer.is_json() {
        let sizes: BTreeMap<_, _> = parts.iter().map(|(name, part)| (name, part.len())).collect();
        printer.json(&json!({ "output": args.output, "seed": args.seed, "parts": sizes }))?;
        return Ok(ExitStatus::Done);
    }
    for (name, documents) in parts {
        let path = args.output.join(format!("{name}.{}", args.format.extension()));
        let number = count(documents.len() as u64);
        printer.line(format_args!("{}: {number} documents", path.display()))?;
    }
    Ok(ExitStatus::Done)
}

/// Reads `train=0.8,test=0.2`.
fn parse_shares(text: &str) -> Result<BTreeMap<String, f64>> {
    let mut shares = BTreeMap::new();
    for part in text.split(',') {
        let Some((name, share)) = part.split_once('=') else {
            bail!("`{part}` is not NAME=SHARE; write for example train=0.8,test=0.2");
        };
        let (name, share) = (name.trim(), share.trim());
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_name) {
            bail!("`{name}` cannot be the name of a file; use letters, digits, - and _");
        }
        let share = share.parse().with_context(|| format!("`{share}` is not a number"))?;
        if shares.insert(name.to_owned(), share).is_some() {
            bail!("`{name}` is given twice");
        }
    }
    check_shares(&shares).map_err(anyhow::Error::msg)?;
    Ok(shares)
}
