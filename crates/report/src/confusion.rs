//! A confusion matrix as a table, darker where there is more.

use maud::{Markup, Render, html};
use ontrail_numbers::count;

/// How often each true class was called what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    /// The true classes: a row for each.
    pub classes: Vec<String>,
    /// The answers: a column for each, those of the classes first and in their order.
    pub answers: Vec<String>,
    /// How often, by class and answer.
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
    // Counts come from files too.
    let whole = counts.iter().fold(0_u64, |sum, number| sum.saturating_add(*number));
    // The square root, so that rare mistakes can be seen at all.
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
    fn hits_stand_on_the_diagonal_and_large_counts_do_not_overflow() {
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
