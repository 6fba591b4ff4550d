//! From counted pages to the terms of a graph, and to the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ontrail_cli::{Printer, count};
use ontrail_corpus::Document;
use ontrail_domain::Counts;
use ontrail_sdg::{BuildError, Occurrences, Sdg, Settings, TopicTerm};
use ontrail_text::weight::Idf;
use ontrail_text::{Analyzer, TermId};
use ontrail_topic::{Learning, Method, Term};
use serde::Serialize;

use crate::relevance::{Found, frequency};

/// Which terms are the nodes.
#[derive(Debug, Clone, Args, Serialize)]
pub(crate) struct TermArgs {
    /// How many terms to take
    #[arg(short = 'n', long = "terms", value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    terms: u32,
    /// Take the terms and weights of this topic instead of those of PAGES, the weightiest N
    #[arg(long, value_name = "FILE", conflicts_with_all = ["min_pages", "rarity", "idf"])]
    pub(crate) topic: Option<PathBuf>,
    /// On how many topic pages a term must be at least [default: 2, or 1 if there is one page only]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    min_pages: Option<u32>,
    /// Where it is counted how rare terms are: in the background, or among the topic pages, as printed
    /// [default: background]
    #[arg(long, value_name = "WHERE", value_enum)]
    rarity: Option<Rarity>,
    /// How rarity is measured: plain is log(N / n), as printed, smooth log((N + 1) / (n + 1)) + 1
    /// [default: plain]
    #[arg(long, value_name = "FORM", value_enum)]
    idf: Option<IdfName>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Rarity {
    #[default]
    Background,
    Pages,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum IdfName {
    #[default]
    Plain,
    Smooth,
}

impl From<IdfName> for Idf {
    fn from(name: IdfName) -> Self {
        match name {
            IdfName::Plain => Self::Plain,
            IdfName::Smooth => Self::Smooth,
        }
    }
}

impl TermArgs {
    /// How many terms to take.
    pub(crate) fn most(&self) -> usize {
        self.terms as usize
    }
}

/// The terms of the topic pages and of the background, counted.
pub(crate) struct Counted<'a> {
    analyzer: &'a Analyzer,
    pub(crate) counts: Counts<'a>,
    /// How many topic pages there are; the background comes after them.
    pub(crate) topic_pages: usize,
}

impl<'a> Counted<'a> {
    pub(crate) fn new(
        pages: &[Document],
        topic_pages: &[usize],
        background: &[Document],
        analyzer: &'a Analyzer,
        printer: &mut Printer,
    ) -> Self {
        let all = topic_pages.len() + background.len();
        let progress = printer.progress("counting", Some(all as u64));
        let mut counts = Counts::new(analyzer);
        for document in topic_pages.iter().map(|&page| &pages[page]).chain(background) {
            counts.add(&document.id, &document.full_text().unwrap_or_default());
            progress.step();
        }
        Self { analyzer, counts, topic_pages: topic_pages.len() }
    }

    /// How often a term is on the topic pages.
    fn occurrences(&self, term: TermId) -> u64 {
        let of = |page: usize| {
            let text = self.counts.of(page);
            let found = text.binary_search_by_key(&term, |&(it, _)| it);
            found.map_or(0, |place| u64::from(text[place].1))
        };
        (0..self.topic_pages).map(of).sum()
    }

    /// The terms of a topic. Of those that are counted alike the weightiest is one.
    pub(crate) fn terms_given(&self, given: Vec<Term>, printer: &mut Printer) -> Vec<Found> {
        let mut reader = self.analyzer.reader();
        let (mut seen, mut left_out) = (BTreeSet::new(), Vec::new());
        let mut terms = Vec::new();
        for Term { term, weight, .. } in given {
            match reader.single_term(&term) {
                Some(form) if !seen.contains(&form) => {
                    let id = self.counts.vocabulary().get(&form);
                    let occurrences = id.map_or(0, |id| self.occurrences(id));
                    terms.push((TopicTerm { term, weight, occurrences }, id));
                    seen.insert(form);
                }
                _ => left_out.push(term),
            }
        }
        if !left_out.is_empty() {
            printer.warn(format_args!(
                "terms that hold no words, or are counted as a weightier one, are left out: {}",
                left_out.join(", ")
            ));
        }
        terms
    }

    /// The terms of the topic pages, or why there are none.
    pub(crate) fn terms_learned(&self, args: &TermArgs) -> Result<Vec<Found>, String> {
        let texts: Vec<_> = (0..self.topic_pages).map(|page| self.counts.of(page)).collect();
        let on_pages = frequency(&self.counts, 0..self.topic_pages);
        let rare = match args.rarity.unwrap_or_default() {
            Rarity::Pages => on_pages.clone(),
            Rarity::Background => frequency(&self.counts, self.topic_pages..self.counts.len()),
        };
        let idf = args.idf.unwrap_or_default();
        let least = args.min_pages.map_or(self.topic_pages.min(2), |least| least as usize);
        let learning = Learning { method: Method::Pages, idf: idf.into(), terms: args.most() };
        let is_candidate = |term: TermId| on_pages.containing(term) >= least as u64;
        let best = learning.learn(&texts, &rare, is_candidate);
        if best.is_empty() {
            let held = on_pages.documents() > 0 && texts.iter().any(|text| !text.is_empty());
            let shared =
                texts.iter().flat_map(|text| text.iter()).any(|&(term, _)| is_candidate(term));
            return Err(format!(
                "no term can be taken of the {} topic pages: {}",
                count(self.topic_pages as u64),
                nothing_taken(args, held, shared, least)
            ));
        }
        let mut reader = self.analyzer.reader();
        let mut term = |(id, weight): (TermId, f64)| {
            let (form, written) = (self.counts.vocabulary().term(id), self.counts.name(id));
            // "US" is written so, but would be read as another word.
            let is_same = reader.single_term(written).as_deref() == Some(form);
            let term = if is_same { written } else { form }.to_owned();
            (TopicTerm { term, weight, occurrences: self.occurrences(id) }, Some(id))
        };
        Ok(best.into_iter().map(&mut term).collect())
    }

    pub(crate) fn build(
        &self,
        name: &str,
        terms: &[Found],
        relevant: &[bool],
        settings: &Settings,
    ) -> Result<Sdg, BuildError> {
        let numbered = terms.iter().enumerate();
        let numbers: BTreeMap<TermId, usize> =
            numbered.filter_map(|(number, (_, id))| Some(((*id)?, number))).collect();
        let mut occurrences = Occurrences::new(terms.len());
        for (page, &is_relevant) in (self.topic_pages..).zip(relevant) {
            let on_page = self.counts.of(page).iter();
            let ours = on_page.filter_map(|(id, count)| Some((*numbers.get(id)?, *count)));
            occurrences.add(is_relevant, ours);
        }
        let terms: Vec<TopicTerm> = terms.iter().map(|(term, _)| term.clone()).collect();
        Sdg::build(name, &terms, &occurrences, settings)
    }
}

/// Why no term of the topic pages can be taken, and what to do.
fn nothing_taken(args: &TermArgs, held: bool, shared: bool, least: usize) -> String {
    match (held, shared) {
        (false, _) => "there are no words on them".to_owned(),
        (true, false) if least <= 2 => format!(
            "they have no terms in common; give pages on one topic, or take terms that are on one page only with \
             --min-pages {}",
            least - 1
        ),
        (true, false) => format!("none is on {least} of them; lower --min-pages"),
        (true, true) if args.rarity == Some(Rarity::Pages) => {
            "each is on every page, so none is rare; try --rarity background or --idf smooth"
                .to_owned()
        }
        (true, true) => {
            "each is on every page of the background, so none is rare; try --idf smooth".to_owned()
        }
    }
}
