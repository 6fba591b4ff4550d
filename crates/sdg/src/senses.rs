//! Which words a page does not mean in the topic's sense.

use ontrail_page::{Analyses, Page};
use ontrail_text::{Analyzer, TermId};

use crate::disambiguate::{Disambiguator, Judgement};
use crate::sdg::{Sdg, SdgError};

/// A graph made ready for pages that others analyze too. It has an analyzer of its own, the one that its terms were
/// counted with: a topic and an ontology know phrases, and a phrase swallows the words that the graph counted.
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

    /// The analyzer that pages are judged with.
    #[must_use]
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// What a user should know of the graph.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.disambiguator.warning()
    }

    /// What goes from a page, with the terms that it is on `page`, the analysis of another. What that one does not
    /// see as a term of its own, since it is part of a phrase or a phrase itself, does not go.
    #[must_use]
    pub fn removed<'a>(
        &'a self,
        analyses: &mut Analyses<'a>,
        page: &Page,
    ) -> (Vec<Judgement>, Vec<TermId>) {
        let judged = self.disambiguator.judge(&analyses.by(&self.analyzer)).into_iter();
        let found = |judgement: Judgement| {
            let term = page.vocabulary().get(&judgement.form)?;
            judgement.removed.then_some((judgement, term))
        };
        judged.filter_map(found).unzip()
    }
}
