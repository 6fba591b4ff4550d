//! A web written by hand: pages with their relevance and links, small enough to follow on paper.

#![allow(dead_code, reason = "each test file uses a part of it")]

mod list_queue;
mod part_queue;

use std::collections::BTreeMap;

pub(crate) use list_queue::ListQueue;
use ontrail_pilot::{
    AnchorTerm, Candidate, Judgement, Link, LinkClues, LinkVerdict, Offer, PageFacts, PageTerms,
    Pilot, Recipe, Rule, Score, Signals, Start,
};
#[allow(unused_imports, reason = "each test file uses a part of it")]
pub(crate) use part_queue::PartQueue;
use url::Url;

/// Drives a pilot: a queue, and the protocol between the two.
pub(crate) trait Engine {
    /// The queue's record of a task.
    type Held;

    fn begin(&mut self, pilot: &mut Pilot, seeds: Vec<Link>);
    fn next(&mut self, pilot: &mut Pilot, now: u64) -> Next<Self::Held>;
    fn take_up(
        &mut self,
        pilot: &mut Pilot,
        task: &Task<Self::Held>,
        page: &Judgement<'_>,
        candidates: Vec<Candidate>,
    ) -> Vec<LinkVerdict>;
    fn redirect(&mut self, task: &Task<Self::Held>, to: Link) -> Offer;
    fn finish(&mut self, task: &Task<Self::Held>, ready_at: u64);
    fn give_back(&mut self, task: Task<Self::Held>, ready_at: u64);
}

/// A link to fetch.
#[derive(Debug)]
pub(crate) struct Task<H> {
    pub(crate) link: Link,
    pub(crate) rule: Rule,
    pub(crate) is_look: bool,
    pub(crate) held: H,
}

/// The answer to a request for a link.
#[derive(Debug)]
pub(crate) enum Next<H> {
    Fetch(Task<H>),
    Wait(u64),
    Busy,
    Nothing,
}

/// A page: its relevance, its class and its links.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandPage {
    pub(crate) relevance: f64,
    pub(crate) class: &'static str,
    /// The topic's terms on the page. If they are unknown, R(A) of its links counts as it is given,
    /// whatever the recipe.
    pub(crate) terms: Option<PageTerms>,
    pub(crate) links: Vec<HandLink>,
    /// The target, if the page is a redirect.
    pub(crate) moved: Option<String>,
    /// True if the page is a copy, or nearly a copy, of one that was fetched before.
    pub(crate) is_near_copy: bool,
}

/// A link: its target and the relevance of its texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandLink {
    pub(crate) to: String,
    pub(crate) anchor: f64,
    pub(crate) context: f64,
    pub(crate) block: f64,
    /// The topic's terms in the anchor text.
    pub(crate) terms: Vec<AnchorTerm>,
}

/// Pages by short URL, such as `a/1` for `http://a.test/1`.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandWeb(pub(crate) BTreeMap<String, HandPage>);

/// A fetch: the short URL, the rule, P(l), and whether it was only a lookahead.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) page: String,
    pub(crate) rule: Rule,
    pub(crate) priority: Option<f64>,
    pub(crate) is_look: bool,
}

fn url(short: &str) -> Url {
    let (host, path) = short.split_once('/').unwrap();
    format!("http://{host}.test/{path}").parse().unwrap()
}

fn short(url: &Url) -> String {
    format!("{}{}", url.host_str().unwrap().trim_end_matches(".test"), url.path())
}

impl HandWeb {
    /// Parses lines such as `a/1 0.8: a/2=0.5 b/3=0.1`: a page, its relevance, and its links with
    /// R(A).
    pub(crate) fn parse(text: &str) -> Self {
        let mut web = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (head, links) = line.split_once(':').unwrap();
            let (name, relevance) = head.split_once(' ').unwrap();
            let links = links.split_whitespace().map(|link| {
                let (to, anchor) = link.split_once('=').unwrap_or((link, "0"));
                let anchor = anchor.parse().unwrap();
                HandLink { to: to.to_owned(), anchor, ..HandLink::default() }
            });
            let relevance = relevance.trim().parse().unwrap();
            let links = links.collect();
            let page = HandPage { relevance, class: "topic", links, ..HandPage::default() };
            web.0.insert(name.to_owned(), page);
        }
        web
    }

    fn page(&self, link: &Link) -> Option<(&HandPage, Vec<Candidate>)> {
        let page = self.0.get(&short(&link.url)).filter(|page| page.moved.is_none())?;
        let candidates = page.links.iter().map(|found| {
            let parent = Some(link.url.to_string());
            let link = Link { depth: link.depth + 1, parent, ..Link::seed(url(&found.to)) };
            let HandLink { anchor, context, block, .. } = *found;
            let signals = Signals { anchor, context, block, probability: None };
            let (terms, clues) = (found.terms.clone(), LinkClues::default());
            Candidate { link, signals, terms, clues, is_elsewhere: false }
        });
        Some((page, candidates.collect()))
    }
}

/// A crawl of a hand-made web, step by step.
pub(crate) struct HandCrawl<'w, E> {
    web: &'w HandWeb,
    pub(crate) pilot: Pilot,
    pub(crate) engine: E,
    /// The page, the link and the verdict's name, for each link of each page.
    pub(crate) verdicts: Vec<(String, String, &'static str)>,
}

impl<'w> HandCrawl<'w, ListQueue> {
    pub(crate) fn new(
        web: &'w HandWeb,
        recipe: &Recipe,
        seeds: &[&str],
        budget: u64,
        seed: u64,
    ) -> Self {
        let pilot = Pilot::new(&Start::new(recipe, budget, seed));
        Self::begin(web, pilot, ListQueue::default(), seeds)
    }
}

impl<'w, E: Engine> HandCrawl<'w, E> {
    /// Starts a crawl.
    pub(crate) fn begin(web: &'w HandWeb, mut pilot: Pilot, mut engine: E, seeds: &[&str]) -> Self {
        let seeds = seeds.iter().map(|seed| Link::seed(url(seed))).collect();
        engine.begin(&mut pilot, seeds);
        Self::resume(web, pilot, engine)
    }

    /// Resumes a crawl.
    pub(crate) fn resume(web: &'w HandWeb, pilot: Pilot, engine: E) -> Self {
        Self { web, pilot, engine, verdicts: Vec::new() }
    }

    /// Makes one fetch. Returns none if nothing is left.
    pub(crate) fn step(&mut self) -> Option<Step> {
        let task = match self.engine.next(&mut self.pilot, 0) {
            Next::Fetch(task) => task,
            Next::Nothing => return None,
            Next::Wait(_) | Next::Busy => panic!("there is no crawl delay offline"),
        };
        let step = Step {
            page: short(&task.link.url),
            rule: task.rule,
            priority: task.link.score(Score::Priority),
            is_look: task.is_look,
        };
        self.arrive(task, 0);
        Some(step)
    }

    /// Handles the result of a fetch.
    fn arrive(&mut self, task: Task<E::Held>, ready_at: u64) {
        let name = short(&task.link.url);
        let Self { web, pilot, engine, verdicts } = self;
        if let Some(to) = web.0.get(&name).and_then(|page| page.moved.as_ref()) {
            let next = Link { url: url(to), ..task.link.clone() };
            if engine.redirect(&task, next.clone()) == Offer::Queued {
                pilot.moved(&task.link.key(), &next);
            }
        }
        let Some((page, candidates)) = web.page(&task.link) else {
            pilot.gone(&task.link.key());
            engine.finish(&task, ready_at);
            return;
        };
        let links: Vec<String> = candidates.iter().map(|it| short(&it.link.url)).collect();
        let facts = PageFacts {
            relevance: Some(page.relevance),
            judged: Some(page.relevance),
            class: Some(page.class),
            terms: page.terms.as_ref(),
            names: &[],
        };
        let judgement = pilot.judge(&facts, task.is_look);
        let judgement = judgement.among_copies(false, page.is_near_copy);
        let given = engine.take_up(pilot, &task, &judgement, candidates);
        let told = links.into_iter().zip(given);
        verdicts.extend(told.map(|(link, it)| (name.clone(), link, it.verdict.name())));
        if task.is_look {
            engine.give_back(task, ready_at);
        } else {
            engine.finish(&task, ready_at);
        }
    }

    /// Crawls with many fetches under way, as on the live web: each fetch is followed by a crawl
    /// delay, answers arrive in any order, and some links must be retried. Returns the fetched
    /// pages in the order of their arrival.
    pub(crate) fn run_parallel(
        &mut self,
        slots: usize,
        mut draw: impl FnMut(u64) -> u64,
    ) -> Vec<String> {
        let (mut now, mut arrived) = (0, Vec::new());
        let mut under_way = Vec::new();
        for _ in 0..100_000 {
            let mut until = None;
            while under_way.len() < slots {
                match self.engine.next(&mut self.pilot, now) {
                    Next::Fetch(task) => under_way.push(task),
                    Next::Wait(time) => {
                        assert!(time > now, "it waits for a time in the past");
                        until = Some(time);
                        break;
                    }
                    Next::Busy | Next::Nothing => break,
                }
            }
            if under_way.is_empty() {
                match until {
                    Some(time) => now = time,
                    None => return arrived,
                }
                continue;
            }
            let at = usize::try_from(draw(under_way.len() as u64)).unwrap();
            let task = under_way.remove(at);
            let ready_at = now + 1 + draw(30);
            if draw(4) == 0 {
                self.pilot.returned(&task.link.key());
                self.engine.give_back(task, ready_at);
                continue;
            }
            arrived.push(short(&task.link.url));
            self.arrive(task, ready_at);
        }
        panic!("the crawl does not end");
    }

    /// Crawls to the end, or until `most` fetches are made.
    pub(crate) fn run(&mut self, most: usize) -> Vec<Step> {
        std::iter::from_fn(|| self.step()).take(most).collect()
    }
}

/// A small pseudo-random number generator.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn share(&mut self) -> f64 {
        self.below(101) as f64 / 100.0
    }

    /// Returns up to two of the four terms of a topic whose vector has the length 1.
    fn terms(&mut self) -> Vec<AnchorTerm> {
        let weights = [0.7, 0.5, 0.5, 0.1];
        let mut terms = Vec::new();
        for (feature, weight) in (0..).zip(weights) {
            if terms.len() < 2 && self.below(3) == 0 {
                terms.push(AnchorTerm { feature, count: 1.0 + self.below(2) as f64, weight });
            }
        }
        terms
    }
}

/// Returns a shipped recipe with the numbers of its paper and some settings changed.
pub(crate) fn recipe(name: &str, set: &[&str]) -> Recipe {
    let set: Vec<String> = set.iter().map(ToString::to_string).collect();
    Recipe::find_as_printed(name, &set).unwrap()
}

/// Returns the fetches of a recipe on a web, in order.
pub(crate) fn crawled(web: &HandWeb, recipe: &Recipe, seeds: &[&str]) -> Vec<Step> {
    HandCrawl::new(web, recipe, seeds, 1_000, 0).run(2_000)
}

/// Returns the short URLs of steps.
pub(crate) fn order(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| step.page.as_str()).collect()
}

/// Returns a web of `pages` pages on a few hosts. Some links lead nowhere.
pub(crate) fn random_web(pages: u64, seed: u64) -> HandWeb {
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
                terms: numbers.terms(),
            })
            .collect();
        let class = if numbers.below(4) == 0 { "other" } else { "topic" };
        // Every tenth URL redirects to another one.
        let moved = (number % 10 == 9).then(|| name(numbers.below(pages)));
        let relevance = numbers.share();
        let features = (0..4).filter(|_| numbers.below(3) == 0).collect();
        let terms = Some(PageTerms { words: 20 + numbers.below(200), features });
        web.0.insert(
            name(number),
            HandPage { relevance, class, terms, links, moved, is_near_copy: false },
        );
    }
    web
}

/// The seeds of crawls of random webs.
pub(crate) const SEEDS: [&str; 3] = ["h0/0", "h1/1", "h1/6"];

/// Returns all shipped recipes, completed where necessary, and some variants.
pub(crate) fn recipes() -> Vec<Recipe> {
    let of_class = |mut recipe: Recipe| {
        recipe.set_class("topic");
        recipe
    };
    let named = Recipe::names().map(|name| of_class(recipe(name, &[])));
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
    // The same recipes as they ship, with computed thresholds.
    let shipped = Recipe::names().map(|name| of_class(Recipe::shipped(name).unwrap()));
    let together = recipe("vsm", &["similarity.anchor=bm25"]);
    let variants = [small_hosts, prefetch, literal, shrinking, niches, bcw, together];
    named.chain(shipped).chain(oracles).chain(variants).collect()
}
