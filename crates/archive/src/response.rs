//! HTTP responses in archives.
//!
//! The parser tolerates everything that servers have sent in three decades: odd status lines,
//! headers without a space or a colon, bare newlines. It reads what it can, and the rest is the
//! body.

use crate::coding::unpack;

/// Maximum size of a decompressed body in bytes.
const MAX_BODY_BYTES: usize = 64 << 20;

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code; 200 if the status line has none.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body, with chunks joined and decompressed (gzip, deflate, brotli, zstd).
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the value of a header; the case of the name does not matter.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the headers, in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Parses the block of a response record; returns `None` if it is not HTTP.
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
        let header_has = |name: &str, value: &str| {
            self.header(name).is_some_and(|found| found.to_ascii_lowercase().contains(value))
        };
        let mut body = body.to_vec();
        // Archives often keep the header of a chunked response after joining the chunks.
        if header_has("Transfer-Encoding", "chunked") {
            body = joined_chunks(&body).unwrap_or(body);
        }
        match self.header("Content-Encoding") {
            Some(codings) => unpack(codings, body, MAX_BODY_BYTES).bytes,
            None => body,
        }
    }
}

/// Splits a block at the first empty line into head and body.
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

/// Joins the chunks of a body, or returns `None` if it is not chunked after all.
fn joined_chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    loop {
        let Some((size, rest)) = chunk_size(body) else {
            // The body is broken after some valid chunks: keep these.
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
            // The body is cut off: keep the part that was received.
            return Some(joined);
        }
    }
}

/// Returns the size at the start of a chunk, and the bytes after it.
fn chunk_size(body: &[u8]) -> Option<(usize, &[u8])> {
    let end = body.iter().take(1_000).position(|&byte| byte == b'\n')?;
    let size = std::str::from_utf8(&body[..end]).ok()?.split(';').next()?.trim();
    Some((usize::from_str_radix(size, 16).ok()?, &body[end + 1..]))
}
