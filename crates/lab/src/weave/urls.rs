//! The URLs and labels of a woven web's pages.

use super::plan::{Kind, PageId, Plan, Target};
use super::texts::Texts;

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
            Kind::Calendar(month) => {
                format!("calendar/{}/{:02}/", 2020 + month / 12, month % 12 + 1)
            }
        };
        format!("http://{}/{path}", host.name)
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
                format!("http://{}/gone/{number}.html", self.plan.hosts[host as usize].name)
            }
        }
    }

    /// Returns the old URL of a page, which redirects to it.
    pub(crate) fn old(&self, id: PageId) -> String {
        let host = self.plan.pages[id as usize].host;
        format!("http://{}/old/{id}.htm", self.plan.hosts[host as usize].name)
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
