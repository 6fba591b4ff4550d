//! A cache of robots.txt rules, which are kept for a day (RFC 9309, section 2.4).

use std::collections::HashMap;

use url::Url;

use crate::robots::SiteRules;
use crate::web::Failure;

const HOUR: u64 = 3_600 * 1_000;
const DAY: u64 = 24 * HOUR;
/// The first delay before a site that does not respond at all is asked again; it doubles each time.
const NO_RESPONSE_DELAY: u64 = 5 * 1_000;
/// The first delay before a site that answers with a server error is asked again; it doubles each
/// time.
const SERVER_ERROR_DELAY: u64 = 60 * 1_000;
/// Maximum number of attempts before the site's links are given up for the day.
const MOST_ATTEMPTS: u32 = 4;
/// Maximum numbers of sites, and of bytes of robots.txt files, in the cache.
const MOST_SITES: usize = 200_000;
const MOST_BYTES: usize = 64 << 20;

/// The cached robots.txt rules of sites.
#[derive(Debug, Default)]
pub(crate) struct RulesCache {
    sites: HashMap<String, CachedRules>,
    bytes: usize,
}

#[derive(Debug)]
struct CachedRules {
    response: RobotsResponse,
    until: u64,
    failures: u32,
    bytes: usize,
}

/// The result of requesting a site's robots.txt.
#[derive(Debug)]
pub(crate) enum RobotsResponse {
    /// The rules; if the site has no robots.txt, rules that allow everything.
    Rules(SiteRules),
    /// A server error: nothing is allowed.
    ServerError(SiteRules),
    /// No response at all.
    NoResponse(Failure),
}

/// The result of looking up a site's rules.
pub(crate) enum RulesLookup<'a> {
    /// The rules are not cached and must be requested.
    NotCached,
    /// The last request failed; the site is to be asked again at this time.
    RetryAt(u64),
    /// The rules.
    Known(&'a SiteRules),
    /// The site cannot be reached.
    Unreachable(&'a Failure),
}

impl RulesCache {
    /// Looks up the rules for a URL.
    pub(crate) fn get(&self, url: &Url, now: u64) -> RulesLookup<'_> {
        let Some(known) = self.sites.get(&site_key(url)).filter(|known| known.until > now) else {
            return RulesLookup::NotCached;
        };
        match &known.response {
            _ if known.needs_retry() => RulesLookup::RetryAt(known.until),
            RobotsResponse::Rules(rules) | RobotsResponse::ServerError(rules) => {
                RulesLookup::Known(rules)
            }
            RobotsResponse::NoResponse(failure) => RulesLookup::Unreachable(failure),
        }
    }

    /// Caches the result of a request. A site that does not respond is asked again `retries` times.
    pub(crate) fn put(
        &mut self,
        url: &Url,
        response: RobotsResponse,
        bytes: usize,
        retries: u8,
        now: u64,
    ) {
        let key = site_key(url);
        let before = self.sites.get(&key).map_or(0, |known| known.failures);
        let failures = match &response {
            RobotsResponse::Rules(_) => 0,
            RobotsResponse::NoResponse(failure) if failure.kind.is_transient() => {
                // Counts attempts that this site does not get as already spent, so that it is given
                // up after `retries` retries.
                let spent = MOST_ATTEMPTS.saturating_sub(u32::from(retries)).saturating_sub(1);
                before.max(spent.min(MOST_ATTEMPTS - 1)) + 1
            }
            RobotsResponse::NoResponse(_) => MOST_ATTEMPTS,
            RobotsResponse::ServerError(_) => before + 1,
        };
        let delay = match (failures, &response) {
            (1..MOST_ATTEMPTS, RobotsResponse::NoResponse(_)) => {
                NO_RESPONSE_DELAY << (failures - 1)
            }
            (1..MOST_ATTEMPTS, _) => SERVER_ERROR_DELAY << (failures - 1),
            (_, RobotsResponse::NoResponse(_)) => HOUR,
            _ => DAY,
        };
        self.make_room();
        self.bytes += bytes;
        let known = CachedRules { response, until: now.saturating_add(delay), failures, bytes };
        if let Some(old) = self.sites.insert(key, known) {
            self.bytes = self.bytes.saturating_sub(old.bytes);
        }
    }

    /// Discards rules that can be requested again when the cache is full. Sites that fail are kept
    /// longer; otherwise they would be asked for ever.
    fn make_room(&mut self) {
        if self.sites.len() >= MOST_SITES || self.bytes >= MOST_BYTES {
            self.sites.retain(|_, known| known.failures > 0);
            self.bytes = 0;
        }
        if self.sites.len() >= MOST_SITES {
            self.sites.clear();
        }
    }
}

impl CachedRules {
    fn needs_retry(&self) -> bool {
        (1..MOST_ATTEMPTS).contains(&self.failures)
    }
}

/// Returns the scheme, host and port of a URL. Each combination has its own robots.txt.
fn site_key(url: &Url) -> String {
    url[..url::Position::AfterPort].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::FailureKind;

    fn no_response(kind: FailureKind) -> RobotsResponse {
        RobotsResponse::NoResponse(Failure { kind, detail: String::new() })
    }

    fn server_error() -> RobotsResponse {
        RobotsResponse::ServerError(SiteRules::of_status(503).unwrap())
    }

    #[test]
    fn rules_last_a_day_and_failing_servers_are_asked_again() {
        let url: Url = "http://a.example/x".parse().unwrap();
        let mut cache = RulesCache::default();
        assert!(matches!(cache.get(&url, 0), RulesLookup::NotCached));
        let rules = SiteRules::parse(b"User-agent: *\nDisallow: /x", "Ontrail");
        cache.put(&url, RobotsResponse::Rules(rules), 0, 2, 0);
        assert!(
            matches!(cache.get(&url, DAY - 1), RulesLookup::Known(rules) if !rules.allows(&url))
        );
        assert!(matches!(cache.get(&url, DAY), RulesLookup::NotCached));
        let other: Url = "https://a.example/x".parse().unwrap();
        assert!(matches!(cache.get(&other, 0), RulesLookup::NotCached));
        let mut now = 0;
        for delay in [60_000, 120_000, 240_000] {
            cache.put(&other, server_error(), 0, 2, now);
            assert!(
                matches!(cache.get(&other, now), RulesLookup::RetryAt(until) if until == now + delay)
            );
            now += delay;
            assert!(matches!(cache.get(&other, now), RulesLookup::NotCached));
        }
        // After that everything counts as disallowed.
        cache.put(&other, server_error(), 0, 2, now);
        assert!(
            matches!(cache.get(&other, now), RulesLookup::Known(rules) if !rules.allows(&other))
        );
        cache.put(&other, RobotsResponse::Rules(SiteRules::of_status(404).unwrap()), 0, 2, now);
        assert!(
            matches!(cache.get(&other, now), RulesLookup::Known(rules) if rules.allows(&other))
        );
    }

    #[test]
    fn sites_that_do_not_respond_are_retried_as_often_as_pages() {
        let url: Url = "http://a.example/".parse().unwrap();
        let is_given_up =
            |cache: &RulesCache, now| matches!(cache.get(&url, now), RulesLookup::Unreachable(_));
        for (retries, tries) in [(0, 1), (1, 2), (2, 3), (9, 4)] {
            let (mut cache, mut now) = (RulesCache::default(), 0);
            for _ in 1..tries {
                cache.put(&url, no_response(FailureKind::Connect), 0, retries, now);
                assert!(!is_given_up(&cache, now), "{retries}");
                now += HOUR;
            }
            cache.put(&url, no_response(FailureKind::Connect), 0, retries, now);
            assert!(is_given_up(&cache, now), "{retries}");
        }
        let mut cache = RulesCache::default();
        cache.put(&url, no_response(FailureKind::OffLimits), 0, 9, 0);
        assert!(is_given_up(&cache, 0));
    }
}
