//! A small HTTP server: listeners, a thread for each connection, and a function that answers.
//!
//! It serves what this project has to serve on this machine: woven webs on many loopback addresses, the metrics of a crawl, the
//! site of a benchmark, and the servers of tests, which answer well or badly as a test says. It speaks HTTP/1.1 with connections
//! that go on, answers GET and HEAD, bounds connections, time and sizes, and stops when it is dropped. It is no server for the
//! open network: there is no TLS and no defence but the bounds.
//!
//! ```
//! use std::io::{Read, Write};
//! use ontrail_serve::{Answer, Server};
//!
//! let server = Server::at("127.0.0.1:0", |request| match request.target {
//!     "/" => Answer::text("text/plain", "hello").into(),
//!     _ => Answer::status(404).into(),
//! })?;
//! let mut stream = std::net::TcpStream::connect(server.address())?;
//! stream.write_all(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! stream.read_to_string(&mut answer)?;
//! assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("hello"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod reply;
mod request;
mod server;

pub use reply::{Answer, Reply, Script, Then};
pub use request::Request;
pub use server::{Limits, Server};
