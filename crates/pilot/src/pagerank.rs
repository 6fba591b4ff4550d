//! The improved `PageRank` of fcits-oh (eq. 8): links with a relevant anchor text pass on more.
//!
//! As printed, the rows of eq. 8 sum to more than 1, and the values of two pages that link to each
//! other grow without bound (reading F10, docs/papers.md). The row-stochastic form keeps the
//! meaning and has a solution:
//!
//! `PR(p) = (1 − d) + d Σᵢ PR(pᵢ) (1 + ω R(Aᵢₚ)) / Σ_q (1 + ω R(Aᵢ_q))`
//!
//! PR is updated as pages arrive by passing on only the changes (the push method of Gauss and
//! Southwell): every node has a residual, the part that it has received and not yet passed on. The
//! work for each page is therefore bounded, and what remains to be done is at most a small residual
//! at each node.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::graph::{NodeId, WebGraph};
use crate::link::LinkKey;

/// The form of eq. 8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Each page passes on at most its own PR.
    #[default]
    RowStochastic,
    /// As printed: ten rounds that start from 1, repeated at intervals.
    Literal,
}

/// Settings of the PR computation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct PageRankSettings {
    /// d, the damping factor.
    pub damping: f64,
    /// ω, the influence of the anchor text.
    pub omega: f64,
    /// The form of eq. 8.
    pub form: Form,
}

impl Default for PageRankSettings {
    fn default() -> Self {
        Self { damping: 0.85, omega: 0.6, form: Form::RowStochastic }
    }
}

/// Residuals below this value are not passed on.
const TOLERANCE: f64 = 0.01;
/// Number of links that are updated for each link of an arriving page.
const EFFORT: usize = 10;
/// Number of rounds of the literal form.
const ROUNDS: usize = 10;
/// Least number of pages between two computations of the literal form.
const LITERAL_PAGES: usize = 100;
/// The literal form is recomputed only when the number of links has grown by a tenth.
const GROWTH: usize = 10;

/// The current PR of all nodes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PageRank {
    settings: PageRankSettings,
    /// Nodes whose residual is not small.
    pending: VecDeque<LinkKey>,
    /// The greatest PR of a page.
    greatest: f64,
    tolerance: f64,
    effort: usize,
    /// Number of pages and number of links at which the literal form is computed next.
    due: (usize, usize),
}

impl PageRank {
    pub(crate) fn new(settings: PageRankSettings) -> Self {
        let (tolerance, effort) = (TOLERANCE, EFFORT);
        Self { settings, pending: VecDeque::new(), greatest: 0.0, tolerance, effort, due: (0, 0) }
    }

    /// Returns the PR of a page as a share of the greatest PR.
    pub(crate) fn share(&self, graph: &WebGraph, page: NodeId) -> f64 {
        if page == NodeId::NONE || self.greatest <= 0.0 {
            return 0.0;
        }
        (graph.node(page).pagerank / self.greatest).min(1.0)
    }

    /// Starts to compute PR for a node that was just added.
    pub(crate) fn added(&mut self, graph: &mut WebGraph, id: NodeId) {
        match self.settings.form {
            Form::Literal => graph.node_mut(id).pagerank = 1.0,
            Form::RowStochastic => self.give(graph, id, 1.0 - self.settings.damping),
        }
    }

    /// Updates PR after a page and its links were added.
    pub(crate) fn arrived(&mut self, graph: &mut WebGraph, page: NodeId) {
        let links = graph.node(page).page.as_ref().map_or(0, |page| page.links.len());
        if self.settings.form == Form::Literal {
            if graph.pages.len() >= self.due.0 && graph.total_added >= self.due.1 {
                self.compute(graph);
                self.due = (
                    graph.pages.len() + LITERAL_PAGES,
                    graph.total_added + graph.total_added / GROWTH,
                );
            }
            self.greatest = self.greatest.max(graph.node(page).pagerank);
            return;
        }
        // The page received PR before its links were known. Pass it on now.
        self.pass_on(graph, page, graph.node(page).pagerank);
        self.greatest = self.greatest.max(graph.node(page).pagerank);
        let mut effort = self.effort.saturating_mul(links + 1);
        while effort > 0
            && let Some(key) = self.pending.pop_front()
        {
            let Some(id) = graph.lookup(&key) else { continue };
            let node = graph.node_mut(id);
            let more = std::mem::take(&mut node.residual);
            node.pagerank += more;
            if node.page.is_some() {
                self.greatest = self.greatest.max(graph.node(id).pagerank);
            }
            effort = effort.saturating_sub(1 + self.pass_on(graph, id, more));
        }
    }

    /// Takes note of the PR of a page of another worker, and of what it passes on to a link.
    pub(crate) fn received(
        &mut self,
        graph: &mut WebGraph,
        (page, rank): (NodeId, f64),
        (link, passed): (NodeId, f64),
    ) {
        // Both forms compute the PR of pages of their own themselves.
        let is_foreign = graph.node(page).page.is_none();
        let sound = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
        if is_foreign {
            graph.node_mut(page).pagerank = sound(rank);
            self.greatest = self.greatest.max(sound(rank));
        }
        if self.settings.form == Form::RowStochastic {
            self.give(graph, link, sound(passed));
        }
    }

    fn give(&mut self, graph: &mut WebGraph, id: NodeId, more: f64) {
        let node = graph.node_mut(id);
        let before = node.residual;
        node.residual += more;
        if before < self.tolerance && node.residual >= self.tolerance {
            self.pending.push_back(node.key);
        }
    }

    /// Passes on the PR that a page has received, to each link its share. Returns the number of
    /// links.
    fn pass_on(&mut self, graph: &mut WebGraph, id: NodeId, amount: f64) -> usize {
        let PageRankSettings { damping, omega, .. } = self.settings;
        // The page is moved out of the graph while its links are updated.
        let Some(page) = graph.node_mut(id).page.take() else { return 0 };
        let all: f64 = page.links.iter().map(|edge| 1.0 + omega * edge.anchor).sum();
        for edge in &page.links {
            let share = (1.0 + omega * edge.anchor) / all;
            self.give(graph, edge.to, damping * amount * share);
        }
        let count = page.links.len();
        graph.node_mut(id).page = Some(page);
        count
    }

    /// Computes eq. 8 as printed, in ten rounds from 1.
    fn compute(&mut self, graph: &mut WebGraph) {
        let PageRankSettings { damping, omega, .. } = self.settings;
        let count = graph.len();
        let mut ranks = vec![1.0; count];
        for _ in 0..ROUNDS {
            let mut next = vec![1.0 - damping; count];
            for &page in &graph.pages {
                let Some(facts) = &graph.node(page).page else { continue };
                let each = ranks[page.index()] / facts.links.len() as f64;
                for edge in &facts.links {
                    next[edge.to.index()] += damping * each * (1.0 + omega * edge.anchor);
                }
            }
            ranks = next;
        }
        for (rank, id) in ranks.into_iter().zip(NodeId::all()) {
            graph.node_mut(id).pagerank = rank;
        }
        let ranks = graph.pages.iter().map(|page| graph.node(*page).pagerank);
        self.greatest = ranks.fold(0.0, f64::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, PageNode};
    use crate::link::{HostKey, LinkId};

    fn find_or_add(graph: &mut WebGraph, rank: &mut PageRank, number: u8) -> NodeId {
        let is_new = graph.lookup(&LinkKey([number; 16])).is_none();
        let id =
            graph.find_or_add(LinkId { key: LinkKey([number; 16]), host: HostKey(1), niche: 1 });
        if is_new {
            rank.added(graph, id);
        }
        id
    }

    /// Lets pages arrive one after the other, given their links and the relevance of the anchor
    /// texts.
    fn crawled(settings: PageRankSettings, pages: &[(u8, &[(u8, f64)])]) -> (WebGraph, PageRank) {
        let (mut graph, mut rank) = (WebGraph::new(1_000), PageRank::new(settings));
        (rank.tolerance, rank.effort) = (1e-14, usize::MAX);
        for (page, links) in pages {
            let id = find_or_add(&mut graph, &mut rank, *page);
            let links = links
                .iter()
                .map(|&(to, anchor)| Edge { to: find_or_add(&mut graph, &mut rank, to), anchor })
                .collect();
            let facts =
                PageNode { relevance: 0.0, is_relevant: false, links, pheromone: Vec::new() };
            graph.node_mut(id).page = Some(Box::new(facts));
            graph.pages.push(id);
            rank.arrived(&mut graph, id);
        }
        (graph, rank)
    }

    fn rank_of(graph: &WebGraph, number: u8) -> f64 {
        graph.node(graph.lookup(&LinkKey([number; 16])).unwrap()).pagerank
    }

    /// The expected values come from solving the four equations by hand (and with a matrix
    /// inverse). 1 → 2 (R = 1), 3 (R = 0); 2 → 1 (R = .5); 3 → 1, 4 (R = 0 each); 4 was not
    /// fetched. The links of 1 get the shares 1.6/2.6 and 1/2.6. x1 = .15 + .85 (x2 + x3 / 2), x2 =
    /// .15 + .85 x1 1.6/2.6, x3 = .15 + .85 x1 / 2.6, x4 = .15 + .85 x3 / 2.
    #[test]
    fn it_solves_the_row_stochastic_form() {
        let web: [(u8, &[(u8, f64)]); 3] =
            [(1, &[(2, 1.0), (3, 0.0)]), (2, &[(1, 0.5)]), (3, &[(1, 0.0), (4, 0.0)])];
        let (graph, rank) = crawled(PageRankSettings::default(), &web);
        let (second, third) = (0.85 * 1.6 / 2.6, 0.85 / 2.6);
        let first = (0.15 + 0.85 * 0.15 * 1.5) / (1.0 - 0.85 * (second + third / 2.0));
        let expected = [
            first,
            0.15 + second * first,
            0.15 + third * first,
            0.15 + 0.425 * (0.15 + third * first),
        ];
        for (number, expected) in (1..).zip(expected) {
            assert!((rank_of(&graph, number) - expected).abs() < 1e-9, "{number}");
        }
        assert!((rank.share(&graph, NodeId(0)) - 1.0).abs() < 1e-12);
        assert!((rank.share(&graph, NodeId(1)) - expected[1] / expected[0]).abs() < 1e-9);
    }

    /// Eq. 7 is eq. 8 with ω = 0: each page passes on d PR in equal parts, whatever its anchor
    /// texts. By hand: x1 = .15 + .85 (x2 + x3 / 2), x2 = x3 = .15 + .425 x1, x4 = .15 + .425 x3,
    /// so x1 (1 − .36125 − .180625) = .34125.
    #[test]
    fn eq_7_of_fcits_oh() {
        let settings = PageRankSettings { omega: 0.0, ..PageRankSettings::default() };
        let web: [(u8, &[(u8, f64)]); 3] =
            [(1, &[(2, 1.0), (3, 0.0)]), (2, &[(1, 0.5)]), (3, &[(1, 0.9), (4, 0.0)])];
        let (graph, _) = crawled(settings, &web);
        let expected = [0.744_884_038, 0.466_575_716, 0.466_575_716, 0.348_294_679];
        for (number, expected) in (1..).zip(expected) {
            assert!(
                (rank_of(&graph, number) - expected).abs() < 1e-8,
                "{number}: {}",
                rank_of(&graph, number)
            );
        }
    }

    /// The order in which pages arrive makes no difference.
    #[test]
    fn the_order_does_not_matter() {
        let pages: [(u8, &[(u8, f64)]); 4] = [
            (1, &[(2, 0.2), (3, 0.9)]),
            (2, &[(3, 0.4), (5, 0.0)]),
            (3, &[(1, 0.1)]),
            (5, &[(2, 1.0), (1, 0.3), (6, 0.5)]),
        ];
        let mut turned = pages;
        turned.reverse();
        let settings = PageRankSettings::default();
        let (forth, _) = crawled(settings, &pages);
        let (back, _) = crawled(settings, &turned);
        for number in [1, 2, 3, 5, 6] {
            assert!((rank_of(&forth, number) - rank_of(&back, number)).abs() < 1e-9, "{number}");
        }
    }

    /// Two pages that link to each other with R(A) = 1: as printed, PR grows by .85 · 1.6 = 1.36 in
    /// each round.
    #[test]
    fn the_literal_form_grows() {
        let settings = PageRankSettings { form: Form::Literal, ..PageRankSettings::default() };
        let web: [(u8, &[(u8, f64)]); 2] = [(1, &[(2, 1.0)]), (2, &[(1, 1.0)])];
        let (mut graph, mut rank) = crawled(settings, &web);
        rank.compute(&mut graph);
        // x ← .15 + 1.36 x, ten times, starting from 1.
        let expected = (0..10).fold(1.0, |x, _| 0.15 + 1.36 * x);
        assert!((rank_of(&graph, 1) - expected).abs() < 1e-9);
        assert!(expected > 20.0);
        assert!((rank.share(&graph, NodeId(1)) - 1.0).abs() < 1e-12);
    }
}
