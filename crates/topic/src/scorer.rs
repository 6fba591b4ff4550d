//! A topic made ready to score texts.
//!
//! What can be known of a word before any text is seen is worked out once: whether it is a name of the
//! topic, how rare it is, and what it contributes to the semantic models. A text is then scored with one
//! look-up per distinct term.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ontrail_page::Page;
use ontrail_taxonomy::{ConceptId, Measure, WordId, Words};
use ontrail_text::{Analyzer, Vocabulary};

use crate::model::{Model, Similarity};
use crate::profile::Profile;
use crate::topic::{Background, Topic, TopicError};
use crate::view::PageView;

/// One dimension of the topic: a term, or several that name the same concept.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// What to call it: the first of its names.
    pub name: String,
    /// Its weight `w_t`.
    pub weight: f64,
}

/// What scoring counts: a feature of the topic, or another word. Features come first.
pub(crate) type Unit = u32;

/// Which unit a term of a text is, and for how much an occurrence counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) unit: Unit,
    pub(crate) share: f64,
}

/// A term that nothing is known of.
pub(crate) const UNKNOWN: Entry = Entry { unit: Unit::MAX, share: 1.0 };
/// A term that is to be passed over.
pub(crate) const REMOVED: Entry = Entry { unit: Unit::MAX - 1, share: 0.0 };

/// What scoring asks of a unit, on one line of the processor's cache: of a hundred thousand words each text
/// has a few hundred others.
#[derive(Debug)]
#[repr(align(64))]
struct UnitFacts {
    /// How rare it is.
    idf: f64,
    /// What it contributes to the semantic models, once it has been met.
    profile: OnceLock<Profile>,
}

/// What a unit means.
#[derive(Debug, Clone)]
enum Meaning {
    Nothing,
    Word(WordId),
    /// The senses of all names of a feature.
    Concepts(Box<[ConceptId]>),
}

/// Why a topic cannot be scored with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScorerError {
    /// The topic makes no sense.
    #[error(transparent)]
    Topic(#[from] TopicError),
    /// No term of the topic can be found in a text.
    #[error("no term of the topic {0:?} can be found in a text: they hold no words")]
    Unreadable(String),
    /// A semantic model without anything to know meanings from.
    #[error("SSRM and SVSM compare meanings, so they need a taxonomy")]
    NoTaxonomy,
}

/// Scores texts by how near they are to a topic.
pub struct Scorer {
    model: Model,
    features: Vec<Feature>,
    /// The weights as shares of the greatest, with which everything is computed: no comparison sees a common
    /// factor, and squares of what people write can leave the range of numbers.
    shares: Vec<f64>,
    /// The length of the vector of these, and their sum.
    length: f64,
    sum: f64,
    /// Every word that is known, the topic's names first.
    slots: Vocabulary,
    /// Which unit each name is, and how the topic writes it.
    entries: Vec<Entry>,
    names: Vec<String>,
    /// What scoring asks of each unit, and the rarity of a word that is not known.
    units: Vec<UnitFacts>,
    unknown_idf: f64,
    meanings: Vec<Meaning>,
    words: Option<Arc<Words>>,
    unread: Vec<String>,
}

/// Words of a taxonomy in the form in which `analyzer` counts them, so that a term of a page finds its
/// senses. A stem has the senses of all words that it is the stem of.
#[must_use]
pub fn words_as_read(measure: Box<dyn Measure>, analyzer: &Analyzer) -> Words {
    let mut reader = analyzer.reader();
    Words::with_form(measure, |label| {
        let term = reader.single_term(label)?;
        // What is left of several words, when stop words and signs are gone, is not what they mean: a
        // page's "km" is no "km/h".
        let label = label.trim();
        let is_whole = term.contains(' ')
            || label.chars().all(char::is_alphanumeric)
            || label.to_lowercase() == term;
        let is_kept = label.is_ascii() || term.chars().count() == label.chars().count();
        (is_whole && is_kept).then_some(term)
    })
}

impl Scorer {
    /// Makes a topic ready. The analyzer must know the topic's terms, as [`Topic::analyzer`] does, and be
    /// the one that pages are read with; `words` must be [as it reads them](words_as_read).
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
            scorer.add_other_words(topic.background.as_ref());
        }
        scorer.weigh_rarity(topic.background.as_ref());
        // Features come with the weightiest first.
        let greatest = scorer.features[0].weight;
        scorer.shares = scorer.features.iter().map(|feature| feature.weight / greatest).collect();
        scorer.length = scorer.shares.iter().map(|share| share * share).sum::<f64>().sqrt();
        scorer.sum = scorer.shares.iter().sum();
        Ok(scorer)
    }

    /// The dimensions of the topic. Names of one concept are one; so are names that are counted alike.
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
                continue; // A name that weighs more is counted alike.
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

    /// The senses of the topic's names.
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

    /// Other words that count: those with a meaning, and those whose rarity is known.
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

    /// In how many texts each unit is. A feature is as common as the commonest of its names.
    pub(crate) fn containing(&self, background: &Background) -> Vec<u64> {
        let mut containing = vec![1; self.meanings.len()];
        for (_, form) in self.slots.iter() {
            let known = &mut containing[self.entry(form).unit as usize];
            *known = background.containing(form).max(*known);
        }
        containing
    }

    /// Rarity by unit; 1 for all where nothing was counted.
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

    /// The model in use.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The dimensions of the topic, the weightiest first.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// How many features have a meaning in the taxonomy.
    #[must_use]
    pub fn meant(&self) -> usize {
        let is_meant =
            |meaning: &&Meaning| matches!(meaning, Meaning::Concepts(it) if !it.is_empty());
        self.meanings.iter().filter(is_meant).count()
    }

    /// Terms of the topic that can never be found, because they hold no words.
    #[must_use]
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// A page as this topic sees it. It must have been read with the scorer's analyzer.
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

    /// Which unit a term is. Only names need an entry: each of the other words is a unit of its own, in the
    /// order in which they were added.
    pub(crate) fn entry(&self, term: &str) -> Entry {
        let Some(slot) = self.slots.get(term) else { return UNKNOWN };
        self.entries.get(slot.index()).copied().unwrap_or_else(|| {
            let behind = slot.index() - self.entries.len() + self.features.len();
            Entry { unit: Unit::try_from(behind).unwrap_or(Unit::MAX), share: 1.0 }
        })
    }

    /// How people write a word of a text: as the topic does, if it is one of its names, or else as the
    /// taxonomy does.
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

    /// How rare a unit is.
    pub(crate) fn idf(&self, unit: Unit) -> f64 {
        self.units.get(unit as usize).map_or(self.unknown_idf, |facts| facts.idf)
    }

    /// The weight of a feature as a share of the greatest; none for another word.
    pub(crate) fn share(&self, unit: Unit) -> Option<f64> {
        self.shares.get(unit as usize).copied()
    }

    /// How similar a text's unit is to each feature. A feature is similar to itself, whatever it means.
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

    /// The senses of a unit.
    fn senses(&self, unit: Unit) -> Option<&[ConceptId]> {
        match self.meanings.get(unit as usize)? {
            Meaning::Nothing => None,
            Meaning::Word(word) => self.words.as_deref().map(|words| words.senses(*word)),
            Meaning::Concepts(senses) => Some(senses),
        }
    }

    /// What a unit contributes to the semantic models; worked out when it is first met.
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
