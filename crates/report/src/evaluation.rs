//! How good a classifier is, as a page by itself.

use std::collections::BTreeSet;

use maud::{Markup, Render, html};
use ontrail_numbers::count;

use crate::asset::Asset;
use crate::confusion::Confusion;
use crate::page::whole;

const STYLE: &str = include_str!("evaluation.css");
/// The square that the plot of posteriors is drawn in: its left side, its lower one, and its size.
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 310.0;
const SIZE: f64 = 300.0;

/// What the page shows.
#[derive(Debug, Clone)]
pub struct EvaluationPage {
    /// What was measured on what.
    pub title: String,
    /// How the classifier was trained.
    pub settings: String,
    /// Figures, each with its name.
    pub cards: Vec<(String, String)>,
    /// The figures of each class.
    pub classes: Vec<ClassRow>,
    /// How often each class was called what.
    pub confusion: Confusion,
    /// Posteriors beside what came true.
    pub reliability: Vec<Reliability>,
}

/// The figures of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassRow {
    /// Its name.
    pub name: String,
    /// The share of what was called this class that is of it.
    pub precision: f64,
    /// The share of this class that was called so.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// How many documents are of this class.
    pub documents: u64,
}

/// Answers with about the same posterior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reliability {
    /// Their mean posterior.
    pub claimed: f64,
    /// The share of them that is right.
    pub right: f64,
    /// How many there are.
    pub documents: u64,
}

impl EvaluationPage {
    /// The page as a file of HTML.
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
                "Rows are true classes, columns what they were called. The darker a cell, the larger its share of the row."
            }
            "\n"
            (self.confusion.render())
            h2 { "Posteriors" }
            "\n"
            p {
                "What was claimed and what came true, for each tenth of posteriors. On the diagonal they agree; larger dots \
                 stand for more documents."
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

/// A plot of claimed against true shares.
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
            text x=(LEFT + SIZE / 2.0) y="346" text-anchor="middle" { "posterior claimed" }
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
                    "claimed " (format!("{:.3}", point.claimed))
                    ", right " (format!("{:.3}", point.right))
                    ", " (count(point.documents)) " documents"
                }
            }
        }
    }
}
