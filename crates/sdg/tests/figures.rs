//! The worked examples of the paper, and the decisions that the paper leaves open.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_artifact::Provenance;
use ontrail_page::{Html, Page, Source};
use ontrail_sdg::{
    Bounds, BuildError, Disambiguator, Judgement, Occurrences, Sdg, SdgSettings, TopicTerm,
};
use ontrail_text::Analyzer;

/// k1 to k5 of fig. 4. k2 is on a hundred relevant pages and the others are on some of them, so
/// that the degree with k2 is the number of pages in percent.
const TERMS: [(&str, u32); 5] =
    [("boat", 36), ("river", 100), ("parrot", 35), ("canopy", 86), ("forest", 61)];

fn terms() -> Vec<TopicTerm> {
    let term =
        |(term, _): (&str, u32)| TopicTerm { term: term.to_owned(), weight: 1.0, occurrences: 3 };
    TERMS.into_iter().map(term).collect()
}

fn occurrences() -> Occurrences {
    let mut occurrences = Occurrences::new(TERMS.len());
    for page in 0..100 {
        let on_page = (0..TERMS.len()).filter(|&term| page < TERMS[term].1);
        occurrences.add(true, on_page.map(|term| (term, 1)));
    }
    occurrences
}

/// Returns settings with which every term is ambiguous.
fn settings() -> SdgSettings {
    let bounds = [Some(Bounds { low: 1e4, high: 2e4 }); 3];
    SdgSettings::default().with(|it| it.bounds = bounds)
}

fn graph(settings: &SdgSettings) -> Sdg {
    Sdg::build("fig. 4", &terms(), &occurrences(), settings).unwrap()
}

fn shown_by(sdg: &Sdg, term: &str) -> Vec<String> {
    let node = sdg.terms.iter().find(|node| node.term == term).unwrap();
    assert!(node.ambiguous);
    node.disambiguated_by.clone()
}

/// Fig. 4: with the degrees 0.36, 0.35, 0.86 and 0.61 and a threshold of 0.4, k4 and k5 remain. The
/// mean of the degrees, 0.545, gives the same terms.
#[test]
fn the_example_of_fig_4() {
    for degree_threshold in [Some(0.4), None] {
        let sdg = graph(&settings().with(|it| it.degree_threshold = degree_threshold));
        let of_river = sdg.edges.iter().filter(|edge| edge.terms.contains(&"river".to_owned()));
        let degrees: Vec<f64> = of_river.map(|edge| edge.degree).collect();
        assert_eq!(degrees.len(), 4);
        for (found, expected) in degrees.iter().zip([0.36, 0.35, 0.86, 0.61]) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
        assert_eq!(shown_by(&sdg, "river"), ["canopy", "forest"]);
    }
    let all = graph(&settings().with(|it| it.degree_threshold = Some(0.0)));
    assert_eq!(shown_by(&all, "river"), ["canopy", "forest", "boat", "parrot"]);
    let none = graph(&settings().with(|it| it.degree_threshold = Some(0.9)));
    assert!(shown_by(&none, "river").is_empty());
}

fn read(analyzer: &Analyzer, text: &str) -> Page {
    Html::parse(format!("<p>{text}").as_bytes(), Source::default()).analyze(analyzer)
}

fn judged(sdg: &Sdg, text: &str) -> Vec<Judgement> {
    let analyzer = sdg.analyzer();
    Disambiguator::new(sdg, &analyzer).unwrap().judge(&read(&analyzer, text))
}

fn of_river(sdg: &Sdg, text: &str) -> Judgement {
    judged(sdg, text).into_iter().find(|judgement| judgement.term == "river").unwrap()
}

/// Eq. 20: θ = (0.86 + 0.61) / 2 = 0.735.
#[test]
fn a_term_is_removed_if_too_little_confirms_its_meaning() {
    let sdg = graph(&settings());
    for (text, mean, removed) in [
        ("the river under the canopy of the forest", 0.735, false),
        ("the river and the river under the canopy", 0.86, false),
        ("the river in the forest", 0.61, true),
        ("the river, a parrot and a boat", 0.0, true),
    ] {
        let found = of_river(&sdg, text);
        assert_eq!(found.removed, removed, "{text}");
        assert!((found.mean - mean).abs() < 1e-12, "{text}: {}", found.mean);
        assert!((found.threshold - 0.735).abs() < 1e-12);
    }
    assert_eq!(of_river(&sdg, "the river and the river under the canopy").occurrences, 2);
    assert_eq!(judged(&sdg, "nothing of all this"), []);
}

#[test]
fn a_lower_theta_keeps_more_terms_but_none_without_disambiguation_terms_on_the_page() {
    for (theta, in_forest) in [(0.9, true), (0.8, false), (0.0, false)] {
        let sdg = graph(&settings().with(|it| it.theta = theta));
        assert_eq!(of_river(&sdg, "the river in the forest").removed, in_forest, "{theta}");
        assert!(of_river(&sdg, "the river and the parrot").removed);
    }
}

/// Nothing could confirm its meaning, so the lack of confirmation tells nothing: 0 is not below 0.
#[test]
fn an_ambiguous_term_without_disambiguation_terms_is_kept() {
    let sdg = graph(&settings().with(|it| it.degree_threshold = Some(1.0)));
    let found = of_river(&sdg, "the river under the canopy of the forest");
    assert!(!found.removed && found.present.is_empty() && found.disambiguation_terms == 0);
    assert!(found.mean.abs() < 1e-15 && found.threshold.abs() < 1e-15);
}

/// Three terms occur together with a fourth on one page of ten each. The mean of three times 0.1 is
/// not exactly 0.1 in floating-point numbers, but each of them reaches it, both in the graph and on
/// a page.
#[test]
fn equal_degrees_reach_their_mean() {
    let names = ["storm", "flood", "dyke", "gauge"];
    let term = |term: &str| TopicTerm { term: term.to_owned(), weight: 1.0, occurrences: 1 };
    let mut occurrences = Occurrences::new(4);
    for other in 1..4 {
        occurrences.add(true, [(0, 1), (other, 1)]);
    }
    (0..7).for_each(|_| occurrences.add(false, [(0, 1)]));
    let sdg = Sdg::build("ties", &names.map(term), &occurrences, &settings()).unwrap();
    assert_eq!(shown_by(&sdg, "storm"), ["flood", "dyke", "gauge"]);
    let found = judged(&sdg, "storm flood").into_iter().find(|it| it.term == "storm").unwrap();
    assert!(!found.removed, "{found:?}");
}

#[test]
fn chinese_terms_and_terms_of_several_words_are_found() {
    let term = |term: &str| TopicTerm { term: term.to_owned(), weight: 1.0, occurrences: 1 };
    let terms = ["苹果", "果园", "fruit tree"].map(term);
    let mut occurrences = Occurrences::new(3);
    occurrences.add(true, [(0, 1), (1, 1), (2, 1)]);
    let sdg = Sdg::build("苹果", &terms, &occurrences, &settings()).unwrap();
    let removed = |text: &str| {
        let judged = judged(&sdg, text);
        judged.into_iter().find(|it| it.term == "苹果").unwrap().removed
    };
    assert!(removed("新款苹果手机"));
    assert!(!removed("果园里的苹果和 fruit trees"));
    assert!(!removed("果园里的苹果"));
    assert!(removed("苹果 tree fruit"));
}

#[test]
fn terms_that_the_background_does_not_have_are_kept() {
    let mut all = terms();
    all.push(TopicTerm { term: "dolphin".to_owned(), weight: 2.0, occurrences: 0 });
    let mut occurrences = Occurrences::new(6);
    for page in 0..100 {
        let on_page = (0..TERMS.len()).filter(|&term| page < TERMS[term].1);
        occurrences.add(page % 2 == 0, on_page.map(|term| (term, 1)));
    }
    let sdg = Sdg::build("x", &all, &occurrences, &SdgSettings::default()).unwrap();
    let unmet = &sdg.terms[0];
    assert_eq!((unmet.term.as_str(), unmet.ambiguous, unmet.ambiguity), ("dolphin", false, None));
    assert!(unmet.indicators.importance.is_finite() && unmet.indicators.relevance.abs() < 1e-15);
    assert!(judged(&sdg, "a dolphin").is_empty());
}

#[test]
fn invalid_input_is_refused() {
    let refused = |terms: &[TopicTerm], occurrences: &Occurrences, settings: &SdgSettings| {
        Sdg::build("x", terms, occurrences, settings).unwrap_err()
    };
    let mut irrelevant = Occurrences::new(5);
    irrelevant.add(false, [(0, 1), (1, 1)]);
    assert_eq!(refused(&terms(), &irrelevant, &settings()), BuildError::NoneRelevant(1));
    let mut others = Occurrences::new(5);
    others.add(false, [(0, 1)]);
    others.add(true, []);
    assert_eq!(
        refused(&terms(), &others, &settings()).to_string(),
        "no two of the 5 terms of the topic pages occur together on any of the 1 relevant \
         background pages"
    );
    let mut empty = Occurrences::new(5);
    empty.add(true, []);
    assert_eq!(
        refused(&terms(), &empty, &settings()).to_string(),
        "none of the 5 terms of the topic pages occurs on any of the 1 background pages"
    );
    assert!(refused(&[], &Occurrences::new(0), &settings()).to_string().contains("has no terms"));
    let twice = [terms(), terms()].concat();
    let mut both = Occurrences::new(10);
    both.add(true, [(0, 1), (1, 1)]);
    assert!(refused(&twice, &both, &settings()).to_string().contains("is listed twice"));
    for (settings, message) in [
        (
            settings().with(|it| it.constant = 0.0),
            "the constant C of eq. 11 is 0.0; it must be from 0.001",
        ),
        (settings().with(|it| it.theta = 1.5), "theta is 1.5; it must be from 0 to 1"),
        (settings().with(|it| it.degree_threshold = Some(f64::NAN)), "it must be from 0 to 1"),
        (
            settings().with(|it| it.bounds = [None, Some(Bounds { low: 2.0, high: 2.0 }), None]),
            "the bounds of the popularity are 2.0 and 2.0",
        ),
    ] {
        let error = refused(&terms(), &occurrences(), &settings).to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_graph_is_read_as_it_was_written_and_an_edited_file_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sdg.json");
    let sdg = graph(&settings());
    sdg.write(&path, &Provenance::default()).unwrap();
    assert_eq!(Sdg::read(&path).unwrap(), sdg);
    let text = std::fs::read_to_string(&path).unwrap();
    let refused = |from: &str, to: &str, message: &str| {
        assert!(text.contains(from), "{from} is not in\n{text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = Sdg::read(&path).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    };
    refused(
        "\"weight\": 1.0",
        "\"weight\": -1.0",
        "the weight of \"boat\" is -1.0; weights must be 0 or more",
    );
    refused("\"degree\": 0.36", "\"degree\": 1.36", "the degree of \"boat and river\" is 1.36");
    refused(
        "\"theta\": 1.0",
        "\"theta\": 7.0",
        "theta of \"fig. 4\" is 7.0; it must be from 0 to 1",
    );
    refused(
        "\"canopy\"",
        "\"canopies\"",
        "\"canopies\", but no edge with a degree above 0 joins them",
    );
    refused("\"theta\"", "\"thetas\"", "unknown field `thetas`");
    refused("[\"boat\", \"river\"]", "[\"boat\", \"boat\"]", "an edge joins \"boat\" with itself");
    refused("\"name\": \"fig. 4\"", "\"name\": \"a\\nb\"", "the name of the graph is \"a\\nb\"");
    refused(
        "[\"canopy\", \"forest\"]",
        "[\"canopy\", \"canopy\"]",
        "disambiguated by \"canopy\" twice",
    );
    refused(
        "[\"boat\", \"river\"]",
        "[\"boat\", \"ship\"]",
        "\"ship\", which is not a term of the graph",
    );
}
