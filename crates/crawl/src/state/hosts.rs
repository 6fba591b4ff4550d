//! The hosts and the machines behind them: which host may be asked now, and which of those has the
//! best link.
//!
//! Two levels keep this cheap however many hosts one machine has: a machine keeps its own hosts
//! that may be asked in order, and takes part with the best of them only. So when a machine must be
//! left alone for a moment, one entry moves, not one for each of its hosts.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use ontrail_pilot::{HostKey, Place, host_of};
use serde::{Deserialize, Serialize};
use url::Url;

use super::queue::{HostQueue, MOST_IN_MEMORY, head_size};
use crate::frontier::FrontierLimits;
use crate::health::HostHealth;
use crate::scope::site;

/// A host.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) facts: HostFacts,
    pub(crate) queue: HostQueue,
    /// Requests in progress.
    pub(crate) active: u32,
    /// Reasons why no link may be taken for now: its name is being looked up, or its robots.txt is
    /// being requested.
    pub(crate) holds: u32,
    site: u32,
    machine: Option<u32>,
    spot: Spot,
}

/// The facts about a host that are stored on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HostFacts {
    pub(crate) name: Box<str>,
    /// Links that wait.
    pub(crate) queued: u64,
    /// Pages fetched.
    pub(crate) pages: u64,
    /// The time at which the host may be asked again.
    pub(crate) ready_at: u64,
    /// The time for which it was left alone after the last request, in milliseconds.
    pub(crate) delay: u64,
    /// The place of its best link, as of the last commit.
    pub(crate) first: Option<[u8; 16]>,
    /// The IP address of its machine, if known.
    pub(crate) machine: Option<IpAddr>,
    pub(crate) health: HostHealth,
}

impl HostFacts {
    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            queued: 0,
            pages: 0,
            ready_at: 0,
            delay: 0,
            first: None,
            machine: None,
            health: HostHealth::default(),
        }
    }
}

/// The list that a host is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spot {
    /// Nowhere: the host has no links, is held, or has reached its limit of connections.
    Nowhere,
    /// In `Hosts::ready`: its machine is not known.
    Ready(Place),
    /// In the list of its machine.
    WithMachine(Place),
    /// In `Hosts::delayed`, until its crawl delay has passed.
    Delayed(u64),
}

/// A machine: the hosts with one IP address.
#[derive(Debug)]
struct Machine {
    /// The time at which it may be asked again.
    ready_at: u64,
    /// Its hosts that may be asked, by the places of their best links.
    hosts: BTreeSet<(Place, u32)>,
    spot: MachineSpot,
}

/// The list that a machine is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MachineSpot {
    Nowhere,
    Ready(Place),
    Delayed(u64),
}

/// An entry in the lists: a host without a known machine, or a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Listed {
    Host(u32),
    Machine(u32),
}

/// A site: the hosts below one registrable domain.
#[derive(Debug, Clone, Copy, Default)]
struct Site {
    hosts: u32,
    queued: u64,
}

/// All hosts.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// Maximum number of links in memory.
    room: usize,
    list: Vec<Host>,
    numbers: HashMap<HostKey, u32>,
    sites: Vec<Site>,
    site_numbers: HashMap<Box<str>, u32>,
    machines: Vec<Machine>,
    machine_numbers: HashMap<IpAddr, u32>,
    ready: BTreeSet<(Place, Listed)>,
    delayed: BTreeSet<(u64, Listed)>,
    /// Hosts that wait for their crawl delay or back-off.
    waiting: u64,
    /// Hosts that are failing.
    failing: u64,
    /// Hosts with links, and those among them that are failing.
    with_links: u64,
    failing_with_links: u64,
    changed: BTreeSet<u32>,
}

impl Default for Hosts {
    fn default() -> Self {
        Self::with_room(MOST_IN_MEMORY)
    }
}

impl Hosts {
    /// Returns no hosts yet, with room for this many links in memory.
    pub(crate) fn with_room(room: usize) -> Self {
        Self {
            room,
            list: Vec::new(),
            numbers: HashMap::new(),
            sites: Vec::new(),
            site_numbers: HashMap::new(),
            machines: Vec::new(),
            machine_numbers: HashMap::new(),
            ready: BTreeSet::new(),
            delayed: BTreeSet::new(),
            waiting: 0,
            failing: 0,
            with_links: 0,
            failing_with_links: 0,
            changed: BTreeSet::new(),
        }
    }

    /// Returns the number of a URL's host, and assigns one if the host is new; none if there are
    /// too many hosts.
    pub(crate) fn number(&mut self, url: &Url, limits: &FrontierLimits) -> Option<u32> {
        let name = host_of(url);
        if let Some(number) = self.find(HostKey::of(name)) {
            return Some(number);
        }
        let site = self.site_numbers.get(site(url).unwrap_or(name));
        let of_site = site.map_or(0, |number| self.sites[*number as usize].hosts);
        if self.list.len() >= limits.hosts as usize || of_site >= limits.hosts_of_site {
            return None;
        }
        let number = self.add(HostFacts::new(name));
        self.changed.insert(number);
        Some(number)
    }

    /// Adds a host that is new or was stored.
    pub(crate) fn add(&mut self, facts: HostFacts) -> u32 {
        let number = u32::try_from(self.list.len()).expect("hosts are fewer than their limit");
        let before = head_size(self.room, self.list.len());
        self.numbers.insert(HostKey::of(&facts.name), number);
        let site = self.site_of(&facts.name);
        self.sites[site as usize].hosts += 1;
        self.sites[site as usize].queued += facts.queued;
        self.count(Counted::of(&facts), true);
        let machine = facts.machine.map(|address| self.machine_of(address));
        let queue = match facts.first {
            Some(first) if facts.queued > 0 => HostQueue::on_disk(Place::from_bytes(first)),
            _ => HostQueue::empty(),
        };
        let spot = Spot::Nowhere;
        self.list.push(Host { facts, queue, active: 0, holds: 0, site, machine, spot });
        let most = head_size(self.room, self.list.len());
        // Queues shrink as hosts grow in number. Doing it at each power of two costs little.
        if most < before && self.list.len().is_power_of_two() {
            self.list.iter_mut().for_each(|host| host.queue.trim(most));
        }
        number
    }

    fn site_of(&mut self, host: &str) -> u32 {
        let url = Url::parse(&format!("http://{host}/")).ok();
        let name = url.as_ref().and_then(site).unwrap_or(host);
        if let Some(number) = self.site_numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.sites.len()).expect("sites are fewer than hosts");
        self.sites.push(Site::default());
        self.site_numbers.insert(name.into(), number);
        number
    }

    fn machine_of(&mut self, address: IpAddr) -> u32 {
        let next = u32::try_from(self.machines.len()).expect("machines are fewer than hosts");
        let number = *self.machine_numbers.entry(address).or_insert(next);
        if number == next {
            let (hosts, spot) = (BTreeSet::new(), MachineSpot::Nowhere);
            self.machines.push(Machine { ready_at: 0, hosts, spot });
        }
        number
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Host> {
        self.list.iter()
    }

    pub(crate) fn get(&self, number: u32) -> &Host {
        &self.list[number as usize]
    }

    /// Returns the maximum number of links in memory for each host.
    pub(crate) fn head_size(&self) -> usize {
        head_size(self.room, self.list.len())
    }

    /// Returns a host for modification. [`Hosts::reschedule`] must be called afterwards if the
    /// change concerns when it may be asked.
    pub(crate) fn change(&mut self, number: u32) -> &mut Host {
        self.changed.insert(number);
        &mut self.list[number as usize]
    }

    /// Returns a host's queue for modification, which is not stored with the host.
    pub(crate) fn queue_mut(&mut self, number: u32) -> &mut HostQueue {
        &mut self.list[number as usize].queue
    }

    /// Counts one more waiting link of a host, or one fewer.
    pub(crate) fn count_queued(&mut self, number: u32, is_added: bool) {
        let add = |count: u64| if is_added { count + 1 } else { count.saturating_sub(1) };
        let site = self.get(number).site as usize;
        self.sites[site].queued = add(self.sites[site].queued);
        self.change_facts(number, |facts| facts.queued = add(facts.queued));
    }

    /// Returns the number of waiting links of a host's whole site.
    pub(crate) fn queued_of_site(&self, number: u32) -> u64 {
        self.sites[self.get(number).site as usize].queued
    }

    /// Sets the health of a host.
    pub(crate) fn set_health(&mut self, number: u32, health: HostHealth) {
        self.change_facts(number, |facts| facts.health = health);
    }

    /// Changes facts that are counted over all hosts.
    fn change_facts(&mut self, number: u32, change: impl FnOnce(&mut HostFacts)) {
        let before = Counted::of(&self.get(number).facts);
        let facts = &mut self.change(number).facts;
        change(facts);
        let after = Counted::of(facts);
        if before != after {
            self.count(before, false);
            self.count(after, true);
        }
    }

    /// Adds what is counted of a host to the numbers over all hosts, or takes it away.
    fn count(&mut self, counted: Counted, is_added: bool) {
        let Counted { has_links, is_failing } = counted;
        let counts = [
            (&mut self.with_links, has_links),
            (&mut self.failing, is_failing),
            (&mut self.failing_with_links, has_links && is_failing),
        ];
        for (count, is_counted) in counts {
            let by = u64::from(is_counted);
            *count = if is_added { *count + by } else { count.saturating_sub(by) };
        }
    }

    /// Returns the facts of the hosts that changed since the last call, by number.
    pub(crate) fn take_changed(&mut self) -> Vec<(u32, HostFacts)> {
        let facts = |number: u32| {
            let host = self.get(number);
            let first = host.queue.best().map(Place::to_bytes);
            (number, HostFacts { first, ..host.facts.clone() })
        };
        let changed = self.changed.iter().map(|number| facts(*number)).collect();
        self.changed.clear();
        changed
    }

    /// Lists again the hosts and machines whose delay has passed.
    pub(crate) fn wake(&mut self, now: u64, connections: u32) {
        while let Some(&(until, listed)) = self.delayed.first()
            && until <= now
        {
            match listed {
                Listed::Host(number) => self.reschedule(number, now, connections),
                Listed::Machine(number) => self.reschedule_machine(number, now),
            }
        }
    }

    /// Lists a host where it belongs.
    pub(crate) fn reschedule(&mut self, number: u32, now: u64, connections: u32) {
        let host = &self.list[number as usize];
        let (before, machine) = (host.spot, host.machine);
        let after = match host.queue.best() {
            None => Spot::Nowhere,
            Some(_) if host.active >= connections || host.holds > 0 => Spot::Nowhere,
            Some(_) if host.facts.ready_at > now => Spot::Delayed(host.facts.ready_at),
            Some(place) if machine.is_some() => Spot::WithMachine(place),
            Some(place) => Spot::Ready(place),
        };
        if before == after {
            return;
        }
        self.list[number as usize].spot = after;
        for (spot, is_added) in [(before, false), (after, true)] {
            match (spot, machine) {
                (Spot::Delayed(until), _) => {
                    self.waiting = if is_added { self.waiting + 1 } else { self.waiting - 1 };
                    put(&mut self.delayed, (until, Listed::Host(number)), is_added);
                }
                (Spot::Ready(place), _) => {
                    put(&mut self.ready, (place, Listed::Host(number)), is_added);
                }
                (Spot::WithMachine(place), Some(machine)) => {
                    let hosts = &mut self.machines[machine as usize].hosts;
                    put(hosts, (place, number), is_added);
                }
                (Spot::Nowhere | Spot::WithMachine(_), _) => {}
            }
        }
        if let Some(machine) = machine {
            self.reschedule_machine(machine, now);
        }
    }

    /// Lists a machine where it belongs.
    fn reschedule_machine(&mut self, number: u32, now: u64) {
        let machine = &mut self.machines[number as usize];
        let before = machine.spot;
        let after = match machine.hosts.first() {
            None => MachineSpot::Nowhere,
            Some(_) if machine.ready_at > now => MachineSpot::Delayed(machine.ready_at),
            Some((place, _)) => MachineSpot::Ready(*place),
        };
        if before == after {
            return;
        }
        machine.spot = after;
        for (spot, is_added) in [(before, false), (after, true)] {
            match spot {
                MachineSpot::Nowhere => {}
                MachineSpot::Ready(place) => {
                    put(&mut self.ready, (place, Listed::Machine(number)), is_added);
                }
                MachineSpot::Delayed(until) => {
                    put(&mut self.delayed, (until, Listed::Machine(number)), is_added);
                }
            }
        }
    }

    /// Sets the machine of a host.
    pub(crate) fn set_machine(&mut self, number: u32, address: IpAddr, now: u64, most: u32) {
        let machine = self.machine_of(address);
        // The host leaves the list of its old machine first.
        let holds = std::mem::replace(&mut self.list[number as usize].holds, 1);
        self.reschedule(number, now, most);
        let host = self.change(number);
        host.holds = holds;
        host.machine = Some(machine);
        host.facts.machine = Some(address);
        self.reschedule(number, now, most);
    }

    /// Returns the time at which the machine of a host may be asked.
    pub(crate) fn machine_ready_at(&self, number: u32) -> u64 {
        let machine = self.get(number).machine;
        machine.map_or(0, |machine| self.machines[machine as usize].ready_at)
    }

    /// Leaves the machine of a host alone until a time.
    pub(crate) fn delay_machine(&mut self, number: u32, until: u64, now: u64) {
        if let Some(machine) = self.get(number).machine {
            let ready_at = &mut self.machines[machine as usize].ready_at;
            *ready_at = until.max(*ready_at);
            self.reschedule_machine(machine, now);
        }
    }

    /// Returns the host with the best link among those that may be asked.
    pub(crate) fn best(&self) -> Option<u32> {
        self.ready.first().and_then(|(_, listed)| match listed {
            Listed::Host(number) => Some(*number),
            Listed::Machine(machine) => {
                self.machines[*machine as usize].hosts.first().map(|(_, number)| *number)
            }
        })
    }

    /// Returns the number of a host, if it is known.
    pub(crate) fn find(&self, host: HostKey) -> Option<u32> {
        self.numbers.get(&host).copied()
    }

    /// Returns true if a host may be asked at the time `now` and has links that wait.
    pub(crate) fn is_ready(&self, number: u32, now: u64) -> bool {
        let may_be_asked = match self.get(number).spot {
            Spot::Ready(_) | Spot::WithMachine(_) => true,
            Spot::Delayed(until) => until <= now,
            Spot::Nowhere => false,
        };
        may_be_asked && self.machine_ready_at(number) <= now
    }

    /// Returns the time at which the next delay ends.
    pub(crate) fn next_wake(&self) -> Option<u64> {
        self.delayed.first().map(|(until, _)| *until)
    }

    /// Returns the numbers of hosts by state.
    pub(crate) fn tally(&self) -> HostTally {
        let Self { with_links, waiting, failing, failing_with_links, .. } = *self;
        HostTally { with_links, waiting, failing, failing_with_links }
    }
}

/// The facts of a host that are counted over all hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counted {
    has_links: bool,
    is_failing: bool,
}

impl Counted {
    fn of(facts: &HostFacts) -> Self {
        Self { has_links: facts.queued > 0, is_failing: facts.health.is_failing() }
    }
}

/// Numbers of hosts by state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostTally {
    pub(crate) with_links: u64,
    pub(crate) waiting: u64,
    pub(crate) failing: u64,
    pub(crate) failing_with_links: u64,
}

fn put<T: Ord>(set: &mut BTreeSet<T>, entry: T, is_added: bool) {
    if is_added {
        set.insert(entry);
    } else {
        set.remove(&entry);
    }
}
