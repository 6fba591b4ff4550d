//! Removes surplus attributes before the parser sees them.
//!
//! The HTML tokenizer compares each attribute of a tag with all earlier ones, so a single tag of
//! ten megabytes would keep it busy for hours. This pass walks over the tags once, in linear time,
//! by the same rules for quotes, comments and raw text, and removes the surplus.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// Returns `html` with at most `most` attributes in each tag, and true if any were removed.
pub(crate) fn bound_attributes(html: &str, most: usize) -> (Cow<'_, str>, bool) {
    let surplus = surplus_ranges(html.as_bytes(), most);
    if surplus.is_empty() {
        return (Cow::Borrowed(html), false);
    }
    let mut kept = String::with_capacity(html.len());
    let mut position = 0;
    for range in surplus {
        kept.push_str(&html[position..range.start]);
        position = range.end;
    }
    kept.push_str(&html[position..]);
    (Cow::Owned(kept), true)
}

/// Returns the byte ranges of surplus attributes. They start and end next to ASCII characters, so
/// they never split a character.
fn surplus_ranges(html: &[u8], most: usize) -> Vec<std::ops::Range<usize>> {
    let mut surplus = Vec::new();
    let mut position = 0;
    while let Some(offset) = html.get(position..).and_then(|rest| memchr(b'<', rest)) {
        let start = position + offset;
        if html[start..].starts_with(b"<!--") {
            match end_of_comment(html, start + 4) {
                Some(end) => position = end,
                None => break,
            }
            continue;
        }
        if matches!(html.get(start + 1), Some(b'!' | b'?')) {
            // A declaration, or a bogus comment, extends to the next `>`.
            position = memchr(b'>', &html[start..]).map_or(html.len(), |at| start + at + 1);
            continue;
        }
        let name_start = start + 1 + usize::from(html.get(start + 1) == Some(&b'/'));
        if !html.get(name_start).is_some_and(u8::is_ascii_alphabetic) {
            position = start + 1;
            continue;
        }
        let tag = Tag::scan(html, name_start, most);
        surplus.extend(tag.surplus_start.map(|from| from..tag.end));
        position = tag.end;
        if name_start == start + 1 && is_raw_text(tag.name) {
            position = end_of_raw_text(html, tag.end, tag.name);
        }
    }
    surplus
}

/// Returns the end of a comment whose text starts at `from`: after `-->` or `--!>`, or immediately
/// in `<!-->` and `<!--->`.
fn end_of_comment(html: &[u8], from: usize) -> Option<usize> {
    let rest = &html[from..];
    for short in [&b">"[..], b"->"] {
        if rest.starts_with(short) {
            return Some(from + short.len());
        }
    }
    let plain = memmem::find(rest, b"-->").map(|at| at + 3);
    let bang = memmem::find(&rest[..plain.unwrap_or(rest.len())], b"--!>").map(|at| at + 4);
    bang.or(plain).map(|length| from + length)
}

struct Tag<'a> {
    name: &'a [u8],
    /// The position of the `>`, or the end of the page.
    end: usize,
    /// The start of the first surplus attribute.
    surplus_start: Option<usize>,
}

impl<'a> Tag<'a> {
    fn scan(html: &'a [u8], name_start: usize, most: usize) -> Self {
        let until = |from: usize, stop: fn(u8) -> bool| {
            html[from..].iter().position(|&b| stop(b)).map_or(html.len(), |n| from + n)
        };
        let name_end = until(name_start, |b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'));
        let mut position = name_end;
        let mut attributes = 0;
        let mut surplus_start = None;
        loop {
            position = until(position, |b| !b.is_ascii_whitespace() && b != b'/');
            if position == html.len() || html[position] == b'>' {
                break;
            }
            attributes += 1;
            if attributes > most {
                surplus_start.get_or_insert(position);
            }
            // A leading `=` is part of the name.
            position =
                until(position + 1, |b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>' | b'='));
            let value = until(position, |b| !b.is_ascii_whitespace());
            if html.get(value) != Some(&b'=') {
                continue;
            }
            position = until(value + 1, |b| !b.is_ascii_whitespace());
            position = match html.get(position) {
                Some(&quote @ (b'"' | b'\'')) => memchr(quote, &html[position + 1..])
                    .map_or(html.len(), |length| position + 1 + length + 1),
                _ => until(position, |b| b.is_ascii_whitespace() || b == b'>'),
            };
        }
        Self { name: &html[name_start..name_end], end: position, surplus_start }
    }
}

/// Returns true for elements whose content is always text, whatever it looks like.
fn is_raw_text(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 8] =
        [b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes"];
    NAMES.iter().any(|raw| raw.eq_ignore_ascii_case(name))
}

fn end_of_raw_text(html: &[u8], from: usize, name: &[u8]) -> usize {
    let mut position = from;
    while let Some(offset) = html.get(position..).and_then(|rest| memmem::find(rest, b"</")) {
        position += offset;
        let found = html.get(position + 2..position + 2 + name.len());
        if found.is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return position;
        }
        position += 2;
    }
    html.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(html: &str) -> String {
        bound_attributes(html, 2).0.into_owned()
    }

    #[test]
    fn surplus_attributes_are_removed() {
        for (html, expected) in [
            ("<a b c>x", "<a b c>x"),
            ("<a b c d e>x", "<a b c >x"),
            ("<a b='>' c=\">\" d='>' e>x", "<a b='>' c=\">\" >x"),
            ("<a b = 1 c=2/d=3>x", "<a b = 1 c=2/d=3>x"),
            ("<a 雨=雪 b c 雷>x", "<a 雨=雪 b >x"),
            ("</a b c d>x", "</a b c >x"),
            ("<a b c d", "<a b c "),
            ("1 < 2 <b>", "1 < 2 <b>"),
        ] {
            assert_eq!(bounded(html), expected, "{html}");
        }
    }

    #[test]
    fn text_that_only_looks_like_a_tag_is_left_alone() {
        for html in [
            "<!-- <a b c d e> -->x",
            "<script>if (a <b c d e) {}</script><p>x",
            "<STYLE><a b c d></Style><p>",
            "<title><a b c d></title>",
            "<!-- <a b c d",
        ] {
            assert_eq!(bounded(html), html);
        }
        assert_eq!(bounded("<script></script><a b c d>"), "<script></script><a b c >");
        for comment in ["<!-->", "<!--->", "<!-- x --!>", "<? <!-- >", "<!x <!-- >"] {
            assert_eq!(bounded(&format!("{comment}<a b c d>")), format!("{comment}<a b c >"));
        }
    }
}
