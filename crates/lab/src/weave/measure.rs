//! What a woven web turned out to be like, measured from the links as they were written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// In-degrees below this do not count for the exponent: a power law shows in the tail.
const TAIL: u32 = 10;

/// What a woven web turned out to be like. Shares are of the links of articles that are not navigation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Woven {
    /// Pages by kind.
    pub pages: BTreeMap<String, u64>,
    /// Pages by label.
    pub labels: BTreeMap<String, u64>,
    /// Hosts that have pages.
    pub hosts: u64,
    /// The share of pages that the largest tenth of the hosts has.
    pub largest_hosts: f64,
    /// Links of all kinds.
    pub links: u64,
    /// Links of an article, navigation aside, on average.
    pub mean_links: f64,
    /// The exponent of the tail of in-degrees, by greatest likelihood.
    pub in_exponent: f64,
    /// The share that stays on the host.
    pub same_host: f64,
    /// The share that leads to the same topic.
    pub same_topic: f64,
    /// The share of articles with a link that leads nowhere.
    pub articles_with_dead_links: f64,
    /// Redirects that there are.
    pub redirects: u64,
}

/// The exponent of a power law by greatest likelihood, from a least value on (Clauset, Shalizi and Newman 2009, eq. 3.7):
/// 1 + n / Σ ln(x / (least − ½)).
pub(crate) fn exponent(values: impl Iterator<Item = u32>) -> f64 {
    let (mut count, mut sum) = (0_u64, 0.0);
    for value in values.filter(|value| *value >= TAIL) {
        count += 1;
        sum += libm::log(f64::from(value) / (f64::from(TAIL) - 0.5));
    }
    if sum > 0.0 { 1.0 + count as f64 / sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    #[test]
    fn the_exponent_of_what_was_drawn_is_found() {
        for wanted in [2.1, 2.72] {
            let mut dice = Dice::new(3, "test", 0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "small numbers"
            )]
            let values = (0..40_000).map(|_| dice.power_law(wanted, 0.5, 1e6).round() as u32);
            let found = exponent(values);
            assert!((found - wanted).abs() < 0.1, "{found} is not {wanted}");
        }
    }
}
