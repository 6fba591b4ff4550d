//! The order in which the oracle takes links.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ontrail_pilot::{HostKey, Link, LinkKey};

use super::link_graph::{FAR, LinkGraph};
use crate::web::LoadedWeb;

/// A waiting link, which the oracle knows by its age: the number of links offered before it.
type Age = usize;

/// Chooses among the waiting links by what lies behind them.
#[derive(Debug, Clone)]
pub(super) struct Guide {
    web: Arc<LoadedWeb>,
    graph: Arc<LinkGraph>,
    /// Every link that was ever offered: its age, and its page, if the web has one.
    known: HashMap<LinkKey, (Age, Option<u32>)>,
    /// The links by age.
    keys: Vec<(LinkKey, HostKey)>,
    /// The waiting links to relevant pages, and the others.
    relevant: BTreeSet<Age>,
    others: BTreeSet<Age>,
    /// The pages that were taken.
    is_done: Vec<bool>,
    /// The distances of all pages, until a relevant page is taken or given back.
    distances: Option<Vec<u32>>,
}

impl Guide {
    pub(super) fn new(web: Arc<LoadedWeb>, graph: LinkGraph) -> Self {
        Self {
            is_done: vec![false; web.len()],
            web,
            graph: Arc::new(graph),
            known: HashMap::new(),
            keys: Vec::new(),
            relevant: BTreeSet::new(),
            others: BTreeSet::new(),
            distances: None,
        }
    }

    /// Takes in a link that waits from now on.
    pub(super) fn waits(&mut self, link: &Link) {
        let key = link.key();
        let page = || self.web.place(link.url.as_str());
        let (age, page) = *self.known.entry(key).or_insert_with(|| {
            self.keys.push((key, HostKey::of(link.host())));
            (self.keys.len() - 1, page())
        });
        if let Some(page) = page.filter(|page| self.is_done[*page as usize]) {
            self.is_done[page as usize] = false;
            self.changed(page);
        }
        let is_relevant = page.is_some_and(|page| self.leads_to_relevant(page));
        if is_relevant {
            self.relevant.insert(age)
        } else {
            self.others.insert(age)
        };
    }

    /// Takes in that a link does not wait any more. If it was `taken`, its page is done.
    pub(super) fn left(&mut self, key: &LinkKey, taken: bool) {
        let Some((age, page)) = self.known.get(key).copied() else { return };
        self.relevant.remove(&age);
        self.others.remove(&age);
        if let Some(page) = page.filter(|_| taken) {
            self.is_done[page as usize] = true;
            self.changed(page);
        }
    }

    /// Returns the waiting links to try, the best first: those to relevant pages, or else those
    /// nearest to one. The others follow, the oldest first.
    pub(super) fn best(&mut self) -> Vec<(LinkKey, HostKey)> {
        // A page that was reached by another URL in the meantime is not worth another fetch.
        while let Some(age) = self.relevant.first().copied() {
            let page = self.known[&self.keys[age].0].1;
            if page.is_some_and(|page| self.leads_to_relevant(page)) {
                return self.relevant.iter().map(|age| self.keys[*age]).collect();
            }
            self.relevant.remove(&age);
            self.others.insert(age);
        }
        let distances = match self.distances.take() {
            Some(distances) => distances,
            None => self.graph.distances(&self.is_done),
        };
        let distance = |age: &Age| {
            let page = self.known[&self.keys[*age].0].1;
            page.map_or(FAR, |page| distances[self.graph.end_of(page) as usize])
        };
        let mut order: Vec<(u32, Age)> =
            self.others.iter().map(|age| (distance(age), *age)).collect();
        order.sort_unstable();
        let best = order.into_iter().map(|(_, age)| self.keys[age]).collect();
        self.distances = Some(distances);
        best
    }

    /// Returns true if a URL leads to a relevant page that was not taken yet.
    fn leads_to_relevant(&self, page: u32) -> bool {
        let end = self.graph.end_of(page);
        self.graph.is_relevant(end) && !self.is_done[end as usize]
    }

    /// Forgets the distances if the page is one that others are measured from.
    fn changed(&mut self, page: u32) {
        if self.graph.is_relevant(page) {
            self.distances = None;
        }
    }
}
