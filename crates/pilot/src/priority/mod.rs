//! How promising is a link?

mod comprehensive;
mod learned;
mod none;
mod page;
mod page_anchor;
mod pagerank;

use serde::{Deserialize, Serialize};

pub use comprehensive::ComprehensivePriority;
pub(crate) use learned::Learned;
pub use learned::LearnedPriority;
pub use none::NoPriority;
pub use page::PagePriority;
pub use page_anchor::PageAnchorPriority;
pub use pagerank::PageRankPriority;

use crate::link::{LinkId, Score};
use crate::map::{Map, NodeId, Said, Sighting};
use crate::pagerank::{PageRank, PageRankSettings};
use crate::pareto::Objectives;
use crate::random::Random;

/// All that is known of a link before it is fetched: by a map that remembers every page that shows it, or
/// from the one page at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkFacts<'a> {
    /// The pages that it was found on.
    pub(crate) sightings: &'a [Sighting],
    /// What all of them say together.
    pub(crate) said: Said,
    /// PR of the pages that it is on, as a share of the greatest; the mean of several (F9 of the readings).
    pub(crate) pagerank: f64,
}

impl<'a> LinkFacts<'a> {
    /// What one page alone says.
    pub(crate) fn of_one(sighting: &'a Sighting) -> Self {
        let said = Said::of(sighting);
        Self { sightings: std::slice::from_ref(sighting), said, pagerank: 0.0 }
    }

    /// The greatest of what the pages give it.
    fn greatest(&self, of: impl Fn(&Sighting) -> f64) -> f64 {
        self.sightings.iter().map(of).fold(0.0, f64::max)
    }

    /// (1/m) Σ R(pᵢ), over the pages that it is on.
    pub(crate) fn page(&self) -> f64 {
        self.said.relevance / f64::from(self.said.pages.max(1))
    }

    /// R(A): of several texts the one that says most.
    pub(crate) fn anchor(&self) -> f64 {
        self.said.anchor
    }

    /// R(CL): of several the one that says most.
    pub(crate) fn context(&self) -> f64 {
        self.said.context
    }

    /// What links are compared by in several respects, all to be maximised (part C.1 of the readings).
    pub(crate) fn objectives(&self) -> Objectives {
        [self.anchor(), self.page(), self.pagerank]
    }
}

/// A way to tell how promising a link is.
pub(crate) trait Priority {
    /// P(l), from 0 to 1.
    fn of(&self, link: &LinkFacts<'_>) -> f64;

    /// Whether a link promises too little, and is put aside.
    fn refuses(&self, _priority: f64) -> bool {
        false
    }

    /// P(l) with the relevance of the page behind it, and whether that is enough for its links to be taken up; none
    /// unless links are fetched to be judged.
    fn of_fetched(&self, _link: &LinkFacts<'_>, _target: f64) -> Option<(f64, bool)> {
        None
    }

    /// A page came whose link had these objectives.
    fn learn(&mut self, _objectives: Objectives, _relevance: f64, _random: &mut Random) {}
}

/// The priorities that there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PriorityRecipe {
    /// All are alike.
    None(NoPriority),
    /// R(p) of the page that the link is on.
    Page(PagePriority),
    /// R(p) and R(A), eq. 21 of sdvsm.
    PageAnchor(PageAnchorPriority),
    /// R(p), R(A) and R(CL), the CPE of bcw-cc (eq. 4).
    PageAnchorContext(ComprehensivePriority),
    /// PR, R(p) and R(A), eq. 9 of fcits-oh.
    PagerankPageAnchor(PageRankPriority),
    /// R(A), R(p) and PR with weights that a swarm learns while crawling.
    Learned(LearnedPriority),
}

impl PriorityRecipe {
    /// Whether priorities need to know all pages that a link is on.
    pub(crate) fn needs_map(&self) -> bool {
        !matches!(self, Self::None(_) | Self::Page(_) | Self::PageAnchor(_))
    }

    /// Whether what stands around links is asked for.
    #[must_use]
    pub fn needs_context(&self) -> bool {
        matches!(self, Self::PageAnchorContext(_))
    }

    /// Whether it says anything about links.
    pub(crate) fn predicts(&self) -> bool {
        !matches!(self, Self::None(_))
    }

    /// How PR is computed, if it is asked for.
    pub(crate) fn pagerank(&self) -> Option<PageRankSettings> {
        match self {
            Self::PagerankPageAnchor(priority) => Some(priority.pagerank),
            Self::Learned(priority) => Some(priority.pagerank),
            _ => None,
        }
    }
}

/// A priority at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum AnyPriority {
    None(NoPriority),
    Page(PagePriority),
    PageAnchor(PageAnchorPriority),
    Comprehensive(ComprehensivePriority),
    PageRank(PageRankPriority),
    Learned(Box<Learned>),
}

impl AnyPriority {
    pub(crate) fn new(recipe: &PriorityRecipe) -> Self {
        match recipe {
            PriorityRecipe::None(it) => Self::None(*it),
            PriorityRecipe::Page(it) => Self::Page(*it),
            PriorityRecipe::PageAnchor(it) => Self::PageAnchor(*it),
            PriorityRecipe::PageAnchorContext(it) => Self::Comprehensive(*it),
            PriorityRecipe::PagerankPageAnchor(it) => Self::PageRank(*it),
            PriorityRecipe::Learned(it) => Self::Learned(Box::new(Learned::new(*it))),
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
        }
    }
}

/// A priority with what it is made from.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Appraiser {
    pub(crate) priority: AnyPriority,
    pub(crate) rank: Option<PageRank>,
}

impl Appraiser {
    /// The node of an address, made if it is new.
    pub(crate) fn meet(&mut self, map: &mut Map, link: LinkId) -> NodeId {
        let is_new = map.lookup(&link.key).is_none();
        let id = map.meet(link);
        if let Some(rank) = self.rank.as_mut().filter(|_| is_new) {
            rank.met(map, id);
        }
        id
    }

    /// P(l) as it stands. A seed keeps what it was given.
    pub(crate) fn appraise(&self, map: &Map, id: NodeId) -> f64 {
        let node = map.node(id);
        if node.is_seed || node.sightings.is_empty() {
            return node.priority;
        }
        self.priority.part().of(&self.facts(map, id))
    }

    pub(crate) fn facts<'a>(&self, map: &'a Map, id: NodeId) -> LinkFacts<'a> {
        let node = map.node(id);
        let pagerank = self.rank.as_ref().map_or(0.0, |rank| {
            let shares = node.sightings.iter().map(|it| rank.share(map, it.page));
            shares.sum::<f64>() / node.sightings.len().max(1) as f64
        });
        LinkFacts { sightings: &node.sightings, said: node.said, pagerank }
    }

    /// The scores that a link is ranked by, as the log shows them.
    pub(crate) fn scores(&self, facts: &LinkFacts<'_>) -> Vec<(Score, f64)> {
        let mut scores = vec![(Score::Page, facts.page()), (Score::Anchor, facts.anchor())];
        if matches!(self.priority, AnyPriority::Comprehensive(_)) {
            scores.push((Score::Context, facts.context()));
        }
        if self.rank.is_some() {
            scores.push((Score::Pagerank, facts.pagerank));
        }
        scores
    }

    /// What a link is compared by. A seed is taken for as good as can be.
    pub(crate) fn objectives(&self, map: &Map, id: NodeId) -> Objectives {
        if map.node(id).is_seed { [1.0; 3] } else { self.facts(map, id).objectives() }
    }

    /// Whether P(l) of a link may change although it is not found again.
    pub(crate) fn moves(&self) -> bool {
        self.rank.is_some()
    }
}
