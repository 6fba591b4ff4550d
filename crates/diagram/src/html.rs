//! The picture as a page that can be panned, searched and folded. It needs no network.

use crate::model::{Diagram, Node};
use crate::network::{Network, Spot};
use crate::svg::{FONTS, escape};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Diagram {
    /// A page of HTML with everything in it.
    #[must_use]
    pub fn to_html(&self) -> String {
        let nodes: Vec<Described<'_>> = self.nodes.iter().map(Described::from).collect();
        let folding = "<button id=\"unfold\" type=\"button\">unfold all</button>\n";
        let hint = "drag to pan, wheel to zoom, click a node for its details, double-click to fold what is \
                    below it";
        page(&self.title, &nodes, &self.svg_element(""), folding, hint)
    }
}

impl Network {
    /// A page of HTML with everything in it.
    #[must_use]
    pub fn to_html(&self) -> String {
        let nodes: Vec<Described<'_>> = self.spots.iter().map(Described::from).collect();
        let hint =
            "drag to pan, wheel to zoom, click a node for its details and what it is joined to";
        page(&self.title, &nodes, &self.svg_element(""), "", hint)
    }
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

fn page(title: &str, nodes: &[Described<'_>], svg: &str, folding: &str, hint: &str) -> String {
    let data = serde_json::json!({ "nodes": nodes });
    // Within a script, `</` would end it and `<!--` change how it is read.
    let data = data.to_string().replace('<', "\\u003c");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n:root{{--fonts:{FONTS}}}\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1>\n\
         <input id=\"search\" type=\"search\" placeholder=\"search · 查找\" aria-label=\"search\">\n\
         <span id=\"found\" role=\"status\"></span>\n\
         <button id=\"fit\" type=\"button\">fit</button>\n\
         {folding}<span class=\"hint\">{hint}</span></header>\n\
         <main id=\"view\">{svg}</main>\n<aside id=\"detail\" hidden></aside>\n\
         <script id=\"data\" type=\"application/json\">{data}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        title = escape(title),
    )
}
