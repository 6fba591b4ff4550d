//! Many runs put together: means over repeats in each block, means over blocks, and what the differences are worth.

use std::collections::BTreeMap;

use ontrail_crawl::{Superposition, superposition};
use serde::Serialize;

use crate::experiment::{Outcome, points};
use crate::statistics::{Better, Table, Verdict};

/// The runs of one crawler in one block, by repeat.
pub type Repeats = Vec<Outcome>;

/// All runs of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// The crawlers, in the order in which they were asked for.
    pub names: Vec<String>,
    /// The blocks, in order.
    pub blocks: Vec<String>,
    /// The runs of each block and crawler.
    pub runs: Vec<Vec<Repeats>>,
    /// How many pages each run may fetch.
    pub budget: u64,
}

/// Something that is measured of a run.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Who says so: `self`, `true` or `run`.
    pub side: &'static str,
    /// Its name in JSON and CSV.
    pub name: &'static str,
    /// What the papers call it.
    pub symbol: &'static str,
    /// Which values are good.
    pub better: Better,
    of: fn(&Outcome) -> Option<f64>,
}

const fn measure(
    side: &'static str,
    name: &'static str,
    symbol: &'static str,
    better: Better,
    of: fn(&Outcome) -> Option<f64>,
) -> Measure {
    Measure { side, name, symbol, better, of }
}

/// What is measured, in the order of the tables.
pub const MEASURES: [Measure; 17] = [
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
    measure("true", "relevant", "RP", Better::Higher, |it| Some(it.truth.relevant as f64)),
    measure("true", "accuracy", "AC, HR", Better::Higher, |it| Some(it.truth.accuracy)),
    measure("true", "recall", "RC", Better::Higher, |it| Some(it.truth.recall)),
    measure("true", "recall_without_seeds", "TR", Better::Higher, |it| {
        Some(it.truth.recall_without_seeds)
    }),
    measure("true", "sd", "SD", Better::Lower, |it| Some(it.truth.sd)),
    measure("true", "average_similarity", "AS", Better::Higher, |it| {
        // Of no page there is no mean, and without a topic no similarity.
        (it.truth.relevant > 0 && it.own.is_some()).then_some(it.truth.average_similarity)
    }),
    measure("true", "average_error", "AE", Better::Lower, |it| it.truth.average_error),
    measure("true", "harvest_area", "area HR", Better::Higher, |it| Some(it.harvest_area)),
    measure("true", "recall_area", "area TR", Better::Higher, |it| Some(it.recall_area)),
    measure("run", "pages", "DP", Better::Higher, |it| Some(it.pages as f64)),
    measure("run", "seconds", "time", Better::Lower, |it| Some(it.seconds)),
];

/// The measures that crawlers are tested by.
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
    /// The measure of a side and a name.
    #[must_use]
    pub fn named(side: &str, name: &str) -> Option<&'static Self> {
        MEASURES.iter().find(|it| it.side == side && it.name == name)
    }

    /// Whether it can be told on the way: areas and times are of a whole run.
    #[must_use]
    pub fn has_curve(&self) -> bool {
        self.side != "run" && !self.name.ends_with("_area")
    }

    /// What it is of a run, if there is such a thing.
    #[must_use]
    pub fn of(&self, outcome: &Outcome) -> Option<f64> {
        (self.of)(outcome)
    }
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean; 0 of a single value.
    pub se: f64,
}

impl Mean {
    /// Of some values; none of none.
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

/// What two crawlers have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overlap {
    /// The two.
    pub pair: [String; 2],
    /// |A ∩ B| / |A ∪ B| of all pages, on average over blocks (gafc).
    pub pages: f64,
    /// The same of pages that are truly relevant.
    pub relevant: f64,
    /// |A ∩ B| by the pages of the smaller, on average over blocks.
    pub of_smaller: f64,
}

impl Comparison {
    /// The mean over repeats of something, in a block, for a crawler.
    fn block_mean(
        &self,
        block: usize,
        at: usize,
        of: impl Fn(&Outcome) -> Option<f64>,
    ) -> Option<f64> {
        let values: Vec<f64> = self.runs[block][at].iter().filter_map(of).collect();
        Mean::of(&values).map(|mean| mean.mean)
    }

    /// A measure of a crawler: over blocks, or over repeats where there is one block.
    #[must_use]
    pub fn mean(&self, at: usize, measure: &Measure) -> Option<Mean> {
        self.mean_of(at, |outcome| measure.of(outcome))
    }

    /// The mean of anything: over blocks, or over repeats where there is one block.
    #[must_use]
    pub fn mean_of(&self, at: usize, of: impl Fn(&Outcome) -> Option<f64>) -> Option<Mean> {
        if self.blocks.len() == 1 {
            return Mean::of(&self.runs[0][at].iter().filter_map(of).collect::<Vec<_>>());
        }
        let blocks = (0..self.blocks.len()).filter_map(|block| self.block_mean(block, at, &of));
        Mean::of(&blocks.collect::<Vec<_>>())
    }

    /// The values of a measure for tests: a row for each block. None if a crawler has none.
    #[must_use]
    pub fn table(&self, measure: &Measure) -> Option<Table> {
        let row = |block: usize| -> Option<(String, Vec<f64>)> {
            let values = (0..self.names.len())
                .map(|at| self.block_mean(block, at, |outcome| measure.of(outcome)));
            Some((self.blocks[block].clone(), values.collect::<Option<Vec<f64>>>()?))
        };
        let blocks = (0..self.blocks.len()).map(row).collect::<Option<Vec<_>>>()?;
        Some(Table { names: self.names.clone(), blocks, better: measure.better })
    }

    /// The tests of all measures, by `side.name`. None are made of a single crawler.
    #[must_use]
    pub fn tests(&self, control: Option<&str>, alpha: f64, seed: u64) -> BTreeMap<String, Verdict> {
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

    /// What each two crawlers have in common, by the first repeat of each block.
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

    /// A measure on the way: pages, mean and standard error at each point. A crawl that has ended stays where it is.
    #[must_use]
    pub fn curve(&self, at: usize, measure: &Measure) -> Vec<(u64, Mean)> {
        let point = |(place, pages): (usize, u64)| {
            let value = |outcome: &Outcome| {
                let point = outcome.curve.get(place).or(outcome.curve.last())?;
                measure.of(&outcome.as_of(point))
            };
            Some((pages, self.mean_of(at, value)?))
        };
        points(self.budget).into_iter().enumerate().filter_map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_errors() {
        let mean = Mean::of(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        // Variance 14 / 3, by 4: 7 / 6.
        assert!(
            (mean.mean - 3.0).abs() < 1e-12 && (mean.se - (7.0_f64 / 6.0).sqrt()).abs() < 1e-12
        );
        assert_eq!(Mean::of(&[0.5]).unwrap(), Mean { mean: 0.5, se: 0.0 });
        assert_eq!(Mean::of(&[]), None);
    }
}
