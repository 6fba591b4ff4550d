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
    fn passage(&self, page: &PageFacts<'_>, is_above: bool) -> Passage {
        match (self.is_of_class(page), is_above) {
            (true, true) => Passage::Open,
            (true, false) => Passage::Tunnel,
            (false, _) if self.tunnel_off_class => Passage::Tunnel,
            (false, _) => Passage::Closed,
        }
    }

    fn is_relevant(&self, page: &PageFacts<'_>, is_above: bool) -> bool {
        is_above && self.is_of_class(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_and_relevance_both_count() {
        let mut gate = BcwGate { class: "sports".into(), tunnel_off_class: false };
        let of = |class| PageFacts { class: Some(class), ..PageFacts::default() };
        assert_eq!(gate.passage(&of("sports"), true), Passage::Open);
        assert!(gate.is_relevant(&of("sports"), true));
        assert_eq!(gate.passage(&of("sports"), false), Passage::Tunnel);
        assert!(!gate.is_relevant(&of("sports"), false));
        assert_eq!(gate.passage(&of("finance"), true), Passage::Closed);
        assert!(!gate.is_relevant(&of("finance"), true));
        gate.tunnel_off_class = true;
        assert_eq!(gate.passage(&of("finance"), true), Passage::Tunnel);
    }
}
