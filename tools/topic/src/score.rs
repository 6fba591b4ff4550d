//! `ontrail topic score`: computes the relevance of pages to a topic.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_anchor::{Bm25, PagesMet};
use ontrail_cli::{Align, ExitStatus, Printer, Table, absolute_url, bar, count as number, decimal};
use ontrail_page::{Analyses, Content, Html, LinkTerms, Page, PageLink};
use ontrail_sdg::Judgement;
use ontrail_text::TermId;
use ontrail_tool_input::LabelArg;
use ontrail_topic::{PageView, Reason, Scorer, Topic};
use serde::Serialize;
use url::Url;

use crate::model::{ModelArgs, ModelName, Prepared, WeightName};

/// Compute the relevance of pages to a topic, and show which terms contribute to it
///
/// The relevance R lies between 0 and 1. For each page the command shows the terms that contribute
/// to R, with their weights in the topic and on the page and their part of R. Words that are only
/// similar to a term of the topic are shown with the similarity and that term.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The models ssrm and svsm also count words that are similar in meaning to the topic's terms, by
WordNet or by an ontology. As printed (--norm pairs), svsm gives almost 1 to a page with a single
word that is similar to a term of the topic; --norm text avoids that.

Examples:
  ontrail topic score rain.topic.json datasets/rainstorm-pages/pages/017.html
  ontrail topic score rain.topic.json page.html --url http://www.example.org/ --links --blocks
  ontrail topic score cfp.topic.json crawl.warc.gz --weights tags --json
  ontrail topic score rain.topic.json page.html --model svsm --ontology rainstorm.owl
  ontrail topic score rain.topic.json page.html --model svsm --norm text --sdg rain.sdg.json")]
pub(crate) struct Score {
    /// Topic file to score by
    #[arg(value_name = "TOPIC")]
    topic: PathBuf,
    /// Pages to score: files, folders of pages, web archives, datasets, or - for one page on
    /// standard input
    #[arg(value_name = "PAGE", required = true)]
    pages: Vec<PathBuf>,
    /// URL of a page file, against which relative links are resolved
    #[arg(long, value_name = "URL", value_parser = absolute_url)]
    url: Option<Url>,
    /// Number of terms to show for each page (--json writes all)
    #[arg(long, value_name = "N", default_value_t = 12)]
    top: usize,
    /// Score the links too: their anchor texts, by BM25 and by the model, and their contexts. In
    /// links and blocks the weight of a term is its frequency times its inverse document frequency
    #[arg(long)]
    links: bool,
    /// Score the content blocks too
    #[arg(long)]
    blocks: bool,
    /// Skip and report pages that cannot be read, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    labels: LabelArg,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Serialize)]
struct Report<'a> {
    topic: &'a str,
    /// The disambiguation graph, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    sdg: Option<&'a Path>,
    model: ModelName,
    weights: WeightName,
    pages: Vec<Scored>,
}

#[derive(Serialize)]
struct Scored {
    page: String,
    title: String,
    words: usize,
    /// Number of the topic's terms on the page; names of one concept count once.
    topic_terms: usize,
    relevance: f64,
    /// The ambiguous terms that were removed, if a graph was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<Judgement>>,
    terms: Vec<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<ScoredLink>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<ScoredBlock>>,
}

#[derive(Serialize)]
struct ScoredLink {
    url: String,
    anchor: String,
    /// R(A) by BM25 (eq. 5 and 6 of fcits-oh).
    anchor_bm25: f64,
    /// R(AL), by the model with TF-IDF (section 2.3 of bcw-cc).
    anchor_tfidf: f64,
    /// R(CL), the relevance of the link context.
    context: f64,
}

#[derive(Serialize)]
struct ScoredBlock {
    block: usize,
    words: u32,
    relevance: f64,
}

pub(crate) fn run(args: &Score, printer: &mut Printer) -> Result<ExitStatus> {
    let scores_parts = args.links || args.blocks;
    let model = args.model.model(scores_parts)?;
    let mut url = args.url.clone();
    if args.links && url.is_none() {
        let local = Url::parse("http://localhost/").expect("a constant URL is valid");
        printer.note(format_args!(
            "relative links of page files are resolved against {local}; give another URL with --url"
        ));
        url = Some(local);
    }
    let topic = Topic::read(&args.topic)?;
    let prepared =
        args.model.prepare(&topic, &args.topic, model, scores_parts, Content::Page, printer)?;
    let Prepared { analyzer, scorer, senses, .. } = prepared;
    let met = scorer.pages_of_background(&topic);
    let (mut pages, mut count, mut skipped) = (Vec::new(), 0_usize, Vec::new());
    for path in &args.pages {
        let noted = args.skip_bad.then_some(&mut skipped);
        let visited = args.labels.each_page(path, noted, &mut |mut file| {
            if file.url.is_none() {
                file.url.clone_from(&url);
            }
            let html = Html::parse(&file.bytes, file.source());
            let mut analyses = Analyses::of(&html);
            let page = analyses.by(&analyzer);
            let removed = senses.as_ref().map(|senses| senses.removed(&mut analyses, &page));
            let found = scored(args, &scorer, &met, file.name, &html, &page, removed);
            count += 1;
            if printer.is_json() {
                pages.push(found);
            } else {
                show(args, &found, count == 1, printer)?;
            }
            Ok(())
        });
        visited?;
    }
    printer.skipped(skipped.len() as u64, "pages", &skipped);
    if count == 0 {
        let paths: Vec<String> = args.pages.iter().map(|it| it.display().to_string()).collect();
        bail!("{}: contains no pages to score", paths.join(", "));
    }
    if printer.is_json() {
        let weights = args.model.weights();
        let (sdg, model) = (args.model.sdg.as_deref(), args.model.model);
        printer.json(&Report { topic: &topic.name, sdg, model, weights, pages })?;
    }
    Ok(ExitStatus::Done)
}

fn scored(
    args: &Score,
    scorer: &Scorer,
    met: &PagesMet,
    name: String,
    html: &Html,
    page: &Page,
    removed: Option<(Vec<Judgement>, Vec<TermId>)>,
) -> Scored {
    let (removed, gone) = removed.unzip();
    let view = scorer.view(page).without(&gone.unwrap_or_default());
    let scored_link = |(link, terms)| scored_link(met, &view, link, terms);
    let links = || html.links.iter().zip(&page.links).map(scored_link).collect();
    let blocks = || {
        let blocks = page.blocks.iter().enumerate();
        let words = |block: &ontrail_page::ContentBlock| block.counts.iter().map(|&(_, n)| n).sum();
        blocks
            .map(|(place, block)| ScoredBlock {
                block: place,
                words: words(block),
                relevance: view.block(block),
            })
            .collect()
    };
    Scored {
        page: name,
        title: html.title.clone(),
        words: page.occurrences().len(),
        topic_terms: view.features_found(),
        relevance: view.relevance(),
        removed,
        terms: view.reasons(),
        links: args.links.then(links),
        blocks: args.blocks.then(blocks),
    }
}

fn scored_link(
    met: &PagesMet,
    view: &PageView<'_>,
    link: &PageLink,
    terms: &LinkTerms,
) -> ScoredLink {
    let text = [view.anchor_text(terms)];
    ScoredLink {
        url: link.url.to_string(),
        anchor: link.anchor.clone(),
        anchor_bm25: met.relevance(&Bm25::default(), &text),
        anchor_tfidf: view.anchor(terms),
        context: view.context(terms),
    }
}

fn show(args: &Score, page: &Scored, is_first: bool, printer: &mut Printer) -> Result<()> {
    if !is_first {
        printer.line("")?;
    }
    printer.heading(format_args!("{:.3}  {}", page.relevance, page.page))?;
    if !page.title.is_empty() {
        printer.line(format_args!("  {}", page.title))?;
    }
    show_removed(page, printer)?;
    show_terms(page, args.top, printer)?;
    if let Some(blocks) = &page.blocks {
        show_blocks(blocks, printer)?;
    }
    if let Some(links) = &page.links {
        show_links(links, printer)?;
    }
    Ok(())
}

fn show_removed(page: &Scored, printer: &mut Printer) -> Result<()> {
    let names: Vec<&str> = page.removed.iter().flatten().map(|it| it.term.as_str()).collect();
    if !names.is_empty() {
        printer.line(format_args!(
            "  removed, because they do not mean the topic here: {}",
            names.join(", ")
        ))?;
    }
    Ok(())
}

fn show_terms(page: &Scored, top: usize, printer: &mut Printer) -> Result<()> {
    if page.terms.is_empty() {
        let is_cleared = page.removed.as_ref().is_some_and(|gone| !gone.is_empty());
        match (page.words, page.topic_terms) {
            (0, _) => printer.line("  no words on this page")?,
            (_, 0) if is_cleared => printer.line("  no other term of the topic is on this page")?,
            (_, 0) => printer.line("  no term of the topic is on this page")?,
            (_, found) => printer.line(format_args!(
                "  terms of the topic on this page: {}, all of weight 0, because every text of the \
                 background contains them (try --idf smooth) or because of the given weights",
                number(found as u64)
            ))?,
        }
        return Ok(());
    }
    let mut table = Table::new([
        ("term", Align::Left),
        ("in topic", Align::Right),
        ("on page", Align::Right),
        ("part of R", Align::Right),
        ("", Align::Left),
    ]);
    for reason in page.terms.iter().take(top) {
        let term = match &reason.nearest {
            Some(nearest) => {
                format!("{} ({:.2} {})", reason.term, nearest.similarity, nearest.term)
            }
            None => reason.term.clone(),
        };
        let in_topic = match reason.nearest {
            Some(_) => String::new(),
            None => decimal(reason.topic_weight),
        };
        let part = if page.relevance > 0.0 { reason.part / page.relevance } else { 0.0 };
        table.row([
            term,
            in_topic,
            decimal(reason.page_weight),
            decimal(reason.part),
            bar(part, 20),
        ]);
    }
    printer.table(&table)?;
    if page.terms.len() > top {
        let more = number((page.terms.len() - top) as u64);
        printer.line(format_args!("  … and {more} more (raise --top)"))?;
    }
    Ok(())
}

fn show_blocks(blocks: &[ScoredBlock], printer: &mut Printer) -> Result<()> {
    let mut table =
        Table::new([("block", Align::Right), ("words", Align::Right), ("R", Align::Right)]);
    for block in blocks {
        table.row([
            block.block.to_string(),
            number(block.words.into()),
            format!("{:.3}", block.relevance),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}

fn show_links(links: &[ScoredLink], printer: &mut Printer) -> Result<()> {
    let mut table = Table::new([
        ("BM25", Align::Right),
        ("model", Align::Right),
        ("context", Align::Right),
        ("anchor", Align::Left),
        ("link", Align::Left),
    ]);
    for link in links {
        table.row([
            format!("{:.3}", link.anchor_bm25),
            format!("{:.3}", link.anchor_tfidf),
            format!("{:.3}", link.context),
            link.anchor.chars().take(40).collect(),
            link.url.clone(),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}
