//! `ontrail topic score`: how near pages are to a topic, and why.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_cli::{Align, ExitStatus, Printer, Table, bar, count};
use ontrail_intake::{PageFile, each_page};
use ontrail_page::{Page, PageReader};
use ontrail_taxonomy::MeasureKind;
use ontrail_text::Analyzer;
use ontrail_text::weight::{Bm25, Idf};
use ontrail_topic::{
    Model, Norm, PageView, PagesMet, Reason, Scorer, Similarity, Topic, Weighting, words_as_read,
};
use serde::Serialize;
use url::Url;

use crate::five::Five;
use crate::learn::IdfName;
use crate::meanings::MeaningArgs;
use crate::show::weight_text;

/// Score pages by how near they are to a topic, and say why
///
/// R(p) lies between 0 and 1. The terms that made it are shown with what each weighs in the topic and on
/// the page, and with its part of R(p).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Models: vsm, the cosine; ssrm (eq. 18 of sdvsm) and svsm (eq. 19), which also count words that are like
the topic's in meaning, by WordNet or by an ontology.
Weights: labels (eq. 3 of fcits-oh, eq. 2 of bcw-cc), tags (gafc), tfidf (eq. 9 of sdvsm).

Examples:
  ontrail topic score rain.topic.json datasets/rainstorm-pages/pages/017.html
  ontrail topic score rain.topic.json page.html --url http://www.example.org/ --links --blocks
  ontrail topic score cfp.topic.json crawl.warc.gz --weights tags --json
  ontrail topic score rain.topic.json page.html --model svsm --ontology rainstorm.owl")]
pub(crate) struct Score {
    /// The topic
    #[arg(value_name = "TOPIC")]
    topic: PathBuf,
    /// Pages: files, folders of them, web archives, or - for one on standard input
    #[arg(value_name = "PAGE", required = true)]
    pages: Vec<PathBuf>,
    /// How a page is compared with the topic
    #[arg(long, value_name = "MODEL", value_enum, default_value_t)]
    model: ModelName,
    /// What terms weigh on a page [default: labels for vsm, tfidf for ssrm and svsm]
    #[arg(long, value_name = "WEIGHTS", value_enum)]
    weights: Option<WeightName>,
    /// The weights of the five label groups (title, heading, emphasis, body, other)
    #[arg(long, value_name = "W1,…,W5", default_value_t = Five([2.0, 1.5, 1.2, 1.0, 0.2]), allow_hyphen_values = true)]
    label_weights: Five,
    /// Over which terms of a page its vector's length is taken, the topic's or all [default: topic for
    /// labels and tags, text for tfidf]
    #[arg(long, value_name = "TERMS", value_enum)]
    norm: Option<NormName>,
    /// How rarity is measured [default: offset for labels and tags, plain for tfidf]
    #[arg(long, value_name = "FORM", value_enum)]
    idf: Option<IdfName>,
    /// The address that a page file came from, which relative links start at
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// How many terms to show of each page
    #[arg(long, value_name = "N", default_value_t = 12)]
    top: usize,
    /// Score the links too: their anchor texts, by TF-IDF and by BM25, and what stands around them
    #[arg(long)]
    links: bool,
    /// Score the content blocks too
    #[arg(long)]
    blocks: bool,
    /// The measure of how alike meanings are, for ssrm and svsm
    #[arg(long, value_name = "MEASURE", default_value = "lin")]
    measure: MeasureKind,
    #[command(flatten)]
    meanings: MeaningArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum ModelName {
    #[default]
    Vsm,
    Ssrm,
    Svsm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum WeightName {
    Labels,
    Tags,
    Tfidf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NormName {
    Topic,
    Text,
}

#[derive(Serialize)]
struct Report<'a> {
    topic: &'a str,
    model: ModelName,
    weights: WeightName,
    pages: Vec<Scored>,
}

#[derive(Serialize)]
struct Scored {
    page: String,
    title: String,
    words: usize,
    relevance: f64,
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
    /// R(AL) by TF-IDF (section 2.3 of bcw-cc).
    anchor_tfidf: f64,
    /// R(CL).
    context: f64,
}

#[derive(Serialize)]
struct ScoredBlock {
    block: usize,
    words: u32,
    relevance: f64,
}

pub(crate) fn run(args: &Score, printer: &mut Printer) -> Result<ExitStatus> {
    let model = model(args)?;
    let url = args.url.as_deref().map(|url| {
        Url::parse(url).with_context(|| format!("--url: `{url}` is not an absolute address"))
    });
    let url = url.transpose()?;
    let topic = Topic::read(&args.topic)?;
    let analyzer = topic.analyzer().build();
    let scorer = scorer(args, &topic, &analyzer, model)?;
    if !scorer.unread().is_empty() {
        printer.warn(format_args!(
            "{}: terms without words in them are never found: {}",
            args.topic.display(),
            scorer.unread().join(", ")
        ));
    }
    if model.weighting == Weighting::TfIdf && topic.background.is_none() {
        printer.warn(format_args!(
            "{}: does not say how common words are, so all count as equally rare; make it with \
             --background to change that",
            args.topic.display()
        ));
    }
    let met = PagesMet::of_background(&topic, &scorer);
    let reader = PageReader::new(&analyzer);
    let progress = printer.progress("scoring", None);
    let mut pages = Vec::new();
    for path in &args.pages {
        each_page(path, &mut |mut file: PageFile| {
            if file.url.is_none() {
                file.url.clone_from(&url);
            }
            let page = reader.read(&file.bytes, file.source());
            pages.push(scored(args, &scorer, &met, file.name, &page));
            progress.step();
            Ok(())
        })?;
    }
    drop(progress);
    let weights = weights(args);
    let report = Report { topic: &topic.name, model: args.model, weights, pages };
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        show(args, &report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn weights(args: &Score) -> WeightName {
    args.weights.unwrap_or(match args.model {
        ModelName::Vsm => WeightName::Labels,
        ModelName::Ssrm | ModelName::Svsm => WeightName::Tfidf,
    })
}

fn model(args: &Score) -> Result<Model> {
    let similarity = match args.model {
        ModelName::Vsm => Similarity::Vsm,
        ModelName::Ssrm => Similarity::Ssrm,
        ModelName::Svsm => Similarity::Svsm,
    };
    let mut model = match weights(args) {
        WeightName::Labels => Model::labels(),
        WeightName::Tags => Model::tags(),
        WeightName::Tfidf => Model::tf_idf(similarity),
    };
    model.similarity = similarity;
    if let Weighting::Labels(weights) = &mut model.weighting {
        let is_weight = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        if let Some(wrong) = args.label_weights.0.iter().find(|weight| !is_weight(weight)) {
            bail!("--label-weights: {wrong} is not a weight of 0 or more");
        }
        *weights = args.label_weights.0;
    }
    match args.norm {
        Some(NormName::Topic) => model.norm = Norm::Topic,
        Some(NormName::Text) => model.norm = Norm::Text,
        None => {}
    }
    if let Some(idf) = args.idf {
        model.idf = Idf::from(idf);
    }
    Ok(model)
}

fn scorer(args: &Score, topic: &Topic, analyzer: &Analyzer, model: Model) -> Result<Scorer> {
    let words = if model.similarity == Similarity::Vsm {
        None
    } else {
        let meanings = args.meanings.read().context("ssrm and svsm need to know meanings")?;
        let measure = args.meanings.measure(args.measure, &meanings.taxonomy)?;
        Some(Arc::new(words_as_read(measure, analyzer)))
    };
    Scorer::new(topic, analyzer, model, words)
        .map_err(|error| anyhow!("{}: {error}", args.topic.display()))
}

fn scored(args: &Score, scorer: &Scorer, met: &PagesMet, name: String, page: &Page) -> Scored {
    let view = scorer.view(page);
    let links = || page.links.iter().map(|link| scored_link(scorer, met, &view, link)).collect();
    let blocks = || {
        let blocks = page.blocks.iter().enumerate();
        let words = |block: &ontrail_page::Block| block.counts.iter().map(|&(_, n)| n).sum();
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
        title: page.title.clone(),
        words: page.occurrences().len(),
        relevance: view.relevance(),
        terms: view.reasons(),
        links: args.links.then(links),
        blocks: args.blocks.then(blocks),
    }
}

fn scored_link(
    scorer: &Scorer,
    met: &PagesMet,
    view: &PageView<'_>,
    link: &ontrail_page::Link,
) -> ScoredLink {
    let text = [view.anchor_text(link)];
    ScoredLink {
        url: link.url.to_string(),
        anchor: link.anchor.clone(),
        anchor_bm25: scorer.anchor_relevance(&Bm25::default(), &text, met),
        anchor_tfidf: view.anchor(link),
        context: view.context(link),
    }
}

fn show(args: &Score, report: &Report<'_>, printer: &mut Printer) -> Result<()> {
    for (place, page) in report.pages.iter().enumerate() {
        if place > 0 {
            printer.line("")?;
        }
        printer.heading(format_args!("{:.4}  {}", page.relevance, page.page))?;
        if !page.title.is_empty() {
            printer.line(format_args!("  {}", page.title))?;
        }
        show_terms(page, args.top, printer)?;
        if let Some(blocks) = &page.blocks {
            show_blocks(blocks, printer)?;
        }
        if let Some(links) = &page.links {
            show_links(links, printer)?;
        }
    }
    Ok(())
}

fn show_terms(page: &Scored, top: usize, printer: &mut Printer) -> Result<()> {
    if page.terms.is_empty() {
        let why =
            if page.words == 0 { "no words on this page" } else { "no word of the topic on it" };
        printer.line(format_args!("  {why}"))?;
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
            Some((name, sem)) => format!("{} ({sem:.2} {name})", reason.term),
            None => reason.term.clone(),
        };
        let in_topic = match reason.nearest {
            Some(_) => String::new(),
            None => weight_text(reason.topic_weight),
        };
        let part = if page.relevance > 0.0 { reason.part / page.relevance } else { 0.0 };
        table.row([
            term,
            in_topic,
            weight_text(reason.page_weight),
            weight_text(reason.part),
            bar(part, 20),
        ]);
    }
    printer.table(&table)?;
    if page.terms.len() > top {
        let more = count((page.terms.len() - top) as u64);
        printer.line(format_args!("  … and {more} more (--top)"))?;
    }
    Ok(())
}

fn show_blocks(blocks: &[ScoredBlock], printer: &mut Printer) -> Result<()> {
    let mut table =
        Table::new([("block", Align::Right), ("words", Align::Right), ("R", Align::Right)]);
    for block in blocks {
        table.row([
            block.block.to_string(),
            count(block.words.into()),
            format!("{:.4}", block.relevance),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}

fn show_links(links: &[ScoredLink], printer: &mut Printer) -> Result<()> {
    let mut table = Table::new([
        ("BM25", Align::Right),
        ("TF-IDF", Align::Right),
        ("context", Align::Right),
        ("anchor", Align::Left),
        ("link", Align::Left),
    ]);
    for link in links {
        table.row([
            format!("{:.4}", link.anchor_bm25),
            format!("{:.4}", link.anchor_tfidf),
            format!("{:.4}", link.context),
            link.anchor.chars().take(40).collect(),
            link.url.clone(),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}
