//! Sem, the similarity of concepts in a domain ontology, computed from five factors (eq. 1 of
//! fcits-oh).
//!
//! The paper prints the sum but not the formulas of its factors. The formulas here are
//! reconstructed; the crate's README names the sources. All factors lie between 0 and 1.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use super::Measure;
use crate::search::folded;
use crate::taxonomy::{ConceptId, Taxonomy};

/// The formula of the depth factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DepthMode {
    /// (d₁ + d₂) / (d₁ + d₂ + 2H): the deeper both concepts lie, the more similar they are.
    #[default]
    Sum,
    /// (d₁ + d₂) / (|d₁ − d₂| + 2H): the smaller the difference of their levels, the more similar
    /// they are.
    Difference,
}

/// The denominator of the coincidence factor, whose numerator is the number of common ancestors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CoincidenceMode {
    /// The number of ancestors of either concept.
    #[default]
    Union,
    /// The number of ancestors of the concept that has more.
    Max,
}

/// The five factors of two concepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// `IF_Dis` = x / (x + Dis²), where Dis is the length of the shortest path between the two.
    pub distance: f64,
    /// `IF_Den` = (child(LCA) + 1) / (maxchild + 1), where child(LCA) is the number of children of
    /// the lowest common ancestor.
    pub density: f64,
    /// `IF_Dep` = ½ [(d₁ + d₂) / (d₁ + d₂ + 2H) + dep(LCA) / H].
    pub depth: f64,
    /// `IF_Coi` = |A₁ ∩ A₂| / |A₁ ∪ A₂|, where Aᵢ are the ancestors of a concept, including itself.
    pub coincidence: f64,
    /// `IF_Rel` = 1 for synonyms, which are concepts that share a name; 0.5 if one is a kind of the
    /// other; 0.33 for any other declared relation or a common parent; 0 otherwise. In WordNet,
    /// where words have several senses, homonyms share a name as well and count as synonyms.
    pub relationship: f64,
}

impl Factors {
    /// Returns the factors in the order of eq. 1.
    #[must_use]
    pub fn in_order(self) -> [f64; 5] {
        [self.distance, self.density, self.depth, self.coincidence, self.relationship]
    }
}

/// The settings of Sem. The paper gives no values; the default gives all factors the same weight.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SemSettings {
    /// k₁ to k₅: non-negative weights that sum to 1.
    pub k: [f64; 5],
    /// x of the distance factor, greater than 0.
    pub x: f64,
    /// The formula of the depth factor.
    pub depth: DepthMode,
    /// The formula of the coincidence factor.
    pub coincidence: CoincidenceMode,
}

impl Default for SemSettings {
    fn default() -> Self {
        Self {
            k: [0.2; 5],
            x: 1.0,
            depth: DepthMode::default(),
            coincidence: CoincidenceMode::default(),
        }
    }
}

/// Error for invalid settings of Sem.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SemError {
    /// One of k₁ to k₅ is negative or not a number.
    #[error("k{} is {value}; each of k1 to k5 must be a number of 0 or more", place + 1)]
    Weight {
        /// Its position, counted from 0.
        place: usize,
        /// Its value.
        value: f64,
    },
    /// The weights do not sum to 1.
    #[error("k1 to k5 add up to {sum}; they must add up to 1")]
    Sum {
        /// Their sum.
        sum: f64,
    },
    /// x is not greater than 0.
    #[error("x is {0}; it must be greater than 0")]
    Distance(f64),
}

impl SemSettings {
    /// Checks the conditions of eq. 1.
    fn check(&self) -> Result<(), SemError> {
        let wrong = |value: &f64| !(value.is_finite() && *value >= 0.0);
        if let Some(place) = self.k.iter().position(wrong) {
            return Err(SemError::Weight { place, value: self.k[place] });
        }
        let sum: f64 = self.k.iter().sum();
        if (sum - 1.0).abs() > 1e-9 {
            return Err(SemError::Sum { sum });
        }
        if !(self.x.is_finite() && self.x > 0.0) {
            return Err(SemError::Distance(self.x));
        }
        Ok(())
    }
}

/// Sem(C₁, C₂) = k₁ `IF_Dis` + k₂ `IF_Den` + k₃ `IF_Dep` + k₄ `IF_Coi` + k₅ `IF_Rel` (eq. 1 of
/// fcits-oh), and 1 for a concept and itself.
///
/// For concepts without a common ancestor, the distance, density and coincidence factors are 0, and
/// so is the second half of the depth factor.
#[derive(Debug, Clone)]
pub struct Sem {
    taxonomy: Arc<Taxonomy>,
    settings: SemSettings,
    max_children: f64,
    height: f64,
    related: HashSet<(ConceptId, ConceptId), FixedState>,
    /// The names of each concept, as sorted numbers.
    names: Vec<Vec<u32>>,
}

impl Sem {
    /// Creates the measure for a taxonomy, with settings that meet the conditions of eq. 1.
    pub fn new(taxonomy: Arc<Taxonomy>, settings: SemSettings) -> Result<Self, SemError> {
        settings.check()?;
        Ok(Self { settings, ..Self::with_defaults(taxonomy) })
    }

    /// Creates the measure for a taxonomy, with the default settings.
    #[must_use]
    pub fn with_defaults(taxonomy: Arc<Taxonomy>) -> Self {
        let settings = SemSettings::default();
        let related = taxonomy.relations().iter().map(|it| (it.from, it.to)).collect();
        let names = numbered_names(&taxonomy);
        let (max_children, height) = (taxonomy.max_children() as f64, taxonomy.height() as f64);
        Self { taxonomy, settings, max_children, height, related, names }
    }

    /// Returns the five factors of two concepts.
    #[must_use]
    pub fn factors(&self, a: ConceptId, b: ConceptId) -> Factors {
        let taxonomy = &*self.taxonomy;
        let lowest = taxonomy.lowest_common_ancestor(a, b);
        let distance = taxonomy.distance(a, b).map(|steps| steps as f64);
        let children = lowest.map(|it| taxonomy.children(it.concept).len() as f64);
        Factors {
            distance: distance.map_or(0.0, |dis| self.settings.x / (self.settings.x + dis * dis)),
            density: children.map_or(0.0, |count| (count + 1.0) / (self.max_children + 1.0)),
            depth: self.depth(a, b, lowest.map(|it| it.concept)),
            coincidence: self.coincidence(a, b),
            relationship: self.relationship(a, b),
        }
    }

    fn depth(&self, a: ConceptId, b: ConceptId, lowest: Option<ConceptId>) -> f64 {
        let depth = |id: ConceptId| self.taxonomy.shortest_depth(id) as f64;
        let (one, other) = (depth(a), depth(b));
        let spread = match self.settings.depth {
            DepthMode::Sum => one + other,
            DepthMode::Difference => (one - other).abs(),
        };
        let shared = lowest.map_or(0.0, depth);
        f64::midpoint((one + other) / (spread + 2.0 * self.height), shared / self.height)
    }

    fn coincidence(&self, a: ConceptId, b: ConceptId) -> f64 {
        let mut both = 0;
        self.taxonomy.for_each_common(a, b, |_| both += 1);
        let (of_a, of_b) = (self.taxonomy.ancestors(a).len(), self.taxonomy.ancestors(b).len());
        let whole = match self.settings.coincidence {
            CoincidenceMode::Union => of_a + of_b - both,
            CoincidenceMode::Max => of_a.max(of_b),
        };
        both as f64 / whole as f64
    }

    fn relationship(&self, a: ConceptId, b: ConceptId) -> f64 {
        let is_related = || self.related.contains(&(a, b)) || self.related.contains(&(b, a));
        let are_siblings = || {
            let parents = self.taxonomy.parents(b);
            self.taxonomy.parents(a).iter().any(|parent| parents.contains(parent))
        };
        if a == b || self.share_a_name(a, b) {
            1.0
        } else if self.taxonomy.is_in_line(a, b) {
            0.5
        } else if is_related() || are_siblings() {
            0.33
        } else {
            0.0
        }
    }

    fn share_a_name(&self, a: ConceptId, b: ConceptId) -> bool {
        let (of_a, of_b) = (&self.names[a.index()], &self.names[b.index()]);
        of_a.iter().any(|name| of_b.binary_search(name).is_ok())
    }
}

impl Measure for Sem {
    fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    fn value(&self, a: ConceptId, b: ConceptId) -> f64 {
        if a == b {
            return 1.0;
        }
        let factors = self.factors(a, b).in_order();
        self.settings.k.iter().zip(factors).map(|(k, factor)| k * factor).sum()
    }
}

/// Numbers all names, and returns the sorted numbers of each concept's names.
fn numbered_names(taxonomy: &Taxonomy) -> Vec<Vec<u32>> {
    let mut numbers: HashMap<String, u32, FixedState> = HashMap::default();
    let mut names = Vec::with_capacity(taxonomy.len());
    for id in taxonomy.ids() {
        let mut own: Vec<u32> = Vec::new();
        for label in &taxonomy.concept(id).labels {
            let next = u32::try_from(numbers.len()).expect("fewer than 2^32 names");
            own.push(*numbers.entry(folded(&label.text)).or_insert(next));
        }
        own.sort_unstable();
        names.push(own);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::tests::{id, tree};
    use super::*;
    use crate::Label;

    fn over(settings: SemSettings) -> Sem {
        Sem::new(Arc::new(tree().finish().unwrap()), settings).unwrap()
    }

    /// The worked example: 20 concepts, H = 4, maxchild = 5, all k are 0.2, x = 1; values rounded
    /// to four decimals.
    #[test]
    fn eq_1_of_fcits_oh() {
        let sem = over(SemSettings::default());
        let rows = [
            (1, 2, [0.5, 1.0, 0.2614, 0.5, 0.5], 0.5523),
            (1, 3, [0.5, 1.0, 0.2614, 0.5, 0.5], 0.5523),
            (1, 7, [0.2, 1.0, 0.2917, 0.3333, 0.5], 0.4650),
            (1, 8, [0.2, 1.0, 0.2917, 0.3333, 0.5], 0.4650),
            (1, 19, [0.1, 1.0, 0.3173, 0.25, 0.5], 0.4335),
            (7, 19, [0.5, 0.5, 0.6083, 0.75, 0.5], 0.5717),
            (19, 20, [0.2, 0.5, 0.6250, 0.6, 0.33], 0.4510),
            (7, 8, [0.2, 0.6667, 0.4643, 0.5, 0.33], 0.4322),
            (10, 13, [0.0588, 1.0, 0.3393, 0.2, 0.0], 0.3196),
            (2, 3, [0.2, 1.0, 0.2917, 0.3333, 0.33], 0.4310),
        ];
        for (a, b, factors, expected) in rows {
            for (found, expected) in sem.factors(id(a), id(b)).in_order().iter().zip(factors) {
                assert!((found - expected).abs() < 5e-5, "({a},{b}): {found} is not {expected}");
            }
            let value = sem.value(id(a), id(b));
            assert!((value - expected).abs() < 5e-5, "({a},{b}): {value}");
        }
        assert!((sem.value(id(1), id(1)) - 1.0).abs() < 1e-15);
    }

    /// Computed by hand from the formulas: for (1,19), ½ [5 / (3 + 8) + 1/4] and 1 / 4;
    /// for (19,20), ½ [8 / 8 + 3/4] and 3 / 4.
    #[test]
    fn variants_of_depth_and_coincidence() {
        let sem = over(SemSettings {
            depth: DepthMode::Difference,
            coincidence: CoincidenceMode::Max,
            ..SemSettings::default()
        });
        let (far, near) = (sem.factors(id(1), id(19)), sem.factors(id(19), id(20)));
        assert!((far.depth - 0.352_272_727_272_727_3).abs() < 1e-12);
        assert!((far.coincidence - 0.25).abs() < 1e-12);
        assert!((near.depth - 0.875).abs() < 1e-12);
        assert!((near.coincidence - 0.75).abs() < 1e-12);
    }

    #[test]
    fn synonyms_and_declared_relations_count() {
        let mut builder = tree();
        builder.label(id(10), Label::preferred("Flood", Some("en")));
        builder.label(id(13), Label::synonym("flood", Some("en")));
        builder.relate(id(14), "part of", id(15));
        let sem = Sem::with_defaults(Arc::new(builder.finish().unwrap()));
        let relationship = |a: usize, b: usize| sem.factors(id(a), id(b)).relationship;
        let found = [(10, 13), (14, 15), (15, 14), (1, 20), (8, 9), (10, 14)];
        let found = found.map(|(a, b)| relationship(a, b));
        let expected = [1.0, 0.33, 0.33, 0.5, 0.33, 0.0];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
    }

    #[test]
    fn settings_are_checked() {
        let with = |k: [f64; 5], x: f64| SemSettings { k, x, ..SemSettings::default() }.check();
        assert_eq!(with([0.1, 0.2, 0.3, 0.4, 0.0], 0.5), Ok(()));
        let error = |result: Result<(), SemError>| result.unwrap_err().to_string();
        assert_eq!(
            error(with([0.2, 0.2, 0.2, 0.2, 0.3], 1.0)),
            "k1 to k5 add up to 1.1; they must add up to 1"
        );
        assert_eq!(
            error(with([0.5, -0.1, 0.2, 0.2, 0.2], 1.0)),
            "k2 is -0.1; each of k1 to k5 must be a number of 0 or more"
        );
        assert!(with([f64::NAN, 0.2, 0.2, 0.2, 0.2], 1.0).is_err());
        assert_eq!(error(with([0.2; 5], 0.0)), "x is 0; it must be greater than 0");
    }
}
