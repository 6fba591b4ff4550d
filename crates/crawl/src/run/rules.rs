//! What sites allow, remembered for a day (RFC 9309, section 2.4).

use std::collections::HashMap;

use url::Url;

use crate::robots::SiteRules;

const DAY: u64 = 24 * 3_600 * 1_000;
/// How long a server that fails to give its rules is left alone: a minute, then twice as long each time.
const FIRST_REST: u64 = 60 * 1_000;
/// How often it is asked before its links are given up for the day.
const MOST_TRIES: u32 = 4;
/// More sites than this are not remembered.
const MOST_SITES: usize = 50_000;

/// The rules of sites.
#[derive(Debug, Default)]
pub(crate) struct RulesCache {
    sites: HashMap<String, Known>,
}

#[derive(Debug)]
struct Known {
    rules: SiteRules,
    until: u64,
    failures: u32,
}

/// What is known of the rules of a site.
pub(crate) enum Rules<'a> {
    /// They must be asked for.
    Unknown,
    /// The server failed to give them; it is to be asked again at this time.
    Failing(u64),
    /// These.
    Known(&'a SiteRules),
}

impl RulesCache {
    /// The rules for an address.
    pub(crate) fn get(&self, url: &Url, now: u64) -> Rules<'_> {
        match self.sites.get(&site_key(url)) {
            Some(known) if known.until > now => {
                if (1..MOST_TRIES).contains(&known.failures) {
                    Rules::Failing(known.until)
                } else {
                    Rules::Known(&known.rules)
                }
            }
            _ => Rules::Unknown,
        }
    }

    /// Remembers what the server answered.
    pub(crate) fn put(&mut self, url: &Url, rules: SiteRules, is_failing: bool, now: u64) {
        let key = site_key(url);
        let failures = match (is_failing, self.sites.get(&key)) {
            (false, _) => 0,
            (true, known) => known.map_or(1, |known| known.failures + 1),
        };
        let rest = match failures {
            1..MOST_TRIES => FIRST_REST << (failures - 1),
            _ => DAY,
        };
        if self.sites.len() >= MOST_SITES {
            self.sites.retain(|_, known| known.until > now);
        }
        if self.sites.len() >= MOST_SITES {
            self.sites.clear();
        }
        self.sites.insert(key, Known { rules, until: now + rest, failures });
    }
}

/// The site of an address: scheme, host and port, each with its own robots.txt.
fn site_key(url: &Url) -> String {
    url[..url::Position::AfterPort].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_last_a_day_and_failing_servers_are_asked_again() {
        let url: Url = "http://a.example/x".parse().unwrap();
        let mut cache = RulesCache::default();
        assert!(matches!(cache.get(&url, 0), Rules::Unknown));
        cache.put(&url, SiteRules::parse(b"User-agent: *\nDisallow: /x", "Ontrail"), false, 0);
        assert!(matches!(cache.get(&url, DAY - 1), Rules::Known(rules) if !rules.allows(&url)));
        assert!(matches!(cache.get(&url, DAY), Rules::Unknown));
        let other: Url = "https://a.example/x".parse().unwrap();
        assert!(matches!(cache.get(&other, 0), Rules::Unknown));
        let mut now = 0;
        for rest in [60_000, 120_000, 240_000] {
            cache.put(&other, SiteRules::of_status(503).unwrap(), true, now);
            assert!(matches!(cache.get(&other, now), Rules::Failing(until) if until == now + rest));
            now += rest;
            assert!(matches!(cache.get(&other, now), Rules::Unknown));
        }
        // After that it counts as disallowed.
        cache.put(&other, SiteRules::of_status(503).unwrap(), true, now);
        assert!(matches!(cache.get(&other, now), Rules::Known(rules) if !rules.allows(&other)));
        cache.put(&other, SiteRules::of_status(404).unwrap(), false, now);
        assert!(matches!(cache.get(&other, now), Rules::Known(rules) if rules.allows(&other)));
    }
}
