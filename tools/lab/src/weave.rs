//! `ontrail lab weave`: weaves a web from labelled texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{Provenance, check_folder};
use ontrail_cli::{Align, ExitStatus, Printer, Table, brief, count};
use ontrail_corpus::Document;
use ontrail_intake::read_text;
use ontrail_lab::{REALISTIC, SEEDS, SourceText, WEB, WeaveFile, WeaveSettings, Woven, weave};
use ontrail_tool_input::{Input, ReadingArgs};
use serde::Serialize;

/// Weave a web from labelled texts, so that the ground truth about every page is known
///
/// Each text becomes many articles, which differ in sentences and figures. The web around them has
/// hosts of skewed sizes, sections, directories, portals that mix topics and are the only way to
/// some articles, duplicates, near duplicates, redirects, dead links, endless calendars, and
/// several charsets.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Files in the new folder:
  web.warc.gz      the pages
  labels.tsv       URL, label and kind of each page
  links.parquet    source, target, kind and anchor text of each link
  seeds.txt        front pages of portals
  seeds/LABEL.txt  ten articles on each topic
  weave.toml       all settings, and the measured properties of the web

Labels: an article and its copies have the label of their text, pages that list articles have
LABEL-hub, and other pages have portal or calendar. So --relevant 'rainstorm*' counts hubs as
relevant, and --relevant rainstorm does not.

--set changes any setting by its name; weave.toml lists them, and docs/formats.md explains the
defaults. --realistic sets untitled-links, own-templates, boilerplate and teasers. A weave.toml given as --settings, with the same --from and --part, weaves the same web
again.

Examples:
  ontrail lab weave -o web
  ontrail lab weave --from datasets/news-mini --from datasets/tourism-pages=tourism \\
      --pages 20000 -o web
  ontrail lab weave --pages 5000 --hosts 100 --set locality=0.8 --set tunnels=0.3 \\
      --seed 7 -o clustered
  ontrail lab weave --share rainstorm=0.05 -o rare
  ontrail lab weave --realistic --opaque-urls --set untitled-links=0.5 -o real
  ontrail lab weave --settings web/weave.toml -o again")]
pub(crate) struct WeaveArgs {
    /// Dataset of labelled texts, or a dataset without labels followed by =LABEL [default:
    /// datasets/news-mini]
    #[arg(long, value_name = "DATA[=LABEL]")]
    from: Vec<String>,
    /// Use only this part of datasets that are split into parts
    #[arg(long, value_name = "PART")]
    part: Option<String>,
    /// New folder for the web
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Number of pages [default: 10000]
    #[arg(long, value_name = "N")]
    pages: Option<u32>,
    /// Number of hosts [default: 300, but at most one for every 20 pages]
    #[arg(long, value_name = "N")]
    hosts: Option<u32>,
    /// Random seed; equal seeds weave equal webs [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Weave a web that looks more like the real one: link texts that are no titles, and hosts with
    /// templates of their own, text that stands on every page, and teasers
    #[arg(long)]
    realistic: bool,
    /// Give pages URLs whose paths say nothing about them
    #[arg(long)]
    opaque_urls: bool,
    /// Share of a topic among the articles; the other topics share the rest evenly
    #[arg(long = "share", value_name = "LABEL=SHARE")]
    shares: Vec<String>,
    /// Change a setting by its name
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// File of settings (TOML), such as the weave.toml of another web
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Serialize)]
struct Report<'a> {
    web: PathBuf,
    settings: &'a WeaveSettings,
    woven: &'a Woven,
}

pub(crate) fn run(args: &WeaveArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let target = &args.output;
    check_folder(target)?;
    if target.exists() && fs::read_dir(target).map_or(true, |mut files| files.next().is_some()) {
        bail!(
            "{}: the folder exists and is not empty; give the name of a new folder",
            target.display()
        );
    }
    let Some(name) = target.file_name() else {
        bail!("{}: not the name of a folder; give the name of a new one", target.display());
    };
    let mut settings = settings(args)?;
    let (texts, names, made) = texts(args, printer)?;
    for (label, name) in names {
        settings.names.entry(label).or_insert(name);
    }
    // The web is woven beside its target and renamed, so that it appears whole or not at all.
    let parent = target.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let loom = parent.join(format!(".ontrail-{}-{}", name.to_string_lossy(), std::process::id()));
    fs::create_dir(&loom)
        .with_context(|| format!("{}: cannot create the folder", loom.display()))?;
    let progress = printer.progress("weaving", Some(u64::from(settings.pages)));
    let woven = weave(&settings, &texts, &loom, made, &|pages| progress.set(pages));
    drop(progress);
    let woven = woven.map_err(anyhow::Error::new).and_then(|woven| {
        if target.exists() {
            fs::remove_dir(target)
                .with_context(|| format!("{}: cannot replace the folder", target.display()))?;
        }
        fs::rename(&loom, target)
            .with_context(|| format!("{}: cannot create the folder", target.display()))?;
        Ok(woven)
    });
    if woven.is_err() {
        // The first error is the one to report, even if the clean-up fails as well.
        let _ = fs::remove_dir_all(&loom);
    }
    let woven = woven?;
    if printer.is_json() {
        printer.json(&Report { web: target.join(WEB), settings: &settings, woven: &woven })?;
    } else {
        show(&woven, target, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn settings(args: &WeaveArgs) -> Result<WeaveSettings> {
    let mut table = match &args.settings {
        None => toml::Table::new(),
        Some(path) => {
            let text = read_text(path)?;
            let wrong = |error: toml::de::Error| anyhow!("{}: {error}", path.display());
            // The weave.toml of a web holds more than settings.
            match toml::from_str::<WeaveFile>(&text) {
                Ok(file) => toml::Table::try_from(file.settings)?,
                Err(error) if text.contains("[settings]") => return Err(wrong(error)),
                Err(_) => text.parse().map_err(wrong)?,
            }
        }
    };
    let has_hosts = table.contains_key("hosts");
    if args.realistic {
        table.extend(REALISTIC.parse::<toml::Table>()?);
    }
    for given in &args.set {
        let (name, value) = given.split_once('=').ok_or_else(|| {
            anyhow!("--set {given}: the = is missing; give NAME=VALUE, such as locality=0.8")
        })?;
        let value = format!("value = {value}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|mut it| it.remove("value"));
        let value = value.ok_or_else(|| {
            anyhow!("--set {given}: the value is neither a number nor true or false")
        })?;
        // TOML would not accept 1 for 1.0.
        let is_count = matches!(
            name,
            "pages" | "hosts" | "seed" | "least-links" | "island" | "boilerplate" | "teasers"
        );
        let value = match value {
            toml::Value::Integer(number) if !is_count => toml::Value::Float(number as f64),
            value => value,
        };
        table.insert(name.to_owned(), value);
    }
    let mut settings: WeaveSettings =
        table.clone().try_into().map_err(|error: toml::de::Error| {
            anyhow!("{}: {}", place(args), error.to_string().trim_end())
        })?;
    settings.pages = args.pages.unwrap_or(settings.pages);
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.opaque_urls |= args.opaque_urls;
    if !has_hosts && !table.contains_key("hosts") {
        settings.hosts = settings.hosts.min(settings.pages / 20).max(4);
    }
    settings.hosts = args.hosts.unwrap_or(settings.hosts);
    for given in &args.shares {
        let wrong = || anyhow!("--share {given}: give LABEL=SHARE, such as rainstorm=0.1");
        let (label, share) = given.split_once('=').ok_or_else(wrong)?;
        settings.shares.insert(label.to_owned(), share.parse().map_err(|_| wrong())?);
    }
    settings.check().map_err(|wrong| anyhow!("{}: {wrong}", place(args)))?;
    Ok(settings)
}

/// Returns the source of the settings for error messages: the settings file, if there is one.
fn place(args: &WeaveArgs) -> String {
    args.settings.as_ref().map_or_else(|| "settings".to_owned(), |path| path.display().to_string())
}

/// Texts, the names of their labels, and their provenance for weave.toml.
type Sources = (Vec<SourceText>, BTreeMap<String, String>, BTreeMap<String, String>);

/// Reads the texts to weave from.
fn texts(args: &WeaveArgs, printer: &mut Printer) -> Result<Sources> {
    let default = ["datasets/news-mini".to_owned()];
    let from = if args.from.is_empty() { &default[..] } else { &args.from };
    let mut provenance = Provenance::of_this_process("ontrail lab weave");
    let (mut texts, mut names) = (Vec::new(), BTreeMap::new());
    for given in from {
        let (path, label) = match given.rsplit_once('=') {
            Some((path, label)) if !Path::new(given).exists() => (path, Some(label.to_owned())),
            _ => (given.as_str(), None),
        };
        let path = PathBuf::from(path);
        if args.from.is_empty() && !path.exists() {
            bail!(
                "datasets/news-mini: not found here; give a dataset of labelled texts with --from"
            );
        }
        let input = Input { path: path.clone(), reading: args.reading };
        let read = input.read(printer)?;
        names.extend(read.info().map(|info| info.labels.clone()).unwrap_or_default());
        let documents = read.documents;
        texts.extend(sources(&documents, &path, label.as_deref(), args.part.as_deref())?);
        provenance = provenance.with_input(&path)?;
    }
    let mut made = BTreeMap::from([
        ("tool".to_owned(), provenance.tool.clone()),
        ("version".to_owned(), provenance.version.clone()),
        ("command".to_owned(), provenance.arguments.join(" ")),
    ]);
    for (number, input) in provenance.inputs.iter().enumerate() {
        made.insert(
            format!("from-{}", number + 1),
            format!("{} sha256:{}", input.path, input.sha256),
        );
    }
    Ok((texts, names, made))
}

fn sources(
    documents: &[Document],
    path: &Path,
    label: Option<&str>,
    part: Option<&str>,
) -> Result<Vec<SourceText>> {
    let is_wanted = |document: &&Document| part.is_none() || document.part.as_deref() == part;
    let wanted: Vec<&Document> = documents.iter().filter(is_wanted).collect();
    if let (true, Some(part)) = (wanted.is_empty(), part) {
        let mut parts: Vec<&str> = documents.iter().filter_map(|it| it.part.as_deref()).collect();
        parts.sort_unstable();
        parts.dedup();
        let there = if parts.is_empty() {
            "the dataset is not split into parts".to_owned()
        } else {
            format!("its parts are {}", parts.join(", "))
        };
        bail!("{}: no text is in part {part:?} (--part); {there}", path.display());
    }
    let source = |document: &&Document| {
        let label = label.map(str::to_owned).or_else(|| document.label.clone());
        let label = label.ok_or_else(|| {
            anyhow!(
                "{}: {}: the text has no label; to give all texts the same label, use --from {}=LABEL",
                path.display(),
                document.id,
                path.display()
            )
        })?;
        let body = match &document.body {
            ontrail_corpus::Body::Text(text) => text.clone(),
            ontrail_corpus::Body::Html(_) => String::new(),
        };
        Ok(SourceText { label, title: document.title.clone(), body })
    };
    wanted.iter().map(source).collect()
}

fn show(woven: &Woven, target: &Path, printer: &mut Printer) -> Result<()> {
    let pages: u64 = woven.pages.values().sum();
    printer.heading(format_args!(
        "{} pages on {} hosts with {} links",
        count(pages),
        count(woven.hosts),
        count(woven.links)
    ))?;
    let mut kinds = Table::new([("kind of page", Align::Left), ("pages", Align::Right)]);
    woven.pages.iter().for_each(|(kind, number)| kinds.row([kind.clone(), count(*number)]));
    printer.table(&kinds)?;
    let mut table = Table::new([("property", Align::Left), ("value", Align::Right)]);
    for (name, value) in [
        ("links per article, without navigation", woven.mean_links),
        ("power-law exponent of in-degrees", woven.in_exponent),
        ("share of links to the same host", woven.same_host),
        ("share of links to the same topic", woven.same_topic),
        ("share of articles with a dead link", woven.articles_with_dead_links),
        ("share of pages on the largest tenth of hosts", woven.largest_hosts),
    ] {
        // A web too small for a tail has no exponent.
        let is_known = value > 0.0 || !name.contains("exponent");
        table.row([name.to_owned(), if is_known { brief(value) } else { "–".to_owned() }]);
    }
    printer.table(&table)?;
    printer.line(target.join(WEB).display())?;
    printer.note(format_args!(
        "crawl it with: ontrail crawl run --web {} --seeds {} -o crawl",
        target.join(WEB).display(),
        target.join(SEEDS).display()
    ));
    Ok(())
}
