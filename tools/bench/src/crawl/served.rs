//! A server that does nothing but answer fast: what is measured is who asks.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::site::Site;

/// Serves on a port of this machine that is free, and says which.
pub(super) fn start() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no port to listen at")?;
    let port = listener.local_addr()?.port();
    let site = Arc::new(Site::new());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let site = Arc::clone(&site);
            // A thread for each connection: there are as many as the crawler opens.
            std::thread::spawn(move || {
                // Whoever breaks off is gone.
                let _ = converse(&stream, &site);
            });
        }
    });
    Ok(port)
}

/// Answers requests until the other side has none.
fn converse(stream: &TcpStream, site: &Site) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        while line.trim_end() != "" {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
        }
        (&mut &*stream).write_all(&answer(&path, site))?;
    }
}

fn answer(path: &str, site: &Site) -> Vec<u8> {
    let number = match path {
        "/" => Some(0),
        _ => path.strip_prefix("/p/").and_then(|it| it.strip_suffix(".html")?.parse().ok()),
    };
    let (status, body) = match number {
        Some(number) => ("200 OK", site.page(number)),
        None => ("404 Not Found", String::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}
