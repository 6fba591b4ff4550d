//! A copy of uploaded files in a temporary folder.

use std::path::Path;

use tempfile::TempDir;

use crate::{Address, Depot, DepotError};

/// A copy of uploaded files in a temporary folder, which is removed when this is dropped.
#[derive(Debug)]
pub struct Fetched {
    folder: TempDir,
}

impl Fetched {
    /// Fetches the files that are wanted, by their names. Every file is compared with the checksum
    /// that was recorded when it was uploaded. `progress` is told the number of files that are
    /// fetched, the number of all wanted, and their bytes.
    pub fn open(
        address: &Address,
        is_wanted: impl Fn(&str) -> bool,
        progress: impl FnMut(u64, u64, u64),
    ) -> Result<Self, DepotError> {
        Self::from(&Depot::open(address)?, is_wanted, progress)
    }

    pub(crate) fn from(
        depot: &Depot,
        is_wanted: impl Fn(&str) -> bool,
        mut progress: impl FnMut(u64, u64, u64),
    ) -> Result<Self, DepotError> {
        let listing = depot.listing()?;
        if listing.recorded.is_empty() {
            return Err(DepotError::Empty(depot.address().to_string()));
        }
        let wanted: Vec<&String> =
            listing.recorded.iter().filter(|name| is_wanted(name) && is_within(name)).collect();
        let size = |name: &&String| listing.objects.get(*name).map_or(0, |it| it.bytes);
        let bytes = wanted.iter().map(size).sum();
        let failed = DepotError::io(&std::env::temp_dir(), "create a temporary folder in it");
        let folder = tempfile::Builder::new().prefix("ontrail-").tempdir().map_err(failed)?;
        for (number, name) in (0..).zip(&wanted) {
            progress(number, wanted.len() as u64, bytes);
            depot.get(name, &folder.path().join(name))?;
        }
        Ok(Self { folder })
    }

    /// Returns the temporary folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns true if a name stays within the folder. Whoever can write to the store must not be able
/// to write elsewhere on this machine.
fn is_within(name: &str) -> bool {
    let is_plain =
        |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']);
    name.split('/').all(is_plain)
}
