//! What must hold of every recipe on every web: nothing is fetched twice, everything ends, the same seed gives the same
//! order, and a crawl that broke off goes on as if it had not.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod hand_web;

use std::collections::{BTreeMap, BTreeSet};

use hand_web::{HandCrawl, HandLink, HandPage, HandWeb, Step, recipe};
use ontrail_crawl::{Course, Frontier, FrontierLimits, LocalFrontier, Next, Pilot, Recipe};

/// A small source of numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn share(&mut self) -> f64 {
        self.below(101) as f64 / 100.0
    }
}

/// A web of so many pages on a few hosts. Some links lead nowhere.
fn random_web(pages: u64, seed: u64) -> HandWeb {
    let mut numbers = Numbers(seed);
    let name = |number: u64| format!("h{}/{number}", number % 5);
    let mut web = HandWeb::default();
    for number in 0..pages {
        let count = numbers.below(9);
        let links = (0..count)
            .map(|_| HandLink {
                to: name(numbers.below(pages + 3)),
                anchor: numbers.share(),
                context: numbers.share(),
                block: numbers.share(),
            })
            .collect();
        let class = if numbers.below(4) == 0 { "other" } else { "topic" };
        // Every tenth address leads to another one.
        let moved = (number % 10 == 9).then(|| name(numbers.below(pages)));
        web.0.insert(name(number), HandPage { relevance: numbers.share(), class, links, moved });
    }
    web
}

const SEEDS: [&str; 3] = ["h0/0", "h1/1", "h1/6"];

/// Every recipe, complete.
fn recipes() -> Vec<Recipe> {
    let named = Recipe::names().map(|name| {
        let is_bcw = Recipe::shipped(name).unwrap().class().is_some();
        recipe(name, if is_bcw { &["gate.class=topic"] } else { &[] })
    });
    let oracles = ["fcits-oh", "fcts"].map(|name| recipe(name, &["strategy.lookahead=oracle"]));
    let small_hosts = recipe(
        "fcits-oh",
        &["hosts.pages=2", "hosts.most-pages=4", "hosts.rejections=3", "priority.at-least=0.4"],
    );
    let prefetch = recipe("fcsa", &["priority.prefetch=true", "strategy.refusals=5"]);
    let literal = recipe("fcoits", &["priority.pagerank.form=literal"]);
    let shrinking = recipe("fcwseo", &["strategy.growth=0.98"]);
    let niches = recipe(
        "gafc",
        &["strategy.hub-links=3", "strategy.knock-out=0.3", "strategy.directories=1"],
    );
    let bcw =
        recipe("bcw-cc", &["gate.class=topic", "gate.tunnel-off-class=true", "threshold=0.3"]);
    named.chain(oracles).chain([small_hosts, prefetch, literal, shrinking, niches, bcw]).collect()
}

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
                assert!(seen.insert(&step.page), "{}: {} twice", recipe.name, step.page);
                assert!(!step.rule.is_empty(), "{}: no rule", recipe.name);
                let priority = step.priority.unwrap_or(0.0);
                assert!(priority.is_finite(), "{}: {priority}", recipe.name);
            }
            assert!(!seen.is_empty(), "{} fetches nothing", recipe.name);
        }
    }
}

/// The same with many fetches under way, hosts that rest, answers in any order, and links that are tried again: nothing is
/// fetched twice, it ends, and no recipe stops while something waits that it would fetch.
#[test]
fn many_fetches_under_way_change_nothing_of_that() {
    for seed in 0..4 {
        let web = random_web(60, seed);
        for recipe in recipes().into_iter().filter(|recipe| !recipe.looks()) {
            let alone = run(&web, &recipe, seed).len();
            let mut numbers = Numbers(seed);
            let mut crawl = HandCrawl::new(&web, &recipe, &SEEDS, 100, seed);
            let came = crawl.run_parallel(8, |most| numbers.below(most));
            let different: BTreeSet<&String> = came.iter().collect();
            assert_eq!(different.len(), came.len(), "{} fetches something twice", recipe.name);
            // What is reached depends on the order a little; that it is much less would mean that it got stuck.
            assert!(came.len() * 2 >= alone, "{}: {} of {alone}", recipe.name, came.len());
        }
    }
}

/// A link that was chosen and given back is waited for, and chosen again by the same rule.
#[test]
fn a_link_that_was_given_back_is_chosen_again() {
    let web = random_web(60, 1);
    for recipe in recipes() {
        let mut crawl = HandCrawl::new(&web, &recipe, &["h0/0"], 100, 1);
        let Course::Fetch(first) = crawl.pilot.choose(&mut crawl.frontier, 0).unwrap() else {
            panic!()
        };
        let (url, rule) = (first.link.url.clone(), first.rule);
        crawl.pilot.returned(&first, &mut crawl.frontier).unwrap();
        crawl.frontier.give_back(*first, 1_000).unwrap();
        let wait = crawl.pilot.choose(&mut crawl.frontier, 5).unwrap();
        assert_eq!(wait, Course::Wait(Next::Wait(1_000)), "{}", recipe.name);
        let Course::Fetch(again) = crawl.pilot.choose(&mut crawl.frontier, 1_000).unwrap() else {
            panic!()
        };
        assert_eq!((again.link.url, again.rule), (url, rule), "{}", recipe.name);
    }
}

/// Without thresholds, gates and depths everything that can be reached is fetched in the end.
#[test]
fn a_finite_web_is_fetched_whole() {
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
fn the_same_seed_gives_the_same_order_and_another_another() {
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
        assert_eq!(differs, draws.contains(&name.as_str()), "{name}");
    }
}

/// A crawl on disk that is closed after every few steps goes on exactly as one that is not: the notes and the states
/// in between bring the pilot back to where it was, dice included.
#[test]
fn a_crawl_that_broke_off_goes_on_as_if_it_had_not() {
    let web = random_web(60, 2);
    for (number, recipe) in recipes().into_iter().enumerate() {
        let whole = run(&web, &recipe, 5);
        let folder = tempfile::tempdir().unwrap();
        let open = || LocalFrontier::on_disk(folder.path(), FrontierLimits::default()).unwrap();
        let mut steps = Vec::new();
        let mut crawl = HandCrawl::on(&web, &recipe, &SEEDS, 100, 5, open());
        loop {
            let most = 3 + number % 5;
            let some = crawl.run(most);
            let is_over = some.len() < most;
            steps.extend(some);
            // Now and then the whole state, else the notes.
            if steps.len() % 3 == 0 {
                crawl.pilot.keep_whole(&mut crawl.frontier).unwrap();
            }
            crawl.frontier.commit(Vec::new()).unwrap();
            if is_over {
                break;
            }
            // What happens after the commit is forgotten, and happens again.
            let forgotten = crawl.run(2);
            drop(crawl);
            let mut frontier = open();
            let pages = steps.len() as u64;
            let pilot = Pilot::open(&recipe, 100, 5, &mut frontier, pages).unwrap();
            crawl = HandCrawl::again(&web, pilot, frontier);
            let again = crawl.run(forgotten.len());
            assert_eq!(again, forgotten, "{}", recipe.name);
            steps.extend(again);
        }
        assert_eq!(steps, whole, "{}", recipe.name);
    }
}

/// Every step of ITS obeys its rule: what is accepted is better than the link that the search was at; what is taken by
/// aspiration is better than everything accepted before; the extended neighbourhood is around the link before.
#[test]
fn every_accepted_step_of_its_obeys_its_rule() {
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
            *counts.entry(now.rule).or_default() += 1;
            match now.rule {
                "accepted" => {
                    // Offline the search that goes on is the one that fetched last.
                    assert!(
                        priority > before.priority.unwrap_or(1.0),
                        "seed {seed}: {before:?} {now:?}"
                    );
                    assert!(leads_to(&web, &before.page, &now.page));
                    best = best.max(priority);
                }
                "aspiration" => {
                    assert!(priority > best);
                    best = best.max(priority);
                }
                "extended-neighbourhood" => {
                    let is_beside = |page: &HandPage| {
                        let leads = |to: &str| page.links.iter().any(|link| link.to == to);
                        leads(&before.page) && leads(&now.page)
                    };
                    let are_seeds =
                        SEEDS.contains(&before.page.as_str()) && SEEDS.contains(&now.page.as_str());
                    assert!(are_seeds || web.0.values().any(is_beside), "{before:?} {now:?}");
                }
                "drawn" | "best" => {}
                other => panic!("{other} is no rule of ITS"),
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
