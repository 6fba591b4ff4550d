//! `ontrail bcw predict`: predicts the class of documents, and explains the prediction.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use ontrail_bcw::{Classifier, OTHER, Prediction, Predictor, Reason, passages_of_text};
use ontrail_cli::{ExitStatus, Printer, count, share};
use ontrail_corpus::{Body, Document, document_of_file, is_document};
use ontrail_intake::{PageFile, read_text};
use ontrail_page::{Content, Html, Passages};
use ontrail_text::{CharsetHints, decode};
use ontrail_tool_input::{ContentArg, LabelArg};
use serde::Serialize;
use serde_json::Value;

/// Predict the class of documents
///
/// Prints one line for each document, separated by tabs: its class, the probability of the
/// likeliest class, the features that speak most for this class and against the second, and the
/// document's name. English words are shown as stems, and runs of characters between dots. A
/// document without a known word gets the class with the highest prior, and a note in place of the
/// features. Standard input is read completely before the first line is printed.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bcw predict models/news-mini datasets/rainstorm-pages/pages/017.html
  ontrail bcw predict models/news-mini crawl.warc.gz --other-below 0.6 --json
  echo 暴雨红色预警 | ontrail bcw predict models/news-mini -")]
pub(crate) struct Predict {
    /// Classifier to use
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Documents to classify: files, folders, web archives, datasets, or - for texts on standard
    /// input, one per line
    #[arg(value_name = "DOCUMENT", required = true)]
    documents: Vec<PathBuf>,
    /// Answer "other" if no class has a posterior of at least P [default: as trained]
    #[arg(long, value_name = "P", value_parser = share, allow_hyphen_values = true)]
    other_below: Option<f64>,
    /// Number of features to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Skip and report documents that cannot be read, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    labels: LabelArg,
    #[command(flatten)]
    content: ContentArg,
}

#[derive(Serialize)]
struct Answer {
    name: String,
    label: String,
    /// The likeliest class. It differs from the label only if that is "other".
    likeliest: String,
    /// Posterior of the likeliest class.
    posterior: f64,
    /// Posteriors of all classes, in the order of the classes.
    posteriors: serde_json::Map<String, Value>,
    /// Number of distinct features of the document that the classifier knows. If it is 0, the
    /// posteriors are the priors.
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
        content: args.content.content,
        labels: &args.labels,
        unknown: 0,
        collected: printer.is_json().then(Vec::new),
    };
    let mut skipped = Vec::new();
    for path in &args.documents {
        let noted = args.skip_bad.then_some(&mut skipped);
        answers.of(path, noted, printer)?;
    }
    printer.skipped(skipped.len() as u64, "documents", &skipped);
    if answers.unknown > 0 {
        let number = count(answers.unknown);
        printer.note(format_args!(
            "documents without a known word, classified by the prior alone: {number}"
        ));
    }
    if let Some(documents) = answers.collected {
        printer.json(&serde_json::json!({ "model": args.model, "documents": documents }))?;
    }
    Ok(ExitStatus::Done)
}

/// Returns the text of a document by label group. Plain text is read as in training: a headline and
/// a body.
fn passages(file: &PageFile, content: Content) -> Result<Passages> {
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
    Ok(Html::parse(&file.bytes, file.source()).passages_of(content).into_owned())
}

struct Answers<'c> {
    classifier: &'c Classifier,
    predictor: Predictor<'c>,
    top: usize,
    /// The part of a page to read.
    content: Content,
    /// The labels of the documents to classify.
    labels: &'c LabelArg,
    /// Number of documents without a known word.
    unknown: u64,
    /// The answers so far, if they are printed as one JSON object at the end.
    collected: Option<Vec<Answer>>,
}

impl Answers<'_> {
    /// Classifies all documents at a path.
    fn of(
        &mut self,
        path: &Path,
        skipped: Option<&mut Vec<String>>,
        printer: &mut Printer,
    ) -> Result<()> {
        if path.as_os_str() == "-" {
            return self.of_lines(printer);
        }
        let labels = self.labels;
        labels.each_page(path, skipped, &mut |file| {
            let passages = passages(&file, self.content)?;
            self.answer(file.name, &passages, printer)
        })
    }

    fn of_lines(&mut self, printer: &mut Printer) -> Result<()> {
        // The whole input is read first: one line is too short to detect the charset.
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
            "(no known word; classified by the prior)".to_owned()
        } else {
            features.join(", ")
        };
        let Answer { label, posterior, .. } = &answer;
        let name = answer.name.replace(['\t', '\n', '\r'], " ");
        printer.line(format_args!("{label}\t{posterior:.3}\t{why}\t{name}"))?;
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
