//! Measures of a lattice: the stability of its concepts, and its width.

use crate::bits::BitSet;
use crate::concepts::ConceptId;
use crate::lattice::Lattice;

/// Number of concepts up to which stabilities are computed; the work grows with its square.
pub const MOST_FOR_STABILITY: usize = 20_000;

/// Number of concepts up to which the width is computed exactly.
pub const MOST_FOR_WIDTH: usize = 5_000;

/// Returns the stability of each concept: the share of the subsets of its extent whose common
/// attributes are exactly its intent (Kuznetsov, 2007). A stable concept does not depend on a few
/// objects. Returns `None` if the lattice has more than [`MOST_FOR_STABILITY`] concepts, or if it
/// is an iceberg lattice, because the omitted concepts count too.
///
/// Each subset of the extent of a concept C belongs to exactly one concept: C itself or one below
/// it. With n = |C| objects there are 2ⁿ subsets, of which 2ⁿ · σ(C) belong to C, so
/// σ(C) = 1 − Σ σ(D) · 2^(|D| − |C|) over all D below C.
#[must_use]
pub fn stabilities(lattice: &Lattice) -> Option<Vec<f64>> {
    if lattice.len() > MOST_FOR_STABILITY || !lattice.is_whole() {
        return None;
    }
    let concepts = lattice.concepts();
    let mut stability = vec![1.0; lattice.len()];
    for id in concepts.ids().rev() {
        let mut unstable = 0.0;
        for below in strictly_below(lattice, id) {
            let fewer = concepts.support(id) - concepts.support(below);
            unstable += stability[below.index()] * (-f64::from(fewer)).exp2();
        }
        stability[id.index()] = (1.0 - unstable).max(0.0);
    }
    Some(stability)
}

fn strictly_below(lattice: &Lattice, id: ConceptId) -> Vec<ConceptId> {
    let mut seen = BitSet::empty(lattice.len());
    let mut open = lattice.lower_neighbours(id).to_vec();
    let mut below = Vec::new();
    while let Some(id) = open.pop() {
        if !seen.contains(id.index()) {
            seen.insert(id.index());
            below.push(id);
            open.extend(lattice.lower_neighbours(id));
        }
    }
    below
}

/// The size of the largest antichain of a lattice, or a lower bound of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// Number of concepts that are pairwise incomparable.
    pub concepts: usize,
    /// True if there is no larger antichain, false if `concepts` is only a lower bound.
    pub is_exact: bool,
}

/// Returns the width of a lattice: the size of its largest antichain.
///
/// By Dilworth's theorem, the width is the least number of chains that cover the lattice. That is
/// the number of concepts minus the size of the largest matching between concepts and concepts
/// below them. For more than [`MOST_FOR_WIDTH`] concepts, the result is the size of the largest
/// layer, which is an antichain too, but perhaps not the largest.
#[must_use]
pub fn width(lattice: &Lattice) -> Width {
    if lattice.len() > MOST_FOR_WIDTH {
        return Width { concepts: largest_layer(lattice), is_exact: false };
    }
    let below: Vec<BitSet> = lattice
        .concepts()
        .ids()
        .map(|id| {
            let below = strictly_below(lattice, id).into_iter();
            BitSet::of(lattice.len(), below.map(ConceptId::index))
        })
        .collect();
    Width { concepts: lattice.len() - largest_matching(&below), is_exact: true }
}

/// Returns the size of the largest set of concepts with the same rank. Such concepts are
/// incomparable, because the rank grows along every chain.
fn largest_layer(lattice: &Lattice) -> usize {
    let ranks = lattice.ranks();
    let mut sizes = vec![0; ranks.iter().max().map_or(0, |most| most + 1)];
    ranks.iter().for_each(|&rank| sizes[rank] += 1);
    sizes.into_iter().max().unwrap_or(0)
}

/// Returns the size of the largest matching of a bipartite graph, found by augmenting paths. In
/// each round every free vertex looks for a path, and no vertex of the other side is tried twice.
fn largest_matching(neighbours: &[BitSet]) -> usize {
    let count = neighbours.len();
    let mut matched_to: Vec<Option<usize>> = vec![None; count];
    let mut is_matched = vec![false; count];
    let mut size = 0;
    loop {
        let mut untried = BitSet::full(count);
        let before = size;
        for (vertex, is_matched) in is_matched.iter_mut().enumerate() {
            if !*is_matched && augment(vertex, neighbours, &mut matched_to, &mut untried) {
                *is_matched = true;
                size += 1;
            }
        }
        if size == before {
            return size;
        }
    }
}

/// Looks for an augmenting path from a free vertex and flips the matching along it. The search uses
/// an explicit stack instead of recursion, since a path may have as many vertices as the lattice.
fn augment(
    start: usize,
    neighbours: &[BitSet],
    matched_to: &mut [Option<usize>],
    untried: &mut BitSet,
) -> bool {
    // The vertices on this side of the path, each with the opposite vertex that the path visits
    // next.
    let mut path: Vec<(usize, Option<usize>)> = vec![(start, None)];
    while let Some(&(vertex, _)) = path.last() {
        let next = first_common(&neighbours[vertex], untried);
        let Some(opposite) = next else {
            path.pop();
            continue;
        };
        untried.remove(opposite);
        path.last_mut().expect("the path is not empty").1 = Some(opposite);
        if let Some(vertex) = matched_to[opposite] {
            path.push((vertex, None));
        } else {
            for (vertex, opposite) in path {
                let opposite = opposite.expect("every vertex of the path has a next one");
                matched_to[opposite] = Some(vertex);
            }
            return true;
        }
    }
    false
}

fn first_common(a: &BitSet, b: &BitSet) -> Option<usize> {
    let words = a.words().iter().zip(b.words()).enumerate();
    words
        .filter(|(_, (a, b))| *a & *b != 0)
        .map(|(place, (a, b))| place * 64 + (a & b).trailing_zeros() as usize)
        .next()
}
