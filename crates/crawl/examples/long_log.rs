//! Writes the folder of a crawl of many pages without crawling, to measure the commands that read
//! such folders:
//!
//! ```sh
//! cargo run --release -p ontrail-crawl --example long_log -- long 2000000 10
//! /usr/bin/time -v ontrail crawl report long
//! ```
//!
//! The arguments are the folder, the number of pages, and the number of links on each page. All
//! pages have the same text in the archive, so that the archive stays small.

use std::error::Error;
use std::path::Path;

use ontrail_archive::Capture;
use ontrail_artifact::Provenance;
use ontrail_crawl::{
    CrawlSettings, FetchKind, FrontierPlace, LinkRow, LogRow, Outcome, RunFile, RunFolder, Stored,
    WebPlace, write_links, write_log,
};
use ontrail_pilot::{Recipe, Score, Verdict};

/// Pages of one host.
const PER_HOST: u64 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, pages, links] = args.as_slice() else {
        return Err("give a new folder, the number of pages and the links on each".into());
    };
    let (folder, pages, links) = (Path::new(folder), pages.parse()?, links.parse::<u64>()?);
    write_run(folder)?;
    let stored = write_archive(folder)?;
    write_log(&folder.join("log"), (1..=pages).map(|number| log_row(number, &stored)))?;
    let linked = (1..=pages).flat_map(|page| (0..links).map(move |link| link_row(page, link)));
    write_links(&folder.join("links"), linked)?;
    Ok(())
}

fn write_run(folder: &Path) -> Result<(), Box<dyn Error>> {
    let run = RunFile {
        web: WebPlace::Live,
        seeds: vec![url(1).parse()?],
        recipe: Recipe::shipped("bfs")?,
        topic: None,
        meanings: None,
        classifier: None,
        sdg: None,
        judge: None,
        labels: None,
        link_model: None,
        relevant: None,
        frontier: FrontierPlace::Disk,
        merged: Vec::new(),
        settings: CrawlSettings::default(),
    };
    RunFolder::create(folder)?.write_run(&run, &Provenance::of_this_process("long_log"))?;
    Ok(())
}

/// Writes an archive with one page. Returns its place.
fn write_archive(folder: &Path) -> Result<Stored, Box<dyn Error>> {
    let capture = Capture {
        url: &url(1),
        time: 1_700_000_000_000,
        number: 1,
        address: None,
        request: b"",
        head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
        body: "<title>Rain</title><p>Heavy rain all day.".as_bytes(),
        truncated: None,
    };
    let bytes = capture.pack().bytes;
    let stored =
        Stored { file: "pages-00000.warc.gz".to_owned(), offset: 0, length: bytes.len() as u64 };
    std::fs::create_dir_all(folder.join("pages"))?;
    std::fs::write(folder.join("pages").join(&stored.file), bytes)?;
    Ok(stored)
}

fn url(number: u64) -> String {
    format!("http://host-{}.example/news/2026/article-{number}.html", number / PER_HOST)
}

/// A number from 0 to 1 that looks random.
fn share(number: u64) -> f64 {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24)
}

fn log_row(number: u64, stored: &Stored) -> LogRow {
    let relevance = share(number);
    LogRow {
        number,
        time: Some(1_700_000_000_000 + number * 37),
        kind: FetchKind::Page,
        outcome: Outcome::Page,
        url: url(number),
        final_url: url(number),
        status: Some(200),
        bytes: 20_000 + number % 977,
        milliseconds: 120 + number % 89,
        address: Some(format!("192.0.2.{}", number % 250)),
        mime: Some("text/html".to_owned()),
        charset: Some("UTF-8".to_owned()),
        language: Some(["en", "zh", "de"][usize::try_from(number % 3).unwrap_or(0)].to_owned()),
        title: Some(format!("Heavy rain, report {number}")),
        depth: 1 + u32::try_from(number % 17).unwrap_or(0),
        parent: Some(url(1 + number / 10)),
        anchor: format!("article {number}"),
        scores: vec![(Score::Priority, share(number + 1))],
        relevance: Some(relevance),
        relevant: Some(relevance > 0.5),
        truly_relevant: Some(number.is_multiple_of(3)),
        links: 10,
        stored: Some(stored.clone()),
        ..LogRow::default()
    }
}

/// The first link of each page leads to the first page, as to a home page.
fn link_row(page: u64, link: u64) -> LinkRow {
    LinkRow {
        page,
        url: if link == 0 { url(1) } else { url(page * 10 + link) },
        anchor: format!("article {link}"),
        priority: Some(share(page * 31 + link)),
        verdict: Verdict::KNOWN,
    }
}
