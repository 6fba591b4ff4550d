//! Labelled documents, read batch by batch: a corpus need not fit in memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_bcw::{Labelled, check_label, passages_of_text};
use ontrail_cli::{Printer, Progress};
use ontrail_corpus::{BadRow, Body, CorpusError, Dataset, Document};
use ontrail_page::{Html, Source};
use rayon::prelude::*;

/// How many documents are read at a time.
const BATCH: usize = 4_096;
/// How many documents that were passed over are shown.
const SHOWN: usize = 5;
/// The part that means all parts.
const ALL: &str = "all";

/// Which documents of a dataset are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct Choice {
    /// Take this part of a dataset that is cut into parts, or all for all of it [default: train to train
    /// on, test to evaluate on]
    #[arg(long, value_name = "NAME")]
    pub(crate) part: Option<String>,
    /// Pass over documents that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

/// A dataset and the documents of it that are wanted.
pub(crate) struct Documents<'a> {
    path: &'a Path,
    skip_bad: bool,
    /// The part that is wanted.
    part: &'a str,
    /// Whether the user named it.
    is_named: bool,
}

impl Choice {
    /// The documents of a dataset, those of one part unless another was named.
    pub(crate) fn of<'a>(&'a self, path: &'a Path, part: &'a str) -> Documents<'a> {
        Documents {
            path,
            skip_bad: self.skip_bad,
            part: self.part.as_deref().unwrap_or(part),
            is_named: self.part.is_some(),
        }
    }
}

/// What was passed over.
#[derive(Default)]
struct Skipped {
    number: u64,
    examples: Vec<String>,
}

impl Skipped {
    fn note(&mut self, reason: &str) {
        self.number += 1;
        if self.examples.len() < SHOWN {
            // The first line says what is wrong; the others say what to do, which was done.
            self.examples.push(reason.lines().next().unwrap_or_default().to_owned());
        }
    }

    fn report(&self, printer: &mut Printer) {
        let documents = if self.number == 1 { "document" } else { "documents" };
        printer.passed_over(self.number, documents, &self.examples);
    }
}

impl Documents<'_> {
    /// Hands over all documents, batch by batch.
    pub(crate) fn each_batch(
        &self,
        printer: &mut Printer,
        visit: &mut dyn FnMut(&[Labelled]) -> Result<()>,
    ) -> Result<()> {
        let dataset = Dataset::open(self.path)?;
        let mut skipped = Skipped::default();
        let (mut parts, mut labels) = (BTreeSet::new(), BTreeSet::new());
        let progress = printer.progress("reading", None);
        let mut batch: Vec<Document> = Vec::with_capacity(BATCH);
        let mut taken = 0;
        for document in self.documents(&dataset, &mut skipped)? {
            match document {
                Ok(document) => {
                    parts.extend(document.part.clone());
                    labels.extend(document.label.clone());
                    if self.takes(&document)? {
                        taken += 1;
                        batch.push(document);
                    }
                }
                Err(CorpusError::Row(row)) if self.skip_bad => skipped.note(&row.to_string()),
                Err(CorpusError::Row(row)) => return Err(hinted(&row)),
                Err(error) => return Err(error.into()),
            }
            if batch.len() == BATCH {
                self.flush(&mut batch, &mut skipped, &progress, visit)?;
            }
        }
        self.flush(&mut batch, &mut skipped, &progress, visit)?;
        drop(progress);
        skipped.report(printer);
        if taken == 0 {
            bail!("{}", self.nothing(&parts));
        }
        self.check_folders(&dataset, &labels, printer)
    }

    /// The documents of a dataset one by one; all at once only where its dataset.toml has it cut.
    fn documents(
        &self,
        dataset: &Dataset,
        skipped: &mut Skipped,
    ) -> Result<Box<dyn Iterator<Item = Result<Document, CorpusError>>>> {
        if dataset.info().is_none_or(|info| info.split.is_none()) {
            return Ok(Box::new(dataset.documents()?));
        }
        let loaded = dataset.load(self.skip_bad).map_err(|error| match error {
            CorpusError::Row(row) => hinted(&row),
            error => error.into(),
        })?;
        loaded.skipped.examples.iter().for_each(|row| skipped.note(&row.to_string()));
        skipped.number = loaded.skipped.count as u64;
        Ok(Box::new(loaded.documents.into_iter().map(Ok)))
    }

    fn takes(&self, document: &Document) -> Result<bool> {
        match &document.part {
            Some(part) => Ok(self.part == ALL || self.part == part),
            None if self.is_named && self.part != ALL => bail!(
                "{}: is not cut into parts, so there is no part `{}`; leave out --part, or cut it with \
                 `ontrail corpus split`",
                self.path.display(),
                self.part
            ),
            None => Ok(true),
        }
    }

    /// Turns a batch of documents into passages, on all threads, and hands it over.
    fn flush(
        &self,
        batch: &mut Vec<Document>,
        skipped: &mut Skipped,
        progress: &Progress,
        visit: &mut dyn FnMut(&[Labelled]) -> Result<()>,
    ) -> Result<()> {
        let labelled: Vec<Result<Labelled>> =
            batch.par_iter().map(|document| self.labelled(document)).collect();
        batch.clear();
        let mut good = Vec::with_capacity(labelled.len());
        for document in labelled {
            match document {
                Ok(document) => good.push(document),
                Err(error) if self.skip_bad => skipped.note(&error.to_string()),
                Err(error) => return Err(error),
            }
        }
        good.iter().for_each(|_| progress.step());
        visit(&good)
    }

    fn labelled(&self, document: &Document) -> Result<Labelled> {
        let wrong = |reason: &str| {
            anyhow!(
                "{}: {reason}\n  pass over such documents with --skip-bad",
                self.place(document)
            )
        };
        let Some(label) = &document.label else {
            return Err(wrong(
                "has no label: a table needs a column `label`, a folder one folder for each class",
            ));
        };
        check_label(label).map_err(|error| wrong(&error.to_string()))?;
        let passages = match &document.body {
            Body::Text(text) => passages_of_text(document.title.as_deref(), text),
            Body::Html(bytes) => Html::parse(bytes, Source::default()).passages,
        };
        if passages.text().trim().is_empty() {
            return Err(wrong("has no text"));
        }
        Ok(Labelled { label: label.clone(), passages })
    }

    /// Where a document is; tables name themselves in the ids of their rows.
    fn place(&self, document: &Document) -> String {
        let path = self.path.display().to_string();
        if document.id.starts_with(&path) {
            document.id.clone()
        } else {
            format!("{path}: {}", document.id)
        }
    }

    fn nothing(&self, parts: &BTreeSet<String>) -> String {
        let path = self.path.display();
        if parts.is_empty() {
            return format!("{path}: no documents in it");
        }
        let names: Vec<&str> = parts.iter().map(String::as_str).collect();
        format!(
            "{path}: no documents in the part `{}`; there are {}; choose with --part",
            self.part,
            names.join(", ")
        )
    }

    /// Refuses a folder for a class that has no document in it: something was forgotten.
    fn check_folders(
        &self,
        dataset: &Dataset,
        labels: &BTreeSet<String>,
        printer: &mut Printer,
    ) -> Result<()> {
        let inner = dataset.info().and_then(|info| info.data.path.clone()).unwrap_or_default();
        let Ok(entries) = fs::read_dir(self.path.join(inner)) else { return Ok(()) };
        let folders: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir())
            .collect();
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !folders.iter().any(|folder| labels.contains(&name(folder))) {
            return Ok(());
        }
        let is_empty =
            |path: &&PathBuf| !name(path).starts_with('.') && !labels.contains(&name(path));
        let Some(empty) = folders.iter().filter(is_empty).min() else { return Ok(()) };
        let message = format!("{}: no document in the folder of this class", empty.display());
        if self.skip_bad {
            printer.warn(message);
            return Ok(());
        }
        bail!("{message}\n  put some in, take it away, or pass over it with --skip-bad")
    }
}

fn hinted(row: &BadRow) -> anyhow::Error {
    anyhow!("{row}\n  pass over rows that cannot be read with --skip-bad")
}

/// Whether a dataset says that it has a part of this name.
pub(crate) fn has_part(path: &Path, name: &str) -> Result<bool> {
    let dataset = Dataset::open(path)?;
    Ok(dataset.info().is_some_and(|info| {
        let is_cut = info.split.as_ref().is_some_and(|split| split.parts.contains_key(name));
        is_cut || info.parts.contains_key(name)
    }))
}
