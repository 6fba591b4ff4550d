//! Networks with weighted edges, drawn so that strongly connected nodes are close to each other.
//!
//! The layout is force-directed: nodes repel each other, and edges pull them together, strong edges
//! more than weak ones. The simulation always starts from the same positions, so the same network
//! always gives the same picture.

use fjadra::{
    Collide, Link as Springs, ManyBody, Node as Particle, PositionX, PositionY, SimulationBuilder,
};

use crate::label::{FONT, LINE, lines, widest, width};
use crate::layout::Point;
use crate::markup::{Svg, svg};
use crate::model::NodeId;
use crate::svg::{svg_head, tooltip};

/// Radii of the smallest and the largest node.
const RADII: (f64, f64) = (7.0, 20.0);
/// Widths of the weakest and the strongest edge.
const WIDTHS: (f64, f64) = (0.7, 4.0);
/// Target lengths of the strongest and the weakest edge.
const DISTANCES: (f64, f64) = (70.0, 190.0);
const MARGIN: f64 = 24.0;
/// Height of the title.
const TITLE: f64 = 40.0;
/// Height of the legend.
const LEGEND: f64 = 30.0;
/// Greatest number of edges whose labels are drawn. More would be unreadable; tooltips still show
/// them.
const MOST_FIGURES: usize = 200;
/// Number of steps of the simulation.
const STEPS: usize = 400;

/// A node of a network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spot {
    /// The name.
    pub label: String,
    /// A number written below the name.
    pub figure: String,
    /// The tooltip.
    pub detail: String,
    /// The size, from 0 to 1.
    pub size: f64,
    /// The style of the circle.
    pub mark: Mark,
}

/// The style of a node's circle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// A filled circle.
    #[default]
    Plain,
    /// A dashed circle in another colour.
    Odd,
    /// An empty circle.
    Hollow,
}

/// An edge between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkEdge {
    /// One end.
    pub from: NodeId,
    /// The other end.
    pub to: NodeId,
    /// The strength of the connection, from 0 to 1.
    pub strength: f64,
    /// The text at the edge.
    pub label: String,
}

/// A network to draw.
#[derive(Debug, Clone)]
pub struct Network {
    pub(crate) title: String,
    /// An explanation of the marks, below the picture.
    legend: String,
    pub(crate) spots: Vec<Spot>,
    pub(crate) links: Vec<NetworkEdge>,
}

impl Network {
    /// The style of a stand-alone SVG file. HTML pages have another, which follows light and dark
    /// mode.
    pub(crate) const STYLE: &str = "\
.background{fill:#fff}.title{font-size:16px;font-weight:600;fill:#1c2430}\
.link{stroke:#c3ccd8}.link.strong{stroke:#7f93ad}\
.spot{fill:#2f6fb7;stroke:#fff;stroke-width:1.5}\
.spot.marked{fill:#f3c9a8;stroke:#c2570c;stroke-dasharray:3 2;stroke-width:2}\
.spot.hollow{fill:#fff;stroke:#2f6fb7}\
text.above{fill:#1c2430}text.figure{fill:#4b5563;font-size:10px}text.degree{fill:#4b5563;font-size:9px}\
text.legend{fill:#4b5563;font-size:11px}\
.halo text{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}";

    /// Creates a network without nodes.
    #[must_use]
    pub fn new(title: impl Into<String>, legend: impl Into<String>) -> Self {
        Self { title: title.into(), legend: legend.into(), spots: Vec::new(), links: Vec::new() }
    }

    /// Adds a node and returns its id.
    pub fn add(&mut self, spot: Spot) -> NodeId {
        self.spots.push(spot);
        NodeId::new(self.spots.len() - 1)
    }

    /// Adds an edge.
    ///
    /// # Panics
    ///
    /// Panics if a node does not exist.
    pub fn connect(&mut self, link: NetworkEdge) {
        assert!(link.from.max(link.to).index() < self.spots.len(), "an edge must join two nodes");
        self.links.push(link);
    }

    /// Returns the centres of the nodes, and the width and height of the picture.
    #[must_use]
    pub fn layout(&self) -> (Vec<Point>, f64, f64) {
        let rooms: Vec<f64> = self.spots.iter().map(room).collect();
        let radii = rooms.clone();
        let strengths: Vec<f64> = self.links.iter().map(|link| bounded(link.strength)).collect();
        let most = strengths.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let shares: Vec<f64> = strengths.iter().map(|strength| strength / most).collect();
        let distances = shares.clone();
        let ends = self.links.iter().map(|link| (link.from.index(), link.to.index()));
        let springs = Springs::new(ends)
            .distance(move |_: &_, link: usize| between(DISTANCES, 1.0 - distances[link]))
            .strength(move |_: &_, link: usize| between((0.05, 0.4), shares[link]));
        let mut simulation = SimulationBuilder::default()
            .build(self.spots.iter().map(|_| Particle::default()))
            .add_force("links", springs)
            .add_force("apart", ManyBody::new().strength(-420.0))
            .add_force("labels", Collide::new().radius(move |it| radii[it]).iterations(3))
            // Screens are wider than high, so the vertical force is stronger.
            .add_force("x", PositionX::new().strength(0.05))
            .add_force("y", PositionY::new().strength(0.08));
        simulation.tick(STEPS);
        let places: Vec<Point> = simulation.positions().map(|[x, y]| Point { x, y }).collect();
        let texts = width(&self.title) * 16.0 / FONT;
        framed(&places, &rooms, texts.max(width(&self.legend) * 11.0 / FONT))
    }

    /// Returns the `<svg>` element, with `style` in it.
    pub(crate) fn svg_element(&self, style: &Svg) -> Svg {
        let (places, width, height) = self.layout();
        let mut drawn = svg_head(&self.title, width, height, style) + Svg::fixed("<g>\n");
        // Strong edges are drawn over weak ones.
        let mut order: Vec<usize> = (0..self.links.len()).collect();
        let strength = |link: usize| bounded(self.links[link].strength);
        order.sort_by(|&a, &b| strength(a).total_cmp(&strength(b)));
        let most = order.last().map_or(1.0, |&last| strength(last).max(f64::MIN_POSITIVE));
        for &number in &order {
            drawn += line(&self.links[number], &places, most);
        }
        drawn += Svg::fixed("</g>\n<g class=\"halo\">\n");
        if self.links.len() <= MOST_FIGURES {
            order.iter().for_each(|&number| drawn += degree(&self.links[number], &places));
        }
        drawn += Svg::fixed("</g>\n<g>\n");
        for (id, (spot, place)) in self.spots.iter().zip(&places).enumerate() {
            drawn +=
                svg!("<g class=\"node\" data-id=\"{}\">{}</g>\n", id, spot_drawn(spot, *place));
        }
        drawn
            + svg!(
                "</g>\n<text class=\"legend\" x=\"{}\" y=\"{}\">{}</text>\n</svg>\n",
                MARGIN,
                height - MARGIN / 2.0,
                self.legend
            )
    }
}

/// Clamps a number to the range from 0 to 1; a number that is not finite becomes 0.
pub(crate) fn bounded(number: f64) -> f64 {
    if number.is_finite() { number.clamp(0.0, 1.0) } else { 0.0 }
}

fn between((least, most): (f64, f64), share: f64) -> f64 {
    least + (most - least) * bounded(share)
}

/// Returns the radius of a node, whose area is proportional to its size.
fn radius(spot: &Spot) -> f64 {
    between(RADII, bounded(spot.size).sqrt())
}

/// Returns the radius of the space that a node needs together with its label.
fn room(spot: &Spot) -> f64 {
    let label = widest(&lines(std::slice::from_ref(&spot.label))) / 2.0;
    label.max(radius(spot) + LINE) + 6.0
}

/// Moves the nodes into a frame that is at least as wide as the texts.
fn framed(places: &[Point], rooms: &[f64], texts: f64) -> (Vec<Point>, f64, f64) {
    let edge = |side: fn(f64, f64) -> f64, of: fn(&Point) -> f64, start: f64, sign: f64| {
        places.iter().zip(rooms).map(|(place, room)| of(place) + sign * room).fold(start, side)
    };
    let (left, top) =
        (edge(f64::min, |it| it.x, f64::MAX, -1.0), edge(f64::min, |it| it.y, f64::MAX, -1.0));
    let (right, bottom) =
        (edge(f64::max, |it| it.x, f64::MIN, 1.0), edge(f64::max, |it| it.y, f64::MIN, 1.0));
    if places.is_empty() {
        return (Vec::new(), texts + 2.0 * MARGIN, TITLE + LEGEND + MARGIN);
    }
    let moved =
        |place: &Point| Point { x: place.x - left + MARGIN, y: place.y - top + MARGIN + TITLE };
    let width = (right - left).max(texts) + 2.0 * MARGIN;
    let height = (bottom - top + 2.0 * MARGIN + TITLE + LEGEND).ceil();
    (places.iter().map(moved).collect(), width.ceil(), height)
}

fn line(link: &NetworkEdge, places: &[Point], most: f64) -> Svg {
    let (from, to) = (places[link.from.index()], places[link.to.index()]);
    let share = bounded(link.strength) / most;
    let class = if share >= 0.5 { "edge link strong" } else { "edge link" };
    svg!(
        "<path class=\"{}\" data-from=\"{}\" data-to=\"{}\" style=\"stroke-width:{:.1}\" \
         d=\"M{:.1} {:.1}L{:.1} {:.1}\"><title>{}</title></path>\n",
        class,
        link.from.index(),
        link.to.index(),
        between(WIDTHS, share),
        from.x,
        from.y,
        to.x,
        to.y,
        link.label
    )
}

fn degree(link: &NetworkEdge, places: &[Point]) -> Svg {
    if link.label.is_empty() {
        return Svg::default();
    }
    let (from, to) = (places[link.from.index()], places[link.to.index()]);
    svg!(
        "<text class=\"degree\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
        f64::midpoint(from.x, to.x),
        f64::midpoint(from.y, to.y) + 3.0,
        link.label
    )
}

fn spot_drawn(spot: &Spot, at: Point) -> Svg {
    let radius = radius(spot);
    let class = match spot.mark {
        Mark::Plain => "spot",
        Mark::Odd => "spot marked",
        Mark::Hollow => "spot hollow",
    };
    let below = at.y + radius + FONT - 1.0;
    svg!(
        "{detail}<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/><g class=\"halo\">\
         <text class=\"above\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{below:.1}\">{label}</text>\
         <text class=\"figure\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{last:.1}\">{figure}</text></g>",
        detail = tooltip(&spot.detail),
        class = class,
        x = at.x,
        y = at.y,
        radius = radius,
        below = below,
        last = below + LINE - 4.0,
        label = lines(std::slice::from_ref(&spot.label)).join(" "),
        figure = spot.figure,
    )
}
