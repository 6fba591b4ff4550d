//! The crawler on a live web: servers on loopback addresses, well-behaved and hostile.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::io::Write;
use std::time::Duration;

use ontrail_crawl::{FailureKind, FetchKind, LogRow, Outcome, read_log};
use ontrail_tests::Folder;
use ontrail_tests::web::{Asked, Reply, Server};
use serde_json::Value;

/// Crawls from some URLs, without crawl delay unless `more` sets one.
fn crawl(folder: &Folder, seeds: &[String], more: &[&str]) -> Value {
    let mut args = vec!["crawl", "run", "--contact", "test@example.org", "-o", "out", "--json"];
    if !more.contains(&"--allow-private") {
        args.extend(["--allow-private", "127.0.0.0/8"]);
    }
    for (flag, value) in [("--delay", "0"), ("--address-delay", "0"), ("--retries", "0")] {
        if !more.contains(&flag) {
            args.extend([flag, value]);
        }
    }
    args.extend(more);
    args.extend(seeds.iter().map(String::as_str));
    folder.run(&args).json()
}

fn log(folder: &Folder) -> Vec<LogRow> {
    read_log(&folder.path("out/log")).unwrap()
}

/// Returns the outcome of a URL.
fn outcome(rows: &[LogRow], url: &str) -> String {
    let found: Vec<&LogRow> = rows.iter().filter(|row| row.url == url).collect();
    assert!(!found.is_empty(), "{url} is not in the log");
    found.iter().map(|row| row.outcome.name()).collect::<Vec<_>>().join(", ")
}

/// A page with links.
fn links(targets: &[&str]) -> Reply {
    let anchors: String = targets.iter().map(|to| format!("<a href='{to}'>to {to}</a> ")).collect();
    Reply::html(format!("<title>links</title><p>{anchors}"))
}

/// The delays between requests, from the end of one to the start of the next, in seconds.
fn gaps(asked: &[Asked]) -> Vec<f64> {
    asked.windows(2).map(|pair| (pair[1].start - pair[0].end).as_secs_f64()).collect()
}

#[test]
fn a_host_gets_one_request_at_a_time_with_a_delay_between() {
    let site = |asked: &Asked| {
        let own = format!("/{}", asked.header("host"));
        links(&["/1", "/2", "/3", "/4", &own, &asked.path])
    };
    let (one, two) = (Server::start("127.0.0.2", site), Server::start("127.0.0.3", site));
    let folder = Folder::new();
    let summary = crawl(&folder, &[one.url("/"), two.url("/")], &["--delay", "0.3"]);
    assert_eq!(summary["downloaded"], 12);
    for server in [&one, &two] {
        let asked = server.asked();
        assert_eq!((asked[0].path.as_str(), asked.len()), ("/robots.txt", 7));
        assert!(gaps(&asked).iter().all(|gap| *gap >= 0.29), "{:?}", gaps(&asked));
    }
    // Each host has its own delay: all together took no longer than one alone.
    let (first, last) = (&one.asked()[0], &one.asked()[6]);
    let between =
        two.asked().iter().filter(|it| it.start > first.start && it.start < last.start).count();
    assert!(between >= 3, "{between}");
}

#[test]
fn crawl_delays_are_obeyed_and_slow_hosts_get_longer_ones() {
    let robots = |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::typed("text/plain", "User-agent: *\nCrawl-delay: 0.5\n"),
        "/" => links(&["/1"]),
        _ => Reply::html("x"),
    };
    let slow = |asked: &Asked| {
        std::thread::sleep(Duration::from_millis(200));
        if asked.path == "/" { links(&["/1"]) } else { Reply::status(404) }
    };
    let asks = Server::start("127.0.0.2", robots);
    let is_slow = Server::start("127.0.0.3", slow);
    let folder = Folder::new();
    folder.write("s.toml", "[politeness]\nslow-factor = 2.0\n");
    crawl(
        &folder,
        &[asks.url("/"), is_slow.url("/")],
        &["--settings", "s.toml", "--delay", "0.01"],
    );
    assert!(gaps(&asks.asked()).iter().all(|gap| *gap >= 0.49), "{:?}", gaps(&asks.asked()));
    assert!(gaps(&is_slow.asked()).iter().all(|gap| *gap >= 0.39), "{:?}", gaps(&is_slow.asked()));
}

#[test]
fn hosts_on_one_machine_share_its_crawl_delay() {
    let server = Server::start("127.0.0.2", |_: &Asked| Reply::html("x"));
    let port = server.address.port();
    let folder = Folder::new();
    let names = ["a.test", "b.test", "c.test"];
    let seeds: Vec<String> = names.iter().map(|name| format!("http://{name}:{port}/")).collect();
    let resolve: Vec<String> = names.iter().map(|name| format!("{name}=127.0.0.2")).collect();
    let mut more = vec!["--address-delay", "0.3"];
    more.extend(resolve.iter().flat_map(|it| ["--resolve", it.as_str()]));
    assert_eq!(crawl(&folder, &seeds, &more)["downloaded"], 3);
    let mut starts: Vec<_> = server.asked().iter().map(|asked| asked.start).collect();
    starts.sort();
    assert_eq!(starts.len(), 6);
    let gaps: Vec<_> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for pair in starts.windows(2) {
        assert!((pair[1] - pair[0]).as_secs_f64() >= 0.28, "{gaps:?}");
    }
}

#[test]
fn robots_txt_is_obeyed() {
    let obeyed = |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::to("/elsewhere.txt"),
        "/elsewhere.txt" => Reply::typed(
            "text/plain",
            "User-agent: other\nDisallow: /\n\nUser-agent: ONTRAIL/2\nDisallow: /no*\n",
        ),
        "/" => links(&["/yes", "/no", "/not-either"]),
        _ => Reply::html(format!("page {}", asked.path)),
    };
    let failing = |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(503),
        _ => Reply::html("never"),
    };
    let absent = |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(403),
        _ => Reply::html("fine"),
    };
    let obeyed = Server::start("127.0.0.2", obeyed);
    let failing = Server::start("127.0.0.3", failing);
    let absent = Server::start("127.0.0.4", absent);
    let folder = Folder::new();
    let seeds = [obeyed.url("/"), failing.url("/"), absent.url("/")];
    let summary = crawl(&folder, &seeds, &["--max-time", "2"]);
    assert_eq!(obeyed.paths(), ["/elsewhere.txt", "/", "/yes"]);
    assert_eq!(failing.paths(), Vec::<String>::new());
    assert_eq!(absent.paths(), ["/"]);
    assert_eq!(summary["refused"]["robots"], 2);
    let rows = log(&folder);
    assert_eq!(outcome(&rows, &obeyed.url("/no")), "robots");
    // Each request has a row, and one robots.txt redirects.
    assert_eq!(rows.iter().filter(|row| row.kind == FetchKind::Robots).count(), 4);
    let agent = obeyed.asked()[0].header("user-agent").to_owned();
    assert!(agent.starts_with("Ontrail/") && agent.ends_with(" (+test@example.org)"), "{agent}");
}

/// A site that makes every mistake that a server can make.
fn hostile_site() -> impl Fn(&Asked) -> Reply + Send + Sync {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let bomb = {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![b'x'; 30_000_000]).unwrap();
        packer.finish().unwrap()
    };
    move |asked: &Asked| match asked.path.as_str() {
        "/slow" => Reply::Drip(
            [&head[..], b"Content-Length: 90000\r\n\r\n"].concat(),
            Duration::from_millis(200),
        ),
        "/silent" => Reply::Silence(Duration::from_secs(20)),
        "/endless" => Reply::Endless([&head[..], b"\r\n"].concat()),
        "/loop" => Reply::to("/loop"),
        path if path.starts_with("/chain") => Reply::to(&format!("{path}x")),
        "/headers" => {
            let flood: String = (0..5_000).map(|n| format!("X-{n}: y\r\n")).collect();
            Reply::Raw([&head[..], flood.as_bytes(), b"\r\nbody"].concat())
        }
        "/long-header" => {
            Reply::Raw([&head[..], b"X: ", &vec![b'y'; 2_000_000], b"\r\n\r\n"].concat())
        }
        "/short" => Reply::Raw([&head[..], b"Content-Length: 5000\r\n\r\nfew"].concat()),
        "/chunks" => {
            Reply::Raw([&head[..], b"Transfer-Encoding: chunked\r\n\r\nzz\r\nbad"].concat())
        }
        "/garbage" => Reply::Raw(vec![0xff; 500]),
        "/nothing" => Reply::Raw(Vec::new()),
        "/bomb" => Reply::Http(
            200,
            vec![
                ("Content-Type".into(), "text/html".into()),
                ("Content-Encoding".into(), "gzip".into()),
            ],
            bomb.clone(),
        ),
        "/picture" => Reply::typed("image/png", vec![1; 1_000]),
        "/gone" => Reply::status(410),
        "/file" => Reply::to("file:///etc/passwd"),
        "/private" => Reply::to("http://127.9.9.9:1/"),
        _ => Reply::html("good"),
    }
}

#[test]
fn hostile_servers_cost_a_line_in_the_log() {
    let site = hostile_site();
    let server = Server::start("127.0.0.2", site);
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[fetch]\nhead-timeout = 1.0\nidle-timeout = 1.0\ntotal-timeout = 2.0\nbody-limit = 100000\nredirects = 3\n",
    );
    let paths = [
        "/slow",
        "/silent",
        "/endless",
        "/loop",
        "/chain",
        "/headers",
        "/long-header",
        "/short",
        "/chunks",
        "/garbage",
        "/nothing",
        "/bomb",
        "/picture",
        "/gone",
        "/file",
        "/private",
        "/good",
    ];
    let mut seeds: Vec<String> = paths.iter().map(|path| server.url(path)).collect();
    let no_tls = Server::blurting("127.0.0.2", b"HTTP/1.1 400 Bad Request\r\n\r\n");
    seeds.push(format!("https://{}/tls", no_tls.address));
    seeds.push("http://127.0.0.2:9/closed".to_owned());
    seeds.push("http://no-such-host.invalid/".to_owned());
    let more = ["--settings", "s.toml", "--per-host", "20", "--allow-private", "127.0.0.2"];
    let summary = crawl(&folder, &seeds, &more);
    let rows = log(&folder);
    for (path, expected) in [
        ("/slow", "timeout"),
        ("/silent", "timeout"),
        ("/endless", "page"),
        ("/loop", "redirect"),
        ("/chain", "redirect, redirect, redirect, redirects"),
        ("/headers", "broken"),
        ("/long-header", "broken"),
        ("/short", "broken"),
        ("/chunks", "broken"),
        ("/garbage", "broken"),
        ("/nothing", "broken"),
        ("/bomb", "page"),
        ("/picture", "type"),
        ("/gone", "http-410"),
        ("/file", "bad-redirect"),
        ("/private", "redirect, off-limits"),
        ("/good", "page"),
    ] {
        let found = outcome(&rows, &server.url(path));
        assert_eq!(found, expected, "{path}");
    }
    assert_eq!(outcome(&rows, &seeds[17]), "tls");
    assert_eq!(outcome(&rows, &seeds[18]), "connect");
    assert_eq!(outcome(&rows, &seeds[19]), "no-such-host");
    // The endless page and the decompression bomb were cut and stored.
    let row = |path: &str| rows.iter().find(|row| row.url == server.url(path)).unwrap();
    assert_eq!(row("/endless").bytes, 100_000);
    assert!(row("/bomb").bytes < 100_000 && row("/bomb").stored.is_some());
    assert_eq!(summary["downloaded"], 3);
    assert_eq!(summary["errors"]["broken"].as_u64().unwrap(), 6);
}

#[test]
fn private_ip_addresses_are_not_contacted() {
    let server = Server::start("127.0.0.2", |_: &Asked| Reply::html("secret"));
    let folder = Folder::new();
    let port = server.address.port();
    let seeds = [
        server.url("/"),
        format!("http://inside.test:{port}/"),
        format!("http://[::ffff:127.0.0.2]:{port}/"),
        format!("http://2130706434:{port}/"),
        "http://localhost:1/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ];
    // Allowing another IP address does not help these hosts.
    let more =
        ["--allow-private", "127.0.0.9", "--resolve", "inside.test=127.0.0.2", "--max-time", "3"];
    let summary = crawl(&folder, &seeds, &more);
    assert_eq!(summary["downloaded"], 0);
    assert!(server.asked().is_empty());
    let rows = log(&folder);
    let refused =
        rows.iter().filter(|row| row.outcome == Outcome::Failed(FailureKind::OffLimits)).count();
    assert!(refused >= 6, "{refused}");
}

#[test]
fn redirects_are_followed_hop_by_hop() {
    let other = Server::start("127.0.0.3", |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::typed("text/plain", "User-agent: *\nDisallow: /secret\n"),
        "/b" => Reply::to("c?utm_source=x&id=1#top"),
        path => Reply::html(format!("<title>{path}</title>arrived")),
    });
    let (b, secret) = (other.url("/b"), other.url("/secret"));
    let server = Server::start("127.0.0.2", move |asked: &Asked| match asked.path.as_str() {
        "/a" => Reply::to(&b),
        "/s" => Reply::to(&secret),
        "/robots.txt" => Reply::status(404),
        _ => Reply::html("other"),
    });
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/a"), server.url("/s")], &[]);
    let rows = log(&folder);
    let page = rows.iter().find(|row| row.outcome == Outcome::Page).unwrap();
    assert_eq!(
        (page.url.as_str(), page.final_url.as_str()),
        (server.url("/a").as_str(), other.url("/c?id=1").as_str())
    );
    assert_eq!(page.title.as_deref(), Some("/c?id=1"));
    assert_eq!(outcome(&rows, &server.url("/a")), "redirect, redirect, page");
    assert_eq!(outcome(&rows, &server.url("/s")), "redirect, robots");
    assert_eq!((summary["redirects"].as_u64(), summary["downloaded"].as_u64()), (Some(3), Some(1)));
    assert_eq!(other.paths(), ["/b", "/c?id=1"]);
}

#[test]
fn charsets_and_content_codings_are_decoded() {
    let text = "<title>暴雨预警</title><p>暴雨 预警 发布 城市 积水 道路 河流 水位 上涨 转移 群众 救援 安全</p>";
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    let big5 = encoding_rs::BIG5
        .encode("<title>暴雨預警</title><p>暴雨 預警 發布 城市 積水 道路 河流")
        .0
        .into_owned();
    let packed = |kind: &str, body: Vec<u8>| {
        Reply::Http(
            200,
            vec![
                ("Content-Type".into(), "text/html; charset=utf-8".into()),
                ("Content-Encoding".into(), kind.into()),
            ],
            body,
        )
    };
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let site = move |asked: &Asked| match asked.path.as_str() {
        "/gbk" => Reply::typed("text/html; charset=gb2312", gbk(text)),
        "/meta" => Reply::typed("text/html", gbk(&format!("<meta charset=gbk>{text}"))),
        "/guess" => Reply::typed("text/html", gbk(&format!("{text} 猜测"))),
        "/big5" => Reply::typed("text/html; charset=big5", big5.clone()),
        "/gzip" => packed("gzip", gzip(format!("{text} gzip").as_bytes())),
        "/zstd" => packed("zstd", zstd::encode_all(format!("{text} zstd").as_bytes(), 1).unwrap()),
        // "rain" as brotli keeps what it cannot pack (RFC 7932).
        "/br" => packed("br", vec![0x8b, 0x01, 0x80, b'r', b'a', b'i', b'n', 0x03]),
        _ => Reply::status(404),
    };
    let server = Server::start("127.0.0.2", site);
    let folder = Folder::new();
    let paths = ["/gbk", "/meta", "/guess", "/big5", "/gzip", "/zstd", "/br"];
    let seeds: Vec<String> = paths.iter().map(|path| server.url(path)).collect();
    assert_eq!(crawl(&folder, &seeds, &[])["downloaded"], 7);
    let rows = log(&folder);
    let row = |path: &str| rows.iter().find(|row| row.url == server.url(path)).unwrap();
    for path in ["/gbk", "/meta", "/guess", "/gzip", "/zstd"] {
        assert_eq!(row(path).title.as_deref(), Some("暴雨预警"), "{path}");
    }
    assert_eq!(row("/big5").title.as_deref(), Some("暴雨預警"));
    assert_eq!(row("/gbk").charset.as_deref(), Some("GBK"));
    assert_eq!(row("/big5").charset.as_deref(), Some("Big5"));
    // Exports have the stored pages, decompressed and decoded.
    let exported = folder.run(&["crawl", "export", "out", "--format", "jsonl"]).stdout;
    assert_eq!(exported.matches("群众").count(), 5);
    assert!(exported.contains("\"text\":\"rain\""), "{exported}");
}

#[test]
fn busy_servers_are_retried_after_the_time_they_ask_for() {
    let server = Server::start("127.0.0.2", {
        let count = std::sync::atomic::AtomicUsize::new(0);
        move |asked: &Asked| match asked.path.as_str() {
            "/robots.txt" => Reply::status(404),
            _ if count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 => {
                Reply::Http(503, vec![("Retry-After".into(), "1".into())], Vec::new())
            }
            _ => Reply::html("at last"),
        }
    });
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/")], &["--retries", "1"]);
    assert_eq!((summary["downloaded"].as_u64(), summary["retries"].as_u64()), (Some(1), Some(1)));
    let asked: Vec<Asked> = server.asked().into_iter().filter(|it| it.path == "/").collect();
    assert!((asked[1].start - asked[0].end).as_secs_f64() >= 0.99);
    assert_eq!(log(&folder).last().unwrap().attempts, 1);
}

#[test]
fn retry_after_delays_the_host_even_if_its_page_is_given_up() {
    let server = Server::start("127.0.0.2", |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/busy" => Reply::Http(429, vec![("Retry-After".into(), "1".into())], Vec::new()),
        _ => Reply::html("fine"),
    });
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/busy"), server.url("/other")], &[]);
    assert_eq!((&summary["errors"]["http-429"], &summary["downloaded"]), (&1.into(), &1.into()));
    let asked = server.asked();
    assert!((asked[2].start - asked[1].end).as_secs_f64() >= 0.99);
}

#[test]
fn noindex_and_nofollow_are_obeyed() {
    let site = |asked: &Asked| match asked.path.as_str() {
        "/" => {
            Reply::html("<a href=/a rel='nofollow noopener'>a</a><a href=/b>b</a><a href=/c>c</a>")
        }
        "/b" => Reply::html("<meta name=robots content='noindex'><a href=/d>d</a>"),
        "/c" => Reply::html("<meta name=robots content='nofollow'><a href=/e>e</a>"),
        "/robots.txt" => Reply::status(404),
        // The same by a header.
        "/d" => Reply::Http(
            200,
            vec![
                ("Content-Type".into(), "text/html".into()),
                ("X-Robots-Tag".into(), "noindex, nofollow".into()),
            ],
            b"<a href=/f>f</a>".to_vec(),
        ),
        path => Reply::html(format!("page {path}")),
    };
    let server = Server::start("127.0.0.2", site);
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/")], &[]);
    assert_eq!(server.paths(), ["/", "/b", "/c", "/d"]);
    assert_eq!((summary["downloaded"].as_u64(), summary["stored"].as_u64()), (Some(4), Some(2)));
    assert_eq!(summary["refused"]["nofollow"], 3);
    // Pages that are not stored are not passed over in silence.
    assert_eq!(summary["noindex"], 2);
    let status = folder.run(&["crawl", "status", "out"]).stdout;
    assert!(
        status
            .lines()
            .any(|line| line.contains("pages not stored: noindex") && line.ends_with('2')),
        "{status}"
    );
    let explained = folder.run(&["crawl", "explain", "out", &server.url("/b")]).stdout;
    assert!(explained.contains("not stored, because the page forbids it (noindex)"), "{explained}");
    let stored = Folder::new();
    let summary = crawl(&stored, &[server.url("/")], &["--store-noindex"]);
    assert_eq!((summary["stored"].as_u64(), summary["noindex"].as_u64()), (Some(4), Some(0)));
    let other = Folder::new();
    assert_eq!(crawl(&other, &[server.url("/")], &["--follow-nofollow"])["downloaded"], 7);
}

#[test]
fn sitemaps_are_a_source_of_links() {
    let server = Server::start("127.0.0.2", |asked: &Asked| {
        let host = asked.header("host").to_owned();
        match asked.path.as_str() {
            "/robots.txt" => {
                Reply::typed("text/plain", format!("Sitemap: http://{host}/index.xml"))
            }
            "/index.xml" => Reply::typed(
                "application/xml",
                format!(
                    "<sitemapindex><sitemap><loc>http://{host}/s.xml.gz</loc></sitemap></sitemapindex>"
                ),
            ),
            "/s.xml.gz" => {
                let xml = format!("<urlset><url><loc>http://{host}/hidden</loc></url></urlset>");
                let mut packer =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packer.write_all(xml.as_bytes()).unwrap();
                Reply::typed("application/gzip", packer.finish().unwrap())
            }
            path => Reply::html(format!("page {path}")),
        }
    });
    let folder = Folder::new();
    let summary = crawl(&folder, &[server.url("/")], &["--sitemaps"]);
    assert_eq!((summary["sitemaps"].as_u64(), summary["downloaded"].as_u64()), (Some(2), Some(2)));
    assert!(server.paths().contains(&"/hidden".to_owned()));
    let without = Folder::new();
    assert_eq!(crawl(&without, &[server.url("/")], &[])["downloaded"], 1);
}

#[test]
fn headers_cookies_and_the_proxy_follow_the_settings() {
    let server = Server::start("127.0.0.2", |asked: &Asked| {
        let cookie = asked.header("cookie").to_owned();
        let headers =
            vec![("Content-Type".into(), "text/html".into()), ("Set-Cookie".into(), "id=7".into())];
        Reply::Http(
            200,
            headers,
            format!("{} [{cookie}] <a href=/2>2</a>", asked.path).into_bytes(),
        )
    });
    let sent = |more: &[&str]| {
        let before = server.asked().len();
        let folder = Folder::new();
        crawl(&folder, &[server.url("/")], more);
        let archive = std::fs::read(folder.path("out/pages/pages-00000.warc.gz")).unwrap();
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&archive[..]), &mut text)
            .unwrap();
        (server.asked().split_off(before), String::from_utf8_lossy(&text).into_owned())
    };
    let (plain, _) = sent(&[]);
    assert!(plain.iter().all(|asked| asked.header("cookie").is_empty()));
    let (asked, archive) = sent(&[
        "--cookies",
        "--header",
        "X-Test: yes",
        "--header",
        "Authorization: Basic abc",
        "--header",
        "Accept-Language: zh",
    ]);
    assert!(asked.iter().all(|asked| asked.header("x-test") == "yes"));
    assert!(asked.iter().all(|asked| asked.header("accept-language") == "zh"));
    assert!(asked.iter().any(|asked| asked.header("cookie") == "id=7"));
    assert_eq!(asked[0].header("authorization"), "Basic abc");
    // The archive has the request without its secrets.
    assert!(archive.contains("accept-language: zh") && !archive.contains("Basic abc"));
    assert!(!archive.contains("x-test"), "any header may be a secret");
    // A proxy is asked for absolute URLs.
    let proxy = Server::start("127.0.0.3", |asked: &Asked| match asked.path.as_str() {
        "http://far.example/robots.txt" => Reply::status(404),
        "http://far.example/" => Reply::html("through the proxy"),
        _ => Reply::status(500),
    });
    let folder = Folder::new();
    let through = format!("http://{}", proxy.address);
    let summary = crawl(&folder, &["http://far.example/".to_owned()], &["--proxy", &through]);
    assert_eq!(summary["downloaded"], 1);
}

#[test]
fn metrics_are_served_while_a_crawl_runs() {
    let server = Server::start("127.0.0.2", |_: &Asked| {
        std::thread::sleep(Duration::from_millis(100));
        Reply::html("<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>")
    });
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let folder = Folder::new();
    let url = server.url("/");
    let args = [
        "crawl",
        "run",
        "--contact",
        "test@example.org",
        "--allow-private",
        "127.0.0.2",
        "--delay",
        "0.6",
        "-o",
        "out",
        "--metrics",
        &address,
        "--log",
        "debug",
        &url,
    ];
    let child = folder.spawn(&args);
    let mut found = String::new();
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(50));
        if let Ok(mut stream) = std::net::TcpStream::connect(&address) {
            let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n");
            found.clear();
            let _ = std::io::Read::read_to_string(&mut stream, &mut found);
            if found.contains("ontrail_pages_total 1") {
                break;
            }
        }
    }
    assert!(
        found.contains("# TYPE ontrail_pages_total counter\nontrail_pages_total 1\n"),
        "{found}"
    );
    let status = folder.run(&["crawl", "status", "out", "--json"]).json();
    assert_eq!(status["state"], "running");
    let second = folder.run(&["crawl", "resume", "out"]);
    assert!(second.stderr.contains("another process is crawling"), "{}", second.stderr);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(folder.run(&["crawl", "status", "out", "--json"]).json()["state"], "finished");
}

/// With every recipe, hosts get their crawl delay and every page is fetched once. A strategy whose
/// links must wait or are forbidden by robots.txt neither ends early nor skips pages.
#[test]
fn every_kind_of_strategy_is_polite() {
    // All pages differ, because the links of duplicates are not followed.
    let page = |asked: &Asked, targets: &[&str]| {
        let anchors: String =
            targets.iter().map(|to| format!("<a href='{to}'>to {to}</a> ")).collect();
        Reply::html(format!("<p>links of {} {} {anchors}", asked.header("host"), asked.path))
    };
    let site = move |asked: &Asked| match asked.path.as_str() {
        "/" => page(asked, &["/1", "/2", "/3", "/4"]),
        "/2" => Reply::to("/5"),
        _ => page(asked, &["/", "/1", "/3"]),
    };
    for recipe in
        ["fcits-oh", "fcts", "gafc", "fcwseo", "olmoaco", "fcpso", "fcsa", "hits", "fccbs"]
    {
        let (one, two) = (Server::start("127.0.0.2", site), Server::start("127.0.0.3", site));
        let folder = Folder::new();
        let ran = folder.run(&["topic", "keywords", "links", "to", "-o", "t.json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mut more = vec!["--recipe", recipe, "--topic", "t.json", "--threshold", "0.1"];
        more.extend(["--delay", "0.1"]);
        match recipe {
            "gafc" => more.extend(["--set", "strategy.hub-links=2"]),
            "hits" => {}
            "fccbs" => more.extend(["--set", "priority.above=0.0"]),
            _ => more.extend(["--set", "priority.at-least=0.0"]),
        }
        let summary = crawl(&folder, &[one.url("/"), two.url("/")], &more);
        // Five pages of each host; /2 links to /5.
        assert_eq!(summary["downloaded"], 10, "{recipe}: {summary}");
        for server in [&one, &two] {
            let asked = server.asked();
            assert_eq!((asked[0].path.as_str(), asked.len()), ("/robots.txt", 7), "{recipe}");
            assert!(gaps(&asked).iter().all(|gap| *gap >= 0.09), "{recipe}: {:?}", gaps(&asked));
        }
    }
}

/// A proxy that answers whatever it is asked for, and pages that link into its machine.
#[test]
fn a_proxy_on_loopback_opens_no_way_to_its_machine() {
    let inside = Server::start("127.0.0.1", |_: &Asked| Reply::html("secret"));
    let port = inside.address.port();
    let targets = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "a.localhost"];
    let targets = targets.map(|host| format!("http://{host}:{port}/admin"));
    let page = targets.iter().map(|url| format!("<a href='{url}'>x</a> ")).collect::<String>();
    let proxy = Server::start("127.0.0.1", move |asked: &Asked| match asked.path.as_str() {
        "http://far.example/" => Reply::html(page.clone()),
        path if path.ends_with("/robots.txt") => Reply::status(404),
        _ => Reply::html("secret"),
    });
    let folder = Folder::new();
    let through = format!("http://{}", proxy.address);
    let more = ["--proxy", &through, "--allow-private", "127.9.9.9"];
    let summary = crawl(&folder, &["http://far.example/".to_owned()], &more);
    assert_eq!(summary["downloaded"], 1, "{summary}");
    assert_eq!(proxy.paths().last().unwrap(), "http://far.example/");
    assert!(proxy.asked().iter().all(|asked| asked.path.starts_with("http://far.example/")));
    assert!(inside.asked().is_empty());
    let rows = log(&folder);
    assert_eq!(outcome(&rows, &targets[0]), "off-limits");
    assert_eq!(outcome(&rows, &targets[1]), "off-limits");
}

#[test]
fn ports_that_browsers_refuse_are_not_connected_to() {
    // Nothing may connect to these; a port that is refused costs no attempt to connect.
    let server = Server::start("127.0.0.2", |asked: &Asked| match asked.path.as_str() {
        "/" => links(&["http://127.0.0.2:6379/", "http://127.0.0.2:11211/", "/mail", "/allowed"]),
        "/mail" => Reply::to("http://127.0.0.2:25/"),
        "/allowed" => Reply::to("http://127.0.0.2:6667/"),
        _ => Reply::status(404),
    });
    let folder = Folder::new();
    let seeds = [server.url("/"), "http://127.0.0.2:6000/".to_owned()];
    crawl(&folder, &seeds, &["--allow-port", "6667"]);
    let rows = log(&folder);
    for (url, expected) in [
        ("http://127.0.0.2:6379/", "off-limits"),
        ("http://127.0.0.2:11211/", "off-limits"),
        (server.url("/mail").as_str(), "redirect, off-limits"),
        // Nothing listens there, and the crawler asked.
        (server.url("/allowed").as_str(), "redirect, connect"),
        ("http://127.0.0.2:6000/", "connect"),
    ] {
        assert_eq!(outcome(&rows, url), expected, "{url}");
    }
    let detail = |url: &str| rows.iter().find(|row| row.url == url).unwrap().detail.clone();
    assert_eq!(
        detail("http://127.0.0.2:6379/").as_deref(),
        Some("port 6379 is not for web pages; allow it with --allow-port 6379")
    );
}

/// Everything in a crawl folder that others may read, archives unpacked, as one text.
fn readable(folder: &Folder) -> String {
    let mut text = String::new();
    let mut waiting = vec![folder.path("out")];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.file_name().is_some_and(|name| name == "secrets.json") {
            continue;
        }
        let mut bytes = std::fs::read(&path).unwrap();
        if path.extension().is_some_and(|it| it == "gz") {
            let packed = std::mem::take(&mut bytes);
            let mut unpacker = flate2::read::MultiGzDecoder::new(&packed[..]);
            std::io::Read::read_to_end(&mut unpacker, &mut bytes).unwrap();
        }
        text += &String::from_utf8_lossy(&bytes);
    }
    text
}

#[test]
fn secrets_go_only_where_they_belong_and_are_not_written_down() {
    let page = |asked: &Asked| Reply::html(format!("page {}", asked.header("host")));
    let (other, bound) = (Server::start("127.0.0.3", page), Server::start("127.0.0.4", page));
    let bound_url = format!("http://www.api.test:{}/", bound.address.port());
    let (to_other, to_bound) = (other.url("/"), bound_url.clone());
    let home = Server::start("127.0.0.2", move |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => links(&["/more", &to_other, &to_bound, "/away"]),
        "/away" => Reply::to(&format!("{to_other}redirected")),
        path => Reply::html(format!("page {path}")),
    });
    let folder = Folder::new();
    let more = [
        "--header",
        "Authorization: Bearer QWERTY",
        "--header=X-Our-Key: ASDFGH",
        "--header",
        "Accept-Language: zh",
        "--header-for",
        "api.test",
        "X-Api-Key: ZXCVBN",
        "--resolve",
        "www.api.test=127.0.0.4",
    ];
    let less = [&more[..], &["--budget", "2"]].concat();
    crawl(&folder, &[home.url("/")], &less);
    let secrets = folder.path("out/secrets.json");
    let resumed = folder.run(&["crawl", "resume", "out", "--budget", "100", "--json"]);
    assert_eq!(resumed.json()["downloaded"], 5, "{}", resumed.stderr);
    for (server, authorization, key) in
        [(&home, "Bearer QWERTY", ""), (&other, "", ""), (&bound, "", "ZXCVBN")]
    {
        let asked = server.asked();
        assert!(asked.len() >= 2, "{asked:?}");
        for asked in asked {
            let our_key = if authorization.is_empty() { "" } else { "ASDFGH" };
            assert_eq!(asked.header("authorization"), authorization, "{asked:?}");
            assert_eq!(asked.header("x-our-key"), our_key, "{asked:?}");
            assert_eq!(asked.header("x-api-key"), key, "{asked:?}");
            assert_eq!(asked.header("accept-language"), "zh");
        }
    }
    let text = readable(&folder);
    for secret in ["QWERTY", "ASDFGH", "ZXCVBN"] {
        assert!(!text.contains(secret), "{secret} was written down");
        assert!(std::fs::read_to_string(&secrets).unwrap().contains(secret));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&secrets).unwrap().permissions().mode() & 0o777, 0o600);
    }
    std::fs::remove_file(&secrets).unwrap();
    let without = folder.run(&["crawl", "resume", "out"]);
    assert_eq!(without.code, 2);
    assert!(without.stderr.contains("secrets.json: the file with"), "{}", without.stderr);
}

#[test]
fn a_site_cannot_set_cookies_for_other_sites() {
    let server = Server::start("127.0.0.2", |asked: &Asked| {
        let cookie = |domain: &str| {
            ("Set-Cookie".to_owned(), format!("{}=1; Domain={domain}", domain.replace('.', "_")))
        };
        let mut headers = vec![("Content-Type".to_owned(), "text/html".to_owned())];
        headers.extend(["co.uk", "one.co.uk", "two.co.uk"].map(cookie));
        Reply::Http(200, headers, format!("page of {}", asked.header("host")).into_bytes())
    });
    let port = server.address.port();
    let folder = Folder::new();
    let hosts = ["a.one.co.uk", "b.one.co.uk", "three.co.uk"];
    let seeds = hosts.map(|host| format!("http://{host}:{port}/"));
    let resolve = hosts.map(|host| format!("--resolve={host}=127.0.0.2"));
    let mut more = vec!["--cookies", "--parallel", "1"];
    more.extend(resolve.iter().map(String::as_str));
    assert_eq!(crawl(&folder, &seeds, &more)["downloaded"], 3);
    let sent: std::collections::BTreeSet<String> =
        server.asked().iter().map(|asked| asked.header("cookie").to_owned()).collect();
    assert_eq!(sent.into_iter().collect::<Vec<_>>(), ["", "one_co_uk=1"]);
    for asked in server.asked() {
        let is_third = asked.header("host").starts_with("three.");
        assert!(!is_third || asked.header("cookie").is_empty(), "{asked:?}");
    }
}

/// Runs `ontrail` with a limit on open files such as `-n 256` (soft and hard) or `-S -n 256`
/// (soft): exit code, standard output and error.
fn limited_run(folder: &Folder, args: &[String], limit: &str) -> (i32, String, String) {
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let binary = ontrail_tests::binary();
    let script = format!("ulimit {limit}; exec '{}' {}", binary.display(), quoted.join(" "));
    let mut command = std::process::Command::new("bash");
    let output = command.args(["-c", &script]).current_dir(folder.path(".")).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn many_hosts_do_not_use_up_the_open_files() {
    const HOSTS: usize = 600;
    let server = Server::start("127.0.0.2", |asked: &Asked| {
        Reply::html(format!("page of {}", asked.header("host")))
    });
    let port = server.address.port();
    let folder = Folder::new();
    let seeds: String = (0..HOSTS).map(|n| format!("http://h{n}.test:{port}/\n")).collect();
    folder.write("seeds.txt", seeds);
    let resolve: String = (0..HOSTS).map(|n| format!("\"h{n}.test\" = \"127.0.0.2\"\n")).collect();
    folder.write("s.toml", format!("[fetch.resolve]\n{resolve}"));
    let args = "crawl run --contact test@example.org --allow-private 127.0.0.2 --settings s.toml \
                --delay 0 --address-delay 0 --retries 0 --parallel 500 --seeds seeds.txt --json -o out";
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    let (code, stdout, stderr) = limited_run(&folder, &args, "-n 256");
    assert_eq!(code, 0, "{stderr}");
    let summary: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(summary["downloaded"], HOSTS, "{summary}");
    assert_eq!(summary["errors"], serde_json::json!({}), "{summary}");
    assert!(stderr.contains("the limit of 256 open files allows 16 fetches at a time"), "{stderr}");
    // A limit that the process may raise is raised.
    let args = args.iter().map(|arg| if arg == "out" { "raised".to_owned() } else { arg.clone() });
    let args: Vec<String> = args.chain(["--budget".to_owned(), "1".to_owned()]).collect();
    let (code, _, stderr) = limited_run(&folder, &args, "-S -n 200");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("raised the limit on open files from 200 to"), "{stderr}");
}
