//! Reading a dataset as every verb does.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{Format, Provenance};
use ontrail_cli::{Printer, count};
use ontrail_corpus::{BadRow, Body, CorpusError, Dataset, Document, Skipped};
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
    /// Reads all documents; pages become texts.
    pub(crate) fn read(&self, printer: &mut Printer) -> Result<Read> {
        let dataset = Dataset::open(&self.path)?;
        let loaded = dataset.load(self.skip_bad);
        let mut loaded = loaded.map_err(|error| match error {
            CorpusError::Row(row) => {
                anyhow!("{row}\n  pass over rows that cannot be read with --skip-bad")
            }
            error => error.into(),
        })?;
        pages_to_texts(&mut loaded.documents);
        let empty: Vec<String> = take_empty(&mut loaded.documents);
        if let Some(first) = empty.first()
            && !self.skip_bad
        {
            bail!(
                "{}: {first}: no readable text on this page\n  pass over such pages with --skip-bad",
                self.path.display()
            );
        }
        let file = self.path.display().to_string();
        loaded.skipped.count += empty.len();
        loaded.skipped.examples.extend(empty.into_iter().map(|id| BadRow {
            file: format!("{file}: {id}"),
            line: None,
            reason: "no readable text on this page".to_owned(),
        }));
        if loaded.skipped.count > 0 {
            let mut warning =
                format!("{} bad rows passed over, such as", count(loaded.skipped.count as u64));
            for row in loaded.skipped.examples.iter().take(10) {
                warning += &format!("\n  {row}");
            }
            printer.warn(warning);
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

/// Takes out the documents that turned out to hold nothing, and returns their names.
fn take_empty(documents: &mut Vec<Document>) -> Vec<String> {
    let is_empty = |document: &Document| document.text().is_none_or(|text| text.trim().is_empty());
    documents.extract_if(.., |document| is_empty(document)).map(|document| document.id).collect()
}

/// Turns pages into texts: their title, and what a person reads on them.
fn pages_to_texts(documents: &mut [Document]) {
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

/// Refuses a similarity that no pair of texts could have, or that all have.
pub(crate) fn check_similarity(similarity: f64) -> Result<()> {
    if similarity > 0.0 && similarity <= 1.0 {
        return Ok(());
    }
    bail!("--similarity: {similarity} is not above 0 and at most 1")
}

/// Refuses to write over what is being read.
pub(crate) fn check_output(input: &Path, output: &Path) -> Result<()> {
    if let (Ok(input), Ok(output)) = (input.canonicalize(), output.canonicalize())
        && input == output
    {
        bail!("{}: is what is read; write to another name", output.display());
    }
    Ok(())
}
