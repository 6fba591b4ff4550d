//! Instructions of pages and headers to crawlers: noindex, nofollow and canonical URLs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ontrail_archive::Capture;
use ontrail_crawl::{
    ArchiveWeb, Crawl, CrawlParts, CrawlSettings, End, FetchKind, Focus, FoundLink, FrontierLimits,
    LocalState, LogRow, Outcome, Reading, parse_seeds, read_log,
};
use ontrail_page::{HostTemplate, Html, Source};
use ontrail_pilot::Recipe;
use url::Url;

/// Extracts links and scores nothing.
struct LinksOnly;

impl Focus for LinksOnly {
    fn read(
        &self,
        bytes: &[u8],
        url: &Url,
        content_type: Option<&str>,
        _: &HostTemplate,
    ) -> Reading {
        let html = Html::parse(bytes, Source::at(url).with_content_type(content_type));
        let found =
            |link: ontrail_page::PageLink| FoundLink::new(link.url, link.anchor, link.rel.nofollow);
        Reading {
            title: html.title,
            charset: html.charset,
            language: html.language,
            robots: html.robots,
            agent_robots: html.agent_robots,
            canonical: html.canonical,
            relevance: None,
            judged: None,
            class: None,
            terms: None,
            simhash: None,
            links: html.links.into_iter().map(found).collect(),
            names: Vec::new(),
            fingerprints: Vec::new(),
        }
    }
}

/// A page: its path on the host a.test, its headers, and its body.
type Given<'a> = (&'a str, &'a str, &'a str);

/// Crawls pages from the first one. Returns the rows of pages in the log.
fn crawl(pages: &[Given<'_>], agent: &str) -> Vec<LogRow> {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    for (number, (path, headers, body)) in (0..).zip(pages) {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{headers}\r\n");
        let capture = Capture {
            url: &url(path),
            time: 1_600_000_000_000,
            number,
            address: None,
            request: b"",
            head: head.as_bytes(),
            body: body.as_bytes(),
            truncated: None,
        };
        bytes.extend(capture.pack().bytes);
    }
    let archive = folder.path().join("web.warc.gz");
    std::fs::write(&archive, bytes).unwrap();
    let mut settings = CrawlSettings::default();
    agent.clone_into(&mut settings.fetch.agent);
    let limits = FrontierLimits::from(&settings);
    let parts = CrawlParts {
        web: Arc::new(ArchiveWeb::open(&[archive]).unwrap()),
        focus: Arc::new(LinksOnly),
        recipe: Recipe::shipped("bfs").unwrap(),
        state: Box::new(LocalState::on_disk(&folder.path().join("state"), limits).unwrap()),
        seeds: parse_seeds(&url(pages[0].0)).unwrap(),
        labels: None,
        settings,
        has_topic: false,
        threads: 1,
    };
    let mut crawl = Crawl::open(parts, folder.path()).unwrap();
    assert_eq!(crawl.run(&AtomicBool::new(false), &mut |_| ()).unwrap(), End::NothingLeft);
    let rows = read_log(&folder.path().join("log")).unwrap();
    rows.into_iter().filter(|row| row.kind == FetchKind::Page).collect()
}

fn url(path: &str) -> String {
    format!("http://a.test{path}")
}

/// Returns the outcome and the path of each row, with a star after a page that was stored.
fn shown(rows: &[LogRow]) -> Vec<String> {
    let shown = |row: &LogRow| {
        let star = if row.stored.is_some() { "*" } else { "" };
        format!("{} {}{star}", row.outcome, row.final_url.trim_start_matches("http://a.test"))
    };
    rows.iter().map(shown).collect()
}

#[test]
fn every_x_robots_tag_header_counts_and_only_those_for_us() {
    let home = "<a href=/1>1</a> <a href=/2>2</a> <a href=/3>3</a> <a href=/4>4</a>";
    let link = "one <a href=/never>never</a>";
    let pages = [
        ("/", "X-Robots-Tag: otherbot: noindex, nofollow\r\n", home),
        (
            "/1",
            "X-Robots-Tag: noarchive\r\nX-Robots-Tag: noindex\r\nx-robots-tag: nofollow\r\n",
            link,
        ),
        ("/2", "X-Robots-Tag: otherbot: none\r\nX-Robots-Tag: Ontrail: noindex\r\n", "two"),
        ("/3", "X-Robots-Tag: unavailable_after: 25 Jun 2010 15:00:00 PST\r\n", "three"),
        ("/4", "X-Robots-Tag: ontrail: nofollow\r\n", "four <a href=/never>never</a>"),
    ];
    let rows = crawl(&pages, "Ontrail/0.1");
    assert_eq!(shown(&rows), ["page /*", "page /1", "page /2", "page /3*", "page /4*"]);
    // A crawler with another name obeys its own instructions.
    let rows = crawl(&pages, "OtherBot/2.0");
    assert_eq!(shown(&rows), ["page /"]);
}

#[test]
fn meta_elements_with_our_name_count_and_those_with_another_do_not() {
    let pages = [
        ("/", "", "<meta name=otherbot content=none><a href=/1>1</a> <a href=/2>2</a>"),
        ("/1", "", "<meta name=ONTRAIL content=noindex>one"),
        ("/2", "", "<meta name=ontrail content=nofollow>two <a href=/never>never</a>"),
    ];
    assert_eq!(shown(&crawl(&pages, "Ontrail/0.1")), ["page /*", "page /1", "page /2*"]);
    assert_eq!(shown(&crawl(&pages, "otherbot")), ["page /"]);
}

#[test]
fn a_copy_of_a_fetched_canonical_page_is_not_stored() {
    let pages = [
        ("/", "", "<a href=/a>a</a> <a href='/a?print=1'>copy</a> <a href=/b>b</a>"),
        ("/a", "", "<link rel=canonical href=/a#self>the page"),
        ("/a?print=1", "", "<link rel=canonical href='/a?utm_source=x'>copy <a href=/c>c</a>"),
        ("/b", "Link: </a>; rel=\"canonical\"\r\n", "another copy"),
        ("/c", "", "only the copy has a link to this page"),
    ];
    let rows = crawl(&pages, "Ontrail");
    let expected = ["page /*", "page /a*", "duplicate /a?print=1", "duplicate /b", "page /c*"];
    assert_eq!(shown(&rows), expected);
    for row in &rows[2..4] {
        assert_eq!(row.duplicate_of, Some(url("/a")));
        assert_eq!(row.canonical, Some(url("/a")));
    }
    assert_eq!((rows[1].canonical.clone(), rows[0].canonical.clone()), (Some(url("/a")), None));
}

#[test]
fn the_canonical_page_of_a_copy_is_fetched_with_the_priority_of_the_copy() {
    let pages = [
        ("/", "", "<a href='/a?x=1'>a</a> <a href=/b>b</a>"),
        ("/a?x=1", "", "<link rel=canonical href=/a>copy"),
        ("/a", "", "the page"),
        ("/b", "", "b"),
    ];
    let rows = crawl(&pages, "Ontrail");
    assert_eq!(shown(&rows), ["page /*", "page /a?x=1*", "page /a*", "page /b*"]);
    assert_eq!(rows[2].depth, 1);
    assert_eq!(rows[2].outcome, Outcome::Page);
}

#[test]
fn chains_and_loops_of_canonical_urls_lose_no_page() {
    let looped = [
        ("/", "", "<a href=/a>a</a> <a href=/b>b</a>"),
        ("/a", "", "<link rel=canonical href=/b>a"),
        ("/b", "", "<link rel=canonical href=/a>b"),
    ];
    assert_eq!(shown(&crawl(&looped, "Ontrail")), ["page /*", "page /a*", "duplicate /b"]);
    let chain = [
        ("/", "", "<a href=/a>a</a>"),
        ("/a", "", "<link rel=canonical href=/b>a"),
        ("/b", "", "<link rel=canonical href=/c>b"),
        ("/c", "", "c"),
    ];
    assert_eq!(shown(&crawl(&chain, "Ontrail")), ["page /*", "page /a*", "page /b*", "page /c*"]);
    // The canonical page is missing, must not be stored, or is one of another site.
    let missing = [
        ("/", "", "<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a> <a href=/d>d</a>"),
        ("/a", "", "<link rel=canonical href=/gone>a"),
        ("/b", "", "<meta name=robots content=noindex>b"),
        ("/c", "", "<link rel=canonical href=/b>c"),
        ("/d", "", "<link rel=canonical href=http://b.test/>d"),
    ];
    let expected = ["page /*", "page /a*", "http-404 /gone", "page /b", "page /c*", "page /d*"];
    assert_eq!(shown(&crawl(&missing, "Ontrail")), expected);
}
