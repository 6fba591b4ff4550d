//! From counted pages to the terms of a graph, and to the graph.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ontrail_cli::{Printer, count};
use ontrail_corpus::Document;
use ontrail_sdg::{BuildError, Occurrences, Sdg, Settings, TopicTerm};
use ontrail_text::weight::{DocumentFrequency, Idf};
use ontrail_text::{Analyzer, Counts, TermId};
use ontrail_topic::{Learning, Method, Term};
use serde::Serialize;

use crate::relevance::Found;

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

impl TermArgs {
    /// How many terms to take.
    pub(crate) fn most(&self) -> usize {
        self.terms as usize
    }

    /// How rarity is measured.
    pub(crate) fn idf(&self) -> Idf {
        match self.idf.unwrap_or_default() {
            IdfName::Plain => Idf::Plain,
            IdfName::Smooth => Idf::Smooth,
        }
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

    /// The terms of a topic.
    pub(crate) fn terms_given(&self, given: Vec<Term>) -> Vec<Found> {
        let mut reader = self.analyzer.reader();
        let mut found = |Term { term, weight, .. }: Term| {
            let form = reader.single_term(&term);
            let id = form.and_then(|form| self.counts.vocabulary().get(&form));
            let occurrences = id.map_or(0, |id| self.occurrences(id));
            (TopicTerm { term, weight, occurrences }, id)
        };
        given.into_iter().map(&mut found).collect()
    }

    /// The terms of the topic pages, or why there are none.
    pub(crate) fn terms_learned(&self, args: &TermArgs) -> Result<Vec<Found>, String> {
        let texts: Vec<_> = (0..self.topic_pages).map(|page| self.counts.of(page)).collect();
        let on_pages = self.counts.frequency(0..self.topic_pages);
        let least = args.min_pages.map_or(self.topic_pages.min(2), |least| least as usize);
        let names = self.names(&on_pages, least);
        let rare = match args.rarity.unwrap_or_default() {
            Rarity::Pages => on_pages,
            Rarity::Background => self.counts.frequency(self.topic_pages..self.counts.len()),
        };
        let learning = Learning { method: Method::Pages, idf: args.idf(), terms: args.most() };
        let best = learning.learn(&texts, &rare, |term| names.contains_key(&term));
        if best.is_empty() {
            let reason = if texts.iter().all(|text| text.is_empty()) {
                "there are no words on them".to_owned()
            } else {
                self.nothing_taken(args, !names.is_empty(), least)
            };
            let pages = count(self.topic_pages as u64);
            return Err(format!("no term can be taken of the {pages} topic pages: {reason}"));
        }
        let term = |(id, weight): (TermId, f64)| {
            let (term, occurrences) = (names[&id].clone(), self.occurrences(id));
            (TopicTerm { term, weight, occurrences }, Some(id))
        };
        Ok(best.into_iter().map(term).collect())
    }

    /// What to call the terms that are on enough topic pages: as they are written most often, or as they are
    /// counted. A name must be read as the term again: "US" would be read as another word, and some words are
    /// seen only in the company of others; those are no terms of a graph.
    fn names(&self, on_pages: &DocumentFrequency, least: usize) -> BTreeMap<TermId, String> {
        let mut reader = self.analyzer.reader();
        let mut names = BTreeMap::new();
        for (id, form) in self.counts.vocabulary().iter() {
            if on_pages.containing(id) >= least as u64 {
                let mut spellings = [self.counts.name(id), form].into_iter();
                let name = spellings.find(|it| reader.single_term(it).as_deref() == Some(form));
                names.extend(name.map(|name| (id, name.to_owned())));
            }
        }
        names
    }

    /// Why no term of the topic pages can be taken, and what to do.
    fn nothing_taken(&self, args: &TermArgs, has_candidates: bool, least: usize) -> String {
        if has_candidates {
            let (all, cure) = match args.rarity {
                Some(Rarity::Pages) => ("page", "--rarity background or --idf smooth"),
                _ => ("page of the background", "--idf smooth"),
            };
            return format!("each is on every {all}, so none is rare; try {cure}");
        }
        if least == 2 && self.topic_pages >= 2 {
            return "they have no terms in common; give pages on one topic, or take terms that are on one page \
                    only with --min-pages 1"
                .to_owned();
        }
        format!("none is on {least} of them; lower --min-pages")
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
