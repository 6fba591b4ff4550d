//! The templates of hosts: what repeats on the pages of a host is left out, whatever it looks like.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_page::{Content, Html, Source, Templates};

const HOST: &str = "news.example.org";
/// A notice that looks like any paragraph of an article, in its midst.
const NOTICE: &str = "Our reporters work day and night, in any weather, to bring you the news that \
                      matters to the people of this valley and of the mountains around it.";
const CHINESE_NOTICE: &str = "本网转载文章，只为传递更多信息，并不代表本网赞同其观点，也不表示对其真实性负责，请读者自行判断。";

fn parse(html: &str) -> Html {
    Html::parse(html.as_bytes(), Source::default())
}

fn story(n: usize) -> String {
    format!(
        "Report number {n}: the river rose by {n} centimetres, and the bridge of village {n} was \
         closed, as the mayor said on day {n}."
    )
}

fn page(n: usize, notice: &str) -> String {
    format!("<article><p>{}</p><p>{notice}</p><p>{}</p></article>", story(n), story(1_000 + n))
}

fn learned(pages: impl Iterator<Item = String>) -> Templates {
    let mut templates = Templates::new();
    for page in pages {
        templates.observe(HOST, &parse(&page).fingerprints());
    }
    templates
}

fn main_without(templates: &Templates, page: &str) -> String {
    let mut html = parse(page);
    html.leave_out(&templates.of(HOST));
    html.text_of(Content::Main)
}

#[test]
fn paragraphs_that_repeat_on_a_host_are_left_out() {
    for notice in [NOTICE, CHINESE_NOTICE] {
        let templates = learned((0..20).map(|n| page(n, notice)));
        assert!(parse(&page(3, notice)).text_of(Content::Main).contains(notice));
        let expected = format!("{}\n{}", story(3), story(1_003));
        assert_eq!(main_without(&templates, &page(3, notice)), expected);
        let mut elsewhere = parse(&page(3, notice));
        elsewhere.leave_out(&templates.of("www.example.org"));
        assert!(elsewhere.text_of(Content::Main).contains(notice), "hosts are told apart");
        let other_path = format!("<div><div><p>{notice}</p></div></div>");
        assert_eq!(main_without(&templates, &other_path), notice, "another place is other text");
    }
}

#[test]
fn small_hosts_rare_paragraphs_and_copies_are_no_template() {
    let few = learned((0..7).map(|n| page(n, NOTICE)));
    assert!(few.of(HOST).is_empty(), "seven pages are too few");
    let copies = learned((0..50).map(|_| page(1, NOTICE)));
    assert!(copies.of(HOST).is_empty(), "the same page fifty times is one page");
    let rare = learned((0..40).map(|n| page(n, if n < 4 { NOTICE } else { "Short." })));
    assert!(main_without(&rare, &page(3, NOTICE)).contains(NOTICE), "on 4 of 40 pages");
}

#[test]
fn headings_and_column_names_stay_with_their_texts() {
    let page = |n: usize| {
        format!(
            "<article><h2>Synopsis</h2><p>{}</p><table><tr><th>Place<th>Level<tr><td>{n}<td>{}\
             </table><h2>Legal</h2><p>{NOTICE}</p></article>",
            story(n),
            n * 7
        )
    };
    let templates = learned((0..20).map(page));
    let expected = format!("Synopsis\n{}\nPlace\nLevel\n5\n35", story(5));
    assert_eq!(main_without(&templates, &page(5)), expected);
}

#[test]
fn links_in_the_template_are_outside_the_main_content() {
    let page = |n: usize| {
        let notice = format!("{NOTICE} <a href='http://example.org/us'>Who we are</a>, in short.");
        page(n, &notice) + &format!("<p>{} <a href='http://example.org/{n}'>More</a>", story(n))
    };
    let templates = learned((0..20).map(page));
    let mut html = parse(&format!("<article>{}</article>", page(4)));
    html.leave_out(&learned((0..20).map(|n| format!("<article>{}</article>", page(n)))).of(HOST));
    let inside: Vec<_> =
        html.links.iter().filter(|link| link.in_main).map(|l| l.url.path()).collect();
    assert_eq!(inside, ["/4"]);
    assert!(!templates.of(HOST).is_empty());
}

#[test]
fn a_page_whose_main_content_is_template_shows_what_else_it_has() {
    let short = |n: usize| {
        format!("<div><p>Notice {n}</p></div><div><p>{NOTICE}</p><p>{CHINESE_NOTICE}</p></div>")
    };
    let templates = learned((0..20).map(short));
    assert_eq!(main_without(&templates, &short(2)), "Notice 2");
}

#[test]
fn hostile_pages_and_hosts_stay_bounded() {
    let blocks = |n: usize| -> String { (0..100_000).map(|at| format!("<p>{n} {at}")).collect() };
    assert!(parse(&blocks(0)).fingerprints().len() <= 2_000);
    let table = parse(&format!("<table>{}", "<tr><td>1<td>2".repeat(200_000)));
    assert!(table.fingerprints().len() <= 2);
    let mut million = parse(&"<p>x".repeat(1_000_000));
    assert_eq!(million.fingerprints().len(), 1);
    million.leave_out(&learned((0..20).map(|n| page(n, NOTICE))).of(HOST));
    assert!(million.main_markdown().len() <= 3_000_000);
    assert!(parse("").fingerprints().is_empty());
    assert!(parse("<div><p> <br></p></div>").fingerprints().is_empty());

    // The template is still found between pages that try to fill the memory.
    let mut templates = Templates::new();
    let foreign: Vec<u64> = (0..2_000).collect();
    for n in 0..30_u64 {
        let page = page(usize::try_from(n).unwrap(), NOTICE);
        templates.observe(HOST, &parse(&page).fingerprints());
        let noise: Vec<u64> = foreign.iter().map(|at| at + 1_000_000 * (n + 1)).collect();
        if n % 3 == 0 {
            templates.observe(HOST, &noise);
        }
    }
    assert!(!main_without(&templates, &page(3, NOTICE)).contains(NOTICE));
    for n in 0..5_000 {
        templates.observe(&format!("host{n}.example.org"), &[n, n + 1]);
    }
    assert_eq!(templates.hosts().count(), 1_000);
    assert!(!templates.of(HOST).is_empty(), "a host with many pages outlives those with one");
    let arabic = |n: usize| {
        format!(
            "<p dir=rtl>هطلت أمطار غزيرة على المدينة رقم {n}، وأغلقت السلطات عدة طرق.</p>\
                 <p dir=rtl>جميع الحقوق محفوظة للناشر، ولا يجوز النشر من دون إذن.</p>"
        )
    };
    let templates = learned((0..20).map(arabic));
    assert!(main_without(&templates, &arabic(2)).contains("أمطار"));
    assert!(!main_without(&templates, &arabic(2)).contains("الحقوق"));
}

#[test]
fn the_same_pages_give_the_same_template_after_they_were_stored() {
    let mut learned = learned((0..12).map(|n| page(n, NOTICE)));
    let mut restored = Templates::new();
    let counts = learned.counts(HOST).unwrap();
    let stored = serde_json::to_string(counts).unwrap();
    restored.restore(HOST.to_owned(), serde_json::from_str(&stored).unwrap());
    for n in 12..15 {
        let fingerprints = parse(&page(n, NOTICE)).fingerprints();
        learned.observe(HOST, &fingerprints);
        restored.observe(HOST, &fingerprints);
    }
    assert_eq!(learned, restored);
}
