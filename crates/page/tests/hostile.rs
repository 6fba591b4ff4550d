//! Pages written to break a crawler. Parsing must finish in time that is linear in their size: most
//! are so large that a quadratic parser would not finish.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_page::{Html, Limits, Page, Source};
use ontrail_text::Analyzer;
use url::Url;

/// Parses a page and finds its terms: both must finish.
fn parse(html: &[u8]) -> (Html, Page) {
    let url = Url::parse("http://www.example.org/").unwrap();
    let parsed = Html::parse(html, Source::at(&url));
    let page = parsed.analyze(&Analyzer::new());
    (parsed, page)
}

fn read(html: &[u8]) -> Page {
    parse(html).1
}

#[test]
fn a_million_nested_tags() {
    for tag in ["div", "b", "p", "li", "table", "a", "font", "svg", "x-y", "ul><li"] {
        let page = read(format!("{}暴雨预警", format!("<{tag}>").repeat(1_000_000)).as_bytes());
        assert_eq!(page.occurrences().len(), 2, "<{tag}>");
    }
}

#[test]
fn nested_and_closed_again() {
    let html = "<div>".repeat(300_000) + "雨量" + &"</div>".repeat(300_000) + "<p>水位";
    let (html, page) = parse(html.as_bytes());
    assert_eq!(page.occurrences().len(), 2);
    assert!(html.cuts.depth);
}

#[test]
fn unclosed_formatting_that_multiplies() {
    let formats: String = (0..200).map(|n| format!("<font size={n}>")).collect();
    let (html, _) = parse(("<p>".to_owned() + &formats + &"<p>x".repeat(200_000)).as_bytes());
    assert!(html.cuts.nodes);
}

#[test]
fn misnested_formatting() {
    read("<b><i><a><p></b></i></a>".repeat(50_000).as_bytes());
    read("<table><b><tr><a></table>".repeat(50_000).as_bytes());
}

#[test]
fn one_tag_with_half_a_million_attributes() {
    let attributes: String = (0..500_000).map(|n| format!(" a{n}='>'")).collect();
    let (html, page) = parse(format!("<p{attributes}>水位").as_bytes());
    assert!(html.cuts.attributes && !html.cuts.nodes);
    assert_eq!(page.occurrences().len(), 1);
}

#[test]
fn stray_end_tags_do_not_hide_the_depth() {
    let (html, _) = parse("<div></x>".repeat(1_000_000).as_bytes());
    assert!(html.cuts.depth);
}

#[test]
fn attributes_hidden_from_the_first_guard() {
    let attributes: String = (0..1_500_000).map(|n| format!(" a{n}")).collect();
    for prefix in ["<svg><title>", "<svg><style>", "<!-->", "<? <!-- >", "<select><iframe>"] {
        read(format!("{prefix}<p{attributes}>水位").as_bytes());
    }
}

#[test]
fn a_long_base_is_not_copied_into_every_link() {
    let base = format!("<base href='http://h.example/{}/'>", "a".repeat(5_000_000));
    let (html, _) = parse(format!("{base}{}", "<a href=x>y</a>".repeat(5_000)).as_bytes());
    assert_eq!(html.links[0].url.as_str(), "http://www.example.org/x");
    let (html, _) = parse(b"<template><base href='//evil.example/'></template><a href=x>y</a>");
    assert_eq!(html.links[0].url.as_str(), "http://www.example.org/x");
}

#[test]
fn words_that_stem_slowly() {
    read(format!("<p>{}", "ay".repeat(2_000_000)).as_bytes());
}

#[test]
fn a_page_of_fifty_megabytes_is_cut_at_the_limit() {
    let paragraph = "<p>临溪县昨夜普降暴雨，河道水位上涨。</p>";
    let (html, page) = parse(paragraph.repeat(50_000_000 / paragraph.len()).as_bytes());
    assert!(html.cuts.bytes && !html.cuts.nodes);
    let words = read(paragraph.as_bytes()).occurrences().len();
    let expected = Limits::default().bytes / paragraph.len() * words;
    assert!(page.occurrences().len().abs_diff(expected) <= words);
}

#[test]
fn one_endless_word_tag_comment_or_script() {
    read("a".repeat(5_000_000).as_bytes());
    read("雨".repeat(1_000_000).as_bytes());
    read(("<".to_owned() + &"a".repeat(5_000_000)).as_bytes());
    read(("<!--".to_owned() + &"<!--".repeat(1_000_000)).as_bytes());
    read(("<script>".to_owned() + &"</scrip".repeat(500_000)).as_bytes());
    read(("<title>".to_owned() + &"<".repeat(3_000_000)).as_bytes());
    read("<".repeat(3_000_000).as_bytes());
    read("<!DOCTYPE ".repeat(300_000).as_bytes());
}

#[test]
fn truncated_entities_and_control_characters() {
    for html in ["&#", "&#x", "&#xFFFFFFFF;", "&am", "&#0;", "&notit;", "a\0b", "&#55296;"] {
        let page = read(format!("<p>{html}</p><p>水位 {html}").as_bytes());
        assert!(page.occurrences().len() <= 6, "{html}");
    }
    read("&".repeat(2_000_000).as_bytes());
    read("&#x1".repeat(500_000).as_bytes());
    read(&vec![0; 1_000_000]);
}

#[test]
fn mixed_charsets_and_no_charset_at_all() {
    let mut bytes = "<meta charset=utf-8><p>临溪县昨夜普降暴雨".as_bytes().to_vec();
    bytes.extend(encoding_rs::GBK.encode("暴雨").0.iter());
    bytes.extend([0xff, 0xfe, 0x00, 0xd8]);
    let (html, _) = parse(&bytes);
    assert!(html.damaged);
    let noise: Vec<u8> =
        (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    read(&noise);
}

#[test]
fn a_link_farm_is_cut_and_contexts_do_not_multiply() {
    let links: String = (0..100_000).map(|n| format!("<a href={n}>水位</a> 雨量 ")).collect();
    let (html, page) = parse(format!("<p>{links}").as_bytes());
    assert!(html.cuts.links);
    assert_eq!(html.links.len(), Limits::default().links);
    assert!(page.links.iter().all(|link| link.context.len() <= 200));
}

#[test]
fn absurd_urls() {
    let long = "x".repeat(100_000);
    let html = format!(
        "<a href='/{long}'>a</a><a href='http://[::::]'>b</a><a href='http://a b/'>c</a>\
         <a href='//'>d</a><a href='ht\ttp://example.org/e'>e</a><a>f</a><a href>g</a>"
    );
    let (html, _) = parse(html.as_bytes());
    let paths: Vec<_> = html.links.iter().map(|link| link.url.path()).collect();
    assert_eq!(paths, ["/e", "/"], "an empty URL is that of the page itself");
}

#[test]
fn an_unusable_base_is_ignored() {
    let (html, _) = parse(b"<base href='data:x'><a href=y>z</a>");
    assert_eq!(html.links[0].url.as_str(), "http://www.example.org/y");
}
