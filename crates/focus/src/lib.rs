//! The models behind the one port that the crawler asks.
//!
//! [`Models`] reads a page with whatever was trained beforehand: a topic says how near the page is and each of its
//! links, a classifier what the page is, and a disambiguation graph takes words away that do not mean the topic
//! here. The crawler sees none of it, only the [`Reading`].
//!
//! ```
//! use ontrail_crawl::Focus;
//! use ontrail_focus::Models;
//! use ontrail_topic::{Origin, Term, Topic};
//!
//! let topic = Topic::new("rain", Origin::Keywords, vec![Term::new("暴雨", 1.0)])?;
//! let models = Models::new().with_topic(&topic, 0.5)?;
//! let url = "http://example.org/".parse()?;
//! let reading = models.read("<p>暴雨 <a href=x>雨情</a>".as_bytes(), &url, None);
//! assert_eq!(reading.is_relevant, Some(true));
//! assert_eq!(reading.links[0].url.as_str(), "http://example.org/x");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate does not fetch and trains nothing.

use ontrail_bcw::Classifier;
use ontrail_crawl::{Class, Focus, FoundLink, Reading, Score, gist};
use ontrail_page::{Link, Page, PageReader, Source};
use ontrail_sdg::Senses;
use ontrail_text::Analyzer;
use ontrail_topic::{Model, PageView, Scorer, ScorerError, Topic};
use url::Url;

/// With fewer words than this, pages are alike by chance: error messages, image galleries.
const LEAST_WORDS: usize = 30;

/// What pages are read with. Without a topic everything is read and nothing judged.
#[derive(Debug)]
pub struct Models {
    analyzer: Analyzer,
    topic: Option<Judge>,
    classifier: Option<(Classifier, Analyzer)>,
    senses: Option<Senses>,
}

/// A topic, and from which relevance on a page is on it.
#[derive(Debug)]
struct Judge {
    scorer: Scorer,
    threshold: f64,
}

impl Default for Models {
    fn default() -> Self {
        Self { analyzer: Analyzer::new(), topic: None, classifier: None, senses: None }
    }
}

impl Models {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a topic. Pages are on it if R(p) is greater than the threshold (F14 of the readings).
    pub fn with_topic(mut self, topic: &Topic, threshold: f64) -> Result<Self, ScorerError> {
        self.analyzer = topic.analyzer().build();
        let scorer = Scorer::new(topic, &self.analyzer, Model::labels(), None)?;
        self.topic = Some(Judge { scorer, threshold });
        Ok(self)
    }

    /// With a classifier.
    #[must_use]
    pub fn with_classifier(mut self, classifier: Classifier) -> Self {
        self.classifier = Some((classifier.compact(), Classifier::analyzer()));
        self
    }

    /// With a disambiguation graph.
    #[must_use]
    pub fn with_senses(mut self, senses: Senses) -> Self {
        self.senses = Some(senses);
        self
    }

    fn class(&self, page: &Page) -> Option<Class> {
        let (classifier, analyzer) = self.classifier.as_ref()?;
        let prediction = classifier.predictor(analyzer).predict(&page.passages);
        let name = if prediction.is_other { "other" } else { classifier.class(prediction.class) };
        Some(Class { name: name.to_owned(), probability: prediction.posterior })
    }
}

/// What a page says, in 64 bits.
fn gist_of(page: &Page) -> Option<u64> {
    let words = page
        .counts()
        .map(|(term, counts)| (page.vocabulary().term(term), counts.iter().sum::<u32>()));
    (page.occurrences().len() >= LEAST_WORDS).then(|| gist(words))
}

/// A link with what the topic makes of it.
fn found_link(link: Link, page_relevance: Option<f64>, view: Option<&PageView<'_>>) -> FoundLink {
    let page = page_relevance.map(|relevance| (Score::Page, relevance));
    let anchor = view.map(|view| (Score::Anchor, view.anchor(&link)));
    FoundLink {
        scores: page.into_iter().chain(anchor).collect(),
        nofollow: link.rel.nofollow,
        url: link.url,
        anchor: link.anchor,
    }
}

impl Focus for Models {
    fn read(&self, bytes: &[u8], url: &Url, content_type: Option<&str>) -> Reading {
        let source = Source::at(url).with_content_type(content_type);
        let reader = PageReader::new(&self.analyzer).keeping_passages(self.classifier.is_some());
        let mut page = reader.read(bytes, source);
        let links = std::mem::take(&mut page.links);
        let gone = match (&self.topic, &self.senses) {
            (Some(_), Some(senses)) => senses.removed(bytes, source, &page).1,
            _ => Vec::new(),
        };
        let view = self.topic.as_ref().map(|judge| judge.scorer.view(&page).without(&gone));
        let relevance = view.as_ref().map(PageView::relevance);
        let threshold = self.topic.as_ref().map_or(0.0, |judge| judge.threshold);
        let links =
            links.into_iter().map(|link| found_link(link, relevance, view.as_ref())).collect();
        Reading {
            charset: page.charset,
            robots: page.robots,
            relevance,
            is_relevant: relevance.map(|relevance| relevance > threshold),
            class: self.class(&page),
            gist: gist_of(&page),
            links,
            language: page.language.take(),
            title: std::mem::take(&mut page.title),
        }
    }
}
