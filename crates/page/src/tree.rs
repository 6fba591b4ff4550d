//! The document tree, built by html5ever as a browser would build it, within limits.
//!
//! Nodes are in one vector and refer to each other by index. Only what the walk needs is kept:
//! comments and processing instructions never become nodes, and attributes are kept only for the
//! few elements whose attributes are read. [`DepthGuard`] sits between the tokenizer and the tree
//! builder and drops start tags that would nest too deeply, because the tree builder walks its
//! stack of open elements for most tags and would take quadratic time on a million nested ones.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};

use crate::hint::{Hint, Hints};
use crate::limits::{Cuts, Limits};

/// The document tree of a page.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// The texts of the scripts that hold JSON-LD.
    pub(crate) linked: Vec<String>,
    pub(crate) cuts: Cuts,
}

/// The index of the document node in [`Tree::nodes`].
pub(crate) const DOCUMENT: u32 = 0;
/// The index of a second root, which takes the content of templates: it is not part of the page.
const TEMPLATES: u32 = 1;
/// Maximum number of bytes that are kept of all JSON-LD of a page.
const LINKED_LIMIT: usize = 256 << 10;
/// Maximum number of scripts with JSON-LD that are read.
const LINKED_SCRIPTS: usize = 16;
/// No node. Also used for nodes that are not kept, such as comments.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) first_child: u32,
    last_child: u32,
    previous: u32,
    pub(crate) next: u32,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// The document, or the root of all templates.
    Root,
    Element(Element),
    Text(StrTendril),
}

#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: Rc<QualName>,
    pub(crate) attributes: Vec<Attribute>,
    /// The role that all of its attributes suggest, kept or not.
    pub(crate) hint: Hint,
    /// The value of its attribute `class`.
    pub(crate) class: Option<StrTendril>,
}

impl Element {
    /// Returns the value of an attribute, if the element has it and its attributes are kept.
    pub(crate) fn attribute(&self, name: &LocalName) -> Option<&str> {
        let found = self.attributes.iter().find(|attribute| attribute.name.local == *name);
        found.map(|attribute| &*attribute.value)
    }

    /// Returns the name if this is an HTML element and not, say, the `<title>` of an SVG picture.
    pub(crate) fn html_name(&self) -> Option<&LocalName> {
        (self.name.ns == ns!(html)).then_some(&self.name.local)
    }
}

/// Parses `html` within `limits`.
pub(crate) fn parse(html: &str, limits: &Limits) -> Tree {
    let options = TreeBuilderOpts {
        // A crawler runs no scripts, so the content of <noscript> is meant for it.
        scripting_enabled: false,
        drop_doctype: true,
        ..TreeBuilderOpts::default()
    };
    let guard = DepthGuard {
        builder: TreeBuilder::new(TreeUnderConstruction::new(limits.nodes), options),
        most: limits.depth,
        estimate: Cell::new(0),
        is_full: Cell::new(false),
        dropped: Cell::new(false),
        tokens: Cell::new(0),
    };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let is_cut = feed(&tokenizer, html);
    tokenizer.end();
    let DepthGuard { builder, dropped, .. } = tokenizer.sink;
    let sink = builder.sink;
    let cuts = Cuts { depth: dropped.get(), nodes: sink.is_full() || is_cut, ..Cuts::default() };
    let linked = sink.linked.into_inner().into_iter().map(|(_, text)| text).collect();
    Tree { nodes: sink.nodes.into_inner(), linked, cuts }
}

/// Passes tokens on to the tree builder, except start tags that would nest too deeply and
/// everything after the tree is full.
struct DepthGuard {
    builder: TreeBuilder<Handle, TreeUnderConstruction>,
    most: usize,
    /// Number of open elements at the last count, plus every start tag since then. End tags are not
    /// subtracted: only the tree builder knows which of them close an element; a stray one does
    /// not.
    estimate: Cell<usize>,
    /// True if a count has shown that the limit is reached. Only an end tag can change that.
    is_full: Cell<bool>,
    dropped: Cell<bool>,
    /// Number of tokens received.
    tokens: Cell<u64>,
}

impl DepthGuard {
    /// Returns true if one more open element would exceed the limit.
    fn is_too_deep(&self) -> bool {
        if !self.is_full.get() && self.estimate.get() >= self.most {
            let open = OpenElements::default();
            self.builder.trace_handles(&open);
            self.estimate.set(open.0.get());
            self.is_full.set(open.0.get() >= self.most);
        }
        self.is_full.get()
    }
}

/// Feeds a page to the tokenizer piece by piece, and stops at a tag that is longer than any real
/// one and holds too many separators to be one long value. Returns true if it stopped.
///
/// This is the second line of defence after [`bound_attributes`](crate::tags::bound_attributes),
/// which reads tags as the tokenizer does but does not know when the tree builder switches the
/// tokenizer to other rules.
fn feed(tokenizer: &Tokenizer<DepthGuard>, html: &str) -> bool {
    const PIECE: usize = 16 << 10;
    const LONGEST: usize = 4 * PIECE;
    let input = BufferQueue::default();
    let (mut silent, mut separators) = (0, 0);
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE.min(rest.len())));
        rest = after;
        let before = tokenizer.sink.tokens.get();
        input.push_back(StrTendril::from_slice(piece));
        // The tokenizer pauses after each script so that it can be run; scripts are not run here.
        while !input.is_empty() {
            let _ = tokenizer.feed(&input);
        }
        if tokenizer.sink.tokens.get() != before {
            (silent, separators) = (0, 0);
            continue;
        }
        let separates =
            |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'');
        silent += piece.len();
        separators += piece.as_bytes().iter().filter(|byte| separates(byte)).count();
        if silent > LONGEST && separators > silent / 40 {
            return true;
        }
    }
    false
}

/// Counts the elements that the tree builder holds.
#[derive(Default)]
struct OpenElements(Cell<usize>);

impl Tracer for OpenElements {
    type Handle = Handle;

    fn trace_handle(&self, _: &Handle) {
        self.0.set(self.0.get() + 1);
    }
}

impl TokenSink for DepthGuard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        self.tokens.set(self.tokens.get() + 1);
        match &token {
            Token::EOFToken => {}
            _ if self.builder.sink.is_full() => return TokenSinkResult::Continue,
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                if self.is_too_deep() {
                    self.dropped.set(true);
                    // A space keeps the words apart that the tag would have separated.
                    let blank = Token::CharacterTokens(StrTendril::from_char(' '));
                    return self.builder.process_token(blank, line);
                }
                self.estimate.set(self.estimate.get() + 1);
            }
            Token::TagToken(_) => self.is_full.set(false),
            _ => {}
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The tree builder's reference to a node. The name is shared with the node, so that it can be read
/// without borrowing the tree, which may be mutably borrowed.
#[derive(Debug, Clone)]
struct Handle {
    node: u32,
    name: Option<Rc<QualName>>,
}

impl Handle {
    const NOTHING: Self = Self { node: NONE, name: None };

    fn is_unreadable(&self) -> bool {
        self.name.as_ref().is_some_and(|name| is_unreadable(name))
    }
}

#[derive(Debug)]
struct TreeUnderConstruction {
    nodes: RefCell<Vec<Node>>,
    /// The scripts that hold JSON-LD, each with its text.
    linked: RefCell<Vec<(u32, String)>>,
    hints: RefCell<Hints>,
    most: usize,
    nameless: Rc<QualName>,
}

impl TreeUnderConstruction {
    fn new(most: usize) -> Self {
        let nameless = Rc::new(QualName::new(None, ns!(), local_name!("")));
        let (nodes, linked, hints) = (RefCell::default(), RefCell::default(), RefCell::default());
        let sink = Self { nodes, linked, hints, most, nameless };
        sink.push(Content::Root);
        sink.push(Content::Root);
        sink
    }

    fn is_full(&self) -> bool {
        self.nodes.borrow().len() >= self.most
    }

    fn push(&self, content: Content) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let id = u32::try_from(nodes.len()).expect("the tree builder stops when the tree is full");
        let none = NONE;
        nodes.push(Node {
            parent: none,
            first_child: none,
            last_child: none,
            previous: none,
            next: none,
            content,
        });
        id
    }

    /// Adds a node without a parent at the end of `parent`'s children.
    fn attach_last(&self, parent: u32, child: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let last = nodes[parent as usize].last_child;
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next) = (parent, last, NONE);
        match last {
            NONE => nodes[parent as usize].first_child = child,
            last => nodes[last as usize].next = child,
        }
        nodes[parent as usize].last_child = child;
    }

    /// Inserts a node without a parent before `sibling`.
    fn attach_before(&self, sibling: u32, child: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let (parent, previous) = (nodes[sibling as usize].parent, nodes[sibling as usize].previous);
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next) = (parent, previous, sibling);
        match previous {
            NONE if parent != NONE => nodes[parent as usize].first_child = child,
            NONE => {}
            previous => nodes[previous as usize].next = child,
        }
        nodes[sibling as usize].previous = child;
    }

    fn detach(&self, child: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let Node { parent, previous, next, .. } = nodes[child as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first_child = next,
            previous => nodes[previous as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last_child = previous,
            next => nodes[next as usize].previous = previous,
        }
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Keeps the text of a script that holds JSON-LD, up to a limit for all of them.
    fn extend_linked(&self, id: u32, text: &StrTendril) {
        let mut linked = self.linked.borrow_mut();
        let length: usize = linked.iter().map(|(_, text)| text.len()).sum();
        if let Some((node, present)) = linked.last_mut()
            && *node == id
            && length + text.len() <= LINKED_LIMIT
        {
            present.push_str(text);
        }
    }

    /// Appends `text` to node `id` if that is a text node, and returns true if it is.
    fn extend_text(&self, id: u32, text: &StrTendril) -> bool {
        let mut nodes = self.nodes.borrow_mut();
        match nodes.get_mut(id as usize).map(|node| &mut node.content) {
            Some(Content::Text(present)) => {
                present.push_tendril(text);
                true
            }
            _ => false,
        }
    }
}

impl TreeSink for TreeUnderConstruction {
    type Handle = Handle;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { node: DOCUMENT, name: None }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        // This is called for elements only, so the name of other nodes does not matter.
        target.name.as_ref().unwrap_or(&self.nameless).expanded()
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Handle {
        let name = Rc::new(name);
        let hint = self.hints.borrow_mut().of(&attrs);
        let is_linked = is_json_ld(&name, &attrs);
        let class = attrs.iter().find(|it| it.name.local == local_name!("class"));
        let class = class.map(|it| it.value.clone());
        let attributes = if has_attributes_of_interest(&name) { attrs } else { Vec::new() };
        let element = Element { name: Rc::clone(&name), attributes, hint, class };
        let node = self.push(Content::Element(element));
        if is_linked && self.linked.borrow().len() < LINKED_SCRIPTS {
            self.linked.borrow_mut().push((node, String::new()));
        }
        Handle { node, name: Some(name) }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Handle::NOTHING
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Handle::NOTHING
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(child) if child.node == NONE => {}
            NodeOrText::AppendNode(child) => {
                self.detach(child.node);
                self.attach_last(parent.node, child.node);
            }
            NodeOrText::AppendText(text) if parent.is_unreadable() => {
                self.extend_linked(parent.node, &text);
            }
            NodeOrText::AppendText(text) => {
                let last = self.nodes.borrow()[parent.node as usize].last_child;
                if !self.extend_text(last, &text) {
                    let node = self.push(Content::Text(text));
                    self.attach_last(parent.node, node);
                }
            }
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(child) if child.node == NONE => {}
            NodeOrText::AppendNode(child) => {
                self.detach(child.node);
                self.attach_before(sibling.node, child.node);
            }
            NodeOrText::AppendText(text) => {
                let previous = self.nodes.borrow()[sibling.node as usize].previous;
                if !self.extend_text(previous, &text) {
                    let node = self.push(Content::Text(text));
                    self.attach_before(sibling.node, node);
                }
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent = self.nodes.borrow()[element.node as usize].parent != NONE;
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous_element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, _: &Handle) -> Handle {
        Handle { node: TEMPLATES, name: None }
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.node == y.node
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        if let Content::Element(element) = &mut nodes[target.node as usize].content
            && has_attributes_of_interest(&element.name)
            && element.attributes.is_empty()
        {
            element.attributes = attrs;
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        if target.node != NONE {
            self.detach(target.node);
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        loop {
            let child = self.nodes.borrow()[node.node as usize].first_child;
            if child == NONE {
                break;
            }
            self.detach(child);
            self.attach_last(new_parent.node, child);
        }
    }
}

/// Returns true for elements whose content is not shown as text. It is not even kept: scripts are
/// often the larger part of a page. Scripts and styles are unreadable in SVG pictures too.
pub(crate) fn is_unreadable(name: &QualName) -> bool {
    match name.local {
        local_name!("script") | local_name!("style") => true,
        local_name!("template")
        | local_name!("iframe")
        | local_name!("noframes")
        | local_name!("noembed") => name.ns == ns!(html),
        _ => false,
    }
}

/// Returns true for a script that holds JSON-LD, which describes the page for programs.
fn is_json_ld(name: &QualName, attributes: &[Attribute]) -> bool {
    let is_type = |attribute: &Attribute| {
        attribute.name.local == local_name!("type")
            && attribute.value.trim().eq_ignore_ascii_case("application/ld+json")
    };
    name.local == local_name!("script") && attributes.iter().any(is_type)
}

/// Returns true if the walk reads the attributes of such an element.
fn has_attributes_of_interest(name: &QualName) -> bool {
    name.ns == ns!(html)
        && matches!(
            name.local,
            local_name!("a")
                | local_name!("area")
                | local_name!("base")
                | local_name!("frame")
                | local_name!("html")
                | local_name!("iframe")
                | local_name!("img")
                | local_name!("link")
                | local_name!("meta")
                | local_name!("time")
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the tree as text: elements as `name(children)`, text in quotes.
    fn outline(html: &str) -> String {
        let tree = parse(html, &Limits::default());
        let mut text = String::new();
        write_children(&tree, DOCUMENT, &mut text);
        text
    }

    fn write_children(tree: &Tree, parent: u32, text: &mut String) {
        let mut child = tree.nodes[parent as usize].first_child;
        while child != NONE {
            let node = &tree.nodes[child as usize];
            match &node.content {
                Content::Root => {}
                Content::Element(element) => {
                    text.push_str(&element.name.local);
                    text.push('(');
                    write_children(tree, child, text);
                    text.push(')');
                }
                Content::Text(content) => *text += &format!("{:?}", &**content),
            }
            child = node.next;
        }
    }

    #[test]
    fn trees_are_built_as_browsers_build_them() {
        for (html, expected) in [
            ("<p>a<p>b", "html(head()body(p(\"a\")p(\"b\")))"),
            ("<ul><li>a<li>b</ul>", "html(head()body(ul(li(\"a\")li(\"b\"))))"),
            ("<b>1<p>2</b>3</p>", "html(head()body(b(\"1\")p(b(\"2\")\"3\")))"),
            ("<table>x<tr><td>y</table>", "html(head()body(\"x\"table(tbody(tr(td(\"y\"))))))"),
            ("a<!-- x -->b", "html(head()body(\"ab\"))"),
            ("<a>1<a>2", "html(head()body(a(\"1\")a(\"2\")))"),
            ("<noscript><p>x</noscript>", "html(head(noscript())body(p(\"x\")))"),
            ("<svg><style>a</style><g>b</g></svg>", "html(head()body(svg(style()g(\"b\"))))"),
            ("<p>x<template><p>y</template>z", "html(head()body(p(\"x\"template()\"z\")))"),
        ] {
            assert_eq!(outline(html), expected, "{html}");
        }
    }

    #[test]
    fn depth_is_bounded_and_text_survives() {
        let limits = Limits { depth: 10, ..Limits::default() };
        let tree = parse(&format!("{}deep", "<div>".repeat(100)), &limits);
        assert!(tree.cuts.depth);
        let deep = |node: &Node| matches!(&node.content, Content::Text(t) if t.trim() == "deep");
        assert!(tree.nodes.iter().any(deep));
        let flat = parse(&"<p>x<li>y".repeat(1000), &limits);
        assert!(!flat.cuts.depth, "elements that close implicitly do not nest");
    }

    #[test]
    fn nodes_are_bounded() {
        let limits = Limits { nodes: 100, ..Limits::default() };
        let tree = parse(&"<p>x".repeat(1000), &limits);
        assert!(tree.cuts.nodes);
        assert!(tree.nodes.len() < 200);
    }
}
