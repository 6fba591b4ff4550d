//! The table of areas of recall: at parts of the budget, and compared with a reference and with the
//! oracle.

use ontrail_cli::count;
use ontrail_lab::{Comparison, Gap, Mean, Measure, ORACLE};

/// The areas of recall, with the divisor of the budget up to which each is taken.
const AREAS: [(&str, u64); 3] =
    [("recall_area_quarter", 4), ("recall_area_half", 2), ("recall_area", 1)];

/// The explanation of the table.
pub(crate) const LEGEND: [&str; 3] = [
    "area N  mean of TR over the first N pages",
    "gap     share of the gap closed: (area - reference's area) / (oracle's area - reference's area)",
    "worst   area minus the reference's area in the block in which that is least",
];

/// The table of areas.
pub(crate) struct Areas {
    /// The title, which names the reference.
    pub(crate) title: String,
    /// The column heads.
    pub(crate) heads: Vec<String>,
    /// One row for each recipe, and one for the oracle if it ran.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Areas {
    /// Makes the table. `format` writes the means of a column.
    pub(crate) fn of(
        comparison: &Comparison,
        format: impl Fn(Vec<Option<Mean>>) -> Vec<String>,
    ) -> Self {
        let gaps = comparison.gaps();
        let heads = AREAS
            .iter()
            .map(|(_, part)| format!("area {}", count(comparison.budget.div_ceil(*part))));
        let more = ["gap", "worst", "in block"].map(str::to_owned);
        let column = |(name, _): &(&str, u64)| {
            let measure = Measure::named("true", name);
            let mean = |at| measure.and_then(|measure| comparison.mean(at, measure));
            let mut means: Vec<Option<Mean>> = (0..comparison.names.len()).map(mean).collect();
            if !comparison.oracle.is_empty() {
                means.push(measure.and_then(|measure| comparison.oracle_mean(measure)));
            }
            format(means)
        };
        let columns: Vec<Vec<String>> = AREAS.iter().map(column).collect();
        let mut names: Vec<&str> = comparison.names.iter().map(String::as_str).collect();
        if !comparison.oracle.is_empty() {
            names.push(ORACLE);
        }
        let row = |(at, name): (usize, &&str)| {
            let areas = columns.iter().map(|column| column[at].clone());
            let gap = gaps.get(*name).filter(|_| at < comparison.names.len());
            std::iter::once((*name).to_owned()).chain(areas).chain(gap_cells(gap)).collect()
        };
        Self {
            title: title(comparison),
            heads: std::iter::once("recipe".to_owned()).chain(heads).chain(more).collect(),
            rows: names.iter().enumerate().map(row).collect(),
        }
    }
}

fn gap_cells(gap: Option<&Gap>) -> [String; 3] {
    let none = || "–".to_owned();
    [
        gap.and_then(|gap| gap.closed).map_or_else(none, |closed| format!("{closed:.2}")),
        gap.map_or_else(none, |gap| format!("{:+.3}", gap.worst.difference)),
        gap.map_or_else(none, |gap| gap.worst.block.clone()),
    ]
}

/// Returns the title. Without a fixed recipe, the best recipe is the reference of all others, and
/// the second best is that of the best one.
fn title(comparison: &Comparison) -> String {
    let gaps = comparison.gaps();
    let mut references: Vec<&str> = gaps.values().map(|gap| gap.reference.as_str()).collect();
    references.sort_unstable();
    references.dedup();
    match references.as_slice() {
        [] => "area of recall".to_owned(),
        [one] => format!("area of recall; reference {one}"),
        _ => {
            let of = |name: &str| gaps.get(name).map_or("", |gap| gap.reference.as_str());
            // The two references are compared with each other.
            let best = references
                .iter()
                .find(|name| gaps.iter().filter(|(_, gap)| gap.reference == ***name).count() > 1);
            let best = best.copied().unwrap_or(references[0]);
            format!("area of recall; reference {best}, for {best} itself {}", of(best))
        }
    }
}
