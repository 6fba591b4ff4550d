//! What a server answers.

use std::io::{self, Write};

/// What is sent for a request.
pub enum Reply {
    /// An answer as the protocol has it.
    Answer(Answer),
    /// Whatever this writes, as slowly and as wrongly as it likes.
    Script(Script),
}

/// Writes the bytes of an answer and says what becomes of the connection.
pub type Script = Box<dyn FnOnce(&mut dyn Write) -> io::Result<Then> + Send>;

/// What becomes of a connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It waits for another request.
    GoOn,
    /// It is closed.
    Close,
}

/// A status, headers and a body. The length of the body is said by whoever sends it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, all but `Content-Length`. After `Connection: close` the connection is closed.
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
    /// A status and nothing else.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// A body of some type.
    #[must_use]
    pub fn text(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.into() }.with("Content-Type", kind)
    }

    /// The same with a header more.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// What becomes of the connection by the headers.
    #[must_use]
    pub fn then(&self) -> Then {
        let closes = |(name, value): &(String, Vec<u8>)| {
            name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case(b"close")
        };
        if self.headers.iter().any(closes) { Then::Close } else { Then::GoOn }
    }

    /// Writes the answer in one piece; to a HEAD request without its body.
    pub fn write(&self, out: &mut dyn Write, is_head: bool) -> io::Result<()> {
        // There is no reason after the status: nobody reads it.
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
