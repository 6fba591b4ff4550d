#![doc = include_str!("../README.md")]

mod error;
mod pages;
mod templates;

use std::path::{Path, PathBuf};

use ontrail_corpus::{BadRow, Body, Dataset, Document, Info, Skipped};
use ontrail_page::{Html, Source, Templates};
use ontrail_text::{CharsetHints, decode};

pub use error::IntakeError;
pub use ontrail_page::Content;
pub use pages::{PageFile, each_page, is_archive, page_bytes};
pub use templates::{host_of, learn, text_without_template};

/// Documents in memory, each with a text.
#[derive(Debug)]
pub struct Read {
    /// The path that was read.
    path: PathBuf,
    /// The dataset; none if a web archive was read.
    pub dataset: Option<Dataset>,
    /// The documents.
    pub documents: Vec<Document>,
    /// The rows and pages that were skipped.
    pub skipped: Skipped,
}

/// One page without text among this many is no error.
const MANY: usize = 20;

/// The way documents are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// True if rows and pages that cannot be read are skipped and counted.
    pub skip_bad: bool,
    /// The part of each page that becomes its text.
    pub content: Content,
}

impl Default for Reading {
    /// Stops at the first document that cannot be read, and reads the main content of pages.
    fn default() -> Self {
        Self { skip_bad: false, content: Content::Main }
    }
}

/// Starts a progress display: takes the number of steps, if it is known, and returns a function
/// that is called after each step.
pub type Watch<'a> = dyn Fn(Option<u64>) -> Box<dyn Fn()> + 'a;

/// Reads all documents of a dataset or a web archive, and turns pages into texts.
///
/// A row that cannot be read is an error, and so are pages without text, if they are more than one
/// in twenty pages of a dataset. With `skip_bad`, both are skipped and counted instead.
pub fn read(path: &Path, reading: Reading, watch: &Watch<'_>) -> Result<Read, IntakeError> {
    let Reading { skip_bad, content } = reading;
    let mut read = if is_archive(path) {
        let documents = from_archive(path, content, watch)?;
        Read { path: path.to_owned(), dataset: None, documents, skipped: Skipped::default() }
    } else {
        read_dataset(path, skip_bad)?
    };
    pages_to_texts(&mut read.documents, content, watch);
    let empty = take_empty(&mut read.documents);
    // Among many pages a few have no text, and a warning is enough. If there are more of them, the
    // pages were probably not read as they should be.
    let are_few = empty.len() * MANY <= empty.len() + read.documents.len();
    if let Some(first) = empty.first()
        && !(skip_bad || is_archive(path) || are_few)
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
    /// Returns the dataset's own description, if it has one.
    #[must_use]
    pub fn info(&self) -> Option<&Info> {
        self.dataset.as_ref().and_then(Dataset::info)
    }

    /// Returns the name of the dataset, or the file name of the archive.
    #[must_use]
    pub fn name(&self) -> String {
        let of_path = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.dataset.as_ref().map_or_else(of_path, Dataset::name)
    }
}

/// Reads the texts of the pages in a web archive. The archive is read twice, because the templates
/// of its sites are known only at its end and its pages may not fit into the memory.
fn from_archive(
    path: &Path,
    content: Content,
    watch: &Watch<'_>,
) -> Result<Vec<Document>, IntakeError> {
    let mut templates = Templates::new();
    if content != Content::Page {
        let step = watch(None);
        pages::of_archive(path, &mut |file| {
            learn(&mut templates, &Html::parse(&file.bytes, file.source()), file.url.as_ref());
            step();
            Ok::<_, IntakeError>(())
        })?;
    }
    let step = watch(None);
    let mut documents = Vec::new();
    pages::of_archive(path, &mut |file| {
        let mut html = Html::parse(&file.bytes, file.source());
        documents.push(Document {
            id: file.name,
            label: None,
            body: Body::Text(text_without_template(
                &mut html,
                file.url.as_ref(),
                &templates,
                content,
            )),
            title: Some(html.title).filter(|title| !title.is_empty()),
            part: None,
        });
        step();
        Ok::<_, IntakeError>(())
    })?;
    Ok(documents)
}

/// Removes the documents that have no text, and returns their IDs.
fn take_empty(documents: &mut Vec<Document>) -> Vec<String> {
    let is_empty =
        |document: &Document| document.full_text().is_none_or(|text| text.trim().is_empty());
    documents.extract_if(.., |document| is_empty(document)).map(|document| document.id).collect()
}

/// Turns pages into texts: the title, and the chosen part of the text that a reader sees.
fn pages_to_texts(documents: &mut [Document], content: Content, watch: &Watch<'_>) {
    if documents.iter().all(|document| matches!(document.body, Body::Text(_))) {
        return;
    }
    let step = watch(Some(documents.len() as u64));
    let mut templates = Templates::new();
    let mut parsed = Vec::new();
    for document in &mut *documents {
        let html = match &mut document.body {
            // A parsed page needs about as much memory as its bytes, which are not needed again.
            Body::Html(bytes) => Some(parse(&std::mem::take(bytes))),
            Body::Text(_) => None,
        };
        if let Some(html) = &html
            && content != Content::Page
        {
            learn(&mut templates, html, None);
        }
        parsed.push(html);
        step();
    }
    for (document, html) in documents.iter_mut().zip(parsed) {
        if let Some(mut html) = html {
            let text = text_without_template(&mut html, None, &templates, content);
            document.body = Body::Text(text);
            document.title = Some(html.title).filter(|title| !title.is_empty());
        }
    }
}

/// Parses a page for its text alone.
fn parse(bytes: &[u8]) -> Html {
    let mut html = Html::parse(bytes, Source::default());
    html.links = Vec::new();
    html
}

/// Reads a list of terms from a file, one per line; `#` starts a comment.
pub fn term_lines(path: &Path) -> Result<Vec<String>, IntakeError> {
    let text = read_text(path)?;
    let plain = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    Ok(text.lines().map(plain).filter(|line| !line.is_empty()).collect())
}

/// Reads a text file in any charset.
pub fn read_text(path: &Path) -> Result<String, IntakeError> {
    let bytes = page_bytes(path)?;
    Ok(decode(&bytes, CharsetHints::default()).text.into_owned())
}
