//! Lists of URLs, one per line, optionally with a tab and a title. `#` begins a comment.

use std::io::BufRead;
use std::path::Path;

use anyhow::Result;

use super::{Listed, Skipped, crawlable, lines};

pub(super) fn each(
    reader: Box<dyn BufRead>,
    path: &Path,
    skips: bool,
    skipped: &mut Skipped,
    visit: &mut dyn FnMut(Listed),
) -> Result<()> {
    lines::each(reader, path, &mut |number, line| {
        let (url, rest) = line.split_once('\t').unwrap_or((line, ""));
        if url.trim().is_empty() || url.trim_start().starts_with('#') {
            return Ok(());
        }
        let Some(found) = crawlable(url) else {
            let shown: String = url.trim().chars().take(100).collect();
            return skipped.line(
                path,
                number,
                &format!(
                    "{shown:?} is not an http or https URL; give one URL per line, optionally \
                     followed by a tab and a title"
                ),
                skips,
            );
        };
        // Other programs write more columns.
        let title = rest.split('\t').next().unwrap_or_default().trim().to_owned();
        visit(Listed { url: found, title });
        Ok(())
    })
}
