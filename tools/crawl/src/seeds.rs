//! Seed URLs from the command line and from a file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use ontrail_crawl::parse_seeds;
use ontrail_intake::read_text;
use url::Url;

/// Returns the given URLs and those of a file (one per line), in order, without repetitions and in
/// canonical form.
pub(crate) fn seeds(given: &[String], file: Option<&Path>) -> Result<Vec<Url>> {
    let mut seeds = parse_seeds(&given.join("\n")).context("seeds")?;
    if let Some(file) = file {
        let listed = parse_seeds(&read_text(file)?).map_err(|error| {
            let place = format!("{}:{}", file.display(), error.line);
            anyhow::Error::new(error).context(place)
        })?;
        seeds.extend(listed);
        let mut known = std::collections::HashSet::new();
        seeds.retain(|url| known.insert(url.clone()));
    }
    if seeds.is_empty() {
        bail!("no seed URLs; give some, or a file of them with --seeds");
    }
    Ok(seeds)
}
