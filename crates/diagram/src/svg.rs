//! Output of hierarchies as SVG.

use crate::label::{FONT, LINE, lines};
use crate::layout::{Layout, PADDING, Point, RADIUS};
use crate::markup::{Svg, svg};
use crate::model::{Diagram, Node, Shape};

/// A CSS font list that covers Chinese on all common systems.
pub const FONTS: &str = "'Noto Sans CJK SC','Noto Sans SC','Source Han Sans SC','PingFang SC',\
                         'Microsoft YaHei','WenQuanYi Micro Hei','Noto Sans','Helvetica Neue',\
                         Arial,sans-serif";

impl Diagram {
    /// The style of a stand-alone SVG file. HTML pages have another, which follows light and dark
    /// mode.
    pub(crate) const STYLE: &str = "\
.background{fill:#fff}.title{font-size:16px;font-weight:600;fill:#1c2430}\
.edge{fill:none;stroke:#8b98a9;stroke-width:1.2}\
.dot{fill:#fff;stroke:#1c2430;stroke-width:1.4}.dot.attributes{fill:#2f6fb7}.dot.objects{stroke-width:2.6}\
.box{fill:#f3f6fa;stroke:#6f86a3;stroke-width:1}\
.above{fill:#1d4f8a}.below{fill:#4b5563}.halo text{paint-order:stroke;stroke:#fff;stroke-width:4px;\
stroke-linejoin:round}";

    /// Returns the `<svg>` element, with `style` in it.
    pub(crate) fn svg_element(&self, style: &Svg) -> Svg {
        let layout = Layout::of(self);
        let (width, height) = (layout.width.ceil(), layout.height.ceil());
        let mut drawn = svg_head(&self.title, width, height, style) + Svg::fixed("<g>\n");
        for (line, &(upper, lower)) in layout.lines.iter().zip(&self.lines) {
            let (upper, lower) = (upper.index(), lower.index());
            let path = match self.shape {
                Shape::Lattice => straight(line),
                Shape::Tree => curved(line, layout.boxes[upper].0, layout.boxes[lower].0),
            };
            drawn += svg!(
                "<path class=\"edge\" data-from=\"{}\" data-to=\"{}\" d=\"{}\"/>\n",
                upper,
                lower,
                path
            );
        }
        drawn += Svg::fixed("</g>\n<g>\n");
        for (id, node) in self.nodes.iter().enumerate() {
            let shape = match self.shape {
                Shape::Lattice => circle(node, layout.nodes[id]),
                Shape::Tree => boxed(node, layout.nodes[id], layout.boxes[id]),
            };
            let detail = tooltip(&node.detail);
            drawn += svg!("<g class=\"node\" data-id=\"{}\">{}{}</g>\n", id, detail, shape);
        }
        drawn + Svg::fixed("</g>\n</svg>\n")
    }
}

/// Returns a tooltip, or nothing if the text is empty.
pub(crate) fn tooltip(words: &str) -> Svg {
    if words.is_empty() { Svg::default() } else { svg!("<title>{}</title>", words) }
}

/// Draws a text that starts, ends or is centred at a point, in the text colour of the page.
pub(crate) fn text([x, y]: [f64; 2], anchor: &str, words: &str) -> Svg {
    svg!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{}\" fill=\"currentColor\">{}</text>\n",
        x,
        y,
        anchor,
        words
    )
}

/// Returns a stand-alone SVG file with the given style.
pub(crate) fn svg_file(element: impl Fn(&Svg) -> Svg, style: &'static str) -> String {
    let style = svg!(
        "<style>text{{font-family:{};font-size:{}px}}{}</style>",
        Svg::fixed(FONTS),
        FONT,
        Svg::fixed(style)
    );
    svg!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", element(&style)).into_string()
}

/// Returns the beginning of an `<svg>` element: its size, title, style and background.
pub(crate) fn svg_head(title: &str, width: f64, height: f64, style: &Svg) -> Svg {
    svg!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n{style}\n\
         <rect class=\"background\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"24\" y=\"30\">{title}</text>\n",
        title = title,
        width = width,
        height = height,
        style = style,
    )
}

fn circle(node: &Node, at: Point) -> Svg {
    let mut class = "dot".to_owned();
    if !node.above.is_empty() {
        class += " attributes";
    }
    if !node.below.is_empty() {
        class += " objects";
    }
    let (above, below) = (lines(&node.above), lines(&node.below));
    let first = at.y - RADIUS - 4.0 - (above.len() as f64 - 1.0) * LINE;
    svg!(
        "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{}\"/><g class=\"halo\">{}{}</g>",
        class,
        at.x,
        at.y,
        RADIUS,
        text_lines("above", &above, at.x, first),
        text_lines("below", &below, at.x, at.y + RADIUS + FONT)
    )
}

fn boxed(node: &Node, at: Point, (width, height): (f64, f64)) -> Svg {
    let (above, below) = (lines(&node.above), lines(&node.below));
    let top = at.y - height / 2.0;
    let first = top + PADDING / 2.0 + FONT - 1.0;
    svg!(
        "<rect class=\"box\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"5\"/>{}{}",
        at.x - width / 2.0,
        top,
        width,
        height,
        text_lines("above", &above, at.x, first),
        text_lines("below", &below, at.x, first + above.len() as f64 * LINE)
    )
}

fn text_lines(class: &str, lines: &[String], x: f64, first: f64) -> Svg {
    let text = |(number, line): (usize, &String)| {
        svg!(
            "<text class=\"{}\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            class,
            x,
            first + number as f64 * LINE,
            line
        )
    };
    lines.iter().enumerate().map(text).collect()
}

fn straight(points: &[Point]) -> String {
    let step = |(number, point): (usize, &Point)| {
        let letter = if number == 0 { "M" } else { "L" };
        format!("{letter}{:.1} {:.1}", point.x, point.y)
    };
    points.iter().enumerate().map(step).collect()
}

/// Draws a curve from the right side of the upper box to the left side of the lower one, horizontal
/// at both ends.
fn curved(points: &[Point], upper_width: f64, lower_width: f64) -> String {
    let mut points = points.to_vec();
    if let Some(first) = points.first_mut() {
        first.x += upper_width / 2.0;
    }
    if let Some(last) = points.last_mut() {
        last.x -= lower_width / 2.0;
    }
    let mut path = straight(&points[..1]);
    for pair in points.windows(2) {
        let middle = f64::midpoint(pair[0].x, pair[1].x);
        path += &format!(
            "C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}",
            pair[0].y, pair[1].y, pair[1].x, pair[1].y
        );
    }
    path
}
