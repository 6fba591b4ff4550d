//! One reading of a page for several judges. A page is parsed once and segmented once per vocabulary, whatever the number
//! of judges: an experiment compares pages in many ways, and to take one apart costs more than to compare it.

use std::sync::Arc;

use ontrail_bcw::Classifier;
use ontrail_crawl::{Class, FoundLink, Reading, gist};
use ontrail_page::{Analyses, Html, Link, LinkTerms, Page, Passages, Source};
use ontrail_sdg::Senses;
use ontrail_taxonomy::Measure;
use ontrail_text::Analyzer;
use ontrail_topic::{Model, PageView, Scorer, ScorerError, Topic, words_as_read};
use url::Url;

/// With fewer words than this, pages are alike by chance: error messages, image galleries.
const LEAST_WORDS: usize = 30;

/// Several ways to compare pages with one topic, in one reading of each page.
#[derive(Debug)]
pub struct Panel {
    analyzer: Analyzer,
    topic: Option<Topic>,
    judges: Vec<OwnJudge>,
    classifier: Option<(Classifier, Analyzer)>,
}

/// One way to compare pages with a topic.
pub struct Judging {
    /// The model.
    pub model: Model,
    /// The meanings of words, for models that compare them.
    pub measure: Option<Box<dyn Measure>>,
    /// What takes words away that do not mean the topic.
    pub senses: Option<Senses>,
    /// Whether what stands around links is compared.
    pub reads_context: bool,
    /// Whether content blocks are compared.
    pub reads_blocks: bool,
}

impl std::fmt::Debug for Judging {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judging").field("model", &self.model).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct OwnJudge {
    scorer: Scorer,
    senses: Option<Senses>,
    reads_context: bool,
    reads_blocks: bool,
}

/// A judge as it is used.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'m> {
    pub(crate) scorer: &'m Scorer,
    pub(crate) senses: Option<&'m Senses>,
    pub(crate) reads_context: bool,
    pub(crate) reads_blocks: bool,
}

/// What a page was found to be by several judges.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelReading {
    /// What all agree on: no relevance is in it.
    pub page: Reading,
    /// What each judge says, in the order in which they were added.
    pub scores: Vec<Scores>,
}

/// What one judge says of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// R(p).
    pub relevance: f64,
    /// R(A), R(CL) and R(B) of each link.
    pub links: Vec<[f64; 3]>,
}

impl Scores {
    /// Writes them into what all agree on, without what stands around links or the blocks if those are not asked for.
    pub fn put_into(&self, page: &mut Reading, has_context: bool, has_blocks: bool) {
        page.relevance = Some(self.relevance);
        for (link, [anchor, context, block]) in page.links.iter_mut().zip(&self.links) {
            link.relevance = *anchor;
            link.context = if has_context { *context } else { 0.0 };
            link.block = if has_blocks { *block } else { 0.0 };
        }
    }
}

impl Panel {
    /// One without judges: everything is read and nothing judged.
    #[must_use]
    pub fn new(topic: Option<&Topic>) -> Self {
        let analyzer = topic.map_or_else(Analyzer::new, |topic| topic.analyzer().build());
        Self { analyzer, topic: topic.cloned(), judges: Vec::new(), classifier: None }
    }

    /// Adds a judge, if there is a topic.
    pub fn add(&mut self, judging: Judging) -> Result<(), ScorerError> {
        let Some(topic) = &self.topic else { return Ok(()) };
        let Judging { model, measure, senses, reads_context, reads_blocks } = judging;
        let words = measure.map(|measure| Arc::new(words_as_read(measure, &self.analyzer)));
        let scorer = Scorer::new(topic, &self.analyzer, model, words)?;
        self.judges.push(OwnJudge { scorer, senses, reads_context, reads_blocks });
        Ok(())
    }

    /// With a classifier.
    #[must_use]
    pub fn with_classifier(mut self, classifier: Classifier) -> Self {
        self.classifier = Some((classifier.compact(), Classifier::analyzer()));
        self
    }

    /// Reads a page.
    #[must_use]
    pub fn read(&self, bytes: &[u8], url: &Url, content_type: Option<&str>) -> PanelReading {
        let judges: Vec<Judge<'_>> = self
            .judges
            .iter()
            .map(|own| Judge {
                scorer: &own.scorer,
                senses: own.senses.as_ref(),
                reads_context: own.reads_context,
                reads_blocks: own.reads_blocks,
            })
            .collect();
        read(&self.analyzer, self.classifier.as_ref(), &judges, bytes, url, content_type)
    }
}

/// Parses a page once and asks every judge.
pub(crate) fn read(
    analyzer: &Analyzer,
    classifier: Option<&(Classifier, Analyzer)>,
    judges: &[Judge<'_>],
    bytes: &[u8],
    url: &Url,
    content_type: Option<&str>,
) -> PanelReading {
    let source = Source::at(url).with_content_type(content_type);
    let html = Html::parse(bytes, source);
    let mut analyses = Analyses::of(&html);
    let page = analyses.by(analyzer);
    let scores = judges.iter().map(|judge| judge.scores(&page, &mut analyses)).collect();
    let found = |link: Link| FoundLink {
        relevance: 0.0,
        context: 0.0,
        block: 0.0,
        nofollow: link.rel.nofollow,
        url: link.url,
        anchor: link.anchor,
    };
    let reading = Reading {
        charset: html.charset,
        robots: html.robots,
        relevance: None,
        class: classifier.map(|classifier| class_of(classifier, &html.passages)),
        gist: gist_of(&page),
        links: html.links.into_iter().map(found).collect(),
        language: html.language,
        title: html.title,
    };
    PanelReading { page: reading, scores }
}

impl<'m> Judge<'m> {
    fn scores<'a>(&self, page: &Page, analyses: &mut Analyses<'a>) -> Scores
    where
        'm: 'a,
    {
        let gone = match self.senses {
            Some(senses) => senses.removed(analyses, page).1,
            None => Vec::new(),
        };
        let view: PageView<'_> = self.scorer.view(page).without(&gone);
        let blocks: Vec<f64> = if self.reads_blocks {
            page.blocks.iter().map(|block| view.block(block)).collect()
        } else {
            Vec::new()
        };
        let score = |link: &LinkTerms| {
            let context = if self.reads_context { view.context(link) } else { 0.0 };
            let block = blocks.get(link.block.index()).copied().unwrap_or(0.0);
            [view.anchor(link), context, block]
        };
        Scores { relevance: view.relevance(), links: page.links.iter().map(score).collect() }
    }
}

fn class_of((classifier, analyzer): &(Classifier, Analyzer), passages: &Passages) -> Class {
    let prediction = classifier.predictor(analyzer).predict(passages);
    let name = if prediction.is_other { "other" } else { classifier.class(prediction.class) };
    Class { name: name.to_owned(), probability: prediction.posterior }
}

/// What a page says, in 64 bits.
fn gist_of(page: &Page) -> Option<u64> {
    let words = page
        .counts()
        .map(|(term, counts)| (page.vocabulary().term(term), counts.iter().sum::<u32>()));
    (page.occurrences().len() >= LEAST_WORDS).then(|| gist(words))
}
