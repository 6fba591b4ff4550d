//! The robots.txt rules of a site (RFC 9309).
//!
//! The crate robotxt parses and matches: the longest matching rule wins, Allow wins over a Disallow
//! of the same length, groups of the same agent are merged, `*` and `$` are supported, and rules
//! and URLs are compared in one form of percent-encoding. Only the first 500 KiB of a file count.
//! This module adds what a crawler needs besides: agents are compared by their product token, a
//! status code in place of a file is interpreted, and a verdict names the rule that decided.

use std::time::Duration;

use robotxt::Robots;
use url::{Position, Url};

/// The robots.txt rules of one site for one crawler.
#[derive(Debug, Clone)]
pub struct SiteRules {
    robots: Robots,
    source: Source,
}

/// The source of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A file.
    File,
    /// There is no file, so everything is allowed.
    Absent,
    /// The server failed, so nothing is allowed until it is asked again.
    Failing,
}

/// The decision about a URL by robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsVerdict {
    /// True if the URL may be fetched.
    pub is_allowed: bool,
    /// The rule or other reason that decided.
    pub reason: String,
}

/// Returns the product token of a crawler's name, by which its rules are looked up: the leading
/// letters, `-` and `_`.
///
/// ```
/// # use ontrail_crawl::product_token;
/// assert_eq!(product_token("Ontrail/0.1 (+mailto:someone@example.org)"), "Ontrail");
/// assert_eq!(product_token("*"), "*");
/// ```
#[must_use]
pub fn product_token(name: &str) -> &str {
    let name = name.trim();
    if name.starts_with('*') {
        return "*";
    }
    let is_part = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
    &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())]
}

impl SiteRules {
    /// Parses a robots.txt and selects the rules for a crawler with this name.
    #[must_use]
    pub fn parse(text: &[u8], agent: &str) -> Self {
        let robots = Robots::parse(&with_product_tokens(text), product_token(agent));
        Self { robots, source: Source::File }
    }

    /// Returns the rules that follow from the status of the response to a request for robots.txt,
    /// after redirects. A missing file (4xx) allows everything; a failing server (5xx, or 0 for no
    /// response at all) allows nothing until it is asked again. Returns none for a success, where
    /// the file decides.
    #[must_use]
    pub fn of_status(status: u16) -> Option<Self> {
        let (robots, source) = match status {
            200..=299 => return None,
            // A chain of redirects without an end counts as a missing file (RFC 9309, section
            // 2.3.1.2).
            300..=499 => (Robots::allow_all(), Source::Absent),
            _ => (Robots::disallow_all(), Source::Failing),
        };
        Some(Self { robots, source })
    }

    /// Returns the rules of a server that cannot return its robots.txt now: nothing is allowed.
    #[must_use]
    pub fn failing() -> Self {
        Self { robots: Robots::disallow_all(), source: Source::Failing }
    }

    /// Returns true if a URL of the site may be fetched. robots.txt itself always may.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        self.robots.is_url_allowed(url)
    }

    /// Returns the decision about a URL, with its reason.
    #[must_use]
    pub fn verdict(&self, url: &Url) -> RobotsVerdict {
        RobotsVerdict { is_allowed: self.allows(url), reason: self.reason(url) }
    }

    fn reason(&self, url: &Url) -> String {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let agent = self.robots.user_agent();
        match (self.source, self.robots.matching_rule(path)) {
            _ if path == "/robots.txt" => "robots.txt itself is always allowed".to_owned(),
            (Source::Absent, _) => "there is no robots.txt".to_owned(),
            (Source::Failing, _) => "the server failed to return its robots.txt".to_owned(),
            (Source::File, None) => format!("no rule matches (User-agent: {agent})"),
            (Source::File, Some(rule)) => {
                let kind = if rule.is_allow() { "Allow" } else { "Disallow" };
                format!("{kind}: {} (User-agent: {agent})", rule.pattern())
            }
        }
    }

    /// Returns the crawl delay that the site requests, if it does.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.robots.crawl_delay()
    }

    /// Returns the sitemaps that the file names. They are the same for every crawler.
    #[must_use]
    pub fn sitemaps(&self) -> &[Url] {
        self.robots.sitemaps()
    }
}

/// The accepted spellings of the key.
const AGENT_KEYS: [&str; 3] = ["user-agent", "user agent", "useragent"];

/// Replaces each agent in a robots.txt by its product token, because some sites write
/// `User-agent: Ontrail/1.0`.
fn with_product_tokens(text: &[u8]) -> Vec<u8> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut tidy = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
        match agent_of(line) {
            Some(agent) => tidy.extend(format!("User-agent: {agent}\n").into_bytes()),
            None => tidy.extend_from_slice(line),
        }
    }
    tidy
}

/// Returns the product token of the agent that a line names, if it names one.
fn agent_of(line: &[u8]) -> Option<&str> {
    let (key, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    let is_agent = AGENT_KEYS.iter().any(|known| key.trim().eq_ignore_ascii_case(known));
    is_agent.then(|| product_token(value))
}
