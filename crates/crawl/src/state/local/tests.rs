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
    assert_eq!(offer(&mut frontier, link(url), 0.9), Offer::Done);
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

#[test]
fn a_full_queue_drops_its_worst_link_for_a_better_one() {
    let limits = FrontierLimits { queued: 3, ..FrontierLimits::default() };
    let mut frontier = LocalState::in_memory(limits);
    for (url, priority) in [("http://a.x/1", 0.5), ("http://b.x/2", 0.1), ("http://a.x/3", 0.4)] {
        assert_eq!(offer(&mut frontier, link(url), priority), Offer::Queued);
    }
    assert_eq!(offer(&mut frontier, link("http://c.x/4"), 0.05), Offer::QueueFull);
    assert_eq!(offer(&mut frontier, link("http://c.x/4"), 0.3), Offer::Queued);
    assert_eq!(frontier.counts().dropped, 1);
    // The worst of all is another one now, on another host.
    assert_eq!(offer(&mut frontier, link("http://d.x/5"), 0.35), Offer::Queued);
    // A link that was dropped may come back.
    assert_eq!(offer(&mut frontier, link("http://b.x/2"), 0.9), Offer::Queued);
    let mut order = Vec::new();
    while let Some(lease) = next(&mut frontier, 0) {
        order.push(lease.link.url.path().to_owned());
        frontier.finish(&lease, 0, false).unwrap();
    }
    assert_eq!(order, ["/2", "/1", "/3"]);
}

#[test]
fn the_links_of_one_host_or_site_are_bounded() {
    let limits =
        FrontierLimits { queued_of_host: 2, queued_of_site: 3, ..FrontierLimits::default() };
    let mut frontier = LocalState::in_memory(limits);
    let mut offered = |url: &str, priority| offer(&mut frontier, link(url), priority);
    assert_eq!(offered("http://a.x.com/1", 0.5), Offer::Queued);
    assert_eq!(offered("http://a.x.com/2", 0.4), Offer::Queued);
    assert_eq!(offered("http://a.x.com/3", 0.3), Offer::HostFull);
    assert_eq!(offered("http://a.x.com/4", 0.6), Offer::Queued);
    assert_eq!(offered("http://b.x.com/1", 0.1), Offer::Queued);
    assert_eq!(offered("http://b.x.com/2", 0.05), Offer::HostFull);
    assert_eq!(offered("http://y.com/1", 0.05), Offer::Queued);
    assert_eq!((frontier.counts().queued, frontier.counts().dropped), (4, 1));
}

#[test]
fn hosts_of_one_machine_take_turns() {
    let limits = FrontierLimits { machine_delay: 100, ..FrontierLimits::default() };
    let mut frontier = LocalState::in_memory(limits);
    let machine: IpAddr = "192.0.2.1".parse().unwrap();
    for (n, priority) in [(1, 0.9), (2, 0.8), (3, 0.7)] {
        offer(&mut frontier, link(&format!("http://h{n}.x/{n}")), priority);
    }
    offer(&mut frontier, link("http://elsewhere.x/4"), 0.1);
    for host in ["h1.x", "h2.x"] {
        frontier.hold(HostKey::of(host));
    }
    // The first to be located reserves the machine for its own request.
    assert_eq!(frontier.set_machine(HostKey::of("h1.x"), machine, 0), None);
    assert_eq!(frontier.set_machine(HostKey::of("h2.x"), machine, 0), Some(100));
    assert_eq!(frontier.set_machine(HostKey::of("h3.x"), machine, 0), Some(100));
    frontier.release(HostKey::of("h1.x"));
    frontier.release(HostKey::of("h2.x"));
    assert_eq!(take(&mut frontier, 0), "/4");
    assert_eq!((next(&mut frontier, 99), frontier.idle(99)), (None, Idle::Until(100)));
    assert!(frontier.is_ready(&link("http://h2.x/2").key(), HostKey::of("h2.x"), 100));
    assert_eq!(take(&mut frontier, 100), "/1");
    assert!(!frontier.is_ready(&link("http://h2.x/2").key(), HostKey::of("h2.x"), 199));
    assert_eq!((next(&mut frontier, 199), frontier.idle(199)), (None, Idle::Until(200)));
    assert_eq!(take(&mut frontier, 200), "/2");
    // A visit without a link keeps the delay of the machine, too.
    let url: Url = "http://new.x/robots.txt".parse().unwrap();
    assert_eq!(frontier.visit(&url, Some(machine), 250).unwrap(), Visit::NotBefore(300));
    assert_eq!(frontier.visit(&url, Some(machine), 300).unwrap(), Visit::Begun);
    assert_eq!(next(&mut frontier, 350), None);
    assert_eq!(take(&mut frontier, 400), "/3");
}

#[test]
fn a_postponed_link_returns_when_it_is_due_and_survives_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let open = || LocalState::on_disk(folder.path(), FrontierLimits::default()).unwrap();
    let mut frontier = open();
    for (url, priority) in [("http://a.x/1", 0.9), ("http://a.x/2", 0.8), ("http://a.x/3", 0.7)] {
        offer(&mut frontier, link(url), priority);
    }
    let mut first = next(&mut frontier, 0).unwrap();
    first.health = first.health.failed(0);
    let key = first.link.key();
    frontier.postpone(first, 5_000, 1_000).unwrap();
    assert_eq!(offer(&mut frontier, link("http://a.x/1"), 1.0), Offer::Known);
    assert!(!frontier.is_ready(&key, HostKey::of("a.x"), 1_000));
    let second = next(&mut frontier, 1_000).unwrap();
    assert_eq!((second.link.url.path(), second.health.failures), ("/2", 1));
    frontier.finish(&second, 0, true).unwrap();
    frontier.commit(Vec::new()).unwrap();
    drop(frontier);
    let mut frontier = open();
    assert_eq!((frontier.counts().queued, frontier.counts().postponed), (2, 1));
    assert_eq!(take(&mut frontier, 4_999), "/3");
    assert_eq!(frontier.idle(4_999), Idle::Until(5_000));
    let host = HostKey::of("a.x");
    assert_eq!(frontier.health(host).failures, 1);
    frontier.end_visit(host, 0);
    assert_eq!(take(&mut frontier, 5_000), "/1");
}

#[test]
fn a_done_link_can_be_opened_again() {
    let mut frontier = LocalState::in_memory(FrontierLimits::default());
    let ranked = || RankedLink { link: link("http://a.x/1"), rank: 0.5 };
    assert!(!frontier.reopen(ranked()).unwrap());
    offer(&mut frontier, link("http://a.x/1"), 0.5);
    assert!(!frontier.reopen(ranked()).unwrap());
    let lease = next(&mut frontier, 0).unwrap();
    frontier.finish(&lease, 0, false).unwrap();
    assert!(frontier.reopen(ranked()).unwrap());
    assert_eq!(take(&mut frontier, 0), "/1");
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
        if self.done.contains(&url) {
            return Offer::Done;
        }
        if self.leased.iter().any(|it| it.0 == url) {
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

/// A frontier that is opened again takes links in the same order, though it read none of them.
#[test]
fn long_queues_keep_their_order_after_a_resume() {
    let folder = tempfile::tempdir().unwrap();
    let open = || LocalState::on_disk(folder.path(), FrontierLimits::default()).unwrap();
    let mut frontier = open();
    for n in 0..2_000_u32 {
        let url = format!("http://h{}.example/p{n}", n % 7);
        offer(&mut frontier, link(&url), f64::from(n * 7_919 % 2_000));
    }
    for expected in (0..2_000).rev() {
        if expected % 250 == 0 {
            frontier.commit(Vec::new()).unwrap();
            drop(frontier);
            frontier = open();
        }
        if expected % 400 == 0 {
            // A new link goes to its place, whether or not the queue was read.
            let url = format!("http://h{}.example/new{expected}", expected % 7);
            offer(&mut frontier, link(&url), f64::from(expected) + 0.5);
            let taken = next(&mut frontier, 0).unwrap();
            assert!((taken.priority - f64::from(expected) - 0.5).abs() < f64::EPSILON);
            frontier.finish(&taken, 0, false).unwrap();
        }
        let taken = next(&mut frontier, 0).unwrap();
        assert!((taken.priority - f64::from(expected)).abs() < f64::EPSILON);
        frontier.finish(&taken, 0, false).unwrap();
    }
    assert_eq!((next(&mut frontier, 0), frontier.idle(0)), (None, Idle::Empty));
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
