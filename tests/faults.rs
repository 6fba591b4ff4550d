//! The crawler in the fault laboratory: one fault at a time, and the promises that it keeps.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_tests::Folder;
use ontrail_tests::invariants::{
    archived, ended_and_said_why, every_page_is_stored_once, hosts_had_their_delay,
    machines_had_their_delay, nothing_archived_is_gone, nothing_forbidden_was_asked, outcomes,
};
use ontrail_tests::laboratory::{Laboratory, Trouble, Visit};
use ontrail_tests::scenarios::{
    at_first, at_path, bomb, busy, calendar, endless_body, exploding_sitemaps, half_a_response,
    header_flood, long_body, redirect_maze, short_body, site, sitemap_of_entities, slow_drip,
    with_changing_robots, with_robots,
};
use ontrail_tests::web::Reply;

/// Settings with short time limits and small bodies.
const IMPATIENT: &str = "[fetch]\nhead-timeout = 1.0\nidle-timeout = 1.0\ntotal-timeout = 2.0\n\
                         body-limit = 200000\nredirects = 3\n";

/// Checks what every crawl promises. Returns the reason why it ended.
fn promises(folder: &Folder) -> String {
    every_page_is_stored_once(&folder.path("out"));
    ended_and_said_why(folder, "out")
}

/// Crawls a site of six pages, of which `/2` misbehaves, beside a site without faults. Returns the
/// outcome of the bad page.
fn outcome_of(fault: Reply) -> String {
    let mut lab = Laboratory::new();
    let bad = lab.host(at_path("/2", fault, site(5)));
    let good = lab.host(site(3));
    let folder = Folder::new();
    folder.write("s.toml", IMPATIENT);
    let summary = lab.crawl(&folder, &[bad.clone(), good], &["--settings", "s.toml"]);
    let outcome = outcomes(&folder.path("out"), &format!("{bad}2"));
    let pages = if outcome == "page" { 10 } else { 9 };
    assert_eq!(summary["downloaded"], pages, "{outcome}: {summary}");
    assert_eq!(promises(&folder), "nothing-left");
    outcome
}

#[test]
fn a_failing_page_costs_only_itself() {
    for (fault, expected) in [
        (Reply::status(500), "http-500"),
        (short_body(), "broken"),
        (long_body(), "page"),
        (header_flood(), "broken"),
        (endless_body(), "page"),
        (slow_drip(), "timeout"),
    ] {
        assert_eq!(outcome_of(fault.clone()), expected, "{fault:?}");
    }
}

#[test]
fn bombs_in_every_coding_are_cut() {
    for coding in ["gzip", "br", "zstd"] {
        let fault = bomb(coding, 128);
        let Reply::Http(_, _, packed) = &fault else { panic!("a bomb is a response") };
        assert!(packed.len() < 200_000, "{coding}: {}", packed.len());
        assert_eq!(outcome_of(fault), "page", "{coding}");
    }
}

#[test]
fn a_host_that_is_down_does_not_stop_the_others() {
    let mut lab = Laboratory::new();
    let (down, _switch) = lab.down_host(site(3));
    let good = lab.host(site(5));
    let folder = Folder::new();
    let seeds = [down.clone(), good];
    let summary = lab.crawl(&folder, &seeds, &["--max-time", "5"]);
    assert_eq!(summary["downloaded"], 6);
    assert!(outcomes(&folder.path("out"), &down).starts_with("connect"), "{summary}");
    let _reason = promises(&folder);
}

#[test]
fn connections_that_are_reset_are_tried_again() {
    let mut lab = Laboratory::new();
    let troubles = vec![Trouble::Reset, Trouble::ResetAfter(half_a_response())];
    let url = lab.unsteady_host(troubles, site(3));
    let folder = Folder::new();
    let summary = lab.crawl(&folder, &[url], &["--retries", "3", "--max-time", "60"]);
    assert_eq!(summary["downloaded"], 4, "{summary}");
    assert_eq!(promises(&folder), "nothing-left");
}

#[test]
fn a_busy_host_is_left_alone_for_as_long_as_it_asks() {
    let mut lab = Laboratory::new();
    let url = lab.host(at_first(1, busy(429, "1"), site(3)));
    let folder = Folder::new();
    let more = ["--retries", "1", "--delay", "0.1"];
    assert_eq!(lab.crawl(&folder, std::slice::from_ref(&url), &more)["downloaded"], 4);
    assert_eq!(promises(&folder), "nothing-left");
    let visits = lab.visits_to(&url);
    hosts_had_their_delay(&visits, 0.1);
    // robots.txt, the refusal, and then a second of silence.
    assert!((visits[2].start - visits[1].end).as_secs_f64() > 0.98);
}

#[test]
fn redirects_without_end_are_given_up() {
    let mut lab = Laboratory::new();
    let (maze, good) = (lab.host(redirect_maze()), lab.host(site(2)));
    let folder = Folder::new();
    folder.write("s.toml", IMPATIENT);
    let seeds = [format!("{maze}loop"), format!("{maze}chain"), good];
    let summary = lab.crawl(&folder, &seeds, &["--settings", "s.toml"]);
    assert_eq!(summary["downloaded"], 3);
    assert_eq!(promises(&folder), "nothing-left");
    assert!(lab.visits_to(&maze).len() < 10, "{:?}", lab.visits_to(&maze));
}

#[test]
fn a_calendar_takes_no_more_than_the_budget() {
    let mut lab = Laboratory::new();
    let (endless, good) = (lab.host(calendar()), lab.host(site(5)));
    let folder = Folder::new();
    // With a delay, both hosts are asked equally often.
    let more = ["--budget", "60", "--delay", "0.05"];
    let summary = lab.crawl(&folder, &[endless, good.clone()], &more);
    assert_eq!(summary["downloaded"], 60);
    assert_eq!(promises(&folder), "budget");
    assert_eq!(lab.visits_to(&good).len(), 7, "the other host was crawled whole");
}

#[test]
fn sitemaps_that_list_sitemaps_without_end_do_not_stop_other_hosts() {
    let mut lab = Laboratory::new();
    let (endless, good) = (lab.host(exploding_sitemaps(site(5))), lab.host(site(5)));
    let folder = Folder::new();
    let more = ["--sitemaps", "--delay", "0.05", "--max-time", "4"];
    let _summary = lab.crawl(&folder, &[endless.clone(), good.clone()], &more);
    assert_eq!(promises(&folder), "time");
    assert_eq!(lab.visits_to(&good).len(), 7, "the other host was crawled whole");
    hosts_had_their_delay(&lab.visits(), 0.05);
}

/// One recipe takes its links from the queue, the other from a graph of the web.
#[test]
fn the_pages_of_a_host_do_not_wait_for_all_of_its_sitemaps() {
    for recipe in ["bfs", "hits"] {
        let mut lab = Laboratory::new();
        let url = lab.host(exploding_sitemaps(site(30)));
        let folder = Folder::new();
        folder.write("s.toml", "[caps]\nsitemaps-per-host = 25\n");
        let more = ["--sitemaps", "--settings", "s.toml", "--recipe", recipe, "--per-host", "1"];
        let summary = lab.crawl(&folder, std::slice::from_ref(&url), &more);
        assert_eq!((&summary["downloaded"], &summary["sitemaps"]), (&31.into(), &25.into()));
        assert!(summary["refused"]["sitemaps-full"].as_u64().unwrap() > 900, "{summary}");
        assert_eq!(promises(&folder), "nothing-left");
        let visits = lab.visits_to(&url);
        let is_map = |visit: &&Visit| visit.path.starts_with("/map-");
        let last_page = visits.iter().rposition(|visit| visit.path == "/30").unwrap();
        let before = visits[..last_page].iter().filter(is_map).count();
        assert_eq!(before, 10, "{recipe}: sitemaps before the last page");
    }
}

#[test]
fn entities_of_a_sitemap_are_not_expanded() {
    let mut lab = Laboratory::new();
    let url = lab.host(sitemap_of_entities(at_path("/", Reply::html("no links"), site(1))));
    let folder = Folder::new();
    assert_eq!(lab.crawl(&folder, &[url], &["--sitemaps"])["downloaded"], 2);
    assert_eq!(promises(&folder), "nothing-left");
}

#[test]
fn broken_tls_is_an_error_and_not_the_end() {
    let mut lab = Laboratory::new();
    let (broken, good) = (lab.host_with_broken_tls(), lab.host(site(2)));
    let folder = Folder::new();
    let summary = lab.crawl(&folder, &[broken.clone(), good], &["--max-time", "5"]);
    assert_eq!(summary["downloaded"], 3);
    assert!(outcomes(&folder.path("out"), &broken).starts_with("tls"), "{summary}");
    let _reason = promises(&folder);
}

#[test]
fn what_robots_txt_forbids_is_never_asked_for() {
    let mut lab = Laboratory::new();
    let rules = "User-agent: *\nDisallow: /2\nDisallow: /4\n";
    let url = lab.host(with_robots(rules, site(5)));
    let folder = Folder::new();
    assert_eq!(lab.crawl(&folder, &[url], &["--delay", "0.1"])["downloaded"], 4);
    assert_eq!(promises(&folder), "nothing-left");
    nothing_forbidden_was_asked(&lab.visits(), |visit| ["/2", "/4"].contains(&&*visit.path));
    hosts_had_their_delay(&lab.visits(), 0.1);
}

/// The robots.txt forbids more when it is asked for again, as a crawl must do once its copy is too
/// old, also if it was resumed meanwhile.
#[test]
fn a_robots_txt_that_changes_is_obeyed() {
    let rules = |text: &str| Reply::typed("text/plain", text);
    let (lax, strict) =
        (rules("User-agent: *\nDisallow: /9\n"), rules("User-agent: *\nDisallow: /\n"));
    for is_resumed in [false, true] {
        let mut lab = Laboratory::new();
        let url = lab.host(with_changing_robots(lax.clone(), strict.clone(), site(40)));
        let folder = Folder::new();
        folder.write("s.toml", "[politeness]\nrobots-max-age = 2.0\n");
        let budget = if is_resumed { "5" } else { "100" };
        let more = ["--settings", "s.toml", "--delay", "0.1", "--budget", budget];
        let summary = lab.crawl(&folder, std::slice::from_ref(&url), &more);
        if is_resumed {
            assert_eq!(summary["downloaded"], 5);
            let resumed = folder.run(&["crawl", "resume", "out", "--budget", "100", "--json"]);
            assert!(resumed.json()["downloaded"].as_u64().unwrap() >= 5);
        }
        assert_eq!(promises(&folder), "nothing-left");
        let visits = lab.visits_to(&url);
        let asked: Vec<usize> =
            (0..visits.len()).filter(|&at| visits[at].path == "/robots.txt").collect();
        let [first, second] = asked[..] else { panic!("asked for robots.txt at {asked:?}") };
        assert!(first == 0 && second > 5 && second < 40, "{asked:?}");
        assert_eq!(second + 1, visits.len(), "a page was requested though it is forbidden");
        nothing_forbidden_was_asked(&visits, |visit| visit.path == "/9");
        let status = folder.run(&["crawl", "status", "out", "--json"]).json();
        assert_eq!(status["refused"]["robots"], 41 - (second - 1), "{status}");
    }
}

#[test]
fn rules_that_are_too_old_stay_in_use_while_the_server_fails() {
    let mut lab = Laboratory::new();
    let rules = Reply::typed("text/plain", "User-agent: *\nDisallow: /9\n");
    let url = lab.host(with_changing_robots(rules, Reply::status(503), site(30)));
    let folder = Folder::new();
    folder.write("s.toml", "[politeness]\nrobots-max-age = 1.0\n");
    let more = ["--settings", "s.toml", "--delay", "0.1", "--retries", "1"];
    let summary = lab.crawl(&folder, std::slice::from_ref(&url), &more);
    assert_eq!(summary["downloaded"], 30, "{summary}");
    assert_eq!(promises(&folder), "nothing-left");
    let visits = lab.visits_to(&url);
    nothing_forbidden_was_asked(&visits, |visit| visit.path == "/9");
    let asked = visits.iter().filter(|visit| visit.path == "/robots.txt").count();
    assert_eq!(asked, 2, "the old rules are used for another hour");
}

#[test]
fn many_names_of_one_machine_share_its_delay() {
    let mut lab = Laboratory::new();
    let names: Vec<String> = (0..100).map(|number| format!("host-{number}.test")).collect();
    let seeds = lab.names(&names, site(1));
    let folder = Folder::new();
    let more = ["--address-delay", "0.2", "--budget", "10"];
    assert_eq!(lab.crawl(&folder, &seeds, &more)["downloaded"], 10);
    assert_eq!(promises(&folder), "budget");
    machines_had_their_delay(&lab.visits(), 0.2);
}

/// Names enough that a crawler that looks at each of them at every step has no time for pages.
#[test]
fn five_thousand_names_of_one_machine_share_its_delay() {
    let mut lab = Laboratory::new();
    let names: Vec<String> = (0..5_000).map(|number| format!("host-{number}.test")).collect();
    let seeds = lab.names(&names, site(1));
    let folder = Folder::new();
    folder.write("seeds.txt", seeds.join("\n"));
    let more = ["--seeds", "seeds.txt", "--address-delay", "0.2", "--budget", "10"];
    assert_eq!(lab.crawl(&folder, &[], &more)["downloaded"], 10);
    assert_eq!(promises(&folder), "budget");
    machines_had_their_delay(&lab.visits(), 0.2);
}

#[test]
fn a_resumed_crawl_keeps_what_it_had() {
    let mut lab = Laboratory::new();
    let seeds = [lab.host(site(20)), lab.host(at_path("/3", short_body(), site(20)))];
    let folder = Folder::new();
    assert_eq!(lab.crawl(&folder, &seeds, &["--budget", "15"])["downloaded"], 15);
    assert_eq!(promises(&folder), "budget");
    let before = archived(&folder.path("out"));
    assert_eq!(before.len(), 15);
    let resumed = folder.run(&["crawl", "resume", "out", "--budget", "100", "--json"]);
    assert_eq!(resumed.json()["downloaded"], 41);
    nothing_archived_is_gone(&folder.path("out"), &before);
    assert_eq!(promises(&folder), "nothing-left");
}
