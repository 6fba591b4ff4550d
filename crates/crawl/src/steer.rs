//! Pilot and frontier at work together: the pilot says what it wants, the frontier does it, and the pilot is
//! told what came of it.

use ontrail_pilot::{
    Candidate, Choice, HostKey, Link, LinkKey, LinkVerdict, Offer, PageFacts, Pilot, RankedLink,
    Rule,
};

use crate::frontier::{Frontier, Idle, Lease, Take};
use crate::store::StoreError;

/// A link to fetch: its lease, and why it was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The link on lease.
    pub lease: Lease,
    /// The rule that picked it.
    pub rule: Rule,
    /// Whether it is only looked at: not counted, and it waits again.
    pub is_look: bool,
}

impl Task {
    /// The link.
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

/// Offers the links that a crawl begins with.
pub fn begin(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    seeds: Vec<Link>,
) -> Result<(), StoreError> {
    let offers = pilot.seeds(seeds);
    frontier.offer_all(offers).map(|_| ())
}

/// Takes the link that the pilot chooses, of those that may be fetched at the time `now`.
pub fn next_task(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    now: u64,
) -> Result<Course, StoreError> {
    loop {
        let view = &*frontier;
        let choice = pilot.choose(&|_: &LinkKey, host: HostKey| view.is_ready(host, now));
        let (lease, rule, is_look) = match choice {
            Choice::Offer(links) => {
                let offers = frontier.offer_all(links)?;
                pilot.restored(&offers);
                continue;
            }
            Choice::Link { key, rule, is_look } => match frontier.take(&key, now)? {
                Take::Taken(lease) => (*lease, rule, is_look),
                Take::Gone => {
                    pilot.gone(&key);
                    continue;
                }
                Take::Resting => {
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
        let mut task = Task { lease, rule, is_look };
        pilot.explain(&mut task.lease.link);
        return Ok(Course::Fetch(Box::new(task)));
    }
}

/// Offers the links of a page that came. Returns what became of each.
pub fn take_up(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    task: &Task,
    page: &PageFacts<'_>,
    candidates: Vec<Candidate>,
) -> Result<Vec<LinkVerdict>, StoreError> {
    let mut plan = pilot.arrived(task.link(), task.is_look, page, candidates);
    let offers = frontier.offer_all(std::mem::take(&mut plan.offers))?;
    Ok(pilot.offered(plan, &offers))
}

/// Offers links of which nothing is known but that a site lists them. Returns what became of each.
pub fn list(
    pilot: &mut Pilot,
    frontier: &mut dyn Frontier,
    links: &[Link],
    rank: f64,
) -> Result<Vec<Offer>, StoreError> {
    let ranked = links.iter().map(|link| RankedLink { link: link.clone(), rank }).collect();
    let offers = frontier.offer_all(ranked)?;
    for (link, offer) in links.iter().zip(&offers) {
        if *offer == Offer::Queued {
            pilot.listed(link);
        }
    }
    Ok(offers)
}
