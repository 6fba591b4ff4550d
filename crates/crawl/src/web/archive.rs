//! A web that lies in archives.

use std::path::PathBuf;

use ontrail_archive::{ArchiveError, Holding, Library};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use url::Url;

use super::{Answer, Failure, FailureKind, Fetching, Wants, Web, not_there};
use crate::address::canonical;

/// The pages of some archives. An address that they do not hold is answered with 404.
#[derive(Debug)]
pub struct ArchiveWeb {
    library: Library,
}

impl ArchiveWeb {
    /// Goes through the archives.
    pub fn open(paths: &[PathBuf]) -> Result<Self, ArchiveError> {
        let key = |url: &str| Some(canonical(Url::parse(url).ok()?)?.into());
        Ok(Self { library: Library::open(paths, key)? })
    }

    /// How many addresses there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.library.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.library.is_empty()
    }

    /// The addresses that there are, sorted.
    #[must_use]
    pub fn addresses(&self) -> Vec<&str> {
        self.library.keys()
    }

    /// What is there under an address, at once.
    pub fn answer(&self, url: &Url, wants: Wants<'_>, limit: usize) -> Result<Answer, Failure> {
        let found = self.library.get(url.as_str());
        let found = found.map_err(|error| Failure::new(FailureKind::Unreadable, error))?;
        let Some(holding) = found else { return Ok(not_there(0)) };
        Ok(answer(&holding, limit, wants))
    }
}

/// The answer that a record holds.
fn answer(holding: &Holding, body_limit: usize, wants: Wants<'_>) -> Answer {
    let time = holding.date.as_deref().and_then(|date| OffsetDateTime::parse(date, &Rfc3339).ok());
    let time = time.and_then(|time| u64::try_from(time.unix_timestamp()).ok()).unwrap_or(0);
    let Some(mut response) = holding.record.response() else { return not_there(time * 1_000) };
    let is_unwanted = !wants(response.header("Content-Type"));
    let is_cut = response.body.len() > body_limit || holding.record.truncated;
    let mut body = std::mem::take(&mut response.body);
    body.truncate(if is_unwanted { 0 } else { body_limit });
    // The body comes without its packing, so the headers must not speak of it.
    let is_kept = |name: &str| {
        !["content-encoding", "transfer-encoding", "content-length"]
            .contains(&name.to_ascii_lowercase().as_str())
    };
    let mut headers: Vec<(String, Vec<u8>)> = response
        .headers()
        .filter(|(name, _)| is_kept(name))
        .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()))
        .collect();
    headers.push(("Content-Length".to_owned(), body.len().to_string().into_bytes()));
    Answer {
        status: response.status,
        head: super::written_head(response.status, &headers),
        headers,
        request: Vec::new(),
        body,
        is_cut,
        is_unwanted,
        address: None,
        time: time * 1_000,
        milliseconds: 0,
    }
}

impl Web for ArchiveWeb {
    fn fetch<'a>(&'a self, url: &'a Url, wants: Wants<'a>, limit: usize) -> Fetching<'a> {
        Box::pin(std::future::ready(self.answer(url, wants, limit)))
    }

    fn is_live(&self) -> bool {
        false
    }
}
