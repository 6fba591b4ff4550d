//! `ontrail bench bcw`: the speed of training, loading and using classifiers.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_artifact::{Bundle, Provenance};
use ontrail_bcw::{
    Bcw, Classifier, FORMAT, FeatureSettings, Labelled, Mode, Reader, Trained, train,
};
use ontrail_cli::{Align, ExitStatus, Printer, Table, bytes, count};
use ontrail_corpus::Dataset;
use ontrail_page::LabelGroup;
use serde::Serialize;

use crate::timing::seconds;

/// Measure the time to train and load a classifier, and to classify a text
///
/// Trains three classifiers on the labelled texts of DATA. Training starts from raw text in memory,
/// so it includes segmentation, validation and calibration. Prediction is timed on the same texts,
/// on one core, from raw text and from segmented text. The fastest round counts.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench bcw datasets/news-mini
  ontrail bench bcw headlines.tsv --rounds 5 --threads 1 --json")]
pub(crate) struct BcwBench {
    /// Dataset of labelled texts
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Number of rounds of each measurement
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Serialize)]
struct Report {
    documents: usize,
    text_bytes: usize,
    threads: usize,
    models: Vec<ModelReport>,
}

#[derive(Serialize)]
struct ModelReport {
    mode: Mode,
    features: String,
    feature_count: usize,
    train_seconds: f64,
    bundle_bytes: u64,
    /// Seconds to read the bundle, without the Chinese dictionary.
    load_seconds: f64,
    /// Time to classify a raw text on one core.
    text_microseconds: f64,
    /// Time to classify a segmented text on one core; only for classifiers that use words alone.
    segmented_microseconds: Option<f64>,
}

pub(crate) fn run(args: &BcwBench, printer: &mut Printer) -> Result<ExitStatus> {
    let loaded = Dataset::open(&args.data)?.load(false)?;
    let documents: Vec<Labelled> = loaded
        .documents
        .iter()
        .filter_map(|document| {
            Some(Labelled::text(
                document.label.as_deref()?,
                document.title.as_deref(),
                document.text()?,
            ))
        })
        .collect();
    if documents.is_empty() {
        bail!("{}: the dataset has no labelled texts", args.data.display());
    }
    let mut models = Vec::new();
    let kinds =
        [(Mode::Exponent, "words"), (Mode::Exponent, "words,c2,c3"), (Mode::Linear, "words,c1,c2")];
    let progress = printer.progress("classifiers", Some(kinds.len() as u64));
    for (mode, features) in kinds {
        models.push(measured(args, &documents, mode, features)?);
        progress.step();
    }
    drop(progress);
    let text_bytes = documents.iter().map(|d| d.passages.text().len()).sum();
    let threads = rayon::current_num_threads();
    let report = Report { documents: documents.len(), text_bytes, threads, models };
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        show(&report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn measured(
    args: &BcwBench,
    documents: &[Labelled],
    mode: Mode,
    features: &str,
) -> Result<ModelReport> {
    let features: FeatureSettings = features.parse()?;
    let (trained, train_seconds) = fastest(args, || trained(documents, mode, &features))?;
    let (classifier, evidence) = trained.split();
    let folder = std::env::temp_dir().join(format!("ontrail-bench-{}", std::process::id()));
    classifier.save(&folder, &Provenance::default(), Some(&evidence), None)?;
    let bundle_bytes = Bundle::open(&folder, &FORMAT)?.bytes();
    let loaded = fastest(args, || Ok(Classifier::open(&folder)?));
    std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (classifier, load_seconds) = loaded?;
    let analyzer = Classifier::analyzer();
    let per_text = |seconds: f64| seconds * 1e6 / documents.len() as f64;
    let ((), raw) = fastest(args, || {
        let mut predictor = classifier.predictor(&analyzer);
        documents.iter().for_each(|d| drop(std::hint::black_box(predictor.predict(&d.passages))));
        Ok(())
    })?;
    let segmented = || -> Result<f64> {
        let passages = documents.iter().flat_map(|d| d.passages.iter());
        let words: Vec<Vec<String>> = passages.map(|p| analyzer.terms(p.text())).collect();
        let ((), seconds) = fastest(args, || {
            let mut predictor = classifier.predictor(&analyzer);
            for words in &words {
                let words = words.iter().map(|word| (word.as_str(), LabelGroup::Body));
                drop(std::hint::black_box(predictor.predict_words(words)));
            }
            Ok(())
        })?;
        Ok(per_text(seconds))
    };
    Ok(ModelReport {
        mode,
        feature_count: classifier.card().feature_count,
        train_seconds,
        bundle_bytes,
        load_seconds,
        text_microseconds: per_text(raw),
        segmented_microseconds: if features.characters.is_empty() {
            Some(segmented()?)
        } else {
            None
        },
        features: features.to_string(),
    })
}

fn trained(documents: &[Labelled], mode: Mode, features: &FeatureSettings) -> Result<Trained> {
    let mut reader = Reader::new(features.clone(), mode == Mode::Linear);
    reader.read(documents)?;
    Ok(train(reader.finish(), Bcw::params().mode(mode), false)?)
}

/// Repeats some work. Returns its result and the seconds of the fastest round.
fn fastest<T>(args: &BcwBench, mut work: impl FnMut() -> Result<T>) -> Result<(T, f64)> {
    let mut best = f64::INFINITY;
    let mut made = None;
    for _ in 0..args.rounds {
        let mut result = None;
        best = best.min(seconds(|| result = Some(work())));
        made = result.transpose()?;
    }
    Ok((made.context("at least one round")?, best))
}

fn show(report: &Report, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!(
        "{} texts, {}, {} threads",
        count(report.documents as u64),
        bytes(report.text_bytes as u64),
        report.threads
    ))?;
    let mut table = Table::new([
        ("mode", Align::Left),
        ("features", Align::Left),
        ("number", Align::Right),
        ("train s", Align::Right),
        ("bundle", Align::Right),
        ("load ms", Align::Right),
        ("µs/text", Align::Right),
        ("µs/segmented text", Align::Right),
    ]);
    for model in &report.models {
        table.row([
            model.mode.to_string(),
            model.features.clone(),
            count(model.feature_count as u64),
            format!("{:.3}", model.train_seconds),
            bytes(model.bundle_bytes),
            format!("{:.1}", model.load_seconds * 1e3),
            format!("{:.2}", model.text_microseconds),
            model.segmented_microseconds.map_or("—".to_owned(), |time| format!("{time:.2}")),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}
