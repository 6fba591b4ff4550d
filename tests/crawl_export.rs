//! Exports of a crawl: every format by the name of the output, conditions, and what is left out.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_archive::{Capture, Records};
use ontrail_table::Table;
use ontrail_tests::Folder;
use serde_json::{Value, json};

const CHINESE: &str = "昨夜暴雨，河水上涨，堤坝告急，村民连夜转移到高处的学校，今天上午水位开始回落，\
                       道路仍然中断，抢修人员正在赶往现场，预计明天恢复通车，请居民注意安全。";
const ENGLISH: &str = "The rain began at night, and the river rose, first by a hand, then by a foot, \
                       until the dyke was wet to its top, and the village moved to the school.";

/// A page with a headline, an article and links.
fn page(title: &str, text: &str, links: &[&str]) -> String {
    let links: String = links.iter().map(|to| format!("<a href={to}>to {to}</a> ")).collect();
    format!(
        "<html><head><title>{title}</title><meta name=author content='Ann Author'>\
         <meta property=og:site_name content=Site><meta name=date content=2024-07-18></head><body>\
         <nav>{links}</nav><article><h1>{title}</h1><p>{text}</p><p>{text}</p></article>\
         </body></html>"
    )
}

/// Crawls a small web in two languages into the folder `out`.
fn crawled(more: &[&str]) -> Folder {
    let folder = Folder::new();
    let noindex =
        page("Hidden", ENGLISH, &[]).replace("<head>", "<head><meta name=robots content=noindex>");
    let pages = [
        (
            "http://a.test/",
            page("Rain, \"heavy\"", ENGLISH, &["/zh", "http://b.test/x", "/no", "/old"]),
        ),
        ("http://a.test/zh", page("暴雨预警: 三级", CHINESE, &[])),
        ("http://b.test/x", page("Theatre", &"Nothing happened in the theatre. ".repeat(9), &[])),
        ("http://a.test/no", noindex),
        ("http://a.test/old", "->/new".to_owned()),
        ("http://a.test/new", page("=1+1", &format!("{ENGLISH} {ENGLISH}"), &[])),
    ];
    let mut bytes = Vec::new();
    for (number, (url, body)) in (0..).zip(&pages) {
        let (head, body) = match body.strip_prefix("->") {
            Some(to) => (format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n"), ""),
            None => (
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".to_owned(),
                &**body,
            ),
        };
        let capture = Capture {
            url,
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
    folder.write("web.warc.gz", bytes);
    let words = ["topic", "keywords", "rain", "river", "暴雨", "堤坝", "-o", "t.json"];
    assert_eq!(folder.run(&words).code, 0);
    let args = ["crawl", "run", "--web", "web.warc.gz", "--topic", "t.json", "--threshold", "0.1"];
    let ran = folder.run(&[&args[..], &["-o", "out", "http://a.test/"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder
}

fn export(folder: &Folder, more: &[&str]) -> u64 {
    let ran = folder.run(&[&["crawl", "export", "out", "--json"], more].concat());
    ran.json()["pages"].as_u64().unwrap()
}

fn lines(folder: &Folder, more: &[&str]) -> Vec<Value> {
    let ran = folder.run(&[&["crawl", "export", "out"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_name_of_the_output_selects_the_format() {
    let folder = crawled(&[]);
    for name in ["x.jsonl", "x.csv", "x.parquet", "x.txt", "x.warc.gz", "x.md", "dir/"] {
        assert_eq!(export(&folder, &["--all", "-o", name]), 4, "{name}");
    }
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    let first: Value = serde_json::from_str(read("x.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["url"], &first["title"]),
        (&json!("http://a.test/"), &json!("Rain, \"heavy\""))
    );
    assert_eq!(first["fetched_at"], "2020-09-13T12:26:40Z");
    assert_eq!((&first["author"], &first["site"]), (&json!("Ann Author"), &json!("Site")));
    assert_eq!((&first["date"], &first["status"]), (&json!("2024-07-18"), &json!(200)));
    assert_eq!(first["is_relevant"], true);
    assert!(first["probability"].as_f64().is_some_and(|it| (0.0..=1.0).contains(&it)));
    assert!(first["digest"].as_str().unwrap().starts_with("sha"), "{first}");
    let text = first["text"].as_str().unwrap();
    assert!(text.contains(ENGLISH) && !text.contains("to /zh"), "the main content: {text}");
    // Every format has the same columns.
    let columns: Vec<&str> = first.as_object().unwrap().keys().map(String::as_str).collect();
    let table = Table::open(&folder.path("x.parquet")).unwrap();
    let mut sorted = table.columns().to_vec();
    sorted.sort_unstable();
    let mut expected: Vec<&str> = columns.clone();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let mut csv = csv::Reader::from_path(folder.path("x.csv")).unwrap();
    let header: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header, table.columns());
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    let title = header.iter().position(|name| name == "title").unwrap();
    let titles: Vec<&str> = rows.iter().map(|row| &row[title]).collect();
    assert!(titles.contains(&"'=1+1") && titles.contains(&"暴雨预警: 三级"), "{titles:?}");
    assert!(read("x.txt").starts_with("http://a.test/\nRain, \"heavy\"\n\n"));
    let records = Records::open(&folder.path("x.warc.gz")).unwrap();
    let kinds: Vec<String> = records.map(|record| record.unwrap().kind().to_owned()).collect();
    assert_eq!(kinds, ["warcinfo", "response", "response", "response", "response"]);
    // The same command replaces its own files, and gives the same bytes.
    let before = fs::read(folder.path("x.parquet")).unwrap();
    assert_eq!(export(&folder, &["--all", "-o", "x.parquet", "--threads", "1"]), 4);
    assert_eq!(fs::read(folder.path("x.parquet")).unwrap(), before);
    let ran = folder.run(&["crawl", "export", "out", "--all", "--format", "csv", "-o", "-"]);
    assert_eq!(ran.stdout, read("x.csv"));
}

#[test]
fn markdown_files_have_front_matter_and_names_that_people_know() {
    let folder = crawled(&[]);
    assert_eq!(export(&folder, &["--all", "-o", "x.md"]), 4);
    let mut files: Vec<String> = ["a.test", "b.test"]
        .iter()
        .flat_map(|host| fs::read_dir(folder.path(&format!("x.md/{host}"))).unwrap())
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.sort_unstable();
    let names: Vec<&str> = files.iter().map(|name| &name[7..]).collect();
    assert_eq!(names.len(), 4);
    for name in ["Rain-heavy.md", "Theatre.md", "1-1.md", "暴雨预警-三级.md"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let chinese = files.iter().find(|name| name.contains("暴雨")).unwrap();
    let text = fs::read_to_string(folder.path(&format!("x.md/a.test/{chinese}"))).unwrap();
    let (head, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    for line in [
        "url: \"http://a.test/zh\"",
        "title: \"暴雨预警: 三级\"",
        "is_relevant: true",
        "status: 200",
    ] {
        assert!(head.lines().any(|it| it == line), "{line} in {head}");
    }
    assert!(!head.contains("text:") && !head.contains("null"), "{head}");
    assert!(body.starts_with("\n# 暴雨预警: 三级\n\n昨夜暴雨"), "{body}");
    assert_eq!(body.matches("# 暴雨预警").count(), 1, "{body}");
    folder
        .run(&["crawl", "export", "out", "-o", "x.md"])
        .refused("x.md: the folder exists and is not empty");
}

/// A notice that stands in the article of every page of a host is no content, whichever pages are
/// exported.
#[test]
fn what_repeats_on_a_host_is_left_out() {
    let folder = Folder::new();
    let notice = "Readers who value our reporting may copy this article if they name its source.";
    let names: Vec<String> = (0..12).map(|n| format!("{n}.html")).collect();
    let links: Vec<&str> = names.iter().map(String::as_str).collect();
    for (n, name) in names.iter().enumerate() {
        let text = format!("{ENGLISH} That was the report of day {n} of the flood.</p><p>{notice}");
        let page = page(&format!("Day {n}"), "", &links);
        let page = page.replacen("<p></p><p></p>", &format!("<p>{text}</p>"), 1);
        folder.write(&format!("web/{name}"), page);
    }
    let args = ["crawl", "run", "--web", "web", "-o", "out", "http://localhost/0.html"];
    assert_eq!(folder.run(&args).code, 0);
    for more in [&[][..], &["--where", "title = 'Day 3'"]] {
        for line in lines(&folder, more) {
            let text = line["text"].as_str().unwrap();
            assert!(text.contains("the report of day") && !text.contains(notice), "{text}");
            assert_eq!(line["fetched_at"], Value::Null, "a folder is not fetched");
        }
    }
    let whole = lines(&folder, &["--content", "page"]);
    assert!(whole.iter().all(|line| line["text"].as_str().unwrap().contains(notice)));
    assert_eq!(whole.len(), 12);
}

#[test]
fn conditions_choose_pages() {
    let folder = crawled(&[]);
    let urls = |condition: &str| -> Vec<String> {
        let lines = lines(&folder, &["--all", "--where", condition]);
        lines.iter().map(|line| line["final_url"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(urls("host = \"b.test\""), ["http://b.test/x"]);
    assert_eq!(urls("text contains '堤坝' and not depth = 0"), ["http://a.test/zh"]);
    assert_eq!(urls("url starts-with 'http://a.test/o'"), ["http://a.test/new"]);
    assert_eq!(urls("not is_relevant"), ["http://b.test/x"]);
    assert_eq!(urls("(depth = 0 or host = 'b.test') and relevance > 0.1"), ["http://a.test/"]);
    for (condition, complaint) in [
        ("hots = 'a'", "position 1: there is no column `hots`; the columns are url, final_url,"),
        ("relevance > high", "position 13: relevance can only be compared with a number"),
    ] {
        let ran = folder.run(&["crawl", "export", "absent", "--where", condition]);
        ran.refused(complaint);
    }
    folder.write("x.jsonl.keep", "");
    folder
        .run(&["crawl", "export", "out", "--where", "depth > 99", "-o", "x.jsonl"])
        .refused("no pages to export; no page fulfils the condition of --where");
    assert!(!folder.path("x.jsonl").exists());
}

#[test]
fn pages_that_forbid_storing_are_mentioned_and_can_be_stored() {
    let folder = crawled(&[]);
    let ran = folder.run(&["crawl", "export", "out"]);
    assert!(
        ran.stderr.contains("1 page(s) left out: they ask crawlers not to store"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("Hidden"));
    let status = folder.run(&["crawl", "status", "out"]).stdout;
    let has =
        |line: &str| status.lines().any(|it| it.contains(line) && it.trim_end().ends_with('1'));
    assert!(has("pages not stored: noindex") && has("relevant pages among them"), "{status}");
    let folder = crawled(&["--store-noindex"]);
    let ran = folder.run(&["crawl", "export", "out"]);
    assert!(ran.stdout.contains("Hidden") && !ran.stderr.contains("left out"), "{}", ran.stderr);
}

#[test]
fn a_name_without_a_format_and_a_name_for_another_one_are_refused() {
    let folder = Folder::new();
    let run = |more: &[&str]| folder.run(&[&["crawl", "export", "absent"], more].concat());
    run(&["-o", "x.foo"]).refused("x.foo: name a .jsonl, .csv, .parquet, .txt or .warc.gz file");
    run(&["-o", "x.csv", "--format", "jsonl"]).refused("x.csv: this name is for another format");
    run(&["--format", "md"]).refused("-: this command writes a folder");
}

#[test]
fn what_repeats_on_a_host_is_not_exported() {
    const NOTICE: &str = "Our reporters work day and night, in any weather, to bring you the news.";
    let folder = Folder::new();
    let pages: Vec<(String, String)> = (0..12)
        .map(|n| {
            let story =
                format!("Report {n}: the river rose by {n} centimetres, the mayor {n} said.");
            let body = format!(
                "<meta charset=utf-8><title>{n}</title><article><p>{story}</p><p>{NOTICE}</p>\
                 </article><a href=/{}>next</a>",
                n + 1
            );
            (format!("http://a.test/{n}"), body)
        })
        .collect();
    let mut bytes = Vec::new();
    for (number, (url, body)) in (0..).zip(&pages) {
        let capture = Capture {
            url,
            time: 1_600_000_000_000,
            number,
            address: None,
            request: b"",
            head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
            body: body.as_bytes(),
            truncated: None,
        };
        bytes.extend(capture.pack().bytes);
    }
    folder.write("web.warc.gz", bytes);
    let ran = folder.run(&["crawl", "run", "--web", "web.warc.gz", "-o", "out", "http://a.test/0"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (content, has_notice) in [("main", false), ("page", true)] {
        let rows = lines(&folder, &["--all", "--content", content]);
        assert_eq!(rows.len(), 12);
        for row in rows {
            let text = row["text"].as_str().unwrap();
            assert!(text.contains("the river rose"), "{text}");
            assert_eq!(text.contains(NOTICE), has_notice, "{content}: {text}");
        }
    }
}

/// Not even `--force` replaces a file of the crawl.
#[test]
fn the_files_of_a_crawl_are_no_outputs() {
    let folder = crawled(&[]);
    for output in ["out/pages/x.warc.gz", "out/log/x.parquet", "out/state/x.jsonl"] {
        let args = ["crawl", "export", "out", "--force", "-o", output];
        folder.run(&args).refused("is in the folder of the crawl; name a file elsewhere");
    }
    assert_eq!(export(&folder, &["-o", "out/mine.jsonl"]), 3);
    let report = ["crawl", "report", "out", "--force", "-o", "out/run.json"];
    folder.run(&report).refused("is in the folder of the crawl");
    assert_eq!(folder.run(&["crawl", "report", "out"]).code, 0);
}

/// With a computed threshold, the log and the export have P(relevant) of each page.
#[test]
fn probabilities_are_exported_if_the_threshold_is_computed() {
    let folder = crawled(&[]);
    let args = ["crawl", "run", "--web", "web.warc.gz", "--topic", "t.json", "-o", "auto"];
    assert_eq!(folder.run(&[&args[..], &["http://a.test/"]].concat()).code, 0);
    let ran = folder.run(&["crawl", "export", "auto", "--all", "--where", "probability > 0.0001"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for line in ran.stdout.lines() {
        let page: Value = serde_json::from_str(line).unwrap();
        let probability = page["probability"].as_f64().unwrap();
        assert!(probability > 0.0 && probability < 1.0, "{page}");
    }
    assert!(!ran.stdout.is_empty());
}
