//! The errors of this crate.

use std::path::PathBuf;

/// An error in reading an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The file cannot be read, or its compression is broken.
    #[error("{path}: record {record}: cannot read the archive", path = path.display())]
    Io {
        /// The archive.
        path: PathBuf,
        /// The number of the record, from 1.
        record: u64,
        /// The cause.
        source: std::io::Error,
    },
    /// A record does not follow the format.
    #[error("{path}: record {record}: {reason}", path = path.display())]
    Malformed {
        /// The archive.
        path: PathBuf,
        /// The number of the record, from 1.
        record: u64,
        /// The reason why it is malformed.
        reason: String,
    },
}
