//! A served web keeps its pace: no answer comes too early, however many clients ask, and the access
//! log proves it. Only lower bounds are asserted, so a slow machine cannot fail these tests.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ontrail_crawl::OpenFiles;
use ontrail_lab::{
    AccessLog, LoadedWeb, Naming, Pace, Server, Serving, SourceText, WEB, WeaveSettings, weave,
};
use tempfile::TempDir;

/// The times in a log are cut off to microseconds.
const RESOLUTION: f64 = 0.001;

/// A line of an access log.
struct Line {
    asked: f64,
    answered: f64,
    host: String,
    path: String,
    client: SocketAddr,
    status: u16,
    agent: String,
}

/// A small woven web and a place for a log.
fn web() -> (TempDir, Arc<LoadedWeb>) {
    let text = |number: usize| SourceText {
        label: ["rain", "sport"][number % 2].to_owned(),
        title: Some(format!("Title {number}")),
        body: format!("Text {number} has a few words. And it has a second sentence."),
    };
    let texts: Vec<SourceText> = (0..20).map(text).collect();
    let settings = WeaveSettings::default().with(|it| {
        it.pages = 100;
        it.hosts = 5;
    });
    let folder = tempfile::tempdir().unwrap();
    weave(&settings, &texts, folder.path(), BTreeMap::new(), &|_| ()).unwrap();
    let web = LoadedWeb::open(&[folder.path().join(WEB)]).unwrap();
    (folder, Arc::new(web))
}

fn serve(web: Arc<LoadedWeb>, naming: Naming, pace: Pace, log: Option<&Path>) -> Server {
    let access_log = log.map(|path| AccessLog::create(path).unwrap());
    Server::start(web, Serving { naming, port: 0, pace, access_log }).unwrap()
}

fn by_name() -> Naming {
    Naming::Names(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// Sends a request for a path of a host over a new connection.
fn ask(address: SocketAddr, host: &str, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let headers = format!("Host: {host}\r\nUser-Agent: tester\r\nConnection: close\r\n\r\n");
    stream.write_all(format!("GET {path} HTTP/1.1\r\n{headers}").as_bytes()).unwrap();
    stream
}

fn answer(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn lines(path: &Path) -> Vec<Line> {
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [asked, answered, host, path, client, status, agent] = fields[..] else {
            panic!("{line}")
        };
        Line {
            asked: asked.parse().unwrap(),
            answered: answered.parse().unwrap(),
            host: host.to_owned(),
            path: path.to_owned(),
            client: client.parse().unwrap(),
            status: status.parse().unwrap(),
            agent: agent.to_owned(),
        }
    };
    fs::read_to_string(path).unwrap().lines().map(read).collect()
}

#[test]
fn no_answer_comes_before_the_latency() {
    let (folder, web) = web();
    let latency = Duration::from_millis(80);
    let pace = Pace { latency, ..Pace::default() };
    let path = folder.path().join("access.tsv");
    let server = serve(web, Naming::Addresses, pace, Some(&path));
    for (name, address) in &server.hosts {
        let start = Instant::now();
        assert!(answer(ask(*address, name, "/")).starts_with("HTTP/1.1 "));
        assert!(start.elapsed() >= latency);
    }
    let lines = lines(&path);
    assert_eq!(lines.len(), server.hosts.len());
    for line in lines {
        assert!(server.hosts.contains_key(&line.host) && line.path == "/", "{}", line.host);
        assert!(line.answered - line.asked >= 80.0 - 2.0 * RESOLUTION);
        assert_eq!((line.agent.as_str(), line.client.ip().is_loopback()), ("tester", true));
    }
}

#[test]
fn thousands_of_requests_wait_at_the_same_time() {
    // Both ends of each connection are in this process.
    let files = usize::try_from(OpenFiles::raise().limit).unwrap();
    let clients = (files.saturating_sub(200) / 2).min(3_000);
    let (folder, web) = web();
    let latency = Duration::from_secs(2);
    let path = folder.path().join("access.tsv");
    let server = serve(web, by_name(), Pace { latency, ..Pace::default() }, Some(&path));
    let (name, address) = server.hosts.first_key_value().unwrap();
    let asked: Vec<(Instant, TcpStream)> = (0..clients)
        .map(|number| {
            // The system drops a connection while 128 others wait to be accepted, and only tries
            // again after a second.
            if number % 64 == 63 {
                std::thread::sleep(Duration::from_millis(10));
            }
            (Instant::now(), ask(*address, name, "/"))
        })
        .collect();
    for (start, stream) in asked {
        let answer = answer(stream);
        assert!(start.elapsed() >= latency && answer.starts_with("HTTP/1.1 "), "{answer}");
    }
    assert_eq!(lines(&path).len(), clients);
}

#[test]
fn answers_of_one_host_keep_their_distance() {
    let (folder, web) = web();
    let interval = Duration::from_millis(10);
    let path = folder.path().join("access.tsv");
    let server = serve(web, by_name(), Pace { interval, ..Pace::default() }, Some(&path));
    let streams: Vec<TcpStream> = (0..12)
        .flat_map(|number| server.hosts.iter().map(move |host| (number, host)))
        .map(|(number, (name, address))| ask(*address, name, &format!("/none/{number}")))
        .collect();
    for stream in streams {
        assert!(answer(stream).starts_with("HTTP/1.1 404 "));
    }
    let mut hosts: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in lines(&path) {
        assert_eq!(line.status, 404);
        hosts.entry(line.host).or_default().push(line.answered);
    }
    assert_eq!(hosts.len(), server.hosts.len());
    for (host, mut times) in hosts {
        times.sort_by(f64::total_cmp);
        assert_eq!(times.len(), 12);
        for pair in times.windows(2) {
            assert!(pair[1] - pair[0] >= 10.0 - 2.0 * RESOLUTION, "{host}: {pair:?}");
        }
    }
}

#[test]
fn hosts_are_served_by_name_at_a_chosen_address() {
    let (folder, web) = web();
    let path = folder.path().join("access.tsv");
    let naming = Naming::Names("127.0.0.7".parse().unwrap());
    let server = serve(web, naming, Pace::default(), Some(&path));
    let (name, address) = server.hosts.first_key_value().unwrap();
    assert_eq!(address.ip().to_string(), "127.0.0.7");
    // As a proxy, by the Host header, and a host that the web does not have.
    let whole = format!("http://{}:80/a?b", name.to_uppercase());
    for (host, path) in [("x", whole.as_str()), (&format!("{name}:1"), "/c"), ("other", "/")] {
        answer(ask(*address, host, path));
    }
    let seen: Vec<(String, String)> =
        lines(&path).into_iter().map(|it| (it.host, it.path)).collect();
    let wanted = [(name.as_str(), "/a?b"), (name, "/c"), ("other", "/")];
    assert_eq!(seen, wanted.map(|(host, path)| (host.to_owned(), path.to_owned())));
}
