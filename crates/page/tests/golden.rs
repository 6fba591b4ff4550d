//! Pages whose content was written down by hand, compared with what the parser finds.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_page::{
    BlockKind, Html, LabelGroup, LinkKind, LinkTerms, Page, PageLink, Rel, RobotsMeta, Source, Tag,
};
use ontrail_text::{Analyzer, CharsetSource, TermId};
use url::Url;

fn parse(html: &[u8]) -> Html {
    let url = Url::parse("http://www.example.org/dir/page.html").unwrap();
    Html::parse(html, Source::at(&url))
}

fn read(html: &[u8]) -> Page {
    parse(html).analyze(&Analyzer::new())
}

fn terms(page: &Page, ids: &[TermId]) -> Vec<String> {
    ids.iter().map(|&id| page.vocabulary().term(id).to_owned()).collect()
}

/// The words of one label group, in order.
fn group(page: &Page, group: LabelGroup) -> Vec<String> {
    let ids: Vec<_> =
        page.occurrences().iter().filter(|o| o.group == group).map(|o| o.term).collect();
    terms(page, &ids)
}

fn block(page: &Page, index: usize) -> Vec<(String, u32)> {
    let counts = &page.blocks[index].counts;
    counts.iter().map(|&(id, n)| (page.vocabulary().term(id).to_owned(), n)).collect()
}

/// Finds a link by the end of its URL, and its terms.
fn link<'a>(html: &'a Html, page: &'a Page, ending: &str) -> (&'a PageLink, &'a LinkTerms) {
    let mut links = html.links.iter().zip(&page.links);
    links.find(|(link, _)| link.url.as_str().ends_with(ending)).expect(ending)
}

#[test]
fn the_head_of_a_news_page_is_read() {
    let html = parse(include_bytes!("pages/news.html"));
    assert_eq!(html.title, "暴雨 预警");
    assert_eq!(html.language.as_deref(), Some("zh-CN"));
    assert_eq!((html.charset, html.charset_source), ("UTF-8", CharsetSource::Meta));
    assert_eq!(html.canonical.unwrap().as_str(), "http://www.example.org/rain/1.html");
    assert_eq!(html.robots, RobotsMeta { noindex: true, nofollow: false });
    assert!(!html.cuts.any());
}

#[test]
fn words_are_counted_under_the_innermost_listed_label() {
    let page = read(include_bytes!("pages/news.html"));
    assert_eq!(
        group(&page, LabelGroup::Title),
        ["暴雨", "预警", "暴雨", "预警", "气象台", "发布", "预警", "暴雨"]
    );
    assert_eq!(group(&page, LabelGroup::Heading), ["雨量"]);
    assert_eq!(group(&page, LabelGroup::Emphasis), ["暴雨"]);
    assert_eq!(group(&page, LabelGroup::Body), ["袭击", "河流", "水位", "山洪"]);
    assert_eq!(group(&page, LabelGroup::Other), ["外层", "文字", "尾部", "空洞"]);
    assert_eq!(page.group_totals(), [8, 1, 1, 4, 4]);
}

#[test]
fn blocks_are_innermost_divs_and_what_is_left_of_outer_ones() {
    let page = read(include_bytes!("pages/news.html"));
    let kinds: Vec<_> = page.blocks.iter().map(|block| block.kind).collect();
    // In order: the page outside every div, the outer div, the content, the side column.
    assert_eq!(kinds, [BlockKind::Residual, BlockKind::Residual, BlockKind::Leaf, BlockKind::Leaf]);
    assert_eq!(block(&page, 0), [("暴雨".into(), 1), ("空洞".into(), 1)]);
    assert_eq!(block(&page, 1), [("外层".into(), 1), ("文字".into(), 1), ("尾部".into(), 1)]);
    let content = block(&page, 2);
    let words: Vec<_> = content.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words, ["暴雨", "雨量", "袭击", "河流", "水位", "山洪"]);
    assert_eq!(block(&page, 3), []);
}

#[test]
fn links_have_url_anchor_context_and_rel() {
    let html = parse(include_bytes!("pages/news.html"));
    let page = html.analyze(&Analyzer::new());
    assert_eq!(html.links.len(), 4, "a javascript: link is not followed");
    assert_eq!(page.links.len(), 4);
    let (river, river_terms) = link(&html, &page, "/news/river.html");
    assert_eq!(river.url.as_str(), "http://www.example.org/news/river.html");
    assert_eq!(river.anchor, "河流");
    assert_eq!(river.rel, Rel { nofollow: true, ugc: true, sponsored: false });
    assert_eq!(terms(&page, &river_terms.anchor), ["河流"]);
    assert_eq!(terms(&page, &river_terms.context), ["暴雨", "袭击", "水位"]);
    // The link is alone in its list item, so its context is the words around it in the block.
    let (_, flood) = link(&html, &page, "a.html");
    assert_eq!(terms(&page, &flood.context), ["雨量", "暴雨", "袭击", "河流", "水位"]);
    let (slide, slide_terms) = link(&html, &page, "b.html");
    assert_eq!(slide.anchor, "滑坡照片");
    assert_eq!(terms(&page, &slide_terms.anchor), ["滑坡", "照片"]);
    let (friend, friend_terms) = link(&html, &page, "other.example/");
    assert_eq!(friend.anchor, "友情链接");
    assert_eq!(river_terms.block, slide_terms.block);
    assert_ne!(river_terms.block, friend_terms.block);
}

#[test]
fn the_readable_text_has_a_line_per_block_level_element() {
    let html = parse(include_bytes!("pages/news.html"));
    assert_eq!(html.text(), "暴雨来了\n外层文字\n雨量\n今天暴雨袭击河流水位\n山洪\n尾部\n空洞");
}

#[test]
fn a_word_may_be_split_by_inline_elements() {
    let page = read("<p>气<b>象</b>台<br>暴</p><p>雨</p>".as_bytes());
    assert_eq!(group(&page, LabelGroup::Body), ["气象台"]);
}

#[test]
fn charset_is_taken_from_header_meta_or_bytes() {
    let html = "<meta charset='gb2312'><title>暴雨预警信号发布</title>";
    let (gbk, _, _) = encoding_rs::GBK.encode(html);
    let parsed = parse(&gbk);
    assert_eq!(parsed.title, "暴雨预警信号发布");
    assert_eq!((parsed.charset, parsed.charset_source), ("GBK", CharsetSource::Meta));
    let source = Source::default().with_content_type(Some("text/html; charset=GB18030"));
    let parsed = Html::parse(&gbk, source);
    assert_eq!(
        (parsed.title.as_str(), parsed.charset_source),
        ("暴雨预警信号发布", CharsetSource::Header)
    );
}

#[test]
fn links_on_a_gbk_page_are_encoded_as_its_server_expects() {
    let html = "<meta charset=gbk><a href='/s?wd=暴雨'>搜</a>";
    let (gbk, _, _) = encoding_rs::GBK.encode(html);
    assert_eq!(parse(&gbk).links[0].url.query(), Some("wd=%B1%A9%D3%EA"));
}

#[test]
fn other_kinds_of_links() {
    let parsed = parse(
        b"<meta http-equiv=refresh content='5; URL=\"next.html\"'>\
          <map><area href=area.html alt='the map'></map><iframe src=frame.html>x</iframe>",
    );
    let kinds: Vec<_> = parsed.links.iter().map(|l| (l.kind, l.url.path().to_owned())).collect();
    assert_eq!(
        kinds,
        [
            (LinkKind::Refresh, "/dir/next.html".to_owned()),
            (LinkKind::Area, "/dir/area.html".to_owned()),
            (LinkKind::Frame, "/dir/frame.html".to_owned()),
        ]
    );
    assert_eq!(parsed.links[1].anchor, "the map");
    let parsed = parse(b"<frameset><frame src=/menu.html></frameset>");
    assert_eq!(parsed.links[0].url.path(), "/menu.html");
}

#[test]
fn meta_robots_in_all_its_forms() {
    for (content, noindex, nofollow) in [
        ("none", true, true),
        ("NoFollow", false, true),
        ("noindex,nofollow", true, true),
        ("index, follow", false, false),
        ("", false, false),
    ] {
        let parsed = parse(format!("<meta name=robots content='{content}'>").as_bytes());
        assert_eq!(parsed.robots, RobotsMeta { noindex, nofollow }, "{content}");
    }
}

#[test]
fn meta_robots_of_a_named_crawler_is_for_that_crawler_only() {
    let html = "<meta name=robots content=nofollow><meta name=' OtherBot ' content='noindex'>\
                <meta name=ontrail content='noarchive, none'><meta name=author content=nobody>";
    let parsed = parse(html.as_bytes());
    assert_eq!(parsed.robots, RobotsMeta { noindex: false, nofollow: true });
    let of = |agent| parsed.agent_robots.of(agent);
    assert_eq!(of("otherbot"), RobotsMeta { noindex: true, nofollow: false });
    assert_eq!(of("Ontrail"), RobotsMeta { noindex: true, nofollow: true });
    assert_eq!(of("third"), RobotsMeta::default());
}

#[test]
fn only_the_head_declares_a_canonical_url() {
    let canonical = |html: &str| parse(html.as_bytes()).canonical.map(|url| url.to_string());
    let url = Some("http://www.example.org/a".to_owned());
    assert_eq!(canonical("<link rel='nofollow Canonical' href=/a>text"), url);
    assert_eq!(canonical("<body><p>text<link rel=canonical href=/a>"), None);
    assert_eq!(canonical("<link rel=canonical href='javascript:x'>"), None);
}

#[test]
fn language_is_declared_or_guessed() {
    assert_eq!(parse(b"<html lang=en-GB>").language.as_deref(), Some("en-GB"));
    assert_eq!(parse(b"<p>Heavy rain is expected").language.as_deref(), Some("en"));
    assert_eq!(parse("<p>预计将有暴雨".as_bytes()).language.as_deref(), Some("zh"));
    assert_eq!(parse(b"<p>123").language, None);
    let meta = "<meta http-equiv=Content-Language content='zh-TW, en'>";
    assert_eq!(parse(meta.as_bytes()).language.as_deref(), Some("zh-TW"));
    let wrong = "<meta http-equiv=Content-Language content=utf-8><p>预计将有暴雨";
    assert_eq!(parse(wrong.as_bytes()).language.as_deref(), Some("zh"));
}

#[test]
fn a_topic_phrase_is_found_on_an_english_page() {
    let analyzer = Analyzer::builder().terms(["information retrieval"]).build();
    let html = b"<title>Information Retrieval Systems</title><p>retrieving <b>information</b>";
    let page = Html::parse(html, Source::default()).analyze(&analyzer);
    assert_eq!(group(&page, LabelGroup::Title), ["information retrieval", "system"]);
    assert_eq!(group(&page, LabelGroup::Body), ["retriev", "inform"]);
}

#[test]
fn the_title_of_an_svg_picture_is_not_the_page_title() {
    let html = parse(b"<title>real</title><svg><title>drawn</title></svg><p>x");
    assert_eq!(html.title, "real");
    assert_eq!(group(&html.analyze(&Analyzer::new()), LabelGroup::Title), ["real"]);
}

#[test]
fn anchors_nest_through_tables() {
    let html = parse("<a href=1>水位<table><tr><td><a href=2>雨量</a></table>上涨</a>".as_bytes());
    let page = html.analyze(&Analyzer::new());
    let anchor = |ending: &str| terms(&page, &link(&html, &page, ending).1.anchor);
    assert_eq!(anchor("/1"), ["水位", "雨量", "上涨"]);
    assert_eq!(anchor("/2"), ["雨量"]);
}

#[test]
fn a_line_break_does_not_end_the_context() {
    let page = read("<p>昨夜暴雨<br>详情 <a href=x>点击</a></p>".as_bytes());
    assert_eq!(terms(&page, &page.links[0].context), ["昨夜", "暴雨", "详情"]);
}

#[test]
fn a_page_without_a_url_keeps_its_absolute_links() {
    let html = b"<a href='http://a.example/x#y'>a</a><a href=b>b</a>";
    let parsed = Html::parse(html, Source::default());
    let urls: Vec<_> = parsed.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(urls, ["http://a.example/x"]);
}

#[test]
fn an_empty_page_parses_to_an_empty_page() {
    for html in [&b""[..], b" ", b"<html>", b"\0\0\0"] {
        let page = read(html);
        assert!(page.occurrences().is_empty() && page.links.is_empty() && page.blocks.is_empty());
        let parsed = parse(html);
        assert!(parsed.title.is_empty() && parsed.links.is_empty() && parsed.text().is_empty());
    }
}

#[test]
fn words_are_also_distinguished_by_tag() {
    let page = read(
        b"<title>Rain</title><meta name=description content=flood><p>city <a href=/x>river</a> hill",
    );
    let tags: Vec<_> = page.occurrences().iter().map(|it| it.tag).collect();
    assert_eq!(tags, [Tag::Title, Tag::Meta, Tag::Other, Tag::Anchor, Tag::Other]);
}
