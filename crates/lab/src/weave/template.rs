//! The markup around the content of a page: the tags and classes of its sections, and text that
//! stands on every page of a host. Hosts have one of four plain layouts, or a template of their
//! own, in which a section has other classes and another nesting than on other hosts.

use super::words::Words;
use crate::random_stream::RandomStream;

/// A section of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Navigation,
    /// The sections of the host, on its front page.
    Sections,
    Latest,
    /// The sites that a portal lists.
    Sites,
    /// The articles of a section page, or the hosts of a directory.
    List,
    /// One topic on a channel page.
    Block,
    Related,
    Teasers,
    /// The most read articles.
    Hot,
    Advert,
    Comments,
    /// Links to the next and the previous page.
    Pages,
    Footer,
}

/// Number of sections.
const SECTIONS: usize = 13;

/// The markup of a section: its begin, a heading, its entries, its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) open: String,
    /// Before and after the heading, if the section has one.
    pub(crate) heading: [String; 2],
    /// After the heading, before the first entry.
    pub(crate) list: String,
    pub(crate) entry: [String; 2],
    pub(crate) close: String,
}

/// The markup of a host's pages.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    frames: Vec<Frame>,
    /// Around the main part of a page.
    pub(crate) main: [String; 2],
    /// Around the text of an article.
    pub(crate) text: [String; 2],
    /// Around the column at the side.
    pub(crate) side: [String; 2],
    /// The paragraphs that stand above the content of every page, below it, and in the footer.
    pub(crate) above: Vec<String>,
    pub(crate) below: Vec<String>,
    pub(crate) foot: Vec<String>,
}

impl Template {
    /// Returns one of the four plain layouts.
    pub(crate) fn plain(theme: u8) -> Self {
        let frame = |class: &str, heading: &str, list: &str| Frame {
            open: format!("<div class=\"{class}\">"),
            heading: match heading {
                "" => Default::default(),
                tag => [format!("<{tag}>"), format!("</{tag}>")],
            },
            list: format!("<{list}>\n"),
            entry: ["<li>".to_owned(), "</li>\n".to_owned()],
            close: format!("</{list}></div>\n"),
        };
        let bare = |class: &str, heading: &str, line: &str| Frame {
            list: line.to_owned(),
            entry: ["<p>".to_owned(), "</p>\n".to_owned()],
            close: "</div>\n".to_owned(),
            ..frame(class, heading, "")
        };
        let (main, text) = match theme {
            0 => (
                ["<div class=\"main\">\n", "</div>\n"],
                ["<div class=\"box\"><div class=\"text\">\n", "</div></div>\n"],
            ),
            1 => (
                ["<div class=\"outer\"><div class=\"inner\">\n", "</div></div>\n"],
                ["<div class=\"content\">\n", "</div>\n"],
            ),
            2 => (
                ["<table class=\"layout\"><tr><td>\n", "</td></tr></table>\n"],
                ["<div id=\"zoom\">\n", "</div>\n"],
            ),
            _ => (["<main>\n", "</main>\n"], ["<article>\n", "</article>\n"]),
        };
        Self {
            frames: vec![
                frame("nav", "", "ul"),
                frame("sections", "", "ul"),
                frame("latest", "", "ul"),
                frame("sites", "", "ul"),
                frame("list", "", "ul"),
                frame("block", "h2", "ul"),
                frame("related", "h3", "ul"),
                frame("teasers", "h3", "ul"),
                frame("hot", "h3", "ol"),
                bare("ad", "p", "\n"),
                bare("comments", "h4", ""),
                bare("pages", "", ""),
                bare("footer", "", ""),
            ],
            main: main.map(str::to_owned),
            text: text.map(str::to_owned),
            side: ["<div class=\"side\">\n", "</div>\n"].map(str::to_owned),
            above: Vec::new(),
            below: Vec::new(),
            foot: Vec::new(),
        }
    }

    /// Returns a host's own template: other classes and another nesting for each section.
    pub(crate) fn own(theme: u8, random: &mut RandomStream) -> Self {
        let style = random.pick(&["", "m-", "c_", "mod-", "ui-", "box_", "g-"]);
        let class = |section: Section, random: &mut RandomStream| {
            format!("{style}{}", random.pick(section.classes()))
        };
        let frames = Section::ALL.map(|section| {
            let class = class(section, random);
            section.own_frame(&class, style, random)
        });
        let mut around = |tags: &[&str], classes: &[&str]| {
            let (tag, class) = (random.pick(tags), random.pick(classes));
            let outer = random.pick(&["", "wrapper", "col", "grid"]);
            let (open, close) = match outer {
                "" => (String::new(), ""),
                outer => (format!("<div class=\"{style}{outer}\">"), "</div>"),
            };
            [format!("{open}<{tag} class=\"{style}{class}\">\n"), format!("</{tag}>{close}\n")]
        };
        let html5 = theme == 3;
        let main = if html5 { "main" } else { "div" };
        let text = if html5 { "article" } else { "div" };
        Self {
            main: around(&[main], &["main", "middle", "left", "primary"]),
            text: around(&[text], &["text", "content", "article", "entry", "con", "TRS_Editor"]),
            side: around(&["div", "aside"], &["side", "right", "aside", "secondary"]),
            frames: frames.to_vec(),
            above: Vec::new(),
            below: Vec::new(),
            foot: Vec::new(),
        }
    }

    /// Returns the template with a number of paragraphs that stand on every page of the host.
    pub(crate) fn with_boilerplate(
        mut self,
        count: u32,
        site: &str,
        words: &Words,
        random: &mut RandomStream,
    ) -> Self {
        let mut left: Vec<&str> = words.boilerplate.to_vec();
        for at in 0..count {
            if left.is_empty() {
                break;
            }
            let text = left.swap_remove(random.below(left.len())).replace("{site}", site);
            // A quarter stands above the content, a quarter in the footer.
            match at % 4 {
                0 | 2 => self.below.push(text),
                1 => self.foot.push(text),
                _ => self.above.push(text),
            }
        }
        self
    }

    pub(crate) fn frame(&self, section: Section) -> &Frame {
        &self.frames[section as usize]
    }
}

impl Section {
    const ALL: [Self; SECTIONS] = [
        Self::Navigation,
        Self::Sections,
        Self::Latest,
        Self::Sites,
        Self::List,
        Self::Block,
        Self::Related,
        Self::Teasers,
        Self::Hot,
        Self::Advert,
        Self::Comments,
        Self::Pages,
        Self::Footer,
    ];

    /// Returns the classes that hosts give to the section. No two sections share one, so the path
    /// of tags and classes above a link tells the sections of a host apart.
    fn classes(self) -> &'static [&'static str] {
        match self {
            Self::Navigation => &["nav", "menu", "topbar", "navbar", "channels", "dh"],
            Self::Sections => &["sections", "columns", "lanmu", "topics"],
            Self::Latest => &["latest", "newest", "headlines", "roll"],
            Self::Sites => &["sites", "portals", "daohang", "partners"],
            Self::List => &["list", "newslist", "items", "archive", "list-box"],
            Self::Block => &["block", "panel", "zone", "special"],
            Self::Related => &["related", "relnews", "more-stories", "xg", "see-also", "rel-list"],
            Self::Teasers => &["teasers", "recommend", "editors", "picks", "tj", "feed"],
            Self::Hot => &["hot", "rank", "popular", "top-ten", "paihang"],
            Self::Advert => &["ad", "gg", "sponsor", "promo", "banner"],
            Self::Comments => &["comments", "talk", "pinglun", "replies"],
            Self::Pages => &["pages", "pager", "turn", "pagination"],
            Self::Footer => &["footer", "foot", "bottom", "copyright"],
        }
    }

    fn own_frame(self, class: &str, style: &str, random: &mut RandomStream) -> Frame {
        let tag = match self {
            Self::Navigation => random.pick(&["div", "nav", "header"]),
            Self::Footer => random.pick(&["div", "footer"]),
            Self::Related | Self::Teasers | Self::Hot => random.pick(&["div", "section", "aside"]),
            _ => random.pick(&["div", "section"]),
        };
        let (mut open, mut close) = (format!("<{tag} class=\"{class}\">"), format!("</{tag}>\n"));
        for _ in 0..random.below(3) {
            let inner = random.pick(&["inner", "bd", "wrap", "body", "cell"]);
            open += &format!("<div class=\"{style}{inner}\">");
            close = format!("</div>{close}");
        }
        let heading = match self {
            Self::Block => "h2",
            Self::Related | Self::Teasers | Self::Hot => random.pick(&["h3", "h4", "h5"]),
            Self::Advert | Self::Comments => random.pick(&["p", "h4"]),
            _ => "",
        };
        let heading = match heading {
            "" => Default::default(),
            tag => [format!("<{tag}>"), format!("</{tag}>\n")],
        };
        let is_bare = matches!(self, Self::Advert | Self::Comments | Self::Pages | Self::Footer);
        let (list, entry, end) = match random.below(if is_bare { 1 } else { 4 }) {
            0 if is_bare => ("", ["<p>", "</p>\n"], ""),
            0 => ("<ul>\n", ["<li>", "</li>\n"], "</ul>"),
            1 => ("<ul class=\"lines\">\n", ["<li class=\"line\">", "</li>\n"], "</ul>"),
            2 => ("<dl>\n", ["<dd>", "</dd>\n"], "</dl>"),
            _ => ("\n", ["<div class=\"item\">", "</div>\n"], ""),
        };
        Frame {
            open,
            heading,
            list: list.to_owned(),
            entry: entry.map(str::to_owned),
            close: format!("{end}{close}"),
        }
    }
}
