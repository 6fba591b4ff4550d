//! The scope of a crawl: the URLs that it may fetch.
//!
//! Without rules every http and https URL is in scope. With hosts, domains, prefixes or patterns a
//! URL is in scope if it matches one of them. Exceptions are always out of scope.

use ontrail_pilot::OutOfScope;
use regex::RegexSet;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The rules of a scope, as a person writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ScopeRules {
    /// Hosts, without their subdomains: `www.example.org`.
    pub hosts: Vec<String>,
    /// Domains, with their subdomains: `example.org`.
    pub domains: Vec<String>,
    /// URL prefixes: `http://www.example.org/news/`.
    pub prefixes: Vec<String>,
    /// Regular expressions that match a part of the URL.
    pub matching: Vec<String>,
    /// Regular expressions of URLs that are always out of scope.
    pub except: Vec<String>,
    /// True if only https URLs are in scope.
    pub https_only: bool,
}

/// A scope with compiled rules.
#[derive(Debug, Clone)]
pub struct Scope {
    rules: ScopeRules,
    matching: RegexSet,
    except: RegexSet,
}

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// A pattern is not a regular expression.
    #[error("invalid regular expression: {0}")]
    Pattern(String),
    /// A host or domain is not a host name.
    #[error("{0:?} is not a host name; give one without scheme and path, such as www.example.org")]
    Host(String),
    /// A prefix is not the start of an http or https URL.
    #[error("{0:?} is not a URL prefix; give one such as http://www.example.org/news/")]
    Prefix(String),
}

impl Scope {
    /// Checks and compiles rules. Hosts and prefixes are brought into the form that they have in
    /// canonical URLs.
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

    /// Returns the scope of all sites that some URLs belong to, with their subdomains.
    pub fn of_sites<'a>(urls: impl IntoIterator<Item = &'a Url>) -> Result<Self, ScopeError> {
        let domains = urls.into_iter().filter_map(site).map(str::to_owned).collect();
        Self::new(ScopeRules { domains, ..ScopeRules::default() })
    }

    /// Returns the reason why a URL is out of scope, if it is. The URL must be
    /// [canonical](crate::canonical()).
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
        (!self.includes(url)).then_some(OutOfScope::Elsewhere)
    }

    fn includes(&self, url: &Url) -> bool {
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

/// Returns the site that a URL belongs to: the registrable domain by the public suffix list
/// (`example.co.uk` for `http://www.example.co.uk/`), or the host if it has none.
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

    /// Checks which URLs are in scope: a URL after `-` must not be.
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
    fn without_rules_every_web_url_is_in_scope() {
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
    fn each_kind_of_rule_includes_the_urls_that_match() {
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
    fn exceptions_override_other_rules() {
        let domains = list(&["example.org"]);
        let except = list(&[r"\.pdf$", "/login"]);
        let scope = Scope::new(ScopeRules { domains, except, ..rules() }).unwrap();
        let refused = |url: &str| scope.refuses(&url.parse().unwrap());
        assert_eq!(refused("http://example.org/a.pdf"), Some(OutOfScope::Excepted));
        assert_eq!(refused("http://other.example/a.html"), Some(OutOfScope::Elsewhere));
        assert_eq!(refused("http://example.org/a.pdf?x"), None);
    }

    #[test]
    fn sites_are_registrable_domains() {
        let seeds: Vec<Url> = ["http://news.example.co.uk/", "http://a.github.io/x"]
            .map(|url| url.parse().unwrap())
            .into();
        let scope = Scope::of_sites(&seeds).unwrap();
        let is_in = |url: &str| scope.refuses(&url.parse().unwrap()).is_none();
        assert!(is_in("http://www.example.co.uk/") && is_in("https://a.github.io/"));
        assert!(!is_in("http://other.co.uk/") && !is_in("http://b.github.io/"));
    }

    #[test]
    fn invalid_rules_are_refused() {
        let error = |rules| Scope::new(rules).unwrap_err().to_string();
        assert!(
            error(ScopeRules { except: list(&["("]), ..rules() })
                .contains("invalid regular expression")
        );
        assert_eq!(
            error(ScopeRules { hosts: list(&["http://a.example"]), ..rules() }),
            "\"http://a.example\" is not a host name; give one without scheme and path, such as \
             www.example.org"
        );
        assert!(
            error(ScopeRules { prefixes: list(&["/news"]), ..rules() })
                .contains("is not a URL prefix")
        );
    }
}
