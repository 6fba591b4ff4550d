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

/// Refuses a file that [`write_with_sidecar`] would not replace: one without a sidecar, which Ontrail
/// did not make, and one that was changed since Ontrail made it.
pub(crate) fn check_replaceable(path: &Path) -> Result<(), ArtifactError> {
    if !path.exists() {
        return Ok(());
    }
    let beside = sidecar_path(path);
    if !path.is_file() || !beside.exists() {
        return Err(ArtifactError::Occupied { path: path.to_owned() });
    }
    let text = std::fs::read(&beside).map_err(ArtifactError::io(&beside, "be read"))?;
    let (sha256, _) = sha256_of_file(path).map_err(ArtifactError::io(path, "be read"))?;
    match serde_json::from_slice::<Sidecar>(&text) {
        Ok(sidecar) if sidecar.sha256 == sha256 => Ok(()),
        _ => Err(ArtifactError::Changed { path: path.to_owned() }),
    }
}

/// Writes a file in a foreign format, and its provenance beside it. A file that is there already is
/// replaced only if Ontrail made it and nobody has changed it since.
pub fn write_with_sidecar(
    path: &Path,
    format: &Format,
    provenance: &Provenance,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ArtifactError> {
    check_replaceable(path)?;
    write_atomically(path, write)?;
    let (sha256, bytes) = sha256_of_file(path).map_err(ArtifactError::io(path, "be read"))?;
    let sidecar = Sidecar { ontrail: format.header(provenance), bytes, sha256 };
    write_atomically(&sidecar_path(path), |out| write_pretty(out, &sidecar))
}
