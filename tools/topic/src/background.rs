//! Counting how common words are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_corpus::Document;
use ontrail_text::{Analyzer, Counts, TermId};
use ontrail_tool_input::Input;
use ontrail_topic::{Background, Term, Topic};

/// Where it is counted how common words are.
#[derive(Debug, Clone, Args)]
pub(crate) struct BackgroundArgs {
    /// Texts in which to count how common words are: a dataset, a folder or tarball of pages, a web
    /// archive
    #[arg(long, value_name = "DATA")]
    background: Option<PathBuf>,
}

impl BackgroundArgs {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.background.as_deref()
    }

    /// The topic with the counts, if any were asked for.
    pub(crate) fn add_to(
        &self,
        topic: Topic,
        skip_bad: bool,
        printer: &mut Printer,
    ) -> Result<Topic> {
        let Some(path) = self.path() else { return Ok(topic) };
        let analyzer = topic.analyzer().build();
        let counts = count(path, skip_bad, &analyzer, printer)?;
        Ok(topic.with_background(Some(background_of(&counts))))
    }

    pub(crate) fn note(&self, provenance: Provenance) -> Result<Provenance> {
        Ok(match self.path() {
            Some(path) => provenance.with_input(path)?,
            None => provenance,
        })
    }
}

/// Counts the words of texts.
pub(crate) fn count<'a>(
    path: &Path,
    skip_bad: bool,
    analyzer: &'a Analyzer,
    printer: &mut Printer,
) -> Result<Counts<'a>> {
    let input = Input { path: path.to_owned(), skip_bad };
    let read = input.read(printer)?;
    Ok(count_documents(&read.documents, analyzer, printer))
}

/// Counts the words of documents that have been read.
pub(crate) fn count_documents<'a>(
    documents: &[Document],
    analyzer: &'a Analyzer,
    printer: &mut Printer,
) -> Counts<'a> {
    let progress = printer.progress("counting", Some(documents.len() as u64));
    let mut counts = Counts::new(analyzer);
    for document in documents {
        counts.add(&document.id, &document.full_text().unwrap_or_default());
        progress.step();
    }
    counts
}

/// Warns of terms that will not do what their author expects: those without words in them, those that are
/// counted as another, and those that pages are full of, since every pronoun "it" counts for the topic "IT".
pub(crate) fn warn_of_terms(topic: &Topic, printer: &mut Printer) {
    let (plain, own) = (Analyzer::new(), topic.analyzer().build());
    let (mut plain, mut own) = (plain.reader(), own.reader());
    let mut seen: BTreeMap<TermId, &Term> = BTreeMap::new();
    let (mut unread, mut alike, mut common) = (Vec::new(), Vec::new(), Vec::new());
    for term in &topic.terms {
        let (mut ordinary, mut found) = (0, Vec::new());
        plain.read(&term.term, |_, _| ordinary += 1);
        own.read(&term.term, |id, _| found.push(id));
        match found.as_slice() {
            [id] => {
                let first = *seen.entry(*id).or_insert(term);
                if first.term != term.term
                    && (term.concept.is_none() || first.concept != term.concept)
                {
                    alike.push(format!("{} as {}", term.term, first.term));
                } else if ordinary == 0 {
                    common.push(term.term.clone());
                }
            }
            _ => unread.push(term.term.clone()),
        }
    }
    for (terms, what) in [
        (unread, "terms without words in them are never found"),
        (alike, "terms are counted as others that weigh at least as much"),
        (common, "very common words, single letters and numbers count wherever they are"),
    ] {
        if !terms.is_empty() {
            let shown: Vec<String> = terms.into_iter().take(10).collect();
            printer.warn(format_args!("{what}: {}", shown.join(", ")));
        }
    }
}

/// What a topic keeps of counted texts.
pub(crate) fn background_of(counts: &Counts<'_>) -> Background {
    let words = (0..counts.len()).flat_map(|document| counts.of(document));
    let common = counts.vocabulary().iter().filter_map(|(term, word)| {
        let documents = counts.documents_with(term);
        (documents > 1).then(|| (word.to_owned(), documents))
    });
    Background {
        documents: counts.len() as u64,
        words: words.map(|&(_, count)| u64::from(count)).sum(),
        containing: common.collect(),
    }
}
