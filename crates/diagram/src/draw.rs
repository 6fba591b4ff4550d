//! What all pictures of nodes and lines can do, whichever way they are laid out.

use crate::markup::Svg;
use crate::model::Diagram;
use crate::network::{Network, Spot};
#[cfg(feature = "png")]
use crate::png::drawn;
use crate::svg::svg_file;

/// A picture of nodes and lines.
pub trait Draw {
    /// What it is of.
    fn title(&self) -> &str;

    /// The element `<svg>` without a style of its own, for a page that has one.
    fn element(&self) -> Svg;

    /// What a page can tell of each node besides its picture, in the order of the nodes' numbers.
    fn nodes(&self) -> Vec<NodeText<'_>>;

    /// Whether nodes have others below them, which can be folded away.
    fn is_hierarchy(&self) -> bool;

    /// The picture as a file of SVG.
    fn to_svg(&self) -> String;

    /// The picture in the DOT language, for Graphviz.
    fn to_dot(&self) -> String;

    /// The picture in pixels, `scale` of them for each unit of the SVG. Uses the fonts of the machine.
    #[cfg(feature = "png")]
    fn to_png(&self, scale: f32) -> Result<Vec<u8>, PngError>;
}

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// No font on this machine has the letters.
    #[error(
        "no font on this machine has {letter:?}; install one (such as fonts-noto-cjk), or write SVG \
         or HTML, which the reader's machine draws"
    )]
    NoFont {
        /// The first letter that no font has.
        letter: char,
    },
    /// The picture is too large.
    #[error(
        "the picture would be {width} × {height} pixels; write SVG or HTML, which have no size"
    )]
    TooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
    /// The drawing failed.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
}

/// The texts of a node.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct NodeText<'a> {
    /// Its names, or the labels above it.
    pub above: &'a [String],
    /// The labels below it.
    pub below: &'a [String],
    /// What is shown when someone points at it.
    pub detail: &'a str,
}

impl Draw for Diagram {
    fn title(&self) -> &str {
        &self.title
    }

    fn element(&self) -> Svg {
        self.svg_element(&Svg::default())
    }

    fn nodes(&self) -> Vec<NodeText<'_>> {
        let nodes = self.nodes.iter();
        let text = nodes.map(|node| (&node.above, &node.below, &node.detail));
        text.map(|(above, below, detail)| NodeText { above, below, detail }).collect()
    }

    fn is_hierarchy(&self) -> bool {
        true
    }

    fn to_svg(&self) -> String {
        svg_file(|style| self.svg_element(style), Self::STYLE)
    }

    fn to_dot(&self) -> String {
        self.dot()
    }

    #[cfg(feature = "png")]
    fn to_png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        let labels = self.nodes.iter().flat_map(|node| node.above.iter().chain(&node.below));
        drawn(&self.to_svg(), labels.chain([&self.title]), scale)
    }
}

impl Draw for Network {
    fn title(&self) -> &str {
        &self.title
    }

    fn element(&self) -> Svg {
        self.svg_element(&Svg::default())
    }

    fn nodes(&self) -> Vec<NodeText<'_>> {
        let text = |spot| {
            let Spot { label, detail, .. }: &Spot = spot;
            NodeText { above: std::slice::from_ref(label), below: &[], detail }
        };
        self.spots.iter().map(text).collect()
    }

    fn is_hierarchy(&self) -> bool {
        false
    }

    fn to_svg(&self) -> String {
        svg_file(|style| self.svg_element(style), Self::STYLE)
    }

    fn to_dot(&self) -> String {
        self.dot()
    }

    #[cfg(feature = "png")]
    fn to_png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        let labels = self.spots.iter().map(|spot| &spot.label);
        drawn(&self.to_svg(), labels.chain([&self.title]), scale)
    }
}
