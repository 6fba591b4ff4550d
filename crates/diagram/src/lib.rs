//! Pictures of hierarchies and networks that a person can read.
//!
//! A [`Diagram`] is a set of labelled nodes and lines from upper to lower ones, without cycles. It
//! becomes SVG, PNG, or DOT for Graphviz. A [`Network`] has nodes that are joined more or less, and becomes
//! the same. Pages of HTML around them are `ontrail-report`'s.
//!
//! ```
//! use ontrail_diagram::{Diagram, Draw, Node, Shape};
//!
//! let mut diagram = Diagram::new("what lives where", Shape::Lattice);
//! let water = diagram.add(Node::new().above(["lives in water"]));
//! let fish = diagram.add(Node::new().above(["swims"]).below(["bream", "leech"]));
//! diagram.connect(water, fish);
//! let svg = diagram.to_svg();
//! assert!(svg.contains("bream"));
//! ```
//!
//! The feature `png`, which is on by default, may be left out with the renderer that it takes.
//!
//! The crate knows nothing of what the nodes mean.

mod chart;
mod dot;
mod draw;
mod heat;
mod label;
mod layers;
mod layout;
mod markup;
mod model;
mod network;
#[cfg(feature = "png")]
mod png;
mod ranks;
mod svg;

pub use chart::{Chart, Series};
pub use draw::{Draw, NodeText, PngError};
pub use heat::HeatMap;
pub use layout::{Layout, Point};
pub use markup::Svg;
pub use model::{Diagram, Node, NodeId, Shape};
pub use network::{Link, Mark, Network, Spot};
pub use ranks::RankDiagram;
pub use svg::FONTS;
