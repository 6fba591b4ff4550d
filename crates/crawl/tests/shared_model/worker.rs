//! What a worker does. Its deciding thread does one thing after the other; the task that takes and
//! extends leases and looks for rest runs beside it.

use super::letters::Letters;
use super::server::{Answer, Violation};
use super::setting::{Flaw, PARTITIONS, Setting, WORKERS, bit};
use super::world::{Hold, Life, Looks, Memory, Record, Step, World};

impl World {
    fn memory(&mut self, worker: usize) -> &mut Memory {
        &mut self.workers[worker].memory
    }

    /// `drop_partition`.
    fn drop_partition(&mut self, setting: &Setting, worker: usize, partition: usize) {
        let memory = self.memory(worker);
        let hold = memory.holds[partition].take();
        let epoch = hold.map(|hold| hold.epoch);
        let is_old = memory.held[partition].map(|held| held.epoch) != epoch;
        if !is_old || setting.has(Flaw::ForgetsNewLease) {
            memory.held[partition] = None;
        }
    }

    /// The first half of `take_over`: drops a partition that was lost.
    pub(crate) fn drop_lost(&mut self, setting: &Setting, worker: usize, partition: usize) {
        self.memory(worker).lost[partition] = false;
        self.drop_partition(setting, worker, partition);
    }

    /// The second half of `take_over`: reads a partition that was taken, and sends its outbox. What
    /// was offered before must be committed: a link that was sent to the partition while another
    /// worker held it was not offered to it here.
    pub(crate) fn adopt(&mut self, setting: &Setting, worker: usize, partition: usize) -> bool {
        let part = self.parts[partition];
        let memory = self.memory(worker);
        let is_early = memory.has_news() && !setting.has(Flaw::AdoptsAtAnyTime);
        if is_early || memory.lost != [false; PARTITIONS] {
            return false;
        }
        let Some(taken) = memory.taken[partition].take() else { return false };
        let trusts = setting.has(Flaw::TrustsAcknowledgement);
        memory.holds[partition] = Some(Hold {
            epoch: taken.epoch,
            commit: taken.commit,
            waiting: part.waiting,
            leased: 0,
            done: part.done,
            new_waiting: 0,
            new_done: 0,
            read: Letters::default(),
            outgoing: Letters::default(),
            delivered: if trusts { part.outbox.len() } else { 0 },
            sent: if trusts { Letters::default() } else { part.outbox },
            is_changed: taken.is_orphan || trusts && !part.outbox.is_empty(),
            kept: Default::default(),
        });
        if !part.outbox.is_empty() {
            memory.step = Step::Sending(part.outbox);
        }
        true
    }

    /// `offer_from`: offers a link that the page of a partition has; none if it belongs to no page.
    fn offer(&mut self, worker: usize, from: Option<usize>, to: usize, page: u8) {
        let memory = self.memory(worker);
        let must_travel = memory.holds[to].as_mut().is_none_or(|hold| hold.add(page));
        if !must_travel || from == Some(to) && memory.holds[to].is_some() {
            return;
        }
        match from.and_then(|from| memory.holds[from].as_mut()) {
            Some(hold) => {
                hold.outgoing.push(page);
                hold.is_changed = true;
            }
            None => memory.letters.push(page),
        }
    }

    /// `offer_seeds`: offers the seeds and begins their commit.
    pub(crate) fn seed(&mut self, setting: &Setting, worker: usize) {
        for seed in setting.web.seeds {
            self.offer(worker, None, setting.web.partition(*seed), *seed);
        }
        self.begin_commit(setting, worker);
        self.workers[worker].disk.has_begun = true;
    }

    /// `take_best`: begins to fetch a page.
    pub(crate) fn fetch(
        &mut self,
        setting: &Setting,
        worker: usize,
        page: u8,
    ) -> Result<bool, Violation> {
        let partition = setting.web.partition(page);
        let memory = self.memory(worker);
        let is_safe = memory.held[partition].is_some_and(|held| held.is_safe);
        let Some(hold) = memory.holds[partition].as_mut() else { return Ok(false) };
        let can_start = hold.waiting & !hold.leased & bit(page) != 0;
        if memory.fetching.is_some() || !can_start || !is_safe && !setting.has(Flaw::OldLease) {
            return Ok(false);
        }
        hold.leased |= bit(page);
        hold.is_changed = true;
        memory.fetching = Some(page);
        let asks = |other: usize| {
            let page = self.workers[other].memory.fetching;
            page.is_some_and(|page| setting.web.partition(page) == partition)
        };
        // A server that forgets a lease hands the partition out twice, until its first holder
        // extends the lease the next time.
        if (0..WORKERS).all(asks) && !self.has_failed {
            return Err("two workers fetch from one partition at the same time");
        }
        Ok(true)
    }

    /// `handle_page`: stores the page, offers its links, and finishes it.
    pub(crate) fn finish(&mut self, setting: &Setting, worker: usize) -> bool {
        let memory = self.memory(worker);
        let Some(page) = memory.fetching.take() else { return false };
        memory.stored |= bit(page);
        let partition = setting.web.partition(page);
        for link in setting.web.links(page) {
            self.offer(worker, Some(partition), setting.web.partition(*link), *link);
        }
        if let Some(hold) = self.memory(worker).holds[partition].as_mut()
            && hold.leased & bit(page) != 0
        {
            hold.finish(page);
        }
        true
    }

    /// `read_inboxes`.
    pub(crate) fn read_inbox(&mut self, worker: usize, partition: usize) -> bool {
        let inbox = self.parts[partition].inbox;
        let Some(hold) = self.memory(worker).holds[partition].as_mut() else { return false };
        let letters = inbox.skip(hold.read.len());
        for page in letters.iter() {
            hold.add(page);
        }
        hold.read.extend(letters);
        hold.is_changed |= !letters.is_empty();
        !letters.is_empty()
    }

    /// The first half of `commit`: makes the records, and stores them.
    pub(crate) fn begin_commit(&mut self, setting: &Setting, worker: usize) -> bool {
        let memory = self.memory(worker);
        if !memory.letters.is_empty() || memory.holds.iter().flatten().any(|it| it.is_changed) {
            let mut left = [None; PARTITIONS];
            for (hold, left) in memory.holds.iter_mut().zip(&mut left) {
                *left = hold.as_mut().and_then(Hold::next_commit);
            }
            let letters = std::mem::take(&mut memory.letters);
            memory.step = Step::Applying { left, letters };
            if !setting.has(Flaw::LateRecord) {
                self.workers[worker].disk.letters = letters;
                self.workers[worker].disk.records = left;
                self.count_stored(worker);
            }
            if left == [None; PARTITIONS] {
                self.begin_to_send(setting, worker, letters, false);
            }
            return true;
        }
        false
    }

    /// Counts the pages of the archive in the record.
    fn count_stored(&mut self, worker: usize) {
        let stored = std::mem::take(&mut self.memory(worker).stored);
        self.workers[worker].disk.stored |= stored;
    }

    /// `apply`: applies the commit of a partition, or one that the server has lost before it. Also
    /// `apply_again`.
    pub(crate) fn apply(
        &mut self,
        setting: &Setting,
        worker: usize,
        partition: usize,
    ) -> Result<bool, Violation> {
        let (mut left, mut letters, is_back) = match self.memory(worker).step {
            Step::Applying { left, letters } => (left, letters, false),
            Step::Returning { left, letters } => (left, letters, true),
            Step::Deciding | Step::Sending(_) => return Ok(false),
        };
        let Some(record) = left[partition] else { return Ok(false) };
        let answer = self.commit(setting, worker, partition, &record)?;
        let hold = self.workers[worker].memory.holds[partition];
        if let Answer::Gap { done } = answer
            && let Some(lost) = hold.and_then(|hold| hold.lost_after(done))
            && self.commit(setting, worker, partition, &lost)? == Answer::Applied
        {
            return Ok(true);
        }
        left[partition] = None;
        let trusts = setting.has(Flaw::TrustsAcknowledgement);
        if is_back {
            self.memory(worker).step = Step::Returning { left, letters };
        } else if answer == Answer::Applied {
            let keeps = self.left.rollbacks > 0 || self.has_failed;
            if let Some(hold) = self.memory(worker).holds[partition].as_mut() {
                hold.applied(record, trusts, keeps);
            }
            letters.extend(record.letters);
            self.memory(worker).step = Step::Applying { left, letters };
        } else {
            self.drop_partition(setting, worker, partition);
            self.memory(worker).step = Step::Applying { left, letters };
        }
        if left == [None; PARTITIONS] {
            self.begin_to_send(setting, worker, letters, is_back);
        }
        Ok(true)
    }

    /// The first half of `deliver`: letters to partitions that are in use here were offered.
    fn begin_to_send(&mut self, setting: &Setting, worker: usize, all: Letters, is_back: bool) {
        if setting.has(Flaw::LateRecord) && !is_back {
            self.count_stored(worker);
        }
        let memory = self.memory(worker);
        let is_own = |page| memory.holds[setting.web.partition(page)].is_some();
        let foreign = all.only(|page| is_back || !is_own(page));
        memory.step = if foreign.is_empty() { Step::Deciding } else { Step::Sending(foreign) };
    }

    /// `send`: puts letters into the inbox of a partition.
    pub(crate) fn send(&mut self, setting: &Setting, worker: usize, to: usize) -> bool {
        let letters = match self.memory(worker).step {
            Step::Sending(letters) => letters,
            Step::Returning { left, letters } if left == [None; PARTITIONS] => letters,
            Step::Deciding | Step::Applying { .. } | Step::Returning { .. } => return false,
        };
        let batch = letters.only(|page| setting.web.partition(page) == to);
        if batch.is_empty() {
            return false;
        }
        let others = letters.only(|page| setting.web.partition(page) != to);
        self.memory(worker).step =
            if others.is_empty() { Step::Deciding } else { Step::Sending(others) };
        self.push(to, batch);
        true
    }

    /// Looks whether the letters that were sent have arrived for good, and sends them again if not.
    pub(crate) fn confirm(&mut self, setting: &Setting, worker: usize, partition: usize) -> bool {
        let (parts, past) = (self.parts, self.past);
        let Some(hold) = self.memory(worker).holds[partition].as_mut() else { return false };
        let to = |page| setting.web.partition(page);
        if hold.sent.is_empty() || hold.sent.iter().any(|page| past[to(page)][0].is_some()) {
            return false;
        }
        let lost = hold.sent.only(|page| !parts[to(page)].has(page));
        if lost.is_empty() {
            hold.delivered += hold.sent.len();
            hold.sent = Letters::default();
            hold.is_changed = true;
        } else {
            self.memory(worker).step = Step::Sending(lost);
        }
        true
    }

    /// Notices that the server has lost commits, so that the next one makes up for them.
    pub(crate) fn look_back(&mut self, worker: usize, partition: usize) -> bool {
        let part = self.parts[partition];
        let Some(hold) = self.memory(worker).holds[partition].as_mut() else { return false };
        let is_news = !hold.is_changed && part.commit < hold.commit;
        hold.is_changed |= is_news;
        is_news
    }

    /// `give_back_closed`.
    pub(crate) fn give_back(&mut self, setting: &Setting, worker: usize, partition: usize) -> bool {
        let memory = self.memory(worker);
        let Some(hold) = memory.holds[partition] else { return false };
        let is_asked = memory.fetching.is_some_and(|page| setting.web.partition(page) == partition);
        if hold.is_changed || hold.leased != 0 || is_asked {
            return false;
        }
        self.release(worker, partition, hold.epoch);
        self.drop_partition(setting, worker, partition);
        true
    }

    /// `look_for_rest`, at one partition. The worker ends the look once all were looked at.
    pub(crate) fn look(&mut self, setting: &Setting, worker: usize, partition: usize) -> bool {
        let parts = self.parts;
        let trusts = setting.has(Flaw::TrustsAcknowledgement);
        let may_forget = !trusts && self.past[partition][0].is_some();
        let memory = self.memory(worker);
        let is_second = memory.looks.before.is_some();
        if memory.looks.is_at_rest || !memory.is_idle() || is_second && may_forget {
            return false;
        }
        // All are asked at once; that the first answers first is enough, because webs differ.
        let next = memory.looks.now.iter().position(Option::is_none);
        if next != Some(partition) {
            return false;
        }
        if parts[partition].open_ends() > 0 {
            memory.looks = Looks::default();
            return true;
        }
        memory.looks.now[partition] = Some(parts[partition].commit);
        let [Some(one), Some(other)] = memory.looks.now else { return true };
        let commits = [one, other];
        let has_begun = commits.iter().any(|commit| *commit > 0);
        let is_first = memory.looks.before != Some(commits);
        let is_enough = !is_first || setting.has(Flaw::SingleLook);
        let is_at_rest = has_begun && is_enough;
        memory.looks =
            Looks { now: [None; PARTITIONS], before: has_begun.then_some(commits), is_at_rest };
        true
    }

    /// `finish` and `leave`.
    pub(crate) fn end(&mut self, setting: &Setting, worker: usize) -> Result<bool, Violation> {
        let memory = *self.memory(worker);
        if !memory.looks.is_at_rest || !memory.is_idle() {
            return Ok(false);
        }
        if self.done() != setting.web.reachable() {
            return Err("a worker leaves before all pages are finished");
        }
        for (partition, hold) in memory.holds.iter().enumerate() {
            if let Some(hold) = hold {
                self.release(worker, partition, hold.epoch);
            }
        }
        *self.memory(worker) = Memory::default();
        self.workers[worker].life = Life::Ended;
        Ok(true)
    }

    /// The process of a worker dies.
    pub(crate) fn crash(&mut self, worker: usize) {
        self.left.crashes -= 1;
        *self.memory(worker) = Memory::default();
        self.workers[worker].life = Life::Down;
    }

    /// A worker returns. Its last commit is applied again first.
    pub(crate) fn come_back(&mut self, worker: usize) {
        let disk = self.workers[worker].disk;
        let (left, letters) = (disk.records, disk.letters);
        let is_new = left == [None; PARTITIONS] && letters.is_empty();
        self.workers[worker].life = Life::Up;
        self.memory(worker).step =
            if is_new { Step::Deciding } else { Step::Returning { left, letters } };
    }
}

impl Hold {
    /// Adds a link. Returns true if it was not known.
    fn add(&mut self, page: u8) -> bool {
        if (self.waiting | self.done) & bit(page) != 0 {
            return false;
        }
        self.waiting |= bit(page);
        self.new_waiting |= bit(page);
        self.is_changed = true;
        true
    }

    fn finish(&mut self, page: u8) {
        self.leased &= !bit(page);
        self.waiting &= !bit(page);
        self.done |= bit(page);
        self.new_done |= bit(page);
        self.is_changed = true;
    }

    /// `next_commit`.
    fn next_commit(&mut self) -> Option<Record> {
        if !self.is_changed {
            return None;
        }
        self.is_changed = false;
        self.commit += 1;
        let open = self.waiting.count_ones().to_le_bytes()[0];
        Some(Record {
            epoch: self.epoch,
            number: self.commit,
            open,
            read: std::mem::take(&mut self.read),
            delivered: std::mem::take(&mut self.delivered),
            letters: std::mem::take(&mut self.outgoing),
            waiting: std::mem::take(&mut self.new_waiting),
            done: std::mem::take(&mut self.new_done),
        })
    }

    /// Notes that a commit was applied.
    fn applied(&mut self, record: Record, trusts: bool, keeps: bool) {
        if trusts {
            self.delivered += record.letters.len();
            self.is_changed |= !record.letters.is_empty();
        } else {
            self.sent.extend(record.letters);
        }
        if keeps {
            self.kept.rotate_left(1);
            self.kept[1] = Some(record);
        }
    }

    /// Returns the first of the commits after number `done`, if it is kept.
    fn lost_after(&self, done: u8) -> Option<Record> {
        self.kept.iter().flatten().find(|record| record.number == done + 1).copied()
    }
}
