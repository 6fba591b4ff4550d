//! Makes a hierarchy of classes from a context of documents and terms.
//!
//! This is a reconstruction of fcits-oh, section 2.1, steps 4 and 5: the paper makes a concept
//! lattice of the document–term matrix and an ontology of its named nodes. The named nodes are the
//! attribute concepts, so the hierarchy is the order of the attribute concepts
//! ([`AttributeOrder`]), which is computed from the context without building the lattice:
//!
//! 1. Terms with the same documents have the same attribute concept and become one class.
//! 2. Class m is below class n if all documents of m are also documents of n. In the tolerant form,
//!    which is the default, a share c of the documents of m is enough, if n has more documents than
//!    m. With c = 1 the order is exact.
//! 3. The direct superclasses of a class are the nearest classes above it.
//! 4. The topic becomes the root; terms that occur in every document become its synonyms.
//! 5. The decisions of a person ([`Overrides`]) are applied.
//! 6. If the hierarchy must be a tree, each class keeps only its most specific parent. Classes
//!    without a parent go directly below the root.
//! 7. If there is a maximum depth, deeper classes are lifted.

use std::collections::BTreeMap;

use ontrail_fca::{AttributeOrder, BitSet, Context};
use ontrail_taxonomy::TaxonomyBuilder;

use crate::overrides::{ByLanguage, ClassOverride, Overrides};
use crate::stray::{StrayTerm, suggestion};

/// Settings of an outline.
///
/// | setting | default | purpose | range |
/// |---|---|---|---|
/// | `confidence` | 0.8 | share of a term's documents that its parent must have | above 0, to 1 |
/// | `max_depth` | none | lift classes that are deeper than this many levels | from 2 |
/// | `tree` | false | keep only the most specific parent of each class | |
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutlineSettings {
    topic: String,
    confidence: f64,
    max_depth: Option<usize>,
    tree: bool,
}

impl OutlineSettings {
    /// The default of [`confidence`](Self::confidence). In real documents, a narrower term seldom
    /// always occurs together with the broader one, so the default tolerates exceptions.
    pub const DEFAULT_CONFIDENCE: f64 = 0.8;

    /// Returns the default settings for a topic.
    #[must_use]
    pub fn new(topic: impl Into<String>) -> Self {
        Self {
            topic: topic.into(),
            confidence: Self::DEFAULT_CONFIDENCE,
            max_depth: None,
            tree: false,
        }
    }

    /// Returns an error if a setting is out of range.
    pub fn check(&self) -> Result<(), OutlineError> {
        if !(self.confidence > 0.0 && self.confidence <= 1.0) {
            return Err(OutlineError::Confidence(self.confidence.to_string()));
        }
        if let Some(depth) = self.max_depth.filter(|&depth| depth < 2) {
            return Err(OutlineError::Depth(depth));
        }
        if self.topic.trim().is_empty() {
            return Err(OutlineError::NoTopic);
        }
        Ok(())
    }

    /// Sets the share c of a term's documents that must also be documents of another term for the
    /// first to be below the second. With 1 the hierarchy is the exact order of the attribute
    /// concepts of the lattice; below 1 it is the tolerant form of that order.
    #[must_use]
    pub fn confidence(mut self, c: f64) -> Self {
        self.confidence = c;
        self
    }

    /// Sets the maximum number of levels; deeper classes are lifted.
    #[must_use]
    pub fn max_depth(mut self, levels: Option<usize>) -> Self {
        self.max_depth = levels;
        self
    }

    /// Keeps only one parent of each class if true: the one with the fewest documents.
    #[must_use]
    pub fn tree(mut self, tree: bool) -> Self {
        self.tree = tree;
        self
    }
}

/// The reason why an outline or its ontology cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutlineError {
    /// The confidence is out of range.
    #[error("the confidence must be above 0 and at most 1, not {0}")]
    Confidence(String),
    /// The maximum depth is too small.
    #[error("a depth of {0} leaves no room for classes below the topic; give at least 2")]
    Depth(usize),
    /// The topic has no name.
    #[error("the topic has no name")]
    NoTopic,
    /// An override names an unknown term.
    #[error("{field}: {term:?} is neither a term of the context nor a class defined above{hint}")]
    UnknownTerm {
        /// The field of the override file.
        field: &'static str,
        /// The term.
        term: String,
        /// A suggestion to add to the message, or nothing.
        hint: String,
    },
    /// The overrides define a term twice.
    #[error(
        "class: {0:?} is defined twice; a term has at most one [[class]] entry, and none if it is \
         merged into another class"
    )]
    Twice(String),
    /// Two classes, or a class and a relation, have the same id.
    #[error("class: {first:?} and {second:?} both have the id {id:?}")]
    SameId {
        /// The first class.
        first: String,
        /// The second class, or a relation.
        second: String,
        /// The last part of their IRI.
        id: String,
    },
    /// The overrides make a cycle.
    #[error("the overrides make {0}")]
    Cycle(ontrail_taxonomy::Cycle),
}

/// A class of an outline.
#[derive(Debug, Clone, Default)]
pub struct OutlineClass {
    /// The terms of the class, the most important first. The first is the name of the class.
    pub terms: Vec<String>,
    /// The direct superclasses, those with the fewest documents first.
    pub parents: Vec<usize>,
    /// The documents that have one of the terms, by their number in the context.
    pub documents: BitSet,
    /// The last part of the IRI, if the overrides set it.
    pub(crate) id: Option<String>,
    pub(crate) labels: ByLanguage<String>,
    pub(crate) synonyms: ByLanguage<Vec<String>>,
    pub(crate) definitions: ByLanguage<String>,
}

/// A relation between two classes of an outline.
#[derive(Debug, Clone)]
pub struct OutlineRelation {
    /// The class that the relation starts from.
    pub from: usize,
    /// The class that the relation leads to.
    pub to: usize,
    pub(crate) id: String,
    pub(crate) labels: ByLanguage<String>,
}

/// A hierarchy of classes, made from the terms of a context.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The classes; the first is the topic, the root of the hierarchy.
    pub classes: Vec<OutlineClass>,
    /// The relations that the overrides declare.
    pub relations: Vec<OutlineRelation>,
    /// The terms of the overrides that are not in the context and were probably misspelt.
    pub strays: Vec<StrayTerm>,
    /// The names of the documents.
    pub(crate) documents: Vec<String>,
}

impl Outline {
    /// Makes an outline from the terms of a context.
    pub fn of(
        context: &Context,
        settings: &OutlineSettings,
        overrides: &Overrides,
    ) -> Result<Self, OutlineError> {
        settings.check()?;
        let mut draft = Draft::of(context, settings);
        draft.apply(overrides)?;
        if settings.tree {
            draft.keep_one_parent();
        }
        draft.hang_below_root();
        draft.check_cycles()?;
        if let Some(depth) = settings.max_depth {
            draft.lift(depth);
        }
        draft.drop_redundant_parents();
        draft.finish(context, overrides)
    }

    /// Returns the name of a class, which is its first term.
    #[must_use]
    pub fn name(&self, class: usize) -> &str {
        &self.classes[class].terms[0]
    }
}

/// An unfinished outline. Removed classes have no terms.
struct Draft {
    classes: Vec<OutlineClass>,
    root: usize,
    documents: usize,
    strays: Vec<StrayTerm>,
}

impl Draft {
    fn of(context: &Context, settings: &OutlineSettings) -> Self {
        let order = AttributeOrder::of(context, settings.confidence);
        let documents = context.objects().len();
        let name = |attribute: &usize| context.attributes().get(*attribute).into_owned();
        let classes = order.nodes.iter().zip(order.parents).zip(order.extents);
        let classes: Vec<OutlineClass> = classes
            .map(|((attributes, parents), documents)| OutlineClass {
                terms: attributes.iter().map(name).collect(),
                parents,
                documents,
                ..OutlineClass::default()
            })
            .collect();
        let mut draft = Self { classes, root: 0, documents, strays: Vec::new() };
        draft.root = draft.find_root(&settings.topic);
        draft.merge_ubiquitous();
        draft
    }

    /// Makes terms that occur in all documents synonyms of the topic.
    fn merge_ubiquitous(&mut self) {
        let everywhere = |class: &OutlineClass| class.documents.len() == self.documents;
        let found = (0..self.classes.len())
            .find(|&id| id != self.root && everywhere(&self.classes[id]))
            .map(|id| self.classes[id].terms.clone());
        for term in found.unwrap_or_default() {
            self.merge(&term, self.root);
        }
    }

    /// Returns the class of the topic: the class with that term, or the class of the terms that
    /// occur in all documents, or a new one.
    fn find_root(&mut self, topic: &str) -> usize {
        let documents = self.documents;
        let everywhere = |class: &OutlineClass| class.documents.len() == documents;
        let found = self.find(topic).or_else(|| self.classes.iter().position(everywhere));
        let root = found.unwrap_or_else(|| {
            let documents = BitSet::full(documents);
            self.classes.push(OutlineClass { documents, ..OutlineClass::default() });
            self.classes.len() - 1
        });
        let terms = &mut self.classes[root].terms;
        terms.retain(|term| term != topic);
        terms.insert(0, topic.to_owned());
        root
    }

    fn find(&self, term: &str) -> Option<usize> {
        self.classes.iter().position(|class| class.terms.iter().any(|known| known == term))
    }

    fn known(&self, field: &'static str, term: &str) -> Result<usize, OutlineError> {
        self.find(term).ok_or_else(|| OutlineError::UnknownTerm {
            field,
            term: term.to_owned(),
            hint: suggestion(term, self.terms()),
        })
    }

    fn terms(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().flat_map(|class| class.terms.iter().map(String::as_str))
    }

    fn apply(&mut self, overrides: &Overrides) -> Result<(), OutlineError> {
        let unknown = overrides.drop.iter().filter(|term| self.find(term).is_none());
        let mut strays: Vec<StrayTerm> =
            unknown.map(|term| StrayTerm::dropped(term, self.terms())).collect();
        let added = overrides.classes.iter().filter(|class| self.find(&class.term).is_none());
        strays.extend(added.filter_map(|class| StrayTerm::added(&class.term, self.terms())));
        self.strays = strays;
        overrides.drop.iter().for_each(|term| self.drop(term));
        let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
        for class in &overrides.classes {
            if defined.contains_key(class.term.as_str()) {
                return Err(OutlineError::Twice(class.term.clone()));
            }
            let mut id = self.class_of(class)?;
            if defined.values().any(|&known| known == id) {
                id = self.split(id, &class.term);
            }
            defined.insert(&class.term, id);
            for term in &class.merge {
                self.known("merge", term)?;
                if overrides.classes.iter().any(|other| other.term == *term) {
                    return Err(OutlineError::Twice(term.clone()));
                }
                self.merge(term, id);
            }
            self.describe(id, class);
        }
        // Parents last, so that a parent may be defined further down in the file.
        for class in &overrides.classes {
            let id = self.known("class", &class.term)?;
            let parents: Result<Vec<usize>, OutlineError> =
                class.parent.0.iter().map(|term| self.known("parent", term)).collect();
            let parents = parents?;
            if parents.contains(&id) {
                let keys = vec![class.term.clone(), class.term.clone()];
                return Err(OutlineError::Cycle(ontrail_taxonomy::Cycle { keys }));
            }
            if !parents.is_empty() {
                self.classes[id].parents = parents;
            }
        }
        Ok(())
    }

    /// Returns the class of an override's term. Creates it if the term is new and has a parent.
    fn class_of(&mut self, class: &ClassOverride) -> Result<usize, OutlineError> {
        if let Some(id) = self.find(&class.term) {
            return Ok(id);
        }
        if class.parent.0.is_empty() {
            return Err(OutlineError::UnknownTerm {
                field: "class",
                term: class.term.clone(),
                hint: format!(
                    "; give it a parent to add it{}",
                    suggestion(&class.term, self.terms())
                ),
            });
        }
        self.classes.push(OutlineClass {
            terms: vec![class.term.clone()],
            documents: BitSet::empty(self.documents),
            ..OutlineClass::default()
        });
        Ok(self.classes.len() - 1)
    }

    /// Moves a synonym to a new class with the same parents: the documents do not distinguish the
    /// two terms, but a person does.
    fn split(&mut self, from: usize, term: &str) -> usize {
        self.classes[from].terms.retain(|known| known != term);
        let (documents, parents) =
            (self.classes[from].documents.clone(), self.classes[from].parents.clone());
        self.classes.push(OutlineClass {
            terms: vec![term.to_owned()],
            parents,
            documents,
            ..OutlineClass::default()
        });
        self.classes.len() - 1
    }

    fn describe(&mut self, id: usize, from: &ClassOverride) {
        let class = &mut self.classes[id];
        class.terms.retain(|term| *term != from.term);
        class.terms.insert(0, from.term.clone());
        class.id.clone_from(&from.id);
        class.labels.clone_from(&from.label);
        class.synonyms.clone_from(&from.synonyms);
        class.definitions.clone_from(&from.definition);
    }

    /// Removes a term. If its class has no terms left, the classes below it move up.
    fn drop(&mut self, term: &str) {
        let Some(id) = self.find(term).filter(|&id| id != self.root) else { return };
        self.classes[id].terms.retain(|known| known != term);
        if self.classes[id].terms.is_empty() {
            let parents = std::mem::take(&mut self.classes[id].parents);
            self.relink(id, &parents);
        }
    }

    /// Moves a term to another class. Its old class stays, unless it has no terms left.
    fn merge(&mut self, term: &str, into: usize) {
        let Some(from) = self.find(term).filter(|&from| from != into) else { return };
        self.classes[from].terms.retain(|known| known != term);
        let documents = self.classes[from].documents.clone();
        self.classes[into].terms.push(term.to_owned());
        self.classes[into].documents.unite(&documents);
        if !self.classes[from].terms.is_empty() {
            return;
        }
        let parents = std::mem::take(&mut self.classes[from].parents);
        self.relink(from, &[into]);
        for parent in parents.into_iter().filter(|&parent| parent != into) {
            if !self.classes[into].parents.contains(&parent) {
                self.classes[into].parents.push(parent);
            }
        }
        if from == self.root {
            self.root = into;
        }
    }

    /// Replaces a removed class by other parents, wherever it was a parent.
    fn relink(&mut self, removed: usize, replacements: &[usize]) {
        for (id, class) in self.classes.iter_mut().enumerate() {
            if class.parents.contains(&removed) {
                class.parents.retain(|&parent| parent != removed);
                for &parent in replacements {
                    if parent != id && !class.parents.contains(&parent) {
                        class.parents.push(parent);
                    }
                }
            }
        }
    }

    fn ids(&self) -> Vec<usize> {
        (0..self.classes.len()).filter(|&id| !self.classes[id].terms.is_empty()).collect()
    }

    /// Keeps one parent of each class: the one with the fewest documents, then the one with the
    /// most documents in common with the class, then the first by name.
    fn keep_one_parent(&mut self) {
        for id in self.ids() {
            let own = &self.classes[id].documents;
            let key = |&parent: &usize| {
                let parent = &self.classes[parent];
                let shared = parent.documents.common(own);
                (parent.documents.len(), std::cmp::Reverse(shared), parent.terms[0].clone())
            };
            let best = self.classes[id].parents.iter().copied().min_by_key(key);
            self.classes[id].parents = best.into_iter().collect();
        }
    }

    fn hang_below_root(&mut self) {
        let root = self.root;
        self.classes[root].parents.clear();
        for id in self.ids().into_iter().filter(|&id| id != root) {
            if self.classes[id].parents.is_empty() {
                self.classes[id].parents.push(root);
            }
        }
    }

    fn check_cycles(&self) -> Result<(), OutlineError> {
        let mut builder = TaxonomyBuilder::new();
        for id in self.ids() {
            let child = builder.concept(&self.classes[id].terms[0]);
            for &parent in &self.classes[id].parents {
                let parent = builder.concept(&self.classes[parent].terms[0]);
                builder.is_a(child, parent);
            }
        }
        builder.cycle().map_or(Ok(()), |cycle| Err(OutlineError::Cycle(cycle)))
    }

    /// Returns the classes in an order in which parents come before children.
    fn top_down(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut is_done = vec![false; self.classes.len()];
        let mut waiting = self.ids();
        while !waiting.is_empty() {
            let before = waiting.len();
            waiting.retain(|&id| {
                let ready = self.classes[id].parents.iter().all(|&parent| is_done[parent]);
                if ready {
                    is_done[id] = true;
                    order.push(id);
                }
                !ready
            });
            if waiting.len() == before {
                break; // a cycle; `check_cycles` has ruled this out
            }
        }
        order
    }

    /// Lifts classes that are deeper than `levels`: a parent on the last level is replaced by the
    /// parents of that parent.
    fn lift(&mut self, levels: usize) {
        let mut depths = vec![1; self.classes.len()];
        for id in self.top_down() {
            let deep = |parent: &usize| depths[*parent] >= levels;
            if self.classes[id].parents.iter().any(deep) {
                let mut parents = Vec::new();
                for &parent in &self.classes[id].parents {
                    let up = [parent];
                    let replacements =
                        if deep(&parent) { self.classes[parent].parents.as_slice() } else { &up };
                    for &parent in replacements {
                        if !parents.contains(&parent) {
                            parents.push(parent);
                        }
                    }
                }
                self.classes[id].parents = parents;
            }
            let above = self.classes[id].parents.iter().map(|&parent| depths[parent]).max();
            depths[id] = above.map_or(1, |above| above + 1);
        }
    }

    /// Removes parents that are above another parent.
    fn drop_redundant_parents(&mut self) {
        let count = self.classes.len();
        let mut ancestors = vec![BitSet::empty(count); count];
        for id in self.top_down() {
            let parents = self.classes[id].parents.clone();
            for &parent in &parents {
                let above = ancestors[parent].clone();
                ancestors[id].unite(&above);
                ancestors[id].insert(parent);
            }
            let is_needed =
                |parent: &usize| !parents.iter().any(|other| ancestors[*other].contains(*parent));
            self.classes[id].parents.retain(is_needed);
        }
    }

    /// Renumbers the classes: the topic first, then by falling number of documents.
    fn finish(self, context: &Context, overrides: &Overrides) -> Result<Outline, OutlineError> {
        let mut order = self.ids();
        let key = |&id: &usize| {
            let class = &self.classes[id];
            (id != self.root, std::cmp::Reverse(class.documents.len()), class.terms[0].clone())
        };
        order.sort_by_key(key);
        let mut place = vec![0; self.classes.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        let mut relations = Vec::new();
        for relation in &overrides.relations {
            relations.push(OutlineRelation {
                from: place[self.known("relation.from", &relation.from)?],
                to: place[self.known("relation.to", &relation.to)?],
                id: relation.id.clone(),
                labels: relation.label.clone(),
            });
        }
        let renumbered = |old: usize| {
            let mut class = self.classes[old].clone();
            class.parents.iter_mut().for_each(|parent| *parent = place[*parent]);
            class
        };
        let documents = context.objects().iter().map(std::borrow::Cow::into_owned).collect();
        let classes = order.into_iter().map(renumbered).collect();
        Ok(Outline { classes, relations, strays: self.strays, documents })
    }
}
