//! A greedy crawler that knows the labels: an upper reference for crawlers that do not.
//!
//! It runs in the same engine as every recipe, on the same web, from the same seeds and with the
//! same budget; only the order of the waiting links is its own ([`Guide`]). It takes the oldest
//! link whose target is relevant. If no such link is known, it takes the link that lies nearest to
//! a relevant page that was not fetched yet, by the number of links on the whole web, the oldest
//! of them first. That is greedy and no optimum: a crawler that gave up a page now for many later
//! could find more.

mod guide;
mod guided_state;
mod link_graph;

use std::sync::Arc;

use ontrail_crawl::{CrawlState, FrontierLimits, LocalState};
use ontrail_focus::{Panel, ScoresUsed};
use ontrail_pilot::Recipe;

use crate::experiment::{Contender, Setting};
use crate::shelf::{Shelf, ShelfReader};
use guide::Guide;
use guided_state::GuidedState;
use link_graph::LinkGraph;

/// The name of the oracle in tables and files.
pub const ORACLE: &str = "oracle";

/// The oracle of one block.
#[derive(Debug)]
pub(crate) struct Oracle {
    contender: Contender,
    guide: Guide,
}

impl Oracle {
    /// Reads the links of the whole web.
    pub(crate) fn new(setting: &Setting) -> Self {
        let graph = LinkGraph::of(&setting.web, &setting.labels);
        Self { contender: contender(setting), guide: Guide::new(Arc::clone(&setting.web), graph) }
    }

    /// Returns a crawler without judge or strategy of its own: it takes whatever link the state
    /// gives out.
    pub(crate) fn contender(&self) -> &Contender {
        &self.contender
    }

    /// Returns the state of a crawl in which the oracle chooses.
    pub(crate) fn state(&self, limits: FrontierLimits) -> Box<dyn CrawlState> {
        Box::new(GuidedState::new(LocalState::in_memory(limits), self.guide.clone()))
    }
}

fn contender(setting: &Setting) -> Contender {
    let shelf = Shelf::new(Arc::clone(&setting.web), Panel::new(None));
    let reader = ShelfReader {
        shelf: Arc::new(shelf),
        used: ScoresUsed { judge: None, class: None },
        has_context: false,
        has_blocks: false,
        has_clues: false,
        has_class: false,
        start_curve: None,
        link_model: None,
    };
    // With this recipe the pilot asks the queue for its first link every time.
    let recipe = Recipe::shipped("bfs").expect("a shipped recipe");
    Contender { name: ORACLE.to_owned(), recipe, focus: Arc::new(reader), has_topic: false }
}
