//! Tests the selection of terms, the topic model, and the placing of candidates.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_domain::enrich::{Enrichment, KnownConcept};
use ontrail_domain::lda::Lda;
use ontrail_domain::{Selection, SelectionError, Threshold};
use ontrail_text::{Analyzer, Counts};

fn counts<'a>(analyzer: &'a Analyzer, texts: &[&str]) -> Counts<'a> {
    let mut counts = Counts::new(analyzer);
    for (number, text) in texts.iter().enumerate() {
        counts.add(&format!("page {number}"), text);
    }
    counts
}

#[test]
fn candidates_lie_in_the_range_and_the_heaviest_are_taken() {
    let analyzer = Analyzer::new();
    let texts = ["storm flood flood", "storm flood", "storm flood rain", "storm rain", "storm"];
    let counts = counts(&analyzer, &texts);
    let names = |selection: Selection| -> Vec<String> {
        let chosen = selection.choose(&counts).unwrap();
        assert!(chosen.context.attributes().iter().eq(chosen.terms.iter().map(|it| it.0.as_str())));
        chosen.terms.into_iter().map(|(term, _)| term).collect()
    };
    // "storm" is on every page, and "rain" is only on two pages, but three are required.
    assert_eq!(names(Selection::new()), ["flood"]);
    assert_eq!(names(Selection::new().min_documents(2)), ["flood", "rain"]);
    assert_eq!(names(Selection::new().min_documents(2).top(1)), ["flood"]);
    assert_eq!(names(Selection::new().min_documents(2).max_share(1.0)).len(), 3);
    assert_eq!(names(Selection::new().keywords(["storm"])), ["flood", "storm"]);
    assert_eq!(names(Selection::new().min_documents(2).leave_out(["flood"])), ["rain"]);
}

#[test]
fn a_threshold_removes_crosses_but_not_those_of_keywords() {
    let analyzer = Analyzer::new();
    let counts = counts(&analyzer, &["flood flood flood rain", "flood rain", "wind"]);
    let crosses = |threshold, keywords: &[&str]| {
        let selection = Selection::new().min_documents(1).threshold(threshold);
        selection.keywords(keywords.iter().copied()).choose(&counts).unwrap().context.crosses()
    };
    assert_eq!(crosses(Threshold::Weight(0.0), &[]), 5);
    // idf = ln(3/2 + 0.01) = 0.412: rain weighs 0.103 on the first page and 0.206 on the second.
    assert_eq!(crosses(Threshold::Weight(0.11), &[]), 4);
    assert_eq!(crosses(Threshold::Weight(0.11), &["rain"]), 5);
    assert_eq!(crosses(Threshold::Percentile(0.5), &[]), 4);
}

#[test]
fn impossible_selections_are_refused() {
    let analyzer = Analyzer::new();
    let counts = counts(&analyzer, &["flood", "rain"]);
    let refused = |selection: Selection| selection.choose(&counts).unwrap_err();
    assert_eq!(
        refused(Selection::new().keywords(["滑坡", "flood", "泥石流"])),
        SelectionError::AbsentKeywords(vec!["滑坡".to_owned(), "泥石流".to_owned()])
    );
    assert_eq!(refused(Selection::new()), SelectionError::NoTerms { min: 3, max: 1, documents: 2 });
    assert!(matches!(refused(Selection::new().max_share(1.5)), SelectionError::Share(_)));
    assert!(matches!(refused(Selection::new().min_share(f64::NAN)), SelectionError::Share(_)));
}

/// There are two kinds of documents that share no words: the topics are the two vocabularies.
#[test]
fn topics_that_share_no_words_are_distinguished() {
    let documents: Vec<Vec<u32>> =
        (0..20).map(|number| (0..30).map(|word| word % 5 + (number % 2) * 5).collect()).collect();
    let lda = Lda::new().topics(2).alpha(0.1).sweeps(200);
    let topics = lda.fit(&documents, 10, || ());
    let mut sets: Vec<Vec<u32>> = (0..2).map(|topic| topics.top(topic, 5)).collect();
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets.sort();
    assert_eq!(sets, [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]);
    let words: u32 = topics.counts.iter().flatten().sum();
    assert_eq!(words, 600, "every word is in exactly one topic");
    let again = lda.fit(&documents, 10, || ());
    assert_eq!(again.counts, topics.counts, "the result depends only on the random seed");
}

#[test]
fn candidates_go_below_the_concept_that_they_imply() {
    let analyzer = Analyzer::new();
    // "dyke" occurs only with "flood"; "inundation" exactly where "flood" does; "siren" with
    // "warning".
    let texts = [
        "storm flood dyke dykes dykes inundation",
        "storm flood dyke dykes inundation",
        "storm flood inundation",
        "storm flood inundation",
        "storm flood inundation",
        "storm warning siren",
        "storm warning siren",
        "storm warning",
        "storm warning",
        "storm picnic tent grill ball kite cake",
    ];
    let counts = counts(&analyzer, &texts);
    let known =
        |key: &str, depth| KnownConcept { key: key.to_owned(), names: vec![key.to_owned()], depth };
    let skeleton = [known("storm", 1), known("flood", 2), known("warning", 2)];
    let enrichment = Enrichment::new(Lda::new().topics(3).sweeps(50)).min_support(0.2);
    let enriched = enrichment.enrich(&counts, &skeleton, || ());
    let placed: Vec<(&str, &str, bool)> = enriched
        .placed
        .iter()
        .map(|it| (it.term.as_str(), it.concept.as_str(), it.is_synonym))
        .collect();
    // English words are counted by their stems and named by their most frequent form.
    assert_eq!(
        placed,
        [("dykes", "flood", false), ("inundation", "flood", true), ("siren", "warning", false)]
    );
    let dyke = &enriched.placed[0];
    // On 2 of 10 pages, always with flood, which is on 5 of 10.
    assert_eq!((dyke.support, dyke.confidence, dyke.lift), (0.2, 1.0, 2.0));
    assert_eq!(dyke.documents, [0, 1]);
}
