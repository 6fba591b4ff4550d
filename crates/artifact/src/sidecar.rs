//! Provenance of files whose format cannot hold it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::checksum::{Checksum, sha256_of_file};
use crate::destination::{Destination, Place};
use crate::error::{ArtifactError, READ};
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

/// Returns the path of a file's sidecar: `data.tsv.ontrail.json` for `data.tsv`.
#[must_use]
pub fn sidecar_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".ontrail.json");
    name.into()
}

/// Returns the place to write to, or an error for a file that [`write_with_sidecar`] would not
/// replace: one without a sidecar, which Ontrail did not make, or one that has been changed since
/// Ontrail made it.
pub(crate) fn check_replaceable(to: Destination<'_>) -> Result<Place, ArtifactError> {
    let place = to.place()?;
    let Place::File(path) = &place else { return Ok(place) };
    if !path.exists() || to.is_forced() {
        return Ok(place);
    }
    let (beside, remedy) = (sidecar_path(path), to.message());
    if !beside.exists() {
        return Err(ArtifactError::Occupied { path: path.clone(), remedy });
    }
    let text = std::fs::read(&beside).map_err(ArtifactError::io(&beside, READ))?;
    let (sha256, _) = sha256_of_file(path).map_err(ArtifactError::io(path, READ))?;
    match serde_json::from_slice::<Sidecar>(&text) {
        Ok(sidecar) if sidecar.sha256 == sha256 => Ok(place),
        _ => Err(ArtifactError::Changed { path: path.clone(), remedy }),
    }
}

/// Writes a file in a foreign format, and its provenance beside it. An existing file is replaced
/// only if Ontrail made it and nobody has changed it since, or if the user forces that. A stream
/// has no sidecar.
pub fn write_with_sidecar<'a>(
    to: impl Into<Destination<'a>>,
    format: &Format,
    provenance: &Provenance,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ArtifactError> {
    let place = check_replaceable(to.into())?;
    place.write(write)?;
    let Place::File(path) = &place else { return Ok(()) };
    let (sha256, bytes) = sha256_of_file(path).map_err(ArtifactError::io(path, READ))?;
    let sidecar = Sidecar { ontrail: format.header(provenance), bytes, sha256 };
    write_atomically(&sidecar_path(path), |out| write_pretty(out, &sidecar))
}
