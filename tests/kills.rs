//! Crawls that are killed (`kill -9`) at random moments and resumed: nothing is lost, and nothing
//! is stored twice.
//!
//! The short form is one of the tests. The long form goes over all recipes until it has killed as
//! often as `ONTRAIL_KILLS` says (1,000 if it is not set), and takes some minutes. With
//! `ONTRAIL_RECIPES=bfs,vsm` it goes over these recipes only, so that several processes can share
//! the work.
//!
//!     ONTRAIL_KILLS=1000 cargo test -p ontrail-tests --test kills -- --ignored --nocapture

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
#![allow(clippy::print_stdout, reason = "the long form shows how far it is")]

mod safe_site;

use std::collections::BTreeSet;
use std::process::Child;
use std::time::{Duration, Instant};

use ontrail_crawl::{FetchKind, Outcome, read_log};
use ontrail_pilot::Recipe;
use ontrail_tests::web::Server;
use ontrail_tests::{Folder, root};
use safe_site::{begin, check, site};

/// The figures of killed crawls.
#[derive(Debug, Default)]
struct Figures {
    crawls: usize,
    kills: usize,
    /// Kills before a crawl had its first commit, after which it begins anew.
    early: usize,
    pages: usize,
    /// Kills between the commit record and the commit of the state: folders of surplus.
    moved_aside: usize,
}

/// A deterministic sequence of random moments.
struct Moments(u64);

impl Moments {
    fn random(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// Waits for the moment to kill a crawl that was just started: one time in four while it
    /// starts, otherwise up to 0.4 s after it has begun to fetch pages.
    fn wait(&mut self, child: &mut Child, server: &Server) {
        if self.random(4) > 0 {
            let (before, started) = (server.paths().len(), Instant::now());
            let is_waiting = || server.paths().len() == before && started.elapsed() < LONGEST_START;
            while is_waiting() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        std::thread::sleep(Duration::from_millis(self.random(400)));
    }
}

/// The time after which a crawl that fetches nothing is killed anyway.
const LONGEST_START: Duration = Duration::from_secs(20);

/// Returns the arguments by which a recipe needs no model but a topic and an ontology, and follows
/// links.
fn arguments(recipe: &str) -> Vec<String> {
    let ontology = root().join("ontologies/things/things.ttl").display().to_string();
    let set: &[&str] = match recipe {
        "fcbcw" => &["--set", "gate.kind=none"],
        "bcw-cc" => &["--set", "gate.kind=none", "--set", "tunnel.kind=none"],
        "sdvsm" => &["--set", "similarity.sdg=false", "--ontology", &ontology],
        "ssrm" => &["--ontology", &ontology],
        "gafc" => &["--set", "strategy.hub-links=1"],
        _ => &[],
    };
    [&["--recipe", recipe], set].concat().into_iter().map(str::to_owned).collect()
}

/// Returns how many pages the crawl has reported as stored.
fn reported(folder: &Folder) -> u64 {
    let text = std::fs::read(folder.path("out/progress.json")).unwrap_or_default();
    let progress: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    progress["summary"]["stored"].as_u64().unwrap_or(0)
}

/// Kills a crawl until it has been killed often enough or ends by itself, lets it end, and checks
/// its folder.
fn kill(recipe: &str, pages: u32, most: usize, moments: &mut Moments, figures: &mut Figures) {
    let server = Server::start("127.0.0.2", site(pages));
    let folder = Folder::new();
    let more = arguments(recipe);
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let args = begin(&folder, &server, &more);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (mut last, mut kills, mut has_begun) = (0, 0, false);
    while kills < most {
        let mut child =
            if has_begun { folder.spawn(&["crawl", "resume", "out"]) } else { folder.spawn(&args) };
        moments.wait(&mut child, &server);
        if child.try_wait().unwrap().is_some() {
            let output = child.wait_with_output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{recipe}: {errors}");
            has_begun = true;
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        has_begun = folder.path("out/run.json").exists();
        if !has_begun {
            figures.early += 1;
            let _ = std::fs::remove_dir_all(folder.path("out"));
        }
        let now = reported(&folder);
        assert!(now >= last, "{recipe}: {now} pages are reported as stored where {last} were");
        last = now;
    }
    let resume = ["crawl", "resume", "out", "--json"];
    let ran = if has_begun { folder.run(&resume) } else { folder.run(&args) };
    assert!(ran.code < 2, "{recipe}: {}", ran.stderr);
    let summary = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert!(summary["stored"].as_u64().unwrap() >= last, "{recipe}: {summary}");
    check(&folder, (recipe == "bfs").then_some(pages));
    check_frontier(&folder, &summary, recipe);
    figures.crawls += 1;
    figures.kills += kills;
    figures.pages += usize::try_from(summary["stored"].as_u64().unwrap()).unwrap();
    figures.moved_aside += std::fs::read_dir(folder.path("out/pages"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().is_dir())
        .count();
}

/// Checks that every link that was ever queued is in the log or still waits.
fn check_frontier(folder: &Folder, summary: &serde_json::Value, recipe: &str) {
    let rows = read_log(&folder.path("out/log")).unwrap();
    let ended = rows.iter().filter(|row| row.kind == FetchKind::Page);
    let ended = ended.filter(|row| row.outcome != Outcome::Looked).map(|row| &row.final_url);
    let ended = ended.collect::<BTreeSet<_>>().len() as u64;
    let count = |name: &str| summary["frontier"][name].as_u64().unwrap();
    assert_eq!(count("leased"), 0, "{recipe}");
    assert_eq!(count("known"), ended + count("queued"), "{recipe}: {summary}");
}

/// Kills crawls of these recipes, one after the other and again, until there were this many kills.
fn kill_all(recipes: &[&str], pages: u32, each: usize, kills: usize) -> Figures {
    let (mut figures, mut moments, started) = (Figures::default(), Moments(7), Instant::now());
    for recipe in recipes.iter().cycle() {
        let left = kills.saturating_sub(figures.kills);
        if left == 0 {
            break;
        }
        kill(recipe, pages, each.min(left), &mut moments, &mut figures);
        println!("{recipe}: {figures:?} after {:.0} s", started.elapsed().as_secs_f64());
        assert!(figures.crawls < 10 * kills, "the crawls end before they are killed");
    }
    figures
}

#[test]
fn killed_at_any_moment_a_crawl_goes_on() {
    let figures = kill_all(&["bfs", "ontrail", "fcits-oh", "olmoaco"], 160, 10, 40);
    assert_eq!(figures.kills, 40);
}

#[test]
#[ignore = "takes minutes; see the head of this file"]
fn killed_a_thousand_times_over_all_recipes_crawls_go_on() {
    let kills = std::env::var("ONTRAIL_KILLS").map_or(1_000, |kills| kills.parse().unwrap());
    let wanted = std::env::var("ONTRAIL_RECIPES").ok();
    let is_wanted =
        |name: &&str| wanted.as_ref().is_none_or(|it| it.split(',').any(|it| it == *name));
    let names: Vec<&str> = Recipe::names().filter(is_wanted).collect();
    assert!(!names.is_empty(), "ONTRAIL_RECIPES names no recipe: {wanted:?}");
    let figures = kill_all(&names, 600, 50, kills);
    assert_eq!(figures.kills, kills);
    assert!(figures.crawls >= names.len() || kills < 1_000, "{figures:?}");
}
