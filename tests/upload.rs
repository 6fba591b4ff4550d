//! Crawls that are uploaded to a folder as to an object store (`file://`). The peer checks do the
//! same with a server that speaks S3.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod safe_site;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ontrail_tests::Folder;
use ontrail_tests::web::Server;
use safe_site::{begin, check, site};

/// Returns the address of a folder in a test folder.
fn address(folder: &Folder, name: &str) -> String {
    url::Url::from_file_path(folder.path(name)).unwrap().to_string()
}

/// Returns the files below a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Checks that an upload has exactly the results of a crawl, and a record of each.
fn check_copy(folder: &Folder, crawl: &str, copy: &str) {
    let mut results = files(&folder.path(crawl));
    results.retain(|name, _| {
        let folders = ["pages/", "log/", "links/", "models/"];
        let names = ["run.json", "progress.json", "summary.json", "commits"];
        names.contains(&&**name) || folders.iter().any(|it| name.starts_with(it))
    });
    let mut copied = files(&folder.path(copy));
    assert!(copied.remove("uploaded/owner").is_some());
    for name in results.keys() {
        let record = copied.remove(&format!("uploaded/{name}.json")).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        assert_eq!(record["bytes"], results[name].len());
        let sha256 = ontrail_artifact::Checksum::of(&results[name]).0;
        assert_eq!(record["sha256"], sha256, "{name}");
    }
    assert_eq!(copied.keys().collect::<Vec<_>>(), results.keys().collect::<Vec<_>>());
    assert!(copied == results);
}

/// A folder with a web of thirty pages and a topic.
fn web() -> Folder {
    let folder = Folder::new();
    for number in 0..30 {
        let next = number + 1;
        let text = format!("<title>{number}</title><p>rain <a href=/p{next}.html>rain</a> storm");
        folder.write(&format!("web/p{number}.html"), text);
    }
    folder.write("s.toml", "[output]\ncommit-seconds = 0.01\narchive-bytes = 3000\n");
    assert_eq!(folder.run(&["topic", "keywords", "rain=2", "storm", "-o", "t.json"]).code, 0);
    folder
}

const RUN: [&str; 10] = [
    "crawl",
    "run",
    "--web",
    "web",
    "--topic",
    "t.json",
    "--settings",
    "s.toml",
    "--header",
    "Cookie: hush",
];

#[test]
fn results_are_uploaded_and_read_like_the_crawl() {
    let folder = web();
    let to = address(&folder, "copies/rain crawl");
    let end = ["--upload", &to, "-o", "out", "http://localhost/p0.html"];
    let ran = folder.run(&[&RUN[..], &end].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("file(s) are uploaded to {to}")), "{}", ran.stderr);
    assert!(folder.path("out/secrets.json").exists());
    check_copy(&folder, "out", "copies/rain crawl");
    assert!(files(&folder.path("out/pages")).len() > 4);

    let export = |place: &str| folder.run(&["crawl", "export", place, "--all"]).stdout;
    assert_eq!(export(&to).lines().count(), 30);
    assert_eq!(export(&to), export("out"));
    // From what was uploaded, the state can be rebuilt elsewhere.
    for (name, content) in files(&folder.path("copies/rain crawl")) {
        folder.write(&format!("moved/{name}"), content);
    }
    let repaired = folder.run(&["crawl", "repair", "moved", "--json"]).json();
    assert_eq!(repaired["downloaded"], 30);
    let status = folder.run(&["crawl", "status", &to, "--json"]).json();
    assert_eq!((&status["state"], &status["downloaded"]), (&"finished".into(), &30.into()));
    let status = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert_eq!((&status["upload"]["to"], &status["upload"]["waiting"]), (&to.into(), &0.into()));
}

#[test]
fn damage_is_refused_and_repaired() {
    let folder = web();
    let to = address(&folder, "copy");
    let ran = folder.run(&[&RUN[..], &["-o", "out", "http://localhost/p0.html"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder.run(&["crawl", "upload", "out"]).refused("was never uploaded; give an address such as");
    let upload = folder.run(&["crawl", "upload", "out", &to, "--json"]).json();
    assert_eq!(upload["waiting"], 0);
    check_copy(&folder, "out", "copy");
    let archive = folder.path("copy/pages/pages-00001.warc.gz");
    let mut bytes = fs::read(&archive).unwrap();
    bytes[100] ^= 1;
    fs::write(&archive, bytes).unwrap();
    let export = ["crawl", "export", &to, "--all"];
    folder.run(&export).refused(&format!("{to}/pages/pages-00001.warc.gz: is damaged"));
    fs::remove_file(folder.path("copy/log/00000.parquet")).unwrap();
    folder.run(&export).refused(&format!("{to}/log/00000.parquet: was uploaded, but is no longer"));
    assert_eq!(folder.run(&["crawl", "upload", "out"]).code, 0);
    check_copy(&folder, "out", "copy");
    assert_eq!(folder.run(&export).code, 0);
    // Without the list of uploads, and reading everything back.
    fs::remove_file(folder.path("out/uploads.json")).unwrap();
    assert_eq!(folder.run(&["crawl", "upload", "out", &to, "--check"]).code, 0);
}

#[test]
fn a_killed_crawl_goes_on_uploading_when_it_is_resumed() {
    let (folder, server) = (Folder::new(), Server::start("127.0.0.2", site(150)));
    let to = address(&folder, "copy");
    let command = begin(&folder, &server, &["--upload", &to]);
    folder.write("s.toml", "[output]\ncommit-seconds = 0.05\narchive-bytes = 5000\n");
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let mut child = folder.spawn(&command);
    let deadline = Instant::now() + Duration::from_mins(1);
    let uploaded = folder.path("copy/uploaded/pages");
    while !uploaded.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(child.try_wait().unwrap().is_none(), "nothing was uploaded while the crawl ran");
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = folder.run(&["crawl", "resume", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    check(&folder, Some(150));
    check_copy(&folder, "out", "copy");
}

#[test]
fn a_store_that_fails_does_not_stop_the_crawl() {
    let folder = web();
    // A file where the folder should be.
    folder.write("copy", "in the way");
    let to = address(&folder, "copy");
    let end = ["--upload", &to, "--upload-wait", "0", "-o", "out", "http://localhost/p0.html"];
    let ran = folder.run(&[&RUN[..], &end].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("go on with: ontrail crawl upload out file:///"), "{}", ran.stderr);
    assert_eq!(fs::read(folder.path("copy")).unwrap(), b"in the way");
    let status = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert!(status["upload"]["error"].is_string(), "{status}");
    fs::remove_file(folder.path("copy")).unwrap();
    assert_eq!(folder.run(&["crawl", "upload", "out"]).code, 0);
    check_copy(&folder, "out", "copy");
}

#[test]
fn bad_addresses_are_refused_before_anything_is_done() {
    let folder = web();
    for (to, complaint) in [
        ("s3://AKIA:hush-hush@bucket/x", "it holds credentials"),
        ("s3://bucket/x?key=hush-hush", "it must end after the path"),
        ("ftp://bucket/x", "it must begin with s3://, gs://, az:// or file://"),
        ("somewhere", "it is not a URL"),
    ] {
        let end = ["--upload", to, "-o", "out", "http://localhost/p0.html"];
        let ran = folder.run(&[&RUN[..], &end].concat());
        assert!(!ran.stderr.contains("hush-hush"), "{}", ran.stderr);
        ran.refused(complaint);
        assert!(!folder.path("out").exists());
    }
    let nothing = address(&folder, "nothing");
    folder.run(&["crawl", "status", &nothing]).refused("holds no files that Ontrail uploaded");
    folder.run(&["crawl", "report", &nothing]).refused("name the file to write with -o");
    assert!(!folder.path("nothing").exists());
}
