//! The picture as SVG.

use crate::label::{FONT, LINE, lines};
use crate::layout::{Layout, PADDING, Point, RADIUS};
use crate::model::{Diagram, Node, Shape};

/// Fonts that have Chinese and are at home on one system or another.
pub const FONTS: &str = "'Noto Sans CJK SC','Noto Sans SC','Source Han Sans SC','PingFang SC',\
                                'Microsoft YaHei','WenQuanYi Micro Hei','Noto Sans','Helvetica Neue',\
                                Arial,sans-serif";

/// How it looks by itself. The page of HTML has a style of its own that follows light and dark.
const STYLE: &str = "\
.background{fill:#fff}.title{font-size:16px;font-weight:600;fill:#1c2430}\
.edge{fill:none;stroke:#8b98a9;stroke-width:1.2}\
.dot{fill:#fff;stroke:#1c2430;stroke-width:1.4}.dot.attributes{fill:#2f6fb7}.dot.objects{stroke-width:2.6}\
.box{fill:#f3f6fa;stroke:#6f86a3;stroke-width:1}\
.above{fill:#1d4f8a}.below{fill:#4b5563}.halo text{paint-order:stroke;stroke:#fff;stroke-width:4px;\
stroke-linejoin:round}";

impl Diagram {
    /// The picture as a file of SVG.
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg_file(|style| self.svg_element(style), STYLE)
    }

    /// The element `<svg>`, with a style in it.
    pub(crate) fn svg_element(&self, style: &str) -> String {
        let layout = Layout::of(self);
        let (width, height) = (layout.width.ceil(), layout.height.ceil());
        let mut svg = svg_head(&self.title, width, height, style) + "<g>\n";
        for (line, &(upper, lower)) in layout.lines.iter().zip(&self.lines) {
            let path = match self.shape {
                Shape::Lattice => straight(line),
                Shape::Tree => curved(line, layout.boxes[upper].0, layout.boxes[lower].0),
            };
            svg += &format!(
                "<path class=\"edge\" data-from=\"{upper}\" data-to=\"{lower}\" d=\"{path}\"/>\n"
            );
        }
        svg += "</g>\n<g>\n";
        for (id, node) in self.nodes.iter().enumerate() {
            svg += &format!("<g class=\"node\" data-id=\"{id}\">");
            if !node.detail.is_empty() {
                svg += &format!("<title>{}</title>", escape(&node.detail));
            }
            svg += &match self.shape {
                Shape::Lattice => circle(node, layout.nodes[id]),
                Shape::Tree => boxed(node, layout.nodes[id], layout.boxes[id]),
            };
            svg += "</g>\n";
        }
        svg + "</g>\n</svg>\n"
    }
}

/// A text that begins, ends or has its middle at a point, in the colour of what is around the picture.
pub(crate) fn text([x, y]: [f64; 2], anchor: &str, words: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"currentColor\">{}</text>\n",
        escape(words)
    )
}

/// A file of SVG by itself, with a style for what it is of.
pub(crate) fn svg_file(element: impl Fn(&str) -> String, style: &str) -> String {
    let style = format!("<style>text{{font-family:{FONTS};font-size:{FONT}px}}{style}</style>");
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", element(&style))
}

/// The beginning of an element `<svg>`: its size, title, style and background.
pub(crate) fn svg_head(title: &str, width: f64, height: f64, style: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n{style}\n\
         <rect class=\"background\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"24\" y=\"30\">{title}</text>\n",
        title = escape(title)
    )
}

fn circle(node: &Node, at: Point) -> String {
    let mut class = "dot".to_owned();
    if !node.above.is_empty() {
        class += " attributes";
    }
    if !node.below.is_empty() {
        class += " objects";
    }
    let (above, below) = (lines(&node.above), lines(&node.below));
    let mut svg = format!(
        "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{RADIUS}\"/><g class=\"halo\">",
        at.x, at.y
    );
    let first = at.y - RADIUS - 4.0 - (above.len() as f64 - 1.0) * LINE;
    svg += &text_lines("above", &above, at.x, first);
    svg += &text_lines("below", &below, at.x, at.y + RADIUS + FONT);
    svg + "</g>"
}

fn boxed(node: &Node, at: Point, (width, height): (f64, f64)) -> String {
    let (above, below) = (lines(&node.above), lines(&node.below));
    let top = at.y - height / 2.0;
    let mut svg = format!(
        "<rect class=\"box\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\"/>",
        at.x - width / 2.0
    );
    let first = top + PADDING / 2.0 + FONT - 1.0;
    svg += &text_lines("above", &above, at.x, first);
    svg + &text_lines("below", &below, at.x, first + above.len() as f64 * LINE)
}

fn text_lines(class: &str, lines: &[String], x: f64, first: f64) -> String {
    let place = |number: usize| first + number as f64 * LINE;
    let text = |(number, line): (usize, &String)| {
        let (y, line) = (place(number), escape(line));
        format!(
            "<text class=\"{class}\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{y:.1}\">{line}</text>"
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

/// From the right side of the upper box to the left side of the lower one, level at both ends.
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

/// Text within XML. What XML cannot hold at all is left out.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}
