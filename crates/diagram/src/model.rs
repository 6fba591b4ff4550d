//! Nodes and lines of a hierarchy.

/// The index of a node in its [`Diagram`] or [`Network`](crate::Network). Ids are given out when
/// nodes are added, and count up from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

impl NodeId {
    pub(crate) fn new(index: usize) -> Self {
        Self(index)
    }

    /// Returns the index, for tables with one entry per node.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// The appearance of a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A line diagram from top to bottom: small circles with labels above and below.
    Lattice,
    /// A hierarchy from left to right: boxes that contain the labels.
    Tree,
}

/// A node with its labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    pub(crate) above: Vec<String>,
    pub(crate) below: Vec<String>,
    pub(crate) detail: String,
}

impl Node {
    /// Creates a node without labels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the labels above the node: attributes in a lattice, the main lines of the box in a
    /// tree.
    #[must_use]
    pub fn above<S: Into<String>>(mut self, labels: impl IntoIterator<Item = S>) -> Self {
        self.above = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the labels below the node: objects in a lattice, the secondary lines of the box in a
    /// tree.
    #[must_use]
    pub fn below<S: Into<String>>(mut self, labels: impl IntoIterator<Item = S>) -> Self {
        self.below = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the tooltip.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

/// A hierarchy to draw.
#[derive(Debug, Clone)]
pub struct Diagram {
    pub(crate) title: String,
    pub(crate) shape: Shape,
    pub(crate) nodes: Vec<Node>,
    /// Lines, each from the upper node to the lower.
    pub(crate) lines: Vec<(NodeId, NodeId)>,
}

impl Diagram {
    /// Creates a diagram without nodes.
    #[must_use]
    pub fn new(title: impl Into<String>, shape: Shape) -> Self {
        Self { title: title.into(), shape, nodes: Vec::new(), lines: Vec::new() }
    }

    /// Adds a node and returns its id.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1)
    }

    /// Draws a line between an upper and a lower node. A line that closes a cycle is drawn, but
    /// does not influence the layout.
    ///
    /// # Panics
    ///
    /// Panics if a node does not exist.
    pub fn connect(&mut self, upper: NodeId, lower: NodeId) {
        assert!(upper.max(lower).index() < self.nodes.len(), "a line must join two nodes");
        self.lines.push((upper, lower));
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
