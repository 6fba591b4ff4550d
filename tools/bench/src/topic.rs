//! `ontrail bench topic`: the speed of scoring texts and comparing pairs of words.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_page::{Html, Page, Source};
use ontrail_taxonomy::{
    Label, Measure, MeasureKind, Taxonomy, TaxonomyBuilder, WordNet, WordNetError, Words,
};
use ontrail_text::Analyzer;
use ontrail_topic::{Background, Model, Origin, Scorer, Similarity, Term, Topic, words_as_read};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::timing::seconds;

/// Number of texts to score.
const TEXTS: usize = 200;
/// Number of words in each text.
const WORDS: usize = 400;
/// Number of comparisons of word pairs.
const ASKED: usize = 1_000_000;
/// Number of different word pairs.
const PAIRS: usize = 20_000;

/// Measure how many texts per second each model scores
///
/// The texts consist of words of the taxonomy, distributed by Zipf's law, and are parsed
/// beforehand; the time covers looking up their terms and computing the score. The speed of
/// comparing word pairs is measured as well. Everything runs on one core; the fastest round counts.
/// The taxonomy is WordNet if it is installed, or else a synthetic one of 80,000 concepts.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench topic
  ontrail bench topic --wordnet /usr/share/wordnet --rounds 15 --json")]
pub(crate) struct TopicBench {
    /// WordNet folder
    #[arg(long, value_name = "DIR")]
    wordnet: Option<PathBuf>,
    /// Numbers of topic terms to measure with
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [50, 500, 5_000], value_parser = clap::value_parser!(u32).range(1..=20_000))]
    terms: Vec<u32>,
    /// Number of rounds of each measurement
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Serialize)]
struct Report {
    source: String,
    concepts: usize,
    /// Seconds to read WordNet; none for a synthetic taxonomy.
    load_seconds: Option<f64>,
    pairs: PairReport,
    texts: usize,
    words_per_text: usize,
    models: Vec<ModelReport>,
}

/// The speed of Lin's similarity of word pairs: the greatest over all pairs of senses.
#[derive(Serialize)]
struct PairReport {
    asked: usize,
    first_per_second: f64,
    remembered_per_second: f64,
}

#[derive(Serialize)]
struct ModelReport {
    terms: usize,
    model: &'static str,
    /// Seconds to prepare the scorer and score all texts once.
    prepare_seconds: f64,
    texts_per_second: f64,
    /// Time per text, divided by that of VSM with the same weights.
    over_vsm: f64,
}

pub(crate) fn run(args: &TopicBench, printer: &mut Printer) -> Result<ExitStatus> {
    let (taxonomy, source, load_seconds) = taxonomy(args)?;
    let report = Report {
        concepts: taxonomy.len(),
        source,
        load_seconds,
        pairs: pairs(&taxonomy, args.rounds),
        texts: TEXTS,
        words_per_text: WORDS,
        models: models(&taxonomy, args, printer)?,
    };
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        show(&report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn taxonomy(args: &TopicBench) -> Result<(Arc<Taxonomy>, String, Option<f64>)> {
    let folder = match args.wordnet.clone().map_or_else(WordNet::place, Ok) {
        Err(WordNetError::NotFound) => {
            return Ok((Arc::new(synthetic_taxonomy()?), "synthetic taxonomy".to_owned(), None));
        }
        folder => folder?,
    };
    let wordnet = WordNet::read(&folder)?;
    let rounds = (0..args.rounds).map(|_| seconds(|| WordNet::read(&folder)));
    let fastest = rounds.fold(f64::INFINITY, f64::min);
    let source = format!("WordNet in {}", folder.display());
    Ok((Arc::clone(wordnet.taxonomy()), source, Some(fastest)))
}

/// Returns a tree of 80,000 concepts, each with up to six children and one word.
fn synthetic_taxonomy() -> Result<Taxonomy> {
    let mut builder = TaxonomyBuilder::new();
    let mut ids = Vec::new();
    for number in 0..80_000_usize {
        let id = builder.concept(&number.to_string());
        ids.push(id);
        builder.label(id, Label::preferred(synthetic_word(number), Some("en")));
        if number > 0 {
            builder.is_a(id, ids[(number - 1) / 6]);
        }
    }
    Ok(builder.finish()?)
}

/// Returns a word that no stemmer changes.
fn synthetic_word(mut number: usize) -> String {
    let mut word = "k".to_owned();
    for _ in 0..5 {
        word.push(char::from(b"bdfghjkmnpqrtvwxz"[number % 17]));
        word.push(char::from(b"aou"[number % 3]));
        number /= 17;
    }
    word + "x"
}

fn pairs(taxonomy: &Arc<Taxonomy>, rounds: u32) -> PairReport {
    let names = single_words(taxonomy);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut pick = || names[random.random_range(0..names.len())].as_str();
    let pairs: Vec<(&str, &str)> = (0..PAIRS).map(|_| (pick(), pick())).collect();
    let words = Words::new(MeasureKind::Lin.over(Arc::clone(taxonomy)));
    let ask = |times: usize| {
        let mut sum = 0.0;
        for &(a, b) in pairs.iter().cycle().take(times) {
            if let (Some(a), Some(b)) = (words.find(a), words.find(b)) {
                sum += words.compare(a, b).similarity;
            }
        }
        sum
    };
    let first = seconds(|| ask(PAIRS));
    let fastest = (0..rounds).map(|_| seconds(|| ask(ASKED))).fold(f64::INFINITY, f64::min);
    PairReport {
        asked: ASKED,
        first_per_second: PAIRS as f64 / first,
        remembered_per_second: ASKED as f64 / fastest,
    }
}

/// Returns the single words among the labels of a taxonomy, without repetitions.
fn single_words(taxonomy: &Taxonomy) -> Vec<String> {
    let labels = taxonomy.ids().flat_map(|id| &taxonomy.concept(id).labels);
    let is_plain =
        |text: &str| text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut words: Vec<String> =
        labels.map(|label| label.text.clone()).filter(|text| is_plain(text)).collect();
    words.sort_unstable();
    words.dedup();
    // Sorted by a hash, so that the frequent words of the texts are of all kinds.
    words.sort_by_cached_key(|word| word.bytes().rev().map(u32::from).fold(7_u32, mixed));
    words
}

fn mixed(state: u32, byte: u32) -> u32 {
    (state ^ byte).wrapping_mul(0x0100_0193).rotate_left(5)
}

/// Returns texts whose words follow Zipf's law: the n-th word is n times rarer than the first.
fn texts(names: &[String]) -> Vec<String> {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut word = || {
        let share: f64 = random.random();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index below a length"
        )]
        let place = (names.len() as f64).powf(share) as usize - 1;
        names[place.min(names.len() - 1)].as_str()
    };
    let mut text = || (0..WORDS).map(|_| word()).collect::<Vec<_>>().join(" ");
    (0..TEXTS).map(|_| text()).collect()
}

fn models(
    taxonomy: &Arc<Taxonomy>,
    args: &TopicBench,
    printer: &mut Printer,
) -> Result<Vec<ModelReport>> {
    let names = single_words(taxonomy);
    let texts = texts(&names);
    let progress = printer.progress("measuring", Some(args.terms.len() as u64));
    let mut reports = Vec::new();
    for &size in &args.terms {
        let topic = topic(&names, size as usize, &texts)?;
        let analyzer = topic.analyzer().build();
        let pages: Vec<Page> = texts
            .iter()
            .map(|text| Html::parse(format!("<p>{text}").as_bytes(), Source::default()))
            .map(|html| html.analyze(&analyzer))
            .collect();
        let models = [
            ("vsm, labels", Model::labels()),
            ("vsm, tags", Model::tags()),
            ("vsm, tfidf", Model::tf_idf(Similarity::Vsm)),
            ("ssrm, tfidf", Model::tf_idf(Similarity::Ssrm)),
            ("svsm, tfidf", Model::tf_idf(Similarity::Svsm)),
        ];
        reports.extend(measure(&topic, &analyzer, taxonomy, &pages, &models, args.rounds)?);
        progress.step();
    }
    Ok(reports)
}

fn measure(
    topic: &Topic,
    analyzer: &Analyzer,
    taxonomy: &Arc<Taxonomy>,
    pages: &[Page],
    models: &[(&'static str, Model)],
    rounds: u32,
) -> Result<Vec<ModelReport>> {
    let lin = || -> Box<dyn Measure> { MeasureKind::Lin.over(Arc::clone(taxonomy)) };
    let words = Arc::new(words_as_read(lin(), analyzer));
    let mut made: Vec<(&'static str, Scorer, f64)> = Vec::new();
    for &(name, model) in models {
        let start = Instant::now();
        let scorer = Scorer::new(topic, analyzer, model, Some(Arc::clone(&words)))?;
        std::hint::black_box(score(&scorer, pages));
        made.push((name, scorer, start.elapsed().as_secs_f64()));
    }
    // The models alternate, so that a slow phase of the machine affects all of them.
    let mut best = vec![f64::INFINITY; made.len()];
    for _ in 0..rounds {
        for (best, (_, scorer, _)) in best.iter_mut().zip(&made) {
            *best = best.min(seconds(|| score(scorer, pages)));
        }
    }
    let vsm = made.iter().position(|(name, ..)| *name == "vsm, tfidf").map_or(1.0, |it| best[it]);
    let report =
        |((model, _, prepare_seconds), best): ((&'static str, Scorer, f64), f64)| ModelReport {
            terms: topic.terms.len(),
            model,
            prepare_seconds,
            texts_per_second: pages.len() as f64 / best,
            over_vsm: best / vsm,
        };
    Ok(made.into_iter().zip(best).map(report).collect())
}

fn score(scorer: &Scorer, pages: &[Page]) -> f64 {
    pages.iter().map(|page| scorer.view(page).relevance()).sum()
}

/// Returns a topic of words spread over the list, with falling weights and the texts as background.
fn topic(names: &[String], size: usize, texts: &[String]) -> Result<Topic> {
    let mut containing: BTreeMap<String, u64> = BTreeMap::new();
    for text in texts {
        let mut words: Vec<&str> = text.split(' ').collect();
        words.sort_unstable();
        words.dedup();
        words.iter().for_each(|&word| *containing.entry(word.to_owned()).or_default() += 1);
    }
    let step = names.len() / size;
    let term = |place: usize| Term::new(names[place * step].as_str(), 1.0 / (1.0 + place as f64));
    let topic = Topic::new("benchmark", Origin::Keywords, (0..size).map(term).collect())?;
    let words = (TEXTS * WORDS) as u64;
    Ok(topic.with_background(Some(Background { documents: TEXTS as u64, words, containing })))
}

fn show(report: &Report, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!(
        "{}: {} concepts",
        report.source,
        count(report.concepts as u64)
    ))?;
    if let Some(seconds) = report.load_seconds {
        printer.line(format_args!("  read in {seconds:.2} s"))?;
    }
    printer.line(format_args!(
        "  Lin similarity: {:.2} million new word pairs per second, {:.2} million cached pairs",
        report.pairs.first_per_second / 1e6,
        report.pairs.remembered_per_second / 1e6
    ))?;
    let texts = format!("{} texts of {} words", report.texts, report.words_per_text);
    printer.heading(texts)?;
    let mut table = Table::new([
        ("topic terms", Align::Right),
        ("model", Align::Left),
        ("texts/s", Align::Right),
        ("time / VSM", Align::Right),
        ("preparation", Align::Right),
    ]);
    for it in &report.models {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate")]
        let rate = count(it.texts_per_second as u64);
        table.row([
            count(it.terms as u64),
            it.model.to_owned(),
            rate,
            format!("{:.2}", it.over_vsm),
            format!("{:.3} s", it.prepare_seconds),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}
