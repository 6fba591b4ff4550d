//! `ontrail corpus convert`: write a dataset as one table.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use ontrail_artifact::write_with_sidecar;
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_corpus::{Format, write_documents};
use serde_json::json;

use ontrail_intake::{Input, check_output};

use crate::shared::DATASET;

/// Write a dataset as one table: .tsv, .csv, .jsonl or .parquet
///
/// Pages become the text that a person reads on them. In .tsv a headline is put before its text and
/// line breaks become blanks; the others keep everything. A file that is there already is replaced
/// only if Ontrail made it.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail corpus convert datasets/news-mini -o news.parquet
  ontrail corpus convert pages.tar.gz -o pages.jsonl")]
pub(crate) struct Convert {
    #[command(flatten)]
    input: Input,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(crate) fn run(args: &Convert, printer: &mut Printer) -> Result<ExitStatus> {
    let output = &args.output;
    let format = Format::of_output(output).with_context(|| {
        format!("{}: name a .tsv, .csv, .jsonl or .parquet file", output.display())
    })?;
    check_output(&args.input.path, output)?;
    let read = args.input.read(printer)?;
    let provenance = args.input.provenance("ontrail corpus convert")?;
    write_with_sidecar(output, &DATASET, &provenance, |out| {
        write_documents(out, format, &read.documents)
    })?;
    let number = read.documents.len();
    if printer.is_json() {
        printer.json(&json!({
            "output": output, "documents": number, "skipped": read.skipped,
        }))?;
    } else {
        printer.line(format_args!("{}: {} documents", output.display(), count(number as u64)))?;
    }
    Ok(ExitStatus::Done)
}
