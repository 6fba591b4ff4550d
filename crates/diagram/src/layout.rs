//! Assigns coordinates to nodes and lines.
//!
//! [`crate::layers`] has ordered the nodes of each layer; the coordinates remain. Nodes are as far
//! apart as their labels are wide, so that labels of one layer never touch, and layers are as far
//! apart as their labels are high. Within these bounds each node moves towards the mean position of
//! its neighbours. For a single layer the best positions are an isotonic regression, computed by
//! pooling adjacent nodes that would otherwise overlap; the layers take turns.

use crate::label::{LINE, lines, widest};
use crate::layers::{Layers, Vertex};
use crate::model::{Diagram, Shape};

/// Number of times that all layers are adjusted.
const ROUNDS: usize = 40;
const MARGIN: f64 = 24.0;
/// Width of a waypoint.
const WAYPOINT: f64 = 14.0;
/// Space between adjacent labels of a layer.
const GAP: f64 = 16.0;
/// Space between the labels of two layers.
const LAYER_GAP: f64 = 44.0;
/// Radius of a node in a lattice.
pub(crate) const RADIUS: f64 = 6.0;
/// Space between the edge of a box and its text.
pub(crate) const PADDING: f64 = 8.0;
/// Height of the title.
const TITLE: f64 = 30.0;

/// A point of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
}

/// The coordinates of nodes and lines.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The centre of each node.
    pub nodes: Vec<Point>,
    /// Width and height of each node's box, in a tree.
    pub(crate) boxes: Vec<(f64, f64)>,
    /// The points of each line.
    pub(crate) lines: Vec<Vec<Point>>,
    /// The width of the picture.
    pub width: f64,
    /// The height of the picture.
    pub height: f64,
    /// Number of pairs of lines that cross.
    pub crossings: usize,
}

/// The space that a vertex needs: along its layer, and across it before and after its centre.
#[derive(Clone, Copy)]
struct Room {
    along: f64,
    before: f64,
    after: f64,
}

impl Layout {
    /// Computes the layout of a diagram.
    #[must_use]
    pub fn of(diagram: &Diagram) -> Self {
        let layers = Layers::of(diagram);
        let rooms: Vec<Room> =
            (0..layers.uppers.len()).map(|vertex| room(diagram, vertex)).collect();
        let along = places_along(&layers, &rooms);
        let (across, depth) = places_across(&layers, &rooms);
        let breadth = (0..along.len())
            .map(|vertex| along[vertex] + rooms[vertex].along / 2.0)
            .fold(0.0, f64::max);
        let point = |vertex: Vertex| match diagram.shape {
            Shape::Lattice => {
                Point { x: along[vertex] + MARGIN, y: across[vertex] + MARGIN + TITLE }
            }
            Shape::Tree => Point { x: across[vertex] + MARGIN, y: along[vertex] + MARGIN + TITLE },
        };
        let lines = layers.paths.iter().map(|path| path.iter().map(|&at| point(at)).collect());
        let title = crate::label::width(&diagram.title) * 1.2;
        let (width, height) = match diagram.shape {
            Shape::Lattice => (breadth, depth),
            Shape::Tree => (depth, breadth),
        };
        Self {
            nodes: (0..diagram.nodes.len()).map(point).collect(),
            boxes: (0..diagram.nodes.len()).map(|node| box_size(diagram, node)).collect(),
            lines: lines.collect(),
            width: width.max(title) + 2.0 * MARGIN,
            height: height + 2.0 * MARGIN + TITLE,
            crossings: layers.crossings(),
        }
    }
}

fn box_size(diagram: &Diagram, node: usize) -> (f64, f64) {
    let (above, below) = (lines(&diagram.nodes[node].above), lines(&diagram.nodes[node].below));
    let width = widest(&above).max(widest(&below)) + 2.0 * PADDING;
    (width, (above.len() + below.len()).max(1) as f64 * LINE + PADDING)
}

fn room(diagram: &Diagram, vertex: Vertex) -> Room {
    let Some(node) = diagram.nodes.get(vertex) else {
        return Room { along: WAYPOINT, before: 0.0, after: 0.0 };
    };
    match diagram.shape {
        Shape::Lattice => {
            let (above, below) = (lines(&node.above), lines(&node.below));
            Room {
                along: widest(&above).max(widest(&below)).max(2.0 * RADIUS) + GAP,
                before: above.len() as f64 * LINE + RADIUS,
                after: below.len() as f64 * LINE + RADIUS,
            }
        }
        Shape::Tree => {
            let (width, height) = box_size(diagram, vertex);
            Room { along: height + GAP / 2.0, before: width / 2.0, after: width / 2.0 }
        }
    }
}

/// Returns the position of each vertex along its layer; the smallest edge is at 0.
fn places_along(layers: &Layers, rooms: &[Room]) -> Vec<f64> {
    let mut places = vec![0.0; rooms.len()];
    for layer in &layers.order {
        let mut next = 0.0;
        for &vertex in layer {
            places[vertex] = next + rooms[vertex].along / 2.0;
            next += rooms[vertex].along;
        }
        // All layers start out centred on the same line.
        layer.iter().for_each(|&vertex| places[vertex] -= next / 2.0);
    }
    for round in 0..ROUNDS {
        let count = layers.order.len();
        for step in 0..count {
            let layer = if round % 2 == 0 { step } else { count - 1 - step };
            settle(&layers.order[layer], layers, rooms, &mut places);
        }
    }
    let edge = |vertex: usize| places[vertex] - rooms[vertex].along / 2.0;
    let first = (0..places.len()).map(edge).fold(f64::INFINITY, f64::min);
    let first = if first.is_finite() { first } else { 0.0 };
    places.iter().map(|place| place - first).collect()
}

/// Moves the vertices of a layer as close to the mean of their neighbours as order and space allow.
fn settle(layer: &[Vertex], layers: &Layers, rooms: &[Room], places: &mut [f64]) {
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    // Groups of touching vertices: the sum of their targets, their number, the index of the first.
    let mut groups: Vec<(f64, f64, usize)> = Vec::new();
    for (place, &vertex) in layer.iter().enumerate() {
        offset += rooms[vertex].along / 2.0;
        offsets.push(offset);
        let joined = layers.uppers[vertex].iter().chain(&layers.lowers[vertex]);
        let (sum, count) =
            joined.fold((0.0, 0.0), |(sum, count), &other| (sum + places[other], count + 1.0));
        let target = if count > 0.0 { sum / count } else { places[vertex] };
        let mut group = (target - offset, 1.0, place);
        while let Some(&(sum, count, start)) = groups.last() {
            if sum / count <= group.0 / group.1 {
                break;
            }
            group = (sum + group.0, count + group.1, start);
            groups.pop();
        }
        groups.push(group);
        offset += rooms[vertex].along / 2.0;
    }
    for (number, &(sum, count, start)) in groups.iter().enumerate() {
        let end = groups.get(number + 1).map_or(layer.len(), |next| next.2);
        for place in start..end {
            places[layer[place]] = sum / count + offsets[place];
        }
    }
}

/// Returns the position of each vertex across the layers, and the extent of all layers.
fn places_across(layers: &Layers, rooms: &[Room]) -> (Vec<f64>, f64) {
    let mut places = vec![0.0; rooms.len()];
    let mut next = 0.0;
    for layer in &layers.order {
        let most = |side: fn(&Room) -> f64| {
            layer.iter().map(|&vertex| side(&rooms[vertex])).fold(0.0, f64::max)
        };
        let middle = next + most(|room| room.before);
        layer.iter().for_each(|&vertex| places[vertex] = middle);
        next = middle + most(|room| room.after) + LAYER_GAP;
    }
    (places, (next - LAYER_GAP).max(0.0))
}
