//! A cache of robots.txt rules, which are kept for a day at most (RFC 9309, section 2.4).
//!
//! The files are stored with the crawl's state as well, so a resumed crawl does not ask for them
//! again. A file that has expired stays in use while the server fails to return a newer one, as the
//! RFC allows.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::robots::SiteRules;
use crate::state::CrawlState;
use crate::store::StoreError;
use crate::web::Failure;

const HOUR: u64 = 3_600 * 1_000;
/// Maximum numbers of sites, and of bytes of robots.txt files, in the cache.
const MOST_SITES: usize = 200_000;
const MOST_BYTES: usize = 64 << 20;

/// The cached robots.txt rules of sites.
#[derive(Debug, Default)]
pub(crate) struct RulesCache {
    sites: HashMap<String, CachedRules>,
    bytes: usize,
    /// Number of lookups so far, by which the rules that were not used for long are found.
    lookups: u64,
}

#[derive(Debug)]
struct CachedRules {
    rules: Result<SiteRules, Failure>,
    until: u64,
    bytes: usize,
    used: u64,
}

/// A robots.txt as it was received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RobotsFile {
    pub(crate) status: u16,
    pub(crate) text: Vec<u8>,
    /// The time until which it is valid.
    until: u64,
}

impl RobotsFile {
    /// Returns a file that is valid until a time.
    pub(crate) fn new(status: u16, text: Vec<u8>, until: u64) -> Self {
        Self { status, text, until }
    }

    /// Stores the file of a URL's site with the crawl's state.
    pub(crate) fn store(&self, url: &Url, state: &mut dyn CrawlState) -> Result<(), StoreError> {
        state.keep_robots(site_key(url), postcard::to_stdvec(self)?);
        Ok(())
    }

    pub(crate) fn rules(&self, agent: &str) -> SiteRules {
        SiteRules::of_status(self.status).unwrap_or_else(|| SiteRules::parse(&self.text, agent))
    }
}

/// The result of looking up a site's rules.
pub(crate) enum RulesLookup<'a> {
    /// The rules must be requested.
    NotCached,
    /// The rules.
    Known(&'a SiteRules),
    /// The site cannot be reached, and asking again soon would not help.
    Unreachable(&'a Failure),
}

impl RulesCache {
    /// Looks up the rules for a URL.
    pub(crate) fn get(&mut self, url: &Url, now: u64) -> RulesLookup<'_> {
        self.lookups += 1;
        let Some(known) = self.sites.get_mut(site_key(url)).filter(|known| known.until > now)
        else {
            return RulesLookup::NotCached;
        };
        known.used = self.lookups;
        match &known.rules {
            Ok(rules) => RulesLookup::Known(rules),
            Err(failure) => RulesLookup::Unreachable(failure),
        }
    }

    /// Returns the rules for a URL, even if they have expired.
    pub(crate) fn peek(&self, url: &Url) -> Option<&SiteRules> {
        self.sites.get(site_key(url)).and_then(|known| known.rules.as_ref().ok())
    }

    /// Reads the stored robots.txt of a URL's site into the cache, if there is one.
    pub(crate) fn restore(
        &mut self,
        url: &Url,
        state: &dyn CrawlState,
        agent: &str,
    ) -> Result<(), StoreError> {
        let key = site_key(url);
        if !self.sites.contains_key(key)
            && let Some(bytes) = state.robots(key)?
        {
            let file: RobotsFile = postcard::from_bytes(&bytes)?;
            self.put(url, Ok(file.rules(agent)), file.text.len(), file.until);
        }
        Ok(())
    }

    /// Caches a robots.txt.
    pub(crate) fn put_file(&mut self, url: &Url, file: &RobotsFile, agent: &str) {
        self.put(url, Ok(file.rules(agent)), file.text.len(), file.until);
    }

    /// Caches the rules of another site whose robots.txt a site redirects to, until a time.
    pub(crate) fn put_rules(&mut self, url: &Url, rules: SiteRules, until: u64) {
        self.put(url, Ok(rules), 0, until);
    }

    /// Caches that a site cannot be reached, for an hour.
    pub(crate) fn put_unreachable(&mut self, url: &Url, failure: Failure, now: u64) {
        self.put(url, Err(failure), 0, now.saturating_add(HOUR));
    }

    /// Uses expired rules for another hour, because the server does not return newer ones. Returns
    /// false if there are none.
    pub(crate) fn extend(&mut self, url: &Url, now: u64) -> bool {
        match self.sites.get_mut(site_key(url)).filter(|known| known.rules.is_ok()) {
            Some(known) => {
                known.until = now.saturating_add(HOUR);
                true
            }
            None => false,
        }
    }

    fn put(&mut self, url: &Url, rules: Result<SiteRules, Failure>, bytes: usize, until: u64) {
        self.make_room();
        self.bytes += bytes;
        let known = CachedRules { rules, until, bytes, used: self.lookups };
        if let Some(old) = self.sites.insert(site_key(url).to_owned(), known) {
            self.bytes = self.bytes.saturating_sub(old.bytes);
        }
    }

    /// Discards the half of the rules that was not used for longest when the cache is full.
    fn make_room(&mut self) {
        if self.sites.len() < MOST_SITES && self.bytes < MOST_BYTES {
            return;
        }
        let mut used: Vec<u64> = self.sites.values().map(|known| known.used).collect();
        let middle = used.len() / 2;
        let (_, median, _) = used.select_nth_unstable(middle);
        let median = *median;
        self.sites.retain(|_, known| known.used > median);
        self.bytes = self.sites.values().map(|known| known.bytes).sum();
    }
}

/// Returns the scheme, host and port of a URL. Each combination has its own robots.txt.
fn site_key(url: &Url) -> &str {
    &url[..url::Position::AfterPort]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::FrontierLimits;
    use crate::state::LocalState;
    use crate::web::FailureKind;

    const DAY: u64 = 24 * HOUR;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    fn file(text: &str, now: u64) -> RobotsFile {
        RobotsFile::new(200, text.into(), now + DAY)
    }

    #[test]
    fn rules_are_kept_until_they_expire_and_longer_if_the_server_fails() {
        let (mut cache, page) = (RulesCache::default(), url("http://a.example/x"));
        assert!(matches!(cache.get(&page, 0), RulesLookup::NotCached));
        assert!(!cache.extend(&page, 0));
        let forbidding = file("User-agent: *\nDisallow: /x", 0);
        cache.put_file(&page, &forbidding, "Ontrail");
        let is_forbidden = |cache: &mut RulesCache, now| matches!(cache.get(&page, now), RulesLookup::Known(rules) if !rules.allows(&page));
        assert!(is_forbidden(&mut cache, DAY - 1) && !is_forbidden(&mut cache, DAY));
        assert!(cache.extend(&page, DAY));
        assert!(is_forbidden(&mut cache, DAY + HOUR - 1));
        // Each combination of scheme, host and port is a site of its own.
        let other = url("https://a.example/x");
        assert!(matches!(cache.get(&other, 0), RulesLookup::NotCached));
        let failure = Failure { kind: FailureKind::OffLimits, detail: String::new() };
        cache.put_unreachable(&other, failure, 0);
        assert!(matches!(cache.get(&other, HOUR - 1), RulesLookup::Unreachable(_)));
        assert!(matches!(cache.get(&other, HOUR), RulesLookup::NotCached));
        assert!(!cache.extend(&other, HOUR));
    }

    #[test]
    fn stored_files_are_used_after_a_resume() {
        let mut state = LocalState::in_memory(FrontierLimits::default());
        let page = url("http://a.example/x");
        let forbidding = file("User-agent: *\nDisallow: /x", 0);
        forbidding.store(&page, &mut state).unwrap();
        let mut after = RulesCache::default();
        after.restore(&page, &state, "Ontrail").unwrap();
        assert!(matches!(after.get(&page, 5), RulesLookup::Known(rules) if !rules.allows(&page)));
    }

    #[test]
    fn a_full_cache_keeps_the_rules_in_use() {
        let mut cache = RulesCache::default();
        let busy = url("http://busy.example/");
        let large = RobotsFile::new(404, vec![b'#'; MOST_BYTES / 64], DAY);
        cache.put_file(&busy, &large, "Ontrail");
        for number in 0..200 {
            assert!(matches!(cache.get(&busy, 1), RulesLookup::Known(_)), "{number}");
            let site = url(&format!("http://h{number}.example/"));
            cache.put_file(&site, &large, "Ontrail");
            assert!(matches!(cache.get(&site, 1), RulesLookup::Known(_)));
        }
        assert!(cache.bytes <= MOST_BYTES + large.text.len());
    }
}
