//! Uploads the files of a folder on a thread of its own, as they become complete.
//!
//! Whoever writes the files never waits for the store. A store that fails is asked again after a
//! while that grows, for as long as it takes; at the end, patience is limited.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Candidate, DepotError, Mirror, UploadStatus};

/// Interval at which complete files are looked for.
const SCAN_EVERY: Duration = Duration::from_secs(1);
/// Interval at which the list of uploads is written.
const WRITE_EVERY: Duration = Duration::from_secs(2);
/// The first and the longest wait after a failure.
const WAITS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_mins(1));
/// Interval at which the end is waited for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// When files are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Others are still writing.
    Running,
    /// Everything is written.
    End,
}

/// Returns the complete files of a folder, in the order in which they are to be uploaded.
pub type Scan = Box<dyn FnMut(Moment) -> Result<Vec<Candidate>, String> + Send>;

/// An upload in progress.
#[derive(Debug)]
pub struct Uploader {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    status: UploadStatus,
    moment: Moment,
    is_abandoned: bool,
    has_ended: bool,
    /// The time of the last upload that succeeded.
    succeeded: Instant,
}

impl Uploader {
    /// Starts to upload what a scan finds.
    pub fn start(mirror: Mirror, scan: Scan) -> Result<Self, DepotError> {
        let state = State {
            status: UploadStatus::default(),
            moment: Moment::Running,
            is_abandoned: false,
            has_ended: false,
            succeeded: Instant::now(),
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let mut worker = Worker {
            mirror,
            scan,
            shared: Arc::clone(&shared),
            done: BTreeSet::new(),
            written: None,
        };
        let thread = std::thread::Builder::new().name("uploader".to_owned());
        thread.spawn(move || worker.work()).map_err(DepotError::Thread)?;
        Ok(Self { shared })
    }

    /// Returns how far the upload is.
    #[must_use]
    pub fn status(&self) -> UploadStatus {
        self.shared.lock().status.clone()
    }

    /// Waits until everything is uploaded, or the store has failed for as long as `patience` says,
    /// or `go_on` returns false. Returns what is left.
    #[must_use]
    pub fn finish(
        self,
        patience: Duration,
        mut go_on: impl FnMut(&UploadStatus) -> bool,
    ) -> UploadStatus {
        let asked = Instant::now();
        self.shared.lock().moment = Moment::End;
        self.shared.changed.notify_all();
        loop {
            let state = self.shared.lock();
            let is_hopeless =
                state.status.error.is_some() && state.succeeded.max(asked).elapsed() >= patience;
            let status = state.status.clone();
            let is_over = state.has_ended || is_hopeless;
            drop(state);
            if is_over || !go_on(&status) {
                return status;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Uploader {
    fn drop(&mut self) {
        self.shared.lock().is_abandoned = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, but not longer than until the moment changes.
    fn wait(&self, moment: Moment, time: Duration) {
        let is_same = |state: &mut State| state.moment == moment && !state.is_abandoned;
        // Nothing is left to do with the guard.
        let _ = self.changed.wait_timeout_while(self.lock(), time, is_same);
    }
}

struct Worker {
    mirror: Mirror,
    scan: Scan,
    shared: Arc<Shared>,
    /// The names of the files that are uploaded.
    done: BTreeSet<String>,
    /// When the list of uploads was written.
    written: Option<Instant>,
}

impl Worker {
    fn work(&mut self) {
        let mut failures = 0;
        // From now on the folder remembers where it is uploaded to, and by which mark.
        self.write_ledger(true);
        loop {
            let (moment, is_abandoned) = {
                let state = self.shared.lock();
                (state.moment, state.is_abandoned)
            };
            if is_abandoned {
                return;
            }
            let before = self.done.len();
            let error = self.round(moment);
            failures = if self.done.len() > before { 0 } else { failures };
            let is_final = error.as_ref().is_some_and(|(_, is_final)| *is_final);
            let has_failed = error.is_some();
            self.shared.lock().status.error = error.map(|(text, _)| text);
            self.write_ledger(moment == Moment::End || has_failed);
            if is_final || !has_failed && moment == Moment::End {
                self.shared.lock().has_ended = true;
                return;
            }
            failures = if has_failed { failures + 1 } else { 0 };
            let time = if has_failed { wait_after(failures) } else { SCAN_EVERY };
            self.shared.wait(moment, time);
        }
    }

    /// Uploads what waits. Returns the first error, and whether it is final. While others are still
    /// writing, somebody may yet correct what a store refuses.
    fn round(&mut self, moment: Moment) -> Option<(String, bool)> {
        let files = match (self.scan)(moment) {
            Ok(files) => files,
            Err(error) => return Some((error, false)),
        };
        let (settled, pending): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| self.mirror.is_settled(file));
        self.done.extend(settled.into_iter().map(|file| file.name));
        let mut waiting = pending.len() as u64;
        self.show(waiting);
        let mut first = None;
        for file in pending {
            if self.shared.lock().is_abandoned {
                return None;
            }
            match self.mirror.bring(&file) {
                Ok(_) => {
                    waiting -= 1;
                    self.done.insert(file.name);
                    self.show(waiting);
                    self.shared.lock().succeeded = Instant::now();
                    self.write_ledger(false);
                }
                Err(error) => {
                    let is_local = matches!(error, DepotError::Io { .. } | DepotError::Changed(_));
                    let is_final = error.is_final() || moment == Moment::End && error.is_refusal();
                    first.get_or_insert((with_causes(&error), is_final));
                    // A file that cannot be read does not keep the others.
                    if !is_local {
                        break;
                    }
                }
            }
        }
        first
    }

    fn show(&self, waiting: u64) {
        let mut state = self.shared.lock();
        state.status.waiting = waiting;
        state.status.uploaded = self.done.len() as u64;
    }

    /// Writes the list of uploads, at once or now and then. A failure does no harm: without the
    /// list, files are compared with the store.
    fn write_ledger(&mut self, at_once: bool) {
        if at_once || self.written.is_none_or(|time| time.elapsed() >= WRITE_EVERY) {
            self.written = Some(Instant::now());
            let status = self.shared.lock().status.clone();
            let _ = self.mirror.write_ledger(&status);
        }
    }
}

/// Returns the wait after so many failures in a row.
fn wait_after(failures: u32) -> Duration {
    let (first, longest) = WAITS;
    first.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(longest)
}

/// Returns the text of an error and of its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute() {
        let waits = [1, 2, 3, 7, 8, 40].map(|failures| wait_after(failures).as_millis());
        assert_eq!(waits, [500, 1_000, 2_000, 32_000, 60_000, 60_000]);
    }
}
