//! Bundles of classifiers: they are read as they were written, or refused with a reason.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use ontrail_artifact::{BundleWriter, Provenance, describe};
use ontrail_bcw::{
    Classifier, FORMAT, FeatureSettings, Labelled, Mode, Reader, TrainSettings, TrainingData,
    passages_of_text, train,
};

fn documents() -> Vec<Labelled> {
    let texts = [
        ("rain", "暴雨 预警 洪水"),
        ("rain", "暴雨 积水 rain"),
        ("sports", "进球 联赛 goal"),
        ("sports", "主队 取胜 暴雨"),
    ];
    (0..6)
        .flat_map(|_| texts.map(|(label, text)| Labelled::text(label, Some("今日"), text)))
        .collect()
}

fn data(features: &FeatureSettings) -> TrainingData {
    let mut reader = Reader::new(features.clone(), true);
    reader.read(&documents()).unwrap();
    reader.finish()
}

struct Saved {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn saved(features: &FeatureSettings, mode: Mode) -> Saved {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let settings = TrainSettings::default().with(|it| it.mode = mode);
    let trained = train(data(features), settings, false).unwrap();
    let (classifier, evidence) = trained.split();
    let classifier = classifier.with_other_below(Some(0.3));
    classifier.save(&path, &Provenance::default(), Some(&evidence), None).unwrap();
    Saved { _folder: folder, path }
}

fn words() -> FeatureSettings {
    "words,c2".parse().unwrap()
}

fn posteriors(classifier: &Classifier) -> Vec<f64> {
    let passages = passages_of_text(Some("暴雨"), "goal 预警");
    classifier.predictor(&Classifier::analyzer()).predict(&passages).posteriors
}

#[test]
fn a_bundle_is_read_as_it_was_written() {
    for features in [words(), words().hashed(Some(10)).unwrap()] {
        for mode in Mode::ALL {
            let saved = saved(&features, mode);
            let settings = TrainSettings::default().with(|it| it.mode = mode);
            let fresh = Classifier::from(train(data(&features), settings, false).unwrap());
            let read = Classifier::open(&saved.path).unwrap();
            assert_eq!(posteriors(&read), posteriors(&fresh), "{mode}");
            assert_eq!(read.card().other_below, Some(0.3));
            let evidence = TrainingData::open(&saved.path).unwrap();
            assert_eq!(evidence.counts(), data(&features).counts());
            let again = train(evidence, read.card().settings.clone(), false).unwrap();
            assert_eq!(posteriors(&Classifier::from(again)), posteriors(&fresh));
            assert_eq!(describe(&saved.path).unwrap().unwrap().mismatches, []);
        }
    }
}

#[test]
fn the_same_training_gives_the_same_bytes() {
    let (one, other) = (saved(&words(), Mode::Linear), saved(&words(), Mode::Linear));
    for file in ["model.json", "features.txt", "weights.bin", "evidence.bin", "manifest.json"] {
        let read = |saved: &Saved| fs::read(saved.path.join(file)).unwrap();
        assert!(read(&one) == read(&other), "{file}");
    }
}

#[test]
fn a_final_model_cannot_be_updated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let trained = train(data(&words()), TrainSettings::default(), false).unwrap();
    Classifier::from(trained).save(&path, &Provenance::default(), None, None).unwrap();
    assert!(Classifier::open(&path).is_ok());
    let error = TrainingData::open(&path).unwrap_err().to_string();
    assert!(error.contains("--final"), "{error}");
}

/// Writes a valid manifest for a bundle whose files were changed.
fn reseal(path: &Path) {
    let files: Vec<PathBuf> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    let bundle = BundleWriter::create(path, &FORMAT).unwrap();
    for file in files.iter().filter(|file| !file.ends_with("manifest.json")) {
        fs::copy(file, bundle.path(&file.file_name().unwrap().to_string_lossy())).unwrap();
    }
    bundle.finish(&FORMAT, &Provenance::default()).unwrap();
}

/// Returns the error for a bundle with a change that its manifest knows about.
fn refusal_of_resealed(change: impl Fn(&Path)) -> String {
    refusal(|path| {
        change(path);
        reseal(path);
    })
}

/// Returns the error for a bundle with a change that its manifest does not know about.
fn refusal(change: impl Fn(&Path)) -> String {
    let saved = saved(&words(), Mode::Exponent);
    change(&saved.path);
    match Classifier::open(&saved.path) {
        Err(error) => error.to_string(),
        Ok(_) => TrainingData::open(&saved.path).unwrap_err().to_string(),
    }
}

#[test]
fn a_damaged_file_is_named() {
    let cut = |name: &'static str| {
        move |path: &Path| {
            let file = path.join(name);
            let bytes = fs::read(&file).unwrap();
            fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        }
    };
    for name in ["model.json", "features.txt", "weights.bin", "evidence.bin"] {
        let error = refusal(cut(name));
        assert!(error.contains(name) && error.contains("bytes instead of"), "{error}");
    }
    let error = refusal(|path| fs::remove_file(path.join("weights.bin")).unwrap());
    assert!(error.contains("`weights.bin` is missing"), "{error}");
    let flip = |path: &Path| {
        let file = path.join("weights.bin");
        let mut bytes = fs::read(&file).unwrap();
        let end = bytes.len();
        bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        fs::write(&file, bytes).unwrap();
    };
    let error = refusal(flip);
    assert!(error.contains("`weights.bin` has been changed since it was made"), "{error}");
    let error = refusal_of_resealed(flip);
    assert!(error.contains("weights.bin: it contains invalid numbers"), "{error}");
    let error = refusal_of_resealed(|path| {
        let file = path.join("features.txt");
        let text = fs::read_to_string(&file).unwrap();
        let first = text.lines().next().unwrap();
        fs::write(&file, format!("{first}\n{text}")).unwrap();
    });
    assert!(error.contains("features.txt") && error.contains("twice"), "{error}");
}

#[test]
fn an_invalid_card_is_refused() {
    let edits = [
        ("\"words\": true", "\"words\": 7"),
        ("\"characters\": [", "\"characters\": [\n      0,"),
        ("\"characters\": [", "\"characters\": [\n      99,"),
        ("\"name\": \"sports\"", "\"name\": \"rain\""),
        ("\"temperature\": ", "\"temperature\": -"),
        ("\"cost\": 1.0", "\"cost\": -1.0"),
        ("\"other_below\": 0.3", "\"other_below\": 3"),
        ("\"feature_count\": ", "\"feature_count\": 9"),
    ];
    for (from, to) in edits {
        let error = refusal_of_resealed(|path| {
            let file = path.join("model.json");
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains(from), "{from}");
            fs::write(&file, text.replacen(from, to, 1)).unwrap();
        });
        assert!(error.contains("the bundle is damaged"), "{to}: {error}");
    }
}

#[test]
fn parts_of_different_models_do_not_fit() {
    let error = refusal_of_resealed(|path| {
        let other = saved(&"words".parse().unwrap(), Mode::Exponent);
        for file in ["weights.bin", "model.json", "evidence.bin"] {
            fs::copy(other.path.join(file), path.join(file)).unwrap();
        }
    });
    assert!(error.contains("they belong to different models"), "{error}");
}

#[test]
fn any_bytes_are_read_or_refused() {
    let saved = saved(&words(), Mode::Linear);
    for name in ["weights.bin", "evidence.bin"] {
        let file = saved.path.join(name);
        let bytes = fs::read(&file).unwrap();
        for at in (0..bytes.len()).step_by(23) {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            fs::write(&file, &changed).unwrap();
            reseal(&saved.path);
            // Some changes give another valid number; none may cause a panic, in reading or in use.
            if let Ok(classifier) = Classifier::open(&saved.path) {
                assert!(posteriors(&classifier).iter().all(|posterior| !posterior.is_nan()));
            }
            if let Ok(evidence) = TrainingData::open(&saved.path) {
                let _ = train(evidence, TrainSettings::default(), false);
            }
        }
        fs::write(&file, &bytes).unwrap();
    }
}
