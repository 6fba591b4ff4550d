//! The is-a hierarchy and its queries.

use std::borrow::Cow;
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::ancestry::Ancestor;
use crate::search::{local_name, words_of};

/// The index of a concept in its taxonomy. Ids are given out by
/// [`TaxonomyBuilder::concept`](crate::TaxonomyBuilder::concept) and count up from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConceptId(usize);

impl ConceptId {
    pub(crate) fn new(index: usize) -> Self {
        Self(index)
    }

    /// Returns the index, for tables with one entry per concept.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// A name of a concept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The name itself.
    pub text: String,
    /// The language tag, such as `zh` or `en`.
    pub language: Option<String>,
    /// True if this is the name to display, false if it is a synonym.
    pub is_preferred: bool,
}

impl Label {
    /// Creates the label to display.
    #[must_use]
    pub fn preferred(text: impl Into<String>, language: Option<&str>) -> Self {
        Self { text: text.into(), language: language.map(str::to_owned), is_preferred: true }
    }

    /// Creates a synonym.
    #[must_use]
    pub fn synonym(text: impl Into<String>, language: Option<&str>) -> Self {
        Self { is_preferred: false, ..Self::preferred(text, language) }
    }
}

/// A concept with its key and its names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Concept {
    /// The IRI, or another identifier that is unique in the taxonomy.
    pub key: String,
    /// The names, in any number of languages.
    pub labels: Vec<Label>,
    /// The definitions, in any number of languages.
    pub definitions: Vec<Label>,
}

/// A declared relation between two concepts other than is-a.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The concept that has the relation.
    pub from: ConceptId,
    /// The property, such as `part of`.
    pub property: String,
    /// The concept that it is related to.
    pub to: ConceptId,
}

/// An is-a hierarchy of concepts: a directed graph without cycles.
#[derive(Debug, Clone)]
pub struct Taxonomy {
    pub(crate) concepts: Vec<Concept>,
    pub(crate) by_key: HashMap<String, ConceptId, FixedState>,
    pub(crate) parents: Vec<Vec<ConceptId>>,
    pub(crate) children: Vec<Vec<ConceptId>>,
    /// Length of the longest path from a root to each concept, counted in concepts.
    pub(crate) depths: Vec<usize>,
    /// Length of the shortest path from a root to each concept, counted in concepts.
    pub(crate) shortest_depths: Vec<usize>,
    pub(crate) relations: Vec<Relation>,
    /// Ancestors of each concept, computed on first use; `None` where there are too many to cache.
    pub(crate) ancestors: Vec<OnceLock<Option<Box<[Ancestor]>>>>,
}

impl Taxonomy {
    /// Returns the number of concepts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.concepts.len()
    }

    /// Returns true if there are no concepts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// Iterates over the ids of all concepts, in the order in which they were added.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ConceptId> + ExactSizeIterator + use<> {
        (0..self.len()).map(ConceptId)
    }

    /// Returns a concept.
    #[must_use]
    pub fn concept(&self, id: ConceptId) -> &Concept {
        &self.concepts[id.index()]
    }

    /// Finds a concept by its key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<ConceptId> {
        self.by_key.get(key).copied()
    }

    /// Returns the parents of a concept: the concepts that it is directly a kind of.
    #[must_use]
    pub fn parents(&self, id: ConceptId) -> &[ConceptId] {
        &self.parents[id.index()]
    }

    /// Returns the children of a concept: the concepts that are directly kinds of it.
    #[must_use]
    pub fn children(&self, id: ConceptId) -> &[ConceptId] {
        &self.children[id.index()]
    }

    /// Returns the level of a concept: 1 for a root, otherwise one more than the level of its
    /// deepest parent.
    #[must_use]
    pub fn depth(&self, id: ConceptId) -> usize {
        self.depths[id.index()]
    }

    /// Returns the number of concepts on the shortest path from a root: 1 for a root. The
    /// similarity measures use this depth.
    #[must_use]
    pub fn shortest_depth(&self, id: ConceptId) -> usize {
        self.shortest_depths[id.index()]
    }

    /// Returns the greatest [`shortest_depth`](Self::shortest_depth) of any concept.
    #[must_use]
    pub fn height(&self) -> usize {
        self.shortest_depths.iter().copied().max().unwrap_or(0)
    }

    /// Returns the greatest number of children of any concept.
    #[must_use]
    pub fn max_children(&self) -> usize {
        self.children.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns the number of levels, which is the greatest [`depth`](Self::depth).
    #[must_use]
    pub fn levels(&self) -> usize {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    /// Returns the concepts without parents.
    #[must_use]
    pub fn roots(&self) -> Vec<ConceptId> {
        self.ids().filter(|&id| self.parents(id).is_empty()).collect()
    }

    /// Returns the branches: the children of the only root, or the roots if there are several.
    #[must_use]
    pub fn branches(&self) -> Vec<ConceptId> {
        match self.roots().as_slice() {
            [root] => self.children(*root).to_vec(),
            roots => roots.to_vec(),
        }
    }

    /// Returns the relations other than is-a.
    #[must_use]
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Returns all names of a concept with their languages, preferred labels before synonyms. A
    /// concept without labels is named by the last part of its key, split into words: `FlashFlood`
    /// becomes "Flash Flood".
    #[must_use]
    pub fn names(&self, id: ConceptId) -> Vec<(Cow<'_, str>, Option<&str>)> {
        let concept = self.concept(id);
        if concept.labels.is_empty() {
            return vec![(Cow::Owned(words_of(local_name(&concept.key))), None)];
        }
        let preferred = concept.labels.iter().filter(|label| label.is_preferred);
        let synonyms = concept.labels.iter().filter(|label| !label.is_preferred);
        preferred
            .chain(synonyms)
            .map(|label| (Cow::Borrowed(label.text.as_str()), label.language.as_deref()))
            .collect()
    }

    /// Returns the name to display: the preferred label in `language`, otherwise a label in any
    /// language, otherwise the last part of the key.
    #[must_use]
    pub fn name(&self, id: ConceptId, language: &str) -> &str {
        let concept = self.concept(id);
        let is_in_language = |label: &&Label| {
            label.language.as_deref().is_some_and(|tag| {
                tag.split('-').next().is_some_and(|main| main.eq_ignore_ascii_case(language))
            })
        };
        let preferred = || concept.labels.iter().filter(|label| label.is_preferred);
        let label = preferred().find(is_in_language).or_else(|| preferred().next());
        label
            .or_else(|| concept.labels.first())
            .map_or(local_name(&concept.key), |label| &label.text)
    }
}
