//! Laws of crawls that several workers share, each with a pilot and a queue of its own.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod hand_web;

use std::collections::BTreeSet;

use hand_web::{HandCrawl, HandWeb, Numbers, PartQueue, SEEDS, Step, random_web, recipe, recipes};
use ontrail_pilot::{Notes, Pilot, RankedLink, Recipe, SentLink, Start};

/// The hosts of random webs.
const HOSTS: [&str; 5] = ["h0.test", "h1.test", "h2.test", "h3.test", "h4.test"];
/// The greatest number of rounds of a crawl.
const ROUNDS: usize = 10_000;

/// A crawl that several workers share. All of them take a step in each round.
struct Shared<'w> {
    web: &'w HandWeb,
    recipe: Recipe,
    workers: Vec<HandCrawl<'w, PartQueue>>,
    notes: Vec<Notes>,
    /// The number of pages of each worker.
    pages: Vec<u64>,
    /// The steps of all workers.
    steps: Vec<Step>,
    /// The queues as of the last commits.
    committed: Vec<PartQueue>,
    /// What workers have received since then.
    inboxes: Vec<Inbox>,
}

/// Links that a worker has received: those that a page tells of, and others.
type Inbox = (Vec<SentLink>, Vec<RankedLink>);

impl<'w> Shared<'w> {
    /// Begins a crawl. Each worker has the hosts that `of` gives it.
    fn begin(web: &'w HandWeb, recipe: &Recipe, seeds: &[&str], parts: &[&[&str]]) -> Self {
        let start = Start::new(recipe, 100, 0);
        let begin = |hosts: &&[&str]| {
            let pilot = Pilot::resume(&start, 0, &Notes::default()).unwrap();
            HandCrawl::begin(web, pilot, PartQueue::of(hosts), seeds)
        };
        let workers: Vec<_> = parts.iter().map(begin).collect();
        let (notes, pages) = (vec![Notes::default(); workers.len()], vec![0; workers.len()]);
        let committed = workers.iter().map(|worker| worker.engine.clone()).collect();
        let inboxes = vec![Inbox::default(); workers.len()];
        let (recipe, steps) = (recipe.clone(), Vec::new());
        Self { web, recipe, workers, notes, pages, steps, committed, inboxes }
    }

    /// Delivers all links that were sent.
    fn deliver(&mut self) -> bool {
        let (mut sent, mut plain) = (Vec::new(), Vec::new());
        for worker in &mut self.workers {
            let (of_pages, others) = worker.engine.post();
            sent.extend(of_pages);
            plain.extend(others);
        }
        let is_busy = !sent.is_empty() || !plain.is_empty();
        let inboxes = &mut self.inboxes;
        for (HandCrawl { pilot, engine, .. }, inbox) in self.workers.iter_mut().zip(inboxes) {
            let sent: Vec<SentLink> = sent.extract_if(.., |it| engine.is_own(&it.link)).collect();
            let plain: Vec<RankedLink> =
                plain.extract_if(.., |it| engine.is_own(&it.link)).collect();
            inbox.0.extend(sent.clone());
            inbox.1.extend(plain.clone());
            engine.receive(pilot, sent, plain);
        }
        assert!(sent.is_empty() && plain.is_empty());
        is_busy
    }

    /// Lets every worker take a step. Returns false if nothing is left.
    fn round(&mut self) -> bool {
        let mut is_busy = self.deliver();
        for (worker, pages) in self.workers.iter_mut().zip(&mut self.pages) {
            // Links that were refused are fetched only once no worker has others.
            worker.pilot.set_company(is_busy);
            if let Some(step) = worker.step() {
                is_busy = true;
                let is_page = self.web.0.get(&step.page).is_some_and(|page| page.moved.is_none());
                *pages += u64::from(is_page && !step.is_look);
                self.steps.push(step);
            }
        }
        is_busy || self.workers.iter().any(|worker| worker.engine.has_mail())
    }

    fn run(mut self) -> Vec<Step> {
        for _ in 0..ROUNDS {
            if !self.round() {
                return self.steps;
            }
        }
        panic!("{} does not end", self.recipe.name);
    }

    /// Replaces each pilot by one that is resumed from its notes.
    fn resume(&mut self, is_whole: bool) {
        let start = Start::new(&self.recipe, 100, 0);
        let stored = self.notes.iter_mut().zip(&self.pages);
        for (worker, (notes, pages)) in self.workers.iter_mut().zip(stored) {
            let new = worker.pilot.take_notes(is_whole).unwrap();
            if new.state.is_some() {
                *notes = new;
            } else {
                notes.since.extend(new.since);
            }
            worker.pilot = Pilot::resume(&start, *pages, notes).unwrap();
        }
    }

    /// Mixes the numbers that two workers have learned.
    fn mix(&mut self, from: usize, to: usize) {
        let numbers = self.workers[from].pilot.learned_numbers();
        self.workers[to].pilot.mix(numbers);
    }

    /// Commits the queues of all workers.
    fn commit(&mut self) {
        self.deliver();
        self.committed = self.workers.iter().map(|worker| worker.engine.clone()).collect();
        self.inboxes.iter_mut().for_each(|inbox| *inbox = Inbox::default());
    }

    /// Takes the queue of a worker back to its last commit. The pilot goes on.
    fn lose_commits(&mut self, worker: usize) {
        let HandCrawl { pilot, engine, .. } = &mut self.workers[worker];
        *engine = self.committed[worker].clone();
        pilot.left_all();
        pilot.found_waiting(engine.all_waiting());
        let (sent, plain) = self.inboxes[worker].clone();
        engine.receive(pilot, sent, plain);
    }

    /// Moves a host from one worker to another.
    fn move_host(&mut self, host: &str, from: usize, to: usize) {
        let [one, other] = self.workers.get_disjoint_mut([from, to]).unwrap();
        one.engine.leave(host, &mut one.pilot, &mut other.engine, &mut other.pilot);
    }
}

fn shared(recipe: &Recipe) -> bool {
    !recipe.needs_whole_web()
}

/// Returns true if a crawl by a recipe ends only when no link is left.
fn reaches_all(recipe: &Recipe) -> bool {
    let refuses_none = ["bfs", "ontrail", "fixed", "ops"];
    recipe.keeps_reserve() || refuses_none.contains(&&*recipe.name)
}

fn pages(steps: &[Step]) -> BTreeSet<&str> {
    steps.iter().filter(|step| !step.is_look).map(|step| step.page.as_str()).collect()
}

const PARTS: [&[&str]; 3] = [&["h0.test", "h3.test"], &["h1.test"], &["h2.test", "h4.test"]];

/// Three workers fetch no page twice, and together about as many as one: all that a recipe follows.
#[test]
fn workers_share_a_crawl() {
    for seed in 0..3 {
        let web = random_web(60, seed);
        for recipe in recipes().into_iter().filter(shared) {
            let alone = HandCrawl::new(&web, &recipe, &SEEDS, 100, 0).run(ROUNDS);
            let together = Shared::begin(&web, &recipe, &SEEDS, &PARTS).run();
            let (one, all) = (pages(&alone), pages(&together));
            let fetched = together.iter().filter(|step| !step.is_look).count();
            assert_eq!(all.len(), fetched, "{} fetches a page twice", recipe.name);
            // Which pages a recipe refuses depends on the order in which pages arrive.
            let is_the_same = all == one;
            let has_fewer = all.len() * 2 < one.len();
            assert!(!has_fewer, "{}: {} of {}", recipe.name, all.len(), one.len());
            if reaches_all(&recipe) {
                assert!(is_the_same, "{} {seed}: {all:?} instead of {one:?}", recipe.name);
            }
        }
    }
}

/// A link that pages of two workers have gets the same priority as if one worker had seen both.
#[test]
fn sightings_of_all_workers_are_added_up() {
    let web = HandWeb::parse(
        "a/1 0.9: b/9=0.3 b/8=0.9
         b/1 0.6: b/9=0.8 b/7=0.2
         b/9 0.5:
         b/8 0.5:
         b/7 0.5:",
    );
    let by_probability = ["fixed-classifier", "ontrail", "ontrail-classifier"];
    let mut compared = 0;
    for recipe in recipes().into_iter().filter(shared) {
        // The noise of the learned order fades with the pages of the worker.
        let recipe = if recipe.learns_links() {
            hand_web::recipe(&recipe.name, &["priority.noise=0"])
        } else {
            recipe
        };
        // Each worker computes P(relevant) from its own pages.
        let near = if by_probability.contains(&&*recipe.name) { 0.05 } else { 1e-9 };
        let alone = HandCrawl::new(&web, &recipe, &["a/1", "b/1"], 100, 0).run(5);
        let parts: [&[&str]; 2] = [&["a.test"], &["b.test"]];
        let together = Shared::begin(&web, &recipe, &["a/1", "b/1"], &parts).run();
        for page in ["b/9", "b/8"] {
            // The priority of a link, and the pages that came before.
            let of = |steps: &[Step]| {
                let at = steps.iter().position(|step| step.page == page && !step.is_look)?;
                let before: BTreeSet<String> =
                    steps[..at].iter().map(|step| step.page.clone()).collect();
                Some((steps[at].priority?, before))
            };
            if let (Some((one, before)), Some((all, same))) = (of(&alone), of(&together))
                && before == same
            {
                assert!((one - all).abs() < near, "{} {page}: {all}, not {one}", recipe.name);
                compared += usize::from(before.contains("a/1") && before.contains("b/1"));
            }
        }
    }
    assert!(compared > 40, "{compared} compared");
}

/// Pilots that are resumed from their notes every few rounds decide as pilots that are not.
#[test]
fn interrupted_workers_continue_as_if_they_had_not_been() {
    let web = random_web(60, 3);
    for (number, recipe) in recipes().into_iter().filter(shared).enumerate() {
        let run = |interrupts: bool| {
            let mut crawl = Shared::begin(&web, &recipe, &SEEDS, &PARTS);
            let mut round = 0;
            while crawl.round() && round < ROUNDS {
                round += 1;
                if round % 3 == 0 {
                    crawl.mix(round % 2, 2);
                }
                if round == 4 {
                    crawl.move_host("h3.test", 0, 1);
                }
                if interrupts && round % (2 + number % 3) == 0 {
                    crawl.resume(round % 4 == 0);
                }
            }
            crawl.steps
        };
        assert_eq!(run(true), run(false), "{}", recipe.name);
    }
}

/// Hosts that move between workers lose no page, and no page is fetched twice.
#[test]
fn hosts_can_move_between_workers() {
    for seed in 0..2 {
        let web = random_web(60, seed);
        for recipe in recipes().into_iter().filter(shared) {
            let alone = HandCrawl::new(&web, &recipe, &SEEDS, 100, 0).run(ROUNDS);
            let mut numbers = Numbers(seed);
            let mut crawl = Shared::begin(&web, &recipe, &SEEDS, &PARTS);
            let mut round = 0;
            while crawl.round() && round < ROUNDS {
                round += 1;
                let mut draw = |most| usize::try_from(numbers.below(most)).unwrap();
                let (host, from, to) = (HOSTS[draw(5)], draw(3), draw(3));
                if from != to {
                    crawl.move_host(host, from, to);
                }
            }
            assert!(round < ROUNDS, "{} does not end", recipe.name);
            let fetched = crawl.steps.iter().filter(|step| !step.is_look).count();
            let all = pages(&crawl.steps);
            assert_eq!(all.len(), fetched, "{} fetches a page twice", recipe.name);
            if reaches_all(&recipe) {
                assert_eq!(all, pages(&alone), "{}", recipe.name);
            }
        }
    }
}

/// A worker that loses the commits of some rounds, but not what its pilot knows, finds everything
/// again that it had found in them: pages arrive again, and links are shown again.
#[test]
fn what_was_not_committed_is_found_again() {
    for seed in 0..3 {
        let web = random_web(60, seed);
        for recipe in recipes().into_iter().filter(shared) {
            let alone = HandCrawl::new(&web, &recipe, &SEEDS, 100, 0).run(ROUNDS);
            let mut crawl = Shared::begin(&web, &recipe, &SEEDS, &PARTS);
            let mut round = 0;
            while crawl.round() && round < ROUNDS {
                round += 1;
                if round % 3 == 0 && round < 60 {
                    crawl.lose_commits(round % 2);
                }
                if round % 4 == 0 {
                    crawl.commit();
                }
            }
            assert!(round < ROUNDS, "{} does not end", recipe.name);
            if reaches_all(&recipe) {
                let missing: Vec<_> =
                    pages(&alone).difference(&pages(&crawl.steps)).copied().collect();
                assert!(missing.is_empty(), "{} {seed}: {missing:?}", recipe.name);
            }
        }
    }
}

/// PR that a page passes on reaches a link of another worker: of two links that are alike, the one
/// that a page with a higher PR has comes first.
#[test]
fn pagerank_goes_along_with_links() {
    let web = HandWeb::parse(
        "a/1 0.5: a/2=0.5 a/3=0.5
         a/2 0.5: a/3=0.5 b/5=0.5
         a/3 0.5: b/6=0.5 b/7=0.5
         b/5 0.5:
         b/6 0.5:
         b/7 0.5:",
    );
    let recipe = recipe("ops", &[]);
    let seeds = ["a/1", "a/2", "a/3"];
    let alone = HandCrawl::new(&web, &recipe, &seeds, 100, 0).run(10);
    let parts: [&[&str]; 2] = [&["a.test"], &["b.test"]];
    let mut crawl = Shared::begin(&web, &recipe, &seeds, &parts);
    // All pages of the first worker come before the first of the second.
    while crawl.workers[0].step().is_some() {}
    let together = crawl.run();
    let priority = |steps: &[Step], page: &str| {
        steps.iter().find(|step| step.page == page).and_then(|step| step.priority).unwrap()
    };
    for page in ["b/5", "b/6", "b/7"] {
        let (one, all) = (priority(&alone, page), priority(&together, page));
        assert!((one - all).abs() < 1e-9, "{page}: {all}, not {one}");
    }
}
