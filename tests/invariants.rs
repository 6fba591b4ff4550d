//! The promises that a crawl keeps whatever the web does, checked on its folder and on the record
//! of the fault laboratory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ontrail_archive::{Records, record_at};
use ontrail_crawl::{FetchKind, LogRow, Outcome, read_log};

use crate::Folder;
use crate::laboratory::Visit;

/// Times are measured at the server, a little later than the crawler measures them.
const TOLERANCE: f64 = 0.02;

/// Returns the URLs of the pages in the archives of a crawl, in order.
///
/// # Panics
///
/// If an archive cannot be read.
#[must_use]
pub fn archived(crawl: &Path) -> Vec<String> {
    let mut urls = Vec::new();
    for path in archives(crawl) {
        for record in Records::open(&path).expect("an archive can be opened") {
            let record = record.expect("every record can be read");
            // Redirects are archived too.
            let is_page = record.response().is_some_and(|it| !(300..400).contains(&it.status));
            if record.kind() == "response" && is_page {
                urls.push(record.target().expect("a response has a URL").to_owned());
            }
        }
    }
    urls
}

fn archives(crawl: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(crawl.join("pages")).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let is_archive = |path: &PathBuf| path.to_string_lossy().contains(".warc");
    let mut paths: Vec<PathBuf> = paths.filter(is_archive).collect();
    paths.sort();
    paths
}

fn log(crawl: &Path) -> Vec<LogRow> {
    read_log(&crawl.join("log")).expect("the log can be read")
}

/// Checks that every page in the log that counts as stored is in the archives at the place that the
/// log names, that no URL is stored twice, and that the archives have nothing else.
///
/// # Panics
///
/// If that is not so.
pub fn every_page_is_stored_once(crawl: &Path) {
    let rows = log(crawl);
    let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
    let expected: Vec<u64> = (1..=rows.len() as u64).collect();
    assert_eq!(numbers, expected, "rows of the log are missing or doubled");
    let mut places = BTreeSet::new();
    let mut stored: Vec<String> = Vec::new();
    for row in &rows {
        let Some(place) = &row.stored else { continue };
        assert!(places.insert((place.file.clone(), place.offset)), "{}: place used twice", row.url);
        let path = crawl.join("pages").join(&place.file);
        let record = record_at(&path, place.offset).expect("a stored page can be read");
        assert_eq!(record.target(), Some(row.final_url.as_str()), "another page is stored there");
        if record.kind() == "response" {
            stored.push(row.final_url.clone());
        }
    }
    let distinct: BTreeSet<&String> = stored.iter().collect();
    assert_eq!(distinct.len(), stored.len(), "a page is stored twice: {stored:?}");
    let mut archived = archived(crawl);
    archived.sort();
    stored.sort();
    assert_eq!(archived, stored, "the archives have other pages than the log");
}

/// Checks that the archives still have these pages.
///
/// # Panics
///
/// If one is gone.
pub fn nothing_archived_is_gone(crawl: &Path, before: &[String]) {
    let now: BTreeSet<String> = archived(crawl).into_iter().collect();
    for url in before {
        assert!(now.contains(url), "{url} was archived and is gone");
    }
}

/// Checks that from the end of one request to a host to the start of the next at least `delay`
/// seconds passed.
///
/// # Panics
///
/// If a gap was shorter.
pub fn hosts_had_their_delay(visits: &[Visit], delay: f64) {
    let mut last: BTreeMap<&str, &Visit> = BTreeMap::new();
    for visit in visits {
        if let Some(before) = last.insert(&visit.host, visit) {
            let gap = visit.start.saturating_duration_since(before.end).as_secs_f64();
            let (host, from, to) = (&visit.host, &before.path, &visit.path);
            assert!(gap >= delay - TOLERANCE, "{host}: {gap:.3} s between {from} and {to}");
        }
    }
}

/// Checks that requests to one address started at least `delay` seconds apart, whatever the host.
///
/// # Panics
///
/// If a gap was shorter.
pub fn machines_had_their_delay(visits: &[Visit], delay: f64) {
    let mut last = BTreeMap::new();
    for visit in visits {
        if let Some(before) = last.insert(visit.machine, visit.start) {
            let gap = visit.start.saturating_duration_since(before).as_secs_f64();
            let machine = visit.machine;
            assert!(gap >= delay - TOLERANCE, "{machine}: {gap:.3} s before {}", visit.path);
        }
    }
}

/// Checks that no request was one that is forbidden.
///
/// # Panics
///
/// If there was one.
pub fn nothing_forbidden_was_asked(visits: &[Visit], is_forbidden: impl Fn(&Visit) -> bool) {
    let forbidden = visits.iter().find(|visit| is_forbidden(visit));
    assert!(forbidden.is_none(), "asked for what is forbidden: {forbidden:?}");
}

/// Checks that a crawl ended by itself and says why. Returns the reason.
///
/// # Panics
///
/// If it did not.
#[must_use]
pub fn ended_and_said_why(folder: &Folder, out: &str) -> String {
    let status = folder.run(&["crawl", "status", out, "--json"]).json();
    assert_eq!(status["state"], "finished", "{status}");
    let end = status["end"].as_str().unwrap_or_default().to_owned();
    assert!(!end.is_empty(), "{status}");
    end
}

/// Returns the outcomes of the fetches of a URL, in order, separated by commas.
#[must_use]
pub fn outcomes(crawl: &Path, url: &str) -> String {
    let rows = log(crawl);
    let of = rows.iter().filter(|row| row.url == url && row.kind != FetchKind::Robots);
    of.map(|row| row.outcome.name()).collect::<Vec<_>>().join(", ")
}

/// Returns the number of pages that a crawl fetched.
#[must_use]
pub fn pages(crawl: &Path) -> usize {
    log(crawl).iter().filter(|row| row.outcome == Outcome::Page).count()
}
