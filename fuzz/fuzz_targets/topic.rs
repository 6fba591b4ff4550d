//! Any JSON gives a valid topic, or an error. Every page has a relevance from 0 to 1, which is the
//! sum of its explained parts.
//!
//! The input is the topic, a zero byte and the page.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ontrail_page::{Html, Source};
use ontrail_topic::{Model, Scorer, Similarity, Topic};

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(2, |&byte| byte == 0);
    let (json, html) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Ok(topic) = serde_json::from_slice::<Topic>(json) else { return };
    if topic.terms.len() > 50 || topic.check().is_err() {
        return;
    }
    let analyzer = topic.analyzer().build();
    let page = Html::parse(html, Source::default()).analyze(&analyzer);
    for model in [Model::labels(), Model::tags(), Model::tf_idf(Similarity::Vsm)] {
        let Ok(scorer) = Scorer::new(&topic, &analyzer, model, None) else { return };
        let view = scorer.view(&page);
        let relevance = view.relevance();
        assert!((0.0..=1.0).contains(&relevance));
        let parts: f64 = view.reasons().iter().map(|reason| reason.part).sum();
        assert!((parts - relevance).abs() < 1e-6);
    }
});
