//! The outcomes of a fetch, with their names in the log and the words that people read.

use std::borrow::Cow;

use ontrail_pilot::{Target, Verdict};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::web::FailureKind;

/// The kind of resource that was fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FetchKind {
    /// A page.
    #[default]
    Page,
    /// The robots.txt of a site.
    Robots,
    /// A sitemap: a list of URLs that a site publishes for crawlers.
    Sitemap,
}

impl FetchKind {
    /// Returns the name of the kind in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Robots => "robots",
            Self::Sitemap => "sitemap",
        }
    }

    /// Returns the kind with a given name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Page, Self::Robots, Self::Sitemap].into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the target of a link whose fetch is of this kind.
    pub(crate) fn target(self) -> Target {
        match self {
            Self::Page | Self::Robots => Target::Page,
            Self::Sitemap => Target::Sitemap,
        }
    }
}

/// The outcome of a fetch, or of a link that was chosen but not fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A page was fetched.
    #[default]
    Page,
    /// A page was fetched that has the same bytes as an earlier one.
    Duplicate,
    /// A page was fetched only to look ahead; its link returned to the queue.
    Looked,
    /// The URL redirects to another URL.
    Redirect,
    /// A sitemap was fetched.
    Sitemap,
    /// A robots.txt was fetched; for a link to a page: robots.txt forbids the fetch.
    Robots,
    /// The limit of pages for the link's host was reached.
    HostFull,
    /// The server answered with a status other than success or a redirect.
    Http(u16),
    /// The response has a media type that the crawl does not fetch.
    WrongType,
    /// A redirect has an invalid target URL.
    BadRedirect,
    /// The chain of redirects is too long.
    TooManyRedirects,
    /// A redirect leads to a URL that the crawl must not fetch.
    Refused(Verdict),
    /// There was no usable response.
    Failed(FailureKind),
}

impl Outcome {
    /// All outcomes without further data.
    const PLAIN: [Self; 10] = [
        Self::Page,
        Self::Duplicate,
        Self::Looked,
        Self::Redirect,
        Self::Sitemap,
        Self::Robots,
        Self::HostFull,
        Self::WrongType,
        Self::BadRedirect,
        Self::TooManyRedirects,
    ];

    /// Returns true if the link was given up because of a failure that may pass.
    #[must_use]
    pub fn is_temporary(self) -> bool {
        match self {
            Self::Http(status) => matches!(status, 429 | 500 | 502 | 503 | 504),
            Self::Failed(kind) => kind.is_transient(),
            Self::Page
            | Self::Duplicate
            | Self::Looked
            | Self::Redirect
            | Self::Sitemap
            | Self::Robots
            | Self::HostFull
            | Self::WrongType
            | Self::BadRedirect
            | Self::TooManyRedirects
            | Self::Refused(_) => false,
        }
    }

    /// Returns the name of the outcome in the log.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Page => "page",
            Self::Duplicate => "duplicate",
            Self::Looked => "looked",
            Self::Redirect => "redirect",
            Self::Sitemap => "sitemap",
            Self::Robots => "robots",
            Self::HostFull => "host-full",
            Self::Http(status) => return Cow::Owned(format!("http-{status}")),
            Self::WrongType => "type",
            Self::BadRedirect => "bad-redirect",
            Self::TooManyRedirects => "redirects",
            Self::Refused(verdict) => verdict.name(),
            Self::Failed(kind) => kind.name(),
        })
    }

    /// Returns the outcome with a given name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let status = || name.strip_prefix("http-")?.parse().ok().map(Self::Http);
        let plain = Self::PLAIN.into_iter().find(|outcome| outcome.name() == name);
        plain
            .or_else(status)
            .or_else(|| FailureKind::named(name).map(Self::Failed))
            .or_else(|| Verdict::named(name).map(Self::Refused))
    }

    /// Returns the outcome in words, as a sentence without a capital letter and a full stop.
    #[must_use]
    pub fn meaning(self) -> String {
        match self {
            Self::Page => "a page was fetched".to_owned(),
            Self::Duplicate => "a page was fetched that is a copy of another".to_owned(),
            Self::Looked => "it was fetched only to look ahead, and stayed in the queue".to_owned(),
            Self::Redirect => "it redirects to another URL".to_owned(),
            Self::Sitemap => "a sitemap was fetched".to_owned(),
            Self::Robots => "robots.txt forbids it, so it was not fetched".to_owned(),
            Self::HostFull => {
                "the limit of pages for its host was reached, so it was not fetched".to_owned()
            }
            Self::Http(status) => format!("the server answered {status}"),
            Self::WrongType => "it has a media type that the crawl does not fetch".to_owned(),
            Self::Failed(FailureKind::OffLimits) => {
                "its IP address or port is off limits, so it was not fetched; --allow-private and \
                 --allow-port permit it"
                    .to_owned()
            }
            Self::Failed(FailureKind::NoSuchHost) => "its host name does not exist".to_owned(),
            Self::Failed(FailureKind::Local) => {
                "the fetch failed because this machine had run out of something".to_owned()
            }
            Self::BadRedirect | Self::TooManyRedirects | Self::Refused(_) | Self::Failed(_) => {
                format!("the fetch failed: {}", self.name())
            }
        }
    }

    /// Returns true if a page was fetched that counts as downloaded.
    #[must_use]
    pub fn is_page(self) -> bool {
        match self {
            Self::Page | Self::Duplicate => true,
            Self::Looked
            | Self::Redirect
            | Self::Sitemap
            | Self::Robots
            | Self::HostFull
            | Self::Http(_)
            | Self::WrongType
            | Self::BadRedirect
            | Self::TooManyRedirects
            | Self::Refused(_)
            | Self::Failed(_) => false,
        }
    }

    /// Returns true if the outcome is an error.
    #[must_use]
    pub fn is_error(self) -> bool {
        match self {
            Self::Http(_)
            | Self::WrongType
            | Self::BadRedirect
            | Self::TooManyRedirects
            | Self::Refused(_)
            | Self::Failed(_) => true,
            Self::Page
            | Self::Duplicate
            | Self::Looked
            | Self::Redirect
            | Self::Sitemap
            | Self::Robots
            | Self::HostFull => false,
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::named(&name)
            .ok_or_else(|| serde::de::Error::custom(format_args!("unknown outcome {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use ontrail_pilot::{OutOfScope, Trap};

    use super::*;

    #[test]
    fn every_outcome_is_found_by_its_name() {
        let failed = FailureKind::ALL.map(Outcome::Failed);
        let refused = [
            Outcome::Refused(Verdict::OutOfScope(OutOfScope::Excepted)),
            Outcome::Refused(Verdict::Trap(Trap::Calendar)),
        ];
        let http = [Outcome::Http(404), Outcome::Http(503)];
        for outcome in Outcome::PLAIN.into_iter().chain(failed).chain(refused).chain(http) {
            assert_eq!(Outcome::named(&outcome.name()), Some(outcome));
            assert!(!(outcome.is_page() && outcome.is_error()), "{outcome}");
        }
        assert_eq!(Outcome::named("http-x"), None);
        assert_eq!(FetchKind::named("sitemap"), Some(FetchKind::Sitemap));
    }

    #[test]
    fn off_limits_names_the_option_that_permits_it() {
        let meaning = Outcome::Failed(FailureKind::OffLimits).meaning();
        assert!(meaning.contains("--allow-private"), "{meaning}");
    }
}
