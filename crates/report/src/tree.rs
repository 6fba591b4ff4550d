//! A hierarchy as a tree that opens and closes, and can be searched.

use maud::{Markup, Render, html};

/// A tree and the words of its controls.
#[derive(Debug, Clone)]
pub struct Tree {
    /// What stands at its roots.
    pub roots: Vec<Branch>,
    /// What it says.
    pub words: TreeWords,
}

/// What a tree says.
#[derive(Debug, Clone)]
pub struct TreeWords {
    /// What the field to search with is called.
    pub search: String,
    /// The button that opens all branches.
    pub open_all: String,
    /// The button that closes all branches.
    pub close_all: String,
    /// What is said of something that is written out further up.
    pub see_above: String,
    /// What is said below the tree, such as that a part of it is left out.
    pub note: Option<String>,
}

/// Something in a tree, and what is below it.
#[derive(Debug, Clone, Default)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// Its other names.
    pub others: Vec<String>,
    /// What it weighs; 0 if nothing.
    pub weight: f64,
    /// What it means, which is shown when someone points at it.
    pub meaning: String,
    /// Whether what is below it is written out further up.
    pub is_above: bool,
    /// Whether what is below it is shown at first.
    pub is_open: bool,
    /// What is below it.
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

/// The names, the weight as a bar, and what it means.
fn names(branch: &Branch) -> Markup {
    let meaning = (!branch.meaning.is_empty()).then_some(&branch.meaning);
    let width = 3.0 * branch.weight.min(1.0);
    html! {
        span.names title=[meaning] {
            (branch.name)
            @if branch.weight > 0.0 {
                i.weight
                    style={ "width:" (format!("{width:.2}")) "rem" }
                    title=(format!("{:.4}", branch.weight)) {}
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
            "style=\"width:1.50rem\" title=\"0.5000\"",
            " <span class=\"other\">根 · a&amp;b</span>",
            "&lt;leaf&gt;</span> <span class=\"other\">(see above)</span>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }
}
