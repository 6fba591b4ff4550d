//! Writes the files of a woven web: archive, labels, links and seeds. Pages are streamed to disk.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use encoding_rs::GBK;
use ontrail_archive::{Capture, warcinfo};
use polars::prelude::{BatchedWriter, Column, DataFrame, ParquetCompression, ParquetWriter};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::host::Charset;
use super::html::{Writer, Written};
use super::measure::{Woven, exponent};
use super::plan::{Kind, PageId, Plan, Target, number};
use super::settings::WeaveSettings;
use super::texts::{SourceText, Texts};

/// File name of a woven web's archive.
pub const WEB: &str = "web.warc.gz";
/// File name of the ground truth: the label of each page.
pub const LABELS: &str = "labels.tsv";
/// File name of the table of links.
pub const LINKS: &str = "links.parquet";
/// File name of the seeds for any topic.
pub const SEEDS: &str = "seeds.txt";
/// File name of the settings and the measured properties.
pub const SETTINGS: &str = "weave.toml";

/// Number of pages that are written at a time.
const CHUNK: usize = 512;
/// Number of links that are written to the table at a time.
const LINK_ROWS: usize = 200_000;
/// The date of all records. It is fixed, so that the same settings give the same bytes.
const TIME: u64 = 1_767_225_600_000;

/// An error in weaving a web.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeaveError {
    /// The settings or the texts are invalid.
    #[error("{0}")]
    Settings(String),
    /// A file cannot be written.
    #[error("{path}: cannot write this file or folder", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The table of links cannot be written.
    #[error("{path}: {reason}", path = path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The message of the writer.
        reason: String,
    },
}

impl WeaveError {
    fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    fn table(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Table { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// The content of `weave.toml`: the settings, from which the web can be woven again, and its
/// measured properties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeaveFile {
    /// The command and inputs that made the web.
    #[serde(default)]
    pub made: BTreeMap<String, String>,
    /// The settings.
    pub settings: WeaveSettings,
    /// The measured properties.
    #[serde(default)]
    pub woven: Woven,
}

/// Weaves a web into an existing folder.
///
/// `made` is copied to `weave.toml` and should say how the web was made. `progress` is called with
/// the number of pages written so far.
pub fn weave(
    settings: &WeaveSettings,
    sources: &[SourceText],
    folder: &Path,
    made: BTreeMap<String, String>,
    progress: &dyn Fn(u64),
) -> Result<Woven, WeaveError> {
    let texts = Texts::new(sources).map_err(WeaveError::Settings)?;
    let plan = Plan::new(settings, &texts).map_err(WeaveError::Settings)?;
    let writer = Writer::new(&plan, &texts);
    let woven = WebFiles::new(folder, writer)?.run(progress)?;
    write_seeds(folder, &writer)?;
    let file = WeaveFile { made, settings: settings.clone(), woven };
    let text = toml::to_string_pretty(&file).map_err(|error| WeaveError::table(folder, error))?;
    let path = folder.join(SETTINGS);
    fs::write(&path, text).map_err(WeaveError::at(&path))?;
    Ok(file.woven)
}

fn write_seeds(folder: &Path, writer: &Writer<'_>) -> Result<(), WeaveError> {
    let lines =
        |ids: &[PageId]| -> String { ids.iter().map(|id| writer.urls.page(*id) + "\n").collect() };
    let path = folder.join(SEEDS);
    fs::write(&path, lines(&writer.plan.seeds())).map_err(WeaveError::at(&path))?;
    let seeds = folder.join("seeds");
    fs::create_dir_all(&seeds).map_err(WeaveError::at(&seeds))?;
    for (label, slug) in writer.texts.slugs.iter().enumerate() {
        let path = seeds.join(format!("{slug}.txt"));
        let ids = writer.plan.seeds_on(u16::try_from(label).unwrap_or(0));
        fs::write(&path, lines(&ids)).map_err(WeaveError::at(&path))?;
    }
    Ok(())
}

/// The files of a web that is being written.
struct WebFiles<'p> {
    writer: Writer<'p>,
    archive: BufWriter<File>,
    archive_path: PathBuf,
    labels: BufWriter<File>,
    labels_path: PathBuf,
    links: LinkTable,
    woven: Woven,
    in_degrees: Vec<u32>,
    content: ContentCounts,
}

/// Counts of the links of articles.
#[derive(Default)]
struct ContentCounts {
    links: u64,
    same_host: u64,
    same_topic: u64,
    with_topic: u64,
    articles: u64,
    with_dead: u64,
}

impl<'p> WebFiles<'p> {
    fn new(folder: &Path, writer: Writer<'p>) -> Result<Self, WeaveError> {
        let open = |name: &str| -> Result<(BufWriter<File>, PathBuf), WeaveError> {
            let path = folder.join(name);
            let file = File::create(&path).map_err(WeaveError::at(&path))?;
            Ok((BufWriter::with_capacity(1 << 20, file), path))
        };
        let ((archive, archive_path), (labels, labels_path)) = (open(WEB)?, open(LABELS)?);
        let in_degrees = vec![0; writer.plan.pages.len()];
        let links = LinkTable::new(folder.join(LINKS))?;
        let (woven, content) = (Woven::default(), ContentCounts::default());
        Ok(Self {
            writer,
            archive,
            archive_path,
            labels,
            labels_path,
            links,
            woven,
            in_degrees,
            content,
        })
    }

    fn run(mut self, progress: &dyn Fn(u64)) -> Result<Woven, WeaveError> {
        let software = concat!("Ontrail/", env!("CARGO_PKG_VERSION"));
        let about = [("software", software), ("format", "WARC File Format 1.1")];
        self.append(&warcinfo(WEB, TIME, &about))?;
        self.robots()?;
        let ids: Vec<PageId> = (0..number(self.writer.plan.pages.len())).collect();
        for chunk in ids.chunks(CHUNK) {
            let writer = self.writer;
            let made: Vec<(Written, Vec<u8>)> =
                chunk.par_iter().map(|id| page_record(&writer, *id)).collect();
            for (id, (written, bytes)) in chunk.iter().zip(made) {
                self.append(&bytes)?;
                self.count(*id, &written)?;
            }
            progress(u64::from(chunk.last().copied().unwrap_or(0)) + 1);
        }
        self.redirects()?;
        self.archive.flush().map_err(WeaveError::at(&self.archive_path))?;
        self.labels.flush().map_err(WeaveError::at(&self.labels_path))?;
        self.links.finish()?;
        Ok(finished(self.woven, &self.content, &self.in_degrees, self.writer.plan))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), WeaveError> {
        self.archive.write_all(bytes).map_err(WeaveError::at(&self.archive_path))
    }

    /// Writes the label and the links of a page to their tables, and counts them.
    fn count(&mut self, id: PageId, written: &Written) -> Result<(), WeaveError> {
        let url = self.writer.urls.page(id);
        let (label, kind) = self.writer.urls.label(id);
        writeln!(self.labels, "{url}\t{label}\t{kind}")
            .map_err(WeaveError::at(&self.labels_path))?;
        *self.woven.pages.entry(kind.to_owned()).or_default() += 1;
        *self.woven.labels.entry(label).or_default() += 1;
        self.woven.links += written.links.len() as u64;
        for link in &written.links {
            self.links.add(&url, &link.to, link.kind, &link.anchor)?;
        }
        if self.writer.plan.pages[id as usize].kind == Kind::Article {
            self.count_content(id);
        }
        Ok(())
    }

    fn count_content(&mut self, id: PageId) {
        let plan = self.writer.plan;
        let article = &plan.articles[id as usize];
        self.content.articles += 1;
        let is_dead = |to: &Target| matches!(to, Target::Gone(..));
        self.content.with_dead += u64::from(article.links.iter().any(is_dead));
        for to in &article.links {
            self.content.links += 1;
            let (Target::Page(target) | Target::Old(target)) = *to else { continue };
            self.in_degrees[target as usize] += 1;
            let of = match plan.pages[target as usize].kind {
                Kind::Duplicate(of) => of,
                _ => target,
            };
            self.content.with_topic += 1;
            let is_same_host = plan.pages[target as usize].host == plan.pages[id as usize].host;
            self.content.same_host += u64::from(is_same_host);
            let is_same_topic = plan.articles[of as usize].draft.label == article.draft.label;
            self.content.same_topic += u64::from(is_same_topic);
        }
    }

    /// Writes the redirects from old URLs.
    fn redirects(&mut self) -> Result<(), WeaveError> {
        let plan = self.writer.plan;
        let mut seen = HashSet::new();
        let mut targets: Vec<PageId> = Vec::new();
        for article in &plan.articles {
            let old = article.links.iter().filter_map(|to| match to {
                Target::Old(id) => Some(*id),
                _ => None,
            });
            targets.extend(old.filter(|id| seen.insert(*id)));
        }
        targets.sort_unstable();
        self.woven.redirects = targets.len() as u64;
        for id in targets {
            let status = if id % 3 == 0 { "302 Found" } else { "301 Moved Permanently" };
            let to = self.writer.urls.page(id);
            let head = format!("HTTP/1.1 {status}\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            let url = self.writer.urls.old(id);
            let record = record(&url, u64::from(id) + (1 << 40), head.as_bytes(), b"");
            self.append(&record)?;
        }
        Ok(())
    }

    /// Writes the robots.txt files of hosts that keep crawlers out of their calendar.
    fn robots(&mut self) -> Result<(), WeaveError> {
        for (at, host) in self.writer.plan.hosts.iter().enumerate() {
            if !host.forbids_calendar {
                continue;
            }
            let calendar = self.writer.urls.calendar(number(at));
            let body = format!("User-agent: *\nDisallow: {calendar}\n");
            let head = head_of("text/plain", body.len());
            let url = format!("http://{}/robots.txt", host.name);
            let record = record(&url, at as u64 + (1 << 41), head.as_bytes(), body.as_bytes());
            self.archive.write_all(&record).map_err(WeaveError::at(&self.archive_path))?;
        }
        Ok(())
    }
}

/// Computes the shares and exponents from the counts.
fn finished(mut woven: Woven, content: &ContentCounts, in_degrees: &[u32], plan: &Plan) -> Woven {
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    woven.mean_links = share(content.links, content.articles);
    woven.same_host = share(content.same_host, content.with_topic);
    woven.same_topic = share(content.same_topic, content.with_topic);
    woven.articles_with_dead_links = share(content.with_dead, content.articles);
    let open = plan.articles.iter().zip(in_degrees).filter(|(article, _)| article.island.is_none());
    woven.in_exponent = exponent(open.map(|(_, degree)| *degree));
    let mut sizes: HashMap<u32, u64> = HashMap::new();
    plan.pages.iter().for_each(|page| *sizes.entry(page.host).or_default() += 1);
    let mut sizes: Vec<u64> = sizes.into_values().collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    woven.hosts = sizes.len() as u64;
    let largest: u64 = sizes.iter().take(sizes.len().div_ceil(10)).sum();
    woven.largest_hosts = share(largest, plan.pages.len() as u64);
    woven
}

/// Returns a page and its record for the archive.
fn page_record(writer: &Writer<'_>, id: PageId) -> (Written, Vec<u8>) {
    let written = writer.write(id);
    let (body, content_type) = match writer.charset(id) {
        Charset::Gbk => (GBK.encode(&written.html).0.into_owned(), "text/html; charset=gbk"),
        // The header is correct, even if the page declares a wrong charset.
        Charset::Utf8 | Charset::Utf8Misdeclared => {
            (written.html.clone().into_bytes(), "text/html; charset=utf-8")
        }
    };
    let head = head_of(content_type, body.len());
    let url = writer.urls.page(id);
    let bytes = record(&url, u64::from(id), head.as_bytes(), &body);
    (written, bytes)
}

fn head_of(content_type: &str, length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n")
}

fn record(url: &str, number: u64, head: &[u8], body: &[u8]) -> Vec<u8> {
    let capture = Capture {
        url,
        time: TIME,
        number,
        address: None,
        request: b"",
        head,
        body,
        truncated: None,
    };
    capture.pack().bytes
}

/// The table of links, which is written in batches of rows.
struct LinkTable {
    path: PathBuf,
    writer: Option<BatchedWriter<File>>,
    from: Vec<String>,
    to: Vec<String>,
    kind: Vec<&'static str>,
    anchor: Vec<String>,
}

impl LinkTable {
    fn new(path: PathBuf) -> Result<Self, WeaveError> {
        let mut table = Self {
            path,
            writer: None,
            from: Vec::new(),
            to: Vec::new(),
            kind: Vec::new(),
            anchor: Vec::new(),
        };
        let file = File::create(&table.path).map_err(WeaveError::at(&table.path))?;
        let schema = table.frame()?.schema().as_ref().clone();
        let writer = ParquetWriter::new(file).with_compression(ParquetCompression::Snappy);
        let batched =
            writer.batched(&schema).map_err(|error| WeaveError::table(&table.path, error))?;
        table.writer = Some(batched);
        Ok(table)
    }

    fn add(
        &mut self,
        from: &str,
        to: &str,
        kind: &'static str,
        anchor: &str,
    ) -> Result<(), WeaveError> {
        self.from.push(from.to_owned());
        self.to.push(to.to_owned());
        self.kind.push(kind);
        self.anchor.push(anchor.to_owned());
        if self.from.len() >= LINK_ROWS { self.flush() } else { Ok(()) }
    }

    fn frame(&mut self) -> Result<DataFrame, WeaveError> {
        let columns = vec![
            Column::new("from".into(), std::mem::take(&mut self.from)),
            Column::new("to".into(), std::mem::take(&mut self.to)),
            Column::new("kind".into(), std::mem::take(&mut self.kind)),
            Column::new("anchor".into(), std::mem::take(&mut self.anchor)),
        ];
        let height = columns[0].len();
        DataFrame::new(height, columns).map_err(|error| WeaveError::table(&self.path, error))
    }

    fn flush(&mut self) -> Result<(), WeaveError> {
        let frame = self.frame()?;
        let path = &self.path;
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.write_batch(&frame).map_err(|error| WeaveError::table(path, error))
    }

    fn finish(&mut self) -> Result<(), WeaveError> {
        self.flush()?;
        let path = &self.path;
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.finish().map(|_| ()).map_err(|error| WeaveError::table(path, error))
    }
}
