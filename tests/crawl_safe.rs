//! A crawl that is killed, stopped or runs out of disk space loses no stored page and stores none
//! twice.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use ontrail_archive::Records;
use ontrail_crawl::{FetchKind, LogRow, read_log};
use ontrail_pilot::Rule;
use ontrail_tests::Folder;
use ontrail_tests::web::{Asked, Reply, Server};

/// Number of times that the crawl is killed.
const KILLS: usize = 55;
const PAGES: u32 = 1_200;

/// A site where each page links to a few others; all can be reached from the first.
fn site(asked: &Asked) -> Reply {
    let Some(number) = asked.path.strip_prefix("/p").and_then(|it| it.parse::<u32>().ok()) else {
        return if asked.path == "/" { page(0) } else { Reply::status(404) };
    };
    std::thread::sleep(Duration::from_millis(25));
    page(number)
}

fn page(number: u32) -> Reply {
    let links: String = (1..4)
        .map(|n| (number * 3 + n) % PAGES)
        .map(|to| format!("<a href=/p{to}>rain {to}</a> "))
        .collect();
    Reply::html(format!("<title>page {number}</title><p>rain and storm {number} {links}"))
}

/// A crawl of the site that commits often and stores in small archives.
fn begin(folder: &Folder, server: &Server) -> Vec<String> {
    folder.write("s.toml", "[output]\ncommit-seconds = 0.05\narchive-bytes = 100000\n");
    let ran = folder.run(&["topic", "keywords", "rain=2", "storm", "-o", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let args = [
        "crawl",
        "run",
        "--contact",
        "test@example.org",
        "--allow-private",
        "127.0.0.2",
        "--settings",
        "s.toml",
        "--topic",
        "t.json",
        "--delay",
        "0",
        "--address-delay",
        "0",
        "--per-host",
        "2",
        "--budget",
        "100000",
        "-o",
        "out",
        &server.url("/p0"),
    ];
    args.map(str::to_owned).into()
}

/// Returns the number of pages that the crawl last reported as stored.
fn reported(folder: &Folder) -> u64 {
    let text = std::fs::read(folder.path("out/progress.json")).unwrap_or_default();
    let progress: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    progress["summary"]["stored"].as_u64().unwrap_or(0)
}

/// Every page is in the log once, in the archives once, and where the log says.
fn check(folder: &Folder, pages: u32) {
    let rows = read_log(&folder.path("out/log")).unwrap();
    let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=rows.len() as u64).collect::<Vec<_>>());
    let fetched: Vec<&LogRow> = rows.iter().filter(|row| row.is_page()).collect();
    let mut urls: Vec<&str> = fetched.iter().map(|row| row.final_url.as_str()).collect();
    urls.sort_unstable();
    urls.dedup();
    assert_eq!((urls.len(), fetched.len()), (pages as usize, pages as usize));
    let mut stored: BTreeMap<String, usize> = BTreeMap::new();
    let mut archives: Vec<_> = std::fs::read_dir(folder.path("out/pages"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "gz"))
        .collect();
    archives.sort();
    assert!(archives.len() > 2, "the archives were to be rotated");
    for path in &archives {
        for record in Records::open(path).unwrap() {
            let record = record.unwrap();
            if record.kind() == "response" {
                *stored.entry(record.target().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
    assert_eq!(stored.len(), pages as usize);
    assert!(stored.values().all(|count| *count == 1));
    for row in fetched {
        let place = row.stored.as_ref().unwrap();
        let bytes = std::fs::read(folder.path("out/pages").join(&place.file)).unwrap();
        let start = usize::try_from(place.offset).unwrap();
        let end = start + usize::try_from(place.length).unwrap();
        let plain = flate2::bufread::GzDecoder::new(&bytes[start..end]);
        let reader = Box::new(std::io::BufReader::new(plain));
        let record =
            Records::new(reader, std::path::Path::new(&place.file)).next().unwrap().unwrap();
        assert_eq!(record.target(), Some(row.final_url.as_str()));
    }
    // Each archive has its sorted index, and there are no other files.
    let files = std::fs::read_dir(folder.path("out/pages")).unwrap().count();
    assert_eq!(files, 2 * archives.len());
    for path in &archives {
        let index = path.to_string_lossy().replace(".warc.gz", ".cdxj");
        let text = std::fs::read_to_string(&index).unwrap();
        assert!(text.lines().is_sorted());
        assert!(text.lines().all(|line| line.contains("\"filename\":\"pages-")));
    }
}

#[test]
fn a_crawl_killed_at_any_moment_is_resumed() {
    let server = Server::start("127.0.0.2", site);
    let folder = Folder::new();
    let args = begin(&folder, &server);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (mut random, mut last, mut kills, mut runs) = (7_u64, 0, 0, 0);
    while kills < KILLS {
        let mut child =
            if runs == 0 { folder.spawn(&args) } else { folder.spawn(&["crawl", "resume", "out"]) };
        runs += 1;
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(20 + (random >> 33) % 700));
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none_or(|status| status.success()), "it failed by itself: {ended:?}");
        child.kill().unwrap();
        child.wait().unwrap();
        // Killed before the folder was created: start again.
        if !folder.path("out/run.json").exists() {
            runs = 0;
            let _ = std::fs::remove_dir_all(folder.path("out"));
        }
        kills += usize::from(ended.is_none());
        let now = reported(&folder);
        assert!(now >= last, "{now} pages are reported as stored where {last} were");
        last = now;
        assert!(runs < 3 * KILLS, "the crawl was over before it was killed often enough");
    }
    let ran = folder.run(&["crawl", "resume", "out", "--json"]);
    let summary = ran.json();
    assert!(summary["stored"].as_u64().unwrap() >= last);
    assert_eq!(summary["downloaded"], PAGES);
    assert_eq!(summary["stored"], PAGES);
    assert_eq!(summary["frontier"]["queued"], 0);
    check(&folder, PAGES);
}

#[test]
fn a_stopped_crawl_finishes_the_fetches_it_has_started() {
    let server = Server::start("127.0.0.2", site);
    let folder = Folder::new();
    let mut args = begin(&folder, &server);
    args.push("--json".to_owned());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let child = folder.spawn(&args);
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(20));
        if server.paths().len() > 20 {
            break;
        }
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let stored = summary["stored"].as_u64().unwrap();
    assert!(stored >= 20 && summary["finished"] == false, "{summary}");
    assert_eq!(summary["downloaded"], stored);
    assert_eq!(summary["frontier"]["leased"], 0);
    let status = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert_eq!((&status["state"], &status["end"]), (&"stopped".into(), &"stopped".into()));
    assert_eq!(status["stored"], stored);
    // All files for people are complete.
    assert_eq!(
        read_log(&folder.path("out/log")).unwrap().iter().filter(|row| row.is_page()).count()
            as u64,
        stored
    );
    let resumed = folder.run(&["crawl", "resume", "out", "--json"]).json();
    assert_eq!(
        (resumed["stored"].as_u64(), &resumed["finished"]),
        (Some(PAGES.into()), &true.into())
    );
    check(&folder, PAGES);
    // Nothing is left to fetch, so resuming does nothing.
    let again = folder.run(&["crawl", "resume", "out", "--json"]).json();
    assert_eq!(again["stored"], PAGES);
    check(&folder, PAGES);
}

/// Pages that hardly compress: half a megabyte of digits each.
fn heavy(asked: &Asked) -> Reply {
    let Some(number) = asked.path.strip_prefix("/p").and_then(|it| it.parse::<u64>().ok()) else {
        return Reply::status(404);
    };
    let mut state = number + 1;
    let mut digits = String::with_capacity(1 << 20);
    while digits.len() < 1 << 20 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        digits += &format!("{:016x}", state ^ (state >> 29));
    }
    let links: String = (0..HEAVY_PAGES).map(|to| format!("<a href=/p{to}>{to}</a> ")).collect();
    Reply::html(format!("<title>{number}</title>{links}<!-- {digits} -->"))
}

const HEAVY_PAGES: u64 = 150;

#[test]
fn a_crawl_stops_on_a_full_disk_and_can_be_resumed() {
    let server = Server::start("127.0.0.2", heavy);
    let folder = Folder::new();
    let args = begin(&folder, &server);
    folder.write("s.toml", "[output]\ncommit-seconds = 0.05\n");
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    // No file may be longer than 70 MB, so writing the archive fails as it does on a full disk.
    let (code, errors) = limited_run(&folder, &quoted.join(" "), 70_000);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("everything stored so far is safe"), "{errors}");
    assert!(errors.contains(".warc.gz: reading or writing failed"), "{errors}");
    let status = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert_eq!(status["state"], "stopped");
    let resumed = folder.run(&["crawl", "resume", "out", "--json"]).json();
    assert_eq!(resumed["stored"], HEAVY_PAGES);
    let rows = read_log(&folder.path("out/log")).unwrap();
    assert_eq!(rows.iter().filter(|row| row.is_page()).count() as u64, HEAVY_PAGES);
}

/// Runs `ontrail` with a limit on the size of files. Returns the exit code and standard error.
fn limited_run(folder: &Folder, args: &str, kilobytes: u32) -> (i32, String) {
    let script = format!(
        "trap '' XFSZ; ulimit -f {}; exec '{}' {args}",
        kilobytes,
        ontrail_tests::binary().display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// An offline web in which the order of fetches decides which links are found next.
fn offline_web(folder: &Folder, pages: u32) {
    for number in 0..pages {
        let links: String = (1..8)
            .map(|n| (number * 7 + n * n * 3) % pages)
            .map(|to| {
                let text = if to % 3 == 0 { "rain storm" } else { "shoes" };
                format!("<a href={to}.html>{text} {to}</a> ")
            })
            .collect();
        let words = ["rain storm", "rain shoes", "hats shoes"][number as usize % 3];
        folder.write(&format!("web/{number}.html"), format!("<p>{words} {number} {links}"));
    }
}

/// Returns the fetched URLs in order, with the rules that chose them.
fn order(folder: &Folder, out: &str) -> Vec<(String, Option<Rule>)> {
    let rows = read_log(&folder.path(out).join("log")).unwrap();
    rows.into_iter()
        .filter(|row| row.kind == FetchKind::Page)
        .map(|row| (row.url, row.rule))
        .collect()
}

/// An offline crawl that is killed again and again fetches the same pages in the same order as an
/// undisturbed one, random choices included.
#[test]
fn a_killed_crawl_resumes_with_the_same_decisions() {
    let folder = Folder::new();
    offline_web(&folder, 700);
    folder.write("s.toml", "[output]\ncommit-seconds = 0.01\n");
    let ran = folder.run(&["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for recipe in ["fcits-oh", "gafc", "olmoaco", "fcsa"] {
        let args = |out: &'static str| {
            let begin =
                ["crawl", "run", "--web", "web", "--settings", "s.toml", "--topic", "t.json"];
            let how = ["--seed", "4", "--budget", "400", "-o", out, "http://localhost/0.html"];
            let hubs = ["--set", "strategy.hub-links=3"];
            let set = if recipe == "gafc" { &hubs[..] } else { &[] };
            [&begin[..], &["--recipe", recipe], set, &how].concat()
        };
        let whole = folder.run(&args("whole"));
        assert_eq!(whole.code, 0, "{recipe}: {}", whole.stderr);
        let (mut killed, mut is_over) = (0, false);
        for time in 0..60 {
            let args = if folder.path("killed/run.json").exists() {
                vec!["crawl", "resume", "killed"]
            } else {
                let _ = std::fs::remove_dir_all(folder.path("killed"));
                args("killed")
            };
            let mut child = folder.spawn(&args);
            // A little longer each time, so that it makes progress even if it starts slowly.
            std::thread::sleep(Duration::from_millis(100 + 29 * time));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "{recipe}");
                is_over = true;
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
        }
        assert!(is_over && killed > 1, "{recipe} was killed {killed} times");
        assert_eq!(order(&folder, "killed"), order(&folder, "whole"), "{recipe}");
        std::fs::remove_dir_all(folder.path("killed")).unwrap();
        std::fs::remove_dir_all(folder.path("whole")).unwrap();
    }
}
