//! What can be wrong with an archive.

use std::path::PathBuf;

/// Why an archive could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The file system refused, or the packing is broken.
    #[error("{path}: record {record}: cannot be read", path = path.display())]
    Io {
        /// The archive.
        path: PathBuf,
        /// The record, from 1.
        record: u64,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A record does not follow the format.
    #[error("{path}: record {record}: {reason}", path = path.display())]
    Malformed {
        /// The archive.
        path: PathBuf,
        /// The record, from 1.
        record: u64,
        /// What is wrong with it.
        reason: String,
    },
}
