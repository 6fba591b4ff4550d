//! Reading documents as every tool does.
//!
//! Whatever a user points at (a folder, a table, a tarball of pages, a web archive) becomes a list of
//! texts: pages are read as a person would, what cannot be read is an error or, with `--skip-bad`,
//! counted and shown.

mod pages;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_corpus::{BadRow, Body, CorpusError, Dataset, Document, Info, Skipped};
use ontrail_page::{Html, Source};
use ontrail_text::{CharsetHints, decode};

pub use pages::{PageFile, each_page, is_archive, page_bytes};

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

/// Documents read into memory, each with a text.
#[derive(Debug)]
pub struct Read {
    /// The dataset that they are from, unless it is an archive.
    pub dataset: Option<Dataset>,
    /// The documents.
    pub documents: Vec<Document>,
    /// What was passed over.
    pub skipped: Skipped,
}

impl Input {
    /// Reads all documents; pages become texts.
    pub fn read(&self, printer: &mut Printer) -> Result<Read> {
        let mut read = if pages::is_archive(&self.path) {
            let documents = from_archive(&self.path, printer)?;
            Read { dataset: None, documents, skipped: Skipped::default() }
        } else {
            self.read_dataset()?
        };
        pages_to_texts(&mut read.documents, printer);
        let empty = take_empty(&mut read.documents);
        // Of thousands of pages of a web some have no text; in what a person put together it is a mistake.
        if let Some(first) = empty.first()
            && !(self.skip_bad || pages::is_archive(&self.path))
        {
            bail!(
                "{}: {first}: no readable text on this page\n  pass over such pages with --skip-bad",
                self.path.display()
            );
        }
        if read.documents.is_empty() {
            bail!("{}: no documents with text in it", self.path.display());
        }
        let file = self.path.display().to_string();
        read.skipped.count += empty.len();
        read.skipped.examples.extend(empty.into_iter().map(|id| BadRow {
            file: format!("{file}: {id}"),
            line: None,
            reason: "no readable text on this page".to_owned(),
        }));
        let Skipped { count, examples } = &read.skipped;
        printer.passed_over(*count as u64, "documents", examples);
        Ok(read)
    }

    fn read_dataset(&self) -> Result<Read> {
        let dataset = Dataset::open(&self.path)?;
        let loaded = dataset.load(self.skip_bad).map_err(|error| match error {
            CorpusError::Row(row) => {
                anyhow!("{row}\n  pass over rows that cannot be read with --skip-bad")
            }
            error => error.into(),
        })?;
        let (documents, skipped) = (loaded.documents, loaded.skipped);
        Ok(Read { dataset: Some(dataset), documents, skipped })
    }

    /// How the documents were read, for what is made of them.
    pub fn provenance(&self, command: &str) -> Result<Provenance> {
        let provenance = Provenance::of_this_process(command)
            .with_parameter("skip_bad", self.skip_bad)
            .with_input(&self.path)?;
        Ok(provenance)
    }
}

impl Read {
    /// What the dataset says of itself, if anything.
    #[must_use]
    pub fn info(&self) -> Option<&Info> {
        self.dataset.as_ref().and_then(Dataset::info)
    }

    /// What the documents are called together.
    #[must_use]
    pub fn name(&self, input: &Input) -> String {
        let of_path = || input.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.dataset.as_ref().map_or_else(of_path, Dataset::name)
    }
}

/// The places of the documents that have one of some labels. `option` is how a user names them.
pub fn with_labels(
    documents: &[Document],
    labels: &[String],
    path: &Path,
    option: &str,
) -> Result<Vec<usize>> {
    let known = labels_of(documents);
    if let Some(unknown) = labels.iter().find(|label| !known.contains(label.as_str())) {
        let there = if known.is_empty() {
            "no text has a label".to_owned()
        } else {
            format!("there are {}", shown(&known))
        };
        bail!("{}: {option}: no text has the label {unknown:?}; {there}", path.display());
    }
    let is_wanted =
        |document: &Document| document.label.as_ref().is_some_and(|it| labels.contains(it));
    Ok((0..documents.len()).filter(|&place| is_wanted(&documents[place])).collect())
}

/// The places of the documents on a topic: those of its labels, or all, where they are not of several.
pub fn on_topic(documents: &[Document], labels: &[String], path: &Path) -> Result<Vec<usize>> {
    if !labels.is_empty() {
        return with_labels(documents, labels, path, "--label");
    }
    let known = labels_of(documents);
    if known.len() > 1 {
        bail!(
            "{}: texts of several labels; say with --label which are on the topic: {}",
            path.display(),
            shown(&known)
        );
    }
    Ok((0..documents.len()).collect())
}

fn labels_of(documents: &[Document]) -> BTreeSet<&str> {
    documents.iter().filter_map(|document| document.label.as_deref()).collect()
}

/// The first labels of many.
fn shown(labels: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 30;
    let first: Vec<&str> = labels.iter().take(SHOWN).copied().collect();
    let more = if labels.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

/// The texts of the pages of a web archive.
fn from_archive(path: &Path, printer: &mut Printer) -> Result<Vec<Document>> {
    let progress = printer.progress("reading", None);
    let mut documents = Vec::new();
    pages::of_archive(path, &mut |file| {
        let html = Html::parse(&file.bytes, file.source());
        documents.push(Document {
            id: file.name,
            label: None,
            body: Body::Text(html.text()),
            title: Some(html.title).filter(|title| !title.is_empty()),
            part: None,
        });
        progress.step();
        Ok(())
    })?;
    Ok(documents)
}

/// Takes out the documents that turned out to hold nothing, and returns their names.
fn take_empty(documents: &mut Vec<Document>) -> Vec<String> {
    let is_empty =
        |document: &Document| document.full_text().is_none_or(|text| text.trim().is_empty());
    documents.extract_if(.., |document| is_empty(document)).map(|document| document.id).collect()
}

/// Turns pages into texts: their title, and what a person reads on them.
fn pages_to_texts(documents: &mut [Document], printer: &mut Printer) {
    if documents.iter().all(|document| matches!(document.body, Body::Text(_))) {
        return;
    }
    let progress = printer.progress("reading", Some(documents.len() as u64));
    for document in documents {
        if let Body::Html(bytes) = &document.body {
            let html = Html::parse(bytes, Source::default());
            document.body = Body::Text(html.text());
            document.title = Some(html.title).filter(|title| !title.is_empty());
        }
        progress.step();
    }
}

/// Refuses to write over what is being read, or over a folder that holds it.
pub fn check_output(input: &Path, output: &Path) -> Result<()> {
    if let (Ok(input), Ok(whole)) = (input.canonicalize(), output.canonicalize())
        && input.starts_with(&whole)
    {
        let what = if input == whole { "is" } else { "holds" };
        bail!("{}: {what} what is read; write to another name", output.display());
    }
    Ok(())
}

/// The lines of a file that lists terms: one a line, `#` begins a comment.
pub fn term_lines(path: &Path) -> Result<Vec<String>> {
    let text = read_text(path)?;
    let plain = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    Ok(text.lines().map(plain).filter(|line| !line.is_empty()).collect())
}

/// A file of text in any charset.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = page_bytes(path)?;
    Ok(decode(&bytes, CharsetHints::default()).text.into_owned())
}
