//! Hierarchies as trees that can be expanded, collapsed and searched.

use maud::{Markup, Render, html};

/// A tree and the texts of its controls.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The roots.
    pub roots: Vec<Branch>,
    /// The texts of the controls.
    pub words: TreeWords,
}

/// The texts of a tree.
#[derive(Debug, Clone)]
pub struct TreeWords {
    /// The name of the search field.
    pub search: String,
    /// The label of the button that expands all branches.
    pub open_all: String,
    /// The label of the button that collapses all branches.
    pub close_all: String,
    /// The remark at an entry whose branch is listed further up.
    pub see_above: String,
    /// A note below the tree, such as that a part of it is left out.
    pub note: Option<String>,
}

/// An entry of a tree with its branch.
#[derive(Debug, Clone, Default)]
pub struct Branch {
    /// The name.
    pub name: String,
    /// Other names.
    pub others: Vec<String>,
    /// The weight; 0 for none.
    pub weight: f64,
    /// The definition, shown as a tooltip.
    pub meaning: String,
    /// True if its branch is listed further up.
    pub is_above: bool,
    /// True if its branch is expanded at first.
    pub is_open: bool,
    /// The entries below it.
    pub below: Vec<Branch>,
}

impl Render for Tree {
    fn render(&self) -> Markup {
        let words = &self.words;
        html! {
            div.controls {
                input.tree-search type="search" placeholder=(words.search) aria-label=(words.search);
                span.tree-found.faint role="status" {}
                button.open-all type="button" { (words.open_all) }
                button.close-all type="button" { (words.close_all) }
            }
            "\n"
            ul.tree { "\n" @for branch in &self.roots { (item(branch, words)) } }
            @if let Some(note) = &words.note { "\n" p.note { (note) } }
        }
    }
}

fn item(branch: &Branch, words: &TreeWords) -> Markup {
    html! {
        li {
            @if branch.below.is_empty() {
                div.leaf {
                    (names(branch))
                    @if branch.is_above { " " span.other { "(" (words.see_above) ")" } }
                }
            } @else {
                details open[branch.is_open] {
                    summary { (names(branch)) }
                    "\n"
                    ul { "\n" @for below in &branch.below { (item(below, words)) } }
                }
            }
        }
        "\n"
    }
}

/// Renders the names, the weight as a bar, and the definition as a tooltip.
fn names(branch: &Branch) -> Markup {
    let meaning = (!branch.meaning.is_empty()).then_some(&branch.meaning);
    let width = 3.0 * branch.weight.min(1.0);
    html! {
        span.names title=[meaning] {
            (branch.name)
            @if branch.weight > 0.0 {
                i.weight
                    style={ "width:" (format!("{width:.2}")) "rem" }
                    title=(format!("{:.3}", branch.weight)) {}
            }
            @if !branch.others.is_empty() { " " span.other { (branch.others.join(" · ")) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_nested_and_names_escaped() {
        let leaf = Branch { name: "<leaf>".to_owned(), is_above: true, ..Branch::default() };
        let root = Branch {
            name: "root".to_owned(),
            others: vec!["根".to_owned(), "a&b".to_owned()],
            weight: 0.5,
            meaning: "the \"first\"".to_owned(),
            is_open: true,
            below: vec![leaf],
            ..Branch::default()
        };
        let word = |word: &str| word.to_owned();
        let words = TreeWords {
            search: word("search"),
            open_all: word("open"),
            close_all: word("close"),
            see_above: word("see above"),
            note: None,
        };
        let html = Tree { roots: vec![root], words }.render().into_string();
        for part in [
            "<details open><summary><span class=\"names\" title=\"the &quot;first&quot;\">root<i",
            "style=\"width:1.50rem\" title=\"0.500\"",
            " <span class=\"other\">根 · a&amp;b</span>",
            "&lt;leaf&gt;</span> <span class=\"other\">(see above)</span>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }
}
