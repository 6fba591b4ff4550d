//! The sitemaps of sites: which of them are read, and when.
//!
//! An index of sitemaps may list 50,000 others, and each of those may be an index again. Read
//! before everything else, they would keep the pages of their host waiting for weeks. So only the
//! first few sitemaps of a host come before its pages. The others wait until no page of the host
//! does, and there is a limit on all of them.

use ontrail_pilot::{Link, Target, Verdict};
use url::Url;

use super::results::fill_response;
use super::{Crawl, CrawlError};
use crate::canonical_url::canonical;
use crate::outcome::Outcome;
use crate::sitemap::Sitemap;
use crate::steer::{self, Task};
use crate::web::Response;

/// Maximum number of steps from one sitemap to the next. The sitemap protocol allows one.
const DEEPEST: u32 = 2;
/// Number of sitemaps of a host that are read before its pages.
const FIRST_SITEMAPS: u32 = 10;
/// The priority of the first sitemaps of a host: ahead of all links found on pages.
const FIRST_PRIORITY: f64 = 1.0;
/// The priority of the other sitemaps: behind all links to pages.
const LATER_PRIORITY: f64 = f64::MIN;

impl Crawl {
    /// Offers sitemaps to the frontier. They are named by robots.txt (`depth` is 0) or by another
    /// sitemap.
    pub(super) fn offer_sitemaps(&mut self, urls: Vec<Url>, depth: u32) -> Result<(), CrawlError> {
        for url in urls.into_iter().filter_map(canonical) {
            let link = Link { target: Target::Sitemap, depth, ..Link::seed(url) };
            // The sitemaps before this one count, too.
            let before = self.state.sitemaps_of(link.host())?;
            let refused = if depth > DEEPEST {
                Some(Verdict::SitemapDepth)
            } else if before >= self.settings.caps.sitemaps_per_host {
                Some(Verdict::SitemapsFull)
            } else {
                self.refuses(&link.url, depth)
            };
            if let Some(verdict) = refused {
                self.counts.count_refused(verdict.name());
                continue;
            }
            let is_first = before < FIRST_SITEMAPS;
            let priority = if is_first { FIRST_PRIORITY } else { LATER_PRIORITY };
            let (pilot, state) = (&mut self.pilot, self.state.as_mut());
            steer::offer_listed(pilot, state, &[link], priority, is_first)?;
        }
        Ok(())
    }

    /// Logs a sitemap, and offers what it lists to the frontier.
    pub(super) fn handle_sitemap(
        &mut self,
        task: &Task,
        response: &Response,
        sitemap: Sitemap,
    ) -> Result<(), CrawlError> {
        self.counts.sitemaps += 1;
        let mut row = self.row(task, Outcome::Sitemap);
        fill_response(&mut row, response, self.is_live());
        row.links = u32::try_from(sitemap.pages.len()).unwrap_or(u32::MAX);
        self.log_row(row)?;
        self.offer_sitemaps(sitemap.sitemaps, task.link().depth + 1)?;
        self.offer_listed(sitemap.pages, task)?;
        self.finish_link(task, self.ready_at(task, response.milliseconds))
    }
}
