//! Assigns nodes to layers and orders them, by the method of Sugiyama, Tagawa and Toda (1981).
//!
//! Each node goes as far up as the nodes above it allow. A line across several layers gets a
//! waypoint in each of them, so that every line joins neighbouring layers. Then each layer in turn
//! is ordered by the mean position of its nodes' neighbours, in sweeps down and up, and the order
//! with the fewest crossings wins.

use crate::model::Diagram;

/// Number of sweeps through the layers, alternately down and up.
const SWEEPS: usize = 24;

/// The index of a node or a waypoint.
pub(crate) type Vertex = usize;

/// The vertices of a diagram in layers.
pub(crate) struct Layers {
    /// The vertices of each layer, in order. Indices below the number of nodes are nodes, the rest
    /// are waypoints.
    pub(crate) order: Vec<Vec<Vertex>>,
    pub(crate) uppers: Vec<Vec<Vertex>>,
    pub(crate) lowers: Vec<Vec<Vertex>>,
    /// The vertices on each line of the diagram, including its ends.
    pub(crate) paths: Vec<Vec<Vertex>>,
}

impl Layers {
    pub(crate) fn of(diagram: &Diagram) -> Self {
        let ranks = ranks(diagram);
        let mut layers = Self::with_waypoints(diagram, &ranks);
        layers.reduce_crossings();
        layers
    }

    fn with_waypoints(diagram: &Diagram, ranks: &[usize]) -> Self {
        let nodes = diagram.nodes.len();
        let mut layers = vec![Vec::new(); ranks.iter().max().map_or(0, |most| most + 1)];
        (0..nodes).for_each(|node| layers[ranks[node]].push(node));
        let mut built = Self {
            order: layers,
            uppers: vec![Vec::new(); nodes],
            lowers: vec![Vec::new(); nodes],
            paths: Vec::new(),
        };
        for &(upper, lower) in &diagram.lines {
            let (upper, lower) = (upper.index(), lower.index());
            let mut path = vec![upper];
            for rank in ranks[upper] + 1..ranks[lower] {
                let waypoint = built.uppers.len();
                built.uppers.push(Vec::new());
                built.lowers.push(Vec::new());
                built.order[rank].push(waypoint);
                path.push(waypoint);
            }
            path.push(lower);
            if ranks[upper] < ranks[lower] {
                for pair in path.windows(2) {
                    built.lowers[pair[0]].push(pair[1]);
                    built.uppers[pair[1]].push(pair[0]);
                }
            }
            built.paths.push(path);
        }
        built
    }

    fn reduce_crossings(&mut self) {
        let mut best = self.order.clone();
        let mut fewest = self.crossings();
        for sweep in 0..SWEEPS {
            if fewest == 0 {
                break;
            }
            let count = self.order.len();
            for step in 1..count {
                if sweep % 2 == 0 {
                    self.order_by_neighbours(step, true);
                } else {
                    self.order_by_neighbours(count - 1 - step, false);
                }
            }
            self.exchange_neighbours();
            let crossings = self.crossings();
            if crossings < fewest {
                fewest = crossings;
                best.clone_from(&self.order);
            }
        }
        self.order = best;
    }

    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.uppers.len()];
        for layer in &self.order {
            layer.iter().enumerate().for_each(|(place, &vertex)| places[vertex] = place);
        }
        places
    }

    fn order_by_neighbours(&mut self, layer: usize, from_above: bool) {
        let places = self.places();
        let neighbours = if from_above { &self.uppers } else { &self.lowers };
        let mean = |vertex: Vertex| {
            let joined = &neighbours[vertex];
            if joined.is_empty() {
                return places[vertex] as f64;
            }
            joined.iter().map(|&other| places[other] as f64).sum::<f64>() / joined.len() as f64
        };
        self.order[layer].sort_by(|&a, &b| mean(a).total_cmp(&mean(b)));
    }

    /// Swaps adjacent vertices wherever that removes a crossing.
    fn exchange_neighbours(&mut self) {
        for layer in 0..self.order.len() {
            let places = self.places();
            for place in 1..self.order[layer].len() {
                let (left, right) = (self.order[layer][place - 1], self.order[layer][place]);
                let count = |a: Vertex, b: Vertex| {
                    crossings_of(&self.uppers[a], &self.uppers[b], &places)
                        + crossings_of(&self.lowers[a], &self.lowers[b], &places)
                };
                if count(right, left) < count(left, right) {
                    self.order[layer].swap(place - 1, place);
                }
            }
        }
    }

    /// Returns the number of pairs of lines that cross.
    pub(crate) fn crossings(&self) -> usize {
        let places = self.places();
        self.order
            .iter()
            .map(|layer| {
                let ends = layer.iter().flat_map(|&vertex| {
                    let mut ends: Vec<usize> =
                        self.lowers[vertex].iter().map(|&lower| places[lower]).collect();
                    ends.sort_unstable();
                    ends
                });
                inversions(ends)
            })
            .sum()
    }
}

/// Returns the number of crossings between the lines of two adjacent vertices, given the vertices
/// that the lines of each lead to.
fn crossings_of(left: &[Vertex], right: &[Vertex], places: &[usize]) -> usize {
    let crossing = |&a: &Vertex| right.iter().filter(|&&b| places[b] < places[a]).count();
    left.iter().map(crossing).sum()
}

/// Returns the number of pairs in the wrong order.
fn inversions(values: impl Iterator<Item = usize>) -> usize {
    let mut sorted: Vec<usize> = Vec::new();
    let mut count = 0;
    for value in values {
        let place = sorted.partition_point(|&other| other <= value);
        count += sorted.len() - place;
        sorted.insert(place, value);
    }
    count
}

/// Returns the layer of each node: one below the lowest of its upper nodes.
fn ranks(diagram: &Diagram) -> Vec<usize> {
    let nodes = diagram.nodes.len();
    let mut lowers: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut waiting = vec![0usize; nodes];
    for &(upper, lower) in &diagram.lines {
        let (upper, lower) = (upper.index(), lower.index());
        lowers[upper].push(lower);
        waiting[lower] += 1;
    }
    let mut ranks = vec![0; nodes];
    let mut is_placed = vec![false; nodes];
    let mut open: Vec<usize> = (0..nodes).filter(|&node| waiting[node] == 0).collect();
    let mut placed = 0;
    while placed < nodes {
        // If nodes are left but none is open, they lie on cycles; the cycle is cut at the first.
        let node = open.pop().or_else(|| (0..nodes).find(|&node| !is_placed[node]));
        let Some(node) = node else { break };
        if std::mem::replace(&mut is_placed[node], true) {
            continue;
        }
        placed += 1;
        for &lower in lowers[node].iter().filter(|&&lower| !is_placed[lower]) {
            ranks[lower] = ranks[lower].max(ranks[node] + 1);
            waiting[lower] = waiting[lower].saturating_sub(1);
            if waiting[lower] == 0 {
                open.push(lower);
            }
        }
    }
    ranks
}
