//! The picture as a page that can be panned, searched and folded. It needs no network.

use crate::model::Diagram;
use crate::svg::{FONTS, escape};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Diagram {
    /// A page of HTML with everything in it.
    #[must_use]
    pub fn to_html(&self) -> String {
        let nodes: Vec<_> = self
            .nodes
            .iter()
            .map(|node| {
                serde_json::json!({
                    "above": node.above, "below": node.below, "detail": node.detail,
                })
            })
            .collect();
        let data = serde_json::json!({ "nodes": nodes, "lines": self.lines });
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
             <button id=\"unfold\" type=\"button\">unfold all</button>\n\
             <span class=\"hint\">drag to pan, wheel to zoom, click a node for its details, \
             double-click to fold what is below it</span></header>\n\
             <main id=\"view\">{svg}</main>\n<aside id=\"detail\" hidden></aside>\n\
             <script id=\"data\" type=\"application/json\">{data}</script>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            title = escape(&self.title),
            svg = self.svg_element(""),
        )
    }
}
