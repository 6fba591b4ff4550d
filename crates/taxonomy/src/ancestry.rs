//! How two concepts lie to each other: common ancestors, ways, descendants.
//!
//! A concept's ancestors are listed once, when they are first asked for, and kept sorted, so that what
//! two concepts have in common is one merge of two short lists. Lists that are not short are not kept: in
//! a chain of concepts they would take memory that grows with the square of its length.

use std::borrow::Cow;

use crate::taxonomy::{ConceptId, Taxonomy};

/// The longest list of ancestors that is kept. WordNet's longest has 35.
const KEPT: usize = 512;

/// An ancestor of a concept. A concept is an ancestor of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ancestor {
    id: u32,
    steps: u32,
}

impl Ancestor {
    /// Which concept it is.
    #[must_use]
    pub fn concept(self) -> ConceptId {
        self.id as usize
    }

    /// How many steps up it lies, by the shortest way.
    #[must_use]
    pub fn steps(self) -> usize {
        self.steps as usize
    }
}

/// An ancestor that two concepts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonAncestor {
    /// Which concept it is.
    pub concept: ConceptId,
    /// How many steps there are from the one concept up to it and down to the other.
    pub steps: usize,
}

impl Taxonomy {
    /// A concept and all that it is a kind of, sorted by number.
    #[must_use]
    pub fn ancestors(&self, id: ConceptId) -> Cow<'_, [Ancestor]> {
        let mut found = None;
        let kept = self.ancestors[id].get_or_init(|| {
            let ancestors = self.find_ancestors(id);
            if ancestors.len() <= KEPT {
                Some(ancestors.into())
            } else {
                found = Some(ancestors);
                None
            }
        });
        match kept {
            Some(kept) => Cow::Borrowed(kept),
            None => Cow::Owned(found.unwrap_or_else(|| self.find_ancestors(id))),
        }
    }

    fn find_ancestors(&self, id: ConceptId) -> Vec<Ancestor> {
        let mut found = vec![Ancestor { id: short(id), steps: 0 }];
        let mut seen = hashbrown::HashSet::<u32, foldhash::fast::FixedState>::default();
        seen.insert(short(id));
        // Level by level upwards, so that the first way to an ancestor is a shortest one.
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

    /// Visits what two concepts are both kinds of, by ascending number.
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

    /// The lowest common ancestor: the one at the greatest [`shortest_depth`](Self::shortest_depth),
    /// of several the one with the shortest way through it, then the first.
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

    /// The number of steps between two concepts by the shortest way through a common ancestor.
    #[must_use]
    pub fn distance(&self, a: ConceptId, b: ConceptId) -> Option<usize> {
        let mut shortest: Option<usize> = None;
        self.for_each_common(a, b, |common| {
            shortest = Some(shortest.map_or(common.steps, |known| known.min(common.steps)));
        });
        shortest
    }

    /// Whether one of the two is a kind of the other, or they are the same.
    #[must_use]
    pub fn is_in_line(&self, a: ConceptId, b: ConceptId) -> bool {
        let is_above = |above: ConceptId, below: ConceptId| {
            let ancestors = self.ancestors(below);
            ancestors.binary_search_by_key(&short(above), |ancestor| ancestor.id).is_ok()
        };
        is_above(a, b) || is_above(b, a)
    }

    /// How many concepts are kinds of each concept, itself not counted.
    #[must_use]
    pub fn descendant_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.len()];
        if self.parents.iter().all(|parents| parents.len() <= 1) {
            // In a tree the counts add up. From the lowest level upwards.
            let mut order: Vec<ConceptId> = (0..self.len()).collect();
            order.sort_by_key(|&id| std::cmp::Reverse(self.depths[id]));
            for id in order {
                self.parents[id].iter().for_each(|&parent| counts[parent] += counts[id] + 1);
            }
            return counts;
        }
        // Otherwise one may be reached by several ways, and each must count once.
        let mut last_seen = vec![usize::MAX; self.len()];
        let mut open = Vec::new();
        for id in 0..self.len() {
            open.push(id);
            while let Some(below) = open.pop() {
                for &parent in &self.parents[below] {
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
    u32::try_from(id).expect("a taxonomy has fewer than 2^32 concepts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaxonomyBuilder;

    /// 0 over 1 and 2; 1 and 2 over 3; 2 over 4; 3 over 5. Besides, 6 alone.
    fn diamond() -> Taxonomy {
        let mut builder = TaxonomyBuilder::new();
        for key in ["a", "b", "c", "d", "e", "f", "g"] {
            builder.concept(key);
        }
        for (child, parent) in [(1, 0), (2, 0), (3, 1), (3, 2), (4, 2), (5, 3)] {
            builder.is_a(child, parent);
        }
        builder.finish().unwrap()
    }

    #[test]
    fn ancestors_are_counted_once_by_the_shortest_way() {
        let taxonomy = diamond();
        let ancestors = taxonomy.ancestors(5);
        let found: Vec<_> = ancestors.iter().map(|it| (it.concept(), it.steps())).collect();
        assert_eq!(found, [(0, 3), (1, 2), (2, 2), (3, 1), (5, 0)]);
    }

    #[test]
    fn the_lowest_common_ancestor_and_the_way_through_it() {
        let taxonomy = diamond();
        let lowest = |x, y| taxonomy.lowest_common_ancestor(x, y).map(|it| (it.concept, it.steps));
        assert_eq!(lowest(5, 4), Some((2, 3)));
        assert_eq!(lowest(1, 2), Some((0, 2)));
        assert_eq!(lowest(3, 5), Some((3, 1)));
        assert_eq!(lowest(3, 3), Some((3, 0)));
        assert_eq!(lowest(0, 6), None);
        assert_eq!(taxonomy.distance(5, 4), Some(3));
        assert_eq!(taxonomy.distance(6, 4), None);
        assert!(taxonomy.is_in_line(5, 0) && taxonomy.is_in_line(0, 5));
        assert!(!taxonomy.is_in_line(1, 2));
    }

    #[test]
    fn descendants_count_once_however_many_ways_lead_to_them() {
        let taxonomy = diamond();
        assert_eq!(taxonomy.descendant_counts(), [5, 2, 3, 1, 0, 0, 0]);
    }

    #[test]
    fn descendants_of_a_deep_tree_take_one_pass() {
        let mut builder = TaxonomyBuilder::new();
        let ids: Vec<_> = (0..200_000).map(|n| builder.concept(&n.to_string())).collect();
        ids.windows(2).for_each(|pair| builder.is_a(pair[1], pair[0]));
        let counts = builder.finish().unwrap().descendant_counts();
        assert_eq!((counts[0], counts[199_999]), (199_999, 0));
    }
}
