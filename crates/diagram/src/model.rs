//! Nodes and lines.

/// A node's number in its diagram.
pub type NodeId = usize;

/// What a diagram looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A line diagram from top to bottom: small circles, with labels above and below them.
    Lattice,
    /// A hierarchy from left to right: boxes with the labels in them.
    Tree,
}

/// A node and what is written at it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    pub(crate) above: Vec<String>,
    pub(crate) below: Vec<String>,
    pub(crate) detail: String,
}

impl Node {
    /// A node without labels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Labels above it: attributes. In a tree, the lines of the box.
    #[must_use]
    pub fn above<S: Into<String>>(mut self, labels: impl IntoIterator<Item = S>) -> Self {
        self.above = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Labels below it: objects. In a tree, lines of lesser weight.
    #[must_use]
    pub fn below<S: Into<String>>(mut self, labels: impl IntoIterator<Item = S>) -> Self {
        self.below = labels.into_iter().map(Into::into).collect();
        self
    }

    /// What is shown when someone points at it.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

/// A hierarchy to be drawn.
#[derive(Debug, Clone)]
pub struct Diagram {
    pub(crate) title: String,
    pub(crate) shape: Shape,
    pub(crate) nodes: Vec<Node>,
    /// From the upper node to the lower.
    pub(crate) lines: Vec<(NodeId, NodeId)>,
}

impl Diagram {
    /// Without nodes yet.
    #[must_use]
    pub fn new(title: impl Into<String>, shape: Shape) -> Self {
        Self { title: title.into(), shape, nodes: Vec::new(), lines: Vec::new() }
    }

    /// Adds a node.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Draws a line between an upper and a lower node. A line that would close a circle is drawn, but
    /// does not decide where the nodes stand.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn connect(&mut self, upper: NodeId, lower: NodeId) {
        assert!(upper < self.nodes.len() && lower < self.nodes.len(), "lines join nodes");
        self.lines.push((upper, lower));
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
