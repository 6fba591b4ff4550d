//! What became of a link: whether the queue took it, and if not, why.
//!
//! Every reason is listed here with its name in the log and the words that people read. Adding one makes
//! the compiler name every place that must know it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What the queue made of a link that it was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Offer {
    /// It waits now.
    Queued,
    /// It waited already, and has a better rank now.
    Raised,
    /// It was seen before.
    Known,
    /// Too many URLs of its pattern were seen.
    PatternFull,
    /// Too many links wait.
    QueueFull,
    /// Too many hosts are known, or too many of its site.
    HostsFull,
}

impl Offer {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Raised,
        Self::Known,
        Self::PatternFull,
        Self::QueueFull,
        Self::HostsFull,
    ];

    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Raised => "raised",
            Self::Known => "known",
            Self::PatternFull => "pattern-full",
            Self::QueueFull => "queue-full",
            Self::HostsFull => "hosts-full",
        }
    }

    /// The words after "It was not taken up:" or after the place where it was found.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Queued => "it was put in line",
            Self::Raised => "it was in line, and moved up",
            Self::Known => "it was known already",
            Self::PatternFull => "too many addresses like it were known",
            Self::QueueFull => "too many links waited",
            Self::HostsFull => "too many hosts were known",
        }
    }

    /// Whether a limit kept the link out of the queue.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        match self {
            Self::PatternFull | Self::QueueFull | Self::HostsFull => true,
            Self::Queued | Self::Raised | Self::Known => false,
        }
    }

    /// Whether the link waits because of this offer.
    #[must_use]
    pub fn is_queued(self) -> bool {
        match self {
            Self::Queued | Self::Raised => true,
            Self::Known | Self::PatternFull | Self::QueueFull | Self::HostsFull => false,
        }
    }
}

/// Why a URL is out of a crawl's scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutOfScope {
    /// Not http or https, or not https where that is asked for.
    Scheme,
    /// No rule speaks for it.
    Elsewhere,
    /// An exception speaks against it.
    Excepted,
}

impl OutOfScope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Scheme, Self::Elsewhere, Self::Excepted];

    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Elsewhere => "out-of-scope",
            Self::Excepted => "excepted",
        }
    }

    /// The words after "It was not taken up:".
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Scheme => "it is out of bounds (scheme)",
            Self::Elsewhere => "it is out of bounds (out-of-scope)",
            Self::Excepted => "it is out of bounds (excepted)",
        }
    }
}

/// Why a URL looks like a way into an endless web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trap {
    /// Too many links away from a seed.
    TooDeep,
    /// Too long.
    TooLong,
    /// The same parts of the path again and again.
    Repeating,
    /// A month that is far off.
    Calendar,
}

impl Trap {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::TooDeep, Self::TooLong, Self::Repeating, Self::Calendar];

    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TooDeep => "too-deep",
            Self::TooLong => "too-long",
            Self::Repeating => "repeating",
            Self::Calendar => "calendar",
        }
    }

    /// The words after "It was not taken up:".
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::TooDeep => "it is out of bounds (too-deep)",
            Self::TooLong => "it is out of bounds (too-long)",
            Self::Repeating => "it is out of bounds (repeating)",
            Self::Calendar => "it is out of bounds (calendar)",
        }
    }
}

/// What became of a link that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It was offered to the queue.
    Offered(Offer),
    /// It was queued before all others, because a tunnel begins at it.
    Tunnel,
    /// Its priority is too low.
    Low,
    /// Its page is not on the topic.
    OffTopic,
    /// It is too many steps away from the last relevant page.
    TooFar,
    /// Its page asks crawlers not to follow it.
    Nofollow,
    /// It is out of scope.
    OutOfScope(OutOfScope),
    /// It looks like a trap.
    Trap(Trap),
    /// It is a sitemap that too many sitemaps led to.
    SitemapDepth,
}

impl Verdict {
    /// It was seen before.
    pub const KNOWN: Self = Self::Offered(Offer::Known);

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = [
            Self::Tunnel,
            Self::Low,
            Self::OffTopic,
            Self::TooFar,
            Self::Nofollow,
            Self::SitemapDepth,
        ];
        let offered = Offer::ALL.map(Self::Offered).into_iter();
        let scope = OutOfScope::ALL.map(Self::OutOfScope);
        offered.chain(own).chain(scope).chain(Trap::ALL.map(Self::Trap))
    }

    /// Its name in the log.
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
        }
    }

    /// The verdict of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|verdict| verdict.name() == name)
    }

    /// The words after "It was not taken up:" or after the place where it was found.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Offered(offer) => offer.meaning(),
            Self::Tunnel => "a tunnel begins here",
            Self::Low => "its priority was too low",
            Self::OffTopic => "its page is not on the topic",
            Self::TooFar => "it is too far from the last relevant page",
            Self::Nofollow => "its page asks not to follow it",
            Self::OutOfScope(reason) => reason.meaning(),
            Self::Trap(trap) => trap.meaning(),
            Self::SitemapDepth => "too many sitemaps led to it",
        }
    }

    /// Whether the link was turned away; one that waits or is known already was not.
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
            | Self::SitemapDepth => true,
        }
    }

    /// Whether the link waits because of this verdict.
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
            | Self::SitemapDepth => false,
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
    fn names_are_unique_and_lead_back() {
        let names: BTreeSet<&str> = Verdict::all().map(Verdict::name).collect();
        assert_eq!(names.len(), Verdict::all().count());
        for verdict in Verdict::all() {
            assert_eq!(Verdict::named(verdict.name()), Some(verdict));
            assert!(!(verdict.is_refusal() && verdict.is_queued()), "{verdict}");
        }
        assert_eq!(Verdict::named("nothing"), None);
    }
}
