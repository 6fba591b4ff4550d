//! The main content of pages as sites write them: text is kept, and what surrounds it is not.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_page::{Content, Html, Source};
use ontrail_text::Analyzer;

/// A page of a news site, English or Chinese, with everything that surrounds an article.
fn news_page(paragraphs: &[&str], menu: &str, related: &str) -> String {
    let paragraphs: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    let items = |text: &str| -> String {
        let item = |word: &str| format!("<li><a href='/{word}'>{word}</a></li>");
        text.split(' ').map(item).collect()
    };
    format!(
        "<html><head><title>T</title><meta property='og:site_name' content='The Site'>\
         <meta name='author' content='Ann Example'>\
         <meta property='article:published_time' content='2024-07-18T09:00:00Z'></head><body>\
         <div id='top'><ul>{menu}</ul></div>\
         <div class='wrap'><h1>Headline of the page</h1><div class='byline'>By somebody</div>\
         <div class='text-body'>{paragraphs}<h2>In detail</h2>\
         <table><tr><th>City</th><th>Rain</th></tr><tr><td>Lyon</td><td>12 mm</td></tr></table>\
         <ul><li>First point of the report, in plain words.</li>\
         <li>Second point, with <a href='/more'>a link</a> in it.</li></ul></div>\
         <div class='share-bar'><a href='/s1'>Share</a> <a href='/s2'>Tweet</a></div>\
         <div class='related'><h3>More</h3><ul>{related}</ul></div>\
         <div class='comments'><p>I do not agree with this article at all, to be honest, because \
         it leaves out the most important facts.</p></div></div>\
         <footer>All rights reserved. Licence 12345.</footer>\
         <div style='display: none'><p>This hidden text is long enough to be a paragraph of its \
         own, but nobody sees it.</p></div></body></html>",
        menu = items(menu),
        related = items(related),
    )
}

const ENGLISH: [&str; 2] = [
    "Heavy rain has flooded the lower town for the second time this year, and the river is still \
     rising, the city said on Monday.",
    "Residents were told to leave their cellars, to move their cars, and to keep away from the \
     bridges until the water falls.",
];
const CHINESE: [&str; 2] = [
    "昨夜以来，全市普降暴雨，多处路段积水，交通部门已封闭三条下穿通道，请市民绕行。",
    "气象台预计，未来两天仍有大到暴雨，山区要防范山洪和滑坡，低洼地区要注意排水。",
];

fn parse(html: &str) -> Html {
    let url = "http://example.org/a/page.html".parse().unwrap();
    Html::parse(html.as_bytes(), Source::at(&url))
}

#[test]
fn articles_are_told_from_what_surrounds_them() {
    for (paragraphs, menu, related) in [
        (ENGLISH, "Home World Sports Weather Contact", "Elections Football Markets"),
        (CHINESE, "首页 国际 体育 天气 举报", "推荐阅读 热门排行 客户端下载"),
    ] {
        let html = parse(&news_page(&paragraphs, menu, related));
        let expected = format!(
            "{}\n{}\nIn detail\nCity\nRain\nLyon\n12 mm\nFirst point of the report, in plain \
             words.\nSecond point, with a link in it.",
            paragraphs[0], paragraphs[1]
        );
        assert_eq!(html.text_of(Content::Main), expected);
        assert!(html.text_of(Content::Page).contains(menu.split(' ').next().unwrap()));
    }
}

#[test]
fn metadata_is_read_from_the_head() {
    let metadata = parse(&news_page(&ENGLISH, "a b", "c d")).metadata;
    assert_eq!(metadata.author.as_deref(), Some("Ann Example"));
    assert_eq!(metadata.date.as_deref(), Some("2024-07-18T09:00:00Z"));
    assert_eq!(metadata.site.as_deref(), Some("The Site"));
    let body = parse("<body><meta name=author content='A Stranger'><p>text");
    assert_eq!(body.metadata.author, None, "strangers may write parts of the body");
}

#[test]
fn links_know_where_they_are() {
    let html = parse(&news_page(&ENGLISH, "home news", "other"));
    let inside: Vec<&str> =
        html.links.iter().filter(|link| link.in_main).map(|link| link.url.path()).collect();
    assert_eq!(inside, ["/more"]);
    assert_eq!(html.links.len(), 6);
}

#[test]
fn anchors_without_a_target_are_no_links() {
    let section = |n: usize, text: &str| format!("<a id='s{n}'/><h3>{n}.</h3><p>{text}</p>");
    let sections: String =
        [ENGLISH, CHINESE].concat().iter().enumerate().map(|(n, text)| section(n, text)).collect();
    let main = parse(&format!("<body><div>{sections}</div></body>")).text_of(Content::Main);
    for text in [ENGLISH, CHINESE].concat() {
        assert!(main.contains(text), "{main}");
    }
}

#[test]
fn models_read_the_chosen_part_and_links_keep_their_terms() {
    let html = parse(&news_page(&ENGLISH, "Menuword World", "Footballword"));
    let analyzer = Analyzer::new();
    let (main, page) = (html.analyze_content(&analyzer, Content::Main), html.analyze(&analyzer));
    let counted = |page: &ontrail_page::Page, word: &str| {
        let term = page.vocabulary().get(word);
        term.map_or(0, |term| {
            page.counts().find(|(id, _)| *id == term).map_or(0, |it| it.1.iter().sum())
        })
    };
    assert_eq!((counted(&page, "menuword"), counted(&main, "menuword")), (1, 0));
    assert_eq!((counted(&page, "flood"), counted(&main, "flood")), (1, 1));
    assert_eq!(main.links, page.links, "anchors and contexts do not depend on the choice");
    let passages = html.passages_of(Content::Main);
    assert!(passages.text().contains("flooded") && !passages.text().contains("Menuword"));
}

#[test]
fn auto_reads_all_of_a_page_without_an_article() {
    let front: String =
        (0..40).map(|n| format!("<li><a href='/{n}'>Headline {n}</a></li>")).collect();
    let front = parse(&format!("<body><p>Welcome.</p><ul>{front}</ul>"));
    assert!(front.text_of(Content::Auto).contains("Headline 7"));
    assert!(!front.text_of(Content::Main).contains("Headline 7"));
    let article = parse(&news_page(&[ENGLISH, ENGLISH].concat(), "home", "other"));
    assert_eq!(article.text_of(Content::Auto), article.text_of(Content::Main));
}

#[test]
fn hostile_pages_stay_bounded() {
    let nothing = parse("");
    assert_eq!(nothing.text_of(Content::Main), "");
    let blocks = parse(&"<div>x y z</div>".repeat(300_000));
    assert!(blocks.text_of(Content::Main).len() <= 300_000 * 6);
    let table = parse(&format!("<table>{}", "<tr><td>1<td>2".repeat(200_000)));
    assert!(!table.text_of(Content::Main).is_empty());
    let nested = parse(&format!("{}deep text.", "<div class='share related'>".repeat(100_000)));
    assert_eq!(nested.text_of(Content::Main), "deep text.");
    let arabic =
        "<p dir=rtl>هطلت أمطار غزيرة على المدينة الليلة الماضية، وأغلقت السلطات عدة طرق.</p>";
    assert!(parse(arabic).text_of(Content::Main).contains("أمطار"));
    let classes = format!("<p class='{}'>Some text.", "a-b ".repeat(5_000));
    assert_eq!(parse(&classes).text_of(Content::Main), "Some text.");
}
