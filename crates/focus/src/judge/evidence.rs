//! The evidence about a page that a judge combines.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Greatest distance of log-odds from 0. The posterior of a long page is often 0 or 1 to many
/// digits, and no sample at hand supports odds beyond about a thousand to one.
const MOST_LOG_ODDS: f64 = 7.0;

/// A kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// R(p), the similarity of the page to the topic.
    Relevance,
    /// ln(p / (1 − p)) of the posterior of the topic's class, from −7 to 7.
    LogOdds,
    /// R(p) without the words that do not mean the topic.
    Disambiguated,
}

impl EvidenceKind {
    /// All kinds, in the order in which they are combined.
    pub const ALL: [Self; 3] = [Self::Relevance, Self::LogOdds, Self::Disambiguated];

    /// Returns the kinds that are used, with or without a disambiguation graph.
    #[must_use]
    pub fn used(has_graph: bool) -> &'static [Self] {
        if has_graph { &Self::ALL } else { &Self::ALL[..2] }
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Relevance => "topic",
            Self::LogOdds => "classifier",
            Self::Disambiguated => "topic, disambiguated",
        })
    }
}

/// The evidence about a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    /// R(p).
    pub(crate) relevance: f64,
    /// R(p) without the words that do not mean the topic, if there is a graph.
    pub(crate) disambiguated: Option<f64>,
    /// The posterior of the topic's class.
    pub(crate) posterior: f64,
}

impl Evidence {
    /// Returns the numbers that are combined, in the order of [`EvidenceKind::ALL`].
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let log_odds = libm::log(self.posterior / (1.0 - self.posterior));
        // A posterior of 0 or 1 has infinite log-odds.
        let log_odds = if log_odds.is_nan() { 0.0 } else { log_odds };
        let first = [self.relevance, log_odds.clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS)];
        first.into_iter().chain(self.disambiguated).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_odds_are_bounded() {
        let numbers =
            |posterior| Evidence { relevance: 0.3, disambiguated: None, posterior }.numbers();
        // ln(0.8 / 0.2) = ln 4.
        assert!((numbers(0.8)[1] - 1.386_294).abs() < 1e-6);
        assert_eq!([numbers(0.0), numbers(1.0)], [[0.3, -7.0], [0.3, 7.0]]);
        assert_eq!(numbers(f64::NAN)[1].to_bits(), 0.0_f64.to_bits());
        let all = Evidence { relevance: 0.3, disambiguated: Some(0.2), posterior: 0.5 }.numbers();
        assert_eq!(all, [0.3, 0.0, 0.2]);
    }
}
