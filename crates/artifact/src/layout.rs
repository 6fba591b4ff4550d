//! The layout of JSON artifacts: indented at the upper levels, one line per value below them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Depth down to which values are spread over several lines. Deeper values, such as the terms of a
/// topic, take one line each, so that a person can read them as a table and edit them line by line.
const DEEPEST: usize = 3;

/// Writes a value that is `depth` levels deep in its file.
pub(crate) fn write<T: Serialize>(out: &mut dyn Write, value: &T, depth: usize) -> io::Result<()> {
    let formatter = Layout { depth, is_empty: true };
    value.serialize(&mut Serializer::with_formatter(out, formatter)).map_err(io::Error::from)
}

struct Layout {
    depth: usize,
    /// True if nothing has been written since the last opening bracket.
    is_empty: bool,
}

impl Layout {
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_empty = true;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if !self.is_empty && self.depth < DEEPEST {
            self.new_line(out)?;
        }
        self.is_empty = false;
        out.write_all(bracket)
    }

    fn separate<W: ?Sized + Write>(&self, out: &mut W, is_first: bool) -> io::Result<()> {
        let is_spread = self.depth <= DEEPEST;
        match (is_first, is_spread) {
            (true, false) => Ok(()),
            (true, true) => self.new_line(out),
            (false, false) => out.write_all(b", "),
            (false, true) => {
                out.write_all(b",")?;
                self.new_line(out)
            }
        }
    }

    fn new_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_on_one_line() {
        let value = serde_json::json!({
            "terms": [{"term": "暴雨", "weight": 0.5}, {"term": "rain", "weight": 1.0}],
            "none": [], "empty": {}, "deep": {"list": [1, [2, 3]]},
        });
        let mut out = Vec::new();
        write(&mut out, &value, 1).unwrap();
        let expected = r#"{
    "deep": {
      "list": [1, [2, 3]]
    },
    "empty": {},
    "none": [],
    "terms": [
      {"term": "暴雨", "weight": 0.5},
      {"term": "rain", "weight": 1.0}
    ]
  }"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
