//! A server that answers as fast as possible, so that the benchmark measures the crawler.

use std::net::TcpListener;

use anyhow::{Context as _, Result};
use ontrail_serve::{Answer, Limits, Server};

use super::site::Site;

/// Starts the server on a free port of this machine.
pub(super) fn start() -> Result<Server> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on 127.0.0.1")?;
    // The crawler limits the number of connections.
    let limits = Limits { connections: usize::MAX, ..Limits::default() };
    let site = Site::new();
    let server =
        Server::start(vec![listener], limits, move |request| answer(request.target, &site).into());
    server.context("cannot start the server")
}

fn answer(path: &str, site: &Site) -> Answer {
    let number = match path {
        "/" => Some(0),
        _ => path.strip_prefix("/p/").and_then(|it| it.strip_suffix(".html")?.parse().ok()),
    };
    match number {
        Some(number) => Answer::text("text/html; charset=utf-8", site.page(number)),
        None => Answer::status(404),
    }
}
