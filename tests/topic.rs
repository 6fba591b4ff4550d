//! End-to-end tests of `ontrail topic`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_tests::{Folder, Ran, root};
use serde_json::{Value, json};

fn path(name: &str) -> String {
    root().join(name).to_string_lossy().into_owned()
}

/// The tree of twenty classes of the worked example: 1 over 2 to 6, and so on.
fn tree() -> String {
    let families: [(u32, &[u32]); 7] = [
        (1, &[2, 3, 4, 5, 6]),
        (2, &[7, 8, 9]),
        (3, &[10, 11, 12]),
        (4, &[13, 14]),
        (5, &[15, 16]),
        (6, &[17, 18]),
        (7, &[19, 20]),
    ];
    let mut turtle = "@prefix : <http://ontrail.example/tree#> .\n\
                      @prefix owl: <http://www.w3.org/2002/07/owl#> .\n\
                      @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
                      <http://ontrail.example/tree> a owl:Ontology .\n:c1 a owl:Class ; rdfs:label \"1\" .\n"
        .to_owned();
    for (parent, children) in families {
        for child in children {
            turtle += &format!(
                ":c{child} a owl:Class ; rdfs:label \"{child}\" ; rdfs:subClassOf :c{parent} .\n"
            );
        }
    }
    turtle
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found - expected).abs() < 5e-5, "{found} is not {expected}");
}

#[test]
fn an_ontology_becomes_a_weighted_topic() {
    let folder = Folder::new();
    folder.write("tree.ttl", tree());
    let report = folder.run(&["topic", "weigh", "tree.ttl", "-o", "tree.json", "--json"]).json();
    assert_eq!(report["topic"], "1");
    let weight = |name: &str| {
        let terms = report["terms"].as_array().unwrap();
        terms.iter().find(|term| term["term"] == name).unwrap()
    };
    for (name, expected) in
        [("1", 1.0), ("2", 0.5523), ("3", 0.5523), ("7", 0.4650), ("8", 0.4650), ("19", 0.4335)]
    {
        close(&weight(name)["weight"], expected);
    }
    close(&weight("19")["factors"]["depth"], 0.3173);
    let pairs = ["7", "19", "19", "20", "7", "8", "10", "13", "2", "3", "5", "5"];
    let expected = [0.5717, 0.4510, 0.4322, 0.3196, 0.4310, 1.0];
    let mut args =
        vec!["topic", "similarity", "--ontology", "tree.ttl", "--measure", "sem", "--json"];
    args.extend(pairs);
    let found = folder.run(&args).json();
    for (pair, expected) in found["pairs"].as_array().unwrap().iter().zip(expected) {
        close(&pair["value"], expected);
    }
}

#[test]
fn the_rainstorm_ontology_distinguishes_its_pages_from_others() {
    let folder = Folder::new();
    let ontology = path("ontologies/rainstorm/rainstorm.owl");
    let made = folder.run(&["topic", "weigh", &ontology, "--topic", "暴雨灾害", "-o", "rain.json"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let mean = |data: &str| {
        let report = folder.run(&["topic", "score", "rain.json", &path(data), "--json"]).json();
        let pages = report["pages"].as_array().unwrap();
        let relevance = |page: &Value| {
            let relevance = page["relevance"].as_f64().unwrap();
            let parts =
                page["terms"].as_array().unwrap().iter().map(|it| it["part"].as_f64().unwrap());
            assert!((parts.sum::<f64>() - relevance).abs() < 1e-9, "{page}");
            assert!((0.0..=1.0).contains(&relevance));
            relevance
        };
        pages.iter().map(relevance).sum::<f64>() / pages.len() as f64
    };
    let (own, other) =
        (mean("datasets/rainstorm-pages/pages"), mean("datasets/tourism-pages/pages"));
    assert!(own > 0.2 && own > 5.0 * other, "own {own}, other {other}");
    let names = ["topic", "weigh", &ontology, "--lang", "en", "-o", "en.json", "--json"];
    let english = folder.run(&names).json();
    let is_english = |term: &Value| term["language"] == "en";
    assert!(english["terms"].as_array().unwrap().iter().all(is_english));
    let page = path("datasets/rainstorm-pages/pages/017.html");
    let blind = folder.run(&["topic", "score", "en.json", &page, "--json"]).json();
    assert_eq!(blind["pages"][0]["topic_terms"], 0, "English names are not on Chinese pages");
}

#[test]
fn a_topic_is_learned_from_labelled_texts() {
    let folder = Folder::new();
    let news = path("datasets/news-mini");
    let made = folder
        .run(&["topic", "learn", &news, "--label", "sports", "-n", "30", "-o", "a.json", "--json"]);
    let report = made.json();
    assert_eq!((&report["texts"], &report["texts_on_topic"]), (&json!(270), &json!(54)));
    let terms: Vec<&str> =
        report["terms"].as_array().unwrap().iter().map(|it| it["term"].as_str().unwrap()).collect();
    assert_eq!(terms.len(), 30);
    assert!(terms.contains(&"比赛") && terms.contains(&"教练"), "{terms:?}");
    // The same command gives the same bytes, and the file says how it was made.
    let first = fs::read(folder.path("a.json")).unwrap();
    let again = folder.run(&[
        "--threads",
        "1",
        "topic",
        "learn",
        &news,
        "--label",
        "sports",
        "-n",
        "30",
        "-o",
        "b.json",
    ]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    let content = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap()["content"].clone();
    assert_eq!(content(&first), content(&fs::read(folder.path("b.json")).unwrap()));
    let described = folder.run(&["inspect", "a.json", "--json"]).json();
    assert_eq!(described["kind"], "topic");
    // Weights by page, as in sdvsm.
    let pages = path("datasets/rainstorm-pages");
    let args = [
        "topic",
        "learn",
        &pages,
        "--method",
        "pages",
        "--background",
        &news,
        "-o",
        "p.json",
        "--json",
    ];
    let report = folder.run(&args).json();
    assert_eq!(report["terms"].as_array().unwrap().len(), 40);
}

#[test]
fn keywords_are_scored_by_tags_as_gafc_does() {
    let folder = Folder::new();
    folder.write(
        "terms.tsv",
        "# what it is about\ncall for paper\t5\ninformation technology\t3\n数据库\t3\n",
    );
    let made = folder.run(&[
        "topic",
        "keywords",
        "--file",
        "terms.tsv",
        "network=3",
        "-o",
        "k.json",
        "--json",
    ]);
    assert_eq!(made.json()["topic"], "call for paper");
    folder.write("p.html", "<title>Call for Papers</title><p>数据库 <a href=/n>Networks</a>");
    let args = ["topic", "score", "k.json", "p.html", "--weights", "tags", "--json"];
    let report = folder.run(&args).json();
    // W_D = (5, 0, 1, 3) against (5, 3, 3, 3).
    let expected = (25.0 + 3.0 + 9.0) / 52.0_f64.sqrt() / 35.0_f64.sqrt();
    close(&report["pages"][0]["relevance"], expected);
    let shown = folder.run(&["topic", "show", "k.json"]).stdout;
    assert!(shown.contains("call for paper") && shown.contains("██████"), "{shown}");
}

#[test]
fn links_blocks_and_meanings_are_scored() {
    let folder = Folder::new();
    let made = folder.run(&["topic", "keywords", "暴雨=2", "洪涝", "-o", "k.json"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    folder.write("p.html", "<div>暴雨 <a href=x.html>洪涝</a></div><div>山洪 泥石流</div>");
    let args = [
        "topic",
        "score",
        "k.json",
        "p.html",
        "--links",
        "--blocks",
        "--url",
        "http://www.example.org/a/",
        "--json",
    ];
    let page = folder.run(&args).json()["pages"][0].clone();
    assert_eq!(page["links"][0]["url"], "http://www.example.org/a/x.html");
    close(&page["links"][0]["anchor_tfidf"], 1.0 / 5.0_f64.sqrt());
    close(&page["links"][0]["anchor_bm25"], 1.0 / 5.0_f64.sqrt());
    close(&page["links"][0]["context"], 2.0 / 5.0_f64.sqrt());
    // By the background that ships, 6 of 10,000 texts have 暴雨, and 4 have 洪涝.
    let idf = |texts: f64| (10_000.0 / texts + 0.01).ln();
    let (rain, flood) = (idf(6.0), idf(4.0));
    let length = (5.0 * (rain * rain + flood * flood)).sqrt();
    close(&page["blocks"][0]["relevance"], (2.0 * rain + flood) / length);
    close(&page["blocks"][1]["relevance"], 0.0);
    // By similarity of meaning, 山洪 and 泥石流 count too.
    let ontology = path("ontologies/rainstorm/rainstorm.owl");
    let args = [
        "topic",
        "score",
        "k.json",
        "p.html",
        "--model",
        "ssrm",
        "--ontology",
        &ontology,
        "--json",
    ];
    let terms = folder.run(&args).json()["pages"][0]["terms"].clone();
    let like = |name: &str| {
        terms.as_array().unwrap().iter().any(|it| it["term"] == name && !it["nearest"].is_null())
    };
    assert!(like("山洪") && like("泥石流"), "{terms}");
}

#[test]
fn an_edited_topic_is_used_and_not_replaced() {
    let folder = Folder::new();
    let make = || folder.run(&["topic", "keywords", "暴雨=2", "洪涝=1", "-o", "k.json"]);
    assert_eq!(make().code, 0);
    let text = fs::read_to_string(folder.path("k.json")).unwrap();
    assert!(text.contains("\n      {\"term\": \"暴雨\", \"weight\": 2.0},\n"), "{text}");
    folder.write("k.json", text.replace("\"洪涝\", \"weight\": 1.0", "\"山洪\", \"weight\": 7.5"));
    let shown = folder.run(&["topic", "show", "k.json", "--json"]).json();
    assert_eq!(shown["terms"][1], json!({ "term": "山洪", "weight": 7.5 }));
    make().refused("k.json: has been changed since Ontrail made it, so it is not replaced");
    assert_eq!(folder.run(&["inspect", "k.json"]).code, 1, "inspect says that it was edited");
}

fn refused(folder: &Folder, args: &[&str], message: &str) {
    folder.run(args).refused(message);
    assert!(!folder.path("x.json").exists(), "nothing may be written by {args:?}");
}

#[test]
fn bad_topics_get_clear_errors() {
    let folder = Folder::new();
    let ontology = path("ontologies/rainstorm/rainstorm.owl");
    let weigh = |more: &[&str], message: &str| {
        let mut args = vec!["topic", "weigh", ontology.as_str(), "-o", "x.json"];
        args.extend(more);
        refused(&folder, &args, message);
    };
    weigh(&["--topic", "暴雨灾"], "no concept is called \"暴雨灾\"; similar names: 暴雨灾害");
    weigh(&["-k", "0.2,0.2,0.2,0.2,0.3"], "--k: k1 to k5 add up to 1.1; they must add up to 1");
    weigh(
        &["-k", "0.6,-0.2,0.2,0.2,0.2"],
        "--k: k2 is -0.2; each of k1 to k5 must be a number of 0 or more",
    );
    weigh(&["-k", "NaN,0.25,0.25,0.25,0.25"], "--k: k1 is NaN");
    weigh(&["-k", "0.5,0.5"], "found 2 numbers; give five, separated by commas");
    weigh(&["-x", "0"], "--x: x is 0; it must be greater than 0");
    weigh(&["--lang", "fr"], "no class has a name in fr");
    folder.write(
        "cycle.ttl",
        "@prefix : <http://ontrail.example/c#> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n\
         @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         :a a owl:Class ; rdfs:subClassOf :b .\n:b a owl:Class ; rdfs:subClassOf :a .\n",
    );
    refused(
        &folder,
        &["topic", "weigh", "cycle.ttl", "--topic", "a", "-o", "x.json"],
        "cycle.ttl: a cycle in the hierarchy",
    );
    refused(
        &folder,
        &["topic", "keywords", "雨=-1", "-o", "x.json"],
        "the weight -1 of \"雨\" is negative",
    );
    refused(&folder, &["topic", "keywords", "雨=x", "-o", "x.json"], "\"x\" is not a weight");
    refused(&folder, &["topic", "keywords", "雨", "雨=2", "-o", "x.json"], "is listed twice");
    refused(&folder, &["topic", "keywords", "雨=0", "-o", "x.json"], "has a weight above 0");
    folder.write("terms.tsv", "雨\t1\n雪\tmany\n");
    let from_file = ["topic", "keywords", "--file", "terms.tsv", "-o", "x.json"];
    refused(&folder, &from_file, "terms.tsv: line 2: \"many\" is not a weight");
    let news = path("datasets/news-mini");
    refused(
        &folder,
        &["topic", "learn", &news, "-o", "x.json"],
        "name those of the topic with --label",
    );
    let unknown = ["topic", "learn", &news, "--label", "体育", "-o", "x.json"];
    refused(&folder, &unknown, "no text has the label \"体育\"; the labels are rainstorm");
}

#[test]
fn bad_pages_and_topic_files_get_clear_errors_or_zero() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["topic", "keywords", "rain=1", "-o", "k.json"]).code, 0);
    folder.write("empty.html", "");
    let report = folder.run(&["topic", "score", "k.json", "empty.html", "--json"]).json();
    assert_eq!(report["pages"][0]["relevance"], 0.0);
    assert!(folder.run(&["topic", "score", "k.json", "empty.html"]).stdout.contains("no words"));
    folder.run(&["topic", "score", "k.json", "none.html"]).refused("none.html: cannot read");
    folder.write("zip.html", b"PK\x03\x04abc");
    folder.run(&["topic", "score", "k.json", "zip.html"]).refused("binary data, not text");
    let topic = fs::read_to_string(folder.path("k.json")).unwrap();
    for (change, into, message) in [
        ("\"weight\": 1.0", "\"weight\": -1.0", "has the weight -1; weights must be 0 or more"),
        ("\"weight\": 1.0", "\"weight\": \"much\"", "invalid type: string"),
        ("\"weight\": 1.0", "\"weight\": 1e999", "number out of range"),
        ("\"weight\"", "\"wait\"", "unknown field `wait`"),
        ("{\"term\": \"rain\", \"weight\": 1.0}", "", "has no terms"),
        (
            "\"kind\": \"topic\"",
            "\"kind\": \"page classifier\"",
            "this is a page classifier, but a topic is needed",
        ),
        ("\"format\": 2", "\"format\": 9", "cannot read format 9 of topic"),
    ] {
        assert!(topic.contains(change), "{change}");
        folder.write("bad.json", topic.replace(change, into));
        let ran = folder.run(&["topic", "score", "bad.json", "empty.html"]);
        ran.refused(message);
        assert!(ran.stderr.contains("bad.json: "), "{}", ran.stderr);
    }
    folder.write("half.json", &topic[..topic.len() / 2]);
    folder.run(&["topic", "show", "half.json"]).refused("half.json: line ");
}

fn similar(folder: &Folder, more: &[&str]) -> Ran {
    let mut args = vec!["topic", "similarity", "--wordnet", "wn"];
    args.extend(more);
    folder.run(&args)
}

/// A WordNet of four synsets: entity over animal over mouse, and mouse with buttons.
#[test]
fn wordnet_is_read_from_its_own_files() {
    let folder = Folder::new();
    folder.write(
        "wn/dict/data.noun",
        "  1 a licence\n\
         00000100 03 n 01 entity 0 000 | all there is\n\
         00000200 05 n 01 animal 0 001 @ 00000100 n 0000 | alive\n\
         00000300 05 n 01 mouse 0 001 @ 00000200 n 0000 | small\n\
         00000400 06 n 02 mouse 1 rat 0 001 @ 00000100 n 0000 | with buttons\n",
    );
    folder.write("wn/dict/noun.exc", "mice mouse\n");
    folder.write(
        "wn/dict/index.noun",
        "animal n 1 1 @ 1 1 00000200\nentity n 1 0 1 1 00000100\nmouse n 2 1 @ 2 1 00000300 00000400\n\
         rat n 1 1 @ 1 1 00000400\n",
    );
    let report =
        similar(&folder, &["mice", "animals", "mouse#2", "animal", "rat#1", "mouse", "--json"]);
    let pairs = report.json()["pairs"].clone();
    // IC(animal) = 1 − ln 2 / ln 4 = ½, IC(mouse) = 1: 2 · ½ / 1.5.
    close(&pairs[0]["value"], 2.0 / 3.0);
    assert_eq!(pairs[0]["senses"], json!(["mouse#1", "animal#1"]));
    close(&pairs[1]["value"], 0.0);
    close(&pairs[2]["value"], 1.0);
    folder.write(
        "pairs.csv",
        "one,two,score\nmouse,animal,3\nrat,animal,1\nmouse,rat,2\nmouse,cheese,0\n",
    );
    let report = similar(&folder, &["--pairs", "pairs.csv", "--measure", "path", "--json"]).json();
    assert_eq!((&report["scored"], &report["unknown"]), (&json!(3), &json!(["cheese"])));
    assert_eq!(report["pairs"][3]["value"], Value::Null);
    // Values 0.8, 0.5, 1 against 3, 1, 2; ranks 2, 1, 3 against 3, 1, 2.
    close(&report["pearson"], 0.596_040);
    close(&report["spearman"], 0.5);
    assert!(similar(&folder, &["mouse", "rat", "--measure", "all"]).stdout.contains("resnik"));
    similar(&folder, &["mouse"]).refused("cannot pair an odd number of words (1)");
    similar(&folder, &["a", "b", "--measure", "wup"]).refused("the measures are path, lch, lin");
    folder.write("bad.tsv", "mouse\trat\t1\nmouse\trat\tmany\n");
    similar(&folder, &["--pairs", "bad.tsv"]).refused("bad.tsv: line 2: \"many\" is not a score");
    folder.write("wn/dict/index.noun", "animal n 1 1 @ 1 1 00000999\n");
    similar(&folder, &["a", "b"]).refused("index.noun: line 1: animal points to 00000999");
    let nowhere = ["topic", "similarity", "a", "b", "--wordnet", "nowhere"];
    folder.run(&nowhere).refused("a WordNet folder holds data.noun and index.noun");
}

/// Correlation with human judgements: the literature reports 0.80 for intrinsic information
/// content.
/// Needs WordNet, and a folder with the word pairs of Miller and Charles and of Rubenstein and
/// Goodenough.
#[test]
fn lin_correlates_with_human_judgements() {
    let Some(pairs) = std::env::var_os("ONTRAIL_PAIRS").map(std::path::PathBuf::from) else {
        eprintln!("skipped: ONTRAIL_PAIRS names no folder with mc30.tsv and rg65.tsv");
        return;
    };
    let folder = Folder::new();
    for (file, scored) in [("mc30.tsv", 30), ("rg65.tsv", 65)] {
        let path = pairs.join(file);
        let report = folder
            .run(&["topic", "similarity", "--pairs", path.to_str().unwrap(), "--json"])
            .json();
        assert_eq!(report["scored"], scored);
        assert!(report["pearson"].as_f64().unwrap() >= 0.80, "{file}: {}", report["pearson"]);
    }
}

#[test]
fn options_without_effect_are_refused() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["topic", "keywords", "rain=1", "-o", "k.json"]).code, 0);
    folder.write("p.html", "<p>rain");
    for (more, message) in [
        (&["--ontology", "x.owl"][..], "--ontology has no effect with --model vsm"),
        (&["--measure", "sem"], "--measure has no effect with --model vsm"),
        (&["--model", "svsm", "--norm", "topic"], "--norm topic cannot be used with --model svsm"),
        (&["--model", "ssrm", "--norm", "text"], "--norm has no effect with --model ssrm"),
        (&["--norm", "pairs"], "--norm pairs cannot be used with --model vsm"),
        (&["--min-similarity", "0.5"], "--min-similarity has no effect with --model vsm"),
        (
            &["--model", "svsm", "--min-similarity", "1.5"],
            "'--min-similarity <S>': 1.5 is not from 0 to 1",
        ),
        (&["--weights", "tags", "--label-weights", "1,1,1,1,1"], "--label-weights has no effect"),
        (&["--label-weights", "1,1,1,1,-1"], "-1 is not a weight from 0 to 1000000"),
        (&["--label-weights", "1,1,1"], "found 3 numbers; give five"),
    ] {
        let mut args = vec!["topic", "score", "k.json", "p.html"];
        args.extend(more);
        folder.run(&args).refused(message);
    }
}

#[test]
fn unreadable_pages_can_be_skipped() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["topic", "keywords", "rain=1", "-o", "k.json"]).code, 0);
    folder.write("pages/a.html", "<p>rain");
    folder.write("pages/b.txt", [0_u8; 64]);
    folder.write("pages/c.html", "<p>rain and snow");
    folder
        .run(&["topic", "score", "k.json", "pages", "--json"])
        .refused("b.txt: binary data, not text");
    let ran = folder.run(&["topic", "score", "k.json", "pages", "--skip-bad", "--json"]);
    assert_eq!(ran.json()["pages"].as_array().unwrap().len(), 2);
    assert!(
        ran.stderr.contains("skipped 1 pages") && ran.stderr.contains("b.txt"),
        "{}",
        ran.stderr
    );
    // Rows of a table are plain texts, even if they contain markup.
    folder.write("t.tsv", "a\train <b> & snow\nb\tsun\n");
    let report = folder.run(&["topic", "score", "k.json", "t.tsv", "--json"]).json();
    let relevance = |row: usize| report["pages"][row]["relevance"].as_f64().unwrap();
    assert!((relevance(0) - 1.0).abs() < 1e-12 && relevance(1).abs() < 1e-12, "{report}");
    folder.write("none/readme.md", "nothing");
    folder.run(&["topic", "score", "k.json", "none"]).refused("no pages in this folder");
}

/// The word of the topic is in every text, so its weight by log(N / n) is zero.
#[test]
fn words_with_weight_zero_differ_from_unknown_words() {
    let folder = Folder::new();
    folder.write("texts.tsv", "a\train snow\na\train wind\na\train\n");
    let args = ["topic", "keywords", "rain=1", "--background", "texts.tsv", "-o", "k.json"];
    assert_eq!(folder.run(&args).code, 0);
    folder.write("p.html", "<p>rain");
    let score = |more: &[&str]| {
        let mut args = vec!["topic", "score", "k.json", "p.html", "--weights", "tfidf"];
        args.extend(more);
        folder.run(&args).stdout
    };
    assert!(
        score(&[]).contains("terms of the topic on this page: 1, all of weight 0"),
        "{}",
        score(&[])
    );
    assert!(score(&["--idf", "smooth"]).starts_with("1.000"));
    // Anchors by BM25 and by TF-IDF differ once rarity is known: snow is in one text of three,
    // rain in all.
    let args =
        ["topic", "keywords", "rain=1", "snow=1", "--background", "texts.tsv", "-o", "both.json"];
    assert_eq!(folder.run(&args).code, 0);
    folder.write(
        "l.html",
        "<p>one two three four five six <a href=http://www.example.org/>rain rain snow</a>",
    );
    let args = ["topic", "score", "both.json", "l.html", "--links", "--json"];
    let link = folder.run(&args).json()["pages"][0]["links"][0].clone();
    // TF-IDF: 2 ln 1.01 and ln 3.01. BM25: the page has 9 words, the texts have 5/3 on average,
    // so the frequencies are 2 · 3 / (2 + 2 · 4.3) and 1 · 3 / (1 + 2 · 4.3).
    let cosine = |rain: f64, snow: f64| (rain + snow) / 2.0_f64.sqrt() / rain.hypot(snow);
    let (rain, snow) = (1.01_f64.ln(), 3.01_f64.ln());
    close(&link["anchor_tfidf"], cosine(2.0 * rain, snow));
    close(&link["anchor_bm25"], cosine(6.0 / 10.6 * rain, 3.0 / 9.6 * snow));
}

#[test]
fn the_benchmark_measures_every_model() {
    let folder = Folder::new();
    let args = ["bench", "topic", "--rounds", "1", "--terms", "20", "--json"];
    let report = folder.run(&args).json();
    let models: Vec<&str> = report["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["model"].as_str().unwrap())
        .collect();
    assert_eq!(models, ["vsm, labels", "vsm, tags", "vsm, tfidf", "ssrm, tfidf", "svsm, tfidf"]);
    for model in report["models"].as_array().unwrap() {
        assert!(
            model["texts_per_second"].as_f64().unwrap() > 0.0 && model["terms"] == 20,
            "{model}"
        );
    }
    assert!(report["pairs"]["remembered_per_second"].as_f64().unwrap() > 0.0);
}

/// No term is left although none is in every text, so the error must not give that reason.
#[test]
fn a_topic_without_terms_to_learn_is_explained() {
    let folder = Folder::new();
    folder.write("t.tsv", "a\train snow\na\train\n");
    folder.write("out.txt", "rain\nsnow\n");
    let args = ["topic", "learn", "t.tsv", "--leave-out", "out.txt", "-o", "x.json"];
    refused(&folder, &args, "they contain no term to take");
    folder.write("all.tsv", "a\train snow\nb\train snow\n");
    let args = ["topic", "learn", "all.tsv", "--label", "a", "--idf", "plain", "-o", "x.json"];
    refused(&folder, &args, "every term is in every text, so none is rare; try --idf smooth");
}

#[test]
fn a_phrase_to_leave_out_leaves_its_words() {
    let folder = Folder::new();
    folder.write(
        "t.tsv",
        "a\tclimate change and climate policy\na\tclimate change\nb\tother words\n",
    );
    folder.write("out.txt", "climate change\n");
    let args = [
        "topic",
        "learn",
        "t.tsv",
        "--label",
        "a",
        "--leave-out",
        "out.txt",
        "-o",
        "x.json",
        "--json",
    ];
    let terms = folder.run(&args).json()["terms"].clone();
    let names: Vec<&str> =
        terms.as_array().unwrap().iter().map(|it| it["term"].as_str().unwrap()).collect();
    assert_eq!(names, ["climate", "policy"]);
}

#[test]
fn classes_without_labels_are_named_by_their_iris() {
    let folder = Folder::new();
    folder.write(
        "bare.ttl",
        "@prefix : <http://ontrail.example/b#> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n\
         @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         :Disaster a owl:Class .\n:FlashFlood a owl:Class ; rdfs:subClassOf :Disaster .\n",
    );
    let report = folder.run(&["topic", "weigh", "bare.ttl", "-o", "b.json", "--json"]).json();
    assert_eq!(
        (&report["topic"], &report["terms"][1]["term"]),
        (&json!("Disaster"), &json!("Flash Flood"))
    );
    folder.write("p.html", "<p>A flash flood.");
    let page = folder.run(&["topic", "score", "b.json", "p.html", "--json"]).json();
    assert_eq!(page["pages"][0]["topic_terms"], 1);
    // With an ontology for similarities, names of several words are found on pages too.
    assert_eq!(folder.run(&["topic", "keywords", "disaster", "-o", "k.json"]).code, 0);
    let args = [
        "topic",
        "score",
        "k.json",
        "p.html",
        "--model",
        "ssrm",
        "--measure",
        "path",
        "--ontology",
        "bare.ttl",
        "--json",
    ];
    let page = folder.run(&args).json();
    assert_eq!(page["pages"][0]["terms"][0]["nearest"]["term"], "disaster");
}

/// Writes pages about rain and others into two folders. The page with the number n of the first
/// repeats the topic's words, and also a word of its own.
fn rain_and_others(folder: &Folder, on: usize, off: usize) {
    for n in 0..on {
        let own = ["dam", "river", "harbour", "bridge", "valley", "coast"][n % 6];
        let page = format!("<title>storm {n}</title><p>rain and flood by the {own}, rain again");
        folder.write(&format!("on/{n:03}.html"), page);
    }
    for n in 0..off {
        let own = ["market", "football", "museum", "software"][n % 4];
        let rare = if n % 10 == 0 { "rain" } else { "sun" };
        folder.write(&format!("off/{n:03}.html"), format!("<p>{own} news of {rare} day {n}"));
    }
}

#[test]
fn a_topic_is_calibrated_and_evaluated() {
    let folder = Folder::new();
    rain_and_others(&folder, 12, 40);
    assert_eq!(folder.run(&["topic", "keywords", "rain=1", "flood=1", "-o", "k.json"]).code, 0);
    folder
        .run(&["topic", "eval", "k.json", "--on", "on", "--off", "off"])
        .refused("the topic has no calibration; add one with ontrail topic calibrate");
    let args = ["topic", "calibrate", "k.json", "--on", "on", "--off", "off"];
    let report = folder.run(&[&args[..], &["--report", "k.html", "--json"]].concat()).json();
    let made = report["calibrations"].as_array().unwrap();
    assert_eq!(made.len(), 9, "three weights on three parts of pages");
    let labels = made
        .iter()
        .find(|it| it["scoring"]["content"] == "page" && it["scoring"]["weights"] != "tags")
        .unwrap();
    assert_eq!((&labels["on"]["pages"], &labels["off"]["pages"]), (&json!(12), &json!(40)));
    assert_eq!(labels["separates"], true);
    close(&labels["quality"]["f1"]["value"], 1.0);
    assert!(labels["quality"]["f1"]["low"].as_f64().unwrap() < 0.95, "{labels}");
    let html = fs::read_to_string(folder.path("k.html")).unwrap();
    for part in ["ROC curve", "Precision–recall curve", "Scores", "P(relevant)", "threshold"] {
        assert!(html.contains(part), "{part}");
    }
    let eval = folder.run(&["topic", "eval", "k.json", "--on", "on", "--off", "off", "--json"]);
    let eval = eval.json();
    close(&eval["f1"]["value"], 1.0);
    assert_eq!(eval["confusion"]["true_positives"], 12);
    close(&eval["auc"]["value"], 1.0);
    // The four pages with one word of the topic have R = √½, and no page reaches 1.
    let strict = ["topic", "eval", "k.json", "--on", "on", "--off", "off", "--threshold", "0.5"];
    let strict = folder.run(&[&strict[..], &["--json"]].concat()).json();
    assert_eq!(strict["confusion"]["false_positives"], 4, "{strict}");
    let text = folder.run(&["topic", "eval", "k.json", "--on", "on", "--off", "off"]).stdout;
    assert!(text.contains("called relevant") && text.contains("F1"), "{text}");
    // A way of scoring that was not calibrated is refused.
    let other = ["topic", "eval", "k.json", "--on", "on", "--off", "off", "--norm", "text"];
    folder.run(&other).refused("the topic has no calibration for vsm labels, norm text");
}

#[test]
fn a_calibration_of_other_terms_is_refused() {
    let folder = Folder::new();
    rain_and_others(&folder, 3, 4);
    assert_eq!(folder.run(&["topic", "keywords", "rain=1", "flood=1", "-o", "k.json"]).code, 0);
    let ran = folder.run(&["topic", "calibrate", "k.json", "--on", "on", "--off", "off"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("comes from 3 on-topic and 4 off-topic pages only"),
        "{}",
        ran.stderr
    );
    let text = fs::read_to_string(folder.path("k.json")).unwrap();
    let start = text.find("\"terms\"").unwrap();
    let edited = text[..start].to_owned() + &text[start..].replacen("1.0", "0.7", 1);
    folder.write("k.json", edited);
    let score = ["topic", "score", "k.json", "on/000.html"];
    folder.run(&score).refused("was made for other terms or another background");
    // The command that mends it reads the file all the same, but does not replace an edited one.
    let again = ["topic", "calibrate", "k.json", "--on", "on", "--off", "off"];
    folder.run(&again).refused("k.json");
    assert_eq!(folder.run(&[&again[..], &["-o", "new.json"]].concat()).code, 0);
    assert_eq!(folder.run(&["topic", "score", "new.json", "on/000.html"]).code, 0);
}

#[test]
fn scores_that_do_not_separate_are_reported() {
    let folder = Folder::new();
    rain_and_others(&folder, 12, 12);
    assert_eq!(folder.run(&["topic", "keywords", "zebra=1", "-o", "z.json"]).code, 0);
    let ran = folder.run(&["topic", "calibrate", "z.json", "--on", "on", "--off", "off"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("the scores do not separate"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("NaN"), "{}", ran.stdout);
    folder.run(&["topic", "calibrate", "z.json", "--on", "on"]).refused("--off");
}

/// Each page about the topic has words that no other page has. A topic learned from all pages knows
/// them, so the pages score higher than by a topic that was learned without them.
#[test]
fn a_learned_topic_is_calibrated_by_pages_that_it_was_not_learned_from() {
    let folder = Folder::new();
    for n in 0..8 {
        let own: String = (0..6)
            .map(|k| format!("zq{}x{k} ", ["a", "b", "c", "d", "e", "f", "g", "h"][n]))
            .collect();
        folder.write(&format!("on/{n}.html"), format!("<p>rain flood {own}"));
    }
    for n in 0..30 {
        folder.write(&format!("off/{n:02}.html"), format!("<p>market football museum sun {n}"));
    }
    let learn = ["topic", "learn", "on", "--background", "off", "-o", "t.json", "--json"];
    let ran = folder.run(&learn);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let learned = folder.run(&["topic", "show", "t.json", "--json"]).json();
    let mean = |topic: &Value| {
        let made = topic["calibrations"].as_array().unwrap();
        let is_meant =
            |it: &&Value| it["scoring"]["content"] == "page" && it["scoring"]["weights"] == "tfidf";
        made.iter().find(is_meant).unwrap()["on"]["mean"].as_f64().unwrap()
    };
    let left_out = mean(&learned);
    let same = ["topic", "calibrate", "t.json", "--on", "on", "--off", "off", "-o", "s.json"];
    let ran = folder.run(&same);
    assert!(ran.stderr.contains("the topic was learned from these pages"), "{}", ran.stderr);
    let flattered = mean(&folder.run(&["topic", "show", "s.json", "--json"]).json());
    assert!(left_out + 0.05 < flattered, "{left_out} {flattered}");
}

#[test]
fn an_ontology_is_calibrated_while_it_is_weighed() {
    let folder = Folder::new();
    let ontology = path("ontologies/rainstorm/rainstorm.owl");
    let (pages, news) = (path("datasets/rainstorm-pages"), path("datasets/tourism-pages"));
    let weigh = ["topic", "weigh", &ontology, "--topic", "暴雨灾害", "-o", "r.json"];
    let ran = folder.run(&[&weigh[..], &["--on", &pages, "--background", &news]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("vsm labels, norm topic, content page"), "{}", ran.stdout);
    let topic = folder.run(&["topic", "show", "r.json", "--json"]).json();
    let calibrations = topic["calibrations"].as_array().unwrap();
    let by_meaning = |it: &&Value| it["scoring"]["similarity"] == "ssrm";
    assert_eq!((calibrations.len(), calibrations.iter().filter(by_meaning).count()), (12, 3));
    let alone = folder.run(&[&weigh[..], &["--on", &pages]].concat());
    alone.refused("--background");
}

/// Without any other text, the words that all texts share are rare by the background that ships.
#[test]
fn without_a_background_words_are_rare_by_the_general_one() {
    let folder = Folder::new();
    folder.write("t.tsv", "x\t暴雨 公司 洪涝\nx\t暴雨 公司\nx\t暴雨 公司 记者\n");
    let ran = folder.run(&["topic", "learn", "t.tsv", "-o", "t.json", "--json"]);
    let topic = ran.json();
    assert_eq!(topic["terms"][0]["term"], "暴雨", "{topic}");
    let stored = folder.run(&["topic", "show", "t.json", "--json"]).json();
    assert_eq!(stored["general_background"], true);
    assert!(stored["background"].is_null());
}
