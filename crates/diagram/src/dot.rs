//! The diagram for Graphviz.

use crate::model::{Diagram, Shape};

impl Diagram {
    /// The diagram in the DOT language.
    #[must_use]
    pub fn to_dot(&self) -> String {
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
                // A label beside the circle, as line diagrams have it.
                Shape::Lattice => {
                    format!("  n{id} [label=\"\", width=0.15, xlabel={}];\n", quoted(&label))
                }
            };
        }
        for (upper, lower) in &self.lines {
            dot += &format!("  n{upper} -> n{lower};\n");
        }
        dot + "}\n"
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.chars().filter(|c| !c.is_control()).collect::<String>())
}
