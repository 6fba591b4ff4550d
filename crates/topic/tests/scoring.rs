//! Scores of pages, compared with values computed separately from the printed formulas.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use ontrail_anchor::{Bm25, PagesMet};
use ontrail_page::{Html, Page, Source};
use ontrail_taxonomy::{Label, MeasureKind, Taxonomy, TaxonomyBuilder};
use ontrail_text::Analyzer;
use ontrail_text::weight::Idf;
use ontrail_topic::{
    Background, Model, Norm, Origin, Scorer, ScorerError, Similarity, Term, Topic, words_as_read,
};

fn topic(terms: &[(&str, f64)]) -> Topic {
    let terms = terms.iter().map(|&(term, weight)| Term::new(term, weight)).collect();
    Topic::new("test", Origin::Keywords, terms).unwrap()
}

fn background(documents: u64, containing: &[(&str, u64)]) -> Background {
    let containing: BTreeMap<String, u64> =
        containing.iter().map(|&(word, n)| (word.to_owned(), n)).collect();
    Background { documents, words: documents * 100, containing }
}

fn read(analyzer: &Analyzer, html: &str) -> Page {
    let url = "http://www.example.org/".parse().unwrap();
    Html::parse(html.as_bytes(), Source::at(&url)).analyze(analyzer)
}

/// Prepares a topic and calls `look` with the scorer and a page.
fn on_page<T>(
    topic: &Topic,
    model: Model,
    html: &str,
    look: impl FnOnce(&Scorer, &Page) -> T,
) -> T {
    let analyzer = topic.analyzer().build();
    let scorer = Scorer::new(topic, &analyzer, model, None).unwrap();
    let page = read(&analyzer, html);
    look(&scorer, &page)
}

fn relevance(topic: &Topic, model: Model, html: &str) -> f64 {
    on_page(topic, model, html, |scorer, page| scorer.view(page).relevance())
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

/// 暴雨 occurs once in group 1, once in 2 and twice in 4: 1/2 · 2 + 1/2 · 1.5 + 1 = 2.75. 洪涝 occurs
/// once in 4 and once in 5: 1.2. 山洪 does not occur.
#[test]
fn eq_3_and_4_of_fcits_oh() {
    let topic = topic(&[("暴雨", 1.0), ("洪涝", 0.5), ("山洪", 0.25)]);
    let html = "<title>暴雨</title><h2>暴雨</h2><p>暴雨 暴雨 洪涝</p><div>洪涝</div>";
    close(relevance(&topic, Model::labels(), html), 0.974_571_228_670_833_9);
    let parts: f64 = on_page(&topic, Model::labels(), html, |scorer, page| {
        let reasons = scorer.view(page).reasons();
        assert_eq!(reasons.iter().map(|it| it.term.as_str()).collect::<Vec<_>>(), ["暴雨", "洪涝"]);
        close(reasons[0].page_weight, 2.75);
        close(reasons[1].page_weight, 1.2);
        reasons.iter().map(|it| it.part).sum()
    });
    close(parts, 0.974_571_228_670_833_9);
}

/// network: three times, its heaviest tag is the title, 3/3 · 5. database: once in a link, 1/3 · 3.
/// software: twice, its heaviest tag is a meta element, 2/3 · 2.
#[test]
fn the_tags_of_gafc() {
    let topic =
        topic(&[("network", 5.0), ("database", 3.0), ("software", 3.0), ("multimedia", 3.0)]);
    let html = "<title>Network</title><meta name=keywords content=software>\
                <p>network, network, software <a href=/db>databases</a>";
    close(relevance(&topic, Model::tags(), html), 0.841_975_698_534_748_1);
}

/// Of ten texts, 2 contain rain, 5 flood and 8 city. The page has rain twice, flood once, city four
/// times, and once a word that no text has. Its length is computed over all of them.
#[test]
fn eq_9_and_17_of_sdvsm() {
    let containing = background(10, &[("rain", 2), ("flood", 5), ("citi", 8)]);
    let topic = topic(&[("rain", 1.0), ("flood", 0.5)]).with_background(Some(containing));
    let html = "<p>rain flood rain city city city city zebra";
    close(relevance(&topic, Model::tf_idf(Similarity::Vsm), html), 0.774_818_511_294_403_3);
    // Over the topic's words only: (w_r + w_f / 2) / (√1.25 · √(w_r² + w_f²)).
    let (rain, flood) = (0.5 * 5.0_f64.ln(), 0.25 * 2.0_f64.ln());
    let expected = (rain + flood / 2.0) / 1.25_f64.sqrt() / rain.hypot(flood);
    let model = Model { norm: Norm::Topic, ..Model::tf_idf(Similarity::Vsm) };
    close(relevance(&topic, model, html), expected);
}

/// Removing a term gives the same relevance as a page that never had it, for links too.
#[test]
fn removed_terms_do_not_count() {
    let containing = background(10, &[("rain", 2), ("flood", 5), ("citi", 8)]);
    let topic = topic(&[("rain", 1.0), ("flood", 0.5)]).with_background(Some(containing));
    let model = Model::tf_idf(Similarity::Vsm);
    let rest = |html: &str, word: &str| {
        on_page(&topic, model, html, |scorer, page| {
            let term = page.vocabulary().get(word).unwrap();
            let view = scorer.view(page).without(&[term]);
            assert!(view.reasons().iter().all(|reason| reason.term != word));
            let links: f64 = page.links.iter().map(|link| view.anchor(link)).sum();
            (view.relevance(), view.features_found(), links)
        })
    };
    let html = "<p>rain flood rain city city city city zebra";
    let (found, features, _) = rest(html, "citi");
    close(found, relevance(&topic, model, "<p>rain flood rain zebra"));
    assert_eq!(features, 2);
    let (found, features, _) = rest(html, "rain");
    close(found, relevance(&topic, model, "<p>flood city city city city zebra"));
    assert_eq!(features, 1);
    let (_, _, links) = rest("<p>flood <a href=/x>rain</a>", "rain");
    close(links, 0.0);
}

/// Three pages have 6, 3 and 3 words; two contain rain, one flood. The first has the link with the
/// anchor text "rain flood", the second with "rain rain".
#[test]
fn eq_5_and_6_of_fcits_oh() {
    let topic = topic(&[("rain", 1.0), ("flood", 0.5)]);
    let analyzer = topic.analyzer().build();
    let scorer = Scorer::new(&topic, &analyzer, Model::labels(), None).unwrap();
    let pages = [
        "<p>city river hill bridge <a href=/x>rain flood</a>",
        "<p>city <a href=/x>rain rain</a>",
        "<p>city river hill",
    ];
    let mut met = PagesMet::new();
    let mut texts = Vec::new();
    for html in pages {
        let page = read(&analyzer, html);
        let view = scorer.view(&page);
        met.add(&view.page_terms());
        texts.extend(page.links.iter().map(|link| view.anchor_text(link)));
    }
    assert_eq!(met.pages(), 3);
    let found = met.relevance(&Bm25::default(), &texts);
    close(found, 0.968_149_228_225_699_4);
    close(met.relevance(&Bm25::default(), &[]), 0.0);
    // Without any page, all words are equally rare and there is no average length: each weight is
    // that of a page of average length, 1 for rain and for flood.
    let alone = PagesMet::new().relevance(&Bm25::default(), &texts[..1]);
    close(alone, 1.5 / 1.25_f64.sqrt() / 2.0_f64.sqrt());
}

/// Terms of anchor texts, contexts and blocks have the weight f · idf (eq. 1 of bcw-cc, as its
/// sections 2.3 and 4.1 say), over the words of the topic.
#[test]
fn links_and_blocks_of_bcw_cc() {
    let containing = background(100, &[("rain", 5), ("flood", 20)]);
    let topic = topic(&[("rain", 1.0), ("flood", 0.5)]).with_background(Some(containing));
    let html =
        "<div>flood flood <p>rain and <a href=/x>rain flood</a> in town</p></div><div>none</div>";
    let (rain, flood) = (20.01_f64.ln(), 5.01_f64.ln());
    let cosine = |r: f64, f: f64| (r + f / 2.0) / 1.25_f64.sqrt() / r.hypot(f);
    on_page(&topic, Model::labels(), html, |scorer, page| {
        let view = scorer.view(page);
        close(view.anchor(&page.links[0]), cosine(rain, flood));
        close(view.context(&page.links[0]), cosine(rain, 0.0));
        close(view.block(&page.blocks[0]), cosine(2.0 * rain, 3.0 * flood));
        close(view.block(&page.blocks[1]), 0.0);
    });
}

/// thing above weather and disaster; weather above rain and storm; disaster above flood. By eq. 5
/// of sdvsm, the similarity of storm and rain is ⅔, of storm and flood ⅓.
fn weather() -> Arc<Taxonomy> {
    let mut builder = TaxonomyBuilder::new();
    let names = ["thing", "weather", "disaster", "rain", "storm", "flood"];
    let ids = names.map(|name| builder.concept(name));
    for (id, name) in ids.into_iter().zip(names) {
        builder.label(id, Label::preferred(name, Some("en")));
    }
    let [thing, weather, disaster, rain, storm, flood] = ids;
    for (child, parent) in
        [(weather, thing), (disaster, thing), (rain, weather), (storm, weather), (flood, disaster)]
    {
        builder.is_a(child, parent);
    }
    Arc::new(builder.finish().unwrap())
}

fn semantic(topic: &Topic, similarity: Similarity) -> (Analyzer, Scorer) {
    let analyzer = topic.analyzer().build();
    let words = words_as_read(MeasureKind::Path.over(weather()), &analyzer);
    let model = Model::tf_idf(similarity);
    let scorer = Scorer::new(topic, &analyzer, model, Some(Arc::new(words))).unwrap();
    (analyzer, scorer)
}

/// A page with storm twice and cat once, and a topic of rain (1) and flood (½). The text weights
/// are 1 and ½, since there is no background.
#[test]
fn eq_18_and_19_of_sdvsm() {
    let topic = topic(&[("rain", 1.0), ("flood", 0.5)]);
    // SSRM: (⅔ + ⅓ · ½) / (1.5 · 1.5). SVSM: ½ / √(5/9 · 17/36).
    for (similarity, expected) in
        [(Similarity::Ssrm, 0.370_370_370_370_370_35), (Similarity::Svsm, 0.976_187_060_183_953_7)]
    {
        let (analyzer, scorer) = semantic(&topic, similarity);
        let page = read(&analyzer, "<p>Storms, storm and a cat");
        let view = scorer.view(&page);
        close(view.relevance(), expected);
        let reasons = view.reasons();
        assert_eq!(reasons.len(), 1, "the cat is like nothing here");
        assert_eq!((reasons[0].term.as_str(), reasons[0].topic_weight), ("storm", 0.0));
        close(reasons[0].part, expected);
        let nearest = reasons[0].nearest.clone().unwrap();
        assert_eq!(nearest.term, "rain");
        assert!((nearest.similarity - 2.0 / 3.0).abs() < 1e-6);
        // No word in common, and no similar meaning.
        close(scorer.view(&read(&analyzer, "<p>cats")).relevance(), 0.0);
    }
    // The topic's words have similarity 1 to themselves, and to each other that of the taxonomy.
    let (analyzer, scorer) = semantic(&topic, Similarity::Ssrm);
    let page = read(&analyzer, "<p>rain");
    close(scorer.view(&page).relevance(), (1.0 + 0.5 / 3.0) / 1.5);
}

#[test]
fn names_of_one_concept_count_as_one() {
    let name = |term: &str, weight| Term {
        concept: Some("x#flood".to_owned()),
        ..Term::new(term, weight)
    };
    let terms =
        vec![name("洪涝", 1.0), name("flood", 1.0), name("水患", 0.5), Term::new("暴雨", 1.0)];
    let topic = Topic::new("rain", Origin::Ontology, terms).unwrap();
    // A page in one language is as relevant as one in both.
    for html in ["<p>暴雨 洪涝", "<p>暴雨 floods", "<p>暴雨 洪涝 flood"] {
        close(relevance(&topic, Model::labels(), html), 1.0);
    }
    // A name with half the weight counts half: once in group 4 with ½ and once in group 5 with 1
    // give ½ · 1.0 + 1 · 0.2.
    on_page(&topic, Model::labels(), "<p>水患</p><div>洪涝</div>", |scorer, page| {
        let reasons = scorer.view(page).reasons();
        assert_eq!((reasons.len(), reasons[0].term.as_str()), (1, "水患"));
        close(reasons[0].page_weight, 0.7);
    });
}

#[test]
fn names_with_the_same_stem_count_as_one() {
    let topic = topic(&[("flood", 1.0), ("floods", 0.4), ("call for papers", 0.5)]);
    on_page(&topic, Model::labels(), "<p>flooding, call for paper", |scorer, page| {
        assert_eq!(scorer.features().len(), 2);
        close(scorer.view(page).relevance(), 1.5 / 1.25_f64.sqrt() / 2.0_f64.sqrt());
    });
}

#[test]
fn empty_pages_and_topics_without_words_are_handled() {
    let topic = topic(&[("rain", 1.0), ("…", 1.0), ("off", 0.0)]);
    for html in ["", "<p></p>", "<title> </title>", "\u{0}", "<p>snow"] {
        for model in [Model::labels(), Model::tags(), Model::tf_idf(Similarity::Vsm)] {
            close(relevance(&topic, model, html), 0.0);
        }
        for similarity in [Similarity::Ssrm, Similarity::Svsm] {
            let (analyzer, scorer) = semantic(&topic, similarity);
            close(scorer.view(&read(&analyzer, html)).relevance(), 0.0);
        }
    }
    on_page(&topic, Model::labels(), "", |scorer, _| assert_eq!(scorer.unread(), ["…"]));
    let wordless = Topic::new("…", Origin::Keywords, vec![Term::new("…", 1.0)]).unwrap();
    let analyzer = wordless.analyzer().build();
    let error = Scorer::new(&wordless, &analyzer, Model::labels(), None).unwrap_err();
    assert_eq!(error, ScorerError::Unreadable("…".to_owned()));
    let semantic = Scorer::new(&topic, &analyzer, Model::tf_idf(Similarity::Svsm), None);
    assert_eq!(semantic.unwrap_err(), ScorerError::NoTaxonomy);
}

#[test]
fn weights_of_any_size_give_the_same_relevance() {
    for size in [1e-300, 1e-200, 1.0, 1e200, 1e300] {
        let topic = topic(&[("rain", 2.0 * size), ("flood", size)]);
        close(relevance(&topic, Model::labels(), "<p>rain flood"), 3.0 / 10.0_f64.sqrt());
        for similarity in [Similarity::Ssrm, Similarity::Svsm] {
            let (analyzer, scorer) = semantic(&topic, similarity);
            let page = read(&analyzer, "<p>rain flood");
            let found = scorer.view(&page).relevance();
            assert!(found > 0.5 && found <= 1.0, "{size}: {found}");
        }
    }
}

#[test]
fn a_link_of_another_page_causes_no_panic() {
    let topic = topic(&[("rain", 1.0)]);
    let analyzer = topic.analyzer().build();
    let scorer = Scorer::new(&topic, &analyzer, Model::labels(), None).unwrap();
    let (long, short) =
        (read(&analyzer, "<p>a b city <a href=/x>town rain</a>"), read(&analyzer, ""));
    close(scorer.view(&short).anchor(&long.links[0]), 0.0);
}

#[test]
fn a_background_of_one_text_causes_no_nan() {
    let one = topic(&[("rain", 1.0)]).with_background(Some(background(1, &[])));
    for idf in [Idf::Plain, Idf::Offset, Idf::Smooth] {
        let model = Model { idf, ..Model::tf_idf(Similarity::Vsm) };
        let found = relevance(&one, model, "<p>rain");
        assert!((0.0..=1.0).contains(&found), "{idf:?}: {found}");
    }
}
