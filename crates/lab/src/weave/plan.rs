//! The plan of a web: its hosts, its pages, and the links of each article. Pages are written from
//! the plan one by one, so only the plan is in memory.

use std::collections::HashMap;

use super::allot::{Allotment, allot_all, portal_count};
use super::host::{WovenHost, hosts};
use super::settings::WeaveSettings;
use super::texts::{Draft, Texts};
use crate::random_stream::RandomStream;

/// Number of articles on a section page.
pub(crate) const PER_SECTION: usize = 20;
/// Number of hosts on a directory page.
pub(crate) const PER_DIRECTORY: usize = 40;
/// Number of blocks on a channel page of a portal.
const BLOCKS: usize = 8;
/// Number of articles in a block, without the hidden ones.
const PER_BLOCK: usize = 4;
/// Number of months in the calendar of one host, unless `traps` requires more.
const CALENDAR: usize = 120;
/// Number of seeds: articles for each topic, and portals for all topics together.
const SEEDS: usize = 10;

/// The number of a page. Articles come first.
pub(crate) type PageId = u32;

/// A page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) host: u32,
    pub(crate) kind: Kind,
}

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The article with the same number.
    Article,
    /// An exact copy of an article.
    Duplicate(PageId),
    Front,
    /// A list of articles. `number` counts the section pages of the same host and topic, from 0;
    /// `list` is the index in the plan's lists.
    Section {
        label: u16,
        number: u32,
        list: u32,
    },
    /// A page of a portal that mixes topics.
    Channel(u32),
    /// A list of hosts.
    Directory {
        label: u16,
        number: u16,
    },
    /// A month of a calendar.
    Calendar(u16),
}

/// An article.
#[derive(Debug, Clone)]
pub(crate) struct Article {
    pub(crate) draft: Draft,
    /// Weight with which it is drawn as the target of a link.
    pub(crate) fitness: f64,
    /// The island that it belongs to, if it can be reached only through portals.
    pub(crate) island: Option<u32>,
    pub(crate) links: Vec<Target>,
}

/// The target of a link of an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Page(PageId),
    /// The old URL of a page, which redirects to it.
    Old(PageId),
    /// A page that does not exist: a host, and a number for the URL.
    Gone(u32, u32),
}

/// A block of a channel page.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) label: u16,
    pub(crate) articles: Vec<PageId>,
    /// Entries of islands, which no other page links to.
    pub(crate) hidden: Vec<PageId>,
}

/// The plan of a web.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) settings: WeaveSettings,
    pub(crate) hosts: Vec<WovenHost>,
    pub(crate) pages: Vec<Page>,
    pub(crate) articles: Vec<Article>,
    /// The articles of each section page.
    pub(crate) lists: Vec<Vec<PageId>>,
    /// The blocks of each channel page.
    pub(crate) channels: Vec<Vec<Block>>,
    pub(crate) channel_pages: Vec<PageId>,
    /// The directory pages of each topic.
    pub(crate) directories: Vec<Vec<PageId>>,
    /// The exact copies of each article that has any.
    pub(crate) copies_at: HashMap<PageId, Vec<PageId>>,
    pub(crate) portals: usize,
}

impl Plan {
    /// Makes the plan of a web.
    pub(crate) fn new(settings: &WeaveSettings, texts: &Texts) -> Result<Self, String> {
        settings.check()?;
        let shares = settings.topic_shares(&texts.labels)?;
        let portals = portal_count(settings);
        let (allotment, copies) = allot_all(settings, &shares, portals);
        let mut plan = Self {
            settings: settings.clone(),
            hosts: hosts(settings, texts, &allotment.mains, portals),
            pages: Vec::new(),
            articles: Vec::new(),
            lists: Vec::new(),
            channels: Vec::new(),
            channel_pages: Vec::new(),
            directories: Vec::new(),
            copies_at: HashMap::new(),
            portals,
        };
        plan.add_articles(&allotment);
        plan.hide_islands();
        plan.copy_nearly();
        plan.add_copies(copies);
        plan.add_sections(texts.labels.len());
        plan.add_fronts();
        plan.add_calendars();
        plan.add_directories(texts.labels.len());
        // Channel pages make up the rest.
        let channels = (settings.pages as usize).saturating_sub(plan.pages.len()).max(portals);
        plan.add_channels(channels, texts.labels.len());
        plan.link_articles(&shares);
        Ok(plan)
    }

    pub(crate) fn random(&self, purpose: &str, number: usize) -> RandomStream {
        RandomStream::new(self.settings.seed, purpose, number as u64)
    }

    fn add_page(&mut self, host: usize, kind: Kind) -> PageId {
        let id = number(self.pages.len());
        self.pages.push(Page { host: number(host), kind });
        id
    }

    fn add_articles(&mut self, allotment: &Allotment) {
        let count: usize = allotment.labels.iter().map(Vec::len).sum();
        let topics = allotment.labels.iter().flatten().max().map_or(1, |most| most + 1);
        for (host, labels) in allotment.labels.iter().enumerate() {
            for label in labels {
                let id = self.add_page(host, Kind::Article);
                let mut random = self.random("draft", id as usize);
                let is_ambiguous = random.happens(self.settings.ambiguous);
                let other = u16::try_from(random.below(usize::from(topics) - 1)).unwrap_or(0);
                let other = if other >= *label { other + 1 } else { other };
                let seed = u64::from(id) ^ (self.settings.seed << 32);
                let borrows = is_ambiguous.then_some(other);
                let draft = Draft { label: *label, borrows, seed, is_copy: false };
                let fitness = random.power_law(self.settings.in_exponent, 1.0, count as f64);
                self.articles.push(Article { draft, fitness, island: None, links: Vec::new() });
            }
        }
    }

    /// Returns the articles by host and topic.
    fn groups(&self) -> Vec<((u32, u16), Vec<PageId>)> {
        let mut groups: Vec<((u32, u16), Vec<PageId>)> = Vec::new();
        let mut places: HashMap<(u32, u16), usize> = HashMap::new();
        for (id, article) in self.articles.iter().enumerate() {
            let key = (self.pages[id].host, article.draft.label);
            let at = *places.entry(key).or_insert_with(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            groups[at].1.push(number(id));
        }
        groups.sort_by_key(|(key, _)| *key);
        groups
    }

    /// Puts some articles on islands: groups on one host and one topic that can be reached only
    /// through portals.
    fn hide_islands(&mut self) {
        let wanted = share_of(self.settings.tunnels, self.articles.len());
        let mut groups = self.groups();
        let mut random = self.random("islands", 0);
        shuffle(&mut groups, &mut random);
        let (mut hidden, mut island) = (0, 0);
        // Each group gives a third of its articles in the first round, then half of the rest.
        for (round, share) in [3, 2].into_iter().enumerate() {
            for (_, articles) in &mut groups {
                if round == 0 {
                    shuffle(articles, &mut random);
                }
                let most = articles.len().div_ceil(share).min(articles.len().saturating_sub(1));
                let mut left = most.min(wanted - hidden);
                while left > 0 {
                    let size = (1 + random.below(2 * self.settings.island as usize - 1)).min(left);
                    for id in articles.drain(..size) {
                        self.articles[id as usize].island = Some(island);
                    }
                    (hidden, left, island) = (hidden + size, left - size, island + 1);
                }
            }
        }
    }

    /// Turns some articles into near duplicates of others on the same topic.
    fn copy_nearly(&mut self) {
        let wanted = share_of(self.settings.near_duplicates, self.settings.pages as usize);
        let mut by_label: HashMap<u16, Vec<PageId>> = HashMap::new();
        let mut open: Vec<PageId> = Vec::new();
        for (id, article) in self.articles.iter().enumerate() {
            if article.island.is_none() {
                by_label.entry(article.draft.label).or_default().push(number(id));
                open.push(number(id));
            }
        }
        let mut random = self.random("near copies", 0);
        shuffle(&mut open, &mut random);
        let mut is_used = vec![false; self.articles.len()];
        let mut made = 0;
        for copy in open {
            if made == wanted {
                break;
            }
            if is_used[copy as usize] {
                continue;
            }
            let originals = &by_label[&self.articles[copy as usize].draft.label];
            let original = originals[random.below(originals.len())];
            let is_elsewhere = self.pages[original as usize].host != self.pages[copy as usize].host;
            if is_elsewhere && !self.articles[original as usize].draft.is_copy {
                let draft = self.articles[original as usize].draft;
                self.articles[copy as usize].draft = Draft { is_copy: true, ..draft };
                (is_used[copy as usize], is_used[original as usize]) = (true, true);
                made += 1;
            }
        }
    }

    /// Adds exact copies of articles on other hosts.
    fn add_copies(&mut self, count: usize) {
        let open: Vec<PageId> = (0..number(self.articles.len()))
            .filter(|id| self.articles[*id as usize].island.is_none())
            .collect();
        let mut random = self.random("copies", 0);
        for _ in 0..count {
            let original = open[random.below(open.len())];
            // The copy is put on the host of an article that links to it. That is another host than
            // the original's, unless one host has nearly all articles.
            let host_of = |id: PageId| self.pages[id as usize].host;
            let mut at = open[random.below(open.len())];
            for _ in 0..20 {
                if host_of(at) != host_of(original) {
                    break;
                }
                at = open[random.below(open.len())];
            }
            let host = host_of(at) as usize;
            let copy = self.add_page(host, Kind::Duplicate(original));
            self.copies_at.entry(original).or_default().push(copy);
            self.articles[at as usize].links.push(Target::Page(copy));
        }
    }

    fn add_sections(&mut self, topics: usize) {
        for ((host, label), articles) in self.groups() {
            let mut open: Vec<PageId> = articles
                .into_iter()
                .filter(|id| self.articles[*id as usize].island.is_none())
                .collect();
            let mut random = self.random("section", host as usize * topics + usize::from(label));
            shuffle(&mut open, &mut random);
            for (at, list) in open.chunks(PER_SECTION).enumerate() {
                let section =
                    Kind::Section { label, number: number(at), list: number(self.lists.len()) };
                self.lists.push(list.to_vec());
                let id = self.add_page(host as usize, section);
                if at == 0 {
                    self.hosts[host as usize].sections.push((label, id));
                }
            }
        }
    }

    fn add_fronts(&mut self) {
        let mut by_host: Vec<Vec<PageId>> = vec![Vec::new(); self.hosts.len()];
        for (id, article) in self.articles.iter().enumerate() {
            if article.island.is_none() {
                by_host[self.pages[id].host as usize].push(number(id));
            }
        }
        for (host, mut articles) in by_host.into_iter().enumerate() {
            self.hosts[host].front = self.add_page(host, Kind::Front);
            let fitness = |id: &PageId| self.articles[*id as usize].fitness;
            articles.sort_by(|a, b| fitness(b).total_cmp(&fitness(a)).then(a.cmp(b)));
            articles.truncate(5);
            self.hosts[host].popular = articles;
        }
    }

    /// Gives some hosts a calendar.
    fn add_calendars(&mut self) {
        let mut left = share_of(self.settings.traps, self.settings.pages as usize);
        let longest = CALENDAR.max(left.div_ceil(self.hosts.len()));
        let mut order: Vec<usize> = (0..self.hosts.len()).collect();
        let mut random = self.random("calendars", 0);
        shuffle(&mut order, &mut random);
        for host in order {
            if left == 0 {
                break;
            }
            let months = left.min(longest);
            left -= months;
            for month in 0..months {
                let month = u16::try_from(month).unwrap_or(0);
                let id = self.add_page(host, Kind::Calendar(month));
                if month == 0 {
                    self.hosts[host].calendar = Some(id);
                }
            }
            self.hosts[host].forbids_calendar = random.happens(0.5);
        }
    }

    /// Returns the hosts with this main topic, without portals.
    pub(crate) fn hosts_on(&self, label: u16) -> impl Iterator<Item = usize> + '_ {
        (self.portals..self.hosts.len()).filter(move |host| self.hosts[*host].main == label)
    }

    fn add_directories(&mut self, topics: usize) {
        for label in 0..topics {
            let label = u16::try_from(label).unwrap_or(0);
            let pages = self.hosts_on(label).count().div_ceil(PER_DIRECTORY);
            let portal = usize::from(label) % self.portals;
            let page =
                |at: usize| Kind::Directory { label, number: u16::try_from(at).unwrap_or(0) };
            let made = (0..pages).map(|at| self.add_page(portal, page(at))).collect();
            self.directories.push(made);
        }
    }

    /// Adds the channel pages of portals, which mix topics and link to the islands.
    fn add_channels(&mut self, count: usize, topics: usize) {
        let mut entries: Vec<Vec<PageId>> = vec![Vec::new(); count];
        let mut seen = std::collections::HashSet::new();
        for (id, article) in self.articles.iter().enumerate() {
            if let Some(island) = article.island.filter(|island| seen.insert(*island)) {
                entries[island as usize % count].push(number(id));
            }
        }
        let pools = self.pools_by_label(topics);
        for (at, hidden) in entries.into_iter().enumerate() {
            let mut random = self.random("channel", at);
            let mut labels: Vec<u16> =
                hidden.iter().map(|id| self.articles[*id as usize].draft.label).collect();
            labels.sort_unstable();
            labels.dedup();
            let mut others: Vec<u16> = (0..topics)
                .filter_map(|it| u16::try_from(it).ok())
                .filter(|it| !labels.contains(it))
                .collect();
            shuffle(&mut others, &mut random);
            // Every channel page must mix topics.
            let more = BLOCKS.saturating_sub(labels.len()).max(2);
            labels.extend(others.into_iter().take(more));
            shuffle(&mut labels, &mut random);
            let blocks = labels.into_iter().map(|label| {
                let mut articles: Vec<PageId> = (0..PER_BLOCK)
                    .filter_map(|_| pools[usize::from(label)].draw(&mut random))
                    .collect();
                articles.sort_unstable();
                articles.dedup();
                let own = |id: &&PageId| self.articles[**id as usize].draft.label == label;
                Block { label, articles, hidden: hidden.iter().filter(own).copied().collect() }
            });
            let blocks = blocks.collect();
            self.channels.push(blocks);
            let id = self.add_page(at % self.portals, Kind::Channel(number(at)));
            self.channel_pages.push(id);
        }
    }

    /// Returns the seeds for any topic: the front pages of portals.
    pub(crate) fn seeds(&self) -> Vec<PageId> {
        self.hosts[..self.portals].iter().map(|host| host.front).take(SEEDS).collect()
    }

    /// Returns the seeds for a topic: the articles with the most incoming links, on different
    /// hosts, as a search engine would return them.
    pub(crate) fn seeds_on(&self, label: u16) -> Vec<PageId> {
        let mut found: Vec<PageId> = (0..number(self.articles.len()))
            .filter(|id| {
                let article = &self.articles[*id as usize];
                article.draft.label == label
                    && article.draft.borrows.is_none()
                    && article.island.is_none()
            })
            .collect();
        let fitness = |id: &PageId| self.articles[*id as usize].fitness;
        found.sort_by(|a, b| fitness(b).total_cmp(&fitness(a)).then(a.cmp(b)));
        let mut hosts = std::collections::HashSet::new();
        found.retain(|id| hosts.insert(self.pages[*id as usize].host));
        found.truncate(SEEDS);
        found
    }
}

fn shuffle<T>(things: &mut [T], random: &mut RandomStream) {
    rand::seq::SliceRandom::shuffle(things, random.rng());
}

/// Returns a share of a count, rounded.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
pub(crate) fn share_of(share: f64, count: usize) -> usize {
    (share * count as f64).round() as usize
}

/// Converts a count to `u32`.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
