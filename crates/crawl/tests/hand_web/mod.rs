//! A web that is written down: pages with their relevance and links, small enough to follow on paper.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;

use ontrail_crawl::{
    Candidate, Class, Course, Frontier, FrontierLimits, Link, LocalFrontier, Next, Offer, Pilot,
    Reading, Recipe, Score, Taken, canonical,
};
use url::Url;

/// A page: how relevant it is, its class, and where it leads.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandPage {
    pub(crate) relevance: f64,
    pub(crate) class: &'static str,
    pub(crate) links: Vec<HandLink>,
    /// Where it leads instead of being a page.
    pub(crate) moved: Option<String>,
}

/// A link: where it leads, and what it says.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandLink {
    pub(crate) to: String,
    pub(crate) anchor: f64,
    pub(crate) context: f64,
    pub(crate) block: f64,
}

/// Pages by short address, such as `a/1` for `http://a.test/1`.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandWeb(pub(crate) BTreeMap<String, HandPage>);

/// What was fetched: the short address, the rule, P(l), and whether it was only looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) page: String,
    pub(crate) rule: &'static str,
    pub(crate) priority: Option<f64>,
    pub(crate) is_look: bool,
}

fn url(short: &str) -> Url {
    let (host, path) = short.split_once('/').unwrap();
    canonical(format!("http://{host}.test/{path}").parse().unwrap()).unwrap()
}

fn short(url: &Url) -> String {
    format!("{}{}", url.host_str().unwrap().trim_end_matches(".test"), url.path())
}

impl HandWeb {
    /// From lines such as `a/1 0.8: a/2=0.5 b/3=0.1`: a page, its relevance, and its links with R(A).
    pub(crate) fn parse(text: &str) -> Self {
        let mut web = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (head, links) = line.split_once(':').unwrap();
            let (name, relevance) = head.split_once(' ').unwrap();
            let links = links.split_whitespace().map(|link| {
                let (to, anchor) = link.split_once('=').unwrap_or((link, "0"));
                let anchor = anchor.parse().unwrap();
                HandLink { to: to.to_owned(), anchor, context: 0.0, block: 0.0 }
            });
            let relevance = relevance.trim().parse().unwrap();
            let page = HandPage { relevance, class: "topic", links: links.collect(), moved: None };
            web.0.insert(name.to_owned(), page);
        }
        web
    }

    fn page(&self, link: &Link) -> Option<(Reading, Vec<Candidate>)> {
        let page = self.0.get(&short(&link.url)).filter(|page| page.moved.is_none())?;
        let candidates = page.links.iter().map(|found| {
            let parent = Some(link.url.to_string());
            let link = Link { depth: link.depth + 1, parent, ..Link::seed(url(&found.to)) };
            Candidate { link, anchor: found.anchor, context: found.context, block: found.block }
        });
        let reading = Reading {
            title: String::new(),
            charset: "UTF-8",
            language: None,
            robots: ontrail_page::RobotsMeta::default(),
            relevance: Some(page.relevance),
            class: Some(Class { name: page.class.to_owned(), probability: 1.0 }),
            gist: None,
            links: Vec::new(),
        };
        Some((reading, candidates.collect()))
    }
}

/// A crawl of a hand-made web, step by step.
pub(crate) struct HandCrawl<'w> {
    web: &'w HandWeb,
    pub(crate) pilot: Pilot,
    pub(crate) frontier: LocalFrontier,
    /// What became of each link, with the page that it is on.
    pub(crate) verdicts: Vec<(String, String, &'static str)>,
}

impl<'w> HandCrawl<'w> {
    pub(crate) fn new(
        web: &'w HandWeb,
        recipe: &Recipe,
        seeds: &[&str],
        budget: u64,
        seed: u64,
    ) -> Self {
        let frontier = LocalFrontier::in_memory(FrontierLimits::default());
        Self::on(web, recipe, seeds, budget, seed, frontier)
    }

    pub(crate) fn on(
        web: &'w HandWeb,
        recipe: &Recipe,
        seeds: &[&str],
        budget: u64,
        seed: u64,
        mut frontier: LocalFrontier,
    ) -> Self {
        let mut pilot = Pilot::open(recipe, budget, seed, &mut frontier, 0).unwrap();
        for seed in seeds {
            pilot.seed(Link::seed(url(seed)), &mut frontier).unwrap();
        }
        Self { web, pilot, frontier, verdicts: Vec::new() }
    }

    /// Goes on with a crawl.
    pub(crate) fn again(web: &'w HandWeb, pilot: Pilot, frontier: LocalFrontier) -> Self {
        Self { web, pilot, frontier, verdicts: Vec::new() }
    }

    /// One fetch; none if there is nothing left.
    pub(crate) fn step(&mut self) -> Option<Step> {
        let taken = match self.pilot.choose(&mut self.frontier, 0).unwrap() {
            Course::Fetch(taken) => taken,
            Course::Wait(next) => {
                assert_eq!(next, Next::Nothing, "nothing rests offline");
                return None;
            }
        };
        let step = Step {
            page: short(&taken.link.url),
            rule: taken.rule,
            priority: taken.link.score(Score::Priority),
            is_look: taken.is_look,
        };
        self.arrive(*taken, 0);
        Some(step)
    }

    /// What is behind a link came.
    fn arrive(&mut self, taken: Taken, rest: u64) {
        let page = short(&taken.link.url);
        let Self { web, pilot, frontier, verdicts } = self;
        if let Some(to) = web.0.get(&page).and_then(|page| page.moved.as_ref()) {
            let next = Link { url: url(to), ..taken.link.clone() };
            if frontier.offer_in_place(next.clone(), &taken).unwrap() == Offer::Queued {
                pilot.moved(&taken, &next, frontier).unwrap();
            }
        }
        let Some((reading, candidates)) = web.page(&taken.link) else {
            pilot.gone(&taken, frontier).unwrap();
            frontier.finish(&taken, rest).unwrap();
            return;
        };
        let links: Vec<String> = candidates.iter().map(|it| short(&it.link.url)).collect();
        let given = pilot.arrived(&taken, &reading, candidates, frontier).unwrap();
        let told = links.into_iter().zip(given).map(|(link, it)| (page.clone(), link, it.reason));
        verdicts.extend(told);
        if taken.is_look {
            frontier.give_back(taken, rest).unwrap();
        } else {
            frontier.finish(&taken, rest).unwrap();
        }
    }

    /// A crawl with many fetches under way, as on the live web: hosts rest after each, answers come in any order, and some links
    /// must be tried again. Returns what was fetched, in the order in which it came.
    pub(crate) fn run_parallel(
        &mut self,
        slots: usize,
        mut draw: impl FnMut(u64) -> u64,
    ) -> Vec<String> {
        let (mut now, mut came) = (0, Vec::new());
        let mut under_way = Vec::new();
        for _ in 0..100_000 {
            let mut until = None;
            while under_way.len() < slots {
                match self.pilot.choose(&mut self.frontier, now).unwrap() {
                    Course::Fetch(taken) => under_way.push(taken),
                    Course::Wait(Next::Wait(time)) => {
                        assert!(time > now, "it waits for what has been");
                        until = Some(time);
                        break;
                    }
                    Course::Wait(_) => break,
                }
            }
            if under_way.is_empty() {
                match until {
                    Some(time) => now = time,
                    None => return came,
                }
                continue;
            }
            let at = usize::try_from(draw(under_way.len() as u64)).unwrap();
            let taken = under_way.remove(at);
            let rest = now + 1 + draw(30);
            if draw(4) == 0 {
                self.pilot.returned(&taken, &mut self.frontier).unwrap();
                self.frontier.give_back(*taken, rest).unwrap();
                continue;
            }
            came.push(short(&taken.link.url));
            self.arrive(*taken, rest);
        }
        panic!("it does not end");
    }

    /// Everything until the end, at most so many fetches.
    pub(crate) fn run(&mut self, most: usize) -> Vec<Step> {
        std::iter::from_fn(|| self.step()).take(most).collect()
    }
}

/// The recipe of a name, with some settings changed.
pub(crate) fn recipe(name: &str, set: &[&str]) -> Recipe {
    let set: Vec<String> = set.iter().map(ToString::to_string).collect();
    Recipe::parse(Recipe::text(name).unwrap(), &set).unwrap()
}

/// What a recipe fetches of a web, in order, with the rule of each.
pub(crate) fn crawled(web: &HandWeb, recipe: &Recipe, seeds: &[&str]) -> Vec<Step> {
    HandCrawl::new(web, recipe, seeds, 1_000, 0).run(2_000)
}

/// The addresses of steps.
pub(crate) fn order(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| step.page.as_str()).collect()
}
