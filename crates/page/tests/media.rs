//! Pages in other formats than HTML, whole and hostile.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ontrail_page::{Content, Html, LabelGroup, Source};
use ontrail_text::Analyzer;
use url::Url;

fn read(bytes: &[u8], content_type: &str) -> Html {
    let url = Url::parse("http://a.example/dir/page").unwrap();
    Html::parse(bytes, Source::at(&url).with_content_type(Some(content_type)))
}

/// Returns the URLs and anchor texts of the links.
fn links(html: &Html) -> Vec<(String, &str)> {
    html.links.iter().map(|link| (link.url.to_string(), link.anchor.as_str())).collect()
}

/// Writes a PDF from the bodies of its objects, which are numbered from 1; the first is the root.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut offsets = Vec::new();
    for (number, body) in objects.iter().enumerate() {
        offsets.push(file.len());
        writeln!(file, "{} 0 obj", number + 1).unwrap();
        file.extend_from_slice(body);
        file.extend_from_slice(b"\nendobj\n");
    }
    let start = file.len();
    write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for offset in offsets {
        writeln!(file, "{offset:010} 00000 n ").unwrap();
    }
    let size = objects.len() + 1;
    write!(file, "trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").unwrap();
    file
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut body = format!("<< /Length {} {entries} >>\nstream\n", content.len()).into_bytes();
    body.extend_from_slice(content);
    body.extend_from_slice(b"\nendstream");
    body
}

/// Returns a PDF of one page with this content and font.
fn page(content: Vec<u8>, font: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R \
          /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_vec(),
        content,
        font.as_bytes().to_vec(),
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

const HELVETICA: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const LINES: &[u8] = b"BT /F1 12 Tf 72 700 Td (Flash) Tj 30 0 Td (floods) Tj -30 -14 Td \
    [(in) -300 (the ci) 20 (ty) ] TJ 0 -14 Td (last line) Tj 0 -40 Td (A new paragraph.) Tj ET";

#[test]
fn plain_text_has_paragraphs_and_no_markup() {
    let html = read("暴雨 <b>预警\n第二行\n\na & b\n".as_bytes(), "text/plain; charset=utf-8");
    assert_eq!(html.text(), "暴雨 <b>预警第二行\na & b");
    assert_eq!(html.text_of(Content::Main), html.text());
    // GBK without a declaration.
    let gbk = encoding_rs::GBK.encode("气象台发布暴雨红色预警，请注意防范").0.into_owned();
    assert_eq!(read(&gbk, "text/plain").text(), "气象台发布暴雨红色预警，请注意防范");
}

#[test]
fn markdown_has_a_title_headings_and_links() {
    let text = "# Storm *guide*\n\nSee [the map](../map.html) and <http://b.example/>.\n\n\
                | a | b |\n|---|---|\n| rain | wind |\n";
    let html = read(text.as_bytes(), "text/markdown");
    assert_eq!(html.title, "Storm guide");
    assert_eq!(
        links(&html),
        [
            ("http://a.example/map.html".to_owned(), "the map"),
            ("http://b.example/".to_owned(), "http://b.example/")
        ]
    );
    assert!(html.text().contains("rain"), "{}", html.text());
}

#[test]
fn feeds_have_the_links_and_texts_of_their_entries() {
    let feed = "<?xml version='1.0' encoding='gbk'?><rss><channel><title>天气</title>\
                <item><title>暴雨预警</title><link>/1</link><description>&lt;p>大雨</description>\
                </item></channel></rss>";
    let gbk = encoding_rs::GBK.encode(feed).0.into_owned();
    for content_type in ["application/rss+xml", "text/xml", ""] {
        let html = read(&gbk, content_type);
        assert_eq!((html.title.as_str(), html.charset), ("天气", "GBK"), "{content_type}");
        assert_eq!(links(&html), [("http://a.example/1".to_owned(), "暴雨预警")]);
        assert_eq!(html.text(), "天气\n暴雨预警\n大雨");
        let page = html.analyze(&Analyzer::new());
        let rain = page.vocabulary().get("大雨").unwrap();
        assert_eq!(page.count(rain, LabelGroup::Body), 1);
    }
}

#[test]
fn the_text_of_a_pdf_is_read_by_lines() {
    let file = page(stream("", LINES), HELVETICA, &[]);
    let wanted = "Flash floods in the city last line\nA new paragraph.";
    assert_eq!(read(&file, "application/pdf").text(), wanted);
    // Files come without a media type.
    assert_eq!(Html::parse(&file, Source::default()).text(), wanted);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(LINES).unwrap();
    let packed = stream("/Filter /FlateDecode", &packed.finish().unwrap());
    assert_eq!(read(&page(packed, HELVETICA, &[]), "application/pdf").text(), wanted);
}

#[test]
fn chinese_pdfs_are_read_by_table_and_by_charset() {
    let codes: String =
        encoding_rs::GBK.encode("暴雨红色预警").0.iter().map(|b| format!("{b:02x}")).collect();
    let content = format!("BT /F1 12 Tf 72 700 Td <{codes}> Tj ET");
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /SimSun /Encoding /GBK-EUC-H >>";
    let file = page(stream("", content.as_bytes()), font, &[]);
    assert_eq!(read(&file, "application/pdf").text(), "暴雨红色预警");

    let table = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
                 /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
                 /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
                 1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n\
                 2 beginbfchar\n<0001> <66B4>\n<0002> <96E8>\nendbfchar\nendcmap\n\
                 CMapName currentdict /CMap defineresource pop\nend\nend\n";
    let font =
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 6 0 R >>";
    let content = stream("", b"BT /F1 12 Tf 72 700 Td <00010002> Tj ET");
    let file = page(content, font, &[stream("", table.as_bytes())]);
    assert_eq!(read(&file, "application/pdf").text(), "暴雨");
}

#[test]
fn broken_pdfs_have_no_text_and_do_no_harm() {
    let whole = page(stream("", LINES), HELVETICA, &[]);
    for end in (0..whole.len()).step_by(7) {
        let _ = read(&whole[..end], "application/pdf").text();
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x15;
        let _ = read(&changed, "application/pdf").text();
    }
    for (what, file) in [
        ("nothing", Vec::new()),
        ("not a PDF", b"%PDF-1.5 and nothing more".to_vec()),
        (
            "deep nesting",
            page([b"[".repeat(200_000), b"]".repeat(200_000)].concat(), HELVETICA, &[]),
        ),
        ("deep content", page(stream("", &b"[".repeat(200_000)), HELVETICA, &[])),
        ("a font that is its own encoding", page(stream("", LINES), "<< /Encoding 5 0 R >>", &[])),
    ] {
        assert_eq!(read(&file, "application/pdf").text(), "", "{what}");
    }
    // Pages that contain themselves.
    let cycle = pdf(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>".to_vec(),
    ]);
    assert_eq!(read(&cycle, "application/pdf").text(), "");
    let encrypted = String::from_utf8(whole).unwrap().replace(
        "trailer <<",
        "trailer << /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (x) /U (y) >>",
    );
    assert_eq!(read(encrypted.as_bytes(), "application/pdf").text(), "");
}

#[test]
fn a_pdf_that_decompresses_to_gigabytes_is_refused() {
    // 64 MiB of text operators in 64 KiB.
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(b"BT /F1 12 Tf ").unwrap();
    let line = b"(flood) Tj ".repeat(1 << 16);
    for _ in 0..96 {
        packed.write_all(&line).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 1 << 20);
    let bomb = page(stream("/Filter /FlateDecode", &packed), HELVETICA, &[]);
    assert_eq!(read(&bomb, "application/pdf").text(), "");
}

#[test]
fn hostile_markdown_and_feeds_stay_bounded() {
    for text in [
        ">".repeat(50_000),
        "[".repeat(50_000),
        "* ".repeat(5_000),
        "![](".repeat(20_000),
        "|a".repeat(50_000),
        format!("{}x{}", "**".repeat(20_000), "**".repeat(20_000)),
    ] {
        assert!(read(text.as_bytes(), "text/markdown").text().len() <= 2 * text.len() + 100);
    }
    let deep = format!("<rss><channel><item>{}", "<title>".repeat(100_000));
    assert!(read(deep.as_bytes(), "application/rss+xml").text().len() < 1_000);
    let links = "<item><title>x</title><link>http://a.example/</link></item>".repeat(50_000);
    let html = read(format!("<rss>{links}").as_bytes(), "application/rss+xml");
    assert!(html.links.len() <= 10_001, "{}", html.links.len());
}
