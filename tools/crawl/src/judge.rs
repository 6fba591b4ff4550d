//! `ontrail crawl judge`: fits the judge of pages that combines several models.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Input, Output, Provenance};
use ontrail_cli::{Align, ExitStatus, ForceArgs, Printer, Table, count};
use ontrail_focus::{CombinedJudge, Estimate, Example, FittedJudge, JUDGE_FORMAT, ModelFiles};
use ontrail_intake::{PageFile, labelled_pages};
use ontrail_page::Html;
use ontrail_pilot::Recipe;
use serde_json::json;

/// Fit the judge that combines a topic, a classifier and a disambiguation graph
///
/// The judge estimates P(relevant) of a page from R, the probability of the topic's class, and R
/// without the words that do not mean the topic, by logistic regression on pages that are about the
/// topic and others that are not. The fewer pages there are, the more equally it weighs the three.
///
/// If topic, classifier or graph were made from the same pages, each part of the pages is scored by
/// models that were made again without it, because a model is too sure of the pages that it was
/// made from.
///
/// Evidence is left out if pages that were held out are judged clearly better without it.
#[derive(Debug, Clone, Args)]
#[command(
    override_usage = "ontrail crawl judge [OPTIONS] --on <PAGES> --off <PAGES> --topic <TOPIC>\n           \
                      --classifier <BUNDLE> --class <NAME> --output <FILE>",
    after_help = "\
Examples:
  ontrail crawl judge --on rain-pages/ --off other-pages/ --topic rain.topic.json \\
      --classifier rain.bcw --class rain -o rain.judge.json
  ontrail crawl judge --on pages/on-topic --off pages/off-topic --topic models/topic.json \\
      --classifier models/classifier --class on-topic --sdg models/sdg.json -o models/judge.json
  ontrail crawl run --topic rain.topic.json --classifier rain.bcw --judge rain.judge.json …"
)]
pub(crate) struct JudgeArgs {
    /// Pages about the topic: a page, a folder, a tarball, a dataset or a web archive; may be
    /// repeated
    #[arg(long, value_name = "PAGES", required = true)]
    on: Vec<PathBuf>,
    /// Pages that are not about the topic; may be repeated
    #[arg(long, value_name = "PAGES", required = true)]
    off: Vec<PathBuf>,
    /// Topic file
    #[arg(long, value_name = "TOPIC")]
    topic: PathBuf,
    /// Classifier (made by ontrail bcw train)
    #[arg(long, value_name = "BUNDLE")]
    classifier: PathBuf,
    /// Class of the topic
    #[arg(long, value_name = "NAME")]
    class: String,
    /// Disambiguation graph (made by ontrail sdg build)
    #[arg(long, value_name = "GRAPH")]
    sdg: Option<PathBuf>,
    /// Recipe whose way of scoring pages the judge is for: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "ontrail")]
    recipe: String,
    /// WordNet folder, for recipes that compare the meanings of words [default:
    /// /usr/share/wordnet]
    #[arg(long, value_name = "DIR", conflicts_with = "ontology")]
    wordnet: Option<PathBuf>,
    /// Ontology to use instead of WordNet
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Skip and report pages that cannot be read, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    force: ForceArgs,
}

impl JudgeArgs {
    /// Returns the files that the judge is made from.
    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let models = [&self.topic, &self.classifier].into_iter().chain(&self.sdg);
        let models = models.chain(&self.ontology);
        self.on.iter().chain(&self.off).chain(models).map(PathBuf::as_path)
    }

    fn model_files(&self) -> ModelFiles {
        ModelFiles {
            topics: vec![self.topic.clone()],
            classifier: Some(self.classifier.clone()),
            sdg: self.sdg.clone(),
            judge: None,
            ontology: self.ontology.clone(),
            wordnet: self.wordnet.clone(),
            link_model: None,
        }
    }
}

pub(crate) fn run(args: &JudgeArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let mut recipe = Recipe::find(&args.recipe, &["judge.kind=\"classifier\"".to_owned()])?;
    recipe.set_class(&args.class);
    let to = args.force.destination(&args.output, printer)?;
    Output::json(to, &JUDGE_FORMAT).check(args.inputs())?;
    let models = args.model_files().read()?;
    let recipe = models.fit(&recipe, &args.recipe, Some(&args.class))?;
    let mut provenance = Provenance::of_this_process("ontrail crawl judge")
        .with_parameter("class", &args.class)
        .with_parameter("recipe", &args.recipe)
        .with_parameter("skip_bad", args.skip_bad);
    for path in args.inputs() {
        provenance = provenance.with_input(path)?;
    }
    let examples = args.on.iter().chain(&args.off).count();
    let sources: Vec<_> =
        provenance.inputs.iter().take(examples).map(|it: &Input| it.sha256.clone()).collect();
    let (on, off) = (pages(&args.on, args, printer)?, pages(&args.off, args, printer)?);
    let fitted = models.fit_judge(&recipe, &args.class, (&on, &off), &sources)?;
    fitted.judge.write(to, &provenance)?;
    warn(&fitted.judge, printer);
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output, "rebuilt": fitted.rebuilt, "judge": fitted.judge,
        }))?;
        return Ok(ExitStatus::Done);
    }
    show(&fitted, &args.output, printer)?;
    Ok(ExitStatus::Done)
}

/// Reads example pages.
fn pages(paths: &[PathBuf], args: &JudgeArgs, printer: &mut Printer) -> Result<Vec<Example>> {
    let mut skipped = Vec::new();
    let mut found = Vec::new();
    for path in paths {
        let read: Vec<PageFile> = labelled_pages(path, args.skip_bad.then_some(&mut skipped))?;
        if read.is_empty() {
            bail!("{}: contains no pages", path.display());
        }
        found.extend(read.into_iter().map(|file| Example {
            html: Html::parse(&file.bytes, file.source()),
            label: file.label,
        }));
    }
    printer.skipped(skipped.len() as u64, "pages", &skipped);
    Ok(found)
}

/// Warns about few examples, and about a judge that is no better than chance.
fn warn(judge: &CombinedJudge, printer: &mut Printer) {
    let [on, off] = judge.pages;
    if judge.is_from_few_pages() {
        let f1 = judge.quality.f1;
        printer.warn(format_args!(
            "the judge comes from {on} on-topic and {off} off-topic pages only: F1 lies between {:.2} \
             and {:.2} (95 %); give more pages",
            f1.low, f1.high
        ));
    }
    if !judge.separates() {
        let auc = judge.quality.auc;
        printer.warn(format_args!(
            "the judge does not separate on-topic from off-topic pages (AUC {:.2}, between {:.2} and \
             {:.2}), so it is of no use",
            auc.value, auc.low, auc.high
        ));
    }
}

fn show(fitted: &FittedJudge, output: &Path, printer: &mut Printer) -> Result<()> {
    let judge = &fitted.judge;
    let mut table = Table::new([
        ("judge", Align::Left),
        ("weight", Align::Right),
        ("F1", Align::Right),
        ("precision", Align::Right),
        ("recall", Align::Right),
        ("AUC", Align::Right),
    ]);
    let rows = judge.evidence.iter().zip(&judge.combination.numbers);
    for (it, number) in rows {
        let quality = it.quality;
        table.row([
            it.kind.to_string(),
            format!("{:.2}", number.weight),
            estimate(quality.f1),
            estimate(quality.precision),
            estimate(quality.recall),
            estimate(quality.auc),
        ]);
    }
    let quality = judge.quality;
    table.row([
        "all together".to_owned(),
        "–".to_owned(),
        estimate(quality.f1),
        estimate(quality.precision),
        estimate(quality.recall),
        estimate(quality.auc),
    ]);
    printer.table(&table)?;
    let [on, off] = judge.pages;
    printer.line(format_args!(
        "estimated on {} on-topic and {} off-topic pages, each judged by models made without it; the \
         intervals hold in 95 % of samples",
        count(on),
        count(off)
    ))?;
    let unused = rows_without_weight(judge);
    if !unused.is_empty() {
        printer.line(format_args!(
            "left out, because the judge is better without it: {}",
            unused.join(", ")
        ))?;
    }
    if !fitted.rebuilt.is_empty() {
        printer.line(format_args!(
            "made again without each part of the pages: {}",
            fitted.rebuilt.join(", ")
        ))?;
    }
    printer.line(format_args!("\nwritten to {}", output.display()))?;
    Ok(())
}

/// Returns the evidence that the judge does not use.
fn rows_without_weight(judge: &CombinedJudge) -> Vec<String> {
    let rows = judge.evidence.iter().zip(&judge.combination.numbers);
    rows.filter(|(_, number)| number.weight <= 0.0).map(|(it, _)| it.kind.to_string()).collect()
}

fn estimate(it: Estimate) -> String {
    format!("{:.2} ({:.2}–{:.2})", it.value, it.low, it.high)
}
