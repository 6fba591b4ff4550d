//! The evaluation of a classifier as an HTML page.

use std::collections::BTreeSet;

use maud::{Markup, Render, html};
use ontrail_diagram::{Chart, Series};
use ontrail_numbers::count;

use crate::asset::Asset;
use crate::confusion::Confusion;
use crate::page::whole;
use crate::part::picture;

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
    /// The effect of a threshold below which the answer is "other".
    pub thresholds: Thresholds,
    /// The wrong answers with the highest probabilities.
    pub mistakes: Vec<MistakeRow>,
    /// Number of all wrong answers.
    pub wrong: u64,
}

/// Curves over the threshold below which the answer is "other".
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Thresholds {
    /// The share of documents that are answered with a class.
    pub coverage: Vec<(f64, f64)>,
    /// The share of these answers that are right.
    pub precision: Vec<(f64, f64)>,
    /// The share of all documents with the right answer. It is empty if all documents belong to one
    /// of the classes, because "other" is never right then.
    pub accuracy: Vec<(f64, f64)>,
}

/// A document with a wrong answer.
#[derive(Debug, Clone, PartialEq)]
pub struct MistakeRow {
    /// The document's ID.
    pub document: String,
    /// The beginning of its text.
    pub text: String,
    /// Its true class.
    pub class: String,
    /// The answer.
    pub answer: String,
    /// The probability of the likeliest class.
    pub posterior: f64,
    /// The words responsible.
    pub words: String,
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
            h2 { "Threshold" }
            "\n"
            p {
                "With a threshold (--other-below), a document whose likeliest class has a lower \
                 probability is answered with \"other\". A higher threshold leaves fewer answers, \
                 of which more are right."
            }
            "\n"
            (self.thresholds.chart())
            @if !self.mistakes.is_empty() {
                h2 { "Wrong answers" }
                "\n"
                (mistakes(&self.mistakes, self.wrong))
            }
        };
        whole(&self.title, "en", STYLE, &BTreeSet::from([Asset::Confusion]), &body)
    }
}

impl Thresholds {
    fn chart(&self) -> Markup {
        let lines = [
            ("documents answered with a class", &self.coverage),
            ("right among these answers", &self.precision),
            ("right among all documents", &self.accuracy),
        ];
        let series = lines
            .into_iter()
            .filter(|(_, points)| !points.is_empty())
            .map(|(name, points)| Series {
                name: name.to_owned(),
                points: points.clone(),
                band: None,
            })
            .collect();
        let chart = Chart {
            title: String::new(),
            x_label: "threshold".to_owned(),
            y_label: "share".to_owned(),
            series,
            y_range: Some((0.0, 1.0)),
        };
        html! {
            div.chart { (picture(&chart.svg())) }
            "\n"
        }
    }
}

fn mistakes(rows: &[MistakeRow], wrong: u64) -> Markup {
    html! {
        p {
            @if wrong > rows.len() as u64 {
                "The " (rows.len()) " of " (count(wrong)) " wrong answers with the highest \
                 probabilities. "
            }
            "The words speak for the likeliest class and against the true one."
        }
        "\n"
        div.wide {
            table.mistakes {
                "\n"
                tr {
                    th { "true class" }
                    th { "answer" }
                    th { "probability" }
                    th { "words" }
                    th { "document" }
                }
                "\n"
                @for row in rows {
                    tr {
                        td { (row.class) }
                        td { (row.answer) }
                        td { (format!("{:.3}", row.posterior)) }
                        td { (row.words) }
                        td { span.id { (row.document) } (row.text) }
                    }
                    "\n"
                }
            }
        }
        "\n"
    }
}

fn classes(rows: &[ClassRow]) -> Markup {
    let share = |share: f64| format!("{share:.3}");
    html! {
        div.wide {
            table.classes {
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
        svg.reliability viewBox="0 -6 366 358" role="img" aria-label="reliability" {
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
