//! Figures for Prometheus, while a crawl runs.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use ontrail_crawl::Summary;
use ontrail_serve::{Answer, Limits, Server};

/// The text format of Prometheus.
const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";
/// A program or two ask for metrics, and ask fast.
const LIMITS: Limits = Limits { connections: 8, idle: Duration::from_secs(2) };

/// Answers with the latest figures, until it is dropped.
pub(crate) struct Endpoint {
    text: Arc<Mutex<String>>,
    _server: Server,
}

impl Endpoint {
    /// Begins to listen.
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind(address)
            .with_context(|| format!("--metrics: cannot listen on {address}"))?;
        let text = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&text);
        let server = Server::start(vec![listener], LIMITS, move |request| {
            let answer = match request.target {
                "/metrics" => {
                    let text = shared.lock().map(|text| text.clone()).unwrap_or_default();
                    Answer::text(KIND, text)
                }
                _ => Answer::status(404),
            };
            answer.with("Connection", "close").into()
        });
        let server = server.context("--metrics: a thread cannot be started")?;
        Ok(Self { text, _server: server })
    }

    /// Takes up the latest figures.
    pub(crate) fn set(&self, summary: &Summary) {
        if let Ok(mut text) = self.text.lock() {
            *text = exposition(summary);
        }
    }
}

/// The figures in the text format of Prometheus.
fn exposition(summary: &Summary) -> String {
    let mut text = String::new();
    let mut figure = |name: &str, kind: &str, help: &str, value: f64| {
        text += &format!(
            "# HELP ontrail_{name} {help}\n# TYPE ontrail_{name} {kind}\nontrail_{name} {value}\n"
        );
    };
    figure("pages_total", "counter", "Pages downloaded.", summary.downloaded as f64);
    figure("stored_pages_total", "counter", "Pages stored.", summary.stored as f64);
    figure("bytes_total", "counter", "Bytes of bodies.", summary.bytes as f64);
    figure("redirects_total", "counter", "Redirects followed.", summary.redirects as f64);
    figure("retries_total", "counter", "Fetches tried again.", summary.retries as f64);
    if let Some(own) = &summary.own {
        figure("relevant_pages_total", "counter", "Pages on the topic.", own.relevant as f64);
    }
    if let Some(rate) = summary.recent_harvest_rate {
        figure("recent_harvest_rate", "gauge", "Share of relevant pages of late.", rate);
    }
    figure("queued_links", "gauge", "Links that wait.", summary.frontier.queued as f64);
    figure("known_links", "gauge", "Addresses known.", summary.frontier.known as f64);
    figure("open_hosts", "gauge", "Hosts with waiting links.", summary.frontier.open_hosts as f64);
    figure("leased_links", "gauge", "Links being fetched.", summary.frontier.leased as f64);
    figure("seconds", "gauge", "Time spent.", summary.seconds);
    let labelled = [
        ("errors_total", "Fetches that failed.", &summary.errors),
        ("refused_links_total", "Links not taken up or not fetched.", &summary.refused),
    ];
    for (name, help, counts) in labelled {
        text += &format!("# HELP ontrail_{name} {help}\n# TYPE ontrail_{name} counter\n");
        for (kind, count) in counts {
            text += &format!("ontrail_{name}{{kind=\"{kind}\"}} {count}\n");
        }
    }
    text
}
