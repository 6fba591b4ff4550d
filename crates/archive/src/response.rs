//! HTTP responses as archives hold them.
//!
//! The parser forgives what servers of three decades have sent: odd status lines, headers without a
//! space or a colon, bare newlines. What can be read is read, and the rest is the body.

use crate::coding::unpack;

/// No body unpacks to more than this many bytes.
const LARGEST_BODY: usize = 64 << 20;

/// A server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code, 200 where the status line gives none.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body, freed of chunks and of compression (gzip, deflate, brotli, zstd).
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header, whatever the case of its name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The headers, in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Takes the block of a response record apart; `None` if it is no HTTP at all.
    pub(crate) fn parse(block: &[u8]) -> Option<Self> {
        if !block.starts_with(b"HTTP/") {
            return None;
        }
        let (head, body) = split_head(block);
        let head = String::from_utf8_lossy(head);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
            .collect();
        let mut response = Self { status: status.unwrap_or(200), headers, body: Vec::new() };
        response.body = response.decoded(body);
        Some(response)
    }

    fn decoded(&self, body: &[u8]) -> Vec<u8> {
        let says = |name: &str, value: &str| {
            self.header(name).is_some_and(|found| found.to_ascii_lowercase().contains(value))
        };
        let mut body = body.to_vec();
        // Archives often keep the header of a chunked answer after joining the chunks.
        if says("Transfer-Encoding", "chunked") {
            body = joined_chunks(&body).unwrap_or(body);
        }
        match self.header("Content-Encoding") {
            Some(codings) => unpack(codings, body, LARGEST_BODY).bytes,
            None => body,
        }
    }
}

/// The head and the body, which an empty line parts.
fn split_head(block: &[u8]) -> (&[u8], &[u8]) {
    let mut start = 0;
    while let Some(length) = block[start..].iter().position(|&byte| byte == b'\n') {
        let line = &block[start..start + length];
        if start > 0 && line.trim_ascii().is_empty() {
            return (&block[..start], &block[start + length + 1..]);
        }
        start += length + 1;
    }
    (block, &[])
}

/// The content of a chunked body, or `None` if it is not chunked after all.
fn joined_chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    loop {
        let Some((size, rest)) = chunk_size(body) else {
            // Broken after some good chunks: what came is kept.
            return (!joined.is_empty()).then_some(joined);
        };
        body = rest;
        if size == 0 {
            return Some(joined);
        }
        let chunk = &body[..size.min(body.len())];
        joined.extend_from_slice(chunk);
        body = &body[chunk.len()..];
        body = body.strip_prefix(b"\r\n").or(body.strip_prefix(b"\n")).unwrap_or(body);
        if body.is_empty() {
            // Cut off in the middle: what came is kept.
            return Some(joined);
        }
    }
}

/// The size that a chunk starts with, and what follows it.
fn chunk_size(body: &[u8]) -> Option<(usize, &[u8])> {
    let end = body.iter().take(1_000).position(|&byte| byte == b'\n')?;
    let size = std::str::from_utf8(&body[..end]).ok()?.split(';').next()?.trim();
    Some((usize::from_str_radix(size, 16).ok()?, &body[end + 1..]))
}
