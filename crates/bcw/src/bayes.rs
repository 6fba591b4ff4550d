//! The Bayesian modes: weights from counts.

use ontrail_text::weight::Idf;

use crate::counts::{Counts, InClass};
use crate::error::BcwError;
use crate::select;
use crate::settings::{Mode, Smoothing, TrainSettings};
use crate::weights::{Value, Weights};

/// Number of pseudo-documents added to the documents that have a feature, distributed over the
/// classes like all documents, when its information about the class is computed.
const PSEUDO_DOCUMENTS: f64 = 0.5;

/// Computes the weights of a Bayesian mode: Σ v·log P(U|C), without the prior.
pub(crate) fn weights(
    counts: &Counts,
    settings: &TrainSettings,
    classes: &[String],
) -> Result<Weights, BcwError> {
    let table = Table::new(counts, settings)?;
    if let Some(class) = table.totals.iter().position(|&total| total <= 0.0) {
        let label = classes.get(class).cloned().unwrap_or_default();
        return Err(BcwError::EmptyClass { label, reason: "has no usable words" });
    }
    let biases = vec![0.0; classes.len()];
    let estimate = Estimate::new(settings, &table);
    let mut weights = Weights::new(Value::Count, biases, estimate.defaults());
    let shares = counts.document_shares();
    let has_exponents = matches!(settings.mode, Mode::Exponent | Mode::Counts);
    for row in &table.rows {
        let Some(row) = row else {
            weights.push_unused();
            continue;
        };
        let is_informed = settings.information && has_exponents;
        let factor = if is_informed { information(&row.cells, &shares) } else { 1.0 };
        let cells = row.cells.iter().map(|cell| (cell.class, estimate.weight(cell, row)));
        weights.push(factor, cells);
    }
    Ok(weights)
}

/// The counts that a mode uses: those of the features that are kept, with label weights and idf
/// applied where the mode applies them.
struct Table {
    rows: Vec<Option<Row>>,
    /// The sum of the counts of each class: `M_i`.
    totals: Vec<f64>,
    /// Number of features kept: `M_a`.
    features: f64,
}

/// A feature that is kept.
struct Row {
    /// The classes in which it occurs.
    cells: Vec<InClass>,
    /// Its idf (eq. 1 of bcw-cc), or 1 if idf is off.
    idf: f64,
}

impl Table {
    fn new(counts: &Counts, settings: &TrainSettings) -> Result<Self, BcwError> {
        let kept = select::kept(counts, settings)?;
        let is_literal = settings.mode == Mode::Literal;
        let label_weights =
            if settings.mode == Mode::Counts { settings.label_weights } else { [1.0; 5] };
        let documents = counts.documents.iter().sum();
        let row = |(feature, &kept): (usize, &bool)| {
            let idf = if settings.idf || is_literal {
                Idf::Offset.of(documents, counts.containing(feature))
            } else {
                1.0
            };
            let mut cells = counts.in_classes(feature, &label_weights);
            // In literal mode, the idf multiplies the share in the class, not the count.
            let unit = if is_literal { 1.0 } else { idf };
            cells.iter_mut().for_each(|cell| cell.count *= unit);
            cells.retain(|cell| cell.count > 0.0);
            (kept && !cells.is_empty()).then_some(Row { cells, idf })
        };
        let rows: Vec<Option<Row>> = kept.iter().enumerate().map(row).collect();
        let mut totals = vec![0.0; counts.documents.len()];
        for cell in rows.iter().flatten().flat_map(|row| &row.cells) {
            totals[cell.class] += cell.count;
        }
        let features = rows.iter().flatten().count() as f64;
        Ok(Self { rows, totals, features })
    }
}

/// A mode's estimate of log P(U|C): a default for each class, and a weight that is added for
/// features that the class has seen. Terms that are the same for every class are left out.
struct Estimate<'t> {
    mode: Mode,
    smoothing: Smoothing,
    table: &'t Table,
    /// The amount that discounting subtracts from the counts of each class.
    discounted: Vec<f64>,
    /// The number of classes in which a feature occurs, summed over features.
    places: f64,
}

impl<'t> Estimate<'t> {
    fn new(settings: &TrainSettings, table: &'t Table) -> Self {
        let (mode, smoothing) = (settings.mode, settings.smoothing);
        let mut discounted = vec![0.0; table.totals.len()];
        let mut places = 0;
        for row in table.rows.iter().flatten() {
            places += row.cells.len();
            for cell in &row.cells {
                discounted[cell.class] += cell.count.min(amount(smoothing) * row.idf);
            }
        }
        Self { mode, smoothing, table, discounted, places: places as f64 }
    }

    /// Returns the score of each class for a feature that it has not seen.
    fn defaults(&self) -> Vec<f64> {
        let Table { totals, features, .. } = self.table;
        let all: f64 = totals.iter().sum();
        let alpha = amount(self.smoothing);
        let default = |(class, total): (usize, &f64)| match (self.mode, self.smoothing) {
            // Eq. 8: 1 / (M_i + M_a).
            (Mode::Literal, _) => -(total + features).ln(),
            // The total of the other classes, with opposite sign: a class is the complement of the
            // others.
            (Mode::Complement, _) => (all - total + alpha * features).ln(),
            (_, Smoothing::Laplace(_)) => alpha.ln() - (total + alpha * features).ln(),
            (_, Smoothing::Discount(_)) => (self.discounted[class] / total).ln(),
        };
        totals.iter().enumerate().map(default).collect()
    }

    /// Returns the amount that a class adds to its default for a feature that it has seen.
    fn weight(&self, cell: &InClass, row: &Row) -> f64 {
        let alpha = amount(self.smoothing);
        match (self.mode, self.smoothing) {
            // Eq. 8: tf·idf / (M_i + M_a); the default has the divisor.
            (Mode::Literal, _) => (cell.count / self.table.totals[cell.class] * row.idf).ln(),
            (Mode::Complement, _) => {
                let all: f64 = row.cells.iter().map(|cell| cell.count).sum();
                // `max`, because rounding may make the difference negative.
                (all + alpha).ln() - ((all - cell.count).max(0.0) + alpha).ln()
            }
            (_, Smoothing::Laplace(_)) => ((cell.count + alpha) / alpha).ln(),
            (_, Smoothing::Discount(_)) => {
                let remaining = (cell.count - alpha * row.idf).max(0.0);
                let share = row.cells.len() as f64 / self.places;
                (remaining / (self.discounted[cell.class] * share)).ln_1p()
            }
        }
    }
}

fn amount(smoothing: Smoothing) -> f64 {
    match smoothing {
        Smoothing::Laplace(amount) | Smoothing::Discount(amount) => amount,
    }
}

/// Returns the information of a feature about the class: Σ P(C|U)·log(P(C|U) / P(C)), the
/// divergence of the class distribution of the documents that have the feature from that of all
/// documents. It is never negative.
pub(crate) fn information(cells: &[InClass], shares: &[f64]) -> f64 {
    let with_feature: f64 = cells.iter().map(|cell| cell.documents).sum();
    let all = with_feature + PSEUDO_DOCUMENTS;
    let mut seen_shares = 0.0;
    let mut divergence = 0.0;
    for cell in cells {
        let share = shares[cell.class];
        let given = (cell.documents + PSEUDO_DOCUMENTS * share) / all;
        divergence += given * (given / share).ln();
        seen_shares += share;
    }
    let unseen = PSEUDO_DOCUMENTS / all;
    divergence += (1.0 - seen_shares).max(0.0) * unseen * unseen.ln();
    divergence.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Entry, SparseRecords};

    /// Two documents of class 0 and one of class 1 over three features.
    fn counts() -> Counts {
        let mut records = SparseRecords::new(3);
        let body = |feature, count| Entry { feature, group: 3, count };
        records.push([body(0, 2), body(1, 1)]);
        records.push([body(0, 1)]);
        records.push([body(1, 1), body(2, 3)]);
        let mut counts = Counts::new(2);
        counts.add(&records, &[0, 0, 1]);
        counts
    }

    fn log_probabilities(settings: &TrainSettings) -> Vec<[f64; 2]> {
        let classes = ["a".to_owned(), "b".to_owned()];
        let weights = weights(&counts(), settings, &classes).unwrap();
        (0..3)
            .map(|feature| {
                let mut row = [weights.defaults[0], weights.defaults[1]];
                weights.row(feature).for_each(|(class, weight)| row[class] += weight);
                row
            })
            .collect()
    }

    fn plain(mode: Mode, smoothing: Smoothing) -> TrainSettings {
        TrainSettings { mode, smoothing, information: false, ..TrainSettings::default() }
    }

    fn assert_close(found: &[[f64; 2]], wanted: &[[f64; 2]]) {
        for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
            assert!((found - wanted).abs() < 1e-6, "{found} is not {wanted}");
        }
    }

    #[test]
    fn laplace_is_eq_8_repaired() {
        // Class a: 3 + 1 of 4 words, class b: 1 + 3 of 4; M_a = 3, α = 1.
        let found = log_probabilities(&plain(Mode::Exponent, Smoothing::Laplace(1.0)));
        let p = |n: f64| (n / 7.0).ln();
        assert_close(&found, &[[p(4.0), p(1.0)], [p(2.0), p(2.0)], [p(1.0), p(4.0)]]);
    }

    #[test]
    fn laplace_with_idf_multiplies_the_counts() {
        let settings =
            TrainSettings { idf: true, ..plain(Mode::Exponent, Smoothing::Laplace(1.0)) };
        let found = log_probabilities(&settings);
        // Feature 0 and 1 are in 2 of 3 documents, feature 2 in 1.
        let (two, one) = ((1.5_f64 + 0.01).ln(), (3.0_f64 + 0.01).ln());
        let a = |n: f64| ((n + 1.0) / (4.0 * two + 3.0)).ln();
        let b = |n: f64| ((n + 1.0) / (two + 3.0 * one + 3.0)).ln();
        assert_close(&found, &[[a(3.0 * two), b(0.0)], [a(two), b(two)], [a(0.0), b(3.0 * one)]]);
    }

    #[test]
    fn discounting_redistributes_the_amount_it_subtracts() {
        // δ = 0.5 subtracts 0.5 from each of two counts of a class: 1 of 4. Features occur in 1, 2
        // and 1 classes, 4 in all. P(0|a) = (2.5 + 1·1/4) / 4 and so on; the common ln(1/4),
        // ln(2/4) of each feature is left out.
        let found = log_probabilities(&plain(Mode::Exponent, Smoothing::Discount(0.5)));
        let p = |remaining: f64, share: f64| ((remaining + share) / 4.0 / share).ln();
        assert_close(
            &found,
            &[
                [p(2.5, 0.25), p(0.0, 0.25)],
                [p(0.5, 0.5), p(0.5, 0.5)],
                [p(0.0, 0.25), p(2.5, 0.25)],
            ],
        );
        // The result is a distribution: with the common factors, each class adds up to 1.
        let share = [0.25, 0.5, 0.25];
        let sums = found.iter().zip(share).fold([0.0; 2], |sums, (row, share)| {
            [sums[0] + row[0].exp() * share, sums[1] + row[1].exp() * share]
        });
        assert_close(&[sums], &[[1.0, 1.0]]);
    }

    #[test]
    fn literal_makes_the_unseen_likelier_than_the_seen() {
        let found = log_probabilities(&plain(Mode::Literal, Smoothing::Laplace(1.0)));
        let (two, one) = ((1.5_f64 + 0.01).ln(), (3.0_f64 + 0.01).ln());
        let p = |tf: f64, idf: f64| (tf * idf / 7.0).ln();
        let unseen = (1.0_f64 / 7.0).ln();
        assert_close(
            &found,
            &[[p(0.75, two), unseen], [p(0.25, two), p(0.25, two)], [unseen, p(0.75, one)]],
        );
        assert!(found[0][0] < found[0][1], "class a has seen feature 0, class b has not");
    }

    #[test]
    fn complement_counts_the_other_classes() {
        let found = log_probabilities(&plain(Mode::Complement, Smoothing::Laplace(1.0)));
        // Relative to class b: feature 0 occurs 0 times outside a, 3 times outside b.
        let p = |n: f64| -((n + 1.0) / 7.0).ln();
        let wanted = [[p(0.0), p(3.0)], [p(1.0), p(1.0)], [p(3.0), p(0.0)]];
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found[0] - found[1] - (wanted[0] - wanted[1])).abs() < 1e-6);
        }
    }

    #[test]
    fn counts_mode_weights_the_training_words() {
        let mut records = SparseRecords::new(2);
        records.push([
            Entry { feature: 0, group: 0, count: 1 },
            Entry { feature: 1, group: 4, count: 5 },
        ]);
        records.push([Entry { feature: 1, group: 3, count: 1 }]);
        let mut counts = Counts::new(2);
        counts.add(&records, &[0, 1]);
        let settings = plain(Mode::Counts, Smoothing::Laplace(1.0));
        let classes = ["a".to_owned(), "b".to_owned()];
        let weights = weights(&counts, &settings, &classes).unwrap();
        // Class a: one word of the title counts 2, five words of group 5 count 0.2 each.
        let row: Vec<_> = weights.row(0).collect();
        assert!((row[0].1 - 3.0_f64.ln()).abs() < 1e-6);
        assert!((weights.defaults[0] + 5.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn information_is_a_divergence() {
        let cell = |class, documents| InClass { class, count: 1.0, documents };
        // In 3 documents of class 0, of two equal classes: P = (3.25, 0.25) / 3.5.
        let (p, q) = (3.25_f64 / 3.5, 0.25_f64 / 3.5);
        let wanted = p * (p / 0.5).ln() + q * (q / 0.5).ln();
        assert!((information(&[cell(0, 3.0)], &[0.5, 0.5]) - wanted).abs() < 1e-12);
        assert!(information(&[cell(0, 3.0), cell(1, 3.0)], &[0.5, 0.5]).abs() < 1e-12);
        let rare = information(&[cell(0, 1.0)], &[0.5, 0.5]);
        let sure = information(&[cell(0, 100.0)], &[0.5, 0.5]);
        assert!(rare < sure && sure < 2.0_f64.ln());
    }

    #[test]
    fn a_class_without_usable_words_is_an_error() {
        let mut records = SparseRecords::new(1);
        records.push([Entry { feature: 0, group: 3, count: 1 }]);
        records.push([]);
        let mut counts = Counts::new(2);
        counts.add(&records, &[0, 1]);
        let classes = ["a".to_owned(), "b".to_owned()];
        let error = weights(&counts, &TrainSettings::default(), &classes).unwrap_err();
        assert!(error.to_string().contains("the class `b` has no usable words"), "{error}");
    }
}
