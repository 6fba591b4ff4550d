//! The frontier against a plain list that is sorted anew at each step.

use proptest::prelude::*;

use super::*;

fn link(url: &str) -> Link {
    Link::seed(url.parse().unwrap())
}

fn found(url: &str) -> Link {
    Link { depth: 1, ..link(url) }
}

fn taken(next: Next) -> Taken {
    match next {
        Next::Link(taken) => *taken,
        other => panic!("no link: {other:?}"),
    }
}

fn take(frontier: &mut LocalFrontier, now: u64) -> String {
    taken(frontier.next(now).unwrap()).link.url.path().to_owned()
}

#[test]
fn the_best_link_of_the_hosts_that_may_be_asked() {
    let mut frontier = LocalFrontier::in_memory(FrontierLimits::default());
    for (url, rank) in [
        ("http://a.example/1", 0.9),
        ("http://a.example/2", 0.8),
        ("http://b.example/3", 0.5),
        ("http://b.example/4", 0.5),
    ] {
        assert_eq!(frontier.offer(link(url), rank).unwrap(), Offer::Queued);
    }
    let first = taken(frontier.next(0).unwrap());
    assert_eq!(first.link.url.path(), "/1");
    // One connection per host: the second of a must wait although it is better.
    let second = taken(frontier.next(0).unwrap());
    assert_eq!(second.link.url.path(), "/3");
    assert_eq!(frontier.next(0).unwrap(), Next::Busy);
    frontier.finish(&first, 1_000).unwrap();
    assert_eq!(frontier.next(999).unwrap(), Next::Wait(1_000));
    frontier.give_back(second, 500).unwrap();
    // What was given back is where it was: before the younger link of the same rank.
    assert_eq!(take(&mut frontier, 500), "/3");
    assert_eq!(take(&mut frontier, 1_000), "/2");
}

#[test]
fn an_address_is_taken_up_once() {
    let mut frontier = LocalFrontier::in_memory(FrontierLimits::default());
    let url = "http://a.example/x";
    assert_eq!(frontier.offer(link(url), 0.5).unwrap(), Offer::Queued);
    assert_eq!(frontier.offer(link(url), 0.5).unwrap(), Offer::Known);
    assert_eq!(frontier.offer(link("http://a.example/y"), 0.6).unwrap(), Offer::Queued);
    assert_eq!(frontier.offer(link(url), 0.7).unwrap(), Offer::Raised);
    let first = taken(frontier.next(0).unwrap());
    assert_eq!(first.link.url.as_str(), url);
    assert_eq!(frontier.offer(link(url), 0.9).unwrap(), Offer::Known);
    frontier.finish(&first, 0).unwrap();
    assert_eq!(frontier.offer(link(url), 0.9).unwrap(), Offer::Known);
    assert_eq!(frontier.counts().known, 2);
}

#[test]
fn patterns_and_queues_are_bounded() {
    let limits = FrontierLimits { pattern: 3, queued: 5, ..FrontierLimits::default() };
    let mut frontier = LocalFrontier::in_memory(limits);
    let mut offer = |url: &str| frontier.offer(found(url), 0.0).unwrap();
    for page in 1..4 {
        assert_eq!(offer(&format!("http://a.example/list?page={page}")), Offer::Queued);
    }
    assert_eq!(offer("http://a.example/list?page=4"), Offer::PatternFull);
    assert_eq!(offer("http://b.example/list?page=4"), Offer::Queued);
    assert_eq!(offer("http://a.example/list"), Offer::Queued);
    assert_eq!(offer("http://a.example/other"), Offer::QueueFull);
    assert_eq!(pattern(&"http://a.example/news/12/345.html?a=1&b=2".parse().unwrap()).unwrap(), {
        "a.example /news/#/#.html&a&b"
    });
}

#[test]
fn hosts_are_bounded_in_all_and_by_site() {
    let limits = FrontierLimits { hosts: 4, hosts_of_site: 2, ..FrontierLimits::default() };
    let mut frontier = LocalFrontier::in_memory(limits);
    let mut offer = |url: &str| frontier.offer(link(url), 0.0).unwrap();
    for url in ["http://a.x.com/", "http://b.x.com/", "http://y.com/", "http://z.com:8080/"] {
        assert_eq!(offer(url), Offer::Queued);
    }
    assert_eq!(offer("http://c.x.com/"), Offer::HostsFull);
    assert_eq!(offer("http://new.com/"), Offer::HostsFull);
    assert_eq!(offer("http://a.x.com/2"), Offer::Queued);
}

#[test]
fn a_better_reason_does_not_make_another_link() {
    let mut frontier = LocalFrontier::in_memory(FrontierLimits::default());
    let first = Link { depth: 2, attempts: 1, ..link("http://a.example/") };
    frontier.offer(first, 0.1).unwrap();
    let again = Link { depth: 5, anchor: "better".into(), ..link("http://a.example/") };
    assert_eq!(frontier.offer(again, 0.9).unwrap(), Offer::Raised);
    let taken = taken(frontier.next(0).unwrap()).link;
    assert_eq!((taken.depth, taken.attempts, taken.anchor.as_str()), (2, 1, "better"));
}

#[test]
fn leases_come_back_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let open = || LocalFrontier::on_disk(folder.path(), FrontierLimits::default()).unwrap();
    let mut frontier = open();
    for n in 0..100 {
        frontier.offer(link(&format!("http://h{}.example/{n}", n % 3)), f64::from(n % 7)).unwrap();
    }
    let first = taken(frontier.next(0).unwrap());
    let second = taken(frontier.next(0).unwrap());
    frontier.finish(&first, 0).unwrap();
    frontier.commit(b"one".to_vec()).unwrap();
    // What happens after the commit is lost.
    let third = taken(frontier.next(0).unwrap());
    frontier.finish(&third, 0).unwrap();
    drop(frontier);
    let mut frontier = open();
    assert_eq!(frontier.state().unwrap().unwrap(), b"one");
    assert_eq!((frontier.counts().queued, frontier.counts().leased), (99, 0));
    let mut again = Vec::new();
    while let Next::Link(taken) = frontier.next(0).unwrap() {
        again.push(taken.link.url.to_string());
        frontier.finish(&taken, 0).unwrap();
    }
    assert_eq!(again.len(), 99);
    assert_eq!(again[0], second.link.url.as_str());
    assert!(again.contains(&third.link.url.to_string()));
    assert!(!again.contains(&first.link.url.to_string()));
}

/// A step of someone who uses a frontier.
#[derive(Debug, Clone)]
enum Step {
    Offer { url: u16, rank: u8 },
    Take,
    Finish,
    GiveBack,
    Commit,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u16..600, 0_u8..40).prop_map(|(url, rank)| Step::Offer { url, rank }),
        4 => Just(Step::Take),
        3 => Just(Step::Finish),
        1 => Just(Step::GiveBack),
        1 => Just(Step::Commit),
    ];
    prop::collection::vec(step, 0..800)
}

/// The frontier as a list: what it holds of each address.
#[derive(Default)]
struct Plain {
    open: Vec<(u16, u8, u64)>,
    leased: Vec<(u16, u8, u64)>,
    done: Vec<u16>,
    age: u64,
}

impl Plain {
    fn offer(&mut self, url: u16, rank: u8) -> Offer {
        if self.done.contains(&url) || self.leased.iter().any(|it| it.0 == url) {
            return Offer::Known;
        }
        if let Some(open) = self.open.iter_mut().find(|it| it.0 == url) {
            if rank <= open.1 {
                return Offer::Known;
            }
            open.1 = rank;
            return Offer::Raised;
        }
        self.open.push((url, rank, self.age));
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

fn address(url: u16) -> String {
    format!("http://h{}.example/{url}", url % 5)
}

fn check(frontier: &mut LocalFrontier, steps: &[Step]) {
    let mut plain = Plain::default();
    let mut leased: Vec<Taken> = Vec::new();
    for step in steps {
        match *step {
            Step::Offer { url, rank } => {
                let offer = frontier.offer(link(&address(url)), f64::from(rank)).unwrap();
                assert_eq!(offer, plain.offer(url, rank));
            }
            Step::Take => match (frontier.next(0).unwrap(), plain.take()) {
                (Next::Link(taken), Some(url)) => {
                    assert_eq!(taken.link.url.as_str(), address(url));
                    leased.push(*taken);
                }
                (Next::Busy, None) => assert!(!leased.is_empty()),
                (Next::Nothing, None) => assert!(leased.is_empty()),
                (next, expected) => panic!("{next:?} where {expected:?} is expected"),
            },
            Step::Finish if !leased.is_empty() => {
                frontier.finish(&leased.remove(0), 0).unwrap();
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
    fn in_memory_it_is_a_sorted_list(steps in steps()) {
        check(&mut LocalFrontier::in_memory(FrontierLimits::default()), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn on_disk_it_is_a_sorted_list(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let frontier = LocalFrontier::on_disk(folder.path(), FrontierLimits::default());
        check(&mut frontier.unwrap(), &steps);
    }
}

/// More links than are kept in memory come out in order all the same.
#[test]
fn long_queues_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut frontier = LocalFrontier::on_disk(folder.path(), FrontierLimits::default()).unwrap();
    let rank = |n: u32| f64::from(n * 7_919 % 5_000);
    for n in 0..5_000 {
        frontier.offer(link(&format!("http://a.example/p{n}")), rank(n)).unwrap();
        if n == 2_500 {
            frontier.commit(Vec::new()).unwrap();
        }
    }
    for expected in (0..5_000).rev() {
        let taken = taken(frontier.next(0).unwrap());
        assert!((taken.rank - f64::from(expected)).abs() < f64::EPSILON);
        frontier.finish(&taken, 0).unwrap();
    }
    assert_eq!(frontier.next(0).unwrap(), Next::Nothing);
}
