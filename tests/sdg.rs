//! `ontrail sdg` as a user meets it.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_tests::{Folder, root};
use serde_json::{Value, json};

fn path(name: &str) -> String {
    root().join(name).to_string_lossy().into_owned()
}

/// Four pages of a topic and four others. "storm" is on all of the topic's and on three others.
const PAGES: [(&str, &str); 8] = [
    ("rain", "storm flood river storm"),
    ("rain", "storm flood dyke"),
    ("rain", "storm river dyke"),
    ("rain", "storm flood"),
    ("band", "storm guitar"),
    ("band", "storm storm drummer"),
    ("band", "storm guitar drummer"),
    ("band", "singer guitar"),
];

fn pages(folder: &Folder) {
    let line =
        |(label, text): &(&str, &str)| json!({ "label": label, "text": text }).to_string() + "\n";
    folder.write("pages.jsonl", PAGES.iter().map(line).collect::<String>());
}

fn build<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args =
        vec!["sdg", "build", "pages.jsonl", "--label", "rain", "--background", "pages.jsonl"];
    args.extend(["-o", "x.sdg.json"]);
    args.extend(more);
    args
}

/// Bounds by which storm alone is ambiguous: its relevance and popularity are 1, those of the others 2 and more.
const STORM: [&str; 6] =
    ["--rarity", "background", "--relevance-bounds", "1,2", "--popularity-bounds", "1,2"];

fn node<'a>(report: &'a Value, term: &str) -> &'a Value {
    let terms = report["terms"].as_array().unwrap();
    terms.iter().find(|node| node["term"] == term).unwrap_or_else(|| panic!("no {term}"))
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

/// storm: five times on 4 pages of the topic, four times on 3 others: TR 5 / 5, TP 4 / 4. flood: 3 on 3, nowhere
/// else. Rarity in the background: ln(8 / 7) for storm, ln(8 / 3) for flood. Weights by page: storm 1 on all four;
/// flood ½ on the first, where storm is twice, and 1 on two others. cd(storm, flood) = 3 / 7, as flood is only where
/// storm is.
#[test]
fn a_graph_is_counted_by_hand() {
    let folder = Folder::new();
    pages(&folder);
    let report = folder.run(&build(&["--rarity", "background", "--json"])).json();
    let [documents, relevant] = ["background_pages", "relevant_pages"].map(|name| &report[name]);
    assert_eq!((documents, relevant, &report["topic_pages"]), (&json!(8), &json!(4), &json!(4)));
    let (storm, flood) = (node(&report, "storm"), node(&report, "flood"));
    close(&storm["weight"], (8.0_f64 / 7.0).ln());
    close(&flood["weight"], (0.5 + 1.0 + 1.0) / 4.0 * (8.0_f64 / 3.0).ln());
    close(&storm["indicators"]["relevance"], 1.0);
    close(&storm["indicators"]["popularity"], 1.0);
    close(&flood["indicators"]["relevance"], 3.0);
    // The topic's terms are 12 words: storm 5, flood 3, river and dyke 2 each.
    close(&storm["indicators"]["importance"], (7.0_f64 / 5.0).ln());
    close(&flood["indicators"]["importance"], 3.0_f64.ln());
    assert_eq!((&storm["ambiguous"], &flood["ambiguous"]), (&json!(true), &json!(false)));
    let graph = folder.run(&["sdg", "show", "x.sdg.json", "--json"]).json();
    let edges = graph["edges"].as_array().unwrap();
    let edge = edges.iter().find(|edge| edge["terms"] == json!(["flood", "storm"])).unwrap();
    close(&edge["degree"], 3.0 / 7.0);
    assert_eq!((&edge["together"], &edge["either"]), (&json!(3), &json!(7)));
}

/// As printed, rarity is counted among the topic pages, so a word on all of them weighs nothing.
#[test]
fn as_printed_a_word_on_every_topic_page_is_no_term() {
    let folder = Folder::new();
    pages(&folder);
    let report = folder.run(&build(&["--json"])).json();
    let terms = report["terms"].as_array().unwrap();
    assert!(terms.iter().all(|node| node["term"] != "storm"), "{terms:?}");
    // flood is on three of four pages, river and dyke on two each.
    close(&node(&report, "river")["weight"], (0.5 + 1.0) / 4.0 * 2.0_f64.ln());
}

#[test]
fn pages_lose_what_they_do_not_mean_and_are_told_why() {
    let folder = Folder::new();
    pages(&folder);
    assert_eq!(folder.run(&build(&STORM)).code, 0);
    folder.write("band.html", "<title>Storm on tour</title><p>The storm plays guitar");
    folder.write(
        "rain.html",
        "<title>After the storm</title><p>The flood fell and the river with it",
    );
    let told = folder.run(&["sdg", "apply", "x.sdg.json", "band.html", "rain.html"]);
    let goes = "goes  storm      2  no term that would show the topic's meaning is on the page";
    assert!(told.stdout.contains(goes), "{}", told.stdout);
    assert!(
        told.stdout.contains("stays  storm      1  0.429 ≥ 0.429: flood 0.429"),
        "{}",
        told.stdout
    );
    let judged =
        folder.run(&["sdg", "apply", "x.sdg.json", "band.html", "rain.html", "--json"]).json();
    let [band, rain] = [0, 1].map(|page| &judged["pages"][page]["terms"][0]);
    assert_eq!((&band["removed"], &rain["removed"]), (&json!(true), &json!(false)));
    // 3/7 with flood, 2/7 with river and dyke; the mean is 1/3, so flood alone shows its meaning.
    close(&rain["mean"], 3.0 / 7.0);
    assert!(judged["pages"][0].get("id").is_none());
}

/// A page without the words that go is as near the topic as if they had never stood on it.
#[test]
fn a_score_leaves_out_what_goes() {
    let folder = Folder::new();
    pages(&folder);
    assert_eq!(folder.run(&build(&STORM)).code, 0);
    let keywords = ["topic", "keywords", "storm=2", "flood", "bridge", "-o", "t.json"];
    assert_eq!(folder.run(&keywords).code, 0);
    folder.write("band.html", "<p>The storm plays guitar, a guitar under the bridge");
    folder.write("less.html", "<p>plays guitar, a guitar under the bridge");
    let relevance = |page: &str, more: &[&str]| {
        let mut args = vec!["topic", "score", "t.json", page, "--json"];
        args.extend(more);
        folder.run(&args).json()["pages"][0].clone()
    };
    for model in [vec![], vec!["--weights", "tfidf"], vec!["--weights", "tags"]] {
        let with = [model.clone(), vec!["--sdg", "x.sdg.json"]].concat();
        let scored = relevance("band.html", &with);
        assert_eq!(scored["removed"][0]["term"], "storm");
        let expected = relevance("less.html", &model)["relevance"].as_f64().unwrap();
        assert!(expected > 0.1, "{expected}");
        close(&scored["relevance"], expected);
        assert!(relevance("band.html", &model)["removed"].is_null());
    }
    let shown = folder.run(&["topic", "score", "t.json", "band.html", "--sdg", "x.sdg.json"]);
    assert!(
        shown.stdout.contains("left out as not meant in the topic's sense: storm"),
        "{}",
        shown.stdout
    );
}

#[test]
fn without_labels_nearness_tells_what_is_on_the_topic() {
    let folder = Folder::new();
    for (number, (label, text)) in PAGES.iter().enumerate() {
        folder.write(&format!("all/{number}.html"), format!("<p>{text}"));
        if *label == "rain" {
            folder.write(&format!("rain/{number}.html"), format!("<p>{text}"));
        }
    }
    let args = [
        "sdg",
        "build",
        "rain",
        "--background",
        "all",
        "-o",
        "x.sdg.json",
        "--rarity",
        "background",
    ];
    let report = folder.run(&[&args[..], &["--threshold", "0.3", "--json"]].concat()).json();
    assert_eq!((&report["relevant_pages"], &report["background_pages"]), (&json!(4), &json!(8)));
    assert_eq!(report["relevant"], json!({ "threshold": 0.3 }));
    let nothing = folder.run(&[&args[..], &["-o", "y.sdg.json", "--threshold", "0.999"]].concat());
    nothing.refused("the argument '--output <FILE>' cannot be used multiple times");
    folder
        .run(&[&args[..], &["--threshold", "0.9999"]].concat())
        .refused("none of the 8 background pages is on the topic");
}

#[test]
fn a_topic_gives_its_terms_to_a_graph() {
    let folder = Folder::new();
    pages(&folder);
    let keywords = ["topic", "keywords", "storm=2", "flood", "snow", "-o", "t.json"];
    assert_eq!(folder.run(&keywords).code, 0);
    let ran = folder.run(&build(&["--topic", "t.json", "--json"]));
    assert!(ran.stderr.contains("1 of 3 terms are on no page of the background"), "{}", ran.stderr);
    let report = ran.json();
    close(&node(&report, "storm")["weight"], 2.0);
    let snow = node(&report, "snow");
    assert_eq!((&snow["ambiguous"], &snow["ambiguity"]), (&json!(false), &Value::Null));
}

#[test]
fn pictures_have_what_the_graph_has() {
    let folder = Folder::new();
    pages(&folder);
    assert_eq!(folder.run(&build(&STORM)).code, 0);
    for name in ["x.svg", "x.html", "x.dot"] {
        let drawn = folder.run(&["sdg", "show", "x.sdg.json", "-o", name]);
        assert_eq!(
            drawn.stdout,
            format!("{name}: 4 of 4 terms, 5 of 6 edges\n"),
            "{}",
            drawn.stderr
        );
        let picture = fs::read_to_string(folder.path(name)).unwrap();
        for part in ["storm", "0.134", "0.43"] {
            assert!(picture.contains(part), "{name} has no {part}");
        }
        assert!(picture.contains(if name == "x.dot" { "style=dashed" } else { "spot marked" }));
    }
    let table = folder.run(&["sdg", "show", "x.sdg.json", "--ambiguous"]).stdout;
    assert!(table.contains("x.sdg") || table.contains("rain: 4 terms, "), "{table}");
    assert!(table.contains("storm") && !table.contains("flood  3"), "{table}");
    let less = folder.run(&["sdg", "show", "x.sdg.json", "-o", "y.svg", "--min-degree", "0.4"]);
    assert!(less.stdout.contains("4 of 4 terms, 1 of 6 edges"), "{}", less.stdout);
    folder
        .run(&["sdg", "show", "x.sdg.json", "-o", "x.gif"])
        .refused("name a .svg, .html, .png or .dot file");
    folder
        .run(&["sdg", "show", "x.sdg.json", "-o", "x.svg", "--min-degree", "2"])
        .refused("--min-degree: 2 is not from 0 to 1");
}

#[test]
fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
    let folder = Folder::new();
    let data = path("datasets/senses-zh");
    let mut made = Vec::new();
    for (threads, name) in [("1", "one.sdg.json"), ("2", "two.sdg.json")] {
        let ran = folder.run(&[
            "--threads",
            threads,
            "sdg",
            "build",
            &data,
            "--label",
            "苹果-水果",
            "--background",
            &data,
            "-n",
            "200",
            "-o",
            name,
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let text = fs::read_to_string(folder.path(name)).unwrap();
        made.push(text.replace(name, "x").replace(&format!("--threads {threads} "), ""));
    }
    let alike = made[0].lines().zip(made[1].lines()).filter(|(a, b)| a != b).collect::<Vec<_>>();
    assert!(alike.len() <= 2, "{alike:?}");
}

/// Bad input is named, and nothing is written.
#[test]
fn bad_input_gets_a_clear_error() {
    let folder = Folder::new();
    pages(&folder);
    let refused = |more: &[&str], message: &str| {
        folder.run(&build(more)).refused(message);
        assert!(!folder.path("x.sdg.json").exists());
    };
    refused(&["--theta", "-0.1"], "theta is -0.1; it must be from 0 to 1");
    refused(&["--theta", "NaN"], "theta is NaN; it must be from 0 to 1");
    refused(&["--degree-threshold", "1.5"], "the threshold of co-occurrence is 1.5");
    refused(&["--threshold", "0"], "--threshold: 0 is not above 0 and at most 1");
    refused(&["--constant", "0"], "the constant C of eq. 11 is 0");
    refused(&["--relevance-bounds", "3,1"], "the bounds of the relevance are 3 and 1");
    refused(&["--relevance-bounds", "3"], "give two numbers with a comma between them");
    refused(&["--importance-bounds", "x,1"], "\"x\" is not a number");
    refused(
        &["--relevant", "snow"],
        "--relevant: no text has the label \"snow\"; there are band, rain",
    );
    refused(&["--min-pages", "9"], "no term of the 4 topic pages can be taken");
    refused(&["-n", "1"], "1 is not in 2..");
    folder
        .run(&["sdg", "build", "pages.jsonl", "--background", "pages.jsonl", "-o", "x.sdg.json"])
        .refused("texts of several labels; say with --label which are on the topic: band, rain");
    folder.write("alone/a.txt", "uno dos tres");
    folder.write("alone/b.txt", "quatro cinco");
    let alone = ["sdg", "build", "alone", "--background", "pages.jsonl", "-o", "x.sdg.json"];
    folder.run(&[&alone[..], &["--relevant", "rain"]].concat()).refused(
        "pages.jsonl: none of the 5 terms of the topic pages is on any of the 8 background pages\n  choose a \
         background in the language of alone",
    );
    folder.write("apart/a.txt", "flood uno");
    folder.write("apart/b.txt", "singer dos");
    let apart = ["sdg", "build", "apart", "--background", "pages.jsonl", "-o", "x.sdg.json"];
    folder.run(&[&apart[..], &["--relevant", "rain"]].concat()).refused(
        "apart: no two of the 4 terms of the topic pages stand together on any of the 4 background pages on the \
         topic\n  the topic pages may have no terms in common",
    );
    folder.write("t.json", "{}");
    folder
        .run(&["sdg", "show", "t.json"])
        .refused("t.json: line 1, column 2: this is no artifact of Ontrail");
    folder.run(&["sdg", "apply", "none.json", "x.html"]).refused("none.json");
    assert_eq!(folder.run(&build(&[])).code, 0);
    folder.write("empty.html", "");
    let told = folder.run(&["sdg", "apply", "x.sdg.json", "empty.html"]);
    assert!(told.stdout.contains("no words on this page"), "{}", told.stdout);
}

/// The precision at which three quarters of a topic's pages are found, with and without the graph.
fn precision(folder: &Folder, label: &str, more: &[&str]) -> f64 {
    let mut args =
        vec!["topic", "score", "t.json", "split/test.jsonl", "--weights", "tfidf", "--json"];
    args.extend(more);
    let report = folder.run(&args).json();
    let labels = fs::read_to_string(folder.path("split/test.jsonl")).unwrap();
    let labels =
        labels.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["label"].clone());
    let mut scored: Vec<(f64, bool)> = report["pages"]
        .as_array()
        .unwrap()
        .iter()
        .zip(labels)
        .map(|(page, own)| (page["relevance"].as_f64().unwrap(), own == label))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let wanted = scored.iter().filter(|(_, is_on)| *is_on).count() * 3;
    let mut found = 0;
    for (rank, (_, is_on)) in (1..).zip(scored) {
        found += usize::from(is_on);
        if found * 4 >= wanted {
            return found as f64 / f64::from(rank);
        }
    }
    0.0
}

/// On six words with other meanings, three of each language, the graph makes the answer to "is this page on the
/// topic" more precise, by the cosine and by SVSM.
#[test]
fn the_graph_helps() {
    let topics = [
        ("senses-en", "amazon-forest"),
        ("senses-en", "java-language"),
        ("senses-en", "apple-fruit"),
        ("senses-zh", "苹果-水果"),
        ("senses-zh", "暴雨-灾害"),
        ("senses-zh", "网络-计算机"),
    ];
    let things = path("ontologies/things/things.ttl");
    let svsm = [
        "--model",
        "svsm",
        "--norm",
        "text",
        "--min-similarity",
        "0.8",
        "--ontology",
        things.as_str(),
    ];
    let graph = ["--sdg", "g.sdg.json"];
    let (mut cosine, mut semantic) = ([0.0; 2], [0.0; 2]);
    for (dataset, label) in topics {
        let folder = Folder::new();
        let data = path(&format!("datasets/{dataset}"));
        let train = "split/train.jsonl";
        for args in [
            vec!["corpus", "split", &data, "-o", "split", "--format", "jsonl"],
            vec!["topic", "learn", train, "--label", label, "-o", "t.json"],
            vec![
                "sdg",
                "build",
                train,
                "--label",
                label,
                "--background",
                train,
                "--topic",
                "t.json",
                "--theta",
                "0.5",
                "-o",
                "g.sdg.json",
            ],
        ] {
            let ran = folder.run(&args);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        let (before, after) = (precision(&folder, label, &[]), precision(&folder, label, &graph));
        assert!(after >= before, "{label}: {before} before, {after} after");
        cosine[0] += before / 6.0;
        cosine[1] += after / 6.0;
        if dataset == "senses-zh" {
            semantic[0] += precision(&folder, label, &svsm) / 3.0;
            semantic[1] += precision(&folder, label, &[&svsm[..], &graph].concat()) / 3.0;
        }
    }
    assert!(cosine[1] > cosine[0] + 0.05, "{cosine:?}");
    assert!(semantic[1] > semantic[0] + 0.05, "{semantic:?}");
}
