//! Laws that hold for every page.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_page::{Analyses, Html, LabelGroup, Page, Source};
use ontrail_text::Analyzer;
use proptest::prelude::*;
use url::Url;

/// Generates something like HTML: tags that open and close at random, with text between them.
fn html() -> impl Strategy<Value = Vec<u8>> {
    let tag = prop::sample::select(vec![
        "div",
        "p",
        "h1",
        "h3",
        "h5",
        "strong",
        "td",
        "table",
        "tr",
        "li",
        "ul",
        "a href=x",
        "b",
        "title",
        "script",
        "style",
        "span",
        "br",
        "svg",
        "template",
        "noscript",
        "meta name=keywords content=水位",
        "img alt=雨量",
        "select",
        "option",
        "body",
        "html lang=zh",
        "head",
        "form",
        "frameset",
    ]);
    let piece = prop_oneof![
        tag.clone().prop_map(|tag| format!("<{tag}>")),
        tag.prop_map(|tag| format!("</{}>", tag.split(' ').next().unwrap_or_default())),
        "[暴雨预警信号发布水位 a-z,。]{0,12}",
        Just("<!-- 注释 -->".to_owned()),
    ];
    prop_oneof![
        9 => prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..400),
    ]
}

fn parse(html: &[u8]) -> Html {
    let url = Url::parse("http://www.example.org/").unwrap();
    Html::parse(html, Source::at(&url))
}

fn read(html: &[u8]) -> Page {
    parse(html).analyze(&Analyzer::new())
}

/// Returns analyzers that find different terms: the default, one with topic terms, and one that
/// keeps every word.
fn vocabularies() -> [Analyzer; 3] {
    [
        Analyzer::new(),
        Analyzer::builder().terms(["暴雨预警信号", "水位", "雨量 b"]).build(),
        Analyzer::builder().keep_stop_words().min_chars(1).numbers(true).build(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn counts_per_group_sum_to_the_page(html in html()) {
        let page = read(&html);
        let total: u32 = page.group_totals().iter().sum();
        prop_assert_eq!(total as usize, page.occurrences().len());
        let counted: u32 = page.counts().flat_map(|(_, by_group)| by_group).sum();
        prop_assert_eq!(counted, total);
        for (term, by_group) in page.counts() {
            for group in LabelGroup::ALL {
                prop_assert_eq!(page.count(term, group), by_group[group.index()]);
            }
        }
    }

    #[test]
    fn every_word_of_the_body_is_in_exactly_one_block(html in html()) {
        let page = read(&html);
        let in_blocks: u32 = page.blocks.iter().flat_map(|b| &b.counts).map(|&(_, n)| n).sum();
        let of_body = page.occurrences().iter().filter(|o| o.block.is_some()).count();
        prop_assert_eq!(in_blocks as usize, of_body);
        for block in &page.blocks {
            prop_assert!(block.counts.is_sorted());
        }
    }

    #[test]
    fn links_point_into_the_page(html in html()) {
        let html = parse(&html);
        let page = html.analyze(&Analyzer::new());
        prop_assert_eq!(page.links.len(), html.links.len());
        for (link, terms) in html.links.iter().zip(&page.links) {
            prop_assert!(terms.block.index() < page.blocks.len());
            prop_assert!(matches!(link.url.scheme(), "http" | "https"));
            for term in terms.anchor.iter().chain(&terms.context) {
                prop_assert!(term.index() < page.vocabulary().len());
            }
        }
    }

    #[test]
    fn one_parse_serves_every_vocabulary(html in html()) {
        let shared = parse(&html);
        for analyzer in &vocabularies() {
            prop_assert_eq!(shared.analyze(analyzer), parse(&html).analyze(analyzer));
        }
        prop_assert_eq!(shared, parse(&html));
    }

    #[test]
    fn all_terms_are_found_in_the_passages(html in html()) {
        let html = parse(&html);
        let page = html.analyze(&Analyzer::new());
        let analyzer = Analyzer::new();
        let words: Vec<String> =
            html.passages.iter().flat_map(|passage| analyzer.terms(passage.text())).collect();
        let found = page.occurrences().iter().map(|word| page.vocabulary().term(word.term));
        prop_assert_eq!(words, found.collect::<Vec<_>>());
    }

    #[test]
    fn parsing_twice_gives_the_same_page(html in html()) {
        prop_assert_eq!(parse(&html), parse(&html));
        prop_assert_eq!(read(&html), read(&html));
    }

    #[test]
    fn scripts_styles_and_comments_never_count(text in "[a-z]{3,9}") {
        let html = format!("<script>{text}</script><style>{text}</style><!--{text}--><p>水位");
        let page = read(html.as_bytes());
        prop_assert_eq!(page.occurrences().len(), 1);
    }
}

#[test]
fn equal_analyzers_share_an_analysis() {
    let html = parse("<title>暴雨预警</title><p>水位 <a href=x>雨量</a>".as_bytes());
    let [plain, topic, every] = vocabularies();
    let again = Analyzer::new();
    let mut analyses = Analyses::of(&html);
    let first = analyses.by(&plain);
    assert!(std::rc::Rc::ptr_eq(&first, &analyses.by(&plain)));
    assert!(
        std::rc::Rc::ptr_eq(&first, &analyses.by(&again)),
        "equal analyzers share one analysis"
    );
    for other in [&topic, &every] {
        let page = analyses.by(other);
        assert!(!std::rc::Rc::ptr_eq(&first, &page));
        assert_eq!(*page, html.analyze(other));
    }
}
