//! Which words a page does not mean in the topic's sense.

use ontrail_page::{Page, PageReader, Source};
use ontrail_text::{Analyzer, TermId};

use crate::disambiguate::{Disambiguator, Judgement};
use crate::sdg::{Sdg, SdgError};

/// A graph made ready for pages that others read too. It reads them itself, with the analyzer that it was counted
/// with: a topic and an ontology know phrases, and a phrase swallows the words that the graph counted.
#[derive(Debug)]
pub struct Senses {
    analyzer: Analyzer,
    disambiguator: Disambiguator,
}

impl Senses {
    /// Makes a graph ready.
    pub fn new(sdg: &Sdg) -> Result<Self, SdgError> {
        let analyzer = sdg.analyzer();
        let disambiguator = Disambiguator::new(sdg, &analyzer)?;
        Ok(Self { analyzer, disambiguator })
    }

    /// The analyzer that it reads pages with.
    #[must_use]
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// What a user should know of the graph.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.disambiguator.warning()
    }

    /// What goes from a page, with the terms that it is on the page as another reads it. What that one does not
    /// see as a term of its own, since it is part of a phrase or a phrase itself, does not go.
    #[must_use]
    pub fn removed(
        &self,
        bytes: &[u8],
        source: Source<'_>,
        page: &Page,
    ) -> (Vec<Judgement>, Vec<TermId>) {
        let own = PageReader::new(&self.analyzer).read(bytes, source);
        let judged = self.disambiguator.judge(&own).into_iter();
        let found = |judgement: Judgement| {
            let term = page.vocabulary().get(&judgement.form)?;
            judgement.removed.then_some((judgement, term))
        };
        judged.filter_map(found).unzip()
    }
}
