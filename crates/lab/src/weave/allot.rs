//! Distributes articles and topics over hosts, so that the web gets the size that was asked for.

use std::collections::HashMap;

use super::plan::{PER_DIRECTORY, PER_SECTION, share_of};
use super::settings::WeaveSettings;
use crate::random_stream::RandomStream;

/// The articles of each host.
pub(crate) struct Allotment {
    /// The main topic of each host.
    pub(crate) mains: Vec<u16>,
    /// For each host, the labels of its articles.
    pub(crate) labels: Vec<Vec<u16>>,
}

/// Returns the number of portals.
pub(crate) fn portal_count(settings: &WeaveSettings) -> usize {
    share_of(settings.portals, settings.hosts as usize).max(2)
}

/// Chooses the number of articles such that the articles, copies, calendars and all pages that list
/// them together give the number of pages in the settings. Returns the articles of each host, and
/// the number of copies.
pub(crate) fn allot_all(
    settings: &WeaveSettings,
    shares: &[f64],
    portals: usize,
) -> (Allotment, usize) {
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
        // Correct by nine tenths of the error: lists and directories make up the rest.
        let (missing, surplus) = (pages.saturating_sub(made), made.saturating_sub(pages));
        articles =
            (articles + missing * 9 / 10).saturating_sub(surplus.div_ceil(10) * 9).max(hosts);
    }
    // In a very small web, lists and channels alone may exceed the number of pages; the web then
    // gets a little larger than asked for.
    match best {
        Some((_, allotment)) => (allotment, copies),
        None => (allot(settings, shares, portals, articles), copies),
    }
}

/// Returns the number of section and directory pages for an allotment. Articles on islands are not
/// listed.
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

/// Assigns articles to hosts: the sizes of hosts follow a power law of their rank, and topics are
/// chosen such that each gets its share.
fn allot(settings: &WeaveSettings, shares: &[f64], portals: usize, articles: usize) -> Allotment {
    let hosts = settings.hosts as usize;
    let weights: Vec<f64> = (1..=hosts)
        .map(|rank| libm::pow(rank as f64, -1.0 / (settings.host_exponent - 1.0)))
        .collect();
    let total: f64 = weights.iter().sum();
    let spare = articles.saturating_sub(hosts);
    let mut sizes: Vec<usize> =
        weights.iter().map(|weight| 1 + share_of(weight / total, spare)).collect();
    // The largest host absorbs rounding errors.
    let given: usize = sizes.iter().sum();
    sizes[0] = (sizes[0] + articles).saturating_sub(given).max(1);
    let mut given = vec![0.0; shares.len()];
    let (mut mains, mut labels) = (Vec::new(), Vec::new());
    for (host, size) in sizes.into_iter().enumerate() {
        let sum = given.iter().sum::<f64>() + size as f64;
        let lack = |at: &usize| shares[*at] * sum - given[*at];
        let most = (0..shares.len()).max_by(|a, b| lack(a).total_cmp(&lack(b)).then(b.cmp(a)));
        let main = u16::try_from(most.unwrap_or(0)).unwrap_or(0);
        let mut random = RandomStream::new(settings.seed, "topics of host", host as u64);
        let own: Vec<u16> = (0..size)
            .map(|_| {
                let is_main = host >= portals && random.happens(settings.purity);
                if is_main { main } else { drawn_label(shares, &mut random) }
            })
            .collect();
        own.iter().for_each(|label| given[usize::from(*label)] += 1.0);
        mains.push(main);
        labels.push(own);
    }
    Allotment { mains, labels }
}

fn drawn_label(shares: &[f64], random: &mut RandomStream) -> u16 {
    let mut drawn = random.unit() * shares.iter().sum::<f64>();
    let at = shares.iter().position(|share| {
        drawn -= share;
        drawn < 0.0
    });
    u16::try_from(at.unwrap_or(shares.len() - 1)).unwrap_or(0)
}
