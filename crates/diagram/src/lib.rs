#![doc = include_str!("../README.md")]

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
pub use network::{Mark, Network, NetworkEdge, Spot};
pub use ranks::RankDiagram;
pub use svg::FONTS;
