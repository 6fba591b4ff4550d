//! End-to-end tests of `ontrail report`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_crawl::{LogRow, write_log};
use ontrail_tests::{Folder, root};
use serde_json::Value;

/// A crawl of two pages. The title of one would break the report if it were not escaped.
fn crawled() -> Folder {
    let folder = Folder::new();
    folder.write(
        "web/index.html",
        "<title>暴雨</title><p>暴雨 洪水</p><a href=a.html>more </script><b>洪水</b></a>",
    );
    folder.write(
        "web/a.html",
        "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp;</title><p>洪水 暴雨",
    );
    for args in [
        &["topic", "keywords", "暴雨=1", "<i>洪水</i>=0.5", "-o", "rain.topic.json"][..],
        &[
            "crawl",
            "run",
            "--web",
            "web",
            "--topic",
            "rain.topic.json",
            "http://localhost/index.html",
            "-o",
            "crawl",
        ],
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    }
    folder
}

fn html(folder: &Folder) -> String {
    fs::read_to_string(folder.path("report.html")).unwrap()
}

/// Returns the data of the list of pages.
fn listed(html: &str) -> Value {
    let data = html.split("<script type=\"application/json\">").last().unwrap();
    serde_json::from_str(data.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn pages_have_their_scores_and_the_reason_why_they_were_fetched() {
    let folder = crawled();
    let ran = folder.run(&["report", "--topic", "rain.topic.json", "--crawl", "crawl", "--json"]);
    assert_eq!(ran.json()["report"], "report.html");
    let html = html(&folder);
    let data = listed(&html);
    let rows = data["rows"].as_array().unwrap();
    assert_eq!((rows.len(), data["crawls"][0].as_str()), (2, Some("ontrail")));
    // Number, title, URL, relevance. The seed was chosen by no rule; the other page had the best
    // link that could be fetched.
    assert_eq!(
        (rows[0][2].as_str(), rows[0][3].as_str()),
        (Some("暴雨"), Some("http://localhost/index.html"))
    );
    assert!(rows[0][4].as_f64().unwrap() > 0.5 && rows[0][11].is_null());
    let reason = rows[1][11].as_u64().unwrap();
    let reason = data["reasons"][usize::try_from(reason).unwrap()].as_str().unwrap();
    assert!(reason.contains("highest priority"), "{reason}");
    assert_eq!(rows[1][12].as_str(), Some("http://localhost/index.html"));
}

/// The crawler calls both pages relevant, and by the labels one is: the two numbers alone would not
/// say how good its judgement is.
#[test]
fn the_quality_of_the_own_judgement_is_shown_where_there_are_labels() {
    let folder = crawled();
    folder
        .write("labels.tsv", "http://localhost/index.html\train\nhttp://localhost/a.html\tnews\n");
    let crawl = ["crawl", "run", "--web", "web", "--topic", "rain.topic.json", "-o", "judged"];
    let labels = ["--labels", "labels.tsv", "--relevant", "rain", "--threshold", "0.01"];
    let ran = folder.run(&[&crawl[..], &labels, &["http://localhost/index.html"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let status = folder.run(&["crawl", "status", "judged"]).stdout;
    let own = |shown: &str| -> Vec<String> {
        let rows = shown.lines().filter(|line| line.contains("of its own judgement"));
        rows.map(|row| row.split_whitespace().last().unwrap().to_owned()).collect()
    };
    // Precision 1/2, recall 1/1, F1 2/3.
    assert_eq!(own(&ran.stdout), ["0.50", "1.00", "0.67"], "{}", ran.stdout);
    assert_eq!(own(&status), ["0.50", "1.00", "0.67"], "{status}");
    assert_eq!(folder.run(&["crawl", "report", "judged"]).code, 0);
    let page = fs::read_to_string(folder.path("judged/report.html")).unwrap();
    let row = page.split("F1 of its own judgement").nth(1).unwrap();
    assert!(row.split("</tr>").next().unwrap().contains("0.667"), "{row:.200}");
    for (lang, head) in [("en", "F1 of its own judgement"), ("zh", "自身判定的 F1")] {
        let args = ["report", "--crawl", "judged", "--crawl", "crawl", "--lang", lang];
        assert_eq!(folder.run(&args).code, 0);
        let html = html(&folder);
        assert!(html.contains(head), "{lang}");
        let cells = |row: &str| row.matches("<td").count();
        let rows = html.split("<tr>").filter(|row| cells(row) == 13);
        let shown: Vec<bool> =
            rows.map(|row| ["0.50", "1.00", "0.67"].iter().all(|it| row.contains(it))).collect();
        assert_eq!(shown, [true, false], "{lang}: the other crawl has no labels");
    }
}

#[test]
fn text_of_pages_is_escaped_and_the_report_loads_nothing() {
    let folder = crawled();
    assert_eq!(folder.run(&["report", "--topic", "rain.topic.json", "--crawl", "crawl"]).code, 0);
    let html = html(&folder);
    assert_eq!(listed(&html)["rows"][1][2], "</script><script>alert(1)</script> &");
    assert!(!html.contains("alert(1)</script>") && html.contains("&lt;i&gt;洪水&lt;/i&gt;"));
    for outside in ["src=", "<link", "@import", "url(", "<iframe"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(!html.contains("NaN"));
    // Every element is closed.
    for tag in ["section", "div", "ul", "details", "table", "script", "style", "svg"] {
        let opened =
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn both_languages_say_the_same_and_the_same_command_gives_the_same_bytes() {
    let folder = crawled();
    let args = ["report", "--topic", "rain.topic.json", "--crawl", "crawl", "--title", "雨"];
    assert_eq!(folder.run(&args).code, 0);
    let english = html(&folder);
    assert_eq!(folder.run(&[&args[..], &["--threads", "1"]].concat()).code, 0);
    assert_eq!(english, html(&folder));
    assert_eq!(folder.run(&[&args[..], &["--lang", "zh"]].concat()).code, 0);
    let chinese = html(&folder);
    assert!(english.contains("<html lang=\"en\">") && english.contains("<h1>雨</h1>"));
    assert!(chinese.contains("<html lang=\"zh\">") && chinese.contains(">主题<"));
    assert_eq!(listed(&chinese)["rows"], listed(&english)["rows"]);
    assert_eq!(listed(&chinese)["reasons"][0], "在当时可抓取的链接中优先级最高");
    let parts = |html: &str| html.matches("class=\"chapter\"").count();
    assert_eq!((parts(&english), parts(&chinese)), (3, 3));
}

#[test]
fn an_ontology_is_a_tree_and_a_context_a_line_diagram() {
    let folder = Folder::new();
    let shipped = |name: &str| root().join("ontologies/rainstorm").join(name).display().to_string();
    let (owl, context) = (shipped("rainstorm.owl"), shipped("rainstorm.cxt"));
    let ran = folder.run(&["report", "--ontology", &owl, "--context", &context, "--lang", "zh"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let html = html(&folder);
    let tree =
        html.split("<ul class=\"tree\">").nth(1).unwrap().split("class=\"viewer\"").next().unwrap();
    // Fifty concepts, each once, because the ontology is a tree.
    assert_eq!(tree.matches("class=\"names\"").count(), 50);
    assert!(tree.contains("暴雨灾害") && tree.contains("rainstorm disaster"));
    assert!(html.contains("class=\"viewer\"") && html.contains("拖动可平移"));
    let nodes = html.matches("class=\"node\"").count();
    assert!((20..=60).contains(&nodes), "{nodes}");
}

#[test]
fn invalid_inputs_are_refused_and_no_file_of_the_user_is_replaced() {
    let folder = crawled();
    folder.run(&["report"]).refused("nothing to show; give --ontology, --context");
    folder.run(&["report", "--crawl", "web"]).refused("web: is not a crawl folder");
    folder.run(&["report", "--topic", "no.json"]).refused("no.json: cannot read this file");
    folder.run(&["report", "--evaluation", "rain.topic.json"]).refused("rain.topic.json");
    folder.run(&["report", "--comparison", "web"]).refused("web/comparison.json: cannot read");
    folder
        .run(&["report", "--topic", "rain.topic.json", "-o", "x.txt"])
        .refused("x.txt: a report is an HTML page; name a .html file");
    folder.write("report.html", "mine");
    folder.run(&["report", "--topic", "rain.topic.json"]).refused("report.html");
    assert_eq!(html(&folder), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_opened_on_request() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    let folder = crawled();
    folder.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" > opened\n");
    let browser = folder.path("bin/xdg-open");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |path: String| {
        let mut command = Command::new(ontrail_tests::binary());
        command.args(["report", "--topic", "rain.topic.json", "--open"]).env("PATH", path);
        command.current_dir(folder.path(".")).output().unwrap()
    };
    let bin = folder.path("bin").display().to_string();
    let ran = run(format!("{bin}:/usr/bin:/bin"));
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let opened = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::read_to_string(folder.path("opened")).ok().filter(|text| !text.is_empty())
    });
    assert!(opened.unwrap().trim_end().ends_with("/report.html"));
    // Without a browser the page is written all the same.
    let ran = run(folder.path("nowhere").display().to_string());
    assert!(ran.status.success());
    assert!(String::from_utf8_lossy(&ran.stderr).contains("cannot start a browser"));
}

/// The titles of the pages alone have 150 MB, of which the list of pages shows 7.5.
#[test]
fn a_report_on_a_long_crawl_does_not_hold_its_log_in_memory() {
    const PAGES: u64 = 100_000;
    let folder = Folder::new();
    folder.write("web/0.html", "<title>one</title><p>rain");
    let first = "http://localhost/0.html";
    let ran = folder.run(&["crawl", "run", "--web", "web", "-o", "out", first]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let log = folder.path("out/log");
    fs::remove_dir_all(&log).unwrap();
    let row = |number: u64| LogRow {
        number,
        final_url: format!("http://localhost/{number}.html"),
        title: Some(format!("{number:>1500}")),
        relevance: Some((number % 100) as f64 / 100.0),
        relevant: Some(number % 100 > 50),
        ..LogRow::default()
    };
    write_log(&log, (1..=PAGES).map(row)).unwrap();
    let (ran, peak) = folder.run_measured(&["report", "--crawl", "out", "-o", "report.html"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let html = fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(html.contains("The list shows the 5,000 most relevant of 100,000 pages."));
    // Of the 1,000 most relevant pages for each value, the last that is shown has 0.95.
    assert!(html.contains("localhost/99999.html") && html.contains("localhost/95.html"));
    assert!(!html.contains("localhost/94.html"));
    assert!(peak.is_none_or(|peak| peak < 260 << 20), "{peak:?}");
}
