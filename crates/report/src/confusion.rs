//! Confusion matrices as tables. Cells with greater shares are darker.

use maud::{Markup, Render, html};
use ontrail_numbers::count;

/// A confusion matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    /// The true classes, one for each row.
    pub classes: Vec<String>,
    /// The predictions, one for each column: first the classes, in the order of the rows.
    pub answers: Vec<String>,
    /// The number of documents, by class and prediction.
    pub counts: Vec<Vec<u64>>,
}

impl Render for Confusion {
    fn render(&self) -> Markup {
        html! {
            div.wide {
                table.confusion {
                    "\n"
                    tr { th {} @for answer in &self.answers { th { span { (answer) } } } }
                    "\n"
                    @for (row, (class, counts)) in self.classes.iter().zip(&self.counts).enumerate() {
                        tr { th scope="row" { (class) } (cells(row, counts)) }
                        "\n"
                    }
                }
            }
        }
    }
}

fn cells(row: usize, counts: &[u64]) -> Markup {
    // Counts may come from a file and be arbitrarily large.
    let whole = counts.iter().fold(0_u64, |sum, number| sum.saturating_add(*number));
    // The square root makes rare errors visible.
    let strength = |number: u64| {
        let share = if whole == 0 { 0.0 } else { number as f64 / whole as f64 };
        format!("--s:{:.0}%", share.sqrt() * 100.0)
    };
    html! {
        @for (column, &number) in counts.iter().enumerate() {
            td class=(if row == column { "hit" } else { "miss" }) style=(strength(number)) {
                @if number > 0 { (count(number)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_on_the_diagonal_and_large_counts_do_not_overflow() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let confusion = Confusion {
            classes: names(&["a", "<b>"]),
            answers: names(&["a", "<b>"]),
            counts: vec![vec![3, 1], vec![u64::MAX, u64::MAX]],
        };
        let html = confusion.render().into_string();
        assert!(html.contains("<td class=\"hit\" style=\"--s:87%\">3</td>"), "{html}");
        assert!(html.contains("<th scope=\"row\">&lt;b&gt;</th>"));
        assert_eq!(html.matches("class=\"miss\"").count(), 2);
    }
}
