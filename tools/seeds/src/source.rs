//! The inputs: web archives, sitemaps, CDX files and lists of URLs. The kind of a file is
//! recognised by its name, if it is an archive, and otherwise by its content.

mod cdx;
mod lines;
mod list;
mod sitemap;

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result, anyhow, bail};
use flate2::bufread::MultiGzDecoder;
use ontrail_crawl::canonical;
use ontrail_intake::is_archive;
use url::Url;

use cdx::Cdx;

/// A URL as an input lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) url: Url,
    pub(crate) title: String,
}

/// The kinds of inputs. The order is that in which they are read: a page that is at hand is not
/// judged again by its title or URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Archive,
    List,
    Sitemap,
    Cdx,
}

/// An input and its kind.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
}

/// The lines of an input that were skipped, and the sitemaps that it lists.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    /// Messages about lines that cannot be read; only the first are kept.
    pub(crate) examples: Vec<String>,
    pub(crate) lines: u64,
    /// Number of further sitemaps that an index of sitemaps lists.
    pub(crate) further_sitemaps: u64,
    /// One of them.
    pub(crate) further_sitemap: Option<Url>,
}

/// Maximum number of messages that are kept.
const MOST_EXAMPLES: usize = 10;

impl Skipped {
    /// Counts a line that cannot be read, or returns an error unless such lines are skipped.
    fn line(&mut self, path: &Path, line: u64, reason: &str, skips: bool) -> Result<()> {
        self.fault(anyhow!("{}: line {line}: {reason}", path.display()), skips)
    }

    /// Counts a fault, or returns it as an error unless faults are skipped.
    pub(crate) fn fault(&mut self, error: Error, skips: bool) -> Result<()> {
        if !skips {
            return Err(error);
        }
        self.lines += 1;
        if self.examples.len() < MOST_EXAMPLES {
            self.examples.push(format!("{error:#}"));
        }
        Ok(())
    }
}

impl Input {
    /// Recognises the kind of a file.
    pub(crate) fn recognise(path: &Path) -> Result<Self> {
        let of = |kind| Ok(Self { path: path.to_owned(), kind });
        if path.is_dir() {
            bail!(
                "{}: this is a folder; name the archives, sitemaps, CDX files or lists in it",
                path.display()
            );
        }
        if is_archive(path) {
            return of(Kind::Archive);
        }
        let mut start = Vec::new();
        let mut reader = open(path)?;
        (&mut reader).take(4_096).read_to_end(&mut start).with_context(|| cannot_read(path))?;
        if start.starts_with(b"WARC/") {
            bail!(
                "{}: this is a web archive; give it a name that ends in .warc or .warc.gz",
                path.display()
            );
        }
        if start.contains(&0) {
            bail!(
                "{}: this is neither a web archive nor text; give sitemaps, CDX files or lists of \
                 URLs",
                path.display()
            );
        }
        let text = String::from_utf8_lossy(&start);
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_start().starts_with('<') {
            of(Kind::Sitemap)
        } else if Cdx::is_one(text) {
            of(Kind::Cdx)
        } else {
            of(Kind::List)
        }
    }

    /// Visits the URLs that a file lists; not for archives, which have pages.
    pub(crate) fn each_url(
        &self,
        skips: bool,
        skipped: &mut Skipped,
        visit: &mut dyn FnMut(Listed),
    ) -> Result<()> {
        let reader = open(&self.path)?;
        match self.kind {
            Kind::Archive => Ok(()),
            Kind::List => list::each(reader, &self.path, skips, skipped, visit),
            Kind::Sitemap => sitemap::each(reader, &self.path, skips, skipped, visit),
            Kind::Cdx => cdx::each(reader, &self.path, skips, skipped, visit),
        }
    }
}

/// Opens a file, compressed or not.
fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let file = File::open(path).with_context(|| cannot_read(path))?;
    let mut reader = BufReader::new(file);
    let is_packed =
        reader.fill_buf().with_context(|| cannot_read(path))?.starts_with(&[0x1f, 0x8b]);
    Ok(if is_packed {
        Box::new(BufReader::new(MultiGzDecoder::new(reader)))
    } else {
        Box::new(reader)
    })
}

fn cannot_read(path: &Path) -> String {
    format!("{}: cannot read this file", path.display())
}

/// Returns the canonical form of a URL that can be crawled.
fn crawlable(text: &str) -> Option<Url> {
    Url::parse(text.trim()).ok().and_then(canonical)
}
