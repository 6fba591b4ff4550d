//! Selects documents by the labels that the user names.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_corpus::Document;
use ontrail_intake::{PageFile, Read, each_page};

use crate::Input;

/// The option that chooses documents by their labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct LabelArg {
    /// Read only the documents with this label; may be repeated [default: all documents]
    #[arg(long, value_name = "LABEL")]
    pub label: Vec<String>,
}

impl LabelArg {
    /// Returns true if documents with this label are read.
    #[must_use]
    pub fn takes(&self, label: Option<&str>) -> bool {
        self.label.is_empty() || label.is_some_and(|label| self.label.iter().any(|it| it == label))
    }

    /// Refuses a label that no document of `path` has; `known` are the labels that they have.
    pub fn check(&self, known: &BTreeSet<&str>, path: &Path) -> Result<()> {
        check(&self.label, known, path, "--label")
    }

    /// Records the labels as a parameter, if there are some.
    #[must_use]
    pub fn recorded(&self, provenance: Provenance) -> Provenance {
        if self.label.is_empty() {
            return provenance;
        }
        provenance.with_parameter("labels", &self.label)
    }

    /// Reads the chosen documents.
    pub fn read(&self, input: &Input, printer: &mut Printer) -> Result<Read> {
        let mut read = input.read(printer)?;
        self.check(&labels_of(&read.documents), &input.path)?;
        read.documents.retain(|document| self.takes(document.label.as_deref()));
        Ok(read)
    }

    /// Calls `visit` with each of the chosen pages, as [`each_page`] does with all of them.
    pub fn each_page(
        &self,
        path: &Path,
        skipped: Option<&mut Vec<String>>,
        visit: &mut dyn FnMut(PageFile) -> Result<()>,
    ) -> Result<()> {
        let mut known = BTreeSet::new();
        each_page(path, skipped, &mut |page: PageFile| {
            let is_chosen = self.takes(page.label.as_deref());
            // All labels are noted, so that an error can list them.
            known.extend(page.label.clone().filter(|_| !self.label.is_empty()));
            if is_chosen { visit(page) } else { Ok(()) }
        })?;
        self.check(&known.iter().map(String::as_str).collect(), path)
    }
}

/// Returns the indices of the documents that have one of `labels`. `option` is the option that
/// named them, for errors.
pub fn with_labels(
    documents: &[Document],
    labels: &[String],
    path: &Path,
    option: &str,
) -> Result<Vec<usize>> {
    check(labels, &labels_of(documents), path, option)?;
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

/// Refuses a label that is not among the known ones.
fn check(labels: &[String], known: &BTreeSet<&str>, path: &Path, option: &str) -> Result<()> {
    let Some(unknown) = labels.iter().find(|label| !known.contains(label.as_str())) else {
        return Ok(());
    };
    let hint = if known.is_empty() {
        "the texts have no labels".to_owned()
    } else {
        format!("the labels are {}", shown(known))
    };
    bail!("{}: {option}: no text has the label {unknown:?}; {hint}", path.display())
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
