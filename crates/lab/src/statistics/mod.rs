//! Statistics that hold: which differences between crawlers are more than chance.
//!
//! A [`Table`] has a row for each block (topic × web × seed set, never a measure) and a column for each crawler. What can be said of
//! it is a [`Verdict`]. Tests of single pairs are to be read only if the test of the whole table rejects; [`Verdict::rejects`] says
//! so, by permutations where the design is too small for χ².

mod distribution;
mod pairs;
mod ranks;

use serde::Serialize;

pub use pairs::{Wilcoxon, a12, wilcoxon};
pub use ranks::{AgainstControl, Better, Omnibus, PERMUTATIONS, Ranks};

use ranks::holm;

/// Below so many blocks or crawlers the p of permutations counts.
const SMALL_BLOCKS: usize = 10;
const SMALL_ALGORITHMS: usize = 5;

/// The values of one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The crawlers.
    pub names: Vec<String>,
    /// The blocks: a name, and a value for each crawler.
    pub blocks: Vec<(String, Vec<f64>)>,
    /// Which values are good.
    pub better: Better,
}

/// What can be said of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// N.
    pub blocks: usize,
    /// Which values are good.
    pub better: Better,
    /// The crawlers by mean rank, the best first.
    pub mean_ranks: Vec<MeanRank>,
    /// Friedman, Iman and Davenport, Kendall, permutations.
    pub friedman: Omnibus,
    /// The error that is accepted.
    pub alpha: f64,
    /// Whether it is more than chance that they differ at all.
    pub rejects: bool,
    /// Nemenyi's critical difference.
    pub critical_difference: f64,
    /// Crawlers that are not told apart by it: from and to a place in `mean_ranks`.
    pub groups: Vec<[usize; 2]>,
    /// What the others are compared with.
    pub control: String,
    /// Each of the others against it.
    pub against_control: Vec<Against>,
}

/// A crawler and its mean rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanRank {
    /// The crawler.
    pub name: String,
    /// Its mean rank.
    pub rank: f64,
}

/// A crawler against the control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// The crawler.
    pub name: String,
    /// The difference of mean ranks in standard errors; positive if the control is better.
    pub z: f64,
    /// Its p.
    pub p: f64,
    /// Its p adjusted by Holm.
    pub holm_p: f64,
    /// Wilcoxon's test over blocks.
    pub wilcoxon: Wilcoxon,
    /// Its p adjusted by Holm.
    pub wilcoxon_holm_p: f64,
    /// The probability that the control is better in a block drawn at random than the other in one drawn at random.
    pub a12: f64,
}

impl Table {
    /// What can be said of it. The control is the crawler of that name, or the one with the best mean rank.
    #[must_use]
    pub fn judge(&self, control: Option<&str>, alpha: f64, seed: u64) -> Verdict {
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
        Verdict {
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
            against_control: self.against(&ranks, control),
        }
    }

    fn against(&self, ranks: &Ranks, control: usize) -> Vec<Against> {
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
                wilcoxon: test,
                wilcoxon_holm_p,
                a12: a12(&own, &column(row.algorithm)),
            })
            .collect()
    }
}

/// The longest runs of sorted mean ranks that lie less than the critical difference apart, two at least.
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
    fn a_verdict_names_the_best_and_what_it_beats() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let blocks = (0..12)
            .map(|n| {
                let n = f64::from(n);
                (format!("{n}"), vec![0.9 - n / 100.0, 0.5 + n / 200.0, 0.1 + n / 300.0])
            })
            .collect();
        let table = Table { names, blocks, better: Better::Higher };
        let verdict = table.judge(None, 0.05, 0);
        assert_eq!((verdict.control.as_str(), verdict.rejects), ("a", true));
        assert_eq!(verdict.mean_ranks[0].name, "a");
        let worst = verdict.against_control.iter().find(|it| it.name == "c").unwrap();
        assert!((worst.a12 - 1.0).abs() < 1e-12 && worst.z > 0.0 && worst.holm_p < 0.001);
        // 2 / 2^12.
        assert!((worst.wilcoxon.p - 2.0 / 4_096.0).abs() < 1e-12);
        let other = table.judge(Some("c"), 0.05, 0);
        assert_eq!(other.control, "c");
        assert!(other.against_control.iter().all(|it| it.z < 0.0 && it.a12 < 0.5));
    }
}
