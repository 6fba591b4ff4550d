//! The arguments for documents, which several tools share, so that `DATA`, `--skip-bad` and
//! `--label` mean the same everywhere. This is not a tool itself; `ontrail-intake` reads the
//! documents.

mod labels;

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_corpus::CorpusError;
use ontrail_intake::{IntakeError, Read};

pub use labels::{on_topic, with_labels};

/// The arguments that name the documents to read.
#[derive(Debug, Clone, Args)]
pub struct Input {
    /// Dataset, folder or tarball of pages, or web archive (.warc, .warc.gz) to read
    #[arg(value_name = "DATA")]
    pub path: PathBuf,
    /// Skip and report documents that cannot be read, instead of stopping at the first
    #[arg(long)]
    pub skip_bad: bool,
}

impl Input {
    /// Reads all documents, shows progress, and warns about those that were skipped.
    pub fn read(&self, printer: &mut Printer) -> Result<Read> {
        let read = ontrail_intake::read(&self.path, self.skip_bad, &|documents| {
            let progress = printer.progress("reading", documents);
            Box::new(move || progress.step())
        });
        let read = read.map_err(hinted)?;
        printer.skipped(read.skipped.count as u64, "documents", &read.skipped.examples);
        Ok(read)
    }

    /// Returns the provenance of an artifact that `command` makes from these documents.
    pub fn provenance(&self, command: &str) -> Result<Provenance> {
        let provenance = Provenance::of_this_process(command)
            .with_parameter("skip_bad", self.skip_bad)
            .with_input(&self.path)?;
        Ok(provenance)
    }
}

/// Adds a hint to `--skip-bad` to errors that it avoids.
fn hinted(error: IntakeError) -> anyhow::Error {
    let what = match &error {
        IntakeError::Corpus(CorpusError::Row(_)) => "rows that cannot be read",
        IntakeError::NoText { .. } => "pages without text",
        _ => return error.into(),
    };
    anyhow!("{error}\n  use --skip-bad to skip {what}")
}
