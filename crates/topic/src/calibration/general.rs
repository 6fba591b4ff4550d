//! The calibration of a topic without examples, by the scores of other topics.

use super::{Calibration, Scoring};
use crate::topic::Topic;

/// The scores of on-topic and off-topic pages of many topics taken together (see
/// `background/README.md`), two lines for each way of scoring: its name, `on` or `off`, and 100
/// quantiles, separated by tabs.
const SCORES: &str = include_str!("../../background/scores.tsv");

impl Calibration {
    /// Returns a calibration for a topic without examples: that of the average topic. It is only a
    /// start, because the scores of topics differ; `prior` is the share of relevant pages that is
    /// expected. `None` for a way of scoring that was not measured.
    #[must_use]
    pub fn general(topic: &Topic, scoring: &Scoring, prior: f64) -> Option<Self> {
        let name = scoring.to_string();
        let scores = |kind: &str| -> Option<Vec<f64>> {
            let start = format!("{name}\t{kind}\t");
            let line = SCORES.lines().find_map(|line| line.strip_prefix(&start))?;
            line.split(',').map(|score| score.parse().ok()).collect()
        };
        let made = Self::fit(topic, scoring.clone(), &scores("on")?, &scores("off")?).ok()?;
        Some(made.with_prior(prior))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Goal, Model, Origin, Similarity, Term};
    use ontrail_page::Content;

    #[test]
    fn the_usual_ways_of_scoring_have_a_threshold_without_examples() {
        let topic = Topic::new("t", Origin::Keywords, vec![Term::new("rain", 1.0)]).unwrap();
        for model in [Model::labels(), Model::tags(), Model::tf_idf(Similarity::Vsm)] {
            for content in Content::ALL {
                let scoring = Scoring::new(&model, content);
                let found = Calibration::general(&topic, &scoring, 0.1).unwrap();
                assert!(found.separates(), "{scoring}");
                let point = found.threshold_for(Goal::F1).unwrap();
                assert!(0.0 < point.threshold && point.threshold < 0.9, "{scoring}: {point:?}");
                assert!(found.probability(0.0) < 0.1 && found.probability(0.9) > 0.5, "{scoring}");
                // More relevant pages, a lower threshold.
                let many = found.clone().with_prior(0.5).threshold_for(Goal::F1).unwrap();
                assert!(many.threshold <= point.threshold, "{scoring}");
            }
        }
        let ssrm = Scoring::new(&Model::tf_idf(Similarity::Ssrm), Content::Page);
        assert_eq!(Calibration::general(&topic, &ssrm, 0.1), None);
    }
}
