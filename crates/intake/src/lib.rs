//! Reading documents as every tool does.
//!
//! Whatever a user points at (a folder, a table, a tarball of pages, a web archive) becomes a list of
//! texts: pages are read as a person would, what cannot be read is an error or, if it is to be passed
//! over, counted.

mod error;
mod pages;

use std::path::{Path, PathBuf};

use ontrail_corpus::{BadRow, Body, Dataset, Document, Info, Skipped};
use ontrail_page::{Html, Source};
use ontrail_text::{CharsetHints, decode};

pub use error::IntakeError;
pub use pages::{PageFile, each_page, is_archive, page_bytes};

/// Documents read into memory, each with a text.
#[derive(Debug)]
pub struct Read {
    /// Where they were read from.
    path: PathBuf,
    /// The dataset that they are from, unless it is an archive.
    pub dataset: Option<Dataset>,
    /// The documents.
    pub documents: Vec<Document>,
    /// What was passed over.
    pub skipped: Skipped,
}

/// Begins to watch a piece of work of so many steps, if their number is known, and is called after each
/// step.
pub type Watch<'a> = dyn Fn(Option<u64>) -> Box<dyn Fn()> + 'a;

/// Reads all documents of a dataset or a web archive; pages become texts. Rows that cannot be read end it,
/// unless `skip_bad` has them passed over.
pub fn read(path: &Path, skip_bad: bool, watch: &Watch<'_>) -> Result<Read, IntakeError> {
    let mut read = if is_archive(path) {
        let documents = from_archive(path, watch)?;
        Read { path: path.to_owned(), dataset: None, documents, skipped: Skipped::default() }
    } else {
        read_dataset(path, skip_bad)?
    };
    pages_to_texts(&mut read.documents, watch);
    let empty = take_empty(&mut read.documents);
    // Of thousands of pages of a web some have no text; in what a person put together it is a mistake.
    if let Some(first) = empty.first()
        && !(skip_bad || is_archive(path))
    {
        return Err(IntakeError::NoText { path: path.to_owned(), document: first.clone() });
    }
    if read.documents.is_empty() {
        return Err(IntakeError::Empty { path: path.to_owned() });
    }
    read.skipped.count += empty.len();
    read.skipped.examples.extend(empty.into_iter().map(|id| BadRow {
        file: format!("{}: {id}", path.display()),
        line: None,
        reason: "no readable text on this page".to_owned(),
    }));
    Ok(read)
}

fn read_dataset(path: &Path, skip_bad: bool) -> Result<Read, IntakeError> {
    let dataset = Dataset::open(path)?;
    let loaded = dataset.load(skip_bad)?;
    let (documents, skipped) = (loaded.documents, loaded.skipped);
    Ok(Read { path: path.to_owned(), dataset: Some(dataset), documents, skipped })
}

impl Read {
    /// What the dataset says of itself, if anything.
    #[must_use]
    pub fn info(&self) -> Option<&Info> {
        self.dataset.as_ref().and_then(Dataset::info)
    }

    /// What the documents are called together.
    #[must_use]
    pub fn name(&self) -> String {
        let of_path = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.dataset.as_ref().map_or_else(of_path, Dataset::name)
    }
}

/// The texts of the pages of a web archive.
fn from_archive(path: &Path, watch: &Watch<'_>) -> Result<Vec<Document>, IntakeError> {
    let step = watch(None);
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
        step();
        Ok::<_, IntakeError>(())
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
fn pages_to_texts(documents: &mut [Document], watch: &Watch<'_>) {
    if documents.iter().all(|document| matches!(document.body, Body::Text(_))) {
        return;
    }
    let step = watch(Some(documents.len() as u64));
    for document in documents {
        if let Body::Html(bytes) = &document.body {
            let html = Html::parse(bytes, Source::default());
            document.body = Body::Text(html.text());
            document.title = Some(html.title).filter(|title| !title.is_empty());
        }
        step();
    }
}

/// The lines of a file that lists terms: one a line, `#` begins a comment.
pub fn term_lines(path: &Path) -> Result<Vec<String>, IntakeError> {
    let text = read_text(path)?;
    let plain = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    Ok(text.lines().map(plain).filter(|line| !line.is_empty()).collect())
}

/// A file of text in any charset.
pub fn read_text(path: &Path) -> Result<String, IntakeError> {
    let bytes = page_bytes(path)?;
    Ok(decode(&bytes, CharsetHints::default()).text.into_owned())
}
