//! `ontrail lab weave`: makes a web from labelled texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count, decimal};
use ontrail_corpus::Document;
use ontrail_intake::read_text;
use ontrail_lab::{SEEDS, SourceText, WEB, WeaveFile, WeaveSettings, Woven, weave};
use ontrail_tool_input::Input;
use serde::Serialize;

/// Weave a web from labelled texts, with the truth about every page
///
/// Articles are made from the texts, each text many times with other sentences and figures. Around them are hosts of skewed
/// sizes, sections, directories, portals whose pages mix topics and are the only way to some articles, copies, near copies,
/// redirects, dead links, calendars without end, and several charsets.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
What comes, in a new folder: web.warc.gz (the pages), labels.tsv (address, label, kind of page),
links.parquet (from, to, kind of link, text), seeds.txt (fronts of portals), seeds/LABEL.txt (ten articles
on each topic), weave.toml (all settings, and what the web turned out to be like).

Labels are those of the texts for articles and their copies, LABEL-hub for pages that list them, and
portal and calendar. --relevant 'rainstorm*' therefore counts the hubs too, --relevant rainstorm does not.

Every property can be set by its name; weave.toml lists them, and docs/formats.md says where the
defaults are from. A weave.toml given as --settings, with the same --from and --part, weaves the same web
again.

Examples:
  ontrail lab weave -o web
  ontrail lab weave --from datasets/news-mini --from datasets/tourism-pages=tourism --pages 20000 -o web
  ontrail lab weave --pages 5000 --hosts 100 --set locality=0.8 --set tunnels=0.3 --seed 7 -o clustered
  ontrail lab weave --share rainstorm=0.05 -o rare
  ontrail lab weave --settings web/weave.toml -o again")]
pub(crate) struct WeaveArgs {
    /// Where the texts come from: any dataset with labels; or one without, and =LABEL behind it [default: datasets/news-mini]
    #[arg(long, value_name = "DATA[=LABEL]")]
    from: Vec<String>,
    /// Of datasets that are cut into parts, take this part only
    #[arg(long, value_name = "PART")]
    part: Option<String>,
    /// A new folder for the web
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// How many pages [default: 10000]
    #[arg(long, value_name = "N")]
    pages: Option<u32>,
    /// How many hosts [default: 300, or one for every 20 pages]
    #[arg(long, value_name = "N")]
    hosts: Option<u32>,
    /// What fixes every random choice [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The share of a topic among the articles; what is not named shares the rest evenly
    #[arg(long = "share", value_name = "LABEL=SHARE")]
    shares: Vec<String>,
    /// Set a property by its name
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// A file of settings (TOML), such as the weave.toml of another web
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Pass over rows that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    web: PathBuf,
    settings: &'a WeaveSettings,
    woven: &'a Woven,
}

pub(crate) fn run(args: &WeaveArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let target = &args.output;
    if target.exists() && fs::read_dir(target).map_or(true, |mut files| files.next().is_some()) {
        bail!("{}: is there and not empty; give the name of a new folder", target.display());
    }
    let Some(name) = target.file_name() else {
        bail!("{}: give the name of a new folder", target.display());
    };
    let mut settings = settings(args)?;
    let (texts, names, made) = texts(args, printer)?;
    for (label, name) in names {
        settings.names.entry(label).or_insert(name);
    }
    // The web appears whole or not at all.
    let parent = target.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).with_context(|| format!("{}: cannot be made", parent.display()))?;
    let loom = parent.join(format!(".ontrail-{}-{}", name.to_string_lossy(), std::process::id()));
    fs::create_dir(&loom).with_context(|| format!("{}: cannot be made", loom.display()))?;
    let progress = printer.progress("weaving", Some(u64::from(settings.pages)));
    let woven = weave(&settings, &texts, &loom, made, &|pages| progress.set(pages));
    drop(progress);
    let woven = woven.map_err(anyhow::Error::new).and_then(|woven| {
        if target.exists() {
            fs::remove_dir(target)
                .with_context(|| format!("{}: cannot be replaced", target.display()))?;
        }
        fs::rename(&loom, target)
            .with_context(|| format!("{}: cannot be made", target.display()))?;
        Ok(woven)
    });
    if woven.is_err() {
        // What went wrong counts, not whether the rest could be tidied up.
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
            // The weave.toml of a web has more in it than settings.
            match toml::from_str::<WeaveFile>(&text) {
                Ok(file) => toml::Table::try_from(file.settings)?,
                Err(error) if text.contains("[settings]") => return Err(wrong(error)),
                Err(_) => text.parse().map_err(wrong)?,
            }
        }
    };
    let has_hosts = table.contains_key("hosts");
    for given in &args.set {
        let (name, value) = given.split_once('=').ok_or_else(|| {
            anyhow!("--set {given}: there is no = in it; give NAME=VALUE, such as locality=0.8")
        })?;
        let value = format!("value = {value}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|mut it| it.remove("value"));
        let value = value.ok_or_else(|| anyhow!("--set {given}: the value is no number"))?;
        // A number without a point is as good as one with it.
        let is_count = matches!(name, "pages" | "hosts" | "seed" | "least-links" | "island");
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

/// Where settings come from, for errors: the file, unless the flags alone say everything.
fn place(args: &WeaveArgs) -> String {
    args.settings.as_ref().map_or_else(|| "settings".to_owned(), |path| path.display().to_string())
}

/// Texts, what their labels are called, and what weave.toml says of them.
type Sources = (Vec<SourceText>, BTreeMap<String, String>, BTreeMap<String, String>);

/// The texts to weave from.
fn texts(args: &WeaveArgs, printer: &mut Printer) -> Result<Sources> {
    let usual = ["datasets/news-mini".to_owned()];
    let from = if args.from.is_empty() { &usual[..] } else { &args.from };
    let mut provenance = Provenance::of_this_process("ontrail lab weave");
    let (mut texts, mut names) = (Vec::new(), BTreeMap::new());
    for given in from {
        let (path, label) = match given.rsplit_once('=') {
            Some((path, label)) if !Path::new(given).exists() => (path, Some(label.to_owned())),
            _ => (given.as_str(), None),
        };
        let path = PathBuf::from(path);
        if args.from.is_empty() && !path.exists() {
            bail!("datasets/news-mini is not here; say with --from what to weave from");
        }
        let input = Input { path: path.clone(), skip_bad: args.skip_bad };
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
            "it is not cut into parts".to_owned()
        } else {
            format!("there are {}", parts.join(", "))
        };
        bail!("{}: --part: no text is in the part {part:?}; {there}", path.display());
    }
    let source = |document: &&Document| {
        let label = label.map(str::to_owned).or_else(|| document.label.clone());
        let label = label.ok_or_else(|| {
            anyhow!(
                "{}: {}: a text without a label; name one for all of them: --from {}=LABEL",
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
    let mut table = Table::new([("what it is like", Align::Left), ("", Align::Right)]);
    for (name, value) in [
        ("links of an article, navigation aside", woven.mean_links),
        ("exponent of in-degrees", woven.in_exponent),
        ("links on the same host", woven.same_host),
        ("links to the same topic", woven.same_topic),
        ("articles with a dead link", woven.articles_with_dead_links),
        ("pages on the largest tenth of the hosts", woven.largest_hosts),
    ] {
        // A web too small for a tail has no exponent.
        let is_known = value > 0.0 || name != "exponent of in-degrees";
        table.row([name.to_owned(), if is_known { decimal(value) } else { "–".to_owned() }]);
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
