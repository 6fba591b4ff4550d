//! Makes states equal that differ only in numbers that mean nothing any more, so that there are
//! few.

use super::setting::{Flaw, PARTITIONS, Setting};
use super::world::{Disk, Life, Looks, Memory, Record, Step, World};

impl World {
    /// Replaces a state by one that behaves the same.
    pub(crate) fn simplify(&mut self, setting: &Setting) {
        for worker in &mut self.workers {
            // A worker that has something to do looks for rest anew.
            if !worker.memory.is_idle() {
                worker.memory.looks = Looks::default();
            }
            let may_return = self.left.crashes > 0 || worker.life == Life::Down && setting.returns;
            if worker.life == Life::Ended || !may_return {
                worker.disk.records = [None; PARTITIONS];
            }
            if worker.life == Life::Ended || self.left.crashes == 0 && worker.life == Life::Up {
                worker.disk = Disk { has_begun: worker.disk.has_begun, ..Disk::default() };
                worker.memory.stored = 0;
            }
        }
        if self.left.rollbacks == 0 {
            for partition in 0..PARTITIONS {
                self.forget_records(partition);
                self.renumber_commits(partition);
                if !setting.has(Flaw::ForgetsNewLease) && !setting.has(Flaw::ReusesEpoch) {
                    self.renumber_epochs(partition);
                }
            }
        }
    }

    /// Forgets recorded commits that the server would not apply.
    fn forget_records(&mut self, partition: usize) {
        let part = self.parts[partition];
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let record = &mut worker.disk.records[partition];
            let is_old =
                |it: &Record| it.number <= part.commit || !part.is_held_by(number, it.epoch);
            if record.as_ref().is_some_and(is_old) {
                *record = None;
            }
            for kept in worker.memory.holds[partition].iter_mut().flat_map(|it| &mut it.kept) {
                if kept.is_some_and(|kept| kept.number <= part.commit) {
                    *kept = None;
                }
            }
        }
    }

    /// Counts commits from the last one that was applied.
    fn renumber_commits(&mut self, partition: usize) {
        let Some(less) = self.parts[partition].commit.checked_sub(1) else { return };
        let new = |number: &mut u8| *number = number.saturating_sub(less);
        new(&mut self.parts[partition].commit);
        for worker in &mut self.workers {
            let Memory { looks, taken, holds, .. } = &mut worker.memory;
            looks.now[partition].as_mut().into_iter().for_each(new);
            looks.before.iter_mut().for_each(|before| new(&mut before[partition]));
            taken[partition].iter_mut().for_each(|taken| new(&mut taken.commit));
            if let Some(hold) = &mut holds[partition] {
                new(&mut hold.commit);
                hold.kept.iter_mut().flatten().for_each(|kept| new(&mut kept.number));
            }
        }
        self.each_record(partition, |record| new(&mut record.number));
    }

    /// Numbers the epochs that anybody remembers from 1.
    fn renumber_epochs(&mut self, partition: usize) {
        // Nobody has held a partition in epoch 0, but it counts as known.
        let mut known = 1_u32;
        self.each_epoch(partition, &mut |epoch| known |= 1 << *epoch);
        let rank = |epoch: u8| (known & ((1 << epoch) - 1)).count_ones().to_le_bytes()[0];
        self.each_epoch(partition, &mut |epoch| *epoch = rank(*epoch));
        self.epochs[partition] = known.count_ones().to_le_bytes()[0] - 1;
    }

    fn each_epoch(&mut self, partition: usize, change: &mut impl FnMut(&mut u8)) {
        change(&mut self.parts[partition].epoch);
        for worker in &mut self.workers {
            let Memory { held, taken, holds, .. } = &mut worker.memory;
            held[partition].iter_mut().for_each(|held| change(&mut held.epoch));
            taken[partition].iter_mut().for_each(|taken| change(&mut taken.epoch));
            if let Some(hold) = &mut holds[partition] {
                change(&mut hold.epoch);
                hold.kept.iter_mut().flatten().for_each(|kept| change(&mut kept.epoch));
            }
        }
        self.each_record(partition, |record| change(&mut record.epoch));
    }

    /// Changes all commits that are recorded or being applied.
    fn each_record(&mut self, partition: usize, mut change: impl FnMut(&mut Record)) {
        for worker in &mut self.workers {
            worker.disk.records[partition].iter_mut().for_each(&mut change);
            match &mut worker.memory.step {
                Step::Applying { left, .. } | Step::Returning { left, .. } => {
                    left[partition].iter_mut().for_each(&mut change);
                }
                Step::Deciding | Step::Sending(_) => {}
            }
        }
    }
}
