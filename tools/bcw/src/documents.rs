//! Labelled documents, read batch by batch, since a corpus need not fit in memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_bcw::{Labelled, check_label, passages_of_text};
use ontrail_cli::{Printer, ProgressBar};
use ontrail_corpus::{BadRow, Body, CorpusError, Dataset, Document};
use ontrail_intake::Reading;
use ontrail_page::{Content, Html, Media, Source};
use ontrail_tool_input::{LabelArg, ReadingArgs};
use rayon::prelude::*;

/// Number of documents that are read at a time.
const BATCH: usize = 4_096;
/// Number of skipped documents to show.
const SHOWN: usize = 5;
/// The value of --part for all parts.
const ALL: &str = "all";

/// The options that choose documents of a dataset.
#[derive(Debug, Clone, Args)]
pub(crate) struct Choice {
    /// Part to use of a dataset that is split into parts, or all for all parts [default: train to
    /// train, test to evaluate, all with --folds]
    #[arg(long, value_name = "NAME")]
    pub(crate) part: Option<String>,
    #[command(flatten)]
    pub(crate) labels: LabelArg,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// The chosen documents of a dataset.
pub(crate) struct Documents<'a> {
    path: &'a Path,
    reading: Reading,
    /// The labels of the documents to read.
    labels: &'a LabelArg,
    /// The part to use.
    part: &'a str,
    /// True if the user named the part.
    is_named: bool,
    /// True if the documents were read before, so that the user knows about those that are skipped.
    pub(crate) is_read_again: bool,
    /// True if some of the documents are pages.
    has_pages: AtomicBool,
}

impl Choice {
    /// Returns the documents of a dataset's part: the one that the user named, or else `part`.
    pub(crate) fn of<'a>(&'a self, path: &'a Path, part: &'a str) -> Documents<'a> {
        Documents {
            path,
            reading: self.reading.reading(),
            labels: &self.labels,
            part: self.part.as_deref().unwrap_or(part),
            is_named: self.part.is_some(),
            is_read_again: false,
            has_pages: AtomicBool::new(false),
        }
    }
}

/// The documents that were skipped.
#[derive(Default)]
struct Skipped {
    number: u64,
    examples: Vec<String>,
}

impl Skipped {
    fn note(&mut self, reason: &str) {
        self.number += 1;
        if self.examples.len() < SHOWN {
            // The other lines advise --skip-bad, which was given.
            self.examples.push(reason.lines().next().unwrap_or_default().to_owned());
        }
    }

    fn report(&self, printer: &mut Printer) {
        let documents = if self.number == 1 { "document" } else { "documents" };
        printer.skipped(self.number, documents, &self.examples);
    }
}

impl Documents<'_> {
    /// Reads all documents, and calls `visit` with each batch.
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
                Err(CorpusError::Row(row)) if self.reading.skip_bad => {
                    skipped.note(&row.to_string());
                }
                Err(CorpusError::Row(row)) => return Err(hinted(&row)),
                Err(error) => return Err(error.into()),
            }
            if batch.len() == BATCH {
                self.flush(&mut batch, &mut skipped, &progress, visit)?;
            }
        }
        self.flush(&mut batch, &mut skipped, &progress, visit)?;
        drop(progress);
        if self.is_read_again {
            return Ok(());
        }
        skipped.report(printer);
        self.labels.check(&labels.iter().map(String::as_str).collect(), self.path)?;
        if taken == 0 {
            bail!("{}", self.nothing(&parts));
        }
        self.check_folders(&dataset, &labels, printer)
    }

    /// Iterates over the documents of a dataset. They are loaded at once only if its dataset.toml
    /// asks for a split, which depends on all of them.
    fn documents(
        &self,
        dataset: &Dataset,
        skipped: &mut Skipped,
    ) -> Result<Box<dyn Iterator<Item = Result<Document, CorpusError>>>> {
        if dataset.info().is_none_or(|info| info.split.is_none()) {
            return Ok(Box::new(dataset.documents()?));
        }
        let loaded = dataset.load(self.reading.skip_bad).map_err(|error| match error {
            CorpusError::Row(row) => hinted(&row),
            error => error.into(),
        })?;
        loaded.skipped.examples.iter().for_each(|row| skipped.note(&row.to_string()));
        skipped.number = loaded.skipped.count as u64;
        Ok(Box::new(loaded.documents.into_iter().map(Ok)))
    }

    fn takes(&self, document: &Document) -> Result<bool> {
        if !self.labels.takes(document.label.as_deref()) {
            return Ok(false);
        }
        match &document.part {
            Some(part) => Ok(self.part == ALL || self.part == part),
            None if self.is_named && self.part != ALL => bail!(
                "{}: the dataset is not split into parts, so it has no part `{}`; leave out --part, \
                 or split it with `ontrail corpus split`",
                self.path.display(),
                self.part
            ),
            None => Ok(true),
        }
    }

    /// Turns a batch of documents into passages, on all threads, and calls `visit` with them.
    fn flush(
        &self,
        batch: &mut Vec<Document>,
        skipped: &mut Skipped,
        progress: &ProgressBar,
        visit: &mut dyn FnMut(&[Labelled]) -> Result<()>,
    ) -> Result<()> {
        let labelled: Vec<Result<Labelled>> =
            batch.par_iter().map(|document| self.labelled(document)).collect();
        batch.clear();
        let mut good = Vec::with_capacity(labelled.len());
        for document in labelled {
            match document {
                Ok(document) => good.push(document),
                Err(error) if self.reading.skip_bad => skipped.note(&error.to_string()),
                Err(error) => return Err(error),
            }
        }
        good.iter().for_each(|_| progress.step());
        visit(&good)
    }

    /// Returns the part of pages that was read; the whole page if all documents so far were texts.
    pub(crate) fn content(&self) -> Content {
        if self.has_pages.load(Ordering::Relaxed) { self.reading.content } else { Content::Page }
    }

    fn labelled(&self, document: &Document) -> Result<Labelled> {
        let wrong = |reason: &str| {
            anyhow!("{}: {reason}\n  use --skip-bad to skip such documents", self.place(document))
        };
        let Some(label) = &document.label else {
            return Err(wrong(
                "the document has no label; a table needs a column `label`, and a folder needs one \
                 subfolder for each class",
            ));
        };
        check_label(label).map_err(|error| wrong(&error.to_string()))?;
        let passages = match &document.body {
            Body::Text(text) => passages_of_text(document.title.as_deref(), text),
            Body::Html(bytes) => {
                self.has_pages.store(true, Ordering::Relaxed);
                let media = Media::type_of_name(&document.id);
                let html = Html::parse(bytes, Source::default().with_content_type(media));
                html.passages_of(self.reading.content).into_owned()
            }
        };
        if passages.text().trim().is_empty() {
            return Err(wrong("the document has no text"));
        }
        Ok(Labelled { id: document.id.clone(), label: label.clone(), passages })
    }

    /// Returns the place of a document. The ids of a table's rows already have the table's path.
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
            return format!("{path}: the dataset has no documents");
        }
        let names: Vec<&str> = parts.iter().map(String::as_str).collect();
        format!(
            "{path}: the part `{}` has no documents; the parts are {}; choose one with --part",
            self.part,
            names.join(", ")
        )
    }

    /// Refuses an empty folder among those of the classes: its documents were probably forgotten.
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
        let message = format!("{}: the folder of this class has no documents", empty.display());
        if self.reading.skip_bad {
            printer.warn(message);
            return Ok(());
        }
        bail!("{message}\n  add some, remove the folder, or use --skip-bad to skip it")
    }
}

fn hinted(row: &BadRow) -> anyhow::Error {
    anyhow!("{row}\n  use --skip-bad to skip rows that cannot be read")
}

/// Returns true if the dataset.toml of a dataset has a part of this name.
pub(crate) fn has_part(path: &Path, name: &str) -> Result<bool> {
    let dataset = Dataset::open(path)?;
    Ok(dataset.info().is_some_and(|info| {
        let is_split = info.split.as_ref().is_some_and(|split| split.parts.contains_key(name));
        is_split || info.parts.contains_key(name)
    }))
}
