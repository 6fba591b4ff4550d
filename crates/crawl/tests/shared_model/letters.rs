//! A short queue of pages in one number, so that a state is copied and hashed quickly.

/// Pages in the order in which they were written, four bits each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Letters(u64);

impl Letters {
    /// Returns the number of pages.
    pub(crate) fn len(self) -> u8 {
        let bits = u64::BITS - self.0.leading_zeros();
        bits.div_ceil(4).to_le_bytes()[0]
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Appends a page.
    pub(crate) fn push(&mut self, page: u8) {
        assert!(self.len() < 16, "more letters than a small configuration can have");
        self.0 |= (u64::from(page) + 1) << (4 * self.len());
    }

    /// Appends pages.
    pub(crate) fn extend(&mut self, pages: Self) {
        pages.iter().for_each(|page| self.push(page));
    }

    /// Returns the queue without its first pages.
    pub(crate) fn skip(self, count: u8) -> Self {
        Self(self.0.checked_shr(4 * u32::from(count)).unwrap_or(0))
    }

    /// Returns the first page.
    pub(crate) fn first(self) -> Option<u8> {
        self.iter().next()
    }

    /// Returns the pages in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (0..self.len()).map(move |at| ((self.0 >> (4 * at)) & 15).to_le_bytes()[0] - 1)
    }

    /// Returns the pages that meet a condition.
    pub(crate) fn only(self, is_wanted: impl Fn(u8) -> bool) -> Self {
        let mut wanted = Self::default();
        self.iter().filter(|page| is_wanted(*page)).for_each(|page| wanted.push(page));
        wanted
    }
}
