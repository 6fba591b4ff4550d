//! Clarified and reduced contexts: smaller tables with the same lattice.

use crate::bits::BitSet;
use crate::context::Context;

/// The names of the objects and attributes removed from a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The removed objects.
    pub objects: Vec<String>,
    /// The removed attributes.
    pub attributes: Vec<String>,
}

/// Clarifies a context: keeps only the first of several objects with the same attributes, and the
/// first of several attributes with the same objects.
#[must_use]
pub fn clarified(context: &Context) -> (Context, Left) {
    let objects = firsts(&rows(context));
    let attributes = firsts(&context.columns());
    keep(context, &objects, &attributes)
}

/// Reduces a context to the rows and columns that determine the shape of its lattice: clarifies it,
/// then removes each attribute whose column is the intersection of other columns, and each object
/// whose row is the intersection of other rows.
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

/// Returns the position of the first of each group of equal sets.
fn firsts(sets: &[BitSet]) -> Vec<usize> {
    let mut seen = hashbrown::HashSet::<&BitSet, foldhash::fast::FixedState>::default();
    (0..sets.len()).filter(|&place| seen.insert(&sets[place])).collect()
}

/// Returns the positions of the distinct sets that are not the intersection of larger ones. The
/// intersection of no sets is the full set.
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
    let names_removed = |names: &crate::Names, kept: &[usize]| {
        let kept = BitSet::of(names.len(), kept.iter().copied());
        let removed = (0..names.len()).filter(|&place| !kept.contains(place));
        removed.map(|place| names.get(place).into_owned()).collect()
    };
    let left = Left {
        objects: names_removed(context.objects(), objects),
        attributes: names_removed(context.attributes(), attributes),
    };
    (context.restricted(objects, attributes), left)
}
