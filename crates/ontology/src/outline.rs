//! From a context of documents and terms to a hierarchy of classes.
//!
//! The steps are those of the reconstruction of fcits-oh §2.1 (document–term matrix, lattice, named
//! nodes only, re-linked): terms with the same documents are one class; m lies below n if m's
//! documents are among n's, or a share c of them is; the cover relation is the hierarchy; the topic
//! stands on top; then a person's decisions are applied, and what lies too deep is lifted.

use std::collections::BTreeMap;

use ontrail_fca::{AttributeOrder, BitSet, Context};
use ontrail_taxonomy::TaxonomyBuilder;

use crate::overrides::{ByLanguage, ClassOverride, Overrides};

/// How an outline is made.
///
/// | setting | default | purpose | range |
/// |---|---|---|---|
/// | `confidence` | 1 | the share c of a term's documents that a broader term must have | above 0, to 1 |
/// | `max_depth` | none | lift classes that lie deeper than this many levels | from 2 |
/// | `tree` | false | keep one parent of each class, the most specific | |
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    topic: String,
    confidence: f64,
    max_depth: Option<usize>,
    tree: bool,
}

impl Settings {
    /// For a topic, with the order of the pure lattice.
    #[must_use]
    pub fn new(topic: impl Into<String>) -> Self {
        Self { topic: topic.into(), confidence: 1.0, max_depth: None, tree: false }
    }

    /// Refuses settings that no outline can be made with.
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

    /// Sets the share c of a term's documents that must be among those of a broader term.
    #[must_use]
    pub fn confidence(mut self, c: f64) -> Self {
        self.confidence = c;
        self
    }

    /// Lifts what lies deeper.
    #[must_use]
    pub fn max_depth(mut self, levels: Option<usize>) -> Self {
        self.max_depth = levels;
        self
    }

    /// Keeps one parent of each class.
    #[must_use]
    pub fn tree(mut self, tree: bool) -> Self {
        self.tree = tree;
        self
    }
}

/// Why there is no outline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutlineError {
    /// The share c makes no sense.
    #[error("the confidence {0} is not above 0 and at most 1")]
    Confidence(String),
    /// The depth makes no sense.
    #[error("a depth of {0} leaves no room for classes below the topic; give at least 2")]
    Depth(usize),
    /// The topic has no name.
    #[error("the topic has no name")]
    NoTopic,
    /// An override speaks of a term that nobody knows.
    #[error("{field}: {term:?} is neither a term of the context nor a class made above{hint}")]
    UnknownTerm {
        /// Where in the file of overrides.
        field: &'static str,
        /// The term.
        term: String,
        /// What else may help.
        hint: &'static str,
    },
    /// Two overrides for one class.
    #[error("class: {0:?} is decided about twice; it cannot both be merged and stand for itself")]
    Twice(String),
    /// Two classes with one name.
    #[error("class: {first:?} and {second:?} both have the id {id:?}")]
    SameId {
        /// A class.
        first: String,
        /// Another.
        second: String,
        /// The last part of their IRI.
        id: String,
    },
    /// The overrides make a cycle.
    #[error("the overrides make {0}")]
    Cycle(ontrail_taxonomy::Cycle),
}

/// A class to be.
#[derive(Debug, Clone, Default)]
pub struct Class {
    /// Its terms in the context, the most important first. The first names it.
    pub terms: Vec<String>,
    /// The classes above it, those with fewest documents first.
    pub parents: Vec<usize>,
    /// The documents that have one of its terms, by number in the context.
    pub documents: BitSet,
    /// The last part of its IRI, where a person chose one.
    pub(crate) id: Option<String>,
    pub(crate) labels: ByLanguage<String>,
    pub(crate) synonyms: ByLanguage<Vec<String>>,
    pub(crate) definitions: ByLanguage<String>,
}

/// A relation to be, between two classes.
#[derive(Debug, Clone)]
pub struct Relation {
    /// From this class.
    pub from: usize,
    /// To this class.
    pub to: usize,
    pub(crate) id: String,
    pub(crate) labels: ByLanguage<String>,
}

/// A hierarchy of classes. The first class is the topic.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The classes.
    pub classes: Vec<Class>,
    /// Declared relations.
    pub relations: Vec<Relation>,
    /// The names of the documents.
    pub(crate) documents: Vec<String>,
}

impl Outline {
    /// Orders the terms of a context below a topic.
    pub fn of(
        context: &Context,
        settings: &Settings,
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

    /// The name of a class: its first term.
    #[must_use]
    pub fn name(&self, class: usize) -> &str {
        &self.classes[class].terms[0]
    }
}

/// An outline in the making. Classes that are gone have no terms.
struct Draft {
    classes: Vec<Class>,
    root: usize,
    documents: usize,
}

impl Draft {
    fn of(context: &Context, settings: &Settings) -> Self {
        let order = AttributeOrder::of(context, settings.confidence);
        let documents = context.objects().len();
        let name = |attribute: &usize| context.attributes().get(*attribute).into_owned();
        let classes = order.nodes.iter().zip(order.parents).zip(order.extents);
        let classes: Vec<Class> = classes
            .map(|((attributes, parents), documents)| Class {
                terms: attributes.iter().map(name).collect(),
                parents,
                documents,
                ..Class::default()
            })
            .collect();
        let mut draft = Self { classes, root: 0, documents };
        draft.root = draft.find_root(&settings.topic);
        draft.merge_everywhere();
        draft
    }

    /// A term on all documents is another name of the topic.
    fn merge_everywhere(&mut self) {
        let everywhere = |class: &Class| class.documents.len() == self.documents;
        let found = (0..self.classes.len())
            .find(|&id| id != self.root && everywhere(&self.classes[id]))
            .map(|id| self.classes[id].terms.clone());
        for term in found.unwrap_or_default() {
            self.merge(&term, self.root);
        }
    }

    /// The class of the topic: that of its name, or of the terms on all documents, or a new one.
    fn find_root(&mut self, topic: &str) -> usize {
        let documents = self.documents;
        let everywhere = |class: &Class| class.documents.len() == documents;
        let found = self.find(topic).or_else(|| self.classes.iter().position(everywhere));
        let root = found.unwrap_or_else(|| {
            self.classes.push(Class { documents: BitSet::full(documents), ..Class::default() });
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
            hint: "",
        })
    }

    fn apply(&mut self, overrides: &Overrides) -> Result<(), OutlineError> {
        overrides.drop.iter().for_each(|term| self.drop(term));
        let mut decided: BTreeMap<&str, usize> = BTreeMap::new();
        for class in &overrides.classes {
            if decided.contains_key(class.term.as_str()) {
                return Err(OutlineError::Twice(class.term.clone()));
            }
            let mut id = self.class_of(class)?;
            if decided.values().any(|&known| known == id) {
                id = self.split(id, &class.term);
            }
            decided.insert(&class.term, id);
            for term in &class.merge {
                self.known("merge", term)?;
                if overrides.classes.iter().any(|other| other.term == *term) {
                    return Err(OutlineError::Twice(term.clone()));
                }
                self.merge(term, id);
            }
            self.describe(id, class);
        }
        // Parents last, so that a parent may be a class that stands further down in the file.
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

    /// The class of an override's term, made if it has a parent to go below.
    fn class_of(&mut self, class: &ClassOverride) -> Result<usize, OutlineError> {
        if let Some(id) = self.find(&class.term) {
            return Ok(id);
        }
        if class.parent.0.is_empty() {
            return Err(OutlineError::UnknownTerm {
                field: "class",
                term: class.term.clone(),
                hint: "; give it a parent to add it",
            });
        }
        self.classes.push(Class {
            terms: vec![class.term.clone()],
            documents: BitSet::empty(self.documents),
            ..Class::default()
        });
        Ok(self.classes.len() - 1)
    }

    /// Gives a term a class of its own beside the one that it was a synonym in: the documents cannot
    /// tell the two apart, but a person does.
    fn split(&mut self, from: usize, term: &str) -> usize {
        self.classes[from].terms.retain(|known| known != term);
        let (documents, parents) =
            (self.classes[from].documents.clone(), self.classes[from].parents.clone());
        self.classes.push(Class {
            terms: vec![term.to_owned()],
            parents,
            documents,
            ..Class::default()
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

    /// Takes a term out; what lay below a class without terms moves up.
    fn drop(&mut self, term: &str) {
        let Some(id) = self.find(term).filter(|&id| id != self.root) else { return };
        self.classes[id].terms.retain(|known| known != term);
        if self.classes[id].terms.is_empty() {
            let parents = std::mem::take(&mut self.classes[id].parents);
            self.relink(id, &parents);
        }
    }

    /// Moves a term to another class. What is left of its own class, if anything, stays.
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

    /// Puts other parents where one class was a parent.
    fn relink(&mut self, gone: usize, instead: &[usize]) {
        for (id, class) in self.classes.iter_mut().enumerate() {
            if class.parents.contains(&gone) {
                class.parents.retain(|&parent| parent != gone);
                for &parent in instead {
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

    /// Of several parents the one with fewest documents, then the one that shares most documents
    /// with the class, then by name.
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

    /// Classes so that parents come before children.
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
                break; // a cycle, which has been refused before this is called
            }
        }
        order
    }

    /// Puts what lies deeper than `levels` below the class at the last level but one.
    fn lift(&mut self, levels: usize) {
        let mut depths = vec![1; self.classes.len()];
        for id in self.top_down() {
            let deep = |parent: &usize| depths[*parent] >= levels;
            if self.classes[id].parents.iter().any(deep) {
                let mut parents = Vec::new();
                for &parent in &self.classes[id].parents {
                    let up = [parent];
                    let instead =
                        if deep(&parent) { self.classes[parent].parents.as_slice() } else { &up };
                    for &parent in instead {
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

    /// Leaves out parents that are above another parent.
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

    /// Renumbers the classes, the topic first and then by falling number of documents.
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
            relations.push(Relation {
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
        Ok(Outline { classes: order.into_iter().map(renumbered).collect(), relations, documents })
    }
}
