//! `ontrail bcw train`: from labelled documents to a classifier.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_bcw::{Candidate, Classifier, Evaluation, Mode, Reader, Trained, TrainingData, train};
use ontrail_cli::{Align, ExitStatus, Printer, Table, bytes, count};
use ontrail_intake::check_output;
use serde_json::json;

use crate::card;
use crate::documents::{Choice, each_batch, has_part};
use crate::eval::{check_labels, evaluated};
use crate::settings::{TrainingArgs, read_batch};

/// Train a classifier on labelled documents
///
/// Documents are texts or HTML pages in any form that `ontrail corpus check` reads: a folder for each
/// class, a table with columns label and text, a dataset. Every choice and the calibration of the
/// posteriors are made on documents held out of training; then all are learned from.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bcw train datasets/news-mini -o news --auto
  ontrail bcw train news.tsv -o news --mode exponent --features words,c2,c3
  ontrail bcw train pages/ -o pages-model --label-weights learn --other-below 0.5
  ontrail bcw train more.tsv -o news --update news
  ontrail bcw train -o whole --update half1 --update half2")]
pub(crate) struct Train {
    /// The labelled documents
    #[arg(value_name = "DATA", required_unless_present = "update")]
    data: Option<PathBuf>,
    /// The folder to write the classifier to
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Add to this classifier: documents, further classes, or another classifier, if given twice. It
    /// keeps the settings that it was trained with
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["auto", "mode", "features", "hash_bits",
        "smoothing", "idf", "term_weights", "label_weights", "priors", "cost", "blend", "min_documents",
        "select", "seed"])]
    update: Vec<PathBuf>,
    /// Answer "other" if no class has a posterior as high as this
    #[arg(long, value_name = "P", value_parser = probability)]
    other_below: Option<f64>,
    /// Leave out what is needed to add to the classifier later: a smaller folder
    #[arg(long = "final")]
    is_final: bool,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    training: TrainingArgs,
}

/// A number from 0 to 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err("use a number from 0 to 1".to_owned())
    }
}

pub(crate) fn run(args: &Train, printer: &mut Printer) -> Result<ExitStatus> {
    if let Some(data) = &args.data {
        check_output(data, &args.output)?;
    }
    let provenance = provenance(args)?;
    let trained =
        if args.update.is_empty() { train_anew(args, printer)? } else { update(args, printer)? };
    if trained.validation.is_none() {
        printer.warn(
            "no class has five documents, so none were held out: posteriors are not calibrated",
        );
    }
    let evidence = (!args.is_final).then(|| trained.data.clone());
    let threshold = args.other_below.or(former_threshold(args)?);
    let classifier = Classifier::from(trained).with_other_below(threshold);
    let tested = tested(args, &classifier, printer)?;
    let readme = card::markdown(args.data.as_deref(), &classifier, tested.as_ref());
    classifier.save(&args.output, &provenance, evidence.as_ref(), Some(&readme))?;
    report(&args.output, &classifier, tested.as_ref(), printer)
}

/// How the classifier does on the part `test` of the data, if it has one and nothing else was asked for.
fn tested(
    args: &Train,
    classifier: &Classifier,
    printer: &mut Printer,
) -> Result<Option<Evaluation>> {
    let Some(data) = &args.data else { return Ok(None) };
    if args.choice.part.is_some() || !has_part(data, "test")? {
        return Ok(None);
    }
    let choice = args.choice.or_part("test");
    let mut evaluation = Evaluation::new(classifier.card().classes.len());
    each_batch(data, &choice, printer, &mut |batch| {
        check_labels(batch, classifier, data)?;
        evaluation.absorb(&evaluated(classifier, batch));
        Ok(())
    })?;
    Ok(Some(evaluation))
}

fn provenance(args: &Train) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail bcw train")
        .with_parameter("skip_bad", args.choice.skip_bad)
        .with_seed(args.training.seed);
    for path in args.data.iter().chain(&args.update) {
        provenance = provenance.with_input(path)?;
    }
    Ok(provenance)
}

/// The threshold of the classifier that is added to.
fn former_threshold(args: &Train) -> Result<Option<f64>> {
    let Some(first) = args.update.first() else { return Ok(None) };
    Ok(Classifier::open(first)?.card().other_below)
}

fn train_anew(args: &Train, printer: &mut Printer) -> Result<Trained> {
    let mut reader = args.training.reader()?;
    let data = read(args, &mut reader, printer)?;
    let training = reader.finish();
    let progress = printer.progress("trying candidates", None);
    let mut tried = |_: &Candidate| progress.step();
    args.training.train(training, &mut tried).with_context(|| data.display().to_string())
}

/// Reads the documents; returns where they are from.
fn read(args: &Train, reader: &mut Reader, printer: &mut Printer) -> Result<PathBuf> {
    let Some(data) = &args.data else { bail!("no documents to train on: name a dataset") };
    let choice = args.choice.or_part("train");
    each_batch(data, &choice, printer, &mut |batch| read_batch(reader, batch, data))?;
    Ok(data.clone())
}

fn update(args: &Train, printer: &mut Printer) -> Result<Trained> {
    let (first, others) = args.update.split_first().expect("there is one, or this is not called");
    let settings = Classifier::open(first)?.card().settings.clone();
    let open = |path: &Path| {
        TrainingData::open(path).map_err(|error| anyhow!("{}: {error}", path.display()))
    };
    let mut all = open(first)?;
    for other in others {
        all.join(&open(other)?).with_context(|| other.display().to_string())?;
    }
    if args.data.is_some() {
        let mut reader = Reader::new(all.features().clone(), settings.mode == Mode::Linear);
        let data = read(args, &mut reader, printer)?;
        all.join(&reader.finish()).with_context(|| data.display().to_string())?;
    }
    Ok(train(all, settings, false)?)
}

fn report(
    output: &Path,
    classifier: &Classifier,
    tested: Option<&Evaluation>,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let card = classifier.card();
    let size = folder_size(output)?;
    if printer.is_json() {
        let tested = tested.map(|tested| {
            json!({
                "documents": tested.documents(),
                "accuracy": tested.accuracy(),
                "macro_f1": tested.macro_f1(),
            })
        });
        printer.json(&json!({ "model": output, "bytes": size, "card": card, "test": tested }))?;
        return Ok(ExitStatus::Done);
    }
    let documents: u64 = card.classes.iter().map(|class| class.documents).sum();
    printer.line(format_args!(
        "{}: {} documents in {} classes, {} features ({}), mode {}",
        output.display(),
        count(documents),
        card.classes.len(),
        count(card.feature_count as u64),
        card.features,
        card.settings.mode
    ))?;
    if !card.candidates.is_empty() {
        candidates(&card.candidates, printer)?;
    }
    if let Some(validation) = card.validation {
        printer.line(format_args!(
            "held out: {:.4} of {} documents right ({}), log-loss {:.3} at temperature {:.3}",
            validation.accuracy,
            count(validation.documents as u64),
            if validation.folds > 1 {
                format!("{} folds", validation.folds)
            } else {
                "one split".to_owned()
            },
            validation.log_loss,
            card.temperature
        ))?;
    }
    if let Some(tested) = tested {
        printer.line(format_args!(
            "test part: {:.4} of {} documents right, macro F1 {:.4}",
            tested.accuracy(),
            count(tested.documents()),
            tested.macro_f1()
        ))?;
    }
    let weights = card.settings.label_weights.map(|weight| format!("{weight:.2}")).join(" ");
    printer.line(format_args!("label weights {weights}; {} on disk", bytes(size)))?;
    Ok(ExitStatus::Done)
}

fn candidates(candidates: &[Candidate], printer: &mut Printer) -> Result<()> {
    let columns = [
        ("mode", Align::Left),
        ("features", Align::Left),
        ("setting", Align::Left),
        ("right", Align::Right),
        ("log-loss", Align::Right),
    ];
    let mut table = Table::new(columns);
    for candidate in candidates {
        let settings = &candidate.settings;
        table.row([
            settings.mode.to_string(),
            candidate.features.to_string(),
            card::detail(settings),
            format!("{:.4}", candidate.validation.accuracy),
            format!("{:.3}", candidate.validation.log_loss),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}

fn folder_size(folder: &Path) -> Result<u64> {
    let cannot = || format!("{}: cannot be read", folder.display());
    let mut size = 0;
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        size += entry.and_then(|entry| entry.metadata()).with_context(cannot)?.len();
    }
    Ok(size)
}
