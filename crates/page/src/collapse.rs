//! Collapses white space as a browser does: every run of it becomes one space.

/// Appends `text` to `target` with white space collapsed, until `target` has `most` bytes.
pub(crate) fn push_collapsed(target: &mut String, text: &str, most: usize) {
    let push_gap = |target: &mut String| {
        if !target.is_empty() && target.len() < most && !target.ends_with(char::is_whitespace) {
            target.push(' ');
        }
    };
    let mut gap = text.starts_with(char::is_whitespace);
    for word in text.split_whitespace() {
        if gap {
            push_gap(target);
        }
        gap = true;
        for c in word.chars() {
            if target.len() + c.len_utf8() > most {
                return;
            }
            target.push(c);
        }
    }
    if text.ends_with(char::is_whitespace) {
        push_gap(target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_across_pieces() {
        let mut text = String::new();
        for piece in ["  a\n b ", " c", "d", " ", "e"] {
            push_collapsed(&mut text, piece, 100);
        }
        assert_eq!(text, "a b cd e");
        push_collapsed(&mut text, "暴雨", 11);
        assert_eq!(text, "a b cd e暴");
    }
}
