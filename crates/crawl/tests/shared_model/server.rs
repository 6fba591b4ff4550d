//! The scripts that the server runs, each at once: `take.lua`, `renew.lua`, `release.lua`,
//! `commit.lua`, and the push of letters. The view of `rest.lua` is [`Part::open_ends`].

use super::letters::Letters;
use super::setting::{Flaw, Setting, bit};
use super::world::{Held, LOST_WRITES, Part, Record, Taken, World};

/// What must never happen.
pub(crate) type Violation = &'static str;

/// More takes of a partition than any configuration needs.
const MOST_EPOCHS: u8 = 9;

/// The answer of `commit.lua`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Applied,
    Fenced,
    Gap { done: u8 },
}

impl Part {
    /// Returns the number of open links and of letters, as `rest.lua` adds them up.
    pub(crate) fn open_ends(&self) -> u8 {
        self.open + self.inbox.len() + self.outbox.len()
    }

    /// Returns true if a worker holds the partition in this epoch.
    pub(crate) fn is_held_by(&self, worker: usize, epoch: u8) -> bool {
        usize::from(self.owner) == worker + 1 && self.epoch == epoch
    }

    /// Returns true if the link or the letter of a page has arrived here.
    pub(crate) fn has(&self, page: u8) -> bool {
        (self.received | self.waiting | self.done) & bit(page) != 0
    }
}

impl World {
    /// Returns a partition for a write that its node may lose.
    fn write(&mut self, partition: usize) -> &mut Part {
        if self.left.rollbacks > 0 {
            self.past[partition].rotate_right(1);
            self.past[partition][0] = Some(self.parts[partition]);
        }
        &mut self.parts[partition]
    }

    /// `take.lua`, and what `Membership::take` does with the answer.
    pub(crate) fn take(
        &mut self,
        setting: &Setting,
        worker: usize,
        partition: usize,
    ) -> Result<bool, Violation> {
        let part = self.parts[partition];
        let is_own = usize::from(part.owner) == worker + 1;
        if part.owner != 0 && !is_own && part.is_live {
            return Ok(false);
        }
        let newest = self.epochs[partition];
        let before = if setting.has(Flaw::ReusesEpoch) { part.epoch } else { newest };
        let epoch = before + 1;
        if epoch > MOST_EPOCHS {
            return Err("a partition is taken again and again");
        }
        self.epochs[partition] = newest.max(epoch);
        let now = self.write(partition);
        now.owner = u8::from(worker == 1) + 1;
        (now.epoch, now.is_live) = (epoch, true);
        let memory = &mut self.workers[worker].memory;
        memory.held[partition] = Some(Held { epoch, is_safe: true });
        let taken = Taken { epoch, commit: part.commit, is_orphan: part.owner != 0 };
        memory.taken[partition] = Some(taken);
        Ok(true)
    }

    /// `renew.lua`, and what `Membership::renew` does with the answer. Returns false if nothing
    /// changes.
    pub(crate) fn renew(&mut self, worker: usize, partition: usize) -> bool {
        let memory = &mut self.workers[worker].memory;
        let Some(held) = memory.held[partition] else { return false };
        let part = &mut self.parts[partition];
        if !part.is_held_by(worker, held.epoch) {
            (memory.held[partition], memory.taken[partition]) = (None, None);
            memory.lost[partition] = true;
            return true;
        }
        if part.is_live && held.is_safe {
            return false;
        }
        part.is_live = true;
        memory.held[partition] = Some(Held { is_safe: true, ..held });
        true
    }

    /// `release.lua`.
    pub(crate) fn release(&mut self, worker: usize, partition: usize, epoch: u8) {
        if self.parts[partition].is_held_by(worker, epoch) {
            let part = self.write(partition);
            (part.owner, part.is_live) = (0, false);
        }
    }

    /// Puts letters for a partition into its inbox.
    pub(crate) fn push(&mut self, partition: usize, letters: Letters) {
        let part = self.write(partition);
        part.inbox.extend(letters);
        letters.iter().for_each(|page| part.received |= bit(page));
    }

    /// `commit.lua`.
    pub(crate) fn commit(
        &mut self,
        setting: &Setting,
        worker: usize,
        partition: usize,
        record: &Record,
    ) -> Result<Answer, Violation> {
        let part = self.parts[partition];
        if !part.is_held_by(worker, record.epoch) && !setting.has(Flaw::NoFence) {
            return Ok(Answer::Fenced);
        }
        if record.number <= part.commit {
            return Ok(Answer::Applied);
        }
        if record.number > part.commit + 1 {
            return Ok(Answer::Gap { done: part.commit });
        }
        if part.done & record.done != 0 && !self.has_failed {
            return Err("a page was finished twice");
        }
        let part = self.write(partition);
        part.inbox = trimmed(setting, part.inbox, record.read);
        part.outbox = part.outbox.skip(record.delivered);
        if !setting.has(Flaw::EarlyTrim) {
            part.outbox.extend(record.letters);
        }
        part.done |= record.done;
        part.waiting = (part.waiting | record.waiting) & !part.done;
        (part.open, part.commit, part.is_live) = (record.open, record.number, true);
        self.workers[worker].disk.applied |= record.done;
        Ok(Answer::Applied)
    }

    /// The node of a partition dies, and forgets its last writes when it is back.
    pub(crate) fn roll_back(&mut self, partition: usize, writes: usize) -> bool {
        let Some(before) = self.past[partition][writes] else { return false };
        let now = self.parts[partition];
        let is_same = now.owner == before.owner && now.epoch == before.epoch;
        let is_live = if is_same { now.is_live } else { before.is_live };
        self.parts[partition] = Part { is_live, ..before };
        self.past[partition] = Default::default();
        self.left.rollbacks -= 1;
        if self.left.rollbacks == 0 {
            self.past = Default::default();
        }
        self.has_failed = true;
        true
    }

    /// Time passes: whatever was written before cannot be lost any more.
    pub(crate) fn settle(&mut self) -> bool {
        let is_new = self.past != [[None; LOST_WRITES]; 2];
        self.past = Default::default();
        is_new
    }
}

/// Returns an inbox without the letters that were read.
fn trimmed(setting: &Setting, inbox: Letters, read: Letters) -> Letters {
    if setting.has(Flaw::TrimsByCount) {
        return inbox.skip(read.len());
    }
    let next = |inbox: Letters, page| inbox.skip(u8::from(inbox.first() == Some(page)));
    read.iter().fold(inbox, next)
}
