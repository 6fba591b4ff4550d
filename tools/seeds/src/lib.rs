//! `ontrail seeds`: propose seed URLs for a topic.

mod candidate;
mod models;
mod shortlist;
mod source;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use ontrail_artifact::{Format, Output, Provenance, write_with_sidecar};
use ontrail_cli::{Align, ExitStatus, ForceArgs, Printer, Table, count, share};
use ontrail_crawl::canonical;
use ontrail_intake::{PageFile, each_page};
use ontrail_page::{Html, Source};
use ontrail_pilot::host_of;
use ontrail_topic::Topic;
use serde_json::json;
use url::Url;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use candidate::{Candidate, Evidence, Judge, Judgement};
use models::JudgeArgs;
use shortlist::Shortlist;
use source::{Input, Kind, Listed, Skipped};

const FORMAT: Format = Format { kind: "seeds", version: 1, oldest: 1, rebuild: "ontrail seeds" };

/// Maximum number of URLs and pages that are remembered in order not to judge them twice, at about
/// 20 bytes each.
const MOST_KNOWN: usize = 10_000_000;

/// Propose seed URLs for a topic from sitemaps, web archives, CDX files and lists of URLs
///
/// A page in an archive is judged by its text; a URL in a list or a sitemap by its title, if it has
/// one, and by the words of the URL; a URL in a CDX file by its words alone. The score is
/// P(relevant) for pages if the topic has a calibration, or if a classifier or a judge is given,
/// and the relevance R otherwise. Of the best candidates, only a few of each host are proposed.
///
/// The output is a file for `ontrail crawl run --seeds`: each URL stands below a comment that says
/// why it was chosen.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Inputs may be compressed with gzip. The kind of a file is recognised by its content; archives by
their names (.warc, .warc.gz). In a list, each line is a URL, optionally followed by a tab and a
title. CDX files have one capture per line, with or without JSON; only HTML pages with status 200
are considered. All inputs are read as streams.

Examples:
  ontrail seeds --topic rain.topic.json sitemap.xml.gz -o seeds.txt
  ontrail seeds --topic rain.topic.json old-crawl/pages/*.warc.gz -n 50 --per-host 3 -o seeds.txt
  ontrail seeds --topic rain.topic.json index.cdxj bookmarks.tsv --json
  ontrail seeds --topic t.json --classifier t.bcw --class rain old-crawl/pages/*.warc.gz -o seeds.txt
  ontrail crawl run --seeds seeds.txt --topic rain.topic.json --budget 1000 -o crawl

Exit code: 0 on success, 1 if no URL has a term of the topic, 2 on errors.")]
pub struct Command {
    /// Sitemaps, web archives, CDX files or lists of URLs
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Topic file (made by ontrail topic weigh, learn or keywords)
    #[arg(long, value_name = "TOPIC")]
    topic: PathBuf,
    #[command(flatten)]
    judge: JudgeArgs,
    /// File to write the seeds to [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Number of seeds to propose
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    seeds: u32,
    /// Maximum number of seeds of each host
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    per_host: u32,
    /// Least score of a seed. Without it, every URL with a term of the topic is a candidate
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = share)]
    min_score: Option<f64>,
    /// Skip and report lines and files that cannot be read, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
}

/// Numbers of the URLs that were seen.
#[derive(Debug, Default)]
struct Counted {
    pages: u64,
    listed: u64,
    with_terms: u64,
}

/// The search for seeds.
struct Search<'a> {
    judge: &'a Judge,
    shortlist: Shortlist,
    /// The fingerprints of URLs and of the content of pages.
    known: HashSet<u128>,
    least: f64,
    counted: Counted,
    skipped: Skipped,
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    let to = match &command.output {
        Some(output) => {
            let to = command.force.destination(output, printer)?;
            let models = command.judge.paths().chain([command.topic.as_path()]);
            let inputs = command.inputs.iter().map(PathBuf::as_path).chain(models);
            Output::file(to, &FORMAT).check(inputs)?;
            Some(to)
        }
        None => None,
    };
    let topic = Topic::read(&command.topic)?;
    let mut inputs =
        command.inputs.iter().map(|path| Input::recognise(path)).collect::<Result<Vec<Input>>>()?;
    inputs.sort_by_key(|input| input.kind);
    let models = command.judge.read(&command.topic)?;
    let (judge, unusable) = Judge::new(&topic, models)
        .map_err(|error| anyhow!("{}: {error}", command.topic.display()))?;
    warn(command, &judge, unusable.as_ref(), printer);
    let mut search = Search {
        judge: &judge,
        shortlist: Shortlist::new(command.seeds as usize, command.per_host as usize),
        known: HashSet::new(),
        least: command.min_score.unwrap_or(0.0),
        counted: Counted::default(),
        skipped: Skipped::default(),
    };
    for input in &inputs {
        search.read(input, command.skip_bad, printer)?;
    }
    let Search { shortlist, counted, skipped, .. } = search;
    report_skipped(&skipped, printer);
    let seeds = shortlist.finish();
    if let (Some(to), false) = (to, seeds.is_empty()) {
        let text = seeds_file(&topic, &seeds);
        write_with_sidecar(to, &FORMAT, &provenance(command)?, |out| {
            out.write_all(text.as_bytes())
        })?;
    }
    print(command, &topic, &seeds, &counted, printer)?;
    Ok(if seeds.is_empty() { ExitStatus::No } else { ExitStatus::Done })
}

impl Search<'_> {
    fn read(&mut self, input: &Input, skips: bool, printer: &Printer) -> Result<()> {
        let progress = printer.progress("judging", None);
        let source = input.path.display().to_string();
        if input.kind == Kind::Archive {
            let read = each_page::<anyhow::Error>(&input.path, None, &mut |file| {
                self.page(&file, &source);
                progress.step();
                Ok(())
            });
            // The pages before the damage count.
            return read.or_else(|error| self.skipped.fault(error, skips));
        }
        let mut skipped = std::mem::take(&mut self.skipped);
        let read = input.each_url(skips, &mut skipped, &mut |listed| {
            self.listed(listed, &source);
            progress.step();
        });
        self.skipped = skipped;
        read
    }

    /// Judges a page of an archive.
    fn page(&mut self, file: &PageFile, source: &str) {
        let Some(url) = file.url.clone().and_then(canonical) else { return };
        if !self.is_new(&url) {
            return;
        }
        self.counted.pages += 1;
        if !self.remember(xxh3_128_with_seed(&file.bytes, 1)) {
            return; // A page may have several URLs; one is enough.
        }
        let page = Source::at(&url).with_content_type(file.content_type.as_deref());
        let html = Html::parse(&file.bytes, page);
        let judgement = self.judge.page(&html, file, &url);
        let title = Some(html.title).filter(|title| !title.is_empty());
        self.consider(url, title, Evidence::Page, source, judgement);
    }

    /// Judges a URL whose page is not at hand.
    fn listed(&mut self, listed: Listed, source: &str) {
        let Listed { url, title } = listed;
        if !self.is_new(&url) {
            return;
        }
        self.counted.listed += 1;
        let judgement = self.judge.words(&title, &url);
        let title = Some(title).filter(|title| !title.is_empty());
        let evidence = if title.is_some() { Evidence::Title } else { Evidence::Url };
        self.consider(url, title, evidence, source, judgement);
    }

    fn consider(
        &mut self,
        url: Url,
        title: Option<String>,
        evidence: Evidence,
        source: &str,
        judgement: Judgement,
    ) {
        if judgement.relevance <= 0.0 {
            return;
        }
        self.counted.with_terms += 1;
        if judgement.score >= self.least && self.shortlist.takes(host_of(&url), judgement.score) {
            let source = source.to_owned();
            self.shortlist.add(Candidate { url, title, evidence, source, judgement });
        }
    }

    /// Returns true if a URL was not seen before.
    fn is_new(&mut self, url: &Url) -> bool {
        let is_new = self.remember(xxh3_128_with_seed(url.as_str().as_bytes(), 0));
        // As long as all URLs are remembered, the shortlist holds none that is not.
        is_new && (self.known.len() < MOST_KNOWN || !self.shortlist.has(url))
    }

    /// Remembers a fingerprint, and returns true if it is new. Beyond the limit, all that are not
    /// remembered count as new: a URL may then be judged again, by weaker evidence.
    fn remember(&mut self, fingerprint: u128) -> bool {
        if self.known.len() < MOST_KNOWN {
            return self.known.insert(fingerprint);
        }
        !self.known.contains(&fingerprint)
    }
}

fn warn(
    command: &Command,
    judge: &Judge,
    unusable: Option<&ontrail_topic::CalibrationError>,
    printer: &mut Printer,
) {
    let path = command.topic.display();
    if !judge.unread().is_empty() {
        printer.warn(format_args!(
            "{path}: terms without any word never match: {}",
            judge.unread().join(", ")
        ));
    }
    if let Some(error) = unusable {
        printer.note(format_args!("{path}: {error}; seeds are ranked by R"));
    }
}

fn report_skipped(skipped: &Skipped, printer: &mut Printer) {
    printer.skipped(skipped.lines, "lines", &skipped.examples);
    if let Some(url) = &skipped.further_sitemap {
        printer.note(format_args!(
            "further sitemaps listed and not read: {}, such as {url}; fetch them and name the files",
            count(skipped.further_sitemaps)
        ));
    }
}

fn provenance(command: &Command) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail seeds")
        .with_parameter("seeds", command.seeds)
        .with_parameter("per_host", command.per_host)
        .with_parameter("min_score", command.min_score)
        .with_input(&command.topic)?;
    let inputs = command.inputs.iter().map(PathBuf::as_path);
    for input in command.judge.paths().chain(inputs) {
        provenance = provenance.with_input(input)?;
    }
    Ok(provenance)
}

/// Returns the text of a file of seeds: a comment with the reasons above each URL.
fn seeds_file(topic: &Topic, seeds: &[Candidate]) -> String {
    let mut text = format!("# Seeds for the topic {}, the best first\n", one_line(&topic.name));
    for seed in seeds {
        text.push_str(&format!("\n# {}\n{}\n", reason(seed), seed.url));
    }
    text
}

/// Returns the reasons for a seed in one line.
fn reason(seed: &Candidate) -> String {
    let Judgement { relevance, probability, terms, .. } = &seed.judgement;
    let probability = probability.map(|it| format!("P {it:.3}, ")).unwrap_or_default();
    let terms: Vec<String> =
        terms.iter().map(|(term, part)| format!("{} {part:.2}", one_line(term))).collect();
    let title = seed.title.as_deref().map(|it| format!("; {}", one_line(it))).unwrap_or_default();
    let (evidence, terms) = (seed.evidence.name(), terms.join(", "));
    format!("{probability}R {relevance:.3} from the {evidence} ({terms}){title}")
}

/// Returns a text without line breaks and other control characters, cut to a readable length.
fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let text = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    text.chars().take(120).collect()
}

fn print(
    command: &Command,
    topic: &Topic,
    seeds: &[Candidate],
    counted: &Counted,
    printer: &mut Printer,
) -> Result<()> {
    if printer.is_json() {
        let seed = |it: &Candidate| {
            json!({
                "url": it.url.as_str(), "host": it.host(), "score": it.judgement.score,
                "relevance": it.judgement.relevance, "probability": it.judgement.probability,
                "evidence": it.evidence, "title": it.title, "source": it.source,
                "terms": it.judgement.terms.iter().map(|(term, part)| json!({"term": term, "part": part}))
                    .collect::<Vec<_>>(),
            })
        };
        let seeds: Vec<_> = seeds.iter().map(seed).collect();
        printer.json(&json!({
            "topic": topic.name, "output": command.output, "pages": counted.pages,
            "listed": counted.listed, "with_terms": counted.with_terms, "seeds": seeds,
        }))?;
        return Ok(());
    }
    let seen = counted.pages + counted.listed;
    if seeds.is_empty() {
        if counted.with_terms == 0 {
            printer.note(format_args!(
                "none of the {} URLs has a term of the topic; give other inputs, or a topic in their \
                 language",
                count(seen)
            ));
        } else {
            printer.note(format_args!(
                "none of the {} URLs with a term of the topic has a score of {} or more; lower \
                 --min-score",
                count(counted.with_terms),
                command.min_score.unwrap_or(0.0)
            ));
        }
        return Ok(());
    }
    let Some(output) = &command.output else {
        write!(printer.data(), "{}", seeds_file(topic, seeds))?;
        return Ok(());
    };
    let mut table = Table::new([
        ("score", Align::Right),
        ("judged by", Align::Left),
        ("URL", Align::Left),
        ("title", Align::Left),
    ]);
    for seed in seeds {
        table.row([
            format!("{:.3}", seed.judgement.score),
            seed.evidence.name().to_owned(),
            seed.url.to_string(),
            seed.title.as_deref().map(one_line).unwrap_or_default().chars().take(40).collect(),
        ]);
    }
    printer.table(&table)?;
    let hosts: HashSet<&str> = seeds.iter().map(Candidate::host).collect();
    printer.line(format_args!(
        "\n{} seeds of {} hosts, from {} URLs; written to {}",
        count(seeds.len() as u64),
        count(hosts.len() as u64),
        count(seen),
        output.display()
    ))?;
    Ok(())
}
