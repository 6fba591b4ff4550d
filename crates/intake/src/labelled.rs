//! Unparsed pages with their labels.

use std::path::Path;

use ontrail_corpus::{Body, Dataset, Document, Format};
use ontrail_page::Media;

use crate::error::IntakeError;
use crate::pages::{PageFile, is_archive, of_archive, page_bytes};

/// Reads all pages of a page file, a dataset, a folder or a web archive into memory, in the order
/// of [`read`](crate::read). A text becomes a page with a title and a paragraph. Pages without text
/// are kept. The name of a page is the ID of the document that `read` returns for it. With
/// `skipped`, documents that cannot be read are skipped and noted there.
pub fn labelled_pages(
    path: &Path,
    skipped: Option<&mut Vec<String>>,
) -> Result<Vec<PageFile>, IntakeError> {
    if is_archive(path) {
        let mut pages = Vec::new();
        of_archive(path, &mut |page| {
            pages.push(page);
            Ok::<_, IntakeError>(())
        })?;
        return Ok(pages);
    }
    if path.is_file()
        && Format::detect(path).is_none()
        && path.extension().is_none_or(|it| it != "toml")
    {
        let (name, bytes) = (path.display().to_string(), page_bytes(path)?);
        let content_type = Media::type_of_name(&name).map(str::to_owned);
        return Ok(vec![PageFile { name, url: None, label: None, content_type, bytes }]);
    }
    let loaded = Dataset::open(path)?.load(skipped.is_some())?;
    if let Some(skipped) = skipped {
        skipped.extend(loaded.skipped.examples.iter().map(ToString::to_string));
    }
    Ok(loaded.documents.into_iter().map(page_of).collect())
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
