//! `ontrail bcw eval`: measures how good a classifier is.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_artifact::{Destination, Format, Output, Provenance, write_with_sidecar};
use ontrail_bcw::{
    Classifier, EVALUATION, Evaluation, Labelled, Measured, baseline, cross_validate,
};
use ontrail_cli::{
    Align, ExitStatus, ForceArgs, OutputFile, Printer, Table, bar, count, output_file, share, width,
};
use ontrail_corpus::split::stratified;

use crate::card;
use crate::documents::{Choice, has_part};
use crate::report;
use crate::settings::{TrainingArgs, read_batch};

/// Greatest width of a table, without its indentation.
const WIDEST: usize = 98;
/// Number of errors to show instead of a confusion matrix that is too wide.
const MOST_ERRORS: usize = 20;
/// The artifact format of a report.
const REPORT: Format =
    Format { kind: "classifier report", version: 1, oldest: 1, rebuild: "ontrail bcw eval" };

/// Measure how good a classifier is
///
/// Evaluates a classifier on documents that it was not trained on. With --folds K, evaluates a way
/// of training instead, by cross-validation: the documents are split into K parts, and each part is
/// classified by a model that was trained on the others. The options of training apply only then.
///
/// Documents with the label `other` belong to none of the classes; the right answer for them is
/// "other". Use such documents to choose a value for --other-below.
#[derive(Debug, Clone, Args)]
#[command(
    override_usage = "ontrail bcw eval [OPTIONS] <MODEL> <DATA>\n       ontrail bcw eval [OPTIONS] --folds <K> <DATA>",
    after_help = "\
Examples:
  ontrail bcw eval models/news-mini datasets/news-mini
  ontrail bcw eval news test.tsv --json
  ontrail bcw eval news test.tsv -o report.html -o evaluation.json
  ontrail bcw eval articles.tsv --folds 5 --auto
  ontrail bcw eval datasets/news-mini --folds 5 --part all --baseline"
)]
pub(crate) struct Eval {
    /// Classifier, and labelled documents to evaluate it on; with --folds, only the documents
    #[arg(value_name = "MODEL DATA", num_args = 1..=2, required = true)]
    paths: Vec<PathBuf>,
    /// Cross-validate: split the documents into K parts
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..=1000))]
    folds: Option<u16>,
    /// Also evaluate linfa-bayes (Bernoulli, dense, for small data), trained on the same folds or
    /// on the part `train` of DATA
    #[arg(long)]
    baseline: bool,
    /// Answer "other" if no class has a posterior of at least P [default: as trained]
    #[arg(long, value_name = "P", value_parser = share, allow_hyphen_values = true)]
    other_below: Option<f64>,
    /// File for a report (.html), or for the figures as other tools read them (.json); may be
    /// repeated
    #[arg(short, long, value_name = "FILE", value_parser = output_file(Form::of, "x.html"))]
    output: Vec<OutputFile<Form>>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    training: TrainingArgs,
}

pub(crate) fn run(args: &Eval, printer: &mut Printer) -> Result<ExitStatus> {
    let mut outputs = Vec::new();
    for OutputFile { path, form } in &args.output {
        let to = args.force.destination(path, printer)?;
        let output = match form {
            Form::Page => Output::file(to, &REPORT),
            Form::Figures => Output::json(to, &EVALUATION),
        };
        output.check(&args.paths)?;
        outputs.push((to, *form));
    }
    if args.folds.is_none() && !args.training.are_unused() {
        bail!("training options have no effect on a trained classifier; they are for --folds");
    }
    let measured = match (&args.paths[..], args.folds) {
        ([model, data], None) => on_model(args, model, data, printer)?,
        ([data], Some(folds)) => cross_validated(args, data, usize::from(folds), printer)?,
        ([_, _], Some(_)) => {
            bail!("--folds trains its own classifiers; give only the documents")
        }
        _ => bail!("give a classifier and the documents to evaluate it on, or use --folds"),
    };
    if !outputs.is_empty() {
        write(args, &outputs, &measured, printer)?;
    }
    print(&measured, printer)
}

/// The file formats of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Page,
    Figures,
}

impl Form {
    fn of(path: &Path) -> Result<Self, String> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("html") => Ok(Self::Page),
            Some("json") => Ok(Self::Figures),
            _ => Err(format!(
                "{}: a report is written as .html, its figures as .json",
                path.display()
            )),
        }
    }
}

fn write(
    args: &Eval,
    outputs: &[(Destination<'_>, Form)],
    measured: &Measured,
    printer: &mut Printer,
) -> Result<()> {
    let mut provenance = Provenance::of_this_process("ontrail bcw eval");
    for path in &args.paths {
        provenance = provenance.with_input(path)?;
    }
    for &(to, form) in outputs {
        match form {
            Form::Page => {
                let html = report::page(measured).html();
                write_with_sidecar(to, &REPORT, &provenance, |out| out.write_all(html.as_bytes()))?;
            }
            Form::Figures => measured.write(to, &provenance)?,
        }
        printer.note(format_args!("written to {}", to.path().display()));
    }
    Ok(())
}

/// Evaluates a classifier on documents.
fn on_model(args: &Eval, model: &Path, data: &Path, printer: &mut Printer) -> Result<Measured> {
    if args.baseline {
        check_training_part(args, data)?;
    }
    let classifier = Classifier::open(model)?.with_other_below(args.other_below);
    let classes: Vec<String> =
        classifier.card().classes.iter().map(|class| class.name.clone()).collect();
    let mut evaluation = Evaluation::new(classes.len());
    let mut kept: Vec<Labelled> = Vec::new();
    let mut foreign = 0;
    args.choice.of(data, "test").each_batch(printer, &mut |batch| {
        let known: Cow<'_, [Labelled]> = if args.choice.reading.skip_bad {
            batch.iter().filter(|document| classifier.can_evaluate(document)).cloned().collect()
        } else {
            check_labels(batch, &classifier, data)?;
            batch.into()
        };
        foreign += batch.len() - known.len();
        evaluation.absorb(&classifier.evaluate(&known));
        if args.baseline {
            kept.extend_from_slice(&known);
        }
        Ok(())
    })?;
    if foreign > 0 {
        printer.warn(format_args!(
            "skipped {} documents of classes that the classifier does not have",
            count(foreign as u64)
        ));
    }
    let baseline = if args.baseline {
        Some(baseline::evaluate(&training_part(args, data, printer)?, &kept, &classes)?)
    } else {
        None
    };
    let what = evaluation_title(&Subject::Model(model), data);
    let how = card::detail(&classifier.card().settings);
    let settings = format!(
        "mode {} ({how}), features {}, label weights {}",
        classifier.card().settings.mode,
        classifier.card().features,
        classifier.card().settings.label_weights.map(|weight| format!("{weight:.2}")).join(" ")
    );
    Ok(Measured { what, settings, classes, evaluation, baseline })
}

/// Refuses a baseline that would be trained on the documents it is evaluated on.
fn check_training_part(args: &Eval, data: &Path) -> Result<()> {
    let has_own = matches!(args.choice.part.as_deref(), Some("train" | "all"));
    if has_own || !has_part(data, "train")? {
        bail!(
            "{}: --baseline needs a dataset that is split into parts, to train on `train` and \
             evaluate on another part; split it with `ontrail corpus split`, or use --folds",
            data.display()
        );
    }
    Ok(())
}

/// Reads the documents to train the baseline on: the part `train` of the data.
fn training_part(args: &Eval, data: &Path, printer: &mut Printer) -> Result<Vec<Labelled>> {
    let mut training = Vec::new();
    let choice = Choice { part: Some("train".to_owned()), ..args.choice.clone() };
    choice.of(data, "train").each_batch(printer, &mut |batch| {
        training.extend_from_slice(batch);
        Ok(())
    })?;
    Ok(training)
}

/// Refuses labels that the classifier does not have.
pub(crate) fn check_labels(batch: &[Labelled], classifier: &Classifier, data: &Path) -> Result<()> {
    let unknown = batch.iter().find(|document| !classifier.can_evaluate(document));
    if let Some(document) = unknown {
        let classes: Vec<&str> =
            classifier.card().classes.iter().map(|class| class.name.as_str()).collect();
        bail!(
            "{}: the classifier has no class `{}`; its classes are {}\n  use --skip-bad to skip such \
             documents, or label them `other`",
            data.display(),
            document.label,
            classes.join(", ")
        );
    }
    Ok(())
}

/// Evaluates a way of training by cross-validation.
fn cross_validated(
    args: &Eval,
    data: &Path,
    folds: usize,
    printer: &mut Printer,
) -> Result<Measured> {
    args.training.check()?;
    let mut documents: Vec<Labelled> = Vec::new();
    args.choice.of(data, "all").each_batch(printer, &mut |batch| {
        documents.extend_from_slice(batch);
        Ok(())
    })?;
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    documents.iter().for_each(|document| *sizes.entry(&document.label).or_default() += 1);
    if let Some((label, size)) = sizes.iter().find(|(_, size)| **size < folds) {
        bail!(
            "{}: the class `{label}` has too few documents for {folds} folds: {size}",
            data.display()
        );
    }
    let classes: Vec<String> = sizes.keys().map(|&label| label.to_owned()).collect();
    let shares = vec![1.0 / folds as f64; folds];
    let labels = documents.iter().map(|document| Some(document.label.as_str()));
    let parts = stratified(labels, &shares, args.training.seed);
    let mut evaluation = Evaluation::new(classes.len());
    let mut of_baseline = Evaluation::new(classes.len());
    let progress = printer.progress("folds", Some(folds as u64));
    cross_validate(&documents, &parts, folds, |training, held_out| {
        let mut reader = args.training.reader()?;
        read_batch(&mut reader, training, data)?;
        let trained = args
            .training
            .train(reader.finish(), &mut |_| {})
            .with_context(|| data.display().to_string())?;
        let classifier = Classifier::from(trained).with_other_below(args.other_below);
        evaluation.absorb(&classifier.evaluate(held_out));
        if args.baseline {
            of_baseline.absorb(&baseline::evaluate(training, held_out, &classes)?);
        }
        progress.step();
        anyhow::Ok(())
    })?;
    drop(progress);
    let what = evaluation_title(&Subject::Folds(folds), data);
    let baseline = args.baseline.then_some(of_baseline);
    let settings = "a model for each fold".to_owned();
    Ok(Measured { what, settings, classes, evaluation, baseline })
}

/// The subject of an evaluation.
enum Subject<'a> {
    /// A classifier, by its folder.
    Model(&'a Path),
    /// A way of training, with this number of folds.
    Folds(usize),
}

fn evaluation_title(subject: &Subject<'_>, data: &Path) -> String {
    match subject {
        Subject::Model(model) => format!("{} evaluated on {}", model.display(), data.display()),
        Subject::Folds(folds) => format!("{} with {folds} folds", data.display()),
    }
}

fn print(measured: &Measured, printer: &mut Printer) -> Result<ExitStatus> {
    let evaluation = &measured.evaluation;
    if printer.is_json() {
        printer.json(&measured.to_json())?;
        return Ok(ExitStatus::Done);
    }
    printer.heading(format_args!(
        "{}: accuracy {:.3}, macro F1 {:.3} ({} documents)",
        measured.what,
        evaluation.accuracy(),
        evaluation.macro_f1(),
        count(evaluation.documents())
    ))?;
    printer.table(&class_table(measured))?;
    printer.line("")?;
    print_confusion(measured, printer)?;
    printer.line("")?;
    printer.line(format_args!(
        "log-loss {:.3}; calibration error {:.3} (mean gap between posterior and share of right answers)",
        evaluation.log_loss(),
        evaluation.calibration_error()
    ))?;
    if evaluation.others() > 0 {
        let number = count(evaluation.others());
        printer.line(format_args!("documents answered with \"other\": {number}"))?;
    }
    if evaluation.without_known_words > 0 {
        let number = count(evaluation.without_known_words as u64);
        printer.line(format_args!(
            "documents without a known word, classified by the prior alone: {number}"
        ))?;
    }
    if let Some(baseline) = &measured.baseline {
        printer.line(format_args!(
            "baseline linfa-bayes (Bernoulli, {} words): accuracy {:.3}, macro F1 {:.3}",
            count(baseline::FEATURES as u64),
            baseline.accuracy(),
            baseline.macro_f1()
        ))?;
    }
    Ok(ExitStatus::Done)
}

fn class_table(measured: &Measured) -> Table {
    let mut table = Table::new([
        ("class", Align::Left),
        ("precision", Align::Right),
        ("recall", Align::Right),
        ("F1", Align::Right),
        ("", Align::Left),
        ("documents", Align::Right),
    ]);
    for (class, figures) in measured.rows().into_iter().zip(measured.evaluation.figures()) {
        table.row([
            class.to_owned(),
            format!("{:.3}", figures.precision),
            format!("{:.3}", figures.recall),
            format!("{:.3}", figures.f1),
            bar(figures.f1, 20),
            count(figures.support),
        ]);
    }
    table
}

/// Prints the confusion matrix, or the most frequent errors if it is too wide for a terminal.
fn print_confusion(measured: &Measured, printer: &mut Printer) -> Result<()> {
    let table = confusion_table(measured);
    if table.lines().all(|line| width(&line) <= WIDEST) {
        printer.line("Rows are true classes, columns are predicted classes:")?;
        printer.table(&table)?;
    } else {
        printer.line(format_args!(
            "The confusion matrix is too wide to show (use -o); the {MOST_ERRORS} most frequent errors:"
        ))?;
        printer.table(&error_table(measured))?;
    }
    Ok(())
}

/// Returns the pairs of true and predicted class that were confused most often.
fn error_table(measured: &Measured) -> Table {
    let (rows, columns) = (measured.rows(), measured.columns());
    let confusion = measured.evaluation.confusion();
    let pairs = (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |column| (row, column)));
    let mut errors: Vec<(u64, usize, usize)> = pairs
        .filter(|(row, column)| row != column)
        .map(|(row, column)| (confusion[[row, column]], row, column))
        .filter(|(documents, _, _)| *documents > 0)
        .collect();
    errors.sort_by_key(|&(documents, _, _)| std::cmp::Reverse(documents));
    let mut table = Table::new([
        ("documents", Align::Right),
        ("true class", Align::Left),
        ("predicted class", Align::Left),
    ]);
    for (documents, row, column) in errors.into_iter().take(MOST_ERRORS) {
        table.row([count(documents), rows[row].to_owned(), columns[column].to_owned()]);
    }
    table
}

fn confusion_table(measured: &Measured) -> Table {
    let confusion = measured.evaluation.confusion();
    let (rows, columns) = (measured.rows(), measured.columns());
    // Columns are numbered: the names of the classes would make them too wide.
    let heads: Vec<String> = (1..=columns.len()).map(|n| n.to_string()).collect();
    let heads = heads.iter().map(|head| (head.as_str(), Align::Right));
    let mut table = Table::new([("", Align::Right), ("", Align::Left)].into_iter().chain(heads));
    for (row, class) in columns.iter().enumerate() {
        let cells = (0..columns.len()).filter(|_| row < rows.len());
        let cells = cells.map(|column| match confusion[[row, column]] {
            0 => "·".to_owned(),
            number => count(number),
        });
        table.row([(row + 1).to_string(), (*class).to_owned()].into_iter().chain(cells));
    }
    table
}
