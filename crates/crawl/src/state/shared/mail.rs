//! Letters: links that are sent to the partitions of other workers.

use std::collections::BTreeMap;
use std::time::Instant;

use ontrail_pilot::{HostKey, Offer, SentLink, WaitingLink};
use redis::{Cmd, cmd};

use super::SharedState;
use super::letters::{Addressed, Batch, BatchName, Letter, Posted, SETTLED, Sent};
use super::partition::{Partition, Record};
use crate::state::{Heard, LocalState};
use crate::store::{StoreError, Table};

/// Most letters that are read from an inbox at a time.
const MOST_LETTERS: u64 = 200;

/// A table and the keys whose values are to be fetched from it.
type Wanted = (Table, Vec<Vec<u8>>);

impl SharedState {
    /// Reads the letters in the inboxes of this worker's partitions.
    pub(super) fn read_inboxes(&mut self) -> Result<(), StoreError> {
        let open: Vec<u32> = self.partitions.keys().copied().collect();
        let read = |partition: &u32| {
            let from = self.partitions[partition].read.len() as u64;
            let (key, to) = (self.keys.inbox(*partition), from + MOST_LETTERS - 1);
            cmd("LRANGE").arg(key).arg(from).arg(to).to_owned()
        };
        let commands: Vec<Cmd> = open.iter().map(read).collect();
        let inboxes: Vec<Vec<Vec<u8>>> = self.server.call_all(&commands)?;
        let (mut offers, mut sent) = (Vec::new(), Vec::new());
        for (partition, inbox) in open.into_iter().zip(inboxes) {
            if inbox.is_empty() {
                continue;
            }
            let Some(own) = self.partitions.get_mut(&partition) else { continue };
            own.is_changed = true;
            for batch in inbox {
                let (name, letters) = Batch::read(&batch)?;
                own.read.push(name);
                for letter in letters {
                    match letter.sighting {
                        Some(sighting) => {
                            let (link, priority) = (*letter.link, letter.rank);
                            sent.push(SentLink { link, priority, sighting });
                        }
                        None => offers.push((partition, letter)),
                    }
                }
            }
        }
        let waiting: Vec<WaitingLink> = offers.iter().map(|(_, letter)| letter.waiting()).collect();
        let answers = self.offer_to_each(offers)?;
        let queued = waiting.into_iter().zip(answers).filter(|(_, offer)| offer.is_queued());
        self.hear(Heard::Waiting(queued.map(|(link, _)| link).collect()));
        self.hear(Heard::Sent(sent));
        Ok(())
    }

    /// Offers links to this worker's partitions.
    pub(super) fn offer_to_each(
        &mut self,
        offers: Vec<(u32, Letter)>,
    ) -> Result<Vec<Offer>, StoreError> {
        self.fetch_for(&offers)?;
        let answers = offers.into_iter().map(|(to, letter)| self.offer_to(to, letter)).collect();
        self.forget_fetched();
        answers
    }

    /// Fetches everything that is needed to decide about links, in one round trip.
    pub(super) fn fetch_for(&self, offers: &[(u32, Letter)]) -> Result<(), StoreError> {
        let mut wanted: BTreeMap<(u32, usize), Wanted> = BTreeMap::new();
        for (partition, letter) in offers {
            let link = letter.link.key().to_vec();
            let pattern = LocalState::pattern_key(&letter.link.url);
            let keys = [Some((Table::Links, link)), pattern.map(|key| (Table::Patterns, key))];
            for (table, key) in keys.into_iter().flatten() {
                let of = wanted.entry((*partition, table.index()));
                of.or_insert_with(|| (table, Vec::new())).1.push(key);
            }
        }
        let mut commands = Vec::new();
        let mut asked = Vec::new();
        for ((partition, _), (table, keys)) in wanted {
            let Some(own) = self.partitions.get(&partition) else { continue };
            commands.extend(own.tables().fetching(table, &keys));
            asked.push((partition, table, keys));
        }
        let found: Vec<Vec<Option<Vec<u8>>>> = self.server.call_all(&commands)?;
        for ((partition, table, keys), values) in asked.into_iter().zip(found) {
            if let Some(own) = self.partitions.get(&partition) {
                own.tables().fetched(table, keys, values);
            }
        }
        Ok(())
    }

    pub(super) fn forget_fetched(&self) {
        self.partitions.values().for_each(|own| own.tables().forget_fetched());
    }

    /// Offers a link to one of this worker's partitions.
    pub(super) fn offer_to(&mut self, partition: u32, letter: Letter) -> Result<Offer, StoreError> {
        let Some(own) = self.partitions.get_mut(&partition) else { return Ok(Offer::Sent) };
        own.is_changed = true;
        let host = HostKey::of(letter.link.host());
        own.state.set_next_age(self.next_age);
        let offer = own.state.add(*letter.link, letter.rank, letter.age)?;
        self.next_age = own.state.next_age();
        self.hosts.insert(host, partition);
        Ok(offer)
    }

    /// Offers links that the page of the partition `from` has; none if they belong to no page.
    pub(super) fn offer_from(
        &mut self,
        from: Option<u32>,
        letters: Vec<Letter>,
    ) -> Result<Vec<Offer>, StoreError> {
        let to = |letter: Letter| {
            let to = self.keys.partition_of(&letter.link.url);
            // In another partition, a link may have this age already, and with it the same place.
            let age = letter.age.filter(|_| from == Some(to));
            (to, Letter { age, ..letter })
        };
        let letters: Vec<(u32, Letter)> = letters.into_iter().map(to).collect();
        let own: Vec<(u32, Letter)> =
            letters.iter().filter(|(to, _)| self.partitions.contains_key(to)).cloned().collect();
        self.fetch_for(&own)?;
        let mut offers = Vec::with_capacity(letters.len());
        for (to, letter) in letters {
            let offer = self.offer_to(to, letter.clone())?;
            offers.push(offer);
            // A link that stays here is noted as well: it must not be lost if this worker dies
            // after the commit of its page and before that of its own partition.
            let must_travel = offer == Offer::Sent || offer.is_queued() && from != Some(to);
            if must_travel {
                self.write(from, Addressed { to, letter });
            }
        }
        self.forget_fetched();
        Ok(offers)
    }

    /// Sends a letter with the next commit of the partition `from`, if this worker holds it.
    pub(super) fn write(&mut self, from: Option<u32>, letter: Addressed) {
        match from.and_then(|from| self.partitions.get_mut(&from)) {
            Some(page) => {
                page.outgoing.push(letter);
                page.is_changed = true;
            }
            None => self.letters.push(letter),
        }
    }

    /// Puts batches into the inboxes of their partitions.
    pub(super) fn push(&self, batches: &[Batch]) -> Result<(), StoreError> {
        let commands = batches.iter().map(|batch| batch.command(&self.keys));
        let commands: Vec<Cmd> = commands.collect::<Result<_, StoreError>>()?;
        self.server.call_all::<u64>(&commands)?;
        Ok(())
    }

    /// Sends the letters of commits that were applied. They stay in the outboxes for a while.
    /// `name` is that of the letters that belong to no page.
    pub(super) fn deliver(
        &mut self,
        applied: &[Record],
        name: BatchName,
    ) -> Result<(), StoreError> {
        let mut foreign = Vec::new();
        for record in applied {
            let sent = self.post(record.posted());
            foreign.extend(sent.foreign.clone());
            if let Some(own) = self.partitions.get_mut(&record.partition).filter(|_| sent.count > 0)
            {
                own.sent.push_back(sent);
            }
        }
        let loose = std::mem::take(&mut self.letters);
        let loose = loose.into_iter().filter(|it| !self.partitions.contains_key(&it.to));
        foreign.extend(Batch::sort(loose.map(|it| Posted { batch: name, addressed: it })));
        self.push(&foreign)
    }

    /// Sorts the letters of an outbox into those for other workers and those for this one.
    pub(super) fn post(&self, letters: impl Iterator<Item = Posted>) -> Sent {
        let mut sent = Sent { at: Instant::now(), count: 0, foreign: Vec::new(), own: Vec::new() };
        let letters: Vec<Posted> = letters.collect();
        sent.count = letters.len() as u64;
        for batch in Batch::sort(letters) {
            match self.partitions.get(&batch.to) {
                Some(own) => sent.own.push((own.epoch, batch)),
                None => sent.foreign.push(batch),
            }
        }
        sent
    }

    /// Lets letters leave the outboxes whose arrival is certain, and sends the others again.
    pub(super) fn settle(&mut self) -> Result<(), StoreError> {
        let is_due =
            |own: &Partition| own.sent.front().is_some_and(|sent| sent.at.elapsed() >= SETTLED);
        let due = self.partitions.iter().filter(|(_, own)| is_due(own));
        let due: Vec<u32> = due.map(|(partition, _)| *partition).collect();
        for partition in due {
            let own = self.partitions.get_mut(&partition);
            let Some(mut sent) = own.and_then(|own| own.sent.pop_front()) else { continue };
            let missing = self.missing(&mut sent)?;
            self.push(&missing)?;
            let Some(own) = self.partitions.get_mut(&partition) else { continue };
            if missing.is_empty() {
                own.delivered += sent.count;
                own.is_changed = true;
            } else {
                sent.at = Instant::now();
                own.sent.push_front(sent);
            }
        }
        Ok(())
    }

    /// Returns the batches that the server has lost. Those for partitions that this worker has lost
    /// since become batches for other workers.
    fn missing(&self, sent: &mut Sent) -> Result<Vec<Batch>, StoreError> {
        let marks = sent.foreign.iter().map(|batch| self.keys.mark(batch.to, &batch.name));
        let asked: Vec<Cmd> = marks.map(|mark| cmd("EXISTS").arg(mark).to_owned()).collect();
        let kept: Vec<bool> = self.server.call_all(&asked)?;
        let foreign = sent.foreign.iter().zip(kept).filter(|(_, is_kept)| !is_kept);
        let mut missing: Vec<Batch> = foreign.map(|(batch, _)| batch.clone()).collect();
        let is_held = |(epoch, batch): &(u64, Batch)| {
            self.partitions.get(&batch.to).is_some_and(|own| own.epoch == *epoch)
        };
        let (held, lost) = std::mem::take(&mut sent.own).into_iter().partition(is_held);
        sent.own = held;
        let lost: Vec<(u64, Batch)> = lost;
        for (_, batch) in lost {
            sent.foreign.push(batch.clone());
            missing.push(batch);
        }
        Ok(missing)
    }
}
