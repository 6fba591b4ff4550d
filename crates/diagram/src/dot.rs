//! Output in the DOT language, for Graphviz.

use crate::model::{Diagram, Shape};
use crate::network::{Mark, Network, bounded};

impl Diagram {
    pub(crate) fn dot(&self) -> String {
        let (direction, shape) = match self.shape {
            Shape::Lattice => ("TB", "circle"),
            Shape::Tree => ("LR", "box"),
        };
        let mut dot = format!(
            "digraph {} {{\n  rankdir={direction};\n  node [shape={shape}];\n  edge [dir=none];\n",
            quoted(&self.title)
        );
        for (id, node) in self.nodes.iter().enumerate() {
            let label =
                node.above.iter().chain(&node.below).cloned().collect::<Vec<_>>().join("\n");
            dot += &match self.shape {
                Shape::Tree => format!("  n{id} [label={}];\n", quoted(&label)),
                // The label goes beside the circle, as is usual for line diagrams.
                Shape::Lattice => {
                    format!("  n{id} [label=\"\", width=0.15, xlabel={}];\n", quoted(&label))
                }
            };
        }
        for (upper, lower) in &self.lines {
            let (upper, lower) = (upper.index(), lower.index());
            dot += &format!("  n{upper} -> n{lower};\n");
        }
        dot + "}\n"
    }
}

impl Network {
    pub(crate) fn dot(&self) -> String {
        let mut dot = format!(
            "graph {} {{\n  layout=neato;\n  overlap=false;\n  node [shape=ellipse];\n",
            quoted(&self.title)
        );
        for (id, spot) in self.spots.iter().enumerate() {
            let label = quoted(&format!("{}\n{}", spot.label, spot.figure));
            let style = match spot.mark {
                Mark::Plain => "",
                Mark::Odd => ", style=dashed, color=\"#c2570c\"",
                Mark::Hollow => ", style=dotted",
            };
            dot += &format!("  n{id} [label={label}{style}];\n");
        }
        for link in &self.links {
            let (label, width) = (quoted(&link.label), 0.5 + 3.0 * bounded(link.strength));
            let (from, to) = (link.from.index(), link.to.index());
            dot += &format!("  n{from} -- n{to} [label={label}, penwidth={width:.2}];\n");
        }
        dot + "}\n"
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.chars().filter(|c| !c.is_control()).collect::<String>())
}
