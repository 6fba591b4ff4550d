//! Plain text as HTML: paragraphs end at empty lines.

use ontrail_text::is_han;

use super::push_escaped;

/// Returns a plain text as HTML.
pub(super) fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 16);
    let mut last = None;
    for line in text.lines() {
        let line = line.trim();
        let Some(first) = line.chars().next() else {
            last = None;
            continue;
        };
        match last {
            None => html.push_str("<p>"),
            // Chinese is written without spaces, also where a line is broken.
            Some(last) if is_chinese(last) && is_chinese(first) => {}
            Some(_) => html.push('\n'),
        }
        last = line.chars().next_back();
        push_escaped(&mut html, line);
    }
    html
}

/// Returns true for a Han character, and for punctuation of its width.
fn is_chinese(character: char) -> bool {
    is_han(character) || matches!(character, '\u{3001}'..='\u{303f}' | '\u{ff01}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_end_paragraphs_and_markup_is_text() {
        assert_eq!(html("a <b>\nc & d\n \n暴雨\n"), "<p>a &lt;b>\nc &amp; d<p>暴雨");
        assert_eq!(html("操作系\n统，\n很好 and\n很"), "<p>操作系统，很好 and\n很");
        assert_eq!(html(""), "");
    }
}
