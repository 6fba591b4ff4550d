//! A web read from archives.

use std::path::PathBuf;

use ontrail_archive::{ArchiveError, Holding, Library};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use url::Url;

use super::{Failure, FailureKind, Fetching, Response, Wants, Web, not_found};
use crate::canonical_url::canonical;

/// The pages of some archives. A URL that they do not contain gets the response 404.
#[derive(Debug)]
pub struct ArchiveWeb {
    library: Library,
}

impl ArchiveWeb {
    /// Reads the archives and indexes their URLs.
    pub fn open(paths: &[PathBuf]) -> Result<Self, ArchiveError> {
        let key = |url: &str| Some(canonical(Url::parse(url).ok()?)?.into());
        Ok(Self { library: Library::open(paths, key)? })
    }

    /// Returns the number of URLs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.library.len()
    }

    /// Returns true if there are no URLs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.library.is_empty()
    }

    /// Returns the URLs, sorted.
    #[must_use]
    pub fn urls(&self) -> Vec<&str> {
        self.library.keys()
    }

    /// Returns the response stored for a URL.
    pub fn response(&self, url: &Url, wants: Wants<'_>, limit: usize) -> Result<Response, Failure> {
        let found = self.library.get(url.as_str());
        let found = found.map_err(|error| Failure::new(FailureKind::Unreadable, error))?;
        let Some(holding) = found else { return Ok(not_found(0)) };
        Ok(stored_response(&holding, limit, wants))
    }
}

/// Returns the time of a date in an archive, in milliseconds since 1970.
pub(crate) fn milliseconds_of(date: &str) -> Option<u64> {
    let time = OffsetDateTime::parse(date, &Rfc3339).ok()?;
    u64::try_from(time.unix_timestamp()).ok()?.checked_mul(1_000)
}

/// Returns the response stored in a record.
pub(crate) fn stored_response(holding: &Holding, body_limit: usize, wants: Wants<'_>) -> Response {
    let time = holding.date.as_deref().and_then(milliseconds_of).unwrap_or(0);
    let Some(mut stored) = holding.record.response() else { return not_found(time) };
    let is_unwanted = !wants(stored.header("Content-Type"));
    let is_cut = stored.body.len() > body_limit || holding.record.truncated;
    let mut body = std::mem::take(&mut stored.body);
    body.truncate(if is_unwanted { 0 } else { body_limit });
    // The body is already decompressed, so the headers must not describe its coding.
    let is_kept = |name: &str| {
        !["content-encoding", "transfer-encoding", "content-length"]
            .contains(&name.to_ascii_lowercase().as_str())
    };
    let mut headers: Vec<(String, Vec<u8>)> = stored
        .headers()
        .filter(|(name, _)| is_kept(name))
        .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()))
        .collect();
    headers.push(("Content-Length".to_owned(), body.len().to_string().into_bytes()));
    Response {
        status: stored.status,
        head: super::format_head(stored.status, &headers),
        headers,
        request: Vec::new(),
        body,
        is_cut,
        is_unwanted,
        address: None,
        time,
        milliseconds: 0,
    }
}

impl Web for ArchiveWeb {
    fn fetch<'a>(&'a self, url: &'a Url, wants: Wants<'a>, limit: usize) -> Fetching<'a> {
        Box::pin(std::future::ready(self.response(url, wants, limit)))
    }

    fn is_live(&self) -> bool {
        false
    }
}
