//! The charset that a page declares for itself.

/// Number of bytes at the start of a page that are searched for a declaration. The standard asks
/// for 1,024; Chinese portals often put a block of comments and scripts before it.
const WINDOW: usize = 8_192;

/// Returns the label in `<meta charset=…>`, `<meta http-equiv … content="…; charset=…">` or an XML
/// declaration, if there is one near the start.
pub(crate) fn declared_charset(bytes: &[u8]) -> Option<&str> {
    let mut rest = &bytes[..bytes.len().min(WINDOW)];
    if rest.starts_with(b"<?xml") {
        let declaration = &rest[..memchr::memchr(b'>', rest)?];
        if let Some(label) = value_after(declaration, b"encoding") {
            return Some(label);
        }
    }
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = &rest[at..];
        if rest.starts_with(b"<!--") {
            rest = &rest[4 + memchr::memmem::find(&rest[4..], b"-->")?..];
        } else if starts_with_ignoring_case(rest, b"<meta") {
            let tag = &rest[..memchr::memchr(b'>', rest).unwrap_or(rest.len())];
            // A description may mention a charset without declaring one.
            let is_named = value_after(tag, b"name").is_some();
            if let Some(label) = value_after(tag, b"charset").filter(|_| !is_named) {
                return Some(label);
            }
            rest = &rest[5..];
        } else {
            rest = &rest[1..];
        }
    }
    None
}

/// Returns the value in `name = "value"`, quoted or not, anywhere in `text`.
fn value_after<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let mut rest = text;
    loop {
        let at = rest.windows(name.len()).position(|w| w.eq_ignore_ascii_case(name))?;
        rest = &rest[at + name.len()..];
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") else { continue };
        let value = value.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
        let ends = |b: &u8| matches!(b, b'"' | b'\'' | b';' | b'/') || b.is_ascii_whitespace();
        let label = &value[..value.iter().position(ends).unwrap_or(value.len())];
        return std::str::from_utf8(label).ok().filter(|label| !label.is_empty());
    }
}

fn starts_with_ignoring_case(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_declare_a_charset() {
        for (html, label) in [
            ("<meta charset=gbk>", Some("gbk")),
            ("<META CharSet = 'Big5' />", Some("Big5")),
            (
                "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=gb2312\">",
                Some("gb2312"),
            ),
            ("<meta content='text/html;charset=utf-8;x' http-equiv=Content-Type>", Some("utf-8")),
            ("<?xml version=\"1.0\" encoding=\"GB18030\"?><html>", Some("GB18030")),
            ("<!-- <meta charset=big5> --><meta charset=gbk>", Some("gbk")),
            ("<meta name=charset content=x><meta charset=gbk>", Some("gbk")),
            ("<meta name=keywords content=x><p>charset=gbk", None),
            ("<meta name=description content='charset=big5'><meta charset=gbk>", Some("gbk")),
            ("<meta charset=", None),
            ("<!-- never closed <meta charset=gbk>", None),
            ("", None),
        ] {
            assert_eq!(declared_charset(html.as_bytes()), label, "{html}");
        }
    }
}
