//! The links between the pages of a web, and which pages are relevant.

use std::collections::VecDeque;

use ontrail_crawl::{Labels, Response, canonical};
use ontrail_page::{Html, Source};
use rayon::prelude::*;
use url::Url;

use crate::web::LoadedWeb;

/// The distance of a page from which no relevant page can be reached.
pub(super) const FAR: u32 = u32::MAX;

/// The links of a web. Pages have the numbers that the web gives them.
#[derive(Debug, Clone)]
pub(super) struct LinkGraph {
    /// The pages that link to each page; a redirect links to its target.
    parents: Vec<Vec<u32>>,
    /// The target of each redirect.
    redirects: Vec<Option<u32>>,
    is_relevant: Vec<bool>,
}

impl LinkGraph {
    /// Reads the links of all pages that a crawler would follow.
    pub(super) fn of(web: &LoadedWeb, labels: &Labels) -> Self {
        let pages = web.urls();
        let links: Vec<Links> = pages
            .par_iter()
            .map(|url| match (Url::parse(url), web.get(url)) {
                (Ok(url), Some(response)) => links_of(web, &url, response),
                _ => Links::default(),
            })
            .collect();
        let mut parents = vec![Vec::new(); pages.len()];
        for (from, links) in (0..).zip(&links) {
            links.targets.iter().for_each(|to| parents[*to as usize].push(from));
        }
        let is_relevant = |(url, links): (&&str, &Links)| {
            links.is_page && labels.label(url).is_some_and(|label| labels.is_relevant(label))
        };
        Self {
            parents,
            is_relevant: pages.iter().zip(&links).map(is_relevant).collect(),
            redirects: links.iter().map(|it| it.redirect).collect(),
        }
    }

    /// Returns the page that a URL leads to, through redirects.
    pub(super) fn end_of(&self, page: u32) -> u32 {
        const MOST_REDIRECTS: usize = 10;
        let next = |page: &u32| self.redirects[*page as usize];
        std::iter::successors(Some(page), next).take(MOST_REDIRECTS).last().unwrap_or(page)
    }

    pub(super) fn is_relevant(&self, page: u32) -> bool {
        self.is_relevant[page as usize]
    }

    /// Returns the number of links from each page to the nearest relevant page that is not done,
    /// over pages that are not done: breadth-first from all those pages, against the links.
    pub(super) fn distances(&self, is_done: &[bool]) -> Vec<u32> {
        let mut distances = vec![FAR; self.parents.len()];
        let mut open: VecDeque<u32> = (0..)
            .zip(self.is_relevant.iter().zip(is_done))
            .filter_map(|(page, (is_relevant, is_done))| (*is_relevant && !is_done).then_some(page))
            .collect();
        open.iter().for_each(|page| distances[*page as usize] = 0);
        while let Some(page) = open.pop_front() {
            let distance = distances[page as usize] + 1;
            for parent in &self.parents[page as usize] {
                if distances[*parent as usize] == FAR && !is_done[*parent as usize] {
                    distances[*parent as usize] = distance;
                    open.push_back(*parent);
                }
            }
        }
        distances
    }
}

/// The links of one page.
#[derive(Debug, Clone, Default)]
struct Links {
    targets: Vec<u32>,
    redirect: Option<u32>,
    /// True if the server sent a page, and neither an error nor a redirect.
    is_page: bool,
}

fn links_of(web: &LoadedWeb, url: &Url, response: &Response) -> Links {
    let place = |url: Url| web.place(canonical(url)?.as_str());
    if let Some(location) = response.location() {
        let redirect = url.join(&location).ok().and_then(place);
        return Links { targets: redirect.into_iter().collect(), redirect, is_page: false };
    }
    if !(200..300).contains(&response.status) {
        return Links::default();
    }
    let source = Source::at(url).with_content_type(response.header("content-type"));
    let html = Html::parse(&response.body, source);
    let mut targets: Vec<u32> = if html.robots.nofollow {
        Vec::new()
    } else {
        let followed = html.links.into_iter().filter(|link| !link.rel.nofollow);
        followed.filter_map(|link| place(link.url)).collect()
    };
    targets.sort_unstable();
    targets.dedup();
    Links { targets, redirect: None, is_page: true }
}
