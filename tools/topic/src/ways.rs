//! Scores pages in several ways at once.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use ontrail_cli::Printer;
use ontrail_intake::PageFile;
use ontrail_page::{Analyses, Content, Html};
use ontrail_sdg::Senses;
use ontrail_taxonomy::{MeasureKind, Taxonomy};
use ontrail_text::Analyzer;
use ontrail_topic::{Model, Scorer, Scoring, Similarity, Topic, words_as_read};
use rayon::prelude::*;

use crate::model::{ModelArgs, Prepared, analyzer_of_classes};

/// A topic prepared for several ways of scoring.
pub(crate) struct Ways {
    analyzer: Analyzer,
    scorers: Vec<(Scoring, Scorer)>,
    senses: Option<Senses>,
}

impl Ways {
    /// Prepares a topic for the ways of scoring that need no taxonomy: the cosine with the weights
    /// of each paper, for each part of a page.
    pub(crate) fn usual(topic: &Topic, path: &Path) -> Result<Self> {
        let analyzer = topic.analyzer().build();
        let mut ways = Vec::new();
        for content in Content::ALL {
            for model in [Model::labels(), Model::tags(), Model::tf_idf(Similarity::Vsm)] {
                let scorer = Scorer::new(topic, &analyzer, model, None)
                    .map_err(|error| anyhow!("{}: {error}", path.display()))?;
                ways.push((Scoring::new(&model, content), scorer));
            }
        }
        Ok(Self { analyzer, scorers: ways, senses: None })
    }

    /// Prepares a topic for the comparison by meaning (SSRM) over the ontology that it was made
    /// from, for each part of a page.
    pub(crate) fn by_meaning(topic: &Topic, path: &Path, taxonomy: &Arc<Taxonomy>) -> Result<Self> {
        let analyzer = analyzer_of_classes(topic, taxonomy);
        let measure = MeasureKind::Lin.over(Arc::clone(taxonomy));
        let words = Arc::new(words_as_read(measure, &analyzer));
        let model = Model::tf_idf(Similarity::Ssrm);
        let mut ways = Vec::new();
        for content in Content::ALL {
            let scorer = Scorer::new(topic, &analyzer, model, Some(Arc::clone(&words)))
                .map_err(|error| anyhow!("{}: {error}", path.display()))?;
            let scoring = Scoring::new(&model, content);
            ways.push((scoring.with_meanings(MeasureKind::Lin.name(), taxonomy), scorer));
        }
        Ok(Self { analyzer, scorers: ways, senses: None })
    }

    /// Prepares a topic for the way of scoring that options describe.
    pub(crate) fn one(
        topic: &Topic,
        path: &Path,
        args: &ModelArgs,
        content: Content,
        printer: &mut Printer,
    ) -> Result<Self> {
        let model = args.model(false)?;
        let Prepared { analyzer, scorer, senses, scoring } =
            args.prepare(topic, path, model, false, content, printer)?;
        Ok(Self { analyzer, scorers: vec![(scoring, scorer)], senses })
    }

    /// Returns the ways of scoring.
    pub(crate) fn scorings(&self) -> impl Iterator<Item = &Scoring> {
        self.scorers.iter().map(|(scoring, _)| scoring)
    }

    /// Returns the relevance of each page in each way: `[way][page]`.
    pub(crate) fn scores(&self, pages: &[PageFile]) -> Vec<Vec<f64>> {
        let by_page: Vec<Vec<f64>> = pages.par_iter().map(|page| self.of_page(page)).collect();
        (0..self.scorers.len())
            .map(|way| by_page.iter().map(|scores| scores[way]).collect())
            .collect()
    }

    fn of_page(&self, file: &PageFile) -> Vec<f64> {
        let html = Html::parse(&file.bytes, file.source());
        let mut analyses = Analyses::of(&html);
        let relevance = |(scoring, scorer): &(Scoring, Scorer)| {
            let page = analyses.of_content(&self.analyzer, scoring.content);
            let removed = match &self.senses {
                Some(senses) => senses.removed(&mut analyses, &page).1,
                None => Vec::new(),
            };
            scorer.view(&page).without(&removed).relevance()
        };
        self.scorers.iter().map(relevance).collect()
    }
}
