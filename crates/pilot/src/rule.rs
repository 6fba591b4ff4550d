//! Which rule picked a link: what the log says of each fetch.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The rule by which a link was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// It was found first.
    First,
    /// It had the greatest priority of those that may be fetched now.
    Best,
    /// It was drawn at random.
    Drawn,
    /// It was better than the current link.
    Accepted,
    /// It was worse than the current link, and a draw allowed it.
    Metropolis,
    /// It was tabu, and better than the best so far.
    Aspiration,
    /// It was the best of the page that the current link leads to.
    Neighbourhood,
    /// It was the best of the pages that the current link is on.
    ExtendedNeighbourhood,
    /// It stands in a content block on the topic, on a page that is not.
    Tunnel,
    /// A page was fetched to learn how fit it is.
    Fitness,
    /// It was drawn from the pages that lead to good pages.
    Mutation,
    /// Of those that were compared in several respects it was among the best.
    Pareto,
    /// An ant took the best path.
    Trail,
    /// An ant drew its path.
    Roulette,
    /// An ant whose page led nowhere jumped.
    Jump,
    /// The greatest priority among hosts that may be asked now: what the strategy wanted must rest.
    Free,
    /// A site names it for crawlers.
    Listed,
}

impl Rule {
    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Best => "best",
            Self::Drawn => "drawn",
            Self::Accepted => "accepted",
            Self::Metropolis => "metropolis",
            Self::Aspiration => "aspiration",
            Self::Neighbourhood => "neighbourhood",
            Self::ExtendedNeighbourhood => "extended-neighbourhood",
            Self::Tunnel => "tunnel",
            Self::Fitness => "fitness",
            Self::Mutation => "mutation",
            Self::Pareto => "pareto",
            Self::Trail => "trail",
            Self::Roulette => "roulette",
            Self::Jump => "jump",
            Self::Free => "free",
            Self::Listed => "listed",
        }
    }

    /// What it says, as the rest of the sentence "It was chosen because".
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::First => "it was found first",
            Self::Best => "it had the greatest priority of those that could be fetched then",
            Self::Drawn => "it was drawn at random, to begin a search from",
            Self::Accepted => "it was better than the link before it",
            Self::Metropolis => "it was worse than the link before it, and a draw allowed it",
            Self::Aspiration => "it was tabu, and better than the best so far",
            Self::Neighbourhood => "it was the best of the page that the search was on",
            Self::ExtendedNeighbourhood => {
                "the page before had nothing better, and it was the best of the pages around"
            }
            Self::Tunnel => "it stands in a content block on the topic, on a page that is not",
            Self::Fitness => "it was fetched to learn how relevant it is, as a link of a hub",
            Self::Mutation => "it was drawn from the pages that lead to relevant pages",
            Self::Pareto => "of those compared in several respects it was among the best",
            Self::Trail => "an ant took it as the best way",
            Self::Roulette => "an ant drew it",
            Self::Jump => "an ant whose page led nowhere jumped to it",
            Self::Free => {
                "what the strategy wanted had to rest, and it had the greatest priority of the rest"
            }
            Self::Listed => "a site lists it for crawlers",
        }
    }

    /// The rule of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::First,
        Self::Best,
        Self::Drawn,
        Self::Accepted,
        Self::Metropolis,
        Self::Aspiration,
        Self::Neighbourhood,
        Self::ExtendedNeighbourhood,
        Self::Tunnel,
        Self::Fitness,
        Self::Mutation,
        Self::Pareto,
        Self::Trail,
        Self::Roulette,
        Self::Jump,
        Self::Free,
        Self::Listed,
    ];
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::named(&name)
            .ok_or_else(|| serde::de::Error::custom(format_args!("unknown rule {name:?}")))
    }
}
