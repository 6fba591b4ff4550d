//! What sites allow, remembered for a day (RFC 9309, section 2.4).

use std::collections::HashMap;

use url::Url;

use crate::robots::SiteRules;
use crate::web::Failure;

const HOUR: u64 = 3_600 * 1_000;
const DAY: u64 = 24 * HOUR;
/// How long a site that does not answer at all is left alone at first.
const FIRST_RETRY: u64 = 5 * 1_000;
/// How long a server that fails to give its rules is left alone: a minute, then twice as long each time.
const FIRST_REST: u64 = 60 * 1_000;
/// How often it is asked before its links are given up for the day.
const MOST_TRIES: u32 = 4;
/// More sites, or more bytes of rules, than this are not remembered.
const MOST_SITES: usize = 200_000;
const MOST_BYTES: usize = 64 << 20;

/// The rules of sites.
#[derive(Debug, Default)]
pub(crate) struct RulesCache {
    sites: HashMap<String, Known>,
    bytes: usize,
}

#[derive(Debug)]
struct Known {
    answer: Answered,
    until: u64,
    failures: u32,
    bytes: usize,
}

/// What came of asking for the rules of a site.
#[derive(Debug)]
pub(crate) enum Answered {
    /// Rules; also that there are none.
    Rules(SiteRules),
    /// An answer that says the server fails: nothing is allowed.
    Failing(SiteRules),
    /// No answer at all.
    Nothing(Failure),
}

/// What is known of the rules of a site.
pub(crate) enum Rules<'a> {
    /// They must be asked for.
    Unknown,
    /// The server failed to give them; it is to be asked again at this time.
    Failing(u64),
    /// These.
    Known(&'a SiteRules),
    /// The site cannot be reached.
    Unreachable(&'a Failure),
}

impl RulesCache {
    /// The rules for an address.
    pub(crate) fn get(&self, url: &Url, now: u64) -> Rules<'_> {
        let Some(known) = self.sites.get(&site_key(url)).filter(|known| known.until > now) else {
            return Rules::Unknown;
        };
        match &known.answer {
            _ if known.is_to_be_asked_again() => Rules::Failing(known.until),
            Answered::Rules(rules) | Answered::Failing(rules) => Rules::Known(rules),
            Answered::Nothing(failure) => Rules::Unreachable(failure),
        }
    }

    /// Remembers what came of asking. A site that does not answer is asked again so many times.
    pub(crate) fn put(&mut self, url: &Url, answer: Answered, bytes: usize, retries: u8, now: u64) {
        let key = site_key(url);
        let before = self.sites.get(&key).map_or(0, |known| known.failures);
        let failures = match &answer {
            Answered::Rules(_) => 0,
            Answered::Nothing(failure) if failure.kind.is_passing() => {
                // As many more tries as are left of those that a failing server has.
                let spent = MOST_TRIES.saturating_sub(u32::from(retries)).saturating_sub(1);
                before.max(spent.min(MOST_TRIES - 1)) + 1
            }
            Answered::Nothing(_) => MOST_TRIES,
            Answered::Failing(_) => before + 1,
        };
        let rest = match (failures, &answer) {
            (1..MOST_TRIES, Answered::Nothing(_)) => FIRST_RETRY << (failures - 1),
            (1..MOST_TRIES, _) => FIRST_REST << (failures - 1),
            (_, Answered::Nothing(_)) => HOUR,
            _ => DAY,
        };
        self.make_room();
        self.bytes += bytes;
        let known = Known { answer, until: now.saturating_add(rest), failures, bytes };
        if let Some(old) = self.sites.insert(key, known) {
            self.bytes = self.bytes.saturating_sub(old.bytes);
        }
    }
}

impl RulesCache {
    /// Forgets rules that can be asked for again, when there are too many; sites that fail are remembered longer, or
    /// they would be asked for ever.
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

impl Known {
    fn is_to_be_asked_again(&self) -> bool {
        (1..MOST_TRIES).contains(&self.failures)
    }
}

/// The site of an address: scheme, host and port, each with its own robots.txt.
fn site_key(url: &Url) -> String {
    url[..url::Position::AfterPort].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::FailureKind;

    fn nothing(kind: FailureKind) -> Answered {
        Answered::Nothing(Failure { kind, detail: String::new() })
    }

    fn failing() -> Answered {
        Answered::Failing(SiteRules::of_status(503).unwrap())
    }

    #[test]
    fn rules_last_a_day_and_failing_servers_are_asked_again() {
        let url: Url = "http://a.example/x".parse().unwrap();
        let mut cache = RulesCache::default();
        assert!(matches!(cache.get(&url, 0), Rules::Unknown));
        let rules = SiteRules::parse(b"User-agent: *\nDisallow: /x", "Ontrail");
        cache.put(&url, Answered::Rules(rules), 0, 2, 0);
        assert!(matches!(cache.get(&url, DAY - 1), Rules::Known(rules) if !rules.allows(&url)));
        assert!(matches!(cache.get(&url, DAY), Rules::Unknown));
        let other: Url = "https://a.example/x".parse().unwrap();
        assert!(matches!(cache.get(&other, 0), Rules::Unknown));
        let mut now = 0;
        for rest in [60_000, 120_000, 240_000] {
            cache.put(&other, failing(), 0, 2, now);
            assert!(matches!(cache.get(&other, now), Rules::Failing(until) if until == now + rest));
            now += rest;
            assert!(matches!(cache.get(&other, now), Rules::Unknown));
        }
        // After that it counts as disallowed.
        cache.put(&other, failing(), 0, 2, now);
        assert!(matches!(cache.get(&other, now), Rules::Known(rules) if !rules.allows(&other)));
        cache.put(&other, Answered::Rules(SiteRules::of_status(404).unwrap()), 0, 2, now);
        assert!(matches!(cache.get(&other, now), Rules::Known(rules) if rules.allows(&other)));
    }

    #[test]
    fn sites_that_do_not_answer_are_asked_as_often_as_pages_are() {
        let url: Url = "http://a.example/".parse().unwrap();
        let is_given_up =
            |cache: &RulesCache, now| matches!(cache.get(&url, now), Rules::Unreachable(_));
        for (retries, tries) in [(0, 1), (1, 2), (2, 3), (9, 4)] {
            let (mut cache, mut now) = (RulesCache::default(), 0);
            for _ in 1..tries {
                cache.put(&url, nothing(FailureKind::Connect), 0, retries, now);
                assert!(!is_given_up(&cache, now), "{retries}");
                now += HOUR;
            }
            cache.put(&url, nothing(FailureKind::Connect), 0, retries, now);
            assert!(is_given_up(&cache, now), "{retries}");
        }
        let mut cache = RulesCache::default();
        cache.put(&url, nothing(FailureKind::OffLimits), 0, 9, 0);
        assert!(is_given_up(&cache, 0));
    }
}
