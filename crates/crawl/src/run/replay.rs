//! Rebuilds the state of a crawl from its archives, log and links.
//!
//! A state is the result of what happened, and the log says what happened, in order. So the log is
//! replayed: each link that it lists is taken from the frontier as if it had been chosen again, and
//! its page is read again from the archives instead of the web. The code that handled the result
//! the first time handles it again, so frontier, counters, known contents and the pilot come out as
//! they were. A page that was not stored is replaced by its row and its links in the table of
//! links.

use std::collections::HashMap;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use ontrail_archive::{Holding, Packed, record_at};
use ontrail_page::{AgentRobots, RobotsMeta};
use ontrail_pilot::{Choice, HostKey, Link, LinkKey, RankedLink, Rule, Score, Target, Verdict};
use url::Url;

use super::fetch::{FetchedPage, LinkResult};
use super::{COMMIT_ROWS, Crawl, CrawlError, CrawlParts};
use crate::focus::{Class, FoundLink, Reading};
use crate::frontier::{Lease, Take};
use crate::outcome::{FetchKind, Outcome};
use crate::output::{
    LinkRow, LogRow, OutputError, Salvaged, Sink, Stored, archive_path, link_rows, log_rows,
    salvage,
};
use crate::run::counts::{Counts, Summary};
use crate::sitemap::Sitemap;
use crate::steer::Task;
use crate::web::{Response, stored_response};

/// The result of rebuilding a state.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Repaired {
    /// The figures of the crawl.
    pub summary: Summary,
    /// The folders that surplus rows and records were moved to.
    pub moved: Vec<PathBuf>,
    /// Pages that the log lists as stored and that cannot be read from the archives.
    pub unreadable: u64,
    /// Pages that were not stored and whose links were not stored either, so that the links are
    /// lost.
    pub without_links: u64,
    /// Pages that were not stored; their links have the priorities that the table of links gives
    /// them.
    pub not_stored: u64,
}

impl Crawl {
    /// Rebuilds the state of the crawl in a folder by replaying its log. The state in `parts` must
    /// be new, and its web must be offline. `seconds` is the duration of the crawl so far. Calls
    /// `watch` with the numbers of rows that were replayed and of all rows.
    ///
    /// Rows and records that do not belong together are moved aside; nothing is deleted.
    pub fn repair(
        parts: CrawlParts,
        folder: &Path,
        seconds: f64,
        watch: &mut dyn FnMut(u64, u64),
    ) -> Result<Repaired, CrawlError> {
        let Salvaged { commit, moved } = salvage(folder)?;
        let crawl = Self::begin_with(parts, Counts::default(), Sink::Rows(Box::new(|_| ())))?;
        let mut replay = Replay::new(crawl, folder);
        replay.crawl.offer_seeds()?;
        let mut retries = 0;
        for row in log_rows(&folder.join("log"))? {
            let row = row?;
            replay.row(&row)?;
            retries += u64::from(row.attempts);
            if row.number.is_multiple_of(COMMIT_ROWS) {
                replay.crawl.commit()?;
                watch(row.number, commit.rows);
            }
        }
        let Replay { mut crawl, unreadable, without_links, not_stored, .. } = replay;
        crawl.earlier_seconds = seconds;
        let counts = &mut crawl.counts;
        counts.retries = retries;
        // Fetches have numbers of their own, so that records have identifiers of their own.
        counts.fetches = commit.rows + counts.retries;
        (counts.rows, counts.stored) = (commit.rows, commit.pages);
        (counts.commit, counts.positions) = (commit.number, commit.positions);
        crawl.commit_state()?;
        let summary = crawl.summary();
        Ok(Repaired { summary, moved, unreadable, without_links, not_stored })
    }
}

/// The rows of the table of links, read on demand.
type LinkRows = Box<dyn Iterator<Item = Result<LinkRow, OutputError>>>;

/// A crawl that is being replayed.
struct Replay<'a> {
    crawl: Crawl,
    folder: &'a Path,
    /// The URL that each chain of redirects has reached, by the URL that was requested first.
    chains: HashMap<String, Url>,
    /// The rows of the table of links that were not needed yet; none before the first is needed.
    links: Option<Peekable<LinkRows>>,
    unreadable: u64,
    without_links: u64,
    not_stored: u64,
}

impl<'a> Replay<'a> {
    fn new(crawl: Crawl, folder: &'a Path) -> Self {
        let (chains, links) = (HashMap::new(), None);
        Self { crawl, folder, chains, links, unreadable: 0, without_links: 0, not_stored: 0 }
    }

    /// Replays a row of the log.
    fn row(&mut self, row: &LogRow) -> Result<(), CrawlError> {
        let bytes = self.crawl.counts.bytes;
        // Links refer to the number of their page's row.
        self.crawl.counts.rows = row.number.saturating_sub(1);
        if row.kind == FetchKind::Robots {
            self.crawl.counts.robots += 1;
        } else if let Some(link) = self.link_of(row)
            && let Some(task) = self.take(link)?
        {
            self.result(task, row)?;
        }
        self.crawl.counts.rows = row.number;
        if row.is_page() {
            // The body may have been read again in another coding.
            self.crawl.counts.bytes = bytes + row.bytes;
        }
        Ok(())
    }

    /// Returns the link that a row is about.
    fn link_of(&mut self, row: &LogRow) -> Option<Link> {
        let is_redirect = row.outcome == Outcome::Redirect;
        let reached = self.chains.get(&row.url);
        let url = match reached {
            Some(reached) => reached.clone(),
            // The row of a redirect has the target as its last URL.
            None if is_redirect || row.outcome.is_error() => Url::parse(&row.url).ok()?,
            None => Url::parse(&row.final_url).ok()?,
        };
        if is_redirect {
            self.chains.insert(row.url.clone(), Url::parse(&row.final_url).ok()?);
        } else {
            self.chains.remove(&row.url);
        }
        let target = row.kind.target();
        Some(Link {
            redirected: (url.as_str() != row.url).then(|| (row.url.clone(), 1)),
            url,
            target,
            depth: row.depth,
            parent: row.parent.clone(),
            anchor: row.anchor.clone(),
            scores: row.scores.clone(),
            attempts: row.attempts,
        })
    }

    /// Takes a link from the frontier as if the pilot had chosen it now. A link that the frontier
    /// does not know, because the page that it was found on was not stored, is offered first.
    /// Returns none if the link is done.
    fn take(&mut self, link: Link) -> Result<Option<Task>, CrawlError> {
        let (key, crawl) = (link.key(), &mut self.crawl);
        let mut is_best = false;
        let is_chosen = |own: &LinkKey, _| *own == key;
        let (rule, is_look) = loop {
            match crawl.pilot.choose(&is_chosen) {
                Choice::Offer(links) => {
                    let offers = crawl.state.offer_all(links)?;
                    crawl.pilot.restored(&offers);
                }
                Choice::Link { key: chosen, rule, is_look, .. } if chosen == key => {
                    break (rule, is_look);
                }
                Choice::Link { key: other, .. } => {
                    crawl.pilot.returned(&other);
                    break (Rule::Free, false);
                }
                Choice::Best(rule) => {
                    is_best = true;
                    break (rule, false);
                }
                Choice::Wait | Choice::Done => break (Rule::Free, false),
            }
        };
        let lease = self.lease(&key, &link)?;
        if is_best {
            self.crawl.pilot.took(lease.as_ref().map(|lease| &lease.link));
        }
        let Some(mut lease) = lease else {
            self.crawl.pilot.gone(&key);
            return Ok(None);
        };
        // The frontier's link has no failed attempts, and not the scores at the time of the choice.
        let Link { depth, attempts, scores, redirected, .. } = link;
        let redirected = lease.link.redirected.take().or(redirected);
        lease.link = Link { depth, attempts, scores, redirected, ..lease.link };
        Ok(Some(Task { lease, rule, is_look, why: None }))
    }

    fn lease(&mut self, key: &LinkKey, link: &Link) -> Result<Option<Lease>, CrawlError> {
        let (crawl, host) = (&mut self.crawl, HostKey::of(link.host()));
        let now = crawl.clock.now();
        if let Take::Taken(lease) = crawl.state.take(key, host, now)? {
            return Ok(Some(*lease));
        }
        // It was fetched, so it was within every limit; limits of patterns do not apply to seeds.
        let rank = link.score(Score::Priority).unwrap_or(0.0);
        crawl
            .state
            .offer_all(vec![RankedLink { link: Link { depth: 0, ..link.clone() }, rank }])?;
        Ok(match crawl.state.take(key, host, now)? {
            Take::Taken(lease) => Some(*lease),
            Take::HostNotReady | Take::Gone => None,
        })
    }

    /// Handles the result of a link again.
    fn result(&mut self, task: Task, row: &LogRow) -> Result<(), CrawlError> {
        match row.outcome {
            Outcome::Page | Outcome::Duplicate => {
                let page = self.page(row)?;
                self.crawl.handle_page(&task, row.number, page)
            }
            Outcome::Sitemap if self.crawl.settings.output.links => {
                let links = self.links_of(row.number)?;
                let pages = links.iter().filter_map(|link| Url::parse(&link.url).ok()).collect();
                let sitemap = Sitemap { pages, sitemaps: Vec::new() };
                self.crawl.handle_sitemap(&task, &response_of(row), sitemap)
            }
            // Their content was not stored, so they have to be fetched again.
            Outcome::Sitemap | Outcome::Looked => self.crawl.give_back(task, 0),
            Outcome::Redirect => {
                let own = self.crawl.row(&task, Outcome::Redirect);
                self.crawl.follow_redirect(&task, &row.final_url, own)?;
                self.crawl.finish_link(&task, 0)
            }
            outcome => {
                let counts = &mut self.crawl.counts;
                if outcome.is_error() {
                    counts.count_error(&outcome.name());
                } else {
                    counts.count_refused(&outcome.name());
                }
                self.crawl.finish_link(&task, 0)
            }
        }
    }

    /// Reads a page again: from the archives, or what is known of it from the tables.
    fn page(&mut self, row: &LogRow) -> Result<FetchedPage, CrawlError> {
        let holding = row.stored.as_ref().map(|stored| self.holding(stored));
        let holding = match holding {
            Some(None) => {
                self.unreadable += 1;
                None
            }
            Some(holding) => holding,
            None => None,
        };
        let digest = holding.as_ref().and_then(|it| it.record.header("WARC-Payload-Digest"));
        let digest = digest.map_or_else(|| format!("unknown {}", row.number), str::to_owned);
        let packed = row.stored.as_ref().map(|stored| Packed {
            bytes: Vec::new(),
            response_length: stored.length,
            digest: digest.clone(),
        });
        // The links of a duplicate are not followed, so its body is not needed.
        let holding = holding.filter(|_| row.outcome == Outcome::Page);
        if let Some(page) = holding.and_then(|holding| self.read_again(row, &holding)) {
            return Ok(FetchedPage { packed, digest, ..page });
        }
        let reading = self.reading_of(row)?;
        Ok(FetchedPage { response: response_of(row), reading, packed, digest, is_cut: false })
    }

    fn holding(&self, stored: &Stored) -> Option<Holding> {
        let path = archive_path(self.folder, &stored.file);
        let record = record_at(&path, stored.offset).ok()?;
        let date = record.header("WARC-Date").map(str::to_owned);
        Some(Holding { date, record })
    }

    fn read_again(&mut self, row: &LogRow, holding: &Holding) -> Option<FetchedPage> {
        let fetcher = &self.crawl.fetcher;
        let mut response = stored_response(holding, fetcher.settings.body_limit, &|_| true);
        response.milliseconds = row.milliseconds;
        let url = Url::parse(&row.final_url).ok()?;
        let template = self.crawl.templates.of(url.host_str().unwrap_or_default());
        match fetcher.read(&url, Target::Page, &template, row.number, response) {
            LinkResult::Page(page) => Some(*page),
            _ => None,
        }
    }

    /// Returns what the tables say about a page.
    fn reading_of(&mut self, row: &LogRow) -> Result<Reading, CrawlError> {
        let mut links = Vec::new();
        if row.outcome == Outcome::Page {
            self.not_stored += 1;
            self.without_links += u64::from(!self.crawl.settings.output.links && row.links > 0);
            links = self.links_of(row.number)?;
        }
        let class = row.class.as_ref().map(|name| Class {
            name: name.clone(),
            probability: row.class_probability.unwrap_or(0.0),
        });
        Ok(Reading {
            title: row.title.clone().unwrap_or_default(),
            charset: "UTF-8",
            language: row.language.clone(),
            robots: RobotsMeta { noindex: row.stored.is_none(), nofollow: false },
            agent_robots: AgentRobots::default(),
            canonical: row.canonical.as_deref().and_then(|url| url.parse().ok()),
            relevance: row.relevance,
            judged: row.probability,
            class,
            terms: None,
            simhash: None,
            links: links.iter().filter_map(found_link).collect(),
            names: Vec::new(),
            fingerprints: Vec::new(),
        })
    }

    /// Returns the links of a page in the table of links. The table has the pages in the order of
    /// the log, in which they are replayed, so it is read only once.
    fn links_of(&mut self, page: u64) -> Result<Vec<LinkRow>, CrawlError> {
        let rows = if let Some(rows) = &mut self.links {
            rows
        } else {
            let rows: LinkRows = Box::new(link_rows(&self.folder.join("links"))?);
            self.links.insert(rows.peekable())
        };
        let mut links = Vec::new();
        let is_due = |row: &Result<LinkRow, OutputError>| match row {
            Ok(row) => row.page <= page,
            Err(_) => true,
        };
        while let Some(row) = rows.next_if(is_due) {
            let row = row?;
            if row.page == page {
                links.push(row);
            }
        }
        Ok(links)
    }
}

/// Returns a link of the table of links as it was found. Its priority is all that is known of the
/// relevance of its texts.
fn found_link(row: &LinkRow) -> Option<FoundLink> {
    let relevance = row.priority.unwrap_or(0.0);
    let url = Url::parse(&row.url).ok()?;
    let link = FoundLink::new(url, row.anchor.clone(), row.verdict == Verdict::Nofollow);
    Some(FoundLink { relevance, context: relevance, ..link })
}

/// Returns the response that a row is about, without its body.
fn response_of(row: &LogRow) -> Response {
    Response {
        status: row.status.unwrap_or(200),
        headers: Vec::new(),
        request: Vec::new(),
        head: Vec::new(),
        body: Vec::new(),
        is_cut: false,
        is_unwanted: false,
        address: None,
        time: row.time.unwrap_or(0),
        milliseconds: row.milliseconds,
    }
}
