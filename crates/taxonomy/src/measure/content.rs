//! Measures by information content: the more kinds of a thing there are, the less its name says.

use std::sync::Arc;

use super::{Measure, nearest_by_pairs};
use crate::taxonomy::{ConceptId, Taxonomy};

/// The information content of every concept (eq. 7 of sdvsm, as Seco defined it):
/// 1 − ln(hypo + 1) / ln(max), with hypo all its descendants and max all concepts.
///
/// From 0 for what stands above all else to 1 for a leaf. In a taxonomy of one concept it is 0.
#[must_use]
pub fn information_content(taxonomy: &Taxonomy) -> Vec<f64> {
    let all = (taxonomy.len() as f64).ln();
    let of = |below: usize| if all > 0.0 { 1.0 - ((below + 1) as f64).ln() / all } else { 0.0 };
    taxonomy.descendant_counts().into_iter().map(of).collect()
}

/// How information content becomes a similarity. IC(lso) is the greatest of a common ancestor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentForm {
    /// 2 IC(lso) / (IC(a) + IC(b)), eq. 6 of sdvsm; 0 where both say nothing.
    Lin,
    /// IC(lso).
    Resnik,
    /// 1 − (IC(a) + IC(b) − 2 IC(lso)) / 2: the published distance, scaled for an IC of at most 1.
    JiangConrath,
}

/// With how many concepts one must be compared for marks, of which there is one per concept, to be worth it.
const WORTH_MARKING: usize = 500;

/// What concepts without a common ancestor share: less than any that have one.
const NOTHING: f64 = -1.0;

/// A measure by information content.
#[derive(Debug, Clone)]
pub struct Content {
    taxonomy: Arc<Taxonomy>,
    of_concept: Vec<f64>,
    form: ContentForm,
}

impl Content {
    /// Over a taxonomy.
    #[must_use]
    pub fn new(taxonomy: Arc<Taxonomy>, form: ContentForm) -> Self {
        let of_concept = information_content(&taxonomy);
        Self { taxonomy, of_concept, form }
    }

    /// The information content of a concept.
    #[must_use]
    pub fn content(&self, id: ConceptId) -> f64 {
        self.of_concept[id]
    }

    /// What the two share; [`NOTHING`] if they have no common ancestor.
    fn shared(&self, a: ConceptId, b: ConceptId) -> f64 {
        let mut shared = NOTHING;
        self.taxonomy.for_each_common(a, b, |it| shared = shared.max(self.of_concept[it.concept]));
        shared
    }

    /// The value of two concepts that share so much.
    fn of_shared(&self, a: ConceptId, b: ConceptId, shared: f64) -> f64 {
        if shared < 0.0 {
            return 0.0;
        }
        let both = self.of_concept[a] + self.of_concept[b];
        match self.form {
            ContentForm::Lin if a == b => 1.0,
            ContentForm::Lin if both == 0.0 => 0.0,
            ContentForm::Lin => 2.0 * shared / both,
            ContentForm::Resnik => shared,
            ContentForm::JiangConrath => 1.0 - (both - 2.0 * shared) / 2.0,
        }
    }

    /// With the ancestors of one concept marked, what it shares with another is the greatest mark among the
    /// ancestors of that one: no two lists need be merged.
    fn nearest_by_marks(&self, own: &[ConceptId], groups: &[&[ConceptId]]) -> Vec<f64> {
        let mut nearest = vec![0.0_f64; groups.len()];
        let mut marks = vec![NOTHING; self.of_concept.len()];
        for &a in own {
            let above = self.taxonomy.ancestors(a);
            above.iter().for_each(|it| marks[it.concept()] = self.of_concept[it.concept()]);
            for (nearest, group) in nearest.iter_mut().zip(groups) {
                for &b in *group {
                    let ancestors = self.taxonomy.ancestors(b);
                    let shared = ancestors.iter().map(|it| marks[it.concept()]);
                    let shared = shared.fold(NOTHING, f64::max);
                    let value = self.of_shared(a, b, shared).clamp(0.0, 1.0);
                    *nearest = nearest.max(if a == b { 1.0 } else { value });
                }
            }
            above.iter().for_each(|it| marks[it.concept()] = NOTHING);
        }
        nearest
    }
}

impl Measure for Content {
    fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    fn value(&self, a: ConceptId, b: ConceptId) -> f64 {
        self.of_shared(a, b, self.shared(a, b))
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
    use super::super::tests::tree;
    use super::*;

    // Worked out separately from eq. 6 and 7 for the tree of 20 concepts: concept 2 has 5 descendants,
    // 7 has 2, 1 has 19.

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
    fn all_at_once_gives_what_pairs_give() {
        let mut builder = tree();
        builder.concept("alone");
        builder.is_a(18, 2);
        let taxonomy = Arc::new(builder.finish().unwrap());
        let groups: [&[ConceptId]; 5] = [&[0], &[6, 7], &[], &[18, 20], &[9, 12, 3]];
        for form in [ContentForm::Lin, ContentForm::Resnik, ContentForm::JiangConrath] {
            let content = Content::new(Arc::clone(&taxonomy), form);
            for own in [&[0][..], &[18, 6], &[20], &[]] {
                let by_pairs = nearest_by_pairs(&content, own, &groups);
                assert_eq!(content.nearest_by_marks(own, &groups), by_pairs, "{form:?} {own:?}");
            }
        }
    }

    #[test]
    fn eq_6_of_sdvsm_and_its_kin() {
        let taxonomy = Arc::new(tree().finish().unwrap());
        let value = |form, a: usize, b: usize| {
            Content::new(Arc::clone(&taxonomy), form).value(a - 1, b - 1)
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
