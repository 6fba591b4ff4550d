//! Disambiguation of pages that other models analyse too.

use ontrail_page::{Analyses, Page};
use ontrail_text::{Analyzer, TermId};

use crate::disambiguate::{Disambiguator, Judgement};
use crate::sdg::{Sdg, SdgError};

/// A graph prepared for pages that other models analyse too. It has its own analyzer, with which
/// its terms were counted: a topic or an ontology has phrases, and a phrase hides the words that
/// the graph counted.
#[derive(Debug)]
pub struct Senses {
    analyzer: Analyzer,
    disambiguator: Disambiguator,
}

impl Senses {
    /// Prepares a graph.
    pub fn new(sdg: &Sdg) -> Result<Self, SdgError> {
        let analyzer = sdg.analyzer();
        let disambiguator = Disambiguator::new(sdg, &analyzer)?;
        Ok(Self { analyzer, disambiguator })
    }

    /// Returns the analyzer that pages are judged with.
    #[must_use]
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// Returns a warning for the user about the graph, if there is one.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.disambiguator.warning()
    }

    /// Returns the judgements of the terms to remove from a page, and these terms on `page`,
    /// another model's analysis of it. A term that this analysis does not have, because it is part
    /// of a phrase or a phrase itself, is not removed.
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
