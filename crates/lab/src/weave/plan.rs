//! The plan of a web: which hosts and pages there are, and where each article leads. Pages are written from it one by one, so only
//! the plan is ever in memory.

use std::collections::HashMap;

use super::settings::WeaveSettings;
use super::texts::{Draft, Texts};
use crate::dice::Dice;

/// How many articles a section page lists.
pub(crate) const PER_SECTION: usize = 20;
/// How many hosts a directory page lists.
pub(crate) const PER_DIRECTORY: usize = 40;
/// How many blocks a channel page of a portal has.
const BLOCKS: usize = 8;
/// How many articles a block lists, those that nothing else leads to aside.
const PER_BLOCK: usize = 4;
/// How many pages the calendar of one host has, unless there must be more.
const CALENDAR: usize = 120;
/// How many articles are seeds of a topic, and portals of all.
const SEEDS: usize = 10;
/// The most links that an article has, navigation aside.
const MOST_LINKS: f64 = 1_000.0;
/// How often a link to an article elsewhere that has copies leads to one of them.
const TO_COPY: f64 = 0.3;

/// A page by its number. The first pages are the articles.
pub(crate) type PageId = u32;

/// A host.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) name: String,
    /// What it is called.
    pub(crate) title: String,
    /// Its main topic.
    pub(crate) main: u16,
    pub(crate) is_portal: bool,
    pub(crate) charset: Charset,
    /// What its pages look like, and its addresses.
    pub(crate) theme: u8,
    pub(crate) addresses: u8,
    pub(crate) front: PageId,
    /// The first page of each section that it has.
    pub(crate) sections: Vec<(u16, PageId)>,
    /// The articles that most links lead to.
    pub(crate) hot: Vec<PageId>,
    pub(crate) calendar: Option<PageId>,
    /// Whether its robots.txt keeps crawlers out of the calendar.
    pub(crate) forbids_calendar: bool,
}

/// How a host's pages are encoded, and what they say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    Gbk,
    Utf8,
    /// UTF-8 that says GB2312.
    Utf8Misdeclared,
}

/// A page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) host: u32,
    pub(crate) kind: Kind,
}

/// What a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The article of the same number.
    Article,
    /// A page with the same bytes as an article.
    Duplicate(PageId),
    Front,
    /// A list of articles: its number among those of host and topic, from 0, and where in the plan's lists it is.
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
    /// How attractive it is to links.
    pub(crate) fitness: f64,
    /// The island that it lies on, if only portals lead there.
    pub(crate) island: Option<u32>,
    pub(crate) links: Vec<To>,
}

/// Where a link of an article leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    Page(PageId),
    /// An old address of the page, which redirects.
    Old(PageId),
    /// Nowhere: a number that no page has, on some host.
    Gone(u32, u32),
}

/// A block of a channel page.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) label: u16,
    pub(crate) articles: Vec<PageId>,
    /// Those that nothing else leads to.
    pub(crate) hidden: Vec<PageId>,
}

/// The plan of a web.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) settings: WeaveSettings,
    pub(crate) hosts: Vec<Host>,
    pub(crate) pages: Vec<Page>,
    pub(crate) articles: Vec<Article>,
    /// The articles of each section page.
    pub(crate) lists: Vec<Vec<PageId>>,
    /// The blocks of each channel page.
    pub(crate) channels: Vec<Vec<Block>>,
    pub(crate) channel_pages: Vec<PageId>,
    /// The directory pages of each topic.
    pub(crate) directories: Vec<Vec<PageId>>,
    /// Pages of a host that links besides those of the plan lead to: where copies are found.
    pub(crate) copies_at: HashMap<PageId, Vec<PageId>>,
    pub(crate) portals: usize,
}

/// Articles to draw from, the attractive ones more often.
#[derive(Debug, Default)]
struct Pool {
    articles: Vec<PageId>,
    sums: Vec<f64>,
}

impl Pool {
    fn add(&mut self, article: PageId, fitness: f64) {
        self.articles.push(article);
        self.sums.push(self.sums.last().copied().unwrap_or(0.0) + fitness);
    }

    fn draw(&self, dice: &mut Dice) -> Option<PageId> {
        let drawn = dice.unit() * self.sums.last()?;
        let at = self.sums.partition_point(|sum| *sum <= drawn);
        self.articles.get(at.min(self.articles.len() - 1)).copied()
    }
}

/// How many articles of which topics each host has.
struct Allotment {
    mains: Vec<u16>,
    labels: Vec<Vec<u16>>,
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
        // Whatever is missing are channels.
        let channels = (settings.pages as usize).saturating_sub(plan.pages.len()).max(portals);
        plan.add_channels(channels, texts.labels.len());
        plan.link_articles(&shares);
        Ok(plan)
    }

    fn dice(&self, purpose: &str, number: usize) -> Dice {
        Dice::new(self.settings.seed, purpose, number as u64)
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
                let mut dice = self.dice("draft", id as usize);
                let is_ambiguous = dice.happens(self.settings.ambiguous);
                let other = u16::try_from(dice.below(usize::from(topics) - 1)).unwrap_or(0);
                let other = if other >= *label { other + 1 } else { other };
                let seed = u64::from(id) ^ (self.settings.seed << 32);
                let borrows = is_ambiguous.then_some(other);
                let draft = Draft { label: *label, borrows, seed, is_copy: false };
                let fitness = dice.power_law(self.settings.in_exponent, 1.0, count as f64);
                self.articles.push(Article { draft, fitness, island: None, links: Vec::new() });
            }
        }
    }

    /// The articles of each host and topic.
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

    /// Puts some articles on islands: groups of one host and topic that only portals lead to.
    fn hide_islands(&mut self) {
        let wanted = share_of(self.settings.tunnels, self.articles.len());
        let mut groups = self.groups();
        let mut dice = self.dice("islands", 0);
        shuffle(&mut groups, &mut dice);
        let (mut hidden, mut island) = (0, 0);
        // Groups give a third of their articles in the first round, then half of what is left.
        for (round, share) in [3, 2].into_iter().enumerate() {
            for (_, articles) in &mut groups {
                if round == 0 {
                    shuffle(articles, &mut dice);
                }
                let most = articles.len().div_ceil(share).min(articles.len().saturating_sub(1));
                let mut left = most.min(wanted - hidden);
                while left > 0 {
                    let size = (1 + dice.below(2 * self.settings.island as usize - 1)).min(left);
                    for id in articles.drain(..size) {
                        self.articles[id as usize].island = Some(island);
                    }
                    (hidden, left, island) = (hidden + size, left - size, island + 1);
                }
            }
        }
    }

    /// Makes some articles near copies of others on the same topic.
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
        let mut dice = self.dice("near copies", 0);
        shuffle(&mut open, &mut dice);
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
            let original = originals[dice.below(originals.len())];
            let is_elsewhere = self.pages[original as usize].host != self.pages[copy as usize].host;
            if is_elsewhere && !self.articles[original as usize].draft.is_copy {
                let draft = self.articles[original as usize].draft;
                self.articles[copy as usize].draft = Draft { is_copy: true, ..draft };
                (is_used[copy as usize], is_used[original as usize]) = (true, true);
                made += 1;
            }
        }
    }

    /// Adds pages with the same bytes as articles, on other hosts.
    fn add_copies(&mut self, count: usize) {
        let open: Vec<PageId> = (0..number(self.articles.len()))
            .filter(|id| self.articles[*id as usize].island.is_none())
            .collect();
        let mut dice = self.dice("copies", 0);
        for _ in 0..count {
            let original = open[dice.below(open.len())];
            // Where an article leads to the copy, the copy lies: on another host, unless one has everything.
            let host_of = |id: PageId| self.pages[id as usize].host;
            let mut at = open[dice.below(open.len())];
            for _ in 0..20 {
                if host_of(at) != host_of(original) {
                    break;
                }
                at = open[dice.below(open.len())];
            }
            let host = host_of(at) as usize;
            let copy = self.add_page(host, Kind::Duplicate(original));
            self.copies_at.entry(original).or_default().push(copy);
            self.articles[at as usize].links.push(To::Page(copy));
        }
    }

    fn add_sections(&mut self, topics: usize) {
        for ((host, label), articles) in self.groups() {
            let mut open: Vec<PageId> = articles
                .into_iter()
                .filter(|id| self.articles[*id as usize].island.is_none())
                .collect();
            let mut dice = self.dice("section", host as usize * topics + usize::from(label));
            shuffle(&mut open, &mut dice);
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
            self.hosts[host].hot = articles;
        }
    }

    /// Gives some hosts a calendar.
    fn add_calendars(&mut self) {
        let mut left = share_of(self.settings.traps, self.settings.pages as usize);
        let longest = CALENDAR.max(left.div_ceil(self.hosts.len()));
        let mut order: Vec<usize> = (0..self.hosts.len()).collect();
        let mut dice = self.dice("calendars", 0);
        shuffle(&mut order, &mut dice);
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
            self.hosts[host].forbids_calendar = dice.happens(0.5);
        }
    }

    /// The hosts of a topic that are no portals.
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

    /// Adds the pages of portals that mix topics, and the ways to the islands among them.
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
            let mut dice = self.dice("channel", at);
            let mut labels: Vec<u16> =
                hidden.iter().map(|id| self.articles[*id as usize].draft.label).collect();
            labels.sort_unstable();
            labels.dedup();
            let mut others: Vec<u16> = (0..topics)
                .filter_map(|it| u16::try_from(it).ok())
                .filter(|it| !labels.contains(it))
                .collect();
            shuffle(&mut others, &mut dice);
            // No topic may have the page for itself.
            let more = BLOCKS.saturating_sub(labels.len()).max(2);
            labels.extend(others.into_iter().take(more));
            shuffle(&mut labels, &mut dice);
            let blocks = labels.into_iter().map(|label| {
                let mut articles: Vec<PageId> = (0..PER_BLOCK)
                    .filter_map(|_| pools[usize::from(label)].draw(&mut dice))
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

    /// The articles of each topic that anyone may link to.
    fn pools_by_label(&self, topics: usize) -> Vec<Pool> {
        let mut pools: Vec<Pool> = (0..topics).map(|_| Pool::default()).collect();
        for (id, article) in self.articles.iter().enumerate() {
            if article.island.is_none() {
                pools[usize::from(article.draft.label)].add(number(id), article.fitness);
            }
        }
        pools
    }

    /// Draws where each article leads.
    fn link_articles(&mut self, shares: &[f64]) {
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

    /// The pages that a crawl of any topic may begin with: the fronts of portals.
    pub(crate) fn seeds(&self) -> Vec<PageId> {
        self.hosts[..self.portals].iter().map(|host| host.front).take(SEEDS).collect()
    }

    /// The pages that a crawl of a topic may begin with: the articles on it that most links lead to, on different hosts, as one
    /// finds them with a search engine.
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

fn portal_count(settings: &WeaveSettings) -> usize {
    share_of(settings.portals, settings.hosts as usize).max(2)
}

/// How many articles and copies come to the number of pages that is asked for, with all that lists them.
fn allot_all(settings: &WeaveSettings, shares: &[f64], portals: usize) -> (Allotment, usize) {
    let pages = settings.pages as usize;
    let hosts = settings.hosts as usize;
    let copies = share_of(settings.duplicates, pages);
    let calendars = share_of(settings.traps, pages);
    let mut articles = (pages - copies - calendars).saturating_sub(hosts).max(hosts) * 9 / 10;
    let mut best: Option<(usize, Allotment)> = None;
    for _ in 0..12 {
        let allotment = allot(settings, shares, portals, articles);
        let islands = share_of(settings.tunnels, articles) / settings.island as usize;
        let channels = (islands / 4).max(3 * portals);
        let lists = listing_pages(&allotment, portals, settings.tunnels);
        let made = articles + hosts + copies + calendars + channels + lists;
        if made <= pages && best.as_ref().is_none_or(|(least, _)| pages - made < *least) {
            best = Some((pages - made, allotment));
        }
        // Nine tenths of what is missing or too much: lists and directories make up the rest.
        let (missing, surplus) = (pages.saturating_sub(made), made.saturating_sub(pages));
        articles =
            (articles + missing * 9 / 10).saturating_sub(surplus.div_ceil(10) * 9).max(hosts);
    }
    // A web so small that its furniture leaves no room is a little larger.
    match best {
        Some((_, allotment)) => (allotment, copies),
        None => (allot(settings, shares, portals, articles), copies),
    }
}

/// How many section and directory pages an allotment needs, islands aside.
fn listing_pages(allotment: &Allotment, portals: usize, tunnels: f64) -> usize {
    let mut counts: HashMap<(usize, u16), usize> = HashMap::new();
    for (host, labels) in allotment.labels.iter().enumerate() {
        labels.iter().for_each(|label| *counts.entry((host, *label)).or_default() += 1);
    }
    let open = |count: &usize| (count - share_of(tunnels, *count)).max(1).div_ceil(PER_SECTION);
    let sections: usize = counts.values().map(open).sum();
    let mut hosts: HashMap<u16, usize> = HashMap::new();
    allotment.mains[portals..].iter().for_each(|main| *hosts.entry(*main).or_default() += 1);
    sections + hosts.values().map(|count| count.div_ceil(PER_DIRECTORY)).sum::<usize>()
}

/// Gives hosts articles: sizes by a power law of rank, topics so that their shares come out.
fn allot(settings: &WeaveSettings, shares: &[f64], portals: usize, articles: usize) -> Allotment {
    let hosts = settings.hosts as usize;
    let weights: Vec<f64> = (1..=hosts)
        .map(|rank| libm::pow(rank as f64, -1.0 / (settings.host_exponent - 1.0)))
        .collect();
    let total: f64 = weights.iter().sum();
    let spare = articles.saturating_sub(hosts);
    let mut sizes: Vec<usize> =
        weights.iter().map(|weight| 1 + share_of(weight / total, spare)).collect();
    // What rounding has left over or taken is the largest host's.
    let given: usize = sizes.iter().sum();
    sizes[0] = (sizes[0] + articles).saturating_sub(given).max(1);
    let mut given = vec![0.0; shares.len()];
    let (mut mains, mut labels) = (Vec::new(), Vec::new());
    for (host, size) in sizes.into_iter().enumerate() {
        let sum = given.iter().sum::<f64>() + size as f64;
        let lack = |at: &usize| shares[*at] * sum - given[*at];
        let most = (0..shares.len()).max_by(|a, b| lack(a).total_cmp(&lack(b)).then(b.cmp(a)));
        let main = u16::try_from(most.unwrap_or(0)).unwrap_or(0);
        let mut dice = Dice::new(settings.seed, "topics of host", host as u64);
        let own: Vec<u16> = (0..size)
            .map(|_| {
                let is_main = host >= portals && dice.happens(settings.purity);
                if is_main { main } else { drawn_label(shares, &mut dice) }
            })
            .collect();
        own.iter().for_each(|label| given[usize::from(*label)] += 1.0);
        mains.push(main);
        labels.push(own);
    }
    Allotment { mains, labels }
}

fn drawn_label(shares: &[f64], dice: &mut Dice) -> u16 {
    let mut drawn = dice.unit() * shares.iter().sum::<f64>();
    let at = shares.iter().position(|share| {
        drawn -= share;
        drawn < 0.0
    });
    u16::try_from(at.unwrap_or(shares.len() - 1)).unwrap_or(0)
}

/// Parts of the names of hosts.
const SYLLABLES: [&str; 24] = [
    "qing", "lan", "yun", "he", "shan", "bei", "lin", "xi", "hai", "tian", "dong", "mu", "jin",
    "song", "tao", "wen", "yuan", "an", "ping", "chuan", "feng", "ning", "zhou", "lu",
];

fn hosts(settings: &WeaveSettings, texts: &Texts, mains: &[u16], portals: usize) -> Vec<Host> {
    let words = texts.words();
    let host = |(at, main): (usize, &u16)| {
        let mut dice = Dice::new(settings.seed, "host", at as u64);
        let is_portal = at < portals;
        let syllable = dice.pick(&SYLLABLES).to_owned() + dice.pick(&SYLLABLES);
        let prefix = dice.pick(&["www", "news", "bbs", "blog", "info", "m"]);
        let prefix = if is_portal { "www" } else { prefix };
        let is_gbk = texts.is_chinese && dice.happens(settings.gbk);
        let is_wrong = texts.is_chinese && dice.happens(settings.wrong_charset);
        Host {
            name: format!("{prefix}.{syllable}{at}.example"),
            title: format!("{syllable}{at} {}", dice.pick(words.site)),
            main: *main,
            is_portal,
            charset: match (is_gbk, is_wrong) {
                (true, _) => Charset::Gbk,
                (false, true) => Charset::Utf8Misdeclared,
                (false, false) => Charset::Utf8,
            },
            theme: u8::try_from(dice.below(4)).unwrap_or(0),
            addresses: u8::try_from(dice.below(4)).unwrap_or(0),
            front: 0,
            sections: Vec::new(),
            hot: Vec::new(),
            calendar: None,
            forbids_calendar: false,
        }
    };
    mains.iter().enumerate().map(host).collect()
}

fn shuffle<T>(things: &mut [T], dice: &mut Dice) {
    rand::seq::SliceRandom::shuffle(things, dice.rng());
}

/// A share of so many things.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
fn share_of(share: f64, count: usize) -> usize {
    (share * count as f64).round() as usize
}

/// A count as a number of pages.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
