//! Where articles lead: pools that the attractive ones are drawn from more often, by topic and host.

use std::collections::HashMap;

use super::plan::{PageId, Plan, To, number};
use crate::dice::Dice;

/// The most links that an article has, navigation aside.
const MOST_LINKS: f64 = 1_000.0;
/// How often a link to an article elsewhere that has copies leads to one of them.
const TO_COPY: f64 = 0.3;

/// Articles to draw from, the attractive ones more often.
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

    pub(crate) fn draw(&self, dice: &mut Dice) -> Option<PageId> {
        let drawn = dice.unit() * self.sums.last()?;
        let at = self.sums.partition_point(|sum| *sum <= drawn);
        self.articles.get(at.min(self.articles.len() - 1)).copied()
    }
}

impl Plan {
    /// The articles of each topic that anyone may link to.
    pub(crate) fn pools_by_label(&self, topics: usize) -> Vec<Pool> {
        let mut pools: Vec<Pool> = (0..topics).map(|_| Pool::default()).collect();
        for (id, article) in self.articles.iter().enumerate() {
            if article.island.is_none() {
                pools[usize::from(article.draft.label)].add(number(id), article.fitness);
            }
        }
        pools
    }

    /// Draws where each article leads.
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

    /// The links of an article. Some hosts have nothing on other topics: a link that stays there then stays on the topic too, and the
    /// next one that leaves for the same topic goes to another instead (`debt`), so that both shares come out.
    fn links_of(
        &self,
        id: PageId,
        shares: &[f64],
        everywhere: &[Pool],
        here: &HashMap<(u32, u16), Pool>,
        debt: &mut u32,
    ) -> Vec<To> {
        let settings = &self.settings;
        let mut dice = self.dice("links", id as usize);
        let (host, own) = (self.pages[id as usize].host, self.articles[id as usize].draft.label);
        let count =
            dice.power_law(settings.out_exponent, f64::from(settings.least_links), MOST_LINKS);
        let mut links: Vec<To> = Vec::new();
        let mut targets: Vec<PageId> = vec![id];
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "1,000 at most"
        )]
        for _ in 0..count.round() as usize {
            let mut label = own;
            if !dice.happens(settings.locality) {
                label = other_label(shares, own, &mut dice);
            }
            let stays = dice.happens(settings.same_host);
            if stays && label != own {
                // Whatever else the host has, or the topic again.
                let others = (0..shares.len())
                    .filter_map(|it| u16::try_from(it).ok())
                    .filter(|it| *it != own);
                let there: Vec<u16> = others.filter(|it| here.contains_key(&(host, *it))).collect();
                if !there.contains(&label) {
                    label = if there.is_empty() { own } else { there[dice.below(there.len())] };
                    *debt += u32::from(label == own);
                }
            } else if !stays && label == own && *debt > 0 {
                label = other_label(shares, own, &mut dice);
                *debt -= 1;
            }
            let near = here.get(&(host, label)).filter(|_| stays);
            let pools = near.into_iter().chain([&everywhere[usize::from(label)]]);
            let mut tries = pools.flat_map(|pool| std::iter::repeat_n(pool, 8));
            let drawn =
                tries.find_map(|pool| pool.draw(&mut dice).filter(|it| !targets.contains(it)));
            let Some(target) = drawn else { continue };
            targets.push(target);
            let fate = dice.unit();
            links.push(match self.copies_at.get(&target) {
                _ if fate < settings.dead => To::Gone(self.pages[target as usize].host, id),
                _ if fate < settings.dead + settings.redirects => To::Old(target),
                Some(copies) if !stays && dice.happens(TO_COPY) => {
                    To::Page(copies[dice.below(copies.len())])
                }
                _ => To::Page(target),
            });
        }
        links
    }
}

/// From the way in to all, from all to the way in and to the next.
fn island_links(members: &[PageId], own: PageId) -> Vec<To> {
    let entry = members[0];
    let leads_to = |id: &&PageId| **id != own && (own == entry || **id == entry || **id > own);
    let most = if own == entry { usize::MAX } else { 2 };
    members.iter().filter(leads_to).take(most).map(|id| To::Page(*id)).collect()
}

fn other_label(shares: &[f64], own: u16, dice: &mut Dice) -> u16 {
    let others: f64 = shares.iter().sum::<f64>() - shares[usize::from(own)];
    let mut drawn = dice.unit() * others;
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
