//! Several objectives at once: which links are dominated by none, and which of many such to take.

/// What a link is measured by before it is fetched, all to be maximised: R(A), the mean R(p), and the PR of the pages that
/// it is on as a share of the greatest (part C.1 of the readings).
pub(crate) type Objectives = [f64; 3];

/// How many links the papers' multi-objective crawlers look at, of all that wait: the ones with the greatest priority.
/// Sorting a whole queue into fronts takes time with its square.
pub(crate) const CANDIDATES: usize = 500;

/// Whether one is at least as good in everything and better in something.
pub(crate) fn dominates(one: &Objectives, other: &Objectives) -> bool {
    let mut pairs = one.iter().zip(other);
    pairs.clone().all(|(a, b)| a >= b) && pairs.any(|(a, b)| a > b)
}

/// The places of those that none of the others dominates, in order.
pub(crate) fn first_front(all: &[Objectives]) -> Vec<usize> {
    // By falling sums none is dominated by a later one, so those kept so far are all there is to ask.
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

/// The places of those that are left when all better fronts are taken away.
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

/// What is left of a list without some of its places, which are in order.
fn without(list: &[usize], places: &[usize]) -> Vec<usize> {
    let kept = (0..list.len()).filter(|at| places.binary_search(at).is_err());
    kept.map(|at| list[at]).collect()
}

/// `count` of them: whole fronts while they fit, and of the front that does not fit the nearest and farthest
/// candidates. Returned as places in `all`.
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

/// `count` of the first front: all of it if it fits, else its nearest and farthest candidates.
pub(crate) fn select_first(all: &[Objectives], count: usize) -> Vec<usize> {
    let front = first_front(all);
    if front.len() <= count {
        return front;
    }
    let values: Vec<Objectives> = front.iter().map(|at| all[*at]).collect();
    nearest_and_farthest(&values, count).into_iter().map(|at| front[at]).collect()
}

/// `count` of a front (NFCS, part C.3 of the readings): the one nearest to the ideal point, the best in each objective,
/// and then always the one whose nearest neighbour among those selected is farthest.
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
        // The first of equal ones.
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

/// Objectives from 0, the least of them, to 1, the greatest; 0 where all are equal.
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

/// The distance of two points.
pub(crate) fn distance(a: &Objectives, b: &Objectives) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The first front is what the definition says.
        #[test]
        fn fronts_are_as_defined(all in prop::collection::vec(prop::array::uniform3(0_u8..4), 0..40)) {
            let all: Vec<Objectives> = all.into_iter().map(|it| it.map(f64::from)).collect();
            let defined: Vec<usize> = (0..all.len())
                .filter(|at| !all.iter().any(|other| dominates(other, &all[*at])))
                .collect();
            prop_assert_eq!(first_front(&all), defined);
        }

        /// As many different ones as were asked for, none of a later front while one of an earlier is left out.
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

    /// Five links that none dominates, worked out by hand. Normalised over the front they are
    /// a (1, 0, 0), b (0, 1, 0), c (0, 0, 1), d (.6, .6, .6), e (.8, .5, 0).
    #[test]
    fn nearest_first_then_the_extremes_then_the_farthest() {
        let front =
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.6, 0.6], [0.8, 0.5, 0.0]];
        // d is .693 from (1, 1, 1), e 1.136, the others 1.414.
        assert_eq!(nearest_and_farthest(&front, 1), [3]);
        assert_eq!(nearest_and_farthest(&front, 3), [3, 0, 1]);
        assert_eq!(nearest_and_farthest(&front, 9), [3, 0, 1, 2, 4]);
        assert_eq!(nearest_and_farthest(&front, 0), [0_usize; 0]);
        // (.5, .5, .5) is dominated by d, so it is the second front.
        let all = [&front[..], &[[0.5, 0.5, 0.5]]].concat();
        assert_eq!(first_front(&all), [0, 1, 2, 3, 4]);
        assert_eq!(select(&all, 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(last_front(&all), [5]);
        assert_eq!(select_first(&all, 9), [0, 1, 2, 3, 4]);
        assert_eq!(select_first(&all, 2), [3, 0]);
    }

    /// After d and the extremes a and b: c is at min(|c − d|, …) = √(.36 + .36 + .16) = .938, e at |e − a| = .539.
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
        // The last is best in the third objective, so it is an extreme.
        assert_eq!(chosen, [3, 0, 1, 4]);
        assert_eq!(nearest_and_farthest(&front, 5), [3, 0, 1, 4, 2]);
    }
}
