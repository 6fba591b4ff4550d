//! Compares each crawler with a reference: how much of the way from the reference to the oracle it
//! goes, and how it fares in its worst block.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::comparison::{Comparison, Measure};

/// The crawlers that are references if they take part, the first choice first: those that do not
/// learn.
const REFERENCES: [&str; 2] = ["fixed-classifier", "fixed"];
/// The difference of areas up to which the oracle is no better than the reference.
const NO_GAP: f64 = 1e-9;

/// Each crawler's [`Gap`], by name.
pub type Gaps = BTreeMap<String, Gap>;

/// A crawler compared with its reference, by the area of recall.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gap {
    /// The reference.
    pub reference: String,
    /// The share of the gap that is closed: (area - reference's area) / (oracle's area -
    /// reference's area), with means over blocks. It is negative for a crawler that is worse than
    /// the reference. None without the oracle, and if the oracle is no better than the reference.
    pub closed: Option<f64>,
    /// The block in which the crawler does worst, compared with the reference.
    pub worst: WorstBlock,
}

/// The block with the least difference of areas.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstBlock {
    /// Name of the block.
    pub block: String,
    /// The crawler's area minus the reference's area.
    pub difference: f64,
}

impl Comparison {
    /// Compares each crawler with the reference. The reference itself has none, unless it is simply
    /// the best crawler: then it is compared with the second best.
    #[must_use]
    pub fn gaps(&self) -> Gaps {
        let Some(measure) = Measure::named("true", "recall_area") else { return Gaps::new() };
        let areas: Vec<f64> = (0..self.names.len())
            .map(|at| self.mean(at, measure).map_or(0.0, |area| area.mean))
            .collect();
        let oracle = self.oracle_mean(measure).map(|area| area.mean);
        let gap = |(at, name): (usize, &String)| {
            let reference = self.reference(at, &areas)?;
            let gap = oracle.map(|oracle| oracle - areas[reference]).filter(|gap| *gap > NO_GAP);
            Some((
                name.clone(),
                Gap {
                    reference: self.names[reference].clone(),
                    closed: gap.map(|gap| (areas[at] - areas[reference]) / gap),
                    worst: self.worst(at, reference, measure)?,
                },
            ))
        };
        self.names.iter().enumerate().filter_map(gap).collect()
    }

    /// Returns the crawler that one is compared with.
    fn reference(&self, at: usize, areas: &[f64]) -> Option<usize> {
        let named = REFERENCES.iter().find_map(|name| self.names.iter().position(|it| it == name));
        match named {
            Some(named) => (named != at).then_some(named),
            None => (0..areas.len())
                .filter(|other| *other != at)
                .max_by(|a, b| areas[*a].total_cmp(&areas[*b]).then(b.cmp(a))),
        }
    }

    fn worst(&self, at: usize, reference: usize, measure: &Measure) -> Option<WorstBlock> {
        let area = |block: usize, at: usize| self.block_mean(block, at, |it| measure.of(it));
        let difference = |block: usize| Some((block, area(block, at)? - area(block, reference)?));
        let differences = (0..self.blocks.len()).filter_map(difference);
        let (block, difference) = differences.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(WorstBlock { block: self.blocks[block].clone(), difference })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::RunOutcome;

    /// Returns a run with this area of recall.
    fn run(area: f64) -> RunOutcome {
        let truth = r#"{"relevant": 0, "accuracy": 0, "recall": 0, "recall_without_seeds": 0,
            "relevant_pages": 1, "labelled": 0, "sd": 0, "average_similarity": 0,
            "average_error": null}"#;
        serde_json::from_str(&format!(
            r#"{{"pages": 1, "end": "budget", "seconds": 0, "is_random": false, "self": null,
            "true": {truth}, "harvest_area": 0, "recall_area": {area}, "recall_area_quarter": 0,
            "recall_area_half": 0, "curve": [], "found": null}}"#
        ))
        .unwrap()
    }

    /// Returns a comparison with these areas of each recipe by block, and of the oracle.
    fn comparison(names: &[&str], areas: &[&[f64]], oracle: &[f64]) -> Comparison {
        Comparison {
            names: names.iter().map(ToString::to_string).collect(),
            blocks: (1..=areas.len()).map(|block| format!("block {block}")).collect(),
            runs: areas
                .iter()
                .map(|block| block.iter().map(|area| vec![run(*area)]).collect())
                .collect(),
            oracle: oracle.iter().map(|area| run(*area)).collect(),
            budget: 10,
        }
    }

    #[test]
    fn a_gap_is_measured_from_the_fixed_recipe() {
        let areas: [&[f64]; 2] = [&[0.5, 0.3, 0.2], &[0.4, 0.5, 0.1]];
        let found = comparison(&["ontrail", "fixed", "bfs"], &areas, &[0.7, 0.9]).gaps();
        assert_eq!(found.len(), 2, "the reference has no gap of its own");
        let (ontrail, bfs) = (&found["ontrail"], &found["bfs"]);
        assert_eq!((&*ontrail.reference, &*bfs.reference), ("fixed", "fixed"));
        // Means: 0.45, 0.4, 0.15 and 0.8. (0.45 - 0.4) / (0.8 - 0.4) and (0.15 - 0.4) / 0.4.
        assert!((ontrail.closed.unwrap() - 0.125).abs() < 1e-12);
        assert!((bfs.closed.unwrap() + 0.625).abs() < 1e-12);
        // Differences 0.2, -0.1 and -0.1, -0.4.
        assert_eq!((&*ontrail.worst.block, &*bfs.worst.block), ("block 2", "block 2"));
        assert!((ontrail.worst.difference + 0.1).abs() < 1e-12);
        assert!((bfs.worst.difference + 0.4).abs() < 1e-12);
    }

    #[test]
    fn references_are_chosen_in_order_and_gaps_of_nothing_are_none() {
        let names = ["a", "fixed", "fixed-classifier"];
        let found = comparison(&names, &[&[0.1, 0.2, 0.6]], &[0.6]).gaps();
        assert!(found.values().all(|gap| gap.reference == "fixed-classifier"));
        assert!(found.values().all(|gap| gap.closed.is_none()), "the oracle is no better");
        // Without a fixed recipe, the reference is the best of the others.
        let found = comparison(&["a", "b", "c"], &[&[0.1, 0.4, 0.3]], &[0.8]).gaps();
        assert_eq!(["a", "b", "c"].map(|name| &*found[name].reference), ["b", "c", "b"]);
        // (0.4 - 0.3) / (0.8 - 0.3).
        assert!((found["b"].closed.unwrap() - 0.2).abs() < 1e-12);
        let alone = comparison(&["a"], &[&[0.1]], &[0.8]).gaps();
        assert!(alone.is_empty());
        let without = comparison(&["a", "b"], &[&[0.1, 0.4]], &[]).gaps();
        assert!(without["a"].closed.is_none() && without["a"].worst.difference < 0.0);
    }
}
