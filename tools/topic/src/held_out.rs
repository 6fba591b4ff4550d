//! Calibrates a topic that is learned from the same pages, by leaving pages out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use anyhow::Result;
use ontrail_corpus::Document;
use ontrail_intake::{PageFile, labelled_pages};
use ontrail_topic::{Calibration, Folds, Scoring, Topic};

use crate::ways::Ways;

/// Most off-topic pages that are scored: more hardly change a calibration.
const MOST: usize = 1_000;

/// The texts that are left out, by index: of the data, and of the background.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) own: BTreeSet<usize>,
    pub(crate) elsewhere: BTreeSet<usize>,
}

/// Pages about a topic, and others, each with the index of its text.
pub(crate) struct Sample {
    on: Vec<(usize, PageFile)>,
    /// Pages of the data with other labels.
    others: Vec<(usize, PageFile)>,
    /// Pages of the background.
    background: Vec<(usize, PageFile)>,
}

impl Sample {
    /// Finds the pages behind texts that were read. `None` if there are no off-topic pages.
    pub(crate) fn read(
        data: (&Path, &[Document]),
        on_topic: &[usize],
        background: Option<(&Path, &[String])>,
    ) -> Result<Option<Self>> {
        let (path, documents) = data;
        if on_topic.len() == documents.len() && background.is_none() {
            return Ok(None);
        }
        let on_topic: BTreeSet<usize> = on_topic.iter().copied().collect();
        let names: Vec<&str> = documents.iter().map(|it| it.id.as_str()).collect();
        let (on, others): (Vec<_>, Vec<_>) =
            pages(path, &names)?.into_iter().partition(|(text, _)| on_topic.contains(text));
        let background = match background {
            None => Vec::new(),
            Some((path, names)) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                pages(path, &names)?
            }
        };
        Ok(Some(Self { on, others: spread(others), background: spread(background) }))
    }

    /// Calibrates a topic. `learn` learns it without some texts, and returns `None` if no terms
    /// remain. Each part of the pages is scored by a topic that was learned without it.
    pub(crate) fn calibrations(
        &self,
        topic: &Topic,
        path: &Path,
        learn: impl Fn(&Held) -> Result<Option<Topic>>,
    ) -> Result<Option<Vec<Calibration>>> {
        let Some(folds) = Folds::of(self.on.len()) else { return Ok(None) };
        let scorings: Vec<Scoring> = Ways::usual(topic, path)?.scorings().cloned().collect();
        let (mut on, mut off) =
            (vec![Vec::new(); scorings.len()], vec![Vec::new(); scorings.len()]);
        for fold in 0..folds.count() {
            let own = part(&self.on, folds, fold);
            let others = part(&self.others, folds, fold);
            let background = part(&self.background, folds, fold);
            let held = Held {
                own: own.iter().chain(&others).map(|it| it.0).collect(),
                elsewhere: background.iter().map(|it| it.0).collect(),
            };
            let Some(learned) = learn(&held)? else { return Ok(None) };
            let ways = Ways::usual(&learned, path)?;
            append(&mut on, ways.scores(&files(&own)));
            append(&mut off, ways.scores(&files(&others)));
            append(&mut off, ways.scores(&files(&background)));
        }
        let mut made = Vec::new();
        for (scoring, (on, off)) in scorings.into_iter().zip(on.iter().zip(&off)) {
            made.push(Calibration::fit(topic, scoring, on, off)?);
        }
        Ok(Some(made))
    }
}

/// Returns the pages of a path, each with the index of its text among `names`. Pages without text
/// are left out.
fn pages(path: &Path, names: &[&str]) -> Result<Vec<(usize, PageFile)>> {
    let mut places: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        places.entry(name).or_default().push_back(place);
    }
    // Pages that cannot be read were reported when the texts were read.
    let mut skipped = Vec::new();
    let mut found = Vec::new();
    for page in labelled_pages(path, Some(&mut skipped))? {
        if let Some(place) = places.get_mut(page.name.as_str()).and_then(VecDeque::pop_front) {
            found.push((place, page));
        }
    }
    Ok(found)
}

/// Returns at most [`MOST`] pages, evenly spread.
pub(crate) fn spread<T>(pages: Vec<T>) -> Vec<T> {
    let count = pages.len();
    if count <= MOST {
        return pages;
    }
    let is_taken = |at: usize| (at + 1) * MOST / count > at * MOST / count;
    pages.into_iter().enumerate().filter(|(at, _)| is_taken(*at)).map(|it| it.1).collect()
}

fn part(pages: &[(usize, PageFile)], folds: Folds, fold: usize) -> Vec<&(usize, PageFile)> {
    let is_of = |(at, _): &(usize, _)| folds.part_of(*at) == fold;
    pages.iter().enumerate().filter(is_of).map(|it| it.1).collect()
}

fn files(pages: &[&(usize, PageFile)]) -> Vec<PageFile> {
    pages.iter().map(|it| it.1.clone()).collect()
}

fn append(to: &mut [Vec<f64>], scores: Vec<Vec<f64>>) {
    to.iter_mut().zip(scores).for_each(|(to, scores)| to.extend(scores));
}
