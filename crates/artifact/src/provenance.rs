//! The provenance of artifacts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::checksum::{Checksum, sha256_of_file};
use crate::error::{ArtifactError, READ_ANY};

thread_local! {
    /// The arguments to record for this thread, if they are not those of the process.
    static GIVEN: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// The tool, settings and inputs that made an artifact. There is no time stamp, so that making it
/// again gives the same bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// The tool, such as `ontrail corpus split`.
    pub tool: String,
    /// The tool's version.
    pub version: String,
    /// The arguments of the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// The parameters in effect, including defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// The random seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
}

/// A file or directory that an artifact was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The path as the user gave it.
    pub path: String,
    /// The size in bytes; for a directory, the size of all its files.
    pub bytes: u64,
    /// The checksum; for a directory, that of the list of its files with their checksums, in the
    /// form that `sha256sum` prints, sorted by path.
    pub sha256: Checksum,
}

impl Provenance {
    /// Creates the provenance of a tool, with the arguments of this process.
    #[must_use]
    pub fn of_this_process(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            arguments: GIVEN.with_borrow(Clone::clone).unwrap_or_else(|| {
                let given = std::env::args_os().skip(1);
                given.map(|argument| argument.to_string_lossy().into_owned()).collect()
            }),
            ..Self::default()
        }
    }

    /// Runs `work` so that its artifacts record `arguments` as those of the process. One process
    /// may do the work of several commands, and each artifact records the command that makes just
    /// this one.
    pub fn as_if_given<T>(arguments: &[String], work: impl FnOnce() -> T) -> T {
        let before = GIVEN.replace(Some(arguments.to_vec()));
        let done = work();
        GIVEN.set(before);
        done
    }

    /// Adds a parameter. A value that cannot be written as JSON becomes null.
    #[must_use]
    pub fn with_parameter(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        self.parameters.insert(name.to_owned(), value);
        self
    }

    /// Sets the random seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Adds an input, which is read to compute its checksum.
    pub fn with_input(mut self, path: &Path) -> Result<Self, ArtifactError> {
        self.inputs.push(Input::read(path)?);
        Ok(self)
    }
}

impl Input {
    /// Reads a file, or all files of a directory, to compute the checksum.
    pub fn read(path: &Path) -> Result<Self, ArtifactError> {
        let read = || if path.is_dir() { of_directory(path) } else { sha256_of_file(path) };
        let (sha256, bytes) = read().map_err(ArtifactError::io(path, READ_ANY))?;
        Ok(Self { path: path.to_string_lossy().into_owned(), bytes, sha256 })
    }
}

fn of_directory(root: &Path) -> io::Result<(Checksum, u64)> {
    let mut files = Vec::new();
    list_files(root, &mut files)?;
    files.sort();
    let mut list = String::new();
    let mut bytes = 0;
    for file in files {
        let (sha256, size) = sha256_of_file(&file)?;
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        list += &format!("{sha256}  {name}\n");
        bytes += size;
    }
    Ok((Checksum::of(list.as_bytes()), bytes))
}

fn list_files(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                pending.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_a_directory_depends_on_its_files_only() {
        let make = |content: &str| {
            let directory = tempfile::tempdir().unwrap();
            fs::create_dir(directory.path().join("b")).unwrap();
            fs::write(directory.path().join("b/c.txt"), content).unwrap();
            fs::write(directory.path().join("a.txt"), "a").unwrap();
            Input::read(directory.path()).unwrap()
        };
        assert_eq!(make("x").sha256, make("x").sha256);
        assert_ne!(make("x").sha256, make("y").sha256);
        assert_eq!(make("xyz").bytes, 4);
    }

    #[test]
    fn work_can_record_the_arguments_of_another_command() {
        let given = ["topic".to_owned(), "show".to_owned()];
        let inner = Provenance::as_if_given(&given, || Provenance::of_this_process("x"));
        assert_eq!(inner.arguments, given);
        assert_ne!(Provenance::of_this_process("x").arguments, given);
    }

    #[test]
    fn a_missing_input_is_named() {
        let error = Input::read(Path::new("no/such/file")).unwrap_err();
        assert_eq!(error.to_string(), "no/such/file: cannot read this file or folder");
    }
}
