//! A crawl that is stopped or runs out of disk space loses no stored page and stores none twice.
//! `kills.rs` kills crawls.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod safe_site;

use std::time::Duration;

use ontrail_crawl::{FetchKind, read_log};
use ontrail_pilot::Rule;
use ontrail_tests::Folder;
use ontrail_tests::web::{Asked, Reply, Server};
use safe_site::{begin, check, site};

const PAGES: u32 = 1_200;

#[test]
fn a_stopped_crawl_finishes_the_fetches_it_has_started() {
    let server = Server::start("127.0.0.2", site(PAGES));
    let folder = Folder::new();
    let mut args = begin(&folder, &server, &[]);
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
    check(&folder, Some(PAGES));
    // Nothing is left to fetch, so resuming does nothing.
    let again = folder.run(&["crawl", "resume", "out", "--json"]).json();
    assert_eq!(again["stored"], PAGES);
    check(&folder, Some(PAGES));
}

/// Kills a crawl after some pages. Its folder must show what it is: an archive that is being
/// written, and no index yet.
fn killed(folder: &Folder, server: &Server) {
    let args = begin(folder, server, &[]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut child = folder.spawn(&args);
    let is_open = || folder.path("out/pages/pages-00000.warc.gz.open").exists();
    for _ in 0..1_000 {
        std::thread::sleep(Duration::from_millis(20));
        if server.paths().len() > 40 && is_open() {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_open() && !folder.path("out/pages/pages-00000.warc.gz").exists());
}

#[test]
fn a_crawl_that_is_still_being_written_can_be_read() {
    let server = Server::start("127.0.0.2", site(300));
    let folder = Folder::new();
    killed(&folder, &server);
    let exported = folder.run(&["crawl", "export", "out", "--all"]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    assert!(exported.stdout.lines().count() > 5, "{}", exported.stdout);
    assert!(exported.stdout.contains("\"warc\":\"pages-00000.warc.gz\""));
    let archive = "out/pages/pages-00000.warc.gz.open";
    let scored = folder.run(&["inspect", archive, &server.url("/p0")]);
    assert_eq!(scored.code, 0, "{}", scored.stderr);
    for command in [&["report", "out"][..], &["explain", "out", &server.url("/p0")]] {
        let ran = folder.run(&[&["crawl"], command].concat());
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
    }
}

#[test]
fn a_lost_state_is_refused_and_repaired() {
    let server = Server::start("127.0.0.2", site(300));
    let folder = Folder::new();
    killed(&folder, &server);
    std::fs::remove_dir_all(folder.path("out/state")).unwrap();
    let resume = ["crawl", "resume", "out", "--json"];
    folder.run(&resume).refused("rebuild it with `ontrail crawl repair out`");
    let repaired = folder.run(&["crawl", "repair", "out"]);
    assert_eq!(repaired.code, 0, "{}", repaired.stderr);
    assert!(repaired.stdout.contains("The state was rebuilt: "), "{}", repaired.stdout);
    // The attempt to resume made a new state.
    assert!(folder.path("out/state.damaged-1").exists());
    let status = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert_eq!(status["state"], "stopped");
    assert!(status["stored"].as_u64().unwrap() > 5, "{status}");
    let resumed = folder.run(&resume).json();
    assert_eq!((&resumed["stored"], &resumed["finished"]), (&300.into(), &true.into()));
    check(&folder, Some(300));
    folder.run(&["crawl", "repair", "absent"]).refused("is not a crawl folder");
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
    let args = begin(&folder, &server, &[]);
    folder.write("s.toml", "[output]\ncommit-seconds = 0.05\n");
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    // No file may be longer than 70 MB, so writing the archive fails as it does on a full disk.
    let (code, errors) = limited_run(&folder, &quoted.join(" "), 70_000);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("everything stored so far is safe"), "{errors}");
    assert!(errors.contains(".warc.gz.open: reading or writing failed"), "{errors}");
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
        for time in 0..60_u64 {
            let args = if folder.path("killed/run.json").exists() {
                vec!["crawl", "resume", "killed"]
            } else {
                let _ = std::fs::remove_dir_all(folder.path("killed"));
                args("killed")
            };
            let mut child = folder.spawn(&args);
            // A little longer each time, so that it makes progress even if it starts slowly.
            std::thread::sleep(Duration::from_millis(100 + 29 * time + time * time));
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
