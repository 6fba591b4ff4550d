//! Documents chosen by the labels that a user names.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use ontrail_corpus::Document;

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
