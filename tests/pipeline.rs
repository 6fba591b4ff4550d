//! The demo: the whole pipeline on the shipped datasets, from pages to a report, with its figures.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;
use std::fs;

use ontrail_tests::{Folder, Ran, root};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

const CRAWLERS: [&str; 5] = ["bfs", "ops", "fcits-oh", "bcw-cc", "ontrail"];

fn demo(folder: &Folder, more: &[&str]) -> Ran {
    let datasets = root().join("datasets");
    folder
        .run(&[&["demo", "--out", "made", "--datasets", datasets.to_str().unwrap()], more].concat())
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path("made").join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn parsed(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}

#[test]
fn from_pages_to_a_report() {
    let folder = Folder::new();
    let ran = demo(&folder, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().last(), Some("made/report.html"), "the path is printed last");
    lines_fit_the_terminal(&ran.stdout);
    the_commands_shown_do_the_same_alone(&folder, &ran.stdout);
    ontology_and_topic(&folder);
    classifier_and_graph(&folder);
    let downloaded = crawls(&folder);
    exports_may_be_left_early(&folder);
    comparison(&folder);
    report(&folder, downloaded);
    only_what_changed_is_done_again(&folder, &ran.stdout);
    work_put_into_it_is_not_lost(&folder);
}

/// Tables have at most 100 columns. Commands and paths are as long as they are.
fn lines_fit_the_terminal(shown: &str) {
    for line in shown.lines().filter(|line| !line.contains('/')) {
        assert!(line.width() <= 100, "{} columns: {line}", line.width());
    }
}

/// Each stage prints its command, and running such a command alone gives the same bytes.
fn the_commands_shown_do_the_same_alone(folder: &Folder, shown: &str) {
    let commands: Vec<&str> =
        shown.lines().filter_map(|line| line.strip_prefix("$ ontrail ")).collect();
    assert_eq!(commands.len(), shown.lines().filter(|line| line.starts_with('[')).count());
    let weigh = commands.iter().find(|command| command.starts_with("topic weigh")).unwrap();
    let before = read(folder, "rainstorm.topic.json");
    let words: Vec<&str> = weigh.split(' ').collect();
    assert_eq!(folder.run(&words).code, 0);
    assert_eq!(before, read(folder, "rainstorm.topic.json"));
    let made: Value = serde_json::from_str(&before).unwrap();
    assert_eq!(
        made["ontrail"]["provenance"]["arguments"],
        json!(words),
        "it names the command that makes it alone"
    );
}

fn ontology_and_topic(folder: &Folder) {
    let lattice = folder.run(&["lattice", "build", "made/rainstorm.cxt", "--json"]).json();
    let figures = ["objects", "attributes", "concepts", "edges"].map(|name| lattice[name].clone());
    assert_eq!(figures, [54, 50, 212, 510].map(|number: u64| json!(number)), "{lattice}");
    let checked = folder.run(&["lattice", "check", "made/rainstorm.owl", "--json"]).json();
    assert_eq!(
        (&checked["classes"], &checked["levels"], &checked["problems"]),
        (&json!(50), &json!(6), &json!([]))
    );
    // The shipped ontology differs only in its name.
    let shipped = root().join("ontologies/rainstorm/rainstorm.owl");
    let shipped = folder.run(&[
        "topic",
        "weigh",
        shipped.to_str().unwrap(),
        "--topic",
        "暴雨灾害",
        "-o",
        "shipped.json",
    ]);
    assert_eq!(shipped.code, 0, "{}", shipped.stderr);
    let terms = |path: &str| -> Vec<(String, f64)> {
        let topic: Value =
            serde_json::from_str(&fs::read_to_string(folder.path(path)).unwrap()).unwrap();
        let terms = topic["content"]["terms"].as_array().unwrap();
        terms
            .iter()
            .map(|term| {
                (term["term"].as_str().unwrap().to_owned(), term["weight"].as_f64().unwrap())
            })
            .collect()
    };
    let made = terms("made/rainstorm.topic.json");
    assert_eq!(made, terms("shipped.json"));
    assert_eq!((made.len(), made[0].1), (213, 1.0));
    assert!(read(folder, "rainstorm.svg").contains("次生灾害"));
}

fn classifier_and_graph(folder: &Folder) {
    let evaluation = &parsed(folder, "news-classifier.json")["content"];
    assert_eq!(evaluation["documents"], 54);
    let right: u64 = evaluation["confusion"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(class, answers)| answers[class].as_u64().unwrap_or(0))
        .sum();
    assert!((evaluation["accuracy"].as_f64().unwrap() - right as f64 / 54.0).abs() < 1e-12);
    assert_eq!(right, 53, "of 54 texts that it has not seen");
    let graph = parsed(folder, "暴雨.sdg.json");
    let terms = graph["content"]["terms"].as_array().unwrap();
    let ambiguous: Vec<&str> = terms
        .iter()
        .filter(|term| term["ambiguous"] == true)
        .map(|term| term["term"].as_str().unwrap())
        .collect();
    assert_eq!((terms.len(), ambiguous.len()), (40, 20));
    assert!(ambiguous.contains(&"暴雨"), "which is a band too");
}

/// Checks the figures of each crawl against the labels of the web. Returns the number of pages
/// that all crawls fetched.
fn crawls(folder: &Folder) -> usize {
    let labels = read(folder, "woven-web/labels.tsv");
    let row = |line: &str| {
        let mut cells = line.split('\t');
        Some((cells.next()?.to_owned(), cells.next()?.to_owned()))
    };
    let on_topic: BTreeSet<String> = labels
        .lines()
        .filter_map(row)
        .filter(|(_, label)| label == "rainstorm")
        .map(|(url, _)| url)
        .collect();
    let mut downloaded = 0;
    let mut relevant = Vec::new();
    for recipe in CRAWLERS {
        let crawl = format!("made/crawl-{recipe}");
        let export = folder.run(&["crawl", "export", &crawl, "--format", "jsonl", "--all"]);
        let pages: Vec<Value> =
            export.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let brought =
            pages.iter().filter(|page| on_topic.contains(page["final_url"].as_str().unwrap()));
        let summary = parsed(folder, &format!("crawl-{recipe}/summary.json"));
        assert_eq!(summary["downloaded"], 800, "{recipe}");
        // Duplicate pages are downloaded, but each page is exported once.
        let duplicates = summary["duplicates"].as_u64().unwrap();
        assert!(pages.len() as u64 >= 800 - duplicates, "{recipe}");
        let brought = brought.count() as u64;
        let counted = summary["true"]["relevant"].as_u64().unwrap();
        assert!(
            brought <= counted && counted <= brought + duplicates,
            "{recipe}: {brought} of {counted}"
        );
        let recall = counted as f64 / on_topic_pages(&summary);
        assert!((summary["true"]["recall"].as_f64().unwrap() - recall).abs() < 1e-12, "{recipe}");
        downloaded += 800;
        relevant.push(counted);
    }
    assert_eq!(relevant, [149, 357, 211, 439, 582], "{CRAWLERS:?}");
    downloaded
}

/// A reader that closes the pipe early, as `head` does, causes no error in any format.
fn exports_may_be_left_early(folder: &Folder) {
    for form in ["jsonl", "csv", "text"] {
        let args = ["crawl", "export", "made/crawl-bfs", "--all", "--format", form];
        let mut child = folder.spawn(&args);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), stderr.as_ref()), (Some(0), ""), "{form}");
    }
}

fn on_topic_pages(summary: &Value) -> f64 {
    summary["true"]["relevant_pages"].as_f64().unwrap()
}

fn comparison(folder: &Folder) {
    let compared = parsed(folder, "compared/comparison.json");
    assert_eq!(
        (compared["blocks"].as_array().unwrap().len(), &compared["budget"]),
        (3, &json!(800))
    );
    let recall =
        |recipe: &str| compared["recipes"][recipe]["true"]["recall"]["mean"].as_f64().unwrap();
    let recalls = CRAWLERS.map(recall);
    assert!(recalls.iter().all(|recall| (0.0..=1.0).contains(recall)));
    assert!(recall("bfs") < recall("fcits-oh") && recall("fcits-oh") < recall("ops"));
    assert!(recall("ops") < recall("ontrail").min(recall("bcw-cc")), "{recalls:?}");
}

fn report(folder: &Folder, downloaded: usize) {
    let html = read(folder, "report.html");
    for part in ["ontology", "topic", "classifier", "senses", "crawls", "comparison", "pages"] {
        assert!(html.contains(&format!("<section class=\"chapter\" id=\"{part}\">")), "{part}");
    }
    let data = html.split("<script type=\"application/json\">").last().unwrap();
    let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    assert_eq!(data["rows"].as_array().unwrap().len(), downloaded);
    assert_eq!(data["crawls"], json!(CRAWLERS));
}

/// Stages that are up to date are skipped; outputs are compared by their bytes.
fn only_what_changed_is_done_again(folder: &Folder, shown: &str) {
    let again = demo(folder, &["--keep"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    // Stages that only print something have no outputs, so they always run.
    let showing = ["lattice build", "lattice check", "topic score", "bcw predict", "sdg apply"];
    let stages = shown.lines().filter(|line| line.starts_with('[')).count();
    assert_eq!(again.stdout.matches("\nup to date\n").count(), stages - showing.len());
    fs::remove_file(folder.path("made/rainstorm.svg")).unwrap();
    let mended = demo(folder, &["--keep"]);
    assert_eq!(mended.stdout.matches("\nup to date\n").count(), stages - showing.len() - 1);
    assert!(folder.path("made/rainstorm.svg").exists());
}

/// Files that a user added to the results of a demo, and files elsewhere, are never removed.
fn work_put_into_it_is_not_lost(folder: &Folder) {
    folder.write("made/crawl-bfs/notes.txt", "mine");
    demo(folder, &[]).refused("made/crawl-bfs: it was changed since it was made");
    assert!(
        folder.path("made/rainstorm.owl").exists()
            && folder.path("made/crawl-bfs/notes.txt").exists()
    );
    let nowhere = folder.run(&["demo", "--out", "made", "--datasets", "nowhere"]);
    nowhere.refused("nowhere/news-mini: no such folder; name the datasets folder");
    fs::rename(folder.path("made"), folder.path("moved")).unwrap();
    folder.write("made/rainstorm.owl", "of somebody else");
    let datasets = root().join("datasets");
    let args = ["demo", "--out", "moved", "--keep", "--datasets", datasets.to_str().unwrap()];
    let moved = folder.run(&args);
    assert_eq!(moved.code, 2);
    assert!(
        moved.stderr.contains("moved/crawl-bfs: it was changed since it was made"),
        "{}",
        moved.stderr
    );
    assert_eq!(fs::read_to_string(folder.path("made/rainstorm.owl")).unwrap(), "of somebody else");
}

#[test]
fn the_demo_replaces_no_folder_that_it_did_not_make() {
    let folder = Folder::new();
    // A project has a ledger as well, but is not a demo.
    folder.write("project/models/stages.json", "{}");
    folder.run(&["demo", "--out", "project/models"]).refused("name the folder with --datasets");
    let datasets = root().join("datasets");
    let args = ["demo", "--out", "project/models", "--datasets", datasets.to_str().unwrap()];
    folder.run(&args).refused("project/models: this folder exists and was not made by a demo");
    folder.write("made/thesis.txt", "years of work");
    demo(&folder, &[]).refused("made: this folder exists and was not made by a demo");
    assert!(folder.path("made/thesis.txt").exists());
    folder.run(&["demo"]).refused("name the folder with --datasets");
    demo(&folder, &["--json"])
        .refused("the demo has no JSON output; run single stages with --json");
}
