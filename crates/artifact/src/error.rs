//! Errors while reading and writing artifacts.

use std::io;
use std::path::{Path, PathBuf};

/// An action that failed, as in "cannot …".
pub(crate) const READ: &str = "read this file";
/// The action for a path that may be a file or a folder.
pub(crate) const READ_ANY: &str = "read this file or folder";
/// The action of writing a file.
pub(crate) const WRITE: &str = "write this file";
/// The action of writing a folder.
pub(crate) const WRITE_FOLDER: &str = "write this folder";

/// Error while reading or writing an artifact. Each message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArtifactError {
    /// An operation of the file system failed.
    #[error("{path}: cannot {action}", path = path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The action that failed, as in "cannot …".
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The file is not valid JSON, or lacks required fields.
    #[error("{path}: line {line}, column {column}: {reason}", path = path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The fault.
        reason: String,
    },
    /// The file is an artifact of another kind.
    #[error(
        "{path}: this is {}, but {} is needed here",
        named(found), named(wanted), path = path.display()
    )]
    Kind {
        /// The file.
        path: PathBuf,
        /// Its kind.
        found: String,
        /// The expected kind.
        wanted: &'static str,
    },
    /// The format version is too old or too new.
    #[error(
        "{path}: cannot read format {found} of {kind}; this version of Ontrail reads formats \
         {oldest} to {newest}; {remedy}",
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
        /// Advice on how to get a file that can be read.
        remedy: String,
    },
    /// The path does not hold a bundle.
    #[error(
        "{path}: this is not {}; make one with `{rebuild}`",
        named(wanted), path = path.display()
    )]
    NoBundle {
        /// The file or folder.
        path: PathBuf,
        /// The expected kind.
        wanted: &'static str,
        /// The command that makes one.
        rebuild: &'static str,
    },
    /// A file of a bundle has been changed.
    #[error(
        "{bundle}: `{file}` has been changed since it was made; copy the whole folder again or \
         remake it",
        bundle = bundle.display()
    )]
    Altered {
        /// The bundle.
        bundle: PathBuf,
        /// The file.
        file: String,
    },
    /// A file that the manifest of a bundle lists is missing.
    #[error(
        "{bundle}: `{file}` is missing; copy the whole folder again or remake it",
        bundle = bundle.display()
    )]
    Missing {
        /// The bundle.
        bundle: PathBuf,
        /// The missing file.
        file: String,
    },
    /// A file of a bundle has another size than its manifest says.
    #[error(
        "{bundle}: `{file}` has {found} bytes instead of {wanted}; copy the whole folder again or \
         remake it",
        bundle = bundle.display()
    )]
    Truncated {
        /// The bundle.
        bundle: PathBuf,
        /// The file.
        file: String,
        /// The size in bytes.
        found: u64,
        /// The size in the manifest.
        wanted: u64,
    },
    /// The output would replace a file that someone has changed.
    #[error(
        "{path}: has been changed since Ontrail made it, so it is not replaced; {remedy}",
        path = path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Advice on what to do.
        remedy: &'static str,
    },
    /// The output would replace something that Ontrail did not make.
    #[error(
        "{path}: already exists and holds something that Ontrail did not make, so it is not \
         replaced; {remedy}",
        path = path.display()
    )]
    Occupied {
        /// The path of the output.
        path: PathBuf,
        /// Advice on what to do.
        remedy: &'static str,
    },
    /// The output is a folder, but a file is to be written.
    #[error("{path}: is a folder; give the name of a file", path = path.display())]
    IsFolder {
        /// The path of the output.
        path: PathBuf,
    },
    /// The output is neither a file nor a stream.
    #[error(
        "{path}: is neither a file nor a stream that can be written; give the name of a file",
        path = path.display()
    )]
    NoFile {
        /// The path of the output.
        path: PathBuf,
    },
    /// The output is a file or a stream, but a folder is to be written.
    #[error(
        "{path}: this command writes a folder; give the name of a folder",
        path = path.display()
    )]
    NeedsFolder {
        /// The path of the output.
        path: PathBuf,
    },
    /// A new folder is to be written, but there is one with files in it.
    #[error(
        "{path}: the folder exists and is not empty; give the name of a new folder",
        path = path.display()
    )]
    NotEmpty {
        /// The path of the output.
        path: PathBuf,
    },
    /// The output is a symbolic link to nothing.
    #[error(
        "{path}: is a symbolic link that points nowhere; remove it or name another file",
        path = path.display()
    )]
    Dangling {
        /// The path of the output.
        path: PathBuf,
    },
    /// The folder of the output does not exist.
    #[error(
        "{path}: there is no folder {folder}; create it first",
        path = path.display(), folder = folder.display()
    )]
    NoParent {
        /// The path of the output.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// The output would replace an input.
    #[error(
        "{path}: {relation} an input of this command; choose another name for the output",
        path = path.display()
    )]
    IsRead {
        /// The path of the output.
        path: PathBuf,
        /// `is`, or `contains` if the output is a folder with the input in it.
        relation: &'static str,
    },
    /// The output would replace an artifact of another kind.
    #[error(
        "{path}: is {found}, which {wanted} would replace; choose another name for the output",
        path = path.display(), found = named(kind), wanted = named(wanted)
    )]
    OtherKind {
        /// The path of the output.
        path: PathBuf,
        /// The kind of the existing artifact.
        kind: String,
        /// The kind of the output.
        wanted: String,
    },
}

/// Returns a kind with its indefinite article.
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
        // serde_json repeats the position at the end of its message.
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        Self::Json {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            reason: reason.to_owned(),
        }
    }
}
