//! `ontrail bcw train`: trains a classifier on labelled documents.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{Bundle, Checksum, Input, Output, Provenance};
use ontrail_bcw::{
    BcwError, Candidate, Card, Classifier, Evaluation, FORMAT, Labelled, Mode, Reader, Trained,
    TrainingData, train,
};
use ontrail_cli::{Align, ExitStatus, Printer, Table, bytes, count, share};
use ontrail_page::Content;
use serde_json::json;

use crate::card;
use crate::documents::{Choice, has_part};
use crate::eval::check_labels;
use crate::settings::{TrainingArgs, read_batch};

/// Train a classifier on labelled documents
///
/// DATA is a folder with one subfolder of texts or HTML pages for each class, a table, or a folder
/// with a dataset.toml. A table is a CSV, JSON Lines or Parquet file with the columns label and
/// text, or a TSV file with a label, a tab and a text on each line.
///
/// All choices, and the calibration of the posteriors, are made on documents held out of training.
/// The final classifier is then trained on all documents. Unless training options are given, the
/// mode and the features are chosen among some twenty candidates.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bcw train datasets/news-mini -o news
  ontrail bcw train news.tsv -o news --mode exponent --features words,c2,c3
  ontrail bcw train pages/ -o pages-model --label-weights learn --other-below 0.5
  ontrail bcw train more.tsv -o news --update news
  ontrail bcw train -o whole --update half1 --update half2")]
pub(crate) struct Train {
    /// Labelled documents to train on
    #[arg(value_name = "DATA", required_unless_present = "update")]
    data: Option<PathBuf>,
    /// Folder to write the classifier to
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Classifier to which documents or new classes are added; if given several times, classifiers
    /// to join. The settings of the first are kept, except --priors
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["auto", "no_auto", "mode", "features", "hash_bits",
        "smoothing", "idf", "term_weights", "label_weights", "cost", "blend", "min_documents", "select",
        "seed"])]
    update: Vec<PathBuf>,
    /// Answer "other" if no class has a posterior of at least P
    #[arg(long, value_name = "P", value_parser = share, allow_hyphen_values = true)]
    other_below: Option<f64>,
    /// Make the folder smaller by leaving out the data that --update would need later
    #[arg(long = "final")]
    is_final: bool,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    training: TrainingArgs,
}

pub(crate) fn run(args: &Train, printer: &mut Printer) -> Result<ExitStatus> {
    // Only DATA must differ from the output: an updated classifier may replace the old one.
    Output::bundle(&args.output, &FORMAT).check(&args.data)?;
    if args.update.is_empty() {
        args.training.check()?;
    }
    let inputs = args.data.iter().chain(&args.update).map(|path| Input::read(path));
    let inputs: Vec<Input> = inputs.collect::<Result<_, _>>()?;
    let (trained, content, threshold) = if args.update.is_empty() {
        let (trained, content) = train_anew(args, printer)?;
        (trained, content, None)
    } else {
        warn_of_repetition(args, &inputs, printer);
        update(args, printer)?
    };
    if trained.validation.is_none() {
        printer.warn(
            "posteriors are not calibrated: no class has the five documents needed to hold some out",
        );
    }
    if args.training.learns_labels() && trained.data.label_groups() < 2 {
        printer.warn("all text is in one label group, so there were no label weights to learn");
    }
    let (classifier, evidence) = trained.split();
    let classifier = classifier.with_other_below(threshold).with_other_below(args.other_below);
    let classifier = classifier.with_content(content);
    let classifier = if args.is_final { classifier.compact() } else { classifier };
    let evidence = (!args.is_final).then_some(evidence);
    // The classifier is worth keeping even if the test part cannot be evaluated.
    let tested = tested(args, &classifier, printer).unwrap_or_else(|error| {
        printer.warn(format_args!("cannot evaluate the part `test`: {error:#}"));
        None
    });
    let readme = card::markdown(args.data.as_deref(), &args.update, &classifier, tested.as_ref());
    let provenance = provenance(args, inputs, &classifier);
    classifier.save(&args.output, &provenance, evidence.as_ref(), Some(&readme))?;
    report(&args.output, &classifier, tested.as_ref(), printer)
}

/// Evaluates the classifier on the part `test` of the data, if there is one and --part was not
/// given.
fn tested(
    args: &Train,
    classifier: &Classifier,
    printer: &mut Printer,
) -> Result<Option<Evaluation>> {
    let Some(data) = &args.data else { return Ok(None) };
    if args.choice.part.is_some() || !has_part(data, "test")? {
        return Ok(None);
    }
    let mut evaluation = Evaluation::new(classifier.card().classes.len());
    args.choice.of(data, "test").each_batch(printer, &mut |batch| {
        check_labels(batch, classifier, data)?;
        evaluation.absorb(&classifier.evaluate(batch));
        Ok(())
    })?;
    Ok(Some(evaluation))
}

fn provenance(args: &Train, inputs: Vec<Input>, classifier: &Classifier) -> Provenance {
    let card = classifier.card();
    let documents: u64 = card.classes.iter().map(|class| class.documents).sum();
    let classes: Vec<&str> = card.classes.iter().map(|class| class.name.as_str()).collect();
    let provenance = Provenance::of_this_process("ontrail bcw train")
        .with_parameter("skip_bad", args.choice.reading.skip_bad)
        .with_parameter("content", args.choice.reading.content.content)
        .with_parameter("mode", card.settings.mode)
        .with_parameter("features", card.features.to_string())
        .with_parameter("classes", classes)
        .with_parameter("documents", documents)
        .with_parameter("held_out_accuracy", card.validation.map(|validation| validation.accuracy))
        .with_seed(card.settings.seed);
    args.choice.labels.recorded(Provenance { inputs, ..provenance })
}

/// Warns if the same documents would be used twice: the results would look better than they are.
fn warn_of_repetition(args: &Train, inputs: &[Input], printer: &mut Printer) {
    let mut known: Vec<(String, Checksum)> = Vec::new();
    for path in &args.update {
        let former = Bundle::open(path, &FORMAT).map(|bundle| bundle.provenance().inputs.clone());
        let former = former.unwrap_or_default().into_iter();
        known.extend(former.map(|input| (path.display().to_string(), input.sha256)));
    }
    for (number, input) in inputs.iter().enumerate() {
        let twice = inputs[..number].iter().any(|earlier| earlier.sha256 == input.sha256);
        let learned = known.iter().find(|(_, sha256)| *sha256 == input.sha256);
        if twice || learned.is_some() {
            let reason = learned.map_or("given twice".to_owned(), |(model, _)| {
                format!("{model} was already trained on it")
            });
            printer.warn(format_args!(
                "{}: {reason}; training on the same documents twice makes a classifier look better \
                 than it is",
                input.path
            ));
        }
    }
}

/// Trains a classifier. Also returns the part of pages that it was trained on.
fn train_anew(args: &Train, printer: &mut Printer) -> Result<(Trained, Content)> {
    let Some(data) = &args.data else { bail!("no documents to train on; give a dataset") };
    let progress = printer.progress("trying candidates", None);
    let mut tried = |_: &Candidate| progress.step();
    let mut documents = args.choice.of(data, "train");
    let mut read_all = |visit: &mut dyn FnMut(&[Labelled]) -> Result<()>| {
        documents.each_batch(printer, visit)?;
        documents.is_read_again = true;
        Ok(())
    };
    let trained = args.training.train(data, &mut read_all, &mut tried)?;
    Ok((trained, documents.content()))
}

/// Reads the documents that are not learned yet. A document that was learned before would be held
/// out while its double is learned from, and make the classifier look better than it is.
fn read_new(
    args: &Train,
    data: &Path,
    learned: &TrainingData,
    reader: &mut Reader,
    printer: &mut Printer,
) -> Result<()> {
    let (mut all, mut new) = (0_usize, 0_usize);
    args.choice.of(data, "train").each_batch(printer, &mut |batch| {
        let fresh: Vec<Labelled> = batch.iter().filter(|it| !learned.has(it)).cloned().collect();
        (all, new) = (all + batch.len(), new + fresh.len());
        read_batch(reader, &fresh, data)
    })?;
    if new < all {
        printer.warn(format_args!(
            "{}: {} of {} documents were learned before; they are not learned again, and do not \
             count in the held-out accuracy a second time",
            data.display(),
            count((all - new) as u64),
            count(all as u64)
        ));
    }
    Ok(())
}

/// Joins the classifiers to update, adds the documents, and trains again. Also returns the
/// part of pages and the `other_below` of the first classifier.
fn update(args: &Train, printer: &mut Printer) -> Result<(Trained, Content, Option<f64>)> {
    let mut all: Option<(Card, TrainingData)> = None;
    for path in &args.update {
        let card = Classifier::open(path)?.card().clone();
        let data = TrainingData::open(path).map_err(|error| match error {
            BcwError::Final => anyhow!("{}: {error}", path.display()),
            error => error.into(),
        })?;
        if let Some((first, joined)) = &mut all {
            if first.settings != card.settings {
                printer.warn(format_args!(
                    "{}: trained with different settings; using those of {}",
                    path.display(),
                    args.update[0].display()
                ));
            }
            let shared = joined.shared_with(&data);
            if shared > 0 {
                printer.warn(format_args!(
                    "{}: {} documents are in another classifier too; they count twice, and make the \
                     held-out accuracy look better than it is",
                    path.display(),
                    count(shared as u64)
                ));
            }
            joined.join(&data).with_context(|| path.display().to_string())?;
        } else {
            all = Some((card, data));
        }
    }
    let Some((card, mut joined)) = all else { bail!("no classifier to update") };
    let mut settings = card.settings;
    if let Some(priors) = &args.training.priors {
        settings.priors = priors.0.clone();
    }
    if let Some(data) = &args.data {
        let mut reader = Reader::new(joined.features().clone(), settings.mode == Mode::Linear);
        read_new(args, data, &joined, &mut reader, printer)?;
        joined.join(&reader.finish()).with_context(|| data.display().to_string())?;
    }
    if settings.mode.is_bayesian() {
        joined.keep_sample();
    }
    Ok((train(joined, settings, false)?, card.content, card.other_below))
}

fn report(
    output: &Path,
    classifier: &Classifier,
    tested: Option<&Evaluation>,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let card = classifier.card();
    let size = Bundle::open(output, &FORMAT)?.bytes();
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
        count(card.features_used as u64),
        card.features,
        card.settings.mode
    ))?;
    if !card.candidates.is_empty() {
        candidates(&card.candidates, printer)?;
    }
    if let Some(validation) = card.validation {
        printer.line(format_args!(
            "held-out documents: accuracy {:.3} on {} ({}), log-loss {:.3} at temperature {}",
            validation.accuracy,
            count(validation.documents as u64),
            card::folds(&validation),
            validation.log_loss,
            card::temperature(card.temperature)
        ))?;
    }
    if let Some(tested) = tested {
        printer.line(format_args!(
            "part `test`: accuracy {:.3} on {} documents, macro F1 {:.3}",
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
        ("accuracy", Align::Right),
        ("log-loss", Align::Right),
    ];
    let mut table = Table::new(columns);
    for candidate in candidates {
        let settings = &candidate.settings;
        table.row([
            settings.mode.to_string(),
            candidate.features.to_string(),
            card::detail(settings),
            format!("{:.3}", candidate.validation.accuracy),
            format!("{:.3}", candidate.validation.log_loss),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}
