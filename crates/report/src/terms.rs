//! Lists of terms with their weights as bars.

use maud::{Markup, html};

/// A term with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct TermRow {
    /// The name.
    pub name: String,
    /// Other names of the same concept.
    pub others: Vec<String>,
    /// The weight.
    pub weight: f64,
    /// The length of its bar, from 0 to 1.
    pub share: f64,
}

pub(crate) fn terms(rows: &[TermRow]) -> Markup {
    html! {
        ul.terms {
            "\n"
            @for row in rows {
                li {
                    span { (row.name) " " span.faint { (row.others.join(" · ")) } }
                    i style={ "width:" (format!("{:.1}", 100.0 * row.share.clamp(0.0, 1.0))) "%" } {}
                    span { (format!("{:.3}", row.weight)) }
                }
                "\n"
            }
        }
    }
}
