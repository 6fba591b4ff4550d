//! `ontrail sdg build`: the graph of a topic.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use ontrail_artifact::{Output, Provenance};
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_intake::Read;
use ontrail_sdg::{
    BuildError, FORMAT, Importance, Node, Sdg, Settings, SettingsError, Shape, analyzer_for,
};
use ontrail_tool_input::{Input, on_topic};
use ontrail_topic::{Term, Topic};
use serde_json::json;

use crate::relevance::{Comparison, RelevanceArgs, Told};
use crate::show::print_graph;
use crate::terms::{Counted, TermArgs};
use crate::two::Two;

/// Build the graph of a topic from its pages and a background
///
/// The terms are those of PAGES with the greatest weights f / max f · log(N / n), two of each page, then the
/// next two, until there are enough (eq. 9); or those of a topic (--topic). Of the background's pages it is
/// counted on how many either of two terms is, and on how many of those on the topic both are (eq. 10). Terms
/// that are less at home on pages of the topic than the other terms are ambiguous (eq. 11 to 15); those that
/// stand together with one more than others show its meaning (eq. 16).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic learn datasets/senses-en --label amazon-forest -o amazon.topic.json
  ontrail sdg build datasets/senses-en --label amazon-forest --topic amazon.topic.json \\
      --background datasets/senses-en --theta 0.5 -o amazon.sdg.json
  ontrail sdg build my-pages/ --background crawl.warc.gz --threshold 0.3 -o mine.sdg.json
  ontrail sdg build my-pages/ --background news.tsv --relevant 体育 -o mine.sdg.json

As the paper prints it: --rarity pages --min-pages 1. A word on every topic page, often the one
that names the topic, then weighs nothing and is no term. Without --relevance-bounds and the like,
low and high are the quarters of the terms with the least and the greatest values, so about half
of the terms are called ambiguous.")]
pub(crate) struct Build {
    /// The topic pages: a dataset, a folder or tarball of pages, or a web archive
    #[arg(value_name = "PAGES")]
    pages: PathBuf,
    /// The label of the topic pages in PAGES; may be repeated [default: all are]
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// The graph file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What the topic is called [default: as the topic given, the label, or PAGES]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    terms: TermArgs,
    /// Pass over pages that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    relevance: RelevanceArgs,
    #[command(flatten)]
    ambiguity: AmbiguityArgs,
}

/// What decides that a term is ambiguous, and what shows its meaning.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Ambiguity")]
struct AmbiguityArgs {
    /// The importance of a term that is on the topic pages n times, where all others are m times: log(m / n) as
    /// printed, or log(1 + n / m) as the text around the formula says
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    importance: ImportanceName,
    /// The form of the fuzzy sets low and high
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    shape: ShapeName,
    /// Below A the relevance is low, above B high [default: the quartiles over the terms]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    relevance_bounds: Option<Two>,
    /// The same of the popularity
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    popularity_bounds: Option<Two>,
    /// The same of the importance
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    importance_bounds: Option<Two>,
    /// C of eq. 11, which keeps the quotients from dividing by 0
    #[arg(long, value_name = "C", default_value_t = 1.0, allow_hyphen_values = true)]
    constant: f64,
    /// From which co-occurrence degree on a term shows another's meaning (eq. 16) [default: the mean over all
    /// other terms]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    degree_threshold: Option<f64>,
    /// A term stays on a page if what shows its meaning there has a mean degree of at least S times that of all
    /// that does (θ, eq. 20): 1 as printed; less keeps more; with 0 one of them is enough
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_hyphen_values = true)]
    theta: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ImportanceName {
    #[default]
    Printed,
    Text,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ShapeName {
    #[default]
    Linear,
    Triangular,
    Gaussian,
}

impl AmbiguityArgs {
    fn settings(&self) -> Settings {
        let bounds = [self.relevance_bounds, self.popularity_bounds, self.importance_bounds];
        Settings {
            importance: match self.importance {
                ImportanceName::Printed => Importance::Printed,
                ImportanceName::Text => Importance::Text,
            },
            shape: match self.shape {
                ShapeName::Linear => Shape::Linear,
                ShapeName::Triangular => Shape::Triangular,
                ShapeName::Gaussian => Shape::Gaussian,
            },
            constant: self.constant,
            bounds: bounds.map(|given| given.map(|Two(bounds)| bounds)),
            // Adding 0 makes 0 of -0.
            degree_threshold: self.degree_threshold.map(|threshold| threshold + 0.0),
            theta: self.theta + 0.0,
        }
    }
}

pub(crate) fn run(args: &Build, printer: &mut Printer) -> Result<ExitStatus> {
    let settings = args.ambiguity.settings();
    settings.check().map_err(|error| anyhow!("{}: {error}", option_of(&error)))?;
    let inputs = [Some(&args.pages), Some(&args.relevance.background), args.terms.topic.as_ref()];
    Output::json(&args.output, &FORMAT).check(inputs.into_iter().flatten())?;
    let topic = args.terms.topic.as_deref().map(Topic::read).transpose()?;
    let given = topic.as_ref().map(|topic| weightiest(topic, args.terms.most(), printer));
    let read = |path: &PathBuf, printer: &mut Printer| {
        Input { path: path.clone(), skip_bad: args.skip_bad }.read(printer)
    };
    let pages = read(&args.pages, printer)?;
    let topic_pages = on_topic(&pages.documents, &args.label, &args.pages)?;
    let elsewhere = if args.pages == args.relevance.background {
        None
    } else {
        Some(read(&args.relevance.background, printer)?)
    };
    let background = &elsewhere.as_ref().unwrap_or(&pages).documents;
    let told = args.relevance.told(&args.label, background)?;
    let names = given.iter().flatten().map(|term| term.term.as_str());
    let analyzer = analyzer_for(names);
    let counted = Counted::new(&pages.documents, &topic_pages, background, &analyzer, printer);
    let terms = match given {
        Some(given) => counted.terms_given(given),
        None => counted
            .terms_learned(&args.terms)
            .map_err(|reason| anyhow!("{}: {reason}", args.pages.display()))?,
    };
    let comparison =
        Comparison::new(&counted.counts, counted.topic_pages, &terms, args.terms.idf());
    let relevant = told.flags(background, &args.relevance.background, &comparison)?;
    let name = name(args, &pages, topic.as_ref());
    let explained = |error: BuildError| explained(args, &told, &comparison, &error);
    let sdg = counted.build(&name, &terms, &relevant, &settings).map_err(explained)?;
    sdg.write(&args.output, &provenance(args, &told)?)?;
    warn(&sdg, printer);
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output, "topic": sdg.name, "topic_pages": topic_pages.len(),
            "background_pages": sdg.pages, "relevant_pages": sdg.relevant_pages, "relevant": told,
            "edges": sdg.edges.len(), "bounds": sdg.bounds, "terms": sdg.terms,
        }))?;
    } else {
        print_graph(&sdg, 20, "ontrail sdg show --all", printer)?;
        printer.line(format_args!(
            "\nbuilt from {} topic pages; background pages told {told}; written to {}",
            count(topic_pages.len() as u64),
            args.output.display()
        ))?;
    }
    Ok(ExitStatus::Done)
}

/// The option that a wrong setting was given with.
fn option_of(error: &SettingsError) -> String {
    match error {
        SettingsError::Constant(_) => "--constant".to_owned(),
        SettingsError::Bounds { indicator, .. } => format!("--{indicator}-bounds"),
        SettingsError::DegreeThreshold(_) => "--degree-threshold".to_owned(),
        SettingsError::Theta(_) => "--theta".to_owned(),
    }
}

/// The weightiest terms of a topic, whatever order someone left them in. Of those that are counted alike the
/// weightiest is one.
fn weightiest(topic: &Topic, most: usize, printer: &mut Printer) -> Vec<Term> {
    let mut terms = topic.terms.clone();
    terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let analyzer = analyzer_for(terms.iter().map(|term| term.term.as_str()));
    let mut reader = analyzer.reader();
    let (mut seen, mut left_out) = (BTreeSet::new(), Vec::new());
    terms.retain(|term| {
        let is_new = reader.single_term(&term.term).is_some_and(|form| seen.insert(form));
        if !is_new {
            left_out.push(term.term.clone());
        }
        is_new
    });
    if !left_out.is_empty() {
        printer.warn(format_args!(
            "terms that hold no words, or are counted as a weightier one, are left out: {}",
            left_out.join(", ")
        ));
    }
    terms.truncate(most);
    terms
}

/// What can be done about a graph that cannot be made.
fn explained(
    args: &Build,
    told: &Told,
    comparison: &Comparison<'_>,
    error: &BuildError,
) -> anyhow::Error {
    let (pages, background) = (args.pages.display(), args.relevance.background.display());
    match (error, told) {
        (BuildError::NoneRelevant(_), Told::Threshold(_)) => {
            let nearest = comparison.nearest();
            let lower = if nearest > 0.0 { "lower --threshold, " } else { "" };
            anyhow!(
                "{background}: {error}\n  the nearest has a cosine of {nearest:.3}: {lower}name the label of pages \
                 on the topic with --relevant, or choose another background"
            )
        }
        (BuildError::NoneMet { .. }, _) => anyhow!(
            "{background}: {error}\n  choose a background in the language of {pages} that has pages on the topic"
        ),
        (BuildError::NoEdges { .. }, _) => anyhow!(
            "{pages}: {error}\n  take more terms with -n, or choose a background with more pages on the topic"
        ),
        _ => anyhow!("{pages}: {error}"),
    }
}

/// So few pages on the topic say little about what stands together there.
const FEW: u64 = 10;

fn warn(sdg: &Sdg, printer: &mut Printer) {
    let mut about = |nodes: Vec<&str>, what: &str| {
        if !nodes.is_empty() {
            let shown: Vec<&str> = nodes.iter().take(10).copied().collect();
            let (some, all) = (count(nodes.len() as u64), count(sdg.terms.len() as u64));
            printer
                .warn(format_args!("{some} of {all} terms {what}, such as {}", shown.join(", ")));
        }
    };
    let names = |is_such: fn(&&Node) -> bool| -> Vec<&str> {
        sdg.terms.iter().filter(is_such).map(|node| node.term.as_str()).collect()
    };
    about(
        names(|node| !node.counts.is_met()),
        "are on no page of the background, so nothing is known of them and they are never taken away",
    );
    about(
        names(|node| node.ambiguous && node.disambiguated_by.is_empty()),
        "are ambiguous, but no other term shows their meaning, so they are never taken away",
    );
    if sdg.relevant_pages == sdg.pages {
        printer.warn(
            "every page of the background is on the topic, so nothing tells which terms mean something else \
             elsewhere",
        );
    } else if sdg.relevant_pages < FEW {
        printer.warn(format_args!(
            "only {} of {} background pages are on the topic, which says little about what stands together there",
            count(sdg.relevant_pages),
            count(sdg.pages)
        ));
    }
}

fn name(args: &Build, read: &Read, topic: Option<&Topic>) -> String {
    let labels: BTreeSet<&str> = args.label.iter().map(String::as_str).collect();
    let labels = || (!labels.is_empty()).then(|| Vec::from_iter(labels).join(", "));
    let of_topic = || topic.map(|topic| topic.name.clone());
    args.name.clone().or_else(of_topic).or_else(labels).unwrap_or_else(|| read.name())
}

fn provenance(args: &Build, told: &Told) -> Result<Provenance> {
    let settings = args.ambiguity.settings();
    let input = Input { path: args.pages.clone(), skip_bad: args.skip_bad };
    let mut provenance = input
        .provenance("ontrail sdg build")?
        .with_parameter("labels", &args.label)
        .with_parameter("terms", &args.terms)
        .with_parameter("relevant", told)
        .with_parameter("importance", settings.importance)
        .with_parameter("shape", settings.shape)
        .with_parameter("bounds", settings.bounds)
        .with_parameter("constant", settings.constant)
        .with_parameter("degree_threshold", settings.degree_threshold)
        .with_parameter("theta", settings.theta)
        .with_input(&args.relevance.background)?;
    if let Some(path) = &args.terms.topic {
        provenance = provenance.with_input(path)?;
    }
    Ok(provenance)
}
