//! Crawls beside each other: their figures, their curves, and the pages that they brought.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use ontrail_cli::count;
use ontrail_crawl::{Crawled, Curves, LogRow};
use ontrail_diagram::{Chart, Series, escape, report_table, script_data};
use ontrail_pilot::Score;
use serde_json::{Value, json};

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

pub(super) fn curves(crawls: &[Named], words: &Words) -> String {
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
    let charts: String =
        charts(&judged, words).into_iter().map(|chart| chart.svg() + "\n").collect();
    format!("{}<div class=\"charts\">\n{charts}</div>\n", figures(&judged, words))
}

/// One line for each crawl.
fn figures(judged: &[Judged<'_>], words: &Words) -> String {
    let last = |points: &[(f64, f64)]| points.last().map(|point| point.1);
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |it| format!("{it:.0}"));
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |it| format!("{it:.4}"));
    let rows: Vec<Vec<String>> = judged
        .iter()
        .map(|it| {
            let recall = last(&it.truth.relevant).filter(|_| it.relevant_pages > 0);
            let hosts = it.crawled.summary.as_ref().map(|summary| summary.frontier.hosts);
            vec![
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
        })
        .collect();
    report_table("", &words.crawl_heads, &rows)
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
pub(super) fn pages(crawls: &[Named], lang: Lang) -> String {
    let words = lang.words();
    let all: usize = crawls.iter().map(|it| it.crawled.pages().len()).sum();
    let share = if all > MOST_PAGES { MOST_PAGES / crawls.len().max(1) } else { usize::MAX };
    let mut reasons: Vec<&'static str> = Vec::new();
    let mut rows: Vec<Value> = Vec::new();
    let mut classes: BTreeSet<String> = BTreeSet::new();
    for (number, Named { crawled, .. }) in crawls.iter().enumerate() {
        for page in listed(crawled.pages(), share) {
            classes.extend(page.class.clone());
            // Whatever the rule was by which a seed came first: it was fetched because it is one.
            let rule = page.rule.filter(|_| page.depth > 0);
            let reason = rule.map(|rule| lang.rule(rule));
            let reason = reason.map(|reason| {
                let known = reasons.iter().position(|it| *it == reason);
                known.unwrap_or_else(|| {
                    reasons.push(reason);
                    reasons.len() - 1
                })
            });
            rows.push(row(number, page, reason));
        }
    }
    let cut = if rows.len() < all {
        let text = words.pages_cut.replace("%m", &count(all as u64));
        format!("<p class=\"note\">{}</p>\n", text.replace("%n", &count(rows.len() as u64)))
    } else {
        String::new()
    };
    let names: Vec<&str> = crawls.iter().map(|it| it.name.as_str()).collect();
    let has_labels =
        crawls.iter().any(|it| it.crawled.pages().iter().any(|row| row.label.is_some()));
    let data = json!({ "crawls": names, "reasons": reasons, "words": words.list, "rows": rows });
    format!(
        "{cut}<div class=\"page-list\">\n{}<div class=\"wide-when-needed\"><table>\n{}<tbody></tbody></table></div>\n\
         <p><button class=\"more\" type=\"button\">{}</button></p>\n\
         <script type=\"application/json\">{}</script>\n</div>\n",
        controls(&names, &classes, has_labels, words),
        heads(names.len() > 1, words),
        words.more,
        script_data(&data)
    )
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

/// A page as the script of the list reads it, by place.
fn row(crawl: usize, page: &LogRow, reason: Option<usize>) -> Value {
    json!([
        crawl,
        page.number,
        page.title,
        page.final_url,
        page.relevance,
        page.relevant,
        page.class,
        page.class_probability,
        page.label,
        page.truly_relevant,
        page.score(Score::Priority),
        reason,
        page.parent,
        page.anchor,
    ])
}

/// The heads of the columns that can be sorted by: their name in the script, and what is shown.
fn sortable(many: bool, words: &Words) -> Vec<(&'static str, &'static str)> {
    let list = &words.list;
    let crawl = many.then_some(("crawl", list.crawl));
    let first = std::iter::once(("number", list.number)).chain(crawl);
    first
        .chain([
            ("title", list.page),
            ("relevance", list.relevance),
            ("class", list.class),
            ("label", list.label),
            ("priority", list.priority),
        ])
        .collect()
}

fn heads(many: bool, words: &Words) -> String {
    let cells: String = sortable(many, words)
        .iter()
        .map(|(by, name)| {
            format!(
                "<th data-by=\"{by}\" scope=\"col\"><button type=\"button\">{name}</button></th>"
            )
        })
        .collect();
    format!("<thead><tr>{cells}<th scope=\"col\">{}</th></tr></thead>\n", words.list.reason)
}

fn controls(names: &[&str], classes: &BTreeSet<String>, has_labels: bool, words: &Words) -> String {
    let option = |value: &str, name: &str| {
        format!("<option value=\"{}\">{}</option>", escape(value), escape(name))
    };
    let select = |class: &str, all: &str, options: String| {
        let first = option("", all);
        format!(
            "<select class=\"{class}\" aria-label=\"{}\">{first}{options}</select>\n",
            escape(all)
        )
    };
    let crawls = if names.len() > 1 {
        let options = names.iter().enumerate().map(|(at, name)| option(&at.to_string(), name));
        select("crawl", words.all_crawls, options.collect())
    } else {
        String::new()
    };
    let values = ["own-yes", "own-no", "true-yes", "true-no"];
    let verdicts = values.iter().zip(words.verdicts).take(if has_labels { 4 } else { 2 });
    let verdicts = verdicts.map(|(value, name)| option(value, name)).collect();
    let klass = if classes.is_empty() {
        String::new()
    } else {
        let options = classes.iter().map(|name| option(name, name)).collect();
        select("klass", words.all_classes, options)
    };
    let sort = sortable(names.len() > 1, words);
    let sort = sort.iter().map(|(by, name)| option(by, &format!("↕ {name}"))).collect();
    format!(
        "<div class=\"controls\"><input class=\"text\" type=\"search\" placeholder=\"{filter}\" aria-label=\"{filter}\">\n\
         {crawls}{}{klass}{}<span class=\"status faint\" role=\"status\"></span></div>\n",
        select("verdict", words.all_verdicts, verdicts),
        select("sort-by", "↕", sort),
        filter = words.filter,
    )
}
