//! The interface of all pictures of nodes and lines.

use crate::markup::Svg;
use crate::model::Diagram;
use crate::network::{Network, Spot};
#[cfg(feature = "png")]
use crate::png::drawn;
use crate::svg::svg_file;

/// A picture of nodes and lines.
pub trait Draw {
    /// Returns the title.
    fn title(&self) -> &str;

    /// Returns the `<svg>` element without a style, for a page that has one.
    fn element(&self) -> Svg;

    /// Returns the texts of each node, in the order of the node ids.
    fn nodes(&self) -> Vec<NodeText<'_>>;

    /// Returns true if nodes have others below them, which a viewer can collapse.
    fn is_hierarchy(&self) -> bool;

    /// Returns the picture as an SVG file.
    fn to_svg(&self) -> String;

    /// Returns the picture in the DOT language, for Graphviz.
    fn to_dot(&self) -> String;

    /// Renders the picture as PNG, with `scale` pixels for each unit of the SVG. Uses the fonts of
    /// the machine.
    #[cfg(feature = "png")]
    fn to_png(&self, scale: f32) -> Result<Vec<u8>, PngError>;
}

/// Error while rendering a PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// No font on this machine has a letter of the picture.
    #[error(
        "no font on this machine has the letter {letter:?}; install one that has it (such as \
         fonts-noto-cjk), or write SVG or HTML, which use the fonts of the reader's machine"
    )]
    NoFont {
        /// The first letter that no font has.
        letter: char,
    },
    /// The picture has too many pixels.
    #[error(
        "the picture would have {width} × {height} pixels, which is too large; write SVG or HTML, \
         which have no limit"
    )]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// Rendering failed.
    #[error("cannot draw the picture: {0}")]
    Drawing(String),
}

/// The texts of a node.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct NodeText<'a> {
    /// The labels above the node, or its names.
    pub above: &'a [String],
    /// The labels below the node.
    pub below: &'a [String],
    /// The tooltip.
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
