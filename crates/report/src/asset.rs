//! The style sheets and scripts of the parts of a page.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use ontrail_diagram::FONTS;

/// A style sheet and script that some parts need. The rules of a later asset override those of an
/// earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asset {
    /// For pictures that can be panned, zoomed, searched and collapsed.
    Viewer,
    /// For confusion matrices.
    Confusion,
    /// For chapters, trees, terms and lists of pages.
    Explorer,
}

impl Asset {
    pub(crate) fn style(self) -> &'static str {
        match self {
            Self::Viewer => include_str!("viewer.css"),
            Self::Confusion => include_str!("confusion.css"),
            Self::Explorer => include_str!("explorer.css"),
        }
    }

    fn script(self) -> Option<&'static str> {
        match self {
            Self::Viewer => Some(include_str!("viewer.js")),
            Self::Confusion => None,
            Self::Explorer => Some(include_str!("explorer.js")),
        }
    }
}

/// Renders the `<style>` element of a page: its own style sheet and those of its parts.
pub(crate) fn style(own: &'static str, assets: &BTreeSet<Asset>) -> Markup {
    html! {
        style {
            "\n:root{--fonts:" (PreEscaped(FONTS)) "}\n" (PreEscaped(own))
            @for asset in assets { (PreEscaped(asset.style())) }
        }
    }
}

/// Renders the `<script>` element at the end of a page, if one of its parts needs a script.
pub(crate) fn script(assets: &BTreeSet<Asset>) -> Markup {
    let scripts: Vec<&'static str> = assets.iter().filter_map(|asset| asset.script()).collect();
    html! {
        @if !scripts.is_empty() {
            script {
                "\n"
                @for script in scripts { (PreEscaped(script)) }
            }
            "\n"
        }
    }
}

/// Renders data for a script. `<` is escaped, because `</` would end the element and `<!--` would
/// change how it is parsed.
pub(crate) fn data(data: &serde_json::Value) -> Markup {
    let text = data.to_string().replace('<', "\\u003c");
    html! { script type="application/json" { (PreEscaped(text)) } }
}
