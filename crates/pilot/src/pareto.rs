//! Comparison of links by several objectives: Pareto fronts, and the selection of a few links from
//! a front.

/// Three scores by which links are compared before they are fetched, all to be maximised: R(A), the
/// mean R(p), and the mean PR of the pages that contain the link, as a share of the greatest PR.
pub(crate) type Objectives = [f64; 3];

/// Number of waiting links that the multi-objective crawlers consider: those with the highest
/// priority. The papers consider all of them, but sorting n links into fronts takes O(n²) time.
pub(crate) const CANDIDATES: usize = 500;

/// Returns true if `one` is at least as good as `other` in every objective and better in at least
/// one.
pub(crate) fn dominates(one: &Objectives, other: &Objectives) -> bool {
    let mut pairs = one.iter().zip(other);
    pairs.clone().all(|(a, b)| a >= b) && pairs.any(|(a, b)| a > b)
}

/// Returns the indices of the elements that no other element dominates, in ascending order.
pub(crate) fn first_front(all: &[Objectives]) -> Vec<usize> {
    // In order of falling sums, no element is dominated by a later one, so it is enough to compare
    // each element with those kept so far.
    let mut order: Vec<usize> = (0..all.len()).collect();
    let sum = |at: usize| all[at].iter().sum::<f64>();
    order.sort_by(|a, b| sum(*b).total_cmp(&sum(*a)).then(a.cmp(b)));
    let mut front: Vec<usize> = Vec::new();
    for at in order {
        if !front.iter().any(|kept| dominates(&all[*kept], &all[at])) {
            front.push(at);
        }
    }
    front.sort_unstable();
    front
}

/// Returns the indices of the last front: the elements that remain when all better fronts are
/// removed.
pub(crate) fn last_front(all: &[Objectives]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..all.len()).collect();
    loop {
        let values: Vec<Objectives> = left.iter().map(|at| all[*at]).collect();
        let front = first_front(&values);
        if front.len() == left.len() {
            return left;
        }
        left = without(&left, &front);
    }
}

/// Returns the list without the elements at `places`, which must be sorted.
fn without(list: &[usize], places: &[usize]) -> Vec<usize> {
    let kept = (0..list.len()).filter(|at| places.binary_search(at).is_err());
    kept.map(|at| list[at]).collect()
}

/// Selects `count` elements: whole fronts while they fit, then the nearest and farthest candidates
/// of the first front that does not fit. Returns indices into `all`.
pub(crate) fn select(all: &[Objectives], count: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..all.len()).collect();
    let mut selected = Vec::new();
    while selected.len() < count && !left.is_empty() {
        let values: Vec<Objectives> = left.iter().map(|at| all[*at]).collect();
        let front = first_front(&values);
        let room = count - selected.len();
        if front.len() <= room {
            selected.extend(front.iter().map(|at| left[*at]));
        } else {
            let values: Vec<Objectives> = front.iter().map(|at| values[*at]).collect();
            selected
                .extend(nearest_and_farthest(&values, room).into_iter().map(|at| left[front[at]]));
        }
        left = without(&left, &front);
    }
    selected
}

/// Selects `count` elements of the first front: the whole front if it fits, otherwise its nearest
/// and farthest candidates.
pub(crate) fn select_first(all: &[Objectives], count: usize) -> Vec<usize> {
    let front = first_front(all);
    if front.len() <= count {
        return front;
    }
    let values: Vec<Objectives> = front.iter().map(|at| all[*at]).collect();
    nearest_and_farthest(&values, count).into_iter().map(|at| front[at]).collect()
}

/// Selects `count` elements of a front by nearest and farthest candidates (NFCS): first the element
/// nearest to the ideal point, then the best element in each objective, then repeatedly the element
/// farthest from its nearest selected neighbour. The papers name NFCS but do not print it; this is
/// a reconstruction.
pub(crate) fn nearest_and_farthest(front: &[Objectives], count: usize) -> Vec<usize> {
    let scaled = normalised(front);
    let mut selected: Vec<usize> = Vec::new();
    let ideal = [1.0; 3];
    let nearest = (0..scaled.len()).min_by(|a, b| {
        let near = |at: usize| distance(&scaled[at], &ideal);
        near(*a).total_cmp(&near(*b)).then(front[*b][0].total_cmp(&front[*a][0]))
    });
    selected.extend(nearest.filter(|_| count > 0));
    for objective in 0..3 {
        if selected.len() >= count {
            break;
        }
        // The search runs backwards, so that the first of several equal elements is found.
        let best = (0..front.len())
            .rev()
            .max_by(|a, b| front[*a][objective].total_cmp(&front[*b][objective]));
        selected.extend(best.filter(|best| !selected.contains(best)));
    }
    let mut gaps: Vec<f64> = scaled
        .iter()
        .map(|it| {
            selected.iter().map(|at| distance(it, &scaled[*at])).fold(f64::INFINITY, f64::min)
        })
        .collect();
    while selected.len() < count.min(front.len()) {
        let rest = (0..front.len()).filter(|at| !selected.contains(at));
        let Some(farthest) = rest.rev().max_by(|a, b| gaps[*a].total_cmp(&gaps[*b])) else { break };
        selected.push(farthest);
        for (gap, it) in gaps.iter_mut().zip(&scaled) {
            *gap = gap.min(distance(it, &scaled[farthest]));
        }
    }
    selected
}

/// Scales each objective linearly: its least value becomes 0, its greatest 1. If all values are
/// equal, they become 0.
pub(crate) fn normalised(all: &[Objectives]) -> Vec<Objectives> {
    let least = |k: usize| all.iter().map(|it| it[k]).fold(f64::INFINITY, f64::min);
    let most = |k: usize| all.iter().map(|it| it[k]).fold(f64::NEG_INFINITY, f64::max);
    let (least, most) = ([0, 1, 2].map(least), [0, 1, 2].map(most));
    let scale = |it: &Objectives| {
        [0, 1, 2].map(|k| {
            let span = most[k] - least[k];
            if span > 0.0 { (it[k] - least[k]) / span } else { 0.0 }
        })
    };
    all.iter().map(scale).collect()
}

/// Returns the Euclidean distance of two points.
pub(crate) fn distance(a: &Objectives, b: &Objectives) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The fast computation of the first front agrees with the definition.
        #[test]
        fn fronts_are_as_defined(
            all in prop::collection::vec(prop::array::uniform3(0_u8..4), 0..40),
        ) {
            let all: Vec<Objectives> = all.into_iter().map(|it| it.map(f64::from)).collect();
            let defined: Vec<usize> = (0..all.len())
                .filter(|at| !all.iter().any(|other| dominates(other, &all[*at])))
                .collect();
            prop_assert_eq!(first_front(&all), defined);
        }

        /// A selection has the requested number of distinct elements, and no element that it leaves
        /// out dominates one that it contains.
        #[test]
        fn selections_are_of_the_best_fronts(
            all in prop::collection::vec(prop::array::uniform3(0_u8..5), 0..30),
            count in 0_usize..12,
        ) {
            let all: Vec<Objectives> = all.into_iter().map(|it| it.map(f64::from)).collect();
            let chosen = select(&all, count);
            prop_assert_eq!(chosen.len(), count.min(all.len()));
            for at in 0..all.len() {
                let is_left_out = !chosen.contains(&at);
                let beaten = |other: &usize| dominates(&all[at], &all[*other]);
                prop_assert!(!(is_left_out && chosen.iter().any(beaten)));
            }
        }
    }

    /// Five links of which none dominates another, worked out by hand. Normalised over the front
    /// they are a (1, 0, 0), b (0, 1, 0), c (0, 0, 1), d (.6, .6, .6), e (.8, .5, 0).
    #[test]
    fn nearest_first_then_the_extremes_then_the_farthest() {
        let front =
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.6, 0.6], [0.8, 0.5, 0.0]];
        // d is .693 from (1, 1, 1), e 1.136, the others 1.414.
        assert_eq!(nearest_and_farthest(&front, 1), [3]);
        assert_eq!(nearest_and_farthest(&front, 3), [3, 0, 1]);
        assert_eq!(nearest_and_farthest(&front, 9), [3, 0, 1, 2, 4]);
        assert_eq!(nearest_and_farthest(&front, 0), [0_usize; 0]);
        // d dominates (.5, .5, .5), which therefore forms the second front.
        let all = [&front[..], &[[0.5, 0.5, 0.5]]].concat();
        assert_eq!(first_front(&all), [0, 1, 2, 3, 4]);
        assert_eq!(select(&all, 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(last_front(&all), [5]);
        assert_eq!(select_first(&all, 9), [0, 1, 2, 3, 4]);
        assert_eq!(select_first(&all, 2), [3, 0]);
    }

    /// After d and the extremes a and b: c is at min(|c − d|, …) = √(.36 + .36 + .16) = .938, e at
    /// |e − a| = .539.
    #[test]
    fn the_farthest_of_the_nearest_comes_next() {
        let front = [
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.8, 0.5, 0.0],
            [0.6, 0.6, 0.6],
            [0.55, 0.55, 0.62],
        ];
        let chosen = nearest_and_farthest(&front, 4);
        // The last element is the best in the third objective, so it is one of the extremes.
        assert_eq!(chosen, [3, 0, 1, 4]);
        assert_eq!(nearest_and_farthest(&front, 5), [3, 0, 1, 4, 2]);
    }
}
