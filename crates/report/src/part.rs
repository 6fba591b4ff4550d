//! The parts of a page.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, Render, html};
use ontrail_diagram::Svg;

use crate::asset::Asset;
use crate::confusion::Confusion;
use crate::page_list::PageList;
use crate::table::Table;
use crate::terms::{TermRow, terms};
use crate::tree::Tree;
use crate::viewer::Viewer;

/// A part of a page.
#[derive(Debug, Clone)]
pub enum Part {
    /// A second-level heading.
    Heading(String),
    /// A third-level heading.
    Subheading(String),
    /// A paragraph, parts of which may be emphasised.
    Paragraph(Vec<Run>),
    /// An explanatory paragraph in a fainter colour.
    Note(String),
    /// Preformatted text, such as a command.
    Preformatted(String),
    /// A table.
    Table(Table),
    /// Parts that belong together.
    Section(Vec<Part>),
    /// Tables and sections, side by side if there is room.
    Beside(Vec<Part>),
    /// Charts, side by side if there is room.
    Charts(Vec<Svg>),
    /// A diagram with its natural width.
    Diagram(Svg),
    /// Numbers in a row, each with its name below it.
    Facts(Vec<(String, String)>),
    /// Parts that are collapsed at first.
    Folded {
        /// The line that expands them.
        summary: String,
        /// The collapsed parts.
        parts: Vec<Part>,
    },
    /// The chapters of a long page, with links to each.
    Chapters(Vec<Chapter>),
    /// A hierarchy that can be expanded, collapsed and searched.
    Tree(Tree),
    /// Terms with their weights.
    Terms(Vec<TermRow>),
    /// A confusion matrix.
    Confusion(Confusion),
    /// A list of pages that can be filtered and sorted.
    Pages(Box<PageList>),
    /// A picture that can be explored.
    Viewer(Viewer),
}

/// A piece of a paragraph.
#[derive(Debug, Clone)]
pub enum Run {
    /// Plain text.
    Plain(String),
    /// Emphasised text.
    Strong(String),
}

/// A chapter of a long page.
#[derive(Debug, Clone)]
pub struct Chapter {
    /// The id that links refer to.
    pub id: &'static str,
    /// The heading.
    pub heading: String,
    /// The content.
    pub parts: Vec<Part>,
}

impl Part {
    /// Creates a paragraph of plain text.
    #[must_use]
    pub fn paragraph(words: impl Into<String>) -> Self {
        Self::Paragraph(vec![Run::Plain(words.into())])
    }

    /// Adds the style sheets and scripts that the part needs.
    pub(crate) fn needs(&self, assets: &mut BTreeSet<Asset>) {
        match self {
            Self::Section(parts) | Self::Beside(parts) | Self::Folded { parts, .. } => {
                parts.iter().for_each(|part| part.needs(assets));
            }
            Self::Chapters(chapters) => {
                assets.insert(Asset::Explorer);
                let parts = chapters.iter().flat_map(|chapter| &chapter.parts);
                parts.for_each(|part| part.needs(assets));
            }
            Self::Facts(_) | Self::Tree(_) | Self::Terms(_) | Self::Pages(_) => {
                assets.insert(Asset::Explorer);
            }
            Self::Confusion(_) => {
                assets.insert(Asset::Confusion);
            }
            Self::Viewer(_) => {
                assets.insert(Asset::Viewer);
            }
            Self::Heading(_)
            | Self::Subheading(_)
            | Self::Paragraph(_)
            | Self::Note(_)
            | Self::Preformatted(_)
            | Self::Table(_)
            | Self::Charts(_)
            | Self::Diagram(_) => {}
        }
    }
}

impl Render for Part {
    fn render(&self) -> Markup {
        let part = match self {
            Self::Heading(words) => html! { h2 { (words) } },
            Self::Subheading(words) => html! { h3 { (words) } },
            Self::Paragraph(runs) => html! { p { @for run in runs { (run) } } },
            Self::Note(words) => html! { p.note { (words) } },
            Self::Preformatted(text) => html! { pre { (text) } },
            Self::Table(table) => html! { section { (table) } },
            Self::Section(parts) => html! { section { (all(parts)) } },
            Self::Beside(parts) => html! { div.tables { "\n" (all(parts)) } },
            Self::Charts(charts) => {
                html! { div.charts { "\n" @for chart in charts { (picture(chart)) } } }
            }
            Self::Diagram(svg) => html! { div.diagram { (picture(svg)) } },
            Self::Facts(facts) => html! {
                div.facts { @for (value, name) in facts { div { b { (value) } span { (name) } } } }
            },
            Self::Folded { summary, parts } => {
                html! { details { summary { (summary) } "\n" (all(parts)) } }
            }
            Self::Chapters(parts) => chapters(parts),
            Self::Tree(tree) => tree.render(),
            Self::Terms(rows) => terms(rows),
            Self::Confusion(confusion) => confusion.render(),
            Self::Pages(list) => list.render(),
            Self::Viewer(viewer) => viewer.render(),
        };
        html! { (part) "\n" }
    }
}

impl Render for Run {
    fn render(&self) -> Markup {
        match self {
            Self::Plain(words) => html! { (words) },
            Self::Strong(words) => html! { b { (words) } },
        }
    }
}

/// Includes SVG unchanged: its values have been escaped already.
pub(crate) fn picture(svg: &Svg) -> PreEscaped<&str> {
    PreEscaped(svg.as_str())
}

fn all(parts: &[Part]) -> Markup {
    html! { @for part in parts { (part) } }
}

fn chapters(chapters: &[Chapter]) -> Markup {
    html! {
        nav {
            "\n"
            @for chapter in chapters { a href={ "#" (chapter.id) } { (chapter.heading) } "\n" }
        }
        "\n"
        @for chapter in chapters {
            section.chapter id=(chapter.id) {
                h2 { (chapter.heading) }
                "\n"
                (all(&chapter.parts))
            }
            "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assets_of_nested_parts_are_found() {
        let confusion = Confusion { classes: Vec::new(), answers: Vec::new(), counts: Vec::new() };
        let deep = Part::Folded {
            summary: "more".to_owned(),
            parts: vec![Part::Section(vec![Part::Confusion(confusion)])],
        };
        let mut assets = BTreeSet::new();
        deep.needs(&mut assets);
        assert_eq!(assets, BTreeSet::from([Asset::Confusion]));
        let chapter = Chapter { id: "a", heading: "A".to_owned(), parts: vec![deep] };
        assets.clear();
        Part::Chapters(vec![chapter]).needs(&mut assets);
        assert_eq!(assets, BTreeSet::from([Asset::Confusion, Asset::Explorer]));
    }

    #[test]
    fn text_is_escaped_in_every_part() {
        let hostile = "</h2><script>alert(1)</script>";
        let words = || hostile.to_owned();
        let parts = [
            Part::Heading(words()),
            Part::Subheading(words()),
            Part::Paragraph(vec![Run::Plain(words()), Run::Strong(words())]),
            Part::Note(words()),
            Part::Preformatted(words()),
            Part::Facts(vec![(words(), words())]),
            Part::Folded { summary: words(), parts: Vec::new() },
            Part::Chapters(vec![Chapter { id: "a", heading: words(), parts: Vec::new() }]),
        ];
        for part in parts {
            let html = part.render().into_string();
            assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
        }
    }
}
