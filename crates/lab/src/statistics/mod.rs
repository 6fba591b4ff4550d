//! Tests which differences between crawlers are statistically significant.
//!
//! A [`ResultTable`] has a row for each block (topic × web × seed set, never a measure) and a
//! column for each crawler. [`ResultTable::judge`] returns [`TestResults`]. Tests of single pairs
//! are valid only if the test of the whole table rejects ([`TestResults::rejects`]). That test uses
//! permutations if the design is too small for χ².

mod distribution;
mod pairs;
mod ranks;

use serde::Serialize;

pub use pairs::{Wilcoxon, a12, smallest_wilcoxon_p, wilcoxon};
pub use ranks::{AgainstControl, Better, Omnibus, PERMUTATIONS, Ranks};

use ranks::holm;

/// With fewer blocks than this, the permutation test decides.
const SMALL_BLOCKS: usize = 10;
/// With fewer crawlers than this, the permutation test decides.
const SMALL_ALGORITHMS: usize = 5;

/// The values of one measure, by block and crawler.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultTable {
    /// Names of the crawlers.
    pub names: Vec<String>,
    /// The blocks: a name, and one value for each crawler.
    pub blocks: Vec<(String, Vec<f64>)>,
    /// The direction in which values get better.
    pub better: Better,
}

/// The results of all tests of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestResults {
    /// Number of blocks (N).
    pub blocks: usize,
    /// The direction in which values get better.
    pub better: Better,
    /// The crawlers by mean rank, the best first.
    pub mean_ranks: Vec<MeanRank>,
    /// Tests of the whole table: Friedman, Iman and Davenport, Kendall's W, permutations.
    pub friedman: Omnibus,
    /// The significance level.
    pub alpha: f64,
    /// True if the crawlers differ significantly, by the test of the whole table.
    pub rejects: bool,
    /// Nemenyi's critical difference.
    pub critical_difference: f64,
    /// Groups of crawlers that differ by less than the critical difference: first and last index in
    /// `mean_ranks`.
    pub groups: Vec<[usize; 2]>,
    /// The crawler that the others are compared with.
    pub control: String,
    /// Each of the other crawlers against the control.
    pub against_control: Vec<Against>,
    /// The smallest p that Wilcoxon's test can give with this number of blocks, before Holm's
    /// correction.
    pub smallest_wilcoxon_p: f64,
}

/// A crawler and its mean rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanRank {
    /// The crawler.
    pub name: String,
    /// Its mean rank.
    pub rank: f64,
}

/// The comparison of a crawler with the control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// The crawler.
    pub name: String,
    /// The difference of mean ranks in standard errors; positive if the control is better.
    pub z: f64,
    /// The p-value of z.
    pub p: f64,
    /// That p-value, adjusted by Holm.
    pub holm_p: f64,
    /// True if its mean rank differs from that of the control by the critical difference or more
    /// (Nemenyi's test).
    pub nemenyi: bool,
    /// Wilcoxon's test over blocks.
    pub wilcoxon: Wilcoxon,
    /// The p-value of Wilcoxon's test, adjusted by Holm.
    pub wilcoxon_holm_p: f64,
    /// Probability that the control in a random block is better than the other crawler in another
    /// random block.
    pub a12: f64,
}

impl ResultTable {
    /// Runs all tests. The control is the crawler with that name, or else the one with the best
    /// mean rank.
    #[must_use]
    pub fn judge(&self, control: Option<&str>, alpha: f64, seed: u64) -> TestResults {
        let rows: Vec<Vec<f64>> = self.blocks.iter().map(|(_, row)| row.clone()).collect();
        let ranks = Ranks::of(&rows, self.better);
        let means = ranks.means();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|a, b| means[*a].total_cmp(&means[*b]).then(a.cmp(b)));
        let named = control.and_then(|name| self.names.iter().position(|own| own == name));
        let control = named.or(order.first().copied()).unwrap_or(0);
        let friedman = ranks.omnibus(seed);
        let is_small = rows.len() < SMALL_BLOCKS || self.names.len() < SMALL_ALGORITHMS;
        let p = if is_small { friedman.permutation_p } else { friedman.iman_davenport_p };
        let critical_difference = ranks.critical_difference(alpha);
        let sorted: Vec<f64> = order.iter().map(|at| means[*at]).collect();
        TestResults {
            blocks: rows.len(),
            better: self.better,
            mean_ranks: order
                .iter()
                .map(|at| MeanRank { name: self.names[*at].clone(), rank: means[*at] })
                .collect(),
            friedman,
            alpha,
            rejects: p < alpha,
            critical_difference,
            groups: groups(&sorted, critical_difference),
            control: self.names.get(control).cloned().unwrap_or_default(),
            against_control: self.against(&ranks, control, critical_difference),
            smallest_wilcoxon_p: smallest_wilcoxon_p(rows.len()),
        }
    }

    fn against(&self, ranks: &Ranks, control: usize, critical_difference: f64) -> Vec<Against> {
        let means = ranks.means();
        let column = |at: usize| -> Vec<f64> {
            let sign = if self.better == Better::Higher { 1.0 } else { -1.0 };
            self.blocks.iter().map(|(_, row)| sign * row[at]).collect()
        };
        let own = column(control);
        let rows = ranks.against(control);
        let tests: Vec<Wilcoxon> =
            rows.iter().map(|row| wilcoxon(&own, &column(row.algorithm))).collect();
        let adjusted = holm(&tests.iter().map(|test| test.p).collect::<Vec<_>>());
        rows.into_iter()
            .zip(tests.into_iter().zip(adjusted))
            .map(|(row, (test, wilcoxon_holm_p))| Against {
                name: self.names[row.algorithm].clone(),
                z: row.z,
                p: row.p,
                holm_p: row.adjusted_p,
                nemenyi: (means[row.algorithm] - means[control]).abs() >= critical_difference,
                wilcoxon: test,
                wilcoxon_holm_p,
                a12: a12(&own, &column(row.algorithm)),
            })
            .collect()
    }
}

/// Returns the maximal runs of at least two sorted mean ranks that span less than the critical
/// difference.
fn groups(sorted: &[f64], difference: f64) -> Vec<[usize; 2]> {
    let mut groups: Vec<[usize; 2]> = Vec::new();
    for start in 0..sorted.len() {
        let within = sorted[start..].iter().take_while(|rank| *rank - sorted[start] < difference);
        let end = start + within.count() - 1;
        if end > start && groups.last().is_none_or(|last| last[1] < end) {
            groups.push([start, end]);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_longest_runs() {
        assert_eq!(groups(&[1.0, 1.5, 2.6, 4.0], 1.2), [[0, 1], [1, 2]]);
        assert_eq!(groups(&[1.0, 1.1, 1.2], 1.0), [[0, 2]]);
        assert!(groups(&[1.0, 3.0], 1.0).is_empty());
    }

    #[test]
    fn results_name_the_best_crawler_and_those_it_beats() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let blocks = (0..12)
            .map(|n| {
                let n = f64::from(n);
                (format!("{n}"), vec![0.9 - n / 100.0, 0.5 + n / 200.0, 0.1 + n / 300.0])
            })
            .collect();
        let table = ResultTable { names, blocks, better: Better::Higher };
        let results = table.judge(None, 0.05, 0);
        assert_eq!((results.control.as_str(), results.rejects), ("a", true));
        assert_eq!(results.mean_ranks[0].name, "a");
        let worst = results.against_control.iter().find(|it| it.name == "c").unwrap();
        assert!((worst.a12 - 1.0).abs() < 1e-12 && worst.z > 0.0 && worst.holm_p < 0.001);
        // 2 / 2^12.
        assert!((worst.wilcoxon.p - 2.0 / 4_096.0).abs() < 1e-12);
        // The mean ranks are 1, 2 and 3; the critical difference is
        // 2.343 √(3 · 4 / (6 · 12)) = 0.957.
        assert!(results.against_control.iter().all(|it| it.nemenyi));
        let few = ResultTable { blocks: table.blocks[..4].to_vec(), ..table.clone() };
        // With four blocks it is 2.343 √(12 / 24) = 1.657: less than 2, more than 1.
        let few: Vec<bool> =
            few.judge(None, 0.05, 0).against_control.iter().map(|it| it.nemenyi).collect();
        assert_eq!(few, [false, true]);
        let other = table.judge(Some("c"), 0.05, 0);
        assert_eq!(other.control, "c");
        assert!(other.against_control.iter().all(|it| it.z < 0.0 && it.a12 < 0.5));
    }
}
