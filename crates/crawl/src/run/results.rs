//! Handles the results of fetches: logs them, stores them, and offers their links to the frontier.

use std::time::Duration;

use ontrail_pilot::{HostKey, Judgement, Link, Offer, Target};
use url::Url;

use super::fetch::{FetchResult, FetchedPage, FinishedFetch, LinkResult, capture};
use super::{Crawl, CrawlError};
use crate::canonical_url::canonical;
use crate::focus::Reading;
use crate::health::HostHealth;
use crate::outcome::{FetchKind, Outcome};
use crate::output::{LogRow, NOINDEX};
use crate::settings::milliseconds;
use crate::state::Seen;
use crate::steer::Task;
use crate::web::{Failure, FailureKind, Response};

/// The first delay before a page is retried whose host answers otherwise, in milliseconds; it
/// quadruples each time.
const FIRST_RETRY_DELAY: u64 = 5_000;
/// Number of lookups after which a host name that does not exist is given up.
const MOST_NOT_FOUND: u32 = 4;
/// Maximum number of attempts for a page whose host asks for fewer requests.
const MOST_THROTTLED: u8 = 20;

impl Crawl {
    /// Handles a fetch that has ended.
    pub(super) fn handle_fetch(&mut self, fetch: FinishedFetch) -> Result<(), CrawlError> {
        let FinishedFetch { number, result } = fetch;
        self.in_flight.remove(&number);
        match result {
            FetchResult::Robots(request, response) => self.handle_robots_txt(request, &response),
            FetchResult::Link(task, result) => self.handle_link(*task, number, result),
        }
    }

    fn handle_link(
        &mut self,
        mut task: Task,
        number: u64,
        result: LinkResult,
    ) -> Result<(), CrawlError> {
        let (now, host) = (self.clock.now(), HostKey::of(task.link().host()));
        if !self.state.holds(&task.lease) {
            // Another worker has taken the link over and fetches it again.
            self.pilot.returned(&task.link().key());
            return Ok(());
        }
        match &result {
            LinkResult::Failed(failure) => self.note_failure(host, failure, now),
            LinkResult::NotAPage { response, .. } | LinkResult::Sitemap { response, .. } => {
                self.note_response(host, response, now);
            }
            LinkResult::Page(page) => self.note_response(host, &page.response, now),
        }
        match result {
            LinkResult::Failed(failure) => return self.handle_failure(task, &failure),
            LinkResult::NotAPage { response, packed } => {
                if let Some(packed) = packed {
                    let url = &task.link().url;
                    self.sink.add_page(&packed, url, response.time, response.status, "unk")?;
                }
                return self.handle_other_response(task, &response);
            }
            LinkResult::Page(_) | LinkResult::Sitemap { .. } => {
                task.lease.health = task.lease.health.answered();
            }
        }
        match result {
            LinkResult::Page(page) if task.is_look => self.handle_look_ahead(task, &page),
            // Slow fetches are overtaken at the end of the budget.
            LinkResult::Page(_) if self.downloaded_by_all() >= self.settings.budget => {
                let ready_at = now + self.crawl_delay(&task.link().url, 0);
                self.give_back(task, ready_at)
            }
            LinkResult::Page(page) => self.handle_page(&task, number, *page),
            LinkResult::Sitemap { response, sitemap } => {
                self.handle_sitemap(&task, &response, sitemap)
            }
            LinkResult::Failed(_) | LinkResult::NotAPage { .. } => Ok(()),
        }
    }

    /// Takes note of a response, whatever its status.
    pub(super) fn note_response(&mut self, host: HostKey, response: &Response, now: u64) {
        self.trouble.answered(host, now);
        self.timings.fetch.add(Duration::from_millis(response.milliseconds));
        let class = format!("{}xx", response.status / 100);
        *self.counts.statuses.entry(class).or_default() += 1;
    }

    /// Takes note of a failure that may be our own trouble.
    pub(super) fn note_failure(&mut self, host: HostKey, failure: &Failure, now: u64) {
        match failure.kind {
            FailureKind::Dns | FailureKind::Connect | FailureKind::Timeout => {
                self.trouble.failed(host, now);
            }
            FailureKind::Local => self.trouble.lacks_resources(now),
            FailureKind::NoSuchHost
            | FailureKind::OffLimits
            | FailureKind::Tls
            | FailureKind::Broken
            | FailureKind::TooLarge
            | FailureKind::Unreadable => {}
        }
    }

    /// Retries a link without a response later, or gives it up.
    fn handle_failure(&mut self, mut task: Task, failure: &Failure) -> Result<(), CrawlError> {
        let now = self.clock.now();
        if self.is_final(failure, task.lease.health) {
            return self.give_up(&task, failure);
        }
        if self.trouble.kind().is_some() {
            // The failure counts against neither the link nor its host.
            return self.give_back(task, now + super::PAUSE_DELAY);
        }
        let was_failing = task.lease.health.is_failing();
        task.lease.health = task.lease.health.failed(now);
        let is_over = if was_failing {
            task.lease.health.has_failed_for(self.give_up_after(), now)
        } else {
            task.link().attempts >= self.settings.fetch.retries
        };
        if is_over {
            return self.give_up(&task, failure);
        }
        self.retry(task, !was_failing, 0)
    }

    /// Logs the failure of a link, and finishes the link.
    pub(super) fn give_up(&mut self, task: &Task, failure: &Failure) -> Result<(), CrawlError> {
        let url = task.link().url.as_str();
        tracing::info!(url, error = %failure, "failed");
        self.counts.count_error(failure.kind.name());
        let mut row = self.row(task, Outcome::Failed(failure.kind));
        row.detail = Some(failure.detail.clone());
        self.log_row(row)?;
        self.finish_link(task, self.ready_at(task, 0))
    }

    /// Returns true if it is useless to try again after a failure. A name that does not exist may
    /// be a mistake of the name server, so it is looked up several times before it is believed.
    pub(super) fn is_final(&self, failure: &Failure, health: HostHealth) -> bool {
        let is_final = match failure.kind {
            FailureKind::NoSuchHost => health.failures + 1 >= MOST_NOT_FOUND,
            kind => !kind.is_transient(),
        };
        is_final || !self.retries()
    }

    /// Returns true if fetches that failed are tried again. Offline the response would be the same.
    pub(super) fn retries(&self) -> bool {
        self.is_live() && self.settings.fetch.retries > 0
    }

    /// Returns the time that a host may fail before its links are given up, in milliseconds.
    fn give_up_after(&self) -> u64 {
        milliseconds(self.settings.politeness.give_up_after)
    }

    /// Postpones a link that failed; other links of its host are tried first. The attempt counts
    /// against the link if `is_counted`, which it is not while its host fails anyway.
    fn retry(
        &mut self,
        mut task: Task,
        is_counted: bool,
        requested: u64,
    ) -> Result<(), CrawlError> {
        self.counts.retries += 1;
        let (now, key) = (self.clock.now(), task.link().key());
        let own = FIRST_RETRY_DELAY << (2 * u32::from(task.link().attempts)).min(16);
        task.lease.link.attempts = task.link().attempts.saturating_add(u8::from(is_counted));
        // Up to a quarter more, so that links that failed together are not retried together.
        let own = own + u64::from(key[0]) * own / 1_024;
        let delay = self.crawl_delay(&task.link().url, 0);
        let delay = delay.saturating_add(task.lease.health.slowdown);
        let ready_at = now + delay.max(requested).max(task.lease.health.back_off(key[1]));
        tracing::debug!(url = task.link().url.as_str(), own, "will be retried");
        self.pilot.returned(&key);
        // Later than its host is ready, so that the host is tried with another link first.
        Ok(self.state.postpone(task.lease, ready_at + own, ready_at)?)
    }

    /// Handles a response that is not a page: a redirect, an error, or an unwanted media type.
    fn handle_other_response(
        &mut self,
        mut task: Task,
        response: &Response,
    ) -> Result<(), CrawlError> {
        let (status, now) = (response.status, self.clock.now());
        let requested = self.requested_delay(response);
        let (health, attempts) = (task.lease.health, task.link().attempts);
        task.lease.health = match status {
            429 | 503 => health.throttled(self.crawl_delay(&task.link().url, 0)),
            500 | 502 | 504 => health.failed(now),
            _ => health.answered(),
        };
        let is_retried = match status {
            429 | 503 => attempts < MOST_THROTTLED,
            500 | 502 | 504 => health.is_failing() || attempts < self.settings.fetch.retries,
            _ => false,
        };
        if is_retried && self.retries() {
            return self.retry(task, !health.is_failing(), requested);
        }
        let location = response.location();
        let outcome = match location {
            Some(_) => Outcome::Redirect,
            None if response.is_unwanted => Outcome::WrongType,
            None => Outcome::Http(status),
        };
        let mut row = self.row(&task, outcome);
        fill_response(&mut row, response, self.is_live());
        if let Some(location) = location {
            row = self.follow_redirect(&task, &location, row)?;
        } else {
            self.counts.count_error(&outcome.name());
        }
        self.log_row(row)?;
        let ready_at = self.ready_at(&task, response.milliseconds).max(now + requested);
        self.finish_link(&task, ready_at)
    }

    /// Returns the time at which the host of a task may be asked again after a fetch that took
    /// `took` milliseconds.
    pub(super) fn ready_at(&self, task: &Task, took: u64) -> u64 {
        let delay = self.crawl_delay(&task.link().url, took);
        let health = task.lease.health;
        let wait = delay.saturating_add(health.slowdown).max(health.back_off(0));
        self.clock.now() + if self.is_live() { wait } else { 0 }
    }

    /// Returns the delay that a response requests, in milliseconds, up to the limit of the
    /// settings.
    pub(super) fn requested_delay(&self, response: &Response) -> u64 {
        let most = milliseconds(self.settings.politeness.retry_after_cap);
        let header =
            response.header("retry-after").filter(|_| matches!(response.status, 429 | 500..600));
        let delay = header.and_then(|value| retry_after(value, response.time));
        delay.unwrap_or(0).min(most)
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
            Offer::Known | Offer::Done => row.detail = Some("redirects to a known URL".to_owned()),
            Offer::Sent => row.detail = Some("redirects to a page of another worker".to_owned()),
            Offer::PatternFull | Offer::QueueFull | Offer::HostFull | Offer::HostsFull => {}
        }
        Ok(row)
    }

    /// Handles a page that was fetched only to look ahead: offers its links, and returns its own
    /// link to the queue.
    fn handle_look_ahead(&mut self, task: Task, page: &FetchedPage) -> Result<(), CrawlError> {
        let mut row = self.row(&task, Outcome::Looked);
        fill_response(&mut row, &page.response, self.is_live());
        let judgement = self.pilot.judge(&page.reading.facts(), true);
        row.relevance = judgement.relevance;
        row.links = u32::try_from(page.reading.links.len()).unwrap_or(u32::MAX);
        self.log_row(row)?;
        self.offer_links(&task, &page.reading, &judgement, true)?;
        let ready_at = self.ready_at(&task, page.response.milliseconds);
        Ok(self.state.give_back(task.lease, ready_at)?)
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
        fill_response(&mut row, &response, self.is_live());
        row.detail = is_cut.then(|| "only its start was kept or read".to_owned());
        let judgement = self.pilot.judge(&reading.facts(), false);
        let is_wanted = self.settings.output.irrelevant || judgement.is_relevant != Some(false);
        row.canonical = reading.canonical.as_ref().map(Url::to_string);
        let copy_of = self.fetched_original(task, &reading)?;
        let would_keep = is_wanted && copy_of.is_none();
        let is_forbidden = would_keep && reading.robots.noindex && !self.settings.output.noindex;
        let is_kept = would_keep && !is_forbidden;
        let seen = Seen { url: url.to_string(), time: response.time };
        let same = match copy_of {
            Some(_) => None,
            None => self.state.same_bytes(&digest, &seen, is_kept)?,
        };
        let is_copy = same.is_some() || copy_of.is_some();
        if is_forbidden && !is_copy {
            self.counts.noindex += 1;
            self.counts.relevant_noindex += u64::from(judgement.is_relevant == Some(true));
            let detail = row.detail.take().map(|detail| format!("; {detail}"));
            row.detail = Some(NOINDEX.to_owned() + &detail.unwrap_or_default());
        }
        let near = match reading.simhash {
            Some(simhash) if !is_copy => self.state.near_text(simhash, url.as_str())?,
            _ => None,
        };
        if is_kept || copy_of.is_some() {
            self.state.record_page(url.as_str());
        }
        if !is_copy && near.is_none() {
            self.templates.observe(task.link().host(), &reading.fingerprints);
        }
        row.outcome = if is_copy { Outcome::Duplicate } else { Outcome::Page };
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
        self.counts.duplicates += u64::from(is_copy);
        self.counts.near_duplicates += u64::from(near.is_some());
        // A page that only declares to be a copy may have links that the original does not have.
        let has_new_links = same.is_none();
        row.duplicate_of = copy_of.or_else(|| same.map(|first| first.url));
        let is_near = near.is_some();
        row.near_duplicate_of = near;
        self.judge(&reading, &judgement, &mut row);
        row.links = u32::try_from(reading.links.len()).unwrap_or(u32::MAX);
        self.counts.downloaded += 1;
        self.stuck_since = None;
        self.counts.bytes += row.bytes;
        self.log_row(row)?;
        let judgement = judgement.among_copies(is_copy, is_near);
        self.offer_links(task, &reading, &judgement, has_new_links)?;
        self.offer_original(task, &reading)?;
        let ready_at = self.ready_at(task, response.milliseconds);
        Ok(self.state.finish(&task.lease, ready_at, true)?)
    }

    /// Writes into the row if a page is relevant, by the crawler's own relevance and by the ground
    /// truth, and counts both.
    fn judge(&mut self, reading: &Reading, judgement: &Judgement<'_>, row: &mut LogRow) {
        row.title = Some(reading.title.clone()).filter(|title| !title.is_empty());
        row.charset = Some(reading.charset.to_owned());
        row.language.clone_from(&reading.language);
        row.relevance = reading.relevance;
        row.probability = judgement.probability;
        row.relevant = judgement.is_relevant;
        if let Some(class) = &reading.class {
            row.class = Some(class.name.clone());
            row.class_probability = Some(class.probability);
        }
        if let Some(labels) = &self.labels {
            let label = labels.label(&row.final_url).or_else(|| labels.label(&row.url));
            row.truly_relevant = Some(label.is_some_and(|label| labels.is_relevant(label)));
            row.label = label.map(str::to_owned);
        }
        self.counts.count_judged(row, self.seeds.contains(&row.url));
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
            why: task.why.clone(),
            attempts: link.attempts,
            time: self.is_live().then(|| self.clock.now()),
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
pub(super) fn fill_response(row: &mut LogRow, response: &Response, is_live: bool) {
    row.time = is_live.then_some(response.time);
    row.status = Some(response.status);
    row.bytes = response.body.len() as u64;
    row.milliseconds = response.milliseconds;
    row.address = response.address.map(|address| address.to_string());
    let media = response.header("content-type").and_then(|it| it.split(';').next());
    row.mime = media.map(|media| media.trim().to_ascii_lowercase());
}

/// Parses a `Retry-After` header, which is a number of seconds or a date. Returns milliseconds.
fn retry_after(value: &str, now: u64) -> Option<u64> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is a long delay, too.
        return Some(value.parse().unwrap_or(u64::MAX).saturating_mul(1_000));
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
        assert_eq!(retry_after("", noon), None);
        assert_eq!(retry_after("99999999999999999999999", noon), Some(u64::MAX));
    }
}
