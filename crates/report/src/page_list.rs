//! A list of crawled pages that a script filters and sorts.

use std::collections::BTreeSet;

use maud::{Markup, Render, html};
use serde::Serialize;
use serde_json::{Value, json};

use crate::asset::data;

/// The values of the filter by relevance, which the script knows.
const VERDICTS: [&str; 4] = ["own-yes", "own-no", "true-yes", "true-no"];

/// A list of crawled pages.
#[derive(Debug, Clone)]
pub struct PageList {
    /// The names of the crawls.
    pub crawls: Vec<String>,
    /// The reasons for fetching pages.
    pub reasons: Vec<String>,
    /// The pages.
    pub pages: Vec<ListedPage>,
    /// True if pages have labels, so that they can be filtered by the ground truth.
    pub has_labels: bool,
    /// The texts of the list.
    pub words: PageListWords,
}

/// A page in the list.
#[derive(Debug, Clone, Default)]
pub struct ListedPage {
    /// The index of the crawl in `crawls`.
    pub crawl: usize,
    /// The position in the order of fetching.
    pub number: u64,
    /// The title.
    pub title: Option<String>,
    /// The URL.
    pub url: String,
    /// The relevance.
    pub relevance: Option<f64>,
    /// True if the crawler judged it relevant.
    pub relevant: Option<bool>,
    /// The predicted class.
    pub class: Option<String>,
    /// The probability of the predicted class.
    pub class_probability: Option<f64>,
    /// The label.
    pub label: Option<String>,
    /// True if it is relevant by the ground truth.
    pub truly_relevant: Option<bool>,
    /// The priority of its link.
    pub priority: Option<f64>,
    /// The index of the reason in `reasons`; `None` for a seed.
    pub reason: Option<usize>,
    /// The URL of the page on which its link was found.
    pub parent: Option<String>,
    /// The anchor text of that link.
    pub anchor: String,
}

/// The texts of the list that the page contains.
#[derive(Debug, Clone)]
pub struct PageListWords {
    /// The name of the filter field.
    pub filter: &'static str,
    /// The choice of all crawls.
    pub all_crawls: &'static str,
    /// The choice of all classes.
    pub all_classes: &'static str,
    /// The choice of all pages, whether relevant or not.
    pub all_verdicts: &'static str,
    /// The choices: relevant and irrelevant by the crawler, relevant and irrelevant by the labels.
    pub verdicts: [&'static str; 4],
    /// The label of the button that shows more pages.
    pub more: &'static str,
    /// The texts that the script writes.
    pub list: ListWords,
}

/// The texts that the script writes.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "each is named after its column or value")]
pub struct ListWords {
    pub number: &'static str,
    pub crawl: &'static str,
    pub page: &'static str,
    pub relevance: &'static str,
    pub class: &'static str,
    pub label: &'static str,
    pub priority: &'static str,
    pub reason: &'static str,
    pub yes: &'static str,
    pub no: &'static str,
    pub found: &'static str,
    pub seed: &'static str,
    pub untitled: &'static str,
    /// The number of pages that match, with `%n` for it and `%m` for the number of all pages.
    pub count: &'static str,
}

impl Render for PageList {
    fn render(&self) -> Markup {
        html! {
            div.page-list {
                "\n"
                (self.controls())
                div.wide-when-needed { table { "\n" (self.heads()) tbody {} } }
                "\n"
                p { button.more type="button" { (self.words.more) } }
                "\n"
                (data(&self.data()))
                "\n"
            }
        }
    }
}

impl PageList {
    /// Returns the data for the script.
    fn data(&self) -> Value {
        let rows: Vec<Value> = self.pages.iter().map(ListedPage::row).collect();
        json!({ "crawls": self.crawls, "reasons": self.reasons, "words": self.words.list, "rows": rows })
    }

    /// Returns the sortable columns: their names in the script, and their headings.
    fn sortable(&self) -> Vec<(&'static str, &'static str)> {
        let list = &self.words.list;
        let crawl = (self.crawls.len() > 1).then_some(("crawl", list.crawl));
        let others = [
            ("title", list.page),
            ("relevance", list.relevance),
            ("class", list.class),
            ("label", list.label),
            ("priority", list.priority),
        ];
        std::iter::once(("number", list.number)).chain(crawl).chain(others).collect()
    }

    fn heads(&self) -> Markup {
        html! {
            thead {
                tr {
                    @for (by, name) in self.sortable() {
                        th data-by=(by) scope="col" { button type="button" { (name) } }
                    }
                    th scope="col" { (self.words.list.reason) }
                }
            }
            "\n"
        }
    }

    fn controls(&self) -> Markup {
        let words = &self.words;
        let crawls = self.crawls.iter().enumerate();
        let crawls: Vec<_> = crawls.map(|(at, name)| (at.to_string(), name.clone())).collect();
        let classes: BTreeSet<&String> =
            self.pages.iter().filter_map(|page| page.class.as_ref()).collect();
        let classes: Vec<_> = classes.into_iter().map(|it| (it.clone(), it.clone())).collect();
        let known = if self.has_labels { 4 } else { 2 };
        let verdicts = VERDICTS.iter().zip(words.verdicts).take(known);
        let verdicts: Vec<_> =
            verdicts.map(|(value, name)| ((*value).to_owned(), name.to_owned())).collect();
        let sort = self.sortable().into_iter();
        let sort: Vec<_> = sort.map(|(by, name)| (by.to_owned(), format!("↕ {name}"))).collect();
        html! {
            div.controls {
                input.text type="search" placeholder=(words.filter) aria-label=(words.filter);
                @if crawls.len() > 1 { (choice("crawl", words.all_crawls, &crawls)) }
                (choice("verdict", words.all_verdicts, &verdicts))
                @if !classes.is_empty() { (choice("klass", words.all_classes, &classes)) }
                (choice("sort-by", "↕", &sort))
                span.status.faint role="status" {}
            }
            "\n"
        }
    }
}

impl ListedPage {
    /// Returns the page as an array, whose order the script knows.
    fn row(&self) -> Value {
        json!([
            self.crawl,
            self.number,
            self.title,
            self.url,
            self.relevance,
            self.relevant,
            self.class,
            self.class_probability,
            self.label,
            self.truly_relevant,
            self.priority,
            self.reason,
            self.parent,
            self.anchor,
        ])
    }
}

/// Renders a choice of one of some values, or of all.
fn choice(class: &str, all: &str, options: &[(String, String)]) -> Markup {
    html! {
        select class=(class) aria-label=(all) {
            option value="" { (all) }
            @for (value, name) in options { option value=(value) { (name) } }
        }
    }
}
