//! Crawls that several workers share over a real Redis server, of hosts that log who asked them.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use ontrail_archive::record_at;
use ontrail_crawl::{LogRow, Stored, read_links, read_log};
use ontrail_pilot::Score;
use ontrail_tests::redis::{Redis, is_installed};
use ontrail_tests::{Folder, binary, root};

/// The delay between two requests to one host, in seconds.
const DELAY: &str = "0.1";
/// The time that a crawl may take.
const PATIENCE: Duration = Duration::from_mins(4);

/// A woven web on loopback addresses, served until it is dropped.
struct Hosts {
    folder: Folder,
    /// The options of the recipe.
    recipe: Vec<&'static str>,
    server: Child,
}

impl Hosts {
    fn serve(pages: u32) -> Self {
        let hosts = (pages / 25).clamp(16, 60);
        let folder = Folder::new();
        let (pages, from) = (pages.to_string(), root().join("datasets/news-mini"));
        let weave = ["lab", "weave", "--from", &from.to_string_lossy(), "--pages", &pages];
        let more = ["--hosts", &hosts.to_string(), "--seed", "5", "-o", "web"];
        let woven = folder.run(&[&weave[..], &more].concat());
        assert_eq!(woven.code, 0, "{}", woven.stderr);
        let serve = ["lab", "serve", "web", "--for", "600", "--latency", "10"];
        let more = ["--access-log", "access.tsv", "-o", "served", "--json"];
        let mut server = folder.spawn(&[&serve[..], &more].concat());
        // The server prints its hosts as soon as it listens.
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with('{'), "{line}");
        Self { folder, recipe: vec!["--recipe", "bfs"], server }
    }

    /// Lets crawls run by a recipe that needs a topic.
    fn by(mut self, recipe: &'static str) -> Self {
        let ontology = root().join("ontologies/rainstorm/rainstorm.ttl");
        let weigh = ["topic", "weigh", "-q", &ontology.to_string_lossy(), "-o", "topic.json"];
        assert_eq!(self.folder.run(&weigh).code, 0);
        self.recipe = vec!["--recipe", recipe, "--topic", "topic.json"];
        self
    }

    /// Starts the first worker.
    fn begin(&self, server: &str, out: &str) -> Child {
        self.begin_with(server, out, DELAY, "100000")
    }

    /// Starts the first worker, with a crawl delay and a budget.
    fn begin_with(&self, server: &str, out: &str, delay: &str, budget: &str) -> Child {
        let run = "crawl run -q --name web --lease 2 --partitions 16 --timeout 1 \
                   --contact me@example.org --allow-private 127.0.0.0/8 --address-delay 0 \
                   --max-depth 1000 --seeds served/seeds.txt --min-free 1";
        let mut args: Vec<&str> = run.split_whitespace().collect();
        args.extend(&self.recipe);
        args.extend(["--delay", delay, "--budget", budget, "--frontier", server, "-o", out]);
        self.folder.spawn(&args)
    }

    /// Starts another worker.
    fn join(&self, server: &str, out: &str) -> Child {
        self.folder.spawn(&["crawl", "join", "-q", server, "web", "-o", out])
    }

    /// Waits until others can join.
    fn wait_for_crawl(&self, server: &str) {
        let started = Instant::now();
        let list = ["crawl", "shared", "list", server];
        while !self.folder.run(&list).stdout.contains("web") {
            assert!(started.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the number of requests so far.
    fn requests(&self) -> usize {
        fs::read_to_string(self.folder.path("access.tsv")).unwrap_or_default().lines().count()
    }

    /// Returns the number of times that each page is in the logs of these workers. A page that
    /// redirects lead to counts by its own URL, since the order of links decides which came first.
    fn pages(&self, workers: &[&str]) -> BTreeMap<String, usize> {
        let mut pages = BTreeMap::new();
        for worker in workers {
            let log = self.folder.path(worker).join("log");
            let rows = if log.is_dir() { read_log(&log).unwrap() } else { Vec::new() };
            for row in rows.into_iter().filter(LogRow::is_page) {
                *pages.entry(row.final_url).or_default() += 1;
            }
        }
        pages
    }

    /// Returns what the logs of workers say about URLs.
    fn rows_about(&self, workers: &[&str], urls: &[&String]) -> Vec<String> {
        let mut found = Vec::new();
        for url in urls {
            found.push((*url).clone());
            for worker in workers {
                let rows = read_log(&self.folder.path(worker).join("log")).unwrap();
                let rows = rows.into_iter().filter(|row| row.final_url == **url);
                found.extend(rows.map(|row| format!("{worker}: {} {:?}", row.outcome, row.detail)));
            }
        }
        found
    }

    /// Merges the folders of workers, and checks that the result has each of these pages once and
    /// that each stored page can be read.
    fn assert_merges(&self, workers: &[&str], pages: &BTreeSet<String>) {
        let merge = [&["crawl", "merge"], workers, &["-o", "merged", "--json"]].concat();
        let merged = self.folder.run(&merge).json();
        let log = read_log(&self.folder.path("merged/log")).unwrap();
        assert!(log.iter().zip(1..).all(|(row, number)| row.number == number));
        let urls: Vec<String> =
            log.iter().filter(|row| row.is_page()).map(|row| row.final_url.clone()).collect();
        assert_eq!(urls.len(), pages.len(), "{merged}");
        assert_eq!(&urls.into_iter().collect::<BTreeSet<_>>(), pages);
        let fetched: usize = self.pages(workers).values().sum();
        let left_out = usize::try_from(merged["left_out"].as_u64().unwrap()).unwrap();
        assert!(left_out >= fetched - pages.len(), "{merged}, {fetched} fetched");
        assert_eq!(
            (&merged["downloaded"], &merged["stored"]),
            (&pages.len().into(), &pages.len().into())
        );

        // Each place in the log leads to the page of its row, and each link to the page that has
        // it.
        let by_number: BTreeMap<u64, &LogRow> = log.iter().map(|row| (row.number, row)).collect();
        for row in log.iter().filter(|row| row.stored.is_some()) {
            let Stored { file, offset, .. } = row.stored.as_ref().unwrap();
            let record = record_at(&self.folder.path("merged/pages").join(file), *offset).unwrap();
            assert_eq!(record.target(), Some(row.final_url.as_str()));
        }
        let links = read_links(&self.folder.path("merged/links")).unwrap();
        let mut counted: BTreeMap<u64, u32> = BTreeMap::new();
        for link in &links {
            *counted.entry(link.page).or_default() += 1;
        }
        assert!(counted.len() > pages.len() / 2, "{} pages have links", counted.len());
        for (page, links) in counted {
            let row = by_number[&page];
            assert!(row.is_page() && row.links >= links, "{}: {links} links", row.url);
        }
        let export = ["crawl", "export", "merged", "--all", "-o", "all.jsonl", "--json"];
        let exported = self.folder.run(&export).json();
        let copies = log.iter().filter(|row| row.duplicate_of.is_some()).count();
        assert_eq!(exported["pages"], pages.len() - copies);
        self.folder
            .run(&["crawl", "resume", "merged"])
            .refused("holds the pages of several workers");
        assert_eq!(self.folder.run(&["crawl", "report", "merged"]).code, 0);
    }

    /// Returns the pages that one crawler alone finds.
    fn reachable(&self) -> BTreeSet<String> {
        let run = "crawl run -q --recipe bfs --contact me@example.org --allow-private 127.0.0.0/8 \
                   --address-delay 0 --delay 0 --budget 100000 --max-depth 1000 --min-free 1 \
                   --seeds served/seeds.txt -o alone";
        let ran = self.folder.run(&run.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        self.pages(&["alone"]).into_keys().collect()
    }

    /// Checks that no host was asked before its delay was over, and never by two at a time.
    fn assert_polite(&self) {
        let log = fs::read_to_string(self.folder.path("access.tsv")).unwrap();
        let mut by_host: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for line in log.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let times = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
            by_host.entry(cells[2]).or_default().push(times);
        }
        assert!(by_host.len() > 10, "{} hosts", by_host.len());
        // Crawls count whole milliseconds, and the server notes the end of an answer after it was
        // sent.
        let least = DELAY.parse::<f64>().unwrap() * 1_000.0 - 5.0;
        for (host, mut requests) in by_host {
            requests.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in requests.windows(2) {
                let gap = pair[1].0 - pair[0].1;
                assert!(gap >= least, "{host}: {gap} ms after {:?}", pair[0]);
            }
        }
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Waits for the end of a worker.
fn finish(worker: Child) -> String {
    let output = worker.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{:?}: {text}", output.status);
    text
}

/// Lets workers crawl to the end, and checks the result.
fn crawl_together(hosts: &Hosts, url: &str, workers: &[&str]) {
    let mut running = vec![hosts.begin(url, workers[0])];
    hosts.wait_for_crawl(url);
    running.extend(workers[1..].iter().map(|out| hosts.join(url, out)));
    running.into_iter().for_each(|worker| _ = finish(worker));
    hosts.assert_polite();
    let pages = hosts.pages(workers);
    let twice: Vec<_> = pages.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let reachable = hosts.reachable();
    let found: BTreeSet<String> = pages.into_keys().collect();
    let differing: Vec<_> = found.symmetric_difference(&reachable).collect();
    assert!(differing.is_empty() && found.len() > 300, "{differing:?} of {}", found.len());
    hosts.assert_merges(workers, &reachable);
    let busy = workers.iter().filter(|worker| !hosts.pages(&[worker]).is_empty());
    assert!(busy.count() > 1, "one worker did everything");
}

#[test]
fn four_workers_fetch_each_page_once() {
    if !is_installed() {
        return;
    }
    let server = Redis::start(&[]);
    let hosts = Hosts::serve(400);
    crawl_together(&hosts, &server.url(), &["a", "b", "c", "d"]);
    let folder = Folder::new();
    let (url, name) = (server.url(), "web");
    let status = folder.run(&["crawl", "shared", "status", &url, name, "--json"]).json();
    assert_eq!((&status["open_links"], &status["letters"]), (&0.into(), &0.into()), "{status}");
    assert_eq!(status["workers"].as_array().unwrap().len(), 4);
    assert_eq!(folder.run(&["crawl", "shared", "drop", &url, name]).code, 0);
    // Marks of batches remain for a few minutes.
    let keys = server.ask(&["keys", "*"]);
    for key in keys.lines().filter(|key| !key.is_empty()) {
        assert!(key.contains(":got:") && server.ask(&["pttl", key]) != "-1", "{key}");
    }
}

/// A recipe that learns from links judges each by the pages of all workers.
#[test]
fn workers_share_a_crawl_that_learns() {
    if !is_installed() {
        return;
    }
    let server = Redis::start(&[]);
    let hosts = Hosts::serve(400).by("ontrail");
    let workers = ["a", "b", "c"];
    crawl_together(&hosts, &server.url(), &workers);
    // What was learned was shared, and goes with the crawl.
    assert_eq!(server.ask(&["exists", "ontrail:{web}:numbers"]).trim(), "1");
    let drop = ["crawl", "shared", "drop", &server.url(), "web"];
    assert_eq!(hosts.folder.run(&drop).code, 0);
    assert_eq!(server.ask(&["exists", "ontrail:{web}:numbers"]).trim(), "0");
    for worker in workers {
        let rows = read_log(&hosts.folder.path(worker).join("log")).unwrap();
        assert!(rows.iter().any(|row| row.score(Score::Priority).is_some_and(|it| it > 0.0)));
    }
}

/// A recipe that refuses links keeps them. A worker without others fetches them at last, and all
/// workers stay until no worker has any.
#[test]
fn refused_links_are_fetched_at_last() {
    if !is_installed() {
        return;
    }
    let server = Redis::start(&[]);
    let hosts = Hosts::serve(400).by("fcits-oh");
    crawl_together(&hosts, &server.url(), &["a", "b", "c"]);
}

#[test]
fn a_cluster_carries_a_crawl() {
    if !is_installed() {
        return;
    }
    let nodes = Redis::cluster(0);
    let url: Vec<String> = nodes.iter().map(Redis::url).collect();
    crawl_together(&Hosts::serve(400), &url.join(","), &["a", "b"]);
}

/// Each worker knows what the others had fetched at their last beat, so a crawl fetches at most as
/// many pages too many as all workers fetch in two seconds.
#[test]
fn the_budget_is_for_all_workers() {
    if !is_installed() {
        return;
    }
    let server = Redis::start(&[]);
    let (url, hosts) = (server.url(), Hosts::serve(400));
    // Sixteen hosts give at most 32 pages a second.
    let mut workers = vec![hosts.begin_with(&url, "a", "0.5", "120")];
    hosts.wait_for_crawl(&url);
    workers.extend(["b", "c"].map(|out| hosts.join(&url, out)));
    workers.into_iter().for_each(|worker| _ = finish(worker));
    let pages = hosts.pages(&["a", "b", "c"]).len();
    assert!((120..=120 + 64).contains(&pages), "{pages} pages");
    let status = hosts.folder.run(&["crawl", "shared", "status", &url, "web", "--json"]).json();
    assert_eq!(status["pages"], pages, "{status}");
}

#[test]
fn all_workers_obey_pause_go_and_stop() {
    if !is_installed() {
        return;
    }
    let server = Redis::start(&[]);
    let (url, hosts) = (server.url(), Hosts::serve(600));
    let names = ["a", "b"];
    let order = |order: &str| {
        let ran = hosts.folder.run(&["crawl", "shared", order, &url, "web"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    let mut workers = vec![hosts.begin(&url, "a")];
    hosts.wait_for_crawl(&url);
    // The server may have several addresses.
    workers.push(hosts.join(&url.replace("127.0.0.1", "localhost"), "b"));
    std::thread::sleep(Duration::from_secs(2));
    order("pause");
    std::thread::sleep(Duration::from_secs(2));
    let paused = hosts.requests();
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(hosts.requests(), paused, "nothing is fetched while the crawl is paused");
    order("go");
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(paused > 20 && hosts.requests() > paused, "{paused} requests");
    order("stop");
    workers.into_iter().for_each(|worker| _ = finish(worker));
    let stopped = hosts.pages(&names).len();
    let status = hosts.folder.run(&["crawl", "shared", "status", &url, "web", "--json"]).json();
    assert_eq!((&status["order"], &status["free_partitions"]), (&"stop".into(), &16.into()));
    let join = ["crawl", "join", &url, "web", "-o", "late"];
    hosts.folder.run(&join).refused("`ontrail crawl shared go");
    assert!(!hosts.folder.path("late").exists());
    order("go");
    let resumed = names.map(|name| hosts.folder.spawn(&["crawl", "resume", "-q", name]));
    resumed.into_iter().for_each(|worker| _ = finish(worker));
    hosts.assert_polite();
    let reachable = hosts.reachable();
    assert!(stopped < reachable.len(), "the crawl was over before it was stopped");
    hosts.assert_merges(&names, &reachable);

    // Nothing is merged unless everything is there.
    let merge = |folders: &[&str]| {
        hosts.folder.run(&[&["crawl", "merge"][..], folders, &["-o", "other"]].concat())
    };
    merge(&["a", "b", "./a"]).refused("./a: is named twice");
    merge(&["a", "alone"]).refused("alone: is not the folder of a worker of a shared crawl");
    fs::remove_file(hosts.folder.path("b/log/00000.parquet")).unwrap();
    merge(&["a", "b"]).refused("00000.parquet: is missing, but was committed");
    assert!(!hosts.folder.path("other").exists());
}

/// The worker of a crawl that was dropped ends, and has nothing to do with one of the same name.
#[test]
fn a_crawl_that_is_dropped_ends() {
    if !is_installed() {
        return;
    }
    let server = Redis::start(&[]);
    let (url, hosts) = (server.url(), Hosts::serve(400));
    let worker = hosts.begin(&url, "a");
    hosts.wait_for_crawl(&url);
    std::thread::sleep(Duration::from_secs(1));
    let drop = ["crawl", "shared", "drop", &url, "web"];
    hosts.folder.run(&drop).refused("stop them first");
    assert_eq!(hosts.folder.run(&[&drop[..], &["--yes"]].concat()).code, 0);
    let gone = "the crawl is not on the server any more";
    let output = worker.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains(gone), "{text}");
    finish(hosts.begin_with(&url, "b", DELAY, "20"));
    let pages = hosts.pages(&["b"]).len();
    assert!((20..400).contains(&pages), "{pages} pages");
    hosts.folder.run(&["crawl", "resume", "a"]).refused(gone);
}

#[test]
fn a_server_with_tls_needs_a_certificate_that_is_trusted() {
    if !is_installed() {
        return;
    }
    let server = Redis::start_with_tls();
    let list = |trusted: &str| {
        let mut command = Command::new(binary());
        command.args(["crawl", "shared", "list", &server.tls_url()]).env("LC_ALL", "C");
        command.env("SSL_CERT_FILE", server.folder().join(trusted)).output().unwrap()
    };
    let trusted = list("ca.pem");
    assert!(trusted.status.success(), "{}", String::from_utf8_lossy(&trusted.stderr));
    let other = list("other.pem");
    let message = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(2), "{message}");
    assert!(message.contains("certificate"), "{message}");
}

/// A master dies for good, and its replica takes its place.
#[test]
fn a_crawl_survives_the_failover_of_a_cluster_node() {
    if !is_installed() {
        return;
    }
    let mut nodes = Redis::cluster(1);
    let url = nodes.iter().map(Redis::url).collect::<Vec<_>>().join(",");
    let hosts = Hosts::serve(600);
    let names = ["a", "b"];
    let mut workers = vec![hosts.begin(&url, "a")];
    hosts.wait_for_crawl(&url);
    workers.push(hosts.join(&url, "b"));
    std::thread::sleep(Duration::from_secs(4));
    let fetched = hosts.pages(&names).len();
    let masters = || nodes.iter().filter(|node| node.is_master()).count();
    assert_eq!(masters(), 3);
    nodes[0].kill();
    workers.into_iter().for_each(|worker| _ = finish(worker));
    assert_eq!(nodes.iter().filter(|node| node.is_master()).count(), 3, "a replica took over");
    hosts.assert_polite();
    let reachable = hosts.reachable();
    assert!(fetched < reachable.len(), "the node died too late: {fetched} pages");
    hosts.assert_merges(&names, &reachable);
}

/// Workers are killed and resumed, one is killed for good, and the server dies in the middle. Each
/// page is in some folder, and only pages of killed workers may be in two.
#[test]
fn no_page_is_lost_when_workers_and_the_server_die() {
    if !is_installed() {
        return;
    }
    let mut server = Redis::start(&["--appendfsync", "always"]);
    let url = server.url();
    let kills = std::env::var("ONTRAIL_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(6);
    let hosts = Hosts::serve(100 * kills).by("ontrail");
    let names = ["a", "b", "c"];
    let mut workers: Vec<Child> = vec![hosts.begin(&url, "a")];
    hosts.wait_for_crawl(&url);
    workers.extend(["b", "c"].map(|out| hosts.join(&url, out)));
    for kill in 0..kills {
        // Some kills hit a worker that has just begun, others one at work.
        std::thread::sleep(Duration::from_millis(300 + 371 * u64::from(kill % 5)));
        if kill == kills / 2 {
            server.restart();
        }
        let place = usize::try_from(kill % 3).unwrap();
        let _ = workers[place].kill();
        let _ = workers[place].wait();
        let has_begun = hosts.folder.path(names[place]).join("state").exists();
        workers[place] = if has_begun {
            hosts.folder.spawn(&["crawl", "resume", "-q", names[place]])
        } else {
            let _ = fs::remove_dir_all(hosts.folder.path(names[place]));
            hosts.join(&url, names[place])
        };
    }
    let _ = workers[2].kill();
    let fetched = hosts.pages(&names).len();
    let mut lost = workers.pop().unwrap();
    let _ = lost.wait();
    let ends: Vec<String> = workers.into_iter().map(finish).collect();
    hosts.assert_polite();
    let pages = hosts.pages(&names);
    let reachable = hosts.reachable();
    let found: BTreeSet<String> = pages.keys().cloned().collect();
    assert!(fetched < reachable.len(), "the last kill came too late: {fetched} pages");
    let missing: Vec<_> = reachable.difference(&found).collect();
    assert!(missing.is_empty(), "{:#?} {ends:#?}", hosts.rows_about(&names, &missing));
    let twice = pages.values().filter(|times| **times > 1).count();
    assert!(twice * 4 < reachable.len(), "{twice} of {} pages twice", reachable.len());
    hosts.assert_merges(&names, &reachable);
}

#[test]
fn servers_and_settings_that_would_lose_links_are_refused() {
    let folder = Folder::new();
    folder.write("web/index.html", "<p>a page");
    let run = |server: &str, more: &[&str]| {
        let args = ["crawl", "run", "--web", "web", "http://localhost/index.html", "-o", "out"];
        folder.run(&[&args[..], &["--frontier", server], more].concat())
    };
    run("redis://127.0.0.1:1", &["--recipe", "bfs"]).refused("does not answer");
    run("http://127.0.0.1:1", &["--recipe", "bfs"]).refused("is no address of a Redis server");
    assert!(!folder.path("out").exists());
    if !is_installed() {
        return;
    }
    let evicts = Redis::start(&["--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru"]);
    run(&evicts.url(), &["--recipe", "bfs"]).refused("set it to noeviction");
    let locked = Redis::start(&["--requirepass", "secret"]);
    run(&locked.url(), &["--recipe", "bfs"]).refused("wants another user name or password");
    assert!(!folder.path("out").exists());
    let open = locked.url().replace("redis://", "redis://:secret@");
    let begun = run(&open, &["--recipe", "bfs", "--name", "one"]);
    assert_eq!(begun.code, 0, "{}", begun.stderr);
    let written = fs::read_to_string(folder.path("out/run.json")).unwrap();
    assert!(!written.contains("secret") && !begun.stderr.contains("secret"), "{written}");
    let again = ["--recipe", "bfs", "--name", "one", "-o", "other"];
    let taken = folder.run(
        &[
            &["crawl", "run", "--web", "web", "http://localhost/index.html", "--frontier", &open],
            &again[..],
        ]
        .concat(),
    );
    taken.refused("already has a crawl named one");
    folder.run(&["crawl", "join", &open, "two", "-o", "other"]).refused("no crawl named two");
    assert!(!folder.path("other").exists());
}
