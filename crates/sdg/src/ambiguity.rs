//! Identification of ambiguous terms (eq. 11–15 of sdvsm).
//!
//! A term of the topic that is as common on other pages has another meaning there, or none that is
//! specific to the topic. Three indicators measure how much a term belongs to the topic; fuzzy
//! rules (table 2) call it ambiguous if at least two of them are low.

use serde::{Deserialize, Serialize};

use crate::fuzzy::{Inference, Membership, Variable};
use crate::settings::{Bounds, Importance, SdgSettings, Shape, reaches};

/// The occurrences of a term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermCounts {
    /// RF: number of occurrences on the relevant pages of the background.
    pub relevant_occurrences: u64,
    /// UF: number of occurrences on the other pages of the background.
    pub other_occurrences: u64,
    /// RP: number of relevant pages that have the term.
    pub relevant_pages: u64,
    /// UP: number of other pages that have the term.
    pub other_pages: u64,
    /// `N_k`: number of occurrences on the topic pages that the graph was built from.
    pub topic_occurrences: u64,
}

impl TermCounts {
    /// Returns true if the background has the term. Other terms cannot be judged.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.relevant_pages + self.other_pages > 0
    }
}

/// The three indicators of a term (eq. 11).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Indicators {
    /// TR: the ratio of its occurrences on relevant pages to those on other pages.
    pub relevance: f64,
    /// TP: the ratio of the relevant pages that have it to the other pages that have it.
    pub popularity: f64,
    /// TI: its frequency on the topic pages compared with that of all other terms.
    pub importance: f64,
}

impl Indicators {
    /// Computes the indicators (eq. 11). `others` is `N_others`, the number of occurrences of the
    /// other terms on the topic pages. It and `N_k` count as at least 1, so that a graph of a
    /// single term has a TI too.
    #[must_use]
    pub fn of(counts: &TermCounts, others: u64, settings: &SdgSettings) -> Self {
        let ratio =
            |relevant: u64, other: u64| relevant as f64 / (settings.constant + other as f64);
        let (own, others) = (counts.topic_occurrences.max(1) as f64, others.max(1) as f64);
        Self {
            relevance: ratio(counts.relevant_occurrences, counts.other_occurrences),
            popularity: ratio(counts.relevant_pages, counts.other_pages),
            importance: match settings.importance {
                Importance::Printed => (others / own).ln(),
                Importance::Text => (own / others).ln_1p(),
            },
        }
    }

    fn numbers(&self) -> [f64; 3] {
        [self.relevance, self.popularity, self.importance]
    }
}

/// The ambiguity of a term.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ambiguity {
    /// `μ_L`, the degree to which its ambiguity is low (eq. 13).
    pub low: f64,
    /// `μ_H`, the degree to which its ambiguity is high.
    pub high: f64,
    /// The ambiguity value av (eq. 15), from 10 to 20; a term is ambiguous from 15 on.
    pub value: f64,
}

impl Ambiguity {
    /// Returns true if the term is ambiguous: av ≥ (a + b) / 2, which is the same as `μ_H` ≥ `μ_L`
    /// for all a and b.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        reaches(self.high, self.low)
    }
}

/// `a_AV` and `b_AV` (eq. 14), from fig. 3. No decision depends on them.
const AMBIGUITY: Bounds = Bounds { low: 10.0, high: 20.0 };

/// Table 2: relevance, popularity, importance, and the resulting ambiguity.
const RULES: [([&str; 3], &str); 8] = [
    ([LOW, LOW, LOW], HIGH),
    ([LOW, LOW, HIGH], HIGH),
    ([LOW, HIGH, LOW], HIGH),
    ([HIGH, LOW, LOW], HIGH),
    ([LOW, HIGH, HIGH], LOW),
    ([HIGH, LOW, HIGH], LOW),
    ([HIGH, HIGH, LOW], LOW),
    ([HIGH, HIGH, HIGH], LOW),
];

const LOW: &str = "low";
const HIGH: &str = "high";

/// Identifies ambiguous terms by their indicators.
#[derive(Debug, Clone)]
pub struct Identification {
    inference: Inference,
    bounds: [Bounds; 3],
}

impl Identification {
    /// Returns an identification for terms with these indicators. Bounds that the settings do not
    /// give are computed from the indicators.
    ///
    /// # Panics
    ///
    /// If the settings do not pass [`SdgSettings::check`].
    #[must_use]
    pub fn new(indicators: &[Indicators], settings: &SdgSettings) -> Self {
        let sorted = |indicator: usize| {
            let mut numbers: Vec<f64> =
                indicators.iter().map(|of_term| of_term.numbers()[indicator]).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        let numbers: [Vec<f64>; 3] = std::array::from_fn(sorted);
        let bounds: [Bounds; 3] = std::array::from_fn(|it| {
            settings.bounds[it].unwrap_or_else(|| quartiles(&numbers[it]))
        });
        let variable = |it: usize| {
            let [low, high] = sets(settings.shape, bounds[it], &numbers[it]);
            Variable::new(crate::INDICATORS[it], [(LOW, low), (HIGH, high)])
        };
        let [low, high] = sets(Shape::Linear, AMBIGUITY, &[]);
        let output = Variable::new("ambiguity", [(LOW, low), (HIGH, high)]);
        let rules = RULES.map(|(conditions, conclusion)| (conditions.to_vec(), conclusion));
        let inference = Inference::new((0..3).map(variable).collect(), output, rules)
            .expect("table 2 names existing sets, and bounds are in order");
        Self { inference, bounds }
    }

    /// Returns the ambiguity of one of these terms.
    #[must_use]
    pub fn of(&self, indicators: &Indicators) -> Ambiguity {
        let inferred = self.inference.infer(&indicators.numbers());
        Ambiguity { low: inferred.degrees[0], high: inferred.degrees[1], value: inferred.value }
    }

    /// Returns a and b of each indicator (eq. 12).
    #[must_use]
    pub fn bounds(&self) -> [Bounds; 3] {
        self.bounds
    }
}

/// Returns the fuzzy sets "low" and "high" of an indicator with these sorted values.
fn sets(shape: Shape, Bounds { low, high }: Bounds, numbers: &[f64]) -> [Membership; 2] {
    match shape {
        Shape::Linear => [
            Membership::Falling { from: low, to: high },
            Membership::Rising { from: low, to: high },
        ],
        Shape::Triangular => {
            let least = numbers.first().map_or(low, |least| least.min(low));
            let greatest = numbers.last().map_or(high, |greatest| greatest.max(high));
            [
                Membership::Triangle { left: least, peak: least, right: high },
                Membership::Triangle { left: low, peak: greatest, right: greatest },
            ]
        }
        Shape::Gaussian => {
            // The width at which the two bells meet at one half: exp(-x² / 2σ²) = 1/2 at
            // x = σ √(2 ln 2).
            let deviation = (high - low) / 2.0 / (2.0 * std::f64::consts::LN_2).sqrt();
            [
                Membership::FallingBell { middle: low, deviation },
                Membership::RisingBell { middle: high, deviation },
            ]
        }
    }
}

/// Returns the quartiles of sorted numbers. If they are equal, they are moved one unit apart, or
/// further for numbers so large that a unit would be lost in rounding.
fn quartiles(numbers: &[f64]) -> Bounds {
    let bounds = Bounds { low: quantile(numbers, 0.25), high: quantile(numbers, 0.75) };
    if bounds.are_apart() {
        return bounds;
    }
    let half = 0.5_f64.max(bounds.low.abs() * 1e-6);
    Bounds { low: bounds.low - half, high: bounds.high + half }
}

/// Returns a quantile of sorted numbers, interpolated linearly between neighbours; 0 if there are
/// no numbers.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let below = place.floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index of a list"
    )]
    let first = below as usize;
    let next = sorted[(first + 1).min(last)];
    sorted[first] + (place - below) * (next - sorted[first])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    /// Fig. 3: TR 7.1, TP 3.4 and TI 5.7 give `μ_L` 0.3 and `μ_H` 0.575, hence 17 and 15.75, and
    /// the mean 16.375 is ambiguous. The paper does not print the bounds of the figure; these give
    /// its degrees: TR is high to (7.1 - 5) / 7 = 0.3, TP to (3.4 - 2.5) / 3 = 0.3,
    /// TI to (5.7 - 4) / 4 = 0.425.
    #[test]
    fn the_example_of_fig_3() {
        let bounds = |low, high| Some(Bounds { low, high });
        let bounds = [bounds(5.0, 12.0), bounds(2.5, 5.5), bounds(4.0, 8.0)];
        let identification =
            Identification::new(&[], &SdgSettings { bounds, ..SdgSettings::default() });
        let found =
            identification.of(&Indicators { relevance: 7.1, popularity: 3.4, importance: 5.7 });
        close(found.low, 0.3);
        close(found.high, 0.575);
        close(found.value, 16.375);
        assert!(found.is_ambiguous());
    }

    /// Indicators in the middle of their bounds are equally low and high, and av is 15, although
    /// 0.4 is not exactly in the middle of 0.1 and 0.7 in floating-point numbers.
    #[test]
    fn a_tie_is_ambiguous() {
        for (low, high) in [(0.1, 0.7), (0.2, 0.6), (0.3, 0.5)] {
            let bounds = [Some(Bounds { low, high }); 3];
            let identification =
                Identification::new(&[], &SdgSettings { bounds, ..SdgSettings::default() });
            let half = Indicators { relevance: 0.4, popularity: 0.4, importance: 0.4 };
            let found = identification.of(&half);
            close(found.value, 15.0);
            assert!(found.is_ambiguous(), "{found:?}");
        }
    }

    /// Each rule of table 2 alone: every indicator is fully low or fully high.
    #[test]
    fn two_low_indicators_of_three_make_a_term_ambiguous() {
        let bounds = [Some(Bounds { low: 0.0, high: 1.0 }); 3];
        let identification =
            Identification::new(&[], &SdgSettings { bounds, ..SdgSettings::default() });
        for case in 0..8_u32 {
            let [relevance, popularity, importance] =
                [4, 2, 1].map(|bit| if case & bit > 0 { 1.0 } else { 0.0 });
            let found = identification.of(&Indicators { relevance, popularity, importance });
            let is_ambiguous = case.count_ones() < 2;
            assert_eq!(found.is_ambiguous(), is_ambiguous, "{case:03b}");
            close(found.high, f64::from(u8::from(is_ambiguous)));
            close(found.low, f64::from(u8::from(!is_ambiguous)));
            close(found.value, if is_ambiguous { 20.0 } else { 10.0 });
        }
    }

    /// 30 occurrences on 8 relevant pages, 50 on 12 other pages, 18 of the 60 occurrences of topic
    /// terms: 30 / 51, 8 / 13, ln(42 / 18), and in the form of the text ln(1 + 18 / 42).
    #[test]
    fn eq_11() {
        let counts = TermCounts {
            relevant_occurrences: 30,
            other_occurrences: 50,
            relevant_pages: 8,
            other_pages: 12,
            topic_occurrences: 18,
        };
        let printed = Indicators::of(&counts, 42, &SdgSettings::default());
        close(printed.relevance, 0.588_235_294_117_647_1);
        close(printed.popularity, 0.615_384_615_384_615_4);
        close(printed.importance, 0.847_297_860_387_203_6);
        let text = SdgSettings { importance: Importance::Text, ..SdgSettings::default() };
        close(Indicators::of(&counts, 42, &text).importance, 0.356_674_943_938_732_4);
        let more = SdgSettings { constant: 10.0, ..SdgSettings::default() };
        close(Indicators::of(&counts, 42, &more).relevance, 0.5);
    }

    #[test]
    fn terms_without_occurrences_have_finite_indicators() {
        for importance in [Importance::Printed, Importance::Text] {
            let settings = SdgSettings { importance, ..SdgSettings::default() };
            let found = Indicators::of(&TermCounts::default(), 0, &settings);
            assert!(found.numbers().iter().all(|number| number.is_finite()), "{found:?}");
        }
    }

    #[test]
    fn bounds_are_quartiles_unless_given() {
        close(quantile(&[1.0, 2.0, 4.0, 8.0], 0.25), 1.75);
        close(quantile(&[1.0, 2.0, 4.0, 8.0], 0.75), 5.0);
        close(quantile(&[3.0], 0.75), 3.0);
        close(quantile(&[], 0.75), 0.0);
        assert_eq!(quartiles(&[3.0, 3.0, 3.0, 3.0, 9.0]), Bounds { low: 2.5, high: 3.5 });
        assert!(quartiles(&[1e22, 1e22]).are_apart());
        let of = |relevance| Indicators { relevance, popularity: 0.0, importance: 0.0 };
        let given = Bounds { low: 1.0, high: 2.0 };
        let settings = SdgSettings { bounds: [None, None, Some(given)], ..SdgSettings::default() };
        let terms = [of(8.0), of(1.0), of(2.0), of(4.0)];
        let found = Identification::new(&terms, &settings).bounds();
        assert_eq!(found[0], Bounds { low: 1.75, high: 5.0 });
        assert_eq!(found[1], Bounds { low: -0.5, high: 0.5 });
        assert_eq!(found[2], given);
    }

    /// Bounds 2 and 6, values from 0 to 10. Triangles: low(3) = (6 - 3) / 6, high(3) = (3 - 2) / 8.
    /// Bells: σ = 2 / √(2 ln 2), so that low(3) = 2^(-1/4) and high(3) = 2^(-9/4).
    #[test]
    fn the_other_shapes() {
        let numbers = [0.0, 2.0, 6.0, 10.0];
        let bounds = Bounds { low: 2.0, high: 6.0 };
        let at = |shape, x| sets(shape, bounds, &numbers).map(|set| set.degree(x));
        let both = |found: [f64; 2], low, high| {
            close(found[0], low);
            close(found[1], high);
        };
        both(at(Shape::Linear, 3.0), 0.75, 0.25);
        both(at(Shape::Triangular, 3.0), 0.5, 0.125);
        both(at(Shape::Triangular, 0.0), 1.0, 0.0);
        both(at(Shape::Triangular, 10.0), 0.0, 1.0);
        both(at(Shape::Gaussian, 3.0), 0.840_896_415_253_714_5, 0.210_224_103_813_428_6);
        both(at(Shape::Gaussian, 4.0), 0.5, 0.5);
    }
}
