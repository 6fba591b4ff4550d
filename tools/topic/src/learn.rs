//! `ontrail topic learn`: learns a topic from texts about it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use ontrail_artifact::{Output, Provenance};
use ontrail_cli::{ExitStatus, ForceArgs, Printer, count as number};
use ontrail_intake::{Read, term_lines};
use ontrail_text::weight::{DocumentFrequency, Idf};
use ontrail_text::{Analyzer, Counts, TermId, is_han};
use ontrail_tool_input::{Input, on_topic};
use ontrail_topic::{FORMAT, Learning, Method, Origin, Term, Topic};
use serde_json::json;

use crate::background::{BackgroundArgs, background_of, count, count_documents};
use crate::idf::IdfName;
use crate::show::{SEE_MORE, print_topic};

/// Learn a topic from texts about it
///
/// The method tfidf treats all texts about the topic as one; the weight of a term is f / Σf · log(N
/// / n + 0.01) (eq. 1 of bcw-cc). The method pages weighs the terms of each text separately, by f /
/// max f · log(N / n) (eq. 9 of sdvsm), takes the two best terms of each text, then the next two,
/// and so on; the weight of a term is its mean over the texts. n of N texts contain the term,
/// counted over all texts of DATA, whatever their label, or over those of --background.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic learn datasets/news-mini --label sports -o sports.topic.json
  ontrail topic learn news.tsv --label 体育 --label 奥运 -n 100 --nouns -o sports.topic.json
  ontrail topic learn my-pages/ --method pages --background crawl.warc.gz -o mine.topic.json")]
pub(crate) struct Learn {
    #[command(flatten)]
    input: Input,
    /// Label of the texts about the topic; may be repeated [default: all texts are about the topic]
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// Topic file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Name of the topic [default: the label, or the name of DATA]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Number of terms to take
    #[arg(
        short = 'n',
        long = "terms",
        value_name = "N",
        default_value_t = 40,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    terms: u32,
    /// Method that weighs and selects terms
    #[arg(long, value_name = "METHOD", value_enum, default_value_t)]
    method: MethodName,
    /// Form of the inverse document frequency [default: offset for tfidf, plain for pages]
    #[arg(long, value_name = "FORM", value_enum)]
    idf: Option<IdfName>,
    /// Take only terms that at least N texts about the topic contain
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_df: usize,
    /// Take only nouns among Chinese words
    #[arg(long)]
    nouns: bool,
    /// Term of several words to treat as one; may be repeated
    #[arg(long = "term", value_name = "TERM")]
    phrases: Vec<String>,
    /// File of terms not to take, one per line
    #[arg(long, value_name = "FILE")]
    leave_out: Option<PathBuf>,
    #[command(flatten)]
    background: BackgroundArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum MethodName {
    /// TF-IDF over all texts about the topic taken together
    #[default]
    Tfidf,
    /// Terms of each text, two at a time
    Pages,
}

pub(crate) fn run(args: &Learn, printer: &mut Printer) -> Result<ExitStatus> {
    let inputs =
        [Some(args.input.path.as_path()), args.background.path(), args.leave_out.as_deref()];
    let to = args.force.destination(&args.output, printer)?;
    Output::json(to, &FORMAT).check(inputs.into_iter().flatten())?;
    let leave_out = args.leave_out.as_deref().map(term_lines).transpose()?.unwrap_or_default();
    let read = args.input.read(printer)?;
    let on_topic = on_topic(&read.documents, &args.label, &args.input.path)?;
    // Terms to leave out are treated as one word, so that leaving out "climate change" keeps
    // "climate".
    let phrases = args.phrases.iter().chain(&leave_out).cloned();
    let analyzer = Analyzer::builder().terms(phrases).build();
    let counts = count_documents(&read.documents, &analyzer, printer);
    let reading = args.input.reading;
    let elsewhere = args.background.path().map(|path| count(path, reading, &analyzer, printer));
    let elsewhere = elsewhere.transpose()?;
    let leave_out: BTreeSet<String> =
        leave_out.iter().flat_map(|term| analyzer.terms(term)).collect();
    let terms = terms(args, &counts, elsewhere.as_ref(), &on_topic, &leave_out, &analyzer);
    if terms.is_empty() {
        return Err(no_terms(args, on_topic.len()));
    }
    if on_topic.len() == counts.len() && elsewhere.is_none() {
        printer.warn(
            "all texts are about the topic, so the words that they share count as common; give \
             other texts with --background",
        );
    }
    let topic = Topic::new(&name(args, &read), Origin::Texts, terms)?;
    let topic = topic.with_background(Some(background_of(elsewhere.as_ref().unwrap_or(&counts))));
    topic.write(to, &provenance(args)?)?;
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output, "topic": topic.name, "texts": read.documents.len(),
            "texts_on_topic": on_topic.len(), "skipped": read.skipped.count, "terms": topic.terms,
        }))?;
    } else {
        print_topic(&topic, 20, SEE_MORE, printer)?;
        printer.line(format_args!(
            "\nlearned from {} of {} texts, written to {}",
            number(on_topic.len() as u64),
            number(read.documents.len() as u64),
            args.output.display()
        ))?;
    }
    Ok(ExitStatus::Done)
}

fn learning(args: &Learn) -> Learning {
    let method = match args.method {
        MethodName::Tfidf => Method::TfIdf,
        MethodName::Pages => Method::Pages,
    };
    let idf = args.idf.map_or(method.idf(), Idf::from);
    Learning { method, idf, terms: args.terms as usize }
}

fn no_terms(args: &Learn, texts: usize) -> anyhow::Error {
    let (path, texts) = (args.input.path.display(), number(texts as u64));
    if args.min_df > 1 {
        anyhow!(
            "{path}: cannot learn a topic from {texts} texts: no term is in at least \
             --min-df of them; lower it"
        )
    } else if learning(args).idf == Idf::Plain && args.background.path().is_none() {
        anyhow!(
            "{path}: cannot learn a topic from {texts} texts: every term is in every text, so \
             none is rare; try --idf smooth or --background"
        )
    } else {
        anyhow!("{path}: cannot learn a topic from {texts} texts: they contain no term to take")
    }
}

fn terms(
    args: &Learn,
    counts: &Counts<'_>,
    elsewhere: Option<&Counts<'_>>,
    on_topic: &[usize],
    leave_out: &BTreeSet<String>,
    analyzer: &Analyzer,
) -> Vec<Term> {
    let texts: Vec<&[(TermId, u32)]> = on_topic.iter().map(|&text| counts.of(text)).collect();
    let mut within: BTreeMap<TermId, usize> = BTreeMap::new();
    for &(term, _) in texts.iter().copied().flatten() {
        *within.entry(term).or_default() += 1;
    }
    let is_candidate = |term: TermId| {
        let word = counts.vocabulary().term(term);
        let is_chinese = word.chars().any(is_han);
        within.get(&term).is_some_and(|&texts| texts >= args.min_df)
            && !leave_out.contains(word)
            && (!args.nouns || !is_chinese || analyzer.segmenter().is_noun(word))
    };
    let frequency = frequency(counts, elsewhere);
    let best = learning(args).learn(&texts, &frequency, is_candidate);
    best.into_iter().map(|(term, weight)| Term::new(counts.name(term), weight)).collect()
}

/// Returns the document frequency of each term of `counts`, counted in the same texts or in others.
fn frequency(counts: &Counts<'_>, elsewhere: Option<&Counts<'_>>) -> DocumentFrequency {
    let Some(others) = elsewhere else { return counts.frequency(0..counts.len()) };
    let mut frequency = DocumentFrequency::new();
    // The two collections number their terms independently.
    let own = |term| counts.vocabulary().get(others.vocabulary().term(term));
    for text in 0..others.len() {
        frequency.add(others.of(text).iter().filter_map(|&(term, _)| own(term)));
    }
    frequency
}

fn name(args: &Learn, read: &Read) -> String {
    let labels = || (!args.label.is_empty()).then(|| args.label.join(", "));
    args.name.clone().or_else(labels).unwrap_or_else(|| read.name())
}

fn provenance(args: &Learn) -> Result<Provenance> {
    let mut provenance = args
        .input
        .provenance("ontrail topic learn")?
        .with_parameter("labels", &args.label)
        .with_parameter("terms", args.terms)
        .with_parameter("method", args.method)
        .with_parameter("idf", args.idf)
        .with_parameter("min_df", args.min_df)
        .with_parameter("nouns", args.nouns)
        .with_parameter("phrases", &args.phrases);
    if let Some(path) = &args.leave_out {
        provenance = provenance.with_input(path)?;
    }
    args.background.record(provenance)
}
