//! Common ancestors, distances and descendants.
//!
//! The ancestors of a concept are computed on first use and cached as a sorted list, so that the
//! common ancestors of two concepts are a merge of two short lists. Long lists are not cached: for
//! a chain of concepts, they would take memory that grows with the square of its length.

use std::borrow::Cow;

use crate::taxonomy::{ConceptId, Taxonomy};

/// Greatest length of a list of ancestors that is cached. WordNet's longest has 35.
const CACHED: usize = 512;

/// An ancestor of a concept. A concept is an ancestor of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ancestor {
    id: u32,
    steps: u32,
}

impl Ancestor {
    /// Returns the ancestor's id.
    #[must_use]
    pub fn concept(self) -> ConceptId {
        ConceptId::new(self.id as usize)
    }

    /// Returns the number of is-a links on the shortest path up to the ancestor.
    #[must_use]
    pub fn steps(self) -> usize {
        self.steps as usize
    }
}

/// A common ancestor of two concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonAncestor {
    /// The ancestor's id.
    pub concept: ConceptId,
    /// Number of is-a links from one concept up to the ancestor and down to the other.
    pub steps: usize,
}

impl Taxonomy {
    /// Returns a concept and everything that it is a kind of, sorted by id.
    #[must_use]
    pub fn ancestors(&self, id: ConceptId) -> Cow<'_, [Ancestor]> {
        let mut found = None;
        let cached = self.ancestors[id.index()].get_or_init(|| {
            let ancestors = self.find_ancestors(id);
            if ancestors.len() <= CACHED {
                Some(ancestors.into())
            } else {
                found = Some(ancestors);
                None
            }
        });
        match cached {
            Some(cached) => Cow::Borrowed(cached),
            None => Cow::Owned(found.unwrap_or_else(|| self.find_ancestors(id))),
        }
    }

    fn find_ancestors(&self, id: ConceptId) -> Vec<Ancestor> {
        let mut found = vec![Ancestor { id: short(id), steps: 0 }];
        let mut seen = hashbrown::HashSet::<u32, foldhash::fast::FixedState>::default();
        seen.insert(short(id));
        // Breadth-first, so that the first path to an ancestor is a shortest one.
        let mut next = 0;
        while let Some(&Ancestor { id, steps }) = found.get(next) {
            next += 1;
            for parent in self.parents[id as usize].iter().map(|&parent| short(parent)) {
                if seen.insert(parent) {
                    found.push(Ancestor { id: parent, steps: steps + 1 });
                }
            }
        }
        found.sort_unstable_by_key(|ancestor| ancestor.id);
        found
    }

    /// Calls `visit` with each common ancestor of two concepts, in ascending order of ids.
    pub fn for_each_common(
        &self,
        a: ConceptId,
        b: ConceptId,
        mut visit: impl FnMut(CommonAncestor),
    ) {
        let (of_a, of_b) = (self.ancestors(a), self.ancestors(b));
        let (mut of_a, mut of_b) = (&*of_a, &*of_b);
        while let ([first, rest_a @ ..], [other, rest_b @ ..]) = (of_a, of_b) {
            if first.id == other.id {
                let steps = first.steps() + other.steps();
                visit(CommonAncestor { concept: first.concept(), steps });
            }
            if first.id <= other.id {
                of_a = rest_a;
            }
            if other.id <= first.id {
                of_b = rest_b;
            }
        }
    }

    /// Returns the lowest common ancestor: the one with the greatest
    /// [`shortest_depth`](Self::shortest_depth). Ties go to the ancestor with the shortest path
    /// through it, then to the lowest id.
    #[must_use]
    pub fn lowest_common_ancestor(&self, a: ConceptId, b: ConceptId) -> Option<CommonAncestor> {
        let rank = |it: &CommonAncestor| {
            (std::cmp::Reverse(self.shortest_depth(it.concept)), it.steps, it.concept)
        };
        let mut lowest: Option<CommonAncestor> = None;
        self.for_each_common(a, b, |common| {
            if lowest.is_none_or(|lowest| rank(&common) < rank(&lowest)) {
                lowest = Some(common);
            }
        });
        lowest
    }

    /// Returns the length of the shortest path between two concepts through a common ancestor, in
    /// is-a links.
    #[must_use]
    pub fn distance(&self, a: ConceptId, b: ConceptId) -> Option<usize> {
        let mut shortest: Option<usize> = None;
        self.for_each_common(a, b, |common| {
            shortest = Some(shortest.map_or(common.steps, |known| known.min(common.steps)));
        });
        shortest
    }

    /// Returns true if one of the two concepts is a kind of the other, or both are the same.
    #[must_use]
    pub fn is_in_line(&self, a: ConceptId, b: ConceptId) -> bool {
        let is_above = |above: ConceptId, below: ConceptId| {
            let ancestors = self.ancestors(below);
            ancestors.binary_search_by_key(&short(above), |ancestor| ancestor.id).is_ok()
        };
        is_above(a, b) || is_above(b, a)
    }

    /// Returns the number of descendants of each concept, not counting the concept itself.
    #[must_use]
    pub fn descendant_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.len()];
        if self.parents.iter().all(|parents| parents.len() <= 1) {
            // In a tree the counts add up, from the lowest level upwards.
            let mut order: Vec<usize> = (0..self.len()).collect();
            order.sort_by_key(|&id| std::cmp::Reverse(self.depths[id]));
            for id in order {
                let count = counts[id] + 1;
                self.parents[id].iter().for_each(|parent| counts[parent.index()] += count);
            }
            return counts;
        }
        // Otherwise several paths may lead to a descendant, which must count once.
        let mut last_seen = vec![usize::MAX; self.len()];
        let mut open = Vec::new();
        for id in 0..self.len() {
            open.push(id);
            while let Some(below) = open.pop() {
                for parent in self.parents[below].iter().map(|parent| parent.index()) {
                    if last_seen[parent] != id {
                        last_seen[parent] = id;
                        counts[parent] += 1;
                        open.push(parent);
                    }
                }
            }
        }
        counts
    }
}

fn short(id: ConceptId) -> u32 {
    u32::try_from(id.index()).expect("a taxonomy has fewer than 2^32 concepts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaxonomyBuilder;

    /// 0 above 1 and 2; 1 and 2 above 3; 2 above 4; 3 above 5; 6 on its own.
    fn diamond() -> Taxonomy {
        let mut builder = TaxonomyBuilder::new();
        for key in ["a", "b", "c", "d", "e", "f", "g"] {
            builder.concept(key);
        }
        for (child, parent) in [(1, 0), (2, 0), (3, 1), (3, 2), (4, 2), (5, 3)] {
            builder.is_a(ConceptId::new(child), ConceptId::new(parent));
        }
        builder.finish().unwrap()
    }

    #[test]
    fn each_ancestor_is_listed_once_with_its_shortest_path() {
        let taxonomy = diamond();
        let ancestors = taxonomy.ancestors(ConceptId::new(5));
        let found: Vec<_> = ancestors.iter().map(|it| (it.concept().index(), it.steps())).collect();
        assert_eq!(found, [(0, 3), (1, 2), (2, 2), (3, 1), (5, 0)]);
    }

    #[test]
    fn the_lowest_common_ancestor_and_the_path_through_it() {
        let taxonomy = diamond();
        let id = ConceptId::new;
        let lowest = |x, y| {
            let found = taxonomy.lowest_common_ancestor(id(x), id(y));
            found.map(|it| (it.concept.index(), it.steps))
        };
        assert_eq!(lowest(5, 4), Some((2, 3)));
        assert_eq!(lowest(1, 2), Some((0, 2)));
        assert_eq!(lowest(3, 5), Some((3, 1)));
        assert_eq!(lowest(3, 3), Some((3, 0)));
        assert_eq!(lowest(0, 6), None);
        assert_eq!(taxonomy.distance(id(5), id(4)), Some(3));
        assert_eq!(taxonomy.distance(id(6), id(4)), None);
        assert!(taxonomy.is_in_line(id(5), id(0)) && taxonomy.is_in_line(id(0), id(5)));
        assert!(!taxonomy.is_in_line(id(1), id(2)));
    }

    #[test]
    fn a_descendant_counts_once_even_if_several_paths_lead_to_it() {
        let taxonomy = diamond();
        assert_eq!(taxonomy.descendant_counts(), [5, 2, 3, 1, 0, 0, 0]);
    }

    #[test]
    fn descendants_of_a_deep_tree_are_counted() {
        let mut builder = TaxonomyBuilder::new();
        let ids: Vec<_> = (0..200_000).map(|n| builder.concept(&n.to_string())).collect();
        ids.windows(2).for_each(|pair| builder.is_a(pair[1], pair[0]));
        let counts = builder.finish().unwrap().descendant_counts();
        assert_eq!((counts[0], counts[199_999]), (199_999, 0));
    }
}
