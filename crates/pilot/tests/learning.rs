//! The recipe that learns from links, on webs small enough to follow: what it tells about its
//! choices, what it does with barren hosts and with copies, and what it can pass on.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod hand_web;

use std::sync::Arc;

use hand_web::{HandCrawl, HandWeb, ListQueue, Next, Step, order, recipe};
use ontrail_pilot::{Cause, KeptModel, Notes, Pilot, Recipe, Rule, Start};

/// Without chance, so that tests can be followed.
fn calm() -> Recipe {
    recipe("ontrail", &["priority.noise=0.0", "strategy.curiosity=0.0"])
}

fn crawled(web: &HandWeb, recipe: &Recipe, kept: Option<&KeptModel>) -> Vec<Step> {
    crawl_of(web, recipe, kept).run(2_000)
}

fn crawl_of<'w>(
    web: &'w HandWeb,
    recipe: &Recipe,
    kept: Option<&KeptModel>,
) -> HandCrawl<'w, ListQueue> {
    let link_model = kept.map(|kept| Arc::new(kept.clone()));
    let start = Start { link_model, ..Start::new(recipe, 1_000, 0) };
    HandCrawl::begin(web, Pilot::new(&start), ListQueue::default(), &["a/0"])
}

/// A seed with 10 links whose URLs say "bad" and then 10 whose URLs say "rain", all with the same
/// anchor relevance.
fn bad_and_rain() -> HandWeb {
    let names = |kind: &'static str| (1..=10).map(move |number| format!("a/{kind}{number}"));
    let links: Vec<String> =
        names("bad").chain(names("rain")).map(|name| format!("{name}=0.3")).collect();
    let page = |name: String| {
        let relevance = if name.contains("rain") { 0.9 } else { 0.1 };
        format!("{name} {relevance}:\n")
    };
    let pages: String = names("bad").chain(names("rain")).map(page).collect();
    HandWeb::parse(&format!("a/0 0.5: {}\n{pages}", links.join(" ")))
}

/// Before anything was learned, the formula alone decides: E = .25 · .5 + .65 · .3 = .32, and its
/// part is 6 E = 1.92. Later, "rain#" in the URL speaks for a link and "bad#" against one.
#[test]
fn a_choice_is_explained_by_what_was_learned() {
    let web = bad_and_rain();
    let mut crawl = crawl_of(&web, &calm(), None);
    crawl.step();
    let Next::Fetch(task) = hand_web::Engine::next(&mut crawl.engine, &mut crawl.pilot, 0) else {
        panic!()
    };
    let why = crawl.pilot.why(&task.link).unwrap();
    assert_eq!(why.reasons.len(), 1, "{why:?}");
    assert_eq!(why.reasons[0].cause, Cause::Formula);
    assert!((why.reasons[0].effect - 1.92).abs() < 1e-6, "{why:?}");
    assert_eq!((why.in_links, why.orders.len()), (1, 4));
    assert_eq!(why.orders[0].order, Rule::Best);
    crawl.pilot.returned(&task.link.key());
    hand_web::Engine::give_back(&mut crawl.engine, task, 0);
    crawl.run(15);
    let Next::Fetch(task) = hand_web::Engine::next(&mut crawl.engine, &mut crawl.pilot, 0) else {
        panic!()
    };
    assert!(task.link.url.path().contains("bad"), "the good ones are gone");
    let why = crawl.pilot.why(&task.link).unwrap();
    let word = why.reasons.iter().find(|it| it.cause == Cause::UrlWord).unwrap();
    assert_eq!(word.text.as_deref(), Some("bad#"));
    assert!(word.effect < 0.0, "{word:?}");
    let host = why.reasons.iter().find(|it| it.cause == Cause::HostRate);
    assert!(host.is_none_or(|host| host.text.as_deref() == Some("a.test")), "{host:?}");
    let learned = crawl.pilot.learned().unwrap();
    let strongest = |is_for: bool| {
        let words = learned.strongest.iter().filter(|it| it.cause == Cause::UrlWord);
        words
            .filter(|it| (it.weight > 0.0) == is_for)
            .map(|it| it.text.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!((strongest(true), strongest(false)), (vec!["rain#"], vec!["bad#"]));
    assert!(learned.log_loss < learned.log_loss_of_mean, "{learned:?}");
}

/// The seed shows 200 links to pages of one template and 12 links to distinct pages, which look a
/// little worse. After the first of the template, each is nearly a copy of it, and worth half.
#[test]
fn near_copies_do_not_eat_the_budget() {
    let template: Vec<String> = (1..=200).map(|number| format!("c/item{number}")).collect();
    let distinct: Vec<String> = (1..=12).map(|number| format!("d/article{number}")).collect();
    let with = |names: &[String], anchor: f64| -> String {
        names.iter().map(|name| format!(" {name}={anchor}")).collect()
    };
    let pages: String =
        template.iter().chain(&distinct).map(|name| format!("{name} 0.9:\n")).collect();
    let links = with(&template, 0.6) + &with(&distinct, 0.5);
    let mut web = HandWeb::parse(&format!("a/0 0.5:{links}\n{pages}"));
    let until_all = |web: &HandWeb| {
        let steps = crawled(web, &recipe("ontrail", &["strategy.curiosity=0.1"]), None);
        order(&steps).iter().rposition(|page| page.starts_with("d/")).unwrap()
    };
    let unmarked = until_all(&web);
    for name in &template[1..] {
        web.0.get_mut(name).unwrap().is_near_copy = true;
    }
    let marked = until_all(&web);
    assert!(marked <= 60, "the distinct pages took {marked} fetches");
    assert!(unmarked > 2 * marked, "{unmarked} against {marked}");
}

/// Host e looks best and gives 15 relevant pages, then only irrelevant ones. Host r looks worse and
/// is rich throughout.
#[test]
fn a_barren_host_is_left_and_a_rich_one_is_not() {
    let e: Vec<String> = (1..=100).map(|number| format!("e/p{number}")).collect();
    let r: Vec<String> = (1..=60).map(|number| format!("r/q{number}")).collect();
    let with = |names: &[String], anchor: f64| -> String {
        names.iter().map(|name| format!(" {name}={anchor}")).collect()
    };
    let of_e = e.iter().enumerate().map(|(at, name)| {
        let relevance = if at < 15 { 0.9 } else { 0.05 };
        format!("{name} {relevance}:\n")
    });
    let of_r = r.iter().map(|name| format!("{name} 0.8:\n"));
    let pages: String = of_e.chain(of_r).collect();
    let web = HandWeb::parse(&format!("a/0 0.5:{}{}\n{pages}", with(&e, 0.5), with(&r, 0.35)));
    let steps = crawled(&web, &calm(), None);
    let fetched = order(&steps);
    let barren = fetched.iter().position(|page| *page == "e/p16").unwrap();
    let next = &fetched[barren..barren + 70];
    let wasted = next.iter().filter(|page| page.starts_with("e/")).count();
    assert!(wasted <= 15, "{wasted} pages of the barren host: {next:?}");
    // Once it has begun, the rich host is not left until it is used up.
    let first = fetched.iter().position(|page| page.starts_with("r/")).unwrap();
    let last = fetched.iter().rposition(|page| page.starts_with("r/")).unwrap();
    assert!(last - first <= 75, "the 60 rich pages took {} fetches", last - first + 1);
}

/// The model of one crawl decides the first choice of the next.
#[test]
fn what_was_learned_begins_another_crawl() {
    let web = bad_and_rain();
    let recipe = calm();
    let mut first = crawl_of(&web, &recipe, None);
    assert_eq!(order(&first.run(2_000))[1], "a/bad1");
    let kept = first.pilot.kept_model().unwrap();
    assert_eq!(kept.check(18), Ok(()));
    let next = crawled(&web, &recipe, Some(&kept));
    assert!(order(&next)[1..11].iter().all(|page| page.contains("rain")), "{:?}", order(&next));
}

/// A crawl that began with a model, and was interrupted before and after a snapshot, goes on as if
/// it had not been.
#[test]
fn a_crawl_that_began_with_a_model_resumes_exactly() {
    let web = bad_and_rain();
    let recipe = recipe("ontrail", &[]);
    let mut first = crawl_of(&web, &recipe, None);
    first.run(12);
    let kept = Arc::new(first.pilot.kept_model().unwrap());
    let start = || Start { link_model: Some(Arc::clone(&kept)), ..Start::new(&recipe, 1_000, 3) };
    let fresh = |notes: &Notes, pages| Pilot::resume(&start(), pages, notes).unwrap();
    let pilot = fresh(&Notes::default(), 0);
    let whole = HandCrawl::begin(&web, pilot, ListQueue::default(), &["a/0"]).run(100);
    for is_whole in [false, true] {
        let pilot = fresh(&Notes::default(), 0);
        let mut crawl = HandCrawl::begin(&web, pilot, ListQueue::default(), &["a/0"]);
        let mut steps = crawl.run(7);
        let notes = crawl.pilot.take_notes(is_whole).unwrap();
        assert_eq!(notes.state.is_some(), is_whole);
        let pilot = fresh(&notes, 7);
        assert_eq!(pilot.kept_model(), crawl.pilot.kept_model());
        steps.extend(HandCrawl::resume(&web, pilot, crawl.engine).run(100));
        assert_eq!(steps, whole);
    }
}

/// With more than 20,000 links waiting, not all are scored again at a time. Those that come up are:
/// the links "worse" look a little better at first, and after the first page none of them keeps
/// its place.
#[test]
fn links_are_scored_again_when_they_come_up() {
    let worse: Vec<String> = (1..=30).map(|number| format!("a/worse{number}")).collect();
    let plain: Vec<String> = (1..=20_050).map(|number| format!("a/plain{number}")).collect();
    let with = |names: &[String], anchor: f64| -> String {
        names.iter().map(|name| format!(" {name}={anchor}")).collect()
    };
    let of_worse = worse.iter().map(|name| format!("{name} 0.0:\n"));
    let of_plain = plain.iter().map(|name| format!("{name} 0.9:\n"));
    let pages: String = of_worse.chain(of_plain).collect();
    let web =
        HandWeb::parse(&format!("a/0 0.5:{}{}\n{pages}", with(&worse, 0.31), with(&plain, 0.3)));
    let steps = crawl_of(&web, &calm(), None).run(32);
    let fetched = order(&steps);
    assert_eq!(fetched[1], "a/worse1");
    let again = fetched[2..].iter().filter(|page| page.starts_with("a/worse")).count();
    assert!(again <= 3, "{again}: {fetched:?}");
}
