//! Evaluation of classifiers on documents whose class is known.

use ndarray::{Array2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::classifier::{Classifier, OTHER, Prediction};
use crate::data::Labelled;
use crate::mistake::Mistakes;
use crate::model::largest;
use crate::threshold::{Confidences, ThresholdPoint};

/// Number of bins in which posteriors are compared with the share of right answers.
const BINS: usize = 10;
/// Number of documents that a thread evaluates at a time.
const CHUNK: usize = 512;

/// The results of a classifier on labelled documents. The confusion matrix has a row for each true
/// class, a column for each predicted class, and a last row and column for "other".
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    confusion: Array2<u64>,
    /// Number of documents without a word that the classifier knows.
    pub without_known_words: usize,
    /// Number of documents that belong to one of the classes.
    of_classes: u64,
    log_loss: f64,
    /// For each bin of posteriors: the number of documents, the sum of their posteriors, and the
    /// number of right answers.
    bins: [(u64, f64, u64); BINS],
    confidences: Confidences,
}

/// The results for one class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Share of the documents predicted as this class that belong to it; 0 if there are none.
    pub precision: f64,
    /// Share of the documents of this class that were predicted as it; 0 if there are none.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Number of documents of this class.
    pub support: u64,
}

impl Evaluation {
    /// Returns an evaluation without documents.
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Self {
            confusion: Array2::zeros((classes + 1, classes + 1)),
            without_known_words: 0,
            of_classes: 0,
            log_loss: 0.0,
            bins: [(0, 0.0, 0); BINS],
            confidences: Confidences::new(),
        }
    }

    /// Adds a document of class `truth`, or of none of the classes.
    ///
    /// # Panics
    ///
    /// If there is no class `truth`.
    pub fn add(&mut self, truth: Option<usize>, prediction: &Prediction) {
        let other = self.confusion.ncols() - 1;
        let answer = if prediction.is_other { other } else { prediction.class };
        self.confusion[[truth.unwrap_or(other), answer]] += 1;
        self.without_known_words += usize::from(prediction.known == 0);
        let best = largest(&prediction.posteriors);
        let posterior = prediction.posteriors[best];
        self.confidences.add(posterior, truth.map(|truth| truth == best));
        // Posteriors are about the classes only; they mean nothing for other documents.
        let Some(truth) = truth else { return };
        self.of_classes += 1;
        self.log_loss -= prediction.posteriors[truth].max(f64::MIN_POSITIVE).ln();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a bin from 0 to 10"
        )]
        let bin = ((posterior * BINS as f64) as usize).min(BINS - 1);
        let (documents, posteriors, right) = &mut self.bins[bin];
        *documents += 1;
        *posteriors += posterior;
        *right += u64::from(best == truth);
    }

    /// Adds an answer of a classifier without posteriors.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    pub fn add_answer(&mut self, truth: usize, answer: usize) {
        self.confusion[[truth, answer]] += 1;
    }

    /// Adds the documents of another evaluation over the same classes.
    pub fn absorb(&mut self, other: &Self) {
        self.confusion += &other.confusion;
        self.without_known_words += other.without_known_words;
        self.of_classes += other.of_classes;
        self.log_loss += other.log_loss;
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin = (bin.0 + more.0, bin.1 + more.1, bin.2 + more.2);
        }
        self.confidences.absorb(&other.confidences);
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.confusion.sum()
    }

    /// Returns the confusion matrix: the number of documents by true class and answer. The last row
    /// and column are "other".
    #[must_use]
    pub fn confusion(&self) -> &Array2<u64> {
        &self.confusion
    }

    /// Returns the share of documents that got the right answer.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        share(self.confusion.diag().sum(), self.documents())
    }

    /// Returns the number of documents that got a wrong answer.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.documents() - self.confusion.diag().sum()
    }

    /// Returns the number of documents answered with "other".
    #[must_use]
    pub fn others(&self) -> u64 {
        self.confusion.column(self.confusion.ncols() - 1).sum()
    }

    /// Returns the results for each class, and last those for "other".
    #[must_use]
    pub fn figures(&self) -> Vec<Figures> {
        let predicted = self.confusion.sum_axis(Axis(0));
        let supports = self.confusion.sum_axis(Axis(1));
        (0..self.confusion.nrows())
            .map(|class| {
                let right = self.confusion[[class, class]];
                let (precision, recall) =
                    (share(right, predicted[class]), share(right, supports[class]));
                let sum = precision + recall;
                let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
                Figures { precision, recall, f1, support: supports[class] }
            })
            .collect()
    }

    /// Returns the mean F1 of the classes that have documents, and of "other" if it has some. A
    /// class without documents has no recall; wrong answers with it lower the recall of others.
    #[must_use]
    pub fn macro_f1(&self) -> f64 {
        let figures = self.figures().into_iter().filter(|figures| figures.support > 0);
        let f1: Vec<f64> = figures.map(|figures| figures.f1).collect();
        if f1.is_empty() { 0.0 } else { f1.iter().sum::<f64>() / f1.len() as f64 }
    }

    /// Returns minus the mean logarithm of the probability of the true class.
    #[must_use]
    pub fn log_loss(&self) -> f64 {
        self.log_loss / self.of_classes.max(1) as f64
    }

    /// Returns the expected calibration error: the mean difference between posteriors and the share
    /// of right answers.
    #[must_use]
    pub fn calibration_error(&self) -> f64 {
        let gap = |&(_, posteriors, right): &(u64, f64, u64)| (posteriors - right as f64).abs();
        self.bins.iter().map(gap).sum::<f64>() / self.of_classes.max(1) as f64
    }

    /// Returns the answers for each threshold below which the answer is "other", from 0 to 1 in
    /// steps of 0.01; none if no document was evaluated with posteriors.
    #[must_use]
    pub fn thresholds(&self) -> Vec<ThresholdPoint> {
        self.confidences.points()
    }

    /// Returns the number of documents that belong to none of the classes.
    #[must_use]
    pub fn foreign(&self) -> u64 {
        self.confusion.row(self.confusion.nrows() - 1).sum()
    }

    /// Returns for each non-empty bin of posteriors the mean posterior, the share of right answers,
    /// and the number of documents.
    #[must_use]
    pub fn reliability(&self) -> Vec<(f64, f64, u64)> {
        let met = self.bins.iter().filter(|(documents, _, _)| *documents > 0);
        met.map(|&(n, posteriors, right)| (posteriors / n as f64, share(right, n), n)).collect()
    }
}

impl Classifier {
    /// Returns true if a document's label is one of the classes or "other", so that an answer can
    /// be right or wrong.
    #[must_use]
    pub fn can_evaluate(&self, document: &Labelled) -> bool {
        document.label == OTHER || self.class_number(&document.label).is_some()
    }

    /// Evaluates the classifier on documents, on all threads. Documents of none of its classes
    /// count as "other".
    #[must_use]
    pub fn evaluate(&self, documents: &[Labelled]) -> Evaluation {
        self.evaluate_noting(documents, &mut Mistakes::new(0))
    }

    /// Evaluates the classifier like [`Classifier::evaluate`], and adds its mistakes to `mistakes`.
    #[must_use]
    pub fn evaluate_noting(&self, documents: &[Labelled], mistakes: &mut Mistakes) -> Evaluation {
        let analyzer = Self::analyzer();
        let classes = self.card().classes.len();
        let of_chunk = |(number, chunk): (usize, &[Labelled])| {
            let mut evaluation = Evaluation::new(classes);
            let mut wrong = Vec::new();
            let mut predictor = self.predictor(&analyzer);
            for (place, document) in chunk.iter().enumerate() {
                let truth = self.class_number(&document.label);
                let prediction = predictor.predict(&document.passages);
                let answer = (!prediction.is_other).then_some(prediction.class);
                if answer != truth {
                    let posterior = prediction.posteriors[largest(&prediction.posteriors)];
                    wrong.push((posterior, number * CHUNK + place));
                }
                evaluation.add(truth, &prediction);
            }
            (evaluation, wrong)
        };
        let chunks: Vec<(Evaluation, Vec<(f64, usize)>)> =
            documents.par_chunks(CHUNK).enumerate().map(of_chunk).collect();
        let mut whole = Evaluation::new(classes);
        chunks.iter().for_each(|(chunk, _)| whole.absorb(chunk));
        mistakes.note(self, documents, chunks.into_iter().flat_map(|(_, wrong)| wrong).collect());
        whole
    }
}

/// Cross-validates: calls `evaluate` once per fold with the documents to train on and the documents
/// held out.
///
/// `parts` has the fold of each document, from 0 to `folds - 1`.
pub fn cross_validate<E>(
    documents: &[Labelled],
    parts: &[usize],
    folds: usize,
    mut evaluate: impl FnMut(&[Labelled], &[Labelled]) -> Result<(), E>,
) -> Result<(), E> {
    for fold in 0..folds {
        let of = |is_held_out: bool| -> Vec<Labelled> {
            let chosen = documents.iter().zip(parts);
            let chosen = chosen.filter(|(_, part)| (**part == fold) == is_held_out);
            chosen.map(|(document, _)| document.clone()).collect()
        };
        evaluate(&of(false), &of(true))?;
    }
    Ok(())
}

/// Returns a share, or 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums and shares are exact")]
mod tests {
    use super::*;

    fn prediction(posteriors: [f64; 3], is_other: bool) -> Prediction {
        let class = crate::model::largest(&posteriors);
        Prediction {
            class,
            posterior: posteriors[class],
            is_other,
            posteriors: posteriors.to_vec(),
            known: 1,
        }
    }

    #[test]
    fn a_small_table_has_the_figures_computed_by_hand() {
        let mut evaluation = Evaluation::new(3);
        // Class 0: two right, one predicted as 1. Class 1: one right, one "other". Class 2 does not
        // occur.
        for posteriors in [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1]] {
            evaluation.add(Some(0), &prediction(posteriors, false));
        }
        evaluation.add(Some(1), &prediction([0.1, 0.8, 0.1], false));
        evaluation.add(Some(1), &prediction([0.4, 0.3, 0.3], true));
        assert_eq!(evaluation.accuracy(), 3.0 / 5.0);
        assert_eq!(evaluation.others(), 1);
        let figures = evaluation.figures();
        assert_eq!(
            (figures[0].precision, figures[0].recall, figures[0].support),
            (1.0, 2.0 / 3.0, 3)
        );
        assert_eq!((figures[1].precision, figures[1].recall, figures[1].f1), (0.5, 0.5, 0.5));
        assert_eq!((figures[2].precision, figures[2].f1), (0.0, 0.0));
        assert!((evaluation.macro_f1() - f64::midpoint(0.8, 0.5)).abs() < 1e-12);
        let wanted =
            -(0.8_f64.ln() + 0.6_f64.ln() + 0.2_f64.ln() + 0.8_f64.ln() + 0.3_f64.ln()) / 5.0;
        assert!((evaluation.log_loss() - wanted).abs() < 1e-12);
        // Bins: 0.8 and 0.8 (both right), 0.6 (right), 0.7 (wrong), 0.4 (wrong).
        assert!((evaluation.calibration_error() - (0.4 + 0.4 + 0.7 + 0.4) / 5.0).abs() < 1e-12);
        let mut twice = evaluation.clone();
        twice.absorb(&evaluation);
        assert_eq!((twice.accuracy(), twice.documents()), (evaluation.accuracy(), 10));
    }

    #[test]
    fn a_document_of_no_class_is_right_if_the_answer_is_other() {
        let mut evaluation = Evaluation::new(3);
        evaluation.add(None, &prediction([0.4, 0.3, 0.3], true));
        evaluation.add(None, &prediction([0.8, 0.1, 0.1], false));
        evaluation.add(Some(0), &prediction([0.8, 0.1, 0.1], false));
        assert_eq!(evaluation.accuracy(), 2.0 / 3.0);
        assert_eq!((evaluation.figures()[3].precision, evaluation.figures()[3].recall), (1.0, 0.5));
        assert!((evaluation.log_loss() + 0.8_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn classes_without_documents_do_not_count_in_macro_f1() {
        let mut evaluation = Evaluation::new(3);
        for _ in 0..3 {
            evaluation.add(Some(0), &prediction([0.8, 0.1, 0.1], false));
        }
        // The answer is class 2, which has no documents.
        evaluation.add(Some(0), &prediction([0.1, 0.1, 0.8], false));
        let f1 = 2.0 * 0.75 / 1.75;
        assert!((evaluation.macro_f1() - f1).abs() < 1e-12, "{}", evaluation.macro_f1());
    }

    #[test]
    fn an_empty_evaluation_has_no_nan() {
        let empty = Evaluation::new(2);
        assert_eq!((empty.accuracy(), empty.macro_f1(), empty.log_loss()), (0.0, 0.0, 0.0));
        assert_eq!(empty.calibration_error(), 0.0);
    }
}
