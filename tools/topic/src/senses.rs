//! Which words a page does not mean in the topic's sense, by a disambiguation graph.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use ontrail_cli::Printer;
use ontrail_intake::PageFile;
use ontrail_page::{Page, PageReader};
use ontrail_sdg::{Disambiguator, Judgement, Sdg};
use ontrail_text::{Analyzer, TermId};
use ontrail_topic::Topic;

/// A graph made ready. It reads pages itself, as `sdg apply` does: a topic and an ontology know phrases, and a
/// phrase swallows the words that the graph counted.
pub(crate) struct Senses {
    analyzer: Analyzer,
    disambiguator: Disambiguator,
}

impl Senses {
    /// Reads a graph, and warns if it has nothing to do with the topic.
    pub(crate) fn read(path: &Path, topic: &Topic, printer: &mut Printer) -> Result<Self> {
        let sdg = Sdg::read(path)?;
        let analyzer = sdg.analyzer();
        let disambiguator = Disambiguator::new(&sdg, &analyzer)?;
        let mut reader = analyzer.reader();
        let own: BTreeSet<String> =
            topic.terms.iter().filter_map(|term| reader.single_term(&term.term)).collect();
        let mut is_own =
            |name: &str| reader.single_term(name).is_some_and(|form| own.contains(&form));
        let path = path.display();
        if !sdg.names().any(&mut is_own) {
            printer.warn(format_args!(
                "{path}: has no term of the topic {:?}; it may be the graph of another",
                topic.name
            ));
        }
        if let Some(warning) = disambiguator.warning() {
            printer.warn(format_args!("{path}: {warning}"));
        }
        Ok(Self { analyzer, disambiguator })
    }

    /// What goes from a page, with the terms that it is on the page as the topic reads it. What the topic does not
    /// see as a term of its own, since it is part of a phrase or a phrase itself, does not go.
    pub(crate) fn removed(&self, file: &PageFile, page: &Page) -> (Vec<Judgement>, Vec<TermId>) {
        let own = PageReader::new(&self.analyzer).read(&file.bytes, file.source());
        let judged = self.disambiguator.judge(&own).into_iter();
        let found = |judgement: Judgement| {
            let term = page.vocabulary().get(&judgement.form)?;
            judgement.removed.then_some((judgement, term))
        };
        judged.filter_map(found).unzip()
    }
}
