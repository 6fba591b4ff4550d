//! Measures based on information content: the more descendants a concept has, the less its name
//! says.

use std::sync::Arc;

use super::{Measure, nearest_by_pairs};
use crate::taxonomy::{ConceptId, Taxonomy};

/// Returns the information content of every concept (eq. 7 of sdvsm, as Seco defined it):
/// 1 − ln(hypo + 1) / ln(max), where hypo is the number of its descendants and max the number of
/// all concepts.
///
/// It is 0 for a root above all other concepts and 1 for a leaf. In a taxonomy of one concept it
/// is 0.
#[must_use]
pub fn information_content(taxonomy: &Taxonomy) -> Vec<f64> {
    let all = (taxonomy.len() as f64).ln();
    let content =
        |below: usize| if all > 0.0 { 1.0 - ((below + 1) as f64).ln() / all } else { 0.0 };
    taxonomy.descendant_counts().into_iter().map(content).collect()
}

/// The formula that turns information content into a similarity. IC(lso) is the greatest
/// information content of a common ancestor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentForm {
    /// 2 IC(lso) / (IC(a) + IC(b)), eq. 6 of sdvsm; 0 if both have no information content.
    Lin,
    /// IC(lso).
    Resnik,
    /// 1 − (IC(a) + IC(b) − 2 IC(lso)) / 2: the published distance, scaled to an IC of at most 1.
    JiangConrath,
}

/// Number of comparisons above which a table of marks, with one entry for every concept, is faster
/// than comparing pairs.
const WORTH_MARKING: usize = 500;

/// Shared content of concepts without a common ancestor: less than that of any pair with one.
const NOTHING: f64 = -1.0;

/// A measure based on information content.
#[derive(Debug, Clone)]
pub struct Content {
    taxonomy: Arc<Taxonomy>,
    /// Information content by concept.
    by_concept: Vec<f64>,
    form: ContentForm,
}

impl Content {
    /// Creates the measure for a taxonomy.
    #[must_use]
    pub fn new(taxonomy: Arc<Taxonomy>, form: ContentForm) -> Self {
        let by_concept = information_content(&taxonomy);
        Self { taxonomy, by_concept, form }
    }

    /// Returns the information content of a concept.
    #[must_use]
    pub fn content(&self, id: ConceptId) -> f64 {
        self.by_concept[id.index()]
    }

    /// Returns the shared content of two concepts, [`NOTHING`] if they have no common ancestor.
    fn shared(&self, a: ConceptId, b: ConceptId) -> f64 {
        let mut shared = NOTHING;
        self.taxonomy.for_each_common(a, b, |it| shared = shared.max(self.content(it.concept)));
        shared
    }

    /// Returns the value for two concepts with the given shared content.
    fn value_of(&self, a: ConceptId, b: ConceptId, shared: f64) -> f64 {
        if shared < 0.0 {
            return 0.0;
        }
        let both = self.content(a) + self.content(b);
        match self.form {
            ContentForm::Lin if a == b => 1.0,
            ContentForm::Lin if both == 0.0 => 0.0,
            ContentForm::Lin => 2.0 * shared / both,
            ContentForm::Resnik => shared,
            ContentForm::JiangConrath => 1.0 - (both - 2.0 * shared) / 2.0,
        }
    }

    /// Does the same as [`nearest_by_pairs`]. Once the ancestors of a concept are marked with their
    /// content, its shared content with another concept is the greatest mark among the ancestors of
    /// the other: no two lists need to be merged.
    fn nearest_by_marks(&self, own: &[ConceptId], groups: &[&[ConceptId]]) -> Vec<f64> {
        let mut nearest = vec![0.0_f64; groups.len()];
        let mut marks = vec![NOTHING; self.by_concept.len()];
        for &a in own {
            let above = self.taxonomy.ancestors(a);
            let marked = || above.iter().map(|it| it.concept().index());
            marked().for_each(|it| marks[it] = self.by_concept[it]);
            for (nearest, group) in nearest.iter_mut().zip(groups) {
                for &b in *group {
                    let ancestors = self.taxonomy.ancestors(b);
                    let shared = ancestors.iter().map(|it| marks[it.concept().index()]);
                    let shared = shared.fold(NOTHING, f64::max);
                    let value = self.value_of(a, b, shared).clamp(0.0, 1.0);
                    *nearest = nearest.max(if a == b { 1.0 } else { value });
                }
            }
            marked().for_each(|it| marks[it] = NOTHING);
        }
        nearest
    }
}

impl Measure for Content {
    fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    fn value(&self, a: ConceptId, b: ConceptId) -> f64 {
        self.value_of(a, b, self.shared(a, b))
    }

    fn nearest_to_each(&self, own: &[ConceptId], groups: &[&[ConceptId]]) -> Vec<f64> {
        let others: usize = groups.iter().map(|group| group.len()).sum();
        if others < WORTH_MARKING {
            return nearest_by_pairs(self, own, groups);
        }
        self.nearest_by_marks(own, groups)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{id, tree};
    use super::*;

    // The expected values were computed separately from eq. 6 and 7 for the tree of 20 concepts, in
    // which concept 2 has 5 descendants, 7 has 2, and 1 has 19.

    #[test]
    fn eq_7_of_sdvsm() {
        let content = information_content(&tree().finish().unwrap());
        for (number, expected) in
            [(1, 0.0), (2, 0.401_895_995_498_156_13), (7, 0.633_274_208_657_915_3), (19, 1.0)]
        {
            assert!((content[number - 1] - expected).abs() < 1e-12, "{}", content[number - 1]);
        }
    }

    #[test]
    fn marks_and_pairs_give_the_same_similarities() {
        let mut builder = tree();
        let alone = builder.concept("alone");
        builder.is_a(id(19), id(3));
        let taxonomy = Arc::new(builder.finish().unwrap());
        let groups: [&[ConceptId]; 5] =
            [&[id(1)], &[id(7), id(8)], &[], &[id(19), alone], &[id(10), id(13), id(4)]];
        for form in [ContentForm::Lin, ContentForm::Resnik, ContentForm::JiangConrath] {
            let content = Content::new(Arc::clone(&taxonomy), form);
            for own in [&[id(1)][..], &[id(19), id(7)], &[alone], &[]] {
                let by_pairs = nearest_by_pairs(&content, own, &groups);
                assert_eq!(content.nearest_by_marks(own, &groups), by_pairs, "{form:?} {own:?}");
            }
        }
    }

    #[test]
    fn eq_6_of_sdvsm_and_its_kin() {
        let taxonomy = Arc::new(tree().finish().unwrap());
        let value = |form, a: usize, b: usize| {
            Content::new(Arc::clone(&taxonomy), form).value(id(a), id(b))
        };
        for (form, a, b, expected) in [
            (ContentForm::Lin, 19, 20, 0.633_274_208_657_915_3),
            (ContentForm::Lin, 7, 8, 0.492_135_360_208_007_97),
            (ContentForm::Lin, 10, 13, 0.0),
            (ContentForm::Lin, 1, 1, 1.0),
            (ContentForm::Resnik, 7, 8, 0.401_895_995_498_156_13),
            (ContentForm::JiangConrath, 7, 8, 0.585_258_891_169_198_5),
            (ContentForm::JiangConrath, 19, 19, 1.0),
        ] {
            let found = value(form, a, b);
            assert!((found - expected).abs() < 1e-12, "{form:?} ({a},{b}): {found}");
        }
    }
}
