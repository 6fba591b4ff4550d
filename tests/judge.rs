//! End-to-end tests of projects that start from example pages, and of the judge that combines
//! topic, classifier and disambiguation graph.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_tests::{Folder, Ran, root};
use serde_json::Value;

/// Copies pages of a dataset that ships.
fn copy(folder: &Folder, dataset: &str, numbers: std::ops::RangeInclusive<u32>, to: &str) {
    fs::create_dir_all(folder.path(to)).unwrap();
    for number in numbers {
        let page = root().join("datasets").join(dataset).join(format!("pages/{number:03}.html"));
        fs::copy(page, folder.path(to).join(format!("{dataset}-{number:03}.html"))).unwrap();
    }
}

/// Creates a project from 12 pages about rainstorms and 12 about tourism, with a web of others.
fn project(folder: &Folder) -> Ran {
    copy(folder, "rainstorm-pages", 1..=12, "on");
    copy(folder, "tourism-pages", 1..=12, "off");
    folder.run(&["new", "rain", "--topic", "暴雨灾害", "--examples", "on", "--others", "off"])
}

fn add_web(folder: &Folder) {
    copy(folder, "rainstorm-pages", 13..=20, "rain/web");
    copy(folder, "tourism-pages", 13..=20, "rain/web");
    let mut links = String::new();
    let mut labels = String::new();
    for number in 13..=20 {
        for (dataset, label) in [("rainstorm-pages", "rain"), ("tourism-pages", "tourism")] {
            let name = format!("{dataset}-{number:03}.html");
            links += &format!("<a href={name}>{number}</a> ");
            labels += &format!("http://localhost/{name}\t{label}\n");
        }
    }
    folder.write("rain/web/index.html", format!("<title>Pages</title><p>{links}"));
    folder.write("rain/seeds.txt", "http://localhost/index.html\n");
    folder.write("rain/labels.tsv", labels);
    let path = folder.path("rain/ontrail.toml");
    let text = fs::read_to_string(&path).unwrap();
    let crawl = "web = \"web\"\nlabels = \"labels.tsv\"\nrelevant = \"rain\"";
    fs::write(path, text.replacen("# web = \"web.warc.gz\"", crawl, 1)).unwrap();
}

fn json_of(folder: &Folder, name: &str) -> Value {
    let text = fs::read_to_string(folder.path(name)).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    file.get("content").cloned().unwrap_or(file)
}

const JUDGE: [&str; 12] = [
    "crawl",
    "judge",
    "--on",
    "on",
    "--off",
    "off",
    "--class",
    "on-topic",
    "-o",
    "j.json",
    "--topic",
    "rain/models/topic.json",
];

/// Runs `crawl judge` or a crawl with the models of the project.
fn with_models(folder: &Folder, words: &[&str], more: &[&str]) -> Ran {
    folder.run(&[words, &["--classifier", "rain/models/classifier"], more].concat())
}

#[test]
fn examples_become_models_a_judge_and_a_crawl() {
    let folder = Folder::new();
    let made = project(&folder);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(made.stdout.contains("example pages: 12 about 暴雨灾害, 12 others"), "{}", made.stdout);
    add_web(&folder);
    let ran = folder.run(&["run", "rain", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let stages: Vec<Value> = ran.json()["stages"].as_array().unwrap().clone();
    let names: Vec<&str> = stages.iter().map(|it| it["stage"].as_str().unwrap()).collect();
    let all = ["context", "ontology", "topic", "classifier", "sdg", "judge", "crawl", "report"];
    assert_eq!(names, all);
    // Every model of the judge was made from the examples, and so again without each of them.
    let judge = json_of(&folder, "rain/models/judge.json");
    assert_eq!(judge["pages"], serde_json::json!([12, 12]));
    assert_eq!(judge["evidence"].as_array().unwrap().len(), 3);
    assert!(judge["quality"]["auc"]["low"].as_f64().unwrap() > 0.5, "{judge}");
    // The crawl judges by it, and rightly.
    let run = json_of(&folder, "rain/crawls/1/run.json");
    assert_eq!(run["recipe"]["judge"]["kind"], "both");
    assert_eq!(run["recipe"]["judge"]["class"], "on-topic");
    assert_eq!(run["judge"]["file"], "models/judge.json");
    let summary = json_of(&folder, "rain/crawls/1/summary.json");
    assert_eq!(summary["downloaded"], 17);
    assert!(summary["judgement"]["f1"].as_f64().unwrap() > 0.9, "{summary}");
    // Nothing is left to do, and the crawl can be resumed with its own copies of the models.
    let again = folder.run(&["run", "rain", "--json"]).json();
    assert!(again["stages"].as_array().unwrap().iter().all(|it| it["state"] == "up-to-date"));
    let resumed = folder.run(&["crawl", "resume", "rain/crawls/1", "--budget", "2000"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
}

#[test]
fn models_made_from_the_examples_are_made_again_without_them() {
    let folder = Folder::new();
    project(&folder);
    let ran = folder.run(&["run", "rain", "--until", "sdg"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let judge = |on: &str, more: &[&str]| {
        let words = JUDGE.map(|word| if word == "on" { on } else { word });
        let ran = with_models(&folder, &words, &[&["--json", "--force"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json()
    };
    let with_graph = ["--sdg", "rain/models/sdg.json"];
    let own = judge("on", &with_graph);
    assert_eq!(own["rebuilt"], serde_json::json!(["topic", "classifier", "disambiguation graph"]));
    assert_eq!(judge("on", &[])["judge"]["evidence"].as_array().unwrap().len(), 2);
    // Other pages need no other models.
    copy(&folder, "rainstorm-pages", 13..=24, "on2");
    copy(&folder, "tourism-pages", 13..=24, "off2");
    let words = JUDGE.map(|word| match word {
        "on" => "on2",
        "off" => "off2",
        word => word,
    });
    let other = with_models(&folder, &words, &["--json", "--force"]).json();
    assert_eq!(other["rebuilt"], serde_json::json!([]));
    // A mixture of both cannot be told apart.
    with_models(&folder, &words, &["--off", "off", "--force"])
        .refused("the classifier was trained on 12 of these 36 pages and on others (24 documents");
}

#[test]
fn a_judge_of_other_models_is_refused() {
    let folder = Folder::new();
    project(&folder);
    add_web(&folder);
    let ran = folder.run(&["run", "rain", "--until", "judge"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let topic = folder.run(&["topic", "keywords", "暴雨", "-o", "other.json"]);
    assert_eq!(topic.code, 0, "{}", topic.stderr);
    let crawl = |topic: &str, more: &[&str]| {
        let words = ["crawl", "run", "--web", "rain/web", "http://localhost/index.html", "-o", "c"];
        let judge = ["--judge", "rain/models/judge.json", "--topic", topic];
        with_models(&folder, &[&words[..], &judge].concat(), more)
    };
    let graph = ["--sdg", "rain/models/sdg.json"];
    crawl("other.json", &graph)
        .refused("the judge was fitted for the topic 暴雨灾害 with other terms");
    crawl("rain/models/topic.json", &[])
        .refused("the judge was fitted for a disambiguation graph, to be given with --sdg");
    crawl("rain/models/topic.json", &[&graph[..], &["--class", "off-topic"]].concat())
        .refused("the judge was fitted for the class \"on-topic\", not \"off-topic\"");
    crawl("rain/models/topic.json", &[&graph[..], &["--set", "similarity.weights=tags"]].concat())
        .refused("the judge was fitted for scores by vsm labels, norm topic, content main, not by");
    folder
        .run(&[
            "crawl",
            "run",
            "--web",
            "rain/web",
            "http://localhost/index.html",
            "-o",
            "c",
            "--topic",
            "rain/models/topic.json",
            "--classifier",
            "rain/models/classifier",
            "--set",
            "judge.kind=both",
        ])
        .refused("give the judge that combines them with --judge");
    assert!(!folder.path("c").exists());
    let text = fs::read_to_string(folder.path("rain/models/judge.json")).unwrap();
    fs::write(
        folder.path("rain/models/judge.json"),
        text.replacen("\"scale\": ", "\"scale\": -", 1),
    )
    .unwrap();
    crawl("rain/models/topic.json", &graph)
        .refused("judge.json: the judge is damaged: its weights");
}

#[test]
fn without_other_pages_a_project_has_no_judge_and_says_so() {
    let folder = Folder::new();
    copy(&folder, "rainstorm-pages", 1..=12, "on");
    let made = folder.run(&["new", "rain", "--examples", "on"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(
        made.stderr.contains("there is no classifier and no judge of pages"),
        "{}",
        made.stderr
    );
    let ran = folder.run(&["run", "rain", "--until", "topic", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(json_of(&folder, "rain/models/topic.json")["name"], "rain");
    folder.run(&["run", "rain", "--until", "judge"]).refused("ontrail.toml has no [judge] table");
    folder
        .run(&["new", "b", "--examples", "absent"])
        .refused("--examples: absent: not a folder; give a folder of pages");
    fs::create_dir_all(folder.path("few")).unwrap();
    folder.write("few/a.html", "<p>rain");
    folder
        .run(&["new", "b", "--examples", "on", "--others", "few"])
        .refused("--others: few: 1 pages found");
    folder.run(&["new", "b", "--others", "on", "--topic", "x"]).refused("--examples <PAGES>");
    assert!(!folder.path("b").exists());
}

#[test]
fn a_comparison_takes_a_judge() {
    let folder = Folder::new();
    project(&folder);
    add_web(&folder);
    assert_eq!(folder.run(&["run", "rain"]).code, 0);
    // The archive of the crawl is a web of its own.
    folder.write(
        "plan.toml",
        "[[block]]\nname = \"rain\"\nweb = \"rain/crawls/1/pages/pages-00000.warc.gz\"\n\
         labels = \"rain/labels.tsv\"\nrelevant = \"rain\"\nseed-urls = \"rain/seeds.txt\"\n\
         topics = [\"rain/models/topic.json\"]\nclassifier = \"rain/models/classifier\"\n\
         class = \"on-topic\"\nsdg = \"rain/models/sdg.json\"\njudge = \"rain/models/judge.json\"\n",
    );
    let ran = folder.run(&[
        "lab",
        "compare",
        "--plan",
        "plan.toml",
        "--recipes",
        "ontrail,ontrail-classifier",
        "--set",
        "ontrail-classifier:judge.kind=both",
        "--budget",
        "17",
        "--repeats",
        "1",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
