//! The tables that the papers print, so that they go through the same tests as our own.
//!
//! The papers rank crawlers by each of four measures at the end of one crawl and call that a Friedman test. Their blocks are
//! measures of the same crawl, of which two (LP or RP, and AC = LP / DP) are the same ranking: there is one run, not four.

use crate::statistics::{Better, Table};

/// A table of ranks as it is printed.
#[derive(Debug, Clone, Copy)]
pub struct PrintedRanks {
    /// A short name.
    pub name: &'static str,
    /// Where it stands.
    pub place: &'static str,
    /// The measures that are taken for blocks.
    pub measures: &'static [&'static str],
    /// The crawlers with their ranks, one for each measure.
    pub rows: &'static [(&'static str, &'static [f64])],
}

/// The tables of ranks of the papers.
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
    /// The ranks as a table whose blocks are the measures, as printed.
    #[must_use]
    pub fn table(&self) -> Table {
        let names = self.rows.iter().map(|(name, _)| (*name).to_owned()).collect();
        let block = |(at, measure): (usize, &&str)| {
            ((*measure).to_owned(), self.rows.iter().map(|(_, ranks)| ranks[at]).collect())
        };
        let blocks = self.measures.iter().enumerate().map(block).collect();
        Table { names, blocks, better: Better::Lower }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Ranks;

    /// What the printed ranks come to, treated as four blocks (part H.3 of the readings).
    #[test]
    fn the_printed_ranks_come_to_known_figures() {
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
    fn what_nemenyi_supports_of_the_printed_claims() {
        let beaten = |printed: &PrintedRanks, winner: &str| -> Vec<String> {
            let verdict = printed.table().judge(Some(winner), 0.05, 0);
            let own = verdict.mean_ranks.iter().find(|it| it.name == winner).unwrap().rank;
            let far =
                |it: &&crate::statistics::MeanRank| it.rank - own >= verdict.critical_difference;
            verdict.mean_ranks.iter().filter(far).map(|it| it.name.clone()).collect()
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
