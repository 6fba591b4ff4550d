//! The state of everything: the server's partitions, and the workers with what they remember and
//! what they have on disk.

use super::letters::Letters;
use super::setting::{PARTITIONS, Setting, WORKERS, bit};

/// The most writes of a partition that its node can lose.
pub(crate) const LOST_WRITES: usize = 2;

/// The keys of a partition on the server. Sets of pages are bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    /// The number of the worker that holds it, beginning with 1; 0 if nobody does.
    pub(crate) owner: u8,
    pub(crate) epoch: u8,
    /// False once the lease has run out.
    pub(crate) is_live: bool,
    /// The number of the last commit, and the number of open links as of then.
    pub(crate) commit: u8,
    pub(crate) open: u8,
    /// The links that are not finished, and those that are.
    pub(crate) waiting: u8,
    pub(crate) done: u8,
    pub(crate) inbox: Letters,
    pub(crate) outbox: Letters,
    /// The letters that ever arrived. Real letters are counted for each sender instead.
    pub(crate) received: u8,
}

/// A commit of a partition as a worker records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    pub(crate) epoch: u8,
    pub(crate) number: u8,
    pub(crate) open: u8,
    pub(crate) read: Letters,
    pub(crate) delivered: u8,
    pub(crate) letters: Letters,
    pub(crate) waiting: u8,
    pub(crate) done: u8,
}

/// A commit for each partition that has changed.
pub(crate) type Records = [Option<Record>; PARTITIONS];

/// A lease, as the task that extends it knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Held {
    pub(crate) epoch: u8,
    pub(crate) is_safe: bool,
}

/// A partition that was taken and is not in use yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Taken {
    pub(crate) epoch: u8,
    pub(crate) commit: u8,
    pub(crate) is_orphan: bool,
}

/// A partition in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Hold {
    pub(crate) epoch: u8,
    pub(crate) commit: u8,
    /// The links that are not finished, those of them that are being fetched, and the others.
    pub(crate) waiting: u8,
    pub(crate) leased: u8,
    pub(crate) done: u8,
    /// The changes since the last commit.
    pub(crate) new_waiting: u8,
    pub(crate) new_done: u8,
    pub(crate) read: Letters,
    pub(crate) outgoing: Letters,
    pub(crate) delivered: u8,
    /// Letters that were sent and may still be lost.
    pub(crate) sent: Letters,
    pub(crate) is_changed: bool,
    /// The last commits that were applied.
    pub(crate) kept: [Option<Record>; LOST_WRITES],
}

/// What the deciding thread of a worker is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Anything.
    #[default]
    Deciding,
    /// It applies a commit, and then delivers letters.
    Applying { left: Records, letters: Letters },
    /// It puts letters into inboxes.
    Sending(Letters),
    /// It has returned and applies its last commit again.
    Returning { left: Records, letters: Letters },
}

/// What a worker is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Life {
    #[default]
    Up,
    Down,
    Ended,
}

/// The looks of a worker for rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Looks {
    /// The commits of the partitions that were looked at in this look.
    pub(crate) now: [Option<u8>; PARTITIONS],
    /// The commits of all partitions at the look before.
    pub(crate) before: Option<[u8; PARTITIONS]>,
    pub(crate) is_at_rest: bool,
}

/// A worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Worker {
    pub(crate) life: Life,
    pub(crate) memory: Memory,
    pub(crate) disk: Disk,
}

/// What a worker forgets when it dies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Memory {
    pub(crate) step: Step,
    pub(crate) held: [Option<Held>; PARTITIONS],
    pub(crate) taken: [Option<Taken>; PARTITIONS],
    pub(crate) lost: [bool; PARTITIONS],
    pub(crate) holds: [Option<Hold>; PARTITIONS],
    /// Letters that belong to no page.
    pub(crate) letters: Letters,
    /// The page that is being fetched.
    pub(crate) fetching: Option<u8>,
    /// Pages in the archive that no record counts yet.
    pub(crate) stored: u8,
    pub(crate) looks: Looks,
}

/// What a worker has on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Disk {
    /// True once the worker has recorded the seeds.
    pub(crate) has_begun: bool,
    pub(crate) records: Records,
    pub(crate) letters: Letters,
    /// Pages in the archive that a record counts.
    pub(crate) stored: u8,
    /// Pages whose commits the server has applied for this worker. It is here to be checked.
    pub(crate) applied: u8,
}

/// What may still go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Left {
    pub(crate) crashes: u8,
    pub(crate) expiries: u8,
    pub(crate) releases: u8,
    pub(crate) rollbacks: u8,
}

/// A state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) parts: [Part; PARTITIONS],
    /// What each partition was before its last writes, the newest first, as far as they can be
    /// lost.
    pub(crate) past: [[Option<Part>; LOST_WRITES]; PARTITIONS],
    /// The largest epoch that each partition ever had.
    pub(crate) epochs: [u8; PARTITIONS],
    /// True if a node has lost writes.
    pub(crate) has_failed: bool,
    pub(crate) workers: [Worker; WORKERS],
    pub(crate) left: Left,
}

impl World {
    /// Returns the state in which a crawl begins.
    pub(crate) fn new(setting: &Setting) -> Self {
        let mut world = Self {
            parts: Default::default(),
            past: Default::default(),
            epochs: Default::default(),
            has_failed: false,
            workers: Default::default(),
            left: Left {
                crashes: setting.crashes,
                expiries: setting.expiries,
                releases: setting.releases,
                rollbacks: setting.rollbacks,
            },
        };
        if setting.is_running {
            world.share_out(setting);
        }
        world
    }

    /// Gives each worker a partition, and the first one the seeds.
    fn share_out(&mut self, setting: &Setting) {
        self.epochs = [1; PARTITIONS];
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let seeds = setting.web.seeds.iter().filter(|_| number == 0);
            let waiting = seeds.fold(0, |seeds, seed| seeds | bit(*seed));
            let open = waiting.count_ones().to_le_bytes()[0];
            let part = &mut self.parts[number];
            (part.owner, part.epoch, part.is_live) = (u8::from(number == 1) + 1, 1, true);
            (part.waiting, part.open, part.commit) = (waiting, open, 1);
            worker.disk.has_begun = true;
            worker.memory.held[number] = Some(Held { epoch: 1, is_safe: true });
            worker.memory.holds[number] =
                Some(Hold { waiting, epoch: 1, commit: 1, ..Hold::default() });
        }
    }

    /// Returns the pages that are finished.
    pub(crate) fn done(&self) -> u8 {
        self.parts.iter().fold(0, |done, part| done | part.done)
    }

    /// Returns true if the crawl is over for everybody who still takes part.
    pub(crate) fn is_over(&self) -> bool {
        let is = |life| self.workers.iter().any(|worker| worker.life == life);
        is(Life::Ended) && !is(Life::Up)
    }
}

impl Memory {
    /// Returns true if there are links that no commit has yet.
    pub(crate) fn has_news(&self) -> bool {
        let has_any = |hold: &Hold| {
            hold.new_waiting | hold.new_done != 0
                || !hold.outgoing.is_empty()
                || !hold.read.is_empty()
        };
        !self.letters.is_empty() || self.holds.iter().flatten().any(has_any)
    }

    /// Returns true if the worker has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        let is_quiet = |hold: &Hold| hold.waiting == 0 && !hold.is_changed;
        self.step == Step::Deciding
            && self.fetching.is_none()
            && self.letters.is_empty()
            && self.holds.iter().flatten().all(is_quiet)
    }
}
