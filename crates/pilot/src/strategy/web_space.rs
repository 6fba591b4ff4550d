//! Web-space evolution (FCWSEO, part C.4 of the readings).
//!
//! A library of links is spread over the space of their objectives. In each generation a few of its Pareto-best are
//! fetched, and the links of their pages compete for places: within the circle of radius r around the nearest member
//! with that member alone, outside of all circles with the weakest one. The circles grow by `growth` from generation to
//! generation, as fcits-oh describes it; the algorithm that it comes from lets them shrink, which is `growth` below 1.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::pso::{pareto_best, take_of};
use super::{Decision, Helm, Strategy, best_or_free, rename};
use crate::link::LinkKey;
use crate::map::{Map, NodeId};
use crate::pareto::{
    CANDIDATES, Objectives, distance, dominates, last_front, normalised, select_first,
};
use crate::random::Random;
use crate::rule::Rule;

/// Web-space evolution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WebSpaceSettings {
    /// `N_B`, how many links the library has.
    pub library: usize,
    /// `n_s`, how many of them are fetched in one generation.
    pub batch: usize,
    /// `c_0`: the first radius is so many times the mean distance in the library.
    pub radius: f64,
    /// The radius is at most so many times the mean distance.
    pub widest: f64,
    /// g, how the radius changes from one generation to the next.
    pub growth: f64,
}

impl Default for WebSpaceSettings {
    fn default() -> Self {
        Self { library: 30, batch: 5, radius: 0.5, widest: 2.0, growth: 1.02 }
    }
}

/// Web-space evolution at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WebSpace {
    settings: WebSpaceSettings,
    library: Vec<LinkKey>,
    radius: f64,
    /// Links of the pages of this generation, which are to compete.
    trials: Vec<LinkKey>,
    batch: VecDeque<LinkKey>,
    /// Whether anything was fetched since the last generation.
    has_news: bool,
}

/// A member of the library, or a link that would become one.
#[derive(Debug, Clone, Copy)]
struct Member {
    key: LinkKey,
    at: Objectives,
    /// Where it is in the space of all that compete.
    point: Objectives,
    priority: f64,
    is_open: bool,
}

impl WebSpace {
    pub(crate) fn new(settings: WebSpaceSettings) -> Self {
        let (library, trials, batch) = (Vec::new(), Vec::new(), VecDeque::new());
        Self { settings, library, radius: 0.0, trials, batch, has_news: true }
    }

    /// One generation: lets the links of the last pages compete, and chooses the next batch.
    fn generation(&mut self, helm: &mut Helm<'_>) {
        let mut trials = std::mem::take(&mut self.trials);
        helm.random.shuffle(&mut trials);
        trials.retain(|key| helm.map.lookup_waiting(key).is_some());
        self.library.retain(|key| helm.map.lookup(key).is_some());
        let all: Vec<LinkKey> = self.library.iter().chain(&trials).copied().collect();
        let mut members = members(&all, helm);
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
            let best = pareto_best(helm, CANDIDATES, most, select_first);
            self.library = best.iter().map(|id| helm.map.node(*id).key).collect();
            members = self::members(&self.library, helm);
        }
        let values: Vec<Objectives> = members.iter().map(|member| member.at).collect();
        let chosen = select_first(&values, self.settings.batch.max(1));
        self.batch = chosen.into_iter().map(|at| members[at].key).collect();
        self.has_news = false;
    }

    /// r; `c_0` times the mean distance, as long as it is nothing.
    fn radius(&self, members: &[Member]) -> f64 {
        if self.radius > 0.0 { self.radius } else { self.settings.radius * mean_distance(members) }
    }
}

/// Links with where they are in the space of all of them.
fn members(keys: &[LinkKey], helm: &Helm<'_>) -> Vec<Member> {
    let ids: Vec<NodeId> = keys.iter().filter_map(|key| helm.map.lookup(key)).collect();
    let values: Vec<Objectives> =
        ids.iter().map(|id| helm.appraiser.objectives(helm.map, *id)).collect();
    let points = normalised(&values);
    let member = |((id, at), point): ((&NodeId, Objectives), Objectives)| {
        let node = helm.map.node(*id);
        let is_open = helm.map.is_waiting(*id);
        Member { key: node.key, at, point, priority: node.priority, is_open }
    };
    ids.iter().zip(values).zip(points).map(member).collect()
}

/// The mean distance of all pairs.
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

/// The member that gives way first: one that was fetched, else the least promising one of the last front.
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
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        loop {
            if let Some(id) = take_of(&mut self.batch, helm) {
                self.has_news = true;
                return Decision::Fetch(id, Rule::Pareto);
            }
            if !self.has_news {
                return best_or_free(helm);
            }
            self.generation(helm);
        }
    }

    fn arrived(&mut self, map: &mut Map, page: NodeId, _: &mut Random) {
        self.has_news = true;
        self.trials.extend(map.open_links(page).map(|id| map.node(id).key));
    }

    fn moved(&mut self, from: &LinkKey, to: &LinkKey) {
        rename(self.library.iter_mut(), from, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: u8, at: Objectives, priority: f64, is_open: bool) -> Member {
        Member { key: [number; 16], at, point: at, priority, is_open }
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
        // In the circle of a: better in everything, better by priority alone, and neither.
        assert_eq!(after(member(3, [0.1, 0.1, 0.0], 0.1, true), 9), [3, 2]);
        assert_eq!(after(member(3, [1.0, 0.9, 0.1], 0.95, true), 9), [1, 3]);
        assert_eq!(after(member(3, [1.0, 0.9, 0.1], 0.5, true), 9), [1, 2]);
        // b dominates it, so its priority does not help.
        assert_eq!(after(member(3, [0.95, 0.95, 0.0], 0.99, true), 9), [1, 2]);
        // In a region of its own: there is room, or the weakest gives way.
        assert_eq!(after(member(3, [0.0, 0.0, 1.0], 0.2, true), 9), [1, 2, 3]);
        assert_eq!(after(member(3, [0.0, 0.0, 1.0], 0.2, true), 2), [3, 2]);
        // One that was fetched gives way to anything near it, and first of all.
        let mut fetched = library.clone();
        fetched[1].is_open = false;
        compete(&mut fetched, member(3, [0.95, 0.95, 0.0], 0.1, true), 0.2, 9);
        assert_eq!(keys(&fetched), [1, 3]);
    }

    /// The first radius is half the mean distance; as long as that is nothing it is asked for anew, and then it grows by
    /// 2 % up to twice the mean.
    #[test]
    fn the_radius_begins_with_the_library() {
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
