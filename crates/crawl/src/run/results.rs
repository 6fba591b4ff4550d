//! Handles the results of fetches: logs them, stores them, and offers their links to the frontier.

use ontrail_pilot::{Link, Offer, Score, Target, Verdict};
use url::Url;

use super::fetch::{FetchResult, FetchedPage, FinishedFetch, capture};
use super::rules::RobotsResponse;
use super::{Crawl, CrawlError};
use crate::canonical_url::canonical;
use crate::focus::Reading;
use crate::metrics::Judged;
use crate::outcome::{FetchKind, Outcome};
use crate::output::LogRow;
use crate::sitemap::Sitemap;
use crate::state::Seen;
use crate::steer::{self, Task};
use crate::web::{Failure, Response};

/// The first delay before a fetch is retried, in milliseconds; it doubles each time.
const FIRST_RETRY_DELAY: u64 = 5_000;
/// Maximum number of steps from one sitemap to the next. The sitemap protocol allows one.
const DEEPEST_SITEMAP: u32 = 2;
/// The longest delay that a server may request, in milliseconds.
const LONGEST_REQUESTED_DELAY: u64 = 3_600_000;

impl Crawl {
    /// Handles a fetch that has ended.
    pub(super) fn handle_fetch(&mut self, fetch: FinishedFetch) -> Result<(), CrawlError> {
        self.in_flight -= 1;
        let FinishedFetch { task, number, result } = fetch;
        if !matches!(result, FetchResult::RobotsTxt { .. }) {
            self.pages_in_flight -= 1;
        }
        match result {
            FetchResult::RobotsTxt { rules, response } => {
                self.handle_robots_txt(task, rules, &response)
            }
            FetchResult::Failed(failure) => self.handle_failure(task, &failure),
            FetchResult::NotAPage { response, packed } => {
                if let Some(packed) = packed {
                    let url = &task.link().url;
                    self.sink.add_page(&packed, url, response.time, response.status, "unk")?;
                }
                self.handle_other_response(task, &response)
            }
            FetchResult::Page(page) if task.is_look => self.handle_look_ahead(task, &page),
            FetchResult::Page(page) => self.handle_page(&task, number, *page),
            FetchResult::Sitemap { response, sitemap } => {
                self.handle_sitemap(&task, &response, sitemap)
            }
        }
    }

    /// Caches a site's robots.txt rules, and returns the link that needed them to the queue.
    fn handle_robots_txt(
        &mut self,
        task: Task,
        rules: RobotsResponse,
        response: &Result<Response, Failure>,
    ) -> Result<(), CrawlError> {
        self.counts.robots += 1;
        let (now, url) = (self.clock.now(), task.link().url.clone());
        let sitemaps = match &rules {
            RobotsResponse::Rules(rules) => rules.sitemaps().to_vec(),
            RobotsResponse::ServerError(_) | RobotsResponse::NoResponse(_) => Vec::new(),
        };
        let mut row =
            LogRow { kind: FetchKind::Robots, outcome: Outcome::Robots, ..LogRow::default() };
        row.url = url.join("/robots.txt").map(Into::into).unwrap_or_default();
        row.final_url.clone_from(&row.url);
        let (took, requested) = match response {
            Ok(response) => {
                fill_response(&mut row, response, self.fetcher.web.is_live());
                (response.milliseconds, requested_delay(response))
            }
            Err(failure) => {
                row.outcome = Outcome::Failed(failure.kind);
                row.detail = Some(failure.detail.clone());
                (0, 0)
            }
        };
        self.log_row(row)?;
        let bytes = response.as_ref().map_or(0, |response| response.body.len());
        self.rules.put(&url, rules, bytes, self.settings.fetch.retries, now);
        if self.settings.politeness.sitemaps {
            self.offer_sitemaps(sitemaps, 0)?;
        }
        let ready_at = now + self.crawl_delay(&url, took).max(requested);
        self.give_back(task, ready_at)
    }

    /// Offers sitemaps to the frontier. They are named by robots.txt (`depth` is 0) or by another
    /// sitemap.
    fn offer_sitemaps(&mut self, urls: Vec<Url>, depth: u32) -> Result<(), CrawlError> {
        let mut links = Vec::new();
        for url in urls.into_iter().filter_map(canonical) {
            let refused = if depth > DEEPEST_SITEMAP {
                Some(Verdict::SitemapDepth)
            } else {
                self.refuses(&url, depth)
            };
            match refused {
                Some(verdict) => self.counts.count_refused(verdict.name()),
                None => links.push(Link { target: Target::Sitemap, depth, ..Link::seed(url) }),
            }
        }
        steer::offer_listed(&mut self.pilot, self.state.as_mut(), &links, super::SITEMAP_PRIORITY)?;
        Ok(())
    }

    /// Retries a link without a response later, or gives it up.
    fn handle_failure(&mut self, task: Task, failure: &Failure) -> Result<(), CrawlError> {
        if failure.kind.is_transient()
            && let Some(delay) = self.retry_delay(&task, None)
        {
            return self.retry(task, delay);
        }
        self.give_up(&task, failure)
    }

    /// Logs the failure of a link, and finishes the link.
    pub(super) fn give_up(&mut self, task: &Task, failure: &Failure) -> Result<(), CrawlError> {
        let url = task.link().url.as_str();
        tracing::info!(url, error = %failure, "failed");
        self.counts.count_error(failure.kind.name());
        let mut row = self.row(task, Outcome::Failed(failure.kind));
        row.detail = Some(failure.detail.clone());
        self.log_row(row)?;
        let ready_at = self.clock.now() + self.crawl_delay(&task.link().url, 0);
        self.finish_link(task, ready_at)
    }

    /// Returns the delay before a link is retried; none if it is given up. Offline there are no
    /// retries, because the response would be the same.
    fn retry_delay(&self, task: &Task, requested: Option<u64>) -> Option<u64> {
        let is_worthwhile =
            self.fetcher.web.is_live() && task.link().attempts < self.settings.fetch.retries;
        is_worthwhile.then(|| {
            let own = FIRST_RETRY_DELAY << task.link().attempts.min(8);
            // Up to a quarter more, so that links that failed together are not retried together.
            let spread = u64::from(task.link().key()[0]) * own / 1_024;
            requested.unwrap_or(own + spread)
        })
    }

    fn retry(&mut self, mut task: Task, delay: u64) -> Result<(), CrawlError> {
        self.counts.retries += 1;
        task.lease.link.attempts += 1;
        tracing::debug!(url = task.link().url.as_str(), delay, "will be retried");
        let ready_at = self.clock.now() + delay.max(self.crawl_delay(&task.link().url, 0));
        self.give_back(task, ready_at)
    }

    /// Handles a response that is not a page: a redirect, an error, or an unwanted media type.
    fn handle_other_response(&mut self, task: Task, response: &Response) -> Result<(), CrawlError> {
        let (status, requested) = (response.status, requested_delay(response));
        if matches!(status, 429 | 500 | 502 | 503 | 504)
            && let Some(delay) = self.retry_delay(&task, (requested > 0).then_some(requested))
        {
            return self.retry(task, delay);
        }
        let location = response.location();
        let outcome = match location {
            Some(_) => Outcome::Redirect,
            None if response.is_unwanted => Outcome::WrongType,
            None => Outcome::Http(status),
        };
        let mut row = self.row(&task, outcome);
        fill_response(&mut row, response, self.fetcher.web.is_live());
        if let Some(location) = location {
            row = self.follow_redirect(&task, &location, row)?;
        } else {
            self.counts.count_error(&outcome.name());
        }
        self.log_row(row)?;
        let delay = self.crawl_delay(&task.link().url, response.milliseconds).max(requested);
        self.finish_link(&task, self.clock.now() + delay)
    }

    /// Follows a redirect: its target takes the place of the link, if it may be fetched at all. The
    /// target is queued like any other URL, so its host's robots.txt rules and crawl delay apply.
    pub(super) fn follow_redirect(
        &mut self,
        task: &Task,
        location: &str,
        mut row: LogRow,
    ) -> Result<LogRow, CrawlError> {
        let link = task.link();
        let target = link.url.join(location).ok().and_then(canonical);
        let hops = link.redirected.as_ref().map_or(0, |(_, hops)| *hops).saturating_add(1);
        let refused = match &target {
            None => Some(Outcome::BadRedirect),
            Some(_) if hops > self.settings.fetch.redirects => Some(Outcome::TooManyRedirects),
            Some(target) => self.refuses(target, link.depth).map(Outcome::Refused),
        };
        if let Some(target) = &target {
            row.final_url = target.to_string();
        }
        if let Some(outcome) = refused {
            self.counts.count_error(&outcome.name());
            row.outcome = outcome;
            row.detail = Some(location.chars().take(200).collect());
            return Ok(row);
        }
        self.counts.redirects += 1;
        let Some(url) = target else { return Ok(row) };
        let first = link.redirected.as_ref().map_or(link.url.as_str(), |(first, _)| first.as_str());
        let redirected = Some((first.to_owned(), hops));
        let next = Link { url, attempts: 0, redirected, ..link.clone() };
        match self.state.offer_in_place(next.clone(), &task.lease)? {
            Offer::Queued | Offer::Raised => self.pilot.moved(&task.link().key(), &next),
            Offer::Known => row.detail = Some("redirects to a known URL".to_owned()),
            Offer::PatternFull | Offer::QueueFull | Offer::HostsFull => {}
        }
        Ok(row)
    }

    pub(super) fn handle_sitemap(
        &mut self,
        task: &Task,
        response: &Response,
        sitemap: Sitemap,
    ) -> Result<(), CrawlError> {
        self.counts.sitemaps += 1;
        let mut row = self.row(task, Outcome::Sitemap);
        fill_response(&mut row, response, self.fetcher.web.is_live());
        row.links = u32::try_from(sitemap.pages.len()).unwrap_or(u32::MAX);
        self.log_row(row)?;
        self.offer_sitemaps(sitemap.sitemaps, task.link().depth + 1)?;
        self.offer_listed(sitemap.pages, task)?;
        let delay = self.crawl_delay(&task.link().url, response.milliseconds);
        self.finish_link(task, self.clock.now() + delay)
    }

    /// Handles a page that was fetched only to look ahead: offers its links, and returns its own
    /// link to the queue.
    fn handle_look_ahead(&mut self, task: Task, page: &FetchedPage) -> Result<(), CrawlError> {
        let mut row = self.row(&task, Outcome::Looked);
        fill_response(&mut row, &page.response, self.fetcher.web.is_live());
        row.relevance = page.reading.relevance;
        row.links = u32::try_from(page.reading.links.len()).unwrap_or(u32::MAX);
        self.log_row(row)?;
        self.offer_links(&task, &page.reading, true)?;
        let delay = self.crawl_delay(&task.link().url, page.response.milliseconds);
        Ok(self.state.give_back(task.lease, self.clock.now() + delay)?)
    }

    /// Handles a page: judges it, stores it, logs it, and offers its links.
    pub(super) fn handle_page(
        &mut self,
        task: &Task,
        number: u64,
        page: FetchedPage,
    ) -> Result<(), CrawlError> {
        let FetchedPage { response, reading, packed, digest, is_cut } = page;
        let url = &task.link().url;
        let mut row = self.row(task, Outcome::Page);
        fill_response(&mut row, &response, self.fetcher.web.is_live());
        row.detail = is_cut.then(|| "only its start was kept or read".to_owned());
        let is_relevant = self.pilot.is_relevant(&reading.facts());
        let is_wanted = self.settings.output.irrelevant || is_relevant != Some(false);
        let is_kept = is_wanted && !reading.robots.noindex;
        let seen = Seen { url: url.to_string(), time: response.time };
        let same = self.state.same_bytes(&digest, &seen, is_kept)?;
        let near = match (&same, reading.simhash) {
            (None, Some(simhash)) => self.state.near_text(simhash, url.as_str())?,
            _ => None,
        };
        row.outcome = if same.is_some() { Outcome::Duplicate } else { Outcome::Page };
        if let Some(packed) = packed.filter(|_| is_kept) {
            let packed = match &same {
                Some(first) => {
                    capture(url.as_str(), number, &response).pack_revisit(&first.url, first.time)
                }
                None => packed,
            };
            let mime = row.mime.as_deref().unwrap_or("unk");
            row.stored = self.sink.add_page(&packed, url, response.time, response.status, mime)?;
            self.counts.stored += 1;
        }
        self.counts.duplicates += u64::from(same.is_some());
        self.counts.near_duplicates += u64::from(near.is_some());
        row.duplicate_of = same.map(|first| first.url);
        row.near_duplicate_of = near;
        self.judge(task, &reading, is_relevant, &mut row);
        row.links = u32::try_from(reading.links.len()).unwrap_or(u32::MAX);
        let is_new = row.duplicate_of.is_none();
        self.counts.downloaded += 1;
        self.counts.bytes += row.bytes;
        self.log_row(row)?;
        self.offer_links(task, &reading, is_new)?;
        let delay = self.crawl_delay(&task.link().url, response.milliseconds);
        Ok(self.state.finish(&task.lease, self.clock.now() + delay, true)?)
    }

    /// Counts a page as relevant or not, by the crawler's own relevance and by the ground truth,
    /// and writes both into the row.
    fn judge(
        &mut self,
        task: &Task,
        reading: &Reading,
        is_relevant: Option<bool>,
        row: &mut LogRow,
    ) {
        row.title = Some(reading.title.clone()).filter(|title| !title.is_empty());
        row.charset = Some(reading.charset.to_owned());
        row.language.clone_from(&reading.language);
        row.relevance = reading.relevance;
        row.relevant = is_relevant;
        if let Some(class) = &reading.class {
            row.class = Some(class.name.clone());
            row.class_probability = Some(class.probability);
            *self.counts.classes.entry(class.name.clone()).or_default() += 1;
        }
        let priority = task.link().score(Score::Priority);
        let similarity = reading.relevance.unwrap_or(0.0);
        if let Some(is_relevant) = is_relevant {
            let relevance = similarity;
            self.counts.own.add(Judged { is_relevant, relevance, similarity, priority });
            self.counts.count_recent(is_relevant);
        }
        let Some(labels) = &self.labels else { return };
        let label = labels.label(&row.final_url).or_else(|| labels.label(&row.url));
        let is_relevant = label.is_some_and(|label| labels.is_relevant(label));
        row.label = label.map(str::to_owned);
        row.truly_relevant = Some(is_relevant);
        let relevance = f64::from(u8::from(is_relevant));
        self.counts.truth.add(Judged { is_relevant, relevance, similarity, priority });
        self.counts.recalled.labelled += u64::from(label.is_some());
        let is_seed = self.seeds.contains(&row.url);
        self.counts.recalled.relevant_seeds_found += u64::from(is_relevant && is_seed);
    }

    /// Returns a row of the log for a link, without a response.
    pub(super) fn row(&self, task: &Task, outcome: Outcome) -> LogRow {
        let link = task.link();
        let first = link.redirected.as_ref().map(|(first, _)| first.clone());
        LogRow {
            kind: match link.target {
                Target::Page => FetchKind::Page,
                Target::Sitemap => FetchKind::Sitemap,
            },
            outcome,
            url: first.unwrap_or_else(|| link.url.to_string()),
            final_url: link.url.to_string(),
            depth: link.depth,
            parent: link.parent.clone(),
            anchor: link.anchor.clone(),
            scores: link.scores.clone(),
            rule: Some(task.rule),
            attempts: link.attempts,
            time: self.fetcher.web.is_live().then(|| self.clock.now()),
            ..LogRow::default()
        }
    }

    pub(super) fn log_row(&mut self, mut row: LogRow) -> Result<(), CrawlError> {
        self.counts.rows += 1;
        row.number = self.counts.rows;
        self.uncommitted += 1;
        Ok(self.sink.add_row(row)?)
    }
}

/// Writes the facts of a response into a row of the log.
fn fill_response(row: &mut LogRow, response: &Response, is_live: bool) {
    row.time = is_live.then_some(response.time);
    row.status = Some(response.status);
    row.bytes = response.body.len() as u64;
    row.milliseconds = response.milliseconds;
    row.address = response.address.map(|address| address.to_string());
    let media = response.header("content-type").and_then(|it| it.split(';').next());
    row.mime = media.map(|media| media.trim().to_ascii_lowercase());
}

/// Returns the delay that a response requests, in milliseconds, up to an hour.
fn requested_delay(response: &Response) -> u64 {
    let header =
        response.header("retry-after").filter(|_| matches!(response.status, 429 | 500..600));
    let delay = header.and_then(|value| retry_after(value, response.time));
    delay.unwrap_or(0).min(LONGEST_REQUESTED_DELAY)
}

/// Parses a `Retry-After` header, which is a number of seconds or a date. Returns milliseconds.
fn retry_after(value: &str, now: u64) -> Option<u64> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let format = time::macros::format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    let date = time::PrimitiveDateTime::parse(value, &format).ok()?.assume_utc();
    let then = u64::try_from(date.unix_timestamp()).ok()?.saturating_mul(1_000);
    Some(then.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        assert_eq!(retry_after(" 120 ", 0), Some(120_000));
        let noon = 1_700_049_600_000;
        assert_eq!(retry_after("Wed, 15 Nov 2023 12:01:00 GMT", noon), Some(60_000));
        assert_eq!(retry_after("Wed, 15 Nov 2023 11:00:00 GMT", noon), Some(0));
        assert_eq!(retry_after("soon", noon), None);
    }
}
