//! The effect of each element on the text around it: ending a word, a paragraph, or neither.

use html5ever::{LocalName, local_name};

/// The effect that the start or end of an element has on the text around it.
pub(crate) enum Separation {
    /// None: the element may even be inside a word.
    None,
    /// Ends a word, but not the sentence around it.
    Word,
    /// Ends a paragraph: the element is block-level.
    Paragraph,
}

impl Separation {
    pub(crate) fn of(name: &LocalName) -> Self {
        match *name {
            local_name!("a")
            | local_name!("abbr")
            | local_name!("acronym")
            | local_name!("b")
            | local_name!("bdi")
            | local_name!("bdo")
            | local_name!("big")
            | local_name!("cite")
            | local_name!("code")
            | local_name!("data")
            | local_name!("del")
            | local_name!("dfn")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("img")
            | local_name!("ins")
            | local_name!("kbd")
            | local_name!("label")
            | local_name!("mark")
            | local_name!("nobr")
            | local_name!("q")
            | local_name!("s")
            | local_name!("samp")
            | local_name!("small")
            | local_name!("span")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("sub")
            | local_name!("sup")
            | local_name!("time")
            | local_name!("tt")
            | local_name!("u")
            | local_name!("var")
            | local_name!("wbr") => Self::None,
            local_name!("area")
            | local_name!("audio")
            | local_name!("br")
            | local_name!("button")
            | local_name!("canvas")
            | local_name!("input")
            | local_name!("map")
            | local_name!("meter")
            | local_name!("object")
            | local_name!("output")
            | local_name!("picture")
            | local_name!("progress")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("ruby")
            | local_name!("select")
            | local_name!("source")
            | local_name!("textarea")
            | local_name!("video") => Self::Word,
            // Custom elements are inline unless a style sheet says otherwise.
            _ if name.contains('-') => Self::Word,
            _ => Self::Paragraph,
        }
    }
}
