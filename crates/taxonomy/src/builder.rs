//! Builds a taxonomy, and finds cycles in it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::taxonomy::{Concept, ConceptId, Label, Relation, Taxonomy};

/// A cycle of is-a links: each concept is a kind of the next, and the last of the first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a cycle in the hierarchy: {}; remove one of these links", abridged(keys))]
pub struct Cycle {
    /// The keys of the concepts on the cycle; the first is repeated at the end.
    pub keys: Vec<String>,
}

/// Number of concepts of a long cycle that its error message shows.
const SHOWN: usize = 8;

fn abridged(keys: &[String]) -> String {
    if keys.len() <= SHOWN + 2 {
        return keys.join(" → ");
    }
    let (start, end) = (keys[..SHOWN].join(" → "), &keys[keys.len() - 1]);
    format!("{start} → … {} more … → {end}", keys.len() - SHOWN - 1)
}

/// Greatest length of a list that is searched for duplicates on every insertion.
const SHORT: usize = 64;

/// Adds a member unless the list has it already. Long lists are not searched; their duplicates are
/// removed when the taxonomy is finished.
fn push_new<T: PartialEq>(list: &mut Vec<T>, member: T) {
    if list.len() >= SHORT || !list.contains(&member) {
        list.push(member);
    }
}

/// Removes duplicates from a long list, keeping the first of each.
fn remove_duplicates<T: Ord + Clone>(list: &mut Vec<T>) {
    if list.len() > SHORT {
        let mut seen = BTreeSet::new();
        list.retain(|member| seen.insert(member.clone()));
    }
}

/// Collects concepts, their names and their is-a links, and makes a [`Taxonomy`] of them.
#[derive(Debug, Clone, Default)]
pub struct TaxonomyBuilder {
    concepts: Vec<Concept>,
    by_key: HashMap<String, ConceptId, FixedState>,
    parents: Vec<Vec<ConceptId>>,
    relations: Vec<Relation>,
}

impl TaxonomyBuilder {
    /// Creates an empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the concept with this key, adding it if it does not exist.
    pub fn concept(&mut self, key: &str) -> ConceptId {
        if let Some(&id) = self.by_key.get(key) {
            return id;
        }
        let id = ConceptId::new(self.concepts.len());
        self.concepts.push(Concept { key: key.to_owned(), ..Concept::default() });
        self.parents.push(Vec::new());
        self.by_key.insert(key.to_owned(), id);
        id
    }

    /// Finds a concept by its key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<ConceptId> {
        self.by_key.get(key).copied()
    }

    /// Returns true if no concept has been added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// Adds a name to a concept.
    pub fn label(&mut self, id: ConceptId, label: Label) {
        push_new(&mut self.concepts[id.index()].labels, label);
    }

    /// Adds a definition to a concept.
    pub fn definition(&mut self, id: ConceptId, definition: Label) {
        self.concepts[id.index()].definitions.push(definition);
    }

    /// Makes `child` a kind of `parent`. Has no effect if it is one already, or if both are the
    /// same concept.
    pub fn is_a(&mut self, child: ConceptId, parent: ConceptId) {
        if child != parent {
            push_new(&mut self.parents[child.index()], parent);
        }
    }

    /// Adds a relation other than is-a.
    pub fn relate(&mut self, from: ConceptId, property: &str, to: ConceptId) {
        self.relations.push(Relation { from, property: property.to_owned(), to });
    }

    /// Returns a cycle, if there is one.
    #[must_use]
    pub fn cycle(&self) -> Option<Cycle> {
        // Depth-first search: a concept that is met again while it is on the current path closes a
        // cycle.
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            OnPath,
            Done,
        }
        let mut states = vec![State::New; self.concepts.len()];
        for start in 0..self.concepts.len() {
            let mut path: Vec<(usize, usize)> = Vec::new();
            if states[start] == State::New {
                states[start] = State::OnPath;
                path.push((start, 0));
            }
            while let Some((id, next)) = path.last_mut() {
                let (id, place) = (*id, *next);
                *next += 1;
                let Some(parent) = self.parents[id].get(place).map(|parent| parent.index()) else {
                    states[id] = State::Done;
                    path.pop();
                    continue;
                };
                match states[parent] {
                    State::New => {
                        states[parent] = State::OnPath;
                        path.push((parent, 0));
                    }
                    State::OnPath => {
                        let from = path.iter().position(|&(id, _)| id == parent).unwrap_or(0);
                        let ids = path[from..].iter().map(|&(id, _)| id).chain([parent]);
                        let keys = ids.map(|id| self.concepts[id].key.clone()).collect();
                        return Some(Cycle { keys });
                    }
                    State::Done => {}
                }
            }
        }
        None
    }

    /// Returns the taxonomy with its cycles cut, and the cycles, so that a faulty hierarchy can be
    /// displayed. After 100 cycles, all is-a links are dropped: too little of the hierarchy would
    /// be left to display.
    #[must_use]
    pub fn finish_without_cycles(mut self) -> (Taxonomy, Vec<Cycle>) {
        let mut cycles = Vec::new();
        while let Some(cycle) = self.cycle() {
            if cycles.len() == 100 {
                self.parents.iter_mut().for_each(Vec::clear);
                break;
            }
            // The last link of the cycle leads back to its start.
            if let [.., child, parent] = cycle.keys.as_slice()
                && let (Some(child), Some(parent)) = (self.find(child), self.find(parent))
            {
                self.parents[child.index()].retain(|&other| other != parent);
            }
            cycles.push(cycle);
        }
        (self.into_taxonomy(), cycles)
    }

    /// Returns the taxonomy, or a cycle if there is one.
    pub fn finish(self) -> Result<Taxonomy, Cycle> {
        match self.cycle() {
            Some(cycle) => Err(cycle),
            None => Ok(self.into_taxonomy()),
        }
    }

    fn into_taxonomy(mut self) -> Taxonomy {
        self.parents.iter_mut().for_each(remove_duplicates);
        self.concepts.iter_mut().for_each(|concept| remove_duplicates(&mut concept.labels));
        let mut children = vec![Vec::new(); self.concepts.len()];
        for (child, parents) in self.parents.iter().enumerate() {
            let child = ConceptId::new(child);
            parents.iter().for_each(|parent| children[parent.index()].push(child));
        }
        let longest = depths(&self.parents, |above| above.max());
        let shortest = depths(&self.parents, |above| above.min());
        let ancestors = vec![OnceLock::new(); self.concepts.len()];
        Taxonomy {
            concepts: self.concepts,
            by_key: self.by_key,
            parents: self.parents,
            children,
            depths: longest,
            shortest_depths: shortest,
            relations: self.relations,
            ancestors,
        }
    }
}

/// Selects one of the depths of a concept's parents.
type Pick = fn(&mut dyn Iterator<Item = usize>) -> Option<usize>;

/// Returns the length of the path from a root to each concept, counted in concepts, through the
/// parents that `pick` selects.
fn depths(parents: &[Vec<ConceptId>], pick: Pick) -> Vec<usize> {
    let mut depths = vec![0; parents.len()];
    for start in 0..parents.len() {
        // Depth-first without recursion, because a chain may be as long as the input file.
        let mut open = if depths[start] == 0 { vec![(start, 0)] } else { Vec::new() };
        while let Some((id, next)) = open.last_mut() {
            let (id, parent) = (*id, parents[*id].get(*next).map(|parent| parent.index()));
            *next += 1;
            match parent {
                Some(parent) if depths[parent] == 0 => open.push((parent, 0)),
                Some(_) => {}
                None => {
                    let above = pick(&mut parents[id].iter().map(|parent| depths[parent.index()]));
                    depths[id] = above.unwrap_or(0) + 1;
                    open.pop();
                }
            }
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_concept_with_two_parents_lies_below_the_deeper_one() {
        let mut builder = TaxonomyBuilder::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|key| builder.concept(key));
        builder.is_a(d, a);
        builder.is_a(d, c);
        builder.is_a(c, b);
        builder.is_a(b, a);
        builder.is_a(b, a);
        let taxonomy = builder.finish().unwrap();
        assert_eq!([a, b, c, d].map(|id| taxonomy.depth(id)), [1, 2, 3, 4]);
        assert_eq!([a, b, c, d].map(|id| taxonomy.shortest_depth(id)), [1, 2, 3, 2]);
        assert_eq!((taxonomy.height(), taxonomy.max_children()), (3, 2));
        assert_eq!(
            (taxonomy.levels(), taxonomy.roots(), taxonomy.branches()),
            (4, vec![a], vec![b, d])
        );
        assert_eq!(taxonomy.children(a), [b, d]);
    }

    #[test]
    fn a_cycle_is_named() {
        let mut builder = TaxonomyBuilder::new();
        let [a, b, c] = ["a", "b", "c"].map(|key| builder.concept(key));
        builder.is_a(a, b);
        builder.is_a(b, c);
        builder.is_a(c, b);
        let cycle = builder.clone().finish().unwrap_err();
        let (cut, cycles) = builder.finish_without_cycles();
        assert_eq!((cut.levels(), cycles.len()), (3, 1));
        assert_eq!(
            cycle.to_string(),
            "a cycle in the hierarchy: b → c → b; remove one of these links"
        );
    }

    #[test]
    fn long_cycles_are_abridged() {
        let mut builder = TaxonomyBuilder::new();
        let ids: Vec<_> = (0..5_000).map(|n| builder.concept(&n.to_string())).collect();
        ids.windows(2).for_each(|pair| builder.is_a(pair[0], pair[1]));
        builder.is_a(ids[4_999], ids[0]);
        let text = builder.finish().unwrap_err().to_string();
        assert!(text.ends_with("7 → … 4992 more … → 0; remove one of these links"), "{text}");
    }

    #[test]
    fn duplicates_among_many_parents_and_labels_are_removed() {
        let mut builder = TaxonomyBuilder::new();
        let child = builder.concept("child");
        for number in (0..20_000).chain(0..20_000) {
            let parent = builder.concept(&number.to_string());
            builder.is_a(child, parent);
            builder.label(child, Label::synonym(number.to_string(), None));
        }
        let taxonomy = builder.finish().unwrap();
        assert_eq!(taxonomy.parents(child).len(), 20_000);
        assert_eq!(taxonomy.concept(child).labels.len(), 20_000);
        assert_eq!((taxonomy.depth(child), taxonomy.shortest_depth(child)), (2, 2));
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let mut builder = TaxonomyBuilder::new();
        for number in 1..200_000 {
            let (child, parent) =
                (builder.concept(&number.to_string()), builder.concept(&(number - 1).to_string()));
            builder.is_a(parent, child);
        }
        assert_eq!(builder.finish().unwrap().levels(), 200_000);
    }

    #[test]
    fn a_preferred_label_in_another_language_beats_a_synonym() {
        let mut builder = TaxonomyBuilder::new();
        let id = builder.concept("urn:x#flood");
        builder.label(id, Label::synonym("inundation", Some("en")));
        builder.label(id, Label::preferred("洪涝", Some("zh-Hans")));
        let taxonomy = builder.finish().unwrap();
        assert_eq!((taxonomy.name(id, "zh"), taxonomy.name(id, "en")), ("洪涝", "洪涝"));
    }
}
