//! The improved `PageRank` of fcits-oh (eq. 8): links whose text is on the topic pass on more.
//!
//! As printed, the rows of eq. 8 sum to more than 1, and the values of two pages that link to each other grow without
//! bound (F10 of the readings). The row-stochastic form has the same meaning and a solution:
//!
//! `PR(p) = (1 − d) + d Σᵢ PR(pᵢ) (1 + ω R(Aᵢₚ)) / Σ_q (1 + ω R(Aᵢ_q))`
//!
//! It is kept up to date as pages come, by passing on only what has changed (the push method of Gauss and Southwell): every
//! node has a residual, what it has received and not passed on. So the cost of a page is bounded, and what is left
//! for later is at most a small residual at each node.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::map::{Map, NodeId};
use crate::link::LinkKey;

/// Which form of eq. 8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Each page passes on no more than it has.
    #[default]
    RowStochastic,
    /// As printed: ten rounds from 1 each, now and then.
    Literal,
}

/// How PR is computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PageRankSettings {
    /// d.
    pub damping: f64,
    /// ω, what the text of a link counts for.
    pub omega: f64,
    /// Which form of eq. 8.
    pub form: Form,
}

impl Default for PageRankSettings {
    fn default() -> Self {
        Self { damping: 0.85, omega: 0.6, form: Form::RowStochastic }
    }
}

/// A residual below this is left where it is.
const TOLERANCE: f64 = 0.01;
/// How many links are passed along for each link of a page that came.
const EFFORT: usize = 10;
/// The rounds of the literal form.
const ROUNDS: usize = 10;
/// The literal form is computed anew after so many pages, and when there are a tenth more links.
const LITERAL_PAGES: usize = 100;
const GROWTH: usize = 10;

/// PR as it stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PageRank {
    settings: PageRankSettings,
    /// The nodes whose residual is not small.
    pending: VecDeque<LinkKey>,
    /// The greatest PR of a page.
    greatest: f64,
    tolerance: f64,
    effort: usize,
    /// From how many pages and how many links on the literal form is computed next.
    due: (usize, usize),
}

impl PageRank {
    pub(crate) fn new(settings: PageRankSettings) -> Self {
        let (tolerance, effort) = (TOLERANCE, EFFORT);
        Self { settings, pending: VecDeque::new(), greatest: 0.0, tolerance, effort, due: (0, 0) }
    }

    /// PR of a page as a share of the greatest.
    pub(crate) fn share(&self, map: &Map, page: NodeId) -> f64 {
        if page == NodeId::MAX || self.greatest <= 0.0 {
            return 0.0;
        }
        (map.node(page).rank / self.greatest).min(1.0)
    }

    /// A node is known from now on.
    pub(crate) fn met(&mut self, map: &mut Map, id: NodeId) {
        match self.settings.form {
            Form::Literal => map.node_mut(id).rank = 1.0,
            Form::RowStochastic => self.give(map, id, 1.0 - self.settings.damping),
        }
    }

    /// A page came, and its links are known.
    pub(crate) fn arrived(&mut self, map: &mut Map, page: NodeId) {
        let links = map.node(page).page.as_ref().map_or(0, |page| page.links.len());
        if self.settings.form == Form::Literal {
            if map.pages.len() >= self.due.0 && map.met >= self.due.1 {
                self.compute(map);
                self.due = (map.pages.len() + LITERAL_PAGES, map.met + map.met / GROWTH);
            }
            self.greatest = self.greatest.max(map.node(page).rank);
            return;
        }
        // What it received while its links were not known goes on now.
        self.pass_on(map, page, map.node(page).rank);
        self.greatest = self.greatest.max(map.node(page).rank);
        let mut effort = self.effort.saturating_mul(links + 1);
        while effort > 0
            && let Some(key) = self.pending.pop_front()
        {
            let Some(id) = map.lookup(&key) else { continue };
            let node = map.node_mut(id);
            let more = std::mem::take(&mut node.residual);
            node.rank += more;
            if node.page.is_some() {
                self.greatest = self.greatest.max(map.node(id).rank);
            }
            effort = effort.saturating_sub(1 + self.pass_on(map, id, more));
        }
    }

    fn give(&mut self, map: &mut Map, id: NodeId, more: f64) {
        let node = map.node_mut(id);
        let before = node.residual;
        node.residual += more;
        if before < self.tolerance && node.residual >= self.tolerance {
            self.pending.push_back(node.key);
        }
    }

    /// Passes on what a page has received, to each link its share. Returns to how many.
    fn pass_on(&mut self, map: &mut Map, id: NodeId, amount: f64) -> usize {
        let PageRankSettings { damping, omega, .. } = self.settings;
        // Taken out while its links are given to.
        let Some(page) = map.node_mut(id).page.take() else { return 0 };
        let all: f64 = page.links.iter().map(|edge| 1.0 + omega * edge.anchor).sum();
        for edge in &page.links {
            let share = (1.0 + omega * edge.anchor) / all;
            self.give(map, edge.to, damping * amount * share);
        }
        let count = page.links.len();
        map.node_mut(id).page = Some(page);
        count
    }

    /// Eq. 8 as printed, in ten rounds from 1.
    fn compute(&mut self, map: &mut Map) {
        let PageRankSettings { damping, omega, .. } = self.settings;
        let count = map.len();
        let mut ranks = vec![1.0; count];
        for _ in 0..ROUNDS {
            let mut next = vec![1.0 - damping; count];
            for &page in &map.pages {
                let Some(facts) = &map.node(page).page else { continue };
                let each = ranks[page as usize] / facts.links.len() as f64;
                for edge in &facts.links {
                    next[edge.to as usize] += damping * each * (1.0 + omega * edge.anchor);
                }
            }
            ranks = next;
        }
        for (rank, id) in ranks.into_iter().zip(0..) {
            map.node_mut(id).rank = rank;
        }
        let ranks = map.pages.iter().map(|page| map.node(*page).rank);
        self.greatest = ranks.fold(0.0, f64::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{HostKey, LinkId};
    use crate::map::{Edge, PageNode};

    fn meet(map: &mut Map, rank: &mut PageRank, number: u8) -> NodeId {
        let is_new = map.lookup(&[number; 16]).is_none();
        let id = map.meet(LinkId { key: [number; 16], host: HostKey(1), niche: 1 });
        if is_new {
            rank.met(map, id);
        }
        id
    }

    /// Pages that came one after the other, with their links and the relevance of their texts.
    fn crawled(settings: PageRankSettings, pages: &[(u8, &[(u8, f64)])]) -> (Map, PageRank) {
        let (mut map, mut rank) = (Map::new(1_000), PageRank::new(settings));
        (rank.tolerance, rank.effort) = (1e-14, usize::MAX);
        for (page, links) in pages {
            let id = meet(&mut map, &mut rank, *page);
            let links = links
                .iter()
                .map(|&(to, anchor)| Edge { to: meet(&mut map, &mut rank, to), anchor })
                .collect();
            let facts =
                PageNode { relevance: 0.0, is_relevant: false, links, pheromone: Vec::new() };
            map.node_mut(id).page = Some(Box::new(facts));
            map.pages.push(id);
            rank.arrived(&mut map, id);
        }
        (map, rank)
    }

    fn rank_of(map: &Map, number: u8) -> f64 {
        map.node(map.lookup(&[number; 16]).unwrap()).rank
    }

    /// Worked out by solving the four equations by hand (and with a matrix inverse):
    /// 1 → 2 (R = 1), 3 (R = 0); 2 → 1 (R = .5); 3 → 1, 4 (R = 0 each); 4 was not fetched.
    /// Shares of 1: 1.6/2.6 and 1/2.6. x1 = .15 + .85 (x2 + x3 / 2), x2 = .15 + .85 x1 1.6/2.6,
    /// x3 = .15 + .85 x1 / 2.6, x4 = .15 + .85 x3 / 2.
    #[test]
    fn it_solves_the_row_stochastic_form() {
        let web: [(u8, &[(u8, f64)]); 3] =
            [(1, &[(2, 1.0), (3, 0.0)]), (2, &[(1, 0.5)]), (3, &[(1, 0.0), (4, 0.0)])];
        let (map, rank) = crawled(PageRankSettings::default(), &web);
        let (second, third) = (0.85 * 1.6 / 2.6, 0.85 / 2.6);
        let first = (0.15 + 0.85 * 0.15 * 1.5) / (1.0 - 0.85 * (second + third / 2.0));
        let expected = [
            first,
            0.15 + second * first,
            0.15 + third * first,
            0.15 + 0.425 * (0.15 + third * first),
        ];
        for (number, expected) in (1..).zip(expected) {
            assert!((rank_of(&map, number) - expected).abs() < 1e-9, "{number}");
        }
        assert!((rank.share(&map, 0) - 1.0).abs() < 1e-12);
        assert!((rank.share(&map, 1) - expected[1] / expected[0]).abs() < 1e-9);
    }

    /// Eq. 7 is eq. 8 with ω = 0: each page passes on d PR in equal parts, whatever its links say. By hand:
    /// x1 = .15 + .85 (x2 + x3 / 2), x2 = x3 = .15 + .425 x1, x4 = .15 + .425 x3, so x1 (1 − .36125 − .180625) = .34125.
    #[test]
    fn eq_7_of_fcits_oh() {
        let settings = PageRankSettings { omega: 0.0, ..PageRankSettings::default() };
        let web: [(u8, &[(u8, f64)]); 3] =
            [(1, &[(2, 1.0), (3, 0.0)]), (2, &[(1, 0.5)]), (3, &[(1, 0.9), (4, 0.0)])];
        let (map, _) = crawled(settings, &web);
        let expected = [0.744_884_038, 0.466_575_716, 0.466_575_716, 0.348_294_679];
        for (number, expected) in (1..).zip(expected) {
            assert!(
                (rank_of(&map, number) - expected).abs() < 1e-8,
                "{number}: {}",
                rank_of(&map, number)
            );
        }
    }

    /// The order in which pages come makes no difference.
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

    /// Two pages that link to each other with R(A) = 1: as printed they grow by .85 · 1.6 = 1.36 each round.
    #[test]
    fn the_literal_form_grows() {
        let settings = PageRankSettings { form: Form::Literal, ..PageRankSettings::default() };
        let web: [(u8, &[(u8, f64)]); 2] = [(1, &[(2, 1.0)]), (2, &[(1, 1.0)])];
        let (mut map, mut rank) = crawled(settings, &web);
        rank.compute(&mut map);
        // x ← .15 + 1.36 x ten times from 1.
        let expected = (0..10).fold(1.0, |x, _| 0.15 + 1.36 * x);
        assert!((rank_of(&map, 1) - expected).abs() < 1e-9);
        assert!(expected > 20.0);
        assert!((rank.share(&map, 1) - 1.0).abs() < 1e-12);
    }
}
