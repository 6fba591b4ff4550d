//! A web in memory, so that experiments wait for no disk.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ontrail_archive::ArchiveError;
use ontrail_crawl::{Answer, ArchiveWeb, Failure, Fetching, Wants, Web};
use rayon::prelude::*;
use url::Url;

/// The pages of some archives, unpacked and in memory. An address that they do not hold is answered with 404.
#[derive(Debug)]
pub struct LoadedWeb {
    places: HashMap<String, u32>,
    answers: Vec<Result<Answer, Failure>>,
    missing: Answer,
    names: Mutex<Names>,
}

/// Addresses and texts of links that occur again and again, each kept once.
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
    /// Never: what an archive is asked by are addresses, and what it does not hold it answers with 404.
    pub fn open(paths: &[PathBuf]) -> Result<Self, ArchiveError> {
        let archive = ArchiveWeb::open(paths)?;
        let keys = archive.addresses();
        let ask = |url: &Url| archive.answer(url, &|_| true, usize::MAX);
        let answers: Vec<Result<Answer, Failure>> =
            keys.par_iter().map(|key| ask(&Url::parse(key).expect("keys are addresses"))).collect();
        let places = keys.iter().zip(0..).map(|(key, place)| ((*key).to_owned(), place)).collect();
        let nowhere = Url::parse("http://nowhere.invalid/").expect("it is an address");
        let missing = ask(&nowhere).expect("what is not there is answered with 404");
        Ok(Self { places, answers, missing, names: Mutex::default() })
    }

    /// How many addresses there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// What is there under an address, if anything can be read.
    #[must_use]
    pub fn get(&self, url: &str) -> Option<&Answer> {
        self.answers[self.place(url)? as usize].as_ref().ok()
    }

    /// The names of its hosts.
    #[must_use]
    pub fn hosts(&self) -> HashSet<String> {
        let host = |key: &String| Some(Url::parse(key).ok()?.host_str()?.to_owned());
        self.places.keys().filter_map(host).collect()
    }

    /// The number of an address, if it is there.
    #[must_use]
    pub fn place(&self, url: &str) -> Option<u32> {
        self.places.get(url).copied()
    }

    /// Does something with the names that are kept once.
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
            Some(place) => self.answers[place as usize].clone(),
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
