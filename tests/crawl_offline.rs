//! Offline crawls of archives and folders: they are deterministic and measured.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_archive::Capture;
use ontrail_crawl::{FetchKind, LogRow, Outcome, read_links, read_log};
use ontrail_pilot::Score;
use ontrail_tests::Folder;
use serde_json::{Value, json};

/// Writes an archive of pages, each with a URL and a body; a body that starts with `->` is a
/// redirect.
fn archive(pages: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (url, body)) in pages.iter().enumerate() {
        let head = match body.strip_prefix("->") {
            Some(to) => format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n"),
            None => "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".to_owned(),
        };
        let capture = Capture {
            url,
            time: 1_600_000_000_000,
            number: number as u64,
            address: None,
            request: b"",
            head: head.as_bytes(),
            body: body.as_bytes(),
            truncated: None,
        };
        bytes.extend(capture.pack().bytes);
    }
    bytes
}

/// A small web whose order can be followed on paper. Relevance is that of the words rain and storm.
fn small_web(folder: &Folder) {
    let pages = [
        // R = 1, both words; links to b (about rain), c (about nothing), d.
        (
            "http://a.test/",
            "rain storm <a href=/c>nothing</a> <a href=/b>rain</a> <a href=/d>rain storm</a>",
        ),
        ("http://a.test/b", "rain <a href=/e>nothing</a>"),
        ("http://a.test/c", "nothing <a href=/f>rain storm</a>"),
        ("http://a.test/d", "->http://b.test/d"),
        ("http://b.test/d", "storm rain again <a href=http://a.test/gone>rain storm</a>"),
        ("http://a.test/e", "nothing at all"),
        ("http://a.test/f", "rain storm again"),
    ];
    folder.write("web.warc.gz", archive(&pages));
    let ran = folder.run(&["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let labels = "http://a.test/\tweather\nhttp://a.test/b\tweather|news\nhttp://b.test/d\tweather\n\
                  http://a.test/c\tsports\nhttp://a.test/f\tweather\n";
    folder.write("labels.tsv", labels);
}

fn crawl(folder: &Folder, out: &str, more: &[&str]) -> Value {
    let args = ["crawl", "run", "--web", "web.warc.gz", "-o", out, "--json", "http://a.test/"];
    folder.run(&[&args[..], more].concat()).json()
}

fn fetched(folder: &Folder, out: &str) -> Vec<LogRow> {
    let rows = read_log(&folder.path(out).join("log")).unwrap();
    rows.into_iter().filter(|row| row.kind == FetchKind::Page).collect()
}

fn order(rows: &[LogRow]) -> Vec<String> {
    let shown = |row: &LogRow| {
        let url = row.final_url.trim_start_matches("http://");
        if row.outcome == Outcome::Page { url.to_owned() } else { format!("{} {url}", row.outcome) }
    };
    rows.iter().map(shown).collect()
}

#[test]
fn breadth_first_fetches_links_in_the_order_they_are_found() {
    let folder = Folder::new();
    small_web(&folder);
    let summary = crawl(&folder, "out", &["--recipe", "bfs"]);
    let expected = [
        "a.test/",
        "a.test/c",
        "a.test/b",
        // The redirect is followed before what was found later.
        "redirect b.test/d",
        "b.test/d",
        "a.test/f",
        "a.test/e",
        "http-404 a.test/gone",
    ];
    assert_eq!(order(&fetched(&folder, "out")), expected);
    assert_eq!(summary["self"], Value::Null);
    assert_eq!(summary["errors"], json!({"http-404": 1}));
    assert_eq!((summary["downloaded"].as_u64(), summary["redirects"].as_u64()), (Some(6), Some(1)));
}

#[test]
fn best_first_fetches_the_most_promising_link() {
    let folder = Folder::new();
    small_web(&folder);
    let labels = ["--topic", "t.json", "--labels", "labels.tsv", "--relevant", "weath*"];
    let plain =
        ["--recipe", "fixed", "--set", "priority.kind=page-anchor", "--set", "priority.page=0.5"];
    let summary = crawl(&folder, "out", &[&labels[..], &plain].concat());
    // P = (R(page) + R(anchor)) / 2. Of a: d has (1 + 1) / 2, b (1 + 1/√2) / 2 and c 1/2.
    // b.test/d, where d leads, gives gone 1; of b (R = 1/√2) e has 1/√8 = .354, of c (R = 1: the
    // text of its link counts) f has 1. So gone comes before b, and c before e.
    let rows = fetched(&folder, "out");
    let expected = [
        "a.test/",
        "redirect b.test/d",
        "b.test/d",
        "http-404 a.test/gone",
        "a.test/b",
        "a.test/c",
        "a.test/f",
        "a.test/e",
    ];
    assert_eq!(order(&rows), expected);
    let row = |url: &str| {
        rows.iter().find(|row| row.final_url == url && row.outcome == Outcome::Page).unwrap()
    };
    let close = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-9;
    let half = 0.5_f64.sqrt();
    assert!(close(row("http://a.test/b").score(Score::Priority), f64::midpoint(1.0, half)));
    assert!(close(row("http://a.test/b").score(Score::Anchor), half));
    assert!(close(row("http://a.test/b").score(Score::Page), 1.0));
    assert!(close(row("http://a.test/b").relevance, half));
    assert_eq!(row("http://b.test/d").url, "http://a.test/d");
    assert_eq!(row("http://a.test/f").parent.as_deref(), Some("http://a.test/c"));
    assert_eq!(
        (row("http://a.test/f").depth, row("http://a.test/f").anchor.as_str()),
        (2, "rain storm")
    );
    assert_eq!(row("http://a.test/b").label.as_deref(), Some("weather|news"));

    // Six pages: R = 1, 1, 1/√2, 1, 1, 0. Relevant above .5: all but e.
    let own = &summary["self"];
    let number = |value: &Value| value.as_f64().unwrap();
    let average = (4.0 + half) / 6.0;
    assert_eq!(own["relevant"], 5);
    assert!((number(&own["accuracy"]) - 5.0 / 6.0).abs() < 1e-9);
    assert!((number(&own["average_relevance"]) - average).abs() < 1e-9);
    let variance = (4.0 + 0.5) / 6.0 - average * average;
    assert!((number(&own["sd"]) - variance.sqrt()).abs() < 1e-9);
    assert!((number(&own["average_similarity"]) - (4.0 + half) / 5.0).abs() < 1e-9);
    // In anchor texts the two words weigh by their rarity in general text, so an anchor text with
    // both has a cosine just below 1.
    let both = |url: &str| 1.0 - row(url).score(Score::Priority).unwrap();
    let (of_d, of_f) = (both("http://b.test/d"), both("http://a.test/f"));
    assert!((0.0..0.05).contains(&of_d) && (0.0..0.05).contains(&of_f), "{of_d} {of_f}");
    // |R - P| of d and f as above, b |.707 - .854|, c .5, e .354; the seed was not predicted.
    let error = f64::midpoint(1.0, half) - half + 0.5 + 0.125_f64.sqrt();
    let error = (error + of_d + of_f) / 5.0;
    assert!((number(&own["average_error"]) - error).abs() < 1e-9);
    // By labels: a, b, b.test/d and f of the four that there are; three of them were found, not
    // given.
    let truth = &summary["true"];
    assert_eq!((truth["relevant"].as_u64(), truth["relevant_pages"].as_u64()), (Some(4), Some(4)));
    assert_eq!(truth["labelled"], 5);
    assert!((number(&truth["recall"]) - 1.0).abs() < 1e-9);
    assert!((number(&truth["recall_without_seeds"]) - 1.0).abs() < 1e-9);
    assert!((number(&truth["accuracy"]) - 4.0 / 6.0).abs() < 1e-9);
    assert!((number(&truth["average_similarity"]) - (3.0 + half) / 4.0).abs() < 1e-9);
}

#[test]
fn links_are_stored_with_their_verdicts() {
    let folder = Folder::new();
    small_web(&folder);
    crawl(&folder, "out", &["--topic", "t.json", "--except", "/e$", "--max-depth", "1"]);
    let links = read_links(&folder.path("out/links")).unwrap();
    let verdict = |url: &str| links.iter().find(|link| link.url == url).unwrap().verdict.name();
    assert_eq!(verdict("http://a.test/b"), "queued");
    assert_eq!(verdict("http://a.test/e"), "excepted");
    assert_eq!(verdict("http://a.test/f"), "too-deep");
    let none = crawl(&folder, "none", &["--no-links"]);
    assert_eq!(none["downloaded"], 6);
    assert!(read_links(&folder.path("none/links")).unwrap().is_empty());
}

/// Returns the files of a crawl that must depend only on the web and the random seed.
fn bytes(folder: &Folder, out: &str) -> Vec<Vec<u8>> {
    let names = [
        "log/00000.parquet",
        "links/00000.parquet",
        "pages/pages-00000.warc.gz",
        "pages/pages-00000.cdxj",
    ];
    names.iter().map(|name| std::fs::read(folder.path(out).join(name)).unwrap()).collect()
}

/// A web of 300 pages, large enough to be interrupted.
fn large_web(folder: &Folder) {
    let pages: Vec<(String, String)> = (0..300_u32)
        .map(|n| {
            let links: String = (1..5)
                .map(|k| (n * 7 + k * 13) % 300)
                .map(|to| {
                    format!(
                        "<a href=http://h{}.test/{to}>{} {to}</a> ",
                        to % 7,
                        ["rain", "sun"][to as usize % 2]
                    )
                })
                .collect();
            let words = ["rain storm", "rain", "nothing"][n as usize % 3];
            (
                format!("http://h{}.test/{n}", n % 7),
                format!("<title>{n}</title>{words} {n} {links}"),
            )
        })
        .collect();
    let borrowed: Vec<(&str, &str)> = pages.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    folder.write("web.warc.gz", archive(&borrowed));
    let ran = folder.run(&["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn the_same_crawl_gives_the_same_bytes() {
    let folder = Folder::new();
    large_web(&folder);
    let crawl = |out: &str, more: &[&str]| {
        let args = [
            "crawl",
            "run",
            "--web",
            "web.warc.gz",
            "--topic",
            "t.json",
            "-o",
            out,
            "http://h0.test/0",
        ];
        let ran = folder.run(&[&args[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    crawl("one", &[]);
    crawl("two", &["--threads", "1"]);
    crawl("memory", &["--frontier", "memory"]);
    assert_eq!(bytes(&folder, "one"), bytes(&folder, "two"));
    assert_eq!(bytes(&folder, "one"), bytes(&folder, "memory"));
    // Ended by its budget and resumed, it fetches the same pages in the same order.
    crawl("parts", &["--budget", "50"]);
    let resumed = folder.run(&["crawl", "resume", "parts", "--budget", "1000", "--json"]).json();
    assert_eq!(resumed["finished"], true);
    let urls = |out: &str| -> Vec<String> {
        fetched(&folder, out).into_iter().map(|row| row.final_url).collect()
    };
    assert_eq!(urls("parts"), urls("one"));
    assert!(urls("one").len() > 250);
    let refused = folder.run(&["crawl", "resume", "memory"]);
    refused.refused("cannot resume this crawl");
}

#[test]
fn archives_of_every_compression_give_the_same_crawl() {
    let folder = Folder::new();
    let first =
        archive(&[("http://a.test/", "<title>one</title><a href=/2>2</a><a href=/3>3</a>")]);
    let second = archive(&[
        ("http://a.test/2", "<title>two</title>"),
        ("http://a.test/3", "<title>three</title>"),
    ]);
    let unpacked = |bytes: &[u8]| {
        let mut plain = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes), &mut plain)
            .unwrap();
        plain
    };
    let packed_whole = |bytes: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, bytes).unwrap();
        packer.finish().unwrap()
    };
    folder.write("first.warc", unpacked(&first));
    folder.write("second.warc.gz", packed_whole(&unpacked(&second)));
    let args = [
        "crawl",
        "run",
        "--web",
        "first.warc",
        "--web",
        "second.warc.gz",
        "-o",
        "out",
        "--json",
        "http://a.test/",
    ];
    assert_eq!(folder.run(&args).json()["downloaded"], 3);
    let titles: Vec<_> = fetched(&folder, "out").into_iter().filter_map(|row| row.title).collect();
    assert_eq!(titles, ["one", "two", "three"]);
    // The archives of a crawl can be crawled themselves.
    let again = [
        "crawl",
        "run",
        "--web",
        "out/pages/pages-00000.warc.gz",
        "-o",
        "again",
        "--json",
        "http://a.test/",
    ];
    assert_eq!(folder.run(&again).json()["downloaded"], 3);
}

#[test]
fn a_folder_of_pages_is_a_web() {
    let folder = Folder::new();
    folder.write(
        "web/index.html",
        "<title>home</title><a href=sub/>sub</a><a href=http://www.example.org/x.html>x</a>",
    );
    folder.write(
        "web/sub/index.html",
        "<title>sub</title><a href=../暴雨.html>rain</a><a href=../../out.html>out</a>",
    );
    folder.write("web/暴雨.html", "<title>暴雨</title>");
    folder.write("web/www.example.org/x.html", "<title>mirrored</title><a href=pic.png>pic</a>");
    folder.write("web/www.example.org/pic.png", [1, 2, 3]);
    folder.write("out.html", "<title>outside</title>");
    let args = ["crawl", "run", "--web", "web", "-o", "crawled", "--json", "http://localhost/"];
    let summary = folder.run(&args).json();
    let titles: Vec<_> =
        fetched(&folder, "crawled").into_iter().filter_map(|row| row.title).collect();
    assert_eq!(titles, ["home", "sub", "mirrored", "暴雨"]);
    assert_eq!(summary["errors"], json!({"http-404": 1, "type": 1}));
}

#[test]
fn the_same_page_under_another_url_is_a_duplicate() {
    let folder = Folder::new();
    let text: String = (0..200).map(|n| format!("word{n} ")).collect();
    let near = text.replace("word7 ", "other ");
    let home = "<a href=/same>1</a><a href=/again>2</a><a href=/near>3</a>";
    let pages = [
        ("http://a.test/", home),
        ("http://a.test/same", &text),
        ("http://a.test/again", &text),
        ("http://a.test/near", &near),
    ];
    folder.write("web.warc.gz", archive(&pages));
    let summary = crawl(&folder, "out", &[]);
    assert_eq!(
        (summary["duplicates"].as_u64(), summary["near_duplicates"].as_u64()),
        (Some(1), Some(1))
    );
    let rows = fetched(&folder, "out");
    let row = |url: &str| rows.iter().find(|row| row.final_url == url).unwrap();
    assert_eq!(row("http://a.test/again").duplicate_of.as_deref(), Some("http://a.test/same"));
    assert_eq!(row("http://a.test/near").near_duplicate_of.as_deref(), Some("http://a.test/same"));
    let records =
        ontrail_archive::Records::open(&folder.path("out/pages/pages-00000.warc.gz")).unwrap();
    let kinds: Vec<String> = records.map(|record| record.unwrap().kind().to_owned()).collect();
    assert_eq!(kinds, ["warcinfo", "response", "response", "revisit", "response"]);
    // A crawl of that archive finds the page whose record refers to another one.
    let args = ["crawl", "run", "--web", "out/pages/pages-00000.warc.gz", "-o", "again", "--json"];
    let again = folder.run(&[&args[..], &["http://a.test/"]].concat()).json();
    assert_eq!((again["downloaded"].as_u64(), again["duplicates"].as_u64()), (Some(4), Some(1)));
}

#[test]
fn caps_on_pages_are_obeyed() {
    let folder = Folder::new();
    let list = |n: u32| format!("<a href='/list?page={}'>next</a><a href=/x{n}>x</a> {n}", n + 1);
    let pages: Vec<(String, String)> = (0..40)
        .map(|n| (format!("http://a.test/list?page={n}"), list(n)))
        .chain([("http://a.test/".to_owned(), "<a href='/list?page=0'>list</a>".to_owned())])
        .collect();
    let borrowed: Vec<(&str, &str)> = pages.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    folder.write("web.warc.gz", archive(&borrowed));
    folder.write("s.toml", "[caps]\nlinks-per-pattern = 10\n");
    let summary = crawl(&folder, "pattern", &["--settings", "s.toml", "--max-depth", "100"]);
    assert_eq!(summary["downloaded"], 11);
    assert_eq!(summary["refused"]["pattern-full"], 1);
    let summary = crawl(&folder, "host", &["--max-per-host", "5", "--max-depth", "100"]);
    assert_eq!(summary["downloaded"], 5);
    assert!(summary["refused"]["host-full"].as_u64().unwrap() > 0);
}

#[test]
fn irrelevant_and_oversized_pages_are_not_stored_if_so_set() {
    let folder = Folder::new();
    small_web(&folder);
    // Of six pages one is not on the topic.
    let relevant = crawl(&folder, "relevant", &["--topic", "t.json", "--only-relevant"]);
    assert_eq!((relevant["downloaded"].as_u64(), relevant["stored"].as_u64()), (Some(6), Some(5)));
    // The first page is longer than forty bytes. Cut, only its link to c is there, and c leads to
    // f.
    folder.write("cut.toml", "[fetch]\nbody-limit = 40\n");
    folder.write("drop.toml", "[fetch]\nbody-limit = 40\nover-limit = \"drop\"\n");
    let cut = crawl(&folder, "cut", &["--settings", "cut.toml"]);
    assert_eq!((cut["downloaded"].as_u64(), &cut["errors"]), (Some(3), &json!({})));
    let row = &fetched(&folder, "cut")[0];
    assert_eq!((row.bytes, row.detail.as_deref()), (40, Some("only its start was kept or read")));
    let args = ["crawl", "run", "--web", "web.warc.gz", "--settings", "drop.toml", "-o", "drop"];
    let drop = folder.run(&[&args[..], &["--json", "http://a.test/"]].concat());
    assert_eq!((drop.code, drop.json()["errors"].clone()), (1, json!({"too-large": 1})));
}

#[test]
fn a_finished_crawl_is_shown_and_exported() {
    let folder = Folder::new();
    small_web(&folder);
    crawl(
        &folder,
        "best",
        &["--topic", "t.json", "--labels", "labels.tsv", "--relevant", "weather"],
    );
    crawl(&folder, "bfs", &["--recipe", "bfs", "--topic", "t.json", "--budget", "3"]);
    let status = folder.run(&["crawl", "status", "best"]);
    assert!(status.stdout.starts_with("finished\n6 pages in "), "{}", status.stdout);
    assert!(status.stdout.contains("harvest rate (AC)"));
    // Common to both: a, b, c of six; of relevant ones the same of five.
    let report = folder.run(&["crawl", "report", "best", "--beside", "bfs", "--json"]).json();
    assert_eq!(report["superposition"]["pages"]["ratio"], 0.5);
    assert_eq!(report["superposition"]["relevant"]["ratio"], 0.6);
    let html = std::fs::read_to_string(folder.path("best/report.html")).unwrap();
    for part in [
        "<svg",
        "Harvest rate",
        "ground truth",
        "Mean relevance",
        "a.test",
        "http-404",
        "Standard deviation",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("NaN"));
    let lines = folder.run(&["crawl", "export", "best", "--content", "page"]).stdout;
    let pages: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pages.len(), 5);
    assert_eq!(
        (&pages[1]["final_url"], &pages[1]["label"]),
        (&json!("http://b.test/d"), &json!("weather"))
    );
    assert_eq!(pages[1]["text"], "storm rain again rain storm");
    let table =
        folder.run(&["crawl", "export", "best", "--format", "csv", "--all", "-o", "pages.csv"]);
    assert_eq!(table.code, 0, "{}", table.stderr);
    let text = std::fs::read_to_string(folder.path("pages.csv")).unwrap();
    assert_eq!(
        (text.lines().count(), text.starts_with("url,final_url,fetched_at,status,")),
        (7, true)
    );
    let plain = folder.run(&["crawl", "export", "best", "--format", "text"]).stdout;
    assert!(plain.starts_with("http://a.test/\n"), "{plain}");
}

#[test]
fn mistakes_are_reported_before_anything_is_written() {
    let folder = Folder::new();
    small_web(&folder);
    folder.write("bad.toml", "[fetch]\nparalel = 3\n");
    folder.write("seeds.txt", "# seeds\nhttp://a.test/\nnonsense\n");
    let base = ["crawl", "run", "-o", "out"];
    let archive = ["--web", "web.warc.gz", "http://a.test/"];
    let refused = |more: &[&str], message: &str| {
        folder.run(&[&base[..], more].concat()).refused(message);
        assert!(!folder.path("out").exists(), "{more:?} left something behind");
    };
    refused(&["http://a.test/"], "--contact");
    refused(&["--contact", "me", "http://a.test/"], "--contact");
    refused(&["--web", "web.warc.gz"], "no seed URLs");
    refused(&["--web", "none.warc.gz", "http://a.test/"], "none.warc.gz: no such archive");
    refused(&["--web", "web.warc.gz", "--seeds", "seeds.txt"], "seeds.txt:3");
    refused(&["--web", "web.warc.gz", "ftp://a.test/"], "is not an http or https URL");
    refused(&[&archive[..], &["--settings", "bad.toml"]].concat(), "paralel");
    refused(&[&archive[..], &["--delay", "-1"]].concat(), "delay: -1 is out of range");
    refused(&[&archive[..], &["--agent", "7"]].concat(), "agent: \"7\" is out of range");
    let live = ["--contact", "a@b.example", "http://a.test/"];
    refused(&[&live[..], &["--proxy", "foo"]].concat(), "not the URL of a proxy");
    refused(&[&archive[..], &["--match", "("]].concat(), "regular expression");
    refused(&[&archive[..], &["--recipe", "ontrail"]].concat(), "needs a topic");
    refused(&[&archive[..], &["--topic", "labels.tsv"]].concat(), "labels.tsv");
    refused(&[&archive[..], &["--topic", "t.json", "--threshold", "2"]].concat(), "--threshold");
    refused(
        &[&archive[..], &["--labels", "labels.tsv", "--relevant", "cows"]].concat(),
        "no page has a label that matches \"cows\"; the file has news, sports, weather",
    );
    // A crawl that fetches nothing exits with 1 and says why.
    let nothing = ["crawl", "run", "--web", "web.warc.gz", "-o", "nothing", "http://a.test/none"];
    let nothing = folder.run(&nothing);
    assert_eq!(nothing.code, 1);
    assert!(nothing.stderr.contains("http://a.test/none (http-404)"), "{}", nothing.stderr);
    crawl(&folder, "out", &[]);
    // A folder with pages but without a state is not replaced.
    crawl(&folder, "stateless", &[]);
    std::fs::remove_dir_all(folder.path("stateless/state")).unwrap();
    folder.run(&["crawl", "resume", "stateless"]).refused("has pages but no crawl state");
    assert!(folder.path("stateless/pages/pages-00000.warc.gz").exists());
    folder.run(&[&base[..], &archive[..]].concat()).refused("already contains a crawl");
    for verb in ["resume", "status", "report", "export"] {
        folder.run(&["crawl", verb, "labels.tsv"]).refused("is not a crawl folder");
    }
}

/// A threshold that every page passes, or none, is pointed out together with one that separates
/// pages about storms from pages that mention one; a threshold that separates them is not.
#[test]
fn a_threshold_that_hardly_filters_is_pointed_out_with_a_better_one() {
    let folder = Folder::new();
    let links: String = (1..=120).map(|n| format!("<a href={n}.html>{n}</a>")).collect();
    let terms = ["storm", "rain", "flood", "wind", "hail"];
    folder.write("many/index.html", format!("<p>{}{links}", terms.join(" ")));
    for n in 1..=120 {
        // Every third is on the topic.
        let words = match n % 6 {
            0 => terms.join(" "),
            3 => terms[..4].join(" ") + " storm",
            1 => "storm storm storm rain".to_owned(),
            _ => terms[n % 5].to_owned(),
        };
        folder.write(&format!("many/{n}.html"), format!("<p>{words} {n}x"));
    }
    let topic = [&["topic", "keywords"], &terms[..], &["-o", "storm.json"]].concat();
    assert_eq!(folder.run(&topic).code, 0);
    let crawled = |threshold: &str| {
        let args =
            ["crawl", "run", "--web", "many", "http://localhost/index.html", "--recipe", "vsm"];
        let more = ["--topic", "storm.json", "--threshold", threshold, "-o", threshold];
        folder.run(&[&args[..], &more].concat()).stdout
    };
    let few = ("0.9999", "21 of 121 pages pass the threshold");
    assert!(!crawled(few.0).contains(few.1), "a share that is not odd");
    for (threshold, expected) in [
        ("1", "0 of 121 pages pass the threshold 1.000, so nearly all are filtered out"),
        ("0.01", "121 of 121 pages pass the threshold 0.010, so it hardly filters"),
    ] {
        let notes = crawled(threshold);
        assert!(notes.contains(expected), "{notes}");
        let better = notes.split("by their scores, --threshold ").nth(1);
        let better = better.and_then(|text| text.split(' ').next()).unwrap_or("none");
        let status = folder.run(&["crawl", "status", threshold]);
        assert!(status.stdout.contains(expected), "{}", status.stdout);
        let shown = folder.run(&["crawl", "status", threshold, "--json"]).json();
        let odd = &shown["odd_threshold"];
        assert_eq!(odd["better"].as_f64().map(|it| format!("{it:.3}")), Some(better.to_owned()));
        assert_eq!(folder.run(&["crawl", "report", threshold]).code, 0);
        let page = std::fs::read_to_string(folder.path(threshold).join("report.html")).unwrap();
        assert!(page.contains(expected) && page.contains("P(relevant)"));
        let crawl = ["report", "--crawl", threshold, "--lang", "zh", "-o", "all.html", "--force"];
        assert_eq!(folder.run(&crawl).code, 0);
        let page = std::fs::read_to_string(folder.path("all.html")).unwrap();
        assert!(page.contains("几乎没有区分作用"));
        assert!(!crawled(better).contains("pass the threshold"), "{notes}");
        let pages = fetched(&folder, better).into_iter().filter(|row| row.relevant == Some(true));
        assert_eq!(pages.count(), 41, "above {better}");
        std::fs::remove_dir_all(folder.path(better)).unwrap();
    }
}
