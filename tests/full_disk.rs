//! Crawls on a disk that fills up: they pause or stop, say why, and lose nothing.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ontrail_crawl::read_log;
use ontrail_tests::Folder;
use ontrail_tests::invariants::{
    ended_and_said_why, every_page_is_stored_once, nothing_archived_is_gone,
};
use ontrail_tests::laboratory::{Laboratory, Script};
use ontrail_tests::scenarios::{page, site};
use ontrail_tests::small_disk::SmallDisk;
use serde_json::{Value, json};

/// The size of the disk, and the space that is left on it when it is nearly full.
const DISK: u64 = 64 << 20;
const LEFT: u64 = 8 << 20;
/// The crawls pause if less than this is free.
const MIN_FREE: &str = "16000000";

fn status(folder: &Folder, out: &str) -> Value {
    folder.run(&["crawl", "status", out, "--json"]).json()
}

/// Waits until a crawl says that it pauses because the disk is nearly full.
fn wait_for_pause(folder: &Folder, out: &str, child: &mut Child) {
    let started = Instant::now();
    while !Path::new(out).join("run.json").exists()
        || status(folder, out)["waiting"] != json!({ "reason": "paused", "trouble": "disk" })
    {
        assert_eq!(child.try_wait().unwrap(), None, "the crawl ended");
        assert!(started.elapsed() < Duration::from_mins(1), "{}", status(folder, out));
        std::thread::sleep(Duration::from_millis(100));
    }
    let text = folder.run(&["crawl", "status", out]).stdout;
    assert!(text.contains("paused: the disk is nearly full"), "{text}");
}

/// Waits for the end of a crawl. Returns its summary.
fn summary(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_crawl_pauses_until_there_is_space_again() {
    let Some(disk) = SmallDisk::mount(DISK) else { return };
    let disk = Arc::new(disk);
    let (filled, pages) = (Arc::clone(&disk), site(60));
    let script: Script = Box::new(move |request| {
        if request.path == "/5" {
            filled.fill_except(LEFT);
        }
        pages(request)
    });
    let mut lab = Laboratory::new();
    let seeds = [lab.host(script)];
    let (folder, out) = (Folder::new(), disk.path("out").display().to_string());
    let args = lab.arguments(&out, &seeds, &["--delay", "0.1", "--min-free", MIN_FREE]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut child = folder.spawn(&args);
    wait_for_pause(&folder, &out, &mut child);
    let visits = lab.visits().len();
    assert!((6..60).contains(&visits), "{visits}");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(lab.visits().len(), visits, "a page was requested during the pause");
    let measured = &status(&folder, &out)["disk"];
    assert!(measured["free"].as_u64().unwrap() < 16_000_000, "{measured}");
    assert!(measured["used"].as_u64().unwrap() > 1_000, "{measured}");
    disk.empty();
    assert_eq!(summary(child)["downloaded"], 61);
    every_page_is_stored_once(Path::new(&out));
    assert_eq!(ended_and_said_why(&folder, &out), "nothing-left");
}

#[test]
fn an_offline_crawl_pauses_too() {
    let Some(disk) = SmallDisk::mount(DISK) else { return };
    let (folder, out) = (Folder::new(), disk.path("out").display().to_string());
    for number in 0..20 {
        let link = format!("<p>page {number} <a href={}.html>next</a>", number + 1);
        folder.write(&format!("web/{number}.html"), link);
    }
    disk.fill_except(LEFT);
    let first = "http://localhost/0.html";
    let mut child = folder.spawn(&[
        "crawl",
        "run",
        "--web",
        "web",
        "--min-free",
        MIN_FREE,
        "--json",
        "-o",
        &out,
        first,
    ]);
    wait_for_pause(&folder, &out, &mut child);
    assert_eq!(status(&folder, &out)["downloaded"], 0);
    disk.empty();
    assert_eq!(summary(child)["downloaded"], 20);
    every_page_is_stored_once(Path::new(&out));
}

/// A site whose pages hardly compress: about 200 kB each.
fn heavy_site(pages: usize) -> Script {
    let plain = site(pages);
    Box::new(move |request| {
        let number = request.path.trim_start_matches('/').parse::<u64>();
        let Ok(number) = number else { return plain(request) };
        let mut state = number + 1;
        let mut digits = String::with_capacity(400_000);
        while digits.len() < 400_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            digits += &format!("{:016x}", state ^ (state >> 29));
        }
        page(request, &format!("<!-- {digits} -->"))
    })
}

/// Returns the number of stored pages in the commit record of a crawl.
fn committed_pages(out: &Path) -> u64 {
    let text = std::fs::read_to_string(out.join("commits")).unwrap();
    let commit = |line: &str| {
        let json = line.trim_matches(['\0', ' ']).rsplit_once(' ')?.0.to_owned();
        serde_json::from_str::<Value>(&json).ok()
    };
    let newest = text.lines().filter_map(commit).max_by_key(|it| it["commit"].as_u64());
    newest.unwrap()["pages"].as_u64().unwrap()
}

#[test]
fn nothing_is_lost_on_a_full_disk() {
    const PAGES: u64 = 60;
    // There is room for some pages, for more pages, and for hardly more than the empty store.
    for left in [6 << 20, 9 << 20, 1 << 20] {
        let Some(disk) = SmallDisk::mount(DISK) else { return };
        let mut lab = Laboratory::new();
        let seeds = [lab.host(heavy_site(60))];
        let (folder, out) = (Folder::new(), disk.path("out").display().to_string());
        folder.write("s.toml", "[output]\ncommit-seconds = 0.05\narchive-bytes = 2000000\n");
        disk.fill_except(left);
        let more = ["--min-free", "0", "--settings", "s.toml"];
        let args = lab.arguments(&out, &seeds, &more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ran = folder.run(&args);
        ran.refused("No space left on device");
        assert!(ran.stderr.contains("everything stored so far is safe"), "{}", ran.stderr);
        let crawl = Path::new(&out);
        let now = status(&folder, &out);
        assert_eq!(now["state"], "stopped", "{now}");
        assert!(now["error"].as_str().unwrap().contains("No space left on device"), "{now}");
        let stored = committed_pages(crawl);
        assert!(stored < PAGES, "{stored}");
        assert_eq!(now["stored"], stored, "the status is stale");
        let rows = read_log(&crawl.join("log")).unwrap();
        let archived =
            rows.iter().filter(|row| row.stored.is_some()).take(usize::try_from(stored).unwrap());
        let archived: Vec<String> = archived.map(|row| row.final_url.clone()).collect();
        disk.empty();
        let resumed = folder.run(&["crawl", "resume", &out, "--json"]);
        assert_eq!(resumed.json()["downloaded"], PAGES + 1, "{}", resumed.stderr);
        nothing_archived_is_gone(crawl, &archived);
        every_page_is_stored_once(crawl);
        assert_eq!(ended_and_said_why(&folder, &out), "nothing-left");
        assert_eq!(status(&folder, &out).get("error"), None);
    }
}
