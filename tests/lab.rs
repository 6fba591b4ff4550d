//! End-to-end tests of `ontrail lab`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use ontrail_tests::{Folder, root};
use serde_json::Value;

/// A folder with a small woven web and a topic.
fn lab() -> Folder {
    let folder = Folder::new();
    let from = root().join("datasets/news-mini").display().to_string();
    let woven = folder
        .run(&["lab", "weave", "--from", &from, "--pages", "700", "-o", "web", "--json"])
        .json();
    assert_eq!(woven["settings"]["pages"], 700);
    let topic = [
        "topic",
        "keywords",
        "暴雨=1",
        "洪水=0.8",
        "预警=0.6",
        "积水=0.5",
        "救援=0.4",
        "-o",
        "rain.json",
    ];
    assert_eq!(folder.run(&topic).code, 0);
    folder
}

const COMPARE: [&str; 12] = [
    "lab",
    "compare",
    "--web",
    "web",
    "--relevant",
    "rainstorm",
    "--topic",
    "rain.json",
    "--budget",
    "150",
    "--repeats",
    "3",
];

fn compare(more: &[&str]) -> Vec<String> {
    COMPARE.iter().chain(more).map(ToString::to_string).collect()
}

fn run(folder: &Folder, args: &[String]) -> ontrail_tests::Ran {
    folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn crawlers_are_compared_and_finished_runs_are_reused() {
    let folder = lab();
    let args = compare(&["--recipes", "bfs,ops,fcsa", "--seed-sets", "2", "-o", "out", "--json"]);
    let first = run(&folder, &args).json();
    for name in ["bfs", "ops", "fcsa"] {
        let it = &first["recipes"][name];
        for measure in ["accuracy", "recall", "harvest_area", "recall_area", "sd"] {
            let mean = it["true"][measure]["mean"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&mean), "{name} {measure}: {mean}");
            assert!(it["true"][measure]["se"].is_number());
        }
        assert!(it["self"]["average_relevance"]["mean"].is_number() && it["seconds"].is_number());
        assert_eq!(it["checkpoints"].as_array().unwrap().len(), 10);
    }
    // A crawler that uses the topic finds more relevant pages than one that does not.
    let recall = |name: &str| first["recipes"][name]["true"]["recall"]["mean"].as_f64().unwrap();
    assert!(recall("ops") > recall("bfs"), "{} {}", recall("ops"), recall("bfs"));
    assert_eq!(first["recipes"]["bfs"]["deterministic"], true);
    assert_eq!(first["recipes"]["fcsa"]["deterministic"], false);
    let test = &first["tests"]["true.recall"];
    assert_eq!(
        (test["blocks"].as_u64(), test["mean_ranks"].as_array().unwrap().len()),
        (Some(2), 3)
    );
    assert_eq!(first["superposition"].as_array().unwrap().len(), 3);
    // Two blocks: one run of each crawler, and two more of the one that makes random choices.
    assert_eq!(fs::read_dir(folder.path("out/runs")).unwrap().count(), 2 * (3 + 2));
    for file in
        ["report.html", "report.md", "measures.csv", "curves.csv", "tests.csv", "comparison.json"]
    {
        assert!(fs::metadata(folder.path("out").join(file)).unwrap().len() > 100, "{file}");
    }
    let page = fs::read_to_string(folder.path("out/report.html")).unwrap();
    assert!(
        page.contains("<svg")
            && page.contains("CD = ")
            && page.contains("ontrail lab compare --web web")
    );
    assert!(!page.contains("NaN") && !page.contains("src=\"http"));
    judgements_are_shown(&folder, &first);
    // A second comparison reuses all runs. If one run is removed, only that one is repeated, and
    // nothing changes except the times.
    let is_one =
        |path: &std::path::PathBuf| path.display().to_string().contains("web-set1--fcsa--1--");
    let mut runs = fs::read_dir(folder.path("out/runs")).unwrap().map(|it| it.unwrap().path());
    fs::remove_file(runs.find(is_one).unwrap()).unwrap();
    let again = run(&folder, &args).json();
    assert_eq!(again["speed"]["kept_runs"], 9);
    let figures = |result: &Value| {
        let mut result = result.clone();
        result["speed"] = Value::Null;
        for recipe in result["recipes"].as_object_mut().unwrap().values_mut() {
            recipe["seconds"] = Value::Null;
            recipe["time"] = Value::Null;
        }
        result
    };
    assert_eq!(figures(&first), figures(&again));
    // One thread gives the same result from scratch.
    let alone =
        compare(&["--recipes", "bfs,ops,fcsa", "--seed-sets", "2", "--threads", "1", "--json"]);
    assert_eq!(figures(&run(&folder, &alone).json()), figures(&first));
    // Another random seed changes only the runs of recipes that make random choices.
    let seeded = |seed: &str| {
        let args = compare(&["--recipes", "bfs,fcsa", "--seed", seed, "--json"]);
        figures(&run(&folder, &args).json())
    };
    let (one, other) = (seeded("1"), seeded("77"));
    assert_ne!(one["recipes"]["fcsa"], other["recipes"]["fcsa"]);
    assert_eq!(one["recipes"]["bfs"], other["recipes"]["bfs"]);
}

#[test]
fn the_oracle_is_an_upper_reference_in_all_tables() {
    let folder = lab();
    let args = compare(&[
        "--recipes",
        "fixed,bfs",
        "--seed-sets",
        "2",
        "--oracle",
        "--control",
        "fixed",
        "-o",
        "out",
    ]);
    let shown = run(&folder, &args).stdout;
    assert!(shown.contains("area of recall; reference fixed"), "{shown}");
    assert!(shown.contains("area 38") && shown.contains("area 75") && shown.contains("area 150"));
    assert!(shown.lines().any(|line| line.trim_start().starts_with("oracle")));
    assert!(shown.contains("Nemenyi"), "{shown}");
    let json = args.iter().map(String::as_str).chain(["--json"]).map(str::to_owned);
    let found = run(&folder, &json.collect::<Vec<_>>()).json();
    let area = |of: &Value| of["true"]["recall_area"]["mean"].as_f64().unwrap();
    let (oracle, fixed) = (area(&found["oracle"]), area(&found["recipes"]["fixed"]));
    let bfs = area(&found["recipes"]["bfs"]);
    assert!(oracle > fixed && fixed > bfs, "{oracle} {fixed} {bfs}");
    assert!(found["recipes"]["oracle"].is_null(), "the oracle takes no part in the tests");
    assert!(found["gaps"]["fixed"].is_null(), "the reference has no gap");
    let gap = &found["gaps"]["bfs"];
    let closed = gap["closed"].as_f64().unwrap();
    assert_eq!(gap["reference"], "fixed");
    assert!((closed - (bfs - fixed) / (oracle - fixed)).abs() < 1e-9, "{closed}");
    assert!(gap["worst"]["block"].as_str().unwrap().starts_with("web/set"));
    for recipe in ["fixed", "bfs"] {
        let of = &found["recipes"][recipe]["true"];
        let part = |name: &str| of[name]["mean"].as_f64().unwrap();
        assert!(part("recall_area_quarter") <= part("recall_area_half"));
        assert!(part("recall_area_half") <= part("recall_area"));
    }
    let read = |name: &str| fs::read_to_string(folder.path("out").join(name)).unwrap();
    assert!(read("gaps.csv").contains(&format!("bfs,fixed,{closed},web/set")));
    assert!(read("measures.csv").contains(",oracle,1,true,recall_area,"));
    assert!(read("curves.csv").contains("oracle,true,accuracy,"));
    assert!(read("tests.csv").starts_with("measure,recipe,mean rank,control,z,p,Holm p,Nemenyi,"));
    for name in ["report.html", "report.md"] {
        let text = read(name);
        assert!(text.contains("Area of recall; reference fixed") && text.contains("oracle"));
        assert!(!text.contains("NaN") && text.contains("share of the gap closed"));
    }
    // Its runs are kept like those of recipes.
    let again = run(&folder, &args);
    assert_eq!(again.code, 0);
    assert_eq!(fs::read_dir(folder.path("out/runs")).unwrap().count(), 6);
    let twice = run(&folder, &compare(&["--recipes", "bfs,oracle", "--oracle"]));
    assert_eq!(twice.code, 2);
    assert!(twice.stderr.contains("the oracle is no recipe"), "{}", twice.stderr);
}

#[test]
fn a_realistic_web_has_the_settings_of_the_preset() {
    let folder = Folder::new();
    let from = root().join("datasets/news-mini").display().to_string();
    let weave = |more: &[&str]| {
        let first = ["lab", "weave", "--from", &from, "--pages", "300", "--json"];
        folder.run(&[&first[..], more].concat())
    };
    let web =
        weave(&["--realistic", "--opaque-urls", "--set", "boilerplate=3", "-o", "real"]).json();
    let settings = &web["settings"];
    assert_eq!(settings["own-templates"], true);
    assert_eq!(settings["opaque-urls"], true);
    assert_eq!(settings["boilerplate"], 3, "--set is stronger than the preset");
    assert_eq!((&settings["teasers"], &settings["untitled-links"]), (&6.into(), &0.4.into()));
    let plain = weave(&["--set", "own-templates=true", "-o", "plain"]).json();
    assert_eq!(
        (&plain["settings"]["teasers"], &plain["settings"]["opaque-urls"]),
        (&0.into(), &false.into())
    );
    // The settings weave the same web again.
    let again = weave(&["--settings", "real/weave.toml", "-o", "again"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert_eq!(read("real/web.warc.gz"), read("again/web.warc.gz"));
    let wrong = weave(&["--set", "own-templates=maybe", "-o", "wrong"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("neither a number nor true or false"), "{}", wrong.stderr);
    let many = weave(&["--set", "boilerplate=13", "-o", "wrong"]);
    assert!(many.stderr.contains("boilerplate = 13 is not between 0 and 12"), "{}", many.stderr);
}

/// The quality of the crawlers' own judgement is in the report, in Markdown and on the terminal.
fn judgements_are_shown(folder: &Folder, figures: &Value) {
    let f1 = figures["recipes"]["ops"]["self"]["f1"]["mean"].as_f64().unwrap();
    let page = fs::read_to_string(folder.path("out/report.html")).unwrap();
    let text = fs::read_to_string(folder.path("out/report.md")).unwrap();
    for shown in [&page, &text] {
        assert!(shown.contains(&format!("{f1:.4} ±")) && shown.contains("P, R, F1: precision"));
    }
    let args = compare(&["--recipes", "bfs,ops,fcsa", "--seed-sets", "2", "-o", "out"]);
    let shown = run(folder, &args).stdout;
    let own = shown.split("self-reported").nth(1).unwrap();
    let head = own.lines().nth(1).unwrap();
    assert!(head.split_whitespace().rev().take(3).eq(["F1", "R", "P"]), "{head}");
    let row = own.lines().find(|line| line.trim_start().starts_with("ops")).unwrap();
    assert!(row.contains(&format!("{f1:.2} ±")), "{row}");
}

/// The curves of a crawl that ends before its budget is spent stay constant to the end, so all
/// crawls are compared at the same numbers of pages.
#[test]
fn crawls_that_end_early_are_compared_fairly() {
    let folder = lab();
    let args = compare(&[
        "--recipes",
        "bfs,ops",
        "--set",
        "ops:priority.at-least=1",
        "-o",
        "out",
        "--json",
    ]);
    let found = run(&folder, &args).json();
    let (bfs, ops) = (&found["recipes"]["bfs"], &found["recipes"]["ops"]);
    let seeds = fs::read_to_string(folder.path("web/seeds.txt")).unwrap().lines().count() as f64;
    assert!((ops["pages"]["mean"].as_f64().unwrap() - seeds).abs() < 1e-9, "{}", ops["pages"]);
    let pages = |it: &Value| -> Vec<u64> {
        it["checkpoints"]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| at["pages"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(pages(bfs), [15, 30, 45, 60, 75, 90, 105, 120, 135, 150]);
    assert_eq!(pages(ops), pages(bfs));
    let recall =
        |it: &Value, at: usize| it["checkpoints"][at]["true"]["recall"]["mean"].as_f64().unwrap();
    assert!((recall(ops, 9) - ops["true"]["recall"]["mean"].as_f64().unwrap()).abs() < 1e-12);
    assert!((recall(ops, 2) - recall(ops, 9)).abs() < 1e-12);
    // No seed is relevant, so nothing was found; the figures must not claim anything.
    assert_eq!(ops["true"]["harvest_area"]["mean"], 0.0);
    let csv = fs::read_to_string(folder.path("out/curves.csv")).unwrap();
    assert!(csv.contains("ops,true,accuracy,150,0") && !csv.contains("NaN"));
}

#[test]
fn a_comparison_agrees_with_single_crawls() {
    let folder = lab();
    let compared = run(&folder, &compare(&["--recipes", "fixed,fish-search", "--json"])).json();
    for name in ["fixed", "fish-search"] {
        let args = [
            "crawl",
            "run",
            "--web",
            "web/web.warc.gz",
            "--seeds",
            "web/seeds.txt",
            "--topic",
            "rain.json",
            "--recipe",
            name,
            "--budget",
            "150",
            "--labels",
            "web/labels.tsv",
            "--relevant",
            "rainstorm",
            "-o",
            name,
            "--json",
        ];
        let crawled = folder.run(&args).json();
        for (side, measure) in [
            ("true", "accuracy"),
            ("true", "recall"),
            ("true", "sd"),
            ("self", "average_relevance"),
            ("self", "accuracy"),
        ] {
            let found = compared["recipes"][name][side][measure]["mean"].as_f64().unwrap();
            let single = crawled[side][measure].as_f64().unwrap();
            assert!(
                (found - single).abs() < 1e-12,
                "{name} {side} {measure}: {found} is not {single}"
            );
        }
    }
}

#[test]
fn a_plan_lists_blocks_and_settings_are_searched_for() {
    let folder = lab();
    std::fs::create_dir(folder.path("plans")).unwrap();
    let from = root().join("datasets/news-mini").display().to_string();
    let weave = [
        "lab",
        "weave",
        "--from",
        &from,
        "--pages",
        "500",
        "--seed",
        "2",
        "-o",
        "plans/other",
        "-q",
    ];
    assert_eq!(folder.run(&weave).code, 0);
    folder.write(
        "plans/plan.toml",
        "[[block]]\nname = 'rain'\nweb = '../web'\nrelevant = 'rainstorm'\ntopics = ['../rain.json']\n\n\
         [[block]]\nname = 'sports'\nweb = 'other'\nrelevant = 'sports*'\nseed-urls = 'other/seeds/sports.txt'\n\
         topics = ['../rain.json']\n",
    );
    let args = [
        "lab",
        "compare",
        "--plan",
        "plans/plan.toml",
        "--recipes",
        "bfs,ontrail",
        "--budget",
        "60",
        "--json",
    ];
    let found = folder.run(&args).json();
    assert_eq!(found["blocks"], serde_json::json!(["rain", "sports"]));
    let grid = [
        "lab",
        "grid",
        "--web",
        "web",
        "--test-web",
        "plans/other",
        "--relevant",
        "rainstorm",
        "--topic",
        "rain.json",
        "--recipe",
        "ops",
        "--over",
        "priority.at-least=0,0.9",
        "--over",
        "priority.rank=0..0.5:2",
        "--budget",
        "80",
        "-o",
        "grid",
        "--json",
    ];
    let found = folder.run(&grid).json();
    let tried = found["combinations"].as_array().unwrap();
    assert_eq!(tried.len(), 4);
    // If no link has a sufficient priority, a crawl ends at its seeds.
    assert_eq!(found["best"][0], "priority.at-least=0");
    let value = |it: &Value| it["tuned"]["mean"].as_f64().unwrap();
    let most = tried.iter().map(value).fold(0.0, f64::max);
    assert!(
        (value(tried.iter().find(|it| it["set"] == found["best"]).unwrap()) - most).abs() < 1e-12
    );
    assert!(
        found["tested"]["best"]["mean"].is_number()
            && found["tested_on"] == serde_json::json!(["other"])
    );
    let page = fs::read_to_string(folder.path("grid/grid.html")).unwrap();
    assert!(page.contains("<rect") && page.contains("priority.rank"));
    let random = folder.run(&[
        "lab",
        "grid",
        "--web",
        "web",
        "--relevant",
        "rainstorm",
        "--topic",
        "rain.json",
        "--recipe",
        "ontrail",
        "--over",
        "priority.page=0..1:3",
        "--random",
        "3",
        "--budget",
        "40",
        "--json",
    ]);
    assert_eq!(random.json()["combinations"].as_array().unwrap().len(), 3);
    assert!(random.stderr.contains("chosen and measured on the same webs"));
}

#[test]
fn a_web_is_served_as_many_hosts() {
    let folder = lab();
    let mut child = folder.spawn(&["lab", "serve", "web", "--for", "60", "-o", "served", "--json"]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.ends_with("\n}\n") {
        assert!(out.read_line(&mut text).unwrap() > 0, "{text}");
    }
    let served: Value = serde_json::from_str(&text).unwrap();
    let hosts = served["hosts"].as_object().unwrap();
    let addresses: std::collections::BTreeSet<&str> =
        hosts.values().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(addresses.len(), hosts.len());
    assert!(hosts.len() > 20 && addresses.iter().all(|it| it.starts_with("127.0.")));
    let ask = |address: &str, request: &str| -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let seeds = fs::read_to_string(folder.path("served/seeds.txt")).unwrap();
    let seed = seeds.lines().next().unwrap();
    let address = seed.trim_start_matches("http://").trim_end_matches('/');
    let page = ask(address, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(
        page.contains("href=\"http://127.0.") && !page.contains(".example/"),
        "links lead to what is served"
    );
    assert!(
        ask(address, "GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 404")
    );
    assert!(
        ask(address, "POST / HTTP/1.1\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 405")
    );
    assert!(ask(address, "nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    // The crawler fetches the same pages live as offline.
    let args = [
        "crawl",
        "run",
        "--contact",
        "someone@example.org",
        "--allow-private",
        "127.0.0.0/8",
        "--delay",
        "0",
        "--address-delay",
        "0",
        "--seeds",
        "served/seeds.txt",
        "--labels",
        "served/labels.tsv",
        "--relevant",
        "rainstorm",
        "--recipe",
        "bfs",
        "--budget",
        "60",
        "--parallel",
        "1",
        "-o",
        "live",
        "--json",
    ];
    let live = folder.run(&args).json();
    assert_eq!(
        (live["downloaded"].as_u64(), live["true"]["labelled"].as_u64()),
        (Some(60), Some(60))
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_served_web_is_slow_on_demand_and_logs_who_asked() {
    let folder = lab();
    let args =
        "lab serve web --names --bind 127.0.0.1 --latency 50 --rate 100 --access-log log.tsv";
    let mut args: Vec<&str> = args.split(' ').collect();
    args.extend(["--for", "60", "--json"]);
    let mut child = folder.spawn(&args);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.ends_with("\n}\n") {
        assert!(out.read_line(&mut text).unwrap() > 0, "{text}");
    }
    let served: Value = serde_json::from_str(&text).unwrap();
    let address = served["hosts"].as_object().unwrap().values().next().unwrap().as_str().unwrap();
    let seeds = fs::read_to_string(folder.path("web/seeds.txt")).unwrap();
    let seed = seeds.lines().next().unwrap();
    let asked: Vec<TcpStream> = (0..5)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            let request = format!("GET {seed} HTTP/1.1\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    for mut stream in asked {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200 "));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The log is whole although the server was killed.
    let log = fs::read_to_string(folder.path("log.tsv")).unwrap();
    let mut answered = Vec::new();
    for line in log.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let time = |at: usize| fields[at].parse::<f64>().unwrap();
        assert!(time(1) - time(0) >= 49.9, "{line}");
        answered.push(time(1));
        assert_eq!(fields[2], seed.split('/').nth(2).unwrap());
        assert_eq!(&fields[5..], ["200", ""]);
    }
    answered.sort_by(f64::total_cmp);
    assert_eq!(answered.len(), 5);
    assert!(answered.windows(2).all(|pair| pair[1] - pair[0] >= 9.9), "{answered:?}");
    let again = folder.run(&["lab", "serve", "web", "--access-log", "log.tsv"]);
    again.refused("--access-log: log.tsv: exists; give the name of a new file");
    let nowhere = ["lab", "serve", "web", "--names", "--bind", "192.0.2.1"];
    folder.run(&nowhere).refused("cannot listen on 192.0.2.1, port 0");
}

#[test]
fn published_tables_are_tested() {
    let folder = Folder::new();
    let rows: String = (1..=12)
        .map(|n| format!("block {n},0.{}9,0.{}5,0.1{}\n", 7 + n % 3, 4 + n % 2, n % 10))
        .collect();
    folder.write("table.csv", format!("block,a,b,c\n{rows}"));
    let found = folder.run(&["lab", "test", "table.csv", "-o", "ranks.svg", "--json"]);
    let verdict = found.json();
    assert_eq!(
        (found.code, verdict["control"].as_str(), verdict["rejects"].as_bool()),
        (0, Some("a"), Some(true))
    );
    // The same order in all blocks: χ² = N (k − 1).
    assert!((verdict["friedman"]["chi_squared"].as_f64().unwrap() - 24.0).abs() < 1e-9);
    assert!(fs::read_to_string(folder.path("ranks.svg")).unwrap().contains("1.00"));
    folder.write("few.csv", "block,a,b\n1,1,2\n2,1,2\n3,1,2\n4,1,2\n");
    let few = folder.run(&["lab", "test", "few.csv"]).stdout.replace("\n ", "").replace("  ", " ");
    let smallest = "the smallest p of Wilcoxon's test with 4 blocks is 0.1250, so its corrected p \
                    cannot be below 0.05; that takes 6 blocks";
    assert!(few.contains(smallest), "{few}");
    folder.write("alike.csv", "block,a,b\n1,1,1\n2,2,2\n");
    assert_eq!(folder.run(&["lab", "test", "alike.csv"]).code, 1);
    let papers = folder.run(&["lab", "test", "--paper", "all"]);
    assert!(papers.stdout.contains("27.00  81.00  5.25  FCITS_OH  OPS, BFS"), "{}", papers.stdout);
    folder.write("bad.csv", "block,a,b\none,1,x\n");
    folder.run(&["lab", "test", "bad.csv"]).refused("bad.csv:2: \"x\" in column b is not a number");
    folder.write("short.csv", "block,a\n1,2\n");
    folder
        .run(&["lab", "test", "short.csv"])
        .refused("short.csv:1: a table needs a column of block names");
    folder
        .run(&["lab", "test", "table.csv", "--control", "z"])
        .refused("--control z: not in the table");
}

#[test]
fn mistakes_are_reported_before_any_crawl_starts() {
    let folder = lab();
    let refused = |more: &[&str], message: &str| run(&folder, &compare(more)).refused(message);
    refused(&["--recipes", "nothing"], "unknown recipe \"nothing\"");
    refused(&["--recipes", "sdvsm"], "give a disambiguation graph with --sdg");
    refused(&["--recipes", "bcw-cc"], "give one with --classifier");
    refused(&["--recipes", "bfs,bfs"], "two recipes have the name bfs");
    refused(&["--recipes", "bfs", "--set", "ops:threshold=0.5"], "ops:…: not one of the recipes");
    refused(&["--recipes", "bfs", "--control", "ops"], "--control ops: not one of the recipes");
    refused(&["--recipes", "bfs", "--seed-sets", "99"], "URLs into 99 seed sets");
    refused(&["--recipes", "bfs", "--labels", "none.tsv"], "none.tsv");
    folder.write("elsewhere.txt", "http://elsewhere.example/\n");
    refused(
        &["--recipes", "bfs", "--seed-urls", "elsewhere.txt"],
        "none of the 1 seed URLs is in web",
    );
    let grid = [
        "lab",
        "grid",
        "--web",
        "web",
        "--test-web",
        "web",
        "--relevant",
        "rainstorm",
        "--topic",
        "rain.json",
        "--recipe",
    ];
    let over = ["ops", "--over", "priority.at-least=0,0.5"];
    folder.run(&[&grid[..], &over].concat()).refused("the settings are chosen on this web");
    let over = ["ops", "--over", "priority.at-least=0,0.5", "--random", "0"];
    folder
        .run(&[&grid[..3], &["web"], &grid[6..], &over].concat())
        .refused("--random 0: give a number from 1");
    let from = root().join("datasets/news-mini").display().to_string();
    let weave = |more: &[&str], message: &str| {
        folder
            .run(&[&["lab", "weave", "--from", &from, "-o", "new"], more].concat())
            .refused(message);
        assert!(!folder.path("new").exists());
    };
    weave(&["--set", "localty=0.5"], "unknown field `localty`");
    weave(&["--set", "locality"], "the = is missing");
    weave(&["--pages", "10"], "pages = 10 is not between 100 and");
    weave(&["--share", "weather=0.2", "--pages", "500"], "no text has the label \"weather\"");
    weave(
        &["--part", "dev", "--pages", "500"],
        "no text is in part \"dev\" (--part); its parts are test, train",
    );
    folder.run(&["lab", "weave", "--from", &from, "-o", "web"]).refused("exists and is not empty");
    folder.run(&["lab", "weave", "--from", "nowhere", "-o", "new"]).refused("nowhere");
    folder.run(&["lab", "serve", "nowhere"]).refused("nowhere");
    folder.write("plan.toml", "[[block]]\nname = 'x'\nwebs = 'y'\n");
    folder.run(&["lab", "compare", "--plan", "plan.toml"]).refused("unknown field `webs`");
    let left: Vec<_> = fs::read_dir(folder.path("."))
        .unwrap()
        .filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().starts_with(".ontrail"))
        .collect();
    assert!(left.is_empty(), "nothing is left half-made");
}

#[test]
fn a_crawl_takes_the_folder_of_a_woven_web() {
    let folder = lab();
    let seeds = folder.path("web/seeds.txt").display().to_string();
    let args = ["crawl", "run", "--recipe", "bfs", "--seeds", &seeds, "--budget", "20"];
    for (web, output) in [("web", "a"), ("web/web.warc.gz", "b")] {
        let ran = folder.run(&[&args[..], &["--web", web, "-o", output]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let pages = |crawl: &str| folder.run(&["crawl", "status", crawl, "--json"]).json();
    let of = |crawl: &str| pages(crawl)["progress"]["pages"].clone();
    assert_eq!(of("a"), of("b"));
    assert_ne!(pages("a").to_string().matches("20").count(), 0, "{}", pages("a"));
}
