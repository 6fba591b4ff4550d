//! Priorities: estimate how promising a link is.

mod comprehensive;
mod learned;
mod link_model;
mod none;
mod page;
mod page_anchor;
mod pagerank;

use ontrail_anchor::{Bm25, PagesMet};
use ontrail_learner::{KeptModel, LearnedNumber};
use serde::{Deserialize, Serialize};

pub(crate) use comprehensive::LAMBDA_SHARE;
pub use comprehensive::{ComprehensivePriority, ScoredBy};
pub(crate) use learned::Learned;
pub use learned::LearnedPriority;
pub(crate) use link_model::LinkLearner;
pub use link_model::LinkModelPriority;
pub use none::NoPriority;
pub use page::PagePriority;
pub use page_anchor::PageAnchorPriority;
pub use pagerank::PageRankPriority;

use crate::clue::Clue;
use crate::graph::{LinkEvidence, NodeId, Sighting, WebGraph};
use crate::link::{LinkId, LinkKey, Score};
use crate::pagerank::{PageRank, PageRankSettings};
use crate::pareto::Objectives;
use crate::random::Random;

/// Everything known about a link before it is fetched: from the web graph, which remembers all
/// pages that contain the link, or from the current page only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkFacts<'a> {
    /// The pages that contain the link.
    pub(crate) sightings: &'a [Sighting],
    /// The combined evidence from all of them.
    pub(crate) evidence: LinkEvidence,
    /// PR of the pages that contain the link, as a share of the greatest PR; the mean if there are
    /// several (reading F9, docs/papers.md).
    pub(crate) pagerank: f64,
    /// R(A) of all anchor texts together, if the recipe compares them by BM25.
    pub(crate) joint_anchor: Option<f64>,
    /// The information of pages for the link model.
    pub(crate) clues: &'a [Clue],
    /// The fingerprint of the URL.
    pub(crate) key: LinkKey,
}

impl<'a> LinkFacts<'a> {
    /// Returns the facts from one page.
    pub(crate) fn of_one(sighting: &'a Sighting) -> Self {
        let evidence = LinkEvidence::of(sighting);
        let sightings = std::slice::from_ref(sighting);
        let (clues, key) = (&[][..], LinkKey::default());
        Self { sightings, evidence, pagerank: 0.0, joint_anchor: None, clues, key }
    }

    /// Returns the greatest value over all pages that contain the link.
    fn greatest(&self, of: impl Fn(&Sighting) -> f64) -> f64 {
        self.sightings.iter().map(of).fold(0.0, f64::max)
    }

    /// Returns (1/m) Σ R(pᵢ) over the pages that contain the link.
    pub(crate) fn page(&self) -> f64 {
        self.evidence.relevance / f64::from(self.evidence.pages.max(1))
    }

    /// Returns R(A). Of several anchor texts, the greatest counts, unless they are compared
    /// together.
    pub(crate) fn anchor(&self) -> f64 {
        self.joint_anchor.unwrap_or(self.evidence.anchor)
    }

    /// Returns R(A) of the anchor text on one page, unless all are compared together.
    fn anchor_on(&self, sighting: &Sighting) -> f64 {
        self.joint_anchor.unwrap_or(sighting.anchor)
    }

    /// Returns R(CL); the greatest if there are several contexts.
    pub(crate) fn context(&self) -> f64 {
        self.evidence.context
    }

    /// Returns the objectives for multi-objective comparison, all to be maximised.
    pub(crate) fn objectives(&self) -> Objectives {
        [self.anchor(), self.page(), self.pagerank]
    }
}

/// A way to compute the priority of a link.
pub(crate) trait Priority {
    /// Returns P(l), from 0 to 1.
    fn of(&self, link: &LinkFacts<'_>) -> f64;

    /// Returns true if the priority is too low, so that the link is discarded, given the threshold
    /// of pages.
    fn refuses(&self, _priority: f64, _threshold: f64) -> bool {
        false
    }

    /// Returns P(l) given the relevance of the page behind the link, and whether P(l) is high
    /// enough for that page's links to be followed, given the threshold of pages. Returns none
    /// unless the recipe fetches links in order to judge them.
    fn of_fetched(
        &self,
        _link: &LinkFacts<'_>,
        _target: f64,
        _threshold: f64,
    ) -> Option<(f64, bool)> {
        None
    }

    /// Returns the numbers that were learned and that workers share.
    fn numbers(&self) -> Vec<LearnedNumber> {
        Vec::new()
    }

    /// Mixes the numbers that were learned with those of other workers.
    fn mix(&mut self, _others: &[LearnedNumber]) {}

    /// Learns from a page whose link had these objectives.
    fn learn(&mut self, _objectives: Objectives, _relevance: f64, _random: &mut Random) {}
}

/// The kinds of priorities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PriorityRecipe {
    /// All links have the same priority.
    None(NoPriority),
    /// R(p) of the page that contains the link.
    Page(PagePriority),
    /// R(p) and R(A), eq. 21 of sdvsm.
    PageAnchor(PageAnchorPriority),
    /// R(p), R(A) and R(CL), the CPE of bcw-cc (eq. 4).
    PageAnchorContext(ComprehensivePriority),
    /// PR, R(p) and R(A), eq. 9 of fcits-oh.
    PagerankPageAnchor(PageRankPriority),
    /// R(A), R(p) and PR, with weights that a particle swarm learns during the crawl.
    Learned(LearnedPriority),
    /// P(relevant) by a model that learns from every page.
    LinkModel(LinkModelPriority),
}

impl PriorityRecipe {
    /// Returns true if the priority depends on all pages that contain a link.
    pub(crate) fn needs_graph(&self) -> bool {
        !matches!(self, Self::None(_) | Self::Page(_) | Self::PageAnchor(_))
    }

    /// Returns true if the priority depends on link contexts.
    #[must_use]
    pub fn needs_context(&self) -> bool {
        matches!(self, Self::PageAnchorContext(_) | Self::LinkModel(_))
    }

    /// Returns true if links are judged by the judge's probabilities instead of R.
    pub(crate) fn uses_judge(&self) -> bool {
        match self {
            Self::PageAnchorContext(it) => it.by == ScoredBy::Judge,
            Self::LinkModel(_) => true,
            _ => false,
        }
    }

    /// Returns true if the priority estimates the relevance of the page behind a link.
    pub(crate) fn predicts(&self) -> bool {
        !matches!(self, Self::None(_))
    }

    /// Returns the settings of the PR computation, if the priority depends on PR.
    pub(crate) fn pagerank(&self) -> Option<PageRankSettings> {
        match self {
            Self::PagerankPageAnchor(priority) => Some(priority.pagerank),
            Self::Learned(priority) => Some(priority.pagerank),
            _ => None,
        }
    }
}

/// A running priority.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum AnyPriority {
    None(NoPriority),
    Page(PagePriority),
    PageAnchor(PageAnchorPriority),
    Comprehensive(ComprehensivePriority),
    PageRank(PageRankPriority),
    Learned(Box<Learned>),
    LinkModel(Box<LinkLearner>),
}

impl AnyPriority {
    pub(crate) fn new(recipe: &PriorityRecipe, seed: u64, kept: Option<&KeptModel>) -> Self {
        match recipe {
            PriorityRecipe::None(it) => Self::None(*it),
            PriorityRecipe::Page(it) => Self::Page(*it),
            PriorityRecipe::PageAnchor(it) => Self::PageAnchor(*it),
            PriorityRecipe::PageAnchorContext(it) => Self::Comprehensive(*it),
            PriorityRecipe::PagerankPageAnchor(it) => Self::PageRank(*it),
            PriorityRecipe::Learned(it) => Self::Learned(Box::new(Learned::new(*it))),
            PriorityRecipe::LinkModel(it) => {
                Self::LinkModel(Box::new(LinkLearner::new(*it, seed, kept)))
            }
        }
    }

    pub(crate) fn part(&self) -> &dyn Priority {
        match self {
            Self::None(it) => it,
            Self::Page(it) => it,
            Self::PageAnchor(it) => it,
            Self::Comprehensive(it) => it,
            Self::PageRank(it) => it,
            Self::Learned(it) => it.as_ref(),
            Self::LinkModel(it) => it.as_ref(),
        }
    }

    pub(crate) fn part_mut(&mut self) -> &mut dyn Priority {
        match self {
            Self::None(it) => it,
            Self::Page(it) => it,
            Self::PageAnchor(it) => it,
            Self::Comprehensive(it) => it,
            Self::PageRank(it) => it,
            Self::Learned(it) => it.as_mut(),
            Self::LinkModel(it) => it.as_mut(),
        }
    }
}

/// A priority together with the PR and the counts of terms that it may depend on.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Appraiser {
    pub(crate) priority: AnyPriority,
    pub(crate) pagerank: Option<PageRank>,
    /// The pages fetched so far, if anchor texts are compared by BM25.
    pub(crate) met: Option<PagesMet>,
}

impl Appraiser {
    /// Returns the node of a link, and adds it if it is new.
    pub(crate) fn find_or_add(&mut self, graph: &mut WebGraph, link: LinkId) -> NodeId {
        let is_new = graph.lookup(&link.key).is_none();
        let id = graph.find_or_add(link);
        if let Some(rank) = self.pagerank.as_mut().filter(|_| is_new) {
            rank.added(graph, id);
        }
        id
    }

    /// Returns the current P(l). A seed keeps the priority that it was given.
    pub(crate) fn appraise(&self, graph: &WebGraph, id: NodeId) -> f64 {
        let node = graph.node(id);
        if node.is_seed || node.sightings.is_empty() {
            return node.priority;
        }
        self.priority.part().of(&self.facts(graph, id))
    }

    pub(crate) fn facts<'a>(&self, graph: &'a WebGraph, id: NodeId) -> LinkFacts<'a> {
        let node = graph.node(id);
        let pagerank = self.pagerank.as_ref().map_or(0.0, |rank| {
            let shares = node.sightings.iter().map(|it| rank.share(graph, it.page));
            shares.sum::<f64>() / node.sightings.len().max(1) as f64
        });
        let joint_anchor = self.met.as_ref().map(|met| {
            // The evidence has R(A) on pages whose terms are not known, which only a repaired
            // crawl has.
            met.relevance(&Bm25::default(), &node.anchors).max(node.evidence.anchor)
        });
        LinkFacts {
            sightings: &node.sightings,
            evidence: node.evidence,
            pagerank,
            joint_anchor,
            clues: &node.clues,
            key: node.key,
        }
    }

    /// Returns the scores that decide a link's priority, for the log.
    pub(crate) fn scores(&self, facts: &LinkFacts<'_>) -> Vec<(Score, f64)> {
        let mut scores = vec![(Score::Page, facts.page()), (Score::Anchor, facts.anchor())];
        if matches!(self.priority, AnyPriority::Comprehensive(_) | AnyPriority::LinkModel(_)) {
            scores.push((Score::Context, facts.context()));
        }
        if self.pagerank.is_some() {
            scores.push((Score::Pagerank, facts.pagerank));
        }
        scores
    }

    /// Returns the objectives of a link. A seed has the greatest possible ones.
    pub(crate) fn objectives(&self, graph: &WebGraph, id: NodeId) -> Objectives {
        if graph.node(id).is_seed { [1.0; 3] } else { self.facts(graph, id).objectives() }
    }

    /// Returns true if the priority of a link that waits has fallen below the least priority. A
    /// computed least priority applies only once, when a link is found: it moves, and a link that
    /// was restored for want of others must not be refused again.
    pub(crate) fn has_sunk(&self, priority: f64) -> bool {
        self.priority.part().refuses(priority, f64::NEG_INFINITY)
    }

    /// Returns true if P(l) can change even if the link is not found again.
    pub(crate) fn has_moving_priorities(&self) -> bool {
        self.pagerank.is_some()
            || self.met.is_some()
            || matches!(self.priority, AnyPriority::LinkModel(_))
    }

    /// Returns the same, to look at.
    pub(crate) fn learner_view(&self) -> Option<&LinkLearner> {
        match &self.priority {
            AnyPriority::LinkModel(learner) => Some(learner),
            _ => None,
        }
    }

    /// Returns the model that learns from every page, if the recipe has one.
    pub(crate) fn learner(&mut self) -> Option<&mut LinkLearner> {
        match &mut self.priority {
            AnyPriority::LinkModel(learner) => Some(learner),
            _ => None,
        }
    }
}
