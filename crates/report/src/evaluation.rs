//! The evaluation of a classifier as an HTML page.

use std::collections::BTreeSet;

use maud::{Markup, Render, html};
use ontrail_numbers::count;

use crate::asset::Asset;
use crate::confusion::Confusion;
use crate::page::whole;

const STYLE: &str = include_str!("evaluation.css");
/// Left edge of the reliability plot.
const LEFT: f64 = 40.0;
/// Bottom edge of the reliability plot.
const BOTTOM: f64 = 310.0;
/// Width and height of the reliability plot.
const SIZE: f64 = 300.0;

/// The content of the page.
#[derive(Debug, Clone)]
pub struct EvaluationPage {
    /// The title, which names the classifier and the data.
    pub title: String,
    /// The settings with which the classifier was trained.
    pub settings: String,
    /// Summary numbers, each with its name.
    pub cards: Vec<(String, String)>,
    /// The metrics of each class.
    pub classes: Vec<ClassRow>,
    /// The confusion matrix.
    pub confusion: Confusion,
    /// The predicted probabilities and the shares of correct predictions.
    pub reliability: Vec<Reliability>,
}

/// The metrics of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassRow {
    /// The name of the class.
    pub name: String,
    /// The share of correct predictions among all predictions of this class.
    pub precision: f64,
    /// The share of correct predictions among all documents of this class.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f1: f64,
    /// Number of documents of this class.
    pub documents: u64,
}

/// Predictions with about the same probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reliability {
    /// The mean predicted probability.
    pub claimed: f64,
    /// The share of correct predictions.
    pub right: f64,
    /// Number of documents.
    pub documents: u64,
}

impl EvaluationPage {
    /// Returns the page as an HTML file.
    #[must_use]
    pub fn html(&self) -> String {
        let body = html! {
            h1 { (self.title) }
            "\n"
            p { (self.settings) }
            "\n"
            section.cards {
                "\n"
                @for (name, value) in &self.cards {
                    div.card { b { (value) } span { (name) } }
                    "\n"
                }
            }
            "\n"
            h2 { "Classes" }
            "\n"
            (classes(&self.classes))
            h2 { "Confusion" }
            "\n"
            p {
                "Rows are true classes, columns are predicted classes. The darker a cell, the \
                 larger its share of the row."
            }
            "\n"
            (self.confusion.render())
            h2 { "Predicted probabilities" }
            "\n"
            p {
                "The mean predicted probability and the share of correct predictions, for each \
                 tenth of the range from 0 to 1. On the diagonal the two agree. Larger dots stand \
                 for more documents."
            }
            "\n"
            (reliability(&self.reliability))
        };
        whole(&self.title, "en", STYLE, &BTreeSet::from([Asset::Confusion]), &body)
    }
}

fn classes(rows: &[ClassRow]) -> Markup {
    let share = |share: f64| format!("{share:.3}");
    html! {
        div.wide {
            table {
                "\n"
                tr {
                    th { "class" }
                    th { "precision" }
                    th { "recall" }
                    th { "F1" }
                    th {}
                    th { "documents" }
                }
                "\n"
                @for row in rows {
                    tr {
                        th scope="row" { (row.name) }
                        td { (share(row.precision)) }
                        td { (share(row.recall)) }
                        td { (share(row.f1)) }
                        td.bar { i style={ "width:" (format!("{:.1}", row.f1 * 100.0)) "%" } {} }
                        td { (count(row.documents)) }
                    }
                    "\n"
                }
            }
        }
        "\n"
    }
}

/// Renders a plot of the share of correct predictions over the predicted probability.
fn reliability(points: &[Reliability]) -> Markup {
    let (right, top) = (LEFT + SIZE, BOTTOM - SIZE);
    html! {
        svg viewBox="0 -6 366 358" role="img" aria-label="reliability" {
            rect x=(LEFT) y=(top) width=(SIZE) height=(SIZE) {}
            line x1=(LEFT) y1=(BOTTOM) x2=(right) y2=(top) {}
            (dots(points))
            @for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
                text x=(LEFT + tick * SIZE) y="328" text-anchor="middle" { (tick) }
                text x="34" y=(format!("{:.1}", BOTTOM - tick * SIZE + 4.0)) text-anchor="end" { (tick) }
            }
            text x=(LEFT + SIZE / 2.0) y="346" text-anchor="middle" { "predicted probability" }
        }
        "\n"
    }
}

fn dots(points: &[Reliability]) -> Markup {
    let most = points.iter().map(|point| point.documents).max().unwrap_or(1) as f64;
    let radius = |point: &Reliability| 3.0 + 9.0 * (point.documents as f64 / most).sqrt();
    let tenths = |number: f64| format!("{number:.1}");
    html! {
        @for point in points {
            circle
                cx=(tenths(LEFT + point.claimed * SIZE))
                cy=(tenths(BOTTOM - point.right * SIZE))
                r=(tenths(radius(point)))
            {
                title {
                    "predicted " (format!("{:.3}", point.claimed))
                    ", correct " (format!("{:.3}", point.right))
                    ", " (count(point.documents)) " documents"
                }
            }
        }
    }
}
