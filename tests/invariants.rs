//! The promises that a crawl keeps whatever the web does, checked on its folder and on the record
//! of the fault laboratory.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ontrail_archive::{Records, record_at};
use ontrail_crawl::{FetchKind, LogRow, Outcome, read_log};

use crate::Folder;
use crate::laboratory::Visit;

/// The crawler measures times in milliseconds, rounded down.
const CLOCK: f64 = 0.002;

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
            assert!(gap >= delay - CLOCK, "{host}: {gap:.3} s between {from} and {to}");
        }
    }
}

/// Checks that requests to one address started at least `delay` seconds apart, whatever the host.
///
/// # Panics
///
/// If they did not.
pub fn machines_had_their_delay(visits: &[Visit], delay: f64) {
    let mut starts: BTreeMap<IpAddr, Vec<Instant>> = BTreeMap::new();
    for visit in visits {
        starts.entry(visit.machine).or_default().push(visit.start);
    }
    starts.values().for_each(|starts| starts_are_apart(starts, delay));
}

/// Checks that these requests, in order, started at least `delay` seconds apart.
///
/// A loaded machine may let a request reach the server late, so that it is seen closer to the next.
/// But that cannot happen to many in a row: any number of requests takes as many delays, except
/// for the lateness of the first of them, for which half a delay is allowed.
///
/// # Panics
///
/// If they did not.
pub fn starts_are_apart(starts: &[Instant], delay: f64) {
    let Some(first) = starts.first() else { return };
    let mut latest = f64::NEG_INFINITY;
    for (number, start) in starts.iter().enumerate() {
        // The time of the first request, if this one and those before it were on time.
        let begun = start.duration_since(*first).as_secs_f64() - number as f64 * delay;
        let all = || starts.iter().map(|it| it.duration_since(*first).as_secs_f64());
        let early = latest - begun;
        assert!(
            early <= delay / 2.0 + CLOCK,
            "request {number} came {early:.3} s too early: {:.3?}",
            all().collect::<Vec<_>>()
        );
        latest = latest.max(begun);
    }
}

/// The most memory that a crawl in the laboratory may use, in bytes. An unoptimised build uses 110
/// to 130 MB; a crawl that unpacked a bomb or kept an endless body would use far more.
const MOST_MEMORY: u64 = 200 << 20;

/// Checks that a crawl used no more memory than it may. Where the system does not tell how much it
/// was, there is nothing to check.
///
/// # Panics
///
/// If it used more.
pub fn memory_was_bounded(peak: Option<u64>) {
    assert!(peak.is_some() || !cfg!(target_os = "linux"), "the peak of memory was not seen");
    let peak = peak.unwrap_or(0);
    assert!(peak <= MOST_MEMORY, "the crawl used {} MB of memory", peak >> 20);
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

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::time::Duration;

    use super::*;

    fn are_apart(milliseconds: &[u64], delay: f64) -> bool {
        let now = Instant::now();
        let starts: Vec<Instant> =
            milliseconds.iter().map(|it| now + Duration::from_millis(*it)).collect();
        catch_unwind(|| starts_are_apart(&starts, delay)).is_ok()
    }

    #[test]
    fn one_late_request_is_told_from_requests_that_come_too_soon() {
        assert!(are_apart(&[0, 100, 200, 300], 0.1));
        assert!(are_apart(&[0, 140, 200, 300], 0.1), "the second was seen late");
        assert!(!are_apart(&[0, 100, 110, 300], 0.1), "the third came too soon");
        assert!(!are_apart(&[0, 80, 160, 240, 320], 0.1), "all of them came a little too soon");
        assert!(are_apart(&[], 0.1));
    }
}
