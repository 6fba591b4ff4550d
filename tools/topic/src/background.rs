//! Counts document frequencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_corpus::Document;
use ontrail_text::{Analyzer, Counts, TermId};
use ontrail_tool_input::{Input, ReadingArgs};
use ontrail_topic::{Background, Term, Topic};

/// The argument that names the texts to count words in.
#[derive(Debug, Clone, Args)]
pub(crate) struct BackgroundArgs {
    /// Texts in which to count how many contain each word: a dataset, a folder or tarball of pages,
    /// or a web archive. Where no other texts are at hand, the counts of general Chinese and
    /// English text that ship with Ontrail are used
    #[arg(long, value_name = "DATA")]
    background: Option<PathBuf>,
}

impl BackgroundArgs {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.background.as_deref()
    }

    /// Adds the counts to a topic; without texts, the topic uses the background that ships.
    pub(crate) fn add_to(
        &self,
        topic: Topic,
        reading: ReadingArgs,
        printer: &mut Printer,
    ) -> Result<Topic> {
        let Some(path) = self.path() else { return Ok(topic.with_general_background()) };
        let analyzer = topic.analyzer().build();
        let counts = count(path, reading, &analyzer, printer)?;
        Ok(topic.with_background(Some(background_of(&counts, &BTreeSet::new()))))
    }

    /// Records the texts as an input.
    pub(crate) fn record(&self, provenance: Provenance) -> Result<Provenance> {
        Ok(match self.path() {
            Some(path) => provenance.with_input(path)?,
            None => provenance,
        })
    }
}

/// Reads texts and counts their words.
pub(crate) fn count<'a>(
    path: &Path,
    reading: ReadingArgs,
    analyzer: &'a Analyzer,
    printer: &mut Printer,
) -> Result<Counts<'a>> {
    let input = Input { path: path.to_owned(), reading };
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

/// Warns about terms that do not do what their author expects: terms without words, terms that are
/// counted as another term, and very common ones, since every pronoun "it" counts for the topic
/// "IT".
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
    let shown = |terms: &[String]| terms[..terms.len().min(10)].join(", ");
    if !unread.is_empty() {
        printer.warn(format_args!("terms without any word never match: {}", shown(&unread)));
    }
    if !alike.is_empty() {
        printer.warn(format_args!(
            "terms that are counted as another of at least the same weight: {}",
            shown(&alike)
        ));
    }
    if !common.is_empty() {
        printer.warn(format_args!(
            "very common words, single letters and numbers match on most pages: {}",
            shown(&common)
        ));
    }
}

/// Returns the document frequencies that a topic stores, without those of some texts.
pub(crate) fn background_of(counts: &Counts<'_>, held: &BTreeSet<usize>) -> Background {
    let texts = || (0..counts.len()).filter(|text| !held.contains(text));
    let mut documents_with = vec![0_u64; counts.vocabulary().len()];
    let mut words = 0;
    for &(term, count) in texts().flat_map(|text| counts.of(text)) {
        documents_with[term.index()] += 1;
        words += u64::from(count);
    }
    let common = counts.vocabulary().iter().filter_map(|(term, word)| {
        let documents = documents_with[term.index()];
        (documents > 1).then(|| (word.to_owned(), documents))
    });
    Background { documents: texts().count() as u64, words, containing: common.collect() }
}
