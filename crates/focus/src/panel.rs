//! Several judges of one topic over one parse of each page. A page is parsed once and segmented
//! once per vocabulary, whatever the number of judges: an experiment compares pages in many ways,
//! and parsing a page costs more than comparing it.

use std::sync::Arc;

use ontrail_bcw::Classifier;
use ontrail_crawl::{Class, FoundLink, Reading, simhash};
use ontrail_page::{Analyses, Content, Html, LinkTerms, Page, PageLink, Source};
use ontrail_pilot::{AnchorTerm, PageTerms};
use ontrail_sdg::Senses;
use ontrail_taxonomy::Measure;
use ontrail_text::Analyzer;
use ontrail_topic::{Model, PageView, Scorer, ScorerError, Topic, words_as_read};
use url::Url;

/// Least number of words for a simhash. Shorter pages, such as error messages and image galleries,
/// resemble each other by chance.
const MIN_WORDS: usize = 30;

/// Several judges of one topic, over one parse of each page.
#[derive(Debug)]
pub struct Panel {
    analyzer: Analyzer,
    topic: Option<Topic>,
    judges: Vec<OwnedJudge>,
    classifier: Option<(Classifier, Analyzer)>,
}

/// The settings of a judge: one way to compare pages with a topic.
pub struct JudgeSettings {
    /// The model of similarity.
    pub model: Model,
    /// The similarity of words, for models that compare meanings.
    pub measure: Option<Box<dyn Measure>>,
    /// The disambiguation graph, which removes words that do not mean the topic.
    pub senses: Option<Senses>,
    /// True if the contexts of links are scored.
    pub reads_context: bool,
    /// True if content blocks are scored.
    pub reads_blocks: bool,
    /// True if the topic's terms in anchor texts are returned.
    pub reads_anchor_terms: bool,
    /// The part of a page that is compared with the topic.
    pub content: Content,
}

impl std::fmt::Debug for JudgeSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JudgeSettings").field("model", &self.model).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct OwnedJudge {
    scorer: Scorer,
    senses: Option<Senses>,
    reads_context: bool,
    reads_blocks: bool,
    reads_anchor_terms: bool,
    content: Content,
}

/// A judge, borrowed from a [`Panel`] or from [`Models`](crate::Models).
#[derive(Clone, Copy)]
pub(crate) struct Judge<'m> {
    pub(crate) scorer: &'m Scorer,
    pub(crate) senses: Option<&'m Senses>,
    pub(crate) reads_context: bool,
    pub(crate) reads_blocks: bool,
    pub(crate) reads_anchor_terms: bool,
    pub(crate) content: Content,
}

/// A page, parsed and judged by several judges.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelReading {
    /// The reading without any relevance, which all judges share.
    pub page: Reading,
    /// The scores of each judge, in the order in which the judges were added.
    pub scores: Vec<Scores>,
}

/// One judge's scores of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// R(p), the relevance of the page.
    pub relevance: f64,
    /// R(A), R(CL) and R(B) of each link: the relevance of its anchor text, its context and its
    /// content block.
    pub links: Vec<[f64; 3]>,
    /// The topic's terms on the page and in anchor texts, if the judge returns them.
    pub terms: Option<TermsFound>,
}

/// The topic's terms on a page, which BM25 compares with the topic.
#[derive(Debug, Clone, PartialEq)]
pub struct TermsFound {
    /// The terms on the page.
    pub page: PageTerms,
    /// The terms in the anchor text of each link.
    pub links: Vec<Vec<AnchorTerm>>,
}

impl Scores {
    /// Writes the scores into a reading. The scores of contexts or blocks become 0 if a recipe does
    /// not use them.
    pub fn put_into(self, page: &mut Reading, has_context: bool, has_blocks: bool) {
        page.relevance = Some(self.relevance);
        if let Some(terms) = self.terms {
            page.terms = Some(terms.page);
            for (link, terms) in page.links.iter_mut().zip(terms.links) {
                link.terms = terms;
            }
        }
        for (link, [anchor, context, block]) in page.links.iter_mut().zip(self.links) {
            link.relevance = anchor;
            link.context = if has_context { context } else { 0.0 };
            link.block = if has_blocks { block } else { 0.0 };
        }
    }
}

impl Panel {
    /// Returns a panel without judges, which parses pages and judges nothing.
    #[must_use]
    pub fn new(topic: Option<&Topic>) -> Self {
        let analyzer = topic.map_or_else(Analyzer::new, |topic| topic.analyzer().build());
        Self { analyzer, topic: topic.cloned(), judges: Vec::new(), classifier: None }
    }

    /// Adds a judge. Does nothing if there is no topic.
    pub fn add(&mut self, settings: JudgeSettings) -> Result<(), ScorerError> {
        let Some(topic) = &self.topic else { return Ok(()) };
        let JudgeSettings { model, measure, senses, content, .. } = settings;
        let words = measure.map(|measure| Arc::new(words_as_read(measure, &self.analyzer)));
        let scorer = Scorer::new(topic, &self.analyzer, model, words)?;
        self.judges.push(OwnedJudge {
            scorer,
            senses,
            reads_context: settings.reads_context,
            reads_blocks: settings.reads_blocks,
            reads_anchor_terms: settings.reads_anchor_terms,
            content,
        });
        Ok(())
    }

    /// Adds a classifier.
    #[must_use]
    pub fn with_classifier(mut self, classifier: Classifier) -> Self {
        self.classifier = Some((classifier.compact(), Classifier::analyzer()));
        self
    }

    /// Parses a page and asks every judge.
    #[must_use]
    pub fn read(&self, bytes: &[u8], url: &Url, content_type: Option<&str>) -> PanelReading {
        let judges: Vec<Judge<'_>> = self
            .judges
            .iter()
            .map(|judge| Judge {
                scorer: &judge.scorer,
                senses: judge.senses.as_ref(),
                reads_context: judge.reads_context,
                reads_blocks: judge.reads_blocks,
                reads_anchor_terms: judge.reads_anchor_terms,
                content: judge.content,
            })
            .collect();
        let html = Html::parse(bytes, Source::at(url).with_content_type(content_type));
        read(&self.analyzer, self.classifier.as_ref(), &judges, html)
    }
}

/// Asks every judge about a parsed page.
pub(crate) fn read(
    analyzer: &Analyzer,
    classifier: Option<&(Classifier, Analyzer)>,
    judges: &[Judge<'_>],
    html: Html,
) -> PanelReading {
    let mut analyses = Analyses::of(&html);
    let page = analyses.by(analyzer);
    let scores = judges.iter().map(|judge| judge.scores(&mut analyses, analyzer)).collect();
    let found = |link: PageLink| FoundLink {
        relevance: 0.0,
        context: 0.0,
        block: 0.0,
        terms: Vec::new(),
        nofollow: link.rel.nofollow,
        url: link.url,
        anchor: link.anchor,
    };
    let class = classifier.map(|classifier| class_of(classifier, &html));
    let reading = Reading {
        charset: html.charset,
        robots: html.robots,
        agent_robots: html.agent_robots,
        canonical: html.canonical,
        relevance: None,
        class,
        terms: None,
        simhash: simhash_of(&page),
        links: html.links.into_iter().map(found).collect(),
        language: html.language,
        title: html.title,
        fingerprints: Vec::new(),
    };
    PanelReading { page: reading, scores }
}

impl<'m> Judge<'m> {
    fn scores<'a>(&self, analyses: &mut Analyses<'a>, analyzer: &'a Analyzer) -> Scores
    where
        'm: 'a,
    {
        let page = &*analyses.of_content(analyzer, self.content);
        let removed = match self.senses {
            Some(senses) => senses.removed(analyses, page).1,
            None => Vec::new(),
        };
        let view: PageView<'_> = self.scorer.view(page).without(&removed);
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
        let terms = self.reads_anchor_terms.then(|| TermsFound {
            page: view.page_terms(),
            links: page.links.iter().map(|link| view.anchor_terms(link)).collect(),
        });
        let links = page.links.iter().map(score).collect();
        Scores { relevance: view.relevance(), links, terms }
    }
}

/// Classifies the part of a page that the classifier was trained on.
fn class_of((classifier, analyzer): &(Classifier, Analyzer), html: &Html) -> Class {
    let passages = html.passages_of(classifier.card().content);
    let prediction = classifier.predictor(analyzer).predict(&passages);
    let name = if prediction.is_other { "other" } else { classifier.class(prediction.class) };
    Class { name: name.to_owned(), probability: prediction.posterior }
}

/// Returns the simhash of a page's terms; none for a page of few words.
fn simhash_of(page: &Page) -> Option<u64> {
    let words = page
        .counts()
        .map(|(term, counts)| (page.vocabulary().term(term), counts.iter().sum::<u32>()));
    (page.occurrences().len() >= MIN_WORDS).then(|| simhash(words))
}
