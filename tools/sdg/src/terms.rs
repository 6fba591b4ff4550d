//! Counts pages, chooses the terms of a graph, and builds the graph.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ontrail_cli::{Printer, count};
use ontrail_corpus::Document;
use ontrail_sdg::{BuildError, Occurrences, Sdg, SdgSettings, TopicTerm};
use ontrail_text::weight::{DocumentFrequency, Idf};
use ontrail_text::{Analyzer, Counts, TermId};
use ontrail_topic::{Learning, Method, Term};
use serde::Serialize;

use crate::relevance::{Comparison, Found};

/// Maximum number of times that the terms are learned without some of the topic pages.
const MOST_FOLDS: usize = 20;

/// The options that choose the terms.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Terms")]
pub(crate) struct TermArgs {
    /// Number of terms in the graph
    #[arg(short = 'n', long = "terms", value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    terms: u32,
    /// Topic whose terms and weights to use instead of those of PAGES
    #[arg(long, value_name = "FILE", conflicts_with_all = ["min_pages", "rarity", "idf"])]
    pub(crate) topic: Option<PathBuf>,
    /// Number of topic pages that a term must occur on [default: 2, or 1 if there is only one page]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    min_pages: Option<u32>,
    /// Pages among which the rarity of terms is counted [default: background]
    #[arg(long, value_name = "WHERE", value_enum)]
    rarity: Option<Rarity>,
    /// Rarity of a term that n of N pages have [default: plain]
    #[arg(long, value_name = "FORM", value_enum)]
    idf: Option<IdfName>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Rarity {
    /// The background
    #[default]
    Background,
    /// The topic pages, as printed
    Pages,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum IdfName {
    /// log(N / n), as printed
    #[default]
    Plain,
    /// log((N + 1) / (n + 1)) + 1
    Smooth,
}

impl TermArgs {
    /// Returns the greatest number of terms.
    pub(crate) fn most(&self) -> usize {
        self.terms as usize
    }

    /// Returns the measure of rarity.
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
    /// Number of topic pages, which come first in the counts; the background follows.
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

    /// Returns the number of occurrences of a term on the topic pages.
    fn occurrences(&self, term: TermId) -> u64 {
        let of = |page: usize| {
            let text = self.counts.of(page);
            let found = text.binary_search_by_key(&term, |&(it, _)| it);
            found.map_or(0, |place| u64::from(text[place].1))
        };
        (0..self.topic_pages).map(of).sum()
    }

    /// Looks up the terms of a topic in the counts.
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

    /// Learns the terms from the topic pages. The error is the reason why there are none.
    pub(crate) fn terms_learned(&self, args: &TermArgs) -> Result<Vec<Found>, String> {
        self.terms_of(&(0..self.topic_pages).collect::<Vec<_>>(), args)
    }

    /// Returns the cosine of each topic page with the terms of the others, or with `given` terms,
    /// which were not learned from these pages. A page is compared with terms that were learned
    /// without it, because its own words would make it look more similar than other pages on the
    /// topic are.
    pub(crate) fn cosines_held_out(
        &self,
        comparison: &Comparison<'_>,
        args: &TermArgs,
        given: Option<&[Found]>,
    ) -> Vec<f64> {
        let folds = self.topic_pages.min(MOST_FOLDS);
        let mut cosines = vec![0.0; self.topic_pages];
        for fold in 0..folds {
            let others = (0..self.topic_pages).filter(|page| page % folds != fold || folds == 1);
            let learned = match given {
                Some(_) => Vec::new(),
                // Pages that have nothing in common with the others have the cosine 0.
                None => self.terms_of(&others.collect::<Vec<_>>(), args).unwrap_or_default(),
            };
            for page in (fold..self.topic_pages).step_by(folds) {
                cosines[page] = comparison.cosine_with(page, given.unwrap_or(&learned));
            }
        }
        cosines
    }

    /// Learns the terms from some of the topic pages.
    fn terms_of(&self, pages: &[usize], args: &TermArgs) -> Result<Vec<Found>, String> {
        let texts: Vec<_> = pages.iter().map(|&page| self.counts.of(page)).collect();
        let mut on_pages = DocumentFrequency::new();
        texts.iter().for_each(|text| on_pages.add(text.iter().map(|&(term, _)| term)));
        let least = args.min_pages.map_or(pages.len().min(2), |least| least as usize);
        let names = self.names(&on_pages, least);
        let rare = match args.rarity.unwrap_or_default() {
            Rarity::Pages => on_pages,
            Rarity::Background => self.counts.frequency(self.topic_pages..self.counts.len()),
        };
        let learning = Learning { method: Method::Pages, idf: args.idf(), terms: args.most() };
        let best = learning.learn(&texts, &rare, |term| names.contains_key(&term));
        if best.is_empty() {
            let reason = if texts.iter().all(|text| text.is_empty()) {
                "they have no words".to_owned()
            } else {
                self.nothing_taken(args, !names.is_empty(), least)
            };
            let pages = count(self.topic_pages as u64);
            return Err(format!("no terms found on the {pages} topic pages: {reason}"));
        }
        let term = |(id, weight): (TermId, f64)| {
            let (term, occurrences) = (names[&id].clone(), self.occurrences(id));
            (TopicTerm { term, weight, occurrences }, Some(id))
        };
        Ok(best.into_iter().map(term).collect())
    }

    /// Returns the names of the terms that occur on enough topic pages: their most frequent
    /// spelling, or the form in which they are counted. The analyzer must read a name as the same
    /// term: it would read "US" as another word, and it finds some words only within phrases. Terms
    /// without such a name cannot be in a graph.
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

    /// Explains why the topic pages have no terms for a graph, and what to do.
    fn nothing_taken(&self, args: &TermArgs, has_candidates: bool, least: usize) -> String {
        if has_candidates {
            let (pages, remedy) = match args.rarity {
                Some(Rarity::Pages) => ("topic page", "--rarity background or --idf smooth"),
                _ => ("background page", "--idf smooth"),
            };
            return format!("every term occurs on every {pages}, so none is rare; use {remedy}");
        }
        if least == 2 && self.topic_pages >= 2 {
            return "they have no terms in common; give pages about one topic, or allow terms of a \
                    single page with --min-pages 1"
                .to_owned();
        }
        format!("no term occurs on {least} of them; lower --min-pages")
    }

    /// Builds the graph of these terms. `relevant` has a flag for each background page. With
    /// `adds_topic_pages`, the topic pages count as relevant background pages.
    pub(crate) fn build(
        &self,
        name: &str,
        terms: &[Found],
        relevant: &[bool],
        adds_topic_pages: bool,
        settings: &SdgSettings,
    ) -> Result<Sdg, BuildError> {
        let numbered = terms.iter().enumerate();
        let numbers: BTreeMap<TermId, usize> =
            numbered.filter_map(|(number, (_, id))| Some(((*id)?, number))).collect();
        let mut occurrences = Occurrences::new(terms.len());
        let first = if adds_topic_pages { 0 } else { self.topic_pages };
        let of_topic = std::iter::repeat_n(&true, self.topic_pages - first);
        for (page, &is_relevant) in (first..).zip(of_topic.chain(relevant)) {
            let on_page = self.counts.of(page).iter();
            let ours = on_page.filter_map(|(id, count)| Some((*numbers.get(id)?, *count)));
            occurrences.add(is_relevant, ours);
        }
        let terms: Vec<TopicTerm> = terms.iter().map(|(term, _)| term.clone()).collect();
        Sdg::build(name, &terms, &occurrences, settings)
    }
}
