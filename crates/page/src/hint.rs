//! The hints that authors give about the role of an element, by its attributes.
//!
//! Class names, identifiers and roles are chosen for style sheets, but most authors name things by
//! what they are: `article-body`, `share-bar`, `related`. The tree keeps the resulting hint in
//! place of the attributes, so that a page of ten thousand elements stays small.

use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, local_name};

/// The role of an element, as its attributes suggest it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Hint {
    /// The attributes say nothing.
    #[default]
    None,
    /// The element is the text of an article, by the vocabulary of schema.org.
    ArticleBody,
    /// The name is one that article texts have: `entry-content`, `story-body`.
    Article,
    /// The name is one that the main part of a page has.
    Main,
    /// The name is one of things beside the main content: menus, share bars, comments.
    Boilerplate,
    /// The element is not shown.
    Hidden,
}

/// Names of the text of an article, without separators.
const ARTICLE: &[&str] = &[
    "articlebody",
    "articlecontent",
    "articletext",
    "articlecopy",
    "articledetail",
    "bodycopy",
    "entrycontent",
    "entrybody",
    "postcontent",
    "postbody",
    "posttext",
    "postentry",
    "storybody",
    "storycontent",
    "storytext",
    "blogcontent",
    "newscontent",
    "newstext",
    "newsbody",
    "contentbody",
    "maintext",
    "richtext",
    "bodytext",
    "textcontent",
    "contenttext",
    "txtcontent",
    "contentarticle",
    "artibody",
    "endtext",
    "contentmain",
    "xmlcontent",
    "zoomcontent",
];

/// Words of names that stand for the main part of a page.
const MAIN: &[&str] = &["article", "content", "main", "story", "post", "entry", "body", "text"];

/// Words of names that stand for something beside the main content. A word of a name must equal
/// one of these: `ad` is an advertisement, but `header` has nothing to do with one.
const BOILERPLATE_WORDS: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "advertorial",
    "aside",
    "banner",
    "breadcrumb",
    "breadcrumbs",
    "byline",
    "bylines",
    "caption",
    "captions",
    "catlinks",
    "combx",
    "comment",
    "comments",
    "community",
    "consent",
    "contentinfo",
    "cookie",
    "cookies",
    "copyright",
    "credit",
    "credits",
    "dateline",
    "dialog",
    "disclaimer",
    "disqus",
    "donate",
    "dropdown",
    "editsection",
    "figcaption",
    "foot",
    "footer",
    "footnote",
    "footnotes",
    "gallery",
    "gdpr",
    "infobox",
    "jumplinks",
    "legends",
    "license",
    "login",
    "masthead",
    "menu",
    "meta",
    "metadata",
    "modal",
    "most",
    "nav",
    "navbar",
    "navbox",
    "navigation",
    "newsletter",
    "noprint",
    "outbrain",
    "overlay",
    "pager",
    "pagination",
    "paywall",
    "popular",
    "popup",
    "promo",
    "promos",
    "promotion",
    "rail",
    "rating",
    "recirc",
    "recirculation",
    "recommend",
    "recommendation",
    "recommendations",
    "recommended",
    "reflist",
    "related",
    "relevant",
    "reply",
    "respond",
    "rss",
    "search",
    "share",
    "sharedaddy",
    "sharing",
    "shoutbox",
    "sidebar",
    "signup",
    "skip",
    "slideshow",
    "social",
    "socials",
    "sponsor",
    "sponsored",
    "subscribe",
    "subscription",
    "survey",
    "taboola",
    "tag",
    "tags",
    "teaser",
    "teasers",
    "toc",
    "toctext",
    "tool",
    "toolbar",
    "tools",
    "tooltip",
    "trending",
    "upsell",
    "video",
    "vote",
    "widget",
    "widgets",
    "yahoo",
    "zergnet",
];

/// Parts of names that stand for something beside the main content, wherever they occur.
const BOILERPLATE_PARTS: &[&str] = &[
    "advert",
    "breadcrumb",
    "cookie",
    "disqus",
    "newsletter",
    "outbrain",
    "readmore",
    "recommend",
    "related",
    "sharebar",
    "sharing",
    "sidebar",
    "signup",
    "social",
    "sponsor",
    "subscri",
    "taboola",
    "trending",
    "authorbio",
    "aboutauthor",
    "aboutthe",
    "morefrom",
    "mostread",
    "mostpopular",
    "readnext",
    "copyright",
    "moreon",
    "alsoread",
    "seealso",
    "sharetool",
    "sharebutton",
    "sharelink",
    "printonly",
    "userinfo",
    "authorbox",
    "authorinfo",
    "keepreading",
];

/// Reads hints, and remembers those of class names, which repeat on a page.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    known: HashMap<StrTendril, Hint>,
}

/// Maximum number of class attributes that are remembered.
const REMEMBERED: usize = 4_096;
/// Maximum length of a class attribute that is remembered.
const LONGEST: usize = 128;

impl Hints {
    /// Reads the attributes of an element.
    pub(crate) fn of(&mut self, attributes: &[Attribute]) -> Hint {
        let mut hint = Hint::None;
        for attribute in attributes {
            let found = match attribute.name.local {
                local_name!("class") => self.of_class(&attribute.value),
                _ => Hint::of_attribute(&attribute.name.local, &attribute.value),
            };
            hint = hint.stronger(found);
        }
        hint
    }

    fn of_class(&mut self, value: &StrTendril) -> Hint {
        if let Some(hint) = self.known.get(value) {
            return *hint;
        }
        let hint = Hint::of_names(value);
        if self.known.len() < REMEMBERED && value.len() <= LONGEST {
            self.known.insert(value.clone(), hint);
        }
        hint
    }
}

impl Hint {
    fn of_attribute(name: &LocalName, value: &str) -> Self {
        match *name {
            local_name!("id") => Self::of_names(value),
            local_name!("itemprop") => match value {
                "articleBody" | "reviewBody" => Self::ArticleBody,
                "author" | "datePublished" | "dateModified" | "comment" => Self::Boilerplate,
                _ => Self::None,
            },
            local_name!("role") => match value {
                "main" | "article" => Self::Main,
                "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "dialog"
                | "menu" | "menubar" | "alertdialog" | "toolbar" | "alert" => Self::Boilerplate,
                _ => Self::None,
            },
            local_name!("style") => {
                let style: String =
                    value.chars().filter(|c| !c.is_whitespace()).take(400).collect();
                let style = style.to_ascii_lowercase();
                let is_hidden =
                    style.contains("display:none") || style.contains("visibility:hidden");
                if is_hidden { Self::Hidden } else { Self::None }
            }
            local_name!("hidden") => Self::Hidden,
            local_name!("aria-hidden") if value == "true" => Self::Hidden,
            _ => Self::None,
        }
    }

    /// Reads a class attribute or an identifier.
    fn of_names(value: &str) -> Self {
        let mut hint = Self::None;
        for name in value.split_ascii_whitespace().take(12) {
            if name.len() <= 80 {
                hint = hint.stronger(Self::of_name(name));
            }
        }
        hint
    }

    fn of_name(name: &str) -> Self {
        let mut joined = String::with_capacity(name.len());
        let mut words = Words::default();
        for c in name.chars() {
            if c.is_ascii_alphabetic() {
                words.push(c);
                joined.push(c.to_ascii_lowercase());
            } else {
                words.end();
            }
        }
        words.end();
        if ARTICLE.iter().any(|it| joined.contains(it)) {
            let spoils = ["header", "footer", "meta", "related", "share", "list", "tools", "ad"];
            if !words.all.iter().any(|word| spoils.contains(&word.as_str())) {
                return Self::Article;
            }
        }
        if words.all.iter().any(|word| word == "embed") {
            return Self::None;
        }
        let is_boilerplate = |word: &String| BOILERPLATE_WORDS.binary_search(&&**word).is_ok();
        if words.all.iter().any(is_boilerplate)
            || BOILERPLATE_PARTS.iter().any(|it| joined.contains(it))
        {
            return Self::Boilerplate;
        }
        if words.all.iter().any(|word| MAIN.contains(&word.as_str())) {
            return Self::Main;
        }
        Self::None
    }

    /// Returns the hint that outweighs the other.
    fn stronger(self, other: Self) -> Self {
        let rank = |hint: Self| match hint {
            Self::None => 0,
            Self::Main => 1,
            Self::Boilerplate => 2,
            Self::Article => 3,
            Self::Hidden => 4,
            Self::ArticleBody => 5,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// The words of a name, which end at separators and at capital letters: `navBar`, `nav-bar`.
#[derive(Default)]
struct Words {
    all: Vec<String>,
    current: String,
    ends_low: bool,
}

impl Words {
    fn push(&mut self, c: char) {
        if c.is_ascii_uppercase() && self.ends_low {
            self.end();
        }
        self.ends_low = c.is_ascii_lowercase();
        self.current.push(c.to_ascii_lowercase());
    }

    fn end(&mut self) {
        self.ends_low = false;
        if !self.current.is_empty() {
            self.all.push(std::mem::take(&mut self.current));
        }
    }
}
