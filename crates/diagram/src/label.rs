//! Labels: how much of them is shown, and how wide it is.

use unicode_width::UnicodeWidthChar;

/// The size of the letters.
pub(crate) const FONT: f64 = 13.0;
/// From one line of text to the next.
pub(crate) const LINE: f64 = 16.0;
/// How many labels stand at one place before the rest is only counted.
const MOST_LINES: usize = 4;
/// How many columns a label may have; a Chinese character takes two.
const MOST_COLUMNS: usize = 40;

/// The lines to write for some labels.
pub(crate) fn lines(labels: &[String]) -> Vec<String> {
    if labels.len() <= MOST_LINES {
        return labels.iter().map(|label| shortened(label)).collect();
    }
    let shown = labels[..MOST_LINES - 1].iter().map(|label| shortened(label));
    shown.chain([format!("+ {}", labels.len() - (MOST_LINES - 1))]).collect()
}

fn shortened(label: &str) -> String {
    let mut columns = 0;
    let mut short = String::new();
    for c in label.chars().map(|c| if c.is_control() { ' ' } else { c }) {
        columns += c.width().unwrap_or(0);
        if columns > MOST_COLUMNS {
            short.push('…');
            break;
        }
        short.push(c);
    }
    short
}

/// About how wide a line of text is. Fonts differ; this errs to the wide side.
pub(crate) fn width(line: &str) -> f64 {
    let of_char = |c: char| match c.width().unwrap_or(0) {
        0 => 0.0,
        1 if "WMmw@%".contains(c) => 0.95,
        1 if c.is_ascii_uppercase() => 0.75,
        1 => 0.58,
        _ => 1.03,
    };
    line.chars().map(of_char).sum::<f64>() * FONT
}

/// The width of the widest line.
pub(crate) fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|line| width(line)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_labels_are_counted_and_long_ones_cut() {
        let labels: Vec<String> = (1..=6).map(|number| number.to_string()).collect();
        assert_eq!(lines(&labels), ["1", "2", "3", "+ 3"]);
        let long = vec!["暴".repeat(25)];
        assert_eq!(lines(&long), [format!("{}…", "暴".repeat(20))]);
        assert!(width("暴雨") > width("ab"));
    }
}
