//! One walk over the document tree, which collects the content of [`Html`].

use html5ever::{LocalName, local_name};
use ontrail_text::{CharsetSource, Language};
use url::Url;

use crate::collapse::push_collapsed;
use crate::content::main_texts;
use crate::date::date;
use crate::group::{LabelGroup, Tag};
use crate::html::{Div, Html};
use crate::limits::{Cuts, Limits};
use crate::link::{LinkKind, LinkPlace, PageLink, Rel};
use crate::linked::Linked;
use crate::metadata::{Metadata, language_tag};
use crate::paragraph::{Paragraph, Setting, Settings};
use crate::passage::Passages;
use crate::robots::{AgentRobots, RobotsMeta};
use crate::separation::Separation;
use crate::tag_path::tag_path;
use crate::tree::{Content, DOCUMENT, Element, NONE, Tree, is_unreadable};
use crate::url::resolve;

/// Maximum number of bytes that are kept of an anchor, a title or a meta text.
const TEXT_LIMIT: usize = 4_096;
/// Maximum number of bytes of text from which the language is guessed.
const LANGUAGE_SAMPLE: usize = 4_096;
/// The div that stands for the page outside every div.
const PAGE_DIV: u32 = 0;

pub(crate) struct Walk<'a> {
    tree: &'a Tree,
    /// For each node of the tree, true if it is a text of the main content.
    is_main: Vec<bool>,
    limits: &'a Limits,
    base: Option<Url>,
    has_base: bool,
    charset: &'static str,

    passages: Passages,
    paragraphs: Vec<Paragraph>,
    settings: Settings,
    /// The setting of the first text of the current paragraph, if it has any in the body.
    setting: Option<Setting>,
    divs: Vec<Div>,
    drafts: Vec<LinkDraft>,
    /// The open anchors; those without a usable URL are `None`. They nest only through tables.
    open_links: Vec<Option<usize>>,
    /// The node that is being visited.
    node: u32,
    /// The start of the current paragraph, in `passages` and in `drafts`.
    paragraph: (usize, usize),

    title: String,
    in_title: bool,
    language: Option<String>,
    canonical: Option<Url>,
    robots: RobotsMeta,
    agent_robots: AgentRobots,
    metadata: Metadata,
    /// The first date that a `<time>` names.
    time: Option<String>,
    links_cut: bool,
    sample: String,
}

/// A link that is still being collected.
#[derive(Debug)]
struct LinkDraft {
    url: Url,
    kind: LinkKind,
    anchor: String,
    /// The `alt` or `title` of an image in the anchor, which replaces missing anchor text.
    image: String,
    /// The element's own `alt` or `title`, which replaces a missing one of an image.
    own: String,
    rel: Rel,
    path: String,
    place: LinkPlace,
}

/// The place that an open element gives to the text in it.
#[derive(Debug, Clone, Copy)]
struct Frame {
    group: LabelGroup,
    div: Option<u32>,
    setting: Setting,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        tree: &'a Tree,
        limits: &'a Limits,
        url: Option<&Url>,
        charset: &'static str,
    ) -> Self {
        Self {
            tree,
            is_main: main_texts(tree),
            limits,
            base: url.cloned(),
            has_base: false,
            charset,
            passages: Passages::new(),
            paragraphs: Vec::new(),
            settings: Settings::default(),
            setting: None,
            divs: vec![Div::default()],
            drafts: Vec::new(),
            open_links: Vec::new(),
            node: DOCUMENT,
            paragraph: (0, 0),
            title: String::new(),
            in_title: false,
            language: None,
            canonical: None,
            robots: RobotsMeta::default(),
            agent_robots: AgentRobots::default(),
            metadata: Metadata::default(),
            time: None,
            links_cut: false,
            sample: String::new(),
        }
    }

    /// Makes all text main content, as in formats that have no menus.
    pub(crate) fn all_main(mut self) -> Self {
        self.is_main.fill(true);
        self
    }

    /// Visits the whole tree and returns the page.
    pub(crate) fn html(mut self) -> Html {
        self.visit_all();
        self.end_paragraph();
        self.finished()
    }

    /// Visits every node in document order, without recursion, since pages may nest to any depth.
    fn visit_all(&mut self) {
        let tree = self.tree;
        let mut frames =
            vec![Frame { group: LabelGroup::Other, div: None, setting: Setting::default() }];
        let mut id = DOCUMENT;
        loop {
            let node = &tree.nodes[id as usize];
            let outer = *frames.last().expect("the outermost frame is never popped");
            let mut child = NONE;
            match &node.content {
                Content::Root => child = node.first_child,
                Content::Text(text) => self.visit_text(text, outer, self.is_main[id as usize]),
                Content::Element(element) => {
                    self.node = id;
                    if let Some(inner) = self.enter(element, outer) {
                        child = node.first_child;
                        if child == NONE {
                            self.leave(element);
                        } else {
                            frames.push(inner);
                        }
                    }
                }
            }
            if child != NONE {
                id = child;
                continue;
            }
            // Go up to the nearest ancestor that has a next sibling.
            while tree.nodes[id as usize].next == NONE {
                id = tree.nodes[id as usize].parent;
                if id == NONE || id == DOCUMENT {
                    return;
                }
                if let Content::Element(element) = &tree.nodes[id as usize].content {
                    self.leave(element);
                    frames.pop();
                }
            }
            id = tree.nodes[id as usize].next;
        }
    }

    fn visit_text(&mut self, text: &str, frame: Frame, is_main: bool) {
        let tag = if self.in_title {
            Tag::Title
        } else if self.open_links.is_empty() {
            Tag::Other
        } else {
            Tag::Anchor
        };
        self.passages.push_at(text, frame.group, tag, frame.div);
        if self.setting.is_none() && frame.div.is_some() && !text.trim().is_empty() {
            self.setting = Some(frame.setting);
        }
        if is_main && !self.in_title {
            self.passages.mark_main();
        }
        if let Some(&Some(link)) = self.open_links.last() {
            push_collapsed(&mut self.drafts[link].anchor, text, TEXT_LIMIT);
        }
        if self.in_title {
            push_collapsed(&mut self.title, text, TEXT_LIMIT);
        }
    }

    /// Handles the start of an element. Returns the frame for its content, or `None` if the content
    /// is not readable text.
    fn enter(&mut self, element: &Element, outer: Frame) -> Option<Frame> {
        if is_unreadable(&element.name) {
            self.enter_unreadable(element, outer);
            return None;
        }
        let Some(name) = element.html_name() else {
            self.flush();
            return Some(outer);
        };
        self.separate(name);
        let mut inner = Frame {
            group: LabelGroup::of_element(name).unwrap_or(outer.group),
            div: outer.div,
            setting: self.settings.enter(name, outer.setting),
        };
        match *name {
            local_name!("html") => {
                self.language = element.attribute(&local_name!("lang")).and_then(language_tag);
            }
            local_name!("body") => inner.div = Some(PAGE_DIV),
            local_name!("div") => inner.div = Some(self.open_div(outer.div)),
            local_name!("title") => self.in_title = self.title.is_empty(),
            local_name!("base") => self.enter_base(element),
            local_name!("meta") => self.enter_meta(element, outer),
            // Strangers may write parts of the body, so only the head can declare a canonical URL.
            local_name!("link") if outer.div.is_none() => self.enter_link_element(element),
            local_name!("a") => {
                self.flush();
                let link =
                    self.add_link(element, &local_name!("href"), LinkKind::Anchor, outer.div);
                self.open_links.push(link);
            }
            local_name!("area") => {
                self.add_link(element, &local_name!("href"), LinkKind::Area, outer.div);
            }
            local_name!("frame") => {
                self.add_link(element, &local_name!("src"), LinkKind::Frame, outer.div);
            }
            local_name!("br") if self.passages.len() > self.paragraph.0 => {
                self.passages.break_line();
            }
            local_name!("img") => self.enter_image(element),
            local_name!("time") if self.time.is_none() => {
                self.time = element.attribute(&local_name!("datetime")).and_then(date);
            }
            _ => {}
        }
        Some(inner)
    }

    fn leave(&mut self, element: &Element) {
        let Some(name) = element.html_name() else {
            self.flush();
            return;
        };
        match *name {
            local_name!("a") => {
                self.flush();
                if let Some(link) = self.open_links.pop().flatten() {
                    self.drafts[link].place.passages.end = self.passages.len();
                }
            }
            local_name!("title") => self.in_title = false,
            _ => {}
        }
        self.settings.leave(name);
        self.separate(name);
    }

    /// Ends a word or a paragraph at the start or end of an element.
    fn separate(&mut self, name: &LocalName) {
        match Separation::of(name) {
            Separation::None => {}
            Separation::Word => self.flush(),
            Separation::Paragraph => self.end_paragraph(),
        }
    }

    fn enter_unreadable(&mut self, element: &Element, outer: Frame) {
        if element.html_name() == Some(&local_name!("iframe")) {
            self.end_paragraph();
            self.add_link(element, &local_name!("src"), LinkKind::Frame, outer.div);
        }
    }

    fn open_div(&mut self, outer: Option<u32>) -> u32 {
        if let Some(outer) = outer {
            self.divs[outer as usize].has_inner = true;
        }
        self.divs.push(Div::default());
        u32::try_from(self.divs.len() - 1).expect("there are no more divs than nodes")
    }

    fn enter_meta(&mut self, element: &Element, outer: Frame) {
        let Some(content) = element.attribute(&local_name!("content")) else { return };
        let is = |attribute: &LocalName, value: &str| {
            element.attribute(attribute).is_some_and(|a| a.trim().eq_ignore_ascii_case(value))
        };
        let name = &local_name!("name");
        // Strangers may write parts of the body, so only the head describes the page.
        if outer.div.is_none() {
            self.note_metadata(element, content);
        }
        let equivalent = &local_name!("http-equiv");
        if is(name, "keywords") || is(name, "description") {
            let end = floor_boundary(content, TEXT_LIMIT);
            self.end_paragraph();
            self.passages.push_at(&content[..end], LabelGroup::Title, Tag::Meta, None);
            self.end_paragraph();
        } else if is(name, "robots") {
            self.robots.merge(content);
        } else if is(equivalent, "content-language") && self.language.is_none() {
            self.language = language_tag(content);
        } else if is(equivalent, "refresh")
            && let Some(href) = refresh_target(content)
        {
            self.push_draft(href, element, LinkKind::Refresh, outer.div);
        } else if let Some(name) = element.attribute(name) {
            self.agent_robots.merge(name.trim(), content);
        }
    }

    fn note_metadata(&mut self, element: &Element, content: &str) {
        let names = [local_name!("property"), local_name!("name"), local_name!("itemprop")];
        let mut metadata = std::mem::take(&mut self.metadata);
        for name in names.iter().filter_map(|name| element.attribute(name)) {
            metadata.note(name, content, |href| self.resolved(href));
        }
        self.metadata = metadata;
    }

    fn enter_link_element(&mut self, element: &Element) {
        let rel = element.attribute(&local_name!("rel")).unwrap_or_default();
        let is_canonical =
            rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case("canonical"));
        if is_canonical && self.canonical.is_none() {
            let href = element.attribute(&local_name!("href")).unwrap_or_default();
            self.canonical = self.resolved(href);
        }
    }

    fn enter_image(&mut self, element: &Element) {
        let Some(&Some(link)) = self.open_links.last() else { return };
        if self.drafts[link].image.is_empty() {
            self.drafts[link].image = caption(element);
        }
    }

    fn add_link(
        &mut self,
        element: &Element,
        attribute: &LocalName,
        kind: LinkKind,
        div: Option<u32>,
    ) -> Option<usize> {
        let href = element.attribute(attribute)?;
        self.push_draft(href, element, kind, div)
    }

    /// Adds a link if its URL is usable, and returns its index.
    fn push_draft(
        &mut self,
        href: &str,
        element: &Element,
        kind: LinkKind,
        div: Option<u32>,
    ) -> Option<usize> {
        let url = self.resolved(href)?;
        if self.drafts.len() >= self.limits.links {
            self.links_cut = true;
            return None;
        }
        let here = self.passages.len();
        let div = div.unwrap_or(PAGE_DIV);
        self.divs[div as usize].has_link = true;
        self.drafts.push(LinkDraft {
            url,
            kind,
            anchor: String::new(),
            image: String::new(),
            own: caption(element),
            rel: Rel::parse(element.attribute(&local_name!("rel")).unwrap_or_default()),
            path: tag_path(self.tree, self.node),
            place: LinkPlace {
                passages: here..here,
                paragraph: here..here,
                div,
                is_captioned: false,
            },
        });
        Some(self.drafts.len() - 1)
    }

    fn resolved(&self, href: &str) -> Option<Url> {
        if href.len() > self.limits.url {
            return None;
        }
        let url = match &self.base {
            Some(base) => resolve(base, href, self.charset)?,
            // If the page's own URL is unknown, its absolute links are still usable.
            None => resolve(&Url::parse(href.trim()).ok()?, "", self.charset)?,
        };
        (url.as_str().len() <= self.limits.url).then_some(url)
    }

    /// Resolves relative URLs against the first `<base href>` from now on.
    fn enter_base(&mut self, element: &Element) {
        let Some(href) = element.attribute(&local_name!("href")) else { return };
        if !self.has_base {
            self.has_base = true;
            self.base = self.resolved(href).or_else(|| self.base.take());
        }
    }

    /// Ends the current passage: no word extends beyond this point.
    fn flush(&mut self) {
        let before = self.passages.len();
        self.passages.end();
        if self.language.is_none()
            && self.sample.len() < LANGUAGE_SAMPLE
            && self.passages.len() > before
            && let Some(passage) = self.passages.last()
            && passage.is_in_body()
        {
            push_collapsed(&mut self.sample, passage.text(), LANGUAGE_SAMPLE);
        }
    }

    /// Ends the current paragraph, which is the context of the links in it.
    fn end_paragraph(&mut self) {
        self.flush();
        self.passages.end_paragraph();
        let (first_passage, first_link) = self.paragraph;
        let end = self.passages.len();
        for draft in &mut self.drafts[first_link..] {
            draft.place.paragraph = first_passage..end;
        }
        if let Some(setting) = self.setting.take() {
            self.paragraphs.push(Paragraph { passages: first_passage..end, setting });
        }
        self.paragraph = (end, self.drafts.len());
    }

    /// Assembles the page after all nodes have been visited.
    fn finished(mut self) -> Html {
        let mut metadata = std::mem::take(&mut self.metadata);
        metadata.note_linked(&Linked::of(&self.tree.linked), |href| self.resolved(href));
        let guessed = || Language::of(&self.sample).tag().map(str::to_owned);
        let main: Vec<bool> = self.passages.iter().map(|passage| passage.is_main()).collect();
        let links = self.drafts.into_iter().map(|draft| draft.link(&main)).collect();
        let mut title = self.title;
        title.truncate(title.trim_end().len());
        let declared = metadata.language.take();
        let language = self.language.or(declared).or_else(guessed);
        metadata.note_shown(&title, self.time.as_deref(), language.as_deref());
        Html {
            title,
            language,
            charset: self.charset,
            charset_source: CharsetSource::Guess,
            damaged: false,
            canonical: self.canonical,
            robots: self.robots,
            agent_robots: self.agent_robots,
            metadata,
            links,
            cuts: Cuts { links: self.links_cut, ..Cuts::default() },
            passages: self.passages,
            paragraphs: self.paragraphs,
            divs: self.divs,
        }
    }
}

impl LinkDraft {
    /// Makes the link. `main` says of each passage whether it is main content.
    fn link(self, main: &[bool]) -> PageLink {
        let Self { url, kind, mut anchor, image, own, rel, path, mut place } = self;
        anchor.truncate(anchor.trim_end().len());
        if anchor.is_empty() {
            place.is_captioned = true;
            anchor = if image.is_empty() { own } else { image };
        }
        let in_main = place.is_in(main);
        PageLink { url, kind, anchor, rel, path, in_main, place }
    }
}

/// Returns an element's `alt`, or else its `title`.
fn caption(element: &Element) -> String {
    let texts = [local_name!("alt"), local_name!("title")];
    let mut texts = texts.iter().filter_map(|name| element.attribute(name));
    let mut caption = String::new();
    if let Some(text) = texts.find(|text| !text.trim().is_empty()) {
        push_collapsed(&mut caption, text.trim(), TEXT_LIMIT);
    }
    caption
}

/// Returns the URL in the content of a refresh: `5; url='next.html'`.
fn refresh_target(content: &str) -> Option<&str> {
    let (_, rest) = content.split_once([';', ','])?;
    let target = match rest.split_once('=') {
        Some((name, target)) if name.trim().eq_ignore_ascii_case("url") => target,
        _ => rest,
    };
    let target = target.trim().trim_matches(['"', '\'']);
    (!target.is_empty()).then_some(target)
}

fn floor_boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
