//! A crawl seen from outside: it says why nothing is being fetched, and what went wrong.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::process::Child;
use std::time::{Duration, Instant};

use ontrail_tests::Folder;
use ontrail_tests::invariants::{ended_and_said_why, every_page_is_stored_once};
use ontrail_tests::laboratory::Laboratory;
use ontrail_tests::scenarios::{page, site};
use ontrail_tests::web::Reply;
use serde_json::{Value, json};

fn spawn(lab: &Laboratory, folder: &Folder, seeds: &[String], more: &[&str]) -> Child {
    let args = lab.arguments("out", seeds, more);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    folder.spawn(&args)
}

/// Waits until the status of a crawl gives a reason for waiting that is as expected. Returns the
/// status for people.
fn wait_for(folder: &Folder, child: &mut Child, is_expected: impl Fn(&Value) -> bool) -> String {
    let started = Instant::now();
    loop {
        if folder.path("out/progress.json").exists() {
            let status = folder.run(&["crawl", "status", "out", "--json"]).json();
            if is_expected(&status["waiting"]) {
                return folder.run(&["crawl", "status", "out"]).stdout;
            }
        }
        assert_eq!(child.try_wait().unwrap(), None, "the crawl ended");
        assert!(started.elapsed() < Duration::from_mins(1), "it does not say why it waits");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn if_all_hosts_fail_at_once_the_crawl_pauses_and_says_so() {
    let mut lab = Laboratory::new();
    let (seeds, down): (Vec<String>, Vec<_>) = (0..6).map(|_| lab.down_host(site(2))).unzip();
    let folder = Folder::new();
    let more = ["--retries", "1", "--log-format", "json"];
    let mut child = spawn(&lab, &folder, &seeds, &more);
    let paused = json!({ "reason": "paused", "trouble": "network" });
    let text = wait_for(&folder, &mut child, |waiting| *waiting == paused);
    assert!(text.contains("paused: most hosts do not answer"), "{text}");
    down.into_iter().for_each(|host| lab.bring_up(host));
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    // Every line of the log is a JSON object.
    let lines = errors.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_pause = |line: &&Value| line["fields"]["message"] == "the crawl pauses";
    let pause = lines.iter().find(is_pause).unwrap_or_else(|| panic!("{errors}"));
    assert_eq!(pause["level"], "WARN");
    assert!(pause["fields"]["reason"].as_str().unwrap().contains("network"), "{pause}");
    // No host lost a page to the trouble.
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["downloaded"], 18, "{summary}");
    every_page_is_stored_once(&folder.path("out"));
    assert_eq!(ended_and_said_why(&folder, "out"), "nothing-left");
}

#[test]
fn a_crawl_that_waits_for_its_hosts_says_so() {
    let mut lab = Laboratory::new();
    let seeds = [lab.host(site(3)), lab.host(site(3))];
    let folder = Folder::new();
    let mut child = spawn(&lab, &folder, &seeds, &["--delay", "30"]);
    let is_expected = |waiting: &Value| waiting["reason"] == "hosts" && waiting["hosts"] == 2;
    let text = wait_for(&folder, &mut child, is_expected);
    assert!(text.contains("all 2 host(s) are waiting, the next in "), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn failures_that_dominate_are_pointed_out() {
    let mut lab = Laboratory::new();
    let seeds = [lab.host(Box::new(|request| match request.path {
        "/" => {
            let links = (1..=30).map(|number| format!("<a href='/{number}'>{number}</a> "));
            page(request, &links.collect::<String>())
        }
        _ => Reply::status(404),
    }))];
    let folder = Folder::new();
    let mut args = lab.arguments("out", &seeds, &[]);
    args.retain(|arg| arg != "--json");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = folder.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("most fetches failed (30 errors, 1 pages)"), "{}", ran.stderr);
}
