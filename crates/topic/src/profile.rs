//! The contribution of one term of a text to SSRM and SVSM, summed over all terms of the topic in
//! advance.
//!
//! Both models sum over all pairs of a term i of the text and a term j of the topic (eq. 18 and 19
//! of sdvsm). Everything in these sums that depends on j depends on the text only through i, so
//! four sums per term suffice, and a text is scored in one pass over its terms.

use std::iter::Sum;

/// The sums over the topic's terms j for one term i, where `w_j` is the weight in the topic and
/// `sem_ij` the similarity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Profile {
    /// Σ `sem_ij w_j`.
    pub(crate) near: f64,
    /// Σ `sem_ij² w_j`.
    pub(crate) both: f64,
    /// Σ `sem_ij²`.
    pub(crate) text: f64,
    /// Σ `sem_ij² w_j²`.
    pub(crate) topic: f64,
    /// The most similar feature, and its similarity, 0 if there is none. It is only displayed, so
    /// single precision is enough.
    pub(crate) nearest: u32,
    pub(crate) similarity: f32,
}

impl Profile {
    /// Computes the sums from pairs (similarity, weight in the topic), one for each feature. Pairs
    /// with a similarity below `least` are left out.
    pub(crate) fn of(pairs: impl Iterator<Item = (f64, f64)>, least: f64) -> Self {
        let mut profile = Self::default();
        for (feature, (sem, weight)) in (0..).zip(pairs) {
            if sem < least {
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "single precision is enough")]
            let similarity = sem as f32;
            if similarity > profile.similarity {
                (profile.nearest, profile.similarity) = (feature, similarity);
            }
            profile.near += sem * weight;
            profile.both += sem * sem * weight;
            profile.text += sem * sem;
            profile.topic += sem * sem * weight * weight;
        }
        profile
    }
}

/// The sums of SSRM over a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ssrm {
    near: f64,
    weights: f64,
}

impl Ssrm {
    /// Adds a term of the text with the weight `w_i` and the sums of its pairs.
    pub(crate) fn add(&mut self, weight: f64, profile: &Profile) {
        self.near += weight * profile.near;
        self.weights += weight;
    }

    /// Returns Σ `sem_ij w_i w_j` / Σ `w_i w_j` (eq. 18 of sdvsm), given the sum of the topic's
    /// weights; 0 if all weights of the text are 0.
    pub(crate) fn value(self, topic_weights: f64) -> f64 {
        quotient(self.near, self.weights * topic_weights)
    }
}

/// The sums of SVSM over a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Svsm {
    both: f64,
    text: f64,
    topic: f64,
}

impl Svsm {
    /// Adds a term of the text with the weight `w_i` and the sums of its pairs.
    pub(crate) fn add(&mut self, weight: f64, profile: &Profile) {
        self.both += weight * profile.both;
        self.text += weight * weight * profile.text;
        self.topic += profile.topic;
    }

    /// Returns Σ `w_i w_j sem_ij²` / √Σ(`w_i sem_ij`)² / √Σ(`w_j sem_ij`)² (eq. 19 of sdvsm); 0 if
    /// no pair is similar.
    pub(crate) fn value(self) -> f64 {
        quotient(self.both, self.length())
    }

    /// Returns the product of the lengths of the two vectors.
    pub(crate) fn length(self) -> f64 {
        self.text.sqrt() * self.topic.sqrt()
    }

    /// Creates the sums for vectors that also contain the terms without a similar partner.
    /// `topic_length` is the length of the topic's vector.
    ///
    /// As printed, a term that is similar to none of the other side is in neither vector, so a text
    /// whose only counted word is similar to the topic has relevance 1. Here such a term lengthens
    /// the vector of its side: every term counts at least as much as in the cosine. If no two
    /// different terms are similar, the result is the cosine.
    pub(crate) fn of_all_terms(topic_length: f64) -> Self {
        Self { both: 0.0, text: 0.0, topic: topic_length * topic_length }
    }

    /// Adds a term of the text to such sums. `share` is its weight in the topic, if it is one of
    /// the topic's terms; its part of the topic's length is counted already.
    pub(crate) fn add_whole(&mut self, weight: f64, profile: &Profile, share: Option<f64>) {
        self.both += weight * profile.both;
        self.text += weight * weight * profile.text.max(1.0);
        let counted = share.map_or(0.0, |share| share * share);
        self.topic += (profile.topic - counted).max(0.0);
    }
}

/// Sums the coordinates of the two semantic vectors, DSV and TSV, one for each pair of terms.
impl Sum<(f64, f64)> for Svsm {
    fn sum<I: Iterator<Item = (f64, f64)>>(pairs: I) -> Self {
        pairs.fold(Self::default(), |sums, (text, topic)| Self {
            both: sums.both + text * topic,
            text: sums.text + text * text,
            topic: sums.topic + topic * topic,
        })
    }
}

/// Returns a quotient clamped to the range from 0 to 1; 0 if the divisor is 0.
pub(crate) fn quotient(part: f64, whole: f64) -> f64 {
    let quotient = part / whole;
    // An empty sum is −0; adding 0 turns it into 0.
    if whole > 0.0 && quotient.is_finite() { quotient.clamp(0.0, 1.0) + 0.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Fig. 5 of sdvsm prints the two semantic vectors and 0.98; computed by hand, the cosine is
    /// 0.9777.
    #[test]
    fn fig_5_of_sdvsm() {
        let text = [0.18, 0.13, 0.3, 0.24, 0.15, 0.03];
        let topic = [0.26, 0.16, 0.6, 0.52, 0.28, 0.19];
        let sums: Svsm = text.into_iter().zip(topic).sum();
        assert!((sums.value() - 0.9777).abs() < 5e-5, "{}", sums.value());
        assert_eq!(format!("{:.2}", sums.value()), "0.98");
    }

    #[test]
    fn nothing_in_common_is_zero() {
        assert!(Svsm::default().value().abs() < 1e-15);
        assert!(Ssrm::default().value(3.0).abs() < 1e-15);
        let mut sums = Ssrm::default();
        sums.add(2.0, &Profile::default());
        assert!(sums.value(3.0).abs() < 1e-15);
    }

    /// A topic of two terms with the weights 1 and 0.5. The text has the first term with weight 1,
    /// a word of weight 2 with similarity 0.5 to the second, and a word of weight 3 that is similar
    /// to none. Numerator: 1 + 2 · ¼ · ½ = 1.25. Square of the text's length: 1 + 4 + 9. Of the
    /// topic's: 1.25 + ¼ · ¼. Result: 1.25 / √(14 · 1.3125).
    #[test]
    fn terms_without_a_partner_lengthen_their_vectors() {
        let topic = [1.0, 0.5];
        let profile = |sems: [f64; 2]| Profile::of(sems.into_iter().zip(topic), 0.1);
        let mut sums = Svsm::of_all_terms(1.25_f64.sqrt());
        sums.add_whole(1.0, &profile([1.0, 0.0]), Some(1.0));
        sums.add_whole(2.0, &profile([0.0, 0.5]), None);
        sums.add_whole(3.0, &profile([0.0, 0.0]), None);
        assert!((sums.value() - 0.291_605_921_759_902_2).abs() < 1e-12, "{}", sums.value());
        assert!(
            (profile([0.05, 0.5]).text - 0.25).abs() < 1e-12,
            "pairs of low similarity are left out"
        );
    }

    proptest! {
        /// If no two different terms are similar, the vectors of all terms give the cosine. The
        /// result is never above 1.
        #[test]
        fn with_all_terms_it_is_a_cosine(
            text in prop::collection::vec(0.0..5.0, 4),
            topic in prop::collection::vec(0.01..5.0, 4),
            sems in prop::collection::vec(0.0..1.0, 16),
        ) {
            let length = |weights: &[f64]| weights.iter().map(|it| it * it).sum::<f64>().sqrt();
            let value = |sem: &dyn Fn(usize, usize) -> f64| {
                let mut sums = Svsm::of_all_terms(length(&topic));
                for (i, &weight) in text.iter().enumerate() {
                    let pairs = topic.iter().enumerate().map(|(j, &w)| (sem(i, j), w));
                    sums.add_whole(weight, &Profile::of(pairs, 0.1), Some(topic[i]));
                }
                (sums.both, sums.length(), sums.value())
            };
            let dot: f64 = text.iter().zip(&topic).map(|(a, b)| a * b).sum();
            let (_, _, plain) = value(&|i, j| f64::from(u8::from(i == j)));
            prop_assert!((plain - quotient(dot, length(&text) * length(&topic))).abs() < 1e-9);
            let (above, below, _) = value(&|i, j| if i == j { 1.0 } else { sems[i * 4 + j] });
            prop_assert!(above <= below * (1.0 + 1e-12));
        }

        /// The sums by term equal the printed double sums.
        #[test]
        fn sums_by_term_are_the_double_sums(
            text in prop::collection::vec(0.0..5.0, 1..6),
            topic in prop::collection::vec(0.01..5.0, 1..6),
            sems in prop::collection::vec(0.1..1.0, 36),
        ) {
            let sem = |i: usize, j: usize| sems[i * 6 + j];
            let (mut ssrm, mut svsm) = (Ssrm::default(), Svsm::default());
            for (i, &weight) in text.iter().enumerate() {
                let pairs = topic.iter().enumerate().map(|(j, &w)| (sem(i, j), w));
                let profile = Profile::of(pairs, 0.1);
                ssrm.add(weight, &profile);
                svsm.add(weight, &profile);
            }
            let pairs = || {
                let topic = &topic;
                text.iter().enumerate().flat_map(move |(i, &w)| {
                    topic.iter().enumerate().map(move |(j, &t)| (w, t, sem(i, j)))
                })
            };
            let direct: Svsm = pairs().map(|(w, t, s)| (w * s, t * s)).sum();
            prop_assert!((svsm.value() - direct.value()).abs() < 1e-9);
            let above: f64 = pairs().map(|(w, t, s)| w * t * s).sum();
            let below: f64 = pairs().map(|(w, t, _)| w * t).sum();
            let value = ssrm.value(topic.iter().sum());
            prop_assert!((value - quotient(above, below)).abs() < 1e-9);
        }
    }
}
