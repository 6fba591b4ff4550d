//! Selects documents by the labels that the user names.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use ontrail_corpus::Document;

/// Returns the indices of the documents that have one of `labels`. `option` is the option that
/// named them, for errors.
pub fn with_labels(
    documents: &[Document],
    labels: &[String],
    path: &Path,
    option: &str,
) -> Result<Vec<usize>> {
    let known = labels_of(documents);
    if let Some(unknown) = labels.iter().find(|label| !known.contains(label.as_str())) {
        let hint = if known.is_empty() {
            "the texts have no labels".to_owned()
        } else {
            format!("the labels are {}", shown(&known))
        };
        bail!("{}: {option}: no text has the label {unknown:?}; {hint}", path.display());
    }
    let is_wanted =
        |document: &Document| document.label.as_ref().is_some_and(|it| labels.contains(it));
    Ok((0..documents.len()).filter(|&place| is_wanted(&documents[place])).collect())
}

/// Returns the indices of the documents about a topic: those with one of `labels`, or, if no labels
/// are given and the documents have at most one label, all of them.
pub fn on_topic(documents: &[Document], labels: &[String], path: &Path) -> Result<Vec<usize>> {
    if !labels.is_empty() {
        return with_labels(documents, labels, path, "--label");
    }
    let known = labels_of(documents);
    if known.len() > 1 {
        bail!(
            "{}: the texts have several labels; name those of the topic with --label: {}",
            path.display(),
            shown(&known)
        );
    }
    Ok((0..documents.len()).collect())
}

fn labels_of(documents: &[Document]) -> BTreeSet<&str> {
    documents.iter().filter_map(|document| document.label.as_deref()).collect()
}

/// Lists the labels, or the first of them if there are many.
fn shown(labels: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 30;
    let first: Vec<&str> = labels.iter().take(SHOWN).copied().collect();
    let more = if labels.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}
