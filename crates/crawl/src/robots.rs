//! What a site allows, by its robots.txt (RFC 9309).
//!
//! Parsing and matching are robotxt's: the longest rule that matches wins, Allow over Disallow where two are as
//! long, groups of the same agent are one, `*` and `$` have their meaning, and both sides are compared in one form
//! of percent-encoding. Of a long file the first 500 KiB count. What is added here is what a crawler needs
//! besides: agents are compared by their product token, what a server answers instead of a file has its
//! meaning, and the rule that decided is named.

use std::time::Duration;

use robotxt::Robots;
use url::{Position, Url};

/// The rules of one site for one crawler.
#[derive(Debug, Clone)]
pub struct SiteRules {
    robots: Robots,
    source: Source,
}

/// What the rules were learnt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A file.
    File,
    /// There is no file, so everything is allowed.
    Absent,
    /// The server failed, so nothing is allowed until it has been asked again.
    Failing,
}

/// Whether an address may be fetched, and what says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may be fetched.
    pub is_allowed: bool,
    /// Why.
    pub reason: String,
}

/// The product token of a crawler's name, by which its rules are looked up: the letters, `-` and `_` that it begins
/// with.
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
    /// The rules that a robots.txt has for a crawler of this name.
    #[must_use]
    pub fn parse(text: &[u8], agent: &str) -> Self {
        let robots = Robots::parse(&with_product_tokens(text), product_token(agent));
        Self { robots, source: Source::File }
    }

    /// What follows from the status that a server answered with when it was asked for robots.txt, redirects
    /// followed: a file that is not there (4xx) allows everything, a server that fails (5xx, or 0 for no answer at
    /// all) nothing until it has been asked again. None where the file that came decides.
    #[must_use]
    pub fn of_status(status: u16) -> Option<Self> {
        let (robots, source) = match status {
            200..=299 => return None,
            // A redirect that leads nowhere is as if there were no file (RFC 9309, section 2.3.1.2).
            300..=499 => (Robots::allow_all(), Source::Absent),
            _ => (Robots::disallow_all(), Source::Failing),
        };
        Some(Self { robots, source })
    }

    /// Those of a server that cannot say what it allows now: nothing.
    #[must_use]
    pub fn failing() -> Self {
        Self { robots: Robots::disallow_all(), source: Source::Failing }
    }

    /// Whether an address of the site may be fetched. robots.txt itself always may.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        self.robots.is_url_allowed(url)
    }

    /// Whether an address may be fetched, and why.
    #[must_use]
    pub fn verdict(&self, url: &Url) -> Verdict {
        Verdict { is_allowed: self.allows(url), reason: self.reason(url) }
    }

    fn reason(&self, url: &Url) -> String {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let agent = self.robots.user_agent();
        match (self.source, self.robots.matching_rule(path)) {
            _ if path == "/robots.txt" => "robots.txt itself is always allowed".to_owned(),
            (Source::Absent, _) => "there is no robots.txt".to_owned(),
            (Source::Failing, _) => "the server failed to give its robots.txt".to_owned(),
            (Source::File, None) => format!("no rule matches (User-agent: {agent})"),
            (Source::File, Some(rule)) => {
                let kind = if rule.is_allow() { "Allow" } else { "Disallow" };
                format!("{kind}: {} (User-agent: {agent})", rule.pattern())
            }
        }
    }

    /// How long to wait between two pages, if the site says so.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.robots.crawl_delay()
    }

    /// The sitemaps that the file names, for whatever crawler.
    #[must_use]
    pub fn sitemaps(&self) -> &[Url] {
        self.robots.sitemaps()
    }
}

/// The spellings of the key that are understood.
const AGENT_KEYS: [&str; 3] = ["user-agent", "user agent", "useragent"];

/// The text with the value of each line that names an agent cut to its product token: sites also write
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

/// The product token that a line names, if it names an agent.
fn agent_of(line: &[u8]) -> Option<&str> {
    let (key, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    let is_agent = AGENT_KEYS.iter().any(|known| key.trim().eq_ignore_ascii_case(known));
    is_agent.then(|| product_token(value))
}
