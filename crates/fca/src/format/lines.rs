//! Reads a file line by line and counts the lines.

use std::io::BufRead;

use super::ParseError;

/// Length in bytes at which a line is refused, so that a file without line breaks cannot fill the
/// memory.
const LONGEST: u64 = 1 << 28;

/// The lines of a file, without line ends, numbered from 1.
pub(crate) struct Lines<R> {
    input: R,
    number: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, number: 0, line: Vec::new() }
    }

    /// Returns the number of the line read last.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next line, or `None` at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, ParseError> {
        if self.advance()? { self.current().map(Some) } else { Ok(None) }
    }

    /// Returns the next line. Fails at the end of the file; `what` describes the line in the error.
    pub(crate) fn expect(&mut self, what: &str) -> Result<&str, ParseError> {
        if self.advance()? {
            return self.current();
        }
        Err(ParseError::at_line(self.number + 1, format!("the file ends before {what}")))
    }

    /// Reads a line; returns false at the end of the file.
    fn advance(&mut self) -> Result<bool, ParseError> {
        self.line.clear();
        let mut limited = std::io::Read::take(&mut self.input, LONGEST);
        if limited.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.line.len() as u64 == LONGEST {
            return Err(ParseError::at_line(self.number, "the line is longer than 256 MB"));
        }
        while let Some(b'\n' | b'\r') = self.line.last() {
            self.line.pop();
        }
        Ok(true)
    }

    fn current(&self) -> Result<&str, ParseError> {
        std::str::from_utf8(&self.line).map_err(|error| {
            let reason = "not UTF-8; save the file as UTF-8";
            ParseError::at(self.number, error.valid_up_to() + 1, reason)
        })
    }
}
