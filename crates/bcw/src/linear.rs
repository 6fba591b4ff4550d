//! The linear mode: a support vector machine for each class against the rest.
//!
//! The solver is dual coordinate descent for the L2 loss (Hsieh et al. 2008), as in LIBLINEAR.
//! linfa's own solvers need dense records or kernels, and the Rust bindings of LIBLINEAR have not
//! been maintained since 2019, so the solver is implemented here. All classes are trained in one
//! sweep: the weights of a feature for all classes are adjacent, and a document is read once for
//! all classes instead of once for each.

use ontrail_text::weight::Idf;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::bayes::information;
use crate::counts::Counts;
use crate::error::BcwError;
use crate::records::SparseRecords;
use crate::select;
use crate::settings::TrainSettings;
use crate::weights::{Value, Weights};

/// Training ends when no document has a larger gradient than this,
const TOLERANCE: f32 = 0.1;
/// or after this number of sweeps.
const MAX_SWEEPS: usize = 60;
/// Number of sweeps in which a document with a very small gradient is skipped.
const SKIPPED_SWEEPS: u8 = 4;

/// The amount added to the counts of a feature in a class and outside it before the log-odds are
/// computed.
const ODDS_SMOOTHING: f64 = 0.5;

/// Trains the weights of the linear mode.
pub(crate) fn weights(
    records: &SparseRecords,
    labels: &[usize],
    counts: &Counts,
    settings: &TrainSettings,
) -> Result<Weights, BcwError> {
    let kept = select::kept(counts, settings)?;
    let classes = counts.documents.len();
    let vectors = Vectors::new(records, counts, settings, &kept);
    let plain = || Solver::new(&vectors, labels, classes, None, settings).solve();
    let scaled = || {
        let odds = log_odds(&vectors, labels, classes);
        let mut solved = Solver::new(&vectors, labels, classes, Some(&odds), settings).solve();
        // The scale becomes part of the weights; the last row is the bias.
        solved.iter_mut().zip(&odds).for_each(|(weight, odds)| *weight *= odds);
        solved
    };
    let none = || vec![0.0; (vectors.width + 1) * classes];
    #[expect(clippy::cast_possible_truncation, reason = "weights are kept in single precision")]
    let blend = settings.blend as f32;
    let (plain, scaled) = rayon::join(
        || if blend < 1.0 { plain() } else { none() },
        || if blend > 0.0 { scaled() } else { none() },
    );
    let blended: Vec<f32> =
        plain.iter().zip(&scaled).map(|(a, b)| a * (1.0 - blend) + b * blend).collect();
    Ok(vectors.weights(&blended, classes))
}

/// Documents as vectors of length 1 over the features that are kept, renumbered without gaps.
struct Vectors {
    /// Number of features kept.
    width: usize,
    /// The factor of each feature's count: its idf times its information about the class; 0 if the
    /// feature is not kept.
    factors: Vec<f64>,
    ends: Vec<usize>,
    /// The feature's index among those kept, and its value.
    entries: Vec<(u32, f32)>,
}

impl Vectors {
    fn new(
        records: &SparseRecords,
        counts: &Counts,
        settings: &TrainSettings,
        kept: &[bool],
    ) -> Self {
        let documents = counts.documents.iter().sum();
        let shares = counts.document_shares();
        let factor = |(feature, &kept): (usize, &bool)| {
            if !kept {
                return 0.0;
            }
            let idf = Idf::Smooth.of(documents, counts.containing(feature));
            if !settings.information {
                return idf;
            }
            // The square root, since both the document's value and the class's weight are scaled by
            // it.
            idf * information(&counts.in_classes(feature, &[1.0; 5]), &shares).sqrt()
        };
        let factors: Vec<f64> = kept.iter().enumerate().map(factor).collect();
        // A feature without information about the class has the factor 0 and gets no index either.
        let mut indices = vec![u32::MAX; kept.len()];
        let mut width = 0;
        for (index, _) in indices.iter_mut().zip(&factors).filter(|(_, factor)| **factor > 0.0) {
            *index = width;
            width += 1;
        }
        let mut valuing = Weights::new(Value::Unit, Vec::new(), Vec::new());
        factors.iter().for_each(|&factor| valuing.push(factor, []));
        let mut vectors =
            Self { width: width as usize, factors, ends: Vec::new(), entries: Vec::new() };
        for row in records.rows() {
            let values = valuing.values_of(row, &settings.label_weights);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "values are kept in single precision"
            )]
            let entry = |(feature, value): (u32, f64)| (indices[feature as usize], value as f32);
            vectors.entries.extend(values.into_iter().map(entry));
            vectors.ends.push(vectors.entries.len());
        }
        vectors
    }

    fn row(&self, document: usize) -> &[(u32, f32)] {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        &self.entries[start..self.ends[document]]
    }

    /// Maps solved weights back to all features.
    fn weights(&self, solved: &[f32], classes: usize) -> Weights {
        let bias = &solved[self.width * classes..];
        let biases = bias.iter().map(|&bias| f64::from(bias)).collect();
        let mut weights = Weights::new(Value::Unit, biases, vec![0.0; classes]);
        let mut rows = solved.chunks_exact(classes);
        for &factor in &self.factors {
            if factor > 0.0 {
                let row = rows.next().unwrap_or_default();
                let row = row.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
                weights.push(factor, row.map(|(class, &weight)| (class, f64::from(weight))));
            } else {
                weights.push_unused();
            }
        }
        weights
    }
}

/// Returns for each feature and class the logarithm of the ratio between the feature's share of the
/// vector values in the class and its share outside; 1 for the bias.
fn log_odds(vectors: &Vectors, labels: &[usize], classes: usize) -> Vec<f32> {
    let mut sums = vec![ODDS_SMOOTHING; vectors.width * classes];
    for (document, &class) in labels.iter().enumerate() {
        for &(feature, value) in vectors.row(document) {
            sums[feature as usize * classes + class] += f64::from(value);
        }
    }
    let mut inside = vec![0.0; classes];
    let mut outside = vec![0.0; classes];
    for row in sums.chunks_exact(classes) {
        for class in 0..classes {
            inside[class] += row[class];
            outside[class] += outside_of(row, class);
        }
    }
    let mut odds = vec![1.0; (vectors.width + 1) * classes];
    for (odds, row) in odds.chunks_exact_mut(classes).zip(sums.chunks_exact(classes)) {
        for class in 0..classes {
            let (here, there) =
                (row[class] / inside[class], outside_of(row, class) / outside[class]);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "scales are kept in single precision"
            )]
            let log_odds = (here / there).ln() as f32;
            odds[class] = log_odds;
        }
    }
    odds
}

/// Returns the sum of a feature's values outside a class, smoothed once like the sum inside.
fn outside_of(row: &[f64], class: usize) -> f64 {
    let values: f64 = row.iter().map(|sum| sum - ODDS_SMOOTHING).sum();
    values - (row[class] - ODDS_SMOOTHING) + ODDS_SMOOTHING
}

struct Solver<'v> {
    vectors: &'v Vectors,
    labels: &'v [usize],
    classes: usize,
    /// The factors of the features' values, by feature and class.
    scales: Option<&'v [f32]>,
    /// 1 / (2·cost): the diagonal that the squared loss adds.
    diagonal: f32,
    seed: u64,
    /// By feature and class; the last row is the bias.
    weights: Vec<f32>,
    /// By document and class.
    alphas: Vec<f32>,
    /// By document and class: the squared length of the scaled vector, bias and diagonal included.
    lengths: Vec<f32>,
}

impl<'v> Solver<'v> {
    fn new(
        vectors: &'v Vectors,
        labels: &'v [usize],
        classes: usize,
        scales: Option<&'v [f32]>,
        settings: &TrainSettings,
    ) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "solved in single precision")]
        let diagonal = (0.5 / settings.cost) as f32;
        let mut solver = Self {
            vectors,
            labels,
            classes,
            scales,
            diagonal,
            seed: settings.seed,
            weights: vec![0.0; (vectors.width + 1) * classes],
            alphas: vec![0.0; labels.len() * classes],
            lengths: Vec::new(),
        };
        solver.lengths = solver.squared_lengths();
        solver
    }

    fn squared_lengths(&self) -> Vec<f32> {
        let mut lengths = vec![1.0 + self.diagonal; self.alphas.len()];
        for (document, lengths) in lengths.chunks_exact_mut(self.classes).enumerate() {
            for &(feature, value) in self.vectors.row(document) {
                for (class, length) in lengths.iter_mut().enumerate() {
                    let scaled = value * self.scale(feature, class);
                    *length += scaled * scaled;
                }
            }
        }
        lengths
    }

    fn scale(&self, feature: u32, class: usize) -> f32 {
        self.scales.map_or(1.0, |scales| scales[feature as usize * self.classes + class])
    }

    fn solve(mut self) -> Vec<f32> {
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut margins = vec![0.0; self.classes];
        let mut changes = vec![0.0; self.classes];
        let mut skips = vec![0; order.len()];
        for _ in 0..MAX_SWEEPS {
            order.shuffle(&mut random);
            let mut worst: f32 = 0.0;
            let mut has_skipped = false;
            for &document in &order {
                if skips[document] > 0 {
                    skips[document] -= 1;
                    has_skipped = true;
                    continue;
                }
                self.margins(document, &mut margins);
                let gradient = self.step(document, &margins, &mut changes);
                worst = worst.max(gradient);
                if gradient > 0.0 {
                    self.apply(document, &changes);
                }
                if gradient < TOLERANCE / 10.0 {
                    skips[document] = SKIPPED_SWEEPS;
                }
            }
            if worst < TOLERANCE {
                if !has_skipped {
                    break;
                }
                // Skipped documents must be visited once more before the end.
                skips.fill(0);
            }
        }
        self.weights
    }

    /// Computes the margins of a document, by class.
    fn margins(&self, document: usize, margins: &mut [f32]) {
        let classes = self.classes;
        margins.copy_from_slice(&self.weights[self.vectors.width * classes..]);
        for &(feature, value) in self.vectors.row(document) {
            let at = feature as usize * classes;
            let weights = &self.weights[at..at + classes];
            match self.scales {
                None => margins.iter_mut().zip(weights).for_each(|(m, w)| *m += value * w),
                Some(scales) => {
                    let scales = &scales[at..at + classes];
                    let both = weights.iter().zip(scales);
                    margins.iter_mut().zip(both).for_each(|(m, (w, s))| *m += value * w * s);
                }
            }
        }
    }

    /// Updates a document's multipliers, stores the changes of the weights in `changes`, and
    /// returns the largest projected gradient.
    fn step(&mut self, document: usize, margins: &[f32], changes: &mut [f32]) -> f32 {
        let mut worst: f32 = 0.0;
        let first = document * self.classes;
        for class in 0..self.classes {
            let side = if self.labels[document] == class { 1.0 } else { -1.0 };
            let alpha = self.alphas[first + class];
            let gradient = side * margins[class] - 1.0 + self.diagonal * alpha;
            // At the bound, only a step away from it counts.
            let projected = if alpha == 0.0 { gradient.min(0.0) } else { gradient };
            let new = (alpha - gradient / self.lengths[first + class]).max(0.0);
            changes[class] = if projected == 0.0 { 0.0 } else { (new - alpha) * side };
            if projected != 0.0 {
                self.alphas[first + class] = new;
                worst = worst.max(projected.abs());
            }
        }
        worst
    }

    fn apply(&mut self, document: usize, changes: &[f32]) {
        let classes = self.classes;
        let bias = &mut self.weights[self.vectors.width * classes..];
        bias.iter_mut().zip(changes).for_each(|(weight, change)| *weight += change);
        for &(feature, value) in self.vectors.row(document) {
            let at = feature as usize * classes;
            let weights = &mut self.weights[at..at + classes];
            match self.scales {
                None => weights.iter_mut().zip(changes).for_each(|(w, c)| *w += value * c),
                Some(scales) => {
                    let both = changes.iter().zip(&scales[at..at + classes]);
                    weights.iter_mut().zip(both).for_each(|(w, (c, s))| *w += value * c * s);
                }
            }
        }
    }
}
