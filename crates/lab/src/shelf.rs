//! Readings that all crawlers of an experiment share: a page is parsed when the first crawler
//! fetches it, and scored by the judges of all crawlers at once.

use std::sync::{Arc, OnceLock};

use ontrail_calibration::StartCurve;
use ontrail_crawl::{Class, Focus, FoundLink, Reading};
use ontrail_focus::{ClassScores, Panel, PanelReading, Scores, ScoresUsed, TermsFound};
use ontrail_page::HostTemplate;
use ontrail_pilot::{AnchorTerm, KeptModel, LinkClues, PageTerms};
use url::Url;

use crate::web::LoadedWeb;

/// The readings of a web's pages by a panel of judges. Each page is read once.
#[derive(Debug)]
pub struct Shelf {
    web: Arc<LoadedWeb>,
    panel: Panel,
    pages: Vec<OnceLock<Shelved>>,
}

/// The reading of a page, in compact form.
#[derive(Debug)]
struct Shelved {
    title: String,
    charset: &'static str,
    language: Option<String>,
    robots: ontrail_page::RobotsMeta,
    agent_robots: ontrail_page::AgentRobots,
    canonical: Option<Url>,
    class: Option<Class>,
    simhash: Option<u64>,
    links: Box<[ShelvedLink]>,
    scores: Vec<ShelvedScores>,
    classes: Vec<ClassScores>,
}

#[derive(Debug)]
struct ShelvedLink {
    url: Arc<Url>,
    anchor: Arc<str>,
    nofollow: bool,
    clues: LinkClues,
}

/// The scores of a page. Most links have nothing to do with a topic, so only links with a non-zero
/// score are kept.
#[derive(Debug)]
struct ShelvedScores {
    relevance: f64,
    links: Box<[(u32, [f64; 3])]>,
    terms: Option<ShelvedTerms>,
}

/// The topic's terms on a page, and in those of its anchor texts that have any.
#[derive(Debug)]
struct ShelvedTerms {
    page: PageTerms,
    links: Box<[(u32, Box<[AnchorTerm]>)]>,
}

impl Shelf {
    /// Returns an empty shelf.
    #[must_use]
    pub fn new(web: Arc<LoadedWeb>, panel: Panel) -> Self {
        let pages = (0..web.len()).map(|_| OnceLock::new()).collect();
        Self { web, panel, pages }
    }

    /// Returns the number of pages read so far.
    #[must_use]
    pub fn read(&self) -> usize {
        self.pages.iter().filter(|page| page.get().is_some()).count()
    }

    fn shelved(&self, reading: PanelReading) -> Shelved {
        let PanelReading { page, scores, classes } = reading;
        let links = self.web.with_names(|names| {
            let shelve = |link: FoundLink| ShelvedLink {
                url: names.url(link.url),
                anchor: names.text(&link.anchor),
                nofollow: link.nofollow,
                clues: link.clues,
            };
            page.links.into_iter().map(shelve).collect()
        });
        Shelved {
            title: page.title,
            charset: page.charset,
            language: page.language,
            robots: page.robots,
            agent_robots: page.agent_robots,
            canonical: page.canonical,
            class: page.class,
            simhash: page.simhash,
            links,
            scores: scores.into_iter().map(ShelvedScores::new).collect(),
            classes,
        }
    }
}

impl ShelvedScores {
    fn new(scores: Scores) -> Self {
        let is_some = |(_, scores): &(u32, [f64; 3])| scores.iter().any(|score| *score != 0.0);
        let links = (0..).zip(scores.links).filter(is_some).collect();
        let terms = scores.terms.map(ShelvedTerms::new);
        Self { relevance: scores.relevance, links, terms }
    }
}

impl ShelvedTerms {
    fn new(terms: TermsFound) -> Self {
        let links = (0..).zip(terms.links).filter(|(_, terms)| !terms.is_empty());
        let links = links.map(|(at, terms)| (at, terms.into_boxed_slice())).collect();
        Self { page: terms.page, links }
    }
}

/// One crawler's view of a shelf.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each names one thing that is read or not")]
pub struct ShelfReader {
    /// The shelf.
    pub shelf: Arc<Shelf>,
    /// The scores that the crawler uses.
    pub used: ScoresUsed,
    /// True if the crawler uses the scores of link contexts.
    pub has_context: bool,
    /// True if the crawler uses the scores of content blocks.
    pub has_blocks: bool,
    /// True if the crawler learns from the words and places of links.
    pub has_clues: bool,
    /// True if the crawler uses classes.
    pub has_class: bool,
    /// P(relevant) of each score as far as it is known before the crawl.
    pub start_curve: Option<StartCurve>,
    /// The link model that earlier crawls made.
    pub link_model: Option<Arc<KeptModel>>,
}

impl Focus for ShelfReader {
    /// Templates are not used: a page is read once for all runs of an experiment, and each run
    /// would learn them in its own order.
    fn read(
        &self,
        bytes: &[u8],
        url: &Url,
        content_type: Option<&str>,
        _: &HostTemplate,
    ) -> Reading {
        let Shelf { web, panel, pages } = self.shelf.as_ref();
        let read = || self.shelf.shelved(panel.read(bytes, url, content_type));
        match web.place(url.as_str()) {
            Some(place) => self.reading(pages[place as usize].get_or_init(read)),
            None => self.reading(&read()),
        }
    }

    fn start_curve(&self) -> Option<StartCurve> {
        self.start_curve.clone()
    }

    fn link_model(&self) -> Option<Arc<KeptModel>> {
        self.link_model.clone()
    }
}

impl ShelfReader {
    fn reading(&self, page: &Shelved) -> Reading {
        let link = |link: &ShelvedLink| {
            let (url, anchor) = (link.url.as_ref().clone(), link.anchor.as_ref().to_owned());
            let clues = if self.has_clues { link.clues.clone() } else { LinkClues::default() };
            FoundLink { clues, ..FoundLink::new(url, anchor, link.nofollow) }
        };
        let scores = self.used.judge.and_then(|judge| page.scores.get(judge));
        let mut links: Vec<FoundLink> = page.links.iter().map(link).collect();
        for (at, [anchor, context, block]) in scores.iter().flat_map(|scores| &scores.links) {
            let link = &mut links[*at as usize];
            link.relevance = *anchor;
            link.context = if self.has_context { *context } else { 0.0 };
            link.block = if self.has_blocks { *block } else { 0.0 };
        }
        let terms = scores.and_then(|scores| scores.terms.as_ref());
        for (at, terms) in terms.iter().flat_map(|terms| &terms.links) {
            links[*at as usize].terms = terms.to_vec();
        }
        let mut reading = Reading {
            title: page.title.clone(),
            charset: page.charset,
            language: page.language.clone(),
            robots: page.robots,
            agent_robots: page.agent_robots.clone(),
            canonical: page.canonical.clone(),
            relevance: scores.map(|scores| scores.relevance),
            judged: None,
            class: page.class.clone().filter(|_| self.has_class),
            terms: terms.map(|terms| terms.page.clone()),
            simhash: page.simhash,
            links,
            names: Vec::new(),
            fingerprints: Vec::new(),
        };
        if let Some(scores) = self.used.class.and_then(|class| page.classes.get(class)) {
            scores.put_into(&mut reading);
        }
        reading
    }
}
