//! Provenance for files whose own format has no room for it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::checksum::{Checksum, sha256_of_file};
use crate::error::ArtifactError;
use crate::format::{Format, Header};
use crate::json::write_pretty;
use crate::provenance::Provenance;
use crate::write::write_atomically;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sidecar {
    pub(crate) ontrail: Header,
    pub(crate) bytes: u64,
    pub(crate) sha256: Checksum,
}

/// Where the sidecar of `path` lies: `data.tsv` has `data.tsv.ontrail.json`.
#[must_use]
pub fn sidecar_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".ontrail.json");
    name.into()
}

/// Writes a file in a foreign format, and its provenance beside it. A file that is there already is
/// replaced only if it has a sidecar, that is, if Ontrail made it.
pub fn write_with_sidecar(
    path: &Path,
    format: &Format,
    provenance: &Provenance,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ArtifactError> {
    if path.exists() && !sidecar_path(path).exists() {
        return Err(ArtifactError::Occupied { path: path.to_owned() });
    }
    write_atomically(path, write)?;
    let (sha256, bytes) = sha256_of_file(path).map_err(ArtifactError::io(path, "be read"))?;
    let sidecar = Sidecar { ontrail: format.header(provenance), bytes, sha256 };
    write_atomically(&sidecar_path(path), |out| write_pretty(out, &sidecar))
}
