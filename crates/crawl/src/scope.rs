//! Where a crawl goes at all.
//!
//! Without rules it goes everywhere. With hosts, domains, prefixes or patterns it goes where one of them says so;
//! exceptions always hold.

use ontrail_pilot::OutOfScope;
use regex::RegexSet;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The rules as a person writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ScopeRules {
    /// Hosts, just these: `www.example.org`.
    pub hosts: Vec<String>,
    /// Domains with everything below them: `example.org`.
    pub domains: Vec<String>,
    /// Beginnings of addresses: `http://www.example.org/news/`.
    pub prefixes: Vec<String>,
    /// Regular expressions that an address holds somewhere.
    pub matching: Vec<String>,
    /// Regular expressions of what is left out in any case.
    pub except: Vec<String>,
    /// Whether to leave out what is not https.
    pub https_only: bool,
}

/// Rules made ready.
#[derive(Debug, Clone)]
pub struct Scope {
    rules: ScopeRules,
    matching: RegexSet,
    except: RegexSet,
}

/// A rule that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// A pattern that is no regular expression.
    #[error("a pattern of the scope is no regular expression: {0}")]
    Pattern(String),
    /// A host or domain that is none.
    #[error("{0:?} is no host; give a name without scheme and path, such as www.example.org")]
    Host(String),
    /// A prefix that is no beginning of an address.
    #[error("{0:?} begins no address of the web; give one such as http://www.example.org/news/")]
    Prefix(String),
}

impl Scope {
    /// Checks rules and makes them ready. Hosts are brought to the form that addresses have them in.
    pub fn new(mut rules: ScopeRules) -> Result<Self, ScopeError> {
        let set = |patterns: &[String]| {
            RegexSet::new(patterns).map_err(|error| ScopeError::Pattern(error.to_string()))
        };
        let (matching, except) = (set(&rules.matching)?, set(&rules.except)?);
        for host in rules.hosts.iter_mut().chain(&mut rules.domains) {
            *host =
                Host::parse(host.trim()).map_err(|_| ScopeError::Host(host.clone()))?.to_string();
        }
        for prefix in &mut rules.prefixes {
            let url = Url::parse(prefix).ok().and_then(crate::canonical);
            *prefix = url.ok_or_else(|| ScopeError::Prefix(prefix.clone()))?.into();
        }
        Ok(Self { rules, matching, except })
    }

    /// The site that each of some addresses belongs to: what was registered, with everything below it.
    pub fn of_sites<'a>(urls: impl IntoIterator<Item = &'a Url>) -> Result<Self, ScopeError> {
        let domains = urls.into_iter().filter_map(site).map(str::to_owned).collect();
        Self::new(ScopeRules { domains, ..ScopeRules::default() })
    }

    /// Why an address is out of scope, if it is. It must be [canonical](crate::canonical()).
    #[must_use]
    pub fn refuses(&self, url: &Url) -> Option<OutOfScope> {
        match url.scheme() {
            "https" => {}
            "http" if !self.rules.https_only => {}
            _ => return Some(OutOfScope::Scheme),
        }
        if self.except.is_match(url.as_str()) {
            return Some(OutOfScope::Excepted);
        }
        (!self.speaks_for(url)).then_some(OutOfScope::Elsewhere)
    }

    fn speaks_for(&self, url: &Url) -> bool {
        let ScopeRules { hosts, domains, prefixes, matching, .. } = &self.rules;
        if hosts.is_empty() && domains.is_empty() && prefixes.is_empty() && matching.is_empty() {
            return true;
        }
        let host = url.host_str().unwrap_or_default();
        let is_below = |domain: &String| {
            let above = host.strip_suffix(domain.as_str());
            above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        };
        hosts.iter().any(|own| own == host)
            || domains.iter().any(is_below)
            || prefixes.iter().any(|prefix| url.as_str().starts_with(prefix))
            || self.matching.is_match(url.as_str())
    }
}

/// The site that an address belongs to: the name that someone registered, by the public suffix list, or the host
/// itself where there is none (`example.co.uk` of `http://www.example.co.uk/`).
///
/// ```
/// # use ontrail_crawl::site;
/// assert_eq!(site(&"http://news.example.co.uk/a".parse()?), Some("example.co.uk"));
/// assert_eq!(site(&"http://127.0.0.1/".parse()?), Some("127.0.0.1"));
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn site(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    match url.host()? {
        Host::Domain(name) => Some(psl::domain_str(name).unwrap_or(name)),
        Host::Ipv4(_) | Host::Ipv6(_) => Some(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> ScopeRules {
        ScopeRules::default()
    }

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    /// Checks which addresses are in scope: one after a `-` is not.
    fn check(rules: &ScopeRules, urls: &[&str]) {
        let scope = Scope::new(rules.clone()).unwrap();
        for url in urls {
            let (url, expected) = url.strip_prefix('-').map_or((*url, true), |url| (url, false));
            assert_eq!(
                scope.refuses(&url.parse().unwrap()).is_none(),
                expected,
                "{url} by {rules:?}"
            );
        }
    }

    #[test]
    fn without_rules_everything_of_the_web_is_in_scope() {
        check(
            &rules(),
            &[
                "http://a.example/",
                "https://b.example/",
                "-ftp://a.example/",
                "-file:///etc/passwd",
            ],
        );
        check(
            &ScopeRules { https_only: true, ..rules() },
            &["https://a.example/", "-http://a.example/"],
        );
    }

    #[test]
    fn each_rule_speaks_for_some_addresses() {
        let hosts = ScopeRules { hosts: list(&["WWW.example.org", "例子.测试"]), ..rules() };
        check(
            &hosts,
            &[
                "http://www.example.org/a",
                "-http://example.org/",
                "-http://x.www.example.org/",
                "http://例子.测试/",
            ],
        );
        let domains = ScopeRules { domains: list(&["example.org"]), ..rules() };
        check(
            &domains,
            &[
                "http://example.org/",
                "http://a.b.example.org/",
                "-http://badexample.org/",
                "-http://example.org.evil.example/",
            ],
        );
        let prefixes = ScopeRules { prefixes: list(&["http://Example.org:80/news/"]), ..rules() };
        check(
            &prefixes,
            &[
                "http://example.org/news/1",
                "-http://example.org/new",
                "-https://example.org/news/1",
            ],
        );
        let matching = ScopeRules { matching: list(&[r"/\d{4}/", "weather"]), ..rules() };
        check(
            &matching,
            &["http://a.example/2021/x", "http://weather.example/", "-http://a.example/21/"],
        );
    }

    #[test]
    fn exceptions_always_hold() {
        let domains = list(&["example.org"]);
        let except = list(&[r"\.pdf$", "/login"]);
        let scope = Scope::new(ScopeRules { domains, except, ..rules() }).unwrap();
        let refused = |url: &str| scope.refuses(&url.parse().unwrap());
        assert_eq!(refused("http://example.org/a.pdf"), Some(OutOfScope::Excepted));
        assert_eq!(refused("http://other.example/a.html"), Some(OutOfScope::Elsewhere));
        assert_eq!(refused("http://example.org/a.pdf?x"), None);
    }

    #[test]
    fn sites_are_what_someone_registered() {
        let seeds: Vec<Url> = ["http://news.example.co.uk/", "http://a.github.io/x"]
            .map(|url| url.parse().unwrap())
            .into();
        let scope = Scope::of_sites(&seeds).unwrap();
        let is_in = |url: &str| scope.refuses(&url.parse().unwrap()).is_none();
        assert!(is_in("http://www.example.co.uk/") && is_in("https://a.github.io/"));
        assert!(!is_in("http://other.co.uk/") && !is_in("http://b.github.io/"));
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        let error = |rules| Scope::new(rules).unwrap_err().to_string();
        assert!(
            error(ScopeRules { except: list(&["("]), ..rules() }).contains("no regular expression")
        );
        assert_eq!(
            error(ScopeRules { hosts: list(&["http://a.example"]), ..rules() }),
            "\"http://a.example\" is no host; give a name without scheme and path, such as www.example.org"
        );
        assert!(
            error(ScopeRules { prefixes: list(&["/news"]), ..rules() })
                .contains("begins no address")
        );
    }
}
