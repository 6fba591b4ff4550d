//! Pages as they came: from files, folders and web archives.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ontrail_archive::Records;
use ontrail_corpus::{Body, Dataset, Format, is_document};
use ontrail_page::Source;
use url::Url;

use crate::error::IntakeError;

/// A page, not read yet.
#[derive(Debug, Clone)]
pub struct PageFile {
    /// Its file, or its address in an archive.
    pub name: String,
    /// The address that it came from, if that is known.
    pub url: Option<Url>,
    /// The `Content-Type` that it came with, in lower case.
    pub content_type: Option<String>,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl PageFile {
    /// What is known of the page besides its bytes.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        let source = self.url.as_ref().map_or_else(Source::default, Source::at);
        source.with_content_type(self.content_type.as_deref())
    }
}

/// Hands over every page that a user points at: a file, a page on standard input (`-`), a folder of pages,
/// a web archive, or a dataset, whose texts become pages. Files that cannot be read are noted in `skipped`, if there is one, or end it.
pub fn each_page<E: From<IntakeError>>(
    path: &Path,
    mut skipped: Option<&mut Vec<String>>,
    visit: &mut dyn FnMut(PageFile) -> Result<(), E>,
) -> Result<(), E> {
    if is_archive(path) {
        return of_archive(path, visit);
    }
    if is_dataset(path) || is_described_table(path) {
        return of_dataset(path, skipped, visit);
    }
    let files = if path.is_dir() { files_of(path)? } else { vec![path.to_owned()] };
    for file in files {
        let bytes = match (page_bytes(&file), &mut skipped) {
            (Ok(bytes), _) => bytes,
            (Err(error), None) => return Err(error.into()),
            (Err(error), Some(skipped)) => {
                skipped.push(error.with_causes());
                continue;
            }
        };
        visit(PageFile { name: file.display().to_string(), url: None, content_type: None, bytes })?;
    }
    Ok(())
}

/// The bytes of a page file, or of standard input for `-`.
pub fn page_bytes(path: &Path) -> Result<Vec<u8>, IntakeError> {
    let read = || -> std::io::Result<Vec<u8>> {
        if path.as_os_str() != "-" {
            return fs::read(path);
        }
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(IntakeError::io(path))?;
    if is_binary(&bytes) {
        return Err(IntakeError::Binary { path: path.to_owned() });
    }
    Ok(bytes)
}

/// Whether bytes are no text of any kind: zeros in them, no byte order mark, and nothing like a tag.
fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4_096)];
    let has_mark = start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]);
    let is_tag =
        |pair: &[u8]| pair[0] == b'<' && (pair[1].is_ascii_alphabetic() || pair[1] == b'!');
    let is_packed = start.starts_with(&[0x1f, 0x8b]) || start.starts_with(b"PK\x03\x04");
    // No charset of texts has so many of them.
    let controls =
        start.iter().filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    let controls = controls.count();
    let is_noise = !has_mark && controls > 16 && controls * 20 > start.len();
    is_packed || is_noise || (start.contains(&0) && !has_mark && !start.windows(2).any(is_tag))
}

/// The pages in a folder and those below it, sorted.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, IntakeError> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(IntakeError::io(&folder))? {
            let path = entry.map_err(IntakeError::io(&folder))?.path();
            // Links to folders are not followed: they may lead in circles.
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if is_document(&path) && path.is_file() {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(IntakeError::NoPages { path: folder.to_owned() });
    }
    files.sort();
    Ok(files)
}

/// Whether a file is a table or a tarball, by its name.
fn is_dataset(path: &Path) -> bool {
    !path.is_dir() && Format::detect(path).is_some()
}

/// Whether a folder's documents are in tables that its `dataset.toml` names. Folders of pages are read
/// file by file, so that each is known by its name.
fn is_described_table(path: &Path) -> bool {
    if !path.join("dataset.toml").is_file() {
        return false;
    }
    let Ok(dataset) = Dataset::open(path) else { return files_of(path).is_err() };
    dataset.info().is_some_and(|info| {
        let is_file = |inner: &PathBuf| path.join(inner).is_file();
        !info.parts.is_empty() || info.data.path.as_ref().is_some_and(is_file)
    })
}

/// The pages of a dataset; a text becomes one of a title and a paragraph.
fn of_dataset<E: From<IntakeError>>(
    path: &Path,
    skipped: Option<&mut Vec<String>>,
    visit: &mut dyn FnMut(PageFile) -> Result<(), E>,
) -> Result<(), E> {
    let load = |dataset: Dataset| dataset.load(skipped.is_some());
    let loaded = Dataset::open(path).and_then(load).map_err(IntakeError::from)?;
    if let Some(skipped) = skipped {
        skipped.extend(loaded.skipped.examples.iter().map(ToString::to_string));
    }
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    for document in loaded.documents {
        let (bytes, content_type) = match document.body {
            Body::Html(bytes) => (bytes, None),
            Body::Text(text) => {
                let title = escaped(document.title.as_deref().unwrap_or_default());
                let html = format!("<title>{title}</title><p>{}</p>", escaped(&text));
                (html.into_bytes(), Some("text/html; charset=utf-8".to_owned()))
            }
        };
        visit(PageFile { name: document.id, url: None, content_type, bytes })?;
    }
    Ok(())
}

/// Whether a file is a web archive, by its name.
#[must_use]
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.ends_with(".warc") || name.ends_with(".warc.gz")
}

/// The pages of a web archive. Answers that are no pages, and those other than 200, are none.
pub(crate) fn of_archive<E: From<IntakeError>>(
    path: &Path,
    visit: &mut dyn FnMut(PageFile) -> Result<(), E>,
) -> Result<(), E> {
    for record in Records::open(path).map_err(IntakeError::from)? {
        let record = record.map_err(IntakeError::from)?;
        let (Some(response), Some(target)) = (record.response(), record.target()) else { continue };
        let kind = response.header("Content-Type").unwrap_or("text/html").to_lowercase();
        if response.status != 200 || !(kind.contains("html") || kind.contains("text/plain")) {
            continue;
        }
        visit(PageFile {
            name: target.to_owned(),
            // An address that is none still has a page; only its links cannot be resolved.
            url: Url::parse(target).ok(),
            content_type: Some(kind),
            bytes: response.body,
        })?;
    }
    Ok(())
}
