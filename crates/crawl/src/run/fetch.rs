//! One fetch from start to end, on any thread: request, decompress, read, and make the archive
//! records.
//!
//! The result is complete in itself. Nothing is counted or stored here, so a fetch that is lost
//! costs nothing.

use std::sync::Arc;

use ontrail_archive::{Capture, Packed, digest, unpack};
use ontrail_pilot::Target;
use tokio::sync::Semaphore;
use url::Url;

use super::rules::RobotsResponse;
use crate::canonical_url::canonical;
use crate::focus::{Focus, Reading};
use crate::robots::SiteRules;
use crate::settings::{FetchSettings, OverLimit};
use crate::sitemap::Sitemap;
use crate::steer::Task;
use crate::web::{Failure, FailureKind, Response, Web};

/// The maximum size of a robots.txt (RFC 9309, section 2.5).
const ROBOTS_BYTES: usize = 500 << 10;
/// The maximum number of redirects followed for a robots.txt (RFC 9309, section 2.3.1.2).
const ROBOTS_REDIRECTS: usize = 5;

/// Performs fetches.
pub(crate) struct Fetcher {
    pub(crate) web: Arc<dyn Web>,
    pub(crate) focus: Arc<dyn Focus>,
    /// Limits the number of pages that are read at the same time to the number of threads.
    pub(crate) readers: Semaphore,
    pub(crate) settings: FetchSettings,
    /// True if pages are stored, so that archive records must be made.
    pub(crate) keeps_pages: bool,
}

/// A fetch that has ended, with its result.
pub(crate) struct FinishedFetch {
    pub(crate) task: Task,
    pub(crate) number: u64,
    pub(crate) result: FetchResult,
}

/// The resource that a fetch is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The robots.txt of the link's site.
    RobotsTxt,
    /// The link itself.
    Link,
}

impl FinishedFetch {
    /// Returns the result of a fetch that panicked.
    pub(crate) fn panicked(task: Task, number: u64, purpose: Purpose) -> Self {
        let detail = "internal error: the fetch panicked".to_owned();
        let failure = Failure { kind: FailureKind::Unreadable, detail };
        let result = match purpose {
            Purpose::Link => FetchResult::Failed(failure),
            Purpose::RobotsTxt => FetchResult::RobotsTxt {
                rules: RobotsResponse::NoResponse(failure.clone()),
                response: Err(failure),
            },
        };
        Self { task, number, result }
    }
}

/// The result of a fetch.
pub(crate) enum FetchResult {
    /// The robots.txt rules of the link's site, and the last response in the chain of redirects.
    RobotsTxt { rules: RobotsResponse, response: Result<Response, Failure> },
    /// There was no usable response.
    Failed(Failure),
    /// A response that is not a page: a redirect, an error, or an unwanted media type.
    NotAPage { response: Response, packed: Option<Packed> },
    /// A page.
    Page(Box<FetchedPage>),
    /// A sitemap.
    Sitemap { response: Response, sitemap: Sitemap },
}

/// A page that was fetched and read.
pub(crate) struct FetchedPage {
    pub(crate) response: Response,
    pub(crate) reading: Reading,
    /// The archive records, if pages are stored.
    pub(crate) packed: Option<Packed>,
    /// The digest of the body.
    pub(crate) digest: String,
    /// True if only the start of the page was read.
    pub(crate) is_cut: bool,
}

impl Fetcher {
    /// Performs a fetch. `number` makes the identifiers of its archive records unique.
    pub(crate) async fn fetch(
        self: Arc<Self>,
        task: Task,
        number: u64,
        purpose: Purpose,
    ) -> FinishedFetch {
        match purpose {
            Purpose::RobotsTxt => self.fetch_robots_txt(task, number).await,
            Purpose::Link => self.fetch_link(task, number).await,
        }
    }

    async fn fetch_link(self: Arc<Self>, task: Task, number: u64) -> FinishedFetch {
        let wants = |content_type: Option<&str>| match task.link().target {
            Target::Page => self.settings.takes(content_type),
            Target::Sitemap => true,
        };
        let response = self.web.fetch(&task.link().url, &wants, self.settings.body_limit).await;
        let result = match response {
            Err(failure) => FetchResult::Failed(failure),
            Ok(response) => self.read_elsewhere(&task, number, response).await,
        };
        FinishedFetch { task, number, result }
    }

    /// Reads a response on a blocking thread, so that other fetches can continue.
    async fn read_elsewhere(
        self: &Arc<Self>,
        task: &Task,
        number: u64,
        response: Response,
    ) -> FetchResult {
        let (own, url, target) = (Arc::clone(self), task.link().url.clone(), task.link().target);
        let read = move || own.read(&url, target, number, response);
        if !self.web.is_live() {
            return read();
        }
        let _turn = self.readers.acquire().await;
        match tokio::task::spawn_blocking(read).await {
            Ok(result) => result,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Reads a response.
    pub(super) fn read(
        &self,
        url: &Url,
        target: Target,
        number: u64,
        response: Response,
    ) -> FetchResult {
        let is_success = (200..300).contains(&response.status);
        if !is_success || response.is_unwanted {
            let is_kept = self.keeps_pages && response.location().is_some();
            let packed = is_kept.then(|| pack(url, number, &response));
            return FetchResult::NotAPage { response, packed };
        }
        let (bytes, is_bomb) = self.decompress(&response);
        let is_cut = response.is_cut || is_bomb;
        if is_cut && self.settings.over_limit == OverLimit::Drop {
            let detail = format!("more than {} bytes", self.settings.body_limit);
            return FetchResult::Failed(Failure { kind: FailureKind::TooLarge, detail });
        }
        if target == Target::Sitemap {
            let sitemap = Sitemap::parse(bytes.as_deref().unwrap_or(&response.body));
            return FetchResult::Sitemap { response, sitemap };
        }
        let content_type = response.header("content-type").map(str::to_owned);
        let body = bytes.as_deref().unwrap_or(&response.body);
        let mut reading = self.focus.read(body, url, content_type.as_deref());
        // NaN can be neither compared nor written as JSON.
        reading.relevance = reading.relevance.map(|it| if it.is_finite() { it } else { 0.0 });
        if let Some(directives) = response.header("x-robots-tag") {
            reading.robots.merge(directives);
        }
        let packed = self.keeps_pages.then(|| pack(url, number, &response));
        let digest = match &packed {
            Some(packed) => packed.digest.clone(),
            None => digest(&response.body),
        };
        FetchResult::Page(Box::new(FetchedPage { response, reading, packed, digest, is_cut }))
    }

    /// Decompresses the body, if it is compressed; the flag is true if the result exceeded the
    /// limit.
    fn decompress(&self, response: &Response) -> (Option<Vec<u8>>, bool) {
        let Some(codings) = response.header("content-encoding") else { return (None, false) };
        let unpacked = unpack(codings, response.body.clone(), self.settings.body_limit);
        (Some(unpacked.bytes), unpacked.cut)
    }

    async fn fetch_robots_txt(self: Arc<Self>, task: Task, number: u64) -> FinishedFetch {
        let mut url = task.link().url.join("/robots.txt");
        let mut response = Err(Failure {
            kind: FailureKind::Broken,
            detail: "the site has no URL for its robots.txt".to_owned(),
        });
        for _ in 0..=ROBOTS_REDIRECTS {
            let Ok(next) = &url else { break };
            response = self.web.fetch(next, &|_| true, ROBOTS_BYTES).await;
            let location = response.as_ref().ok().and_then(Response::location);
            let Some(location) = location else { break };
            url = match next.join(&location).map(canonical) {
                Ok(Some(target)) => Ok(target),
                Ok(None) | Err(_) => break,
            };
        }
        let rules = match &response {
            Err(failure) => RobotsResponse::NoResponse(failure.clone()),
            Ok(response) => match SiteRules::of_status(response.status) {
                None => RobotsResponse::Rules(SiteRules::parse(
                    &Self::robots_text(response),
                    &self.settings.agent,
                )),
                Some(rules) if response.status < 500 && response.status != 429 => {
                    RobotsResponse::Rules(rules)
                }
                // 429 (too many requests) does not say what is allowed.
                Some(_) if response.status == 429 => {
                    RobotsResponse::ServerError(SiteRules::failing())
                }
                Some(rules) => RobotsResponse::ServerError(rules),
            },
        };
        FinishedFetch { task, number, result: FetchResult::RobotsTxt { rules, response } }
    }

    fn robots_text(response: &Response) -> Vec<u8> {
        let codings = response.header("content-encoding").unwrap_or_default();
        unpack(codings, response.body.clone(), ROBOTS_BYTES).bytes
    }
}

/// Makes the archive records of a fetch.
fn pack(url: &Url, number: u64, response: &Response) -> Packed {
    capture(url.as_str(), number, response).pack()
}

/// Returns a fetch in the form that the archive crate expects.
pub(crate) fn capture<'a>(url: &'a str, number: u64, response: &'a Response) -> Capture<'a> {
    Capture {
        url,
        time: response.time,
        number,
        address: response.address,
        request: &response.request,
        head: &response.head,
        body: &response.body,
        truncated: response.is_cut.then_some("length"),
    }
}
