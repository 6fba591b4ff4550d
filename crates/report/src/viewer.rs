//! Pictures that can be panned, zoomed, searched and collapsed, as part of a page or as a whole
//! page.

use std::collections::BTreeSet;

use maud::{Markup, Render, html};
use ontrail_diagram::{Draw, Svg};
use serde_json::{Value, json};

use crate::asset::{Asset, data};
use crate::page::whole;
use crate::part::picture;

const PAGE_STYLE: &str = include_str!("viewer-alone.css");

/// A picture that can be explored.
#[derive(Debug, Clone)]
pub struct Viewer {
    title: String,
    svg: Svg,
    /// The texts of each node.
    nodes: Value,
    is_hierarchy: bool,
    words: &'static Words,
}

impl Viewer {
    /// Creates a viewer for a picture, with controls in Chinese if `lang` is `zh`, otherwise in
    /// English.
    #[must_use]
    pub fn new(of: &impl Draw, lang: &str) -> Self {
        Self {
            title: of.title().to_owned(),
            svg: of.element(),
            nodes: json!(of.nodes()),
            is_hierarchy: of.is_hierarchy(),
            words: if lang == "zh" { &CHINESE } else { &ENGLISH },
        }
    }

    fn markup(&self, extent: Extent) -> Markup {
        let words = self.words;
        let moving = match extent {
            Extent::Whole => words.moving_whole,
            Extent::Part => words.moving_part,
        };
        let hint = if self.is_hierarchy { words.of_diagram } else { words.of_network };
        let is_whole = extent == Extent::Whole;
        html! {
            div.viewer.whole[is_whole] {
                "\n"
                div.bar {
                    @if is_whole { h1 { (self.title) } "\n" }
                    input.search type="search" placeholder=(words.search) aria-label=(words.search);
                    span.found role="status" {}
                    button.farther type="button" aria-label=(words.smaller) { "−" }
                    button.closer type="button" aria-label=(words.larger) { "+" }
                    button.fit type="button" { (words.fit) }
                    @if self.is_hierarchy { button.unfold type="button" { (words.unfold) } }
                    span.hint { (moving) (hint) }
                }
                "\n"
                div.view { (picture(&self.svg)) }
                "\n"
                div.detail hidden {}
                "\n"
                (data(&json!({ "nodes": self.nodes })))
                "\n"
            }
        }
    }
}

impl Render for Viewer {
    fn render(&self) -> Markup {
        self.markup(Extent::Part)
    }
}

/// Returns an HTML page that contains only a picture.
#[must_use]
pub fn viewer_page(of: &impl Draw) -> String {
    let viewer = Viewer::new(of, "en");
    let body = viewer.markup(Extent::Whole);
    whole(&viewer.title, "en", PAGE_STYLE, &BTreeSet::from([Asset::Viewer]), &body)
}

/// The extent of a viewer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The whole page: the wheel zooms.
    Whole,
    /// A part of a page: the wheel scrolls the page.
    Part,
}

/// The texts of a viewer.
#[derive(Debug)]
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

const ENGLISH: Words = Words {
    search: "search",
    smaller: "zoom out",
    larger: "zoom in",
    fit: "fit",
    unfold: "expand all",
    moving_whole: "drag to pan, wheel to zoom, ",
    moving_part: "drag to pan, Ctrl + wheel to zoom, ",
    of_diagram: "click a node for details, double-click to collapse the nodes below it",
    of_network: "click a node for details and to highlight its edges",
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

#[cfg(test)]
mod tests {
    use ontrail_diagram::{Diagram, Node, Shape};

    use super::*;

    #[test]
    fn labels_are_escaped_in_the_picture_and_in_the_data() {
        let mut diagram = Diagram::new("<title>", Shape::Tree);
        diagram.add(Node::new().above(["</script><b>"]).detail("<detail>"));
        let page = viewer_page(&diagram);
        assert!(page.contains("<h1>&lt;title&gt;</h1>") && page.contains("&lt;detail&gt;"));
        assert!(page.contains("\\u003c/script>\\u003cb>") && !page.contains("</script><b>"));
        assert!(page.contains("class=\"viewer whole\"") && page.contains("class=\"unfold\""));
        let part = Viewer::new(&diagram, "zh").render().into_string();
        assert!(part.contains("class=\"viewer\"") && part.contains("全部展开"));
    }
}
