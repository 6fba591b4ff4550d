//! Putting a hierarchy together.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::taxonomy::{Concept, ConceptId, Label, Relation, Taxonomy};

/// Concepts that are each a kind of the next, and the last of the first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a cycle in the hierarchy: {}; take one of these steps out", shown(keys))]
pub struct Cycle {
    /// The concepts on it, the first again at the end.
    pub keys: Vec<String>,
}

/// How many concepts of a cycle are shown.
const SHOWN: usize = 8;

fn shown(keys: &[String]) -> String {
    if keys.len() <= SHOWN + 2 {
        return keys.join(" → ");
    }
    let (start, end) = (keys[..SHOWN].join(" → "), &keys[keys.len() - 1]);
    format!("{start} → … {} more … → {end}", keys.len() - SHOWN - 1)
}

/// How long a list may grow with a look at every member for each one that is added.
const SHORT: usize = 64;

/// Adds a member that a list does not have yet. In a long list nothing is looked for: what is there twice
/// goes when the taxonomy is finished.
fn push_new<T: PartialEq>(list: &mut Vec<T>, member: T) {
    if list.len() >= SHORT || !list.contains(&member) {
        list.push(member);
    }
}

/// Takes out of a long list what is there twice, keeping the first.
fn without_repeats<T: Ord + Clone>(list: &mut Vec<T>) {
    if list.len() > SHORT {
        let mut seen = BTreeSet::new();
        list.retain(|member| seen.insert(member.clone()));
    }
}

/// Collects concepts and their order.
#[derive(Debug, Clone, Default)]
pub struct TaxonomyBuilder {
    concepts: Vec<Concept>,
    by_key: HashMap<String, ConceptId, FixedState>,
    parents: Vec<Vec<ConceptId>>,
    relations: Vec<Relation>,
}

impl TaxonomyBuilder {
    /// Without concepts yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The concept with this key, made if there is none.
    pub fn concept(&mut self, key: &str) -> ConceptId {
        if let Some(&id) = self.by_key.get(key) {
            return id;
        }
        let id = self.concepts.len();
        self.concepts.push(Concept { key: key.to_owned(), ..Concept::default() });
        self.parents.push(Vec::new());
        self.by_key.insert(key.to_owned(), id);
        id
    }

    /// The concept with this key, if there is one.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<ConceptId> {
        self.by_key.get(key).copied()
    }

    /// Whether there is no concept yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// Gives a concept a name.
    pub fn label(&mut self, id: ConceptId, label: Label) {
        push_new(&mut self.concepts[id].labels, label);
    }

    /// Says what a concept means.
    pub fn definition(&mut self, id: ConceptId, definition: Label) {
        self.concepts[id].definitions.push(definition);
    }

    /// Says that the one is a kind of the other. Saying it twice, or of one and the same, is nothing.
    pub fn is_a(&mut self, child: ConceptId, parent: ConceptId) {
        if child != parent {
            push_new(&mut self.parents[child], parent);
        }
    }

    /// Says that two concepts are related otherwise.
    pub fn relate(&mut self, from: ConceptId, property: &str, to: ConceptId) {
        self.relations.push(Relation { from, property: property.to_owned(), to });
    }

    /// A cycle, if there is one.
    #[must_use]
    pub fn cycle(&self) -> Option<Cycle> {
        // Each concept is entered once; one that is met again on the way down closes a cycle.
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            OnTheWay,
            Done,
        }
        let mut states = vec![State::New; self.concepts.len()];
        for start in 0..self.concepts.len() {
            let mut way: Vec<(ConceptId, usize)> = Vec::new();
            if states[start] == State::New {
                states[start] = State::OnTheWay;
                way.push((start, 0));
            }
            while let Some((id, next)) = way.last_mut() {
                let (id, place) = (*id, *next);
                *next += 1;
                let Some(&parent) = self.parents[id].get(place) else {
                    states[id] = State::Done;
                    way.pop();
                    continue;
                };
                match states[parent] {
                    State::New => {
                        states[parent] = State::OnTheWay;
                        way.push((parent, 0));
                    }
                    State::OnTheWay => {
                        let from = way.iter().position(|&(id, _)| id == parent).unwrap_or(0);
                        let ids = way[from..].iter().map(|&(id, _)| id).chain([parent]);
                        let keys = ids.map(|id| self.concepts[id].key.clone()).collect();
                        return Some(Cycle { keys });
                    }
                    State::Done => {}
                }
            }
        }
        None
    }

    /// The taxonomy with its cycles cut, and the cycles. For looking at what is wrong with a hierarchy;
    /// with more than a hundred cycles there is no hierarchy left to show.
    #[must_use]
    pub fn finish_without_cycles(mut self) -> (Taxonomy, Vec<Cycle>) {
        let mut cycles = Vec::new();
        while let Some(cycle) = self.cycle() {
            if cycles.len() == 100 {
                self.parents.iter_mut().for_each(Vec::clear);
                break;
            }
            // The last step leads back to where the cycle began.
            if let [.., child, parent] = cycle.keys.as_slice()
                && let (Some(child), Some(parent)) = (self.find(child), self.find(parent))
            {
                self.parents[child].retain(|&other| other != parent);
            }
            cycles.push(cycle);
        }
        (self.into_taxonomy(), cycles)
    }

    /// The taxonomy, if it has no cycle.
    pub fn finish(self) -> Result<Taxonomy, Cycle> {
        match self.cycle() {
            Some(cycle) => Err(cycle),
            None => Ok(self.into_taxonomy()),
        }
    }

    fn into_taxonomy(mut self) -> Taxonomy {
        self.parents.iter_mut().for_each(without_repeats);
        self.concepts.iter_mut().for_each(|concept| without_repeats(&mut concept.labels));
        let mut children = vec![Vec::new(); self.concepts.len()];
        for (child, parents) in self.parents.iter().enumerate() {
            parents.iter().for_each(|&parent| children[parent].push(child));
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

/// One of the depths of a concept's parents.
type Pick = fn(&mut dyn Iterator<Item = usize>) -> Option<usize>;

/// The way from a root to each concept, counted in concepts, by the parent that `pick` prefers.
fn depths(parents: &[Vec<ConceptId>], pick: Pick) -> Vec<usize> {
    let mut depths = vec![0; parents.len()];
    for start in 0..parents.len() {
        // Depth first, without recursion: a chain may be as long as the file is large.
        let mut open = if depths[start] == 0 { vec![(start, 0)] } else { Vec::new() };
        while let Some((id, next)) = open.last_mut() {
            let (id, parent) = (*id, parents[*id].get(*next).copied());
            *next += 1;
            match parent {
                Some(parent) if depths[parent] == 0 => open.push((parent, 0)),
                Some(_) => {}
                None => {
                    let above = pick(&mut parents[id].iter().map(|&parent| depths[parent]));
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
            "a cycle in the hierarchy: b → c → b; take one of these steps out"
        );
    }

    #[test]
    fn long_cycles_are_shown_in_part() {
        let mut builder = TaxonomyBuilder::new();
        let ids: Vec<_> = (0..5_000).map(|n| builder.concept(&n.to_string())).collect();
        ids.windows(2).for_each(|pair| builder.is_a(pair[0], pair[1]));
        builder.is_a(ids[4_999], ids[0]);
        let text = builder.finish().unwrap_err().to_string();
        assert!(text.ends_with("7 → … 4992 more … → 0; take one of these steps out"), "{text}");
    }

    #[test]
    fn many_parents_and_labels_are_each_kept_once() {
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
    fn long_chains_need_no_stack() {
        let mut builder = TaxonomyBuilder::new();
        for number in 1..200_000 {
            let (child, parent) =
                (builder.concept(&number.to_string()), builder.concept(&(number - 1).to_string()));
            builder.is_a(parent, child);
        }
        assert_eq!(builder.finish().unwrap().levels(), 200_000);
    }

    #[test]
    fn names_come_in_the_language_asked_for() {
        let mut builder = TaxonomyBuilder::new();
        let id = builder.concept("urn:x#flood");
        builder.label(id, Label::synonym("inundation", Some("en")));
        builder.label(id, Label::preferred("洪涝", Some("zh-Hans")));
        let taxonomy = builder.finish().unwrap();
        assert_eq!((taxonomy.name(id, "zh"), taxonomy.name(id, "en")), ("洪涝", "洪涝"));
    }
}
