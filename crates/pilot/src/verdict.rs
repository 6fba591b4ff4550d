//! The verdict on a link: whether the queue accepted it and, if not, the reason.
//!
//! Every reason is listed here with its name in the log and an explanation for users. When a reason
//! is added, the compiler points out every place that must handle it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The queue's answer to an offered link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Offer {
    /// The link was added to the queue.
    Queued,
    /// The link was already waiting, and its priority was raised.
    Raised,
    /// The link was already queued, or is being fetched.
    Known,
    /// The link was fetched before.
    Done,
    /// The link was sent to the worker that fetches from its site.
    Sent,
    /// The number of URLs with the same pattern has reached its limit.
    PatternFull,
    /// The number of waiting links has reached its limit, and all of them are better.
    QueueFull,
    /// The number of waiting links of the same host or site has reached its limit, and all of them
    /// are better.
    HostFull,
    /// The number of hosts, or of hosts of the same site, has reached its limit.
    HostsFull,
}

impl Offer {
    /// All answers.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Raised,
        Self::Known,
        Self::Done,
        Self::Sent,
        Self::PatternFull,
        Self::QueueFull,
        Self::HostFull,
        Self::HostsFull,
    ];

    /// Returns the name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Raised => "raised",
            Self::Known => "known",
            Self::Done => "done",
            Self::Sent => "sent",
            Self::PatternFull => "pattern-full",
            Self::QueueFull => "queue-full",
            Self::HostFull => "host-full",
            Self::HostsFull => "hosts-full",
        }
    }

    /// Returns an explanation for users: a clause that follows "It was not queued:", or the place
    /// where the link was found and a colon.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Queued => "it was added to the queue",
            Self::Raised => "it was already in the queue, and its priority was raised",
            Self::Known => "it had been found before",
            Self::Done => "it had been fetched before",
            Self::Sent => "it was sent to the worker that fetches from its site",
            Self::PatternFull => "the limit on URLs with the same pattern was reached",
            Self::QueueFull => "the queue was full of better links",
            Self::HostFull => "the queue of its host or site was full of better links",
            Self::HostsFull => "the limit on hosts, or on hosts of one site, was reached",
        }
    }

    /// Returns true if a limit kept the link out of the queue.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        match self {
            Self::PatternFull | Self::QueueFull | Self::HostFull | Self::HostsFull => true,
            Self::Queued | Self::Raised | Self::Known | Self::Done | Self::Sent => false,
        }
    }

    /// Returns true if the link is waiting because of this offer.
    #[must_use]
    pub fn is_queued(self) -> bool {
        match self {
            Self::Queued | Self::Raised => true,
            Self::Known
            | Self::Done
            | Self::Sent
            | Self::PatternFull
            | Self::QueueFull
            | Self::HostFull
            | Self::HostsFull => false,
        }
    }
}

/// The reason why a URL is out of the crawl's scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutOfScope {
    /// The scheme is not http or https, or it is http and the crawl is limited to https.
    Scheme,
    /// No host, domain, prefix or pattern of the scope includes the URL.
    Elsewhere,
    /// An exception of the scope excludes the URL.
    Excepted,
}

impl OutOfScope {
    /// All reasons.
    pub const ALL: [Self; 3] = [Self::Scheme, Self::Elsewhere, Self::Excepted];

    /// Returns the name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Elsewhere => "out-of-scope",
            Self::Excepted => "excepted",
        }
    }

    /// Returns an explanation for users, as [`Verdict::meaning`] does.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Scheme => "it is out of scope, because its scheme is not allowed",
            Self::Elsewhere => "it is out of scope, because no rule of the scope includes it",
            Self::Excepted => "it is out of scope, because an exception excludes it",
        }
    }
}

/// The reason why a URL looks like a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trap {
    /// The URL is too many links away from a seed.
    TooDeep,
    /// The URL is too long.
    TooLong,
    /// The path repeats a segment too often.
    Repeating,
    /// The URL is that of a calendar month in the distant future.
    Calendar,
}

impl Trap {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::TooDeep, Self::TooLong, Self::Repeating, Self::Calendar];

    /// Returns the name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TooDeep => "too-deep",
            Self::TooLong => "too-long",
            Self::Repeating => "repeating",
            Self::Calendar => "calendar",
        }
    }

    /// Returns an explanation for users, as [`Verdict::meaning`] does.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::TooDeep => "it is more links away from a seed than the depth limit allows",
            Self::TooLong => "its URL is longer than the limit allows",
            Self::Repeating => "it looks like a trap, because its path repeats the same segment",
            Self::Calendar => {
                "it looks like a trap, because it is a calendar page for the distant future"
            }
        }
    }
}

/// The decision about a link that was found on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The link was offered to the queue, which gave this answer.
    Offered(Offer),
    /// The link was queued ahead of all others, because it starts a tunnel.
    Tunnel,
    /// The link's priority is too low.
    Low,
    /// The page that the link is on is not relevant.
    OffTopic,
    /// The link is too many steps away from the last relevant page.
    TooFar,
    /// The page asks crawlers not to follow the link.
    Nofollow,
    /// The URL is out of scope.
    OutOfScope(OutOfScope),
    /// The URL looks like a trap.
    Trap(Trap),
    /// The link is a sitemap, and sitemaps are nested too deeply.
    SitemapDepth,
    /// The link is a sitemap, and its host has too many of them.
    SitemapsFull,
}

impl Verdict {
    /// The link was already queued or fetched.
    pub const KNOWN: Self = Self::Offered(Offer::Known);

    /// Returns all verdicts.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = [
            Self::Tunnel,
            Self::Low,
            Self::OffTopic,
            Self::TooFar,
            Self::Nofollow,
            Self::SitemapDepth,
            Self::SitemapsFull,
        ];
        let offered = Offer::ALL.map(Self::Offered).into_iter();
        let scope = OutOfScope::ALL.map(Self::OutOfScope);
        offered.chain(own).chain(scope).chain(Trap::ALL.map(Self::Trap))
    }

    /// Returns the name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Offered(offer) => offer.name(),
            Self::Tunnel => "tunnel",
            Self::Low => "low",
            Self::OffTopic => "off-topic",
            Self::TooFar => "too-far",
            Self::Nofollow => "nofollow",
            Self::OutOfScope(reason) => reason.name(),
            Self::Trap(trap) => trap.name(),
            Self::SitemapDepth => "sitemap-depth",
            Self::SitemapsFull => "sitemaps-full",
        }
    }

    /// Returns the verdict with this name in the log.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|verdict| verdict.name() == name)
    }

    /// Returns an explanation for users: a clause that follows "It was not queued:", or the place
    /// where the link was found and a colon.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Offered(offer) => offer.meaning(),
            Self::Tunnel => "it starts a tunnel and was queued ahead of all other links",
            Self::Low => "its priority was too low for the recipe",
            Self::OffTopic => "the page that links to it is not relevant",
            Self::TooFar => "it is too many links away from the last relevant page",
            Self::Nofollow => "the page that links to it asks crawlers not to follow the link",
            Self::OutOfScope(reason) => reason.meaning(),
            Self::Trap(trap) => trap.meaning(),
            Self::SitemapDepth => "it is a sitemap that is nested too deeply in other sitemaps",
            Self::SitemapsFull => "the limit on sitemaps of one host was reached",
        }
    }

    /// Returns true if the link was turned away. A link that is waiting or already known was not.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        match self {
            Self::Offered(offer) => offer.is_refusal(),
            Self::Tunnel => false,
            Self::Low
            | Self::OffTopic
            | Self::TooFar
            | Self::Nofollow
            | Self::OutOfScope(_)
            | Self::Trap(_)
            | Self::SitemapDepth
            | Self::SitemapsFull => true,
        }
    }

    /// Returns true if the link is waiting because of this verdict.
    #[must_use]
    pub fn is_queued(self) -> bool {
        match self {
            Self::Offered(offer) => offer.is_queued(),
            Self::Tunnel => true,
            Self::Low
            | Self::OffTopic
            | Self::TooFar
            | Self::Nofollow
            | Self::OutOfScope(_)
            | Self::Trap(_)
            | Self::SitemapDepth
            | Self::SitemapsFull => false,
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Verdict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::named(&name)
            .ok_or_else(|| serde::de::Error::custom(format_args!("unknown verdict {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_can_be_looked_up() {
        let names: BTreeSet<&str> = Verdict::all().map(Verdict::name).collect();
        assert_eq!(names.len(), Verdict::all().count());
        for verdict in Verdict::all() {
            assert_eq!(Verdict::named(verdict.name()), Some(verdict));
            assert!(!(verdict.is_refusal() && verdict.is_queued()), "{verdict}");
        }
        assert_eq!(Verdict::named("nothing"), None);
    }
}
