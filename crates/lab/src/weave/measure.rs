//! Properties of a woven web, measured on the links that were written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Least in-degree that counts for the exponent: only the tail follows a power law.
const TAIL: u32 = 10;

/// The measured properties of a woven web. Shares are relative to the links of articles that are
/// not navigation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Woven {
    /// Number of pages by kind.
    pub pages: BTreeMap<String, u64>,
    /// Number of pages by label.
    pub labels: BTreeMap<String, u64>,
    /// Number of hosts.
    pub hosts: u64,
    /// Share of the pages that are on the largest tenth of the hosts.
    pub largest_hosts: f64,
    /// Number of links of all kinds.
    pub links: u64,
    /// Mean number of links of an article, without navigation.
    pub mean_links: f64,
    /// Exponent of the tail of in-degrees, by maximum likelihood.
    pub in_exponent: f64,
    /// Share of the links that stay on their host.
    pub same_host: f64,
    /// Share of the links that lead to the same topic.
    pub same_topic: f64,
    /// Share of the articles that have a dead link.
    pub articles_with_dead_links: f64,
    /// Number of redirects.
    pub redirects: u64,
}

/// Estimates the exponent of a power law by maximum likelihood, from the values of at least
/// [`TAIL`]: 1 + n / Σ ln(x / (least − ½)) (Clauset, Shalizi and Newman 2009, eq. 3.7).
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
    use crate::random_stream::RandomStream;

    #[test]
    fn the_estimated_exponent_is_that_of_the_distribution() {
        for wanted in [2.1, 2.72] {
            let mut random = RandomStream::new(3, "test", 0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "small numbers"
            )]
            let values = (0..40_000).map(|_| random.power_law(wanted, 0.5, 1e6).round() as u32);
            let found = exponent(values);
            assert!((found - wanted).abs() < 0.1, "{found} is not {wanted}");
        }
    }
}
