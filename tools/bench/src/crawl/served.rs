//! A server that does nothing but answer fast: what is measured is who asks.

use std::net::TcpListener;

use anyhow::{Context as _, Result};
use ontrail_serve::{Answer, Limits, Server};

use super::site::Site;

/// Serves on a port of this machine that is free.
pub(super) fn start() -> Result<Server> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no port to listen at")?;
    // There are as many connections as the crawler opens.
    let limits = Limits { connections: usize::MAX, ..Limits::default() };
    let site = Site::new();
    let server =
        Server::start(vec![listener], limits, move |request| answer(request.target, &site).into());
    server.context("a server cannot be started")
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
