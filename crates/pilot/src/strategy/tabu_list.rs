//! A list of links that must not be chosen for a while.

use serde::{Deserialize, Serialize};

use crate::link::LinkKey;

/// The tabu list H₁. It is kept for the whole crawl (reading F4, docs/papers.md).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TabuList {
    links: Vec<(LinkKey, u32)>,
}

impl TabuList {
    pub(crate) fn contains(&self, key: &LinkKey) -> bool {
        self.links.iter().any(|(tabu, _)| tabu == key)
    }

    /// Releases a link.
    pub(crate) fn release(&mut self, key: &LinkKey) {
        self.links.retain(|(tabu, _)| tabu != key);
    }

    /// Shortens all terms by one, then adds a link. In this order the new link keeps its full term
    /// (reading F6, docs/papers.md).
    pub(crate) fn add(&mut self, key: LinkKey, term: u32) {
        self.links.iter_mut().for_each(|(_, term)| *term = term.saturating_sub(1));
        self.links.retain(|(tabu, term)| *term > 0 && *tabu != key);
        if term > 0 {
            self.links.push((key, term));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tabu_term_ends() {
        let mut list = TabuList::default();
        list.add(LinkKey([0; 16]), 5);
        for number in 1..5 {
            list.add(LinkKey([number; 16]), 5);
            assert!(list.contains(&LinkKey([0; 16])), "{number}");
        }
        list.add(LinkKey([5; 16]), 5);
        assert!(!list.contains(&LinkKey([0; 16])) && list.contains(&LinkKey([1; 16])));
        list.release(&LinkKey([1; 16]));
        assert!(!list.contains(&LinkKey([1; 16])) && list.contains(&LinkKey([2; 16])));
    }
}
