//! End-to-end tests of `ontrail sdg`.

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

/// Bounds by which storm alone is ambiguous: its relevance and popularity are 1, those of the
/// others 2 and more.
const STORM: [&str; 4] = ["--relevance-bounds", "1,2", "--popularity-bounds", "1,2"];

fn node<'a>(report: &'a Value, term: &str) -> &'a Value {
    let terms = report["terms"].as_array().unwrap();
    terms.iter().find(|node| node["term"] == term).unwrap_or_else(|| panic!("no {term}"))
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

/// storm: five times on 4 pages of the topic, four times on 3 others: TR 5 / 5, TP 4 / 4. flood:
/// 3 on 3, nowhere else. Rarity in the background: ln(8 / 7) for storm, ln(8 / 3) for flood.
/// Weights by page: storm 1 on all four; flood ½ on the first, where storm is twice, and 1 on two
/// others. cd(storm, flood) = 3 / 7, because flood occurs only together with storm.
#[test]
fn a_graph_has_the_counts_worked_out_by_hand() {
    let folder = Folder::new();
    pages(&folder);
    let report = folder.run(&build(&["--json"])).json();
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
fn the_printed_formula_drops_a_word_on_every_topic_page() {
    let folder = Folder::new();
    pages(&folder);
    let report = folder.run(&build(&["--rarity", "pages", "--json"])).json();
    let terms = report["terms"].as_array().unwrap();
    assert!(terms.iter().all(|node| node["term"] != "storm"), "{terms:?}");
    // flood is on three of four pages, river and dyke on two each.
    close(&node(&report, "river")["weight"], (0.5 + 1.0) / 4.0 * 2.0_f64.ln());
}

#[test]
fn words_with_another_meaning_are_removed_with_the_reason() {
    let folder = Folder::new();
    pages(&folder);
    assert_eq!(folder.run(&build(&STORM)).code, 0);
    folder.write("band.html", "<title>Storm on tour</title><p>The storm plays guitar");
    folder.write(
        "rain.html",
        "<title>After the storm</title><p>The flood fell and the river with it",
    );
    let told = folder.run(&["sdg", "apply", "x.sdg.json", "band.html", "rain.html"]);
    let removed = "removed  storm      2               0.429  none";
    assert!(told.stdout.contains(removed), "{}", told.stdout);
    let kept = "kept  storm      1        0.429  0.429  flood 0.429";
    assert!(told.stdout.contains(kept), "{}", told.stdout);
    let judged =
        folder.run(&["sdg", "apply", "x.sdg.json", "band.html", "rain.html", "--json"]).json();
    let [band, rain] = [0, 1].map(|page| &judged["pages"][page]["terms"][0]);
    assert_eq!((&band["removed"], &rain["removed"]), (&json!(true), &json!(false)));
    // 3/7 with flood, 2/7 with river and dyke; the mean is 1/3, so flood alone shows its meaning.
    close(&rain["mean"], 3.0 / 7.0);
    assert_eq!(band["disambiguation_terms"], 1);
}

/// After removal of words, a page has the same relevance by every model as if it never had these
/// words, and so have its links and blocks.
#[test]
fn a_score_leaves_out_removed_words() {
    let folder = Folder::new();
    pages(&folder);
    assert_eq!(folder.run(&build(&STORM)).code, 0);
    let keywords = ["topic", "keywords", "storm=2", "flood", "bridge", "-o", "t.json"];
    assert_eq!(folder.run(&keywords).code, 0);
    let page = |storm: &str| {
        format!(
            "<div><p>The {storm} guitar, a guitar under the bridge</div><p><a href=/x>{storm} bridge</a> tour"
        )
    };
    folder.write("band.html", page("storm"));
    folder.write("less.html", page(""));
    let scored = |page: &str, more: &[&str]| {
        let args = ["topic", "score", "t.json", page, "--json", "--links", "--blocks"];
        folder.run(&[&args[..], more].concat()).json()["pages"][0].clone()
    };
    let things = path("ontologies/things/things.ttl");
    let semantic = ["--ontology", things.as_str(), "--model"];
    for model in [
        vec![],
        vec!["--weights", "tfidf"],
        vec!["--weights", "tags"],
        [&semantic[..], &["ssrm"]].concat(),
        [&semantic[..], &["svsm"]].concat(),
        [&semantic[..], &["svsm", "--norm", "text"]].concat(),
    ] {
        let (less, plain) = (scored("less.html", &model), scored("band.html", &model));
        let found = scored("band.html", &[&model[..], &["--sdg", "x.sdg.json"]].concat());
        assert_eq!(found["removed"][0]["term"], "storm");
        assert!(plain["removed"].is_null());
        assert!(less["relevance"].as_f64().unwrap() > 0.01, "{less}");
        for [list, part] in
            [["links", "anchor_tfidf"], ["links", "context"], ["blocks", "relevance"]]
        {
            close(&found[list][0][part], less[list][0][part].as_f64().unwrap());
        }
        close(&found["relevance"], less["relevance"].as_f64().unwrap());
        assert_ne!(found["relevance"], plain["relevance"], "{model:?}");
    }
    let shown = folder.run(&["topic", "score", "t.json", "band.html", "--sdg", "x.sdg.json"]);
    let told = "removed, because they do not mean the topic here: storm";
    assert!(shown.stdout.contains(told), "{}", shown.stdout);
}

/// SDVSM in English, by a WordNet of four synsets in which a gale is a storm and a bridge is not:
/// a page whose storm was removed has the SVSM relevance of the page without it.
#[test]
fn sdvsm_by_wordnet() {
    let folder = Folder::new();
    pages(&folder);
    assert_eq!(folder.run(&build(&STORM)).code, 0);
    folder.write(
        "wn/data.noun",
        "  1 a licence\n\
         00000100 03 n 01 entity 0 000 | all there is\n\
         00000200 05 n 01 weather 0 001 @ 00000100 n 0000 | outside\n\
         00000300 05 n 02 storm 0 gale 0 001 @ 00000200 n 0000 | windy\n\
         00000400 06 n 01 bridge 0 001 @ 00000100 n 0000 | across\n",
    );
    folder.write(
        "wn/index.noun",
        "bridge n 1 1 @ 1 1 00000400\nentity n 1 0 1 1 00000100\ngale n 1 1 @ 1 1 00000300\n\
         storm n 1 1 @ 1 1 00000300\nweather n 1 1 @ 1 1 00000200\n",
    );
    assert_eq!(folder.run(&["topic", "keywords", "gale=2", "weather", "-o", "t.json"]).code, 0);
    folder.write("band.html", "<p>storm storm weather guitar");
    folder.write("less.html", "<p>weather guitar");
    for norm in ["text", "pairs"] {
        let svsm = ["--model", "svsm", "--norm", norm, "--wordnet", "wn", "--json"];
        let scored = |page: &str, more: &[&str]| {
            let args = [&["topic", "score", "t.json", page], &svsm[..], more].concat();
            folder.run(&args).json()["pages"][0]["relevance"].as_f64().unwrap()
        };
        let with = scored("band.html", &["--sdg", "x.sdg.json"]);
        let (plain, less) = (scored("band.html", &[]), scored("less.html", &[]));
        assert!((with - less).abs() < 1e-12 && less > 0.1, "{norm}: {with} {less}");
        // A storm is a gale, so the page was more similar with it; the printed SVSM has it the
        // other way round.
        assert_eq!(plain > less, norm == "text", "{norm}: {plain} {less}");
        assert!((plain - less).abs() > 1e-3);
    }
}

#[test]
fn without_labels_similarity_decides_which_pages_are_relevant() {
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
    folder.run(&[&args[..], &["--threshold", "0.9999"]].concat()).refused(
        "all: none of the 8 background pages is relevant, so co-occurrences on relevant pages cannot be \
         counted\n  the highest cosine is 0.",
    );
}

#[test]
fn a_graph_is_built_for_the_terms_of_a_topic() {
    let folder = Folder::new();
    pages(&folder);
    let keywords = ["topic", "keywords", "storm=2", "flood", "snow", "-o", "t.json"];
    assert_eq!(folder.run(&keywords).code, 0);
    let ran = folder.run(&build(&["--topic", "t.json", "--json"]));
    assert!(ran.stderr.contains("1 of 3 terms occur on no background page"), "{}", ran.stderr);
    let report = ran.json();
    close(&node(&report, "storm")["weight"], 2.0);
    let snow = node(&report, "snow");
    assert_eq!((&snow["ambiguous"], &snow["ambiguity"]), (&json!(false), &Value::Null));
}

/// Of two terms with the same stem only the heavier one is taken. The heaviest terms of an edited
/// topic are taken, whatever their order.
#[test]
fn the_heaviest_terms_of_a_topic_are_taken_and_counted_once() {
    let folder = Folder::new();
    pages(&folder);
    let keywords =
        ["topic", "keywords", "storms=2", "storm=1", "flood=3", "river=0.1", "-o", "t.json"];
    assert_eq!(folder.run(&keywords).code, 0);
    let ran = folder.run(&build(&["--topic", "t.json", "--json"]));
    assert!(ran.stderr.contains("counted as a term of greater weight: storm\n"), "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["terms"].as_array().unwrap().len(), 3);
    assert_eq!(node(&report, "storms")["counts"]["other_pages"], 3);
    let text = fs::read_to_string(folder.path("t.json")).unwrap();
    folder
        .write("u.json", text.replace("0.1", "9.0").replace("\"weight\": 3.0", "\"weight\": 0.2"));
    let few = folder.run(&build(&["--topic", "u.json", "-n", "2", "--json"])).json();
    assert_eq!(
        (&few["terms"][0]["term"], &few["terms"][1]["term"]),
        (&json!("river"), &json!("storms"))
    );
}

/// Building and applying a graph count the same occurrences of each term.
#[test]
fn pages_are_read_in_the_same_way_as_the_background() {
    let folder = Folder::new();
    let data = path("datasets/senses-zh");
    let args =
        ["sdg", "build", &data, "--label", "杜鹃-鸟", "--background", &data, "-o", "x.sdg.json"];
    let report = folder.run(&[&args[..], &["-n", "300", "--json"]].concat()).json();
    let judged = folder.run(&["sdg", "apply", "x.sdg.json", &data, "--json"]).json();
    let on_pages = judged["pages"].as_array().unwrap().iter();
    let judgements: Vec<&Value> =
        on_pages.flat_map(|page| page["terms"].as_array().unwrap().iter()).collect();
    let mut ambiguous = 0;
    for node in report["terms"].as_array().unwrap().iter().filter(|it| it["ambiguous"] == true) {
        let counts = &node["counts"];
        let number = |name: &str| counts[name].as_u64().unwrap();
        let found = judgements.iter().filter(|it| it["term"] == node["term"]);
        let found: u64 = found.map(|it| it["occurrences"].as_u64().unwrap()).sum();
        let counted = number("relevant_occurrences") + number("other_occurrences");
        assert_eq!(found, counted, "{}", node["term"]);
        ambiguous += 1;
    }
    assert!(ambiguous > 50);
}

/// A phrase of the topic that contains words of the graph does not hide them from the graph, so
/// score and apply agree.
#[test]
fn score_and_apply_agree() {
    let folder = Folder::new();
    pages(&folder);
    assert_eq!(folder.run(&build(&STORM)).code, 0);
    assert_eq!(folder.run(&["topic", "keywords", "storm flood", "storm", "-o", "t.json"]).code, 0);
    folder.write("p.html", "<p>storm flood and another storm");
    let judged = folder.run(&["sdg", "apply", "x.sdg.json", "p.html", "--json"]).json();
    assert_eq!(judged["pages"][0]["terms"][0]["removed"], false);
    let args = ["topic", "score", "t.json", "p.html", "--sdg", "x.sdg.json", "--json"];
    let scored = folder.run(&args).json();
    assert_eq!(scored["pages"][0]["removed"], json!([]));
    assert_eq!(scored["sdg"], "x.sdg.json");
    assert_eq!(folder.run(&["topic", "keywords", "暴雨", "-o", "zh.json"]).code, 0);
    // A phrase of the graph that is not in the topic is not reported as removed.
    let keywords =
        ["topic", "keywords", "storm flood=2", "storm guitar", "river", "-o", "phrases.json"];
    assert_eq!(folder.run(&keywords).code, 0);
    let build = ["sdg", "build", "pages.jsonl", "--label", "rain", "--background", "pages.jsonl"];
    let more = ["--topic", "phrases.json", "-o", "phrases.sdg.json", "--relevance-bounds", "9,10"];
    let made = folder.run(&[&build[..], &more, &["--popularity-bounds", "9,10"]].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(folder.run(&["topic", "keywords", "storm", "flood", "-o", "words.json"]).code, 0);
    let args = ["topic", "score", "words.json", "p.html", "--sdg", "phrases.sdg.json", "--json"];
    assert_eq!(folder.run(&args).json()["pages"][0]["removed"], json!([]));
    let other = folder.run(&["topic", "score", "zh.json", "p.html", "--sdg", "x.sdg.json"]);
    assert!(other.stderr.contains("has no term of the topic \"暴雨\""), "{}", other.stderr);
}

/// Pages with ambiguous terms are listed, the others only counted.
#[test]
fn only_pages_with_ambiguous_words_are_listed() {
    let folder = Folder::new();
    pages(&folder);
    let ran = folder.run(&build(&STORM));
    assert!(ran.stderr.contains("only 4 of 8 background pages are relevant"), "{}", ran.stderr);
    let told = folder.run(&["sdg", "apply", "x.sdg.json", "pages.jsonl"]).stdout;
    assert!(
        told.ends_with(
            "\nterms removed from 4 of 8 pages; not shown: 1 without ambiguous terms (--all)\n"
        ),
        "{told}"
    );
    let all = folder.run(&["sdg", "apply", "x.sdg.json", "pages.jsonl", "--all"]).stdout;
    assert!(all.contains("no ambiguous terms on this page"), "{all}");
    assert!(all.ends_with("\nterms removed from 4 of 8 pages\n"), "{all}");
}

#[test]
fn a_background_may_be_a_web_archive() {
    let folder = Folder::new();
    pages(&folder);
    let record = |number: usize, text: &str| {
        let body = format!("<p>{text}");
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://site.example/{number}\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        )
    };
    let texts = PAGES.iter().map(|(_, text)| *text).chain([""]);
    folder
        .write("web.warc", texts.enumerate().map(|(n, text)| record(n, text)).collect::<String>());
    let mut args = build(&["--threshold", "0.3", "--json"]);
    let background = args.iter().position(|word| *word == "--background").unwrap();
    args[background + 1] = "web.warc";
    let ran = folder.run(&args);
    assert!(ran.stderr.contains("skipped 1 documents"), "{}", ran.stderr);
    let report = ran.json();
    assert_eq!((&report["background_pages"], &report["relevant_pages"]), (&json!(8), &json!(4)));
    close(&node(&report, "storm")["indicators"]["popularity"], 1.0);
}

#[test]
fn pictures_show_the_whole_graph() {
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
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "rain: 4 terms, 1 of them ambiguous, 6 edges");
    assert_eq!(
        lines[1],
        "  counted on 8 background pages, 4 of them relevant; θ is 1 times the mean degree"
    );
    assert!(
        lines[2].starts_with("  bounds (low, high): relevance 1.00, 2.00; popularity 1.00, 2.00")
    );
    assert!(lines[4].starts_with("   0.134  storm") && lines[4].ends_with("ambiguous  flood"));
    assert_eq!(lines.len(), 5);
    let shown = folder.run(&["sdg", "show", "x.sdg.json", "--ambiguous", "--json"]).json();
    assert_eq!((shown["terms"].as_array().unwrap().len(), &shown["edges"]), (1, &json!([])));
    for more in [&["--ambiguous"][..], &["--top", "1"], &["--all"]] {
        let args = [&["sdg", "show", "x.sdg.json", "-o", "y.svg"], more].concat();
        folder.run(&args).refused("cannot be used with");
    }
    folder
        .run(&["sdg", "show", "x.sdg.json", "-o", "y.svg", "--scale", "5"])
        .refused("--scale is for .png");
    let less = folder.run(&["sdg", "show", "x.sdg.json", "-o", "y.svg", "--min-degree", "0.4"]);
    assert!(less.stdout.contains("4 of 4 terms, 1 of 6 edges"), "{}", less.stdout);
    folder
        .run(&["sdg", "show", "x.sdg.json", "-o", "x.gif"])
        .refused("name a .svg, .html, .png or .dot file");
    folder
        .run(&["sdg", "show", "x.sdg.json", "-o", "x.svg", "--min-degree", "2"])
        .refused("'--min-degree <D>': 2 is not from 0 to 1");
}

#[test]
fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
    let folder = Folder::new();
    let data = path("datasets/senses-zh");
    let content = |threads: &str| {
        let name = format!("{threads}.sdg.json");
        let args =
            ["sdg", "build", &data, "--label", "苹果-水果", "--background", &data, "-n", "200"];
        let ran = folder.run(&[&args[..], &["-o", &name, "--threads", threads]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let text = fs::read_to_string(folder.path(&name)).unwrap();
        text[text.find("\"sha256\"").unwrap()..].to_owned()
    };
    let one = content("1");
    assert!(one.len() > 10_000);
    assert!(one == content("2"));
}

/// Errors name the bad input, and nothing is written.
#[test]
fn bad_input_gets_a_clear_error() {
    let folder = Folder::new();
    pages(&folder);
    let refused = |more: &[&str], message: &str| {
        folder.run(&build(more)).refused(message);
        assert!(!folder.path("x.sdg.json").exists());
    };
    refused(&["--theta", "-0.1"], "--theta: theta is -0.1; it must be from 0 to 1");
    refused(&["--theta", "NaN"], "theta is NaN; it must be from 0 to 1");
    refused(
        &["--degree-threshold", "1.5"],
        "--degree-threshold: the co-occurrence threshold is 1.5",
    );
    refused(&["--threshold", "0"], "'--threshold <T>': 0 is not above 0 and at most 1");
    refused(&["--constant", "0"], "--constant: the constant C of eq. 11 is 0.0");
    refused(
        &["--relevance-bounds", "3,1"],
        "--relevance-bounds: the bounds of the relevance are 3.0 and 1.0",
    );
    refused(&["--relevance-bounds", "3"], "give two numbers separated by a comma");
    refused(&["--importance-bounds", "x,1"], "\"x\" is not a number");
    refused(
        &["--relevant", "snow"],
        "--relevant: no text has the label \"snow\"; the labels are band, rain",
    );
    refused(
        &["--min-pages", "9"],
        "pages.jsonl: no terms found on the 4 topic pages: no term occurs on 9 of them; lower \
         --min-pages",
    );
    refused(&["--constant", "1e-310"], "it must be from 0.001 to 1000");
    refused(&["--relevance-bounds", "0,5e-324"], "clearly apart");
    refused(&["--name", "a\nb"], "the name of the graph is \"a\\nb\"");
    refused(&["-n", "1"], "1 is not in 2..");
    folder
        .run(&["sdg", "build", "pages.jsonl", "--background", "pages.jsonl", "-o", "x.sdg.json"])
        .refused("the texts have several labels; name those of the topic with --label: band, rain");
    folder.write("alone/a.txt", "uno dos tres");
    folder.write("alone/b.txt", "quatro cinco");
    let alone = ["sdg", "build", "alone", "--background", "pages.jsonl", "-o", "x.sdg.json"];
    folder.run(&[&alone[..], &["--relevant", "rain"]].concat()).refused(
        "alone: no terms found on the 2 topic pages: they have no terms in common; give pages about \
         one topic, or allow terms of a single page with --min-pages 1",
    );
    let all = [&alone[..], &["--relevant", "rain", "--min-pages", "1"]].concat();
    folder.run(&all).refused(
        "pages.jsonl: none of the 5 terms of the topic pages occurs on any of the 8 background pages\n  choose a \
         background in the language of alone",
    );
    folder.write("apart/a.txt", "flood uno");
    folder.write("apart/b.txt", "singer dos");
    let apart = ["sdg", "build", "apart", "--background", "pages.jsonl", "-o", "x.sdg.json"];
    folder.run(&[&apart[..], &["--relevant", "rain", "--min-pages", "1"]].concat()).refused(
        "apart: no two of the 4 terms of the topic pages occur together on any of the 4 relevant \
         background pages\n  use more terms",
    );
    folder.write("t.json", "{}");
    folder
        .run(&["sdg", "show", "t.json"])
        .refused("t.json: line 1, column 2: not an artifact of Ontrail");
    folder.run(&["sdg", "apply", "none.json", "x.html"]).refused("none.json");
    assert_eq!(folder.run(&["topic", "keywords", "storm", "flood", "-o", "k.json"]).code, 0);
    folder.run(&build(&["--topic", "k.json", "--rarity", "pages"])).refused("cannot be used with");
    let topic = fs::read_to_string(folder.path("k.json")).unwrap();
    let over = [
        "sdg",
        "build",
        "pages.jsonl",
        "--label",
        "rain",
        "--background",
        "pages.jsonl",
        "-o",
        "k.json",
    ];
    folder.run(&over).refused("k.json: is a topic, which a disambiguation graph would replace");
    folder
        .run(&[&over[..], &["--topic", "k.json"]].concat())
        .refused("k.json: is an input of this command");
    assert_eq!(fs::read_to_string(folder.path("k.json")).unwrap(), topic);
    assert_eq!(folder.run(&build(&[])).code, 0);
    folder.write("empty.html", "");
    let told = folder.run(&["sdg", "apply", "x.sdg.json", "empty.html"]);
    assert!(told.stdout.contains("no words on this page"), "{}", told.stdout);
}

/// Returns the precision at a recall of three quarters, with and without the graph.
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

/// For six ambiguous words, three in each language, the graph raises the precision of relevance by
/// the cosine and by SVSM.
#[test]
fn the_graph_improves_relevance_on_ambiguous_pages() {
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

/// A background without labels and without pages about the topic, as users have it: the threshold
/// comes from the pages, and the topic pages count as relevant.
#[test]
fn an_unlabelled_background_needs_no_threshold() {
    let folder = Folder::new();
    let page = |text: &str| json!({ "text": text }).to_string() + "\n";
    let on = |n: usize| {
        let places = ["hill", "bridge", "school", "market"];
        page(&format!("storm flood river {} dyke water {}", places[n % 4], places[n / 2 % 4]))
    };
    let off = |n: usize| {
        let words = ["guitar", "singer", "album", "storm", "water", "concert"];
        page(&format!("{} {} drummer stage {}", words[n % 6], words[n / 6 % 6], words[n % 5]))
    };
    folder.write("rain.jsonl", (0..8).map(on).collect::<String>());
    folder.write("other.jsonl", (0..36).map(off).collect::<String>());
    let build = ["sdg", "build", "rain.jsonl", "--background", "other.jsonl", "-o", "x.sdg.json"];
    let report = folder.run(&[&build[..], &["--json"]].concat()).json();
    let chosen = &report["relevant"]["chosen"];
    assert_eq!(
        (chosen["topic_pages"].as_f64(), chosen["background"].as_f64()),
        (Some(1.0), Some(0.0))
    );
    let threshold = chosen["threshold"].as_f64().unwrap();
    assert_eq!(
        (report["topic_pages_counted"].as_bool(), report["relevant_pages"].as_u64()),
        (Some(true), Some(8))
    );
    assert_eq!(report["background_pages"], 44);
    let storm =
        report["terms"].as_array().unwrap().iter().find(|it| it["term"] == "storm").unwrap();
    assert_eq!(storm["ambiguous"], true, "{storm}");
    let shown = folder.run(&[&build[..], &["--quiet"]].concat()).stdout;
    let expected = format!("above {threshold:.3}, which 100 % of the topic pages exceed and 0.0 %");
    assert!(shown.contains(&expected), "{shown}");
    // With a threshold, the topic pages do not count.
    let given = folder.run(&[&build[..], &["--threshold", "0.35"]].concat());
    given.refused("none of the 36 background pages is relevant");
    // Pages that have nothing in common have no threshold.
    folder
        .write("mixed.jsonl", [page("apple pear"), page("stone sand"), page("moon star")].concat());
    let mixed = ["sdg", "build", "mixed.jsonl", "--background", "other.jsonl", "-o", "y.sdg.json"];
    folder
        .run(&[&mixed[..], &["--min-pages", "1"]].concat())
        .refused("mixed.jsonl: the topic pages have no terms in common");
    // A background of the same kind of pages does not separate.
    folder.write("same.jsonl", (0..8).map(on).collect::<String>());
    let same = ["sdg", "build", "rain.jsonl", "--background", "same.jsonl", "-o", "z.sdg.json"];
    let same = folder.run(&[&same[..], &["--idf", "smooth"]].concat());
    assert!(same.stderr.contains("almost as similar to the topic"), "{}", same.stderr);
}
