//! One fetch from beginning to end, on whatever thread: ask, unpack, read, and make the records for the archive.
//!
//! What it brings is complete in itself. Nothing is counted or stored here, so a visit that is lost costs nothing.

use std::sync::Arc;

use ontrail_archive::{Capture, Packed, digest, unpack};
use ontrail_pilot::Target;
use tokio::sync::Semaphore;
use url::Url;

use super::rules::Answered;
use crate::address::canonical;
use crate::focus::{Focus, Reading};
use crate::robots::SiteRules;
use crate::settings::{FetchSettings, OverLimit};
use crate::sitemap::Sitemap;
use crate::steer::Task;
use crate::web::{Answer, Failure, FailureKind, Web};

/// The longest robots.txt that is read (RFC 9309, section 2.5).
const ROBOTS_BYTES: usize = 500 << 10;
/// How many redirects of a robots.txt are followed (section 2.3.1.2).
const ROBOTS_REDIRECTS: usize = 5;

/// What visits need.
pub(crate) struct Visitor {
    pub(crate) web: Arc<dyn Web>,
    pub(crate) focus: Arc<dyn Focus>,
    /// As many pages are read at a time as there are cores for it.
    pub(crate) readers: Semaphore,
    pub(crate) settings: FetchSettings,
    /// Whether what comes is kept, and so packed.
    pub(crate) packs: bool,
}

/// What a visit brought.
pub(crate) struct Visit {
    pub(crate) task: Task,
    pub(crate) number: u64,
    pub(crate) found: Found,
}

/// What a visit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The rules of the link's site.
    Rules,
    /// What is behind the link.
    Fetch,
}

impl Visit {
    /// A visit that broke down for a reason that is our own.
    pub(crate) fn lost(task: Task, number: u64, purpose: Purpose) -> Self {
        let detail = "reading it broke down".to_owned();
        let failure = Failure { kind: FailureKind::Unreadable, detail };
        let found = match purpose {
            Purpose::Fetch => Found::Nothing(failure),
            Purpose::Rules => {
                Found::Rules { rules: Answered::Nothing(failure.clone()), answer: Err(failure) }
            }
        };
        Self { task, number, found }
    }
}

/// What was found.
pub(crate) enum Found {
    /// The rules of the link's site, and the last answer on the way to them.
    Rules { rules: Answered, answer: Result<Answer, Failure> },
    /// No answer.
    Nothing(Failure),
    /// An answer that is no page: a redirect, an error, or something of another type.
    Other { answer: Answer, packed: Option<Packed> },
    /// A page.
    Page(Box<PageFound>),
    /// A sitemap.
    Sitemap { answer: Answer, sitemap: Sitemap },
}

/// A page that was read.
pub(crate) struct PageFound {
    pub(crate) answer: Answer,
    pub(crate) reading: Reading,
    /// Its records, if they are kept.
    pub(crate) packed: Option<Packed>,
    /// The digest of its body.
    pub(crate) digest: String,
    /// Whether only its start was read.
    pub(crate) is_cut: bool,
}

impl Visitor {
    /// Makes a visit. `number` tells its records from others.
    pub(crate) async fn visit(self: Arc<Self>, task: Task, number: u64, purpose: Purpose) -> Visit {
        match purpose {
            Purpose::Rules => self.rules(task, number).await,
            Purpose::Fetch => self.fetch(task, number).await,
        }
    }

    /// Fetches what is behind a link.
    async fn fetch(self: Arc<Self>, task: Task, number: u64) -> Visit {
        let wants = |content_type: Option<&str>| match task.link().target {
            Target::Page => self.settings.takes(content_type),
            Target::Sitemap => true,
        };
        let answer = self.web.fetch(&task.link().url, &wants, self.settings.body_limit).await;
        let found = match answer {
            Err(failure) => Found::Nothing(failure),
            Ok(answer) => self.digest(&task, number, answer).await,
        };
        Visit { task, number, found }
    }

    /// Reads an answer, away from the threads that fetch.
    async fn digest(self: &Arc<Self>, task: &Task, number: u64, answer: Answer) -> Found {
        let (own, url, target) = (Arc::clone(self), task.link().url.clone(), task.link().target);
        let read = move || own.read(&url, target, number, answer);
        if !self.web.is_live() {
            return read();
        }
        let _turn = self.readers.acquire().await;
        match tokio::task::spawn_blocking(read).await {
            Ok(found) => found,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    fn read(&self, url: &Url, target: Target, number: u64, answer: Answer) -> Found {
        let is_success = (200..300).contains(&answer.status);
        if !is_success || answer.is_unwanted {
            let is_kept = self.packs && answer.location().is_some();
            let packed = is_kept.then(|| pack(url, number, &answer));
            return Found::Other { answer, packed };
        }
        let (bytes, is_bomb) = self.unpacked(&answer);
        let is_cut = answer.is_cut || is_bomb;
        if is_cut && self.settings.over_limit == OverLimit::Drop {
            let detail = format!("more than {} bytes", self.settings.body_limit);
            return Found::Nothing(Failure { kind: FailureKind::TooLarge, detail });
        }
        if target == Target::Sitemap {
            let sitemap = Sitemap::parse(bytes.as_deref().unwrap_or(&answer.body));
            return Found::Sitemap { answer, sitemap };
        }
        let content_type = answer.header("content-type").map(str::to_owned);
        let body = bytes.as_deref().unwrap_or(&answer.body);
        let mut reading = self.focus.read(body, url, content_type.as_deref());
        // What is no number is no relevance, and would be no JSON.
        reading.relevance = reading.relevance.map(|it| if it.is_finite() { it } else { 0.0 });
        if let Some(asked) = answer.header("x-robots-tag") {
            reading.robots.merge(asked);
        }
        let packed = self.packs.then(|| pack(url, number, &answer));
        let digest = match &packed {
            Some(packed) => packed.digest.clone(),
            None => digest(&answer.body),
        };
        Found::Page(Box::new(PageFound { answer, reading, packed, digest, is_cut }))
    }

    /// The body without its packing, if it had any, and whether it was too long for that.
    fn unpacked(&self, answer: &Answer) -> (Option<Vec<u8>>, bool) {
        let Some(codings) = answer.header("content-encoding") else { return (None, false) };
        let unpacked = unpack(codings, answer.body.clone(), self.settings.body_limit);
        (Some(unpacked.bytes), unpacked.cut)
    }

    /// Asks for the rules of a link's site.
    async fn rules(self: Arc<Self>, task: Task, number: u64) -> Visit {
        let mut url = task.link().url.join("/robots.txt");
        let mut answer = Err(Failure {
            kind: FailureKind::Broken,
            detail: "the site has no address for its rules".to_owned(),
        });
        for _ in 0..=ROBOTS_REDIRECTS {
            let Ok(next) = &url else { break };
            answer = self.web.fetch(next, &|_| true, ROBOTS_BYTES).await;
            let location = answer.as_ref().ok().and_then(Answer::location);
            let Some(location) = location else { break };
            url = match next.join(&location).map(canonical) {
                Ok(Some(target)) => Ok(target),
                Ok(None) | Err(_) => break,
            };
        }
        let rules = match &answer {
            Err(failure) => Answered::Nothing(failure.clone()),
            Ok(answer) => match SiteRules::of_status(answer.status) {
                None => Answered::Rules(SiteRules::parse(
                    &Self::robots_text(answer),
                    &self.settings.agent,
                )),
                Some(rules) if answer.status < 500 && answer.status != 429 => {
                    Answered::Rules(rules)
                }
                // Too many requests say nothing about what is allowed.
                Some(_) if answer.status == 429 => Answered::Failing(SiteRules::failing()),
                Some(rules) => Answered::Failing(rules),
            },
        };
        Visit { task, number, found: Found::Rules { rules, answer } }
    }

    fn robots_text(answer: &Answer) -> Vec<u8> {
        let codings = answer.header("content-encoding").unwrap_or_default();
        unpack(codings, answer.body.clone(), ROBOTS_BYTES).bytes
    }
}

/// The records of a visit.
fn pack(url: &Url, number: u64, answer: &Answer) -> Packed {
    capture(url.as_str(), number, answer).pack()
}

/// A visit as archives see it.
pub(crate) fn capture<'a>(url: &'a str, number: u64, answer: &'a Answer) -> Capture<'a> {
    Capture {
        url,
        time: answer.time,
        number,
        address: answer.address,
        request: &answer.request,
        head: &answer.head,
        body: &answer.body,
        truncated: answer.is_cut.then_some("length"),
    }
}
