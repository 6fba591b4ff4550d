//! One fetch from start to end, on any thread: request, decompress, read, and make the archive
//! records.
//!
//! The result is complete in itself. Nothing is counted or stored here, so a fetch that is lost
//! costs nothing.

use std::sync::Arc;

use ontrail_archive::{Capture, Packed, digest, unpack};
use ontrail_page::HostTemplate;
use ontrail_pilot::Target;
use tokio::sync::Semaphore;
use url::Url;

use super::robots_txt::{ROBOTS_BYTES, RobotsRequest};
use crate::canonical_url::{canonical, canonical_target};
use crate::focus::{Focus, Reading};
use crate::robots::product_token;
use crate::settings::{FetchSettings, OverLimit};
use crate::sitemap::Sitemap;
use crate::steer::Task;
use crate::web::{Failure, FailureKind, Response, Web};

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

/// The task of a fetch.
#[derive(Debug, Clone)]
pub(crate) enum Job {
    /// Fetch a link of a site whose template is known so far.
    Link(Box<Task>, HostTemplate),
    /// Request a robots.txt.
    Robots(RobotsRequest),
}

/// A fetch that has ended, with its result.
pub(crate) struct FinishedFetch {
    pub(crate) number: u64,
    pub(crate) result: FetchResult,
}

impl FinishedFetch {
    /// Returns the result of a fetch that panicked.
    pub(crate) fn panicked(job: Job, number: u64) -> Self {
        let detail = "internal error: the fetch panicked".to_owned();
        let failure = Failure { kind: FailureKind::Unreadable, detail };
        let result = match job {
            Job::Link(task, _) => FetchResult::Link(task, LinkResult::Failed(failure)),
            Job::Robots(request) => FetchResult::Robots(request, Err(failure)),
        };
        Self { number, result }
    }
}

/// The result of a fetch.
pub(crate) enum FetchResult {
    /// The response to a request for a robots.txt.
    Robots(RobotsRequest, Result<Response, Failure>),
    /// The result for a link.
    Link(Box<Task>, LinkResult),
}

/// The result of fetching a link.
pub(crate) enum LinkResult {
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
    pub(crate) async fn fetch(self: Arc<Self>, job: Job, number: u64) -> FinishedFetch {
        let result = match job {
            Job::Link(task, template) => {
                let result = self.fetch_link(&task, template, number).await;
                FetchResult::Link(task, result)
            }
            Job::Robots(request) => {
                let response = self.web.fetch(&request.url, &|_| true, ROBOTS_BYTES).await;
                FetchResult::Robots(request, response)
            }
        };
        FinishedFetch { number, result }
    }

    async fn fetch_link(
        self: &Arc<Self>,
        task: &Task,
        template: HostTemplate,
        number: u64,
    ) -> LinkResult {
        let wants = |content_type: Option<&str>| match task.link().target {
            Target::Page => self.settings.takes(content_type),
            Target::Sitemap => true,
        };
        let response = self.web.fetch(&task.link().url, &wants, self.settings.body_limit).await;
        match response {
            Err(failure) => LinkResult::Failed(failure),
            Ok(response) => self.read_elsewhere(task, template, number, response).await,
        }
    }

    /// Reads a response on a blocking thread, so that other fetches can continue.
    async fn read_elsewhere(
        self: &Arc<Self>,
        task: &Task,
        template: HostTemplate,
        number: u64,
        response: Response,
    ) -> LinkResult {
        let (own, url, target) = (Arc::clone(self), task.link().url.clone(), task.link().target);
        let read = move || own.read(&url, target, &template, number, response);
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
        template: &HostTemplate,
        number: u64,
        response: Response,
    ) -> LinkResult {
        let is_success = (200..300).contains(&response.status);
        if !is_success || response.is_unwanted {
            let is_kept = self.keeps_pages && response.location().is_some();
            let packed = is_kept.then(|| pack(url, number, &response));
            return LinkResult::NotAPage { response, packed };
        }
        let (bytes, is_bomb) = self.decompress(&response);
        let is_cut = response.is_cut || is_bomb;
        if is_cut && self.settings.over_limit == OverLimit::Drop {
            let detail = format!("more than {} bytes", self.settings.body_limit);
            return LinkResult::Failed(Failure { kind: FailureKind::TooLarge, detail });
        }
        if target == Target::Sitemap {
            let sitemap = Sitemap::parse(bytes.as_deref().unwrap_or(&response.body));
            return LinkResult::Sitemap { response, sitemap };
        }
        let content_type = response.header("content-type").map(str::to_owned);
        let body = bytes.as_deref().unwrap_or(&response.body);
        let mut reading = self.focus.read(body, url, content_type.as_deref(), template);
        // NaN can be neither compared nor written as JSON.
        reading.relevance = reading.relevance.map(|it| if it.is_finite() { it } else { 0.0 });
        self.add_headers(&mut reading, url, &response);
        let packed = self.keeps_pages.then(|| pack(url, number, &response));
        let digest = match &packed {
            Some(packed) => packed.digest.clone(),
            None => digest(&response.body),
        };
        LinkResult::Page(Box::new(FetchedPage { response, reading, packed, digest, is_cut }))
    }

    /// Adds what the headers say to crawlers to the reading of a page, and leaves of the
    /// instructions those for this crawler.
    fn add_headers(&self, reading: &mut Reading, url: &Url, response: &Response) {
        let agent = product_token(&self.settings.agent);
        reading.robots.add_all(reading.agent_robots.of(agent));
        for directives in response.headers_named("x-robots-tag") {
            reading.robots.merge_header(directives, agent);
        }
        let of_header = || response.headers_named("link").find_map(|it| canonical_target(it, url));
        let declared = reading.canonical.take().or_else(of_header);
        reading.canonical = declared.and_then(canonical);
    }

    /// Decompresses the body, if it is compressed; the flag is true if the result exceeded the
    /// limit.
    fn decompress(&self, response: &Response) -> (Option<Vec<u8>>, bool) {
        let Some(codings) = response.header("content-encoding") else { return (None, false) };
        let unpacked = unpack(codings, response.body.clone(), self.settings.body_limit);
        (Some(unpacked.bytes), unpacked.cut)
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
