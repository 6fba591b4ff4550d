//! What became of a fetch: every outcome with its name in the log and the words that people read.

use ontrail_pilot::Verdict;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::web::FailureKind;

/// What was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FetchKind {
    /// A page.
    #[default]
    Page,
    /// The robots.txt of a site.
    Robots,
    /// A list of URLs that a site names for crawlers.
    Sitemap,
}

impl FetchKind {
    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Robots => "robots",
            Self::Sitemap => "sitemap",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Page, Self::Robots, Self::Sitemap].into_iter().find(|kind| kind.name() == name)
    }
}

/// What became of a fetch, or of a link that was chosen and then not fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A page came.
    #[default]
    Page,
    /// A page came with the same bytes as one before.
    Duplicate,
    /// A page came that was only looked at; its link waits again.
    Looked,
    /// The URL leads to another one.
    Redirect,
    /// A sitemap came.
    Sitemap,
    /// A robots.txt came; of a link, robots.txt forbids it.
    Robots,
    /// Enough pages of the link's host had come.
    HostFull,
    /// The server answered with a status that brings no page.
    Http(u16),
    /// The answer is of a type that is not fetched.
    WrongType,
    /// The URL that a redirect names is none.
    BadRedirect,
    /// Too many redirects came one after the other.
    TooManyRedirects,
    /// A redirect leads to a URL that is not to be fetched.
    Refused(Verdict),
    /// No answer came that could be used.
    Failed(FailureKind),
}

impl Outcome {
    /// Those that carry nothing.
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

    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Page => "page".to_owned(),
            Self::Duplicate => "duplicate".to_owned(),
            Self::Looked => "looked".to_owned(),
            Self::Redirect => "redirect".to_owned(),
            Self::Sitemap => "sitemap".to_owned(),
            Self::Robots => "robots".to_owned(),
            Self::HostFull => "host-full".to_owned(),
            Self::Http(status) => format!("http-{status}"),
            Self::WrongType => "type".to_owned(),
            Self::BadRedirect => "bad-redirect".to_owned(),
            Self::TooManyRedirects => "redirects".to_owned(),
            Self::Refused(verdict) => verdict.name().to_owned(),
            Self::Failed(kind) => kind.name().to_owned(),
        }
    }

    /// The outcome of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let status = || name.strip_prefix("http-")?.parse().ok().map(Self::Http);
        let plain = Self::PLAIN.into_iter().find(|outcome| outcome.name() == name);
        plain
            .or_else(status)
            .or_else(|| FailureKind::named(name).map(Self::Failed))
            .or_else(|| Verdict::named(name).map(Self::Refused))
    }

    /// The sentence that people read, without its beginning and its end.
    #[must_use]
    pub fn meaning(self) -> String {
        match self {
            Self::Page => "a page came".to_owned(),
            Self::Duplicate => "a page came that is the same as another".to_owned(),
            Self::Looked => "it was only looked at, and waited on".to_owned(),
            Self::Redirect => "it leads to another address".to_owned(),
            Self::Sitemap => "a sitemap came".to_owned(),
            Self::Robots => "robots.txt forbids it, so it was not fetched".to_owned(),
            Self::HostFull => "enough pages of its host had come, so it was not fetched".to_owned(),
            Self::Http(status) => format!("the server answered {status}"),
            Self::WrongType => "it is not of a type that is fetched".to_owned(),
            Self::Failed(FailureKind::OffLimits) => {
                "its machine is off limits, so it was not fetched".to_owned()
            }
            Self::BadRedirect | Self::TooManyRedirects | Self::Refused(_) | Self::Failed(_) => {
                format!("it failed: {}", self.name())
            }
        }
    }

    /// Whether a page came that counts as downloaded.
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

    /// Whether something went wrong.
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
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::named(&name)
            .ok_or_else(|| serde::de::Error::custom(format_args!("unknown outcome {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use ontrail_pilot::{OutOfScope, Trap};

    use super::*;

    #[test]
    fn names_lead_back() {
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
}
