//! `ontrail bcw predict`: what class documents are of, and why.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use ontrail_bcw::{Classifier, OTHER, Prediction, Predictor, Reason, passages_of_text};
use ontrail_cli::{ExitStatus, Printer, count, share};
use ontrail_corpus::{Body, Document, document_of_file, is_document};
use ontrail_intake::{PageFile, each_page, read_text};
use ontrail_page::{Html, Passages};
use ontrail_text::{CharsetHints, decode};
use serde::Serialize;
use serde_json::Value;

/// Say what class documents are of
///
/// Prints for each document its class, the probability of the likeliest class, the features that spoke most
/// for it against the runner-up, and its name, with tabs between. English words are shown as stems; runs of
/// characters have dots around them. A document without a known word gets the class that is likeliest
/// beforehand, which is said in place of the features. Standard input is read to its end first.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bcw predict models/news-mini datasets/rainstorm-pages/pages/017.html
  ontrail bcw predict models/news-mini crawl.warc.gz --other-below 0.6 --json
  echo 暴雨红色预警 | ontrail bcw predict models/news-mini -")]
pub(crate) struct Predict {
    /// The classifier
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Documents: files, folders of them, web archives, datasets, or - for texts on standard input, one
    /// a line
    #[arg(value_name = "DOCUMENT", required = true)]
    documents: Vec<PathBuf>,
    /// Answer "other" if no class has a posterior as high as this [default: as trained]
    #[arg(long, value_name = "P", value_parser = share, allow_hyphen_values = true)]
    other_below: Option<f64>,
    /// How many features to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Pass over pages that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
}

#[derive(Serialize)]
struct Answer {
    name: String,
    label: String,
    /// The likeliest class, which is the label unless that is "other".
    likeliest: String,
    /// Its probability.
    posterior: f64,
    /// All classes with their posteriors, in the order of the classes.
    posteriors: serde_json::Map<String, Value>,
    /// How many different features of the document the classifier knows. With none, the posteriors are
    /// the priors.
    known_features: usize,
    reasons: Vec<Reason>,
}

pub(crate) fn run(args: &Predict, printer: &mut Printer) -> Result<ExitStatus> {
    let classifier = Classifier::open(&args.model)?.with_other_below(args.other_below);
    let analyzer = Classifier::analyzer();
    let mut answers = Answers {
        classifier: &classifier,
        predictor: classifier.predictor(&analyzer),
        top: args.top,
        unknown: 0,
        collected: printer.is_json().then(Vec::new),
    };
    let mut skipped = Vec::new();
    for path in &args.documents {
        let noted = args.skip_bad.then_some(&mut skipped);
        answers.of(path, noted, printer)?;
    }
    printer.passed_over(skipped.len() as u64, "documents", &skipped);
    if answers.unknown > 0 {
        let number = count(answers.unknown);
        printer.note(format_args!("without a known word, so that the prior decided: {number}"));
    }
    if let Some(documents) = answers.collected {
        printer.json(&serde_json::json!({ "model": args.model, "documents": documents }))?;
    }
    Ok(ExitStatus::Done)
}

/// What a document says, by label group. Plain text is read as in training: a headline, and a body.
fn passages(file: &PageFile) -> Result<Passages> {
    let is_text = file.content_type.as_deref().is_some_and(|kind| kind.contains("text/plain"));
    if is_text {
        let text = decode(&file.bytes, CharsetHints::default()).text;
        return Ok(passages_of_text(None, &text));
    }
    let name = Path::new(&file.name);
    let is_file = file.content_type.is_none() && is_document(name) && !file.bytes.is_empty();
    if is_file {
        let Document { title, body, .. } = document_of_file(name, &file.name, file.bytes.clone())?;
        if let Body::Text(text) = body {
            return Ok(passages_of_text(title.as_deref(), &text));
        }
    }
    Ok(Html::parse(&file.bytes, file.source()).passages)
}

struct Answers<'c> {
    classifier: &'c Classifier,
    predictor: Predictor<'c>,
    top: usize,
    /// How many documents had no known word.
    unknown: u64,
    /// The answers, if they are printed all at once.
    collected: Option<Vec<Answer>>,
}

impl Answers<'_> {
    /// Answers for all documents at a path.
    fn of(
        &mut self,
        path: &Path,
        skipped: Option<&mut Vec<String>>,
        printer: &mut Printer,
    ) -> Result<()> {
        if path.as_os_str() == "-" {
            return self.of_lines(printer);
        }
        each_page(path, skipped, &mut |file| {
            let passages = passages(&file)?;
            self.answer(file.name, &passages, printer)
        })
    }

    fn of_lines(&mut self, printer: &mut Printer) -> Result<()> {
        // All at once: a charset is not to be told from a line.
        let text = read_text(Path::new("-"))?;
        for (number, line) in (1..).zip(text.lines()) {
            self.answer(format!("line {number}"), &passages_of_text(None, line.trim()), printer)?;
        }
        Ok(())
    }

    fn answer(&mut self, name: String, passages: &Passages, printer: &mut Printer) -> Result<()> {
        let (prediction, reasons) = self.predictor.explain(passages, self.top);
        self.unknown += u64::from(prediction.known == 0);
        let answer = self.described(name, &prediction, reasons);
        if let Some(collected) = &mut self.collected {
            collected.push(answer);
            return Ok(());
        }
        let features: Vec<&str> = answer.reasons.iter().map(|r| r.feature.as_str()).collect();
        let why = if prediction.known == 0 {
            "(no known word: the prior decided)".to_owned()
        } else {
            features.join(", ")
        };
        let Answer { label, posterior, .. } = &answer;
        let name = answer.name.replace(['\t', '\n', '\r'], " ");
        printer.line(format_args!("{label}\t{posterior:.4}\t{why}\t{name}"))?;
        Ok(())
    }

    fn described(&self, name: String, prediction: &Prediction, reasons: Vec<Reason>) -> Answer {
        let classes = prediction.posteriors.iter().enumerate();
        let posteriors = classes
            .map(|(class, &posterior)| (self.classifier.class(class).to_owned(), posterior.into()));
        let likeliest = self.classifier.class(prediction.class);
        Answer {
            name,
            label: if prediction.is_other { OTHER } else { likeliest }.to_owned(),
            likeliest: likeliest.to_owned(),
            posterior: prediction.posterior,
            posteriors: posteriors.collect(),
            known_features: prediction.known,
            reasons,
        }
    }
}
