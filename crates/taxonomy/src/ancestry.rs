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

    /// What two concepts are both kinds of, sorted by number.
    pub fn common_ancestors(
        &self,
        a: ConceptId,
        b: ConceptId,
    ) -> impl Iterator<Item = CommonAncestor> {
        let (of_a, of_b) = (self.ancestors(a), self.ancestors(b));
        let (mut at_a, mut at_b) = (0, 0);
        std::iter::from_fn(move || {
            while let (Some(first), Some(other)) = (of_a.get(at_a), of_b.get(at_b)) {
                at_a += usize::from(first.id <= other.id);
                at_b += usize::from(other.id <= first.id);
                if first.id == other.id {
                    let steps = first.steps() + other.steps();
                    return Some(CommonAncestor { concept: first.concept(), steps });
                }
            }
            None
        })
    }

    /// The lowest common ancestor: the one at the greatest [`shortest_depth`](Self::shortest_depth),
    /// of several the one with the shortest way through it, then the first.
    #[must_use]
    pub fn lowest_common_ancestor(&self, a: ConceptId, b: ConceptId) -> Option<CommonAncestor> {
        let rank = |it: &CommonAncestor| {
            (std::cmp::Reverse(self.shortest_depth(it.concept)), it.steps, it.concept)
        };
        self.common_ancestors(a, b).min_by_key(rank)
    }

    /// The number of steps between two concepts by the shortest way through a common ancestor.
    #[must_use]
    pub fn distance(&self, a: ConceptId, b: ConceptId) -> Option<usize> {
        self.common_ancestors(a, b).map(|common| common.steps).min()
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

    /// a over b, c; b and c over d; c over e; d over f. Besides, g alone.
    fn diamond() -> (Taxonomy, [ConceptId; 7]) {
        let mut builder = TaxonomyBuilder::new();
        let ids = ["a", "b", "c", "d", "e", "f", "g"].map(|key| builder.concept(key));
        let [a, b, c, d, e, f, _] = ids;
        for (child, parent) in [(b, a), (c, a), (d, b), (d, c), (e, c), (f, d)] {
            builder.is_a(child, parent);
        }
        (builder.finish().unwrap(), ids)
    }

    #[test]
    fn ancestors_are_counted_once_by_the_shortest_way() {
        let (taxonomy, [a, b, c, d, _, f, _]) = diamond();
        let of_f: Vec<_> =
            taxonomy.ancestors(f).iter().map(|it| (it.concept(), it.steps())).collect();
        assert_eq!(of_f, [(a, 3), (b, 2), (c, 2), (d, 1), (f, 0)]);
    }

    #[test]
    fn the_lowest_common_ancestor_and_the_way_through_it() {
        let (taxonomy, [a, b, c, d, e, f, g]) = diamond();
        let lowest = |x, y| taxonomy.lowest_common_ancestor(x, y).map(|it| (it.concept, it.steps));
        assert_eq!(lowest(f, e), Some((c, 3)));
        assert_eq!(lowest(b, c), Some((a, 2)));
        assert_eq!(lowest(d, f), Some((d, 1)));
        assert_eq!(lowest(d, d), Some((d, 0)));
        assert_eq!(lowest(a, g), None);
        assert_eq!(taxonomy.distance(f, e), Some(3));
        assert_eq!(taxonomy.distance(g, e), None);
        assert!(taxonomy.is_in_line(f, a) && taxonomy.is_in_line(a, f));
        assert!(!taxonomy.is_in_line(b, c));
    }

    #[test]
    fn descendants_count_once_however_many_ways_lead_to_them() {
        let (taxonomy, _) = diamond();
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
