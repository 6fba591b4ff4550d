//! The interface through which the crawler asks its models what a page is about.
//!
//! The crawler knows how to fetch pages and where to go next, but not how models score them. The
//! crate `focus` implements this interface.

use std::sync::Arc;

use ontrail_calibration::StartCurve;
use ontrail_page::{AgentRobots, HostTemplate, RobotsMeta};
use ontrail_pilot::{AnchorTerm, KeptModel, LinkClues, Named, PageFacts, PageTerms};
use url::Url;

/// Reads and scores pages for a crawl.
pub trait Focus: Send + Sync {
    /// Parses a page, scores it, and extracts its links. `template` is what is known of the
    /// template of its host.
    fn read(
        &self,
        bytes: &[u8],
        url: &Url,
        content_type: Option<&str>,
        template: &HostTemplate,
    ) -> Reading;

    /// Returns P(relevant) of each score as far as it is known before the crawl.
    fn start_curve(&self) -> Option<StartCurve> {
        None
    }

    /// Returns what earlier crawls learned about links, to begin with.
    fn link_model(&self) -> Option<Arc<KeptModel>> {
        None
    }
}

/// The result of reading a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The page's title.
    pub title: String,
    /// The charset in which the page was decoded.
    pub charset: &'static str,
    /// The page's language, if known.
    pub language: Option<String>,
    /// The page's instructions to all crawlers (noindex, nofollow).
    pub robots: RobotsMeta,
    /// The page's instructions to single crawlers.
    pub agent_robots: AgentRobots,
    /// The canonical URL that the page declares.
    pub canonical: Option<Url>,
    /// R(p), from 0 to 1; none if there is no topic.
    pub relevance: Option<f64>,
    /// The score of a judge that uses a classifier, if the recipe has one.
    pub judged: Option<f64>,
    /// The class that the classifier predicts.
    pub class: Option<Class>,
    /// The topic's terms on the page; none unless the recipe needs them.
    pub terms: Option<PageTerms>,
    /// The simhash of the page's text; none for a text that is too short to have a reliable one.
    pub simhash: Option<u64>,
    /// The page's links.
    pub links: Vec<FoundLink>,
    /// The texts behind the hashes of the words and places of the links, for explanations; empty
    /// unless the recipe learns from them.
    pub names: Vec<Named>,
    /// The fingerprints of the page's paragraphs, from which the template of its host is learned;
    /// empty if no model needs it.
    pub fingerprints: Vec<u64>,
}

impl Reading {
    /// Returns the facts that a pilot needs.
    #[must_use]
    pub fn facts(&self) -> PageFacts<'_> {
        let class = self.class.as_ref().map(|class| class.name.as_str());
        let terms = self.terms.as_ref();
        let names = &self.names;
        PageFacts { relevance: self.relevance, judged: self.judged, class, terms, names }
    }
}

/// The class that a classifier predicts for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The name of the class.
    pub name: String,
    /// The probability of the class, from 0 to 1.
    pub probability: f64,
}

/// A link on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundLink {
    /// The URL that the link points to.
    pub url: Url,
    /// The anchor text.
    pub anchor: String,
    /// True if crawlers are asked not to follow the link.
    pub nofollow: bool,
    /// R(A), the relevance of the anchor text; 0 if there is no topic.
    pub relevance: f64,
    /// R(CL), the relevance of the link context; 0 unless the recipe needs it.
    pub context: f64,
    /// R(B), the relevance of the content block with the link; 0 unless the recipe needs it.
    pub block: f64,
    /// The judge's probability of the anchor text, if the recipe needs it.
    pub probability: Option<f64>,
    /// The topic's terms in the anchor text; empty unless the recipe needs them.
    pub terms: Vec<AnchorTerm>,
    /// The words and the place of the link; empty unless the recipe learns from them.
    pub clues: LinkClues,
}

impl FoundLink {
    /// Returns a link about which no model has said anything.
    #[must_use]
    pub fn new(url: Url, anchor: String, nofollow: bool) -> Self {
        Self {
            url,
            anchor,
            nofollow,
            relevance: 0.0,
            context: 0.0,
            block: 0.0,
            probability: None,
            terms: Vec::new(),
            clues: LinkClues::default(),
        }
    }
}

/// Computes the simhash of a text (Charikar 2002): each word votes on each of 64 bits, once for
/// each time that it occurs. Texts that hardly differ have simhashes that differ in few bits.
///
/// ```
/// # use ontrail_crawl::simhash;
/// let a = simhash([("rain", 9), ("storm", 8), ("flood", 7), ("city", 1)]);
/// let b = simhash([("rain", 9), ("storm", 8), ("flood", 7), ("town", 1)]);
/// assert!((a ^ b).count_ones() <= 3);
/// ```
#[must_use]
pub fn simhash<'t>(words: impl IntoIterator<Item = (&'t str, u32)>) -> u64 {
    let mut votes = [[0_i32; 8]; 8];
    for (word, count) in words {
        let bits = xxhash_rust::xxh3::xxh3_64(word.as_bytes()).to_le_bytes();
        // Occurrences beyond a thousand add no information.
        let count = i32::try_from(count.min(1_000)).unwrap_or(0);
        for (votes, byte) in votes.iter_mut().zip(bits) {
            let signs = &SIGNS[usize::from(byte)];
            votes.iter_mut().zip(signs).for_each(|(vote, sign)| *vote += sign * count);
        }
    }
    let votes = votes.as_flattened();
    let set = votes.iter().enumerate().filter(|(_, vote)| **vote > 0);
    set.fold(0, |simhash, (place, _)| simhash | 1 << place)
}

/// The votes of each byte's bits: 1 for a bit that is set, -1 for one that is not.
const SIGNS: [[i32; 8]; 256] = {
    let mut signs = [[-1; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                signs[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    signs
};
