//! Similarity measures of concepts: those of Table 1 of sdvsm, and Sem of fcits-oh, behind one
//! trait.

mod content;
mod features;
mod path;
mod sem;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use content::{Content, ContentForm, information_content};
pub use features::Features;
pub use path::{LeacockChodorow, PathDistance};
pub use sem::{CoincidenceMode, DepthMode, Factors, Sem, SemError, SemSettings};

use crate::taxonomy::{ConceptId, Taxonomy};

/// A measure of the similarity of two concepts in a taxonomy.
pub trait Measure: Send + Sync {
    /// Returns the taxonomy of the concepts.
    fn taxonomy(&self) -> &Taxonomy;

    /// Returns the value as published. It is symmetric and finite; greater means more similar.
    fn value(&self, a: ConceptId, b: ConceptId) -> f64;

    /// Returns the value as published, and the similarity in the range from 0 to 1.
    fn compare(&self, a: ConceptId, b: ConceptId) -> (f64, f64) {
        let value = self.value(a, b);
        (value, if a == b { 1.0 } else { value.clamp(0.0, 1.0) })
    }

    /// Returns, for each group, the greatest similarity of any of `own` to any concept of the
    /// group; 0 for an empty group. A word is compared with all words of a topic at once, which
    /// some measures can do faster than pair by pair.
    fn nearest_to_each(&self, own: &[ConceptId], groups: &[&[ConceptId]]) -> Vec<f64> {
        nearest_by_pairs(self, own, groups)
    }

    /// Returns the value mapped to the range from 0 to 1, as term weights need it. The similarity
    /// of a concept to itself is 1.
    fn similarity(&self, a: ConceptId, b: ConceptId) -> f64 {
        self.compare(a, b).1
    }
}

/// Computes [`Measure::nearest_to_each`] by comparing all pairs.
fn nearest_by_pairs(
    measure: &(impl Measure + ?Sized),
    own: &[ConceptId],
    groups: &[&[ConceptId]],
) -> Vec<f64> {
    let nearest = |group: &&[ConceptId]| {
        let pairs = own.iter().flat_map(|&a| group.iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| measure.similarity(a, b)).fold(0.0, f64::max)
    };
    groups.iter().map(nearest).collect()
}

/// The kinds of measures, each with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureKind {
    /// Path distance (eq. 5 of sdvsm; Wu and Palmer).
    Path,
    /// Path length relative to the depth of the taxonomy (Leacock and Chodorow).
    LeacockChodorow,
    /// Shared information content relative to the total (eq. 6 of sdvsm; Lin).
    Lin,
    /// Shared information content (Resnik).
    Resnik,
    /// Information content that is not shared (Jiang and Conrath, scaled as Seco does).
    JiangConrath,
    /// Shared features against those of one concept only (eq. 8 of sdvsm; Tversky).
    Features,
    /// Weighted sum of five factors (eq. 1 of fcits-oh).
    Sem,
}

impl MeasureKind {
    /// All measures.
    pub const ALL: [Self; 7] = [
        Self::Path,
        Self::LeacockChodorow,
        Self::Lin,
        Self::Resnik,
        Self::JiangConrath,
        Self::Features,
        Self::Sem,
    ];

    /// Returns the name used on the command line and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::LeacockChodorow => "lch",
            Self::Lin => "lin",
            Self::Resnik => "resnik",
            Self::JiangConrath => "jcn",
            Self::Features => "features",
            Self::Sem => "sem",
        }
    }

    /// Creates the measure with its default settings for a taxonomy.
    #[must_use]
    pub fn over(self, taxonomy: Arc<Taxonomy>) -> Box<dyn Measure> {
        match self {
            Self::Path => Box::new(PathDistance::new(taxonomy)),
            Self::LeacockChodorow => Box::new(LeacockChodorow::new(taxonomy)),
            Self::Lin => Box::new(Content::new(taxonomy, ContentForm::Lin)),
            Self::Resnik => Box::new(Content::new(taxonomy, ContentForm::Resnik)),
            Self::JiangConrath => Box::new(Content::new(taxonomy, ContentForm::JiangConrath)),
            Self::Features => Box::new(Features::new(taxonomy)),
            Self::Sem => Box::new(Sem::with_defaults(taxonomy)),
        }
    }
}

impl fmt::Display for MeasureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MeasureKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("unknown measure {text:?}; the measures are {}", names()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::TaxonomyBuilder;

    /// Returns the concept with a number of the worked example, which counts from 1.
    pub(crate) fn id(number: usize) -> ConceptId {
        ConceptId::new(number - 1)
    }

    /// The tree of 20 concepts of the worked example: 1 above 2 to 6, and so on.
    pub(crate) fn tree() -> TaxonomyBuilder {
        let mut builder = TaxonomyBuilder::new();
        for number in 1..=20 {
            builder.concept(&number.to_string());
        }
        let families: [(usize, &[usize]); 7] = [
            (1, &[2, 3, 4, 5, 6]),
            (2, &[7, 8, 9]),
            (3, &[10, 11, 12]),
            (4, &[13, 14]),
            (5, &[15, 16]),
            (6, &[17, 18]),
            (7, &[19, 20]),
        ];
        for (parent, children) in families {
            children.iter().for_each(|&child| builder.is_a(id(child), id(parent)));
        }
        builder
    }

    #[test]
    fn every_measure_is_symmetric_bounded_and_one_for_a_concept_itself() {
        let mut builder = tree();
        builder.concept("alone");
        builder.is_a(id(19), id(3)); // the second parent of 19
        builder.relate(id(10), "part of", id(13));
        let taxonomy = Arc::new(builder.finish().unwrap());
        for kind in MeasureKind::ALL {
            let measure = kind.over(Arc::clone(&taxonomy));
            for a in taxonomy.ids() {
                assert!((measure.similarity(a, a) - 1.0).abs() < 1e-15, "{kind} of {a:?}");
                for b in taxonomy.ids() {
                    let (there, back) = (measure.value(a, b), measure.value(b, a));
                    let is_symmetric = (there - back).abs() < 1e-12;
                    assert!(there.is_finite() && is_symmetric, "{kind} {a:?} {b:?}");
                    assert!((0.0..=1.0).contains(&measure.similarity(a, b)), "{kind} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn every_measure_has_a_value_in_the_smallest_taxonomies() {
        for size in [1, 2] {
            let mut builder = TaxonomyBuilder::new();
            for number in 0..size {
                builder.concept(&number.to_string());
            }
            let taxonomy = Arc::new(builder.finish().unwrap());
            for kind in MeasureKind::ALL {
                let measure = kind.over(Arc::clone(&taxonomy));
                assert!(measure.value(id(1), id(size)).is_finite(), "{kind} in {size}");
            }
        }
    }

    #[test]
    fn measures_are_parsed_from_their_names() {
        for kind in MeasureKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        let error = "wup".parse::<MeasureKind>().unwrap_err();
        assert_eq!(
            error,
            "unknown measure \"wup\"; the measures are path, lch, lin, resnik, jcn, features, sem"
        );
    }
}
