//! The order of the attribute concepts of a context, and a tolerant form of it.
//!
//! Attribute m is below n if every object with m also has n, that is m′ ⊆ n′. Attributes with the
//! same objects share an attribute concept and are one node. This is the order of the concept
//! lattice, restricted to the attribute concepts (the nodes that carry an attribute label in the
//! line diagram). It needs only the columns of the context; the lattice is not built.
//!
//! In real data an inclusion seldom holds without exception. In the tolerant form a share c of m's
//! objects is enough: m is below n if |m′ ∩ n′| / |m′| ≥ c and n has more objects than m (Sanderson
//! and Croft, 1999). With c = 1 that is the exact order. With c < 1 this relation need not be
//! transitive, so the order is its transitive closure: a node may lie below another that has a
//! smaller share of its objects. There are no cycles, because the number of objects grows from each
//! node to its parents.

use crate::bits::BitSet;
use crate::context::Context;

/// The attributes of a context, grouped by their objects and ordered.
#[derive(Debug, Clone)]
pub struct AttributeOrder {
    /// The attributes of each node, in the order of the context.
    pub nodes: Vec<Vec<usize>>,
    /// The objects of each node.
    pub extents: Vec<BitSet>,
    /// The nodes directly above each node, those with the fewest objects first.
    pub parents: Vec<Vec<usize>>,
}

impl AttributeOrder {
    /// Orders the attributes of a context. `c`, above 0 and at most 1, is the share of an
    /// attribute's objects that must also have another attribute for the first to be below the
    /// second. Omits attributes that no object has.
    ///
    /// Takes O(|M|² · |G| / 64) time.
    #[must_use]
    pub fn of(context: &Context, c: f64) -> Self {
        let columns = context.columns();
        let (nodes, extents) = group(columns);
        let sizes: Vec<usize> = extents.iter().map(BitSet::len).collect();
        // Larger nodes first, so that the ancestors of every possible parent are complete.
        let mut by_size: Vec<usize> = (0..nodes.len()).collect();
        by_size.sort_by_key(|&node| (std::cmp::Reverse(sizes[node]), node));
        let mut parents = vec![Vec::new(); nodes.len()];
        let mut ancestors = vec![BitSet::empty(nodes.len()); nodes.len()];
        for (place, &node) in by_size.iter().enumerate() {
            // Smallest first: a node that is already above one of the parents is not a parent.
            for &broader in by_size[..place].iter().rev() {
                let is_above = sizes[broader] > sizes[node]
                    && at_least(extents[node].common(&extents[broader]), sizes[node], c);
                if is_above && !ancestors[node].contains(broader) {
                    let above = ancestors[broader].clone();
                    parents[node].push(broader);
                    ancestors[node].unite(&above);
                    ancestors[node].insert(broader);
                }
            }
        }
        Self { nodes, extents, parents }
    }
}

/// Returns true if `part` is at least the share `c` of `whole`, with tolerance for the rounding
/// of `c`.
fn at_least(part: usize, whole: usize, c: f64) -> bool {
    part as f64 + 1e-9 >= c * whole as f64
}

/// Groups attributes with the same objects, in the order of the first attribute of each group.
fn group(columns: Vec<BitSet>) -> (Vec<Vec<usize>>, Vec<BitSet>) {
    let mut nodes: Vec<Vec<usize>> = Vec::new();
    let mut extents: Vec<BitSet> = Vec::new();
    let mut known = hashbrown::HashMap::<BitSet, usize, foldhash::fast::FixedState>::default();
    for (attribute, column) in columns.into_iter().enumerate() {
        if column.is_empty() {
            continue;
        }
        let node = *known.entry(column).or_insert_with_key(|column| {
            nodes.push(Vec::new());
            extents.push(column.clone());
            nodes.len() - 1
        });
        nodes[node].push(attribute);
    }
    (nodes, extents)
}
