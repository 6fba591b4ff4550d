//! Tests of the server over real connections.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use ontrail_serve::{Answer, Limits, Reply, Request, Server, Then};

/// Responds with the local address, the target and the Host header of the request.
fn echo(request: &Request<'_>) -> Reply {
    let host = request.header("HOST").unwrap_or("nobody");
    let body = format!("{} {} {host}", request.local.ip(), request.target);
    Answer::text("text/plain", body).into()
}

fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_connection_stays_open_until_one_side_closes_it() {
    let server = Server::at("127.0.0.1:0", echo).unwrap();
    let one = "GET /a?b HTTP/1.1\r\nHost: one\r\n\r\n";
    let last = "GET /c HTTP/1.1\r\nhost: two\r\nConnection: close\r\n\r\n";
    let answer = ask(server.address(), &format!("{one}{one}{last}"));
    assert_eq!(answer.matches("HTTP/1.1 200 \r\n").count(), 3, "{answer}");
    assert!(answer.contains("Content-Length: 18\r\n\r\n127.0.0.1 /a?b one"), "{answer}");
    assert!(answer.ends_with("127.0.0.1 /c two"));
    assert!(ask(server.address(), "GET / HTTP/1.0\r\n\r\n").ends_with("127.0.0.1 / nobody"));
    assert_eq!(server.answered(), 4);
}

#[test]
fn head_responses_have_no_body_and_bad_requests_are_refused() {
    let server = Server::at("127.0.0.1:0", echo).unwrap();
    let head = ask(server.address(), "HEAD /x HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(head.contains("Content-Length: 19") && head.ends_with("\r\n\r\n"), "{head}");
    assert!(ask(server.address(), "POST / HTTP/1.1\r\n\r\nbody").starts_with("HTTP/1.1 405 "));
    assert!(ask(server.address(), "nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(17 << 10));
    assert!(ask(server.address(), &long).starts_with("HTTP/1.1 400 "));
}

#[test]
fn one_server_listens_on_many_addresses() {
    let listeners = ["127.0.0.1:0", "127.0.0.2:0"].map(|at| TcpListener::bind(at).unwrap());
    let addresses = listeners.each_ref().map(|it| it.local_addr().unwrap());
    let _server = Server::start(listeners.into(), Limits::default(), echo).unwrap();
    for address in addresses {
        let answer = ask(address, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
        assert!(answer.ends_with(&format!("{} / nobody", address.ip())), "{answer}");
    }
}

#[test]
fn a_script_writes_arbitrary_bytes() {
    let server = Server::at("127.0.0.1:0", |request| match request.target {
        "/raw" => Reply::Script(Box::new(|out| {
            out.write_all(b"HTTP/9 what\r\n")?;
            Ok(Then::Close)
        })),
        _ => Answer::text("text/plain", "bye").with("Connection", "close").into(),
    })
    .unwrap();
    assert_eq!(ask(server.address(), "GET /raw HTTP/1.1\r\n\r\n"), "HTTP/9 what\r\n");
    assert!(ask(server.address(), "GET / HTTP/1.1\r\n\r\n").ends_with("bye"));
}

#[test]
fn connections_are_bounded_and_slow_ones_are_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let limits = Limits { connections: 1, idle: Duration::from_millis(300) };
    let server = Server::start(vec![listener], limits, echo).unwrap();
    let mut slow = TcpStream::connect(server.address()).unwrap();
    slow.write_all(b"GET / HT").unwrap();
    // While the slow connection is open, no other is served; the server closes it after a while.
    std::thread::sleep(Duration::from_millis(50));
    let mut other = TcpStream::connect(server.address()).unwrap();
    other.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert!(matches!(other.read(&mut [0; 8]), Ok(0) | Err(_)));
    slow.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert!(matches!(slow.read(&mut [0; 8]), Ok(0)));
    let answered = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        ask(server.address(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").contains(" / nobody")
    });
    assert!(answered);
}

#[test]
fn dropping_the_server_closes_open_connections() {
    let server = Server::at("127.0.0.1:0", echo).unwrap();
    let address = server.address();
    let mut open = TcpStream::connect(address).unwrap();
    open.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert!(open.read(&mut [0; 4_096]).unwrap() > 0);
    drop(server);
    // This is less than the idle limit: the drop closed the connection, not the time-out.
    open.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(open.read(&mut [0; 8]).unwrap(), 0);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_panic_in_the_answer_closes_only_that_connection() {
    let server = Server::at("127.0.0.1:0", |request| {
        assert!(request.target != "/panic", "as the test asks");
        Answer::status(204).into()
    })
    .unwrap();
    let mut broken = TcpStream::connect(server.address()).unwrap();
    broken.write_all(b"GET /panic HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(broken.read(&mut [0; 8]).unwrap_or(0), 0);
    let next = ask(server.address(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(next.starts_with("HTTP/1.1 204 "), "{next}");
}
