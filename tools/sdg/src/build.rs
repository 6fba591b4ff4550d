//! `ontrail sdg build`: builds the graph of a topic.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::{Output, Provenance};
use ontrail_cli::{ExitStatus, ForceArgs, Printer, count};
use ontrail_intake::Read;
use ontrail_sdg::{
    BuildError, FORMAT, Importance, Node, Sdg, SdgSettings, SettingsError, Shape, analyzer_for,
};
use ontrail_tool_input::{Input, ReadingArgs, on_topic};
use ontrail_topic::{Term, Topic};
use serde_json::json;

use crate::bounds::BoundsArg;
use crate::relevance::{Comparison, RelevanceArgs, RelevanceRule, Separation};
use crate::show::print_graph;
use crate::terms::{Counted, TermArgs};

/// Build the graph of a topic from topic pages and a background
///
/// The terms of the graph are those of PAGES with the greatest weights f / max f · log(N / n): the
/// two best terms of each page, then the next two, until there are enough (eq. 9). With --topic,
/// they are the terms of a topic instead.
///
/// The co-occurrence degree of two terms is the number of relevant background pages with both of
/// them, divided by the number of background pages with either of them (eq. 10). A term is
/// ambiguous if it is less typical of relevant pages than the other terms are (eq. 11 to 15). It is
/// disambiguated by the terms whose degree with it is above the average (eq. 16).
///
/// Background pages are relevant by their label, or if their cosine with the topic's terms exceeds
/// a threshold (`T_tr`). Unless one is given, it is the threshold that best separates the topic
/// pages (each compared with the terms of the others) from the background. The topic pages then
/// count as relevant pages too, because a background on all kinds of subjects may have none.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic learn datasets/senses-en --label amazon-forest -o amazon.topic.json
  ontrail sdg build datasets/senses-en --label amazon-forest --topic amazon.topic.json \\
      --background datasets/senses-en --theta 0.5 -o amazon.sdg.json
  ontrail sdg build my-pages/ --background crawl.warc.gz -o mine.sdg.json
  ontrail sdg build my-pages/ --background news.tsv --relevant 体育 -o mine.sdg.json

Use --rarity pages --min-pages 1 for terms as the paper prints them. A word on every topic page,
often the name of the topic, then has the weight 0 and is not in the graph.

Unless --relevance-bounds, --popularity-bounds and --importance-bounds are given, the bounds of low
and high are the quartiles over the terms, so about half of the terms are ambiguous.")]
pub(crate) struct Build {
    /// Topic pages: a dataset, a folder or tarball of pages, or a web archive
    #[arg(value_name = "PAGES")]
    pages: PathBuf,
    /// Label of the topic pages in PAGES; may be repeated [default: all pages]
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// File to write the graph to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Name of the topic [default: the name of --topic, the labels, or the name of PAGES]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    relevance: RelevanceArgs,
    #[command(flatten)]
    ambiguity: AmbiguityArgs,
}

/// The options that decide which terms are ambiguous, and which terms disambiguate them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Ambiguity")]
struct AmbiguityArgs {
    /// Importance of a term that occurs n times on the topic pages, all other terms m times
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    importance: ImportanceName,
    /// Shape of the fuzzy sets low and high
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    shape: ShapeName,
    /// Relevance up to A is low, from B on it is high [default: the quartiles over the terms]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    relevance_bounds: Option<BoundsArg>,
    /// Popularity up to A is low, from B on it is high [default: the quartiles over the terms]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    popularity_bounds: Option<BoundsArg>,
    /// Importance up to A is low, from B on it is high [default: the quartiles over the terms]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    importance_bounds: Option<BoundsArg>,
    /// C of eq. 11, which prevents division by zero
    #[arg(long, value_name = "C", default_value_t = 1.0, allow_hyphen_values = true)]
    constant: f64,
    /// Least co-occurrence degree of a disambiguation term (eq. 16) [default: the term's mean
    /// degree with all other terms]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    degree_threshold: Option<f64>,
    /// Keep a term on a page if its disambiguation terms there have a mean degree of at least S
    /// times the mean degree of all its disambiguation terms (θ, eq. 20). The paper has 1; lower
    /// values keep more terms; with 0, one disambiguation term is enough
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_hyphen_values = true)]
    theta: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ImportanceName {
    /// log(m / n), as printed
    #[default]
    Printed,
    /// log(1 + n / m), as the text around the formula describes it
    Text,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ShapeName {
    /// A straight line from A to B, constant outside (eq. 12)
    #[default]
    Linear,
    /// Triangles over the values of all terms
    Triangular,
    /// Half bell curves
    Gaussian,
}

impl AmbiguityArgs {
    fn settings(&self) -> SdgSettings {
        let bounds = [self.relevance_bounds, self.popularity_bounds, self.importance_bounds];
        let mut settings = SdgSettings::default();
        settings.importance = match self.importance {
            ImportanceName::Printed => Importance::Printed,
            ImportanceName::Text => Importance::Text,
        };
        settings.shape = match self.shape {
            ShapeName::Linear => Shape::Linear,
            ShapeName::Triangular => Shape::Triangular,
            ShapeName::Gaussian => Shape::Gaussian,
        };
        settings.constant = self.constant;
        settings.bounds = bounds.map(|given| given.map(|BoundsArg(bounds)| bounds));
        // Adding 0 turns -0 into 0.
        settings.degree_threshold = self.degree_threshold.map(|threshold| threshold + 0.0);
        settings.theta = self.theta + 0.0;
        settings
    }
}

pub(crate) fn run(args: &Build, printer: &mut Printer) -> Result<ExitStatus> {
    let settings = args.ambiguity.settings();
    settings.check().map_err(|error| anyhow!("{}: {error}", options_of(&error)))?;
    let inputs = [Some(&args.pages), Some(&args.relevance.background), args.terms.topic.as_ref()];
    let to = args.force.destination(&args.output, printer)?;
    Output::json(to, &FORMAT).check(inputs.into_iter().flatten())?;
    let topic = args.terms.topic.as_deref().map(Topic::read).transpose()?;
    let given = topic.as_ref().map(|topic| weightiest(topic, args.terms.most(), printer));
    let read = |path: &PathBuf, printer: &mut Printer| {
        Input { path: path.clone(), reading: args.reading }.read(printer)
    };
    let pages = read(&args.pages, printer)?;
    let topic_pages = on_topic(&pages.documents, &args.label, &args.pages)?;
    let elsewhere = if args.pages == args.relevance.background {
        None
    } else {
        Some(read(&args.relevance.background, printer)?)
    };
    let background = &elsewhere.as_ref().unwrap_or(&pages).documents;
    let known_rule = args.relevance.rule(&args.label, background)?;
    let names = given.iter().flatten().map(|term| term.term.as_str());
    let analyzer = analyzer_for(names);
    let counted = Counted::new(&pages.documents, &topic_pages, background, &analyzer, printer);
    let has_own_terms = given.is_none();
    let terms = match given {
        Some(given) => counted.terms_given(given),
        None => counted
            .terms_learned(&args.terms)
            .map_err(|reason| anyhow!("{}: {reason}", args.pages.display()))?,
    };
    let comparison =
        Comparison::new(&counted.counts, counted.topic_pages, &terms, args.terms.idf());
    let rule = if let Some(rule) = known_rule {
        rule
    } else {
        let given = (!has_own_terms).then_some(&terms[..]);
        let on_topic = counted.cosines_held_out(&comparison, &args.terms, given);
        chosen(args, Separation::of(on_topic, comparison.cosines().collect()), printer)?
    };
    // A background on all kinds of subjects may have no page about the topic, but the topic pages
    // are about it.
    let adds_topic_pages = matches!(rule, RelevanceRule::Chosen(_)) && elsewhere.is_some();
    let relevant = rule.flags(background, &args.relevance.background, &comparison)?;
    let name = name(args, &pages, topic.as_ref());
    let explained = |error: BuildError| explained(args, &rule, &comparison, &error);
    let sdg =
        counted.build(&name, &terms, &relevant, adds_topic_pages, &settings).map_err(explained)?;
    sdg.write(to, &provenance(args, &rule)?)?;
    warn(&sdg, printer);
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output, "topic": sdg.name, "topic_pages": topic_pages.len(),
            "background_pages": sdg.pages, "relevant_pages": sdg.relevant_pages, "relevant": rule,
            "topic_pages_counted": adds_topic_pages,
            "edges": sdg.edges.len(), "bounds": sdg.bounds, "terms": sdg.terms,
        }))?;
    } else {
        print_graph(&sdg, 20, "ontrail sdg show --all", printer)?;
        printer.line(format_args!(
            "\nbuilt from {} topic pages; relevance of background pages {rule}; written to {}",
            count(topic_pages.len() as u64),
            args.output.display()
        ))?;
    }
    Ok(ExitStatus::Done)
}

/// Returns the rule of a chosen threshold.
fn chosen(
    args: &Build,
    separation: Option<Separation>,
    printer: &mut Printer,
) -> Result<RelevanceRule> {
    let Some(separation) = separation else {
        bail!(
            "{}: the topic pages have no terms in common, so no threshold tells the topic from the \
             background; give pages about one topic, or a threshold with --threshold",
            args.pages.display()
        );
    };
    if separation.is_poor() {
        printer.warn(format_args!(
            "{}: pages here are almost as similar to the topic as the topic pages are, so many that \
             are not about the topic count as relevant; choose another background, or name the \
             label of relevant pages with --relevant",
            args.relevance.background.display()
        ));
    }
    Ok(RelevanceRule::Chosen(separation))
}

/// Returns the option that an invalid setting was given with, or all if a later version of the
/// library checks more.
fn options_of(error: &SettingsError) -> String {
    match error {
        SettingsError::Constant(_) => "--constant".to_owned(),
        SettingsError::Bounds { indicator, .. } => format!("--{indicator}-bounds"),
        SettingsError::DegreeThreshold(_) => "--degree-threshold".to_owned(),
        SettingsError::Theta(_) => "--theta".to_owned(),
        _ => "options".to_owned(),
    }
}

/// Returns the terms of greatest weight of a topic, which may have been edited and be in any order.
/// Of terms that are counted as the same term, only the one of greatest weight is taken.
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
            "left out terms without words, or counted as a term of greater weight: {}",
            left_out.join(", ")
        ));
    }
    terms.truncate(most);
    terms
}

/// Adds to an error what the user can do about it.
fn explained(
    args: &Build,
    rule: &RelevanceRule,
    comparison: &Comparison<'_>,
    error: &BuildError,
) -> anyhow::Error {
    let (pages, background) = (args.pages.display(), args.relevance.background.display());
    match (error, rule) {
        (BuildError::NoneRelevant(_), RelevanceRule::Threshold(_)) => {
            let nearest = comparison.nearest();
            let lower = if nearest > 0.0 { "lower --threshold, " } else { "" };
            anyhow!(
                "{background}: {error}\n  the highest cosine is {nearest:.3}; {lower}name the label \
                 of relevant pages with --relevant, or choose another background"
            )
        }
        (BuildError::NoneMet { .. }, _) => anyhow!(
            "{background}: {error}\n  choose a background in the language of {pages} that has pages \
             about the topic"
        ),
        (BuildError::NoEdges { .. }, _) => anyhow!(
            "{pages}: {error}\n  use more terms (-n), or choose a background with more relevant pages"
        ),
        _ => anyhow!("{pages}: {error}"),
    }
}

/// Number of relevant pages below which co-occurrences say little.
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
        "occur on no background page, so they cannot be judged and are never removed",
    );
    about(
        names(|node| node.ambiguous && node.disambiguated_by.is_empty()),
        "are ambiguous but have no disambiguation terms, so they are never removed",
    );
    if sdg.relevant_pages == sdg.pages {
        printer.warn(
            "every background page is relevant, so nothing shows which terms have other meanings \
             elsewhere",
        );
    } else if sdg.relevant_pages < FEW {
        printer.warn(format_args!(
            "only {} of {} background pages are relevant, which is too few for reliable degrees",
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

fn provenance(args: &Build, rule: &RelevanceRule) -> Result<Provenance> {
    let settings = args.ambiguity.settings();
    let input = Input { path: args.pages.clone(), reading: args.reading };
    let mut provenance = input
        .provenance("ontrail sdg build")?
        .with_parameter("labels", &args.label)
        .with_parameter("terms", &args.terms)
        .with_parameter("relevant", rule)
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
