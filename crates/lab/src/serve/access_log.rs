//! The access log of a served web: what was asked and when, as the web saw it.
//!
//! A crawler's own log says what it meant to do. The access log is the other side, by which a test
//! can prove that all crawlers together were polite. Each line is written at once and in one piece,
//! so the log is whole even if the server is killed.

use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The file that a served web logs its requests to.
///
/// A line has seven fields, separated by tabs: the times of request and answer in milliseconds
/// since the log was created, host, path with query, address of the client, status, and user agent.
#[derive(Debug)]
pub struct AccessLog {
    start: Instant,
    /// The file, or the error that ended the log.
    file: Mutex<Result<File, Option<io::Error>>>,
}

/// One request and its answer.
#[derive(Debug)]
pub(super) struct Access<'a> {
    /// The time at which the request had arrived.
    pub(super) asked: Instant,
    /// The time at which the server began to send the answer.
    pub(super) answered: Instant,
    pub(super) host: &'a str,
    pub(super) path: &'a str,
    pub(super) client: SocketAddr,
    pub(super) status: u16,
    pub(super) agent: &'a str,
}

impl AccessLog {
    /// Creates the log. The file must not exist.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::create_new(path)?;
        Ok(Self { start: Instant::now(), file: Mutex::new(Ok(file)) })
    }

    /// Appends a line. After an error, such as a full disk, nothing more is written.
    pub(super) fn write(&self, access: &Access<'_>) {
        let line = self.line(access);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = &mut *file
            && let Err(error) = open.write_all(line.as_bytes())
        {
            *file = Err(Some(error));
        }
    }

    /// Returns the error that ended the log, if there was one and it was not returned before.
    pub(super) fn take_error(&self) -> Option<io::Error> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.as_mut().err().and_then(Option::take)
    }

    fn line(&self, access: &Access<'_>) -> String {
        let (asked, answered) = (self.since_start(access.asked), self.since_start(access.answered));
        let Access { client, status, .. } = access;
        let (host, path, agent) = (plain(access.host), plain(access.path), plain(access.agent));
        format!("{asked}\t{answered}\t{host}\t{path}\t{client}\t{status}\t{agent}\n")
    }

    /// Returns milliseconds with three decimals.
    fn since_start(&self, time: Instant) -> String {
        let since: Duration = time.saturating_duration_since(self.start);
        format!("{}.{:03}", since.as_millis(), since.subsec_micros() % 1_000)
    }
}

/// Replaces everything that could be mistaken for the end of a field or a line.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_seven_fields_whatever_the_client_sends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.tsv");
        let log = AccessLog::create(&path).unwrap();
        let at = |micros| log.start + Duration::from_micros(micros);
        log.write(&Access {
            asked: at(1_234_005),
            answered: at(2_000_000),
            host: "a.example",
            path: "/x?y\tz",
            client: "127.0.0.1:4000".parse().unwrap(),
            status: 200,
            agent: "Bot\t1\n2",
        });
        let text = std::fs::read_to_string(&path).unwrap();
        let wanted = "1234.005\t2000.000\ta.example\t/x?y z\t127.0.0.1:4000\t200\tBot 1 2\n";
        assert_eq!(text, wanted);
        assert!(log.take_error().is_none());
        assert!(AccessLog::create(&path).is_err(), "a log is never overwritten");
    }
}
