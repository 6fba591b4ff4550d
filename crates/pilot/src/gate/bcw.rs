//! A gate that a page passes if the classifier assigns it the topic's class and R(p) is above the
//! threshold (algorithm 1 of bcw-cc, lines 10 to 19).

use serde::{Deserialize, Serialize};

use super::{Gate, PageFacts, Passage};

/// A gate that uses a classifier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BcwGate {
    /// S, the class of the topic.
    pub class: String,
    /// True if tunnels also start on pages of other classes, which algorithm 1 treats as dead ends
    /// (reading B6, docs/papers.md).
    pub tunnel_off_class: bool,
}

impl BcwGate {
    fn is_of_class(&self, page: &PageFacts<'_>) -> bool {
        page.class == Some(self.class.as_str())
    }
}

impl Gate for BcwGate {
    fn passage(&self, page: &PageFacts<'_>, threshold: f64) -> Passage {
        match (self.is_of_class(page), page.is_above(threshold)) {
            (true, true) => Passage::Open,
            (true, false) => Passage::Tunnel,
            (false, _) if self.tunnel_off_class => Passage::Tunnel,
            (false, _) => Passage::Closed,
        }
    }

    fn is_relevant(&self, page: &PageFacts<'_>, threshold: f64) -> Option<bool> {
        page.relevance.map(|_| self.is_of_class(page) && page.is_above(threshold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_and_relevance_both_count() {
        let mut gate = BcwGate { class: "sports".into(), tunnel_off_class: false };
        let facts = |class, relevance| PageFacts {
            relevance: Some(relevance),
            class: Some(class),
            terms: None,
        };
        assert_eq!(gate.passage(&facts("sports", 0.71), 0.7), Passage::Open);
        assert_eq!(gate.is_relevant(&facts("sports", 0.71), 0.7), Some(true));
        // R(p) must be greater than τ; equality is not enough.
        assert_eq!(gate.passage(&facts("sports", 0.7), 0.7), Passage::Tunnel);
        assert_eq!(gate.is_relevant(&facts("sports", 0.7), 0.7), Some(false));
        assert_eq!(gate.passage(&facts("finance", 0.9), 0.7), Passage::Closed);
        assert_eq!(gate.is_relevant(&facts("finance", 0.9), 0.7), Some(false));
        gate.tunnel_off_class = true;
        assert_eq!(gate.passage(&facts("finance", 0.9), 0.7), Passage::Tunnel);
    }
}
