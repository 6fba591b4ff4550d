//! Keeps outputs away from the files of a crawl.

use std::path::Path;

use anyhow::{Result, bail};

/// Refuses an output that is a file of the crawl itself: not even `--force` may replace what was
/// archived.
pub(crate) fn check_is_outside(output: &Path, folder: &Path) -> Result<()> {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize();
    let (Ok(parent), Ok(folder)) = (parent, folder.canonicalize()) else { return Ok(()) };
    // Beside its subfolders, a crawl has files that end in .json or in nothing.
    let is_own = output.extension().is_none_or(|extension| extension == "json");
    if parent != folder && parent.starts_with(&folder) || parent == folder && is_own {
        bail!("{}: is in the folder of the crawl; name a file elsewhere", output.display());
    }
    Ok(())
}
