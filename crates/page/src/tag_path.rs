//! The path of tags and classes above a link. Links in the same place on pages of the same template
//! have the same path: those of a menu, of a list of articles, of a footer.

use crate::tree::{Content, NONE, Tree};

/// Most elements of a path, counted from the link.
const MOST_ELEMENTS: usize = 8;
/// Most letters of a class that are kept.
const MOST_LETTERS: usize = 24;

/// Returns the elements above a node, the nearest last, each with its first class:
/// `div.content>ul.list>li`. Digits in classes are written as `#`, because they often count.
pub(crate) fn tag_path(tree: &Tree, node: u32) -> String {
    let mut elements = Vec::new();
    let mut id = tree.nodes[node as usize].parent;
    while id != NONE && elements.len() < MOST_ELEMENTS {
        let node = &tree.nodes[id as usize];
        if let Content::Element(element) = &node.content {
            elements.push(element);
        }
        id = node.parent;
    }
    let mut path = String::new();
    for element in elements.into_iter().rev() {
        if !path.is_empty() {
            path.push('>');
        }
        path.push_str(&element.name.local);
        if let Some(class) = element.class.as_ref().and_then(|it| it.split_whitespace().next()) {
            path.push('.');
            let letters = class.chars().take(MOST_LETTERS);
            path.extend(letters.map(|c| if c.is_ascii_digit() { '#' } else { c }));
        }
    }
    path
}
