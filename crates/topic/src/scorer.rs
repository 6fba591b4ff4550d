//! A topic prepared for scoring texts.
//!
//! Everything about a word that does not depend on the text is computed once: whether it is a name
//! of the topic, how rare it is, and what it contributes to the semantic models. A text is then
//! scored with one look-up per distinct term.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ontrail_page::Page;
use ontrail_taxonomy::{ConceptId, Measure, WordId, Words};
use ontrail_text::{Analyzer, Vocabulary};

use crate::model::{Model, Similarity};
use crate::profile::Profile;
use crate::topic::{Background, Topic, TopicError};
use crate::view::PageView;

/// A dimension of the topic: a term, or several terms that name the same concept.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// The first of its names.
    pub name: String,
    /// The weight `w_t`.
    pub weight: f64,
}

/// The index of a feature of the topic or of another word that scoring counts. Features come first.
pub(crate) type Unit = u32;

/// The unit of a term, and the number that each of its occurrences counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) unit: Unit,
    pub(crate) share: f64,
}

/// The entry of an unknown term.
pub(crate) const UNKNOWN: Entry = Entry { unit: Unit::MAX, share: 1.0 };
/// The entry of a term to ignore.
pub(crate) const REMOVED: Entry = Entry { unit: Unit::MAX - 1, share: 0.0 };

/// The facts about a unit that scoring needs, on one cache line: each text has a few hundred others
/// of a hundred thousand words.
#[derive(Debug)]
#[repr(align(64))]
struct UnitFacts {
    /// The inverse document frequency.
    idf: f64,
    /// The contribution to the semantic models, computed on first use.
    profile: OnceLock<Profile>,
}

/// The meaning of a unit.
#[derive(Debug, Clone)]
enum Meaning {
    Nothing,
    Word(WordId),
    /// The senses of all names of a feature.
    Concepts(Box<[ConceptId]>),
}

/// Error for a topic that cannot be used for scoring.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScorerError {
    /// The topic is invalid.
    #[error(transparent)]
    Topic(#[from] TopicError),
    /// No term of the topic can occur in a text.
    #[error("no term of the topic {0:?} can occur in a text, because none contains a word")]
    Unreadable(String),
    /// A semantic model was chosen without a taxonomy.
    #[error("SSRM and SVSM compare meanings, so they need a taxonomy")]
    NoTaxonomy,
}

/// Computes the relevance of texts to a topic.
pub struct Scorer {
    model: Model,
    features: Vec<Feature>,
    /// The weights divided by the greatest. A common factor cancels in every comparison, and the
    /// squares of weights that people write could overflow.
    shares: Vec<f64>,
    /// The length of the vector of shares.
    length: f64,
    /// The sum of the shares.
    sum: f64,
    /// Every known word, the topic's names first.
    slots: Vocabulary,
    /// The entry of each name.
    entries: Vec<Entry>,
    /// Each name as written in the topic.
    names: Vec<String>,
    /// The facts about each unit.
    units: Vec<UnitFacts>,
    /// The inverse document frequency of an unknown word.
    unknown_idf: f64,
    meanings: Vec<Meaning>,
    words: Option<Arc<Words>>,
    unread: Vec<String>,
}

/// Returns the words of a taxonomy in the form in which `analyzer` counts them, so that terms of
/// pages find their senses. A stem has the senses of all words with that stem.
#[must_use]
pub fn words_as_read(measure: Box<dyn Measure>, analyzer: &Analyzer) -> Words {
    let mut reader = analyzer.reader();
    Words::with_form(measure, |label| {
        let term = reader.single_term(label)?;
        // If stop words and signs were removed from a label of several words, the rest means
        // something else: "km" on a page does not mean "km/h".
        let label = label.trim();
        let is_whole = term.contains(' ')
            || label.chars().all(char::is_alphanumeric)
            || label.to_lowercase() == term;
        let is_kept = label.is_ascii() || term.chars().count() == label.chars().count();
        (is_whole && is_kept).then_some(term)
    })
}

impl Scorer {
    /// Prepares a topic for scoring. `analyzer` must know the topic's terms, as that of
    /// [`Topic::analyzer`] does, and must be the one that pages are read with; `words` must come
    /// from [`words_as_read`] with the same analyzer.
    pub fn new(
        topic: &Topic,
        analyzer: &Analyzer,
        model: Model,
        words: Option<Arc<Words>>,
    ) -> Result<Self, ScorerError> {
        topic.check()?;
        let is_semantic = model.similarity != Similarity::Vsm;
        if is_semantic && words.is_none() {
            return Err(ScorerError::NoTaxonomy);
        }
        let mut scorer = Self {
            model,
            features: Vec::new(),
            shares: Vec::new(),
            length: 0.0,
            sum: 0.0,
            slots: Vocabulary::new(),
            entries: Vec::new(),
            names: Vec::new(),
            units: Vec::new(),
            unknown_idf: 1.0,
            meanings: Vec::new(),
            words: words.filter(|_| is_semantic),
            unread: Vec::new(),
        };
        scorer.add_features(topic, analyzer);
        if scorer.features.is_empty() {
            return Err(ScorerError::Unreadable(topic.name.clone()));
        }
        scorer.find_meanings();
        if model.needs_all_terms() {
            scorer.add_other_words(topic.rarities());
        }
        scorer.weigh_rarity(topic.rarities());
        // Features are sorted by descending weight.
        let greatest = scorer.features[0].weight;
        scorer.shares = scorer.features.iter().map(|feature| feature.weight / greatest).collect();
        scorer.length = scorer.shares.iter().map(|share| share * share).sum::<f64>().sqrt();
        scorer.sum = scorer.shares.iter().sum();
        Ok(scorer)
    }

    /// Adds the dimensions of the topic. Names of one concept form one dimension, and so do names
    /// that the analyzer counts as the same term.
    fn add_features(&mut self, topic: &Topic, analyzer: &Analyzer) {
        let mut reader = analyzer.reader();
        let mut of_concept: BTreeMap<&str, Unit> = BTreeMap::new();
        let mut terms: Vec<_> = topic.terms.iter().filter(|term| term.weight > 0.0).collect();
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        for term in terms {
            let Some(form) = reader.single_term(&term.term) else {
                self.unread.push(term.term.clone());
                continue;
            };
            if self.slots.get(&form).is_some() {
                continue; // A heavier name is counted as the same term.
            }
            let next = Unit::try_from(self.features.len()).expect("a topic has few terms");
            let unit = term
                .concept
                .as_deref()
                .map_or(next, |concept| *of_concept.entry(concept).or_insert(next));
            if unit == next {
                self.features.push(Feature { name: term.term.clone(), weight: term.weight });
            }
            self.slots.intern(&form);
            self.names.push(term.term.clone());
            let share = term.weight / self.features[unit as usize].weight;
            self.entries.push(Entry { unit, share });
        }
    }

    /// Finds the senses of the topic's names.
    fn find_meanings(&mut self) {
        let mut senses: Vec<Vec<ConceptId>> = vec![Vec::new(); self.features.len()];
        if let Some(words) = &self.words {
            for ((_, form), entry) in self.slots.iter().zip(&self.entries) {
                if let Some(word) = words.find(form) {
                    senses[entry.unit as usize].extend(words.senses(word));
                }
            }
        }
        self.meanings = senses.into_iter().map(|it| Meaning::Concepts(it.into())).collect();
    }

    /// Adds the other words that count: those with senses, and those with a known document
    /// frequency.
    fn add_other_words(&mut self, background: Option<&Background>) {
        let words = self.words.clone();
        let meant = words.iter().flat_map(|words| words.iter());
        let meant = meant.map(|(form, word)| (form, Meaning::Word(word)));
        let counted = background.into_iter().flat_map(|it| it.containing.keys());
        let counted = counted.map(|form| (form.as_str(), Meaning::Nothing));
        for (form, meaning) in meant.chain(counted) {
            if self.slots.get(form).is_none() {
                self.slots.intern(form);
                self.meanings.push(meaning);
            }
        }
    }

    /// Returns the document frequency of each unit. That of a feature is the greatest of its names.
    pub(crate) fn containing(&self, background: &Background) -> Vec<u64> {
        let mut containing = vec![1; self.meanings.len()];
        for (_, form) in self.slots.iter() {
            let known = &mut containing[self.entry(form).unit as usize];
            *known = background.containing(form).max(*known);
        }
        containing
    }

    /// Computes the inverse document frequency of each unit; 1 for all if there is no background.
    fn weigh_rarity(&mut self, background: Option<&Background>) {
        let facts = |idf: f64| UnitFacts { idf, profile: OnceLock::new() };
        let Some(background) = background else {
            self.units = self.meanings.iter().map(|_| facts(1.0)).collect();
            return;
        };
        let idf = |containing: u64| self.model.idf.of(background.documents, containing);
        self.units = self.containing(background).into_iter().map(|n| facts(idf(n))).collect();
        self.unknown_idf = idf(1);
    }

    /// Returns the model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the dimensions of the topic, by descending weight.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Returns the number of features that have a sense in the taxonomy.
    #[must_use]
    pub fn meant(&self) -> usize {
        let is_meant =
            |meaning: &&Meaning| matches!(meaning, Meaning::Concepts(it) if !it.is_empty());
        self.meanings.iter().filter(is_meant).count()
    }

    /// Returns the terms of the topic that can never occur in a text, because they contain no
    /// words.
    #[must_use]
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Looks up the terms of a page, which must have been read with the scorer's analyzer.
    #[must_use]
    pub fn view<'a>(&'a self, page: &'a Page) -> PageView<'a> {
        PageView::new(self, page)
    }

    pub(crate) fn length(&self) -> f64 {
        self.length
    }

    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    /// Returns the entry of a term. Only names have a stored entry: every other word is a separate
    /// unit, in the order in which the words were added.
    pub(crate) fn entry(&self, term: &str) -> Entry {
        let Some(slot) = self.slots.get(term) else { return UNKNOWN };
        self.entries.get(slot.index()).copied().unwrap_or_else(|| {
            let behind = slot.index() - self.entries.len() + self.features.len();
            Entry { unit: Unit::try_from(behind).unwrap_or(Unit::MAX), share: 1.0 }
        })
    }

    /// Returns a term of a text as people write it: as in the topic, if it is one of its names,
    /// otherwise as in the taxonomy.
    pub(crate) fn name<'a>(&'a self, term: &'a str) -> &'a str {
        let slot = self.slots.get(term);
        let of_topic = slot.and_then(|slot| self.names.get(slot.index())).map(String::as_str);
        let words = self.words.as_deref();
        let of_taxonomy = || words.and_then(|words| Some(words.name(words.find(term)?)));
        of_topic.or_else(of_taxonomy).unwrap_or(term)
    }

    pub(crate) fn feature(&self, unit: Unit) -> Option<&Feature> {
        self.features.get(unit as usize)
    }

    /// Returns the inverse document frequency of a unit.
    pub(crate) fn idf(&self, unit: Unit) -> f64 {
        self.units.get(unit as usize).map_or(self.unknown_idf, |facts| facts.idf)
    }

    /// Returns the weight of a feature as a share of the greatest; `None` for another word.
    pub(crate) fn share(&self, unit: Unit) -> Option<f64> {
        self.shares.get(unit as usize).copied()
    }

    /// Returns the similarity of a unit to each feature. A feature has similarity 1 to itself, even
    /// if it has no sense in the taxonomy.
    fn similarities(&self, unit: Unit) -> Vec<f64> {
        let count = self.features.len();
        let mut similarities = match (self.words.as_deref(), self.senses(unit)) {
            (Some(words), Some(own)) if !own.is_empty() => {
                let of_feature = |feature| self.senses(feature).unwrap_or_default();
                let features = Unit::try_from(count).unwrap_or(Unit::MAX);
                let groups: Vec<&[ConceptId]> = (0..features).map(of_feature).collect();
                words.measure().nearest_to_each(own, &groups)
            }
            _ => vec![0.0; count],
        };
        if let Some(itself) = similarities.get_mut(unit as usize) {
            *itself = 1.0;
        }
        similarities
    }

    /// Returns the senses of a unit.
    fn senses(&self, unit: Unit) -> Option<&[ConceptId]> {
        match self.meanings.get(unit as usize)? {
            Meaning::Nothing => None,
            Meaning::Word(word) => self.words.as_deref().map(|words| words.senses(*word)),
            Meaning::Concepts(senses) => Some(senses),
        }
    }

    /// Returns the contribution of a unit to the semantic models, computed on first use.
    pub(crate) fn profile(&self, unit: Unit) -> Profile {
        let Some(facts) = self.units.get(unit as usize) else { return Profile::default() };
        *facts.profile.get_or_init(|| {
            let pairs = self.similarities(unit).into_iter().zip(self.shares.iter().copied());
            Profile::of(pairs, self.model.least_similarity)
        })
    }
}

impl std::fmt::Debug for Scorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scorer")
            .field("model", &self.model)
            .field("features", &self.features.len())
            .field("words", &self.slots.len())
            .finish_non_exhaustive()
    }
}
