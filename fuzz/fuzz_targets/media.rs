//! Pages in other formats than HTML: plain text, Markdown, feeds and PDF.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ontrail_page::{Html, Source};

const TYPES: [&str; 4] =
    ["text/plain", "text/markdown", "application/rss+xml", "application/pdf"];

fuzz_target!(|input: &[u8]| {
    let Some((&format, bytes)) = input.split_first() else { return };
    let media = TYPES[usize::from(format) % TYPES.len()];
    let html = Html::parse(bytes, Source::default().with_content_type(Some(media)));
    let _ = html.text();
});
