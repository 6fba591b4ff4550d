//! Clarified and reduced contexts: smaller tables with the same lattice.

use crate::bits::BitSet;
use crate::context::Context;

/// What was left out of a context, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Objects that are not in it any more.
    pub objects: Vec<String>,
    /// Attributes that are not in it any more.
    pub attributes: Vec<String>,
}

/// Keeps one of all objects with the same attributes, and one of all attributes with the same
/// objects: the first of each.
#[must_use]
pub fn clarified(context: &Context) -> (Context, Left) {
    let objects = firsts(&rows(context));
    let attributes = firsts(&context.columns());
    keep(context, &objects, &attributes)
}

/// Keeps only what the lattice's shape depends on: clarifies, then leaves out each attribute whose
/// objects are just those common to some other attributes, and each object likewise.
///
/// Takes O(|M|² · |G| + |G|² · |M|) bit operations.
#[must_use]
pub fn reduced(context: &Context) -> (Context, Left) {
    let objects = irreducible(&rows(context), context.attributes().len());
    let attributes = irreducible(&context.columns(), context.objects().len());
    keep(context, &objects, &attributes)
}

fn rows(context: &Context) -> Vec<BitSet> {
    (0..context.objects().len()).map(|object| context.row_set(object)).collect()
}

/// The places of the sets that did not occur before.
fn firsts(sets: &[BitSet]) -> Vec<usize> {
    let mut seen = hashbrown::HashSet::<&BitSet, foldhash::fast::FixedState>::default();
    (0..sets.len()).filter(|&place| seen.insert(&sets[place])).collect()
}

/// The places of the sets that are not the intersection of larger ones. The intersection of none is
/// everything.
fn irreducible(sets: &[BitSet], bound: usize) -> Vec<usize> {
    let mut kept = firsts(sets);
    let distinct = kept.clone();
    kept.retain(|&place| {
        let set = &sets[place];
        let mut common = BitSet::full(bound);
        for larger in distinct.iter().map(|&other| &sets[other]) {
            if set.is_subset(larger) && set != larger {
                common.intersect(larger);
            }
        }
        common != *set
    });
    kept
}

fn keep(context: &Context, objects: &[usize], attributes: &[usize]) -> (Context, Left) {
    let rest = |names: &crate::Names, kept: &[usize]| {
        let kept = BitSet::of(names.len(), kept.iter().copied());
        let gone = (0..names.len()).filter(|&place| !kept.contains(place));
        gone.map(|place| names.get(place).into_owned()).collect()
    };
    let left = Left {
        objects: rest(context.objects(), objects),
        attributes: rest(context.attributes(), attributes),
    };
    (context.restricted(objects, attributes), left)
}
