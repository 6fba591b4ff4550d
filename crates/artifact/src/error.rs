//! What can be wrong with an artifact.

use std::io;
use std::path::{Path, PathBuf};

/// Why an artifact could not be read or written. Each message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArtifactError {
    /// The file system refused.
    #[error("{path}: cannot {action}", path = path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The file is not valid JSON, or does not have the fields it should.
    #[error("{path}: line {line}, column {column}: {reason}", path = path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The file is an artifact, but of another kind.
    #[error("{path}: this is {}, but {} is needed here", named(found), named(wanted), path = path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// Its kind.
        found: String,
        /// The kind asked for.
        wanted: &'static str,
    },
    /// The format is too old or too new to be read.
    #[error(
        "{path}: format {found} of {kind} cannot be read by this version, which reads {oldest} to \
         {newest}; {remedy}",
        path = path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its kind.
        kind: &'static str,
        /// Its format version.
        found: u32,
        /// The oldest version that can be read.
        oldest: u32,
        /// The newest version that can be read.
        newest: u32,
        /// How to get a file that can be read.
        remedy: String,
    },
    /// What was given is no bundle at all.
    #[error("{path}: is not {}; make one with `{rebuild}`", named(wanted), path = path.display())]
    NoBundle {
        /// The file or folder.
        path: PathBuf,
        /// The kind asked for.
        wanted: &'static str,
        /// The command that makes one.
        rebuild: &'static str,
    },
    /// A file of a bundle is not as it was written.
    #[error(
        "{bundle}: `{file}` was changed since it was made; copy the bundle whole or build it again",
        bundle = bundle.display()
    )]
    Altered {
        /// The bundle.
        bundle: PathBuf,
        /// The file.
        file: String,
    },
    /// A bundle lacks a file that its manifest lists.
    #[error("{bundle}: `{file}` is missing; copy the bundle whole or build it again", bundle = bundle.display())]
    Missing {
        /// The bundle.
        bundle: PathBuf,
        /// The file it lacks.
        file: String,
    },
    /// A file of a bundle is not as long as its manifest says.
    #[error(
        "{bundle}: `{file}` has {found} bytes instead of {wanted}; copy the bundle whole or build it again",
        bundle = bundle.display()
    )]
    Truncated {
        /// The bundle.
        bundle: PathBuf,
        /// The file.
        file: String,
        /// How long it is.
        found: u64,
        /// How long it should be.
        wanted: u64,
    },
    /// An output would replace a file that someone has changed.
    #[error(
        "{path}: was changed since Ontrail made it, so it is not replaced; choose another name or \
         remove it",
        path = path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// An output would replace something that Ontrail did not make.
    #[error(
        "{path}: exists and holds what Ontrail did not make, so it is not replaced; choose another \
         name or remove it",
        path = path.display()
    )]
    Occupied {
        /// What is in the way.
        path: PathBuf,
    },
    /// An output would replace what it is made from.
    #[error("{path}: {relation} what is read; write to another name", path = path.display())]
    IsRead {
        /// The output.
        path: PathBuf,
        /// `is`, or `holds` if the input lies in the folder that would be replaced.
        relation: &'static str,
    },
    /// An artifact of another kind would be replaced.
    #[error(
        "{path}: is {found}, and {wanted} would replace it; write to another name",
        path = path.display(), found = named(kind), wanted = named(wanted)
    )]
    OtherKind {
        /// What is in the way.
        path: PathBuf,
        /// Its kind.
        kind: String,
        /// The kind that is to be written.
        wanted: String,
    },
}

/// A kind with its article.
fn named(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

impl ArtifactError {
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }

    pub(crate) fn json(path: &Path, error: &serde_json::Error) -> Self {
        let reason = error.to_string();
        // serde_json repeats the place at the end of its message.
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        Self::Json {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            reason: reason.to_owned(),
        }
    }
}
