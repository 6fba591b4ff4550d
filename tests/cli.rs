//! The command line: standard output, standard error and exit code of the real binary.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use ontrail_tests::{Folder, root};
use serde_json::json;

const PAGE: &str = "<html lang=zh><title>暴雨预警</title><meta name=keywords content=暴雨灾害>\
    <div><h2>雨情</h2><p>暴雨灾害 <a href='a.html' rel=nofollow>水位</a></p></div>";

fn warc() -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE}");
    let record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://rain.example/x\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    );
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(record.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn help_and_version_go_to_standard_output() {
    let folder = Folder::new();
    for args in [&["--help"][..], &["inspect", "--help"], &["corpus", "split", "--help"]] {
        let ran = folder.run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("Usage: ontrail"), "{}", ran.stdout);
    }
    assert!(folder.run(&["--version"]).stdout.starts_with("ontrail 0."));
}

#[test]
fn usage_errors_exit_with_2_and_suggest() {
    let folder = Folder::new();
    folder.run(&["inspekt", "x"]).refused("'inspect'");
    folder.run(&["inspect"]).refused("<PATH>");
    folder.run(&[]).refused("Usage: ontrail");
    folder.run(&["corpus", "check", "x", "--similarity", "2"]).refused("2 is not above 0");
    folder.run(&["corpus", "check", "x", "--similarity", "NaN"]).refused("--similarity");
}

#[test]
fn a_page_is_shown_to_people() {
    let folder = Folder::new();
    folder.write("page.html", PAGE);
    let ran = folder.run(&["inspect", "page.html"]);
    assert_eq!(ran.code, 0);
    for expected in [
        "title     暴雨预警",
        "charset   UTF-8 (guessed)",
        "http://localhost/a.html",
        "nofollow",
        "Content blocks: 1",
    ] {
        assert!(ran.stdout.contains(expected), "{expected}\n{}", ran.stdout);
    }
    assert!(ran.stderr.contains("give the URL of the page with --url"), "{}", ran.stderr);
    assert_eq!(folder.run(&["-q", "inspect", "page.html"]).stderr, "");
}

#[test]
fn a_page_is_shown_to_programs() {
    let folder = Folder::new();
    folder.write("page.html", PAGE);
    let args =
        ["inspect", "page.html", "--url", "http://x.example/d/", "--term", "暴雨灾害", "--json"];
    let page = folder.run(&args).json();
    assert_eq!(page["title"], "暴雨预警");
    assert_eq!(page["language"], "zh");
    assert_eq!(page["groups"]["title"]["words"], 3);
    assert_eq!(
        page["groups"]["title"]["terms"],
        json!([["暴雨", 1], ["预警", 1], ["暴雨灾害", 1]])
    );
    assert_eq!(page["groups"]["body"]["terms"], json!([["暴雨灾害", 1], ["水位", 1]]));
    assert_eq!(page["blocks"][0]["kind"], "leaf");
    let link = &page["links"][0];
    assert_eq!(link["url"], "http://x.example/d/a.html");
    assert_eq!(link["anchor_terms"], json!(["水位"]));
    assert_eq!(link["context_terms"], json!(["暴雨灾害"]));
    assert_eq!(link["rel"]["nofollow"], true);
}

#[test]
fn a_dictionary_keeps_words_whole() {
    let folder = Folder::new();
    folder.write("page.html", "<p>特大暴雨灾害");
    folder.write("words.txt", "暴雨灾害\n");
    let page = folder.run(&["inspect", "page.html", "--dictionary", "words.txt", "--json"]).json();
    let terms = page["groups"]["body"]["terms"].to_string();
    assert!(terms.contains("暴雨灾害"), "{terms}");
    folder.write("words.txt", "甲\n乙 1x\n");
    folder.run(&["inspect", "page.html", "--dictionary", "words.txt"]).refused("line 2: `1x`");
}

#[test]
fn a_page_of_an_archive_is_shown() {
    let folder = Folder::new();
    folder.write("crawl.warc.gz", warc());
    let page = folder.run(&["inspect", "crawl.warc.gz", "http://rain.example/x", "--json"]).json();
    assert_eq!((&page["title"], &page["charset_source"]), (&json!("暴雨预警"), &json!("header")));
    assert_eq!(page["links"][0]["url"], "http://rain.example/a.html");
    assert_eq!(page["answer"]["status"], 200);
    let absent = folder.run(&["inspect", "crawl.warc.gz", "http://rain.example/y"]);
    assert_eq!((absent.code, absent.stdout.as_str()), (1, ""));
    let absent_json = folder.run(&["inspect", "crawl.warc.gz", "http://rain.example/y", "--json"]);
    assert_eq!((absent_json.code, &absent_json.json()["found"]), (1, &json!(false)));
    assert!(absent.stderr.contains("contains no response for http://rain.example/y"));
    let summary = folder.run(&["inspect", "crawl.warc.gz", "--json"]).json();
    assert_eq!(summary["records"], json!({ "response": 1 }));
    assert_eq!(summary["statuses"], json!({ "200": 1 }));
}

#[test]
fn bad_input_to_inspect_is_named() {
    let folder = Folder::new();
    folder.run(&["inspect", "absent"]).refused("absent: cannot read this file");
    folder.run(&["inspect", "."]).refused("try `ontrail corpus check .`");
    folder.write("page.html", PAGE);
    folder
        .run(&["inspect", "page.html", "--url", "x"])
        .refused("'--url <URL>': `x` is not an absolute");
    folder.run(&["inspect", "page.html", "http://x.example/"]).refused("not a web archive");
    folder.write("cut.warc.gz", &warc()[..100]);
    folder.run(&["inspect", "cut.warc.gz"]).refused("cut.warc.gz: record 1: ");
    folder.write("x.json", "{\"ontrail\": {\"kind\": 7}}");
    folder
        .run(&["inspect", "x.json"])
        .refused("x.json: line 1, column 22: invalid type: integer `7`");
}

#[test]
fn files_that_are_not_pages_are_refused() {
    let folder = Folder::new();
    folder.write("noise.bin", (0..=255).cycle().take(5_000).collect::<Vec<u8>>());
    folder.run(&["inspect", "noise.bin"]).refused("noise.bin: binary data, not text");
    folder.write("news.tsv", NEWS);
    folder.run(&["inspect", "news.tsv"]).refused("a table, not a page; try `ontrail corpus check");
    folder.write("odd.html", "\0<p>水位");
    assert_eq!(folder.run(&["inspect", "odd.html", "--json"]).json()["words"], 1);
}

#[test]
fn a_page_is_read_from_a_pipe() {
    let folder = Folder::new();
    let ran = folder.run_with_input(&["inspect", "-", "--json"], PAGE);
    assert_eq!(ran.json()["title"], "暴雨预警");
}

#[test]
fn control_characters_of_pages_do_not_reach_the_terminal() {
    let folder = Folder::new();
    folder.write("page.html", "<title>&#27;[2Jgone\u{7}</title>");
    let shown = folder.run(&["inspect", "page.html", "--color", "always"]).stdout;
    assert!(shown.contains("\u{fffd}[2Jgone\u{fffd}"), "{shown:?}");
}

const NEWS: &str = "体育\t主队在最后一分钟攻入制胜球\n体育\t客队门将连续扑出两粒点球\n\
    股票\t大盘小幅高开后震荡走低\n股票\t多家公司发布业绩预告\n";

#[test]
fn a_clean_dataset_passes_the_check() {
    let folder = Folder::new();
    folder.write("news.tsv", NEWS);
    let ran = folder.run(&["corpus", "check", "news.tsv", "--json"]);
    assert_eq!(ran.code, 0);
    let report = ran.json();
    assert_eq!(report["labels"], json!({ "体育": 2, "股票": 2 }));
    assert_eq!((&report["documents"], &report["duplicates"]), (&json!(4), &json!([])));
}

#[test]
fn duplicates_and_leaks_exit_with_1() {
    let folder = Folder::new();
    let info = "name = 'x'\n[parts]\ntrain = 'a.tsv'\ntest = 'b.tsv'\n";
    folder.write("set/dataset.toml", info);
    folder.write("set/a.tsv", NEWS);
    folder.write("set/b.tsv", "体育\t主队在最后一分钟攻入制胜球！\n");
    let ran = folder.run(&["corpus", "check", "set", "--json"]);
    assert_eq!(ran.code, 1);
    let leaks = &ran.json()["leaks"];
    assert_eq!(leaks.as_array().unwrap().len(), 1);
    // Parts are in the order of their names, so the test text comes first.
    assert_eq!(leaks[0]["first"], json!("set/b.tsv:1"));
    assert_eq!(leaks[0]["second"], json!("set/a.tsv:1"));
    let shown = folder.run(&["corpus", "check", "set"]);
    assert!(shown.stdout.contains("leaks between parts: 1"), "{}", shown.stdout);
}

#[test]
fn bad_rows_are_an_error_unless_they_are_skipped() {
    let folder = Folder::new();
    folder.write("news.tsv", format!("{NEWS}no label here\n"));
    let message = "news.tsv: line 5: expected 2 fields, found 1";
    folder.run(&["corpus", "check", "news.tsv"]).refused(message);
    folder
        .run(&["corpus", "check", "news.tsv"])
        .refused("use --skip-bad to skip rows that cannot be read");
    let ran = folder.run(&["corpus", "check", "news.tsv", "--skip-bad", "--json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("skipped 1 documents, such as") && ran.stderr.contains(message));
    assert_eq!(ran.json()["skipped"]["examples"][0]["line"], 5);
}

#[test]
fn a_split_is_a_dataset_with_provenance() {
    let folder = Folder::new();
    let rows: String = (0..50).map(|n| format!("{}\t第{n}条消息\n", ["甲", "乙"][n % 2])).collect();
    folder.write("news.tsv", rows);
    let args = [
        "corpus",
        "split",
        "news.tsv",
        "-o",
        "out",
        "--parts",
        "train=0.8,test=0.2",
        "--seed",
        "7",
    ];
    let sizes = folder.run(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(sizes["parts"], json!({ "train": 40, "test": 10 }));
    let first = fs::read(folder.path("out/train.tsv")).unwrap();

    let report = folder.run(&["corpus", "check", "out", "--similarity", "1", "--json"]).json();
    assert_eq!(report["parts"], json!({ "train": 40, "test": 10 }));
    let described = folder.run(&["inspect", "out", "--json"]);
    assert_eq!(described.code, 0);
    let description = described.json();
    assert_eq!(
        (&description["kind"], &description["provenance"]["seed"]),
        (&json!("dataset"), &json!(7))
    );
    assert_eq!(description["provenance"]["inputs"][0]["path"], "news.tsv");

    // Replacing an earlier split gives the same bytes, manifest included.
    let manifest = fs::read(folder.path("out/manifest.json")).unwrap();
    assert_eq!(folder.run(&[&args[..], &["--json"]].concat()).code, 0);
    assert_eq!(fs::read(folder.path("out/train.tsv")).unwrap(), first);
    assert_eq!(fs::read(folder.path("out/manifest.json")).unwrap(), manifest);

    // A change of a file is detected.
    folder.write("out/test.tsv", "甲\t篡改\n");
    let changed = folder.run(&["inspect", "out"]);
    assert_eq!(changed.code, 1);
    assert!(changed.stderr.contains("test.tsv: has "), "{}", changed.stderr);
}

#[test]
fn a_split_replaces_only_files_of_an_earlier_split() {
    let folder = Folder::new();
    folder.write("news.tsv", NEWS);
    folder.write("thesis/chapter.txt", "years of work");
    folder.run(&["corpus", "split", "news.tsv", "-o", "thesis"]).refused("is not replaced");
    assert!(folder.path("thesis/chapter.txt").exists());
    folder
        .run(&["corpus", "split", "news.tsv", "-o", "x", "--parts", "a=1,b"])
        .refused("`b` is not NAME=SHARE");
    folder
        .run(&["corpus", "split", "news.tsv", "-o", "x", "--parts", "a=0.5,b=0.6"])
        .refused("add up to 1.1");
    folder
        .run(&["corpus", "split", "news.tsv", "-o", "x", "--parts", "../a=1"])
        .refused("cannot be the name");
    assert!(!folder.path("x").exists());
}

#[test]
fn a_split_obeys_dataset_toml_and_keeps_duplicates_together() {
    let folder = Folder::new();
    folder.write(
        "set/dataset.toml",
        "name='x'\n[data]\npath='a.tsv'\n[split]\nseed=7\nparts={one=0.5,two=0.5}",
    );
    let text = |n: u32| -> String {
        (0..30).filter_map(|k| char::from_u32(0x4e00 + (n * 97 + k * 31) % 9_000)).collect()
    };
    // Forty texts, each given twice.
    let rows: String = (0..80).map(|n| format!("甲\t{}\n", text(n / 2))).collect();
    folder.write("set/a.tsv", rows);
    let split = folder.run(&["corpus", "split", "set", "-o", "out", "--json"]).json();
    assert_eq!((&split["parts"], &split["seed"]), (&json!({ "one": 40, "two": 40 }), &json!(7)));
    let report = folder.run(&["corpus", "check", "out", "--json"]).json();
    assert_eq!(report["duplicates"].as_array().unwrap().len(), 40);
    assert_eq!(report["leaks"], json!([]));
}

#[test]
fn a_split_does_not_overwrite_its_input() {
    let folder = Folder::new();
    folder.write("all.tsv", "a\tone\nb\ttwo\na\tthree\nb\tfour\n");
    assert_eq!(folder.run(&["corpus", "split", "all.tsv", "-o", "cut"]).code, 0);
    let again = ["corpus", "split", "cut/train.tsv", "-o", "cut", "--parts", "x=0.5,y=0.5"];
    folder.run(&again).refused("cut: contains an input of this command");
    assert!(folder.path("cut/train.tsv").exists());
}

#[test]
fn files_of_the_user_are_not_overwritten() {
    let folder = Folder::new();
    folder.write("news.csv", "label,text\n甲,大盘高开\n");
    folder
        .run(&["corpus", "convert", "news.csv", "-o", "news.csv"])
        .refused("is an input of this command");
    folder.write("mine.jsonl", "mine");
    folder.run(&["corpus", "convert", "news.csv", "-o", "mine.jsonl"]).refused("is not replaced");
    assert_eq!(fs::read_to_string(folder.path("mine.jsonl")).unwrap(), "mine");
    assert_eq!(folder.run(&["corpus", "split", "news.csv", "-o", "out"]).code, 0);
    folder.write("out/notes.md", "mine");
    folder.run(&["corpus", "split", "news.csv", "-o", "out"]).refused("is not replaced");
    assert!(folder.path("out/notes.md").exists());
}

#[test]
fn pages_without_labels_or_text_are_split_too() {
    let folder = Folder::new();
    for n in 0..10 {
        folder.write(&format!("pages/{n}.html"), format!("<p>第{n}页的暴雨"));
    }
    folder.write("pages/x.html", "<script>1</script>");
    folder.write("few/pages/x.html", "<script>1</script>");
    for n in 0..30 {
        folder.write(&format!("few/pages/{n}.html"), format!("<p>第{n}页的暴雨"));
    }
    let few = folder.run(&["corpus", "convert", "few/pages", "-o", "few.jsonl"]);
    assert_eq!(few.code, 0, "{}", few.stderr);
    assert!(few.stderr.contains("no readable text on this page"), "{}", few.stderr);
    let args = ["corpus", "split", "pages", "-o", "out", "--format", "jsonl"];
    folder.run(&args).refused("x.html: no readable text on this page");
    let split = folder.run(&[&args[..], &["--skip-bad", "--json"]].concat()).json();
    assert_eq!((&split["parts"]["train"], &split["skipped"]["count"]), (&json!(8), &json!(1)));
    assert_eq!(folder.run(&["corpus", "check", "out", "--similarity", "1"]).code, 0);
    folder.run(&["corpus", "split", "pages", "--skip-bad", "-o", "tsv"]).refused("no label");
}

#[test]
fn every_table_converts_to_every_other() {
    let folder = Folder::new();
    folder.write("news.tsv", NEWS);
    let mut before = "news.tsv".to_owned();
    for next in ["a.jsonl", "b.parquet", "c.csv", "d.tsv"] {
        let ran = folder.run(&["corpus", "convert", &before, "-o", next]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(folder.path(&format!("{next}.ontrail.json")).exists());
        before = next.to_owned();
    }
    assert_eq!(fs::read_to_string(folder.path("d.tsv")).unwrap(), NEWS);
    folder.run(&["corpus", "convert", "news.tsv", "-o", "x.doc"]).refused("x.doc: name a .tsv");
    assert_eq!(folder.run(&["inspect", "b.parquet"]).code, 0);
}

#[test]
fn pages_become_texts() {
    let folder = Folder::new();
    folder.write("pages/a.html", PAGE);
    let ran = folder.run(&["corpus", "convert", "pages", "-o", "pages.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let line = fs::read_to_string(folder.path("pages.jsonl")).unwrap();
    assert_eq!(line, "{\"title\":\"暴雨预警\",\"text\":\"雨情\\n暴雨灾害 水位\"}\n");
}

#[test]
fn the_terms_that_distinguish_classes_are_listed() {
    let folder = Folder::new();
    folder.write("news.tsv", NEWS);
    let report = folder.run(&["corpus", "terms", "news.tsv", "--top", "100", "--json"]).json();
    let terms = report["classes"]["体育"].to_string();
    assert!(terms.contains("客队") && !terms.contains("大盘"), "{terms}");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.write("page.html", "<p>".to_owned() + &"<a href=x>水位</a>".repeat(3_000));
    let ontrail = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("ontrail");
    let mut child = Command::new(ontrail)
        .args(["inspect", "page.html", "--all"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn colour_is_used_only_on_request() {
    let folder = Folder::new();
    folder.write("page.html", PAGE);
    assert!(!folder.run(&["inspect", "page.html"]).stdout.contains('\u{1b}'));
    assert!(folder.run(&["inspect", "page.html", "--color", "always"]).stdout.contains('\u{1b}'));
}

#[test]
fn the_benchmark_runs_on_the_shipped_data() {
    let pages = root().join("datasets/rainstorm-pages");
    let folder = Folder::new();
    let args = ["bench", "page", pages.to_str().unwrap(), "--rounds", "1", "--json"];
    let report = folder.run(&args).json();
    assert_eq!(report["pages"], 54);
    assert!(report["pages_per_second"].as_f64().unwrap() > 0.0);
    folder.write("texts/a/1.txt", "雨");
    folder.run(&["bench", "page", "texts"]).refused("holds no HTML pages");
}

#[test]
fn completions_and_manual_pages_cover_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]);
        assert_eq!(script.code, 0, "{}", script.stderr);
        for word in ["lattice", "weave", "--seed-sets", "explain"] {
            assert!(script.stdout.contains(word.trim_start_matches('-')), "{shell}: {word}");
        }
    }
    folder.run(&["completions", "tcsh"]).refused("possible values");
    assert_eq!(folder.run(&["man", "-o", "man1"]).code, 0);
    let page = |name: &str| std::fs::read_to_string(folder.path("man1").join(name)).unwrap();
    assert!(
        page("ontrail.1").contains("ontrail") && page("ontrail-lab-compare.1").contains("repeats")
    );
    assert!(!folder.path("man1/ontrail-help.1").exists());
    // Its own pages are replaced, and a page of somebody else only by force.
    assert_eq!(folder.run(&["man", "-o", "man1"]).code, 0);
    folder.write("man1/ontrail-topic.1", "years of work");
    folder.run(&["man", "-o", "man1"]).refused("ontrail-topic.1: not a manual page of ontrail");
    assert_eq!(page("ontrail-topic.1"), "years of work");
    assert_eq!(folder.run(&["man", "-o", "man1", "--force"]).code, 0);
    assert!(page("ontrail-topic.1").contains(".TH ontrail-topic"));
}

#[test]
fn a_header_line_of_a_tsv_file_is_no_document() {
    let folder = Folder::new();
    let rows = "rain\t暴雨红色预警\nsports\t主队客场取胜\n";
    for header in ["label\ttext\n", "Label\tText\r\n", "\u{feff}label\ttext\n", ""] {
        folder.write("news.tsv", format!("{header}{rows}"));
        let found = folder.run(&["corpus", "check", "news.tsv", "--json"]).json();
        assert_eq!(found["labels"], json!({ "rain": 1, "sports": 1 }), "{header:?}");
    }
    folder.write("news.tsv", "text\ttitle\tlabel\n暴雨红色预警\t预警\train\n");
    let found = folder.run(&["corpus", "check", "news.tsv", "--json"]).json();
    assert_eq!(found["labels"], json!({ "rain": 1 }));
}

#[test]
fn leaks_between_two_files_are_found() {
    let folder = Folder::new();
    let long = "昨夜临溪县普降暴雨，河水上涨，沿岸居民连夜转移到学校和体育馆，目前没有人员伤亡";
    folder.write("train.tsv", format!("rain\t{long}\nsports\t主队客场取胜\n"));
    let near = format!("{long}了");
    folder.write("test.tsv", format!("rain\t{near}\nsports\t主队客场取胜\nrain\t山洪预警\n"));
    let ran = folder.run(&["corpus", "check", "train.tsv", "test.tsv", "--json"]);
    assert_eq!(ran.code, 1);
    let leaks = ran.json()["leaks"].clone();
    assert_eq!(leaks.as_array().map(Vec::len), Some(2), "{leaks}");
    assert_eq!(
        (&leaks[0]["first"], &leaks[0]["second"]),
        (&json!("train.tsv:1"), &json!("test.tsv:1"))
    );
    assert_eq!(leaks[1]["similarity"], json!(1.0));
    folder.write("new.tsv", "rain\t山洪预警\n");
    assert_eq!(folder.run(&["corpus", "check", "train.tsv", "new.tsv"]).code, 0);
}
