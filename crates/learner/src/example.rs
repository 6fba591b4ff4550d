//! The features of one link on one page, as the link model sees them.

use serde::{Deserialize, Serialize};

use crate::clues::NameSpace;
use crate::model::logit;
use crate::rates::Group;

/// Number of dense features.
pub const DENSE: usize = FIRST_GROUP + Group::COUNT;
/// The places of dense features.
const BIAS: usize = 0;
pub(crate) const FORMULA: usize = 1;
pub(crate) const PAGE: usize = 2;
pub(crate) const ANCHOR: usize = 3;
pub(crate) const CONTEXT: usize = 4;
pub(crate) const PAGE_PROBABILITY: usize = 5;
pub(crate) const ANCHOR_PROBABILITY: usize = 6;
pub(crate) const LINKS: usize = 7;
pub(crate) const RELEVANT_LINKS: usize = 8;
pub(crate) const FIRST_GROUP: usize = 9;

/// The dense features of a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Dense(pub(crate) [f32; DENSE]);

impl Default for Dense {
    fn default() -> Self {
        let mut values = [0.0; DENSE];
        values[BIAS] = 1.0;
        Self(values)
    }
}

impl Dense {
    fn with(mut self, place: usize, value: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "features need few digits")]
        let value = if value.is_finite() { value as f32 } else { 0.0 };
        self.0[place] = value;
        self
    }

    /// Sets the value of the fixed formula.
    #[must_use]
    pub fn with_formula(self, value: f64) -> Self {
        self.with(FORMULA, value)
    }

    /// Sets R of the page, the anchor text and the context.
    #[must_use]
    pub fn with_relevance(self, page: f64, anchor: f64, context: f64) -> Self {
        self.with(PAGE, page).with(ANCHOR, anchor).with(CONTEXT, context)
    }

    /// Sets P(relevant) of the page and, if it is known, of the anchor text.
    #[must_use]
    pub fn with_probability(self, page: f64, anchor: Option<f64>) -> Self {
        let anchor = anchor.map_or(0.0, |it| (logit(it) / 4.0).clamp(-1.0, 1.0));
        self.with(PAGE_PROBABILITY, page).with(ANCHOR_PROBABILITY, anchor)
    }

    /// Sets the number of pages that have the link, and the sum of their P(relevant).
    #[must_use]
    pub fn with_in_links(self, pages: u32, relevant: f64) -> Self {
        let links = libm::log1p(f64::from(pages));
        self.with(LINKS, links).with(RELEVANT_LINKS, libm::log1p(relevant.max(0.0)))
    }

    /// Sets the success rate of a group that the link belongs to.
    #[must_use]
    pub fn with_rate(self, group: Group, rate: f64) -> Self {
        self.with(FIRST_GROUP + group as usize, rate)
    }
}

/// The hashed features of a link, with the number of features in each name space.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sparse {
    features: Box<[u32]>,
    counts: [u8; NameSpace::COUNT],
}

impl Sparse {
    /// Returns the features of several name spaces, each given once at most. At most 255 features
    /// of a name space count.
    #[must_use]
    pub fn of(spaces: &[(NameSpace, &[u32])]) -> Self {
        let mut counts = [0; NameSpace::COUNT];
        let mut features = Vec::new();
        let mut ordered: Vec<&(NameSpace, &[u32])> = spaces.iter().collect();
        ordered.sort_by_key(|(space, _)| *space as usize);
        for (space, own) in ordered {
            let own = &own[..own.len().min(usize::from(u8::MAX))];
            counts[*space as usize] = u8::try_from(own.len()).unwrap_or(u8::MAX);
            features.extend_from_slice(own);
        }
        Self { features: features.into_boxed_slice(), counts }
    }

    /// Returns the features without those of places on pages.
    #[must_use]
    pub fn without_paths(&self) -> Self {
        let kept = self.counts[..NameSpace::Path as usize].iter().map(|it| usize::from(*it)).sum();
        let mut counts = self.counts;
        counts[NameSpace::Path as usize..].fill(0);
        Self { features: self.features[..kept].into(), counts }
    }

    /// Calls `each` with every feature and its value, 1/√n for one of n in its name space.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u32, f64)) {
        let mut at = 0;
        for count in self.counts.map(usize::from) {
            let value = 1.0 / (count.max(1) as f64).sqrt();
            for feature in &self.features[at..at + count] {
                each(*feature, value);
            }
            at += count;
        }
    }

    /// Returns the first feature of a name space.
    #[must_use]
    pub fn first_in(&self, space: NameSpace) -> Option<u32> {
        let before: usize = self.counts[..space as usize].iter().map(|it| usize::from(*it)).sum();
        (self.counts[space as usize] > 0).then(|| self.features[before])
    }

    /// Calls `each` with the name space of every feature, the feature and its value.
    pub(crate) fn for_each_in_space(&self, mut each: impl FnMut(NameSpace, u32, f64)) {
        let spaces = NameSpace::ALL.into_iter().zip(self.counts.map(usize::from));
        let spaces: Vec<NameSpace> =
            spaces.flat_map(|(space, count)| std::iter::repeat_n(space, count)).collect();
        let mut spaces = spaces.into_iter();
        self.for_each(|feature, value| {
            if let Some(space) = spaces.next() {
                each(space, feature, value);
            }
        });
    }
}

/// The features of one link on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkExample {
    /// The dense features.
    pub dense: Dense,
    /// The hashed features.
    pub sparse: Sparse,
}
