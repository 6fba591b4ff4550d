//! The links of a page: checks them and offers them to the frontier.

use ontrail_pilot::{Candidate, Judgement, Link, LinkVerdict, Offer, Signals, Target, Verdict};
use url::Url;

use super::{Crawl, CrawlError};
use crate::canonical_url::canonical;
use crate::focus::{FoundLink, Reading};
use crate::output::LinkRow;
use crate::scope::site;
use crate::steer::{self, Task};

/// The maximum length of a stored anchor text, in characters.
const LONGEST_ANCHOR: usize = 300;

impl Crawl {
    /// Offers the links of the page that was just logged to the frontier. The links of a duplicate
    /// (`is_new` is false) are skipped.
    pub(super) fn offer_links(
        &mut self,
        task: &Task,
        reading: &Reading,
        judgement: &Judgement<'_>,
        is_new: bool,
    ) -> Result<(), CrawlError> {
        let links = if is_new { &reading.links[..] } else { &[] };
        let mut candidates = Vec::with_capacity(links.len());
        // The URL and anchor text of each link, and the reason if it was refused.
        let mut seen = Vec::with_capacity(links.len());
        for found in links {
            let Some(url) = canonical(found.url.clone()) else { continue };
            let refused = self.refuses_found(&url, found, task, reading);
            if refused.is_none() {
                let is_elsewhere = self.state.is_elsewhere(&url);
                let candidate = candidate(url.clone(), found, task.link());
                candidates.push(Candidate { is_elsewhere, ..candidate });
            }
            seen.push((url, &found.anchor, refused));
        }
        let (verdicts, sent) =
            steer::take_up(&mut self.pilot, self.state.as_mut(), task, judgement, candidates)?;
        self.state.send(sent);
        let page = self.counts.rows;
        let mut verdicts = verdicts.into_iter();
        for (url, anchor, refused) in seen {
            let verdict = match refused {
                Some(verdict) => LinkVerdict { verdict, priority: None },
                None => match verdicts.next() {
                    Some(verdict) => verdict,
                    None => continue,
                },
            };
            self.record_link(page, &url, anchor, verdict)?;
        }
        Ok(())
    }

    /// Returns the reason why a link of a page must not be fetched, if there is one.
    fn refuses_found(
        &self,
        url: &Url,
        found: &FoundLink,
        task: &Task,
        reading: &Reading,
    ) -> Option<Verdict> {
        let obeys = !self.settings.politeness.follow_nofollow;
        if obeys && (found.nofollow || reading.robots.nofollow) {
            return Some(Verdict::Nofollow);
        }
        self.refuses(url, task.link().depth + 1)
    }

    /// Offers URLs that a sitemap lists to the frontier.
    pub(super) fn offer_listed(&mut self, urls: Vec<Url>, task: &Task) -> Result<(), CrawlError> {
        let (page, depth) = (self.counts.rows, task.link().depth + 1);
        let (mut links, mut seen) = (Vec::new(), Vec::new());
        for url in urls.into_iter().filter_map(canonical) {
            let refused = self.refuses(&url, depth);
            if refused.is_none() {
                let parent = Some(task.link().url.to_string());
                links.push(Link { depth, parent, ..Link::seed(url.clone()) });
            }
            seen.push((url, refused));
        }
        let offers = steer::offer_listed(&mut self.pilot, self.state.as_mut(), &links, 0.0, false)?;
        let mut offers = offers.into_iter();
        for (url, refused) in seen {
            let verdict = match refused {
                Some(verdict) => verdict,
                None => offers.next().map_or(Verdict::KNOWN, Verdict::Offered),
            };
            self.record_link(page, &url, "", LinkVerdict { verdict, priority: None })?;
        }
        Ok(())
    }

    /// Returns the page that a page declares to be a copy of: its canonical URL, if that is another
    /// URL of the same site that may be fetched.
    fn original_of<'r>(&self, task: &Task, reading: &'r Reading) -> Option<&'r Url> {
        let link = task.link();
        let original = reading.canonical.as_ref().filter(|original| **original != link.url)?;
        let is_near = site(original) == site(&link.url);
        (is_near && self.refuses(original, link.depth).is_none()).then_some(original)
    }

    /// Returns the URL of the page that a page is a copy of, if that page was fetched. Only then
    /// nothing is lost without the copy, even if two pages declare to be copies of each other.
    pub(super) fn fetched_original(
        &self,
        task: &Task,
        reading: &Reading,
    ) -> Result<Option<String>, CrawlError> {
        match self.original_of(task, reading) {
            Some(original) if self.state.has_page(original.as_str())? => {
                Ok(Some(original.to_string()))
            }
            _ => Ok(None),
        }
    }

    /// Offers the page that a page is a copy of to the frontier, with the priority of the copy.
    pub(super) fn offer_original(
        &mut self,
        task: &Task,
        reading: &Reading,
    ) -> Result<(), CrawlError> {
        let Some(url) = self.original_of(task, reading) else { return Ok(()) };
        let link = Link { url: url.clone(), attempts: 0, redirected: None, ..task.link().clone() };
        if self.state.offer_in_place(link.clone(), &task.lease)? == Offer::Queued {
            self.pilot.listed(&link, false);
        }
        Ok(())
    }

    /// Returns the reason why a URL must not be fetched, if there is one.
    pub(super) fn refuses(&self, url: &Url, depth: u32) -> Option<Verdict> {
        let elsewhere = self.sites.as_ref().and_then(|sites| sites.refuses(url));
        let scope = self.scope.refuses(url).or(elsewhere).map(Verdict::OutOfScope);
        scope.or_else(|| self.settings.traps.refuse(url, depth).map(Verdict::Trap))
    }

    /// Counts the decision about a link, and writes it to the table of links.
    fn record_link(
        &mut self,
        page: u64,
        url: &Url,
        anchor: &str,
        verdict: LinkVerdict,
    ) -> Result<(), CrawlError> {
        let LinkVerdict { verdict, priority } = verdict;
        if verdict.is_refusal() {
            self.counts.count_refused(verdict.name());
        }
        if !self.settings.output.links {
            return Ok(());
        }
        let priority = priority.filter(|_| self.pilot.predicts());
        Ok(self.sink.add_link(|| {
            let (url, anchor) = (url.to_string(), shortened(anchor));
            LinkRow { page, url, anchor, priority, verdict }
        })?)
    }
}

/// Returns a link of a page as a candidate for the pilot.
pub(super) fn candidate(url: Url, found: &FoundLink, page: &Link) -> Candidate {
    let link = Link {
        url,
        target: Target::Page,
        depth: page.depth + 1,
        parent: Some(page.url.to_string()),
        anchor: shortened(&found.anchor),
        scores: Vec::new(),
        attempts: 0,
        redirected: None,
    };
    let FoundLink { relevance: anchor, context, block, probability, .. } = *found;
    let signals = Signals { anchor, context, block, probability };
    let (terms, clues) = (found.terms.clone(), found.clues.clone());
    Candidate { link, signals, terms, clues, is_elsewhere: false }
}

/// Truncates an anchor text to the stored length.
fn shortened(anchor: &str) -> String {
    match anchor.char_indices().nth(LONGEST_ANCHOR) {
        Some((end, _)) => anchor[..end].to_owned(),
        None => anchor.to_owned(),
    }
}
