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
use ontrail_topic::{
    FORMAT, GENERAL_TEXTS, Learning, Method, Origin, Term, Topic, general_texts_with,
};
use serde_json::json;

use crate::background::{BackgroundArgs, background_of, count, count_documents};
use crate::calibrate::{print_calibrations, warn};
use crate::held_out::{Held, Sample};
use crate::idf::IdfName;
use crate::show::{SEE_MORE, print_topic};

/// Learn a topic from texts about it
///
/// The method tfidf treats all texts about the topic as one; the weight of a term is f / Σf · log(N
/// / n + 0.01) (eq. 1 of bcw-cc). The method pages weighs the terms of each text separately, by f /
/// max f · log(N / n) (eq. 9 of sdvsm), takes the two best terms of each text, then the next two,
/// and so on; the weight of a term is its mean over the texts. n of N texts contain the term,
/// counted over all texts of DATA, whatever their label, or over those of --background, completed
/// by the counts of general text that ship with Ontrail. With texts that are not about the topic,
/// the topic is also calibrated (see ontrail topic calibrate); each page is then scored by a topic
/// that was learned without it.
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
    let texts = Texts { counts: &counts, elsewhere: elsewhere.as_ref(), on_topic, leave_out };
    let name = name(args, &read);
    let Some(mut topic) = learn(args, &texts, &name, &Held::default(), &analyzer)? else {
        return Err(no_terms(args, texts.on_topic.len()));
    };
    let on_topic = &texts.on_topic;
    calibrate(args, &read, &texts, &mut topic, &analyzer, printer)?;
    topic.write(to, &provenance(args)?)?;
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output, "topic": topic.name, "texts": read.documents.len(),
            "texts_on_topic": on_topic.len(), "skipped": read.skipped.count, "terms": topic.terms,
        }))?;
    } else {
        print_topic(&topic, 20, SEE_MORE, printer)?;
        print_calibrations(&topic.calibrations, printer)?;
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

/// The texts to learn from.
struct Texts<'a> {
    counts: &'a Counts<'a>,
    /// The texts of the background.
    elsewhere: Option<&'a Counts<'a>>,
    /// The indices of the texts about the topic.
    on_topic: Vec<usize>,
    /// The terms not to take, as they are counted.
    leave_out: BTreeSet<String>,
}

impl Texts<'_> {
    /// Returns true if no text tells how common words are elsewhere.
    fn are_all_on_topic(&self) -> bool {
        self.elsewhere.is_none() && self.on_topic.len() == self.counts.len()
    }
}

/// Learns the topic without some of the texts. Returns `None` if there is no term to take.
fn learn(
    args: &Learn,
    texts: &Texts<'_>,
    name: &str,
    held: &Held,
    analyzer: &Analyzer,
) -> Result<Option<Topic>> {
    let Texts { counts, elsewhere, leave_out, .. } = texts;
    let on_topic = texts.on_topic.iter().filter(|text| !held.own.contains(text));
    let on_topic: Vec<&[(TermId, u32)]> = on_topic.map(|&text| counts.of(text)).collect();
    let mut within: BTreeMap<TermId, usize> = BTreeMap::new();
    for &(term, _) in on_topic.iter().copied().flatten() {
        *within.entry(term).or_default() += 1;
    }
    let is_candidate = |term: TermId| {
        let word = counts.vocabulary().term(term);
        let is_chinese = word.chars().any(is_han);
        within.get(&term).is_some_and(|&texts| texts >= args.min_df)
            && !leave_out.contains(word)
            && (!args.nouns || !is_chinese || analyzer.segmenter().is_noun(word))
    };
    let frequency = frequency(texts, held);
    let best = learning(args).learn(&on_topic, &frequency, is_candidate);
    let terms: Vec<Term> =
        best.into_iter().map(|(term, weight)| Term::new(counts.name(term), weight)).collect();
    if terms.is_empty() {
        return Ok(None);
    }
    let topic = Topic::new(name, Origin::Texts, terms)?;
    Ok(Some(match elsewhere {
        Some(others) => topic.with_background(Some(background_of(others, &held.elsewhere))),
        None if texts.are_all_on_topic() => topic.with_general_background(),
        None => topic.with_background(Some(background_of(counts, &held.own))),
    }))
}

/// Calibrates the topic, if there are texts that are not about it.
fn calibrate(
    args: &Learn,
    read: &Read,
    texts: &Texts<'_>,
    topic: &mut Topic,
    analyzer: &Analyzer,
    printer: &mut Printer,
) -> Result<()> {
    let names = texts.elsewhere.map(Counts::names);
    let background = args.background.path().zip(names.as_deref());
    let data = (args.input.path.as_path(), read.documents.as_slice());
    let Some(sample) = Sample::read(data, &texts.on_topic, background)? else { return Ok(()) };
    let name = topic.name.clone();
    let again = |held: &Held| learn(args, texts, &name, held, analyzer);
    let Some(made) = sample.calibrations(topic, &args.output, again)? else {
        printer.warn("the topic is not calibrated, because its texts are too few to leave any out");
        return Ok(());
    };
    warn(&made, printer);
    for calibration in made {
        topic.add_calibration(calibration)?;
    }
    Ok(())
}

/// Returns the document frequency of each term, counted in the same texts or in those of the
/// background, without those that are left out.
///
/// A background is completed by the general one. In a few hundred texts a word may be missing by
/// chance, and would count as the rarest of all; and if some of them are about the topic, its own
/// words would count as common. If all texts are about the topic, the general background is used
/// alone, because words that all of them share would count as common.
fn frequency(texts: &Texts<'_>, held: &Held) -> DocumentFrequency {
    let counts = texts.counts;
    let mut frequency = DocumentFrequency::new();
    if let Some(others) = texts.elsewhere {
        // The two collections number their terms independently.
        let own = |term| counts.vocabulary().get(others.vocabulary().term(term));
        for text in (0..others.len()).filter(|text| !held.elsewhere.contains(text)) {
            frequency.add(others.of(text).iter().filter_map(|&(term, _)| own(term)));
        }
    } else if !texts.are_all_on_topic() {
        return counts.frequency((0..counts.len()).filter(|text| !held.own.contains(text)));
    }
    let general = counts
        .vocabulary()
        .iter()
        .map(|(term, word)| (term, u32::try_from(general_texts_with(word)).unwrap_or(u32::MAX)));
    frequency.add_counted(GENERAL_TEXTS, general);
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
