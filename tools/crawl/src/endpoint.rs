//! Serves metrics in the format of Prometheus while a crawl runs.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use ontrail_crawl::{BUCKETS, DiskUse, Histogram, Summary};
use ontrail_serve::{Answer, Limits, Server};

/// Content type of the Prometheus text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Limits for one or two programs on the same network, which send requests without delay.
const LIMITS: Limits = Limits { connections: 8, idle: Duration::from_secs(2) };

/// An endpoint that serves the latest metrics until it is dropped.
pub(crate) struct Endpoint {
    text: Arc<Mutex<String>>,
    _server: Server,
}

impl Endpoint {
    /// Starts to listen.
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind(address)
            .with_context(|| format!("--metrics: cannot listen on {address}"))?;
        let text = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&text);
        let server = Server::start(vec![listener], LIMITS, move |request| {
            let answer = match request.target {
                "/metrics" => {
                    let text = shared.lock().map(|text| text.clone()).unwrap_or_default();
                    Answer::text(CONTENT_TYPE, text)
                }
                _ => Answer::status(404),
            };
            answer.with("Connection", "close").into()
        });
        let server = server.context("--metrics: cannot start a thread")?;
        Ok(Self { text, _server: server })
    }

    /// Replaces the metrics.
    pub(crate) fn set(&self, summary: &Summary, disk: DiskUse) {
        if let Ok(mut text) = self.text.lock() {
            *text = exposition(summary, disk);
        }
    }
}

/// Returns the metrics in the Prometheus text format.
fn exposition(summary: &Summary, disk: DiskUse) -> String {
    let mut text = String::new();
    let mut figure = |name: &str, kind: &str, help: &str, value: f64| {
        text += &format!(
            "# HELP ontrail_{name} {help}\n# TYPE ontrail_{name} {kind}\nontrail_{name} {value}\n"
        );
    };
    figure("pages_total", "counter", "Pages fetched.", summary.downloaded as f64);
    if let Some(elsewhere) = summary.elsewhere {
        let all = (summary.downloaded + elsewhere) as f64;
        figure("crawl_pages_total", "counter", "Pages fetched by all workers.", all);
    }
    figure("stored_pages_total", "counter", "Pages stored.", summary.stored as f64);
    figure("bytes_total", "counter", "Bytes of response bodies.", summary.bytes as f64);
    figure("redirects_total", "counter", "Redirects followed.", summary.redirects as f64);
    figure("retries_total", "counter", "Retries of failed fetches.", summary.retries as f64);
    if let Some(own) = &summary.own {
        figure(
            "relevant_pages_total",
            "counter",
            "Relevant pages, by the crawler's own relevance.",
            own.relevant as f64,
        );
    }
    if let Some(rate) = summary.recent_harvest_rate {
        figure(
            "recent_harvest_rate",
            "gauge",
            "Share of relevant pages among the most recent ones.",
            rate,
        );
    }
    figure("queued_links", "gauge", "Links waiting to be fetched.", summary.frontier.queued as f64);
    figure("known_links", "gauge", "URLs known.", summary.frontier.known as f64);
    figure("open_hosts", "gauge", "Hosts with waiting links.", summary.frontier.open_hosts as f64);
    let frontier = &summary.frontier;
    let delayed = frontier.delayed_hosts as f64;
    figure("delayed_hosts", "gauge", "Hosts waiting for their delay or back-off.", delayed);
    let failing = frontier.failing_hosts as f64;
    figure("failing_hosts", "gauge", "Hosts that do not answer.", failing);
    figure("postponed_links", "gauge", "Failed links to retry.", frontier.postponed as f64);
    figure("dropped_links_total", "counter", "Links dropped for better.", frontier.dropped as f64);
    let is_waiting = f64::from(u8::from(summary.waiting.is_some()));
    figure("is_waiting", "gauge", "1 if nothing is being fetched, otherwise 0.", is_waiting);
    figure("leased_links", "gauge", "Links being fetched.", summary.frontier.leased as f64);
    figure("folder_bytes", "gauge", "Bytes in the crawl folder.", disk.used as f64);
    if let Some(free) = disk.free {
        figure("free_disk_bytes", "gauge", "Bytes free on the disk of the folder.", free as f64);
    }
    figure("seconds", "gauge", "Seconds spent crawling.", summary.seconds);
    let labelled = [
        ("errors_total", "Fetches that failed.", &summary.errors),
        ("responses_total", "Responses by class of status.", &summary.statuses),
        ("refused_links_total", "Links that were not queued or not fetched.", &summary.refused),
    ];
    for (name, help, counts) in labelled {
        text += &format!("# HELP ontrail_{name} {help}\n# TYPE ontrail_{name} counter\n");
        for (kind, count) in counts {
            text += &format!("ontrail_{name}{{kind=\"{kind}\"}} {count}\n");
        }
    }
    let timings = &summary.timings;
    text += &histogram("fetch_seconds", "Duration of fetches.", &timings.fetch);
    text += &histogram("lookup_seconds", "Duration of lookups of host names.", &timings.lookup);
    text += &histogram("decision_seconds", "Duration of choices of a link.", &timings.decision);
    text += &histogram("commit_seconds", "Duration of commits.", &timings.commit);
    text + &process_figures()
}

/// Returns a histogram in the Prometheus text format.
fn histogram(name: &str, help: &str, histogram: &Histogram) -> String {
    let mut text = format!("# HELP ontrail_{name} {help}\n# TYPE ontrail_{name} histogram\n");
    let bounds = BUCKETS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    let mut total = 0;
    for (bound, count) in bounds.zip(histogram.counts) {
        total += count;
        text += &format!("ontrail_{name}_bucket{{le=\"{bound}\"}} {total}\n");
    }
    text + &format!("ontrail_{name}_sum {}\nontrail_{name}_count {total}\n", histogram.sum)
}

/// Returns the memory and the open files of this process, where the system tells.
fn process_figures() -> String {
    let gauge = |name: &str, help: &str, value: u64| {
        format!(
            "# HELP ontrail_{name} {help}\n# TYPE ontrail_{name} gauge\nontrail_{name} {value}\n"
        )
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = resident.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let files = std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64);
    let memory = resident.map(|it| gauge("memory_bytes", "Resident memory.", it * 1_024));
    let files = files.map(|it| gauge("open_files", "Open file descriptors.", it));
    [memory, files].into_iter().flatten().collect()
}
