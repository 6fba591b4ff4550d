//! Writes the HTML of pages: head, navigation, sidebar, adverts and footer around the content, in
//! four layouts.

use super::host::{Charset, WovenHost};
use super::plan::{Block, Kind, PER_DIRECTORY, PageId, Plan, Target};
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
    words: &'static Words,
}

/// A page that is being written.
struct PageBuilder<'p> {
    writer: Writer<'p>,
    host: &'p WovenHost,
    out: String,
    links: Vec<WrittenLink>,
    random: RandomStream,
}

/// The content of the `<head>`.
struct Head {
    title: String,
    keywords: Vec<String>,
    description: String,
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
            out: String::with_capacity(8_192),
            links: Vec::new(),
            random: RandomStream::new(self.plan.settings.seed, "page", u64::from(id)),
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

    /// Returns the name of a topic on pages.
    fn name(&self, label: u16) -> String {
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
    fn push(&mut self, piece: &str) {
        self.out.push_str(piece);
    }

    /// Appends text, with the special characters of HTML escaped.
    fn text(&mut self, text: &str) {
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

    fn link(&mut self, to: String, kind: &'static str, anchor: &str, attributes: &str) {
        self.push("<a href=\"");
        self.text(&to);
        self.push("\"");
        self.push(attributes);
        self.push(">");
        self.text(anchor);
        self.push("</a>");
        self.links.push(WrittenLink { to, kind, anchor: anchor.to_owned() });
    }

    fn link_page(&mut self, id: PageId, kind: &'static str, anchor: &str) {
        let to = self.writer.urls.page(id);
        self.link(to, kind, anchor, "");
    }

    fn title_of(&self, id: PageId) -> String {
        let of = match self.writer.plan.pages[id as usize].kind {
            Kind::Duplicate(of) => of,
            _ => id,
        };
        self.writer.texts.title(self.writer.plan.articles[of as usize].draft)
    }

    /// Returns the anchor text of a link to an article: its title, the start of the title, or a
    /// generic phrase.
    fn anchor_of(&mut self, id: PageId) -> String {
        if self.random.happens(self.writer.plan.settings.generic_anchors) {
            return self.random.pick(self.writer.words.more).to_owned();
        }
        let title = self.title_of(id);
        if self.random.happens(0.3) { shortened(&title, 14) } else { title }
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

    fn begin(&mut self, head: &Head) {
        let words = self.writer.words;
        let declared = match self.host.charset {
            Charset::Gbk => "gbk",
            Charset::Utf8 => "utf-8",
            Charset::Utf8Misdeclared => "gb2312",
        };
        self.push("<!DOCTYPE html>\n<html lang=\"");
        self.push(words.language);
        self.push("\">\n<head>\n<meta charset=\"");
        self.push(declared);
        self.push("\">\n<title>");
        self.text(&head.title);
        self.push("</title>\n");
        if !head.keywords.is_empty() && self.host.theme != 3 {
            self.push("<meta name=\"keywords\" content=\"");
            self.text(&head.keywords.join(","));
            self.push("\">\n");
        }
        if !head.description.is_empty() && self.host.theme != 2 {
            self.push("<meta name=\"description\" content=\"");
            self.text(&head.description);
            self.push("\">\n");
        }
        self.push(
            "<style>body{margin:0;font:15px/1.6 sans-serif}.wrap{width:960px;margin:auto}.side{float:right;width:280px}\
             .nav li{display:inline;margin-right:1em}</style>\n</head>\n<body>\n<div class=\"wrap\">\n",
        );
        self.navigation();
        let main = match self.host.theme {
            0 => "<div class=\"main\">\n",
            1 => "<div class=\"outer\"><div class=\"inner\">\n",
            2 => "<table class=\"layout\"><tr><td>\n",
            _ => "<main>\n",
        };
        self.push(main);
    }

    fn navigation(&mut self) {
        let (host, words) = (self.host, self.writer.words);
        self.push("<div class=\"nav\"><ul>\n<li>");
        self.link_page(host.front, "navigation", words.home);
        self.push("</li>\n");
        for (label, section) in host.sections.iter().take(10) {
            self.push("<li>");
            let name = self.writer.name(*label);
            self.link_page(*section, "navigation", &name);
            self.push("</li>\n");
        }
        self.push("</ul></div>\n");
    }

    fn end(&mut self) {
        let main = match self.host.theme {
            0 => "</div>\n",
            1 => "</div></div>\n",
            2 => "</td></tr></table>\n",
            _ => "</main>\n",
        };
        self.push(main);
        self.sidebar();
        self.footer();
        self.push("</div>\n</body>\n</html>\n");
    }

    fn sidebar(&mut self) {
        let (host, words) = (self.host, self.writer.words);
        self.push("<div class=\"side\">\n");
        if !host.popular.is_empty() {
            self.push("<div class=\"hot\"><h3>");
            self.push(words.hot);
            self.push("</h3><ol>\n");
            for id in &host.popular {
                self.push("<li>");
                let title = self.title_of(*id);
                self.link_page(*id, "navigation", &title);
                self.push("</li>\n");
            }
            self.push("</ol></div>\n");
        }
        self.push("<div class=\"ad\"><p>");
        self.push(words.advert);
        self.push("</p>\n");
        for _ in 0..2 {
            let count = self.writer.plan.hosts.len();
            let other = self.random.below(count);
            let to = self.writer.urls.page(self.writer.plan.hosts[other].front);
            let text = self.random.pick(words.adverts);
            let attributes = if self.random.happens(0.5) { " rel=\"nofollow\"" } else { "" };
            self.push("<p>");
            self.link(to, "advert", text, attributes);
            self.push("</p>\n");
        }
        self.push("</div>\n</div>\n");
    }

    fn footer(&mut self) {
        let words = self.writer.words;
        self.push("<div class=\"footer\"><p>");
        self.push(words.friends);
        self.push(": ");
        for _ in 0..3 {
            let other = self.friend();
            let (front, title) =
                (self.writer.plan.hosts[other].front, self.writer.plan.hosts[other].title.clone());
            self.link_page(front, "friend", &title);
            self.push(" ");
        }
        self.push("</p><p>");
        self.text(words.footer);
        self.push("</p></div>\n");
    }

    /// Returns another host. With probability `locality`, it has the same main topic.
    fn friend(&mut self) -> usize {
        let plan = self.writer.plan;
        let all = plan.hosts.len();
        if self.random.happens(plan.settings.locality) {
            let alike: Vec<usize> = plan.hosts_on(self.host.main).take(200).collect();
            if !alike.is_empty() {
                return alike[self.random.below(alike.len())];
            }
        }
        self.random.below(all)
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
        let (open, close) = match self.host.theme {
            0 => ("<div class=\"box\"><div class=\"text\">\n", "</div></div>\n"),
            1 => ("<div class=\"content\">\n", "</div>\n"),
            2 => ("<div id=\"zoom\">\n", "</div>\n"),
            _ => ("<article>\n", "</article>\n"),
        };
        self.push(open);
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
        self.push(close);
        self.related(id);
        let comment = self.writer.words.comment;
        self.push("<div class=\"comments\"><h4>");
        self.push(comment);
        self.push("</h4></div>\n");
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
        self.push("<div class=\"related\"><h3>");
        self.push(self.writer.words.related);
        self.push("</h3><ul>\n");
        for to in links {
            let anchor = match to {
                Target::Page(target) | Target::Old(target) => self.anchor_of(target),
                Target::Gone(..) => {
                    let label = self.writer.plan.articles[id as usize].draft.label;
                    shortened(&self.writer.texts.sentence(label, &mut self.random), 16)
                }
            };
            let kind = match to {
                Target::Page(target) => self.kind_of(target),
                Target::Old(_) | Target::Gone(..) => "content",
            };
            self.push("<li>");
            let url = self.writer.urls.target(to);
            self.link(url, kind, &anchor, "");
            self.push("</li>\n");
        }
        self.push("</ul></div>\n");
    }

    fn kind_of(&self, target: PageId) -> &'static str {
        match self.writer.plan.pages[target as usize].kind {
            Kind::Duplicate(_) => "copy",
            _ if self.writer.plan.articles[target as usize].island.is_some() => "island",
            _ => "content",
        }
    }

    /// Writes an entry of a list: a link with the title of an article, and a summary if
    /// `has_summary`.
    fn entry(&mut self, id: PageId, kind: &'static str, has_summary: bool) {
        let title = self.title_of(id);
        self.push("<li>");
        self.link_page(id, kind, &title);
        if has_summary {
            let summary = self.writer.texts.summary(self.writer.plan.articles[id as usize].draft);
            self.push("<p>");
            self.text(&summary);
            self.push("</p>");
        }
        self.push("</li>\n");
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
        self.push("</p>\n<div class=\"sections\"><ul>\n");
        // The navigation has only the first ten sections.
        for (label, section) in &host.sections {
            self.push("<li>");
            let name = self.writer.name(*label);
            self.link_page(*section, "navigation", &name);
            self.push("</li>\n");
        }
        self.push("</ul></div>\n<div class=\"latest\"><ul>\n");
        for (_, section) in &host.sections {
            let Kind::Section { list, .. } = plan.pages[*section as usize].kind else { continue };
            for id in plan.lists[list as usize].iter().take(if host.is_portal { 3 } else { 10 }) {
                self.entry(*id, "hub", false);
            }
        }
        self.push("</ul></div>\n");
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
        self.push("<div class=\"sites\"><ul>\n");
        for portal in &plan.hosts[..plan.portals] {
            self.push("<li>");
            self.link_page(portal.front, "friend", &portal.title);
            self.push("</li>\n");
        }
        for (label, pages) in plan.directories.iter().enumerate() {
            let Some(first) = pages.first() else { continue };
            let name = format!(
                "{} {}",
                self.writer.name(u16::try_from(label).unwrap_or(0)),
                self.writer.words.sites
            );
            self.push("<li>");
            self.link_page(*first, "navigation", &name);
            self.push("</li>\n");
        }
        let is_own = |id: &&PageId| {
            let host = plan.pages[**id as usize].host;
            plan.hosts[host as usize].front == self.host.front
        };
        let own: Vec<PageId> = plan.channel_pages.iter().filter(is_own).copied().take(30).collect();
        for (at, id) in own.into_iter().enumerate() {
            let name = format!("{} {}", self.writer.words.channel, at + 1);
            self.push("<li>");
            self.link_page(id, "navigation", &name);
            self.push("</li>\n");
        }
        self.push("</ul></div>\n");
    }

    fn section(&mut self, id: PageId, label: u16, number: u32, list: u32) {
        let name = self.writer.name(label);
        let keywords = self.keywords(label, 5);
        let title = format!("{name} {} - {}", number + 1, self.host.title);
        self.begin(&Head { title, keywords, description: String::new() });
        self.push("<h1>");
        self.text(&name);
        self.push("</h1>\n<div class=\"list\"><ul>\n");
        for article in &self.writer.plan.lists[list as usize] {
            self.entry(*article, "hub", true);
        }
        self.push("</ul></div>\n<div class=\"pages\">");
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
        self.push("</div>\n");
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
        self.push("<div class=\"pages\">");
        // The next channel of the same portal.
        if let Some(next) = plan.channel_pages.get(number as usize + plan.portals) {
            self.link_page(*next, "navigation", words.next);
        }
        self.push("</div>\n");
        self.end();
    }

    fn block(&mut self, block: &Block) {
        let name = self.writer.name(block.label);
        self.push("<div class=\"block\"><h2>");
        self.text(&name);
        self.push("</h2><ul>\n");
        for id in &block.articles {
            self.entry(*id, "hub", true);
        }
        for id in &block.hidden {
            self.entry(*id, "tunnel", true);
        }
        self.push("</ul></div>\n");
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
        self.push("</h1>\n<div class=\"list\"><ul>\n");
        let hosts =
            plan.hosts_on(label).skip(usize::from(number) * PER_DIRECTORY).take(PER_DIRECTORY);
        for host in hosts {
            self.push("<li>");
            let text = format!("{} {name}", plan.hosts[host].title);
            self.link_page(plan.hosts[host].front, "hub", &text);
            self.push("</li>\n");
        }
        self.push("</ul></div>\n<div class=\"pages\">");
        if let Some(next) = plan.directories[usize::from(label)].get(usize::from(number) + 1) {
            self.link_page(*next, "navigation", self.writer.words.next);
        }
        self.push("</div>\n");
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
        self.push("</tr></table>\n<div class=\"pages\">");
        if month > 0 {
            self.link_page(id - 1, "trap", words.previous);
        }
        // The link of the last month leads to a page that does not exist.
        let next = month + 1;
        let to = format!(
            "http://{}/calendar/{}/{:02}/",
            self.host.name,
            2020 + next / 12,
            next % 12 + 1
        );
        self.link(to, "trap", words.next, "");
        self.push("</div>\n");
        self.end();
    }
}
