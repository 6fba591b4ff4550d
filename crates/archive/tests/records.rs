//! Archives with every kind of compression, and broken ones.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ontrail_archive::{Record, Records, find};
use proptest::prelude::*;

fn record(url: &str, http: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        http.len()
    )
    .into_bytes();
    bytes.extend(http);
    bytes.extend(b"\r\n\r\n");
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read(bytes: Vec<u8>) -> Vec<Result<Record, String>> {
    let reader = Box::new(std::io::Cursor::new(bytes));
    Records::new(reader, Path::new("a.warc")).map(|r| r.map_err(|e| e.to_string())).collect()
}

const PAGE: &[u8] =
    b"HTTP/1.0 200 Document follows\nContent-type: text/html\nno colon here\n\n<p>hi";

#[test]
fn archives_may_be_compressed_by_record_as_a_whole_or_not_at_all() {
    let first = record("http://a.example/", PAGE);
    let second = record("http://b.example/", b"HTTP/1.1 404 Not Found\r\n\r\n");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc.gz");
    for bytes in [
        [first.clone(), second.clone()].concat(),
        gzip(&[first.clone(), second.clone()].concat()),
        [gzip(&first), gzip(&second)].concat(),
    ] {
        fs::write(&path, bytes).unwrap();
        let records: Vec<_> = Records::open(&path).unwrap().map(Result::unwrap).collect();
        assert_eq!(records.len(), 2);
        assert_eq!(records[1].target(), Some("http://b.example/"));
        let response = records[0].response().unwrap();
        assert_eq!((response.status, response.body.as_slice()), (200, &b"<p>hi"[..]));
        assert_eq!(response.header("CONTENT-TYPE"), Some("text/html"));
        assert_eq!(records[1].response().unwrap().status, 404);
    }
}

#[test]
fn a_url_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    fs::write(&path, record("http://a.example/x?y", PAGE)).unwrap();
    let get = |url: &str| find(&path, &url.parse().unwrap()).unwrap().map(|found| found.body);
    assert_eq!(get("http://A.example:80/x?y#top").as_deref(), Some(&b"<p>hi"[..]));
    assert_eq!(get("http://a.example/x"), None);
}

#[test]
fn bodies_are_unchunked_and_decompressed() {
    let body = |http: &[u8]| {
        read(record("http://a.example/", http)).remove(0).unwrap().response().unwrap().body
    };
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    assert_eq!(body(chunked), b"abcde");
    let joined_already = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nabcde fgh";
    assert_eq!(body(joined_already), b"abcde fgh");
    let mut packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    packed.extend(gzip(b"abcde"));
    assert_eq!(body(&packed), b"abcde");
}

#[test]
fn other_records_have_no_response() {
    let info = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 5\r\nX-Long: a\r\n b\r\n\r\nhello\r\n\r\n";
    let records = read(info.to_vec());
    let record = records[0].as_ref().unwrap();
    assert_eq!((record.kind(), record.block.as_slice()), ("warcinfo", &b"hello"[..]));
    assert_eq!(record.header("x-long"), Some("a b"));
    assert_eq!(record.response(), None);
}

#[test]
fn errors_name_the_number_of_the_record() {
    let good = record("http://a.example/", PAGE);
    for (bytes, expected) in [
        (b"<html>".to_vec(), "expected WARC/1.0 or WARC/1.1, found `<html>`"),
        (b"WARC/1.0\r\n\r\n".to_vec(), "no Content-Length"),
        (b"WARC/1.0\r\nContent-Length: x\r\n\r\n".to_vec(), "Content-Length is not a number"),
        (b"WARC/1.0\r\nnonsense\r\n\r\n".to_vec(), "a header line has no colon"),
        (b"WARC/1.0\r\nA: b\r\n".to_vec(), "the archive ends inside the headers of this record"),
        (good[..good.len() - 10].to_vec(), "the archive ends inside this record"),
        (
            [b"WARC/1.0\r\nA:".to_vec(), vec![b'x'; 100_000]].concat(),
            "a header line is longer than 64 KiB",
        ),
    ] {
        let mut records = read([good.clone(), bytes].concat());
        assert_eq!(records.len(), 2, "{expected}");
        assert_eq!(records.remove(1).unwrap_err(), format!("a.warc: record 2: {expected}"));
    }
}

#[test]
fn of_a_large_block_only_the_start_is_kept() {
    let bytes = [record("http://a.example/", PAGE), record("http://b.example/", PAGE)].concat();
    let reader = Box::new(std::io::Cursor::new(bytes));
    let records: Vec<_> = Records::new(reader, Path::new("a.warc"))
        .with_largest_block(10)
        .map(Result::unwrap)
        .collect();
    assert_eq!(records.len(), 2);
    assert!(records.iter().all(|record| record.truncated && record.block.len() == 10));
}

proptest! {
    #[test]
    fn any_bytes_are_records_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let whole = [record("http://a.example/", &bytes), bytes.clone()].concat();
        for record in read(whole).into_iter().flatten() {
            let _ = record.response();
        }
    }
}
