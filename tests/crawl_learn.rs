//! End-to-end tests of the crawler that learns: its choices explained in words, what it learned
//! shown, kept, and given to another crawl.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_crawl::{LogRow, read_log};
use ontrail_tests::Folder;

/// A web whose index lists links of two kinds, of which the topic knows no word: "account" links
/// come first and lead to other pages, "forecast" links lead to pages about rain.
fn web(folder: &Folder) {
    let mut index = String::from("<title>rain</title><p>rain storm and more<ul class=list>");
    for number in 0..12 {
        let (a, f) = (format!("a{number}.html"), format!("f{number}.html"));
        index += &format!("<li><a href=x/{a}>account</a><li><a href=y/{f}>forecast</a>");
        folder.write(&format!("web/x/{a}"), format!("<p>enter password number {number} please"));
        folder.write(
            &format!("web/y/{f}"),
            format!("<title>rain {number}</title><p>rain and storm, storm and rain, day {number}"),
        );
    }
    folder.write("web/index.html", index);
    let made = folder.run(&["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
}

fn crawl<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let start = ["crawl", "run", "--web", "web", "--topic", "t.json", "--threshold", "0.3"];
    [&start[..], &["-o", out, "--json", "http://localhost/index.html"], more].concat()
}

fn done(folder: &Folder, args: &[&str]) {
    let ran = folder.run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
}

fn order(folder: &Folder, out: &str) -> Vec<String> {
    let rows = read_log(&folder.path(out).join("log")).unwrap();
    rows.into_iter().filter(LogRow::is_page).map(|row| row.url).collect()
}

const CALM: [&str; 4] = ["--set", "priority.noise=0.0", "--set", "strategy.curiosity=0.0"];

#[test]
fn choices_are_explained_and_what_was_learned_is_shown() {
    let folder = Folder::new();
    web(&folder);
    done(&folder, &crawl("out", &[&CALM[..], &["--budget", "16"]].concat()));
    let rows = read_log(&folder.path("out/log")).unwrap();
    assert!(rows[0].why.is_none(), "a seed");
    let last = rows.last().unwrap();
    assert!(last.why.is_some());
    let story = folder.run(&["crawl", "explain", "out", &last.url]);
    let story = story.stdout;
    for part in [
        "the link model counted for it, in parts of the log-odds:",
        "the fixed formula of its page and its texts",
        "the link model counted against it:",
        "its anchor text has the word account",
        "links to localhost/x/ led to pages 0.00 relevant on average (2.0 page(s))",
        "worth of the links taken in each order of links: by the link model 0.",
    ] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let found = folder.run(&["crawl", "explain", "out", &last.url, "--json"]).json();
    let reasons = found["fetches"][0]["why"]["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|it| it["cause"] == "anchor-word"), "{reasons:?}");
    let status = folder.run(&["crawl", "status", "out"]).stdout;
    for part in ["learned about links", "words of anchor texts", "by the link model", " forecast"] {
        assert!(status.contains(part), "{part}: {status}");
    }
    let learned = &folder.run(&["crawl", "status", "out", "--json"]).json()["learned"];
    assert_eq!(learned["pages"], 15, "{learned}");
    assert_eq!(learned["orders"].as_array().unwrap().len(), 4);
    done(&folder, &["crawl", "report", "out"]);
    let html = fs::read_to_string(folder.path("out/report.html")).unwrap();
    assert!(html.contains("Learned about links") && html.contains("Orders of links"));
}

/// What a breadth-first crawl found teaches a link model, and a crawl that begins with it fetches
/// no page of the wrong kind.
#[test]
fn a_link_model_begins_another_crawl() {
    let folder = Folder::new();
    web(&folder);
    done(&folder, &crawl("teacher", &["--recipe", "bfs", "--budget", "25"]));
    let learned = folder.run(&["crawl", "learn", "teacher", "-o", "m.json", "--json"]);
    assert_eq!(learned.code, 0, "{}", learned.stderr);
    assert_eq!(learned.json()["pages"], 25);
    let again = folder.run(&["crawl", "learn", "teacher", "-o", "m2.json"]);
    assert!(again.stdout.contains("words of anchor texts"), "{}", again.stdout);
    let content = |name: &str| {
        let text = fs::read_to_string(folder.path(name)).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["content"].clone()
    };
    assert_eq!(content("m.json"), content("m2.json"), "the same crawl teaches the same");
    let given = ["--link-model", "m.json", "--budget", "12"];
    let begin = |out: &str, more: &[&str]| {
        done(&folder, &crawl(out, &[&CALM[..], more].concat()));
        order(&folder, out)
    };
    let without = begin("without", &["--budget", "12"]);
    assert!(without[1].contains("/x/"), "{without:?}");
    let with = begin("with", &given);
    assert!(with[1..].iter().all(|url| url.contains("/y/")), "{with:?}");
    // A crawl that began with a model and was extended is the same as one with a larger budget.
    let whole = begin("whole", &["--link-model", "m.json", "--budget", "20"]);
    fs::remove_file(folder.path("m.json")).unwrap();
    done(&folder, &["crawl", "resume", "with", "--budget", "20", "--json"]);
    assert_eq!(order(&folder, "with"), whole);
}

/// Five pages have nearly the same text. The first is worth its relevance, the others half of
/// it.
#[test]
fn near_copies_are_worth_half() {
    let folder = Folder::new();
    web(&folder);
    // An odd number of words, so that no bit of their simhash is left to the few that differ.
    let words: String = (0..61).map(|number| format!("word{number} ")).collect();
    let mut index = String::from("<p>rain storm");
    for number in 0..5 {
        index += &format!(" <a href=n{number}.html>more</a>");
        let text = format!("<title>rain storm</title><p>{} day{number}", words.repeat(8));
        folder.write(&format!("web/n{number}.html"), text);
    }
    folder.write("web/index.html", index);
    let ran = folder.run(&crawl("out", &["--budget", "10"]));
    let summary = ran.json();
    assert_eq!(summary["near_duplicates"], 4, "{summary}");
    let rows = read_log(&folder.path("out/log")).unwrap();
    let first = rows.iter().find(|row| row.url.contains("/n")).unwrap();
    // With a threshold in numbers and a topic without a calibration, R teaches.
    let worth = first.relevance.unwrap();
    let found = summary["learned"]["found"].as_f64().unwrap();
    assert!(worth > 0.1 && (found - worth * 0.6).abs() < 1e-6, "{worth} {found}");
}

#[test]
fn link_models_that_cannot_be_used_are_refused() {
    let folder = Folder::new();
    web(&folder);
    done(&folder, &crawl("teacher", &["--budget", "10"]));
    done(&folder, &["crawl", "learn", "teacher", "-o", "m.json"]);
    let refused = |more: &[&str], message: &str| {
        folder.run(&crawl("out", more)).refused(message);
        assert!(!folder.path("out").exists());
    };
    refused(&["--link-model", "t.json"], "t.json: ");
    refused(&["--link-model", "absent.json"], "absent.json: ");
    refused(
        &["--link-model", "m.json", "--set", "priority.bits=16"],
        "m.json: has a table of 2^18 places, but the recipe needs 2^16",
    );
    refused(
        &["--link-model", "m.json", "--recipe", "ops"],
        "--link-model: recipe ops does not learn from links",
    );
    let text = fs::read_to_string(folder.path("m.json")).unwrap();
    folder.write("cut.json", &text[..text.len() / 2]);
    refused(&["--link-model", "cut.json"], "cut.json");
    folder.write("odd.json", text.replace("\"found\": ", "\"found\": -"));
    refused(&["--link-model", "odd.json"], "odd.json: is damaged: a success rate is out of range");
    let learn = |args: &[&str], message: &str| {
        folder.run(&[&["crawl", "learn"], args, &["-o", "new.json"]].concat()).refused(message);
        assert!(!folder.path("new.json").exists());
    };
    learn(&["web"], "is not a crawl folder");
    learn(&["teacher", "--recipe", "bfs"], "recipe bfs does not learn from links");
    let bare = ["crawl", "run", "--web", "web", "-o", "bare", "http://localhost/index.html"];
    done(&folder, &bare);
    learn(&["bare"], "this crawl had no topic");
    done(&folder, &["crawl", "learn", "bare", "--topic", "t.json", "-o", "of-bare.json"]);
}
