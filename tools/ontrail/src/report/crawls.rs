//! Crawls beside each other: their figures, their curves, and the pages that they brought.

use std::path::PathBuf;

use anyhow::{Result, bail};
use ontrail_cli::count;
use ontrail_crawl::{Crawled, Curves, LogRow};
use ontrail_diagram::{Chart, Series};
use ontrail_pilot::Score;
use ontrail_report::{ListedPage, PageList, Part, Table};

use super::words::{Lang, Words};

/// How many pages the list holds: a browser sorts as many without a pause.
const MOST_PAGES: usize = 5_000;

/// A crawl and what it is called among the others.
pub(super) struct Named {
    name: String,
    crawled: Crawled,
}

/// Reads crawls. They are called by their recipes, and where two have the same, by their folders too.
pub(super) fn read(folders: &[PathBuf]) -> Result<Vec<Named>> {
    let mut crawls = Vec::new();
    for folder in folders {
        let crawled = Crawled::read(folder)?;
        if crawled.pages().is_empty() {
            bail!("{}: no page was downloaded, so there is nothing to show", folder.display());
        }
        crawls.push((folder, crawled));
    }
    let recipe = |crawled: &Crawled| crawled.recipe.name.clone();
    let recipes: Vec<String> = crawls.iter().map(|(_, crawled)| recipe(crawled)).collect();
    let named = crawls.into_iter().map(|(folder, crawled)| {
        let name = recipe(&crawled);
        let is_alone = recipes.iter().filter(|other| **other == name).count() == 1;
        let name = if is_alone { name } else { format!("{name} ({})", folder.display()) };
        Named { name, crawled }
    });
    Ok(named.collect())
}

/// A crawl's curves by both sides, and how many relevant pages there are.
struct Judged<'a> {
    name: &'a str,
    crawled: &'a Crawled,
    own: Curves,
    truth: Curves,
    relevant_pages: u64,
}

pub(super) fn curves(crawls: &[Named], words: &Words) -> Vec<Part> {
    let judged: Vec<Judged<'_>> = crawls
        .iter()
        .map(|Named { name, crawled }| {
            let pages = crawled.pages();
            let truth = crawled.summary.as_ref().and_then(|summary| summary.truth);
            Judged {
                name,
                crawled,
                own: Curves::by_itself(&pages),
                truth: Curves::by_labels(&pages),
                relevant_pages: truth.map_or(0, |truth| truth.relevant_pages),
            }
        })
        .collect();
    let charts = charts(&judged, words).iter().map(Chart::svg).collect();
    vec![Part::Table(figures(&judged, words)), Part::Charts(charts)]
}

/// One line for each crawl.
fn figures(judged: &[Judged<'_>], words: &Words) -> Table {
    let last = |points: &[(f64, f64)]| points.last().map(|point| point.1);
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |it| format!("{it:.0}"));
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |it| format!("{it:.4}"));
    let rows = judged.iter().map(|it| {
        let recall = last(&it.truth.relevant).filter(|_| it.relevant_pages > 0);
        let hosts = it.crawled.summary.as_ref().map(|summary| summary.frontier.hosts);
        [
            it.name.to_owned(),
            count(it.crawled.pages().len() as u64),
            it.crawled.recipe.threshold.to_string(),
            number(last(&it.own.relevant)),
            share(last(&it.own.accuracy)),
            share(last(&it.own.average)),
            number(last(&it.truth.relevant)),
            share(last(&it.truth.accuracy)),
            share(recall.map(|relevant| relevant / it.relevant_pages as f64)),
            hosts.map_or_else(|| "–".to_owned(), count),
        ]
    });
    Table::new("", words.crawl_heads, rows)
}

type Pick = fn(&Judged<'_>) -> Vec<(f64, f64)>;

/// The curves of the papers, one line for each crawl; those without a line are left out.
fn charts(judged: &[Judged<'_>], words: &Words) -> Vec<Chart> {
    let recall: Pick = |it| {
        let share = |(x, y): &(f64, f64)| (*x, y / it.relevant_pages as f64);
        if it.relevant_pages == 0 {
            Vec::new()
        } else {
            it.truth.relevant.iter().map(share).collect()
        }
    };
    let picks: [(Pick, &str); 6] = [
        (|it| it.truth.relevant.clone(), "RP"),
        (recall, "RC"),
        (|it| it.truth.accuracy.clone(), "AC"),
        (|it| it.own.relevant.clone(), "LP"),
        (|it| it.own.accuracy.clone(), "AC"),
        (|it| it.own.average.clone(), "AR"),
    ];
    let chart = |(title, (pick, symbol)): (&&str, &(Pick, &str))| Chart {
        title: (*title).to_owned(),
        x_label: words.downloaded.to_owned(),
        y_label: (*symbol).to_owned(),
        series: judged
            .iter()
            .map(|it| Series { name: it.name.to_owned(), points: pick(it), band: None })
            .filter(|series| !series.points.is_empty())
            .collect(),
        y_range: None,
    };
    words.curves.iter().zip(&picks).map(chart).filter(|chart| !chart.series.is_empty()).collect()
}

/// The pages as a list that can be filtered and sorted.
pub(super) fn pages(crawls: &[Named], lang: Lang) -> Vec<Part> {
    let words = lang.words();
    let all: usize = crawls.iter().map(|it| it.crawled.pages().len()).sum();
    let share = if all > MOST_PAGES { MOST_PAGES / crawls.len().max(1) } else { usize::MAX };
    let mut reasons: Vec<String> = Vec::new();
    let mut pages: Vec<ListedPage> = Vec::new();
    for (number, Named { crawled, .. }) in crawls.iter().enumerate() {
        for page in listed(crawled.pages(), share) {
            // Whatever the rule was by which a seed came first: it was fetched because it is one.
            let rule = page.rule.filter(|_| page.depth > 0);
            let reason = rule.map(|rule| lang.rule(rule));
            let reason = reason.map(|reason| {
                let known = reasons.iter().position(|it| it == reason);
                known.unwrap_or_else(|| {
                    reasons.push(reason.to_owned());
                    reasons.len() - 1
                })
            });
            pages.push(shown(number, page, reason));
        }
    }
    let mut parts = Vec::new();
    if pages.len() < all {
        let note = words.pages_cut.replace("%m", &count(all as u64));
        parts.push(Part::Note(note.replace("%n", &count(pages.len() as u64))));
    }
    let has_labels =
        crawls.iter().any(|it| it.crawled.pages().iter().any(|row| row.label.is_some()));
    parts.push(Part::Pages(Box::new(PageList {
        crawls: crawls.iter().map(|it| it.name.clone()).collect(),
        reasons,
        pages,
        has_labels,
        words: words.list.clone(),
    })));
    parts
}

/// The pages that are listed: all of them, or the most relevant, in the order of their fetches.
fn listed(mut pages: Vec<&LogRow>, most: usize) -> Vec<&LogRow> {
    if pages.len() > most {
        let relevance = |row: &LogRow| row.relevance.unwrap_or(0.0);
        pages.sort_by(|a, b| {
            relevance(b).total_cmp(&relevance(a)).then_with(|| a.number.cmp(&b.number))
        });
        pages.truncate(most);
        pages.sort_by_key(|row| row.number);
    }
    pages
}

/// What the list shows of a page.
fn shown(crawl: usize, page: &LogRow, reason: Option<usize>) -> ListedPage {
    ListedPage {
        crawl,
        number: page.number,
        title: page.title.clone(),
        url: page.final_url.clone(),
        relevance: page.relevance,
        relevant: page.relevant,
        class: page.class.clone(),
        class_probability: page.class_probability,
        label: page.label.clone(),
        truly_relevant: page.truly_relevant,
        priority: page.score(Score::Priority),
        reason,
        parent: page.parent.clone(),
        anchor: page.anchor.clone(),
    }
}
