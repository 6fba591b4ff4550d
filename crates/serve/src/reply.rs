//! Responses.

use std::io::{self, Write};

/// The response to a request.
pub enum Reply {
    /// A well-formed HTTP response.
    Answer(Answer),
    /// Arbitrary bytes, which a script writes as slowly and as malformed as a test needs.
    Script(Script),
}

/// Writes the bytes of a response and returns the next step for the connection.
pub type Script = Box<dyn FnOnce(&mut dyn Write) -> io::Result<Then> + Send>;

/// The next step for a connection after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Keep it open and wait for another request.
    GoOn,
    /// Close it.
    Close,
}

/// A response: status, headers and body. `Content-Length` is added when it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers except `Content-Length`. `Connection: close` closes the connection.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl Answer {
    /// Returns a response with a status code and nothing else.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// Returns a response with status 200 and a body of the content type `kind`.
    #[must_use]
    pub fn text(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.into() }.with("Content-Type", kind)
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Returns the next step for the connection, according to the headers.
    #[must_use]
    pub fn then(&self) -> Then {
        let closes = |(name, value): &(String, Vec<u8>)| {
            name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case(b"close")
        };
        if self.headers.iter().any(closes) { Then::Close } else { Then::GoOn }
    }

    /// Writes the response in one piece, without its body if the request is a HEAD request.
    pub fn write(&self, out: &mut dyn Write, is_head: bool) -> io::Result<()> {
        // No reason phrase follows the status: clients do not read it.
        let mut bytes = format!("HTTP/1.1 {} \r\n", self.status).into_bytes();
        bytes.reserve(self.body.len() + 256);
        for (name, value) in &self.headers {
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                bytes.extend_from_slice(part);
            }
        }
        bytes.extend(format!("Content-Length: {}\r\n\r\n", self.body.len()).into_bytes());
        if !is_head {
            bytes.extend_from_slice(&self.body);
        }
        out.write_all(&bytes)?;
        out.flush()
    }
}
