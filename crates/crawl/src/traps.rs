//! Addresses that lead into endless webs.
//!
//! Some sites make pages for every address that is asked for: a relative link that grows by a folder at each step,
//! a calendar with a link to the next month. Nobody put anything there. What can be told from an address alone is
//! told here; that one host or one pattern yields too many is for the frontier to count.

use ontrail_pilot::Trap;
use serde::{Deserialize, Serialize};
use url::Url;

/// How far an address may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TrapLimits {
    /// How many links away from a seed.
    pub depth: u32,
    /// How many characters an address may have.
    pub length: usize,
    /// How often the same part of a path may stand in it.
    pub repeats: usize,
    /// Up to which year a month of a calendar may be asked for. A past month may be a matter of history, and a
    /// calendar that goes back from today comes to an end at the depth.
    pub latest_year: u16,
}

impl Default for TrapLimits {
    fn default() -> Self {
        Self { depth: 30, length: 2_000, repeats: 3, latest_year: 2035 }
    }
}

impl TrapLimits {
    /// Why an address found so many links away from a seed is not worth fetching, if it is not.
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
            (self.repeats_itself(url.path()), Trap::Repeating),
            (self.is_out_of_time(url), Trap::Calendar),
        ];
        rules.into_iter().find_map(|(is_such, trap)| is_such.then_some(trap))
    }

    fn repeats_itself(&self, path: &str) -> bool {
        let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        parts.sort_unstable();
        parts.chunk_by(PartialEq::eq).any(|same| same.len() > self.repeats)
    }

    /// Whether the address speaks of a calendar and of a year that is far off, with a month behind it. Numbers of
    /// four digits alone are mostly something else.
    fn is_out_of_time(&self, url: &Url) -> bool {
        let rest = url[url::Position::BeforePath..].to_ascii_lowercase();
        let tokens: Vec<&str> = rest.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let is_calendar = tokens.iter().any(|token| CALENDAR.contains(token));
        let numbers: Vec<u16> = tokens.iter().filter_map(|token| token.parse().ok()).collect();
        let is_far = |pair: &[u16]| {
            (self.latest_year.saturating_add(1)..3_000).contains(&pair[0])
                && (1..=12).contains(&pair[1])
        };
        is_calendar && numbers.windows(2).any(is_far)
    }
}

/// Words in addresses of calendars.
const CALENDAR: [&str; 9] =
    ["cal", "calendar", "date", "day", "event", "events", "month", "schedule", "year"];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str, depth: u32) -> Option<Trap> {
        TrapLimits::default().refuse(&url.parse().unwrap(), depth)
    }

    #[test]
    fn ordinary_addresses_are_no_traps() {
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
    fn each_trap_is_told() {
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
