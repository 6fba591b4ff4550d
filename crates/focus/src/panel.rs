//! Several judges of one topic over one parse of each page. A page is parsed once and segmented
//! once per vocabulary, whatever the number of judges: an experiment compares pages in many ways,
//! and parsing a page costs more than comparing it.

use std::collections::HashMap;
use std::sync::Arc;

use ontrail_bcw::{Classifier, Predictor, passages_of_text};
use ontrail_crawl::{Class, FoundLink, Reading, simhash};
use ontrail_learner::{LinkClues, NameSpace, Named, feature_of};
use ontrail_page::{Analyses, Content, Html, LinkTerms, Page, PageLink, Source};
use ontrail_pilot::{AnchorTerm, PageTerms};
use ontrail_sdg::Senses;
use ontrail_taxonomy::Measure;
use ontrail_text::{Analyzer, TermId};
use ontrail_topic::{Model, PageView, Scorer, ScorerError, Topic, words_as_read};
use url::Url;

use crate::judge::{CombinedJudge, Evidence};

/// Least number of words for a simhash. Shorter pages, such as error messages and image galleries,
/// resemble each other by chance.
const MIN_WORDS: usize = 30;
/// Most words of an anchor text or a context that the crawler learns from.
const MOST_WORDS: usize = 24;

/// Several judges of one topic, over one parse of each page.
#[derive(Debug)]
pub struct Panel {
    analyzer: Analyzer,
    topic: Option<Topic>,
    judges: Vec<OwnedJudge>,
    classifier: Option<(Classifier, Analyzer)>,
    classes: Vec<WantedClass>,
    combined: Option<Combined>,
    /// True if the words and places of links are returned.
    reads_clues: bool,
}

/// A judge that combines several models, with the graph that it was fitted with.
#[derive(Debug)]
pub(crate) struct Combined {
    pub(crate) judge: CombinedJudge,
    pub(crate) graph: Option<Senses>,
}

/// The answers that are needed beside those of the judges.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The probabilities of these classes.
    pub(crate) classes: &'a [WantedClass],
    /// True if the words and places of links are needed.
    pub(crate) clues: bool,
    /// The judge that combines several models.
    pub(crate) combined: Option<&'a Combined>,
}

/// A class whose probability is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedClass {
    /// The number of the class.
    pub(crate) class: usize,
    /// True if the probability of each anchor text is needed too.
    pub(crate) reads_anchors: bool,
    /// The judge by similarity that the probability of the page is combined with, by its index.
    pub(crate) combined_with: Option<usize>,
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
    /// The probabilities of each wanted class.
    pub classes: Vec<ClassScores>,
}

/// The probabilities of a class, or of a judge that combines it with other models.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassScores {
    /// That of the page.
    pub page: f64,
    /// That of the anchor text of each link; empty unless they are needed.
    pub links: Vec<f64>,
}

impl ClassScores {
    /// Writes the probabilities of anchor texts into a reading.
    pub fn put_into(&self, page: &mut Reading) {
        page.judged = Some(self.page);
        for (link, probability) in page.links.iter_mut().zip(&self.links) {
            link.probability = Some(*probability);
        }
    }
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
        Self {
            analyzer,
            topic: topic.cloned(),
            judges: Vec::new(),
            classifier: None,
            classes: Vec::new(),
            combined: None,
            reads_clues: false,
        }
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

    /// Returns the words and places of links from now on.
    pub fn want_clues(&mut self) {
        self.reads_clues = true;
    }

    /// Adds a judge that combines several models.
    pub(crate) fn combine(&mut self, combined: Option<Combined>) {
        self.combined = combined;
    }

    /// Returns the index of the probabilities of a class, which are needed from now on.
    pub(crate) fn want_class(&mut self, wanted: WantedClass) -> usize {
        let is_alike =
            |it: &WantedClass| (it.class, it.combined_with) == (wanted.class, wanted.combined_with);
        let known = self.classes.iter().position(is_alike);
        let at = known.unwrap_or_else(|| {
            self.classes.push(wanted);
            self.classes.len() - 1
        });
        self.classes[at].reads_anchors |= wanted.reads_anchors;
        at
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
        let combined = self.combined.as_ref();
        let wanted = Wanted { classes: &self.classes, clues: self.reads_clues, combined };
        read(&self.analyzer, self.classifier.as_ref(), wanted, &judges, html)
    }
}

/// Asks every judge about a parsed page.
pub(crate) fn read(
    analyzer: &Analyzer,
    classifier: Option<&(Classifier, Analyzer)>,
    wanted: Wanted<'_>,
    judges: &[Judge<'_>],
    html: Html,
) -> PanelReading {
    let mut analyses = Analyses::of(&html);
    let page = analyses.by(analyzer);
    let scores = judges.iter().map(|judge| judge.scores(&mut analyses, analyzer)).collect();
    let (clues, names) =
        if wanted.clues { clues_of(&page, &html.links) } else { Default::default() };
    let mut clues = clues.into_iter();
    let found = |link: PageLink| FoundLink {
        clues: clues.next().unwrap_or_default(),
        ..FoundLink::new(link.url, link.anchor, link.rel.nofollow)
    };
    let (class, mut classes) = match classifier {
        Some(classifier) => {
            let (class, classes) = classify(classifier, wanted.classes, &html);
            (Some(class), classes)
        }
        None => (None, Vec::new()),
    };
    if let Some(Combined { judge: combined, graph }) = wanted.combined {
        for (of, scores) in wanted.classes.iter().zip(&mut classes) {
            let Some(judge) = of.combined_with.and_then(|at| judges.get(at)) else { continue };
            let judge = Judge { content: combined.models.scoring.content, ..*judge };
            let (relevance, disambiguated) =
                judge.relevances(&mut analyses, analyzer, graph.as_ref());
            let evidence = Evidence { relevance, disambiguated, posterior: scores.page };
            scores.page = combined.probability(&evidence);
        }
    }
    let reading = Reading {
        charset: html.charset,
        robots: html.robots,
        agent_robots: html.agent_robots,
        canonical: html.canonical,
        relevance: None,
        judged: None,
        class,
        terms: None,
        simhash: simhash_of(&page),
        links: html.links.into_iter().map(found).collect(),
        language: html.language,
        title: html.title,
        names,
        fingerprints: Vec::new(),
    };
    PanelReading { page: reading, scores, classes }
}

impl<'m> Judge<'m> {
    /// Returns R(p) with all words, and without those that do not mean the topic by a graph.
    pub(crate) fn relevances<'a>(
        &self,
        analyses: &mut Analyses<'a>,
        analyzer: &'a Analyzer,
        graph: Option<&'a Senses>,
    ) -> (f64, Option<f64>)
    where
        'm: 'a,
    {
        let page = &*analyses.of_content(analyzer, self.content);
        let disambiguated = graph.map(|graph| {
            let removed = graph.removed(analyses, page).1;
            self.scorer.view(page).without(&removed).relevance()
        });
        (self.scorer.view(page).relevance(), disambiguated)
    }

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

/// Classifies the part of a page that the classifier was trained on, and returns the probabilities
/// of the wanted classes.
fn classify(
    (classifier, analyzer): &(Classifier, Analyzer),
    wanted: &[WantedClass],
    html: &Html,
) -> (Class, Vec<ClassScores>) {
    let passages = html.passages_of(classifier.card().content);
    let mut predictor = classifier.predictor(analyzer);
    let prediction = predictor.predict(&passages);
    let name = if prediction.is_other { "other" } else { classifier.class(prediction.class) };
    let class = Class { name: name.to_owned(), probability: prediction.posterior };
    let anchors: Vec<Vec<f64>> = if wanted.iter().any(|it| it.reads_anchors) {
        posteriors_of_anchors(&mut predictor, html)
    } else {
        Vec::new()
    };
    let scores = wanted.iter().map(|it| ClassScores {
        page: prediction.posteriors[it.class],
        links: anchors.iter().map(|posteriors| posteriors[it.class]).collect(),
    });
    (class, scores.collect())
}

/// Returns the probabilities of all classes for the anchor text of each link. Equal texts, such as
/// those of a menu, are classified once.
fn posteriors_of_anchors(predictor: &mut Predictor<'_>, html: &Html) -> Vec<Vec<f64>> {
    let mut known: HashMap<&str, Vec<f64>> = HashMap::new();
    let mut of = |anchor| {
        let posteriors = known
            .entry(anchor)
            .or_insert_with(|| predictor.predict(&passages_of_text(None, anchor)).posteriors);
        posteriors.clone()
    };
    html.links.iter().map(|link| of(link.anchor.as_str())).collect()
}

/// Returns the words and the place of each link, as hashes, and the texts behind these.
fn clues_of(page: &Page, links: &[PageLink]) -> (Vec<LinkClues>, Vec<Named>) {
    let mut words: HashMap<(NameSpace, TermId), u32> = HashMap::new();
    let mut features = |space: NameSpace, terms: &[TermId]| -> Box<[u32]> {
        let mut found: Vec<u32> = Vec::new();
        for term in terms {
            if found.len() == MOST_WORDS {
                break;
            }
            let hash = || feature_of(space, page.vocabulary().term(*term));
            let feature = *words.entry((space, *term)).or_insert_with(hash);
            if !found.contains(&feature) {
                found.push(feature);
            }
        }
        found.into_boxed_slice()
    };
    let clues = |(terms, link): (&LinkTerms, &PageLink)| LinkClues {
        anchor: features(NameSpace::Anchor, &terms.anchor),
        context: features(NameSpace::Context, &terms.context),
        path: feature_of(NameSpace::Path, &link.path),
    };
    let clues: Vec<LinkClues> = page.links.iter().zip(links).map(clues).collect();
    let words = words.iter().map(|((space, term), feature)| {
        Named::new(u64::from(*feature), (*space).into(), page.vocabulary().term(*term))
    });
    let places = clues
        .iter()
        .zip(links)
        .map(|(clues, link)| Named::new(u64::from(clues.path), NameSpace::Path.into(), &link.path));
    let mut names: Vec<Named> = words.chain(places).collect();
    // In an order that does not depend on hashing.
    names.sort_unstable_by(|a, b| (a.key, &a.text).cmp(&(b.key, &b.text)));
    names.dedup_by_key(|name| name.key);
    (clues, names)
}

/// Returns the simhash of a page's terms; none for a page of few words.
fn simhash_of(page: &Page) -> Option<u64> {
    let words = page
        .counts()
        .map(|(term, counts)| (page.vocabulary().term(term), counts.iter().sum::<u32>()));
    (page.occurrences().len() >= MIN_WORDS).then(|| simhash(words))
}
