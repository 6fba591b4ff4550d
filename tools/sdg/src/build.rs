//! `ontrail sdg build`: the graph of a topic.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::{Provenance, check_json_replaceable};
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_corpus::Document;
use ontrail_domain::Counts;
use ontrail_intake::{Input, Read, check_output, on_topic};
use ontrail_sdg::{BuildError, Importance, Occurrences, Sdg, Settings, Shape, TopicTerm};
use ontrail_text::weight::{DocumentFrequency, Idf};
use ontrail_text::{Analyzer, TermId};
use ontrail_topic::{Learning, Method, Topic};
use serde::Serialize;
use serde_json::json;

use crate::relevance::{Comparison, RelevanceArgs, Told};
use crate::show::print_graph;
use crate::two::Two;

/// Build the graph of a topic from its pages and a background
///
/// The terms are those of TOPIC PAGES with the greatest weights f / max f · log(N / n), two of each page, then
/// the next two, until there are enough (eq. 9). Of the background's pages it is counted on how many either
/// of two terms is, and on how many of those on the topic both are (eq. 10). Terms that are no more at home
/// on pages of the topic than on others are ambiguous (eq. 11 to 15); the terms that stand together with one
/// more than others show its meaning (eq. 16).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail sdg build datasets/senses-en --label amazon-forest --background datasets/senses-en \\
      -o amazon.sdg.json
  ontrail sdg build my-pages/ --background crawl.warc.gz --threshold 0.3 -o mine.sdg.json
  ontrail sdg build my-pages/ --topic mine.topic.json --background news.tsv --relevant 体育 \\
      --importance text --shape gaussian -o mine.sdg.json")]
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
    /// What the topic is called [default: the label, or the name of PAGES]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// How many terms to take
    #[arg(short = 'n', long = "terms", value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..))]
    terms: u32,
    /// On how many topic pages a term must be at least
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "topic")]
    min_pages: usize,
    /// Take the terms and weights of this topic instead of those of PAGES, the weightiest N
    #[arg(long, value_name = "FILE")]
    topic: Option<PathBuf>,
    /// Where it is counted how rare terms are: among the topic pages, as printed, or in the background
    #[arg(long, value_name = "WHERE", value_enum, default_value_t)]
    rarity: Rarity,
    /// How rarity is measured: plain is log(N / n), as printed, smooth log((N + 1) / (n + 1)) + 1
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    idf: IdfName,
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
    /// From which co-occurrence degree on a term shows another's meaning (T) [default: the mean over all
    /// other terms]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    degree_threshold: Option<f64>,
    /// A term stays on a page if what shows its meaning there has a mean degree of at least S times that of all
    /// that does (θ, eq. 20): 1 as printed; less keeps more; with 0 one of them is enough
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_hyphen_values = true)]
    theta: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Rarity {
    #[default]
    Pages,
    Background,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum IdfName {
    #[default]
    Plain,
    Smooth,
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
            degree_threshold: self.degree_threshold,
            theta: self.theta,
        }
    }
}

pub(crate) fn run(args: &Build, printer: &mut Printer) -> Result<ExitStatus> {
    let settings = args.ambiguity.settings();
    settings.check()?;
    args.relevance.check()?;
    check_output(&args.pages, &args.output)?;
    check_output(&args.relevance.background, &args.output)?;
    check_json_replaceable(&args.output)?;
    let topic = args.topic.as_deref().map(Topic::read).transpose()?;
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
    let analyzer = topic.as_ref().map_or_else(Analyzer::new, |topic| topic.analyzer().build());
    let counted = Counted::new(&pages.documents, &topic_pages, background, &analyzer, printer);
    let terms = counted.terms(args, topic.as_ref())?;
    let relevant = counted.relevant(args, &told, background, &terms)?;
    let name = name(args, &pages, topic.as_ref());
    let sdg =
        counted.build(&name, &terms, &relevant, &settings).map_err(|it| explained(args, &it))?;
    sdg.write(&args.output, &provenance(args, &told)?)?;
    warn(&sdg, printer);
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output, "topic": sdg.name, "topic_pages": topic_pages.len(),
            "background_pages": sdg.pages, "relevant_pages": sdg.relevant_pages, "relevant": told,
            "edges": sdg.edges.len(), "terms": sdg.terms,
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

/// The terms of the topic pages and of the background, counted.
struct Counted<'a> {
    counts: Counts<'a>,
    /// How many topic pages there are; the background comes after them.
    topic_pages: usize,
}

/// A term of the topic with its number in the counts, if it is in any text.
type Found = (TopicTerm, Option<TermId>);

impl<'a> Counted<'a> {
    fn new(
        pages: &[Document],
        topic_pages: &[usize],
        background: &[Document],
        analyzer: &'a Analyzer,
        printer: &mut Printer,
    ) -> Self {
        let all = topic_pages.len() + background.len();
        let progress = printer.progress("counting", Some(all as u64));
        let mut counts = Counts::new(analyzer);
        for document in topic_pages.iter().map(|&page| &pages[page]).chain(background) {
            counts.add(&document.id, &document.full_text().unwrap_or_default());
            progress.step();
        }
        Self { counts, topic_pages: topic_pages.len() }
    }

    fn texts(&self) -> Vec<&[(TermId, u32)]> {
        (0..self.topic_pages).map(|page| self.counts.of(page)).collect()
    }

    fn frequency(&self, rarity: Rarity) -> DocumentFrequency {
        let texts = match rarity {
            Rarity::Pages => 0..self.topic_pages,
            Rarity::Background => self.topic_pages..self.counts.len(),
        };
        let mut frequency = DocumentFrequency::new();
        texts.for_each(|text| frequency.add(self.counts.of(text).iter().map(|&(term, _)| term)));
        frequency
    }

    /// How often a term is on the topic pages.
    fn occurrences(&self, term: TermId) -> u64 {
        let of = |text: &[(TermId, u32)]| {
            text.binary_search_by_key(&term, |&(it, _)| it)
                .map_or(0, |place| u64::from(text[place].1))
        };
        self.texts().into_iter().map(of).sum()
    }

    /// The terms of the graph: those of the topic given, or of the topic pages.
    fn terms(&self, args: &Build, topic: Option<&Topic>) -> Result<Vec<Found>> {
        let most = args.terms as usize;
        if let Some(topic) = topic {
            let term = |it: &ontrail_topic::Term| {
                let id = self.counts.find(&it.term);
                let occurrences = id.map_or(0, |id| self.occurrences(id));
                (TopicTerm { term: it.term.clone(), weight: it.weight, occurrences }, id)
            };
            return Ok(topic.terms.iter().take(most).map(term).collect());
        }
        let learning = Learning { method: Method::Pages, idf: args.idf.into(), terms: most };
        let on_pages = self.frequency(Rarity::Pages);
        let is_candidate = |term: TermId| on_pages.containing(term) >= args.min_pages as u64;
        let best = learning.learn(&self.texts(), &self.frequency(args.rarity), is_candidate);
        if best.is_empty() {
            bail!(
                "{}: no term of the {} topic pages can be taken: each is on every page, or there are no words; \
                 try --rarity background or --idf smooth",
                args.pages.display(),
                count(self.topic_pages as u64)
            );
        }
        let term = |(id, weight): (TermId, f64)| {
            let (term, occurrences) = (self.counts.name(id).to_owned(), self.occurrences(id));
            (TopicTerm { term, weight, occurrences }, Some(id))
        };
        Ok(best.into_iter().map(term).collect())
    }

    fn relevant(
        &self,
        args: &Build,
        told: &Told,
        background: &[Document],
        terms: &[Found],
    ) -> Result<Vec<bool>> {
        let topic: Vec<(TermId, f64)> =
            terms.iter().filter_map(|(term, id)| Some(((*id)?, term.weight))).collect();
        let comparison = Comparison {
            counts: &self.counts,
            topic: &topic,
            frequency: &self.frequency(args.rarity),
            idf: args.idf.into(),
            first: self.topic_pages,
        };
        told.flags(background, &args.relevance.background, &comparison)
    }

    fn build(
        &self,
        name: &str,
        terms: &[Found],
        relevant: &[bool],
        settings: &Settings,
    ) -> Result<Sdg, BuildError> {
        let numbers: BTreeMap<TermId, usize> = terms
            .iter()
            .enumerate()
            .filter_map(|(number, (_, id))| Some(((*id)?, number)))
            .collect();
        let mut occurrences = Occurrences::new(terms.len());
        for (page, &is_relevant) in (self.topic_pages..).zip(relevant) {
            let on_page = self.counts.of(page).iter();
            let ours = on_page.filter_map(|(id, count)| Some((*numbers.get(id)?, *count)));
            occurrences.add(is_relevant, ours);
        }
        let terms: Vec<TopicTerm> = terms.iter().map(|(term, _)| term.clone()).collect();
        Sdg::build(name, &terms, &occurrences, settings)
    }
}

impl From<IdfName> for Idf {
    fn from(name: IdfName) -> Self {
        match name {
            IdfName::Plain => Self::Plain,
            IdfName::Smooth => Self::Smooth,
        }
    }
}

/// What can be done about a graph that cannot be made.
fn explained(args: &Build, error: &BuildError) -> anyhow::Error {
    let (pages, background) = (args.pages.display(), args.relevance.background.display());
    match error {
        BuildError::NoneRelevant(_) => anyhow!(
            "{background}: {error}\n  name their label with --relevant, lower --threshold, or choose another \
             background"
        ),
        BuildError::NoneMet { .. } => anyhow!(
            "{background}: {error}\n  choose a background in the language of {pages} that has pages on the topic"
        ),
        BuildError::NoEdges { .. } => anyhow!(
            "{pages}: {error}\n  the topic pages may have no terms in common: take terms that are on several with \
             --rarity background or --topic, take more with -n, or choose another background"
        ),
        error => anyhow!("{pages}: {error}"),
    }
}

fn warn(sdg: &Sdg, printer: &mut Printer) {
    let unmet: Vec<&str> = sdg
        .terms
        .iter()
        .filter(|node| !node.counts.is_met())
        .map(|node| node.term.as_str())
        .collect();
    if !unmet.is_empty() {
        let shown: Vec<&str> = unmet.iter().take(10).copied().collect();
        printer.warn(format_args!(
            "{} of {} terms are on no page of the background, so nothing is known of them and they are never \
             taken away, such as {}",
            count(unmet.len() as u64),
            count(sdg.terms.len() as u64),
            shown.join(", ")
        ));
    }
    if sdg.relevant_pages == sdg.pages {
        printer.warn(
            "every page of the background is on the topic, so nothing tells which terms mean something else \
             elsewhere",
        );
    }
}

fn name(args: &Build, read: &Read, topic: Option<&Topic>) -> String {
    let labels = || (!args.label.is_empty()).then(|| args.label.join(", "));
    let of_topic = || topic.map(|topic| topic.name.clone());
    let input = Input { path: args.pages.clone(), skip_bad: args.skip_bad };
    args.name.clone().or_else(of_topic).or_else(labels).unwrap_or_else(|| read.name(&input))
}

fn provenance(args: &Build, told: &Told) -> Result<Provenance> {
    let settings = args.ambiguity.settings();
    let input = Input { path: args.pages.clone(), skip_bad: args.skip_bad };
    let mut provenance = input
        .provenance("ontrail sdg build")?
        .with_parameter("labels", &args.label)
        .with_parameter("terms", args.terms)
        .with_parameter("min_pages", args.min_pages)
        .with_parameter("rarity", args.rarity)
        .with_parameter("idf", args.idf)
        .with_parameter("relevant", told)
        .with_parameter("importance", settings.importance)
        .with_parameter("shape", settings.shape)
        .with_parameter("bounds", settings.bounds)
        .with_parameter("constant", settings.constant)
        .with_parameter("degree_threshold", settings.degree_threshold)
        .with_parameter("theta", settings.theta)
        .with_input(&args.relevance.background)?;
    if let Some(path) = &args.topic {
        provenance = provenance.with_input(path)?;
    }
    Ok(provenance)
}
