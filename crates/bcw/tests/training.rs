//! Training of classifiers, and joining of training data.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;

use ontrail_bcw::{
    Bcw, BcwError, Classifier, FeatureSettings, Fixed, Labelled, Mode, Priors, Ranking, Reader,
    Selection, Smoothing, TrainSettings, Trained, TrainingData, candidate_features,
    passages_of_text, train, train_best,
};
use ontrail_page::{Html, LabelGroup, Passages, Source};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const WORDS: [(&str, [&str; 6]); 3] = [
    ("雨", ["暴雨", "预警", "洪水", "气象台", "积水", "雨量"]),
    ("球", ["主队", "客场", "进球", "联赛", "教练", "取胜"]),
    ("股", ["大盘", "股价", "指数", "涨停", "券商", "成交量"]),
];
const COMMON: [&str; 6] = ["今天", "记者", "表示", "北京", "消息", "市民"];

/// Returns texts of three classes, with words of the class, common words, and sometimes a word of
/// another class.
fn corpus(documents: usize, seed: u64) -> Vec<Labelled> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..documents)
        .map(|n| {
            let (label, own) = WORDS[n % 3];
            let words: Vec<&str> = (0..8)
                .map(|_| match random.random_range(0..10) {
                    0..4 => *own.choose(&mut random).unwrap(),
                    4..9 => *COMMON.choose(&mut random).unwrap(),
                    _ => WORDS.choose(&mut random).unwrap().1[0],
                })
                .collect();
            Labelled::text(label, None, &words.join("，"))
        })
        .collect()
}

fn read(documents: &[Labelled], features: &str, keeps_all: bool) -> TrainingData {
    let mut reader = Reader::new(features.parse().unwrap(), keeps_all);
    reader.read(documents).unwrap();
    reader.finish()
}

fn trained(
    documents: &[Labelled],
    features: &str,
    settings: TrainSettings,
) -> Result<Trained, BcwError> {
    train(read(documents, features, settings.mode == Mode::Linear), settings, false)
}

fn accuracy(classifier: &Classifier, documents: &[Labelled]) -> f64 {
    let analyzer = Classifier::analyzer();
    let mut predictor = classifier.predictor(&analyzer);
    let right = documents.iter().filter(|document| {
        classifier.class(predictor.predict(&document.passages).class) == document.label
    });
    right.count() as f64 / documents.len() as f64
}

fn text(text: &str) -> Passages {
    passages_of_text(None, text)
}

#[test]
fn every_mode_but_the_printed_one_learns() {
    let (training, test) = (corpus(300, 1), corpus(300, 2));
    for mode in Mode::ALL {
        let settings = TrainSettings::default().with(|it| it.mode = mode);
        let classifier = Classifier::from(trained(&training, "words", settings).unwrap());
        let accuracy = accuracy(&classifier, &test);
        if mode == Mode::Literal {
            // Eq. 8 as printed prefers a class that has not seen a word.
            assert!(accuracy < 0.1, "{mode}: {accuracy}");
        } else {
            assert!(accuracy > 0.9, "{mode}: {accuracy}");
        }
    }
}

#[test]
fn label_weights_cancel_in_literal_mode() {
    let training = corpus(60, 1);
    let posteriors = |label_weights| {
        let settings = TrainSettings::default().with(|it| {
            it.mode = Mode::Literal;
            it.label_weights = label_weights;
        });
        let classifier = Classifier::from(trained(&training, "words", settings).unwrap());
        let passages = passages_of_text(Some("暴雨预警"), "主队客场取胜");
        classifier.predictor(&Classifier::analyzer()).predict(&passages).posteriors
    };
    assert_eq!(posteriors([2.0, 1.5, 1.2, 1.0, 0.2]), posteriors([1.0; 5]));
}

#[test]
fn label_weights_are_exponents() {
    let settings = TrainSettings::default().with(|it| it.mode = Mode::Exponent);
    let classifier = Classifier::from(trained(&corpus(300, 1), "words", settings).unwrap());
    let analyzer = Classifier::analyzer();
    let mut predictor = classifier.predictor(&analyzer);
    let mut class_of = |title: LabelGroup, body: LabelGroup| {
        let mut passages = Passages::new();
        for (text, group) in [("洪水，雨量", title), ("进球，联赛，教练", body)] {
            passages.push(text, group);
            passages.end();
        }
        classifier.class(predictor.predict(&passages).class).to_owned()
    };
    // Two words against three: the label groups decide which win.
    assert_eq!(class_of(LabelGroup::Title, LabelGroup::Body), "雨");
    assert_eq!(class_of(LabelGroup::Body, LabelGroup::Body), "球");
    assert_eq!(class_of(LabelGroup::Body, LabelGroup::Other), "雨");
}

#[test]
fn label_weights_are_learned_from_pages() {
    let texts = corpus(240, 3);
    let pages: Vec<Labelled> = texts
        .iter()
        .enumerate()
        .map(|(n, document)| {
            // Every page has a sidebar with words of a random class.
            let other = WORDS[(n / 3) % 3].1;
            let sidebar: String =
                (0..4).map(|k| format!("<a>{}</a> ", other[(n + k) % 6])).collect();
            let html = format!("<p>{}</p><div>{sidebar}</div>", document.passages.text());
            let html = Html::parse(html.as_bytes(), Source::default());
            Labelled { passages: html.passages, ..document.clone() }
        })
        .collect();
    let settings = TrainSettings::default().with(|it| it.label_weights = [1.0; 5]);
    let learned = train(read(&pages, "words", false), settings.clone(), true).unwrap();
    let plain = train(read(&pages, "words", false), settings, false).unwrap();
    let weights = learned.settings.label_weights;
    assert!((weights[3] - 1.0).abs() < 1e-9 && weights[4] < 0.6, "{weights:?}");
    let (learned, plain) = (learned.validation.unwrap(), plain.validation.unwrap());
    assert!(learned.accuracy > plain.accuracy, "{} {}", learned.accuracy, plain.accuracy);
    assert!(learned.log_loss < plain.log_loss, "{} {}", learned.log_loss, plain.log_loss);
}

#[test]
fn only_the_exponent_mode_learns_label_weights() {
    let settings = TrainSettings::default().with(|it| it.mode = Mode::Counts);
    let error = train(read(&corpus(60, 1), "words", false), settings, true).unwrap_err();
    assert!(error.to_string().contains("only in mode `exponent`"), "{error}");
}

#[test]
fn halves_join_to_the_whole() {
    let documents = corpus(200, 4);
    let (first, second) = documents.split_at(90);
    for features in ["words", "words,pairs,c1,c2"] {
        let whole = read(&documents, features, false);
        let mut joined = read(first, features, false);
        joined.join(&read(second, features, false)).unwrap();
        assert_eq!(joined.counts(), whole.counts());
        assert_eq!(joined.classes(), whole.classes());
        assert_eq!(joined.counts_of("雨"), whole.counts_of("雨"));
        let model = |data| train(data, TrainSettings::default(), false).unwrap().model;
        assert_eq!(model(joined), model(whole));
    }
}

#[test]
fn a_joined_model_can_have_a_new_class() {
    let documents = corpus(120, 5);
    let is_rain = |document: &&Labelled| document.label == "雨";
    let rain: Vec<Labelled> = documents.iter().filter(is_rain).cloned().collect();
    let others: Vec<Labelled> = documents.iter().filter(|d| !is_rain(d)).cloned().collect();
    let mut joined = read(&others, "words", false);
    joined.join(&read(&rain, "words", false)).unwrap();
    assert_eq!(joined.classes(), ["球", "股", "雨"]);
    let classifier = Classifier::from(train(joined, TrainSettings::default(), false).unwrap());
    assert!(accuracy(&classifier, &corpus(120, 6)) > 0.9);
}

#[test]
fn data_with_different_features_cannot_be_joined() {
    let documents = corpus(30, 1);
    let mut words = read(&documents, "words", false);
    let error = words.join(&read(&documents, "words,c2", false)).unwrap_err().to_string();
    assert!(error.contains("one has the features words, the other words,c2"), "{error}");
}

#[test]
fn posteriors_are_calibrated() {
    // A class's word is only a little more frequent than that of the other class, so many documents
    // are hard to classify.
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut documents = |number: usize| -> Vec<Labelled> {
        (0..number)
            .map(|n| {
                let (label, own) = WORDS[n % 2];
                let other = WORDS[(n + 1) % 2].1;
                let words: Vec<&str> = (0..12)
                    .map(|_| match random.random_range(0..10) {
                        0..4 => own[0],
                        4..7 => other[0],
                        _ => *COMMON.choose(&mut random).unwrap(),
                    })
                    .collect();
                Labelled::text(label, None, &words.join("，"))
            })
            .collect()
    };
    let (training, test) = (documents(1500), documents(1500));
    // Nearly all documents have both words, so the presence of a word tells little.
    let settings = TrainSettings::default().with(|it| it.information = false);
    let classifier = Classifier::from(trained(&training, "words", settings).unwrap());
    let analyzer = Classifier::analyzer();
    let mut predictor = classifier.predictor(&analyzer);
    let mut evaluation = ontrail_bcw::Evaluation::new(2);
    for document in &test {
        let truth = classifier.class_number(&document.label).unwrap();
        evaluation.add(Some(truth), &predictor.predict(&document.passages));
    }
    let accuracy = evaluation.accuracy();
    assert!((0.6..0.85).contains(&accuracy), "{accuracy}");
    assert!(evaluation.calibration_error() < 0.05, "{}", evaluation.calibration_error());
}

#[test]
fn a_text_without_known_words_gets_the_prior() {
    let mut documents = corpus(60, 1);
    documents.extend(corpus(30, 2).into_iter().filter(|document| document.label == "球"));
    let settings = TrainSettings::default().with(|it| it.priors = Priors::Data);
    let classifier = Classifier::from(trained(&documents, "words", settings).unwrap());
    let prediction =
        classifier.predictor(&Classifier::analyzer()).predict(&text("zebra xylophone"));
    assert_eq!(prediction.known, 0);
    assert_eq!(classifier.class(prediction.class), "球");
    // 30 of 70 documents have this class; the temperature must not change the prior.
    assert!((prediction.posterior - 30.0 / 70.0).abs() < 1e-9, "{}", prediction.posterior);
}

#[test]
fn given_priors_decide_the_class_of_an_unknown_text() {
    let given =
        BTreeMap::from([("雨".to_owned(), 1.0), ("球".to_owned(), 2.0), ("股".to_owned(), 5.0)]);
    let settings = TrainSettings::default().with(|it| it.priors = Priors::Given(given));
    let classifier = Classifier::from(trained(&corpus(60, 1), "words", settings).unwrap());
    let prediction = classifier.predictor(&Classifier::analyzer()).predict(&text("zebra"));
    assert_eq!(classifier.class(prediction.class), "股");
    assert!((prediction.posterior - 5.0 / 8.0).abs() < 1e-9);
}

#[test]
fn other_is_the_answer_below_the_threshold() {
    let trained = trained(&corpus(300, 1), "words", TrainSettings::default()).unwrap();
    let classifier = Classifier::from(trained).with_other_below(Some(0.6));
    let analyzer = Classifier::analyzer();
    let mut predictor = classifier.predictor(&analyzer);
    assert!(!predictor.predict(&text("洪水，雨量，积水，气象台")).is_other);
    assert!(predictor.predict(&text("记者，北京")).is_other);
}

#[test]
fn reasons_are_features_that_speak_for_the_class() {
    let trained = trained(&corpus(300, 1), "words,pairs,c2", TrainSettings::default()).unwrap();
    let classifier = Classifier::from(trained);
    let analyzer = Classifier::analyzer();
    let mut predictor = classifier.predictor(&analyzer);
    let passages = text("记者：洪水，教练");
    let (prediction, reasons) = predictor.explain(&passages, 3);
    assert_eq!(prediction, predictor.predict(&passages));
    let own = if classifier.class(prediction.class) == "雨" { "洪水" } else { "教练" };
    assert!(reasons.iter().any(|reason| reason.feature.contains(own)), "{reasons:?}");
    assert!(reasons.iter().all(|reason| reason.weight > 0.0));
    assert!(reasons.is_sorted_by(|a, b| a.weight >= b.weight));
}

#[test]
fn features_are_selected() {
    let documents = corpus(300, 1);
    for by in [Ranking::Chi2, Ranking::Gain] {
        let settings =
            TrainSettings::default().with(|it| it.selection = Some(Selection { by, keep: 12 }));
        let classifier = Classifier::from(trained(&documents, "words", settings).unwrap());
        let analyzer = Classifier::analyzer();
        let mut predictor = classifier.predictor(&analyzer);
        // Words of all classes tell nothing and are dropped first.
        assert_eq!(predictor.predict(&text("今天，记者，表示，北京，消息，市民")).known, 0);
        assert_eq!(predictor.predict(&text("洪水，进球，指数")).known, 3);
    }
    let settings = TrainSettings::default().with(|it| it.min_documents = 1000);
    let error = trained(&documents, "words", settings).unwrap_err().to_string();
    assert!(error.contains("none occurs in 1000 documents or more"), "{error}");
}

#[test]
fn hashed_features_learn_as_well() {
    let settings = TrainSettings::default();
    let features: FeatureSettings = "words,c2".parse().unwrap();
    let mut reader = Reader::new(features.hashed(Some(12)).unwrap(), false);
    reader.read(&corpus(300, 1)).unwrap();
    let classifier = Classifier::from(train(reader.finish(), settings, false).unwrap());
    assert_eq!(classifier.card().feature_count, 4096);
    assert!(accuracy(&classifier, &corpus(300, 2)) > 0.9);
    let analyzer = Classifier::analyzer();
    let mut predictor = classifier.predictor(&analyzer);
    let passages = text("洪水，雨量");
    // Reasons are words of the text, even though the model stores no names.
    assert!(!predictor.explain(&passages, 5).1.is_empty());
}

#[test]
fn the_best_candidate_is_chosen_on_held_out_documents() {
    let mut reader = Reader::new(candidate_features(), true);
    reader.read(&corpus(150, 1)).unwrap();
    let data = reader.finish();
    let mut tried = 0;
    let trained = train_best(&data, Bcw::params(), Fixed::default(), |_| tried += 1).unwrap();
    assert_eq!(trained.candidates.len(), tried);
    let best = &trained.candidates[0];
    assert!(trained.candidates.iter().all(|c| c.validation.accuracy <= best.validation.accuracy));
    assert_eq!(trained.settings, best.settings);
    assert_eq!(*trained.data.features(), best.features);
    assert_eq!(trained.validation, Some(best.validation));
    // Choosing settings and training on all documents gives the same model as training with those
    // settings directly.
    let direct = train(
        {
            let mut reader = Reader::new(best.features.clone(), true);
            reader.read(&corpus(150, 1)).unwrap();
            reader.finish()
        },
        best.settings.clone(),
        false,
    )
    .unwrap();
    assert_eq!(direct.model, trained.model);
    let smoothing = Some(Smoothing::Laplace(2.0));
    let fixed = Fixed { mode: Some(Mode::Exponent), smoothing, information: Some(false) };
    let only = train_best(&data, Bcw::params(), fixed, |_| {}).unwrap();
    let is_fixed = |settings: &TrainSettings| {
        settings.mode == Mode::Exponent
            && Some(settings.smoothing) == smoothing
            && !settings.information
    };
    assert!(only.candidates.iter().all(|candidate| is_fixed(&candidate.settings)));
}

#[test]
fn the_same_documents_give_the_same_model_on_any_number_of_threads() {
    let documents = corpus(700, 8);
    let model = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let settings = TrainSettings::default().with(|it| it.mode = Mode::Linear);
            trained(&documents, "words,c1,c2", settings).unwrap().model
        })
    };
    assert_eq!(model(1), model(3));
}

#[test]
fn invalid_training_data_is_refused() {
    let one = [Labelled::text("雨", None, "暴雨"), Labelled::text("雨", None, "洪水")];
    let error = trained(&one, "words", TrainSettings::default()).unwrap_err().to_string();
    assert!(error.contains("all documents are of the class `雨`"), "{error}");
    let error = trained(&[], "words", TrainSettings::default()).unwrap_err().to_string();
    assert!(error.contains("there are no documents"), "{error}");
    let silent = [Labelled::text("雨", None, "暴雨"), Labelled::text("球", None, "！？")];
    for mode in Mode::ALL {
        let settings = TrainSettings::default().with(|it| it.mode = mode);
        let error = trained(&silent, "words", settings).unwrap_err().to_string();
        assert!(error.contains("the class `球` has no usable words"), "{mode}: {error}");
    }
    for label in ["a\tb", "", " ", "a\nb"] {
        let mut reader = Reader::new(FeatureSettings::default(), false);
        let error = reader.read(&[Labelled::text(label, None, "x")]).unwrap_err();
        assert!(matches!(error, BcwError::Label { .. }), "{error}");
    }
    let few = [Labelled::text("雨", None, "暴雨"), Labelled::text("球", None, "进球")];
    let lonely = trained(&few, "words", TrainSettings::default()).unwrap();
    assert_eq!(lonely.validation, None, "one document per class cannot be held out");
    let error = train_best(&read(&few, "words", true), Bcw::params(), Fixed::default(), |_| {})
        .unwrap_err();
    assert!(error.to_string().contains("no class has five documents"), "{error}");
}

/// Reads a corpus in batches.
fn read_large(documents: &[Labelled]) -> TrainingData {
    let mut reader = Reader::new(FeatureSettings::default(), false);
    documents.chunks(4096).for_each(|batch| reader.read(batch).unwrap());
    reader.finish()
}

#[test]
fn a_large_corpus_sorted_by_class_is_sampled_evenly() {
    let mut documents = corpus(90_000, 3);
    documents.sort_by(|a, b| a.label.cmp(&b.label));
    documents.truncate(65_000);
    let validation =
        train(read_large(&documents), TrainSettings::default(), false).unwrap().validation.unwrap();
    // There are 30,000 documents of each of two classes and 5,000 of the third: 2,000 to 4,000 of
    // each of the first two are kept, and 500 of the third.
    assert!((4_500..8_600).contains(&validation.documents), "{}", validation.documents);
    assert!(validation.accuracy > 0.9);
}

#[test]
fn a_class_can_be_added_to_a_large_corpus() {
    let is_rain = |document: &Labelled| document.label == "雨";
    let (rain, others): (Vec<_>, Vec<_>) = corpus(33_000, 4).into_iter().partition(is_rain);
    let mut large = read_large(&others);
    large.join(&read_large(&rain[..60])).unwrap();
    let trained = train(large, TrainSettings::default(), false).unwrap();
    assert!(trained.validation.unwrap().accuracy > 0.9);
    assert!(accuracy(&Classifier::from(trained), &corpus(300, 5)) > 0.9);
    // A linear model cannot be trained on a sample.
    let mut small = read(&others[..50], "words", true);
    small.join(&read_large(&others)).unwrap();
    let settings = TrainSettings::default().with(|it| it.mode = Mode::Linear);
    let error = train(small, settings, false).unwrap_err().to_string();
    assert!(error.contains("a linear model needs all documents"), "{error}");
}

#[test]
fn training_succeeds_even_if_a_class_has_only_one_document_with_words() {
    // Four of the five documents of a class are punctuation: without the fifth, there is nothing to
    // learn.
    let mut documents = corpus(60, 1);
    documents.push(Labelled::text("标", None, "标点"));
    documents.extend((0..4).map(|_| Labelled::text("标", None, "！？")));
    for mode in [Mode::Exponent, Mode::Linear] {
        let settings = TrainSettings::default().with(|it| it.mode = mode);
        let trained = trained(&documents, "words", settings).unwrap();
        // Its only document with a word is never held out; all other documents are.
        let validation = trained.validation.unwrap();
        assert_eq!((validation.folds, validation.documents), (5, 64), "{mode}");
        assert!(validation.accuracy > 0.8, "{mode}: {}", validation.accuracy);
    }
}

#[test]
fn joined_data_is_reduced_to_a_sample() {
    let documents = corpus(22_000, 6);
    let mut joined = read_large(&documents[..11_000]);
    joined.join(&read_large(&documents[11_000..])).unwrap();
    joined.keep_sample();
    assert_eq!(joined.counts(), read_large(&documents).counts());
    let validation = train(joined, TrainSettings::default(), false).unwrap().validation.unwrap();
    assert_eq!(validation.folds, 1);
    assert!((2_190..2_210).contains(&validation.documents), "{}", validation.documents);
}

#[test]
fn a_large_corpus_is_kept_as_a_sample() {
    let data = read_large(&corpus(20_500, 3));
    assert_eq!(data.documents(), 20_500);
    let trained = train(
        data,
        TrainSettings::default().with(|it| it.smoothing = Smoothing::Laplace(1.0)),
        false,
    );
    let trained = trained.unwrap();
    let validation = trained.validation.unwrap();
    assert_eq!(validation.folds, 1);
    assert!((2000..2100).contains(&validation.documents), "{}", validation.documents);
    assert!(validation.accuracy > 0.9);
}
