//! Learns about links from the pages of a crawl that ended.
//!
//! The pages are read again in the order of the log, so a crawl by any recipe will do: its pages
//! teach which links led to relevant pages, whoever chose these links. Nothing is fetched, and the
//! crawl does not change.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ontrail_archive::{Holding, record_at};
use ontrail_page::HostTemplate;
use ontrail_pilot::{Judgement, Link, Offer, PageFacts, Pilot, Target};
use tokio::sync::Semaphore;
use url::Url;

use super::fetch::{FetchedPage, Fetcher, LinkResult};
use super::links::candidate;
use crate::canonical_url::canonical;
use crate::focus::{Focus, Reading};
use crate::outcome::{FetchKind, Outcome};
use crate::output::{LogRow, OutputError, archive_path, log_rows};
use crate::settings::FetchSettings;
use crate::web::{NoWeb, stored_response};

/// The result of learning from a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relearned {
    /// Pages that were shown to the pilot.
    pub pages: u64,
    /// Pages that the log lists, but the archives do not have. Links to them count, but not their
    /// own links.
    pub not_stored: u64,
}

/// Shows the pages of the crawl in `folder` to a pilot, as if it had fetched them. If
/// `judges_again`, the pilot judges them, by what `focus` says; otherwise the judgement in the log
/// counts. Calls `watch` with the number of pages so far.
pub fn learn_from(
    folder: &Path,
    focus: Arc<dyn Focus>,
    pilot: &mut Pilot,
    judges_again: bool,
    watch: &mut dyn FnMut(u64),
) -> Result<Relearned, OutputError> {
    let fetcher = Fetcher {
        web: Arc::new(NoWeb),
        focus,
        readers: Semaphore::new(1),
        settings: FetchSettings::default(),
        keeps_pages: false,
    };
    let mut lesson = Lesson {
        folder,
        fetcher,
        judges_again,
        chains: HashMap::new(),
        found: Relearned::default(),
    };
    for row in log_rows(&folder.join("log"))? {
        lesson.row(&row?, pilot);
        watch(lesson.found.pages);
    }
    Ok(lesson.found)
}

/// A crawl that is being learned from.
struct Lesson<'a> {
    folder: &'a Path,
    fetcher: Fetcher,
    judges_again: bool,
    /// The URL that each chain of redirects has reached, by the URL that was requested first.
    chains: HashMap<String, Url>,
    found: Relearned,
}

impl Lesson<'_> {
    fn row(&mut self, row: &LogRow, pilot: &mut Pilot) {
        if row.kind != FetchKind::Page {
            return;
        }
        let Ok(last) = Url::parse(&row.final_url) else { return };
        if row.outcome == Outcome::Redirect {
            let from = self.chains.insert(row.url.clone(), last.clone());
            if let Some(from) = from.or_else(|| Url::parse(&row.url).ok()) {
                pilot.moved(&Link::seed(from).key(), &Link::seed(last));
            }
            return;
        }
        self.chains.remove(&row.url);
        if row.is_page() {
            let link = Link {
                depth: row.depth,
                parent: row.parent.clone(),
                anchor: row.anchor.clone(),
                ..Link::seed(last)
            };
            self.page(row, &link, pilot);
        }
    }

    /// Shows a page and its links to the pilot. All links count as queued.
    fn page(&mut self, row: &LogRow, link: &Link, pilot: &mut Pilot) {
        let is_same = row.outcome == Outcome::Duplicate;
        // The links of a page that was fetched before are known.
        let reading = if is_same { None } else { self.read(row, link) };
        let (facts, links) = match &reading {
            Some(reading) => (reading.facts(), &reading.links[..]),
            None => Default::default(),
        };
        let judgement = match &reading {
            Some(_) if self.judges_again => pilot.judge(&facts, false),
            _ => {
                let facts = PageFacts { relevance: row.relevance, ..facts };
                Judgement::recorded(&facts, row.probability, row.relevant)
            }
        };
        let judgement = judgement.among_copies(is_same, row.near_duplicate_of.is_some());
        let candidates = links
            .iter()
            .filter_map(|found| Some(candidate(canonical(found.url.clone())?, found, link)))
            .collect();
        let plan = pilot.arrived(link, false, &judgement, candidates);
        let offers = vec![Offer::Queued; plan.offers.len()];
        pilot.offered(plan, &offers);
        self.found.pages += 1;
        self.found.not_stored += u64::from(reading.is_none() && !is_same);
    }

    /// Reads a page again from the archives.
    fn read(&self, row: &LogRow, link: &Link) -> Option<Reading> {
        let stored = row.stored.as_ref()?;
        let record = record_at(&archive_path(self.folder, &stored.file), stored.offset).ok()?;
        let holding = Holding { date: record.header("WARC-Date").map(str::to_owned), record };
        let limit = self.fetcher.settings.body_limit;
        let response = stored_response(&holding, limit, &|_| true);
        let template = HostTemplate::default();
        match self.fetcher.read(&link.url, Target::Page, &template, row.number, response) {
            LinkResult::Page(page) => {
                let FetchedPage { reading, .. } = *page;
                Some(reading)
            }
            _ => None,
        }
    }
}
