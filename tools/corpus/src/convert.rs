//! `ontrail corpus convert`: write a dataset as one table.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use ontrail_artifact::{Output, write_with_sidecar};
use ontrail_cli::{ExitStatus, ForceArgs, OutputFile, Printer, count, output_file};
use ontrail_corpus::{Body, Document, Format, write_documents};
use serde_json::json;

use ontrail_tool_input::Input;

use crate::shared::DATASET;

/// Write a dataset as one table: .tsv, .csv, .jsonl or .parquet
///
/// Pages are converted to their readable text. In a .tsv file, a headline is put before its text
/// and line breaks become spaces; the other formats keep everything. An existing file is replaced
/// only if Ontrail made it.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail corpus convert datasets/news-mini -o news.parquet
  ontrail corpus convert pages.tar.gz -o pages.jsonl")]
pub(crate) struct Convert {
    #[command(flatten)]
    input: Input,
    /// File to write; its extension selects the format
    #[arg(short, long, value_name = "FILE", value_parser = output_file(table_format, "x.jsonl"))]
    output: OutputFile<Format>,
    #[command(flatten)]
    force: ForceArgs,
}

fn table_format(path: &Path) -> Result<Format, String> {
    Format::of_output(path)
        .ok_or_else(|| format!("{}: name a .tsv, .csv, .jsonl or .parquet file", path.display()))
}

pub(crate) fn run(args: &Convert, printer: &mut Printer) -> Result<ExitStatus> {
    let OutputFile { path: output, form } = &args.output;
    let to = args.force.destination(output, printer)?;
    Output::file(to, &DATASET).check([&args.input.path])?;
    let mut read = args.input.read(printer)?;
    // A table has texts, and the main content of a page may be empty where its title is not.
    let has_text = |document: &Document| match &document.body {
        Body::Text(text) => !text.trim().is_empty(),
        Body::Html(_) => true,
    };
    let before = read.documents.len();
    read.documents.retain(has_text);
    if read.documents.len() < before {
        printer.warn(format_args!(
            "{} page(s) left out: they have a title but no text; --content page reads more of a page",
            count((before - read.documents.len()) as u64)
        ));
    }
    let provenance = args.input.provenance("ontrail corpus convert")?;
    write_with_sidecar(to, &DATASET, &provenance, |out| {
        write_documents(out, *form, &read.documents)
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
