//! The set of waiting links, by node number: counts the members below a number and finds the n-th
//! member.
//!
//! A random draw must depend only on which links are waiting. It must not depend on the order in
//! which links were taken and returned, because that order differs after an interruption. Links are
//! therefore counted in the order of their numbers, with a binary indexed tree (Fenwick 1994), in
//! O(log n).

use super::graph::NodeId;

/// A set of node numbers with rank and select.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting {
    /// At index i, counted from 1: the number of members among the last `i & -i` numbers up to it.
    tree: Vec<u32>,
    len: usize,
}

impl Waiting {
    /// Builds the set from one flag for each number.
    pub(crate) fn from_flags(is_in: impl ExactSizeIterator<Item = bool>) -> Self {
        let mut tree = vec![0_u32; is_in.len() + 1];
        let mut len = 0;
        for (place, is_in) in (1..).zip(is_in) {
            tree[place] += u32::from(is_in);
            len += usize::from(is_in);
            let parent = place + (place & place.wrapping_neg());
            if parent < tree.len() {
                tree[parent] += tree[place];
            }
        }
        Self { tree, len }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds room for the next higher number.
    pub(crate) fn grow(&mut self) {
        if self.tree.is_empty() {
            self.tree.push(0);
        }
        // The members that the new entry counts are already counted by the entries right before it.
        let place = self.tree.len();
        let until = place - (place & place.wrapping_neg());
        let mut at = place - 1;
        let mut sum = 0;
        while at > until {
            sum += self.tree[at];
            at -= at & at.wrapping_neg();
        }
        self.tree.push(sum);
    }

    pub(crate) fn insert(&mut self, id: NodeId) {
        self.len += 1;
        self.change(id, |count| *count += 1);
    }

    pub(crate) fn remove(&mut self, id: NodeId) {
        self.len -= 1;
        self.change(id, |count| *count -= 1);
    }

    fn change(&mut self, id: NodeId, change: impl Fn(&mut u32)) {
        let mut place = id.index() + 1;
        while place < self.tree.len() {
            change(&mut self.tree[place]);
            place += place & place.wrapping_neg();
        }
    }

    /// Returns the number of members below this one.
    pub(crate) fn rank(&self, id: NodeId) -> usize {
        let mut place = id.index().min(self.tree.len().saturating_sub(1));
        let mut sum = 0;
        while place > 0 {
            sum += self.tree[place] as usize;
            place -= place & place.wrapping_neg();
        }
        sum
    }

    /// Returns the member with exactly `rank` members below it.
    pub(crate) fn nth(&self, rank: usize) -> Option<NodeId> {
        if rank >= self.len {
            return None;
        }
        let (mut place, mut left) = (0, rank);
        let mut step = (self.tree.len() - 1).next_power_of_two();
        while step > 0 {
            let next = place + step;
            if next < self.tree.len() && self.tree[next] as usize <= left {
                left -= self.tree[next] as usize;
                place = next;
            }
            step /= 2;
        }
        u32::try_from(place).ok().map(NodeId)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The set behaves like a sorted list.
        #[test]
        fn ranks_are_those_of_a_sorted_list(
            steps in prop::collection::vec((0_u32..60, any::<bool>()), 0..200),
        ) {
            let (mut waiting, mut list) = (Waiting::default(), BTreeSet::new());
            let mut room = 0;
            for (id, is_growing) in steps {
                if is_growing || room == 0 {
                    waiting.grow();
                    room += 1;
                }
                let id = NodeId(id % room);
                if list.remove(&id) {
                    waiting.remove(id);
                } else {
                    list.insert(id);
                    waiting.insert(id);
                }
                prop_assert_eq!(waiting.len(), list.len());
                prop_assert_eq!(waiting.rank(id), list.range(..id).count());
            }
            let sorted: Vec<NodeId> = list.iter().copied().collect();
            let ranked: Vec<NodeId> = (0..).map_while(|rank| waiting.nth(rank)).collect();
            prop_assert_eq!(&ranked, &sorted);
            let flags: Vec<bool> = (0..room).map(|id| list.contains(&NodeId(id))).collect();
            let rebuilt = Waiting::from_flags(flags.into_iter());
            prop_assert_eq!(rebuilt.tree, if room == 0 { vec![0] } else { waiting.tree });
        }
    }
}
