//! Plain text, Markdown, feeds and PDF as documents of a dataset and as pages of a crawl.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_crawl::{FetchKind, Outcome, read_links, read_log};
use ontrail_tests::Folder;

/// A PDF of one line without a table of its objects, as a damaged file has it.
const PDF: &str = "%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>
endobj
4 0 obj
<< /Length 49 >>
stream
BT /F1 12 Tf 72 700 Td (thunder and hail) Tj ET  
endstream
endobj
5 0 obj
<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>
endobj
trailer
<< /Root 1 0 R /Size 6 >>
startxref
0
%%EOF
";
const FEED: &str = "<?xml version=\"1.0\"?><rss><channel><title>Weather</title>\
    <item><title>Rain storm</title><link>guide.md</link><description>&lt;b>Heavy&lt;/b> rain\
    </description></item></channel></rss>";
const GUIDE: &str = "# Storm guide\n\nRain and storm. [Manual](manual.pdf), [notes](notes.txt)\n";

fn web(folder: &Folder) {
    folder.write("web/index.html", "<title>home</title>rain storm <a href=news.rss>storm news</a>");
    folder.write("web/news.rss", FEED);
    folder.write("web/guide.md", GUIDE);
    folder.write("web/manual.pdf", PDF);
    folder.write("web/notes.txt", "rain <storm>\n\nsecond");
}

#[test]
fn a_crawl_follows_the_links_of_feeds_and_markdown() {
    let folder = Folder::new();
    web(&folder);
    let ran = folder.run(&["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let crawl = |out: &str, more: &[&str]| {
        let args =
            ["crawl", "run", "--web", "web", "--topic", "t.json", "--recipe", "bfs", "-o", out];
        let ran = folder.run(&[&args[..], &["http://localhost/index.html"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let rows = read_log(&folder.path(out).join("log")).unwrap().into_iter();
        let rows = rows.filter(|row| row.kind == FetchKind::Page);
        let name = |url: &str| url.trim_start_matches("http://localhost/").to_owned();
        rows.map(|row| (name(&row.final_url), row.outcome)).collect::<Vec<_>>()
    };
    let rows = crawl("plain", &[]);
    let fetched: Vec<&str> =
        rows.iter().filter(|row| row.1 == Outcome::Page).map(|row| row.0.as_str()).collect();
    assert_eq!(fetched, ["index.html", "news.rss", "guide.md", "notes.txt"]);
    let links = read_links(&folder.path("plain").join("links")).unwrap();
    let guide = links.iter().find(|link| link.url.ends_with("guide.md")).unwrap();
    assert_eq!(guide.anchor, "Rain storm");
    assert!(rows.iter().any(|row| row.0 == "manual.pdf" && row.1 == Outcome::WrongType));
    let rows = crawl("with-pdf", &["--type", "application/pdf"]);
    assert!(rows.iter().any(|row| row.0 == "manual.pdf" && row.1 == Outcome::Page));
    let export = folder.run(&["crawl", "export", "with-pdf", "--all", "--format", "text"]).stdout;
    assert!(export.contains("thunder and hail") && export.contains("Heavy rain"), "{export}");
}

#[test]
fn a_folder_of_all_formats_is_a_dataset() {
    let folder = Folder::new();
    folder.write("data/storm/a.md", GUIDE);
    folder.write("data/storm/b.rss", FEED);
    folder.write("data/hail/c.pdf", PDF);
    folder.write("data/hail/d.txt", "hail again");
    let ran = folder.run(&["corpus", "convert", "data", "-o", "all.jsonl", "--content", "page"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = std::fs::read_to_string(folder.path("all.jsonl")).unwrap();
    let texts: Vec<serde_json::Value> =
        rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |at: usize| texts[at]["text"].as_str().unwrap();
    assert_eq!(text(0), "thunder and hail");
    assert_eq!(text(1), "hail again");
    assert!(text(2).starts_with("Storm guide\nRain and storm. Manual, notes"), "{}", text(2));
    assert_eq!(text(3), "Weather\nRain storm\nHeavy rain");
    assert_eq!(texts[2]["title"], "Storm guide");
    let inspected = folder.run(&["inspect", "data/hail/c.pdf"]).stdout;
    assert!(inspected.contains("thunder"), "{inspected}");
    let trained = folder.run(&["bcw", "train", "data", "-o", "model", "--no-auto"]);
    assert_eq!(trained.code, 0, "{}", trained.stderr);
    let predicted = folder.run(&["bcw", "predict", "model", "data/hail/c.pdf", "data/storm/a.md"]);
    let classes: Vec<&str> =
        predicted.stdout.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(classes, ["hail", "storm"]);
}
