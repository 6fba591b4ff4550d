//! Writes the records of one fetch, ready to be appended to an archive.
//!
//! Each record is a separate gzip member (annex D of WARC 1.1), so that it can be read without
//! those before it. Record IDs are derived from the content of the capture and are not random: the
//! same fetch gives the same bytes.

use std::io::Write;

use data_encoding::BASE32;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use sha1::{Digest, Sha1};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use url::{Host, Url};
use xxhash_rust::xxh3::xxh3_128;

/// One fetch: a request and its response.
#[derive(Debug, Clone)]
pub struct Capture<'a> {
    /// The URL.
    pub url: &'a str,
    /// The time of the fetch, in milliseconds since 1970.
    pub time: u64,
    /// A number that no other capture in the archive has.
    pub number: u64,
    /// The IP address of the server.
    pub address: Option<std::net::IpAddr>,
    /// The request: the request line and the headers, each with its line end, and an empty line.
    pub request: &'a [u8],
    /// The head of the response: the status line and the headers, likewise.
    pub head: &'a [u8],
    /// The body as received, with chunks joined.
    pub body: &'a [u8],
    /// The reason why the end of the body is missing, if it is: `length`, `time` or `disconnect`.
    pub truncated: Option<&'a str>,
}

/// The compressed records of one fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The bytes of the response record, followed by those of the request record.
    pub bytes: Vec<u8>,
    /// The number of bytes of the response record.
    pub response_length: u64,
    /// The digest of the body.
    pub digest: String,
}

/// Returns the digest of a body in the form used in archives: SHA-1 in base 32.
///
/// ```
/// assert_eq!(ontrail_archive::digest(b""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
/// ```
#[must_use]
pub fn digest(body: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(body)))
}

impl Capture<'_> {
    /// Returns the response and the request as two records.
    #[must_use]
    pub fn pack(&self) -> Packed {
        let payload = digest(self.body);
        let mut fields = self.fields("response");
        fields.push(("WARC-Payload-Digest", payload.clone()));
        fields.extend(self.truncated.map(|why| ("WARC-Truncated", why.to_owned())));
        self.with_request(&fields, &[self.head, self.body], payload)
    }

    /// Returns the records of a fetch whose body is already in the archive, under the URL `of`,
    /// which was fetched at `of_time`. Only the head of the response is stored.
    #[must_use]
    pub fn pack_revisit(&self, of: &str, of_time: u64) -> Packed {
        let payload = digest(self.body);
        let mut fields = self.fields("revisit");
        let profile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
        fields.push(("WARC-Profile", profile.to_owned()));
        fields.push(("WARC-Payload-Digest", payload.clone()));
        fields.push(("WARC-Refers-To-Target-URI", of.to_owned()));
        fields.push(("WARC-Refers-To-Date", date(of_time)));
        self.with_request(&fields, &[self.head], payload)
    }

    fn fields(&self, kind: &'static str) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("WARC-Type", kind.to_owned()),
            ("WARC-Record-ID", self.id(kind)),
            ("WARC-Date", date(self.time)),
            ("WARC-Target-URI", self.url.to_owned()),
        ];
        fields.extend(self.address.map(|address| ("WARC-IP-Address", address.to_string())));
        fields.push(("Content-Type", "application/http; msgtype=response".to_owned()));
        fields
    }

    fn with_request(
        &self,
        fields: &[(&'static str, String)],
        block: &[&[u8]],
        digest: String,
    ) -> Packed {
        let response = fields.iter().find(|(name, _)| *name == "WARC-Record-ID");
        let concurrent = response.map(|(_, id)| id.clone()).unwrap_or_default();
        let mut bytes = record(fields, block);
        let response_length = bytes.len() as u64;
        if !self.request.is_empty() {
            let fields = [
                ("WARC-Type", "request".to_owned()),
                ("WARC-Record-ID", self.id("request")),
                ("WARC-Date", date(self.time)),
                ("WARC-Target-URI", self.url.to_owned()),
                ("WARC-Concurrent-To", concurrent),
                ("Content-Type", "application/http; msgtype=request".to_owned()),
            ];
            bytes.extend(record(&fields, &[self.request]));
        }
        Packed { bytes, response_length, digest }
    }

    fn id(&self, kind: &str) -> String {
        let about = format!("{kind} {} {} {}", self.number, self.time, self.url);
        record_id(about.as_bytes())
    }
}

/// Returns the first record of an archive, which says how the archive was made.
#[must_use]
pub fn warcinfo(name: &str, time: u64, about: &[(&str, &str)]) -> Vec<u8> {
    let block: String = about.iter().map(|(key, value)| format!("{key}: {value}\r\n")).collect();
    let fields = [
        ("WARC-Type", "warcinfo".to_owned()),
        ("WARC-Record-ID", record_id(format!("warcinfo {name} {time}").as_bytes())),
        ("WARC-Date", date(time)),
        ("WARC-Filename", name.to_owned()),
        ("Content-Type", "application/warc-fields".to_owned()),
    ];
    record(&fields, &[block.as_bytes()])
}

/// Returns a record as one gzip member.
fn record(fields: &[(&str, String)], block: &[&[u8]]) -> Vec<u8> {
    let length: usize = block.iter().map(|part| part.len()).sum();
    let mut head = "WARC/1.1\r\n".to_owned();
    for (name, value) in fields {
        head += &format!("{name}: {}\r\n", value.replace(['\r', '\n'], " "));
    }
    head += &format!("Content-Length: {length}\r\n\r\n");
    // Most of a page is text, which the fastest level compresses well enough.
    let sink = Vec::with_capacity(length / 3 + 512);
    let mut packer: GzEncoder<Vec<u8>> = GzBuilder::new().write(sink, Compression::new(1));
    let parts = [head.as_bytes()].into_iter().chain(block.iter().copied());
    for part in parts.chain([&b"\r\n\r\n"[..]]) {
        packer.write_all(part).expect("memory can be written to");
    }
    packer.finish().expect("memory can be written to")
}

/// Returns a record ID derived from `about`, as a UUID of version 8 (vendor-specific).
fn record_id(about: &[u8]) -> String {
    let mut bytes = xxh3_128(about).to_be_bytes();
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = data_encoding::HEXLOWER.encode(&bytes);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    format!("<urn:uuid:{}>", parts.join("-"))
}

/// Formats a time as in WARC records.
fn date(milliseconds: u64) -> String {
    moment(milliseconds).format(&Rfc3339).expect("a time up to the year 9999 can be formatted")
}

/// Converts a time, and clamps it to the year 9999, the last that can be formatted.
fn moment(milliseconds: u64) -> OffsetDateTime {
    let last = 253_402_300_799;
    let seconds = i64::try_from(milliseconds / 1_000).unwrap_or(last).min(last);
    OffsetDateTime::from_unix_timestamp(seconds).expect("the year is at most 9999")
}

/// Returns the sort key of a URL in an index (SURT): the labels of the host in reverse order, then
/// the path and query.
///
/// ```
/// # use ontrail_archive::surt;
/// assert_eq!(surt(&"https://www.Example.org/a?b=1".parse()?), "org,example,www)/a?b=1");
/// assert_eq!(surt(&"http://127.0.0.1:8080/".parse()?), "127.0.0.1:8080)/");
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn surt(url: &Url) -> String {
    let host = match url.host() {
        Some(Host::Domain(name)) => {
            let mut parts: Vec<&str> = name.split('.').collect();
            parts.reverse();
            parts.join(",")
        }
        Some(address) => address.to_string(),
        None => String::new(),
    };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let rest = &url[url::Position::BeforePath..url::Position::AfterQuery];
    format!("{host}{port}){}", rest.to_lowercase())
}

/// Returns a line of a CDXJ index, without a line end. `fields` is a JSON object.
///
/// # Panics
///
/// Never: every time can be formatted.
#[must_use]
pub fn index_line(url: &Url, time: u64, fields: &str) -> String {
    let stamp = format_description!("[year][month][day][hour][minute][second]");
    let stamp = moment(time).format(&stamp).expect("a time up to the year 9999 can be formatted");
    format!("{} {stamp} {fields}", surt(url))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::record::Records;

    use super::*;

    fn capture() -> Capture<'static> {
        Capture {
            url: "http://a.example/暴雨",
            time: 1_700_000_000_123,
            number: 7,
            address: Some("192.0.2.7".parse().unwrap()),
            request: b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
            head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n",
            body: b"rain",
            truncated: None,
        }
    }

    fn read(bytes: &[u8]) -> Vec<crate::Record> {
        let plain = flate2::bufread::MultiGzDecoder::new(bytes);
        let reader = Box::new(std::io::BufReader::new(plain));
        Records::new(reader, Path::new("memory")).map(Result::unwrap).collect()
    }

    #[test]
    fn a_capture_is_read_back() {
        let packed = capture().pack();
        let records = read(&packed.bytes);
        assert_eq!(records.len(), 2);
        assert_eq!((records[0].kind(), records[1].kind()), ("response", "request"));
        assert_eq!(records[0].response().unwrap().body, b"rain");
        assert_eq!(records[0].header("WARC-Date"), Some("2023-11-14T22:13:20Z"));
        assert_eq!(records[0].header("WARC-Payload-Digest"), Some(packed.digest.as_str()));
        assert_eq!(records[1].header("WARC-Concurrent-To"), records[0].header("WARC-Record-ID"));
        // The response record alone is a complete archive too.
        let length = usize::try_from(packed.response_length).unwrap();
        assert_eq!(read(&packed.bytes[..length]).len(), 1);
        assert_eq!(capture().pack(), packed);
    }

    #[test]
    fn a_revisit_has_no_body() {
        let packed = capture().pack_revisit("http://b.example/", 1_600_000_000_000);
        let records = read(&packed.bytes);
        assert_eq!(records[0].kind(), "revisit");
        assert_eq!(records[0].block, capture().head);
        assert_eq!(records[0].header("WARC-Refers-To-Date"), Some("2020-09-13T12:26:40Z"));
        assert_eq!(packed.digest, digest(b"rain"));
    }

    #[test]
    fn indexes_sort_by_host() {
        let url = "http://b.a.example/X".parse().unwrap();
        assert_eq!(index_line(&url, 0, "{}"), "example,a,b)/x 19700101000000 {}");
    }
}
