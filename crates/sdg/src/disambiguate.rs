//! Removal of terms that a page does not use in the topic's meaning (eq. 20 of sdvsm).

use ontrail_page::Page;
use ontrail_text::{Analyzer, TermId, Vocabulary};
use serde::Serialize;

use crate::sdg::{Sdg, SdgError};
use crate::settings::reaches;

/// Decides which ambiguous terms do not have the topic's meaning on a page.
#[derive(Debug)]
pub struct Disambiguator {
    /// The terms of the graph in the form in which pages have them, and their nodes.
    forms: Vocabulary,
    nodes: Vec<usize>,
    names: Vec<String>,
    /// The ambiguous terms, by node.
    ambiguous: Vec<Option<Ambiguous>>,
    /// Terms that are never found on a page.
    unfound: Vec<String>,
}

/// An ambiguous term.
#[derive(Debug)]
struct Ambiguous {
    /// Its disambiguation terms, each with its degree.
    by: Vec<(usize, f64)>,
    /// `θ_k`: the mean of these degrees times θ.
    threshold: f64,
}

/// The decision about an ambiguous term on a page, and its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The term as the graph writes it.
    pub term: String,
    /// Number of its occurrences on the page.
    pub occurrences: u32,
    /// True if the term is removed: the mean degree is below the threshold, or none of its
    /// disambiguation terms is on the page. A term without disambiguation terms cannot be judged
    /// and is kept.
    pub removed: bool,
    /// The mean degree of the disambiguation terms on the page; 0 if there are none.
    pub mean: f64,
    /// `θ_k`: the mean degree of all disambiguation terms times θ.
    pub threshold: f64,
    /// Number of its disambiguation terms.
    pub disambiguation_terms: usize,
    /// Its disambiguation terms on the page, the highest degree first.
    pub present: Vec<Present>,
    /// The term in the form in which the page has it.
    #[serde(skip)]
    pub form: String,
}

/// A disambiguation term that is on the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Present {
    /// The term.
    pub term: String,
    /// Its degree with the ambiguous term.
    pub degree: f64,
}

impl Disambiguator {
    /// Prepares a graph for pages that are read with this analyzer: the graph's own
    /// ([`Sdg::analyzer`]), or an analyzer that finds the same words.
    pub fn new(sdg: &Sdg, analyzer: &Analyzer) -> Result<Self, SdgError> {
        let (places, degrees) = (sdg.places(), sdg.checked()?);
        let ambiguous = sdg.terms.iter().enumerate().map(|(place, node)| {
            node.ambiguous.then(|| {
                let of = |name: &String| {
                    let other = places[name.as_str()];
                    (other, degrees[&(place.min(other), place.max(other))])
                };
                Ambiguous::new(node.disambiguated_by.iter().map(of).collect(), sdg.theta)
            })
        });
        let mut found = Self {
            forms: Vocabulary::new(),
            nodes: Vec::new(),
            names: sdg.names().map(str::to_owned).collect(),
            ambiguous: ambiguous.collect(),
            unfound: Vec::new(),
        };
        let mut reader = analyzer.reader();
        for (place, name) in sdg.names().enumerate() {
            match reader.single_term(name) {
                Some(form) if found.forms.get(&form).is_none() => {
                    found.forms.intern(&form);
                    found.nodes.push(place);
                }
                _ => found.unfound.push(name.to_owned()),
            }
        }
        Ok(found)
    }

    /// Returns a warning about terms that are never found, if there are any.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let names = self.unfound.join(", ");
        let what = "terms without words, or counted as another term, are never found";
        (!names.is_empty()).then(|| format!("{what}: {names}"))
    }

    /// Judges each ambiguous term on a page, in the order of the graph. The page must have been
    /// read with the analyzer.
    #[must_use]
    pub fn judge(&self, page: &Page) -> Vec<Judgement> {
        let mut on_page: Vec<Option<(TermId, u32)>> = vec![None; self.names.len()];
        for (term, counts) in page.counts() {
            if let Some(form) = self.forms.get(page.vocabulary().term(term)) {
                on_page[self.nodes[form.index()]] = Some((term, counts.iter().sum()));
            }
        }
        let judgement = |(place, ambiguous): (usize, &Option<Ambiguous>)| {
            let (id, occurrences) = on_page[place]?;
            let Ambiguous { by, threshold } = ambiguous.as_ref()?;
            let present: Vec<(usize, f64)> =
                by.iter().copied().filter(|&(other, _)| on_page[other].is_some()).collect();
            let mean = mean(&present);
            let named = |&(other, degree): &(usize, f64)| Present {
                term: self.names[other].clone(),
                degree,
            };
            Some(Judgement {
                term: self.names[place].clone(),
                occurrences,
                removed: !by.is_empty() && (present.is_empty() || !reaches(mean, *threshold)),
                mean,
                threshold: *threshold,
                disambiguation_terms: by.len(),
                present: present.iter().map(named).collect(),
                form: page.vocabulary().term(id).to_owned(),
            })
        };
        self.ambiguous.iter().enumerate().filter_map(judgement).collect()
    }
}

impl Ambiguous {
    fn new(by: Vec<(usize, f64)>, theta: f64) -> Self {
        Self { threshold: theta * mean(&by), by }
    }
}

/// Returns the mean degree; 0 if there are no degrees.
fn mean(degrees: &[(usize, f64)]) -> f64 {
    let sum: f64 = degrees.iter().map(|(_, degree)| degree).sum();
    if degrees.is_empty() { 0.0 } else { sum / degrees.len() as f64 }
}
