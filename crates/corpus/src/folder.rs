//! Reads folders of texts or pages in the layout of THUCNews: `class/0001.txt`.

use std::fs;
use std::path::Path;

use ontrail_text::{CharsetHints, decode};
use walkdir::WalkDir;

use crate::document::{Body, Document, looks_like_html};
use crate::error::CorpusError;
use crate::source::Documents;

/// Maximum size of a text or page in bytes.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

pub(crate) fn documents(root: &Path) -> Documents {
    let root = root.to_owned();
    let visible = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
    };
    let entries = WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(visible);
    Box::new(entries.filter_map(move |entry| match entry {
        Ok(entry) if entry.file_type().is_file() && is_document(entry.path()) => {
            Some(read(&root, entry.path()))
        }
        Ok(_) => None,
        Err(error) => {
            let path = error.path().unwrap_or(&root).to_owned();
            Some(Err(CorpusError::file(&path, error)))
        }
    }))
}

/// Returns true if a file of this name is a text or a page, and not, say, a README.
#[must_use]
pub fn is_document(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_format = matches!(
        extension(path).as_str(),
        "txt" | "html" | "htm" | "xhtml" | "shtml" | "md" | "markdown" | "rss" | "atom" | "pdf"
    );
    is_format && stem != "readme"
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn read(root: &Path, path: &Path) -> Result<Document, CorpusError> {
    let name = path.strip_prefix(root).unwrap_or(path);
    let size = fs::metadata(path).map_err(CorpusError::io(path))?.len();
    if size > MAX_DOCUMENT_BYTES {
        return Err(too_large(&path.display().to_string()));
    }
    let bytes = fs::read(path).map_err(CorpusError::io(path))?;
    document(name, &path.display().to_string(), bytes)
}

pub(crate) fn too_large(file: &str) -> CorpusError {
    CorpusError::row(
        file,
        None,
        format!("the file is larger than {} MiB", MAX_DOCUMENT_BYTES >> 20),
    )
}

/// Turns a file into a document. `name` is its path within the dataset, whose first folder is the
/// label, and `file` is its name in errors.
pub fn document(name: &Path, file: &str, bytes: Vec<u8>) -> Result<Document, CorpusError> {
    let mut folders = name.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let label = folders.next().filter(|_| folders.next().is_some());
    let is_page = |bytes: &[u8]| extension(name) != "txt" || looks_like_html(bytes);
    let (title, body) = if bytes.is_empty() {
        return Err(CorpusError::row(file, None, "the file is empty"));
    } else if is_page(&bytes) {
        (None, Body::Html(bytes))
    } else {
        let decoded = decode(&bytes, CharsetHints::default());
        let (title, text) = headline(&decoded.text);
        if text.is_empty() {
            return Err(CorpusError::row(file, None, "the text is empty"));
        }
        (title, Body::Text(text))
    };
    let id = name.to_string_lossy().replace('\\', "/");
    Ok(Document { id, label, title, body, part: None })
}

/// Splits off the first line as the headline if there is text after it, as in THUCNews.
fn headline(text: &str) -> (Option<String>, String) {
    let text = text.trim();
    match text.split_once('\n') {
        Some((first, rest)) if !rest.trim().is_empty() => {
            (Some(first.trim().to_owned()), rest.trim().to_owned())
        }
        _ => (None, text.to_owned()),
    }
}
