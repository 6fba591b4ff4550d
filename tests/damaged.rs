//! Damaged Parquet files: every command that reads one refuses it by name, without a panic.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::Path;

use ontrail_archive::Capture;
use ontrail_table::{Table, TableError};
use ontrail_tests::Folder;

/// Reads all columns of a table.
fn read(path: &Path) -> Result<(), TableError> {
    let table = Table::open(path)?;
    let columns = table.columns().to_vec();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    for batch in table.batches(&columns)? {
        let batch = batch?;
        for name in &columns {
            batch.texts(name)?;
        }
    }
    Ok(())
}

/// Changes one byte of a file so that the Parquet reader panics, which the table crate contains.
fn make_the_reader_panic(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let panics = |mutant: &[u8]| {
        fs::write(path, mutant).unwrap();
        read(path).is_err_and(|error| error.to_string().contains("the reader failed"))
    };
    let found = (4..bytes.len()).flat_map(|at| [65, 0xff, 0].map(|byte| (at, byte))).any(|it| {
        let mut mutant = bytes.clone();
        mutant[it.0] = it.1;
        panics(&mutant)
    });
    assert!(found, "no changed byte makes the reader panic");
}

/// A finished crawl of a web of three pages.
fn crawl(folder: &Folder) {
    let mut archive = Vec::new();
    let pages = [("/", "rain <a href=/a>storm</a> <a href=/b>sun</a>"), ("/a", "a"), ("/b", "b")];
    for (number, (path, body)) in (0..).zip(pages) {
        let capture = Capture {
            url: &format!("http://a.test{path}"),
            time: 1_600_000_000_000,
            number,
            address: None,
            request: b"",
            head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
            body: body.as_bytes(),
            truncated: None,
        };
        archive.extend(capture.pack().bytes);
    }
    folder.write("web.warc.gz", archive);
    let args = ["crawl", "run", "--web", "web.warc.gz", "-o", "out", "http://a.test/"];
    assert_eq!(folder.run(&args).code, 0);
}

#[test]
fn a_damaged_log_is_refused_by_name() {
    let folder = Folder::new();
    crawl(&folder);
    let log = folder.path("out/log/00000.parquet");
    let whole = fs::read(&log).unwrap();
    make_the_reader_panic(&log);
    let panicking = fs::read(&log).unwrap();
    for damaged in [panicking, whole[..whole.len() / 2].to_vec(), Vec::new()] {
        fs::write(&log, &damaged).unwrap();
        for args in [
            &["crawl", "explain", "out", "http://a.test/a"][..],
            &["crawl", "report", "out"],
            &["crawl", "export", "out", "--all"],
            &["report", "--crawl", "out", "-o", "report.html"],
        ] {
            folder.run(args).refused("00000.parquet: not a readable Parquet file: ");
        }
        assert_eq!(folder.run(&["crawl", "status", "out"]).code, 0);
    }
    fs::write(&log, whole).unwrap();
    assert_eq!(folder.run(&["crawl", "report", "out"]).code, 0);
    let links = folder.path("out/links/00000.parquet");
    make_the_reader_panic(&links);
    let explain = folder.run(&["crawl", "explain", "out", "http://a.test/a"]);
    explain.refused("links/00000.parquet: not a readable Parquet file: ");
}

#[test]
fn a_damaged_dataset_is_refused_by_name() {
    let folder = Folder::new();
    folder.write("news.tsv", "rain\t暴雨引发洪涝\nsun\t晴天\nrain\t水位上涨\n");
    let converted = folder.run(&["corpus", "convert", "news.tsv", "-o", "news.parquet"]);
    assert_eq!(converted.code, 0, "{}", converted.stderr);
    make_the_reader_panic(&folder.path("news.parquet"));
    for args in [
        &["corpus", "check", "news.parquet"][..],
        &["corpus", "convert", "news.parquet", "-o", "again.tsv"],
        &["lattice", "context", "news.parquet", "-o", "news.cxt"],
    ] {
        folder.run(args).refused("news.parquet: not a readable Parquet file: ");
    }
}
