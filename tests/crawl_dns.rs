//! Tests how the crawler looks up names, against a name server on a loopback address.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use ontrail_crawl::{FailureKind, FetchSettings, LiveWeb, LogRow, Web, read_log};
use ontrail_tests::Folder;
use ontrail_tests::web::{Asked, Reply, Server};
use tokio::runtime::Runtime;
use url::Url;

/// The answer to a query for IPv4 addresses.
#[derive(Debug, Clone)]
enum Zone {
    /// These addresses, with a TTL in seconds.
    Addresses(u32, Vec<Ipv4Addr>),
    /// A response code: 2 is a failure of the server, 3 a name that does not exist.
    Code(u8),
    /// No answer at all.
    Silence,
}

/// A name server on a loopback address.
struct NameServer {
    address: SocketAddr,
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl NameServer {
    fn start(zones: Vec<(&'static str, Zone)>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(BTreeMap::new()));
        let counts = Arc::clone(&asked);
        let zones: BTreeMap<&str, Zone> = zones.into_iter().collect();
        std::thread::spawn(move || {
            let mut buffer = [0; 1_500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                let query = &buffer[..length];
                let (name, kind, end) = question(query);
                if kind == 1 {
                    *counts.lock().unwrap().entry(name.clone()).or_default() += 1;
                }
                let zone = zones.get(name.as_str()).cloned().unwrap_or(Zone::Code(3));
                if let Some(answer) = answer(query, end, kind, &zone) {
                    let _ = socket.send_to(&answer, from);
                }
            }
        });
        Self { address, asked }
    }

    /// Returns how often the IPv4 addresses of a name were asked for.
    fn asked(&self, name: &str) -> usize {
        self.asked.lock().unwrap().get(name).copied().unwrap_or(0)
    }
}

/// Returns the name and the type of a query, and the place where its question ends.
fn question(query: &[u8]) -> (String, u8, usize) {
    let (mut at, mut labels) = (12, Vec::new());
    while query[at] > 0 {
        let end = at + 1 + usize::from(query[at]);
        labels.push(String::from_utf8_lossy(&query[at + 1..end]).to_lowercase());
        at = end;
    }
    (labels.join("."), query[at + 2], at + 5)
}

/// Formats an answer (RFC 1035, section 4).
fn answer(query: &[u8], end: usize, kind: u8, zone: &Zone) -> Option<Vec<u8>> {
    let (code, ttl, addresses) = match zone {
        Zone::Silence => return None,
        Zone::Code(code) => (*code, 0, &[][..]),
        // There are no IPv6 addresses.
        Zone::Addresses(ttl, addresses) => (0, *ttl, if kind == 1 { &addresses[..] } else { &[] }),
    };
    let mut answer = query[..2].to_vec();
    let count = u8::try_from(addresses.len()).unwrap();
    answer.extend([0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
    answer.extend(&query[12..end]);
    for address in addresses {
        // The name is that of the question; an IPv4 address of the internet.
        answer.extend([0xc0, 12, 0, 1, 0, 1]);
        answer.extend(ttl.to_be_bytes());
        answer.extend([0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}

const HOME: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

fn settings(server: &NameServer) -> FetchSettings {
    let mut settings = FetchSettings::default();
    settings.contact = Some("test@example.org".to_owned());
    settings.allow_private = vec!["127.0.0.0/8".to_owned()];
    settings.dns = Some(server.address);
    settings
}

fn web(server: &NameServer) -> LiveWeb {
    LiveWeb::new(&settings(server), &[]).unwrap()
}

fn url(host: &str) -> Url {
    format!("http://{host}/").parse().unwrap()
}

fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// The kind of failure with which a look-up ends.
fn failure(runtime: &Runtime, web: &LiveWeb, host: &str) -> FailureKind {
    runtime.block_on(web.locate(&url(host))).unwrap_err().kind
}

type Known = Vec<(String, Vec<IpAddr>, u64)>;

#[test]
fn an_answer_is_used_as_long_as_its_ttl_says_within_limits() {
    let server = NameServer::start(vec![
        ("plain.test", Zone::Addresses(300, vec![HOME])),
        ("under_score.test", Zone::Addresses(0, vec![HOME])),
        ("-long.test", Zone::Addresses(10_000_000, vec![HOME])),
    ]);
    let (runtime, web) = (Runtime::new().unwrap(), web(&server));
    let before = now();
    for host in ["plain.test", "under_score.test", "-long.test"] {
        assert_eq!(web.located(&url(host)), None);
        for _ in 0..3 {
            assert_eq!(runtime.block_on(web.locate(&url(host))), Ok(Some(HOME.into())));
        }
        assert_eq!(web.located(&url(host)), Some(Ok(Some(HOME.into()))));
        assert_eq!(server.asked(host), 1, "{host}");
    }
    let after = now();
    let known: Known = postcard::from_bytes(&web.save()).unwrap();
    let seconds = [("-long.test", 86_400), ("plain.test", 300), ("under_score.test", 60)];
    assert_eq!(known.len(), seconds.len());
    for ((host, addresses, until), (expected, ttl)) in known.iter().zip(seconds) {
        assert_eq!((host.as_str(), addresses), (expected, &vec![IpAddr::from(HOME)]));
        assert!((before + ttl * 1_000..=after + ttl * 1_000).contains(until), "{host}");
    }
}

#[test]
fn a_name_that_does_not_exist_is_told_from_a_server_that_fails() {
    let mut settings = settings(&NameServer::start(Vec::new()));
    let server = NameServer::start(vec![
        ("none.test", Zone::Code(3)),
        ("fails.test", Zone::Code(2)),
        ("empty.test", Zone::Addresses(300, Vec::new())),
        ("silent.test", Zone::Silence),
    ]);
    settings.dns = Some(server.address);
    settings.head_timeout = 0.5;
    let web = LiveWeb::new(&settings, &[]).unwrap();
    let runtime = Runtime::new().unwrap();
    for (host, kind) in [
        ("none.test", FailureKind::NoSuchHost),
        ("fails.test", FailureKind::Dns),
        ("empty.test", FailureKind::Dns),
        ("silent.test", FailureKind::Dns),
    ] {
        assert_eq!(failure(&runtime, &web, host), kind, "{host}");
    }
    let long = format!("{}.test", "a".repeat(64));
    assert_eq!(failure(&runtime, &web, &long), FailureKind::NoSuchHost);
    assert!(FailureKind::Dns.is_transient() && !FailureKind::NoSuchHost.is_transient());
    // A denial is remembered for a while, and not saved.
    assert_eq!(failure(&runtime, &web, "none.test"), FailureKind::NoSuchHost);
    assert_eq!(server.asked("none.test"), 1);
    assert_eq!(web.located(&url("none.test")).unwrap().unwrap_err().kind, FailureKind::NoSuchHost);
    assert_eq!(postcard::from_bytes::<Known>(&web.save()).unwrap(), []);
}

#[test]
fn silent_name_servers_hold_up_no_other_lookup() {
    let answers = Zone::Addresses(300, vec![HOME]);
    let server = NameServer::start(vec![("plain.test", answers), ("silent.test", Zone::Silence)]);
    let web = Arc::new(web(&server));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let waiting: Vec<_> = (0..100)
            .map(|_| {
                let web = Arc::clone(&web);
                tokio::spawn(async move { web.locate(&url("silent.test")).await })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(web.locate(&url("plain.test")).await, Ok(Some(HOME.into())));
        assert!(waiting.iter().all(|lookup| !lookup.is_finished()));
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

#[test]
fn names_survive_a_restart_and_are_checked_again() {
    let server = NameServer::start(vec![("plain.test", Zone::Addresses(300, vec![HOME]))]);
    let (runtime, first) = (Runtime::new().unwrap(), web(&server));
    assert_eq!(runtime.block_on(first.locate(&url("plain.test"))), Ok(Some(HOME.into())));
    let saved = first.save();
    let second = web(&server);
    second.restore(b"not a snapshot");
    second.restore(&saved);
    assert_eq!(runtime.block_on(second.locate(&url("plain.test"))), Ok(Some(HOME.into())));
    assert_eq!(server.asked("plain.test"), 1);
    // An address that was allowed then need not be allowed now.
    let mut strict = settings(&server);
    strict.allow_private.clear();
    let strict = LiveWeb::new(&strict, &[]).unwrap();
    strict.restore(&saved);
    let refused = strict.located(&url("plain.test")).unwrap().unwrap_err();
    assert_eq!(refused.kind, FailureKind::OffLimits);
    // An expired address is not taken over, and none is valid for more than a day.
    let (past, future) = (now() - 1, u64::MAX);
    let hosts = [("past.test", past), ("future.test", future)];
    let known: Known =
        hosts.map(|(host, until)| (host.to_owned(), vec![HOME.into()], until)).into();
    let third = web(&server);
    third.restore(&postcard::to_stdvec(&known).unwrap());
    let known: Known = postcard::from_bytes(&third.save()).unwrap();
    assert_eq!((known.len(), known[0].0.as_str()), (1, "future.test"));
    assert!(known[0].2 <= now() + 86_400_000);
}

#[test]
fn ports_and_literal_addresses_are_judged_without_a_lookup() {
    let server = NameServer::start(Vec::new());
    let web = web(&server);
    assert_eq!(web.located(&url("127.0.0.9")), Some(Ok(Some([127, 0, 0, 9].into()))));
    for refused in ["10.0.0.1", "some.test:25", "[::1]"] {
        let failure = web.located(&url(refused)).unwrap().unwrap_err();
        assert_eq!(failure.kind, FailureKind::OffLimits, "{refused}");
    }
    let mut proxied = settings(&server);
    proxied.proxy = Some("http://127.0.0.1:3128".to_owned());
    let proxied = LiveWeb::new(&proxied, &[]).unwrap();
    assert_eq!(proxied.located(&url("some.test")), Some(Ok(None)));
    let runtime = Runtime::new().unwrap();
    assert_eq!(runtime.block_on(proxied.locate(&url("some.test"))), Ok(None));
    assert_eq!(server.asked("some.test"), 0);
}

#[test]
fn a_crawl_tries_the_addresses_of_a_host_in_turn() {
    // Nothing listens at the first two addresses.
    let addresses = [[127, 0, 0, 77], [127, 0, 0, 78], [127, 0, 0, 2]].map(Ipv4Addr::from);
    let names = NameServer::start(vec![
        ("many.test", Zone::Addresses(300, addresses.into())),
        ("mixed.test", Zone::Addresses(300, vec![HOME, Ipv4Addr::new(10, 0, 0, 1)])),
    ]);
    let server = Server::start("127.0.0.2", |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        path => Reply::html(format!("{path} <a href=/1>1</a> <a href=/2>2</a>")),
    });
    let folder = Folder::new();
    let port = server.address.port();
    let hosts = ["many.test", "mixed.test", "none.test"];
    let seeds = hosts.map(|host| format!("http://{host}:{port}/"));
    let dns = names.address.to_string();
    let mut args = vec!["crawl", "run", "--contact", "test@example.org", "-o", "out", "--json"];
    args.extend(["--allow-private", "127.0.0.0/8", "--delay", "0", "--address-delay", "0"]);
    args.extend(["--retries", "0", "--dns", &dns]);
    args.extend(seeds.iter().map(String::as_str));
    assert_eq!(folder.run(&args).json()["downloaded"], 3);
    assert_eq!(names.asked("many.test"), 1);
    let rows = read_log(&folder.path("out/log")).unwrap();
    let outcome = |url: &str| {
        let row: &LogRow = rows.iter().find(|row| row.url == url).unwrap();
        (row.outcome.name().into_owned(), row.address.clone())
    };
    assert_eq!(outcome(&seeds[0]), ("page".to_owned(), Some("127.0.0.2".to_owned())));
    assert_eq!(outcome(&seeds[1]).0, "off-limits");
    assert_eq!(outcome(&seeds[2]).0, "no-such-host");
}
