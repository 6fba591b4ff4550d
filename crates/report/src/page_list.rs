//! Pages that were crawled, as a list that a script filters and sorts.

use std::collections::BTreeSet;

use maud::{Markup, Render, html};
use serde::Serialize;
use serde_json::{Value, json};

use crate::asset::data;

/// The values of the choice of verdicts, as the script knows them.
const VERDICTS: [&str; 4] = ["own-yes", "own-no", "true-yes", "true-no"];

/// The list.
#[derive(Debug, Clone)]
pub struct PageList {
    /// What the crawls are called.
    pub crawls: Vec<String>,
    /// The reasons why pages were fetched.
    pub reasons: Vec<String>,
    /// The pages.
    pub pages: Vec<ListedPage>,
    /// Whether pages have labels, so that they can be chosen by the truth.
    pub has_labels: bool,
    /// What the list says.
    pub words: PageListWords,
}

/// A page in the list.
#[derive(Debug, Clone, Default)]
pub struct ListedPage {
    /// The crawl that it is of, by its place.
    pub crawl: usize,
    /// As the how-manyth it was fetched.
    pub number: u64,
    /// Its title.
    pub title: Option<String>,
    /// Its address.
    pub url: String,
    /// How near it is to the topic.
    pub relevance: Option<f64>,
    /// Whether the crawler takes it for relevant.
    pub relevant: Option<bool>,
    /// The class that it was given.
    pub class: Option<String>,
    /// How sure the classifier is of the class.
    pub class_probability: Option<f64>,
    /// Its label.
    pub label: Option<String>,
    /// Whether it is relevant by its label.
    pub truly_relevant: Option<bool>,
    /// The priority that its link had.
    pub priority: Option<f64>,
    /// Why it was fetched, by the place of the reason; none for a seed.
    pub reason: Option<usize>,
    /// The page that it was found on.
    pub parent: Option<String>,
    /// The text of the link to it.
    pub anchor: String,
}

/// What the list says.
#[derive(Debug, Clone)]
pub struct PageListWords {
    /// What the field to filter by is called.
    pub filter: &'static str,
    /// The choice of no crawl in particular.
    pub all_crawls: &'static str,
    /// The choice of no class in particular.
    pub all_classes: &'static str,
    /// The choice of no verdict in particular.
    pub all_verdicts: &'static str,
    /// The verdicts: relevant or not by the crawler, relevant or not by labels.
    pub verdicts: [&'static str; 4],
    /// The button that shows more pages.
    pub more: &'static str,
    /// What the rows say.
    pub list: ListWords,
}

/// The words that the script writes.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "each is called by what it stands above or beside")]
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
    /// How many pages are shown: `%n` of `%m`.
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
    /// What the script reads.
    fn data(&self) -> Value {
        let rows: Vec<Value> = self.pages.iter().map(ListedPage::row).collect();
        json!({ "crawls": self.crawls, "reasons": self.reasons, "words": self.words.list, "rows": rows })
    }

    /// The columns that can be sorted by: their names in the script, and what is shown.
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
    /// The page as the script reads it, by place.
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

/// A choice of one of some values, or of none in particular.
fn choice(class: &str, all: &str, options: &[(String, String)]) -> Markup {
    html! {
        select class=(class) aria-label=(all) {
            option value="" { (all) }
            @for (value, name) in options { option value=(value) { (name) } }
        }
    }
}
