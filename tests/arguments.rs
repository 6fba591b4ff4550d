//! Arguments are checked before any input is read: an invalid argument is reported even if the
//! input does not exist.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_tests::Folder;

/// Runs a command, given on one line, whose inputs do not exist. It must refuse an argument.
fn refused(folder: &Folder, command: &str, complaint: &str) {
    let words: Vec<&str> = command.split_whitespace().collect();
    let ran = folder.run(&words);
    assert!(!ran.stderr.contains("absent"), "{command}: reads the input first: {}", ran.stderr);
    ran.refused(complaint);
}

#[test]
fn the_extension_of_an_output_is_checked_before_the_input_is_read() {
    let folder = Folder::new();
    for (command, complaint) in [
        ("lattice context absent -o x.foo", "'--output <FILE>': x.foo: name a .cxt, .csv, .dat"),
        ("lattice context absent -o x.cxt.gz", "x.cxt.gz: contexts are written uncompressed"),
        ("lattice context absent -o x.cex", "x.cex: name a .cxt, .csv, .dat or .json file"),
        ("lattice draw absent.cxt -o x.foo", "x.foo: name a .svg, .html, .png or .dot file"),
        ("lattice owl absent.cxt --topic t -o x.owl -o x.foo", "x.foo: name a .owl, .owx"),
        ("lattice enrich absent --ontology absent.owl -o x.foo", "x.foo: name a .owl, .owx"),
        ("lattice convert absent.cxt -o x.foo", "'--output <FILE>': x.foo: name a .cxt"),
        ("lattice convert absent.cxt -o x.cxt.gz", "x.cxt.gz: contexts are written uncompressed"),
        ("corpus convert absent.tsv -o x.foo", "x.foo: name a .tsv, .csv, .jsonl or .parquet"),
        ("bcw eval absent absent -o x.foo", "x.foo: a report is written as .html"),
        ("sdg show absent.sdg.json -o x.foo", "x.foo: name a .svg, .html, .png or .dot file"),
        ("lab test absent.csv -o x.foo", "x.foo: the diagram is written as SVG"),
        (
            "report --topic absent.json -o x.foo",
            "x.foo: a report is an HTML page; name a .html file",
        ),
    ] {
        refused(&folder, command, complaint);
    }
}

#[test]
fn ranges_are_checked_before_the_input_is_read() {
    let folder = Folder::new();
    for (command, complaint) in [
        ("corpus check absent --similarity 0", "0 is not above 0 and at most 1"),
        ("lab serve absent --rate 0", "0 is not from 0.001 to 1000000"),
        ("lab serve absent --latency 600001", "600001 is not in 0..=600000"),
        ("lab serve absent --bind 127.0.0.1", "--names"),
        ("lab serve absent --names --bind here", "invalid IP address"),
        ("seeds absent --topic absent.json --min-score 2", "2 is not from 0 to 1"),
        ("seeds absent --topic absent.json -n 0", "0 is not in 1..=100000"),
        ("corpus split absent -o x --similarity 2", "2 is not above 0 and at most 1"),
        (
            "corpus split absent -o x --parts a=1,b",
            "'--parts <NAME=SHARE,…>': `b` is not NAME=SHARE",
        ),
        (
            "lattice context absent -o x.cxt --min-share 2",
            "'--min-share <SHARE>': 2 is not from 0 to 1",
        ),
        ("lattice context absent -o x.cxt --max-share NaN", "NaN is not from 0 to 1"),
        ("lattice rules absent.cxt --confidence 0", "0 is not above 0 and at most 1"),
        (
            "lattice owl absent.cxt --topic t -o x.owl --confidence 0",
            "0 is not above 0 and at most 1",
        ),
        (
            "lattice owl absent.cxt --topic t -o x.owl --depth 1",
            "--depth: a depth of 1 leaves no room",
        ),
        ("lattice enrich absent --ontology absent.owl --min-support 2", "2 is not from 0 to 1"),
        ("lattice draw absent.cxt -o x.png --scale 21", "21 is not above 0 and at most 20"),
        ("topic score absent.json absent --model svsm --min-similarity 2", "2 is not from 0 to 1"),
        (
            "topic calibrate absent.json --on absent --off absent --prior 1",
            "1 is not between 0 and 1",
        ),
        (
            "topic calibrate absent.json --on a --off b --model vsm --measure lin",
            "--measure has no",
        ),
        ("topic eval absent.json --on absent --off absent --threshold 2", "2 is not from 0 to 1"),
        ("topic similarity --pairs absent.tsv --measure sem -k 1,1,1,1,1", "--k: "),
        ("topic score absent.json absent --model svsm --measure sem -x 0", "--x: "),
        ("topic keywords --file absent.tsv x=many -o x.json", "\"many\" is not a weight"),
        ("sdg build absent --background absent -o x.json --threshold 0", "0 is not above 0"),
        ("sdg show absent.json -o x.svg --min-degree 2", "2 is not from 0 to 1"),
        ("crawl run --topic absent --type pdf", "\"pdf\" is not a media type"),
        ("bcw train absent -o x --other-below 2", "2 is not from 0 to 1"),
        ("bcw train absent -o x --features nonsense", "nonsense"),
        ("bcw train absent -o x --hash-bits 40", "40"),
        ("bcw eval absent --folds 3 --hash-bits 40", "40"),
        ("crawl run --web absent --seeds absent.txt -o x --threshold 2", "2 is not from 0 to 1"),
        ("lab compare --web absent --relevant x --alpha 1", "1 is not between 0 and 1"),
        ("lab compare --web absent --relevant x --budget 0", "'--budget <N>'"),
        ("lab compare --web absent --relevant x --seed-sets 0", "'--seed-sets <N>'"),
        ("lab compare --web absent --relevant x --recipes oracle --oracle", "is no recipe"),
        ("lab test absent.csv --alpha 0", "0 is not between 0 and 1"),
        ("bench strategies --recipes nonsense", "nonsense"),
    ] {
        refused(&folder, command, complaint);
    }
}

#[test]
fn urls_and_iris_are_checked_before_the_input_is_read() {
    let folder = Folder::new();
    for (command, complaint) in [
        ("lattice owl absent.cxt --topic t -o x.owl --iri a#b", "\"a#b\" cannot name an ontology"),
        ("lattice owl absent.cxt --topic t -o x.owl --iri rain", "give an absolute IRI"),
        ("inspect absent.html --url x", "'--url <URL>': `x` is not an absolute URL"),
        ("inspect absent.warc.gz x", "`x` is not an absolute URL"),
        ("topic score absent.json absent.html --url x", "`x` is not an absolute URL"),
        ("crawl robots absent.txt x", "x: not a URL"),
    ] {
        refused(&folder, command, complaint);
    }
}

#[test]
fn combinations_are_checked_before_the_input_is_read() {
    let folder = Folder::new();
    for (command, complaint) in [
        (
            "lattice build absent.cxt --concepts --stability --min-support 2",
            "--stability needs all",
        ),
        ("lattice convert absent.cxt -o x.owl", "use `ontrail lattice owl` to make an ontology"),
        ("lattice convert absent.owl -o x.cxt", "absent.owl: not the name of a context"),
        ("lattice convert absent.owl -o x.ttl --reduce", "--reduce and --scale are for contexts"),
        (
            "lattice convert absent.cxt -o x.csv --scale a=nominal",
            "absent.cxt: --scale is for .csv tables only",
        ),
        ("lattice draw absent.owl -o x.svg --as iceberg", "are for contexts"),
        ("sdg show absent.json -o x.svg --scale 2", "--scale is for .png"),
        ("bcw train absent -o x --cost 2", "--cost has no effect in mode exponent"),
        ("bcw eval absent --folds 3 --cost 2", "--cost has no effect in mode exponent"),
        ("crawl export absent --json", "--json needs a file to write"),
        ("crawl upload absent nowhere", "it is not a URL; give one such as s3://bucket/prefix"),
        ("crawl resume absent --upload http://x/y", "it must begin with s3://"),
        ("crawl run --web absent --settings absent -o x --upload s3://", "it must name a bucket"),
    ] {
        let words: Vec<&str> = command.split_whitespace().collect();
        let ran = folder.run(&words);
        for unread in ["cannot be read", "cannot read"] {
            assert!(!ran.stderr.contains(unread), "{command}: {}", ran.stderr);
        }
        ran.refused(complaint);
    }
}

#[test]
fn an_output_that_may_not_be_replaced_is_refused_before_the_input_is_read() {
    let folder = Folder::new();
    for name in [
        "x.cxt",
        "x.dat",
        "x.svg",
        "x.owl",
        "x.toml",
        "x.tsv",
        "x.json",
        "x.html",
        "x.jsonl",
        "x.csv",
        "x.parquet",
        "x.warc.gz",
    ] {
        folder.write(name, "years of work");
    }
    folder.write("names.attributes.txt", "mine");
    folder.write("thesis/chapter.txt", "years of work");
    let not_ours = "holds something that Ontrail did not make, so it is not replaced";
    for command in [
        "lattice context absent -o x.cxt",
        "lattice context absent -o x.dat",
        "lattice context absent -o names.dat",
        "lattice draw absent.cxt -o x.svg",
        "lattice owl absent.cxt --topic t -o new.ttl -o x.owl",
        "lattice enrich absent --ontology absent.owl --suggest x.toml",
        "lattice convert absent.csv -o x.cxt",
        "lattice convert absent.ttl -o x.owl",
        "lattice explore absent.cxt --answers x.json",
        "corpus convert absent.csv -o x.tsv",
        "corpus split absent.csv -o thesis",
        "topic learn absent -o x.json",
        "topic weigh absent.owl -o x.json",
        "topic keywords --file absent.tsv -o x.json",
        "topic calibrate absent.json --on absent --off absent -o x.json",
        "sdg build absent --background absent -o x.json",
        "sdg show absent.json -o x.svg",
        "bcw train absent -o thesis",
        "bcw eval absent absent -o x.html",
        "bcw eval absent absent -o x.json",
        "report --topic absent.json -o x.html",
        "crawl learn absent -o x.json",
    ] {
        refused(&folder, command, not_ours);
    }
    for command in [
        "crawl export absent -o x.jsonl",
        "crawl export absent -o x.csv",
        "crawl export absent -o x.parquet",
        "crawl export absent -o x.warc.gz",
        "crawl report absent -o x.html",
        "lab test absent.csv -o x.svg",
    ] {
        refused(&folder, command, not_ours);
    }
    for command in [
        "crawl run --web absent --seeds absent.txt -o thesis",
        "crawl export absent --format md -o thesis",
        "lab weave --settings absent.toml -o thesis",
        "lab compare --web absent --relevant x -o thesis",
        "lab grid --web absent --relevant x --recipe bfs --over threshold=0.5 -o thesis",
    ] {
        refused(&folder, command, "thesis: the folder exists and");
    }
}

/// Every command with an output, without the output.
const FILES: [(&str, &str); 21] = [
    ("lattice context absent", "x.cxt"),
    ("lattice draw absent.cxt", "x.svg"),
    ("lattice owl absent.cxt --topic t", "x.owl"),
    ("lattice enrich absent --ontology absent.owl", "x.owl"),
    ("lattice convert absent.csv", "x.cxt"),
    ("lattice convert absent.ttl", "x.owl"),
    ("corpus convert absent.csv", "x.tsv"),
    ("topic learn absent", "x.json"),
    ("topic weigh absent.owl", "x.json"),
    ("topic keywords --file absent.tsv", "x.json"),
    ("sdg build absent --background absent", "x.json"),
    ("sdg show absent.json", "x.svg"),
    ("bcw eval absent absent", "x.html"),
    ("bcw eval absent absent", "x.json"),
    ("report --topic absent.json", "x.html"),
    ("lab test absent.csv", "x.svg"),
    ("crawl report absent", "x.html"),
    (
        "crawl judge --on absent --off absent --topic absent.json --classifier absent --class x",
        "x.json",
    ),
    ("crawl export absent", "x.jsonl"),
    ("crawl export absent", "x.parquet"),
    ("crawl export absent", "x.warc.gz"),
];
const FOLDERS: [&str; 8] = [
    "corpus split absent.csv",
    "bcw train absent",
    "crawl run --web absent --seeds absent.txt",
    "crawl export absent",
    "lab weave --settings absent.toml",
    "lab compare --web absent --relevant x",
    "lab grid --web absent --relevant x --recipe bfs --over threshold=0.5",
    "man",
];

#[test]
fn the_folder_of_an_output_must_exist() {
    let folder = Folder::new();
    for (command, output) in FILES {
        let command = format!("{command} -o gone/{output}");
        refused(&folder, &command, "there is no folder gone; create it first");
    }
    for command in FOLDERS {
        refused(&folder, &format!("{command} -o gone/new/"), "there is no folder gone; create it");
    }
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 0);
}

#[test]
fn an_output_that_is_a_folder_is_refused_where_a_file_is_written_and_the_other_way_round() {
    let folder = Folder::new();
    for (command, output) in FILES {
        std::fs::create_dir_all(folder.path(output)).unwrap();
        refused(&folder, &format!("{command} -o {output}"), "is a folder; give the name of a file");
    }
    folder.write("file", "mine");
    for command in FOLDERS.iter().filter(|command| !command.starts_with("crawl export")) {
        for output in ["file", "-", "/dev/null"] {
            refused(&folder, &format!("{command} -o {output}"), "this command writes a folder");
        }
    }
    assert_eq!(std::fs::read_to_string(folder.path("file")).unwrap(), "mine");
}

#[cfg(unix)]
#[test]
fn links_stand_for_what_they_point_to() {
    let folder = Folder::new();
    for (command, output) in FILES {
        let (link, file) = (folder.path(&format!("link-{output}")), folder.path(output));
        let _ = std::fs::remove_file(&link);
        let _ = std::fs::remove_file(&file);
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let command = format!("{command} -o link-{output}");
        refused(&folder, &command, "is a symbolic link that points nowhere");
        std::fs::write(&file, "years of work").unwrap();
        refused(&folder, &command, "holds something that Ontrail did not make");
        assert!(link.is_symlink());
    }
}

/// Commands that need no input but the shipped data, with the start of what they write.
#[cfg(unix)]
#[test]
fn streams_are_written_and_never_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let folder = Folder::new();
    let keywords = ["topic", "keywords", "暴雨", "-o"];
    let run = |output: &str| folder.run(&[&keywords[..], &[output]].concat());
    for output in ["-", "/dev/stdout"] {
        let ran = run(output);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let topic: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(topic["ontrail"]["kind"], "topic");
        assert!(ran.stderr.contains("written to"), "{}", ran.stderr);
    }
    folder
        .run(&["topic", "keywords", "x", "-o", "-", "--json"])
        .refused("--json prints to standard");
    symlink("/dev/full", folder.path("full")).unwrap();
    for output in ["full", "/dev/full"] {
        let ran = run(output);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("cannot write this file"), "{}", ran.stderr);
    }
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    assert!(folder.path("full").is_symlink());
    assert_eq!(run("/dev/null").code, 0);
    let pipe = folder.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).unwrap()
    });
    assert_eq!(run("pipe").code, 0);
    assert!(reader.join().unwrap().starts_with("{\n  \"ontrail\""));
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 2);
}

#[test]
fn force_replaces_a_file_of_somebody_else_but_no_input() {
    let folder = Folder::new();
    folder.write("table.csv", "block,a,b\n1,1,2\n2,1,2\n3,1,2\n");
    folder.write("x.svg", "years of work");
    let test = ["lab", "test", "table.csv", "-o"];
    folder.run(&[&test[..], &["x.svg"]].concat()).refused("or replace it with --force");
    assert!(folder.run(&[&test[..], &["x.svg", "--force"]].concat()).code < 2);
    // It is ours now.
    assert!(folder.run(&[&test[..], &["x.svg"]].concat()).code < 2);
    folder.write("table.svg", "block,a,b\n");
    folder
        .run(&["lab", "test", "table.svg", "-o", "table.svg", "--force"])
        .refused("is an input of this command");
}
