//! Success rates: how often the links of a host, a directory or a place on pages led to relevant
//! pages. Old pages count less and less, so that a host that turns barren loses rank quickly.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clues::mixed;
use crate::model::logit;

/// κ: the average rate counts as much as this many pages.
const AVERAGE_PAGES: f64 = 5.0;
/// Bounds of the average rate.
const AVERAGES: (f64, f64) = (0.02, 0.8);
/// A page counts this much less with each further page of its group.
const DECAY: f64 = 0.98;
/// Most groups that are remembered; when there are more, those with the fewest pages are dropped.
const MOST_GROUPS: usize = 100_000;

/// The groups that a link belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Group {
    /// The links of one page.
    Page,
    /// The links to one directory of a host.
    Directory,
    /// The links to one host.
    Host,
    /// The links to one host in one place on pages.
    HostPath,
    /// The links in one place on pages.
    Path,
    /// The links with one anchor text.
    Anchor,
}

impl Group {
    /// Number of kinds of groups.
    pub const COUNT: usize = 6;
    /// All kinds of groups.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Page, Self::Directory, Self::Host, Self::HostPath, Self::Path, Self::Anchor];

    /// Returns the key of a group of this kind.
    #[must_use]
    pub fn key(self, name: u64) -> u64 {
        mixed(name, 100 + self as u64)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Rate {
    success: f64,
    pages: f64,
}

/// The success rates of groups of links.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SuccessRates {
    groups: BTreeMap<u64, Rate>,
    all: Rate,
}

impl SuccessRates {
    /// Returns logit((S + κb) / (N + κ)) − logit b for a group with N pages and the success S; b is
    /// the average rate. Returns 0 for a group without pages.
    #[must_use]
    pub fn advantage(&self, key: u64) -> f64 {
        let Some(rate) = self.groups.get(&key) else { return 0.0 };
        let average = self.average();
        let own = (rate.success + AVERAGE_PAGES * average) / (rate.pages + AVERAGE_PAGES);
        logit(own) - logit(average)
    }

    /// Returns the average success of all pages.
    #[must_use]
    pub fn average(&self) -> f64 {
        let rate = (self.all.success + AVERAGES.0) / (self.all.pages + 1.0);
        rate.clamp(AVERAGES.0, AVERAGES.1)
    }

    /// Counts a page whose links belong to these groups, each once.
    pub fn add(&mut self, keys: &[u64], success: f64) {
        self.all.success += success;
        self.all.pages += 1.0;
        for key in keys {
            let rate = self.groups.entry(*key).or_default();
            rate.success = rate.success * DECAY + success;
            rate.pages = rate.pages * DECAY + 1.0;
        }
        if self.groups.len() > MOST_GROUPS {
            self.trim();
        }
    }

    /// Returns true if a group has pages.
    #[must_use]
    pub fn has(&self, key: u64) -> bool {
        self.groups.contains_key(&key)
    }

    /// Returns the number of pages of a group that its rate counts, faded, and its rate.
    #[must_use]
    pub fn rate(&self, key: u64) -> Option<(f64, f64)> {
        let rate = self.groups.get(&key)?;
        Some((rate.pages, rate.success / rate.pages.max(1e-9)))
    }

    pub(crate) fn kept(&self) -> KeptRates {
        let numbers = |(key, rate): (&u64, &Rate)| (*key, rate.success, rate.pages);
        KeptRates {
            success: self.all.success,
            pages: self.all.pages,
            groups: self.groups.iter().map(numbers).collect(),
        }
    }

    /// Returns rates that begin with those of an earlier crawl. Each counts as a few pages at most,
    /// as another crawl may find something else.
    pub(crate) fn begun_with(kept: &KeptRates) -> Self {
        let faded = |success: f64, pages: f64| {
            let share = (AVERAGE_PAGES / pages.max(1e-9)).min(1.0);
            Rate { success: success * share, pages: pages * share }
        };
        let groups = kept.groups.iter().take(MOST_GROUPS);
        Self {
            groups: groups.map(|(key, success, pages)| (*key, faded(*success, *pages))).collect(),
            all: faded(kept.success, kept.pages),
        }
    }

    /// Drops the half of the groups with the fewest pages.
    fn trim(&mut self) {
        let mut pages: Vec<f64> = self.groups.values().map(|rate| rate.pages).collect();
        pages.sort_by(f64::total_cmp);
        let least = pages[pages.len() / 2];
        self.groups.retain(|_, rate| rate.pages > least);
    }
}

/// Success rates as they are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptRates {
    /// The success of all pages.
    pub success: f64,
    /// Number of pages.
    pub pages: f64,
    /// The groups: key, success, number of pages, faded.
    pub groups: Vec<(u64, f64, f64)>,
}

impl KeptRates {
    /// Returns true if all numbers are within their ranges.
    pub(crate) fn is_sound(&self) -> bool {
        let all = std::iter::once((self.success, self.pages));
        let groups = self.groups.iter().map(|(_, success, pages)| (*success, *pages));
        let is_sound = |(success, pages): (f64, f64)| {
            success.is_finite() && pages.is_finite() && success >= 0.0 && pages >= 0.0
        };
        all.chain(groups).all(is_sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group with 2 pages, one of them relevant, and 8 other pages that are not: b = (1 + 0.02) /
    /// 11 = 0.092727. S = 0.98 · 1 + 0 = 0.98, N = 1.98, so the rate is (0.98 + 0.463636) / 6.98 =
    /// 0.206825, and the advantage ln(0.206825 / 0.793175) − ln(0.092727 / 0.907273) = 0.936608.
    #[test]
    fn a_rate_is_as_worked_out_by_hand() {
        let mut rates = SuccessRates::default();
        rates.add(&[1], 1.0);
        rates.add(&[1], 0.0);
        (0..8).for_each(|_| rates.add(&[2], 0.0));
        assert!((rates.advantage(1) - 0.936_608).abs() < 1e-5, "{}", rates.advantage(1));
        assert!(rates.advantage(2) < 0.0);
        assert!(rates.advantage(3).abs() < f64::EPSILON);
    }

    #[test]
    fn a_barren_host_loses_rank_quickly() {
        let mut rates = SuccessRates::default();
        (0..100).for_each(|_| rates.add(&[1], 1.0));
        (0..100).for_each(|_| rates.add(&[2], 0.2));
        let rich = rates.advantage(1);
        (0..20).for_each(|_| rates.add(&[1], 0.0));
        assert!(rates.advantage(1) < rich - 0.3, "{rich} {}", rates.advantage(1));
    }

    /// Kept rates of 100 pages count as five: the rate stays, and new pages soon outweigh it.
    #[test]
    fn kept_rates_count_as_a_few_pages() {
        let mut rates = SuccessRates::default();
        (0..100).for_each(|_| rates.add(&[1], 0.9));
        let mut begun = SuccessRates::begun_with(&rates.kept());
        let (pages, rate) = begun.rate(1).unwrap();
        assert!((pages - 5.0).abs() < 1e-9 && (rate - 0.9).abs() < 1e-9, "{pages} {rate}");
        (0..10).for_each(|_| begun.add(&[1], 0.0));
        assert!(begun.rate(1).unwrap().1 < 0.3);
    }

    #[test]
    fn the_table_is_bounded() {
        let mut rates = SuccessRates::default();
        rates.add(&[0], 1.0);
        rates.add(&[0], 1.0);
        for key in 0..MOST_GROUPS as u64 + 10 {
            rates.add(&[key], 0.0);
        }
        assert!(rates.groups.len() <= MOST_GROUPS && rates.groups.contains_key(&0));
    }
}
