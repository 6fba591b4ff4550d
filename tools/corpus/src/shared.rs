//! Reading a dataset as every verb does.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use ontrail_artifact::{Format, Provenance};
use ontrail_cli::{Printer, count};
use ontrail_corpus::{Body, Dataset, Document, Skipped};
use ontrail_page::{PageReader, Source};
use ontrail_text::Analyzer;

/// The kind of artifact that a written dataset is.
pub(crate) const DATASET: Format =
    Format { kind: "dataset", version: 1, oldest: 1, rebuild: "ontrail corpus split" };

/// Where the documents come from.
#[derive(Debug, Clone, Args)]
pub(crate) struct Input {
    /// The dataset
    #[arg(value_name = "DATA")]
    pub(crate) path: PathBuf,
    /// Pass over rows that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

/// A dataset read into memory.
pub(crate) struct Read {
    pub(crate) dataset: Dataset,
    pub(crate) documents: Vec<Document>,
    pub(crate) skipped: Skipped,
}

impl Input {
    pub(crate) fn read(&self, printer: &mut Printer) -> Result<Read> {
        let dataset = Dataset::open(&self.path)?;
        let loaded = dataset.load(self.skip_bad)?;
        if loaded.skipped.count > 0 {
            let number = count(loaded.skipped.count as u64);
            printer.warn(format_args!("{number} bad rows passed over; the first of them:"));
            for row in &loaded.skipped.examples {
                printer.note(format_args!("  {row}"));
            }
        }
        Ok(Read { dataset, documents: loaded.documents, skipped: loaded.skipped })
    }

    pub(crate) fn provenance(&self, verb: &str) -> Result<Provenance> {
        let provenance = Provenance::of_this_process(&format!("ontrail corpus {verb}"))
            .with_parameter("skip_bad", self.skip_bad)
            .with_input(&self.path)?;
        Ok(provenance)
    }
}

/// Turns pages into texts: their title, and what a person reads on them.
pub(crate) fn pages_to_texts(documents: &mut [Document]) {
    if documents.iter().all(|document| matches!(document.body, Body::Text(_))) {
        return;
    }
    let analyzer = Analyzer::new();
    let reader = PageReader::new(&analyzer).keeping_text(true);
    for document in documents {
        if let Body::Html(bytes) = &document.body {
            let page = reader.read(bytes, Source::default());
            document.title = Some(page.title).filter(|title| !title.is_empty());
            document.body = Body::Text(page.text.unwrap_or_default());
        }
    }
}

/// A label as it is shown, a dash for none.
pub(crate) fn shown(label: Option<&str>) -> String {
    label.unwrap_or("–").to_owned()
}

/// The file name of a path, for what is written beside others.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
