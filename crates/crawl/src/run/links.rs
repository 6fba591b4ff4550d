//! The links of a page: which of them are taken up.

use url::Url;

use super::{Crawl, CrawlError};
use crate::address::canonical;
use crate::focus::{FoundLink, Reading};
use crate::frontier::Taken;
use crate::link::{Link, Target};
use crate::output::LinkRow;
use crate::pilot::Candidate;
use crate::scope::OutOfScope;
use crate::traps::Trap;

/// The longest text of a link that is kept, in characters.
const LONGEST_ANCHOR: usize = 300;

impl Crawl {
    /// Takes up the links of a page that was just logged; those of a page that is the same as another are not.
    pub(super) fn take_up_links(
        &mut self,
        taken: &Taken,
        reading: &Reading,
        is_new: bool,
    ) -> Result<(), CrawlError> {
        let links = if is_new { &reading.links[..] } else { &[] };
        let mut candidates = Vec::with_capacity(links.len());
        // Of each link the address, and why it was refused.
        let mut seen = Vec::with_capacity(links.len());
        for found in links {
            let Some(url) = canonical(found.url.clone()) else { continue };
            let refused = self.refuses_found(&url, found, taken, reading);
            if refused.is_none() {
                candidates.push(candidate(url.clone(), found, taken));
            }
            seen.push((url, &found.anchor, refused));
        }
        let verdicts = self.pilot.arrived(taken, reading, candidates, self.frontier.as_mut())?;
        let page = self.state.rows;
        let mut verdicts = verdicts.into_iter();
        for (url, anchor, refused) in seen {
            let (verdict, priority) = match refused {
                Some(reason) => (reason, None),
                None => match verdicts.next() {
                    Some(verdict) => (verdict.reason.to_owned(), verdict.priority),
                    None => continue,
                },
            };
            self.note_link(page, &url, anchor, priority, verdict)?;
        }
        Ok(())
    }

    /// Why a link of a page is not to be fetched, if it is not.
    fn refuses_found(
        &self,
        url: &Url,
        found: &FoundLink,
        taken: &Taken,
        reading: &Reading,
    ) -> Option<String> {
        let obeys = !self.settings.politeness.follow_nofollow;
        if obeys && (found.nofollow || reading.robots.nofollow) {
            return Some("nofollow".to_owned());
        }
        self.refuses(url, taken.link.depth + 1)
    }

    /// Takes up an address that nothing is known of but that a site lists it.
    pub(super) fn offer_unranked(
        &mut self,
        url: Url,
        taken: &Taken,
        page: u64,
    ) -> Result<(), CrawlError> {
        let depth = taken.link.depth + 1;
        let Some(url) = canonical(url) else { return Ok(()) };
        let verdict = if let Some(reason) = self.refuses(&url, depth) {
            reason
        } else {
            let parent = Some(taken.link.url.to_string());
            let link = Link { depth, parent, ..Link::seed(url.clone()) };
            self.pilot.listed(link, 0.0, self.frontier.as_mut())?.name().to_owned()
        };
        self.note_link(page, &url, "", None, verdict)
    }

    /// Why an address is not to be fetched, if it is not.
    pub(super) fn refuses(&self, url: &Url, depth: u32) -> Option<String> {
        let elsewhere = self.sites.as_ref().and_then(|sites| sites.refuses(url));
        let scope = self.scope.refuses(url).or(elsewhere).map(OutOfScope::name);
        let trap = || self.settings.traps.refuse(url, depth).map(Trap::name);
        scope.or_else(trap).map(str::to_owned)
    }

    fn note_link(
        &mut self,
        page: u64,
        url: &Url,
        anchor: &str,
        priority: Option<f64>,
        verdict: String,
    ) -> Result<(), CrawlError> {
        if !matches!(verdict.as_str(), "queued" | "raised" | "known" | "tunnel") {
            self.state.count_refused(&verdict);
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

/// A link of a page that may be taken up.
fn candidate(url: Url, found: &FoundLink, taken: &Taken) -> Candidate {
    let link = Link {
        url,
        target: Target::Page,
        depth: taken.link.depth + 1,
        parent: Some(taken.link.url.to_string()),
        anchor: shortened(&found.anchor),
        scores: Vec::new(),
        attempts: 0,
        redirected: None,
    };
    let FoundLink { relevance: anchor, context, block, .. } = *found;
    Candidate { link, anchor, context, block }
}

/// A text that is not longer than is kept.
fn shortened(anchor: &str) -> String {
    match anchor.char_indices().nth(LONGEST_ANCHOR) {
        Some((end, _)) => anchor[..end].to_owned(),
        None => anchor.to_owned(),
    }
}
