//! Figures of a lattice: the stability of its concepts, and how wide it is.

use crate::bits::BitSet;
use crate::concepts::ConceptId;
use crate::lattice::Lattice;

/// The largest lattice whose stabilities are computed; the work grows with its square.
pub const MOST_FOR_STABILITY: usize = 20_000;

/// The largest lattice whose width is computed exactly.
pub const MOST_FOR_WIDTH: usize = 5_000;

/// The stability of each concept: the share of the subsets of its extent that have just its intent
/// in common (Kuznetsov, 2007). A stable concept does not hang on a few objects. None if the lattice
/// is too large, or an iceberg: what lies under water counts too.
///
/// For a concept with n objects, 2ⁿ · σ is what remains of its 2ⁿ subsets after those that belong to
/// a concept below it, so σ(C) = 1 − Σ σ(D) · 2^(|D| − |C|) over all D below C.
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
            unstable += stability[below as usize] * (-f64::from(fewer)).exp2();
        }
        stability[id as usize] = (1.0 - unstable).max(0.0);
    }
    Some(stability)
}

fn strictly_below(lattice: &Lattice, id: ConceptId) -> Vec<ConceptId> {
    let mut seen = BitSet::empty(lattice.len());
    let mut open = lattice.lower_neighbours(id).to_vec();
    let mut below = Vec::new();
    while let Some(id) = open.pop() {
        if !seen.contains(id as usize) {
            seen.insert(id as usize);
            below.push(id);
            open.extend(lattice.lower_neighbours(id));
        }
    }
    below
}

/// How many concepts can be pairwise incomparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// That many, or at least that many.
    pub concepts: usize,
    /// Whether there is no larger set.
    pub is_exact: bool,
}

/// The size of the largest antichain. By Dilworth's theorem it is the least number of chains that
/// cover the lattice, and that is the number of concepts less the largest matching between concepts
/// and concepts below them. Beyond [`MOST_FOR_WIDTH`] the fullest layer stands for it, which is an
/// antichain too, though perhaps not the largest.
#[must_use]
pub fn width(lattice: &Lattice) -> Width {
    if lattice.len() > MOST_FOR_WIDTH {
        return Width { concepts: fullest_layer(lattice), is_exact: false };
    }
    let below: Vec<BitSet> = lattice
        .concepts()
        .ids()
        .map(|id| {
            let below = strictly_below(lattice, id).into_iter();
            BitSet::of(lattice.len(), below.map(|id| id as usize))
        })
        .collect();
    Width { concepts: lattice.len() - largest_matching(&below), is_exact: true }
}

/// Concepts at the same distance from the top, by the longest way, are incomparable.
fn fullest_layer(lattice: &Lattice) -> usize {
    let ranks = lattice.ranks();
    let mut sizes = vec![0; ranks.iter().max().map_or(0, |most| most + 1)];
    ranks.iter().for_each(|&rank| sizes[rank] += 1);
    sizes.into_iter().max().unwrap_or(0)
}

/// The size of a largest matching of a bipartite graph, by augmenting paths. In each round every
/// free vertex tries, and no vertex on the other side is tried twice.
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

/// Looks for an augmenting path from a free vertex and turns it over. The path is kept on a stack of
/// its own, since it may be as long as the lattice is large.
fn augment(
    start: usize,
    neighbours: &[BitSet],
    matched_to: &mut [Option<usize>],
    untried: &mut BitSet,
) -> bool {
    // Vertices on this side, each with the vertex opposite by which the path leaves it.
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
                let opposite = opposite.expect("every vertex of the path has its exit");
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
