//! Web-space evolution (FCWSEO).
//!
//! A library of links is spread over the space of objectives. In each generation a few of its
//! Pareto-optimal links are fetched, and the links of their pages compete for places in the
//! library: a link within the circle of radius r around the nearest member competes with that
//! member only, a link outside all circles with the weakest member. The circles grow by the factor
//! `growth` in each generation, as fcits-oh describes; in the algorithm that FCWSEO derives from
//! they shrink, which is a `growth` below 1. The papers describe FCWSEO in words only; this is a
//! reconstruction.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::pso::{pareto_best, take_from};
use super::{Decision, Strategy, StrategyContext, best_or_free, replace_key};
use crate::graph::{NodeId, WebGraph};
use crate::link::LinkKey;
use crate::pareto::{
    CANDIDATES, Objectives, distance, dominates, last_front, normalised, select_first,
};
use crate::random::Random;
use crate::rule::Rule;

/// Settings of web-space evolution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct WebSpaceSettings {
    /// `N_B`, the number of links in the library.
    pub library: usize,
    /// `n_s`, the number of links that are fetched in one generation.
    pub batch: usize,
    /// `c_0`: the first radius, in multiples of the mean distance in the library.
    pub radius: f64,
    /// The greatest radius, in multiples of the mean distance.
    pub widest: f64,
    /// g, the factor by which the radius changes in each generation.
    pub growth: f64,
}

impl Default for WebSpaceSettings {
    fn default() -> Self {
        Self { library: 30, batch: 5, radius: 0.5, widest: 2.0, growth: 1.02 }
    }
}

/// The state of web-space evolution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WebSpace {
    settings: WebSpaceSettings,
    library: Vec<LinkKey>,
    radius: f64,
    /// Links of this generation's pages, which will compete for places.
    trials: Vec<LinkKey>,
    batch: VecDeque<LinkKey>,
    /// True if anything was fetched since the last generation.
    has_news: bool,
}

/// A member of the library, or a link that competes for a place.
#[derive(Debug, Clone, Copy)]
struct Member {
    key: LinkKey,
    at: Objectives,
    /// The objectives, normalised over all links that compete.
    point: Objectives,
    priority: f64,
    is_open: bool,
}

impl WebSpace {
    pub(crate) fn new(settings: WebSpaceSettings) -> Self {
        let (library, trials, batch) = (Vec::new(), Vec::new(), VecDeque::new());
        Self { settings, library, radius: 0.0, trials, batch, has_news: true }
    }

    /// Starts a generation: lets the links of the last pages compete, and chooses the next batch.
    fn generation(&mut self, cx: &mut StrategyContext<'_>) {
        let mut trials = std::mem::take(&mut self.trials);
        cx.random.shuffle(&mut trials);
        trials.retain(|key| cx.graph.lookup_waiting(key).is_some());
        self.library.retain(|key| cx.graph.lookup(key).is_some());
        let all: Vec<LinkKey> = self.library.iter().chain(&trials).copied().collect();
        let mut members = members(&all, cx);
        let trials = members.split_off(self.library.len());
        let radius = self.radius(&members);
        for trial in trials {
            compete(&mut members, trial, radius, self.settings.library);
        }
        let widest = self.settings.widest * mean_distance(&members);
        self.radius = (self.settings.growth * radius).min(widest);
        self.library = members.iter().map(|member| member.key).collect();
        members.retain(|member| member.is_open);
        if members.is_empty() {
            let most = self.settings.library.max(1);
            let best = pareto_best(cx, CANDIDATES, most, select_first);
            self.library = best.iter().map(|id| cx.graph.node(*id).key).collect();
            members = self::members(&self.library, cx);
        }
        let values: Vec<Objectives> = members.iter().map(|member| member.at).collect();
        let chosen = select_first(&values, self.settings.batch.max(1));
        self.batch = chosen.into_iter().map(|at| members[at].key).collect();
        self.has_news = false;
    }

    /// Returns r, or `c_0` times the mean distance as long as r is 0.
    fn radius(&self, members: &[Member]) -> f64 {
        if self.radius > 0.0 { self.radius } else { self.settings.radius * mean_distance(members) }
    }
}

/// Returns links with their objectives, also normalised over all of them.
fn members(keys: &[LinkKey], cx: &StrategyContext<'_>) -> Vec<Member> {
    let ids: Vec<NodeId> = keys.iter().filter_map(|key| cx.graph.lookup(key)).collect();
    let values: Vec<Objectives> =
        ids.iter().map(|id| cx.appraiser.objectives(cx.graph, *id)).collect();
    let points = normalised(&values);
    let member = |((id, at), point): ((&NodeId, Objectives), Objectives)| {
        let node = cx.graph.node(*id);
        let is_open = cx.graph.is_waiting(*id);
        Member { key: node.key, at, point, priority: node.priority, is_open }
    };
    ids.iter().zip(values).zip(points).map(member).collect()
}

/// Returns the mean distance over all pairs.
fn mean_distance(members: &[Member]) -> f64 {
    let pairs = members.len() * members.len().saturating_sub(1) / 2;
    let from = |(at, one): (usize, &Member)| {
        members[at + 1..].iter().map(|other| distance(&one.point, &other.point)).sum::<f64>()
    };
    members.iter().enumerate().map(from).sum::<f64>() / pairs.max(1) as f64
}

/// Lets a link compete for a place.
fn compete(members: &mut Vec<Member>, trial: Member, radius: f64, most: usize) {
    let far = |member: &Member| distance(&trial.point, &member.point);
    let near = (0..members.len()).min_by(|a, b| far(&members[*a]).total_cmp(&far(&members[*b])));
    let Some(near) = near else {
        members.push(trial);
        return;
    };
    if members.iter().any(|member| member.key == trial.key) {
        return;
    }
    let rival = members[near];
    if far(&rival) <= radius {
        let is_even = !dominates(&rival.at, &trial.at);
        let is_better = is_even && trial.priority > rival.priority;
        if !rival.is_open || dominates(&trial.at, &rival.at) || is_better {
            members[near] = trial;
        }
    } else if members.len() < most {
        members.push(trial);
    } else {
        let weakest = weakest(members);
        if !members[weakest].is_open || !dominates(&members[weakest].at, &trial.at) {
            members[weakest] = trial;
        }
    }
}

/// Returns the index of the member that is replaced first: one that was fetched, otherwise the one
/// with the lowest priority in the last front.
fn weakest(members: &[Member]) -> usize {
    if let Some(fetched) = members.iter().position(|member| !member.is_open) {
        return fetched;
    }
    let values: Vec<Objectives> = members.iter().map(|member| member.at).collect();
    let priority = |at: &usize| members[*at].priority;
    let last = last_front(&values).into_iter();
    last.min_by(|a, b| priority(a).total_cmp(&priority(b))).unwrap_or(0)
}

impl Strategy for WebSpace {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        loop {
            if let Some(id) = take_from(&mut self.batch, cx) {
                self.has_news = true;
                return Decision::Fetch(id, Rule::Pareto);
            }
            if !self.has_news {
                return best_or_free(cx);
            }
            self.generation(cx);
        }
    }

    fn arrived(&mut self, graph: &mut WebGraph, page: NodeId, _: &mut Random) {
        self.has_news = true;
        self.trials.extend(graph.open_links(page).map(|id| graph.node(id).key));
    }

    fn redirected(&mut self, from: &LinkKey, to: &LinkKey) {
        replace_key(self.library.iter_mut(), from, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: u8, at: Objectives, priority: f64, is_open: bool) -> Member {
        Member { key: LinkKey([number; 16]), at, point: at, priority, is_open }
    }

    fn keys(members: &[Member]) -> Vec<u8> {
        members.iter().map(|member| member.key[0]).collect()
    }

    /// a (0, 0, 0) and b (1, 1, 0), with circles of radius .2.
    #[test]
    fn links_compete_within_circles_and_for_new_regions() {
        let library =
            vec![member(1, [0.0, 0.0, 0.0], 0.3, true), member(2, [1.0, 1.0, 0.0], 0.9, true)];
        let after = |trial: Member, most: usize| {
            let mut members = library.clone();
            compete(&mut members, trial, 0.2, most);
            keys(&members)
        };
        // In the circle of a: better in everything. In the circle of b: better by priority alone,
        // and not better at all.
        assert_eq!(after(member(3, [0.1, 0.1, 0.0], 0.1, true), 9), [3, 2]);
        assert_eq!(after(member(3, [1.0, 0.9, 0.1], 0.95, true), 9), [1, 3]);
        assert_eq!(after(member(3, [1.0, 0.9, 0.1], 0.5, true), 9), [1, 2]);
        // b dominates it, so its priority does not help.
        assert_eq!(after(member(3, [0.95, 0.95, 0.0], 0.99, true), 9), [1, 2]);
        // Outside all circles: there is room, or the weakest member is replaced.
        assert_eq!(after(member(3, [0.0, 0.0, 1.0], 0.2, true), 9), [1, 2, 3]);
        assert_eq!(after(member(3, [0.0, 0.0, 1.0], 0.2, true), 2), [3, 2]);
        // A fetched member is replaced by any link within its circle.
        let mut fetched = library.clone();
        fetched[1].is_open = false;
        compete(&mut fetched, member(3, [0.95, 0.95, 0.0], 0.1, true), 0.2, 9);
        assert_eq!(keys(&fetched), [1, 3]);
    }

    /// The first radius is half the mean distance. As long as it is 0 it is recomputed; then it
    /// grows by 2 % in each generation, up to twice the mean distance.
    #[test]
    fn the_first_radius_is_half_the_mean_distance() {
        let mut space = WebSpace::new(WebSpaceSettings::default());
        assert!(space.radius(&[]).abs() < 1e-12);
        let members = [[0.0; 3], [3.0, 4.0, 0.0]].map(|at| member(1, at, 0.0, true));
        assert!((space.radius(&members) - 2.5).abs() < 1e-12);
        space.radius = 0.7;
        assert!((space.radius(&members) - 0.7).abs() < 1e-12);
    }

    /// Three members at the corners of a triangle with the sides 3, 4 and 5: the mean is 4.
    #[test]
    fn the_mean_distance_is_over_all_pairs() {
        let members =
            [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(|at| member(1, at, 0.0, true));
        assert!((mean_distance(&members) - 4.0).abs() < 1e-12);
        assert!(mean_distance(&members[..1]).abs() < 1e-12);
    }
}
