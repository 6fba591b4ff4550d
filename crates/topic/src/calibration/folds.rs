//! The parts of a sample that are left out in turn while a topic is learned.
//!
//! A topic fits the pages that it was learned from better than any other page: their scores say
//! nothing about pages that it has not seen. So each part of the pages is scored by a topic that
//! was learned from the others.

/// Pages up to which each page is left out on its own.
const EACH: usize = 20;

/// Number of parts of a greater sample.
const PARTS: usize = 10;

/// A division of on-topic and off-topic pages into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folds(usize);

impl Folds {
    /// Divides `on` on-topic pages: each on its own (leave-one-out) if they are few, otherwise into
    /// ten parts. `None` if there is only one page, because no topic can be learned without it.
    #[must_use]
    pub fn of(on: usize) -> Option<Self> {
        (on > 1).then_some(Self(if on <= EACH { on } else { PARTS }))
    }

    /// Returns the number of parts.
    #[must_use]
    pub fn count(self) -> usize {
        self.0
    }

    /// Returns the part to which the page with an index belongs.
    #[must_use]
    pub fn part_of(self, index: usize) -> usize {
        index % self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pages_are_left_out_one_by_one() {
        assert_eq!(Folds::of(0), None);
        assert_eq!(Folds::of(1), None);
        let few = Folds::of(12).unwrap();
        assert_eq!((few.count(), few.part_of(11), few.part_of(12)), (12, 11, 0));
        assert_eq!(Folds::of(21).unwrap().count(), 10);
    }
}
