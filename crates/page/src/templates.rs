//! The templates of hosts: paragraphs that repeat on many pages of one host.
//!
//! A menu, a licence line or a "more news" box is the same on every page of a site, whatever it
//! looks like. A paragraph is known by a fingerprint of its text and of the path of elements to it.
//! [`Templates`] counts on how many pages of each host a fingerprint occurs, within fixed bounds,
//! and [`HostTemplate`] is what is known of one host at one time.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::collapse::push_collapsed;
use crate::html::Html;

/// Maximum number of hosts.
const HOSTS: usize = 1_000;
/// Maximum number of paragraphs that are counted for each host.
const PARAGRAPHS: usize = 4_096;
/// Maximum number of paragraphs that are taken from each end of a page.
const ENDS: usize = 1_000;
/// Maximum number of pages of a host. Then all counts are halved, so that a host that changes its
/// template is learned anew.
const PAGES: u32 = 1_000;
/// A host with fewer pages has no template: a few pages may be alike by chance.
const LEAST_PAGES: u32 = 8;
/// Least number of pages with a paragraph that is part of the template.
const LEAST_COUNT: u32 = 3;
/// Least share of the pages of a host with a paragraph that is part of the template, in percent.
const SHARE: u32 = 20;

/// Learns the templates of hosts from their pages.
///
/// Memory is bounded. If a host has too many different paragraphs, the rarest are forgotten, down
/// to half; of too many hosts, the one with the fewest pages is forgotten, of several the one that
/// was seen least recently. The result depends only on the pages and their order.
///
/// ```
/// use ontrail_page::{Content, Html, Source, Templates};
///
/// let page = |n| format!("<p>Story {n} is about rain, and about nothing else.<p>All rights.");
/// let parse = |n| Html::parse(page(n).as_bytes(), Source::default());
/// let mut templates = Templates::new();
/// for n in 0..10 {
///     templates.observe("example.org", &parse(n).fingerprints());
/// }
/// let mut html = parse(3);
/// html.leave_out(&templates.of("example.org"));
/// assert_eq!(html.text_of(Content::Main), "Story 3 is about rain, and about nothing else.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Templates {
    hosts: BTreeMap<String, HostCounts>,
    /// The number of pages seen.
    pages: u64,
}

/// The paragraphs of one host, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostCounts {
    /// The number of different pages.
    pages: u32,
    /// The number of the last page, among the pages of all hosts.
    last: u64,
    /// The number of pages with each paragraph.
    counts: BTreeMap<u64, u32>,
    /// The fingerprints of whole pages, by which copies of a page are recognised.
    seen: BTreeSet<u64>,
}

/// The paragraphs that make up the template of one host, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostTemplate {
    /// Sorted.
    fingerprints: Vec<u64>,
}

impl Templates {
    /// Knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts the paragraphs of a page, given by [`Html::fingerprints`]. A page that repeats an
    /// earlier one of its host does not count, and neither does a page without text. Returns the
    /// host that was forgotten in favour of this one, if any.
    pub fn observe(&mut self, host: &str, fingerprints: &[u64]) -> Option<String> {
        if fingerprints.is_empty() {
            return None;
        }
        self.pages += 1;
        let forgotten = if self.hosts.contains_key(host) { None } else { self.make_room() };
        let counts = self.hosts.entry(host.to_owned()).or_default();
        counts.last = self.pages;
        counts.observe(fingerprints);
        forgotten
    }

    /// Returns what is known of a host.
    #[must_use]
    pub fn of(&self, host: &str) -> HostTemplate {
        self.hosts.get(host).map(HostCounts::template).unwrap_or_default()
    }

    /// Returns the counts of a host, to be stored.
    #[must_use]
    pub fn counts(&self, host: &str) -> Option<&HostCounts> {
        self.hosts.get(host)
    }

    /// Puts back the counts of a host that were stored.
    pub fn restore(&mut self, host: String, counts: HostCounts) {
        self.pages = self.pages.max(counts.last);
        self.hosts.insert(host, counts);
    }

    /// Returns the hosts in order.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.keys().map(String::as_str)
    }

    /// Forgets a host if there are as many as there may be, and returns it.
    fn make_room(&mut self) -> Option<String> {
        if self.hosts.len() < HOSTS {
            return None;
        }
        let least = self.hosts.iter().min_by_key(|(_, counts)| (counts.pages, counts.last));
        let host = least.map(|(host, _)| host.clone())?;
        self.hosts.remove(&host);
        Some(host)
    }
}

impl HostCounts {
    fn observe(&mut self, fingerprints: &[u64]) {
        let whole =
            fingerprints.iter().fold(0, |sum, it| xxh3_64_with_seed(&it.to_le_bytes(), sum));
        if self.seen.len() >= PARAGRAPHS {
            self.seen.clear();
        }
        if !self.seen.insert(whole) {
            return;
        }
        self.pages += 1;
        for fingerprint in fingerprints {
            *self.counts.entry(*fingerprint).or_default() += 1;
        }
        if self.pages >= PAGES {
            self.pages /= 2;
            self.counts.values_mut().for_each(|count| *count /= 2);
            self.counts.retain(|_, count| *count > 0);
        }
        if self.counts.len() > PARAGRAPHS {
            self.forget_rare();
        }
    }

    /// Forgets the paragraphs with the smallest counts, down to half.
    fn forget_rare(&mut self) {
        let mut counts: Vec<u32> = self.counts.values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let most = counts[PARAGRAPHS / 2];
        self.counts.retain(|_, count| *count > most);
    }

    fn template(&self) -> HostTemplate {
        if self.pages < LEAST_PAGES {
            return HostTemplate::default();
        }
        let least = LEAST_COUNT.max((self.pages * SHARE).div_ceil(100));
        let known = self.counts.iter().filter(|(_, count)| **count >= least);
        HostTemplate { fingerprints: known.map(|(fingerprint, _)| *fingerprint).collect() }
    }
}

impl HostTemplate {
    /// Returns true if no template is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    fn contains(&self, fingerprint: u64) -> bool {
        self.fingerprints.binary_search(&fingerprint).is_ok()
    }
}

impl Html {
    /// Returns the different fingerprints of the paragraphs, sorted: a hash of the text and of the
    /// path of block-level elements to it. Of a page with very many, those at its two ends count,
    /// which is where templates are.
    #[must_use]
    pub fn fingerprints(&self) -> Vec<u64> {
        let count = self.paragraphs.len();
        let ends = (0..count).filter(|at| *at < ENDS || at + ENDS >= count);
        let mut text = String::new();
        let mut fingerprints: Vec<u64> = ends.map(|at| self.fingerprint(at, &mut text)).collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        fingerprints
    }

    /// Takes the template of the host out of the main content.
    ///
    /// The heading of a text stays, and so do the cells of a table that is not all template: the
    /// same headings and column names on every page of a manual belong to its texts. If nothing
    /// else is left of the main content, the text outside the template and outside links takes its
    /// place.
    pub fn leave_out(&mut self, template: &HostTemplate) {
        if template.is_empty() {
            return;
        }
        let mut text = String::new();
        let is_template: Vec<bool> = (0..self.paragraphs.len())
            .map(|at| template.contains(self.fingerprint(at, &mut text)))
            .collect();
        let mut keep: Vec<bool> = self
            .paragraphs
            .iter()
            .zip(&is_template)
            .map(|(paragraph, is_template)| !is_template && self.is_main_paragraph(paragraph))
            .collect();
        if keep.contains(&true) {
            self.keep_frames(&mut keep);
        } else {
            for (at, paragraph) in self.paragraphs.iter().enumerate() {
                keep[at] = !is_template[at] && !self.is_mostly_links(paragraph);
            }
        }
        self.set_main(&keep);
    }

    fn fingerprint(&self, paragraph: usize, text: &mut String) -> u64 {
        let paragraph = &self.paragraphs[paragraph];
        text.clear();
        for passage in self.passages.range(paragraph.passages.clone()) {
            push_collapsed(text, passage.text(), usize::MAX);
        }
        xxh3_64_with_seed(text.trim_end().as_bytes(), paragraph.setting.path)
    }
}
