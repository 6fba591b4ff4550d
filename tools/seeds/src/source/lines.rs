//! Lines of a text file of any size, of bounded length.

use std::io::{BufRead, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::cannot_read;

/// Maximum length of a line in bytes. The longest URLs that browsers take have 2 MB.
const LONGEST: u64 = 4 << 20;

/// Calls `visit` with each line and its number, from 1. Line ends and a byte order mark are
/// removed.
pub(super) fn each(
    mut reader: Box<dyn BufRead>,
    path: &Path,
    visit: &mut dyn FnMut(u64, &str) -> Result<()>,
) -> Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut reader).take(LONGEST).read_until(b'\n', &mut line);
        let length = read.with_context(|| cannot_read(path))?;
        if length == 0 {
            break;
        }
        if length as u64 == LONGEST && line.last() != Some(&b'\n') {
            bail!(
                "{}: line {number}: the line is longer than {} MiB; this is not a list of URLs",
                path.display(),
                LONGEST >> 20
            );
        }
        let text = String::from_utf8_lossy(&line);
        let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { &text };
        visit(number, text.trim_end_matches(['\n', '\r']))?;
    }
    Ok(())
}
