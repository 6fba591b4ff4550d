//! A site to crawl, and the checks that a crawl of it has lost nothing and stored nothing twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use ontrail_archive::Records;
use ontrail_crawl::{FetchKind, LogRow, Outcome, read_links, read_log};
use ontrail_tests::Folder;
use ontrail_tests::web::{Asked, Reply, Server};

/// Returns a site with this many pages, where each page leads to a few others and all of them can
/// be reached from the first.
pub(crate) fn site(pages: u32) -> impl Fn(&Asked) -> Reply + Send + Sync + 'static {
    move |asked| {
        let number = asked.path.strip_prefix("/p").and_then(|it| it.parse::<u32>().ok());
        let Some(number) = number else {
            return if asked.path == "/" { page(0, pages) } else { Reply::status(404) };
        };
        std::thread::sleep(Duration::from_millis(25));
        page(number, pages)
    }
}

fn page(number: u32, pages: u32) -> Reply {
    let links: String = (1..4)
        .map(|n| (number * 3 + n) % pages)
        .map(|to| format!("<a href=/p{to}>rain {to}</a> "))
        .collect();
    Reply::html(format!("<title>page {number}</title><p>rain and storm {number} {links}"))
}

/// Returns the command of a crawl of the site that commits often and stores in small archives.
pub(crate) fn begin(folder: &Folder, server: &Server, more: &[&str]) -> Vec<String> {
    folder.write("s.toml", "[output]\ncommit-seconds = 0.05\narchive-bytes = 100000\n");
    let ran = folder.run(&["topic", "keywords", "rain=2", "storm", "-o", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let polite = ["--delay", "0", "--address-delay", "0", "--per-host", "2"];
    let limits = ["--allow-private", "127.0.0.2", "--settings", "s.toml", "--budget", "100000"];
    let first = server.url("/p0");
    let begin = ["crawl", "run", "--contact", "test@example.org", "--topic", "t.json"];
    let end = ["-o", "out", &first];
    [&begin[..], &polite, &limits, more, &end].concat().into_iter().map(str::to_owned).collect()
}

/// Checks the folder of a crawl that ended: every page is in the log once, in the archives once,
/// and where the log says; its links are in the table of links once.
pub(crate) fn check(folder: &Folder, pages: Option<u32>) {
    let rows = read_log(&folder.path("out/log")).unwrap();
    let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=rows.len() as u64).collect::<Vec<_>>());
    let fetched: Vec<&LogRow> = rows.iter().filter(|row| row.is_page()).collect();
    let urls: BTreeSet<&str> = fetched.iter().map(|row| row.final_url.as_str()).collect();
    assert_eq!(urls.len(), fetched.len());
    assert!(pages.is_none_or(|pages| fetched.len() == pages as usize), "{}", fetched.len());
    check_archives(folder, &fetched);
    let mut links: BTreeMap<u64, u32> = BTreeMap::new();
    for link in read_links(&folder.path("out/links")).unwrap() {
        *links.entry(link.page).or_default() += 1;
    }
    for row in &rows {
        let found = links.remove(&row.number).unwrap_or(0);
        let is_page = row.kind == FetchKind::Page && row.outcome == Outcome::Page;
        assert_eq!(found, if is_page { row.links } else { 0 }, "row {}", row.number);
    }
    assert!(links.is_empty(), "links of pages that are not in the log: {links:?}");
}

fn check_archives(folder: &Folder, fetched: &[&LogRow]) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.path("out/pages"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let is_archive = |path: &&PathBuf| path.to_string_lossy().ends_with(".warc.gz");
    let archives: Vec<&PathBuf> = files.iter().filter(is_archive).collect();
    assert!(fetched.len() < 300 || archives.len() > 2, "the archives were to be rotated");
    let mut stored: BTreeMap<String, usize> = BTreeMap::new();
    for path in &archives {
        for record in Records::open(path).unwrap() {
            let record = record.unwrap();
            if record.kind() == "response" {
                *stored.entry(record.target().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
    assert_eq!(stored.len(), fetched.len());
    assert!(stored.values().all(|count| *count == 1));
    for row in fetched {
        let place = row.stored.as_ref().unwrap();
        let path = folder.path("out/pages").join(&place.file);
        let record = ontrail_archive::record_at(&path, place.offset).unwrap();
        assert_eq!(record.target(), Some(row.final_url.as_str()));
    }
    // Each archive has its index, in order, and nothing else is there.
    assert_eq!(files.len(), 2 * archives.len(), "{files:?}");
    for path in &archives {
        let index = path.to_string_lossy().replace(".warc.gz", ".cdxj");
        let text = std::fs::read_to_string(&index).unwrap();
        assert!(text.lines().is_sorted());
        assert!(text.lines().all(|line| line.contains("\"filename\":\"pages-")));
    }
}
