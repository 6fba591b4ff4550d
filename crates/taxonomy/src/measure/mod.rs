//! How near two concepts are: the measures of Table 1 of sdvsm, and Sem of fcits-oh, behind one trait.

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

/// A measure of how near two concepts of a taxonomy are.
pub trait Measure: Send + Sync {
    /// The taxonomy that it measures in.
    fn taxonomy(&self) -> &Taxonomy;

    /// The value as published. It is symmetric and finite; the greater, the nearer.
    fn value(&self, a: ConceptId, b: ConceptId) -> f64;

    /// The value, and the same brought to the range from 0 to 1.
    fn compare(&self, a: ConceptId, b: ConceptId) -> (f64, f64) {
        let value = self.value(a, b);
        (value, if a == b { 1.0 } else { value.clamp(0.0, 1.0) })
    }

    /// The greatest similarity of any of `own` to any of each group; 0 for an empty one. A word is compared
    /// with all words of a topic at once, for which some measures have a faster way.
    fn nearest_to_each(&self, own: &[ConceptId], groups: &[&[ConceptId]]) -> Vec<f64> {
        nearest_by_pairs(self, own, groups)
    }

    /// The value brought to the range from 0 to 1, as weights of terms need it. A concept has
    /// similarity 1 to itself.
    fn similarity(&self, a: ConceptId, b: ConceptId) -> f64 {
        self.compare(a, b).1
    }
}

/// The greatest similarity of any of `own` to any of each group; 0 for an empty one. By comparing all pairs.
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

/// The measures by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureKind {
    /// Path distance (eq. 5 of sdvsm; Wu and Palmer).
    Path,
    /// Path length against the depth of the whole (Leacock and Chodorow).
    LeacockChodorow,
    /// Shared against total information content (eq. 6 of sdvsm; Lin).
    Lin,
    /// Shared information content (Resnik).
    Resnik,
    /// Information content that is not shared (Jiang and Conrath, scaled as Seco did).
    JiangConrath,
    /// Shared against own features (eq. 8 of sdvsm; Tversky).
    Features,
    /// The five factors (eq. 1 of fcits-oh).
    Sem,
}

impl MeasureKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Path,
        Self::LeacockChodorow,
        Self::Lin,
        Self::Resnik,
        Self::JiangConrath,
        Self::Features,
        Self::Sem,
    ];

    /// The name on the command line and in files.
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

    /// The measure with its default settings, over a taxonomy.
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
        found.ok_or_else(|| format!("{text:?} is no measure; there are {}", names()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::TaxonomyBuilder;

    /// The tree of 20 concepts of the worked example: 1 over 2 to 6, and so on; ids are one less.
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
            children.iter().for_each(|child| builder.is_a(child - 1, parent - 1));
        }
        builder
    }

    #[test]
    fn every_measure_is_symmetric_bounded_and_one_for_a_concept_itself() {
        let mut builder = tree();
        builder.concept("alone");
        builder.is_a(18, 2); // a second parent for 19
        builder.relate(9, "part of", 12);
        let taxonomy = Arc::new(builder.finish().unwrap());
        for kind in MeasureKind::ALL {
            let measure = kind.over(Arc::clone(&taxonomy));
            for a in 0..taxonomy.len() {
                assert!((measure.similarity(a, a) - 1.0).abs() < 1e-15, "{kind} of {a}");
                for b in 0..taxonomy.len() {
                    let (there, back) = (measure.value(a, b), measure.value(b, a));
                    assert!(there.is_finite() && (there - back).abs() < 1e-12, "{kind} {a} {b}");
                    assert!((0.0..=1.0).contains(&measure.similarity(a, b)), "{kind} {a} {b}");
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
                assert!(measure.value(0, size - 1).is_finite(), "{kind} in {size}");
            }
        }
    }

    #[test]
    fn names_lead_back_to_measures() {
        for kind in MeasureKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        let error = "wup".parse::<MeasureKind>().unwrap_err();
        assert_eq!(
            error,
            "\"wup\" is no measure; there are path, lch, lin, resnik, jcn, features, sem"
        );
    }
}
