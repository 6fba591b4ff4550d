//! Shows the progress of a crawl while it runs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use ontrail_cli::{LiveLine, Printer, count};
use ontrail_crawl::{DiskUse, ProgressFile, RunFolder, Summary, Waiting};

use crate::endpoint::Endpoint;
use crate::upload::Upload;

/// Interval at which `progress.json` is written.
const WRITE_EVERY: Duration = Duration::from_secs(2);
/// Interval at which the crawl folder is measured for the metrics.
const MEASURE_EVERY: Duration = Duration::from_secs(5);
/// Interval at which a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// The arguments about progress and logging.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Progress and logging")]
pub(crate) struct WatchArgs {
    /// Log to standard error: everything of at least this severity
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Level::Warn)]
    pub(crate) log: Level,
    /// Form of the log: text for people, or one JSON object per line for programs
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) log_format: LogFormat,
    /// Serve Prometheus metrics under /metrics on this IP address and port while the crawl runs
    #[arg(long, value_name = "IP:PORT")]
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

/// The form of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
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
        let log = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(ontrail_cli::log_writer)
            .with_ansi(false);
        // Both fail only if a subscriber is already set.
        let _ = match self.log_format {
            LogFormat::Text => log.try_init(),
            LogFormat::Json => log.json().try_init(),
        };
    }
}

/// Shows the progress of a crawl in four places: a live line on a terminal, a line now and then
/// elsewhere, `progress.json`, and the metrics endpoint.
pub(crate) struct Watch<'a> {
    folder: &'a RunFolder,
    budget: u64,
    endpoint: Option<Endpoint>,
    stop: Arc<AtomicBool>,
    has_announced_stop: bool,
    line: LiveLine,
    printer: &'a mut Printer,
    started: Instant,
    /// Number of pages that earlier runs had fetched.
    earlier: Option<u64>,
    written: Option<Instant>,
    /// The use of the disk, and the time when it was measured.
    measured: Option<(Instant, DiskUse)>,
    printed: Instant,
    /// The upload of the results, if there is one.
    pub(crate) upload: Option<&'a Upload>,
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
            has_announced_stop: false,
            line,
            printer,
            started,
            earlier: None,
            written: None,
            measured: None,
            printed: started,
            upload: None,
        }
    }

    /// Shows the current figures.
    pub(crate) fn update(&mut self, summary: &Summary) {
        let earlier = *self.earlier.get_or_insert(summary.downloaded);
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = (summary.downloaded - earlier) as f64 / seconds.max(0.001);
        if self.stop.load(Ordering::Relaxed) {
            let left = summary.frontier.leased;
            let text = format!(
                "stopping after {left} running fetches; press Ctrl-C again to stop at once"
            );
            if !self.has_announced_stop && !self.printer.shows_progress() {
                self.printer.note(&text);
            }
            self.has_announced_stop = true;
            self.line.set(text);
        } else {
            self.line.set(self.text(summary, rate));
        }
        if !self.printer.shows_progress() && self.printed.elapsed() >= LINE_EVERY {
            self.printed = Instant::now();
            self.printer.note(self.text(summary, rate));
        }
        if self.written.is_none_or(|written| written.elapsed() >= WRITE_EVERY) {
            self.written = Some(Instant::now());
            let budget = self.budget;
            let progress =
                ProgressFile { summary: summary.clone(), end: None, budget, error: None };
            if let Err(error) = self.folder.write_progress(&progress) {
                tracing::warn!(%error, "cannot write progress.json");
            }
        }
        if let Some(endpoint) = &self.endpoint {
            let measured = self.measured.filter(|(time, _)| time.elapsed() < MEASURE_EVERY);
            let (_, disk) = *self.measured.insert(
                measured.unwrap_or_else(|| (Instant::now(), DiskUse::of(&self.folder.path))),
            );
            endpoint.set(summary, disk);
        }
    }

    /// Returns the progress of the crawl and of its upload in one line.
    fn text(&self, summary: &Summary, rate: f64) -> String {
        let text = line(summary, rate, self.budget);
        let upload = self.upload.and_then(Upload::waiting_text);
        upload.map_or(text.clone(), |upload| format!("{text} · {upload}"))
    }
}

/// Returns the progress of a crawl in one line.
fn line(summary: &Summary, rate: f64, budget: u64) -> String {
    let mut parts = vec![format!("{}/{} pages", count(summary.downloaded), count(budget))];
    parts.push(format!("{rate:.1}/s"));
    if let (Some(own), Some(recent)) = (&summary.own, summary.recent_harvest_rate) {
        parts.push(format!("{} relevant ({:.0} % recently)", count(own.relevant), 100.0 * recent));
    }
    let frontier = &summary.frontier;
    parts.push(format!(
        "{} links waiting on {} hosts",
        count(frontier.queued),
        count(frontier.open_hosts)
    ));
    parts.push(format!("{} errors", count(summary.errors.values().sum())));
    if let Some(waiting) = summary.waiting {
        parts.push(waiting_text(waiting));
        return parts.join(" · ");
    }
    // The rest is limited by the budget and, for now, by the links that wait.
    let to_come = budget.saturating_sub(summary.downloaded).min(frontier.queued);
    if rate > 0.0 && to_come > 0 {
        parts.push(format!("{} left", span(to_come as f64 / rate)));
    }
    parts.join(" · ")
}

/// Returns the reason why a crawl fetches nothing, for people.
pub(crate) fn waiting_text(waiting: Waiting) -> String {
    match waiting {
        Waiting::Paused { trouble } => format!("paused: {}", trouble.meaning()),
        Waiting::Lookups { hosts } => format!("looking up {} host name(s)", count(hosts)),
        Waiting::Hosts { hosts, failing: 0, until } => {
            format!("all {} host(s) are waiting, the next in {}", count(hosts), from_now(until))
        }
        Waiting::Hosts { hosts, failing, until } => format!(
            "all {} host(s) are waiting ({} do not answer), the next in {}",
            count(hosts),
            count(failing),
            from_now(until)
        ),
        Waiting::Retries { links, until } => {
            format!("{} failed link(s) to retry, the next in {}", count(links), from_now(until))
        }
        _ => "the queue is empty".to_owned(),
    }
}

/// Returns the span from now until a time in milliseconds since 1970.
fn from_now(until: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    span(until as f64 / 1_000.0 - now)
}

/// Formats a time span for people.
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
    fn time_spans_use_the_two_largest_units() {
        assert_eq!(span(59.4), "59 s");
        assert_eq!(span(61.0), "1 min 1 s");
        assert_eq!(span(7_260.0), "2 h 1 min");
        assert_eq!(span(90_000.0), "1 d 1 h");
        assert_eq!(span(f64::INFINITY), span(1e9));
    }
}
