//! The dialogue between pilot and frontier: the pilot says which links it wants offered or fetched,
//! the frontier carries that out, and the pilot is told the result.

use ontrail_pilot::{
    Candidate, Choice, HostKey, Judgement, Link, LinkKey, LinkVerdict, Offer, Pilot, RankedLink,
    Rule, SentLink, Why,
};

use crate::frontier::{Frontier, Idle, Lease, Take};
use crate::state::{CrawlState, Heard};
use crate::store::StoreError;

/// A link to fetch: its lease, and the reason why it was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The link on lease.
    pub lease: Lease,
    /// The rule that picked it.
    pub rule: Rule,
    /// True if the fetch is only a look ahead: it is not counted, and the link returns to the
    /// queue.
    pub is_look: bool,
    /// The reasons for the choice, if the recipe learns from links and they are logged.
    pub why: Option<Box<Why>>,
}

impl Task {
    /// Returns the link.
    #[must_use]
    pub fn link(&self) -> &Link {
        &self.lease.link
    }
}

/// The next thing to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Course {
    /// Fetch this link.
    Fetch(Box<Task>),
    /// Fetch nothing now.
    Wait(Idle),
}

/// Offers the seeds to the frontier.
pub fn begin(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    seeds: Vec<Link>,
) -> Result<(), StoreError> {
    let offers = pilot.seeds(seeds);
    let keys: Vec<LinkKey> = offers.iter().map(|it| it.link.key()).collect();
    let answers = frontier.offer_all(offers)?;
    for (key, answer) in keys.iter().zip(answers) {
        if answer == Offer::Done || answer.is_refusal() {
            pilot.gone(key);
        }
    }
    Ok(())
}

/// Takes the link that the pilot chooses among those that may be fetched at the time `now`.
pub fn next_task(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    now: u64,
) -> Result<Course, StoreError> {
    loop {
        let view = &*frontier;
        let choice = pilot.choose(&|key: &LinkKey, host: HostKey| view.is_ready(key, host, now));
        let (lease, rule, is_look) = match choice {
            Choice::Offer(links) => {
                let offers = frontier.offer_all(links)?;
                pilot.restored(&offers);
                continue;
            }
            Choice::Link { key, host, rule, is_look } => match frontier.take(&key, host, now)? {
                Take::Taken(lease) => (*lease, rule, is_look),
                Take::Gone => {
                    pilot.gone(&key);
                    continue;
                }
                Take::HostNotReady => {
                    pilot.returned(&key);
                    return Ok(Course::Wait(frontier.idle(now)));
                }
            },
            Choice::Best(rule) => {
                let lease = frontier.take_many(now, 1)?.pop();
                pilot.took(lease.as_ref().map(|lease| &lease.link));
                let Some(lease) = lease else { return Ok(Course::Wait(frontier.idle(now))) };
                (lease, rule, false)
            }
            Choice::Wait => return Ok(Course::Wait(frontier.idle(now))),
            Choice::Done if frontier.counts().leased > 0 => return Ok(Course::Wait(Idle::Busy)),
            Choice::Done => return Ok(Course::Wait(Idle::Empty)),
        };
        let mut task = Task { lease, rule, is_look, why: None };
        pilot.explain(&mut task.lease.link);
        return Ok(Course::Fetch(Box::new(task)));
    }
}

/// Offers the links of a page that was fetched. Returns the decision about each link, and the links
/// to send to other workers.
pub fn take_up(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    task: &Task,
    page: &Judgement<'_>,
    candidates: Vec<Candidate>,
) -> Result<(Vec<LinkVerdict>, Vec<SentLink>), StoreError> {
    let mut plan = pilot.arrived(task.link(), task.is_look, page, candidates);
    let sent = std::mem::take(&mut plan.sent);
    let offers = frontier.offer_all(std::mem::take(&mut plan.offers))?;
    Ok((pilot.offered(plan, &offers), sent))
}

/// Handles what other workers of the crawl have done.
pub fn hear(
    pilot: &mut Pilot,
    state: &mut dyn CrawlState,
    heard: Vec<Heard>,
) -> Result<(), StoreError> {
    for heard in heard {
        match heard {
            Heard::LeftAll => pilot.left_all(),
            Heard::Left(hosts) => pilot.left(hosts),
            Heard::Waiting(links) => pilot.found_waiting(links),
            Heard::Sent(links) => {
                let mut plan = pilot.shown(links);
                let offers = state.offer_sent(std::mem::take(&mut plan.offers))?;
                pilot.shown_offered(plan, &offers);
            }
        }
    }
    Ok(())
}

/// Offers links that a site lists in its robots.txt or in a sitemap, all with the same priority. If
/// they are urgent, they are fetched before all others. Returns the result for each link.
pub fn offer_listed(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    links: &[Link],
    priority: f64,
    is_urgent: bool,
) -> Result<Vec<Offer>, StoreError> {
    let offer = |link: &Link| RankedLink { link: link.clone(), rank: priority };
    let offers = frontier.offer_all(links.iter().map(offer).collect())?;
    for (link, offer) in links.iter().zip(&offers) {
        if *offer == Offer::Queued {
            pilot.listed(link, is_urgent);
        }
    }
    Ok(offers)
}
