//! Laws that hold for every recipe on every web: no page is fetched twice, every crawl ends, the
//! random seed determines the order, and an interrupted crawl resumes exactly.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod hand_web;

use std::collections::{BTreeMap, BTreeSet};

use hand_web::{
    Engine, HandCrawl, HandPage, HandWeb, ListQueue, Next, Numbers, SEEDS, Step, random_web,
    recipe, recipes,
};
use ontrail_pilot::{Notes, Pilot, Recipe, Rule, Start};

fn run(web: &HandWeb, recipe: &Recipe, seed: u64) -> Vec<Step> {
    HandCrawl::new(web, recipe, &SEEDS, 100, seed).run(10_000)
}

#[test]
fn nothing_is_fetched_twice_and_everything_ends() {
    for seed in 0..6 {
        let web = random_web(60, seed);
        for recipe in recipes() {
            let steps = run(&web, &recipe, seed);
            assert!(steps.len() < 10_000, "{} does not end", recipe.name);
            let mut seen = BTreeSet::new();
            for step in steps.iter().filter(|step| !step.is_look) {
                assert!(seen.insert(&step.page), "{} fetches {} twice", recipe.name, step.page);
                let priority = step.priority.unwrap_or(0.0);
                assert!(priority.is_finite(), "{}: {priority}", recipe.name);
            }
            assert!(!seen.is_empty(), "{} fetches nothing", recipe.name);
        }
    }
}

/// With many fetches under way, crawl delays, answers in any order and retries, still no page is
/// fetched twice, every crawl ends, and no recipe stops while a link is waiting that it would
/// fetch.
#[test]
fn parallel_fetches_also_end_and_repeat_nothing() {
    for seed in 0..4 {
        let web = random_web(60, seed);
        for recipe in recipes().into_iter().filter(|recipe| !recipe.looks()) {
            let alone = run(&web, &recipe, seed).len();
            let mut numbers = Numbers(seed);
            let mut crawl = HandCrawl::new(&web, &recipe, &SEEDS, 100, seed);
            let arrived = crawl.run_parallel(8, |most| numbers.below(most));
            let different: BTreeSet<&String> = arrived.iter().collect();
            assert_eq!(different.len(), arrived.len(), "{} fetches a page twice", recipe.name);
            // The pages reached depend slightly on the order. If there are far fewer, the recipe
            // got stuck.
            assert!(arrived.len() * 2 >= alone, "{}: {} of {alone}", recipe.name, arrived.len());
        }
    }
}

/// A link that was chosen and returned is chosen again by the same rule, once its host is ready.
#[test]
fn a_link_that_was_given_back_is_chosen_again() {
    let web = random_web(60, 1);
    for recipe in recipes() {
        let mut crawl = HandCrawl::new(&web, &recipe, &["h0/0"], 100, 1);
        let Next::Fetch(first) = crawl.engine.next(&mut crawl.pilot, 0) else { panic!() };
        let (url, rule) = (first.link.url.clone(), first.rule);
        crawl.pilot.returned(&first.link.key());
        crawl.engine.give_back(first, 1_000);
        let wait = crawl.engine.next(&mut crawl.pilot, 5);
        assert!(matches!(wait, Next::Wait(1_000)), "{}: {wait:?}", recipe.name);
        let Next::Fetch(again) = crawl.engine.next(&mut crawl.pilot, 1_000) else { panic!() };
        assert_eq!((again.link.url, again.rule), (url, rule), "{}", recipe.name);
    }
}

/// Without thresholds, gates and depth limits every reachable page is fetched in the end.
#[test]
fn a_finite_web_is_fetched_completely() {
    let web = random_web(80, 3);
    let mut reached: BTreeSet<String> = SEEDS.map(str::to_owned).into();
    let mut open: Vec<String> = reached.iter().cloned().collect();
    while let Some(name) = open.pop() {
        let Some(page) = web.0.get(&name) else { continue };
        let links = page.links.iter().map(|link| &link.to).filter(|_| page.moved.is_none());
        for to in links.chain(&page.moved) {
            if reached.insert(to.clone()) {
                open.push(to.clone());
            }
        }
    }
    for name in [
        "ontrail", "bfs", "ops", "vsm", "hits", "fcsa", "fcts", "fcits", "fcoits", "fcits-oh",
        "fcwseo", "olmoaco", "fcpso",
    ] {
        let shipped = Recipe::shipped(name).unwrap();
        let has_least = Recipe::text(name).unwrap().contains("at-least");
        let recipe = if has_least { recipe(name, &["priority.at-least=0.0"]) } else { shipped };
        let fetched: BTreeSet<String> =
            run(&web, &recipe, 1).into_iter().map(|step| step.page).collect();
        assert_eq!(fetched, reached, "{name}");
    }
}

#[test]
fn the_random_seed_determines_the_order() {
    let web = random_web(120, 1);
    let mut differ = BTreeMap::new();
    for recipe in recipes() {
        let first = run(&web, &recipe, 7);
        assert_eq!(first, run(&web, &recipe, 7), "{}", recipe.name);
        *differ.entry(recipe.name.clone()).or_insert(false) |= first != run(&web, &recipe, 8);
    }
    for (name, differs) in differ {
        let draws =
            ["gafc", "fcsa", "fcts", "fcits", "fcoits", "fcits-oh", "fcwseo", "olmoaco", "fcpso"];
        let learns = Recipe::shipped(&name).unwrap().learns_links();
        assert_eq!(differs, learns || draws.contains(&name.as_str()), "{name}");
    }
}

/// Stores the notes of a pilot as a journal does.
fn record(stored: &mut Notes, notes: Notes) {
    if notes.state.is_some() {
        *stored = Notes { state: notes.state, since: Vec::new() };
    }
    stored.since.extend(notes.since);
}

/// A crawl that is interrupted after every few steps continues exactly like one that is not: the
/// snapshots and notes restore the pilot completely, including its random number generator.
#[test]
fn an_interrupted_crawl_resumes_exactly() {
    let web = random_web(60, 2);
    for (number, recipe) in recipes().into_iter().enumerate() {
        let whole = run(&web, &recipe, 5);
        let mut notes = Notes::default();
        let mut steps = Vec::new();
        let pilot = Pilot::resume(&Start::new(&recipe, 100, 5), 0, &notes).unwrap();
        let mut crawl = HandCrawl::begin(&web, pilot, ListQueue::default(), &SEEDS);
        loop {
            let most = 3 + number % 5;
            let some = crawl.run(most);
            let is_over = some.len() < most;
            steps.extend(some);
            // Store a snapshot every third time, otherwise the notes.
            record(&mut notes, crawl.pilot.take_notes(steps.len() % 3 == 0).unwrap());
            let queue = crawl.engine.clone();
            if is_over {
                break;
            }
            // Events after the commit are lost and happen again.
            let forgotten = crawl.run(2);
            let pages = steps.len() as u64;
            let pilot = Pilot::resume(&Start::new(&recipe, 100, 5), pages, &notes).unwrap();
            crawl = HandCrawl::resume(&web, pilot, queue);
            let again = crawl.run(forgotten.len());
            assert_eq!(again, forgotten, "{}", recipe.name);
            steps.extend(again);
        }
        assert_eq!(steps, whole, "{}", recipe.name);
    }
}

/// Every step of ITS obeys its rule: an accepted link is better than the link that the search was
/// at; a link taken by aspiration is better than everything accepted before; a link of the extended
/// neighbourhood shares a page with the previous link.
#[test]
fn every_step_of_improved_tabu_obeys_its_rule() {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..30 {
        let mut web = random_web(200, seed);
        web.0.values_mut().for_each(|page| page.moved = None);
        let recipe = recipe("fcits", &["priority.at-least=0.0", "strategy.tries=3"]);
        let steps = HandCrawl::new(&web, &recipe, &SEEDS, 300, seed).run(10_000);
        let mut best = f64::NEG_INFINITY;
        for pair in steps.windows(2) {
            let [before, now] = pair else { continue };
            let priority = now.priority.unwrap_or(1.0);
            *counts.entry(now.rule.name()).or_default() += 1;
            match now.rule {
                Rule::Accepted => {
                    // Offline, the search that continues is the one that fetched last.
                    assert!(
                        priority > before.priority.unwrap_or(1.0),
                        "seed {seed}: {before:?} {now:?}"
                    );
                    assert!(leads_to(&web, &before.page, &now.page));
                    best = best.max(priority);
                }
                Rule::Aspiration => {
                    assert!(priority > best);
                    best = best.max(priority);
                }
                Rule::ExtendedNeighbourhood => {
                    let is_beside = |page: &HandPage| {
                        let leads = |to: &str| page.links.iter().any(|link| link.to == to);
                        leads(&before.page) && leads(&now.page)
                    };
                    let are_seeds =
                        SEEDS.contains(&before.page.as_str()) && SEEDS.contains(&now.page.as_str());
                    assert!(are_seeds || web.0.values().any(is_beside), "{before:?} {now:?}");
                }
                Rule::Drawn | Rule::Best => {}
                other => panic!("{other} is not a rule of ITS"),
            }
        }
    }
    for rule in ["accepted", "extended-neighbourhood", "drawn", "best"] {
        assert!(counts.get(rule).is_some_and(|count| *count > 10), "{rule}: {counts:?}");
    }
}

fn leads_to(web: &HandWeb, from: &str, to: &str) -> bool {
    web.0.get(from).is_some_and(|page| page.links.iter().any(|link| link.to == to))
}
