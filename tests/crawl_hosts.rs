//! Hosts and machines that are down, slow or many: what a crawl asks of them, and when.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::{Duration, Instant};

use ontrail_crawl::{LogRow, Outcome, read_log};
use ontrail_tests::Folder;
use ontrail_tests::invariants::starts_are_apart;
use ontrail_tests::web::{Asked, Reply, Server};
use serde_json::Value;

fn crawl(folder: &Folder, seeds: &[String], more: &[&str]) -> Value {
    let mut args = vec!["crawl", "run", "--contact", "test@example.org", "-o", "out", "--json"];
    args.extend(["--allow-private", "127.0.0.0/8"]);
    args.extend(more);
    args.extend(seeds.iter().map(String::as_str));
    folder.run(&args).json()
}

fn log(folder: &Folder) -> Vec<LogRow> {
    read_log(&folder.path("out/log")).unwrap()
}

/// Returns a page with links to `/0`, `/1` and so on.
fn list(pages: usize) -> Reply {
    let anchors: String = (0..pages).map(|page| format!("<a href='/{page}'>{page}</a> ")).collect();
    Reply::html(format!("<title>list</title><p>{anchors}"))
}

fn page(asked: &Asked) -> Reply {
    let (host, path) = (asked.header("host"), &asked.path);
    Reply::html(format!("<title>{path}</title><p>This is page {path} of {host}"))
}

/// Returns the gaps between the starts of requests, in seconds.
fn gaps(asked: &[Asked]) -> Vec<f64> {
    let mut starts: Vec<Instant> = asked.iter().map(|it| it.start).collect();
    starts.sort();
    starts.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect()
}

#[test]
fn a_host_that_is_down_for_a_while_loses_no_page() {
    let begin = Instant::now();
    let server = Server::start("127.0.0.2", move |asked| match asked.path.as_str() {
        _ if begin.elapsed() < Duration::from_secs(3) => Reply::Raw(Vec::new()),
        "/robots.txt" => Reply::status(404),
        "/" => list(40),
        _ => page(asked),
    });
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/")], &["--delay", "0", "--address-delay", "0"]);
    assert_eq!(summary["downloaded"], 41);
    assert_eq!(summary["errors"], serde_json::json!({}));
}

#[test]
fn one_page_that_fails_does_not_hold_up_its_host() {
    let server = Server::start("127.0.0.2", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => list(10),
        "/0" => Reply::status(500),
        _ => page(asked),
    });
    let folder = Folder::new();
    let flags = ["--delay", "0", "--address-delay", "0", "--retries", "1", "--end-wait", "0"];
    let summary = crawl(&folder, &[server.url("/")], &flags);
    // The failed page waits for its retry when the others are done.
    assert_eq!(
        (&summary["downloaded"], &summary["frontier"]["postponed"]),
        (&10.into(), &1.into())
    );
    assert_eq!(summary["finished"], true);
    let status = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert_eq!(status["end"], "unreachable");
}

#[test]
fn failed_links_are_tried_again_on_request() {
    let folder = Folder::new();
    let begin = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let is_down = std::sync::Arc::clone(&begin);
    let server = Server::start("127.0.0.2", move |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => list(3),
        "/1" if is_down.load(std::sync::atomic::Ordering::SeqCst) => Reply::status(502),
        _ => page(asked),
    });
    let flags = ["--delay", "0", "--address-delay", "0", "--retries", "0"];
    let summary = crawl(&folder, &[server.url("/")], &flags);
    assert_eq!(summary["downloaded"], 3);
    begin.store(false, std::sync::atomic::Ordering::SeqCst);
    let again = folder.run(&["crawl", "resume", "out", "--retry-failed", "--json"]).json();
    assert_eq!(again["downloaded"], 4);
    let rows = log(&folder);
    let of_page = |row: &&LogRow| row.final_url == server.url("/1");
    let outcomes: Vec<Outcome> = rows.iter().filter(of_page).map(|row| row.outcome).collect();
    assert_eq!(outcomes, [Outcome::Http(502), Outcome::Page]);
}

#[test]
fn redirects_of_robots_txt_keep_the_delay_of_the_host_they_lead_to() {
    let victim = Server::start("127.0.0.9", |_| Reply::typed("text/plain", "User-agent: *\n"));
    let to = victim.url("");
    let redirecting = |ip: String| {
        let to = to.clone();
        Server::start(&ip, move |asked| match asked.path.as_str() {
            "/robots.txt" => Reply::to(&format!("{to}/rules-of-{}", asked.header("host"))),
            _ => page(asked),
        })
    };
    let servers: Vec<Server> = (10..18).map(|n| redirecting(format!("127.0.0.{n}"))).collect();
    let seeds: Vec<String> = servers.iter().map(|server| server.url("/")).collect();
    let folder = Folder::new();
    let summary = crawl(&folder, &seeds, &["--delay", "0.2", "--address-delay", "0"]);
    assert_eq!(summary["downloaded"], 8);
    assert_eq!(victim.asked().len(), 8);
    assert!(gaps(&victim.asked()).iter().all(|gap| *gap >= 0.19), "{:?}", gaps(&victim.asked()));
}

#[test]
fn sites_that_redirect_to_one_robots_txt_share_its_request() {
    let victim = Server::start("127.0.0.9", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::typed("text/plain", "User-agent: *\nDisallow: /private"),
        _ => page(asked),
    });
    let to = victim.url("/robots.txt");
    let redirecting = |ip: String| {
        let to = to.clone();
        Server::start(&ip, move |asked| match asked.path.as_str() {
            "/robots.txt" => Reply::to(&to),
            "/" => Reply::html(format!(
                "<p>{} <a href=/private>private</a> <a href=/public>public</a>",
                asked.header("host")
            )),
            _ => page(asked),
        })
    };
    let servers: Vec<Server> = (10..15).map(|n| redirecting(format!("127.0.0.{n}"))).collect();
    let seeds: Vec<String> = servers.iter().map(|server| server.url("/")).collect();
    let folder = Folder::new();
    let summary = crawl(&folder, &seeds, &["--delay", "0", "--address-delay", "0"]);
    assert_eq!(summary["downloaded"], 10);
    assert!(servers.iter().all(|server| !server.paths().contains(&"/private".to_owned())));
    assert_eq!(victim.asked().len(), 1);
}

#[test]
fn robots_txt_is_requested_once_whatever_the_number_of_connections() {
    let server = Server::start("127.0.0.2", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        _ => page(asked),
    });
    let seeds: Vec<String> = (0..20).map(|page| server.url(&format!("/{page}"))).collect();
    let folder = Folder::new();
    let flags = ["--delay", "0", "--address-delay", "0", "--per-host", "8"];
    let summary = crawl(&folder, &seeds, &flags);
    assert_eq!(summary["downloaded"], 20);
    let asked = server.asked().iter().filter(|asked| asked.path == "/robots.txt").count();
    assert_eq!(asked, 1);
}

#[test]
fn a_server_error_on_robots_txt_makes_its_host_wait_instead_of_refusing_its_links() {
    let begin = Instant::now();
    let server = Server::start("127.0.0.2", move |asked| match asked.path.as_str() {
        "/robots.txt" if begin.elapsed() < Duration::from_secs(3) => Reply::status(503),
        "/robots.txt" => Reply::typed("text/plain", "User-agent: *\nDisallow: /1"),
        "/" => list(3),
        _ => page(asked),
    });
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/")], &["--delay", "0", "--address-delay", "0"]);
    assert_eq!(summary["downloaded"], 3);
    assert!(!server.paths().contains(&"/1".to_owned()));
}

#[test]
fn hosts_of_one_machine_share_one_delay() {
    let server = Server::start("127.0.0.2", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        _ => page(asked),
    });
    let port = server.url("").rsplit(':').next().unwrap().to_owned();
    let hosts: Vec<String> = (0..10).map(|host| format!("h{host}.test")).collect();
    let fixed: Vec<String> = hosts.iter().map(|host| format!("{host}=127.0.0.2")).collect();
    let seeds: Vec<String> = hosts.iter().map(|host| format!("http://{host}:{port}/")).collect();
    let mut flags = vec!["--delay", "0", "--address-delay", "0.2"];
    fixed.iter().for_each(|pair| flags.extend(["--resolve", pair]));
    let folder = Folder::new();
    let summary = crawl(&folder, &seeds, &flags);
    assert_eq!(summary["downloaded"], 10);
    let mut starts: Vec<_> = server.asked().iter().map(|asked| asked.start).collect();
    starts.sort();
    assert_eq!(starts.len(), 20);
    starts_are_apart(&starts, 0.2);
}

#[test]
fn too_many_requests_slow_the_host_down_and_lose_no_page() {
    let refusals = std::sync::atomic::AtomicU32::new(0);
    let server = Server::start("127.0.0.2", move |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => list(4),
        _ if refusals.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2 => Reply::status(429),
        _ => page(asked),
    });
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/")], &["--delay", "0", "--address-delay", "0"]);
    assert_eq!(summary["downloaded"], 5);
    let asked = server.asked();
    let refused = asked.iter().position(|it| it.path == "/0").unwrap();
    assert!(asked[refused + 1].start - asked[refused].start >= Duration::from_millis(900));
}

#[test]
fn the_last_page_of_a_budget_does_not_wait_for_a_slow_host() {
    let slow = Server::start("127.0.0.3", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        _ => Reply::Drip(b"HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n".into(), SLOW),
    });
    let fast = Server::start("127.0.0.2", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => list(50),
        _ => page(asked),
    });
    let folder = Folder::new();
    let flags = ["--delay", "0", "--address-delay", "0", "--budget", "10"];
    let summary = crawl(&folder, &[slow.url("/"), fast.url("/")], &flags);
    assert_eq!(summary["downloaded"], 10);
    let is_slow = |row: &LogRow| row.final_url == slow.url("/") && row.outcome == Outcome::Page;
    assert!(!log(&folder).iter().any(is_slow));
}

const SLOW: Duration = Duration::from_secs(1);

#[test]
fn a_flood_of_links_on_one_host_leaves_room_for_others() {
    let flood = Server::start("127.0.0.2", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        path => {
            let links: String = ('a'..='z')
                .flat_map(|a| ('a'..='d').map(move |b| format!("{a}{b}")))
                .map(|name| format!("<a href='{}/{name}'>x</a>", path.trim_end_matches('/')))
                .collect();
            Reply::html(format!("<p>{path}{links}"))
        }
    });
    let other = Server::start("127.0.0.3", |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => list(20),
        _ => page(asked),
    });
    let folder = Folder::new();
    let flags = ["--delay", "0", "--address-delay", "0", "--budget", "150", "--recipe", "bfs"];
    let flags = [&flags[..], &["--queued-links", "200"]].concat();
    crawl(&folder, &[flood.url("/"), other.url("/")], &flags);
    assert_eq!(other.asked().len(), 22, "robots.txt, the list and its pages");
}
