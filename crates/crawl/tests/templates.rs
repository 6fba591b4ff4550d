//! The templates of hosts are learned while a crawl runs, and a crawl that is resumed knows them.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ontrail_crawl::{
    Crawl, CrawlParts, CrawlSettings, End, Focus, FolderWeb, FoundLink, FrontierLimits, LocalState,
    LogRow, NoWeb, Reading, parse_seeds, read_log,
};
use ontrail_page::{AgentRobots, Content, HostTemplate, Html, Source};
use ontrail_pilot::Recipe;
use url::Url;

const PAGES: usize = 30;
const NOTICE: &str = "Our reporters work day and night, in any weather, to bring you the news.";

/// Scores a page by the share of its main content that is not the notice, and asks the crawl to
/// stop after some pages.
struct MainOnly {
    stop_after: usize,
    stop: Arc<AtomicBool>,
    pages: AtomicUsize,
}

impl Focus for MainOnly {
    fn read(&self, bytes: &[u8], url: &Url, _: Option<&str>, template: &HostTemplate) -> Reading {
        if self.pages.fetch_add(1, Ordering::Relaxed) + 1 == self.stop_after {
            self.stop.store(true, Ordering::Relaxed);
        }
        let mut html = Html::parse(bytes, Source::at(url));
        let fingerprints = html.fingerprints();
        html.leave_out(template);
        let has_notice = html.text_of(Content::Main).contains(NOTICE);
        let found = |link: ontrail_page::PageLink| {
            let relevance = 0.5;
            FoundLink { relevance, ..FoundLink::new(link.url, link.anchor, false) }
        };
        Reading {
            title: html.title,
            charset: html.charset,
            language: html.language,
            robots: html.robots,
            agent_robots: AgentRobots::default(),
            canonical: None,
            judged: None,
            relevance: Some(if has_notice { 0.25 } else { 0.75 }),
            class: None,
            terms: None,
            simhash: None,
            links: html.links.into_iter().map(found).collect(),
            names: Vec::new(),
            fingerprints,
        }
    }
}

fn write_site(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for n in 0..PAGES {
        let story = format!("Report {n}: the river rose by {n} centimetres, said the mayor {n}.");
        let page = format!(
            "<article><p>{story}</p><p>{NOTICE}</p></article><a href=p{}.html>next</a>",
            (n + 1) % PAGES
        );
        std::fs::write(folder.join(format!("p{n}.html")), page).unwrap();
    }
}

/// Runs a crawl until it has read so many pages, or to its end.
fn run(folder: &Path, crawl: &str, stop_after: usize) -> End {
    let path = folder.join(crawl);
    let stop = Arc::new(AtomicBool::new(false));
    let focus = MainOnly { stop_after, stop: Arc::clone(&stop), pages: AtomicUsize::new(0) };
    let parts = parts(&path, Arc::new(FolderWeb::open(&folder.join("site")).unwrap()), focus);
    Crawl::open(parts, &path).unwrap().run(&stop, &mut |_| ()).unwrap()
}

fn parts(crawl: &Path, web: Arc<dyn ontrail_crawl::Web>, focus: MainOnly) -> CrawlParts {
    let settings = CrawlSettings::default();
    let limits = FrontierLimits::from(&settings);
    CrawlParts {
        web,
        focus: Arc::new(focus),
        recipe: Recipe::shipped("bfs").unwrap(),
        state: Box::new(LocalState::on_disk(&crawl.join("state"), limits).unwrap()),
        settings,
        seeds: parse_seeds("http://localhost/p0.html").unwrap(),
        labels: None,
        has_topic: true,
        threads: 1,
    }
}

fn relevances(crawl: &Path) -> Vec<(String, Option<f64>)> {
    let rows = read_log(&crawl.join("log")).unwrap();
    let pages = rows.into_iter().filter(LogRow::is_page);
    pages.map(|row| (row.final_url, row.relevance)).collect()
}

#[test]
fn a_template_is_learned_and_survives_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    write_site(&folder.path().join("site"));
    run(folder.path(), "whole", usize::MAX);
    let whole = relevances(&folder.path().join("whole"));
    assert_eq!(whole.len(), PAGES);
    let expected = |n: usize| Some(if n < 8 { 0.25 } else { 0.75 });
    for (n, (url, relevance)) in whole.iter().enumerate() {
        assert_eq!(*relevance, expected(n), "{url}: eight pages make the notice known");
    }
    let mut runs = 0;
    while run(folder.path(), "parts", 3) == End::Stopped {
        runs += 1;
        assert!(runs < 100);
    }
    assert!(runs > 5, "{runs}");
    assert_eq!(relevances(&folder.path().join("parts")), whole);
}

#[test]
fn a_repaired_crawl_knows_the_template() {
    let folder = tempfile::tempdir().unwrap();
    write_site(&folder.path().join("site"));
    run(folder.path(), "crawl", 12);
    let crawl = folder.path().join("crawl");
    std::fs::remove_dir_all(crawl.join("state")).unwrap();
    let focus =
        MainOnly { stop_after: usize::MAX, stop: Arc::default(), pages: AtomicUsize::new(0) };
    Crawl::repair(parts(&crawl, Arc::new(NoWeb), focus), &crawl, 0.0, &mut |_, _| ()).unwrap();
    run(folder.path(), "crawl", usize::MAX);
    run(folder.path(), "whole", usize::MAX);
    assert_eq!(relevances(&crawl), relevances(&folder.path().join("whole")));
}
