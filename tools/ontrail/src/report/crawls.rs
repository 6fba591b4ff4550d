//! Crawls compared: their figures, their curves, and the pages that they fetched.

use std::path::PathBuf;

use anyhow::{Result, bail};
use ontrail_cli::count;
use ontrail_crawl::{Crawled, LogRow};
use ontrail_diagram::{Chart, Series};
use ontrail_pilot::Score;
use ontrail_report::{ListedPage, PageList, Part, Table};

use super::learned;
use super::words::{Lang, Words};

/// Greatest number of pages in the list; a browser sorts this many without a pause.
const MOST_PAGES: usize = 5_000;

/// A crawl and its name in the report.
pub(super) struct Named {
    name: String,
    crawled: Crawled,
}

/// Reads crawls. A crawl is named after its recipe, and after its folder too if another crawl has
/// the same recipe.
pub(super) fn read(folders: &[PathBuf]) -> Result<Vec<Named>> {
    let mut crawls = Vec::new();
    for folder in folders {
        let crawled = Crawled::read(folder, MOST_PAGES)?;
        if crawled.pages == 0 {
            bail!("{}: the crawl fetched no pages, so there is nothing to show", folder.display());
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

pub(super) fn curves(crawls: &[Named], lang: Lang) -> Vec<Part> {
    let words = lang.words();
    let charts = charts(crawls, words).iter().map(Chart::svg).collect();
    let mut parts = vec![Part::Table(figures(crawls, words)), Part::Charts(charts)];
    for Named { name, crawled } in crawls {
        let summary = crawled.summary.as_ref();
        parts.extend(summary.into_iter().flat_map(|it| learned::parts(name, it, lang)));
    }
    parts
}

/// Returns the number of relevant pages on the web, by the ground truth.
fn relevant_pages(crawled: &Crawled) -> u64 {
    let truth = crawled.summary.as_ref().and_then(|summary| summary.truth);
    truth.map_or(0, |truth| truth.relevant_pages)
}

/// Returns a table with a row for each crawl.
fn figures(crawls: &[Named], words: &Words) -> Table {
    let last = |points: &[(f64, f64)]| points.last().map(|point| point.1);
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |it| format!("{it:.0}"));
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |it| format!("{it:.2}"));
    let rows = crawls.iter().map(|Named { name, crawled: it }| {
        let all = relevant_pages(it);
        let recall = last(&it.truth.relevant).filter(|_| all > 0);
        let threshold = it.recipe.threshold;
        let judgement = it.summary.as_ref().and_then(|summary| summary.judgement);
        let hosts = it.summary.as_ref().map(|summary| summary.frontier.hosts);
        [
            name.clone(),
            count(it.pages),
            it.summary.as_ref().map_or(threshold.to_string(), |it| it.threshold_text(threshold)),
            number(last(&it.own.relevant)),
            share(last(&it.own.accuracy)),
            share(last(&it.own.average)),
            number(last(&it.truth.relevant)),
            share(last(&it.truth.accuracy)),
            share(recall.map(|relevant| relevant / all as f64)),
            share(judgement.map(|it| it.precision)),
            share(judgement.map(|it| it.recall)),
            share(judgement.map(|it| it.f1)),
            hosts.map_or_else(|| "–".to_owned(), count),
        ]
    });
    Table::new("", words.crawl_heads, rows)
}

type Pick = fn(&Crawled) -> Vec<(f64, f64)>;

/// Returns the charts of the papers, with a line for each crawl. Charts without lines are left out.
fn charts(crawls: &[Named], words: &Words) -> Vec<Chart> {
    let recall: Pick = |it| {
        let all = relevant_pages(it);
        let share = |(x, y): &(f64, f64)| (*x, y / all as f64);
        if all == 0 { Vec::new() } else { it.truth.relevant.iter().map(share).collect() }
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
        series: crawls
            .iter()
            .map(|it| Series { name: it.name.clone(), points: pick(&it.crawled), band: None })
            .filter(|series| !series.points.is_empty())
            .collect(),
        y_range: None,
    };
    words.curves.iter().zip(&picks).map(chart).filter(|chart| !chart.series.is_empty()).collect()
}

/// Returns the pages as a list that can be filtered and sorted.
pub(super) fn pages(crawls: &mut [Named], lang: Lang) -> Vec<Part> {
    let words = lang.words();
    let all: u64 = crawls.iter().map(|it| it.crawled.pages).sum();
    let share = if all > MOST_PAGES as u64 { MOST_PAGES / crawls.len().max(1) } else { MOST_PAGES };
    let mut reasons: Vec<String> = Vec::new();
    let mut pages: Vec<ListedPage> = Vec::new();
    for (number, Named { crawled, .. }) in crawls.iter_mut().enumerate() {
        crawled.keep_best(share);
        for page in &crawled.best {
            // A seed was fetched because it is a seed, whatever rule picked it from the queue.
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
    if (pages.len() as u64) < all {
        let note = words.pages_cut.replace("%m", &count(all));
        parts.push(Part::Note(note.replace("%n", &count(pages.len() as u64))));
    }
    let has_labels = crawls.iter().any(|it| it.crawled.has_labels);
    parts.push(Part::Pages(Box::new(PageList {
        crawls: crawls.iter().map(|it| it.name.clone()).collect(),
        reasons,
        pages,
        has_labels,
        words: words.list.clone(),
    })));
    parts
}

/// Returns the row of a page.
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
