//! The best candidates so far, with at most a few of each host.
//!
//! The list never holds more than it will return, whatever the number of candidates: a candidate
//! that is behind enough better ones, or behind enough of its own host, can never come back.

use std::collections::BTreeMap;

use url::Url;

use crate::candidate::Candidate;

/// The best candidates so far.
#[derive(Debug)]
pub(crate) struct Shortlist {
    most: usize,
    most_per_host: usize,
    /// The best first. Of equal scores, the one that was read first.
    best: Vec<Candidate>,
    hosts: BTreeMap<String, usize>,
}

impl Shortlist {
    pub(crate) fn new(most: usize, most_per_host: usize) -> Self {
        Self { most, most_per_host, best: Vec::new(), hosts: BTreeMap::new() }
    }

    /// Returns true if a candidate of a host with this score would be on the list.
    pub(crate) fn takes(&self, host: &str, score: f64) -> bool {
        let is_full = self.best.len() == self.most;
        let beats = |other: &Candidate| score > other.judgement.score;
        if self.of(host) == self.most_per_host {
            return self.worst_of(host).is_some_and(|at| beats(&self.best[at]));
        }
        !is_full || self.best.last().is_some_and(beats)
    }

    /// Returns true if a URL is on the list.
    pub(crate) fn has(&self, url: &Url) -> bool {
        self.best.iter().any(|candidate| candidate.url == *url)
    }

    /// Adds a candidate if it is good enough, and drops the worst one if there are too many.
    pub(crate) fn add(&mut self, candidate: Candidate) {
        let host = candidate.host().to_owned();
        if !self.takes(&host, candidate.judgement.score) {
            return;
        }
        let surplus = if self.of(&host) == self.most_per_host {
            self.worst_of(&host)
        } else {
            (self.best.len() == self.most).then(|| self.most - 1)
        };
        if let Some(at) = surplus {
            let dropped = self.best.remove(at);
            if let Some(count) = self.hosts.get_mut(dropped.host()) {
                *count -= 1;
            }
            self.hosts.retain(|_, count| *count > 0);
        }
        let score = candidate.judgement.score;
        let at = self.best.partition_point(|other| other.judgement.score >= score);
        self.best.insert(at, candidate);
        *self.hosts.entry(host).or_default() += 1;
    }

    /// Returns the candidates, the best first.
    pub(crate) fn finish(self) -> Vec<Candidate> {
        self.best
    }

    fn of(&self, host: &str) -> usize {
        self.hosts.get(host).copied().unwrap_or(0)
    }

    fn worst_of(&self, host: &str) -> Option<usize> {
        self.best.iter().rposition(|candidate| candidate.host() == host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::{Evidence, Judgement};

    fn candidate(url: &str, score: f64) -> Candidate {
        let judgement = Judgement { score, relevance: score, probability: None, terms: Vec::new() };
        Candidate {
            url: url.parse().expect("a URL"),
            title: None,
            evidence: Evidence::Url,
            source: "x".to_owned(),
            judgement,
        }
    }

    fn listed(list: Shortlist) -> Vec<String> {
        list.finish().iter().map(|it| it.url.to_string()).collect()
    }

    #[test]
    fn the_best_are_kept_with_few_of_each_host() {
        let mut list = Shortlist::new(3, 2);
        for (url, score) in [
            ("http://a.test/1", 0.9),
            ("http://a.test/2", 0.8),
            ("http://a.test/3", 0.85),
            ("http://b.test/1", 0.1),
            ("http://c.test/1", 0.2),
            ("http://c.test/2", 0.2),
        ] {
            list.add(candidate(url, score));
        }
        // a/3 replaced a/2, and c/1, which was read before c/2, replaced b/1.
        assert_eq!(listed(list), ["http://a.test/1", "http://a.test/3", "http://c.test/1"]);
    }

    /// The list is that of a sort of all candidates, whatever their order.
    #[test]
    fn nothing_is_lost_by_forgetting() {
        let mut state = 1_u64;
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        for _ in 0..200 {
            let all: Vec<(String, f64)> = (0..60)
                .map(|n| {
                    (
                        format!("http://h{}.test/{n}", draw(6)),
                        draw(1_000) as f64 + f64::from(n) / 100.0,
                    )
                })
                .collect();
            let mut list = Shortlist::new(7, 2);
            all.iter().for_each(|(url, score)| list.add(candidate(url, *score)));
            let mut sorted = all;
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
            let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
            sorted.retain(|(url, _)| {
                let count = hosts.entry(url[7..9].to_owned()).or_default();
                *count += 1;
                *count <= 2
            });
            let expected: Vec<String> = sorted.into_iter().take(7).map(|it| it.0).collect();
            assert_eq!(listed(list), expected);
        }
    }
}
