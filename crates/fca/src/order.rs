//! The order of a context's attributes: which term is narrower than which.
//!
//! Attribute m is below n if every object with m has n, that is m′ ⊆ n′. Attributes with the same
//! objects are one node. That is the part of the lattice that carries attribute labels, without the
//! concepts in between. Real data seldom subsumes without exception, so a share c of m's objects may
//! be enough: m is below n if |m′ ∩ n′| / |m′| ≥ c and n has more objects than m (Sanderson and
//! Croft, 1999). With c = 1 the order is that of the lattice.

use crate::bits::BitSet;
use crate::context::Context;

/// The attributes of a context, grouped and ordered.
#[derive(Debug, Clone)]
pub struct AttributeOrder {
    /// Each node's attributes, first those that come first in the context.
    pub nodes: Vec<Vec<usize>>,
    /// The objects of each node.
    pub extents: Vec<BitSet>,
    /// The nodes just above each node, those with fewest objects first.
    pub parents: Vec<Vec<usize>>,
}

impl AttributeOrder {
    /// Orders the attributes; `c` is the share of a term's objects that must be among those of a
    /// broader one, from above 0 to 1. Attributes that no object has are left out.
    ///
    /// Takes O(|M|² · |G| / 64).
    #[must_use]
    pub fn of(context: &Context, c: f64) -> Self {
        let columns = context.columns();
        let (nodes, extents) = group(columns);
        let sizes: Vec<usize> = extents.iter().map(BitSet::len).collect();
        // Broader nodes first, so that ancestors are complete when they are asked for.
        let mut by_size: Vec<usize> = (0..nodes.len()).collect();
        by_size.sort_by_key(|&node| (std::cmp::Reverse(sizes[node]), node));
        let mut parents = vec![Vec::new(); nodes.len()];
        let mut ancestors = vec![BitSet::empty(nodes.len()); nodes.len()];
        for (place, &node) in by_size.iter().enumerate() {
            // Narrowest first: what an earlier parent lies below is no parent itself.
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

/// Whether `part` of `whole` is at least the share `c`, with room for the rounding of c.
fn at_least(part: usize, whole: usize, c: f64) -> bool {
    part as f64 + 1e-9 >= c * whole as f64
}

/// Attributes with the same objects, in the order of their first.
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
