//! Chooses the links of articles. Targets are drawn from pools by topic and host, in which articles
//! with a greater fitness are drawn more often.

use std::collections::HashMap;

use super::plan::{PageId, Plan, Target, number};
use crate::random_stream::RandomStream;

/// Greatest number of links of an article, without navigation.
const MAX_LINKS: f64 = 1_000.0;
/// Probability that a link to an article on another host leads to one of its copies, if it has any.
const TO_COPY: f64 = 0.3;

/// Articles to draw from, with a probability proportional to their fitness.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    articles: Vec<PageId>,
    sums: Vec<f64>,
}

impl Pool {
    fn add(&mut self, article: PageId, fitness: f64) {
        self.articles.push(article);
        self.sums.push(self.sums.last().copied().unwrap_or(0.0) + fitness);
    }

    pub(crate) fn draw(&self, random: &mut RandomStream) -> Option<PageId> {
        let drawn = random.unit() * self.sums.last()?;
        let at = self.sums.partition_point(|sum| *sum <= drawn);
        self.articles.get(at.min(self.articles.len() - 1)).copied()
    }
}

impl Plan {
    /// Returns a pool for each topic, without articles on islands.
    pub(crate) fn pools_by_label(&self, topics: usize) -> Vec<Pool> {
        let mut pools: Vec<Pool> = (0..topics).map(|_| Pool::default()).collect();
        for (id, article) in self.articles.iter().enumerate() {
            if article.island.is_none() {
                pools[usize::from(article.draft.label)].add(number(id), article.fitness);
            }
        }
        pools
    }

    /// Draws the links of all articles.
    pub(crate) fn link_articles(&mut self, shares: &[f64]) {
        let everywhere = self.pools_by_label(shares.len());
        let mut here: HashMap<(u32, u16), Pool> = HashMap::new();
        for (id, article) in self.articles.iter().enumerate() {
            if article.island.is_none() {
                let key = (self.pages[id].host, article.draft.label);
                here.entry(key).or_default().add(number(id), article.fitness);
            }
        }
        let islands = self.islands();
        let mut debt = 0;
        for id in 0..self.articles.len() {
            let links = self.links_of(number(id), shares, &everywhere, &here, &mut debt);
            self.articles[id].links.extend(links);
            if let Some(island) = self.articles[id].island {
                let members = &islands[&island];
                self.articles[id].links.extend(island_links(members, number(id)));
            }
        }
    }

    fn islands(&self) -> HashMap<u32, Vec<PageId>> {
        let mut islands: HashMap<u32, Vec<PageId>> = HashMap::new();
        for (id, article) in self.articles.iter().enumerate() {
            if let Some(island) = article.island {
                islands.entry(island).or_default().push(number(id));
            }
        }
        islands
    }

    /// Draws the links of an article. Some hosts have no articles on other topics: a link that
    /// should stay on such a host but leave the topic then stays on the topic too, and a later link
    /// that leaves its host but not the topic changes the topic instead. `debt` counts these links,
    /// so that both `same_host` and `locality` are met.
    fn links_of(
        &self,
        id: PageId,
        shares: &[f64],
        everywhere: &[Pool],
        here: &HashMap<(u32, u16), Pool>,
        debt: &mut u32,
    ) -> Vec<Target> {
        let settings = &self.settings;
        let mut random = self.random("links", id as usize);
        let (host, own) = (self.pages[id as usize].host, self.articles[id as usize].draft.label);
        let count =
            random.power_law(settings.out_exponent, f64::from(settings.least_links), MAX_LINKS);
        let mut links: Vec<Target> = Vec::new();
        let mut targets: Vec<PageId> = vec![id];
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "1,000 at most"
        )]
        for _ in 0..count.round() as usize {
            let mut label = own;
            if !random.happens(settings.locality) {
                label = other_label(shares, own, &mut random);
            }
            let stays = random.happens(settings.same_host);
            if stays && label != own {
                // Another topic that the host has articles on, or else the same topic.
                let others = (0..shares.len())
                    .filter_map(|it| u16::try_from(it).ok())
                    .filter(|it| *it != own);
                let there: Vec<u16> = others.filter(|it| here.contains_key(&(host, *it))).collect();
                if !there.contains(&label) {
                    label = if there.is_empty() { own } else { there[random.below(there.len())] };
                    *debt += u32::from(label == own);
                }
            } else if !stays && label == own && *debt > 0 {
                label = other_label(shares, own, &mut random);
                *debt -= 1;
            }
            let near = here.get(&(host, label)).filter(|_| stays);
            let pools = near.into_iter().chain([&everywhere[usize::from(label)]]);
            let mut tries = pools.flat_map(|pool| std::iter::repeat_n(pool, 8));
            let drawn =
                tries.find_map(|pool| pool.draw(&mut random).filter(|it| !targets.contains(it)));
            let Some(target) = drawn else { continue };
            targets.push(target);
            let fate = random.unit();
            links.push(match self.copies_at.get(&target) {
                _ if fate < settings.dead => Target::Gone(self.pages[target as usize].host, id),
                _ if fate < settings.dead + settings.redirects => Target::Old(target),
                Some(copies) if !stays && random.happens(TO_COPY) => {
                    Target::Page(copies[random.below(copies.len())])
                }
                _ => Target::Page(target),
            });
        }
        links
    }
}

/// Returns the links within an island: the entry links to all other articles, and each of them
/// links to the entry and to the next one.
fn island_links(members: &[PageId], own: PageId) -> Vec<Target> {
    let entry = members[0];
    let leads_to = |id: &&PageId| **id != own && (own == entry || **id == entry || **id > own);
    let most = if own == entry { usize::MAX } else { 2 };
    members.iter().filter(leads_to).take(most).map(|id| Target::Page(*id)).collect()
}

/// Draws a topic other than `own`, with a probability proportional to its share.
fn other_label(shares: &[f64], own: u16, random: &mut RandomStream) -> u16 {
    let others: f64 = shares.iter().sum::<f64>() - shares[usize::from(own)];
    let mut drawn = random.unit() * others;
    let mut last = own;
    for (at, share) in shares.iter().enumerate().filter(|(at, _)| *at != usize::from(own)) {
        last = u16::try_from(at).unwrap_or(own);
        drawn -= share;
        if drawn < 0.0 {
            break;
        }
    }
    last
}
