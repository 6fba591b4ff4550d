//! Shortens labels and estimates their width.

use unicode_width::UnicodeWidthChar;

/// Font size.
pub(crate) const FONT: f64 = 13.0;
/// Distance between two lines of text.
pub(crate) const LINE: f64 = 16.0;
/// Greatest number of lines at one place; if there are more labels, the last line counts the rest.
const MOST_LINES: usize = 4;
/// Greatest width of a label in columns; a Chinese character takes two.
const MOST_COLUMNS: usize = 40;

/// Returns the lines to write for some labels.
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

/// Estimates the width of a line of text. Fonts differ; the estimate is rather too wide.
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

/// Returns the width of the widest line.
pub(crate) fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|line| width(line)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surplus_labels_are_counted_and_long_ones_shortened() {
        let labels: Vec<String> = (1..=6).map(|number| number.to_string()).collect();
        assert_eq!(lines(&labels), ["1", "2", "3", "+ 3"]);
        let long = vec!["暴".repeat(25)];
        assert_eq!(lines(&long), [format!("{}…", "暴".repeat(20))]);
        assert!(width("暴雨") > width("ab"));
    }
}
