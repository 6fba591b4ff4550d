//! A collection of pages is read without the templates of its sites.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::Path;

use ontrail_archive::Capture;
use ontrail_intake::{Content, Read, Reading, read};

const NOTICE: &str = "本网转载文章，只为传递更多信息，并不代表本网赞同其观点，请读者自行判断。";

fn story(n: usize) -> String {
    format!("第{n}号简报：昨夜暴雨，河水上涨{n}厘米，第{n}村的桥已经封闭，请村民绕行。")
}

fn page(n: usize) -> String {
    format!("<meta charset=utf-8><article><p>{}</p><p>{NOTICE}</p></article>", story(n))
}

fn read_as(path: &Path, content: Content) -> Read {
    let reading = Reading { content, ..Reading::default() };
    read(path, reading, &|_| Box::new(|| ())).unwrap()
}

fn texts(path: &Path, content: Content) -> Vec<String> {
    let read = read_as(path, content);
    read.documents.iter().map(|document| document.full_text().unwrap()).collect()
}

#[test]
fn folders_are_read_without_what_repeats() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..20 {
        std::fs::write(folder.path().join(format!("{n:02}.html")), page(n)).unwrap();
    }
    let expected: Vec<String> = (0..20).map(story).collect();
    assert_eq!(texts(folder.path(), Content::Main), expected);
    let whole: Vec<String> = (0..20).map(|n| format!("{}\n{NOTICE}", story(n))).collect();
    assert_eq!(texts(folder.path(), Content::Page), whole);
}

#[test]
fn hosts_of_an_archive_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let urls = (0..40).map(|n| {
        // Most pages are of one host; the others of as many hosts as there are pages.
        let host = if n % 4 == 0 { format!("h{n}.test") } else { "news.test".to_owned() };
        format!("http://{host}/{n}")
    });
    let urls: Vec<String> = urls.collect();
    for (n, url) in urls.iter().enumerate() {
        let body = page(n);
        let capture = Capture {
            url,
            time: 1_600_000_000_000,
            number: n as u64,
            address: None,
            request: b"",
            head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
            body: body.as_bytes(),
            truncated: None,
        };
        bytes.extend(capture.pack().bytes);
    }
    let path = folder.path().join("web.warc.gz");
    std::fs::write(&path, bytes).unwrap();
    for (n, text) in texts(&path, Content::Main).iter().enumerate() {
        assert!(text.contains(&story(n)));
        assert_eq!(text.contains(NOTICE), n % 4 == 0, "{n}");
    }
}
