//! Compares the frontier with a plain list that is searched at each step.

use proptest::prelude::*;

use super::*;

fn link(url: &str) -> Link {
    Link::seed(url.parse().unwrap())
}

fn found(url: &str) -> Link {
    Link { depth: 1, ..link(url) }
}

/// Offers a link.
fn offer(frontier: &mut LocalState, link: Link, priority: f64) -> Offer {
    frontier.offer_all(vec![RankedLink { link, rank: priority }]).unwrap()[0]
}

/// Takes the best link.
fn next(frontier: &mut LocalState, now: u64) -> Option<Lease> {
    frontier.take_many(now, 1).unwrap().pop()
}

fn take(frontier: &mut LocalState, now: u64) -> String {
    next(frontier, now).unwrap().link.url.path().to_owned()
}

#[test]
fn the_best_link_of_the_ready_hosts_is_taken() {
    let mut frontier = LocalState::in_memory(FrontierLimits::default());
    for (url, priority) in [
        ("http://a.example/1", 0.9),
        ("http://a.example/2", 0.8),
        ("http://b.example/3", 0.5),
        ("http://b.example/4", 0.5),
    ] {
        assert_eq!(offer(&mut frontier, link(url), priority), Offer::Queued);
    }
    let first = next(&mut frontier, 0).unwrap();
    assert_eq!(first.link.url.path(), "/1");
    // One connection per host: the second link of a.example must wait although it is better.
    let second = next(&mut frontier, 0).unwrap();
    assert_eq!(second.link.url.path(), "/3");
    assert_eq!((next(&mut frontier, 0), frontier.idle(0)), (None, Idle::Busy));
    frontier.finish(&first, 1_000, false).unwrap();
    assert_eq!((next(&mut frontier, 999), frontier.idle(999)), (None, Idle::Until(1_000)));
    frontier.give_back(second, 500).unwrap();
    // A link that was given back is in its old place: before the younger link of the same priority.
    assert_eq!(take(&mut frontier, 500), "/3");
    assert_eq!(take(&mut frontier, 1_000), "/2");
}

#[test]
fn a_url_is_queued_once() {
    let mut frontier = LocalState::in_memory(FrontierLimits::default());
    let url = "http://a.example/x";
    assert_eq!(offer(&mut frontier, link(url), 0.5), Offer::Queued);
    assert_eq!(offer(&mut frontier, link(url), 0.5), Offer::Known);
    assert_eq!(offer(&mut frontier, link("http://a.example/y"), 0.6), Offer::Queued);
    assert_eq!(offer(&mut frontier, link(url), 0.7), Offer::Raised);
    let first = next(&mut frontier, 0).unwrap();
    assert_eq!(first.link.url.as_str(), url);
    assert_eq!(offer(&mut frontier, link(url), 0.9), Offer::Known);
    frontier.finish(&first, 0, false).unwrap();
    assert_eq!(offer(&mut frontier, link(url), 0.9), Offer::Known);
    assert_eq!(frontier.counts().known, 2);
}

#[test]
fn patterns_and_queues_are_bounded() {
    let limits = FrontierLimits { pattern: 3, queued: 5, ..FrontierLimits::default() };
    let mut frontier = LocalState::in_memory(limits);
    let mut offered = |url: &str| offer(&mut frontier, found(url), 0.0);
    for page in 1..4 {
        assert_eq!(offered(&format!("http://a.example/list?page={page}")), Offer::Queued);
    }
    assert_eq!(offered("http://a.example/list?page=4"), Offer::PatternFull);
    assert_eq!(offered("http://b.example/list?page=4"), Offer::Queued);
    assert_eq!(offered("http://a.example/list"), Offer::Queued);
    assert_eq!(offered("http://a.example/other"), Offer::QueueFull);
    assert_eq!(pattern(&"http://a.example/news/12/345.html?a=1&b=2".parse().unwrap()).unwrap(), {
        "a.example /news/#/#.html&a&b"
    });
}

#[test]
fn hosts_are_bounded_in_total_and_per_site() {
    let limits = FrontierLimits { hosts: 4, hosts_of_site: 2, ..FrontierLimits::default() };
    let mut frontier = LocalState::in_memory(limits);
    let mut offered = |url: &str| offer(&mut frontier, link(url), 0.0);
    for url in ["http://a.x.com/", "http://b.x.com/", "http://y.com/", "http://z.com:8080/"] {
        assert_eq!(offered(url), Offer::Queued);
    }
    assert_eq!(offered("http://c.x.com/"), Offer::HostsFull);
    assert_eq!(offered("http://new.com/"), Offer::HostsFull);
    assert_eq!(offered("http://a.x.com/2"), Offer::Queued);
}

#[test]
fn raising_the_priority_keeps_depth_and_attempts() {
    let mut frontier = LocalState::in_memory(FrontierLimits::default());
    let first = Link { depth: 2, attempts: 1, ..link("http://a.example/") };
    offer(&mut frontier, first, 0.1);
    let again = Link { depth: 5, anchor: "better".into(), ..link("http://a.example/") };
    assert_eq!(offer(&mut frontier, again, 0.9), Offer::Raised);
    let taken = next(&mut frontier, 0).unwrap().link;
    assert_eq!((taken.depth, taken.attempts, taken.anchor.as_str()), (2, 1, "better"));
}

#[test]
fn leased_links_are_queued_again_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let open = || LocalState::on_disk(folder.path(), FrontierLimits::default()).unwrap();
    let mut frontier = open();
    for n in 0..100 {
        offer(&mut frontier, link(&format!("http://h{}.example/{n}", n % 3)), f64::from(n % 7));
    }
    let first = next(&mut frontier, 0).unwrap();
    let second = next(&mut frontier, 0).unwrap();
    frontier.finish(&first, 0, false).unwrap();
    frontier.commit(b"one".to_vec()).unwrap();
    // Everything after the commit is lost.
    let third = next(&mut frontier, 0).unwrap();
    frontier.finish(&third, 0, false).unwrap();
    drop(frontier);
    let mut frontier = open();
    assert_eq!(frontier.committed().unwrap().unwrap(), b"one");
    assert_eq!((frontier.counts().queued, frontier.counts().leased), (99, 0));
    let mut again = Vec::new();
    while let Some(taken) = next(&mut frontier, 0) {
        again.push(taken.link.url.to_string());
        frontier.finish(&taken, 0, false).unwrap();
    }
    assert_eq!(again.len(), 99);
    assert_eq!(again[0], second.link.url.as_str());
    assert!(again.contains(&third.link.url.to_string()));
    assert!(!again.contains(&first.link.url.to_string()));
}

/// An operation on a frontier.
#[derive(Debug, Clone)]
enum Step {
    Offer { url: u16, priority: u8 },
    Take,
    Finish,
    GiveBack,
    Commit,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u16..600, 0_u8..40).prop_map(|(url, priority)| Step::Offer { url, priority }),
        4 => Just(Step::Take),
        3 => Just(Step::Finish),
        1 => Just(Step::GiveBack),
        1 => Just(Step::Commit),
    ];
    prop::collection::vec(step, 0..800)
}

/// The frontier as plain lists.
#[derive(Default)]
struct Plain {
    open: Vec<(u16, u8, u64)>,
    leased: Vec<(u16, u8, u64)>,
    done: Vec<u16>,
    age: u64,
}

impl Plain {
    fn offer(&mut self, url: u16, priority: u8) -> Offer {
        if self.done.contains(&url) || self.leased.iter().any(|it| it.0 == url) {
            return Offer::Known;
        }
        if let Some(open) = self.open.iter_mut().find(|it| it.0 == url) {
            if priority <= open.1 {
                return Offer::Known;
            }
            open.1 = priority;
            return Offer::Raised;
        }
        self.open.push((url, priority, self.age));
        self.age += 1;
        Offer::Queued
    }

    fn take(&mut self) -> Option<u16> {
        let busy: Vec<u16> = self.leased.iter().map(|it| it.0 % 5).collect();
        let free = self.open.iter().enumerate().filter(|(_, it)| !busy.contains(&(it.0 % 5)));
        let (place, _) = free.min_by_key(|(_, it)| (u8::MAX - it.1, it.2))?;
        let taken = self.open.remove(place);
        self.leased.push(taken);
        Some(taken.0)
    }
}

fn full_url(url: u16) -> String {
    format!("http://h{}.example/{url}", url % 5)
}

fn check(frontier: &mut LocalState, steps: &[Step]) {
    let mut plain = Plain::default();
    let mut leased: Vec<Lease> = Vec::new();
    for step in steps {
        match *step {
            Step::Offer { url, priority } => {
                let offer = offer(frontier, link(&full_url(url)), f64::from(priority));
                assert_eq!(offer, plain.offer(url, priority));
            }
            Step::Take => match (next(frontier, 0), plain.take()) {
                (Some(taken), Some(url)) => {
                    assert_eq!(taken.link.url.as_str(), full_url(url));
                    leased.push(taken);
                }
                (None, None) => {
                    let expected = if leased.is_empty() { Idle::Empty } else { Idle::Busy };
                    assert_eq!(frontier.idle(0), expected);
                }
                (next, expected) => panic!("found {next:?}, expected {expected:?}"),
            },
            Step::Finish if !leased.is_empty() => {
                frontier.finish(&leased.remove(0), 0, false).unwrap();
                plain.done.push(plain.leased.remove(0).0);
            }
            Step::GiveBack if !leased.is_empty() => {
                frontier.give_back(leased.remove(0), 0).unwrap();
                plain.open.push(plain.leased.remove(0));
            }
            Step::Commit => frontier.commit(Vec::new()).unwrap(),
            Step::Finish | Step::GiveBack => {}
        }
        assert_eq!(frontier.counts().queued, plain.open.len() as u64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn in_memory_it_behaves_like_a_sorted_list(steps in steps()) {
        check(&mut LocalState::in_memory(FrontierLimits::default()), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn on_disk_it_behaves_like_a_sorted_list(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let frontier = LocalState::on_disk(folder.path(), FrontierLimits::default());
        check(&mut frontier.unwrap(), &steps);
    }
}

/// Links are taken in order even if there are more than fit in memory.
#[test]
fn long_queues_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut frontier = LocalState::on_disk(folder.path(), FrontierLimits::default()).unwrap();
    let priority = |n: u32| f64::from(n * 7_919 % 5_000);
    for n in 0..5_000 {
        offer(&mut frontier, link(&format!("http://a.example/p{n}")), priority(n));
        if n == 2_500 {
            frontier.commit(Vec::new()).unwrap();
        }
    }
    for expected in (0..5_000).rev() {
        let taken = next(&mut frontier, 0).unwrap();
        assert!((taken.priority - f64::from(expected)).abs() < f64::EPSILON);
        frontier.finish(&taken, 0, false).unwrap();
    }
    assert_eq!((next(&mut frontier, 0), frontier.idle(0)), (None, Idle::Empty));
}

#[test]
fn several_links_are_taken_at_once() {
    let mut frontier = LocalState::in_memory(FrontierLimits::default());
    for (url, priority) in [("http://a.x/1", 0.9), ("http://a.x/2", 0.8), ("http://b.x/", 0.1)] {
        offer(&mut frontier, link(url), priority);
    }
    // One link of each host, the best first.
    let leases = frontier.take_many(0, 9).unwrap();
    let paths: Vec<&str> = leases.iter().map(|lease| lease.link.url.as_str()).collect();
    assert_eq!(paths, ["http://a.x/1", "http://b.x/"]);
    frontier.finish(&leases[0], 0, true).unwrap();
    assert_eq!(next(&mut frontier, 0).unwrap().host_pages, 1);
}

/// A state written by another version is refused, because its notes would be misread.
#[test]
fn a_state_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = || LocalState::on_disk(folder.path(), FrontierLimits::default());
    let mut state = open().unwrap();
    state.commit(Vec::new()).unwrap();
    state.store.put(Table::State, FORMAT.to_vec(), 1_u32.to_be_bytes().to_vec());
    state.store.commit().unwrap();
    drop(state);
    assert!(matches!(open(), Err(StoreError::OtherVersion)));
}
