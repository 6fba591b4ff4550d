//! All runs of an experiment combined: means over the repeats of each block, means over blocks, and
//! tests of the differences.

use std::collections::BTreeMap;

use ontrail_crawl::{Superposition, superposition};
use serde::Serialize;

use crate::experiment::{RunOutcome, points};
use crate::statistics::{Better, ResultTable, TestResults};

/// The runs of one crawler in one block, one for each repeat.
pub type Repeats = Vec<RunOutcome>;

/// All runs of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// Names of the crawlers, in the order in which the user listed them.
    pub names: Vec<String>,
    /// Names of the blocks, in order.
    pub blocks: Vec<String>,
    /// The runs, by block and then by crawler.
    pub runs: Vec<Vec<Repeats>>,
    /// The runs of the oracle, one for each block; none if it was not asked for.
    pub oracle: Vec<RunOutcome>,
    /// Number of pages that each run may fetch.
    pub budget: u64,
}

/// A measure of a run.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// The side: `self` for self-reported measures, `true` for those by the ground truth, `run` for
    /// those of the run itself.
    pub side: &'static str,
    /// Its name in JSON and CSV.
    pub name: &'static str,
    /// Its symbol in the papers.
    pub symbol: &'static str,
    /// The direction in which values get better.
    pub better: Better,
    of: fn(&RunOutcome) -> Option<f64>,
}

const fn measure(
    side: &'static str,
    name: &'static str,
    symbol: &'static str,
    better: Better,
    of: fn(&RunOutcome) -> Option<f64>,
) -> Measure {
    Measure { side, name, symbol, better, of }
}

/// All measures, in the order of the tables.
pub const MEASURES: [Measure; 22] = [
    measure("self", "relevant", "LP", Better::Higher, |it| it.own.map(|own| own.relevant as f64)),
    measure("self", "accuracy", "AC", Better::Higher, |it| it.own.map(|own| own.accuracy)),
    measure("self", "average_relevance", "AR", Better::Higher, |it| {
        it.own.map(|own| own.average_relevance)
    }),
    measure("self", "sd", "SD", Better::Lower, |it| it.own.map(|own| own.sd)),
    measure("self", "average_similarity", "AS", Better::Higher, |it| {
        it.own.filter(|own| own.relevant > 0).map(|own| own.average_similarity)
    }),
    measure("self", "average_error", "AE", Better::Lower, |it| {
        it.own.and_then(|own| own.average_error)
    }),
    measure("self", "precision", "P", Better::Higher, |it| it.judgement.map(|it| it.precision)),
    measure("self", "judged_recall", "R", Better::Higher, |it| it.judgement.map(|it| it.recall)),
    measure("self", "f1", "F1", Better::Higher, |it| it.judgement.map(|it| it.f1)),
    measure("true", "relevant", "RP", Better::Higher, |it| Some(it.truth.relevant as f64)),
    measure("true", "accuracy", "AC, HR", Better::Higher, |it| Some(it.truth.accuracy)),
    measure("true", "recall", "RC", Better::Higher, |it| Some(it.truth.recall)),
    measure("true", "recall_without_seeds", "TR", Better::Higher, |it| {
        Some(it.truth.recall_without_seeds)
    }),
    measure("true", "sd", "SD", Better::Lower, |it| Some(it.truth.sd)),
    measure("true", "average_similarity", "AS", Better::Higher, |it| {
        // Without pages there is no mean, and without a topic no similarity.
        (it.truth.relevant > 0 && it.own.is_some()).then_some(it.truth.average_similarity)
    }),
    measure("true", "average_error", "AE", Better::Lower, |it| it.truth.average_error),
    measure("true", "harvest_area", "area HR", Better::Higher, |it| Some(it.harvest_area)),
    measure("true", "recall_area_quarter", "area TR ¼", Better::Higher, |it| {
        Some(it.recall_area_quarter)
    }),
    measure("true", "recall_area_half", "area TR ½", Better::Higher, |it| {
        Some(it.recall_area_half)
    }),
    measure("true", "recall_area", "area TR", Better::Higher, |it| Some(it.recall_area)),
    measure("run", "pages", "DP", Better::Higher, |it| Some(it.pages as f64)),
    measure("run", "seconds", "time", Better::Lower, |it| Some(it.seconds)),
];

/// The measures that the statistical tests use.
pub const TESTED: [(&str, &str); 7] = [
    ("true", "accuracy"),
    ("true", "recall"),
    ("true", "harvest_area"),
    ("true", "recall_area"),
    ("self", "accuracy"),
    ("self", "average_relevance"),
    ("self", "sd"),
];

impl Measure {
    /// Returns the measure with this side and name.
    #[must_use]
    pub fn named(side: &str, name: &str) -> Option<&'static Self> {
        MEASURES.iter().find(|it| it.side == side && it.name == name)
    }

    /// Returns true if the measure is defined at every point of a run. Areas, times and the quality
    /// of the judgement belong to the whole run.
    #[must_use]
    pub fn has_curve(&self) -> bool {
        let is_of_judgement = matches!(self.name, "precision" | "judged_recall" | "f1");
        self.side != "run" && !self.name.contains("_area") && !is_of_judgement
    }

    /// Returns the value for a run, if it is defined.
    #[must_use]
    pub fn of(&self, outcome: &RunOutcome) -> Option<f64> {
        (self.of)(outcome)
    }
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean; 0 for a single value.
    pub se: f64,
}

impl Mean {
    /// Computes the mean and its standard error. Returns `None` if there are no values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let se = if values.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 };
        Some(Self { mean, se })
    }
}

/// The overlap of the pages that two crawlers fetched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overlap {
    /// The names of the two crawlers.
    pub pair: [String; 2],
    /// |A ∩ B| / |A ∪ B| of all pages, averaged over blocks (the superposition of gafc).
    pub pages: f64,
    /// The same for pages that are relevant by the ground truth.
    pub relevant: f64,
    /// |A ∩ B| / min(|A|, |B|), averaged over blocks.
    pub of_smaller: f64,
}

impl Comparison {
    /// Returns the mean of a value over the repeats of a crawler in a block.
    pub(crate) fn block_mean(
        &self,
        block: usize,
        at: usize,
        of: impl Fn(&RunOutcome) -> Option<f64>,
    ) -> Option<f64> {
        let values: Vec<f64> = self.runs[block][at].iter().filter_map(of).collect();
        Mean::of(&values).map(|mean| mean.mean)
    }

    /// Returns the mean of a measure for a crawler: over blocks, or over repeats if there is only
    /// one block.
    #[must_use]
    pub fn mean(&self, at: usize, measure: &Measure) -> Option<Mean> {
        self.mean_of(at, |outcome| measure.of(outcome))
    }

    /// Returns the mean of any value of a run: over blocks, or over repeats if there is only one
    /// block.
    #[must_use]
    pub fn mean_of(&self, at: usize, of: impl Fn(&RunOutcome) -> Option<f64>) -> Option<Mean> {
        if self.blocks.len() == 1 {
            return Mean::of(&self.runs[0][at].iter().filter_map(of).collect::<Vec<_>>());
        }
        let blocks = (0..self.blocks.len()).filter_map(|block| self.block_mean(block, at, &of));
        Mean::of(&blocks.collect::<Vec<_>>())
    }

    /// Returns the mean of a measure for the oracle, if it ran.
    #[must_use]
    pub fn oracle_mean(&self, measure: &Measure) -> Option<Mean> {
        Mean::of(&self.oracle.iter().filter_map(|outcome| measure.of(outcome)).collect::<Vec<_>>())
    }

    /// Returns the values of a measure as a table for tests, one row for each block. Returns `None`
    /// if the measure is undefined for a crawler.
    #[must_use]
    pub fn table(&self, measure: &Measure) -> Option<ResultTable> {
        let row = |block: usize| -> Option<(String, Vec<f64>)> {
            let values = (0..self.names.len())
                .map(|at| self.block_mean(block, at, |outcome| measure.of(outcome)));
            Some((self.blocks[block].clone(), values.collect::<Option<Vec<f64>>>()?))
        };
        let blocks = (0..self.blocks.len()).map(row).collect::<Option<Vec<_>>>()?;
        Some(ResultTable { names: self.names.clone(), blocks, better: measure.better })
    }

    /// Tests all measures of [`TESTED`] and returns the results by `side.name`. With a single
    /// crawler there is nothing to test.
    #[must_use]
    pub fn tests(
        &self,
        control: Option<&str>,
        alpha: f64,
        seed: u64,
    ) -> BTreeMap<String, TestResults> {
        let mut tests = BTreeMap::new();
        if self.names.len() < 2 {
            return tests;
        }
        for (side, name) in TESTED {
            let table = Measure::named(side, name).and_then(|measure| self.table(measure));
            if let Some(table) = table {
                tests.insert(format!("{side}.{name}"), table.judge(control, alpha, seed));
            }
        }
        tests
    }

    /// Returns the overlap of each pair of crawlers, by the first repeat in each block.
    #[must_use]
    pub fn overlaps(&self) -> Vec<Overlap> {
        let mut overlaps = Vec::new();
        for a in 0..self.names.len() {
            for b in a + 1..self.names.len() {
                let mean = |which: usize, of: fn(&Superposition) -> f64| {
                    let of_block = |block: &Vec<Repeats>| {
                        let found = |at: usize| block[at].first()?.found.as_ref();
                        Some(of(&superposition(&found(a)?[which], &found(b)?[which])))
                    };
                    let ratios: Vec<f64> = self.runs.iter().filter_map(of_block).collect();
                    Mean::of(&ratios).map_or(0.0, |mean| mean.mean)
                };
                overlaps.push(Overlap {
                    pair: [self.names[a].clone(), self.names[b].clone()],
                    pages: mean(0, |it| it.ratio),
                    relevant: mean(1, |it| it.ratio),
                    of_smaller: mean(0, |it| it.of_smaller),
                });
            }
        }
        overlaps
    }

    /// Returns the curve of a measure: number of pages, and mean with standard error, at each
    /// point. A crawl that ended early keeps its last value.
    #[must_use]
    pub fn curve(&self, at: usize, measure: &Measure) -> Vec<(u64, Mean)> {
        let mean = |place| self.mean_of(at, |outcome| at_point(outcome, place, measure));
        self.curve_of(mean)
    }

    /// Returns the curve of a measure for the oracle; empty if it did not run.
    #[must_use]
    pub fn oracle_curve(&self, measure: &Measure) -> Vec<(u64, Mean)> {
        self.curve_of(|place| {
            let values = self.oracle.iter().filter_map(|it| at_point(it, place, measure));
            Mean::of(&values.collect::<Vec<_>>())
        })
    }

    fn curve_of(&self, mean: impl Fn(usize) -> Option<Mean>) -> Vec<(u64, Mean)> {
        let point = |(place, pages): (usize, u64)| Some((pages, mean(place)?));
        points(self.budget).into_iter().enumerate().filter_map(point).collect()
    }
}

/// Returns a measure of a run at a point of its curve.
fn at_point(outcome: &RunOutcome, place: usize, measure: &Measure) -> Option<f64> {
    let point = outcome.curve.get(place).or(outcome.curve.last())?;
    measure.of(&outcome.as_of(point))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_a_standard_error() {
        let mean = Mean::of(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        // The variance is 14 / 3; divided by 4 it is 7 / 6.
        assert!(
            (mean.mean - 3.0).abs() < 1e-12 && (mean.se - (7.0_f64 / 6.0).sqrt()).abs() < 1e-12
        );
        assert_eq!(Mean::of(&[0.5]).unwrap(), Mean { mean: 0.5, se: 0.0 });
        assert_eq!(Mean::of(&[]), None);
    }
}
