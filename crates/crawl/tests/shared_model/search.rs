//! The search: every order of steps, breadth first.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::server::Violation;
use super::setting::{Flaw, PARTITIONS, Setting, WORKERS};
use super::world::{LOST_WRITES, Life, Step, World};

/// More states than any configuration should have.
const MOST_STATES: usize = 3_000_000;

/// A step of a worker, or something that happens to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Drop(usize, usize),
    Adopt(usize, usize),
    Seed(usize),
    Fetch(usize, u8),
    Finish(usize),
    Read(usize, usize),
    Commit(usize),
    Apply(usize, usize),
    Send(usize, usize),
    Confirm(usize, usize),
    LookBack(usize, usize),
    GiveBack(usize, usize),
    Renew(usize, usize),
    Take(usize, usize),
    Look(usize, usize),
    End(usize),
    Crash(usize),
    Return(usize),
    Expire(usize),
    RollBack(usize, usize),
    Settle,
}

/// The result of a search.
#[derive(Debug)]
pub(crate) struct Found {
    /// Number of different states.
    pub(crate) states: usize,
    /// Number of states in which the crawl is over.
    pub(crate) ends: usize,
    /// What went wrong first, and the steps to it.
    pub(crate) violation: Option<(Violation, Vec<Action>)>,
}

/// Explores all states of a configuration, until one violates an invariant.
pub(crate) fn explore(setting: &Setting) -> Found {
    let mut search = Search::new(setting);
    let mut level = search.level.split_off(0);
    while !level.is_empty() {
        for (number, world) in level {
            if let Err(violation) = search.visit(number, &world) {
                let steps = search.steps_to(number);
                let (states, ends) = (search.origins.len(), search.ends.len());
                return Found { states, ends, violation: Some((violation, steps)) };
            }
        }
        level = std::mem::take(&mut search.level);
    }
    let violation = search
        .first_without_end()
        .map(|number| ("the crawl can no longer end", search.steps_to(number)));
    Found { states: search.origins.len(), ends: search.ends.len(), violation }
}

/// A hash that costs little without optimisation.
#[derive(Default)]
struct Mix(u64);

impl Mix {
    fn mix(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.mix(u64::from(*byte)));
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix(value.cast_unsigned() as u64);
    }
}

struct Search<'s> {
    setting: &'s Setting,
    actions: Vec<Action>,
    /// The number of each state, by its hash.
    numbers: HashMap<u64, u32, BuildHasherDefault<Mix>>,
    /// The state from which each state was reached first, and how.
    origins: Vec<(u32, Action)>,
    /// All steps, as pairs of states.
    steps: Vec<(u32, u32)>,
    ends: Vec<u32>,
    /// The states to be visited next.
    level: Vec<(u32, World)>,
}

impl<'s> Search<'s> {
    fn new(setting: &'s Setting) -> Self {
        let mut search = Self {
            setting,
            actions: actions(setting),
            numbers: HashMap::default(),
            origins: Vec::new(),
            steps: Vec::new(),
            ends: Vec::new(),
            level: Vec::new(),
        };
        search.reach(0, Action::Settle, &World::new(setting));
        search
    }

    /// Returns the number of a state that was reached.
    fn reach(&mut self, from: u32, action: Action, world: &World) -> u32 {
        let mut hasher = Mix::default();
        world.hash(&mut hasher);
        let next = u32::try_from(self.origins.len()).expect("states are counted in 32 bits");
        match self.numbers.entry(hasher.finish()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                new.insert(next);
                self.origins.push((from, action));
                self.level.push((next, *world));
                assert!(self.origins.len() < MOST_STATES, "too many states");
                next
            }
        }
    }

    /// Checks a state, and reaches all that follow.
    fn visit(&mut self, number: u32, world: &World) -> Result<(), Violation> {
        check(self.setting, world)?;
        if world.is_over() {
            self.ends.push(number);
        }
        for at in 0..self.actions.len() {
            let action = self.actions[at];
            if let Some(next) = world.after(self.setting, action)? {
                let next = self.reach(number, action, &next);
                self.steps.push((number, next));
            }
        }
        Ok(())
    }

    /// Returns the steps to a state from the beginning.
    fn steps_to(&self, mut number: u32) -> Vec<Action> {
        let mut steps = Vec::new();
        while number != 0 {
            let (from, action) = self.origins[number as usize];
            steps.push(action);
            number = from;
        }
        steps.reverse();
        steps
    }

    /// Returns the first state from which no end can be reached.
    fn first_without_end(&mut self) -> Option<u32> {
        self.steps.sort_unstable_by_key(|(_, to)| *to);
        let mut can_end = vec![false; self.origins.len()];
        let mut next = self.ends.clone();
        while let Some(number) = next.pop() {
            if !std::mem::replace(&mut can_end[number as usize], true) {
                let first = self.steps.partition_point(|(_, to)| *to < number);
                let into = self.steps[first..].iter().take_while(|(_, to)| *to == number);
                next.extend(into.map(|(from, _)| *from).filter(|from| !can_end[*from as usize]));
            }
        }
        let first = can_end.iter().position(|can_end| !can_end)?;
        u32::try_from(first).ok()
    }
}

/// Checks what must hold in every state.
fn check(setting: &Setting, world: &World) -> Result<(), Violation> {
    for worker in &world.workers {
        if worker.life == Life::Down && worker.disk.applied & !worker.disk.stored != 0 {
            return Err("a finished page is in no archive");
        }
    }
    if world.is_over() && world.done() != setting.web.reachable() {
        return Err("the crawl has ended without a page");
    }
    Ok(())
}

/// Returns all steps that there are. Most are impossible in most states.
fn actions(setting: &Setting) -> Vec<Action> {
    let mut actions = vec![Action::Settle];
    for partition in 0..PARTITIONS {
        actions.push(Action::Expire(partition));
        actions.extend((0..LOST_WRITES).map(|writes| Action::RollBack(partition, writes)));
    }
    for worker in 0..WORKERS {
        let pages = 0..=u8::MAX;
        let pages = pages.take(setting.web.partitions.len());
        actions.extend(pages.map(|page| Action::Fetch(worker, page)));
        let own = [
            Action::Seed,
            Action::Finish,
            Action::Commit,
            Action::End,
            Action::Crash,
            Action::Return,
        ];
        actions.extend(own.map(|action| action(worker)));
        for partition in 0..PARTITIONS {
            let of_partition = [
                Action::Drop,
                Action::Adopt,
                Action::Read,
                Action::Apply,
                Action::Send,
                Action::Confirm,
                Action::LookBack,
                Action::GiveBack,
                Action::Renew,
                Action::Take,
                Action::Look,
            ];
            actions.extend(of_partition.map(|action| action(worker, partition)));
        }
    }
    actions
}

impl World {
    /// Returns true if a step may be possible. It is asked before the state is copied.
    fn may(&self, setting: &Setting, action: Action) -> bool {
        let memory = |worker: usize| &self.workers[worker].memory;
        let is_up = |worker: usize| self.workers[worker].life == Life::Up;
        let is_deciding = |worker: usize| is_up(worker) && memory(worker).step == Step::Deciding;
        let is_member =
            |worker: usize| is_up(worker) && !matches!(memory(worker).step, Step::Returning { .. });
        match action {
            Action::Seed(worker) => {
                let is_joiner = worker > 0 && setting.has(Flaw::JoinersBringNoSeeds);
                is_deciding(worker) && !self.workers[worker].disk.has_begun && !is_joiner
            }
            Action::Drop(worker, partition) => {
                is_deciding(worker) && memory(worker).lost[partition]
            }
            Action::Adopt(worker, partition) => {
                is_deciding(worker) && memory(worker).taken[partition].is_some()
            }
            Action::Fetch(worker, _) => is_deciding(worker) && memory(worker).fetching.is_none(),
            Action::Finish(worker) => is_deciding(worker) && memory(worker).fetching.is_some(),
            Action::Commit(worker) => is_deciding(worker),
            Action::Read(worker, partition) | Action::LookBack(worker, partition) => {
                is_deciding(worker) && memory(worker).holds[partition].is_some()
            }
            Action::Confirm(worker, partition) => {
                is_deciding(worker)
                    && memory(worker).holds[partition].is_some_and(|hold| !hold.sent.is_empty())
            }
            Action::Apply(worker, _) | Action::Send(worker, _) => {
                is_up(worker) && memory(worker).step != Step::Deciding
            }
            Action::GiveBack(worker, partition) => {
                self.left.releases > 0
                    && is_deciding(worker)
                    && memory(worker).holds[partition].is_some()
            }
            Action::Renew(worker, partition) => {
                is_member(worker) && memory(worker).held[partition].is_some()
            }
            Action::Take(worker, partition) => {
                is_member(worker) && memory(worker).held[partition].is_none()
            }
            Action::Look(worker, _) => {
                let is_joiner = worker > 0 && setting.has(Flaw::JoinersBringNoSeeds);
                is_deciding(worker) && (self.workers[worker].disk.has_begun || is_joiner)
            }
            Action::End(worker) => is_deciding(worker) && memory(worker).looks.is_at_rest,
            Action::Crash(worker) => self.left.crashes > 0 && is_up(worker),
            Action::Return(worker) => setting.returns && self.workers[worker].life == Life::Down,
            Action::Expire(partition) => self.parts[partition].is_live,
            Action::RollBack(partition, writes) => self.past[partition][writes].is_some(),
            Action::Settle => self.left.rollbacks > 0,
        }
    }

    /// Returns the state after a step; none if it is impossible or changes nothing.
    fn after(&self, setting: &Setting, action: Action) -> Result<Option<Self>, Violation> {
        if !self.may(setting, action) {
            return Ok(None);
        }
        let mut next = *self;
        let has_changed = match action {
            Action::Seed(worker) => {
                next.seed(setting, worker);
                true
            }
            Action::Drop(worker, partition) => {
                next.drop_lost(setting, worker, partition);
                true
            }
            Action::Adopt(worker, partition) => next.adopt(setting, worker, partition),
            Action::Fetch(worker, page) => next.fetch(setting, worker, page)?,
            Action::Finish(worker) => next.finish(setting, worker),
            Action::Read(worker, partition) => next.read_inbox(worker, partition),
            Action::Commit(worker) => next.begin_commit(setting, worker),
            Action::Apply(worker, partition) => next.apply(setting, worker, partition)?,
            Action::Send(worker, partition) => next.send(setting, worker, partition),
            Action::Confirm(worker, partition) => next.confirm(setting, worker, partition),
            Action::LookBack(worker, partition) => {
                !setting.has(Flaw::NeverLooksBack) && next.look_back(worker, partition)
            }
            Action::GiveBack(worker, partition) => {
                next.left.releases -= 1;
                next.give_back(setting, worker, partition)
            }
            Action::Renew(worker, partition) => next.renew(worker, partition),
            Action::Take(worker, partition) => next.take(setting, worker, partition)?,
            Action::Look(worker, partition) => next.look(setting, worker, partition),
            Action::End(worker) => next.end(setting, worker)?,
            Action::Crash(worker) => {
                next.crash(worker);
                true
            }
            Action::Return(worker) => {
                next.come_back(worker);
                true
            }
            Action::Expire(partition) => next.expire(setting, partition),
            Action::RollBack(partition, writes) => next.roll_back(partition, writes),
            Action::Settle => next.settle(),
        };
        next.simplify(setting);
        Ok(has_changed.then_some(next))
    }

    /// A lease runs out. Its holder, if it lives, has stopped to begin requests before, and those
    /// that it has begun have ended.
    fn expire(&mut self, setting: &Setting, partition: usize) -> bool {
        let part = &mut self.parts[partition];
        part.is_live = false;
        let Some(owner) = usize::from(part.owner).checked_sub(1) else { return true };
        let memory = &mut self.workers[owner].memory;
        let epoch = part.epoch;
        let Some(held) = memory.held[partition].as_mut().filter(|held| held.epoch == epoch) else {
            return true;
        };
        let asked = memory.fetching.map(|page| setting.web.partition(page));
        let is_asked = asked == Some(partition) && !setting.has(Flaw::LongRequest);
        if self.left.expiries == 0 || is_asked {
            return false;
        }
        self.left.expiries -= 1;
        held.is_safe = setting.has(Flaw::OldLease);
        true
    }
}
