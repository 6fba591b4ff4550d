//! Branches whose extents are too large for bit columns; their rows are lists.
//!
//! For each attribute j, one pass over the rows with j counts every attribute in them (LCM's
//! "occurrence deliver"). An attribute that occurs in all of these rows is in the closure.

use super::dense;
use super::{Search, Visitor, add, no_attributes};
use crate::context::{Context, Rows};

/// The objects of a branch, with the attributes that some but not all of them have.
struct Block {
    /// The local attribute numbers of each row, ascending.
    rows: Rows,
    /// Number of objects that each row represents.
    weights: Vec<u32>,
    /// The number in the context of each local attribute. Local numbers follow the search order.
    attributes: Vec<u32>,
    /// The first attribute that the branch may add; the canonicity test needs those before it.
    first: usize,
    support: u32,
}

/// A branch that passed the canonicity test.
struct Child {
    intent: Vec<u64>,
    /// The attribute that was added to reach the branch.
    attribute: usize,
    /// The attributes that some but not all of its objects have.
    open: Vec<u32>,
    support: u32,
}

/// Lists all concepts that have objects.
pub(super) fn start<V: Visitor>(search: &Search, context: &Context, visitor: &mut V) {
    let attributes = context.attributes().len();
    let rows = context.distinct_rows();
    let weights = context.multiplicities();
    let mut supports = vec![0; attributes];
    for (row, &weight) in rows.iter().zip(&weights) {
        row.iter().for_each(|&attribute| supports[attribute as usize] += weight);
    }
    let total: u32 = weights.iter().sum();
    let mut intent = no_attributes(attributes);
    let mut order = Vec::new();
    for (attribute, &support) in (0..).zip(&supports) {
        if support == total {
            add(&mut intent, attribute);
        } else if support >= search.min_support {
            order.push(attribute);
        }
    }
    order.sort_by_key(|&attribute| (supports[attribute as usize], attribute));
    let block = project(rows, 0..rows.len(), &weights, &order, attributes, |it| it);
    branch(search, &block, &intent, 0, visitor);
}

/// Restricts rows to some attributes, renumbered in the order given.
fn project(
    rows: &Rows,
    members: impl Iterator<Item = usize>,
    weights: &[u32],
    attributes: &[u32],
    bound: usize,
    name: impl Fn(u32) -> u32,
) -> Block {
    const REMOVED: u32 = u32::MAX;
    let mut local = vec![REMOVED; bound];
    for (new, &old) in (0..).zip(attributes) {
        local[old as usize] = new;
    }
    let (mut kept, mut kept_weights, mut support) = (Rows::default(), Vec::new(), 0);
    let mut row: Vec<u32> = Vec::new();
    for member in members {
        row.clear();
        let kept_attributes = rows.get(member).iter().map(|&it| local[it as usize]);
        row.extend(kept_attributes.filter(|&it| it != REMOVED));
        row.sort_unstable();
        kept.push(row.iter().copied());
        kept_weights.push(weights[member]);
        support += weights[member];
    }
    let attributes = attributes.iter().map(|&it| name(it)).collect();
    Block { rows: kept, weights: kept_weights, attributes, first: 0, support }
}

/// Passes the concept of a branch, and all concepts of the branch, to the visitor.
fn branch<V: Visitor>(
    search: &Search,
    block: &Block,
    intent: &[u64],
    depth: usize,
    visitor: &mut V,
) {
    if block.rows.len() <= dense::MOST_ROWS {
        let rows = dense::Rows { rows: &block.rows, weights: &block.weights };
        dense::start(search, &rows, &block.attributes, block.first, intent, depth, visitor);
        return;
    }
    search.show(visitor, intent, block.support);
    if search.is_stopped() {
        return;
    }
    let columns = transpose(&block.rows, block.attributes.len());
    let children = children(search, block, &columns, intent, visitor);
    search.branches(depth, &children, visitor, |child, visitor| {
        let members = columns.get(child.attribute).iter().map(|&row| row as usize);
        let name = |local: u32| block.attributes[local as usize];
        let bound = block.attributes.len();
        let mut below = project(&block.rows, members, &block.weights, &child.open, bound, name);
        below.first = child.open.partition_point(|&local| (local as usize) < child.attribute);
        below.support = child.support;
        branch(search, &below, &child.intent, depth + 1, visitor);
    });
}

/// Returns the rows of each attribute.
fn transpose(rows: &Rows, attributes: usize) -> Rows {
    let mut columns = vec![Vec::new(); attributes];
    for (number, row) in (0..).zip(rows.iter()) {
        row.iter().for_each(|&attribute| columns[attribute as usize].push(number));
    }
    let mut transposed = Rows::default();
    columns.into_iter().for_each(|column| transposed.push(column));
    transposed
}

/// Returns the branches below a concept, and reports its lower neighbours if the visitor needs
/// them.
fn children<V: Visitor>(
    search: &Search,
    block: &Block,
    columns: &Rows,
    intent: &[u64],
    visitor: &mut V,
) -> Vec<Child> {
    let count = block.attributes.len();
    let mut children = Vec::new();
    let (mut in_rows, mut in_objects) = (vec![0; count], vec![0; count]);
    let mut has_neighbour = false;
    for attribute in if V::COVERS { 0 } else { block.first }..count {
        let rows = columns.get(attribute);
        in_rows.fill(0);
        in_objects.fill(0);
        for &row in rows {
            let weight = block.weights[row as usize];
            for &other in block.rows.get(row as usize) {
                in_rows[other as usize] += 1;
                in_objects[other as usize] += weight;
            }
        }
        let in_closure = |other: &usize| in_rows[*other] == rows.len();
        let mut closure = intent.to_vec();
        for other in (0..count).filter(in_closure) {
            add(&mut closure, block.attributes[other]);
        }
        // The closure is a lower neighbour if and only if each attribute that it adds has the same
        // closure, since then no attribute leads to a concept in between. Only the first of these
        // attributes reports it.
        let is_first = (0..attribute).all(|other| !in_closure(&other));
        let mut added = (attribute..count).filter(in_closure);
        if V::COVERS && is_first && added.all(|other| columns.get(other).len() == rows.len()) {
            visitor.lower_neighbour(&closure);
            has_neighbour = true;
        }
        if attribute >= block.first && is_first {
            let open = (0..count)
                .filter(|&other| !in_closure(&other) && in_objects[other] >= search.min_support);
            let open = open
                .map(|other| u32::try_from(other).expect("a local number fits into 32 bits"))
                .collect();
            children.push(Child {
                intent: closure,
                attribute,
                open,
                support: in_objects[attribute],
            });
        }
    }
    if V::COVERS && !has_neighbour {
        search.show_bottom(visitor);
    }
    children
}
