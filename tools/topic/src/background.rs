//! Counting how common words are.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_domain::Counts;
use ontrail_intake::Input;
use ontrail_text::Analyzer;
use ontrail_topic::{Background, Topic};

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
    pub(crate) fn add_to(&self, topic: Topic, printer: &mut Printer) -> Result<Topic> {
        let Some(path) = self.path() else { return Ok(topic) };
        let analyzer = topic.analyzer().build();
        let counts = count(path, &analyzer, printer)?;
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
    analyzer: &'a Analyzer,
    printer: &mut Printer,
) -> Result<Counts<'a>> {
    let input = Input { path: path.to_owned(), skip_bad: false };
    let read = input.read(printer)?;
    let progress = printer.progress("counting", Some(read.documents.len() as u64));
    let mut counts = Counts::new(analyzer);
    for document in &read.documents {
        counts.add(&document.id, &document.full_text().unwrap_or_default());
        progress.step();
    }
    Ok(counts)
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
