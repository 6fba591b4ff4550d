//! The picture as something that can be panned, zoomed, searched and folded: a part of a page, or a page by itself. It needs
//! no network. A page holds as many as it likes, and [`VIEWER_STYLE`] and [`VIEWER_SCRIPT`] once.

use crate::model::{Diagram, Node};
use crate::network::{Network, Spot};
use crate::svg::{FONTS, escape};

/// How viewers look. Every rule is of theirs alone, so that they can stand in any page.
pub const VIEWER_STYLE: &str = include_str!("viewer.css");
/// What makes viewers move; it belongs at the end of the page.
pub const VIEWER_SCRIPT: &str = include_str!("viewer.js");
const PAGE_STYLE: &str = include_str!("page.css");

impl Diagram {
    fn part(&self, extent: Extent, words: &Words) -> String {
        let nodes: Vec<Described<'_>> = self.nodes.iter().map(Described::from).collect();
        let unfold = words.unfold;
        let folding = format!("<button class=\"unfold\" type=\"button\">{unfold}</button>\n");
        let hints = (folding.as_str(), words.of_diagram);
        part(&self.title, &nodes, &self.svg_element(""), hints, words, extent)
    }
}

impl Network {
    fn part(&self, extent: Extent, words: &Words) -> String {
        let nodes: Vec<Described<'_>> = self.spots.iter().map(Described::from).collect();
        let hints = ("", words.of_network);
        part(&self.title, &nodes, &self.svg_element(""), hints, words, extent)
    }
}

macro_rules! viewed {
    ($($picture:ty),*) => {$(
        impl $picture {
            /// The picture to look into, as a part of a page in a language.
            #[must_use]
            pub fn viewer(&self, lang: &str) -> String {
                self.part(Extent::Part, Words::of(lang))
            }

            /// A page of HTML with everything in it.
            #[must_use]
            pub fn to_html(&self) -> String {
                page(&self.title, &self.part(Extent::Whole, Words::of("en")))
            }
        }
    )*};
}

viewed!(Diagram, Network);

/// What a viewer says.
struct Words {
    search: &'static str,
    smaller: &'static str,
    larger: &'static str,
    fit: &'static str,
    unfold: &'static str,
    moving_whole: &'static str,
    moving_part: &'static str,
    of_diagram: &'static str,
    of_network: &'static str,
}

impl Words {
    fn of(lang: &str) -> &'static Self {
        if lang == "zh" { &CHINESE } else { &ENGLISH }
    }
}

const ENGLISH: Words = Words {
    search: "search",
    smaller: "smaller",
    larger: "larger",
    fit: "fit",
    unfold: "unfold all",
    moving_whole: "drag to pan, wheel to zoom, ",
    moving_part: "drag to pan, Ctrl + wheel to zoom, ",
    of_diagram: "click a node for its details, double-click to fold what is below it",
    of_network: "click a node for its details and what it is joined to",
};

const CHINESE: Words = Words {
    search: "查找",
    smaller: "缩小",
    larger: "放大",
    fit: "全图",
    unfold: "全部展开",
    moving_whole: "拖动可平移，滚轮缩放，",
    moving_part: "拖动可平移，Ctrl + 滚轮缩放，",
    of_diagram: "单击节点看详情，双击折叠其下属",
    of_network: "单击节点看详情及与其相连者",
};

/// How much of a page a viewer is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All of it: the wheel zooms.
    Whole,
    /// A part: the wheel alone moves the page.
    Part,
}

/// What the page knows of a node besides its picture.
#[derive(serde::Serialize)]
struct Described<'a> {
    above: &'a [String],
    below: &'a [String],
    detail: &'a str,
}

impl<'a> From<&'a Node> for Described<'a> {
    fn from(node: &'a Node) -> Self {
        Self { above: &node.above, below: &node.below, detail: &node.detail }
    }
}

impl<'a> From<&'a Spot> for Described<'a> {
    fn from(spot: &'a Spot) -> Self {
        Self { above: std::slice::from_ref(&spot.label), below: &[], detail: &spot.detail }
    }
}

fn part(
    title: &str,
    nodes: &[Described<'_>],
    svg: &str,
    (folding, hint): (&str, &str),
    words: &Words,
    extent: Extent,
) -> String {
    let data = script_data(&serde_json::json!({ "nodes": nodes }));
    let (class, heading, moving) = match extent {
        Extent::Whole => {
            ("viewer whole", format!("<h1>{}</h1>\n", escape(title)), words.moving_whole)
        }
        Extent::Part => ("viewer", String::new(), words.moving_part),
    };
    let Words { search, smaller, larger, fit, .. } = words;
    format!(
        "<div class=\"{class}\">\n<div class=\"bar\">{heading}\
         <input class=\"search\" type=\"search\" placeholder=\"{search}\" aria-label=\"{search}\">\n\
         <span class=\"found\" role=\"status\"></span>\n\
         <button class=\"farther\" type=\"button\" aria-label=\"{smaller}\">−</button>\n\
         <button class=\"closer\" type=\"button\" aria-label=\"{larger}\">+</button>\n\
         <button class=\"fit\" type=\"button\">{fit}</button>\n\
         {folding}<span class=\"hint\">{moving}{hint}</span></div>\n\
         <div class=\"view\">{svg}</div>\n<div class=\"detail\" hidden></div>\n\
         <script type=\"application/json\">{data}</script>\n</div>\n"
    )
}

/// Data as it can stand within a script: `</` would end it and `<!--` change how it is read.
#[must_use]
pub fn script_data(data: &serde_json::Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

fn page(title: &str, viewer: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n:root{{--fonts:{FONTS}}}\n{PAGE_STYLE}{VIEWER_STYLE}</style>\n</head>\n\
         <body>\n{viewer}<script>\n{VIEWER_SCRIPT}</script>\n</body>\n</html>\n",
        title = escape(title),
    )
}
