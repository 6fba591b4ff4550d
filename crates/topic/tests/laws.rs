//! Properties of every topic and every page, checked on random ones.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::sync::Arc;

use ontrail_anchor::{Bm25, PagesMet};
use ontrail_artifact::Provenance;
use ontrail_page::{Content, Html, Page, Source};
use ontrail_taxonomy::{Label, MeasureKind, TaxonomyBuilder};
use ontrail_text::Analyzer;
use ontrail_topic::{
    Calibration, Goal, Model, Origin, Scorer, Scoring, Similarity, Term, Topic, Weighting,
    words_as_read,
};
use proptest::prelude::*;

const WORDS: [&str; 8] = ["rain", "storm", "flood", "city", "river", "暴雨", "洪涝", "城市"];

fn topic() -> impl Strategy<Value = Topic> {
    let term = (0..WORDS.len(), 0.01..10.0, prop::option::of(0..3_u8));
    prop::collection::vec(term, 1..6).prop_map(|terms| {
        let mut seen = Vec::new();
        let mut list = Vec::new();
        for (word, weight, concept) in terms {
            if !seen.contains(&word) {
                seen.push(word);
                let concept = concept.map(|number| format!("x#{number}"));
                list.push(Term { concept, ..Term::new(WORDS[word], weight) });
            }
        }
        Topic::new("t", Origin::Keywords, list).unwrap()
    })
}

fn html() -> impl Strategy<Value = String> {
    let place = prop::sample::select(vec!["title", "h1", "h3", "strong", "p", "div", "a href=/x"]);
    let words = prop::collection::vec(0..WORDS.len() + 2, 0..8);
    prop::collection::vec((place, words), 0..6).prop_map(|parts| {
        let all = [&WORDS[..], &["zebra", "斑马"]].concat();
        let part = |(tag, words): (&str, Vec<usize>)| {
            let text: Vec<&str> = words.into_iter().map(|word| all[word]).collect();
            format!("<{tag}>{}</{}>", text.join(" "), tag.split(' ').next().unwrap())
        };
        parts.into_iter().map(part).collect()
    })
}

fn read(analyzer: &Analyzer, html: &str) -> Page {
    let url = "http://www.example.org/".parse().unwrap();
    Html::parse(html.as_bytes(), Source::at(&url)).analyze(analyzer)
}

fn models() -> Vec<Model> {
    let mut models = vec![Model::labels(), Model::tags()];
    for similarity in [Similarity::Vsm, Similarity::Ssrm, Similarity::Svsm] {
        models.push(Model::tf_idf(similarity));
        models.push(Model { similarity, ..Model::labels() });
        models.push(Model { weighting: Weighting::Tags, ..Model::tf_idf(similarity) });
    }
    models
}

/// Returns a scorer with a taxonomy of all words under one root, in two families.
fn scorer(topic: &Topic, analyzer: &Analyzer, model: Model) -> Scorer {
    let mut builder = TaxonomyBuilder::new();
    let [root, one, other] = ["root", "one", "other"].map(|key| builder.concept(key));
    builder.is_a(one, root);
    builder.is_a(other, root);
    for (place, word) in WORDS.iter().enumerate() {
        let id = builder.concept(word);
        builder.label(id, Label::preferred(*word, None));
        builder.is_a(id, if place % 2 == 0 { one } else { other });
    }
    let measure = MeasureKind::Path.over(Arc::new(builder.finish().unwrap()));
    let words = Arc::new(words_as_read(measure, analyzer));
    Scorer::new(topic, analyzer, model, Some(words)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// P(relevant) is a probability that never falls as R rises, thresholds reach their goals, and
    /// a calibration is the same after it was written and read.
    #[test]
    fn a_calibration_is_monotone_and_reaches_its_goals(
        on in prop::collection::vec(0.0..1.0, 1..150),
        off in prop::collection::vec(prop_oneof![Just(0.0), 0.0..1.0], 1..250),
        prior in 0.001..0.999,
    ) {
        let mut topic = Topic::new("t", Origin::Keywords, vec![Term::new("rain", 1.0)]).unwrap();
        let scoring = Scoring::new(&Model::labels(), Content::Page);
        let calibration = Calibration::fit(&topic, scoring.clone(), &on, &off).unwrap();
        let read = calibration.clone().with_prior(prior);
        let values: Vec<f64> = (0..=50).map(|r| read.probability(f64::from(r) / 50.0)).collect();
        prop_assert!(values.iter().all(|p| (0.0..=1.0).contains(p)), "{values:?}");
        prop_assert!(values.is_sorted(), "{values:?}");
        let best = read.curve().best(Goal::F1).unwrap();
        prop_assert!(read.curve().points.iter().all(|point| point.f1 <= best.f1));
        let smooth = read.threshold_for(Goal::F1).unwrap();
        prop_assert!(0.0 < smooth.recall && smooth.f1 <= best.f1 + 1e-12, "{smooth:?}");
        if let Some(point) = read.threshold_for(Goal::Precision(0.9)) {
            prop_assert!(point.precision >= 0.9 && point.recall > 0.0);
        }
        let complete = read.threshold_for(Goal::Recall(0.9)).unwrap();
        prop_assert!(complete.recall >= 0.9);
        let quality = calibration.quality;
        for it in [quality.precision, quality.recall, quality.f1, quality.auc] {
            prop_assert!(0.0 <= it.low && it.low <= it.value && it.value <= it.high && it.high <= 1.0);
        }
        topic.add_calibration(calibration.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.json");
        topic.write(&path, &Provenance::of_this_process("test")).unwrap();
        let again = Topic::read(&path).unwrap();
        prop_assert_eq!(again.calibration(&scoring).unwrap(), Some(&calibration));
    }

    #[test]
    fn relevance_lies_between_0_and_1_and_is_the_sum_of_its_parts(
        topic in topic(),
        html in html(),
    ) {
        let analyzer = topic.analyzer().build();
        let page = read(&analyzer, &html);
        for model in models() {
            let scorer = scorer(&topic, &analyzer, model);
            let view = scorer.view(&page);
            let relevance = view.relevance();
            prop_assert!((0.0..=1.0).contains(&relevance) && relevance.is_sign_positive());
            let parts: f64 = view.reasons().iter().map(|reason| reason.part).sum();
            prop_assert!((parts - relevance).abs() < 1e-9, "{model:?}: {parts} {relevance}");
            for link in &page.links {
                prop_assert!((0.0..=1.0).contains(&view.anchor(link)));
                prop_assert!((0.0..=1.0).contains(&view.context(link)));
                let texts = [view.anchor_text(link)];
                let mut met = PagesMet::new();
                met.add(&view.page_terms());
                let found = met.relevance(&Bm25::default(), &texts);
                prop_assert!((0.0..=1.0).contains(&found));
            }
            for block in &page.blocks {
                prop_assert!((0.0..=1.0).contains(&view.block(block)));
            }
        }
    }

    /// Only the proportions of the weights matter.
    #[test]
    fn scaling_all_weights_changes_nothing(topic in topic(), html in html(), factor in 0.5..2.0) {
        let mut scaled = topic.clone();
        scaled.terms.iter_mut().for_each(|term| term.weight *= factor);
        let analyzer = topic.analyzer().build();
        let page = read(&analyzer, &html);
        for model in models() {
            let one = scorer(&topic, &analyzer, model).view(&page).relevance();
            let other = scorer(&scaled, &analyzer, model).view(&page).relevance();
            prop_assert!((one - other).abs() < 1e-9, "{model:?}: {one} {other}");
        }
    }

    #[test]
    fn a_topic_survives_writing_and_reading(topic in topic()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.json");
        topic.write(&path, &Provenance::default()).unwrap();
        prop_assert_eq!(Topic::read(&path).unwrap(), topic);
    }
}
