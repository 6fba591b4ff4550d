//! The links of a page: which of them are taken up.

use url::Url;

use super::{Crawl, CrawlError};
use crate::address::canonical;
use crate::focus::{FoundLink, Reading};
use crate::frontier::Taken;
use crate::link::{Link, Score, Target};
use crate::output::LinkRow;
use crate::scope::OutOfScope;
use crate::traps::Trap;

/// The longest text of a link that is kept, in characters.
const LONGEST_ANCHOR: usize = 300;

impl Crawl {
    /// Takes up the links of a page that was just logged.
    pub(super) fn take_up_links(
        &mut self,
        taken: &Taken,
        reading: &Reading,
    ) -> Result<(), CrawlError> {
        let page = self.state.rows;
        let obeys = !self.settings.politeness.follow_nofollow;
        for found in &reading.links {
            let is_forbidden = obeys && (found.nofollow || reading.robots.nofollow);
            self.take_up(taken, reading, found, page, is_forbidden)?;
        }
        Ok(())
    }

    fn take_up(
        &mut self,
        taken: &Taken,
        reading: &Reading,
        found: &FoundLink,
        page: u64,
        is_forbidden: bool,
    ) -> Result<(), CrawlError> {
        let depth = taken.link.depth + 1;
        let Some(url) = canonical(found.url.clone()) else { return Ok(()) };
        // What is no number is no rank, and would be no JSON.
        let rank = Some(self.strategy.rank(found, reading)).filter(|it| it.is_finite());
        let rank = rank.unwrap_or(0.0);
        let verdict = match self.refuses(&url, depth) {
            _ if is_forbidden => "nofollow".to_owned(),
            Some(reason) => reason,
            None => {
                let mut scores = found.scores.clone();
                if self.strategy.predicts() {
                    scores.push((Score::Priority, rank));
                }
                let link = Link {
                    url: url.clone(),
                    target: Target::Page,
                    depth,
                    parent: Some(taken.link.url.to_string()),
                    anchor: shortened(&found.anchor),
                    scores,
                    attempts: 0,
                    redirected: None,
                };
                self.frontier.offer(link, rank)?.name().to_owned()
            }
        };
        self.note_link(page, &url, &found.anchor, Some(rank), verdict)
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
            self.frontier.offer(link, 0.0)?.name().to_owned()
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
        if !matches!(verdict.as_str(), "queued" | "raised" | "known") {
            self.state.count_refused(&verdict);
        }
        if !self.settings.output.links {
            return Ok(());
        }
        let priority = priority.filter(|_| self.strategy.predicts());
        let (url, anchor) = (url.to_string(), shortened(anchor));
        Ok(self.links.add(&LinkRow { page, url, anchor, priority, verdict })?)
    }
}

/// A text that is not longer than is kept.
fn shortened(anchor: &str) -> String {
    match anchor.char_indices().nth(LONGEST_ANCHOR) {
        Some((end, _)) => anchor[..end].to_owned(),
        None => anchor.to_owned(),
    }
}
