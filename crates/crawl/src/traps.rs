//! Crawler traps: URLs that lead into endless webs.
//!
//! Some sites generate a page for every URL: a relative link that grows by a folder at each step, a
//! calendar with a link to the next month. Nobody wrote those pages. This module recognises the
//! traps that can be recognised from the URL alone; the frontier counts the URLs of each host and
//! pattern.

use ontrail_pilot::Trap;
use serde::{Deserialize, Serialize};
use url::Url;

/// The limits beyond which a URL counts as a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct TrapLimits {
    /// Maximum distance from a seed, in links.
    pub depth: u32,
    /// Maximum length of a URL, in bytes.
    pub length: usize,
    /// Maximum number of times that the same segment may occur in a path.
    pub repeats: usize,
    /// The last year of a calendar that may be fetched. There is no first year: a past month may be
    /// real history, and a calendar that goes back from today ends at the maximum depth.
    pub latest_year: u16,
}

impl Default for TrapLimits {
    fn default() -> Self {
        Self { depth: 30, length: 2_000, repeats: 3, latest_year: 2035 }
    }
}

impl TrapLimits {
    /// Returns the reason why a URL at a distance of `depth` links from a seed looks like a trap,
    /// if it does.
    ///
    /// ```
    /// # use ontrail_crawl::TrapLimits;
    /// # use ontrail_pilot::Trap;
    /// let limits = TrapLimits::default();
    /// let url = "http://a.example/x/img/x/img/x/img/x/".parse()?;
    /// assert_eq!(limits.refuse(&url, 3), Some(Trap::Repeating));
    /// let url = "http://a.example/calendar?month=2487-03".parse()?;
    /// assert_eq!(limits.refuse(&url, 3), Some(Trap::Calendar));
    /// # Ok::<(), url::ParseError>(())
    /// ```
    #[must_use]
    pub fn refuse(&self, url: &Url, depth: u32) -> Option<Trap> {
        let rules = [
            (depth > self.depth, Trap::TooDeep),
            (url.as_str().len() > self.length, Trap::TooLong),
            (self.has_repeated_segments(url.path()), Trap::Repeating),
            (self.is_distant_calendar(url), Trap::Calendar),
        ];
        rules.into_iter().find_map(|(is_trap, trap)| is_trap.then_some(trap))
    }

    fn has_repeated_segments(&self, path: &str) -> bool {
        let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        parts.sort_unstable();
        parts.chunk_by(PartialEq::eq).any(|same| same.len() > self.repeats)
    }

    /// Returns true if the URL has a word for a calendar and a distant year followed by a month. A
    /// number of four digits alone is usually something else.
    fn is_distant_calendar(&self, url: &Url) -> bool {
        let path = url[url::Position::BeforePath..].to_ascii_lowercase();
        let tokens: Vec<&str> = path.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let is_calendar = tokens.iter().any(|token| CALENDAR.contains(token));
        let numbers: Vec<u16> = tokens.iter().filter_map(|token| token.parse().ok()).collect();
        let is_far = |pair: &[u16]| {
            (self.latest_year.saturating_add(1)..3_000).contains(&pair[0])
                && (1..=12).contains(&pair[1])
        };
        is_calendar && numbers.windows(2).any(is_far)
    }
}

/// Words in the URLs of calendars.
const CALENDAR: [&str; 9] =
    ["cal", "calendar", "date", "day", "event", "events", "month", "schedule", "year"];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str, depth: u32) -> Option<Trap> {
        TrapLimits::default().refuse(&url.parse().unwrap(), depth)
    }

    #[test]
    fn ordinary_urls_are_not_traps() {
        for url in [
            "http://a.example/",
            "http://a.example/2021/03/15/storm.html",
            "http://a.example/news/news/news",
            "http://a.example/id/8412/7?page=3",
            "http://a.example/?date=1999-12-31&to=2024-01-01",
            "http://a.example/phone/1234/567",
            "http://a.example/events/1066/10/battle",
            "http://a.example/events/2487",
            "http://a.example/item/2487/3",
            "http://a.example/calendar/2027/12",
        ] {
            assert_eq!(refused(url, 5), None, "{url}");
        }
    }

    #[test]
    fn each_kind_of_trap_is_recognised() {
        let long = format!("http://a.example/{}", "x".repeat(2_000));
        for (url, depth, trap) in [
            ("http://a.example/", 31, Trap::TooDeep),
            (long.as_str(), 1, Trap::TooLong),
            ("http://a.example/a/b/a/b/a/b/a/b", 1, Trap::Repeating),
            ("http://a.example/cal/2487/11/", 1, Trap::Calendar),
            ("http://a.example/events?year=2102&month=2", 1, Trap::Calendar),
        ] {
            assert_eq!(refused(url, depth), Some(trap), "{url}");
        }
        assert_eq!(refused("http://a.example/", 30), None);
    }
}
