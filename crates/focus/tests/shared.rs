//! Models that share one parse of a page give the same results as with a separate parse for each.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_bcw::{Classifier, Labelled, Reader, TrainSettings, train};
use ontrail_crawl::Focus;
use ontrail_focus::{JudgeSettings, Models, Panel};
use ontrail_page::{Analyses, HostTemplate, Html, Source};
use ontrail_sdg::{Occurrences, Sdg, SdgSettings, Senses, TopicTerm};
use ontrail_topic::{Model, Origin, Scorer, Term, Topic};
use url::Url;

const SHOP: &str = "<title>Amazon</title><div><p>Order the rain forest book at Amazon today \
    <a href=/basket>Amazon basket</a></p></div>";
const RIVER: &str = "<title>Amazon</title><div><p>Where the Amazon leaves the forest it is a wide river \
    <a href=/parrot>a parrot of the rain forest</a></p></div>";

fn topic() -> Topic {
    // The phrase contains a word that the graph counts by itself.
    let terms = [("amazon", 1.0), ("rain forest", 0.8), ("river", 0.6)];
    let terms = terms.map(|(term, weight)| Term::new(term, weight)).to_vec();
    Topic::new("rain forest", Origin::Keywords, terms).unwrap()
}

fn graph() -> Sdg {
    let term = |term: &str, weight| TopicTerm { term: term.to_owned(), weight, occurrences: 4 };
    let terms = [term("amazon", 1.0), term("forest", 0.8), term("river", 0.6), term("parrot", 0.4)];
    let mut background = Occurrences::new(terms.len());
    for _ in 0..6 {
        background.add(true, [(0, 1), (1, 2), (2, 1)]);
        background.add(true, [(1, 1), (3, 2)]);
        background.add(false, [(0, 3)]);
    }
    Sdg::build("rain forest", &terms, &background, &SdgSettings::default()).unwrap()
}

fn classifier() -> Classifier {
    let mut reader = Reader::new("words".parse().unwrap(), false);
    let texts = [("nature", "the forest and the wide river"), ("trade", "order at the shop today")];
    let documents = texts.map(|(label, text)| Labelled::text(label, None, text));
    reader.read(&documents).unwrap();
    Classifier::from(train(reader.finish(), TrainSettings::default(), false).unwrap())
}

fn url() -> Url {
    "http://example.org/".parse().unwrap()
}

#[test]
fn a_topic_a_classifier_and_a_graph_share_one_parse() {
    let (topic, graph) = (topic(), graph());
    let models = Models::new()
        .with_topic(&topic, Model::labels(), None)
        .unwrap()
        .with_classifier(classifier())
        .with_senses(Senses::new(&graph).unwrap());
    let (analyzer, senses) = (topic.analyzer().build(), Senses::new(&graph).unwrap());
    let scorer = Scorer::new(&topic, &analyzer, Model::labels(), None).unwrap();
    for (html, class, is_removed) in [(SHOP, "trade", true), (RIVER, "nature", false)] {
        let (url, parse) = (url(), |source| Html::parse(html.as_bytes(), source));
        let reading = models.read(html.as_bytes(), &url, None, &HostTemplate::default());
        // A separate parse for each model.
        let page = parse(Source::at(&url)).analyze(&analyzer);
        let other = parse(Source::at(&url));
        let (judged, removed) = senses.removed(&mut Analyses::of(&other), &page);
        assert_eq!(judged.iter().any(|judgement| judgement.term == "amazon"), is_removed);
        let view = scorer.view(&page).without(&removed);
        assert_eq!(reading.relevance, Some(view.relevance()));
        assert_eq!(reading.links[0].relevance.to_bits(), view.anchor(&page.links[0]).to_bits());
        let classifier = classifier();
        let prediction = classifier
            .predictor(&Classifier::analyzer())
            .predict(&parse(Source::at(&url)).passages);
        let found = reading.class.unwrap();
        assert_eq!(
            (found.name.as_str(), found.name.as_str()),
            (classifier.class(prediction.class), class)
        );
        assert_eq!(found.probability.to_bits(), prediction.posterior.to_bits());
        assert_eq!(reading.title, "Amazon");
    }
}

#[test]
fn judges_of_a_panel_do_not_disturb_each_other() {
    let (topic, graph) = (topic(), graph());
    let settings = |model: Model, has_senses: bool| JudgeSettings {
        model,
        measure: None,
        senses: has_senses.then(|| Senses::new(&graph).unwrap()),
        reads_context: true,
        reads_blocks: true,
        content: ontrail_page::Content::Page,
    };
    let ways = [(Model::labels(), true), (Model::tags(), true), (Model::labels(), false)];
    let mut panel = Panel::new(Some(&topic));
    ways.iter().for_each(|&(model, has_senses)| panel.add(settings(model, has_senses)).unwrap());
    for html in [SHOP, RIVER] {
        let together = panel.read(html.as_bytes(), &url(), None);
        for (place, &(model, has_senses)) in ways.iter().enumerate() {
            let mut alone = Panel::new(Some(&topic));
            alone.add(settings(model, has_senses)).unwrap();
            let alone = alone.read(html.as_bytes(), &url(), None);
            assert_eq!(together.scores[place], alone.scores[0]);
            assert_eq!(together.page, alone.page);
        }
    }
}
