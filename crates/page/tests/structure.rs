//! The structure of the main content: paragraphs, headings, lists, tables, code; and the metadata
//! of a page from all its sources.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_page::{Content, Form, Html, Source};

fn parse(html: &str) -> Html {
    let url = "http://example.org/a/page.html".parse().unwrap();
    Html::parse(html.as_bytes(), Source::at(&url))
}

const LEAD: &str = "Heavy rain has flooded the lower town for the second time this year.";

#[test]
fn paragraphs_headings_and_lists_are_kept() {
    let html = parse(&format!(
        "<article><p>{LEAD}<h2>What to do</h2><p>Read this<br>with care.<br><br>Then act.</p>\
         <ul><li>Leave the cellar.<li><p>Move the car:</p><p>uphill, if you can.</p>\
         <ol><li>Take the key.<li>Drive slowly.</ol></ul><p>The bridges stay closed, \
         the city said.</p><blockquote>We are ready.</blockquote>\
         <pre>level\n  = 4 m;</pre><dl><dt>Alert</dt><dd>Level two of four.</dd></dl></article>"
    ));
    let shared = "- Leave the cellar.\n- Move the car:\n\n    uphill, if you can.\n\n    \
                  1. Take the key.\n    2. Drive slowly.\n\n\
                  The bridges stay closed, the city said.\n\n";
    assert_eq!(
        html.rendered(Content::Page, Form::Plain),
        format!(
            "{LEAD}\n\nWhat to do\n\nRead this\nwith care.\n\nThen act.\n\n{shared}We are ready.\
             \n\nlevel\n  = 4 m;\n\n- Alert\n\n    Level two of four."
        )
    );
    assert_eq!(
        html.rendered(Content::Page, Form::Markdown),
        format!(
            "{LEAD}\n\n## What to do\n\nRead this  \nwith care.\n\nThen act.\n\n{shared}> We are \
             ready.\n\n```\nlevel\n  = 4 m;\n```\n\n- Alert\n\n    Level two of four."
        )
    );
}

#[test]
fn tables_of_data_are_rows_and_tables_of_layout_are_not() {
    let data = "<table><tr><th>City<th>Rain | mm<th>Note<tr><td>里昂<td><p>12</p>\
                <tr><td>Nîmes<td>9<td>ok</table>";
    let html = parse(&format!("<article><p>{LEAD}</p>{data}<p>{LEAD}</p></article>"));
    let (lead, rows) = (LEAD, "City\tRain | mm\tNote\n里昂\t12\nNîmes\t9\tok");
    assert_eq!(html.main_text(), format!("{lead}\n\n{rows}\n\n{lead}"));
    let rows = "| City | Rain \\| mm | Note |\n|---|---|---|\n| 里昂 | 12 |\n| Nîmes | 9 | ok |";
    assert_eq!(html.main_markdown(), format!("{lead}\n\n{rows}\n\n{lead}"));
    let long = LEAD.repeat(9);
    let layout = parse(&format!(
        "<table><tr><td><p>{long}</p><p>{LEAD}</p><td>{long}<tr><td>{long}<td>{LEAD}</table>"
    ));
    assert_eq!(layout.main_text(), format!("{long}\n\n{LEAD}\n\n{long}\n\n{long}\n\n{LEAD}"));
}

#[test]
fn text_that_looks_like_markup_is_escaped() {
    for (text, expected) in [
        ("# no heading", "\\# no heading"),
        ("1. no item", "1\\. no item"),
        ("- no item", "\\- no item"),
        ("a * b_c _d_ `e` [f](g)", "a \\* b_c \\_d\\_ \\`e\\` \\[f\\](g)"),
        ("1 &lt; 2 &lt;b> R&amp;D &amp;amp; C:\\x", "1 < 2 \\<b> R\\&D \\&amp; C:\\\\x"),
    ] {
        let html = parse(&format!("<p>{text}</p>"));
        assert_eq!(html.rendered(Content::Page, Form::Markdown), expected);
    }
    let code = parse("<pre>a ```` b</pre>");
    assert_eq!(code.rendered(Content::Page, Form::Markdown), "`````\na ```` b\n`````");
}

#[test]
fn only_the_main_content_is_written() {
    let html = parse(&format!(
        "<div class='menu'><ul><li><a href='/a'>Home</a><li><a href='/b'>News</a></ul></div>\
         <article><p>{LEAD}</p></article><footer>All rights reserved.</footer>"
    ));
    assert_eq!(html.main_text(), LEAD);
    let page = html.rendered(Content::Page, Form::Plain);
    assert_eq!(page, format!("- Home\n- News\n\n{LEAD}\n\nAll rights reserved."));
}

#[test]
fn metadata_comes_from_meta_then_json_ld_then_the_body() {
    let linked = r#"<script type="application/LD+json">{"@type": "NewsArticle",
        "headline": "暴雨来袭", "author": {"name": "Bo Example"}, "inLanguage": "zh-CN",
        "datePublished": "2024年7月18日 09:30", "publisher": {"name": "The Gazette"},
        "image": "/lead.png"}</script>"#;
    let head = "<title>暴雨来袭 - The Gazette</title><meta name=author content='Ann Example'>";
    let body = "<body><time datetime='2020-01-01'>long ago</time><p>text";
    let metadata = parse(&format!("{head}{linked}{body}")).metadata;
    assert_eq!(metadata.title.as_deref(), Some("暴雨来袭"));
    assert_eq!(metadata.author.as_deref(), Some("Ann Example"));
    assert_eq!(metadata.date.as_deref(), Some("2024-07-18T09:30"));
    assert_eq!(metadata.site.as_deref(), Some("The Gazette"));
    assert_eq!(metadata.language.as_deref(), Some("zh-CN"));
    assert_eq!(metadata.image.unwrap().as_str(), "http://example.org/lead.png");
    let shown = parse(&format!("{head}<script type='application/ld+json'>{{ {linked}{body}"));
    assert_eq!(shown.metadata.title.as_deref(), Some("暴雨来袭 - The Gazette"));
    assert_eq!(shown.metadata.date.as_deref(), Some("2020-01-01"));
    assert!(!shown.text().contains("headline"), "JSON-LD is no text of the page");
}

#[test]
fn hostile_structure_stays_bounded() {
    let wide = format!("<table><tr>{}{}", "<td>x".repeat(50_000), "<tr><td>y".repeat(50_000));
    let wide = parse(&wide).rendered(Content::Page, Form::Markdown);
    assert!(wide.len() < 1_000_000, "{}", wide.len());
    let deep = parse(&"<ul><li>x".repeat(10_000)).rendered(Content::Page, Form::Markdown);
    assert!(deep.len() < 3_000_000, "{}", deep.len());
    let linked = format!("<script type=application/ld+json>{}", "[".repeat(2_000_000));
    assert_eq!(parse(&linked).metadata.author, None);
    for html in ["", "<br><br>", "<li>", "<td>", "<pre>", "<table><tr>", "</table></ul></ol>"] {
        assert_eq!(parse(html).main_markdown(), "", "{html}");
    }
}

#[test]
fn links_know_the_tags_and_classes_above_them() {
    let html = "<body><div class='nav top'><ul><li class=item-12><a href=/a>a</a></li></ul></div>\
                <p>text <b><a href=/b>b</a></b></p></body>";
    let url = "http://a.test/".parse().unwrap();
    let html = ontrail_page::Html::parse(html.as_bytes(), ontrail_page::Source::at(&url));
    let paths: Vec<&str> = html.links.iter().map(|link| link.path.as_str()).collect();
    assert_eq!(paths, ["html>body>div.nav>ul>li.item-##", "html>body>p>b"]);
    let deep = format!("{}<a href=/c>c</a>", "<div>".repeat(50));
    let html = ontrail_page::Html::parse(deep.as_bytes(), ontrail_page::Source::at(&url));
    assert_eq!(html.links[0].path, ["div"; 8].join(">"));
}
