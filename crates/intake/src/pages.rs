//! Unparsed pages from files, folders, datasets and web archives.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ontrail_archive::Records;
use ontrail_corpus::{Dataset, Format, is_document};
use ontrail_page::{Media, Source};
use url::Url;

use crate::error::IntakeError;
use crate::labelled::page_of;

/// A page that is not parsed yet.
#[derive(Debug, Clone)]
pub struct PageFile {
    /// Its file name, its URL in a web archive, or its ID in a dataset.
    pub name: String,
    /// The URL that it was fetched from, if known.
    pub url: Option<Url>,
    /// Its label: the class in a dataset, or the subfolder that it is in.
    pub label: Option<String>,
    /// The `Content-Type` that it was served with, in lower case.
    pub content_type: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

impl PageFile {
    /// Returns the page's URL and content type, as the parser needs them.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        let source = self.url.as_ref().map_or_else(Source::default, Source::at);
        source.with_content_type(self.content_type.as_deref())
    }
}

/// Calls `visit` with every page of a file, of standard input (`-`), of a folder of pages, of a web
/// archive or of a dataset, whose texts become pages.
///
/// A file that cannot be read is an error, unless `skipped` is given: then the message is added to
/// it and the file is skipped.
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
        visit(PageFile {
            name: file.display().to_string(),
            url: None,
            label: subfolder(&file, path),
            content_type: Media::type_of_name(&file.to_string_lossy()).map(str::to_owned),
            bytes,
        })?;
    }
    Ok(())
}

/// Reads the bytes of a file, or of standard input for `-`. Binary data other than PDF is an error.
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

/// Returns true if the bytes are neither text nor a PDF: compressed data, many control characters,
/// or zero bytes without a byte order mark or anything like a tag.
fn is_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"%PDF-") {
        return false;
    }
    let start = &bytes[..bytes.len().min(4_096)];
    let has_mark = start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]);
    let is_tag =
        |pair: &[u8]| pair[0] == b'<' && (pair[1].is_ascii_alphabetic() || pair[1] == b'!');
    let is_packed = start.starts_with(&[0x1f, 0x8b]) || start.starts_with(b"PK\x03\x04");
    // Text in any charset has fewer control characters than this.
    let controls =
        start.iter().filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    let controls = controls.count();
    let is_noise = !has_mark && controls > 16 && controls * 20 > start.len();
    is_packed || is_noise || (start.contains(&0) && !has_mark && !start.windows(2).any(is_tag))
}

/// Returns the pages in a folder and its subfolders, sorted.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, IntakeError> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(IntakeError::io(&folder))? {
            let path = entry.map_err(IntakeError::io(&folder))?.path();
            // Symbolic links to folders are not followed: they may form a cycle.
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

/// Returns the subfolder of `folder` that a file is in.
fn subfolder(file: &Path, folder: &Path) -> Option<String> {
    let mut parts = file.strip_prefix(folder).ok()?.components();
    let first = parts.next()?.as_os_str().to_string_lossy().into_owned();
    parts.next().map(|_| first)
}

/// Returns true if the name of a file is that of a table or a tarball.
fn is_dataset(path: &Path) -> bool {
    !path.is_dir() && Format::detect(path).is_some()
}

/// Returns true if a folder has a `dataset.toml` that says which tables hold its documents. Folders
/// of pages are read file by file instead, so that each page has its file name.
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

/// Visits the documents of a dataset as pages. A text becomes a page with a title and a paragraph.
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
    for document in loaded.documents {
        visit(page_of(document))?;
    }
    Ok(())
}

/// Returns true if the name of a file is that of a web archive.
#[must_use]
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    // The archive that a crawl is writing ends in `.open`.
    let name = name.strip_suffix(".open").unwrap_or(&name);
    name.ends_with(".warc") || name.ends_with(".warc.gz")
}

/// Visits the pages of a web archive: responses with status 200 that are HTML, plain text,
/// Markdown, feeds or PDF.
pub(crate) fn of_archive<E: From<IntakeError>>(
    path: &Path,
    visit: &mut dyn FnMut(PageFile) -> Result<(), E>,
) -> Result<(), E> {
    for record in Records::open(path).map_err(IntakeError::from)? {
        let record = record.map_err(IntakeError::from)?;
        let (Some(response), Some(target)) = (record.response(), record.target()) else { continue };
        let kind = response.header("Content-Type").unwrap_or("text/html").to_lowercase();
        let is_page =
            kind.contains("html") || Media::of(&response.body, Some(&kind)) != Media::Html;
        if response.status != 200 || !is_page {
            continue;
        }
        visit(PageFile {
            name: target.to_owned(),
            // A page with an invalid URL is still a page; only its links cannot be resolved.
            url: Url::parse(target).ok(),
            label: None,
            content_type: Some(kind),
            bytes: response.body,
        })?;
    }
    Ok(())
}
