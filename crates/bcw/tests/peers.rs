//! Comparison of the classifier with linfa-bayes on dense data, and properties that hold for all
//! inputs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use linfa::Dataset;
use linfa::dataset::DatasetBase;
use linfa::traits::{Fit, FitWith, Predict};
use linfa_bayes::{MultinomialNb, NaiveBayes as _};
use ndarray::{Array1, Array2};
use ontrail_bcw::{
    Bcw, BcwParams, Classifier, Counts, Entry, Labelled, Mode, ParamGuard, Reader, Smoothing,
    SparseRecords, passages_of_text, train,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns counts by document and feature, and labels: each of three classes prefers other
/// features.
fn table(documents: usize, features: usize) -> (Array2<f64>, Array1<usize>) {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut counts = Array2::zeros((documents, features));
    let labels: Vec<usize> = (0..documents).map(|n| n % 3).collect();
    for (document, &label) in labels.iter().enumerate() {
        for _ in 0..12 {
            let any = random.random_range(0..features);
            let own = (any / 3) * 3 + label;
            let feature = if random.random_bool(0.5) { own.min(features - 1) } else { any };
            counts[[document, feature]] += 1.0;
        }
    }
    (counts, labels.into())
}

fn sparse(table: &Array2<f64>) -> SparseRecords {
    let mut records = SparseRecords::new(table.ncols());
    for row in table.rows() {
        let entries = (0..).zip(row).filter(|(_, count)| **count > 0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small counts"
        )]
        records.push(entries.map(|(feature, &count)| Entry {
            feature,
            group: 3,
            count: count as u16,
        }));
    }
    records
}

fn plain_bayes() -> BcwParams {
    Bcw::params().mode(Mode::Exponent).smoothing(Smoothing::Laplace(1.0)).information(false)
}

#[test]
fn plain_bayes_is_linfa_bayes() {
    let (counts, labels) = table(90, 30);
    let dense = Dataset::new(counts.clone(), labels.clone());
    let theirs = MultinomialNb::params().alpha(1.0).fit(&dense).unwrap();
    let (probabilities, classes) = theirs.predict_proba(counts.view());
    assert_eq!(classes, [&0, &1, &2]);
    let dataset = DatasetBase::new(sparse(&counts), labels);
    let ours = plain_bayes().fit(&dataset).unwrap();
    let difference = &ours.predict_probabilities(&sparse(&counts)) - &probabilities;
    assert!(difference.iter().all(|d| d.abs() < 1e-4), "{difference}");
    assert_eq!(ours.predict(&dataset), theirs.predict(&counts));
}

#[test]
fn a_model_can_be_fitted_step_by_step() {
    let (counts, labels) = table(60, 20);
    let records = sparse(&counts);
    let part = |from: usize, to: usize| {
        let mut own = SparseRecords::new(20);
        (from..to).for_each(|document| own.push(records.row(document).iter().copied()));
        DatasetBase::new(own, labels.iter().skip(from).take(to - from).copied().collect())
    };
    let params = plain_bayes().check().unwrap();
    let (first, second) = (part(0, 25), part(25, 60));
    let half = params.fit_with(Counts::default(), &first).unwrap();
    let whole = params.fit_with(half, &second).unwrap();
    let names: Vec<String> = (0..3).map(|n: usize| n.to_string()).collect();
    let stepwise = params.fit_counts(&whole, &names).unwrap();
    let at_once: Bcw = params.fit(&DatasetBase::new(records.clone(), labels.clone())).unwrap();
    assert_eq!(stepwise, at_once);
}

#[test]
fn the_linear_mode_separates_separable_classes() {
    // The documents are (1, 0) and (0, 1), so the margins of the L2 loss are known.
    let mut records = SparseRecords::new(2);
    let labels = Array1::from_iter((0..20).map(|n| n % 2));
    for &label in &labels {
        let feature = u32::try_from(label).unwrap();
        records.push([Entry { feature, group: 3, count: 1 }]);
    }
    let params = Bcw::params().mode(Mode::Linear).blend(0.0).information(false).cost(10.0);
    let dataset = DatasetBase::new(records.clone(), labels.clone());
    let model = params.fit(&dataset).unwrap();
    // LinearSVC(C=10) of scikit-learn gives margins of 0.9950 and -0.9950 to the two classes.
    let scores = model.scores(records.row(0));
    assert!((scores[0] - 0.995).abs() < 0.01 && (scores[1] + 0.995).abs() < 0.01, "{scores:?}");
    assert_eq!(model.predict(&dataset), labels);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// For all texts, posteriors are probabilities and nothing panics.
    #[test]
    fn posteriors_are_probabilities(
        texts in prop::collection::vec(("[a-d]", "[ a-f暴雨。]{1,12}"), 4..30),
        asked in "\\PC{0,30}",
        mode in prop::sample::select(Mode::ALL.to_vec()),
        information in any::<bool>(),
        idf in any::<bool>(),
    ) {
        let documents: Vec<Labelled> =
            texts.iter().map(|(label, text)| Labelled::text(label, None, text)).collect();
        let mut reader = Reader::new("words,pairs,c1,c2".parse().unwrap(), true);
        reader.read(&documents).unwrap();
        let params = Bcw::params().mode(mode).information(information).idf(idf);
        // A single class, or a class of white space, is refused; everything else must work.
        if let Ok(trained) = train(reader.finish(), params, false) {
            let classifier = Classifier::from(trained);
            let analyzer = Classifier::analyzer();
            let mut predictor = classifier.predictor(&analyzer);
            for text in texts.iter().map(|(_, text)| text.as_str()).chain([asked.as_str(), ""]) {
                let passages = passages_of_text(None, text);
                let (prediction, reasons) = predictor.explain(&passages, 5);
                let sum: f64 = prediction.posteriors.iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
                prop_assert!(prediction.posteriors.iter().all(|p| (0.0..=1.0).contains(p)));
                prop_assert!(reasons.iter().all(|reason| reason.weight.is_finite()));
            }
        }
    }

    /// Wherever documents are split in two, the parts join to the whole.
    #[test]
    fn parts_join_to_the_whole(
        texts in prop::collection::vec(("[a-c]", "[ a-f暴雨]{1,10}"), 2..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let documents: Vec<Labelled> =
            texts.iter().map(|(label, text)| Labelled::text(label, None, text)).collect();
        let read = |documents: &[Labelled]| {
            let mut reader = Reader::new("words,c2".parse().unwrap(), false);
            reader.read(documents).unwrap();
            reader.finish()
        };
        let (first, second) = documents.split_at(cut.index(documents.len()));
        let mut joined = read(first);
        joined.join(&read(second)).unwrap();
        let whole = read(&documents);
        prop_assert_eq!(joined.counts(), whole.counts());
        prop_assert_eq!(joined.classes(), whole.classes());
    }
}
