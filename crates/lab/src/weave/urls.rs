//! The URLs and labels of a woven web's pages.

use super::plan::{Kind, Page, PageId, Plan, Target};
use super::texts::Texts;

/// The kinds of things that have opaque URLs.
const PAGES: u64 = 0;
const OLD: u64 = 1;
const GONE: u64 = 2;
const CALENDARS: u64 = 3;
const MONTHS: u64 = 4;

/// Computes the URLs and labels of pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Urls<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) texts: &'p Texts,
}

impl Urls<'_> {
    /// Returns the URL of a page.
    pub(crate) fn page(&self, id: PageId) -> String {
        let page = self.plan.pages[id as usize];
        let host = &self.plan.hosts[page.host as usize];
        if self.plan.settings.opaque_urls {
            return self.opaque(page, id);
        }
        let path = match page.kind {
            Kind::Article => self.article(id, host.url_style),
            Kind::Duplicate(of) => format!("mirror/{of}-{id}.html"),
            Kind::Front => String::new(),
            Kind::Section { label, number, .. } => {
                let slug = &self.texts.slugs[usize::from(label)];
                match number {
                    0 => format!("{slug}/"),
                    _ => format!("{slug}/index_{}.html", number + 1),
                }
            }
            Kind::Channel(number) => format!("channel/{number}.html"),
            Kind::Directory { label, number } => {
                format!("sites/{}-{}.html", self.texts.slugs[usize::from(label)], number + 1)
            }
            Kind::Calendar(month) => return self.month(page.host, month),
        };
        format!("http://{}/{path}", host.name)
    }

    /// Returns a URL whose path says nothing. Only front pages have one that can be guessed, and
    /// the months of a calendar share a folder, so that a robots.txt can name it.
    fn opaque(&self, page: Page, id: PageId) -> String {
        let host = &self.plan.hosts[page.host as usize];
        match page.kind {
            Kind::Front => format!("http://{}/", host.name),
            Kind::Calendar(month) => self.month(page.host, month),
            _ => format!("http://{}/{}", host.name, self.code(PAGES, u64::from(id))),
        }
    }

    /// Returns the URL of a month of a host's calendar, which need not exist.
    pub(crate) fn month(&self, host: u32, month: u16) -> String {
        let month = if self.plan.settings.opaque_urls {
            self.code(MONTHS, u64::from(host) << 16 | u64::from(month))
        } else {
            format!("{}/{:02}/", 2020 + month / 12, month % 12 + 1)
        };
        format!("http://{}{}{month}", self.plan.hosts[host as usize].name, self.calendar(host))
    }

    /// Returns the folder of a host's calendar.
    pub(crate) fn calendar(&self, host: u32) -> String {
        if self.plan.settings.opaque_urls {
            return format!("/{}/", self.code(CALENDARS, u64::from(host)));
        }
        "/calendar/".to_owned()
    }

    /// Returns sixteen letters and digits that stand for the number of a thing. Different things
    /// have different ones: every step can be undone.
    fn code(&self, kind: u64, number: u64) -> String {
        let mut mixed = (kind << 60 | number) ^ self.plan.settings.seed.rotate_left(20);
        for factor in [0xbf58_476d_1ce4_e5b9_u64, 0x94d0_49bb_1331_11eb] {
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(factor);
        }
        format!("{:016x}", mixed ^ (mixed >> 31))
    }

    fn article(&self, id: PageId, style: u8) -> String {
        let slug = &self.texts.slugs[usize::from(self.plan.articles[id as usize].draft.label)];
        match style {
            0 => format!("a/{id}.html"),
            1 => format!("2025/{:02}{:02}/{id}.html", id % 12 + 1, id % 28 + 1),
            2 => format!("news/show?id={id}"),
            _ => format!("{slug}/{id}.shtml"),
        }
    }

    /// Returns the URL that a link has.
    pub(crate) fn target(&self, target: Target) -> String {
        match target {
            Target::Page(id) => self.page(id),
            Target::Old(id) => self.old(id),
            Target::Gone(host, number) => {
                let name = &self.plan.hosts[host as usize].name;
                if self.plan.settings.opaque_urls {
                    return format!("http://{name}/{}", self.code(GONE, u64::from(number)));
                }
                format!("http://{name}/gone/{number}.html")
            }
        }
    }

    /// Returns the old URL of a page, which redirects to it.
    pub(crate) fn old(&self, id: PageId) -> String {
        let host = self.plan.pages[id as usize].host;
        let name = &self.plan.hosts[host as usize].name;
        if self.plan.settings.opaque_urls {
            return format!("http://{name}/{}", self.code(OLD, u64::from(id)));
        }
        format!("http://{name}/old/{id}.htm")
    }

    /// Returns the label and the kind of a page.
    pub(crate) fn label(&self, id: PageId) -> (String, &'static str) {
        let page = self.plan.pages[id as usize];
        let label = |label: u16| self.texts.labels[usize::from(label)].clone();
        let hub = |number: u16| format!("{}-hub", label(number));
        match page.kind {
            Kind::Article => {
                let article = &self.plan.articles[id as usize];
                let kind = match article {
                    it if it.island.is_some() => "hidden",
                    it if it.draft.is_copy => "near-duplicate",
                    it if it.draft.borrows.is_some() => "ambiguous",
                    _ => "article",
                };
                (label(article.draft.label), kind)
            }
            Kind::Duplicate(of) => {
                (label(self.plan.articles[of as usize].draft.label), "duplicate")
            }
            Kind::Front if self.plan.hosts[page.host as usize].is_portal => {
                ("portal".to_owned(), "front")
            }
            Kind::Front => (hub(self.plan.hosts[page.host as usize].main), "front"),
            Kind::Section { label, .. } => (hub(label), "section"),
            Kind::Channel(_) => ("portal".to_owned(), "channel"),
            Kind::Directory { label, .. } => (hub(label), "directory"),
            Kind::Calendar(_) => ("calendar".to_owned(), "calendar"),
        }
    }
}
