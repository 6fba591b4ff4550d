//! Branches with bit columns.
//!
//! A block is a context of up to `64 · W` rows whose columns are arrays of `W` words. When a branch
//! has lost half of the rows, it moves to a block of half the width, down to one word per column.

use super::{Search, Visitor, add, holds};
use crate::context;

/// Number of rows that fit into the widest block.
pub(super) const MOST_ROWS: usize = 64 * 64;

/// The rows that the first block of a branch is made from.
pub(super) struct Rows<'a> {
    pub(super) rows: &'a context::Rows,
    pub(super) weights: &'a [u32],
}

/// A set of rows of a block.
type Column<const W: usize> = [u64; W];

/// The objects of a branch, with the attributes that some but not all of them have.
struct Block<const W: usize> {
    columns: Vec<Column<W>>,
    /// The attribute of each column, by its number in the context.
    attributes: Vec<u32>,
    /// Number of objects that each row represents; `None` if every row represents one.
    weights: Option<Vec<u32>>,
}

/// An attribute that some but not all objects of the branch have.
#[derive(Clone, Copy)]
struct Open {
    column: u32,
    /// An earlier attribute, by its number in the context, that is in the closure whenever this one
    /// is added. As long as the intent lacks it, adding this attribute is not canonical.
    witness: u32,
}

const NO_WITNESS: u32 = u32::MAX;

/// A concept with objects, as a node of the search tree.
struct Node<'a, const W: usize> {
    extent: Column<W>,
    intent: &'a [u64],
    open: &'a [Open],
    /// Position in `open` of the first attribute that the branch may add.
    first: usize,
    depth: usize,
}

/// Lists the concepts of a branch, given as rows of a sparse block.
pub(super) fn start<V: Visitor>(
    search: &Search,
    rows: &Rows<'_>,
    attributes: &[u32],
    first: usize,
    intent: &[u64],
    depth: usize,
    visitor: &mut V,
) {
    let open: Vec<Open> =
        (0..).zip(attributes).map(|(column, _)| Open { column, witness: NO_WITNESS }).collect();
    let start = Start { search, open, first, intent, depth };
    match rows.rows.len().div_ceil(64) {
        0..=1 => start.run(&from_rows::<1>(rows, attributes), rows.rows.len(), visitor),
        2 => start.run(&from_rows::<2>(rows, attributes), rows.rows.len(), visitor),
        3..=4 => start.run(&from_rows::<4>(rows, attributes), rows.rows.len(), visitor),
        5..=8 => start.run(&from_rows::<8>(rows, attributes), rows.rows.len(), visitor),
        9..=16 => start.run(&from_rows::<16>(rows, attributes), rows.rows.len(), visitor),
        17..=32 => start.run(&from_rows::<32>(rows, attributes), rows.rows.len(), visitor),
        _ => start.run(&from_rows::<64>(rows, attributes), rows.rows.len(), visitor),
    }
}

/// The node at which a branch enters a new block.
struct Start<'a> {
    search: &'a Search,
    open: Vec<Open>,
    first: usize,
    intent: &'a [u64],
    depth: usize,
}

impl Start<'_> {
    fn run<const W: usize, V: Visitor>(&self, block: &Block<W>, rows: usize, visitor: &mut V) {
        let node = Node {
            extent: first_rows(rows),
            intent: self.intent,
            open: &self.open,
            first: self.first,
            depth: self.depth,
        };
        branch(self.search, block, &node, visitor);
    }
}

fn from_rows<const W: usize>(rows: &Rows<'_>, attributes: &[u32]) -> Block<W> {
    let mut columns = vec![[0; W]; attributes.len()];
    for (number, row) in rows.rows.iter().enumerate() {
        for &column in row {
            columns[column as usize][number / 64] |= 1 << (number % 64);
        }
    }
    let weights = rows.weights.iter().any(|&weight| weight != 1).then(|| rows.weights.to_vec());
    Block { columns, attributes: attributes.to_vec(), weights }
}

/// Returns the set of the first `rows` rows.
fn first_rows<const W: usize>(rows: usize) -> Column<W> {
    std::array::from_fn(|word| match rows.saturating_sub(word * 64) {
        64.. => !0,
        rest => (1 << rest) - 1,
    })
}

/// Passes the concept of a node, and all concepts of its branch, to the visitor.
fn branch<const W: usize, V: Visitor>(
    search: &Search,
    block: &Block<W>,
    node: &Node<'_, W>,
    visitor: &mut V,
) {
    search.show(visitor, node.intent, block.support(&node.extent));
    if search.is_stopped() {
        return;
    }
    if V::COVERS {
        show_lower_neighbours(search, block, node, visitor);
    }
    if node.first == node.open.len() {
        return;
    }
    let mut open = node.open.to_vec();
    let children = canonical(block, node, &mut open);
    search.branches(node.depth, &children, visitor, |&(position, extent), visitor| {
        descend(search, block, node, &open, position, &extent, visitor);
    });
}

/// Returns the positions in `open` of the attributes that pass the canonicity test, with the
/// extents that they lead to. Records the witness against each attribute that fails.
fn canonical<const W: usize>(
    block: &Block<W>,
    node: &Node<'_, W>,
    open: &mut [Open],
) -> Vec<(usize, Column<W>)> {
    let mut children = Vec::with_capacity(open.len() - node.first);
    for position in node.first..open.len() {
        let Open { column, witness } = open[position];
        if witness != NO_WITNESS && !holds(node.intent, witness) {
            continue;
        }
        let extent = meet(&node.extent, &block.columns[column as usize]);
        let before = open[..position].iter();
        let mut earlier =
            before.filter(|other| is_subset(&extent, &block.columns[other.column as usize]));
        if let Some(&earlier) = earlier.next() {
            open[position].witness = block.attributes[earlier.column as usize];
        } else {
            children.push((position, extent));
        }
    }
    children
}

/// Searches the branch that adds one attribute.
fn descend<const W: usize, V: Visitor>(
    search: &Search,
    block: &Block<W>,
    node: &Node<'_, W>,
    open: &[Open],
    position: usize,
    extent: &Column<W>,
    visitor: &mut V,
) {
    let mut intent = node.intent.to_vec();
    let mut below = Vec::with_capacity(open.len());
    let mut first = 0;
    for (place, &other) in open.iter().enumerate() {
        let meet = meet(extent, &block.columns[other.column as usize]);
        if is_subset(extent, &meet) {
            add(&mut intent, block.attributes[other.column as usize]);
        } else if block.has_support(&meet, search.min_support) {
            below.push(other);
            first += usize::from(place < position);
        }
    }
    let depth = node.depth + 1;
    let rows = size(extent);
    if rows > 32 * W || W == 1 {
        let node = Node { extent: *extent, intent: &intent, open: &below, first, depth };
        branch(search, block, &node, visitor);
        return;
    }
    let open = renumbered(&below);
    let start = Start { search, open, first, intent: &intent, depth };
    match rows.div_ceil(64) {
        0..=1 => start.run(&block.narrowed::<1>(extent, &below), rows, visitor),
        2 => start.run(&block.narrowed::<2>(extent, &below), rows, visitor),
        3..=4 => start.run(&block.narrowed::<4>(extent, &below), rows, visitor),
        5..=8 => start.run(&block.narrowed::<8>(extent, &below), rows, visitor),
        9..=16 => start.run(&block.narrowed::<16>(extent, &below), rows, visitor),
        _ => start.run(&block.narrowed::<32>(extent, &below), rows, visitor),
    }
}

fn renumbered(open: &[Open]) -> Vec<Open> {
    (0..).zip(open).map(|(column, open)| Open { column, ..*open }).collect()
}

/// Reports the lower neighbours of a node: the concepts with the largest of the extents that adding
/// one attribute leads to.
fn show_lower_neighbours<const W: usize, V: Visitor>(
    search: &Search,
    block: &Block<W>,
    node: &Node<'_, W>,
    visitor: &mut V,
) {
    if node.open.is_empty() {
        search.show_bottom(visitor);
        return;
    }
    let mut below: Vec<(usize, u32, Column<W>)> = node
        .open
        .iter()
        .map(|open| {
            let extent = meet(&node.extent, &block.columns[open.column as usize]);
            (size(&extent), block.attributes[open.column as usize], extent)
        })
        .collect();
    below.sort_unstable_by_key(|&(size, ..)| std::cmp::Reverse(size));
    let mut neighbours: Vec<(Column<W>, Vec<u64>)> = Vec::new();
    for (_, attribute, extent) in below {
        match neighbours.iter_mut().find(|(larger, _)| is_subset(&extent, larger)) {
            Some((same, intent)) if *same == extent => add(intent, attribute),
            Some(_) => {}
            None => {
                let mut intent = node.intent.to_vec();
                add(&mut intent, attribute);
                neighbours.push((extent, intent));
            }
        }
    }
    neighbours.iter().for_each(|(_, intent)| visitor.lower_neighbour(intent));
}

impl<const W: usize> Block<W> {
    /// Returns the number of objects that a set of rows represents.
    fn support(&self, rows: &Column<W>) -> u32 {
        match &self.weights {
            None => u32::try_from(size(rows)).expect("a block has at most MOST_ROWS rows"),
            Some(weights) => crate::bits::ones(rows).map(|row| weights[row]).sum(),
        }
    }

    fn has_support(&self, rows: &Column<W>, least: u32) -> bool {
        if least <= 1 { rows.iter().any(|&word| word != 0) } else { self.support(rows) >= least }
    }

    /// Returns the block of only these rows and attributes.
    fn narrowed<const N: usize>(&self, rows: &Column<W>, open: &[Open]) -> Block<N> {
        let gather = Gather::of(rows);
        let narrow = |open: &Open| gather.apply(&self.columns[open.column as usize]);
        let weights = self.weights.as_ref().map(|weights| {
            let members = crate::bits::ones(rows);
            members.map(|row| weights[row]).collect()
        });
        Block {
            columns: open.iter().map(narrow).collect(),
            attributes: open.iter().map(|open| self.attributes[open.column as usize]).collect(),
            weights,
        }
    }
}

/// Moves the bits of some rows next to each other, like the instruction PEXT but on every
/// processor. The moves depend only on the rows, so they are computed once for all columns.
struct Gather {
    words: Vec<GatherWord>,
}

struct GatherWord {
    /// The word of the column to read.
    source: usize,
    /// The bits of that word to keep.
    mask: u64,
    /// The bits that move right by 1, 2, 4, …, 32 places, in this order.
    moves: [u64; 6],
    /// The position of the first bit in the result.
    target: usize,
}

impl Gather {
    fn of(rows: &[u64]) -> Self {
        let mut target = 0;
        let mut words = Vec::new();
        for (source, &mask) in rows.iter().enumerate().filter(|&(_, &mask)| mask != 0) {
            words.push(GatherWord { source, mask, moves: moves(mask), target });
            target += mask.count_ones() as usize;
        }
        Self { words }
    }

    fn apply<const N: usize>(&self, column: &[u64]) -> Column<N> {
        let mut gathered = [0; N];
        for word in &self.words {
            let mut bits = column[word.source] & word.mask;
            for (step, moving) in word.moves.iter().enumerate() {
                let moved = bits & moving;
                bits = (bits ^ moved) | (moved >> (1 << step));
            }
            let (place, shift) = (word.target / 64, word.target % 64);
            gathered[place] |= bits << shift;
            if shift > 0 && place + 1 < N {
                gathered[place + 1] |= bits >> (64 - shift);
            }
        }
        gathered
    }
}

/// Returns the bits of a mask that move at each step. A bit must move right by the number of zeros
/// below it; step k moves the bits for which bit k of that number is set, found by prefix parities.
fn moves(mask: u64) -> [u64; 6] {
    let mut mask = mask;
    let mut zeros_below = !mask << 1;
    std::array::from_fn(|step| {
        let mut odd = zeros_below;
        for shift in [1, 2, 4, 8, 16, 32] {
            odd ^= odd << shift;
        }
        let moving = odd & mask;
        mask = (mask ^ moving) | (moving >> (1 << step));
        zeros_below &= !odd;
        moving
    })
}

fn meet<const W: usize>(a: &Column<W>, b: &Column<W>) -> Column<W> {
    std::array::from_fn(|word| a[word] & b[word])
}

fn is_subset<const W: usize>(a: &Column<W>, b: &Column<W>) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

fn size<const W: usize>(rows: &Column<W>) -> usize {
    rows.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathering_moves_the_bits_of_the_rows_together() {
        let column = [0b1011_0110, !0, 0, 1 << 63];
        // Rows 1, 2, 6, 7 (bits 1 1 0 1), 64 (1), 130 (0), 255 (1).
        let rows = [0b1100_0110, 1, 4, 1 << 63];
        assert_eq!(Gather::of(&rows).apply::<1>(&column), [0b101_1011]);
        let all = [!0; 4];
        assert_eq!(Gather::of(&all).apply::<4>(&column), column);
        // The second word ends up in both words of the result.
        let rows = [!0 >> 1, !0, 0, 0];
        let gathered: Column<2> = Gather::of(&rows).apply(&column);
        assert_eq!(gathered, [0b1011_0110 | 1 << 63, !0 >> 1]);
    }
}
