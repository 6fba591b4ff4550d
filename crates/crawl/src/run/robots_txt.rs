//! Requests for robots.txt files, and the redirects of such requests.
//!
//! The links of a site wait while its robots.txt is requested, so it is asked for once, however
//! many connections a host may have. A redirect is a visit to another host: it waits until that
//! host and its machine may be asked. Sites that redirect to the same URL share one request.

use std::collections::BTreeMap;

use ontrail_archive::unpack;
use ontrail_pilot::{HostKey, host_of};
use url::Url;

use super::fetch::Job;
use super::rules::RobotsFile;
use super::{Crawl, CrawlError};
use crate::canonical_url::canonical;
use crate::frontier::Visit;
use crate::outcome::{FetchKind, Outcome};
use crate::output::LogRow;
use crate::settings::milliseconds;
use crate::steer::Task;
use crate::web::{Failure, FailureKind, Response};

/// The maximum size of a robots.txt (RFC 9309, section 2.5), and one byte more, by which the parser
/// knows that the last line is not complete.
pub(crate) const ROBOTS_BYTES: usize = (500 << 10) + 1;
/// The maximum number of redirects followed for a robots.txt (RFC 9309, section 2.3.1.2).
const ROBOTS_REDIRECTS: u8 = 5;
/// The wait before a host that is busy is tried again, in milliseconds.
const BUSY_WAIT: u64 = 50;

/// A request for the robots.txt of sites, or for the URL that it redirects to.
#[derive(Debug, Clone)]
pub(crate) struct RobotsRequest {
    /// The sites that wait for the response, each as the URL of its robots.txt.
    pub(crate) sites: Vec<Url>,
    pub(crate) url: Url,
    pub(crate) redirects: u8,
}

/// Redirects that wait until their hosts may be asked, by URL.
#[derive(Debug, Default)]
pub(crate) struct WaitingRedirects(BTreeMap<String, (RobotsRequest, u64)>);

impl WaitingRedirects {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, request: RobotsRequest, not_before: u64) {
        let key = request.url.to_string();
        match self.0.get_mut(&key) {
            Some((waiting, _)) => {
                waiting.sites.extend(request.sites);
                waiting.redirects = waiting.redirects.max(request.redirects);
            }
            None => {
                self.0.insert(key, (request, not_before));
            }
        }
    }

    /// Returns the requests that may be tried at the time `now`.
    fn take_due(&mut self, now: u64) -> Vec<RobotsRequest> {
        let is_due = |(_, (_, not_before)): &(&String, &(RobotsRequest, u64))| *not_before <= now;
        let due: Vec<String> = self.0.iter().filter(is_due).map(|(key, _)| key.clone()).collect();
        due.iter().filter_map(|key| self.0.remove(key)).map(|(request, _)| request).collect()
    }

    fn next_time(&self) -> Option<u64> {
        self.0.values().map(|(_, not_before)| *not_before).min()
    }
}

impl Crawl {
    /// Requests the robots.txt of a link's site. The link returns to its queue, and the links of
    /// its host wait for the response.
    pub(super) fn request_robots_txt(&mut self, task: Task) -> Result<(), CrawlError> {
        let link = task.link();
        let host = HostKey::of(link.host());
        let url = link.url.join("/robots.txt");
        self.pilot.returned(&link.key());
        let Ok(url) = url else {
            let detail = "the site has no URL for its robots.txt".to_owned();
            let failure = Failure { kind: FailureKind::Broken, detail };
            self.rules.put_unreachable(&task.link().url, failure, self.clock.now());
            return Ok(self.state.give_back(task.lease, 0)?);
        };
        self.state.visit_instead(task.lease)?;
        self.state.hold(host);
        self.spawn(Job::Robots(RobotsRequest { sites: vec![url.clone()], url, redirects: 0 }));
        Ok(())
    }

    /// Starts the redirected requests whose hosts may be asked now. Returns the time at which the
    /// next may start.
    pub(super) fn start_redirects(&mut self) -> Result<Option<u64>, CrawlError> {
        let now = self.clock.now();
        for request in self.redirects.take_due(now) {
            if let Some(rules) =
                self.rules.peek(&request.url).filter(|_| is_robots_url(&request.url))
            {
                let (rules, until) = (rules.clone(), self.rules_valid_until(now));
                for site in &request.sites {
                    self.rules.put_rules(site, rules.clone(), until);
                    self.state.release(HostKey::of(host_of(site)));
                }
                continue;
            }
            match self.visit_for(&request.url, now)? {
                Visit::Begun => self.spawn(Job::Robots(request)),
                Visit::NotBefore(time) => self.redirects.add(request, time),
                Visit::Busy => self.redirects.add(request, now + BUSY_WAIT),
                Visit::Refused => {
                    let detail = "robots.txt redirects to one host too many".to_owned();
                    let failure = Failure { kind: FailureKind::Broken, detail };
                    self.robots_failed(&request.sites, &failure);
                }
            }
        }
        Ok(self.redirects.next_time())
    }

    /// Begins a visit to a URL's host, once the machine behind it is known.
    fn visit_for(&mut self, url: &Url, now: u64) -> Result<Visit, CrawlError> {
        let Some(located) = self.fetcher.web.located(url) else {
            self.look_up(url.clone());
            return Ok(Visit::NotBefore(now + BUSY_WAIT));
        };
        // The request itself reports a failure.
        let machine = located.ok().flatten();
        Ok(self.state.visit(url, machine, now)?)
    }

    /// Handles the response to a request for a robots.txt.
    pub(super) fn handle_robots_txt(
        &mut self,
        request: RobotsRequest,
        response: &Result<Response, Failure>,
    ) -> Result<(), CrawlError> {
        self.counts.robots += 1;
        self.log_robots_txt(&request, response)?;
        let (now, host) = (self.clock.now(), HostKey::of(host_of(&request.url)));
        let response = match response {
            Ok(response) => response,
            Err(failure) => {
                let delay = self.crawl_delay(&request.url, 0);
                self.state.end_visit(host, now + delay);
                self.note_failure(host, failure, now);
                self.robots_failed(&request.sites, failure);
                return Ok(());
            }
        };
        self.note_response(host, response, now);
        let target = response.location().and_then(|location| request.url.join(&location).ok());
        let target = target.and_then(canonical).filter(|_| request.redirects < ROBOTS_REDIRECTS);
        let is_failure = response.status >= 500 || response.status == 429;
        if target.is_none() && !is_failure {
            self.keep_for_sites(&request, response, now)?;
        }
        // The file may ask for a crawl delay, so it is read first.
        let delay = self.crawl_delay(&request.url, response.milliseconds);
        self.state.end_visit(host, now + delay.max(self.requested_delay(response)));
        if let Some(url) = target {
            let RobotsRequest { sites, redirects, .. } = request;
            self.redirects.add(RobotsRequest { sites, url, redirects: redirects + 1 }, now);
        } else if is_failure {
            let detail = format!("robots.txt: status {}", response.status);
            let failure = Failure { kind: FailureKind::Broken, detail };
            self.robots_failed(&request.sites, &failure);
        } else {
            for site in &request.sites {
                let host = HostKey::of(host_of(site));
                self.state.set_health(host, self.state.health(host).answered(), 0);
                self.state.release(host);
            }
        }
        Ok(())
    }

    /// Caches and stores a robots.txt for the sites that wait for it, and for its own site.
    fn keep_for_sites(
        &mut self,
        request: &RobotsRequest,
        response: &Response,
        now: u64,
    ) -> Result<(), CrawlError> {
        for site in &request.sites {
            self.keep_robots_txt(site, response, now)?;
        }
        if is_robots_url(&request.url) && !request.sites.contains(&request.url) {
            self.keep_robots_txt(&request.url, response, now)?;
        }
        Ok(())
    }

    /// Caches and stores a robots.txt, and offers the sitemaps that it names.
    fn keep_robots_txt(
        &mut self,
        site: &Url,
        response: &Response,
        now: u64,
    ) -> Result<(), CrawlError> {
        let codings = response.header("content-encoding").unwrap_or_default();
        let text = unpack(codings, response.body.clone(), ROBOTS_BYTES).bytes;
        let file = RobotsFile::new(response.status, text, self.rules_valid_until(now));
        let agent = self.settings.fetch.agent.as_str();
        if self.is_live() && self.state.is_durable() {
            file.store(site, self.state.as_mut())?;
        }
        self.rules.put_file(site, &file, agent);
        if self.settings.politeness.sitemaps {
            let sitemaps = file.rules(agent).sitemaps().to_vec();
            self.offer_sitemaps(sitemaps, 0)?;
        }
        Ok(())
    }

    /// Returns the time until which a robots.txt that was received at the time `now` is valid.
    fn rules_valid_until(&self, now: u64) -> u64 {
        now.saturating_add(milliseconds(self.settings.politeness.robots_max_age))
    }

    /// Handles that the robots.txt of sites could not be had: rules that have expired stay in use;
    /// without them, the host backs off or, if asking again is useless, its links are given up.
    fn robots_failed(&mut self, sites: &[Url], failure: &Failure) {
        let now = self.clock.now();
        for site in sites {
            let host = HostKey::of(host_of(site));
            if self.is_final(failure, self.state.health(host)) {
                self.rules.put_unreachable(site, failure.clone(), now);
            } else if !self.rules.extend(site, now) {
                self.back_off(host, now);
            }
            self.state.release(host);
        }
    }

    /// Leaves a host alone for longer than the last time, unless the trouble is our own.
    pub(super) fn back_off(&mut self, host: HostKey, now: u64) {
        let mut health = self.state.health(host);
        if self.trouble.kind().is_none() {
            health = health.failed(now);
        }
        let spread = host.0.to_be_bytes()[0];
        let wait = health.back_off(spread).max(super::PAUSE_DELAY);
        self.state.set_health(host, health, now + wait);
    }

    fn log_robots_txt(
        &mut self,
        request: &RobotsRequest,
        response: &Result<Response, Failure>,
    ) -> Result<(), CrawlError> {
        let mut row =
            LogRow { kind: FetchKind::Robots, outcome: Outcome::Robots, ..LogRow::default() };
        row.url = request.sites.first().map(Url::to_string).unwrap_or_default();
        row.final_url = request.url.to_string();
        match response {
            Ok(response) => super::results::fill_response(&mut row, response, self.is_live()),
            Err(failure) => {
                row.outcome = Outcome::Failed(failure.kind);
                row.detail = Some(failure.detail.clone());
            }
        }
        self.log_row(row)
    }
}

/// Returns true for the URL of a site's robots.txt.
fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}
