//! The rank tables that the papers print, so that they can be tested like our own results.
//!
//! The papers rank crawlers by each of four measures at the end of one crawl and call that a
//! Friedman test. Their blocks are measures of the same crawl, and two of them (LP or RP, and AC =
//! LP / DP) give the same ranking: there is one run, not four.

use crate::statistics::{Better, ResultTable};

/// A table of ranks, as printed in a paper.
#[derive(Debug, Clone, Copy)]
pub struct PrintedRanks {
    /// A short name.
    pub name: &'static str,
    /// The paper, table and topic.
    pub place: &'static str,
    /// The measures, which the paper uses as blocks.
    pub measures: &'static [&'static str],
    /// The crawlers with their ranks, one rank for each measure.
    pub rows: &'static [(&'static str, &'static [f64])],
}

/// The rank tables of the papers.
pub const PRINTED: [PrintedRanks; 3] = [
    PrintedRanks {
        name: "fcits-oh-tourism",
        place: "fcits-oh, table 3, tourism",
        measures: &["LP", "AC", "AR", "SD"],
        rows: &[
            ("BFS", &[8.0, 8.0, 8.0, 8.0]),
            ("OPS", &[7.0, 7.0, 7.0, 7.0]),
            ("FCSA", &[5.0, 5.0, 5.0, 6.0]),
            ("FCWSEO", &[3.0, 3.0, 3.0, 1.0]),
            ("FCTS", &[6.0, 6.0, 6.0, 5.0]),
            ("FCITS", &[4.0, 4.0, 4.0, 4.0]),
            ("FCOITS", &[2.0, 2.0, 2.0, 3.0]),
            ("FCITS_OH", &[1.0, 1.0, 1.0, 2.0]),
        ],
    },
    PrintedRanks {
        name: "fcits-oh-rainstorm",
        place: "fcits-oh, table 3, rainstorm disaster",
        measures: &["LP", "AC", "AR", "SD"],
        rows: &[
            ("BFS", &[9.0, 9.0, 9.0, 9.0]),
            ("OPS", &[8.0, 8.0, 8.0, 8.0]),
            ("FCSA", &[6.0, 6.0, 6.0, 6.0]),
            ("FCWSEO", &[2.0, 2.0, 1.0, 4.0]),
            ("OLMOACO", &[4.0, 4.0, 2.0, 1.0]),
            ("FCTS", &[7.0, 7.0, 7.0, 7.0]),
            ("FCITS", &[5.0, 5.0, 5.0, 5.0]),
            ("FCOITS", &[3.0, 3.0, 4.0, 3.0]),
            ("FCITS_OH", &[1.0, 1.0, 3.0, 2.0]),
        ],
    },
    PrintedRanks {
        name: "bcw-cc-rainstorm",
        place: "bcw-cc, table 4, rainstorm disaster",
        measures: &["RP", "AC", "AR", "SD"],
        rows: &[
            ("BFS", &[8.0, 8.0, 8.0, 8.0]),
            ("OPS", &[6.0, 6.0, 7.0, 7.0]),
            ("FCSA", &[5.0, 5.0, 6.0, 5.0]),
            ("FCITS_OH", &[4.0, 4.0, 4.0, 2.0]),
            ("FCPSO", &[3.0, 3.0, 3.0, 1.0]),
            ("FCCBS", &[7.0, 7.0, 5.0, 4.0]),
            ("FCBCW", &[2.0, 2.0, 2.0, 6.0]),
            ("BCW_CC", &[1.0, 1.0, 1.0, 3.0]),
        ],
    },
];

impl PrintedRanks {
    /// Returns the ranks as a table whose blocks are the measures, as in the paper.
    #[must_use]
    pub fn table(&self) -> ResultTable {
        let names = self.rows.iter().map(|(name, _)| (*name).to_owned()).collect();
        let block = |(at, measure): (usize, &&str)| {
            ((*measure).to_owned(), self.rows.iter().map(|(_, ranks)| ranks[at]).collect())
        };
        let blocks = self.measures.iter().enumerate().map(block).collect();
        ResultTable { names, blocks, better: Better::Lower }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Ranks;

    /// The expected χ², F and critical difference treat the four measures as four blocks.
    #[test]
    fn the_printed_ranks_give_known_figures() {
        let expected = [(27.000, 81.0, 5.250), (30.000, 45.0, 6.006), (23.083, 14.085, 5.250)];
        for (printed, (chi_squared, f, difference)) in PRINTED.iter().zip(expected) {
            let table = printed.table();
            let rows: Vec<Vec<f64>> = table.blocks.iter().map(|(_, row)| row.clone()).collect();
            let ranks = Ranks::of(&rows, Better::Lower);
            let omnibus = ranks.omnibus(0);
            let name = printed.name;
            assert!(
                (omnibus.chi_squared - chi_squared).abs() < 5e-4,
                "{name}: {}",
                omnibus.chi_squared
            );
            let found = omnibus.iman_davenport.unwrap();
            assert!((found - f).abs() < 5e-3, "{name}: {found}");
            assert!((ranks.critical_difference(0.05) - difference).abs() < 5e-4, "{name}");
        }
    }

    #[test]
    fn nemenyi_supports_few_of_the_printed_claims() {
        let beaten = |printed: &PrintedRanks, winner: &str| -> Vec<String> {
            let results = printed.table().judge(Some(winner), 0.05, 0);
            let own = results.mean_ranks.iter().find(|it| it.name == winner).unwrap().rank;
            let far =
                |it: &&crate::statistics::MeanRank| it.rank - own >= results.critical_difference;
            results.mean_ranks.iter().filter(far).map(|it| it.name.clone()).collect()
        };
        assert_eq!(beaten(&PRINTED[0], "FCITS_OH"), ["OPS", "BFS"]);
        assert_eq!(beaten(&PRINTED[2], "BCW_CC"), ["BFS"]);
    }

    #[test]
    fn every_measure_ranks_every_crawler_once() {
        for printed in PRINTED {
            for (_, row) in printed.table().blocks {
                let mut sorted = row.clone();
                sorted.sort_by(f64::total_cmp);
                let places: Vec<f64> = (1..=row.len()).map(|place| place as f64).collect();
                assert_eq!(sorted, places, "{}", printed.name);
            }
        }
    }
}
