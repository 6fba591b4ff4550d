//! Text that strangers wrote comes out harmless: no escape code reaches a terminal, and no cell of
//! a CSV file is a formula.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_archive::Capture;
use ontrail_tests::Folder;

/// Sets the title of a terminal, clears it, and moves the cursor, in both forms of escape codes.
const CODES: &str = "\u{1b}]0;owned\u{7}\u{9b}2J\u{1b}[1;1H\u{7f}";

/// Panics if text contains a control character other than a line feed or a tab.
#[track_caller]
fn assert_clean(text: &str) {
    let is_bad = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!text.contains(is_bad), "{text:?}");
}

/// An archive with a page whose title and text are a formula with escape codes, and a page whose
/// server redirects to a URL with escape codes.
fn hostile_web(folder: &Folder) {
    let title = format!("=HYPERLINK(1){CODES}");
    let text = format!("-2+3 {CODES} {}", "rain ".repeat(40));
    let body = format!("<title>{title}</title><p>{text}</p><a href=/moved>=moved{CODES}</a>");
    let moved = format!("HTTP/1.1 301 Moved\r\nLocation: http://[{CODES}\r\n\r\n");
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    let mut bytes = Vec::new();
    for (number, (url, head, body)) in
        (0..).zip([("http://a.test/", page, &*body), ("http://a.test/moved", &*moved, "")])
    {
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
    let args = ["crawl", "run", "--web", "web.warc.gz", "-o", "out", "http://a.test/"];
    let ran = folder.run(&[&args[..], &["--log", "trace"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_clean(&ran.stdout);
    assert_clean(&ran.stderr);
}

#[test]
fn a_hostile_title_is_clean_wherever_it_is_printed() {
    let folder = Folder::new();
    hostile_web(&folder);
    for args in [
        &["crawl", "export", "out", "--format", "text"][..],
        &["crawl", "export", "out", "--format", "csv"],
        &["crawl", "export", "out", "--format", "jsonl"],
        &["crawl", "explain", "out", "http://a.test/"],
        &["crawl", "explain", "out", "http://a.test/moved"],
        &["crawl", "explain", "out", "http://a.test/moved", "--json"],
        &["inspect", "web.warc.gz", "http://a.test/"],
        &["inspect", "web.warc.gz", "http://a.test/", "--json"],
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        assert!(ran.stdout.contains("a.test"), "{args:?}: {}", ran.stdout);
        assert_clean(&ran.stdout);
        assert_clean(&ran.stderr);
    }
}

#[test]
fn a_hostile_error_is_clean_on_standard_error() {
    let folder = Folder::new();
    folder.write("robots.txt", format!("User-agent: *\nDisallow: /a{CODES}\n"));
    folder.write("bad.toml", format!("\"{}\" = 1\n", CODES.replace('\u{7f}', "")));
    let name = format!("no{CODES}file.json");
    for args in [
        &["topic", "show", &name][..],
        &["crawl", "status", &name],
        &["crawl", "robots", "robots.txt", &format!("nowhere{CODES}")],
        &["crawl", "run", "--web", "w", "-o", "out", "--settings", "bad.toml", "http://a.test/"],
        &[&name],
        &["crawl", &name],
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty());
        assert_clean(&ran.stdout);
        assert_clean(&ran.stderr);
    }
    // The rule in the reason comes from a file, too.
    let path = "/a%1B]0;owned%07%C2%9B2J%1B[1;1H%7F";
    let ran = folder.run(&["crawl", "robots", "robots.txt", "--why", path]);
    assert!(ran.stdout.starts_with("disallowed\t/a%1B]0;owned"), "{}", ran.stdout);
    assert_clean(&ran.stdout);
}

#[test]
fn no_csv_file_has_a_formula() {
    let folder = Folder::new();
    hostile_web(&folder);
    let ran = folder.run(&["crawl", "export", "out", "--format", "csv", "-o", "pages.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder.write("news.jsonl", "{\"label\":\"=1+1\",\"text\":\"@SUM(1) rain\",\"title\":\"+x\"}\n");
    let ran = folder.run(&["corpus", "convert", "news.jsonl", "-o", "news.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder.write("c.cxt", "B\n\n2\n2\n\n=a\n-1\n@x\n+y\nX.\n.X\n");
    let ran = folder.run(&["lattice", "convert", "c.cxt", "-o", "c.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (name, formulas) in [("pages.csv", 2), ("news.csv", 3), ("c.csv", 3)] {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let cells: Vec<&str> = rows.iter().flatten().collect();
        let is_formula = |cell: &&&str| {
            cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
        };
        assert_eq!(cells.iter().find(is_formula), None, "{name}");
        let guarded = cells.iter().filter(|cell| cell.starts_with('\'')).count();
        assert_eq!(guarded, formulas, "{name}: {text}");
    }
    // The text is read back as it was written.
    let ran = folder.run(&["corpus", "convert", "news.csv", "-o", "again.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&read("again.jsonl")), value(&read("news.jsonl")));
    let ran = folder.run(&["lattice", "convert", "c.csv", "-o", "again.cxt"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(read("again.cxt"), read("c.cxt"));
}
