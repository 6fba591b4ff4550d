//! Unparsed pages with their labels.

use std::path::Path;

use ontrail_corpus::{Body, Dataset, Document, Format};

use crate::error::IntakeError;
use crate::pages::{PageFile, is_archive, of_archive, page_bytes};

/// A page that is not parsed yet, with its label.
#[derive(Debug, Clone)]
pub struct LabelledPage {
    /// The page. Its name is the ID of the document that [`read`](crate::read) returns for it.
    pub page: PageFile,
    /// The class, if it has one.
    pub label: Option<String>,
}

/// Reads all pages of a page file, a dataset, a folder or a web archive into memory, in the order
/// of [`read`](crate::read). A text becomes a page with a title and a paragraph. Pages without text
/// are kept. With `skipped`, documents that cannot be read are skipped and noted there.
pub fn labelled_pages(
    path: &Path,
    skipped: Option<&mut Vec<String>>,
) -> Result<Vec<LabelledPage>, IntakeError> {
    if is_archive(path) {
        let mut pages = Vec::new();
        of_archive(path, &mut |page| {
            pages.push(LabelledPage { page, label: None });
            Ok::<_, IntakeError>(())
        })?;
        return Ok(pages);
    }
    if path.is_file()
        && Format::detect(path).is_none()
        && path.extension().is_none_or(|it| it != "toml")
    {
        let (name, bytes) = (path.display().to_string(), page_bytes(path)?);
        let page = PageFile { name, url: None, content_type: None, bytes };
        return Ok(vec![LabelledPage { page, label: None }]);
    }
    let loaded = Dataset::open(path)?.load(skipped.is_some())?;
    if let Some(skipped) = skipped {
        skipped.extend(loaded.skipped.examples.iter().map(ToString::to_string));
    }
    let labelled = |mut document: Document| {
        let label = document.label.take();
        LabelledPage { page: page_of(document), label }
    };
    Ok(loaded.documents.into_iter().map(labelled).collect())
}

/// Returns a document as a page. A text becomes a page with a title and a paragraph.
pub(crate) fn page_of(document: Document) -> PageFile {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let (bytes, content_type) = match document.body {
        Body::Html(bytes) => (bytes, Media::type_of_name(&document.id).map(str::to_owned)),
        Body::Text(text) => {
            let title = escaped(document.title.as_deref().unwrap_or_default());
            let html = format!("<title>{title}</title><p>{}</p>", escaped(&text));
            (html.into_bytes(), Some("text/html; charset=utf-8".to_owned()))
        }
    };
    PageFile { name: document.id, url: None, label: document.label, content_type, bytes }
}
