//! A page as the archives of a crawl hold it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ontrail_archive::{Record, record_at};
use ontrail_crawl::{LogRow, Outcome, archive_path, log_rows};
use ontrail_page::{Content, Form, HostTemplate, Html, Metadata, Source, Templates};
use rayon::prelude::*;
use url::Url;

/// Number of pages that are read at once, on all threads.
pub(super) const BATCH: usize = 128;

/// A page read from the archives.
pub(super) struct StoredPage {
    /// Time of the fetch, in ISO 8601; none for a folder.
    pub(super) date: Option<String>,
    /// Checksum of the body.
    pub(super) digest: Option<String>,
    /// The headline, or else the title that the browser shows.
    pub(super) title: Option<String>,
    pub(super) metadata: Metadata,
    /// The part that was asked for, as plain text.
    pub(super) text: String,
    /// The same as Markdown.
    pub(super) markdown: String,
}

/// The archives of a crawl.
pub(super) struct Archives<'a> {
    folder: &'a Path,
    /// True if archives may be missing, because the crawl is being uploaded.
    is_partial: bool,
    /// The length of each archive, by the name that the log gives it.
    lengths: BTreeMap<String, u64>,
    /// The templates of the hosts, which are left out of the main content.
    templates: BTreeMap<String, HostTemplate>,
}

impl<'a> Archives<'a> {
    pub(super) fn of(folder: &'a Path, is_partial: bool) -> Self {
        let files = std::fs::read_dir(folder.join("pages")).into_iter().flatten().flatten();
        let length = |file: std::fs::DirEntry| {
            let name = file.file_name().to_string_lossy().into_owned();
            let name = name.strip_suffix(".open").unwrap_or(&name).to_owned();
            Some((name, file.metadata().ok()?.len()))
        };
        let lengths = files.filter_map(length).collect();
        Self { folder, is_partial, lengths, templates: BTreeMap::new() }
    }

    /// Returns true if a page is in its archive. While a crawl runs, and after it was interrupted,
    /// the log may be ahead of the archives. An archive that is not there at all is an error that
    /// reading it will report, unless it may not be uploaded yet.
    pub(super) fn have(&self, row: &LogRow) -> bool {
        row.stored.as_ref().is_some_and(|it| {
            let length = self.lengths.get(&it.file);
            length.map_or(!self.is_partial, |length| it.offset + it.length <= *length)
        })
    }

    /// Learns the templates of hosts from all stored pages, so that the text of a page depends
    /// neither on its place in the log nor on the pages that are exported.
    pub(super) fn learn(&mut self) -> Result<()> {
        let mut templates = Templates::new();
        let mut batch = Vec::with_capacity(BATCH);
        let mut rows = log_rows(&self.folder.join("log"))?;
        loop {
            let row = rows.next().transpose()?;
            let is_last = row.is_none();
            batch.extend(row.filter(|row| row.outcome == Outcome::Page && self.have(row)));
            if is_last || batch.len() == BATCH {
                // A page that cannot be read is an error only if it is exported.
                let learned: Vec<_> = batch.par_iter().map(|row| self.parse(row).ok()).collect();
                for (_, html, url) in learned.into_iter().flatten() {
                    let host = url.host_str().unwrap_or_default();
                    templates.observe(host, &html.fingerprints());
                }
                batch.clear();
            }
            if is_last {
                break;
            }
        }
        let known = templates.hosts().map(|host| (host.to_owned(), templates.of(host)));
        self.templates = known.collect();
        Ok(())
    }

    /// Reads a page.
    pub(super) fn read(&self, row: &LogRow, content: Content) -> Result<StoredPage> {
        let (record, mut html, url) = self.parse(row)?;
        let template = url.host_str().and_then(|host| self.templates.get(host));
        if let Some(template) = template.filter(|_| content != Content::Page) {
            html.leave_out(template);
        }
        let header = |name: &str| record.header(name).map(str::to_owned);
        let (date, digest) = (header("WARC-Date"), header("WARC-Payload-Digest"));
        // Pages of a folder were never fetched.
        let date = date.filter(|date| date != "1970-01-01T00:00:00Z");
        let title = html.metadata.title.clone().or_else(|| Some(html.title.clone()));
        Ok(StoredPage {
            date,
            digest,
            title: title.filter(|title| !title.is_empty()),
            text: html.rendered(content, Form::Plain),
            markdown: html.rendered(content, Form::Markdown),
            metadata: html.metadata,
        })
    }

    fn parse(&self, row: &LogRow) -> Result<(Record, Html, Url)> {
        let (path, offset, _) = self.place(row)?;
        let record = record_at(&path, offset)?;
        let Some(response) = record.response() else {
            bail!(
                "{}: there is no page at offset {offset}, where the log places {}",
                path.display(),
                row.final_url
            );
        };
        let url = Url::parse(&row.final_url).with_context(|| row.final_url.clone())?;
        let source = Source::at(&url).with_content_type(response.header("content-type"));
        let html = Html::parse(&response.body, source);
        Ok((record, html, url))
    }

    /// Returns the record of a page as it is in the archive.
    pub(super) fn record(&self, row: &LogRow) -> Result<Vec<u8>> {
        let (path, offset, length) = self.place(row)?;
        let read = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::new();
            file.take(length).read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        };
        let bytes = read().with_context(|| format!("{}: cannot read this file", path.display()))?;
        if bytes.len() as u64 != length {
            bail!("{}: ends within the page {}", path.display(), row.final_url);
        }
        Ok(bytes)
    }

    fn place(&self, row: &LogRow) -> Result<(PathBuf, u64, u64)> {
        let Some(stored) = &row.stored else { bail!("{}: the page is not stored", row.final_url) };
        Ok((archive_path(self.folder, &stored.file), stored.offset, stored.length))
    }
}
