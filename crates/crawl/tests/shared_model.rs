//! A model of the protocol of a crawl that several workers share over a server, and a search of all
//! its states for small crawls.
//!
//! Tests with real workers and a real server see a few of the orders in which things can happen.
//! Here every order is tried: two workers and two partitions take every step of the protocol at
//! every moment at which it is possible, one script or one command at a time, while workers die and
//! return, leases run out under workers that are too slow, and nodes of the server lose the last
//! writes that they had acknowledged. [`worker`] models what a worker does and [`server`] the
//! scripts; the names are those of the crate. These must hold in every state:
//!
//! * No page is finished twice, and a page that is finished is in the archive of a worker.
//! * Two workers never fetch from one partition at the same time.
//! * Nobody leaves before all pages that can be reached are finished.
//! * The end of the crawl can still be reached.
//!
//! A model that finds nothing wrong may just be blind. So each rule that keeps the protocol right
//! is left out once ([`Flaw`]), and then the search must find what goes wrong.
//!
//! The model assumes that clocks agree well enough for a worker to stop using a partition before
//! its lease runs out, and that requests have ended by then. A node that fails loses at most the
//! writes of the last seconds. While a node has just forgotten a lease, two workers may hold a
//! partition; that is the only exception to the rules above, together with pages that are fetched
//! again because their commits were forgotten.

#[path = "shared_model/letters.rs"]
mod letters;
#[path = "shared_model/same.rs"]
mod same;
#[path = "shared_model/search.rs"]
mod search;
#[path = "shared_model/server.rs"]
mod server;
#[path = "shared_model/setting.rs"]
mod setting;
#[path = "shared_model/worker.rs"]
mod worker;
#[path = "shared_model/world.rs"]
mod world;

use search::explore;
use setting::{Flaw, Setting, Web};

/// Two pages in two partitions that link to each other.
const PAIR: Web = Web { partitions: &[0, 1], links: &[&[1], &[0]], seeds: &[0] };
/// The same, but the crawl begins with both.
const SEEDS: Web = Web { seeds: &[0, 1], ..PAIR };
/// Links that go back and forth.
const CHAIN: Web = Web { partitions: &[0, 1, 0], links: &[&[1], &[2], &[0]], seeds: &[0] };
/// Two ways from the first page to the last.
const DIAMOND: Web =
    Web { partitions: &[0, 1, 1, 0], links: &[&[1, 2], &[3], &[3], &[]], seeds: &[0] };
/// A second page of the first partition sends a second letter to the other one.
const LATER: Web =
    Web { partitions: &[0, 1, 1, 0], links: &[&[1, 3], &[], &[], &[2]], seeds: &[0] };

/// A crawl that has just been shared out. Its server forgets nothing, so it may be trusted.
const RUNNING: Setting = Setting {
    web: PAIR,
    is_running: true,
    crashes: 0,
    returns: false,
    expiries: 0,
    releases: 0,
    rollbacks: 0,
    flaws: &[Flaw::TrustsAcknowledgement],
};
/// A crawl that nobody has begun.
const NEW: Setting = Setting { is_running: false, ..RUNNING };
/// A crawl whose server forgets writes that it has acknowledged.
const FORGETFUL: Setting = Setting { rollbacks: 1, flaws: &[], ..RUNNING };

/// Asserts that nothing goes wrong, and that the search has seen about as many states as it should.
#[track_caller]
fn assert_right(setting: &Setting, least: usize) {
    let found = explore(setting);
    assert_eq!(found.violation, None, "{setting:?}");
    assert!(found.ends > 0 && found.states >= least, "only {} states", found.states);
}

/// Asserts that the search finds what goes wrong.
#[track_caller]
fn assert_wrong(setting: &Setting, flaws: &'static [Flaw], expected: &str) {
    let found = explore(&Setting { flaws, ..*setting });
    let Some((violation, steps)) = found.violation else {
        panic!("{flaws:?}: found nothing in {} states", found.states);
    };
    assert_eq!(violation, expected, "{flaws:?}: {steps:?}");
}

#[test]
fn a_crawl_without_trouble_ends_with_all_pages() {
    assert_right(&Setting { web: CHAIN, ..NEW }, 6_000);
    assert_right(&Setting { web: SEEDS, ..NEW }, 6_000);
    assert_right(&Setting { web: DIAMOND, releases: 1, ..RUNNING }, 7_000);
}

#[test]
fn a_worker_that_dies_loses_nothing_whether_it_returns_or_not() {
    assert_right(&Setting { web: DIAMOND, crashes: 1, ..RUNNING }, 11_000);
    assert_right(&Setting { web: CHAIN, crashes: 1, returns: true, ..RUNNING }, 7_000);
    assert_right(&Setting { crashes: 2, returns: true, ..RUNNING }, 6_000);
}

#[test]
fn a_worker_that_wakes_up_after_its_lease_has_run_out_changes_nothing() {
    assert_right(&Setting { web: CHAIN, expiries: 1, ..RUNNING }, 13_000);
    assert_right(&Setting { crashes: 1, expiries: 1, ..RUNNING }, 36_000);
}

#[test]
fn a_server_that_forgets_its_last_writes_loses_no_link() {
    assert_right(&FORGETFUL, 7_000);
}

/// Run it with optimisation: it needs minutes without.
#[test]
#[ignore = "explores millions of states"]
fn several_troubles_at_once_lose_nothing() {
    assert_right(&Setting { web: SEEDS, releases: 1, ..NEW }, 80_000);
    assert_right(&Setting { web: SEEDS, crashes: 1, ..NEW }, 230_000);
    assert_right(&Setting { web: DIAMOND, expiries: 1, ..RUNNING }, 10_000);
    assert_right(&Setting { crashes: 1, returns: true, expiries: 1, ..RUNNING }, 300_000);
    assert_right(&Setting { web: LATER, ..FORGETFUL }, 140_000);
    assert_right(&Setting { releases: 1, ..FORGETFUL }, 300_000);
    assert_right(&Setting { crashes: 1, ..FORGETFUL }, 80_000);
}

#[test]
fn commits_need_a_fence() {
    let late = Setting { expiries: 1, ..RUNNING };
    let flaws = &[Flaw::TrustsAcknowledgement, Flaw::NoFence];
    assert_wrong(&late, flaws, "a page was finished twice");
}

#[test]
fn a_commit_must_be_recorded_before_it_is_applied() {
    let dying = Setting { crashes: 1, releases: 1, ..RUNNING };
    let flaws = &[Flaw::TrustsAcknowledgement, Flaw::LateRecord];
    assert_wrong(&dying, flaws, "a finished page is in no archive");
}

#[test]
fn a_letter_must_arrive_before_it_leaves_the_outbox() {
    let dying = Setting { crashes: 1, ..RUNNING };
    let flaws = &[Flaw::TrustsAcknowledgement, Flaw::EarlyTrim];
    assert_wrong(&dying, flaws, "a worker leaves before all pages are finished");
}

#[test]
fn a_partition_must_not_be_used_between_offer_and_commit() {
    let handing_over = Setting { releases: 1, ..RUNNING };
    let flaws = &[Flaw::TrustsAcknowledgement, Flaw::AdoptsAtAnyTime];
    assert_wrong(&handing_over, flaws, "a worker leaves before all pages are finished");
}

#[test]
fn one_look_does_not_prove_rest() {
    let flaws = &[Flaw::TrustsAcknowledgement, Flaw::SingleLook];
    let chain = Setting { web: CHAIN, ..RUNNING };
    assert_wrong(&chain, flaws, "a worker leaves before all pages are finished");
}

#[test]
fn every_worker_must_offer_the_seeds() {
    let dying = Setting { web: SEEDS, crashes: 1, ..NEW };
    let flaws = &[Flaw::TrustsAcknowledgement, Flaw::JoinersBringNoSeeds];
    assert_wrong(&dying, flaws, "a worker leaves before all pages are finished");
}

#[test]
fn requests_must_end_before_the_lease() {
    let late = Setting { expiries: 1, ..RUNNING };
    for flaw in [
        &[Flaw::TrustsAcknowledgement, Flaw::OldLease],
        &[Flaw::TrustsAcknowledgement, Flaw::LongRequest],
    ] {
        assert_wrong(&late, flaw, "two workers fetch from one partition at the same time");
    }
}

#[test]
fn a_lease_that_is_lost_and_taken_again_must_not_be_forgotten() {
    let late = Setting { expiries: 1, ..RUNNING };
    let flaws = &[Flaw::TrustsAcknowledgement, Flaw::ForgetsNewLease];
    assert_wrong(&late, flaws, "a partition is taken again and again");
}

#[test]
fn letters_that_a_server_has_acknowledged_may_be_lost() {
    let expected = "a worker leaves before all pages are finished";
    assert_wrong(&FORGETFUL, &[Flaw::TrustsAcknowledgement], expected);
}

#[test]
fn a_letter_is_removed_by_its_name() {
    let expected = "a worker leaves before all pages are finished";
    assert_wrong(&Setting { web: LATER, ..FORGETFUL }, &[Flaw::TrimsByCount], expected);
}

#[test]
fn a_worker_without_links_must_notice_that_its_commits_are_lost() {
    assert_wrong(&FORGETFUL, &[Flaw::NeverLooksBack], "the crawl can no longer end");
}

#[test]
fn an_epoch_that_a_server_has_forgotten_must_not_return() {
    let expected = "a worker leaves before all pages are finished";
    assert_wrong(&Setting { crashes: 1, ..FORGETFUL }, &[Flaw::ReusesEpoch], expected);
}
