//! The robots.txt rules of a site (RFC 9309), read as sites write them.
//!
//! The RFC leaves open how broken files are read. Here they are read like Google's open-source
//! matcher reads them, because that is the program that the authors of the files have in mind:
//! `file` says which lines count and `pattern` which URLs a rule matches. The RFC takes precedence
//! on percent-encoding, since Google leaves it to the caller to pass URLs in the form of the rules.
//!
//! The longest matching rule decides, and Allow wins over a Disallow of the same length. A status
//! code in place of a file is interpreted here, and a verdict names the rule that decided.

mod file;
mod pattern;

use std::time::Duration;

use url::{Position, Url};

use file::{Rule, RulesFile};

/// The robots.txt rules of one site for one crawler.
#[derive(Debug, Clone)]
pub struct SiteRules {
    source: Source,
}

/// The source of the rules.
#[derive(Debug, Clone)]
enum Source {
    /// A file.
    File(RulesFile),
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
    /// The number of the line with the rule that decided, from 1; none if no rule did.
    pub line: Option<usize>,
    /// The rule or other reason that decided.
    pub reason: String,
}

/// Returns the product token of a crawler's name, by which its rules are looked up: the leading
/// letters, `-` and `_`. The name `*`, alone or before a space, stands for all other crawlers.
///
/// ```
/// # use ontrail_crawl::product_token;
/// assert_eq!(product_token("Ontrail/0.1 (+mailto:someone@example.org)"), "Ontrail");
/// assert_eq!(product_token("*"), "*");
/// assert_eq!(product_token("*bot*"), "");
/// ```
#[must_use]
pub fn product_token(name: &str) -> &str {
    let name = name.trim_ascii();
    if name.split_ascii_whitespace().next() == Some("*") {
        return "*";
    }
    let is_part = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
    &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())]
}

impl SiteRules {
    /// Parses a robots.txt and selects the rules for a crawler with this name.
    #[must_use]
    pub fn parse(text: &[u8], agent: &str) -> Self {
        Self { source: Source::File(RulesFile::parse(text, product_token(agent))) }
    }

    /// Returns the rules that follow from the status of the response to a request for robots.txt,
    /// after redirects. A missing file (4xx) allows everything; a failing server (5xx, or 0 for no
    /// response at all) allows nothing until it is asked again. Returns none for a success, where
    /// the file decides.
    #[must_use]
    pub fn of_status(status: u16) -> Option<Self> {
        match status {
            200..=299 => None,
            // A chain of redirects without an end counts as a missing file (RFC 9309, section
            // 2.3.1.2).
            300..=499 => Some(Self { source: Source::Absent }),
            _ => Some(Self::failing()),
        }
    }

    /// Returns the rules of a server that cannot return its robots.txt now: nothing is allowed.
    #[must_use]
    pub fn failing() -> Self {
        Self { source: Source::Failing }
    }

    /// Returns true if a URL of the site may be fetched. robots.txt itself always may.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        is_robots_txt(url)
            || match &self.source {
                Source::File(file) => file.deciding_rule(path_of(url)).is_none_or(Rule::allows),
                Source::Absent => true,
                Source::Failing => false,
            }
    }

    /// Returns the decision about a URL, with its reason.
    #[must_use]
    pub fn verdict(&self, url: &Url) -> RobotsVerdict {
        let because = |is_allowed, reason: &str| (is_allowed, None, reason.to_owned());
        let (is_allowed, line, reason) = match &self.source {
            _ if is_robots_txt(url) => because(true, "robots.txt itself is always allowed"),
            Source::Absent => because(true, "there is no robots.txt"),
            Source::Failing => because(false, "the server failed to return its robots.txt"),
            Source::File(file) => match file.deciding_rule(path_of(url)) {
                None => (true, None, format!("no rule matches (User-agent: {})", file.agent())),
                Some(rule) => {
                    let reason =
                        format!("{rule} (line {}, User-agent: {})", rule.line, file.agent());
                    (rule.allows(), Some(rule.line), reason)
                }
            },
        };
        RobotsVerdict { is_allowed, line, reason }
    }

    /// Returns the crawl delay that the site requests, if it does.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        match &self.source {
            Source::File(file) => file.crawl_delay(),
            Source::Absent | Source::Failing => None,
        }
    }

    /// Returns the sitemaps that the file names. They are the same for every crawler.
    #[must_use]
    pub fn sitemaps(&self) -> &[Url] {
        match &self.source {
            Source::File(file) => file.sitemaps(),
            Source::Absent | Source::Failing => &[],
        }
    }
}

/// Returns the part of a URL that rules are compared with.
fn path_of(url: &Url) -> &str {
    &url[Position::BeforePath..Position::AfterQuery]
}

fn is_robots_txt(url: &Url) -> bool {
    path_of(url) == "/robots.txt"
}
