//! How fast a served web answers: a latency, and a greatest number of answers per host.
//!
//! Every connection has a thread of its own, so a request waits by letting its thread sleep. A
//! sleeping thread takes some 30 kB of memory, and thousands of them no processor time.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The speed of a served web.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// The least time between a request and its answer.
    pub latency: Duration,
    /// The least time between two answers of one host.
    pub interval: Duration,
}

/// The requests to one host that wait for their turn, first come, first served.
///
/// A client that goes away keeps its place: the server notices it only when it answers.
#[derive(Debug, Default)]
pub(super) struct Line {
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<(u64, Thread)>,
    /// The number of the next request.
    next: u64,
    /// The time of the last answer.
    last: Option<Instant>,
}

impl Line {
    /// Waits until all earlier requests have had their turn, until the time `ready`, and until
    /// `interval` has passed since the turn before. Returns the time of this turn.
    pub(super) fn wait(&self, ready: Instant, interval: Duration) -> Instant {
        let number = self.join();
        loop {
            match self.turn(number, ready, interval) {
                Turn::Now(now) => return now,
                Turn::After(pause) => thread::park_timeout(pause),
                Turn::Later => thread::park(),
            }
        }
    }

    /// Joins the end of the line. Returns the number of this request.
    fn join(&self) -> u64 {
        let mut queue = self.queue();
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push_back((number, thread::current()));
        number
    }

    /// Takes the turn of a request if it has come.
    fn turn(&self, number: u64, ready: Instant, interval: Duration) -> Turn {
        let mut queue = self.queue();
        if queue.waiting.front().is_some_and(|(first, _)| *first != number) {
            return Turn::Later;
        }
        let due = queue.last.map_or(ready, |last| ready.max(last + interval));
        let now = Instant::now();
        if now < due {
            return Turn::After(due - now);
        }
        queue.last = Some(now);
        queue.waiting.pop_front();
        if let Some((_, next)) = queue.waiting.front() {
            next.unpark();
        }
        Turn::Now(now)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When a request has its turn.
enum Turn {
    Now(Instant),
    After(Duration),
    /// After others, one of which will wake this thread up.
    Later,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn turns_keep_their_distance_and_their_order() {
        const INTERVAL: Duration = Duration::from_millis(5);
        let line = Arc::new(Line::default());
        let mut turns = Vec::new();
        for number in 0..20 {
            let own = Arc::clone(&line);
            turns.push(thread::spawn(move || own.wait(Instant::now(), INTERVAL)));
            // The next request comes when this one is in line.
            while line.queue().next <= number {
                thread::yield_now();
            }
        }
        let turns: Vec<Instant> = turns.into_iter().map(|it| it.join().unwrap()).collect();
        for pair in turns.windows(2) {
            assert!(pair[1] >= pair[0] + INTERVAL, "{pair:?}");
        }
    }

    #[test]
    fn a_turn_waits_until_its_request_is_ready() {
        let line = Line::default();
        let ready = Instant::now() + Duration::from_millis(20);
        assert!(line.wait(ready, Duration::ZERO) >= ready);
        assert!(line.queue().waiting.is_empty());
    }
}
