//! The queue of one host: the best links in memory, all of them on disk.

use ontrail_pilot::{LinkKey, Place};

/// Maximum number of links in memory over all hosts. A link takes 32 bytes.
pub(super) const MOST_IN_MEMORY: usize = 4 << 20;
/// Limits on the number of a host's links in memory.
const LEAST_OF_HOST: usize = 4;
const MOST_OF_HOST: usize = 256;

/// Returns the maximum number of links in memory for each of this many hosts, if there is room for
/// `room` links.
pub(crate) fn head_size(room: usize, hosts: usize) -> usize {
    (room / hosts.max(1)).clamp(LEAST_OF_HOST, MOST_OF_HOST)
}

/// Returns the key of a place in the queue of a host. The keys of one host sort in the order of
/// places.
pub(crate) fn queue_key(host: u32, place: Place) -> Vec<u8> {
    [&host.to_be_bytes()[..], &place.to_bytes()].concat()
}

/// Returns the place encoded in a key.
pub(crate) fn queue_place(key: &[u8]) -> Option<Place> {
    key.get(4..).and_then(|bytes| bytes.try_into().ok()).map(Place::from_bytes)
}

/// The links of a host that wait. All places before `floor` are in `head`, so the next link is
/// found without scanning past the deletion marks of the many links taken before it.
#[derive(Debug, Clone)]
pub(crate) struct HostQueue {
    /// The best links, the best last.
    head: Vec<(Place, LinkKey)>,
    floor: Place,
    /// The place of the best link while no link has been read from disk yet.
    unread: Option<Place>,
}

impl HostQueue {
    /// Returns a queue without links.
    pub(crate) fn empty() -> Self {
        Self { head: Vec::new(), floor: Place::LAST, unread: None }
    }

    /// Returns a queue whose links are all on disk; `first` is the place of the best.
    pub(crate) fn on_disk(first: Place) -> Self {
        Self { head: Vec::new(), floor: Place::FIRST, unread: Some(first) }
    }

    /// Returns the place of the best link.
    pub(crate) fn best(&self) -> Option<Place> {
        self.head.last().map(|(place, _)| *place).or(self.unread)
    }

    /// Returns the best link, if it is in memory.
    pub(crate) fn best_in_memory(&self) -> Option<(Place, LinkKey)> {
        self.head.last().copied()
    }

    /// Returns the place from which on links must be read from disk, if none is in memory but some
    /// may be on disk.
    pub(crate) fn refill_from(&self) -> Option<Place> {
        (self.head.is_empty() && self.floor != Place::LAST).then_some(self.floor)
    }

    /// Takes note of a link that was added on disk; keeps at most `most` links in memory.
    pub(crate) fn insert(&mut self, place: Place, key: LinkKey, most: usize) {
        if let Some(first) = &mut self.unread {
            *first = place.min(*first);
        } else if place < self.floor {
            let at = self.head.partition_point(|(other, _)| *other > place);
            self.head.insert(at, (place, key));
            if self.head.len() > most {
                self.trim(most.div_ceil(2));
            }
        }
    }

    /// Takes note of a link that was removed on disk.
    pub(crate) fn remove(&mut self, place: Place) {
        if let Ok(at) = self.head.binary_search_by(|(other, _)| place.cmp(other)) {
            self.head.remove(at);
        }
    }

    /// Puts the links that were read from disk into memory, the best first. `asked` is the number
    /// that was asked for: if fewer were found, there are no more.
    pub(crate) fn refill(&mut self, found: Vec<(Place, LinkKey)>, asked: usize) {
        self.unread = None;
        self.floor = match found.last() {
            Some((place, _)) if found.len() >= asked => place.behind(),
            _ => Place::LAST,
        };
        self.head = found;
        self.head.reverse();
    }

    /// Keeps only the `most` best links in memory.
    pub(crate) fn trim(&mut self, most: usize) {
        let Some(surplus) = self.head.len().checked_sub(most).filter(|it| *it > 0) else { return };
        self.floor = self.head[surplus - 1].0;
        self.head.drain(..surplus);
        self.head.shrink_to(most);
    }
}
