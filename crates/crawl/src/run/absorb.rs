//! What becomes of what a visit brought.

use ontrail_pilot::{Link, Offer, Score, Target, Verdict};
use url::Url;

use super::rules::Answered;
use super::visit::{Found, PageFound, Visit, capture};
use super::{Crawl, CrawlError};
use crate::address::canonical;
use crate::focus::Reading;
use crate::metrics::Judged;
use crate::outcome::{FetchKind, Outcome};
use crate::output::LogRow;
use crate::sitemap::Sitemap;
use crate::state::Seen;
use crate::steer::{self, Task};
use crate::web::{Answer, Failure};

/// The first rest before a fetch is tried again, in milliseconds; it doubles each time.
const FIRST_RETRY: u64 = 5_000;
/// How many sitemaps may name one another in a row. The rules of sitemaps allow one step.
const DEEPEST_SITEMAP: u32 = 2;
/// The longest rest that a server may ask for.
const LONGEST_RETRY: u64 = 3_600_000;

impl Crawl {
    /// Takes in what a visit brought.
    pub(super) fn absorb(&mut self, visit: Visit) -> Result<(), CrawlError> {
        self.in_flight -= 1;
        let Visit { task, number, found } = visit;
        if !matches!(found, Found::Rules { .. }) {
            self.pages_in_flight -= 1;
        }
        match found {
            Found::Rules { rules, answer } => self.absorb_rules(task, rules, &answer),
            Found::Nothing(failure) => self.absorb_failure(task, &failure),
            Found::Other { answer, packed } => {
                if let Some(packed) = packed {
                    let url = &task.link().url;
                    self.sink.add_page(&packed, url, answer.time, answer.status, "unk")?;
                }
                self.absorb_other(task, &answer)
            }
            Found::Page(page) if task.is_look => self.absorb_look(task, &page),
            Found::Page(page) => self.absorb_page(&task, number, *page),
            Found::Sitemap { answer, sitemap } => self.absorb_sitemap(&task, &answer, sitemap),
        }
    }

    /// The rules of a site: the link that they were asked for goes back in line.
    fn absorb_rules(
        &mut self,
        task: Task,
        rules: Answered,
        answer: &Result<Answer, Failure>,
    ) -> Result<(), CrawlError> {
        self.counts.robots += 1;
        let (now, url) = (self.clock.now(), task.link().url.clone());
        let sitemaps = match &rules {
            Answered::Rules(rules) => rules.sitemaps().to_vec(),
            Answered::Failing(_) | Answered::Nothing(_) => Vec::new(),
        };
        let mut row =
            LogRow { kind: FetchKind::Robots, outcome: Outcome::Robots, ..LogRow::default() };
        row.url = url.join("/robots.txt").map(Into::into).unwrap_or_default();
        row.final_url.clone_from(&row.url);
        let (took, asked) = match answer {
            Ok(answer) => {
                fill_answer(&mut row, answer, self.visitor.web.is_live());
                (answer.milliseconds, asked_rest(answer))
            }
            Err(failure) => {
                row.outcome = Outcome::Failed(failure.kind);
                row.detail = Some(failure.detail.clone());
                (0, 0)
            }
        };
        self.log_row(row)?;
        let bytes = answer.as_ref().map_or(0, |answer| answer.body.len());
        self.rules.put(&url, rules, bytes, self.settings.fetch.retries, now);
        if self.settings.politeness.sitemaps {
            self.offer_sitemaps(sitemaps, 0)?;
        }
        let rest = now + self.rest(&url, took).max(asked);
        self.give_back(task, rest)
    }

    /// Takes up sitemaps, named by robots.txt or, so many steps further, by another sitemap.
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
        steer::list(&mut self.pilot, self.state.as_mut(), &links, super::SITEMAP_RANK)?;
        Ok(())
    }

    /// No answer: it is tried again later, or given up.
    fn absorb_failure(&mut self, task: Task, failure: &Failure) -> Result<(), CrawlError> {
        if failure.kind.is_passing()
            && let Some(rest) = self.retry_rest(&task, None)
        {
            return self.try_again(task, rest);
        }
        self.give_up(&task, failure)
    }

    /// A link for which there is no answer is dealt with.
    pub(super) fn give_up(&mut self, task: &Task, failure: &Failure) -> Result<(), CrawlError> {
        let url = task.link().url.as_str();
        tracing::info!(url, error = %failure, "failed");
        self.counts.count_error(failure.kind.name());
        let mut row = self.row(task, Outcome::Failed(failure.kind));
        row.detail = Some(failure.detail.clone());
        self.log_row(row)?;
        let rest = self.clock.now() + self.rest(&task.link().url, 0);
        self.finish_link(task, rest)
    }

    /// How long to rest before a link is tried again, if it is. Offline everything stays as it is.
    fn retry_rest(&self, task: &Task, asked: Option<u64>) -> Option<u64> {
        let is_worth =
            self.visitor.web.is_live() && task.link().attempts < self.settings.fetch.retries;
        is_worth.then(|| {
            let own = FIRST_RETRY << task.link().attempts.min(8);
            // Up to a quarter more, so that those who failed together do not come back together.
            let spread = u64::from(task.link().key()[0]) * own / 1_024;
            asked.unwrap_or(own + spread)
        })
    }

    fn try_again(&mut self, mut task: Task, rest: u64) -> Result<(), CrawlError> {
        self.counts.retries += 1;
        task.lease.link.attempts += 1;
        tracing::debug!(url = task.link().url.as_str(), rest, "to be tried again");
        let until = self.clock.now() + rest.max(self.rest(&task.link().url, 0));
        self.give_back(task, until)
    }

    /// An answer that is no page.
    fn absorb_other(&mut self, task: Task, answer: &Answer) -> Result<(), CrawlError> {
        let (status, asked) = (answer.status, asked_rest(answer));
        if matches!(status, 429 | 500 | 502 | 503 | 504)
            && let Some(rest) = self.retry_rest(&task, (asked > 0).then_some(asked))
        {
            return self.try_again(task, rest);
        }
        let location = answer.location();
        let outcome = match location {
            Some(_) => Outcome::Redirect,
            None if answer.is_unwanted => Outcome::WrongType,
            None => Outcome::Http(status),
        };
        let mut row = self.row(&task, outcome);
        fill_answer(&mut row, answer, self.visitor.web.is_live());
        if let Some(location) = location {
            row = self.follow(&task, &location, row)?;
        } else {
            self.counts.count_error(&outcome.name());
        }
        self.log_row(row)?;
        let rest = self.rest(&task.link().url, answer.milliseconds).max(asked);
        self.finish_link(&task, self.clock.now() + rest)
    }

    /// Follows a redirect: where it leads takes the place of the link, if it may be fetched at all. It is asked for
    /// like any other address, so its host's rules and rest are kept.
    fn follow(
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
            Offer::Known => row.detail = Some("leads to an address that is known".to_owned()),
            Offer::PatternFull | Offer::QueueFull | Offer::HostsFull => {}
        }
        Ok(row)
    }

    fn absorb_sitemap(
        &mut self,
        task: &Task,
        answer: &Answer,
        sitemap: Sitemap,
    ) -> Result<(), CrawlError> {
        self.counts.sitemaps += 1;
        let mut row = self.row(task, Outcome::Sitemap);
        fill_answer(&mut row, answer, self.visitor.web.is_live());
        row.links = u32::try_from(sitemap.pages.len()).unwrap_or(u32::MAX);
        self.log_row(row)?;
        self.offer_sitemaps(sitemap.sitemaps, task.link().depth + 1)?;
        self.offer_listed(sitemap.pages, task)?;
        let rest = self.clock.now() + self.rest(&task.link().url, answer.milliseconds);
        self.finish_link(task, rest)
    }

    /// A page that was only looked at: its links are taken up, and it waits again.
    fn absorb_look(&mut self, task: Task, page: &PageFound) -> Result<(), CrawlError> {
        let mut row = self.row(&task, Outcome::Looked);
        fill_answer(&mut row, &page.answer, self.visitor.web.is_live());
        row.relevance = page.reading.relevance;
        row.links = u32::try_from(page.reading.links.len()).unwrap_or(u32::MAX);
        self.log_row(row)?;
        self.take_up_links(&task, &page.reading, true)?;
        let rest = self.clock.now() + self.rest(&task.link().url, page.answer.milliseconds);
        Ok(self.state.give_back(task.lease, rest)?)
    }

    /// A page: judged, stored, logged, and its links taken up.
    fn absorb_page(&mut self, task: &Task, number: u64, page: PageFound) -> Result<(), CrawlError> {
        let PageFound { answer, reading, packed, digest, is_cut } = page;
        let url = &task.link().url;
        let mut row = self.row(task, Outcome::Page);
        fill_answer(&mut row, &answer, self.visitor.web.is_live());
        row.detail = is_cut.then(|| "only its start was kept or read".to_owned());
        let is_relevant = self.pilot.is_relevant(&reading.facts());
        let is_wanted = self.settings.output.irrelevant || is_relevant != Some(false);
        let is_kept = is_wanted && !reading.robots.noindex;
        let seen = Seen { url: url.to_string(), time: answer.time };
        let same = self.state.same_bytes(&digest, &seen, is_kept)?;
        let near = match (&same, reading.gist) {
            (None, Some(gist)) => self.state.near_text(gist, url.as_str())?,
            _ => None,
        };
        row.outcome = if same.is_some() { Outcome::Duplicate } else { Outcome::Page };
        if let Some(packed) = packed.filter(|_| is_kept) {
            let packed = match &same {
                Some(first) => {
                    capture(url.as_str(), number, &answer).pack_revisit(&first.url, first.time)
                }
                None => packed,
            };
            let mime = row.mime.as_deref().unwrap_or("unk");
            row.stored = self.sink.add_page(&packed, url, answer.time, answer.status, mime)?;
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
        self.take_up_links(task, &reading, is_new)?;
        let rest = self.clock.now() + self.rest(&task.link().url, answer.milliseconds);
        Ok(self.state.finish(&task.lease, rest, true)?)
    }

    /// Counts what a page is, by the crawler's opinion and by its label.
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

    /// A row of the log for a link.
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
            time: self.visitor.web.is_live().then(|| self.clock.now()),
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

/// What an answer tells the log.
fn fill_answer(row: &mut LogRow, answer: &Answer, is_live: bool) {
    row.time = is_live.then_some(answer.time);
    row.status = Some(answer.status);
    row.bytes = answer.body.len() as u64;
    row.milliseconds = answer.milliseconds;
    row.address = answer.address.map(|address| address.to_string());
    let media = answer.header("content-type").and_then(|it| it.split(';').next());
    row.mime = media.map(|media| media.trim().to_ascii_lowercase());
}

/// How long a server asks to be left alone with its answer, in milliseconds, up to an hour.
fn asked_rest(answer: &Answer) -> u64 {
    let asked = answer.header("retry-after").filter(|_| matches!(answer.status, 429 | 500..600));
    asked.and_then(|it| retry_after(it, answer.time)).unwrap_or(0).min(LONGEST_RETRY)
}

/// How long a server asks to be left alone, in milliseconds: a number of seconds, or a date.
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
    fn servers_may_ask_to_be_left_alone() {
        assert_eq!(retry_after(" 120 ", 0), Some(120_000));
        let noon = 1_700_049_600_000;
        assert_eq!(retry_after("Wed, 15 Nov 2023 12:01:00 GMT", noon), Some(60_000));
        assert_eq!(retry_after("Wed, 15 Nov 2023 11:00:00 GMT", noon), Some(0));
        assert_eq!(retry_after("soon", noon), None);
    }
}
