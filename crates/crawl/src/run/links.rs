//! The links of a page: which of them are taken up.

use ontrail_pilot::{Candidate, Link, LinkVerdict, Signals, Target, Verdict};
use url::Url;

use super::{Crawl, CrawlError};
use crate::address::canonical;
use crate::focus::{FoundLink, Reading};
use crate::output::LinkRow;
use crate::steer::{self, Task};

/// The longest text of a link that is kept, in characters.
const LONGEST_ANCHOR: usize = 300;

impl Crawl {
    /// Takes up the links of a page that was just logged; those of a page that is the same as another are not.
    pub(super) fn take_up_links(
        &mut self,
        task: &Task,
        reading: &Reading,
        is_new: bool,
    ) -> Result<(), CrawlError> {
        let links = if is_new { &reading.links[..] } else { &[] };
        let mut candidates = Vec::with_capacity(links.len());
        // Of each link the address, and why it was refused.
        let mut seen = Vec::with_capacity(links.len());
        for found in links {
            let Some(url) = canonical(found.url.clone()) else { continue };
            let refused = self.refuses_found(&url, found, task, reading);
            if refused.is_none() {
                candidates.push(candidate(url.clone(), found, task));
            }
            seen.push((url, &found.anchor, refused));
        }
        let facts = reading.facts();
        let verdicts =
            steer::take_up(&mut self.pilot, self.state.as_mut(), task, &facts, candidates)?;
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
            self.note_link(page, &url, anchor, verdict)?;
        }
        Ok(())
    }

    /// Why a link of a page is not to be fetched, if it is not.
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

    /// Takes up URLs of which nothing is known but that a site lists them.
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
        let offers = steer::list(&mut self.pilot, self.state.as_mut(), &links, 0.0)?;
        let mut offers = offers.into_iter();
        for (url, refused) in seen {
            let verdict = match refused {
                Some(verdict) => verdict,
                None => offers.next().map_or(Verdict::KNOWN, Verdict::Offered),
            };
            self.note_link(page, &url, "", LinkVerdict { verdict, priority: None })?;
        }
        Ok(())
    }

    /// Why a URL is not to be fetched, if it is not.
    pub(super) fn refuses(&self, url: &Url, depth: u32) -> Option<Verdict> {
        let elsewhere = self.sites.as_ref().and_then(|sites| sites.refuses(url));
        let scope = self.scope.refuses(url).or(elsewhere).map(Verdict::OutOfScope);
        scope.or_else(|| self.settings.traps.refuse(url, depth).map(Verdict::Trap))
    }

    fn note_link(
        &mut self,
        page: u64,
        url: &Url,
        anchor: &str,
        became: LinkVerdict,
    ) -> Result<(), CrawlError> {
        let LinkVerdict { verdict, priority } = became;
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

/// A link of a page that may be taken up.
fn candidate(url: Url, found: &FoundLink, task: &Task) -> Candidate {
    let link = Link {
        url,
        target: Target::Page,
        depth: task.link().depth + 1,
        parent: Some(task.link().url.to_string()),
        anchor: shortened(&found.anchor),
        scores: Vec::new(),
        attempts: 0,
        redirected: None,
    };
    let FoundLink { relevance: anchor, context, block, .. } = *found;
    Candidate { link, signals: Signals { anchor, context, block } }
}

/// A text that is not longer than is kept.
fn shortened(anchor: &str) -> String {
    match anchor.char_indices().nth(LONGEST_ANCHOR) {
        Some((end, _)) => anchor[..end].to_owned(),
        None => anchor.to_owned(),
    }
}
