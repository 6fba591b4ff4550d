//! Full queues: the worst waiting link makes room for a better one.
//!
//! Without this, one host with endless links could fill the queue and keep out every better link
//! that is found later.

use std::collections::{BTreeSet, HashMap};

use ontrail_pilot::{LinkKey, Offer, Place};

use super::local::{LocalState, damaged};
use super::queue::queue_place;
use crate::store::{StoreError, Table};

/// For each host a place that is its worst, or was before its worst links were taken.
#[derive(Debug, Default)]
pub(crate) struct WorstPlaces {
    by_place: BTreeSet<(Place, u32)>,
    of_host: HashMap<u32, Place>,
}

impl WorstPlaces {
    /// Takes note of a link that was added to a host's queue.
    pub(crate) fn added(&mut self, host: u32, place: Place) {
        if self.of_host.get(&host).is_none_or(|worst| *worst < place) {
            self.set(host, Some(place));
        }
    }

    fn set(&mut self, host: u32, place: Option<Place>) {
        if let Some(before) = self.of_host.remove(&host) {
            self.by_place.remove(&(before, host));
        }
        if let Some(place) = place {
            self.of_host.insert(host, place);
            self.by_place.insert((place, host));
        }
    }
}

impl LocalState {
    /// Makes room for a link of a host in the queue, if a limit is reached and a worse link waits.
    /// Returns the reason if the link must be refused.
    pub(super) fn make_room(
        &mut self,
        host: u32,
        place: Place,
    ) -> Result<Option<Offer>, StoreError> {
        let is_host_full = self.hosts.get(host).facts.queued >= self.limits.queued_of_host;
        if is_host_full || self.hosts.queued_of_site(host) >= self.limits.queued_of_site {
            let worst = self.worst_of_host(host)?.map(|(worst, key)| (host, worst, key));
            return self.replace(worst, place, Offer::HostFull);
        }
        if self.totals.queued >= self.limits.queued {
            let worst = self.worst_of_all()?;
            return self.replace(worst, place, Offer::QueueFull);
        }
        Ok(None)
    }

    /// Drops a waiting link if a link with the given place is better.
    fn replace(
        &mut self,
        worst: Option<(u32, Place, LinkKey)>,
        place: Place,
        refusal: Offer,
    ) -> Result<Option<Offer>, StoreError> {
        let Some((host, worst, key)) = worst.filter(|(_, worst, _)| place < *worst) else {
            return Ok(Some(refusal));
        };
        self.dequeue(host, worst)?;
        // The link is forgotten, so that it may be queued again if it is found again.
        self.store.delete(Table::Links, &key);
        self.totals.dropped += 1;
        Ok(None)
    }

    /// Returns the worst waiting link of a host.
    fn worst_of_host(&self, host: u32) -> Result<Option<(Place, LinkKey)>, StoreError> {
        let Some((key, value)) = self.store.last(Table::Queue, &host.to_be_bytes())? else {
            return Ok(None);
        };
        let place = queue_place(&key).ok_or_else(|| damaged("a place in a queue"))?;
        let link = value.as_slice().try_into().map_err(|_| damaged("a queue"))?;
        Ok(Some((place, link)))
    }

    /// Returns the worst waiting link of all hosts.
    fn worst_of_all(&mut self) -> Result<Option<(u32, Place, LinkKey)>, StoreError> {
        let mut worst = self.worst.take().unwrap_or_else(|| {
            let mut worst = WorstPlaces::default();
            self.host_numbers().for_each(|host| worst.added(host, Place::LAST));
            worst
        });
        let mut found = None;
        // The places are those of the worst links, or behind them: the first that is right is the
        // worst of all.
        while let Some(&(place, host)) = worst.by_place.last() {
            let actual = self.worst_of_host(host)?;
            if let Some((actual, key)) = actual
                && actual == place
            {
                found = Some((host, place, key));
                break;
            }
            worst.set(host, actual.map(|(place, _)| place));
        }
        self.worst = Some(worst);
        Ok(found)
    }
}
