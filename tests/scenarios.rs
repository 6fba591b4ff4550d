//! The faults of the hosts in the fault laboratory: a script for each.
//!
//! Most scripts wrap another one, usually [`site`], and misbehave for some requests only.

use std::io::Write;
use std::time::Duration;

use crate::laboratory::{Request, Script};
use crate::web::Reply;

/// A site without faults: a home page with links to `pages` others, `/1`, `/2` and so on. It has no
/// robots.txt.
#[must_use]
pub fn site(pages: usize) -> Script {
    Box::new(move |request| {
        let number = request.path.trim_start_matches('/').parse::<usize>();
        match (request.path, number) {
            ("/", _) => {
                let links = (1..=pages).map(|number| format!("<a href='/{number}'>{number}</a> "));
                page(request, &links.collect::<String>())
            }
            (_, Ok(number)) if (1..=pages).contains(&number) => page(request, ""),
            _ => Reply::status(404),
        }
    })
}

/// A page whose text is that of no other page, so that it is no duplicate.
#[must_use]
pub fn page(request: &Request<'_>, more: &str) -> Reply {
    let Request { authority, path, .. } = request;
    Reply::html(format!("<title>{path}</title><p>the page {path} of {authority} {more}"))
}

/// Answers the first `times` requests for pages with `fault`.
#[must_use]
pub fn at_first(times: usize, fault: Reply, otherwise: Script) -> Script {
    Box::new(move |request| {
        let is_page = request.path != "/robots.txt";
        if is_page && request.before < times { fault.clone() } else { otherwise(request) }
    })
}

/// Answers requests for one path with `fault`, always.
#[must_use]
pub fn at_path(path: &'static str, fault: Reply, otherwise: Script) -> Script {
    Box::new(move |request| if request.path == path { fault.clone() } else { otherwise(request) })
}

/// A reply that asks the crawler to come back later.
#[must_use]
pub fn busy(status: u16, retry_after: &str) -> Reply {
    Reply::Http(status, vec![("Retry-After".into(), retry_after.into())], Vec::new())
}

/// A site whose robots.txt has this text.
#[must_use]
pub fn with_robots(text: &'static str, otherwise: Script) -> Script {
    at_path("/robots.txt", Reply::typed("text/plain", text), otherwise)
}

/// A site whose robots.txt is `first` for the first request, and `then` after that.
#[must_use]
pub fn with_changing_robots(first: Reply, then: Reply, otherwise: Script) -> Script {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    Box::new(move |request| {
        if request.path != "/robots.txt" {
            return otherwise(request);
        }
        let before = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        if before == 0 { first.clone() } else { then.clone() }
    })
}

/// A site whose robots.txt redirects to a URL.
#[must_use]
pub fn with_robots_at(url: &str, otherwise: Script) -> Script {
    at_path("/robots.txt", Reply::to(url), otherwise)
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

/// A body that comes a byte at a time and has no end.
#[must_use]
pub fn slow_drip() -> Reply {
    let head = [HEAD, b"Content-Length: 900000\r\n\r\n"].concat();
    Reply::Drip(head, Duration::from_millis(100))
}

/// A body without an end.
#[must_use]
pub fn endless_body() -> Reply {
    Reply::Endless([HEAD, b"\r\n"].concat())
}

/// A body that is shorter than its Content-Length.
#[must_use]
pub fn short_body() -> Reply {
    Reply::Raw([HEAD, b"Content-Length: 5000\r\n\r\nfew"].concat())
}

/// A body that is longer than its Content-Length.
#[must_use]
pub fn long_body() -> Reply {
    Reply::Raw([HEAD, b"Content-Length: 10\r\n\r\n<p>ten and more than that"].concat())
}

/// Five thousand headers.
#[must_use]
pub fn header_flood() -> Reply {
    let flood: String = (0..5_000).map(|number| format!("X-{number}: y\r\n")).collect();
    Reply::Raw([HEAD, flood.as_bytes(), b"\r\nbody"].concat())
}

/// The bytes of a response that ends too early, for [`crate::laboratory::Trouble::ResetAfter`].
#[must_use]
pub fn half_a_response() -> Vec<u8> {
    [HEAD, b"Content-Length: 5000\r\n\r\n<p>half of "].concat()
}

/// A small body that unpacks to `megabytes`, in a coding: gzip, br or zstd.
///
/// # Panics
///
/// If the coding is unknown.
#[must_use]
pub fn bomb(coding: &str, megabytes: usize) -> Reply {
    let text = vec![b' '; 1 << 20];
    let mut packed = Vec::new();
    let fill = |out: &mut dyn Write| (0..megabytes).try_for_each(|_| out.write_all(&text));
    let written = match coding {
        "gzip" => {
            let mut encoder =
                flate2::write::GzEncoder::new(&mut packed, flate2::Compression::best());
            fill(&mut encoder).and_then(|()| encoder.finish().map(drop))
        }
        "br" => {
            let mut encoder = brotli::CompressorWriter::new(&mut packed, 1 << 16, 5, 22);
            fill(&mut encoder)
        }
        "zstd" => zstd::Encoder::new(&mut packed, 3).and_then(|mut encoder| {
            fill(&mut encoder)?;
            encoder.finish().map(drop)
        }),
        _ => panic!("{coding} is no coding"),
    };
    written.expect("memory can be written to");
    let headers = [("Content-Type", "text/html"), ("Content-Encoding", coding)];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Reply::Http(200, headers.to_vec(), packed)
}

/// A site on which every page redirects to the next, without an end, or back to itself.
#[must_use]
pub fn redirect_maze() -> Script {
    Box::new(|request| match request.path {
        "/robots.txt" => Reply::status(404),
        "/loop" => Reply::to("/loop"),
        path => Reply::to(&format!("{path}x")),
    })
}

/// A calendar: every month has links to its days and to the next month, for ever.
#[must_use]
pub fn calendar() -> Script {
    Box::new(|request| {
        let month = request.path.split("month=").nth(1).unwrap_or("0");
        let month: u64 = month.split('&').next().unwrap_or("0").parse().unwrap_or(0);
        let days = (1..=30).map(|day| format!("<a href='/?month={month}&day={day}'>{day}</a> "));
        let next = format!("<a href='/?month={}'>next</a> ", month + 1);
        match request.path {
            "/robots.txt" => Reply::status(404),
            _ => page(request, &(next + &days.collect::<String>())),
        }
    })
}

/// A site whose sitemap lists sitemaps, each of which lists a thousand more.
#[must_use]
pub fn exploding_sitemaps(otherwise: Script) -> Script {
    Box::new(move |request| {
        let host = request.authority;
        match request.path {
            "/robots.txt" => {
                Reply::typed("text/plain", format!("Sitemap: http://{host}/map-0.xml\n"))
            }
            path if path.starts_with("/map-") => {
                let name = path.trim_start_matches("/map-").trim_end_matches(".xml").to_owned();
                let maps = (0..1_000).map(|number| {
                    format!("<sitemap><loc>http://{host}/map-{name}.{number}.xml</loc></sitemap>")
                });
                let maps: String = maps.collect();
                Reply::typed("application/xml", format!("<sitemapindex>{maps}</sitemapindex>"))
            }
            _ => otherwise(request),
        }
    })
}

/// A site whose sitemap declares entities that expand to gigabytes.
#[must_use]
pub fn sitemap_of_entities(otherwise: Script) -> Script {
    Box::new(move |request| {
        let host = request.authority;
        match request.path {
            "/robots.txt" => Reply::typed("text/plain", format!("Sitemap: http://{host}/s.xml\n")),
            "/s.xml" => {
                let levels = (1..9).map(|level| {
                    let inner = format!("&e{};", level - 1).repeat(10);
                    format!("<!ENTITY e{level} \"{inner}\">")
                });
                let levels: String = levels.collect();
                let xml = format!(
                    "<!DOCTYPE urlset [<!ENTITY e0 \"http://{host}/\">{levels}]>\
                     <urlset><url><loc>&e8;</loc></url>\
                     <url><loc>http://{host}/1</loc></url></urlset>"
                );
                Reply::typed("application/xml", xml)
            }
            _ => otherwise(request),
        }
    })
}
