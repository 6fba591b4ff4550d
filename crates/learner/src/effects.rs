//! The reasons for a choice: the parts of the link model's score, in an order that people can
//! read.

use serde::{Deserialize, Serialize};

use crate::clues::NameSpace;
use crate::example::{
    ANCHOR, ANCHOR_PROBABILITY, CONTEXT, DENSE, FIRST_GROUP, FORMULA, LINKS, LinkExample, PAGE,
    PAGE_PROBABILITY, RELEVANT_LINKS,
};
use crate::model::LinkModel;
use crate::rates::Group;

/// Something that a link is scored by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The fixed formula that the model starts from.
    Formula,
    /// The relevance of the page that has the link.
    Page,
    /// The relevance of the link's texts, beyond the formula.
    Texts,
    /// The pages that have the link: their number and their relevance.
    InLinks,
    /// A word of the anchor text.
    AnchorWord,
    /// A word near the link.
    ContextWord,
    /// A part of the URL.
    UrlWord,
    /// The place of the link on its page: the tags and classes above it.
    Place,
    /// The same, for links to one host.
    HostPlace,
    /// The success of other links of the same page.
    PageRate,
    /// The success of links to the same directory.
    DirectoryRate,
    /// The success of links to the same host.
    HostRate,
    /// The success of links to the same host in the same place on pages.
    HostPlaceRate,
    /// The success of links in the same place on pages.
    PlaceRate,
    /// The success of links with the same anchor text.
    AnchorRate,
    /// The noise in the order of links.
    Noise,
}

impl From<NameSpace> for Cause {
    fn from(space: NameSpace) -> Self {
        match space {
            NameSpace::Anchor => Self::AnchorWord,
            NameSpace::Context => Self::ContextWord,
            NameSpace::Url => Self::UrlWord,
            NameSpace::Path => Self::Place,
            NameSpace::HostPath => Self::HostPlace,
        }
    }
}

impl From<Group> for Cause {
    fn from(group: Group) -> Self {
        match group {
            Group::Page => Self::PageRate,
            Group::Directory => Self::DirectoryRate,
            Group::Host => Self::HostRate,
            Group::HostPath => Self::HostPlaceRate,
            Group::Path => Self::PlaceRate,
            Group::Anchor => Self::AnchorRate,
        }
    }
}

/// The part of a link's score that is due to one thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The thing.
    pub cause: Cause,
    /// The hashed feature, if the thing is one.
    pub feature: Option<u32>,
    /// The part of the log-odds.
    pub size: f64,
}

impl LinkModel {
    /// Returns the parts of the score of a link, without the bias, which all links share. The parts
    /// of one kind of dense features are one part.
    #[must_use]
    pub fn effects(&self, link: &LinkExample) -> Vec<Effect> {
        let dense = self.dense_weights();
        let part = |place: usize| dense[place] * f64::from(link.dense.0[place]);
        let mut effects = Vec::new();
        let mut add = |cause: Cause, size: f64| {
            effects.push(Effect { cause, feature: None, size });
        };
        add(Cause::Formula, part(FORMULA));
        add(Cause::Page, part(PAGE) + part(PAGE_PROBABILITY));
        add(Cause::Texts, part(ANCHOR) + part(CONTEXT) + part(ANCHOR_PROBABILITY));
        add(Cause::InLinks, part(LINKS) + part(RELEVANT_LINKS));
        for (group, place) in Group::ALL.into_iter().zip(FIRST_GROUP..DENSE) {
            add(group.into(), part(place));
        }
        link.sparse.for_each_in_space(|space, feature, value| {
            let size = self.weight_of(feature) * value;
            effects.push(Effect { cause: space.into(), feature: Some(feature), size });
        });
        effects.retain(|effect| effect.size != 0.0);
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clues::feature_of;
    use crate::example::{Dense, Sparse};
    use crate::model::LinkModelSettings;

    /// The parts and the bias, −2 at the start, add up to the score.
    #[test]
    fn the_parts_add_up_to_the_score() {
        let word = |space, text| feature_of(space, text);
        let sparse = Sparse::of(&[
            (NameSpace::Url, &[word(NameSpace::Url, "news")]),
            (NameSpace::Anchor, &[word(NameSpace::Anchor, "rain"), word(NameSpace::Anchor, "x")]),
            (NameSpace::HostPath, &[77]),
        ]);
        let dense = Dense::default()
            .with_formula(0.4)
            .with_relevance(0.3, 0.2, 0.1)
            .with_probability(0.6, Some(0.9))
            .with_in_links(3, 1.5)
            .with_rate(Group::Host, 1.2);
        let link = LinkExample { dense, sparse };
        let mut model = LinkModel::new(&LinkModelSettings::default());
        let first: f64 = model.effects(&link).iter().map(|it| it.size).sum();
        assert!((first - 2.0 - model.score(&link)).abs() < 1e-6);
        for _ in 0..20 {
            model.learn(std::slice::from_ref(&link), 0.9);
        }
        let effects = model.effects(&link);
        let sum: f64 = effects.iter().map(|it| it.size).sum();
        let bias = model.dense_weights()[0];
        assert!((sum + bias - model.score(&link)).abs() < 1e-6);
        let of = |cause| effects.iter().find(|it| it.cause == cause).map(|it| it.size);
        assert!(of(Cause::AnchorWord) > Some(0.0) && of(Cause::HostPlace) > Some(0.0));
        assert!(of(Cause::PlaceRate).is_none(), "a rate that is 0 has no part");
    }
}
