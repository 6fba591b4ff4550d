//! The arguments for documents, which several tools share, so that `DATA`, `--skip-bad`,
//! `--content` and `--label` mean the same everywhere. This is not a tool itself; `ontrail-intake`
//! reads the documents.

mod labels;

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_corpus::CorpusError;
use ontrail_intake::{Content, IntakeError, Read, Reading};

pub use labels::{on_topic, with_labels};

/// The arguments that name the documents to read.
#[derive(Debug, Clone, Args)]
pub struct Input {
    /// Dataset, folder or tarball of pages, or web archive (.warc, .warc.gz) to read
    #[arg(value_name = "DATA")]
    pub path: PathBuf,
    #[expect(missing_docs, reason = "a comment would become help text")]
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// The options that say how documents are read.
#[derive(Debug, Clone, Copy, Args)]
pub struct ReadingArgs {
    /// Skip and report documents that cannot be read, instead of stopping at the first
    #[arg(long)]
    pub skip_bad: bool,
    #[expect(missing_docs, reason = "a comment would become help text")]
    #[command(flatten)]
    pub content: ContentArg,
}

/// The option that chooses the part of a page to read.
#[derive(Debug, Clone, Copy, Args)]
pub struct ContentArg {
    /// Part of each page to read: main content, whole page, or auto for the main content of
    /// articles and the whole of other pages
    #[arg(long, value_name = "PART", default_value = Content::Main.name(), value_parser = content())]
    pub content: Content,
}

/// Parses the name of a part of a page.
pub fn content() -> impl TypedValueParser<Value = Content> {
    let named = |name: String| Content::ALL.into_iter().find(|content| content.name() == name);
    PossibleValuesParser::new(Content::ALL.map(Content::name))
        .map(move |name| named(name).unwrap_or_default())
}

impl ReadingArgs {
    /// Returns the way documents are read where only the main content is wanted.
    #[must_use]
    pub fn main(skip_bad: bool) -> Self {
        Self { skip_bad, content: ContentArg { content: Content::Main } }
    }

    /// Returns the way documents are read.
    #[must_use]
    pub fn reading(self) -> Reading {
        Reading { skip_bad: self.skip_bad, content: self.content.content }
    }
}

impl Input {
    /// Reads all documents, shows progress, and warns about those that were skipped.
    pub fn read(&self, printer: &mut Printer) -> Result<Read> {
        let read = ontrail_intake::read(&self.path, self.reading.reading(), &|documents| {
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
            .with_parameter("skip_bad", self.reading.skip_bad)
            .with_parameter("content", self.reading.content.content)
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
