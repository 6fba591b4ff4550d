//! A web in memory, so that experiments do not wait for the disk.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ontrail_archive::ArchiveError;
use ontrail_crawl::{ArchiveWeb, Failure, Fetching, Response, Wants, Web};
use rayon::prelude::*;
use url::Url;

/// The pages of one or more archives, decompressed and in memory. A URL that they do not have gets
/// the response 404.
#[derive(Debug)]
pub struct LoadedWeb {
    places: HashMap<String, u32>,
    responses: Vec<Result<Response, Failure>>,
    missing: Response,
    names: Mutex<Names>,
}

/// URLs and anchor texts, which recur on many pages. Each is kept once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    urls: HashMap<String, Arc<Url>>,
    texts: HashSet<Arc<str>>,
}

impl LoadedWeb {
    /// Reads archives.
    ///
    /// # Panics
    ///
    /// Never: the keys of an archive are URLs, and it answers 404 for a page that it does not have.
    pub fn open(paths: &[PathBuf]) -> Result<Self, ArchiveError> {
        let archive = ArchiveWeb::open(paths)?;
        let keys = archive.urls();
        let ask = |url: &Url| archive.response(url, &|_| true, usize::MAX);
        let responses: Vec<Result<Response, Failure>> =
            keys.par_iter().map(|key| ask(&Url::parse(key).expect("keys are URLs"))).collect();
        let places = keys.iter().zip(0..).map(|(key, place)| ((*key).to_owned(), place)).collect();
        let nowhere = Url::parse("http://nowhere.invalid/").expect("a valid URL");
        let missing = ask(&nowhere).expect("a missing page is answered with 404");
        Ok(Self { places, responses, missing, names: Mutex::default() })
    }

    /// Returns the number of URLs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.responses.len()
    }

    /// Returns true if there are no URLs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.responses.is_empty()
    }

    /// Returns the response for a URL, if the archive has one that can be read.
    #[must_use]
    pub fn get(&self, url: &str) -> Option<&Response> {
        self.responses[self.place(url)? as usize].as_ref().ok()
    }

    /// Returns the names of all hosts.
    #[must_use]
    pub fn hosts(&self) -> HashSet<String> {
        let host = |key: &String| Some(Url::parse(key).ok()?.host_str()?.to_owned());
        self.places.keys().filter_map(host).collect()
    }

    /// Returns all URLs, by number.
    #[must_use]
    pub fn urls(&self) -> Vec<&str> {
        let mut urls = vec![""; self.places.len()];
        self.places.iter().for_each(|(url, place)| urls[*place as usize] = url);
        urls
    }

    /// Returns the number of a URL, if the web has it.
    #[must_use]
    pub fn place(&self, url: &str) -> Option<u32> {
        self.places.get(url).copied()
    }

    /// Calls a function with the shared URLs and texts.
    pub(crate) fn with_names<T>(&self, ask: impl FnOnce(&mut Names) -> T) -> T {
        ask(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Names {
    pub(crate) fn url(&mut self, url: Url) -> Arc<Url> {
        if let Some(known) = self.urls.get(url.as_str()) {
            return Arc::clone(known);
        }
        let kept = Arc::new(url);
        self.urls.insert(kept.to_string(), Arc::clone(&kept));
        kept
    }

    pub(crate) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let kept: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&kept));
        kept
    }
}

impl Web for LoadedWeb {
    fn fetch<'a>(&'a self, url: &'a Url, wants: Wants<'a>, limit: usize) -> Fetching<'a> {
        let found = match self.place(url.as_str()) {
            Some(place) => self.responses[place as usize].clone(),
            None => Ok(self.missing.clone()),
        };
        let answer = found.map(|mut answer| {
            answer.is_unwanted = !wants(answer.header("content-type"));
            answer.is_cut |= answer.body.len() > limit;
            answer.body.truncate(if answer.is_unwanted { 0 } else { limit });
            answer
        });
        Box::pin(std::future::ready(answer))
    }

    fn is_live(&self) -> bool {
        false
    }
}
