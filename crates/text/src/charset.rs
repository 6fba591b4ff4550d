//! Detects the charset of a document and decodes it.
//!
//! The order of trust is: byte order mark, HTTP header, declaration inside the document,
//! statistical guess. A claim is believed only if the bytes are plausible in that charset: servers
//! that claim UTF-8 for a GBK page are so common that a claim under which the text is broken is
//! skipped in favour of the next one. If no claim fits, the most trusted one wins, and broken
//! sequences become U+FFFD.
//!
//! Labels follow the WHATWG Encoding Standard, so `gb2312` and `gbk` both mean the decoder that
//! covers GB18030.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes that the statistical guess examines. Chinese is recognised within a few hundred,
/// and a guess over a whole 10 MB page would cost more than parsing it.
const GUESS_WINDOW: usize = 64 * 1024;

/// The charset labels given for a document, outside and inside it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CharsetHints<'a> {
    /// The charset label of the HTTP `Content-Type` header.
    pub header: Option<&'a str>,
    /// The charset label that the document itself declares, such as `<meta charset>`.
    pub declared: Option<&'a str>,
}

/// The evidence by which a charset was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CharsetSource {
    /// A byte order mark.
    Bom,
    /// The HTTP header.
    Header,
    /// A declaration in the document.
    Meta,
    /// Statistics of the bytes.
    Guess,
}

/// A decoded document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// The charset's name in the Encoding Standard, such as `UTF-8` or `GBK`.
    pub charset: &'static str,
    /// The evidence by which the charset was chosen.
    pub source: CharsetSource,
    /// True if some bytes could not be decoded and became U+FFFD.
    pub damaged: bool,
}

/// Decodes `bytes` in the charset that fits them best.
///
/// ```
/// use ontrail_text::{CharsetHints, CharsetSource, decode};
///
/// let gbk = [0xb1, 0xa9, 0xd3, 0xea]; // 暴雨
/// let page = decode(&gbk, CharsetHints { declared: Some("gb2312"), ..Default::default() });
/// assert_eq!((page.text.as_ref(), page.charset, page.source), ("暴雨", "GBK", CharsetSource::Meta));
/// ```
#[must_use]
pub fn decode<'a>(bytes: &'a [u8], hints: CharsetHints<'_>) -> Decoded<'a> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(&bytes[length..], encoding, CharsetSource::Bom);
    }
    let mut most_trusted = None;
    // Checked before any decoding, because half of the pages that declare GBK may be UTF-8.
    let is_long_utf8 = is_long_utf8(bytes);
    for (encoding, source) in claims(hints).filter(|(e, _)| *e == UTF_8 || !is_long_utf8) {
        let decoded = decode_as(bytes, encoding, source);
        if is_plausible(&decoded, bytes) {
            return decoded;
        }
        most_trusted.get_or_insert(decoded);
    }
    let guessed = decode_as(bytes, guess(bytes), CharsetSource::Guess);
    match most_trusted {
        Some(claimed) if !is_plausible(&guessed, bytes) => claimed,
        _ => guessed,
    }
}

/// Returns the charset label in a `Content-Type` value, if it has one.
///
/// ```
/// # use ontrail_text::charset_of_content_type;
/// assert_eq!(charset_of_content_type("text/html; charset=\"gbk\""), Some("gbk"));
/// assert_eq!(charset_of_content_type("text/html"), None);
/// ```
#[must_use]
pub fn charset_of_content_type(value: &str) -> Option<&str> {
    value.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let label = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !label.is_empty()).then_some(label)
    })
}

/// Returns the hints that name a known charset, most trusted first.
fn claims(hints: CharsetHints<'_>) -> impl Iterator<Item = (&'static Encoding, CharsetSource)> {
    let of = |label: Option<&str>| Encoding::for_label_no_replacement(label?.as_bytes());
    let header = of(hints.header).map(|e| (e, CharsetSource::Header));
    let declared = of(hints.declared).map(|e| (as_declared(e), CharsetSource::Meta));
    header.into_iter().chain(declared)
}

/// Returns the charset that a declaration inside a document can mean: bytes in which `<meta` can be
/// read as ASCII are not UTF-16, whatever they declare (WHATWG HTML, "prescan a byte stream").
fn as_declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding.name() == "x-user-defined" {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn decode_as<'a>(
    bytes: &'a [u8],
    encoding: &'static Encoding,
    source: CharsetSource,
) -> Decoded<'a> {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, charset: encoding.name(), source, damaged }
}

/// Returns true if the charset is plausible: no sequence is broken, or few are: one per fifty
/// characters beyond ASCII, and one more for a page cut in the middle of a character.
///
/// UTF-8 is hard to mistake: it beats any other claim that does not fit the bytes better, and it is
/// believed as long as no more of its multi-byte sequences are broken than valid.
fn is_plausible(decoded: &Decoded<'_>, bytes: &[u8]) -> bool {
    if decoded.charset != UTF_8.name() && is_surely_utf8(bytes, decoded) {
        return false;
    }
    if !decoded.damaged {
        return true;
    }
    let (broken, whole) = count_broken_and_valid(&decoded.text);
    is_minor_damage(broken, whole) || (decoded.charset == UTF_8.name() && whole >= broken)
}

/// Counts the broken sequences of a decoded text, and its valid characters beyond ASCII.
fn count_broken_and_valid(text: &str) -> (usize, usize) {
    let broken = text.matches(char::REPLACEMENT_CHARACTER).count();
    (broken, text.chars().filter(|c| !c.is_ascii()).count() - broken)
}

/// Returns true if the damage is too small to cast doubt on the charset.
fn is_minor_damage(broken: usize, whole: usize) -> bool {
    broken <= 1 + whole / 50
}

/// Returns true if the bytes are valid UTF-8 and have sequences that are too long to be a
/// coincidence. Bytes of another charset may form valid sequences of two bytes (GBK's 联通 does), but
/// hardly longer ones.
fn is_long_utf8(bytes: &[u8]) -> bool {
    bytes.iter().any(|&byte| byte >= 0xe0) && std::str::from_utf8(bytes).is_ok()
}

/// Returns true if bytes that claim another charset are in fact UTF-8: they are valid UTF-8, and
/// are either broken in the claimed charset or claim a single-byte charset, which fits any bytes.
fn is_surely_utf8(bytes: &[u8], claimed: &Decoded<'_>) -> bool {
    let is_single_byte =
        || Encoding::for_label(claimed.charset.as_bytes()).is_some_and(Encoding::is_single_byte);
    (claimed.damaged || is_single_byte())
        && std::str::from_utf8(bytes).is_ok_and(|text| !text.is_ascii())
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    // No real text is valid UTF-8 by coincidence, and this check is far faster than statistics.
    if std::str::from_utf8(bytes).is_ok_and(|text| !text.is_ascii()) {
        return UTF_8;
    }
    // UTF-8 with a stray byte, or cut inside a character, is still UTF-8.
    let as_utf8 = decode_as(bytes, UTF_8, CharsetSource::Guess);
    let (broken, whole) = count_broken_and_valid(&as_utf8.text);
    if whole >= 4 && is_minor_damage(broken, whole) {
        return UTF_8;
    }
    // No top-level domain is passed as a hint: a wrong one confuses GBK with Big5.
    let window = &bytes[..bytes.len().min(GUESS_WINDOW)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, window.len() == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWS: &str =
        "今天下午，临溪县出现强降雨，气象台发布暴雨红色预警信号，低洼地区居民已经全部转移。";
    const TRADITIONAL: &str =
        "氣象臺今天發布豪雨特報，提醒山區居民注意坍方落石，並請民眾避免前往河邊活動。";

    fn encoded(text: &str, label: &str) -> Vec<u8> {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        let (bytes, _, unmappable) = encoding.encode(text);
        assert!(!unmappable, "{label} cannot hold the sample");
        bytes.into_owned()
    }

    fn seen(bytes: &[u8], hints: CharsetHints<'_>) -> (String, &'static str, CharsetSource) {
        let decoded = decode(bytes, hints);
        (decoded.text.into_owned(), decoded.charset, decoded.source)
    }

    #[test]
    fn chinese_charsets_are_guessed_without_a_hint() {
        for (text, label, name) in [
            (NEWS, "gbk", "GBK"),
            (NEWS, "gb18030", "GBK"),
            (NEWS, "utf-8", "UTF-8"),
            (TRADITIONAL, "big5", "Big5"),
        ] {
            let found = seen(&encoded(text, label), CharsetHints::default());
            assert_eq!(found, (text.to_owned(), name, CharsetSource::Guess), "{label}");
        }
    }

    #[test]
    fn gb18030_four_byte_characters_survive() {
        let text = "㐀㐁暴雨";
        let hints = CharsetHints { header: Some("gb18030"), ..Default::default() };
        assert_eq!(decode(&encoded(text, "gb18030"), hints).text, text);
    }

    #[test]
    fn bom_beats_header_beats_meta_beats_guess() {
        let hints = CharsetHints { header: Some("gbk"), declared: Some("big5") };
        let mut with_bom = vec![0xef, 0xbb, 0xbf];
        with_bom.extend(NEWS.as_bytes());
        assert_eq!(seen(&with_bom, hints), (NEWS.to_owned(), "UTF-8", CharsetSource::Bom));
        let gbk = encoded(NEWS, "gbk");
        assert_eq!(seen(&gbk, hints), (NEWS.to_owned(), "GBK", CharsetSource::Header));
        let declared = CharsetHints { declared: Some("gb2312"), ..Default::default() };
        assert_eq!(seen(&gbk, declared), (NEWS.to_owned(), "GBK", CharsetSource::Meta));
    }

    #[test]
    fn utf16_is_read_by_its_bom() {
        let mut bytes = vec![0xff, 0xfe];
        bytes.extend(NEWS.encode_utf16().flat_map(u16::to_le_bytes));
        let found = seen(&bytes, CharsetHints::default());
        assert_eq!(found, (NEWS.to_owned(), "UTF-16LE", CharsetSource::Bom));
    }

    #[test]
    fn a_claim_that_breaks_the_text_is_skipped() {
        let hints = CharsetHints { header: Some("utf-8"), declared: Some("gbk") };
        let found = seen(&encoded(NEWS, "gbk"), hints);
        assert_eq!(found, (NEWS.to_owned(), "GBK", CharsetSource::Meta));
        let only_header = CharsetHints { header: Some("utf-8"), ..Default::default() };
        let found = seen(&encoded(NEWS, "gbk"), only_header);
        assert_eq!(found, (NEWS.to_owned(), "GBK", CharsetSource::Guess));
    }

    #[test]
    fn a_page_cut_inside_a_character_keeps_its_charset() {
        let bytes = &NEWS.as_bytes()[..NEWS.len() - 1];
        let hints = CharsetHints { header: Some("utf-8"), ..Default::default() };
        let decoded = decode(bytes, hints);
        assert_eq!((decoded.charset, decoded.source), ("UTF-8", CharsetSource::Header));
        assert!(decoded.damaged);
    }

    #[test]
    fn a_wrong_claim_is_noticed_in_a_page_that_is_mostly_markup() {
        let page = format!("{}{}", "<div class='x'></div>".repeat(500), NEWS.repeat(3));
        let hints = CharsetHints { declared: Some("gb2312"), ..Default::default() };
        let found = seen(page.as_bytes(), hints);
        assert_eq!(found, (page, "UTF-8", CharsetSource::Guess));
    }

    #[test]
    fn a_short_utf8_page_that_claims_gbk_is_utf8() {
        let hints = CharsetHints { declared: Some("gbk"), ..Default::default() };
        assert_eq!(decode("暴雨".as_bytes(), hints).text, "暴雨");
        // 联通 in GBK happens to be valid UTF-8 too.
        assert_eq!(decode(&[0xc1, 0xaa, 0xcd, 0xa8], hints).text, "联通");
    }

    #[test]
    fn one_stray_byte_does_not_change_the_charset() {
        let mut bytes = NEWS.as_bytes().to_vec();
        bytes.insert(6, 0xff);
        assert_eq!(decode(&bytes, CharsetHints::default()).charset, "UTF-8");
        let cut = &NEWS.as_bytes()[..NEWS.len() - 1];
        assert_eq!(decode(cut, CharsetHints::default()).charset, "UTF-8");
    }

    #[test]
    fn labels_without_a_decoder_are_ignored() {
        let hints = CharsetHints { header: Some("iso-2022-cn"), ..Default::default() };
        assert_eq!(decode(&encoded(NEWS, "gbk"), hints).text, NEWS);
    }

    #[test]
    fn utf8_that_claims_to_be_latin_is_utf8() {
        for label in ["iso-8859-1", "windows-1252", "koi8-r"] {
            let hints = CharsetHints { header: Some(label), ..Default::default() };
            assert_eq!(decode("Café 暴雨".as_bytes(), hints).charset, "UTF-8", "{label}");
            assert_eq!(decode(b"plain", hints).source, CharsetSource::Header, "{label}");
        }
        let hints = CharsetHints { header: Some("iso-8859-1"), ..Default::default() };
        assert_eq!(decode(b"caf\xe9", hints).text, "café");
    }

    #[test]
    fn utf8_with_foreign_bytes_in_it_stays_utf8() {
        let mut bytes = NEWS.as_bytes().to_vec();
        bytes.extend(encoded("暴雨", "gbk"));
        let hints = CharsetHints { declared: Some("utf-8"), ..Default::default() };
        let decoded = decode(&bytes, hints);
        assert!(decoded.text.starts_with(NEWS) && decoded.damaged, "{decoded:?}");
    }

    #[test]
    fn a_meta_claim_of_utf16_means_utf8() {
        let hints = CharsetHints { declared: Some("utf-16"), ..Default::default() };
        let found = seen(NEWS.as_bytes(), hints);
        assert_eq!(found, (NEWS.to_owned(), "UTF-8", CharsetSource::Meta));
    }

    #[test]
    fn unknown_labels_and_empty_input_do_no_harm() {
        let hints = CharsetHints { header: Some("klingon"), declared: Some("") };
        assert_eq!(decode(b"", hints).text, "");
        assert_eq!(decode(NEWS.as_bytes(), hints).text, NEWS);
    }
}
