//! The rules by which links are picked. The log names the rule of each fetch.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The rule by which a link was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The oldest link in the queue.
    First,
    /// The link with the highest priority of all that may be fetched now.
    Best,
    /// The link with the highest value of a fixed formula, as a bandit chose this order.
    Formula,
    /// The link on the most relevant page, as a bandit chose this order.
    Parent,
    /// A link drawn at random.
    Drawn,
    /// A link that is no worse than the one that the search compares it with.
    Accepted,
    /// A link that is worse than the current link and was accepted at random (simulated annealing).
    Metropolis,
    /// A tabu link that is better than the best link so far.
    Aspiration,
    /// The best link on the page behind the current link that is not tabu.
    Neighbourhood,
    /// The best link on the pages that contain the current link.
    ExtendedNeighbourhood,
    /// A link in a relevant content block of a page that is not relevant.
    Tunnel,
    /// A link of a hub, fetched to learn its relevance (gafc).
    Fitness,
    /// A link drawn at random from the links of pages that lead to relevant pages (gafc).
    Mutation,
    /// One of the best links when several scores are compared at once.
    Pareto,
    /// The link with the greatest product of pheromone and priority on an ant's page.
    Trail,
    /// A link that an ant drew at random.
    Roulette,
    /// A link that an ant jumped to because its page had no open link.
    Jump,
    /// The link with the highest priority in the queue, taken because the links that the strategy
    /// wanted were not ready.
    Free,
    /// A sitemap that its site lists for crawlers.
    Listed,
}

impl Rule {
    /// Returns the name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Best => "best",
            Self::Formula => "formula",
            Self::Parent => "parent",
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

    /// Returns an explanation for users: a clause that completes "It was chosen because".
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::First => "it was the oldest link in the queue",
            Self::Best => "it had the highest priority of all links that could be fetched then",
            Self::Formula => {
                "it had the highest value of the fixed formula, whose order had found more lately"
            }
            Self::Parent => {
                "it was on the most relevant page, and following such pages had found more lately"
            }
            Self::Drawn => "it was drawn at random as the start of a new search",
            Self::Accepted => "it was no worse than the link that the search compared it with",
            Self::Metropolis => {
                "it was worse than the previous link, but simulated annealing accepted it at random"
            }
            Self::Aspiration => "it was tabu, but better than the best link so far",
            Self::Neighbourhood => {
                "it was the best link that was not tabu on the page that the search had reached"
            }
            Self::ExtendedNeighbourhood => {
                "the search found nothing better on its page, and this was the best link on the \
                 pages that link to that page"
            }
            Self::Tunnel => {
                "it is in a relevant content block of a page that is not relevant itself"
            }
            Self::Fitness => "a hub links to it, and the genetic algorithm needed its relevance",
            Self::Mutation => {
                "it was drawn at random from the links of pages that lead to relevant pages"
            }
            Self::Pareto => "it was among the best links when several scores were compared at once",
            Self::Trail => "it was the most attractive link for an ant, by pheromone and priority",
            Self::Roulette => "an ant drew it at random, weighted by pheromone and priority",
            Self::Jump => "an ant jumped to it, because the ant's page had no links left to follow",
            Self::Free => {
                "the links that the strategy wanted were not ready, and it had the highest \
                 priority of those that were"
            }
            Self::Listed => "its site lists it for crawlers, in robots.txt or in a sitemap",
        }
    }

    /// Returns the rule with this name in the log.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// All rules.
    pub const ALL: [Self; 19] = [
        Self::First,
        Self::Best,
        Self::Formula,
        Self::Parent,
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
