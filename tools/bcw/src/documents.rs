//! Labelled documents, read batch by batch: a corpus need not fit in memory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_bcw::{Labelled, passages_of_text};
use ontrail_cli::{Printer, count};
use ontrail_corpus::{BadRow, Body, CorpusError, Dataset, Document};
use ontrail_page::{PageReader, Passage, Source};
use ontrail_text::Analyzer;
use rayon::prelude::*;

/// How many documents are read at a time.
const BATCH: usize = 4_096;
/// How many bad rows are shown.
const SHOWN: usize = 10;

/// Which documents of a dataset are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct Choice {
    /// Take this part of a dataset that is cut into parts, or all for all of it [default: train to train
    /// on, test to evaluate on]
    #[arg(long, value_name = "NAME")]
    pub(crate) part: Option<String>,
    /// Pass over rows that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

impl Choice {
    /// The same choice, with a part to take unless one was named.
    pub(crate) fn or_part(&self, part: &str) -> Self {
        Self { part: Some(self.part.clone().unwrap_or_else(|| part.to_owned())), ..self.clone() }
    }

    fn takes(&self, document: &Document) -> bool {
        match (&self.part, &document.part) {
            (Some(wanted), Some(part)) => wanted == "all" || wanted == part,
            _ => true,
        }
    }
}

/// Hands over all labelled documents of a dataset that are chosen, batch by batch.
pub(crate) fn each_batch(
    path: &Path,
    choice: &Choice,
    printer: &mut Printer,
    visit: &mut dyn FnMut(&[Labelled]) -> Result<()>,
) -> Result<()> {
    let dataset = Dataset::open(path)?;
    let analyzer = Analyzer::new();
    let reader =
        Reader { path: path.to_owned(), pages: PageReader::new(&analyzer).keeping_passages(true) };
    let mut skipped: Vec<String> = Vec::new();
    let mut bad = 0;
    let mut taken = 0;
    let mut parts: BTreeSet<String> = BTreeSet::new();
    let progress = printer.progress("reading", None);
    let mut batch: Vec<Document> = Vec::with_capacity(BATCH);
    let mut flush = |batch: &mut Vec<Document>, bad: &mut usize, skipped: &mut Vec<String>| {
        let labelled: Vec<Result<Labelled>> =
            batch.par_drain(..).map(|document| reader.labelled(&document)).collect();
        let mut good = Vec::with_capacity(labelled.len());
        for document in labelled {
            match document {
                Ok(document) => good.push(document),
                Err(error) if choice.skip_bad => {
                    *bad += 1;
                    skipped.push(error.to_string());
                    skipped.truncate(SHOWN);
                }
                Err(error) => return Err(error),
            }
        }
        good.iter().for_each(|_| progress.step());
        visit(&good)
    };
    for document in documents(&dataset)? {
        match document {
            Ok(document) => {
                parts.extend(document.part.clone());
                if choice.takes(&document) {
                    taken += 1;
                    batch.push(document);
                }
            }
            Err(CorpusError::Row(row)) if choice.skip_bad => {
                bad += 1;
                note(&mut skipped, &row);
            }
            Err(CorpusError::Row(row)) => {
                return Err(anyhow!("{row}\n  pass over rows that cannot be read with --skip-bad"));
            }
            Err(error) => return Err(error.into()),
        }
        if batch.len() == BATCH {
            flush(&mut batch, &mut bad, &mut skipped)?;
        }
    }
    flush(&mut batch, &mut bad, &mut skipped)?;
    drop(progress);
    if taken == 0 {
        bail!("{}", nothing(path, choice, &parts));
    }
    if bad > 0 {
        let examples = skipped.join("\n  ");
        printer.warn(format_args!(
            "{} documents passed over, such as\n  {examples}",
            count(bad as u64)
        ));
    }
    Ok(())
}

/// Whether a dataset says that it has a part of this name.
pub(crate) fn has_part(path: &Path, name: &str) -> Result<bool> {
    let dataset = Dataset::open(path)?;
    Ok(dataset.info().is_some_and(|info| {
        let is_cut = info.split.as_ref().is_some_and(|split| split.parts.contains_key(name));
        is_cut || info.parts.contains_key(name)
    }))
}

fn note(skipped: &mut Vec<String>, row: &BadRow) {
    if skipped.len() < SHOWN {
        skipped.push(row.to_string());
    }
}

fn nothing(path: &Path, choice: &Choice, parts: &BTreeSet<String>) -> String {
    match &choice.part {
        Some(part) if !parts.is_empty() => {
            let names: Vec<&str> = parts.iter().map(String::as_str).collect();
            format!(
                "{}: no documents in the part `{part}`; there are {}; choose with --part",
                path.display(),
                names.join(", ")
            )
        }
        _ => format!("{}: no documents in it", path.display()),
    }
}

/// The documents of a dataset one by one; all at once only where its dataset.toml has it cut.
fn documents(dataset: &Dataset) -> Result<Box<dyn Iterator<Item = Result<Document, CorpusError>>>> {
    let is_cut = dataset.info().is_some_and(|info| info.split.is_some());
    if is_cut {
        let loaded = dataset.load(false)?;
        return Ok(Box::new(loaded.documents.into_iter().map(Ok)));
    }
    Ok(Box::new(dataset.documents()?))
}

struct Reader<'a> {
    path: PathBuf,
    pages: PageReader<'a>,
}

impl Reader<'_> {
    fn labelled(&self, document: &Document) -> Result<Labelled> {
        let place = || format!("{}: {}", self.path.display(), document.id);
        let Some(label) = &document.label else {
            bail!(
                "{}: has no label\n  a table needs a column `label`, a folder of texts one folder for each \
                 class",
                place()
            );
        };
        if label.trim().is_empty() || label.contains(['\t', '\n', '\r']) {
            bail!(
                "{}: the label {label:?} has a tab, a line break or nothing in it; rename it",
                place()
            );
        }
        let passages = passages(&document.body, document.title.as_deref(), &self.pages);
        if passages.iter().all(|passage| passage.text.trim().is_empty()) {
            bail!("{}: has no text\n  pass over such documents with --skip-bad", place());
        }
        Ok(Labelled { label: label.clone(), passages })
    }
}

/// What a document says, by label group.
fn passages(body: &Body, title: Option<&str>, pages: &PageReader<'_>) -> Vec<Passage> {
    match body {
        Body::Text(text) => passages_of_text(title, text),
        Body::Html(bytes) => pages.read(bytes, Source::default()).passages,
    }
}
