//! Any JSON gives a valid disambiguation graph, or an error. The means and thresholds of a page's
//! terms are from 0 to 1, and terms are removed by the documented rule.
//!
//! The input is the graph, a zero byte and the page.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ontrail_page::{Html, Source};
use ontrail_sdg::{Disambiguator, Sdg};

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(2, |&byte| byte == 0);
    let (json, html) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Ok(sdg) = serde_json::from_slice::<Sdg>(json) else { return };
    if sdg.terms.len() > 50 || sdg.check().is_err() {
        return;
    }
    let analyzer = sdg.analyzer();
    let disambiguator = Disambiguator::new(&sdg, &analyzer).expect("a graph that was checked is sound");
    let page = Html::parse(html, Source::default()).analyze(&analyzer);
    for judgement in disambiguator.judge(&page) {
        assert!(judgement.occurrences > 0);
        assert!((0.0..=1.0).contains(&judgement.mean) && (0.0..=1.0).contains(&judgement.threshold));
        let is_short = judgement.present.is_empty() || judgement.mean < judgement.threshold * (1.0 - 1e-9);
        assert_eq!(judgement.removed, judgement.disambiguation_terms > 0 && is_short);
    }
});
