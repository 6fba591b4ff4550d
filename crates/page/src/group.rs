//! The place of a word in the markup: the five groups of HTML labels with their weights (Table 1 of
//! bcw-cc and fcits-oh), and the four kinds of tag in gafc.

use html5ever::{LocalName, local_name};

/// The label group of a word: that of the innermost element around it that the table lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelGroup {
    /// Group 1: `title`, `h1`, and the content of meta keywords and description.
    Title,
    /// Group 2: `h2`, `h3`.
    Heading,
    /// Group 3: `h4`, `h5`, `strong`.
    Emphasis,
    /// Group 4: `p`, `td`, `li`.
    Body,
    /// Group 5: everything else.
    Other,
}

impl LabelGroup {
    /// All groups, in the order of the table.
    pub const ALL: [Self; 5] =
        [Self::Title, Self::Heading, Self::Emphasis, Self::Body, Self::Other];

    /// Returns the group's weight `L_j` (Table 1 of bcw-cc; `W_k` in fcits-oh).
    ///
    /// ```
    /// # use ontrail_page::LabelGroup;
    /// assert_eq!(LabelGroup::ALL.map(LabelGroup::weight), [2.0, 1.5, 1.2, 1.0, 0.2]);
    /// ```
    #[must_use]
    pub fn weight(self) -> f64 {
        match self {
            Self::Title => 2.0,
            Self::Heading => 1.5,
            Self::Emphasis => 1.2,
            Self::Body => 1.0,
            Self::Other => 0.2,
        }
    }

    /// Returns the group's index in [`ALL`](Self::ALL), from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the group of an element's text, or `None` if the table does not list the element.
    pub(crate) fn of_element(name: &LocalName) -> Option<Self> {
        match *name {
            local_name!("title") | local_name!("h1") => Some(Self::Title),
            local_name!("h2") | local_name!("h3") => Some(Self::Heading),
            local_name!("h4") | local_name!("h5") | local_name!("strong") => Some(Self::Emphasis),
            local_name!("p") | local_name!("td") | local_name!("li") => Some(Self::Body),
            _ => None,
        }
    }
}

/// The kind of tag around a word, as gafc distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// `<title>`.
    Title,
    /// `<a>`.
    Anchor,
    /// The keywords or the description of a `<meta>`.
    Meta,
    /// Any other tag.
    Other,
}

impl Tag {
    /// Returns the tag's weight W(i) in gafc.
    ///
    /// ```
    /// # use ontrail_page::Tag;
    /// let weights = [Tag::Title, Tag::Anchor, Tag::Meta, Tag::Other].map(Tag::weight);
    /// assert_eq!(weights, [5.0, 3.0, 2.0, 1.0]);
    /// ```
    #[must_use]
    pub fn weight(self) -> f64 {
        match self {
            Self::Title => 5.0,
            Self::Anchor => 3.0,
            Self::Meta => 2.0,
            Self::Other => 1.0,
        }
    }
}
