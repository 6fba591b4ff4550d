//! Feature selection.

use crate::counts::Counts;
use crate::error::BcwError;
use crate::settings::{Ranking, TrainSettings};

/// Returns for each feature true if it is kept.
pub(crate) fn kept(counts: &Counts, settings: &TrainSettings) -> Result<Vec<bool>, BcwError> {
    let least = u64::from(settings.min_documents.max(1));
    let mut kept: Vec<bool> =
        (0..counts.features()).map(|feature| counts.containing(feature) >= least).collect();
    if !kept.contains(&true) {
        return Err(BcwError::NoFeatures(format!(
            "none occurs in {least} documents or more; lower this number"
        )));
    }
    if let Some(selection) = settings.selection {
        let mut ranked: Vec<(f64, usize)> = (0..counts.features())
            .filter(|&feature| kept[feature])
            .map(|feature| (rank(counts, feature, selection.by), feature))
            .collect();
        // The highest first; the lower number first if ranks are equal.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(_, feature) in ranked.iter().skip(selection.keep) {
            kept[feature] = false;
        }
    }
    Ok(kept)
}

fn rank(counts: &Counts, feature: usize, by: Ranking) -> f64 {
    let in_classes = counts.in_classes(feature, &[1.0; 5]);
    let all: f64 = counts.documents.iter().map(|&documents| documents as f64).sum();
    let holding: f64 = in_classes.iter().map(|in_class| in_class.documents).sum();
    let mut found = in_classes.iter().peekable();
    let tables = counts.documents.iter().enumerate().map(|(class, &documents)| {
        let here = found.next_if(|in_class| in_class.class == class);
        (here.map_or(0.0, |in_class| in_class.documents), documents as f64)
    });
    match by {
        Ranking::Chi2 => {
            tables.map(|(here, of_class)| chi2(here, holding, of_class, all)).fold(0.0, f64::max)
        }
        Ranking::Gain => gain(tables, holding, all),
    }
}

/// Returns χ² of the two-by-two table of "has the feature" and "belongs to the class".
fn chi2(both: f64, holding: f64, of_class: f64, all: f64) -> f64 {
    let (rest, others) = (all - holding, all - of_class);
    let product = holding * rest * of_class * others;
    if product <= 0.0 {
        return 0.0;
    }
    let neither = all - holding - of_class + both;
    let difference = both * neither - (holding - both) * (of_class - both);
    all * difference * difference / product
}

/// Returns the information, in nats, that the presence of the feature gives about the class.
fn gain(tables: impl Iterator<Item = (f64, f64)>, holding: f64, all: f64) -> f64 {
    let term = |joint: f64, side: f64, of_class: f64| {
        if joint > 0.0 { joint / all * (joint * all / (side * of_class)).ln() } else { 0.0 }
    };
    tables
        .map(|(both, of_class)| {
            term(both, holding, of_class) + term(of_class - both, all - holding, of_class)
        })
        .sum()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums and shares are exact")]
mod tests {
    use super::*;

    #[test]
    fn chi2_of_a_known_table() {
        // scipy.stats.chi2_contingency([[20, 10], [30, 40]], correction=False): 4.7619047619
        assert!((chi2(20.0, 30.0, 50.0, 100.0) - 4.761_904_761_9).abs() < 1e-9);
        assert_eq!(chi2(30.0, 100.0, 30.0, 100.0), 0.0);
    }

    #[test]
    fn gain_of_known_tables() {
        // A feature that separates two equal classes has a gain of ln 2, a feature of every
        // document a gain of 0.
        let sure = gain([(50.0, 50.0), (0.0, 50.0)].into_iter(), 50.0, 100.0);
        assert!((sure - std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(gain([(50.0, 50.0), (50.0, 50.0)].into_iter(), 100.0, 100.0), 0.0);
        // sklearn.metrics.mutual_info_score of the table of the test above: 0.024157256781
        let known = gain([(20.0, 50.0), (10.0, 50.0)].into_iter(), 30.0, 100.0);
        assert!((known - 0.024_157_256_781).abs() < 1e-11, "{known}");
    }
}
