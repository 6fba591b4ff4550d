//! A crawl whose state is damaged, lost or older than its pages: no page that was archived is ever
//! lost, and the state can be rebuilt.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ontrail_archive::PlacedRecords;
use ontrail_crawl::{
    Crawl, CrawlError, CrawlParts, CrawlSettings, Focus, FolderWeb, FoundLink, FrontierLimits,
    LinkRow, LocalState, LogRow, NoWeb, OpeningNotice, OutputError, Reading, Web, parse_seeds,
    read_links, read_log, simhash,
};
use ontrail_page::{HostTemplate, Html, PageLink, Source};
use ontrail_pilot::Recipe;
use url::Url;

const PAGES: usize = 60;

/// Reads links and scores pages by a word; takes copies of the crawl folder on the way, which are
/// what a process that is killed at that moment leaves behind.
struct Reader {
    copies: Vec<(usize, PathBuf)>,
    from: PathBuf,
    pages: AtomicUsize,
    copied: Mutex<()>,
}

impl Reader {
    fn new() -> Self {
        let (copies, from) = (Vec::new(), PathBuf::new());
        Self { copies, from, pages: AtomicUsize::new(0), copied: Mutex::new(()) }
    }
}

impl Focus for Reader {
    fn read(
        &self,
        bytes: &[u8],
        url: &Url,
        content_type: Option<&str>,
        _: &HostTemplate,
    ) -> Reading {
        let number = self.pages.fetch_add(1, Ordering::Relaxed);
        let _one_at_a_time = self.copied.lock().unwrap();
        for (at, to) in &self.copies {
            if *at == number {
                copy(&self.from, to);
            }
        }
        let html = Html::parse(bytes, Source::at(url).with_content_type(content_type));
        let score = |text: &str| if text.contains("rain") { 0.8 } else { 0.1 };
        let found = |PageLink { url, anchor, rel, .. }| {
            let relevance = score(&anchor);
            let found = FoundLink::new(url, anchor, rel.nofollow);
            FoundLink { relevance, context: relevance, block: relevance, ..found }
        };
        let text = html.text();
        let simhash = Some(simhash(text.split_whitespace().map(|word| (word, 1))));
        let relevance = Some(score(&html.title));
        let Html { title, charset, language, robots, agent_robots, canonical, links, .. } = html;
        let links = links.into_iter().map(found).collect();
        Reading {
            title,
            charset,
            language,
            robots,
            agent_robots,
            canonical,
            relevance,
            judged: None,
            class: None,
            terms: None,
            simhash,
            links,
            names: Vec::new(),
            fingerprints: Vec::new(),
        }
    }
}

/// Writes a site whose pages link to a few others, to a page that is not there and to one that
/// robots.txt forbids. Three pages have the same bytes.
fn write_site(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /7x").unwrap();
    for number in 0..PAGES {
        let links: String = [11, 1, 29, 2]
            .map(|step| (number + step) % PAGES)
            .into_iter()
            .map(|to| {
                let text = if to % 3 == 0 { "rain" } else { "shoes" };
                format!("<a href={to}.html>{text} {to}</a> ")
            })
            .collect();
        let words = ["rain and storm", "hats", "shoes and rain"][number % 3];
        let own = if number % 20 == 19 { 19 } else { number };
        let more = format!("<a href=gone{number}.html>-</a> <a href=7x.html>-</a>");
        let page = format!(
            "<title>{words} {own}</title><p>{words} number{own} w{own} v{own} {links}{more}"
        );
        // Pages 19, 39 and 59 have the same bytes.
        let page =
            if own == number { page } else { fs::read_to_string(folder.join("19.html")).unwrap() };
        fs::write(folder.join(format!("{number}.html")), page).unwrap();
    }
}

fn settings() -> CrawlSettings {
    let mut settings = CrawlSettings::default();
    (settings.budget, settings.seed) = (1_000, 5);
    settings.output.commit_seconds = 0.0;
    settings.output.archive_bytes = 6_000;
    settings
}

/// A crawl of the site by a recipe.
struct Site {
    folder: tempfile::TempDir,
    recipe: Recipe,
    settings: CrawlSettings,
}

impl Site {
    fn new(recipe: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_site(&folder.path().join("site"));
        Self { folder, recipe: Recipe::shipped(recipe).unwrap(), settings: settings() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn parts(
        &self,
        crawl: &Path,
        web: Arc<dyn Web>,
        focus: Reader,
    ) -> Result<CrawlParts, CrawlError> {
        let limits = FrontierLimits::from(&self.settings);
        Ok(CrawlParts {
            web,
            focus: Arc::new(focus),
            recipe: self.recipe.clone(),
            state: Box::new(LocalState::on_disk(&crawl.join("state"), limits)?),
            settings: self.settings.clone(),
            seeds: parse_seeds("http://localhost/0.html\nhttp://localhost/1.html").unwrap(),
            labels: None,
            has_topic: true,
            threads: 1,
        })
    }

    /// Begins or resumes a crawl and runs it to its end.
    fn crawl(&self, crawl: &Path, focus: Reader) -> Result<Vec<OpeningNotice>, CrawlError> {
        let web = Arc::new(FolderWeb::open(&self.path("site")).unwrap());
        let mut crawl = Crawl::open(self.parts(crawl, web, focus)?, crawl)?;
        crawl.run(&AtomicBool::new(false), &mut |_| ())?;
        Ok(crawl.notices().to_vec())
    }

    fn resume(&self, crawl: &Path) -> Result<Vec<OpeningNotice>, CrawlError> {
        self.crawl(crawl, Reader::new())
    }

    /// Runs a crawl to its end, and copies its folder when so many pages have been fetched.
    fn crawl_and_copy(&self, whole: &str, copies: &[(usize, &str)]) {
        let from = self.path(whole);
        let copies = copies.iter().map(|(at, name)| (*at, self.path(name))).collect();
        let reader = Reader { copies, from: from.clone(), ..Reader::new() };
        self.crawl(&from, reader).unwrap();
    }

    fn repair(&self, crawl: &Path) -> Result<ontrail_crawl::Repaired, CrawlError> {
        let parts = self.parts(crawl, Arc::new(NoWeb), Reader::new())?;
        Crawl::repair(parts, crawl, 0.0, &mut |_, _| ())
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns all files of a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns how often each page is in the archives of a crawl, in folders of surplus as well if
/// `with_cut`.
fn archived(crawl: &Path, with_cut: bool) -> BTreeMap<String, usize> {
    let mut pages = BTreeMap::new();
    for path in files(&crawl.join("pages")) {
        let name = path.display().to_string();
        if !name.contains(".warc.gz") || (!with_cut && name.contains("/cut-")) {
            continue;
        }
        for place in PlacedRecords::open(&path).unwrap().map_while(Result::ok) {
            if matches!(place.record.kind(), "response" | "revisit") {
                *pages.entry(place.record.target().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
    pages
}

fn page_rows(crawl: &Path) -> Vec<LogRow> {
    let rows = read_log(&crawl.join("log")).unwrap();
    let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=rows.len() as u64).collect::<Vec<_>>());
    rows.into_iter().filter(LogRow::is_page).collect()
}

/// Checks that a crawl which ran to its end has every page once, in the log and in the archives.
fn check_whole(crawl: &Path, context: &str) {
    let rows = page_rows(crawl);
    let urls: BTreeSet<&str> = rows.iter().map(|row| row.final_url.as_str()).collect();
    assert_eq!((urls.len(), rows.len()), (PAGES, PAGES), "{context}");
    let archived = archived(crawl, false);
    assert_eq!(archived.len(), PAGES, "{context}");
    assert!(archived.values().all(|count| *count == 1), "{context}: {archived:?}");
}

fn message(error: &CrawlError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(own) = cause {
        text += &format!(": {own}");
        cause = own.source();
    }
    text
}

/// Returns the number of bytes up to the last that is not zero: stores allocate in advance.
fn used(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

#[test]
fn a_flipped_bit_never_loses_a_page() {
    let mut site = Site::new("bfs");
    site.crawl_and_copy("whole", &[(45, "killed")]);
    // One commit at the end is enough from here on.
    site.settings.output.commit_seconds = 60.0;
    check_whole(&site.path("whole"), "whole");
    let killed = site.path("killed");
    let before: BTreeSet<String> = archived(&killed, true).into_keys().collect();
    assert!(before.len() >= 40, "{}", before.len());
    // A deterministic sample of the bits of each file.
    let mut trials = Vec::new();
    for path in files(&killed.join("state")).into_iter().chain([killed.join("commits")]) {
        let bytes = used(&fs::read(&path).unwrap());
        let most = if bytes > 4_000 { 110 } else { 4 };
        let number = bytes.min(most);
        let at = |trial: usize| (trial * bytes / number, trial % 8);
        trials.extend((0..number).map(|trial| (path.clone(), at(trial))));
    }
    assert!(trials.len() >= 150, "{}", trials.len());
    let (mut resumed, mut refused) = (0, BTreeMap::<String, u32>::new());
    for (number, (path, (at, bit))) in trials.iter().enumerate() {
        let trial = site.path(&format!("trial{number}"));
        copy(&killed, &trial);
        let file = trial.join(path.strip_prefix(&killed).unwrap());
        let mut bytes = fs::read(&file).unwrap();
        bytes[*at] ^= 1 << bit;
        fs::write(&file, bytes).unwrap();
        let context = format!("byte {at} of {}", file.display());
        match site.resume(&trial) {
            Ok(_) => {
                resumed += 1;
                check_whole(&trial, &context);
            }
            Err(error) => *refused.entry(message(&error)).or_default() += 1,
        }
        let after = archived(&trial, true);
        let lost: Vec<&String> = before.iter().filter(|url| !after.contains_key(*url)).collect();
        assert!(lost.is_empty(), "{context}: lost {lost:?}");
        fs::remove_dir_all(&trial).unwrap();
    }
    assert!(resumed > 10 && !refused.is_empty(), "{resumed} resumed, {refused:?}");
    let is_told = |message: &&String| message.contains("ontrail crawl repair");
    assert_eq!(refused.keys().find(|message| !is_told(message)), None);
}

#[test]
fn a_state_older_than_the_pages_is_refused_and_changes_nothing() {
    let site = Site::new("bfs");
    site.crawl_and_copy("whole", &[(10, "early"), (40, "late")]);
    let late = site.path("late");
    fs::remove_dir_all(late.join("state")).unwrap();
    copy(&site.path("early/state"), &late.join("state"));
    let before: Vec<(PathBuf, u64)> = lengths(&late);
    let error = site.resume(&late).unwrap_err();
    assert!(matches!(error, CrawlError::Output(OutputError::OtherState { .. })), "{error}");
    assert!(error.to_string().contains("`ontrail crawl repair "), "{error}");
    assert_eq!(lengths(&late), before);
    // The pages of the same backup belong to it.
    site.resume(&site.path("early")).unwrap();
    check_whole(&site.path("early"), "early");
}

/// Returns the output files of a crawl and their lengths.
fn lengths(crawl: &Path) -> Vec<(PathBuf, u64)> {
    let folders = ["pages", "log", "links"].map(|name| files(&crawl.join(name)));
    let files = folders.into_iter().flatten().chain([crawl.join("commits")]);
    files.map(|path| (path.clone(), fs::metadata(&path).unwrap().len())).collect()
}

#[test]
fn pages_that_the_state_lost_with_its_last_commit_are_moved_aside() {
    let site = Site::new("bfs");
    let names: Vec<(usize, String)> = (20..40).map(|page| (page, format!("at{page}"))).collect();
    let copies: Vec<(usize, &str)> = names.iter().map(|(at, name)| (*at, name.as_str())).collect();
    site.crawl_and_copy("whole", &copies);
    // Two copies that are one commit apart.
    let pairs = copies.windows(2).map(|pair| (site.path(pair[0].1), site.path(pair[1].1)));
    let is_next = |(a, b): &(PathBuf, PathBuf)| last_commit(a) + 1 == last_commit(b);
    let (before, after) = pairs.into_iter().find(is_next).expect("pages that follow each other");
    let all = archived(&after, true);
    assert!(all.len() > archived(&before, true).len());
    fs::remove_dir_all(after.join("state")).unwrap();
    copy(&before.join("state"), &after.join("state"));
    let notices = site.resume(&after).unwrap();
    let cut = after.join("pages/cut-1");
    assert!(notices.contains(&OpeningNotice::MovedAside(cut.clone())), "{notices:?}");
    assert!(files(&cut).iter().any(|path| path.to_string_lossy().ends_with(".warc.gz")));
    check_whole(&after, "after");
    let kept = archived(&after, true);
    assert!(all.keys().all(|url| kept.contains_key(url)));
}

/// Returns the number of the last commit in the record of a crawl.
fn last_commit(crawl: &Path) -> u64 {
    let text = fs::read_to_string(crawl.join("commits")).unwrap();
    let slots = text.lines().filter_map(|line| line.trim_end().rsplit_once(' '));
    let commits = slots.map(|(json, _)| serde_json::from_str::<serde_json::Value>(json).unwrap());
    commits.map(|commit| commit["commit"].as_u64().unwrap()).max().unwrap()
}

#[test]
fn a_missing_or_damaged_record_is_reported_and_loses_nothing() {
    let site = Site::new("bfs");
    site.crawl_and_copy("whole", &[(30, "missing"), (31, "damaged")]);
    let [missing, damaged] = ["missing", "damaged"].map(|name| site.path(name));
    fs::remove_file(missing.join("commits")).unwrap();
    fs::write(damaged.join("commits"), "nothing").unwrap();
    let notices = site.resume(&missing).unwrap();
    assert_eq!(notices[0], OpeningNotice::NoRecord(missing.clone()));
    check_whole(&missing, "missing");
    let notices = site.resume(&damaged).unwrap();
    assert_eq!(notices[0], OpeningNotice::DamagedRecord(damaged.join("commits")));
    check_whole(&damaged, "damaged");
}

#[test]
fn a_file_that_is_shorter_than_committed_is_refused() {
    let site = Site::new("bfs");
    site.crawl_and_copy("whole", &[(30, "killed")]);
    let killed = site.path("killed");
    let archives = files(&killed.join("pages"));
    let open = archives.iter().find(|path| path.to_string_lossy().ends_with(".warc.gz.open"));
    let open = open.expect("the archive that is being written says so");
    let bytes = fs::read(open).unwrap();
    fs::write(open, &bytes[..bytes.len() / 2]).unwrap();
    let before = lengths(&killed);
    let error = site.resume(&killed).unwrap_err();
    assert!(matches!(error, CrawlError::Output(OutputError::Shorter { .. })), "{error}");
    assert_eq!(lengths(&killed), before);
}

/// A folder that a version before the names of open archives wrote.
#[test]
fn archives_with_the_old_names_are_resumed() {
    let site = Site::new("bfs");
    site.crawl_and_copy("whole", &[(30, "killed")]);
    assert!(files(&site.path("whole")).iter().all(|path| !path.ends_with(".open")));
    let killed = site.path("killed");
    for path in files(&killed.join("pages")) {
        if path.extension().is_some_and(|it| it == "open") {
            fs::rename(&path, path.with_extension("")).unwrap();
        }
    }
    fs::remove_file(killed.join("commits")).unwrap();
    site.resume(&killed).unwrap();
    check_whole(&killed, "killed");
}

/// The fetches in order, each with its rule, and every link with its verdict.
fn story(crawl: &Path) -> (Vec<(String, String)>, Vec<LinkRow>) {
    let rows = read_log(&crawl.join("log")).unwrap();
    let rows = rows.into_iter().filter(|row| row.rule.is_some());
    let rows = rows.map(|row| (row.final_url, format!("{} {:?}", row.outcome, row.rule)));
    let links = read_links(&crawl.join("links")).unwrap();
    (rows.collect(), links.into_iter().map(|link| LinkRow { page: 0, ..link }).collect())
}

/// After a repair the crawl continues exactly as it would have continued.
#[test]
fn a_crawl_whose_state_is_gone_is_repaired() {
    for recipe in ["bfs", "ontrail", "fcits-oh", "olmoaco", "shark-search", "fcsa"] {
        let site = Site::new(recipe);
        site.crawl_and_copy("whole", &[(12, "killed")]);
        let (killed, control) = (site.path("killed"), site.path("control"));
        assert!(killed.exists(), "{recipe} fetches {} pages", page_rows(&site.path("whole")).len());
        copy(&killed, &control);
        let archived_before = archived(&killed, true);
        fs::remove_dir_all(killed.join("state")).unwrap();
        let error = site.resume(&killed).unwrap_err().to_string();
        assert!(error.contains("`ontrail crawl repair "), "{recipe}: {error}");
        fs::remove_dir_all(killed.join("state")).unwrap();
        let repaired = site.repair(&killed).unwrap();
        assert_eq!((repaired.unreadable, repaired.not_stored), (0, 0), "{recipe}");
        site.resume(&control).unwrap();
        site.resume(&killed).unwrap();
        assert_eq!(story(&killed), story(&control), "{recipe}");
        let pages = |crawl: &Path| -> BTreeSet<String> {
            page_rows(crawl).into_iter().map(|row| row.final_url).collect()
        };
        assert_eq!(pages(&killed), pages(&site.path("whole")), "{recipe}");
        assert!(archived(&killed, false).values().all(|count| *count == 1), "{recipe}");
        let after = archived(&killed, true);
        assert!(archived_before.keys().all(|url| after.contains_key(url)), "{recipe}");
    }
}

#[test]
fn a_repair_without_a_record_reads_the_files() {
    let site = Site::new("bfs");
    site.crawl_and_copy("whole", &[(25, "killed")]);
    let killed = site.path("killed");
    fs::remove_dir_all(killed.join("state")).unwrap();
    fs::remove_file(killed.join("commits")).unwrap();
    // Half a row and half a record are left over.
    let add = |ending: &str, bytes: &[u8]| {
        let found = files(&killed).into_iter().filter(|it| it.to_string_lossy().ends_with(ending));
        for path in found {
            fs::write(&path, [&fs::read(&path).unwrap()[..], bytes].concat()).unwrap();
        }
    };
    add(".jsonl", b"{\"number\":");
    add(".warc.gz.open", &[0x1f, 0x8b, 8, 0, 0]);
    let before = archived(&killed, true);
    let repaired = site.repair(&killed).unwrap();
    assert!(repaired.moved.contains(&killed.join("pages/cut-1")), "{:?}", repaired.moved);
    assert_eq!(repaired.summary.downloaded, before.len() as u64);
    site.resume(&killed).unwrap();
    check_whole(&killed, "killed");
}

#[test]
fn a_finished_crawl_with_sealed_parts_is_repaired_and_can_be_extended() {
    let mut site = Site::new("bfs");
    site.settings.budget = 20;
    let crawl = site.path("crawl");
    site.resume(&crawl).unwrap();
    assert!(files(&crawl.join("log")).iter().all(|path| path.extension().unwrap() == "parquet"));
    let rows = page_rows(&crawl);
    fs::remove_dir_all(crawl.join("state")).unwrap();
    site.repair(&crawl).unwrap();
    site.settings.budget = 1_000;
    site.resume(&crawl).unwrap();
    check_whole(&crawl, "crawl");
    assert_eq!(page_rows(&crawl)[..rows.len()], rows[..]);
}

#[test]
fn pages_that_were_not_stored_are_replaced_by_their_links() {
    for has_links in [true, false] {
        let mut site = Site::new("bfs");
        site.settings.output.irrelevant = false;
        site.settings.output.links = has_links;
        site.crawl_and_copy("whole", &[(25, "killed")]);
        let killed = site.path("killed");
        fs::remove_dir_all(killed.join("state")).unwrap();
        let repaired = site.repair(&killed).unwrap();
        assert!(repaired.not_stored > 0, "{repaired:?}");
        assert_eq!(repaired.without_links > 0, !has_links, "{repaired:?}");
        site.resume(&killed).unwrap();
        let rows = page_rows(&killed);
        let urls: BTreeSet<&str> = rows.iter().map(|row| row.final_url.as_str()).collect();
        assert_eq!(urls.len(), rows.len());
        assert!(!has_links || urls.len() == PAGES, "{}", urls.len());
    }
}
