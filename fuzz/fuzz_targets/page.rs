//! Any bytes parse to a page, and its counts add up.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ontrail_page::{Html, Source};
use ontrail_text::Analyzer;
use url::Url;

static ANALYZER: LazyLock<Analyzer> =
    LazyLock::new(|| Analyzer::builder().terms(["暴雨灾害", "information retrieval"]).build());
static BASE: LazyLock<Url> = LazyLock::new(|| "http://www.example.org/a/b".parse().unwrap());

fuzz_target!(|bytes: &[u8]| {
    let source = Source::at(&BASE).with_content_type(Some("text/html"));
    let html = Html::parse(bytes, source);
    assert!(html.text().len() <= html.passages.text().len() + html.passages.len());
    let page = html.analyze(&ANALYZER);
    let total: u32 = page.group_totals().iter().sum();
    assert_eq!(total as usize, page.occurrences().len());
    let in_blocks: u32 = page.blocks.iter().flat_map(|block| &block.counts).map(|&(_, n)| n).sum();
    let of_body = page.occurrences().iter().filter(|o| o.block.is_some()).count();
    assert_eq!(in_blocks as usize, of_body);
    assert_eq!(page.links.len(), html.links.len());
    for link in &page.links {
        assert!(link.block.index() < page.blocks.len());
    }
});
