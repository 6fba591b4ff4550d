//! Figures for Prometheus, while a crawl runs.
//!
//! The text format is a few lines, and one address is all there is to answer, so this is a plain listener on a
//! thread of its own: one connection at a time, with bounds on time and size.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use ontrail_crawl::Summary;

/// Answers with the latest figures.
pub(crate) struct Endpoint {
    text: Arc<Mutex<String>>,
}

impl Endpoint {
    /// Begins to listen.
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind(address)
            .with_context(|| format!("--metrics: {address} cannot be listened at"))?;
        let text = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&text);
        std::thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || serve(&listener, &shared))
            .context("--metrics: a thread cannot be started")?;
        Ok(Self { text })
    }

    /// Takes up the latest figures.
    pub(crate) fn set(&self, summary: &Summary) {
        if let Ok(mut text) = self.text.lock() {
            *text = exposition(summary);
        }
    }
}

fn serve(listener: &TcpListener, text: &Mutex<String>) {
    for stream in listener.incoming().flatten() {
        let body = text.lock().map(|text| text.clone()).unwrap_or_default();
        // One who asks badly gets no answer; the next one does.
        let _ = answer(stream, &body);
    }
}

fn answer(mut stream: TcpStream, body: &str) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    stream.set_write_timeout(Some(Duration::from_secs(2)))?;
    let mut request = [0; 4_096];
    let length = stream.read(&mut request)?;
    let is_known = request[..length].starts_with(b"GET /metrics ");
    let (status, body) = if is_known { ("200 OK", body) } else { ("404 Not Found", "") };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
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
