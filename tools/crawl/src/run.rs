//! `ontrail crawl run`: begins a crawl.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::Provenance;
use ontrail_cli::{ExitStatus, Printer, share};
use ontrail_crawl::{FrontierPlace, MeaningsPlace, RunFile, RunFolder, Settings, WebPlace};
use ontrail_focus::ModelFiles;
use ontrail_intake::read_text;
use ontrail_pilot::Recipe;

use crate::addresses::seeds;
use crate::go::{go, web};
use crate::recipe;
use crate::watch::WatchArgs;

/// Crawl, beginning from some addresses
///
/// What comes is stored in a folder: pages in web archives (WARC 1.1) with an index, a log and the links that were
/// found in Parquet, how it was done, and a summary. A crawl can be broken off at any moment and gone on with
/// (ontrail crawl resume).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
What is crawled: the live web; web archives (WARC, packed or not), where an address that they do
not hold is answered with 404; or a folder of pages, where http://localhost/a.html is its a.html
and http://HOST/a.html the a.html of its subfolder HOST.

Politeness: robots.txt, Crawl-delay, meta robots and nofollow are honoured, one connection per
host, a second between two pages. The live web is not crawled without --contact. Machines that are
private or otherwise special are never asked, unless --allow-private names them.

Every setting has a place in a file (--settings); docs/formats.md lists them. Flags override it.

Examples:
  ontrail crawl run --contact me@example.org --topic rain.topic.json --seeds seeds.txt \\
      --budget 10000 -o rain-crawl
  ontrail crawl run --web pages.warc.gz --recipe bfs http://www.example.org/ -o trial
  ontrail crawl run --web pages.warc.gz --topic rain.topic.json --seeds seeds.txt \\
      --recipe fcits-oh --set priority.at-least=0.19 --budget 15000 -o its
  ontrail crawl run --web pages.warc.gz --topic sports.topic.json --seeds seeds.txt \\
      --recipe bcw-cc --classifier news.bcw --class sports -o bcw
  ontrail crawl run --web web.warc.gz --topic t.topic.json --seeds seeds.txt \\
      --labels labels.tsv --relevant 'course*' --json -o measured
  ontrail crawl run --web mirror/ http://localhost/index.html -o local")]
pub(crate) struct RunArgs {
    /// Addresses to begin with
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    /// A file of addresses to begin with, one a line
    #[arg(long, alias = "seed-urls", value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// What to crawl: live, archives, or a folder
    #[arg(long, value_name = "live|FILE|DIR", default_values_t = ["live".to_owned()], num_args = 1)]
    web: Vec<String>,
    /// Where to put what comes: a new folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// A file of settings (TOML)
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    #[command(flatten)]
    aim: AimArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    manners: MannersArgs,
    #[command(flatten)]
    fetching: FetchArgs,
    #[command(flatten)]
    watching: WatchArgs,
}

/// What to look for.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What to look for")]
pub(crate) struct AimArgs {
    /// The topic (ontrail topic weigh, learn or keywords)
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Option<PathBuf>,
    /// The crawler: the name of a recipe, or a file (ontrail crawl recipes) [default: ontrail with a topic, else bfs]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) recipe: Option<String>,
    /// Set something of the recipe otherwise
    #[arg(long = "set", value_name = "PART.SETTING=VALUE")]
    pub(crate) set: Vec<String>,
    /// A page is on the topic if its relevance is greater than this, whatever the recipe says. With a topic of few
    /// terms one mention of the weightiest may be enough; look at some pages with topic score first
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = share)]
    pub(crate) threshold: Option<f64>,
    /// The class of the topic, for recipes whose gate a classifier keeps
    #[arg(long, value_name = "NAME", requires = "classifier")]
    pub(crate) class: Option<String>,
    /// A disambiguation graph (ontrail sdg build): words that do not mean the topic do not count
    #[arg(long, value_name = "GRAPH", requires = "topic")]
    pub(crate) sdg: Option<PathBuf>,
    /// A classifier (ontrail bcw train), whose class of each page goes into the log
    #[arg(long, value_name = "BUNDLE")]
    pub(crate) classifier: Option<PathBuf>,
    /// Where recipes that compare meanings look them up: WordNet's folder [default: /usr/share/wordnet]
    #[arg(long, value_name = "DIR", conflicts_with = "ontology")]
    wordnet: Option<PathBuf>,
    /// An ontology instead of WordNet
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    /// How many pages to fetch; redirects, errors and other types do not count [default: 1000]
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// How long to crawl
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    max_time: Option<f64>,
    /// What fixes every random choice [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What pages truly are: rows of an address, a tab and a label
    #[arg(long, value_name = "FILE", requires = "relevant")]
    labels: Option<PathBuf>,
    /// Which labels are relevant, such as course or sport*
    #[arg(long, value_name = "PATTERN", requires = "labels")]
    relevant: Option<String>,
}

/// Where to go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Where to go")]
struct ScopeArgs {
    /// Stay on the sites of the seeds, whatever else is said of where to go
    #[arg(long)]
    same_site: bool,
    /// Go to this host
    #[arg(long = "host", value_name = "HOST")]
    hosts: Vec<String>,
    /// Go to this domain and everything below it
    #[arg(long = "domain", value_name = "DOMAIN")]
    domains: Vec<String>,
    /// Go to addresses that begin with this
    #[arg(long = "prefix", value_name = "URL")]
    prefixes: Vec<String>,
    /// Go to addresses that hold this regular expression
    #[arg(long = "match", value_name = "REGEX")]
    matching: Vec<String>,
    /// Never go to addresses that hold this regular expression
    #[arg(long = "except", value_name = "REGEX")]
    except: Vec<String>,
    /// Go only to https
    #[arg(long)]
    https_only: bool,
    /// Go so many links away from the seeds [default: 30]
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// Fetch so many pages of one host
    #[arg(long, value_name = "N")]
    max_per_host: Option<u64>,
}

/// How to treat hosts.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How to treat hosts")]
struct MannersArgs {
    /// A mail address or a page by which webmasters can reach you; needed for the live web
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
    /// What the crawler calls itself
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Seconds between two pages of one host [default: 1]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    delay: Option<f64>,
    /// Seconds between two pages of one machine, whatever its names [default: 0.25]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    address_delay: Option<f64>,
    /// Connections to one host at a time [default: 1]
    #[arg(long, value_name = "N")]
    per_host: Option<u32>,
    /// Take links from the sitemaps that sites name too
    #[arg(long)]
    sitemaps: bool,
    /// Follow links although their page asks not to
    #[arg(long)]
    follow_nofollow: bool,
}

/// How to fetch and store.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How to fetch and store")]
struct FetchArgs {
    /// Fetches under way at a time [default: 64]
    #[arg(long, value_name = "N")]
    parallel: Option<usize>,
    /// Seconds for one fetch in all [default: 60]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    timeout: Option<f64>,
    /// Bytes of a page; of longer ones the start is kept [default: 10485760]
    #[arg(long, value_name = "BYTES")]
    body_limit: Option<usize>,
    /// How often a fetch is tried again [default: 2]
    #[arg(long, value_name = "N")]
    retries: Option<u8>,
    /// How many redirects are followed [default: 5]
    #[arg(long, value_name = "N")]
    redirects: Option<u8>,
    /// A header to send besides
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// A proxy. It finds the machines behind names itself, so only literal private addresses are refused
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// Keep cookies
    #[arg(long)]
    cookies: bool,
    /// Further certificates to trust (PEM)
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// An address or network to fetch from although it is private, such as 127.0.0.1 or 10.0.0.0/8
    #[arg(long = "allow-private", value_name = "NETWORK")]
    allow_private: Vec<String>,
    /// The address of a host, instead of what DNS says
    #[arg(long = "resolve", value_name = "HOST=ADDRESS")]
    resolve: Vec<String>,
    /// Where the links wait
    #[arg(long, value_name = "PLACE", value_enum, default_value_t)]
    frontier: FrontierArg,
    /// Keep no table of the links that were found
    #[arg(long)]
    no_links: bool,
    /// Store only pages that are on the topic
    #[arg(long, requires = "topic")]
    only_relevant: bool,
}

/// Where the links wait.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FrontierArg {
    /// On disk: the crawl can be resumed
    #[default]
    Disk,
    /// In memory: for experiments, which cannot be resumed
    Memory,
}

impl From<FrontierArg> for FrontierPlace {
    fn from(given: FrontierArg) -> Self {
        match given {
            FrontierArg::Disk => Self::Disk,
            FrontierArg::Memory => Self::Memory,
        }
    }
}

pub(crate) fn run(args: &RunArgs, printer: &mut Printer) -> Result<ExitStatus> {
    RunFolder::check_new(&args.output)?;
    let settings = settings(args)?;
    let place = web_place(&args.web)?;
    let seeds = seeds(&args.urls, args.seeds.as_deref())?;
    let aim = &args.aim;
    let recipe = recipe::chosen(aim, &place)?;
    // Everything that can be wrong is looked at before the folder is made.
    let models = model_files(aim).read()?;
    let recipe = models.fit(&recipe, &recipe.name, None)?;
    recipe::warn_of_topic(&recipe, &models, printer);
    let focus = models.for_recipe(&recipe)?;
    if let (Some(labels), Some(relevant)) = (&aim.labels, &aim.relevant) {
        ontrail_crawl::Labels::read(labels, relevant)?;
    }
    let web = web(&place, &settings)?;
    let provenance = provenance(args, &place, &settings)?;
    let folder = RunFolder::create(&args.output)?;
    let copy = |path: &Option<PathBuf>, name: &str| {
        path.as_deref().map(|path| folder.copy(path, name)).transpose()
    };
    let run = RunFile {
        web: place,
        seeds,
        topic: copy(&aim.topic, "topic.json")?,
        meanings: meanings(aim, &recipe, &folder)?,
        recipe,
        classifier: copy(&aim.classifier, "classifier")?,
        sdg: copy(&aim.sdg, "sdg.json")?,
        labels: copy(&aim.labels, "labels.tsv")?,
        relevant: aim.relevant.clone(),
        frontier: args.fetching.frontier.into(),
        settings,
    };
    folder.write_run(&run, &provenance)?;
    go(&folder, &run, web, focus, &args.watching, printer)
}

/// Where the meanings of words come from, if the recipe compares them.
fn meanings(aim: &AimArgs, recipe: &Recipe, folder: &RunFolder) -> Result<Option<MeaningsPlace>> {
    if !recipe.similarity.needs_meanings() {
        return Ok(None);
    }
    Ok(Some(match (&aim.ontology, &aim.wordnet) {
        (Some(path), _) => MeaningsPlace::Ontology(folder.copy(path, &ontology_name(path))?),
        (None, Some(path)) => MeaningsPlace::Wordnet(path.clone()),
        (None, None) => MeaningsPlace::Wordnet(ontrail_taxonomy::WordNet::place()?),
    }))
}

/// The name of the copy: the ending tells the syntax.
fn ontology_name(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    format!("ontology.{ending}")
}

/// The models that were given.
fn model_files(aim: &AimArgs) -> ModelFiles {
    ModelFiles {
        topics: aim.topic.iter().cloned().collect(),
        classifier: aim.classifier.clone(),
        sdg: aim.sdg.clone(),
        ontology: aim.ontology.clone(),
        wordnet: aim.wordnet.clone(),
    }
}

fn provenance(args: &RunArgs, web: &WebPlace, settings: &Settings) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail crawl run").with_seed(settings.seed);
    let aim = &args.aim;
    let models = [&aim.topic, &aim.classifier, &aim.sdg, &aim.labels, &args.seeds, &args.settings];
    let recipe = aim.recipe.as_ref().filter(|name| Recipe::is_file(name)).map(PathBuf::from);
    for path in models.into_iter().flatten().chain(&aim.ontology).chain(&recipe) {
        provenance = provenance.with_input(path)?;
    }
    if let WebPlace::Archives(paths) = web {
        for path in paths {
            provenance = provenance.with_input(path)?;
        }
    }
    Ok(provenance)
}

fn web_place(given: &[String]) -> Result<WebPlace> {
    if let [only] = given {
        if only == "live" {
            return Ok(WebPlace::Live);
        }
        if Path::new(only).is_dir() {
            return Ok(WebPlace::Folder(absolute(only)?));
        }
    }
    let paths = given.iter().map(|path| {
        if path == "live" {
            bail!("--web: live is a web of its own; give it alone");
        }
        if !Path::new(path).is_file() {
            bail!("--web: {path}: there is no such archive or folder; give live, archives, or a folder");
        }
        absolute(path)
    });
    Ok(WebPlace::Archives(paths.collect::<Result<_>>()?))
}

fn absolute(path: &str) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("--web: {path}: cannot be found"))
}

/// The settings: the defaults, then the file, then the flags.
fn settings(args: &RunArgs) -> Result<Settings> {
    let mut settings = match &args.settings {
        None => Settings::default(),
        Some(path) => toml::from_str(&read_text(path)?)
            .map_err(|error| anyhow!("{}: {}", path.display(), error.to_string().trim_end()))?,
    };
    set_aim(&mut settings, args);
    set_scope(&mut settings, &args.scope);
    set_manners(&mut settings, &args.manners);
    set_fetching(&mut settings, &args.fetching)?;
    settings.check()?;
    ontrail_crawl::Scope::new(settings.scope.clone()).context("where to go")?;
    Ok(settings)
}

/// Sets what was given.
fn set<T>(place: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *place = given;
    }
}

fn set_aim(settings: &mut Settings, args: &RunArgs) {
    let aim = &args.aim;
    set(&mut settings.budget, aim.budget);
    set(&mut settings.seed, aim.seed);
    settings.max_seconds = aim.max_time.or(settings.max_seconds);
}

fn set_scope(settings: &mut Settings, args: &ScopeArgs) {
    let scope = &mut settings.scope;
    scope.hosts.extend(args.hosts.iter().cloned());
    scope.domains.extend(args.domains.iter().cloned());
    scope.prefixes.extend(args.prefixes.iter().cloned());
    scope.matching.extend(args.matching.iter().cloned());
    scope.except.extend(args.except.iter().cloned());
    scope.https_only |= args.https_only;
    settings.same_site |= args.same_site;
    set(&mut settings.traps.depth, args.max_depth);
    set(&mut settings.caps.pages_per_host, args.max_per_host);
}

fn set_manners(settings: &mut Settings, args: &MannersArgs) {
    let polite = &mut settings.politeness;
    set(&mut polite.delay, args.delay);
    set(&mut polite.address_delay, args.address_delay);
    set(&mut polite.connections_per_host, args.per_host);
    polite.sitemaps |= args.sitemaps;
    polite.follow_nofollow |= args.follow_nofollow;
    set(&mut settings.fetch.agent, args.agent.clone());
    settings.fetch.contact = args.contact.clone().or(settings.fetch.contact.take());
}

fn set_fetching(settings: &mut Settings, args: &FetchArgs) -> Result<()> {
    let fetch = &mut settings.fetch;
    set(&mut fetch.parallel, args.parallel);
    set(&mut fetch.total_timeout, args.timeout);
    set(&mut fetch.body_limit, args.body_limit);
    set(&mut fetch.retries, args.retries);
    set(&mut fetch.redirects, args.redirects);
    for header in &args.headers {
        let Some((name, value)) = header.split_once(':') else {
            bail!("--header: {header:?} is not a name, a colon and a value");
        };
        fetch.headers.insert(name.trim().to_owned(), value.trim().to_owned());
    }
    fetch.proxy = args.proxy.clone().or(fetch.proxy.take());
    fetch.cookies |= args.cookies;
    fetch.ca_file = args.ca_file.clone().or(fetch.ca_file.take());
    fetch.allow_private.extend(args.allow_private.iter().cloned());
    for pair in &args.resolve {
        let parsed = pair.split_once('=').and_then(|(host, address)| {
            Some((host.trim().to_ascii_lowercase(), address.trim().parse::<IpAddr>().ok()?))
        });
        let Some((host, address)) = parsed else {
            bail!("--resolve: {pair:?} is not a host, = and an address");
        };
        fetch.resolve.insert(host, address);
    }
    settings.output.links &= !args.no_links;
    settings.output.irrelevant &= !args.only_relevant;
    Ok(())
}
