//! The hierarchy and what can be asked of it.

use std::borrow::Cow;
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::ancestry::Ancestor;
use crate::search::{local_name, words_of};

/// A concept's number in its taxonomy.
pub type ConceptId = usize;

/// A name of a concept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The name.
    pub text: String,
    /// The language tag, such as `zh` or `en`.
    pub language: Option<String>,
    /// Whether it is the name to show, rather than a synonym.
    pub is_preferred: bool,
}

impl Label {
    /// The name to show.
    #[must_use]
    pub fn preferred(text: impl Into<String>, language: Option<&str>) -> Self {
        Self { text: text.into(), language: language.map(str::to_owned), is_preferred: true }
    }

    /// A synonym.
    #[must_use]
    pub fn synonym(text: impl Into<String>, language: Option<&str>) -> Self {
        Self { is_preferred: false, ..Self::preferred(text, language) }
    }
}

/// A concept: what identifies it, and what it is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Concept {
    /// An IRI or another name that is unique.
    pub key: String,
    /// Its names.
    pub labels: Vec<Label>,
    /// What it means, in some languages.
    pub definitions: Vec<Label>,
}

/// A declared relation between two concepts that is not is-a.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// From this concept.
    pub from: ConceptId,
    /// By this property.
    pub property: String,
    /// To this concept.
    pub to: ConceptId,
}

/// An is-a hierarchy.
#[derive(Debug, Clone)]
pub struct Taxonomy {
    pub(crate) concepts: Vec<Concept>,
    pub(crate) by_key: HashMap<String, ConceptId, FixedState>,
    pub(crate) parents: Vec<Vec<ConceptId>>,
    pub(crate) children: Vec<Vec<ConceptId>>,
    /// The longest way from a root to each concept, and the shortest, counted in concepts.
    pub(crate) depths: Vec<usize>,
    pub(crate) shortest_depths: Vec<usize>,
    pub(crate) relations: Vec<Relation>,
    /// The ancestors of each concept, found when first asked for; none where there are too many to keep.
    pub(crate) ancestors: Vec<OnceLock<Option<Box<[Ancestor]>>>>,
}

impl Taxonomy {
    /// How many concepts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.concepts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// A concept.
    #[must_use]
    pub fn concept(&self, id: ConceptId) -> &Concept {
        &self.concepts[id]
    }

    /// The concept with a key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<ConceptId> {
        self.by_key.get(key).copied()
    }

    /// What a concept is a kind of.
    #[must_use]
    pub fn parents(&self, id: ConceptId) -> &[ConceptId] {
        &self.parents[id]
    }

    /// What is a kind of it.
    #[must_use]
    pub fn children(&self, id: ConceptId) -> &[ConceptId] {
        &self.children[id]
    }

    /// Its level: 1 for a root, one more than that of its deepest parent otherwise.
    #[must_use]
    pub fn depth(&self, id: ConceptId) -> usize {
        self.depths[id]
    }

    /// Its level by the shortest way: 1 for a root. The measures of similarity count with this one.
    #[must_use]
    pub fn shortest_depth(&self, id: ConceptId) -> usize {
        self.shortest_depths[id]
    }

    /// The largest [`shortest_depth`](Self::shortest_depth).
    #[must_use]
    pub fn height(&self) -> usize {
        self.shortest_depths.iter().copied().max().unwrap_or(0)
    }

    /// The most children that a concept has.
    #[must_use]
    pub fn max_children(&self) -> usize {
        self.children.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// How many levels there are.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    /// The concepts without parents.
    #[must_use]
    pub fn roots(&self) -> Vec<ConceptId> {
        (0..self.len()).filter(|&id| self.parents[id].is_empty()).collect()
    }

    /// The branches: the children of the root, or the roots if there are several.
    #[must_use]
    pub fn branches(&self) -> Vec<ConceptId> {
        match self.roots().as_slice() {
            [root] => self.children[*root].clone(),
            roots => roots.to_vec(),
        }
    }

    /// Relations that are not is-a.
    #[must_use]
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// All names of a concept, with their languages, the ones to show before synonyms. One without labels is
    /// named by the last part of its key, taken apart into words: `FlashFlood` is "Flash Flood".
    #[must_use]
    pub fn names(&self, id: ConceptId) -> Vec<(Cow<'_, str>, Option<&str>)> {
        let concept = &self.concepts[id];
        if concept.labels.is_empty() {
            return vec![(Cow::Owned(words_of(local_name(&concept.key))), None)];
        }
        let shown = concept.labels.iter().filter(|label| label.is_preferred);
        let others = concept.labels.iter().filter(|label| !label.is_preferred);
        shown
            .chain(others)
            .map(|label| (Cow::Borrowed(label.text.as_str()), label.language.as_deref()))
            .collect()
    }

    /// The name to show in a language, or in any if there is none in that, or else the last part of the
    /// key.
    #[must_use]
    pub fn name(&self, id: ConceptId, language: &str) -> &str {
        let concept = &self.concepts[id];
        let speaks = |label: &&Label| {
            label.language.as_deref().is_some_and(|tag| {
                tag.split('-').next().is_some_and(|main| main.eq_ignore_ascii_case(language))
            })
        };
        let preferred = || concept.labels.iter().filter(|label| label.is_preferred);
        let label = preferred().find(speaks).or_else(|| preferred().next());
        label
            .or_else(|| concept.labels.first())
            .map_or(local_name(&concept.key), |label| &label.text)
    }
}
