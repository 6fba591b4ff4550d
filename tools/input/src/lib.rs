//! The arguments by which tools are given documents, so that `DATA`, `--skip-bad` and `--label` mean the
//! same in each of them. No tool by itself: the reading is done by `ontrail-intake`.

mod labels;

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_corpus::CorpusError;
use ontrail_intake::{IntakeError, Read};

pub use labels::{on_topic, with_labels};

/// Where the documents come from.
#[derive(Debug, Clone, Args)]
pub struct Input {
    /// The documents: a dataset, a folder or tarball of pages, or a web archive (.warc, .warc.gz)
    #[arg(value_name = "DATA")]
    pub path: PathBuf,
    /// Pass over rows that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    pub skip_bad: bool,
}

impl Input {
    /// Reads all documents, shows progress, and warns of those that were passed over.
    pub fn read(&self, printer: &mut Printer) -> Result<Read> {
        let read = ontrail_intake::read(&self.path, self.skip_bad, &|documents| {
            let progress = printer.progress("reading", documents);
            Box::new(move || progress.step())
        });
        let read = read.map_err(hinted)?;
        printer.passed_over(read.skipped.count as u64, "documents", &read.skipped.examples);
        Ok(read)
    }

    /// Tells how the documents were read, for what is made of them.
    pub fn provenance(&self, command: &str) -> Result<Provenance> {
        let provenance = Provenance::of_this_process(command)
            .with_parameter("skip_bad", self.skip_bad)
            .with_input(&self.path)?;
        Ok(provenance)
    }
}

/// Adds the flag that helps.
fn hinted(error: IntakeError) -> anyhow::Error {
    let what = match &error {
        IntakeError::Corpus(CorpusError::Row(_)) => "rows that cannot be read",
        IntakeError::NoText { .. } => "such pages",
        _ => return error.into(),
    };
    anyhow!("{error}\n  pass over {what} with --skip-bad")
}
