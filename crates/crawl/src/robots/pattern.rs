//! The pattern of a rule: `*` stands for any characters, `$` at the end for the end of the URL.
//!
//! A pattern is anchored at the start of the path, so `*/x` matches `/x` while `x` matches nothing.
//! Patterns and paths are compared in one form of percent-encoding (RFC 9309, section 2.2.2).

use std::fmt::Write as _;

/// The pattern of a rule, ready to be compared with paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The comparable form of the pattern, without the `$` at its end. Each `*` is a wildcard: a
    /// literal one is percent-encoded.
    text: Box<str>,
    has_end: bool,
    length: usize,
}

impl Pattern {
    pub(crate) fn new(written: &[u8]) -> Self {
        let (body, has_end) = match written.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (written, false),
        };
        let pieces: Vec<String> = body.split(|byte| *byte == b'*').map(comparable).collect();
        let text = pieces.join("*").into_boxed_str();
        // A literal `$` is one character in the file and three in the comparable form.
        let dollars = body.split(|byte| *byte == b'$').skip(1).count();
        let length = text.len() - 2 * dollars + usize::from(has_end);
        Self { text, has_end, length }
    }

    /// Returns the number of octets of the pattern. The longest matching pattern decides.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Returns true if the pattern matches a path in [comparable] form. Takes time linear in both:
    /// each piece between two wildcards is best placed as early as possible, so nothing is tried
    /// twice.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let Some((first, others)) = self.text.split_once('*') else {
            return path.strip_prefix(&*self.text).is_some_and(|rest| self.may_end_before(rest));
        };
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let (middle, last) =
            others.rsplit_once('*').map_or((None, others), |(middle, last)| (Some(middle), last));
        for piece in middle.into_iter().flat_map(|middle| middle.split('*')) {
            let Some(at) = rest.find(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
        if self.has_end { rest.ends_with(last) } else { rest.contains(last) }
    }

    fn may_end_before(&self, rest: &str) -> bool {
        !self.has_end || rest.is_empty()
    }
}

/// Returns a path, or a piece of a pattern without wildcards, in the form in which they are
/// compared. Unreserved characters are not percent-encoded; all characters that cannot stand in a
/// URL are, and so are the special characters `*` and `$` and the `'`, which URL parsers encode in
/// queries only. Other reserved characters stay as they are: `%2F` is not `/`.
pub(crate) fn comparable(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let encoded = if byte == b'%' { hex_octet(after) } else { None };
        let (octet, is_encoded) = match encoded {
            Some(octet) => {
                rest = &after[2..];
                (octet, true)
            }
            None => (byte, false),
        };
        let is_plain = match octet {
            b'-' | b'.' | b'_' | b'~' => true,
            b'*' | b'$' | b'\'' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
            // A `%` alone would make an octet of what follows it.
            | b'%' => false,
            _ => octet.is_ascii_alphanumeric() || (octet.is_ascii_graphic() && !is_encoded),
        };
        if is_plain {
            out.push(char::from(octet));
        } else {
            let _ = write!(out, "%{octet:02X}");
        }
    }
    out
}

/// Returns the octet whose two hexadecimal digits a text begins with.
fn hex_octet(text: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::new(pattern.as_bytes()).matches(&comparable(path.as_bytes()))
    }

    #[test]
    fn a_percent_sign_alone_stands_for_itself() {
        assert_eq!(comparable(b"%%30a"), "%250a");
        assert_eq!(comparable(b"%250a"), "%250a");
        assert!(matches("/100%", "/100%25") && matches("/100%25", "/100%"));
    }

    #[test]
    fn a_pattern_is_anchored_at_the_start_and_at_a_dollar() {
        for (pattern, path, expected) in [
            ("/a", "/a/b", true),
            ("a", "/a", false),
            ("*a", "/b/a", true),
            ("*/a", "/a", true),
            ("/a$", "/a", true),
            ("/a$", "/a/", false),
            ("/*$", "/a", true),
            ("/a*a$", "/a", false),
            ("/a*b*c$", "/abcbc", true),
            ("/a**b", "/ab", true),
            ("/a*bc*bc$", "/abc", false),
            ("$", "/", false),
            ("*", "/", true),
            ("*$", "/", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} and {path}");
        }
    }

    #[test]
    fn lengths_are_those_of_the_comparable_form() {
        for (pattern, length) in [
            ("/a", 2),
            ("/*.php$", 7),
            ("/%7ea", 3),
            ("/\u{e9}", 7),
            ("/a$b", 4),
            ("", 0),
            ("$", 1),
        ] {
            assert_eq!(Pattern::new(pattern.as_bytes()).length(), length, "{pattern}");
        }
    }

    /// The meaning of a pattern, by its definition: each `*` tries every length.
    fn reference(pattern: &[u8], path: &[u8]) -> bool {
        match (pattern, path) {
            ([], _) | ([b'$'], []) => true,
            ([b'*', after @ ..], _) => {
                (0..=path.len()).any(|length| reference(after, &path[length..]))
            }
            ([wanted, after @ ..], [found, rest @ ..]) => wanted == found && reference(after, rest),
            _ => false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn matching_agrees_with_the_definition(
            pattern in "[/ab*$]{0,8}",
            path in "/[/ab]{0,9}",
        ) {
            prop_assert_eq!(matches(&pattern, &path), reference(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn the_comparable_form_of_a_comparable_form_is_itself(text in "[ -~]{0,30}") {
            let once = comparable(text.as_bytes());
            prop_assert_eq!(comparable(once.as_bytes()), once);
        }
    }

    /// A matcher that tries every length of every wildcard would not end.
    #[test]
    fn many_wildcards_do_not_multiply() {
        let pattern = format!("/{}b$", "a*".repeat(8_000));
        let path = format!("/{}", "a".repeat(16_000));
        assert!(!matches(&pattern, &path));
        assert!(matches(&pattern, &format!("{path}b")));
    }
}
