//! Pilots with the frontier of a real crawl: every recipe takes the same steps as with a plain
//! list, and a crawl on disk that was interrupted continues as if it had not been.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

#[path = "../../pilot/tests/hand_web/mod.rs"]
mod hand_web;

use std::collections::BTreeSet;

use hand_web::{Engine, HandCrawl, Next, Numbers, SEEDS, Task, random_web, recipes};
use ontrail_crawl::{
    Checkpoint, Course, Frontier, FrontierLimits, Idle, Journal, Lease, LocalState, begin,
    next_task, take_up,
};
use ontrail_pilot::{Candidate, Judgement, Link, LinkVerdict, Offer, Pilot, Start};

/// The frontier of a crawl, driven by the functions that crawls use.
struct CrawlEngine(LocalState);

impl CrawlEngine {
    fn in_memory() -> Self {
        Self(LocalState::in_memory(FrontierLimits::default()))
    }

    fn task(task: &Task<Lease>) -> ontrail_crawl::Task {
        ontrail_crawl::Task {
            lease: task.held.clone(),
            rule: task.rule,
            is_look: task.is_look,
            why: None,
        }
    }
}

impl Engine for CrawlEngine {
    type Held = Lease;

    fn begin(&mut self, pilot: &mut Pilot, seeds: Vec<Link>) {
        begin(pilot, &mut self.0, seeds).unwrap();
    }

    fn next(&mut self, pilot: &mut Pilot, now: u64) -> Next<Lease> {
        match next_task(pilot, &mut self.0, now).unwrap() {
            Course::Fetch(task) => {
                let ontrail_crawl::Task { lease, rule, is_look, .. } = *task;
                Next::Fetch(Task { link: lease.link.clone(), rule, is_look, held: lease })
            }
            Course::Wait(Idle::Until(time)) => Next::Wait(time),
            Course::Wait(Idle::Busy) => Next::Busy,
            Course::Wait(Idle::Empty) => Next::Nothing,
        }
    }

    fn take_up(
        &mut self,
        pilot: &mut Pilot,
        task: &Task<Lease>,
        page: &Judgement<'_>,
        candidates: Vec<Candidate>,
    ) -> Vec<LinkVerdict> {
        take_up(pilot, &mut self.0, &Self::task(task), page, candidates).unwrap().0
    }

    fn redirect(&mut self, task: &Task<Lease>, to: Link) -> Offer {
        self.0.offer_in_place(to, &task.held).unwrap()
    }

    fn finish(&mut self, task: &Task<Lease>, ready_at: u64) {
        self.0.finish(&task.held, ready_at, true).unwrap();
    }

    fn give_back(&mut self, task: Task<Lease>, ready_at: u64) {
        self.0.give_back(task.held, ready_at).unwrap();
    }
}

#[test]
fn the_frontier_behaves_like_a_plain_list() {
    for seed in 0..4 {
        let web = random_web(60, seed);
        for recipe in recipes() {
            let plain = HandCrawl::new(&web, &recipe, &SEEDS, 100, seed).run(10_000);
            let pilot = Pilot::new(&Start::new(&recipe, 100, seed));
            let mut crawl = HandCrawl::begin(&web, pilot, CrawlEngine::in_memory(), &SEEDS);
            assert_eq!(crawl.run(10_000), plain, "{}", recipe.name);
        }
    }
}

/// With many simultaneous fetches, crawl delays, responses in any order, and retries, the two still
/// agree, and nothing is fetched twice.
#[test]
fn the_frontier_behaves_like_a_plain_list_with_many_simultaneous_fetches() {
    for seed in 0..4 {
        let web = random_web(60, seed);
        for recipe in recipes().into_iter().filter(|recipe| !recipe.looks()) {
            let (mut one, mut other) = (Numbers(seed), Numbers(seed));
            let plain = HandCrawl::new(&web, &recipe, &SEEDS, 100, seed)
                .run_parallel(8, |most| one.below(most));
            let pilot = Pilot::new(&Start::new(&recipe, 100, seed));
            let mut crawl = HandCrawl::begin(&web, pilot, CrawlEngine::in_memory(), &SEEDS);
            let fetched = crawl.run_parallel(8, |most| other.below(most));
            assert_eq!(fetched, plain, "{}", recipe.name);
            let different: BTreeSet<&String> = fetched.iter().collect();
            assert_eq!(different.len(), fetched.len(), "{} fetches a URL twice", recipe.name);
        }
    }
}

/// A crawl on disk that is closed and resumed every few steps takes the same steps as one that is
/// not.
#[test]
fn an_interrupted_crawl_continues_as_if_it_had_not_been() {
    let web = random_web(60, 2);
    for (number, recipe) in recipes().into_iter().enumerate() {
        let whole = HandCrawl::new(&web, &recipe, &SEEDS, 100, 5).run(10_000);
        let folder = tempfile::tempdir().unwrap();
        let open = || LocalState::on_disk(folder.path(), FrontierLimits::default()).unwrap();
        let resume = |state: &LocalState, pages| {
            Pilot::resume(&Start::new(&recipe, 100, 5), pages, &state.recorded().unwrap()).unwrap()
        };
        let mut steps = Vec::new();
        let state = open();
        let pilot = resume(&state, 0);
        let mut crawl = HandCrawl::begin(&web, pilot, CrawlEngine(state), &SEEDS);
        loop {
            let most = 3 + number % 5;
            let some = crawl.run(most);
            let is_over = some.len() < most;
            steps.extend(some);
            // Stores the whole state now and then, and the notes otherwise.
            let notes = crawl.pilot.take_notes(steps.len() % 3 == 0).unwrap();
            crawl.engine.0.record(notes).unwrap();
            crawl.engine.0.commit(Vec::new()).unwrap();
            if is_over {
                break;
            }
            // Steps after the commit are lost, and must be repeated exactly.
            let lost = crawl.run(2);
            drop(crawl);
            let state = open();
            let pilot = resume(&state, steps.len() as u64);
            crawl = HandCrawl::resume(&web, pilot, CrawlEngine(state));
            let again = crawl.run(lost.len());
            assert_eq!(again, lost, "{}", recipe.name);
            steps.extend(again);
        }
        assert_eq!(steps, whole, "{}", recipe.name);
    }
}
