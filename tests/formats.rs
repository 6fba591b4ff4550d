//! The current code reads a small artifact of each format, kept as an earlier version wrote it.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::PathBuf;

use ontrail_crawl::{ArchiveWeb, read_links, read_log};
use ontrail_pilot::Score;
use ontrail_tests::{Folder, root};

fn kept(name: &str) -> PathBuf {
    root().join("tests/fixtures").join(name)
}

fn path(name: &str) -> String {
    kept(name).display().to_string()
}

#[test]
fn inspect_recognises_artifacts_of_every_format() {
    let folder = Folder::new();
    for (name, kind, shape) in [
        ("topic-v1.json", "topic", "json"),
        ("sdg-v1.json", "disambiguation graph", "json"),
        ("classifier-v1", "page classifier", "bundle"),
        ("judge-v1.json", "page judge", "json"),
        ("evaluation-v1.json", "evaluation", "json"),
        ("link-model-v1.json", "link model", "json"),
        ("project-v1/models/stages.json", "stages", "json"),
        ("ontology.ttl", "ontology", "sidecar"),
        ("context.dat", "context", "sidecar"),
    ] {
        let found = folder.run(&["inspect", &path(name), "--json"]).json();
        assert_eq!(
            (found["shape"].as_str(), found["format"].as_u64()),
            (Some(shape), Some(1)),
            "{name}"
        );
        assert!(found["kind"].as_str().unwrap().contains(kind), "{name}: {}", found["kind"]);
    }
}

#[test]
fn stored_topics_graphs_and_classifiers_still_work() {
    let folder = Folder::new();
    folder
        .write("page.html", "<title>storm</title><p>暴雨 and a storm brought a flood to the river");
    let scored = folder.run(&["topic", "score", &path("topic-v1.json"), "page.html", "--json"]);
    assert_eq!(scored.code, 0, "{}", scored.stderr);
    assert!(scored.stdout.contains("暴雨"));
    let class = folder.run_with_input(
        &["bcw", "predict", &path("classifier-v1"), "-", "--json"],
        "the river flood and rain",
    );
    assert!(class.stdout.contains("\"rain\""), "{}", class.stdout);
    let senses = folder.run(&["sdg", "apply", &path("sdg-v1.json"), "page.html", "--json"]);
    assert!(senses.code < 2, "{}", senses.stderr);
}

/// A topic with a calibration, and one that uses the general background.
#[test]
fn a_stored_calibration_is_still_used() {
    let folder = Folder::new();
    folder.write("on.html", "<p>暴雨 and a storm");
    folder.write("off.html", "<p>市场");
    let (topic, pages) = (path("topic-v2.json"), ["--on", "on.html", "--off", "off.html"]);
    let args = ["topic", "eval", &topic, "--weights", "tags", "--json"];
    let found = folder.run(&[&args[..], &pages[..]].concat());
    assert_eq!(found.code, 0, "{}", found.stderr);
    let found = found.json();
    assert_eq!(found["confusion"]["true_positives"], 1, "{found}");
    let threshold = found["threshold"].as_f64().unwrap();
    assert!((0.3..0.7).contains(&threshold), "{threshold}");
    let about = folder.run(&["inspect", &topic, "--json"]).json();
    assert_eq!(about["format"], 2);
}

/// The judge still accepts the models that it was fitted for: their checksums are the same.
#[test]
fn a_stored_judge_still_judges() {
    let folder = Folder::new();
    folder.write(
        "web/a.html",
        "<title>storm</title><p>暴雨 and a storm brought a flood <a href=b.html>b",
    );
    folder.write("web/b.html", "<title>market</title><p>the market sold apples");
    let files = ["topic-v2.json", "classifier-v1", "sdg-v1.json", "judge-v1.json"].map(path);
    let [topic, classifier, sdg, judge] = files.each_ref().map(String::as_str);
    let models = ["--topic", topic, "--classifier", classifier, "--sdg", sdg, "--judge", judge];
    let crawl = ["crawl", "run", "--web", "web", "http://localhost/a.html", "-o", "c"];
    let ran = folder.run(&[&crawl[..], &models].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let relevant: Vec<bool> =
        read_log(&folder.path("c/log")).unwrap().iter().filter_map(|row| row.relevant).collect();
    assert_eq!(relevant, [true, false]);
}

#[test]
fn contexts_and_ontologies_are_equal_in_every_format() {
    let folder = Folder::new();
    for name in ["context.cxt", "context.csv", "context.dat"] {
        let built = folder.run(&["lattice", "build", &path(name), "--json"]).json();
        assert_eq!(built["concepts"], 2, "{name}: {built}");
    }
    for ending in ["owl", "owx", "ofn", "omn", "ttl", "nt", "jsonld"] {
        let checked = folder
            .run(&["lattice", "check", &path(&format!("ontology.{ending}")), "--json"])
            .json();
        assert_eq!(
            (checked["classes"].as_u64(), checked["axioms"].as_u64()),
            (Some(2), Some(18)),
            "{ending}"
        );
    }
}

#[test]
fn the_tables_and_archives_of_a_crawl_are_read() {
    let rows = read_log(&kept("crawl/log")).unwrap();
    let pages: Vec<&str> =
        rows.iter().filter(|row| row.is_page()).map(|row| row.final_url.as_str()).collect();
    assert_eq!(pages, ["http://localhost/a.html", "http://localhost/b.html"]);
    let second = rows.iter().find(|row| row.final_url == "http://localhost/b.html").unwrap();
    assert!(second.score(Score::Priority).is_some() && second.relevance.unwrap() > 0.7);
    let links = read_links(&kept("crawl/links")).unwrap();
    assert_eq!((links.len(), links[0].url.as_str()), (1, "http://localhost/b.html"));
    let web = ArchiveWeb::open(&[kept("crawl/pages/pages-00000.warc.gz")]).unwrap();
    assert_eq!(web.urls(), ["http://localhost/a.html", "http://localhost/b.html"]);
}

#[test]
fn a_stored_link_model_begins_a_crawl() {
    let folder = Folder::new();
    folder.write("web/index.html", "<p>rain storm <a href=a.html>flood</a>");
    folder.write("web/a.html", "<p>rain");
    let (model, topic) = (path("link-model-v1.json"), path("topic-v1.json"));
    let ran = folder.run(&[
        "crawl",
        "run",
        "--web",
        "web",
        "--topic",
        &topic,
        "--link-model",
        &model,
        "--set",
        "priority.bits=10",
        "-o",
        "out",
        "--json",
        "http://localhost/index.html",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // The model has learned from two pages, and this crawl from one more.
    assert_eq!(ran.json()["learned"]["pages"], 3, "{}", ran.stdout);
}

#[test]
fn a_stored_weave_settings_file_is_accepted() {
    let folder = Folder::new();
    let news = root().join("datasets/news-mini").display().to_string();
    let args = [
        "lab",
        "weave",
        "--from",
        &news,
        "--settings",
        &path("weave-settings.toml"),
        "-o",
        "web",
        "--json",
    ];
    let woven = folder.run(&args).json();
    assert_eq!(
        (woven["settings"]["pages"].as_u64(), woven["settings"]["locality"].as_f64()),
        (Some(200), Some(0.9))
    );
}

#[test]
fn stored_evaluations_and_projects_are_read() {
    let folder = Folder::new();
    let ran = folder.run(&["report", "--evaluation", &path("evaluation-v1.json")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let html = std::fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(html.contains("classifier-v1 on texts.jsonl") && html.contains("<td class=\"hit"));
    let state = folder.run(&["run", &path("project-v1"), "--dry-run", "--json"]).json();
    let topic = &state["stages"][0];
    assert_eq!(topic["stage"], "topic", "{state}");
    // The version that wrote the project finds it up to date; a later version runs the stage again.
    let by_another =
        topic["because"].as_str().is_some_and(|it| it.starts_with("it was run by Ontrail"));
    assert!(topic["state"] == "up-to-date" || by_another, "{state}");
}
