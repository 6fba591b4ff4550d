//! Kinds of artifacts and the versions of their formats.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::ArtifactError;
use crate::provenance::Provenance;

/// A kind of artifact and the format versions that this code reads. The crate that owns the kind
/// declares it as a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The kind, worded so that it fits "this is a …".
    pub kind: &'static str,
    /// The version that this code writes.
    pub version: u32,
    /// The oldest version that this code reads.
    pub oldest: u32,
    /// The command that makes a new one, for files that are too old.
    pub rebuild: &'static str,
}

/// The header of every artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) kind: String,
    pub(crate) format: u32,
    pub(crate) provenance: Provenance,
}

impl Format {
    pub(crate) fn header(&self, provenance: &Provenance) -> Header {
        Header { kind: self.kind.to_owned(), format: self.version, provenance: provenance.clone() }
    }

    /// Returns an error unless a file with this header can be read as this kind.
    pub(crate) fn accept(&self, path: &Path, header: &Header) -> Result<(), ArtifactError> {
        if header.kind != self.kind {
            return Err(ArtifactError::Kind {
                path: path.to_owned(),
                found: header.kind.clone(),
                wanted: self.kind,
            });
        }
        let remedy = if header.format < self.oldest {
            format!("make it again with `{}`", self.rebuild)
        } else if header.format > self.version {
            format!(
                "the file was made by Ontrail {}; use that version or a later one",
                header.provenance.version
            )
        } else {
            return Ok(());
        };
        Err(ArtifactError::Version {
            path: path.to_owned(),
            kind: self.kind,
            found: header.format,
            oldest: self.oldest,
            newest: self.version,
            remedy,
        })
    }
}
