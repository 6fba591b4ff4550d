//! Writes the HTML of pages: their content, in the sections of the template of their host.

use super::anchor::Anchor;
use super::host::{Charset, WovenHost};
use super::plan::{Block, Kind, PER_DIRECTORY, PageId, Plan, Target};
use super::template::{Section, Template};
use super::texts::{Texts, shortened};
use super::urls::Urls;
use super::words::Words;
use crate::random_stream::RandomStream;

/// The HTML of a page, and its links.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) html: String,
    pub(crate) links: Vec<WrittenLink>,
}

/// A link on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenLink {
    pub(crate) to: String,
    /// Its purpose: `content`, `island`, `hub`, `tunnel`, `navigation`, `copy`, `advert`, `friend`
    /// or `trap`.
    pub(crate) kind: &'static str,
    pub(crate) anchor: String,
}

/// Writes the pages of a plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writer<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) texts: &'p Texts,
    pub(crate) urls: Urls<'p>,
    pub(super) words: &'static Words,
}

/// A page that is being written.
pub(super) struct PageBuilder<'p> {
    pub(super) writer: Writer<'p>,
    pub(super) host: &'p WovenHost,
    pub(super) template: Template,
    out: String,
    links: Vec<WrittenLink>,
    pub(super) random: RandomStream,
    /// For the link texts that are no titles: a stream of its own, so that their share changes
    /// nothing else.
    anchors: RandomStream,
}

/// The content of the `<head>`.
pub(super) struct Head {
    pub(super) title: String,
    pub(super) keywords: Vec<String>,
    pub(super) description: String,
}

impl<'p> Writer<'p> {
    pub(crate) fn new(plan: &'p Plan, texts: &'p Texts) -> Self {
        Self { plan, texts, urls: Urls { plan, texts }, words: texts.words() }
    }

    /// Writes a page.
    pub(crate) fn write(&self, id: PageId) -> Written {
        let page = self.plan.pages[id as usize];
        if let Kind::Duplicate(of) = page.kind {
            return self.write(of);
        }
        let mut builder = PageBuilder {
            writer: *self,
            host: &self.plan.hosts[page.host as usize],
            template: self.template(page.host),
            out: String::with_capacity(8_192),
            links: Vec::new(),
            random: RandomStream::new(self.plan.settings.seed, "page", u64::from(id)),
            anchors: RandomStream::new(self.plan.settings.seed, "link texts", u64::from(id)),
        };
        match page.kind {
            Kind::Article | Kind::Duplicate(_) => builder.article(id),
            Kind::Front => builder.front(),
            Kind::Section { label, number, list } => builder.section(id, label, number, list),
            Kind::Channel(number) => builder.channel(number),
            Kind::Directory { label, number } => builder.directory(label, number),
            Kind::Calendar(month) => builder.calendar(id, month),
        }
        Written { html: builder.out, links: builder.links }
    }

    /// Returns the template of a host.
    fn template(&self, host: u32) -> Template {
        let settings = &self.plan.settings;
        let WovenHost { theme, title, .. } = &self.plan.hosts[host as usize];
        let mut random = RandomStream::new(settings.seed, "template", u64::from(host));
        let template = if settings.own_templates {
            Template::own(*theme, &mut random)
        } else {
            Template::plain(*theme)
        };
        template.with_boilerplate(settings.boilerplate, title, self.words, &mut random)
    }

    /// Returns the name of a topic on pages.
    pub(super) fn name(&self, label: u16) -> String {
        let label = &self.texts.labels[usize::from(label)];
        self.plan.settings.names.get(label).unwrap_or(label).clone()
    }

    /// Returns the charset of a page. A copy has that of its original.
    pub(crate) fn charset(&self, id: PageId) -> Charset {
        let page = self.plan.pages[id as usize];
        match page.kind {
            Kind::Duplicate(of) => self.charset(of),
            _ => self.plan.hosts[page.host as usize].charset,
        }
    }
}

impl PageBuilder<'_> {
    pub(super) fn push(&mut self, piece: &str) {
        self.out.push_str(piece);
    }

    /// Appends text, with the special characters of HTML escaped.
    pub(super) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                letter => self.out.push(letter),
            }
        }
    }

    pub(super) fn link(&mut self, to: String, kind: &'static str, anchor: &str, attributes: &str) {
        self.link_as(to, kind, &Anchor::Text(anchor.to_owned()), attributes);
    }

    fn link_as(&mut self, to: String, kind: &'static str, anchor: &Anchor, attributes: &str) {
        self.push("<a href=\"");
        self.text(&to);
        self.push("\"");
        self.push(attributes);
        self.push(">");
        match anchor {
            Anchor::Text(text) => self.text(text),
            Anchor::Image(number) => self.push(&format!("<img src=\"/img/{number}.jpg\">")),
        }
        self.push("</a>");
        self.links.push(WrittenLink { to, kind, anchor: anchor.text().to_owned() });
    }

    /// Begins a section of the page, with a heading if it has one.
    pub(super) fn open(&mut self, section: Section, heading: Option<&str>) {
        let frame = self.template.frame(section).clone();
        self.push(&frame.open);
        if let Some(heading) = heading {
            self.push(&frame.heading[0]);
            self.text(heading);
            self.push(&frame.heading[1]);
        }
        self.push(&frame.list);
    }

    pub(super) fn close(&mut self, section: Section) {
        self.push_text_of_template(|it| &it.frame(section).close);
    }

    pub(super) fn open_entry(&mut self, section: Section) {
        self.push_text_of_template(|it| &it.frame(section).entry[0]);
    }

    pub(super) fn close_entry(&mut self, section: Section) {
        self.push_text_of_template(|it| &it.frame(section).entry[1]);
    }

    /// Appends a piece of the template.
    pub(super) fn push_text_of_template(&mut self, piece: impl Fn(&Template) -> &str) {
        self.out.push_str(piece(&self.template));
    }

    pub(super) fn link_page(&mut self, id: PageId, kind: &'static str, anchor: &str) {
        let to = self.writer.urls.page(id);
        self.link(to, kind, anchor, "");
    }

    pub(super) fn title_of(&self, id: PageId) -> String {
        let of = match self.writer.plan.pages[id as usize].kind {
            Kind::Duplicate(of) => of,
            _ => id,
        };
        self.writer.texts.title(self.writer.plan.articles[of as usize].draft)
    }

    /// Returns the anchor text of a link in the text of an article: its title, the start of the
    /// title, or a generic phrase.
    fn anchor_of(&mut self, id: PageId) -> Anchor {
        let is_generic = self.random.happens(self.writer.plan.settings.generic_anchors);
        let plain = if is_generic {
            self.random.pick(self.writer.words.more).to_owned()
        } else {
            let title = self.title_of(id);
            if self.random.happens(0.3) { shortened(&title, 14) } else { title }
        };
        let has_others = self.writer.plan.settings.untitled_links > 0.0;
        if has_others { self.list_anchor(id) } else { Anchor::Text(plain) }
    }

    /// Returns the anchor text of a link in a list: the title, unless the settings want others.
    fn list_anchor(&mut self, id: PageId) -> Anchor {
        let title = self.title_of(id);
        let share = self.writer.plan.settings.untitled_links;
        if share > 0.0 && self.anchors.happens(share) {
            return Anchor::untitled(&title, self.writer.words, &mut self.anchors);
        }
        Anchor::Text(title)
    }

    fn keywords(&mut self, label: u16, count: usize) -> Vec<String> {
        let all = &self.writer.texts.keywords[usize::from(label)];
        let most = all.len();
        let picked = (0..count.min(most)).map(|_| all[self.random.below(most)].clone());
        let mut picked: Vec<String> = picked.collect();
        picked.sort();
        picked.dedup();
        picked
    }

    fn article(&mut self, id: PageId) {
        let article = &self.writer.plan.articles[id as usize];
        let label = article.draft.label;
        let wording = self.writer.texts.article(article.draft);
        let keywords = self.keywords(label, 5);
        let description =
            wording.paragraphs.first().map(|it| shortened(it, 70)).unwrap_or_default();
        let title = format!("{}_{}", wording.title, self.host.title);
        self.begin(&Head { title, keywords: keywords.clone(), description });
        self.push_text_of_template(|it| &it.text[0]);
        let heading = if self.host.theme == 2 { "h2" } else { "h1" };
        self.push(&format!("<{heading}>"));
        self.text(&wording.title);
        self.push(&format!("</{heading}>\n<p class=\"by\">"));
        let (month, day) = (id % 12 + 1, id % 28 + 1);
        let source =
            format!("2025-{month:02}-{day:02} {}{}", self.writer.words.source, self.host.title);
        self.text(&source);
        self.push("</p>\n");
        let bold = keywords.first().cloned().unwrap_or_default();
        for paragraph in &wording.paragraphs {
            self.paragraph(paragraph, &bold);
        }
        self.push_text_of_template(|it| &it.text[1]);
        self.related(id);
        self.teasers(id);
        self.open(Section::Comments, Some(self.writer.words.comment));
        self.close(Section::Comments);
        self.end();
    }

    /// Writes a paragraph, with a keyword of the topic in bold.
    fn paragraph(&mut self, text: &str, bold: &str) {
        self.push("<p>");
        match text.split_once(bold).filter(|_| !bold.is_empty() && self.host.theme != 1) {
            Some((before, after)) => {
                self.text(before);
                self.push("<strong>");
                self.text(bold);
                self.push("</strong>");
                self.text(after);
            }
            None => self.text(text),
        }
        self.push("</p>\n");
    }

    /// Writes the links of an article that are not navigation.
    fn related(&mut self, id: PageId) {
        let links = self.writer.plan.articles[id as usize].links.clone();
        self.open(Section::Related, Some(self.writer.words.related));
        for to in links {
            let anchor = match to {
                Target::Page(target) | Target::Old(target) => self.anchor_of(target),
                Target::Gone(..) => {
                    let label = self.writer.plan.articles[id as usize].draft.label;
                    let sentence = self.writer.texts.sentence(label, &mut self.random);
                    Anchor::Text(shortened(&sentence, 16))
                }
            };
            let kind = match to {
                Target::Page(target) => self.kind_of(target),
                Target::Old(_) | Target::Gone(..) => "content",
            };
            self.open_entry(Section::Related);
            let url = self.writer.urls.target(to);
            self.link_as(url, kind, &anchor, "");
            self.close_entry(Section::Related);
        }
        self.close(Section::Related);
    }

    /// Writes links to other articles of the host, on any topic, with their summaries.
    fn teasers(&mut self, id: PageId) {
        let (plan, host) = (self.writer.plan, self.host);
        let wanted = plan.settings.teasers as usize;
        if wanted == 0 || host.sections.is_empty() {
            return;
        }
        let mut random = RandomStream::new(plan.settings.seed, "teasers", u64::from(id));
        let mut chosen = vec![id];
        // A small host has fewer articles than wanted.
        for _ in 0..3 * wanted {
            let (_, section) = host.sections[random.below(host.sections.len())];
            let Kind::Section { list, .. } = plan.pages[section as usize].kind else { continue };
            let listed = &plan.lists[list as usize];
            let article = listed[random.below(listed.len())];
            if chosen.len() <= wanted && !chosen.contains(&article) {
                chosen.push(article);
            }
        }
        self.open(Section::Teasers, Some(self.writer.words.picks));
        for article in &chosen[1..] {
            self.entry(Section::Teasers, *article, "teaser", true);
        }
        self.close(Section::Teasers);
    }

    fn kind_of(&self, target: PageId) -> &'static str {
        match self.writer.plan.pages[target as usize].kind {
            Kind::Duplicate(_) => "copy",
            _ if self.writer.plan.articles[target as usize].island.is_some() => "island",
            _ => "content",
        }
    }

    /// Writes an entry of a list: a link to an article, and a summary if `has_summary`.
    fn entry(&mut self, section: Section, id: PageId, kind: &'static str, has_summary: bool) {
        let anchor = self.list_anchor(id);
        self.open_entry(section);
        let to = self.writer.urls.page(id);
        self.link_as(to, kind, &anchor, "");
        if has_summary {
            let summary = self.writer.texts.summary(self.writer.plan.articles[id as usize].draft);
            self.push("<p>");
            self.text(&summary);
            self.push("</p>");
        }
        self.close_entry(section);
    }

    fn front(&mut self) {
        let (host, words) = (self.host, self.writer.words);
        let plan = self.writer.plan;
        let label = self.writer.name(host.main);
        let keywords = if host.is_portal { Vec::new() } else { self.keywords(host.main, 6) };
        let title =
            if host.is_portal { host.title.clone() } else { format!("{} - {label}", host.title) };
        self.begin(&Head { title, keywords, description: words.welcome[0].to_owned() });
        self.push("<h1>");
        self.text(&host.title);
        self.push("</h1>\n<p>");
        let welcome = self.random.pick(words.welcome);
        self.text(welcome);
        self.push("</p>\n");
        self.open(Section::Sections, None);
        // The navigation has only the first ten sections.
        for (label, section) in &host.sections {
            self.open_entry(Section::Sections);
            let name = self.writer.name(*label);
            self.link_page(*section, "navigation", &name);
            self.close_entry(Section::Sections);
        }
        self.close(Section::Sections);
        self.open(Section::Latest, None);
        for (_, section) in &host.sections {
            let Kind::Section { list, .. } = plan.pages[*section as usize].kind else { continue };
            for id in plan.lists[list as usize].iter().take(if host.is_portal { 3 } else { 10 }) {
                self.entry(Section::Latest, *id, "hub", false);
            }
        }
        self.close(Section::Latest);
        if let Some(calendar) = host.calendar {
            self.push("<div><p>");
            self.link_page(calendar, "trap", words.calendar);
            self.push("</p></div>\n");
        }
        if host.is_portal {
            self.portal_front();
        }
        self.end();
    }

    /// Writes the parts that only the front pages of portals have: links to other portals, to
    /// directories of sites and to channels.
    fn portal_front(&mut self) {
        let plan = self.writer.plan;
        self.open(Section::Sites, None);
        for portal in &plan.hosts[..plan.portals] {
            self.open_entry(Section::Sites);
            self.link_page(portal.front, "friend", &portal.title);
            self.close_entry(Section::Sites);
        }
        for (label, pages) in plan.directories.iter().enumerate() {
            let Some(first) = pages.first() else { continue };
            let name = format!(
                "{} {}",
                self.writer.name(u16::try_from(label).unwrap_or(0)),
                self.writer.words.sites
            );
            self.open_entry(Section::Sites);
            self.link_page(*first, "navigation", &name);
            self.close_entry(Section::Sites);
        }
        let is_own = |id: &&PageId| {
            let host = plan.pages[**id as usize].host;
            plan.hosts[host as usize].front == self.host.front
        };
        let own: Vec<PageId> = plan.channel_pages.iter().filter(is_own).copied().take(30).collect();
        for (at, id) in own.into_iter().enumerate() {
            let name = format!("{} {}", self.writer.words.channel, at + 1);
            self.open_entry(Section::Sites);
            self.link_page(id, "navigation", &name);
            self.close_entry(Section::Sites);
        }
        self.close(Section::Sites);
    }

    fn section(&mut self, id: PageId, label: u16, number: u32, list: u32) {
        let name = self.writer.name(label);
        let keywords = self.keywords(label, 5);
        let title = format!("{name} {} - {}", number + 1, self.host.title);
        self.begin(&Head { title, keywords, description: String::new() });
        self.push("<h1>");
        self.text(&name);
        self.push("</h1>\n");
        self.open(Section::List, None);
        for article in &self.writer.plan.lists[list as usize] {
            self.entry(Section::List, *article, "hub", true);
        }
        self.close(Section::List);
        self.open(Section::Pages, None);
        let plan = self.writer.plan;
        let is_same = |it: PageId| {
            matches!(plan.pages.get(it as usize), Some(page) if page.host == plan.pages[id as usize].host
                && matches!(page.kind, Kind::Section { label: own, .. } if own == label))
        };
        if number > 0 {
            self.link_page(id - 1, "navigation", self.writer.words.previous);
        }
        if is_same(id + 1) {
            self.link_page(id + 1, "navigation", self.writer.words.next);
        }
        self.close(Section::Pages);
        self.end();
    }

    fn channel(&mut self, number: u32) {
        let words = self.writer.words;
        let plan = self.writer.plan;
        let title = format!("{} {number} - {}", words.channel, self.host.title);
        self.begin(&Head { title, keywords: Vec::new(), description: words.welcome[1].to_owned() });
        self.push("<h1>");
        self.push(words.channel);
        self.push("</h1>\n<p>");
        for welcome in words.welcome {
            self.text(welcome);
        }
        self.push("</p>\n");
        for block in &plan.channels[number as usize] {
            self.block(block);
        }
        self.open(Section::Pages, None);
        // The next channel of the same portal.
        if let Some(next) = plan.channel_pages.get(number as usize + plan.portals) {
            self.link_page(*next, "navigation", words.next);
        }
        self.close(Section::Pages);
        self.end();
    }

    fn block(&mut self, block: &Block) {
        let name = self.writer.name(block.label);
        self.open(Section::Block, Some(&name));
        for id in &block.articles {
            self.entry(Section::Block, *id, "hub", true);
        }
        for id in &block.hidden {
            self.entry(Section::Block, *id, "tunnel", true);
        }
        self.close(Section::Block);
    }

    fn directory(&mut self, label: u16, number: u16) {
        let plan = self.writer.plan;
        let name = self.writer.name(label);
        let keywords = self.keywords(label, 5);
        let title =
            format!("{name} {} {} - {}", self.writer.words.sites, number + 1, self.host.title);
        self.begin(&Head { title, keywords, description: String::new() });
        self.push("<h1>");
        self.text(&name);
        self.push("</h1>\n");
        self.open(Section::List, None);
        let hosts =
            plan.hosts_on(label).skip(usize::from(number) * PER_DIRECTORY).take(PER_DIRECTORY);
        for host in hosts {
            self.open_entry(Section::List);
            let text = format!("{} {name}", plan.hosts[host].title);
            self.link_page(plan.hosts[host].front, "hub", &text);
            self.close_entry(Section::List);
        }
        self.close(Section::List);
        self.open(Section::Pages, None);
        if let Some(next) = plan.directories[usize::from(label)].get(usize::from(number) + 1) {
            self.link_page(*next, "navigation", self.writer.words.next);
        }
        self.close(Section::Pages);
        self.end();
    }

    /// Writes a month of a calendar. Its days have no links; it links to the previous and the next
    /// month, without end.
    fn calendar(&mut self, id: PageId, month: u16) {
        let words = self.writer.words;
        let name = format!("{} {}-{:02}", words.calendar, 2020 + month / 12, month % 12 + 1);
        self.begin(&Head {
            title: format!("{name} - {}", self.host.title),
            keywords: Vec::new(),
            description: String::new(),
        });
        self.push("<h1>");
        self.text(&name);
        self.push("</h1>\n<table><tr>");
        for day in 1..=28 {
            self.push(&format!("<td>{day}</td>"));
            if day % 7 == 0 {
                self.push("</tr><tr>");
            }
        }
        self.push("</tr></table>\n");
        self.open(Section::Pages, None);
        if month > 0 {
            self.link_page(id - 1, "trap", words.previous);
        }
        // The link of the last month leads to a page that does not exist.
        let next = month + 1;
        let to = self.writer.urls.month(self.writer.plan.pages[id as usize].host, next);
        self.link(to, "trap", words.next, "");
        self.close(Section::Pages);
        self.end();
    }
}
