//! What is seen of a crawl while it runs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use ontrail_cli::{LiveLine, Printer, count};
use ontrail_crawl::{ProgressFile, RunFolder, Summary};

use crate::endpoint::Endpoint;

/// How often `progress.json` is written.
const WRITE_EVERY: Duration = Duration::from_secs(2);
/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// How a crawl is watched.
#[derive(Debug, Clone, Args)]
pub(crate) struct WatchArgs {
    /// Print what happens on standard error, down to this level
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Level::Warn)]
    pub(crate) log: Level,
    /// Answer <http://ADDRESS/metrics> in the text format of Prometheus while the crawl runs
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<SocketAddr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl WatchArgs {
    pub(crate) fn start_tracing(&self) {
        let level = match self.log {
            Level::Error => tracing::Level::ERROR,
            Level::Warn => tracing::Level::WARN,
            Level::Info => tracing::Level::INFO,
            Level::Debug => tracing::Level::DEBUG,
            Level::Trace => tracing::Level::TRACE,
        };
        // Fails only if it was done before.
        let _ = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .try_init();
    }
}

/// Shows how a crawl stands: a line on a terminal, lines now and then elsewhere, a file, and an endpoint.
pub(crate) struct Watch<'a> {
    folder: &'a RunFolder,
    budget: u64,
    endpoint: Option<Endpoint>,
    stop: Arc<AtomicBool>,
    has_said_stop: bool,
    line: LiveLine,
    printer: &'a mut Printer,
    started: Instant,
    /// Pages that were there when this run began.
    earlier: Option<u64>,
    written: Option<Instant>,
    printed: Instant,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        folder: &'a RunFolder,
        budget: u64,
        endpoint: Option<Endpoint>,
        stop: Arc<AtomicBool>,
        printer: &'a mut Printer,
    ) -> Self {
        let line = printer.live_line();
        let started = Instant::now();
        Self {
            folder,
            budget,
            endpoint,
            stop,
            has_said_stop: false,
            line,
            printer,
            started,
            earlier: None,
            written: None,
            printed: started,
        }
    }

    /// Sees how the crawl stands.
    pub(crate) fn see(&mut self, summary: &Summary) {
        let earlier = *self.earlier.get_or_insert(summary.downloaded);
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = (summary.downloaded - earlier) as f64 / seconds.max(0.001);
        if self.stop.load(Ordering::Relaxed) {
            let left = summary.frontier.leased;
            let text = format!("stopping: {left} fetches end first; Ctrl-C again ends at once");
            if !self.has_said_stop && !self.printer.shows_progress() {
                self.printer.note(&text);
            }
            self.has_said_stop = true;
            self.line.set(text);
        } else {
            self.line.set(line(summary, rate, self.budget));
        }
        if !self.printer.shows_progress() && self.printed.elapsed() >= LINE_EVERY {
            self.printed = Instant::now();
            self.printer.note(line(summary, rate, self.budget));
        }
        if self.written.is_none_or(|written| written.elapsed() >= WRITE_EVERY) {
            self.written = Some(Instant::now());
            let budget = self.budget;
            let progress = ProgressFile { summary: summary.clone(), end: None, budget };
            if let Err(error) = self.folder.write_progress(&progress) {
                tracing::warn!(%error, "progress cannot be written");
            }
        }
        if let Some(endpoint) = &self.endpoint {
            endpoint.set(summary);
        }
    }
}

/// How a crawl stands, in one line.
fn line(summary: &Summary, rate: f64, budget: u64) -> String {
    let mut parts = vec![format!("{}/{} pages", count(summary.downloaded), count(budget))];
    parts.push(format!("{rate:.1}/s"));
    if let (Some(own), Some(recent)) = (&summary.own, summary.recent_harvest_rate) {
        parts.push(format!("{} relevant, {:.0} % of late", count(own.relevant), 100.0 * recent));
    }
    let frontier = &summary.frontier;
    parts.push(format!("{} wait on {} hosts", count(frontier.queued), count(frontier.open_hosts)));
    parts.push(format!("{} errors", count(summary.errors.values().sum())));
    // No more can come than is asked for, and for now no more than waits.
    let to_come = budget.saturating_sub(summary.downloaded).min(frontier.queued);
    if rate > 0.0 && to_come > 0 {
        parts.push(format!("{} left", span(to_come as f64 / rate)));
    }
    parts.join(" · ")
}

/// A span of time for people.
pub(crate) fn span(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let whole = seconds.clamp(0.0, 1e9).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        3_600..86_400 => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
        _ => format!("{} d {} h", whole / 86_400, whole % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_for_people() {
        assert_eq!(span(59.4), "59 s");
        assert_eq!(span(61.0), "1 min 1 s");
        assert_eq!(span(7_260.0), "2 h 1 min");
        assert_eq!(span(90_000.0), "1 d 1 h");
        assert_eq!(span(f64::INFINITY), span(1e9));
    }
}
