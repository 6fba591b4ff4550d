//! `ontrail crawl run`: starts a crawl.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::{ExitStatus, Printer, share};
use ontrail_crawl::{
    CrawlSettings, Credentials, FrontierPlace, LEASE, MeaningsPlace, PARTITIONS, RunFile,
    RunFolder, ServerAddress, SharedPlace, WebPlace, hide_arguments,
};
use ontrail_focus::ModelFiles;
use ontrail_intake::read_text;
use ontrail_pilot::Recipe;

use crate::execute::{Prepared, Start, execute, open_web};
use crate::recipe;
use crate::seeds::seeds;
use crate::shared;
use crate::upload::UploadArgs;
use crate::watch::WatchArgs;

/// Start a crawl from seed URLs
///
/// Stores everything in a new folder: the pages as web archives (WARC 1.1) with an index, a log of
/// all fetches and a table of the links found (both Parquet), the settings, and a summary. A crawl
/// can be interrupted at any time and resumed with `ontrail crawl resume`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Webs (--web):
  live          the live web
  FILE          a web archive (WARC, compressed or not); URLs that it lacks return 404.
                Repeat --web to crawl several archives as one web
  DIR           a folder of pages: http://localhost/a.html is its file a.html, and
                http://HOST/a.html is the file a.html in its subfolder HOST

Politeness: the crawler obeys robots.txt, Crawl-delay, meta robots and nofollow, opens one
connection per host, and waits at least one second between two requests to a host. It does not crawl
the live web without --contact, and never connects to private or otherwise special IP addresses
unless --allow-private names them.

A settings file (--settings) holds budget, scope, politeness, fetching and storage settings;
docs/formats.md lists them. Flags override the file.

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
    /// Seed URLs
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    /// File of seed URLs, one per line
    #[arg(long, alias = "seed-urls", value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// Web to crawl: the live web, web archives, the folder of a woven web, or a folder of pages
    #[arg(long, value_name = "live|FILE|DIR", default_values_t = ["live".to_owned()], num_args = 1)]
    web: Vec<String>,
    /// New folder for the results
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// File of settings (TOML)
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    #[command(flatten)]
    focus: FocusArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    politeness: PolitenessArgs,
    #[command(flatten)]
    fetching: FetchArgs,
    #[command(flatten)]
    upload: UploadArgs,
    #[command(flatten)]
    watching: WatchArgs,
}

/// The arguments about topic, models, budget and ground truth.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Topic and models")]
pub(crate) struct FocusArgs {
    /// Topic file (made by ontrail topic weigh, learn or keywords)
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Option<PathBuf>,
    /// Recipe of the crawler: a name from `ontrail crawl recipes`, or a file [default: ontrail with
    /// a topic, ontrail-classifier if --class is given too, bfs without a topic]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) recipe: Option<String>,
    /// Change a setting of the recipe
    #[arg(long = "set", value_name = "PART.SETTING=VALUE")]
    pub(crate) set: Vec<String>,
    /// Use the thresholds that the recipe's paper prints, instead of computing them from the
    /// scores of pages
    #[arg(long)]
    pub(crate) as_printed: bool,
    /// Count a page as relevant if its relevance is above A [default: the recipe's threshold,
    /// which most recipes compute from the scores of pages]
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = share)]
    pub(crate) threshold: Option<f64>,
    /// Class of the topic, for recipes that use a classifier [default: that of --judge]
    #[arg(long, value_name = "NAME", requires = "classifier")]
    pub(crate) class: Option<String>,
    /// Disambiguation graph (made by ontrail sdg build); words that do not mean the topic do not
    /// count. With --judge, only the judge uses it, unless the recipe does too
    #[arg(long, value_name = "GRAPH", requires = "topic")]
    pub(crate) sdg: Option<PathBuf>,
    /// Classifier (made by ontrail bcw train); the log records the class of each page
    #[arg(long, value_name = "BUNDLE")]
    pub(crate) classifier: Option<PathBuf>,
    /// Judge that combines topic, classifier and disambiguation graph (made by ontrail crawl
    /// judge); it decides which pages are relevant
    #[arg(long, value_name = "JUDGE", requires_all = ["topic", "classifier"])]
    pub(crate) judge: Option<PathBuf>,
    /// Link model to begin with, for recipes that learn from links (made by ontrail crawl learn)
    #[arg(long, value_name = "MODEL")]
    pub(crate) link_model: Option<PathBuf>,
    /// WordNet folder, for recipes that compare the meanings of words [default:
    /// /usr/share/wordnet]
    #[arg(long, value_name = "DIR", conflicts_with = "ontology")]
    wordnet: Option<PathBuf>,
    /// Ontology to use instead of WordNet
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    /// Number of pages to fetch; redirects, errors and other content types do not count [default:
    /// 1000]
    #[arg(long, value_name = "N", help_heading = "Budget and random seed")]
    budget: Option<u64>,
    /// Stop after this time
    #[arg(
        long,
        value_name = "SECONDS",
        allow_hyphen_values = true,
        help_heading = "Budget and random seed"
    )]
    max_time: Option<f64>,
    /// Random seed; equal seeds make equal random choices [default: 0]
    #[arg(long, value_name = "N", help_heading = "Budget and random seed")]
    seed: Option<u64>,
    /// File of true labels: a URL, a tab and a label per line
    #[arg(long, value_name = "FILE", requires = "relevant", help_heading = "Ground truth")]
    labels: Option<PathBuf>,
    /// Labels that count as relevant, such as course or sport*
    #[arg(long, value_name = "PATTERN", requires = "labels", help_heading = "Ground truth")]
    relevant: Option<String>,
}

/// The arguments about which URLs may be fetched.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Scope")]
struct ScopeArgs {
    /// Stay on the sites of the seeds, whatever the other scope settings allow
    #[arg(long)]
    same_site: bool,
    /// Crawl this host
    #[arg(long = "host", value_name = "HOST")]
    hosts: Vec<String>,
    /// Crawl this domain and everything below it
    #[arg(long = "domain", value_name = "DOMAIN")]
    domains: Vec<String>,
    /// Crawl URLs that start with this prefix
    #[arg(long = "prefix", value_name = "URL")]
    prefixes: Vec<String>,
    /// Crawl URLs that match this regular expression
    #[arg(long = "match", value_name = "REGEX")]
    matching: Vec<String>,
    /// Never crawl URLs that match this regular expression
    #[arg(long = "except", value_name = "REGEX")]
    except: Vec<String>,
    /// Crawl https only
    #[arg(long)]
    https_only: bool,
    /// Greatest number of links between a seed and a page [default: 30]
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// Greatest number of pages to fetch from one host
    #[arg(long, value_name = "N")]
    max_per_host: Option<u64>,
    /// Greatest number of links that wait; beyond that, better links replace worse ones [default:
    /// 100000000]
    #[arg(long, value_name = "N")]
    queued_links: Option<u64>,
    /// Greatest number of links of one host that wait [default: a tenth of all]
    #[arg(long, value_name = "N")]
    queued_per_host: Option<u64>,
    /// Greatest number of links of one site that wait [default: a fifth of all]
    #[arg(long, value_name = "N")]
    queued_per_site: Option<u64>,
}

/// The arguments about how hosts are treated.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Politeness")]
struct PolitenessArgs {
    /// Mail address or web page by which webmasters can reach you; required for the live web
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
    /// Name of the crawler, which it sends as its user agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Crawl delay: seconds between two requests to one host [default: 1]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    delay: Option<f64>,
    /// Seconds between two requests to one IP address, whatever the host [default: 0.25]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    address_delay: Option<f64>,
    /// Greatest number of connections to one host at a time [default: 1]
    #[arg(long, value_name = "N")]
    per_host: Option<u32>,
    /// Give up links of a host that has not answered for this long [default: 259200, three days]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    give_up_after: Option<f64>,
    /// Wait this long at the end for hosts that do not answer and pages that failed [default: 600]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    end_wait: Option<f64>,
    /// Queue the links in the sitemaps that robots.txt names, too
    #[arg(long)]
    sitemaps: bool,
    /// Follow links even if their page forbids it (nofollow)
    #[arg(long)]
    follow_nofollow: bool,
}

/// The arguments about how pages are fetched and stored.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fetching and storage")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct FetchArgs {
    /// Number of fetches at a time [default: 64]
    #[arg(long, value_name = "N")]
    parallel: Option<usize>,
    /// Seconds until a fetch is given up [default: 60]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    timeout: Option<f64>,
    /// Greatest size of a page; longer pages are cut off [default: 10485760]
    #[arg(long, value_name = "BYTES")]
    body_limit: Option<usize>,
    /// Media type to fetch besides HTML, plain text, Markdown, RSS and Atom; may be repeated.
    /// application/pdf is read too, and application/xml and text/xml if they are feeds
    #[arg(long = "type", value_name = "TYPE", value_parser = media_type)]
    types: Vec<String>,
    /// Number of retries of a page that fails while its host answers otherwise; with 0, nothing
    /// is retried [default: 3]
    #[arg(long, value_name = "N")]
    retries: Option<u8>,
    /// Number of redirects to follow [default: 5]
    #[arg(long, value_name = "N")]
    redirects: Option<u8>,
    /// Additional request header. All hosts get a harmless one such as Accept-Language; any other,
    /// such as Cookie or Authorization, may be a secret and goes only to the sites of the seeds
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Additional request header for a host and the hosts below it, such as: --header-for
    /// api.example.org 'X-Api-Key: 123'
    #[arg(long, num_args = 2, value_names = ["HOST", "NAME: VALUE"])]
    header_for: Vec<String>,
    /// Proxy to use. The proxy resolves host names itself, so the crawler can only refuse private
    /// IP addresses that are written out in a URL
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// Keep cookies
    #[arg(long)]
    cookies: bool,
    /// File of additional certificates to trust (PEM)
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Private IP address or network that may be crawled, such as 127.0.0.1 or 10.0.0.0/8
    #[arg(long = "allow-private", value_name = "NETWORK")]
    allow_private: Vec<String>,
    /// Port that links may name although browsers refuse it, such as 25 or 6379; the ports of the
    /// seeds are allowed on their own hosts
    #[arg(long = "allow-port", value_name = "N")]
    allow_ports: Vec<u16>,
    /// IP address to use for a host, instead of asking DNS
    #[arg(long = "resolve", value_name = "HOST=ADDRESS")]
    resolve: Vec<String>,
    /// Name server to ask, instead of those of the system
    #[arg(long, value_name = "ADDRESS:PORT")]
    dns: Option<SocketAddr>,
    /// Pause while less than this is free on the disk of the results [default: 1000000000]
    #[arg(long, value_name = "BYTES")]
    min_free: Option<u64>,
    /// Place to keep the frontier, which holds the links still to be fetched: disk, memory (for
    /// experiments; the crawl cannot be resumed), or the URL of a Redis server or cluster that
    /// several workers share
    #[arg(long, value_name = "PLACE", default_value = "disk")]
    frontier: String,
    /// Name of the crawl on the Redis server [default: that of the folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Number of parts that the web is cut into for the workers to share, by registrable domain
    /// [default: 1024]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    partitions: Option<u32>,
    /// Seconds after which others go on with the work of a worker that has vanished [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    lease: Option<u64>,
    /// Do not store the table of links
    #[arg(long)]
    no_links: bool,
    /// Store only relevant pages
    #[arg(long, requires = "topic")]
    only_relevant: bool,
    /// Store pages that ask crawlers not to (`noindex`); without this option, such pages are
    /// fetched, counted and judged, and their links are followed, but they are not stored
    #[arg(long)]
    store_noindex: bool,
}

/// The place where the frontier is kept.
#[derive(Debug, Clone)]
enum FrontierArg {
    Disk,
    Memory,
    Shared(ServerAddress, Credentials),
}

impl FrontierArg {
    /// Reads the option. The error names the server without its password.
    fn read(text: &str) -> Result<Self> {
        Ok(match text {
            "disk" => Self::Disk,
            "memory" => Self::Memory,
            _ => match ServerAddress::parse(text) {
                Ok((server, credentials)) => Self::Shared(server, credentials),
                Err(error) => bail!("--frontier: {error}; or give disk or memory"),
            },
        })
    }
}

pub(crate) fn run(args: &RunArgs, printer: &mut Printer) -> Result<ExitStatus> {
    RunFolder::check_new(&args.output)?;
    args.upload.address()?;
    let settings = settings(args)?;
    let frontier_arg = FrontierArg::read(&args.fetching.frontier)?;
    let frontier = frontier_place(args, &frontier_arg, &settings)?;
    let place = web_place(&args.web)?;
    let seeds = seeds(&args.urls, args.seeds.as_deref())?;
    let given = &args.focus;
    let recipe = recipe::chosen(given, &place)?;
    if let FrontierPlace::Shared(_) = frontier {
        shared::check_recipe(&recipe)?;
    }
    // A mistake must be reported before the folder is created.
    let models = model_files(given).read()?;
    let recipe = models.fit(&recipe, &recipe.name, None)?;
    recipe::warn_of_topic(&recipe, &models, printer);
    let focus = models.for_recipe(&recipe)?;
    if let (Some(labels), Some(relevant)) = (&given.labels, &given.relevant) {
        ontrail_crawl::Labels::read(labels, relevant)?;
    }
    let web = open_web(&place, &settings, &seeds)?;
    let provenance = provenance(args, &place, &settings)?;
    args.upload.check_new(printer)?;
    let folder = RunFolder::create(&args.output)?;
    let copy = |path: &Option<PathBuf>, name: &str| {
        path.as_deref().map(|path| folder.copy(path, name)).transpose()
    };
    let run = RunFile {
        web: place,
        seeds,
        topic: copy(&given.topic, "topic.json")?,
        meanings: meanings(given, &recipe, &folder)?,
        recipe,
        classifier: copy(&given.classifier, "classifier")?,
        sdg: copy(&given.sdg, "sdg.json")?,
        judge: copy(&given.judge, "judge.json")?,
        labels: copy(&given.labels, "labels.tsv")?,
        link_model: copy(&given.link_model, "link-model.json")?,
        relevant: given.relevant.clone(),
        frontier,
        merged: Vec::new(),
        settings,
    };
    folder.write_run(&run, &provenance)?;
    if let (FrontierPlace::Shared(place), FrontierArg::Shared(_, credentials)) =
        (&run.frontier, &frontier_arg)
    {
        let lease = args.fetching.lease.map_or(LEASE, Duration::from_secs);
        let partitions = args.fetching.partitions.unwrap_or(PARTITIONS);
        let created = shared::create(place, credentials, partitions, lease, &folder, &run);
        if let Err(error) = created {
            // Nothing was crawled: the folder would only be in the way of the next attempt.
            let _ = std::fs::remove_dir_all(&folder.path);
            return Err(error);
        }
        let (server, name) = (&place.server, &place.name);
        printer.note(format_args!(
            "other workers join with: ontrail crawl join {server} {name} -o DIR"
        ));
    }
    let credentials = match frontier_arg {
        FrontierArg::Shared(_, credentials) => credentials,
        FrontierArg::Disk | FrontierArg::Memory => Credentials::default(),
    };
    let upload = args.upload.order(&folder.path)?;
    let prepared = Prepared { web, focus, start: Start::AsItIs, credentials, upload };
    execute(&folder, &run, prepared, &args.watching, printer)
}

/// Returns the place of the frontier.
fn frontier_place(
    args: &RunArgs,
    frontier: &FrontierArg,
    settings: &CrawlSettings,
) -> Result<FrontierPlace> {
    let server = match frontier {
        FrontierArg::Shared(server, _) => server.clone(),
        FrontierArg::Disk | FrontierArg::Memory => {
            refuse_shared_options(&args.fetching)?;
            let is_disk = matches!(frontier, FrontierArg::Disk);
            return Ok(if is_disk { FrontierPlace::Disk } else { FrontierPlace::Memory });
        }
    };
    shared::check_settings(settings)?;
    let place = if let Some(name) = &args.fetching.name {
        SharedPlace::new(server, name).context("--name")?
    } else {
        let of_folder = args.output.file_name().unwrap_or_default().to_string_lossy();
        let wrong = "the folder's name cannot be the name of the crawl; give one with --name";
        SharedPlace::new(server, &of_folder).context(wrong)?
    };
    Ok(FrontierPlace::Shared(place))
}

/// Refuses options of crawls on a Redis server.
fn refuse_shared_options(args: &FetchArgs) -> Result<()> {
    let given = [
        ("--name", args.name.is_some()),
        ("--partitions", args.partitions.is_some()),
        ("--lease", args.lease.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            bail!("{option}: only for a crawl on a Redis server; give --frontier redis://HOST")
        }
        None => Ok(()),
    }
}

/// Returns the place where the meanings of words are looked up, if the recipe compares them.
fn meanings(
    args: &FocusArgs,
    recipe: &Recipe,
    folder: &RunFolder,
) -> Result<Option<MeaningsPlace>> {
    if !recipe.similarity.needs_meanings() {
        return Ok(None);
    }
    Ok(Some(match (&args.ontology, &args.wordnet) {
        (Some(path), _) => MeaningsPlace::Ontology(folder.copy(path, &ontology_name(path))?),
        (None, Some(path)) => MeaningsPlace::Wordnet(path.clone()),
        (None, None) => MeaningsPlace::Wordnet(ontrail_taxonomy::WordNet::place()?),
    }))
}

/// Returns the name of an ontology's copy. It keeps the extension, which tells the syntax.
fn ontology_name(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    format!("ontology.{extension}")
}

/// Returns the models that the flags name.
fn model_files(args: &FocusArgs) -> ModelFiles {
    ModelFiles {
        topics: args.topic.iter().cloned().collect(),
        classifier: args.classifier.clone(),
        sdg: args.sdg.clone(),
        judge: args.judge.clone(),
        ontology: args.ontology.clone(),
        wordnet: args.wordnet.clone(),
        link_model: args.link_model.clone(),
    }
}

/// Splits a header into its name and its value.
fn split_header(header: &str) -> Option<(String, String)> {
    let (name, value) = header.split_once(':')?;
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

fn provenance(args: &RunArgs, web: &WebPlace, settings: &CrawlSettings) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail crawl run").with_seed(settings.seed);
    provenance.arguments = hide_arguments(&provenance.arguments);
    let focus = &args.focus;
    let models = [&focus.topic, &focus.classifier, &focus.sdg, &focus.judge, &focus.labels];
    let models = models.into_iter().chain([&args.seeds, &args.settings, &focus.link_model]);
    let recipe = focus.recipe.as_ref().filter(|name| Recipe::is_file(name)).map(PathBuf::from);
    for path in models.flatten().chain(&focus.ontology).chain(&recipe) {
        provenance = provenance.with_input(path)?;
    }
    if let WebPlace::Archives(paths) = web {
        for path in paths {
            provenance = provenance.with_input(path)?;
        }
    }
    Ok(provenance)
}

/// The archive in the folder of a woven web, which `ontrail lab weave` writes beside a weave.toml.
const WOVEN: &str = "web.warc.gz";

fn web_place(given: &[String]) -> Result<WebPlace> {
    if let [only] = given {
        if only == "live" {
            return Ok(WebPlace::Live);
        }
        let woven = Path::new(only).join(WOVEN);
        if woven.is_file() && Path::new(only).join("weave.toml").is_file() {
            return Ok(WebPlace::Archives(vec![absolute(&woven.to_string_lossy())?]));
        }
        if Path::new(only).is_dir() {
            return Ok(WebPlace::Folder(absolute(only)?));
        }
    }
    let paths = given.iter().map(|path| {
        if path == "live" {
            bail!("--web live cannot be combined with other webs");
        }
        if !Path::new(path).is_file() {
            bail!(
                "--web: {path}: no such archive or folder; give live, web archives, or a folder of pages"
            );
        }
        absolute(path)
    });
    Ok(WebPlace::Archives(paths.collect::<Result<_>>()?))
}

fn absolute(path: &str) -> Result<PathBuf> {
    std::path::absolute(path)
        .with_context(|| format!("--web: {path}: cannot find its absolute path"))
}

/// Returns the settings: flags override the file, and the file overrides the defaults.
fn settings(args: &RunArgs) -> Result<CrawlSettings> {
    let mut settings = match &args.settings {
        None => CrawlSettings::default(),
        Some(path) => toml::from_str(&read_text(path)?)
            .map_err(|error| anyhow!("{}: {}", path.display(), error.to_string().trim_end()))?,
    };
    set_limits(&mut settings, &args.focus);
    set_scope(&mut settings, &args.scope);
    set_politeness(&mut settings, &args.politeness);
    set_fetching(&mut settings, &args.fetching)?;
    settings.check()?;
    ontrail_crawl::Scope::new(settings.scope.clone()).context("scope")?;
    Ok(settings)
}

/// Overwrites a setting if a value was given.
fn set<T>(place: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *place = given;
    }
}

fn set_limits(settings: &mut CrawlSettings, args: &FocusArgs) {
    set(&mut settings.budget, args.budget);
    set(&mut settings.seed, args.seed);
    settings.max_seconds = args.max_time.or(settings.max_seconds);
}

fn set_scope(settings: &mut CrawlSettings, args: &ScopeArgs) {
    let scope = &mut settings.scope;
    scope.hosts.extend(args.hosts.iter().cloned());
    scope.domains.extend(args.domains.iter().cloned());
    scope.prefixes.extend(args.prefixes.iter().cloned());
    scope.matching.extend(args.matching.iter().cloned());
    scope.except.extend(args.except.iter().cloned());
    scope.https_only |= args.https_only;
    settings.same_site |= args.same_site;
    set(&mut settings.traps.depth, args.max_depth);
    let caps = &mut settings.caps;
    set(&mut caps.pages_per_host, args.max_per_host);
    set(&mut caps.queued_links, args.queued_links);
    caps.queued_per_host = args.queued_per_host.or(caps.queued_per_host);
    caps.queued_per_site = args.queued_per_site.or(caps.queued_per_site);
}

fn set_politeness(settings: &mut CrawlSettings, args: &PolitenessArgs) {
    let politeness = &mut settings.politeness;
    set(&mut politeness.delay, args.delay);
    set(&mut politeness.address_delay, args.address_delay);
    set(&mut politeness.connections_per_host, args.per_host);
    set(&mut politeness.give_up_after, args.give_up_after);
    set(&mut politeness.end_wait, args.end_wait);
    politeness.sitemaps |= args.sitemaps;
    politeness.follow_nofollow |= args.follow_nofollow;
    set(&mut settings.fetch.agent, args.agent.clone());
    settings.fetch.contact = args.contact.clone().or(settings.fetch.contact.take());
}

/// Parses a media type such as `application/pdf` or `text/*`.
fn media_type(text: &str) -> Result<String, String> {
    let is_name = |name: &str| !name.is_empty() && !name.contains(['/', ' ', ';', ',']);
    match text.split_once('/') {
        Some((family, name)) if is_name(family) && is_name(name) => Ok(text.to_ascii_lowercase()),
        _ => Err(format!("{text:?} is not a media type such as application/pdf")),
    }
}

fn set_fetching(settings: &mut CrawlSettings, args: &FetchArgs) -> Result<()> {
    let fetch = &mut settings.fetch;
    set(&mut fetch.parallel, args.parallel);
    set(&mut fetch.total_timeout, args.timeout);
    set(&mut fetch.body_limit, args.body_limit);
    fetch.types.extend(args.types.iter().cloned());
    set(&mut fetch.retries, args.retries);
    set(&mut fetch.redirects, args.redirects);
    for header in &args.headers {
        let Some((name, value)) = split_header(header) else {
            bail!("--header: {header:?} is not of the form NAME: VALUE");
        };
        fetch.headers.insert(name, value);
    }
    for pair in args.header_for.chunks_exact(2) {
        let Some((name, value)) = split_header(&pair[1]) else {
            bail!("--header-for: {:?} is not of the form NAME: VALUE", pair[1]);
        };
        let host = pair[0].trim().to_ascii_lowercase();
        fetch.headers_for.entry(host).or_default().insert(name, value);
    }
    fetch.proxy = args.proxy.clone().or(fetch.proxy.take());
    fetch.cookies |= args.cookies;
    fetch.ca_file = args.ca_file.clone().or(fetch.ca_file.take());
    fetch.allow_private.extend(args.allow_private.iter().cloned());
    fetch.allow_ports.extend(&args.allow_ports);
    for pair in &args.resolve {
        let parsed = pair.split_once('=').and_then(|(host, address)| {
            Some((host.trim().to_ascii_lowercase(), address.trim().parse::<IpAddr>().ok()?))
        });
        let Some((host, address)) = parsed else {
            bail!("--resolve: {pair:?} is not of the form HOST=ADDRESS, with an IP address");
        };
        fetch.resolve.insert(host, address);
    }
    fetch.dns = args.dns.or(fetch.dns);
    set(&mut settings.output.least_free, args.min_free);
    settings.output.links &= !args.no_links;
    settings.output.irrelevant &= !args.only_relevant;
    settings.output.noindex |= args.store_noindex;
    Ok(())
}
