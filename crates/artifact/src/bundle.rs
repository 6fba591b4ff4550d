//! Artifacts that consist of a directory: several files, and a manifest that lists them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::checksum::{Checksum, sha256_of_file};
use crate::destination::{Destination, check_folder, resolve};
use crate::durable::rename;
use crate::error::{ArtifactError, READ, READ_ANY, WRITE_FOLDER};
use crate::format::{Format, Header};
use crate::json::write_pretty;
use crate::provenance::Provenance;
use crate::write::{parent, write_atomically};

/// Name of the file that makes a directory a bundle.
pub(crate) const MANIFEST: &str = "manifest.json";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) ontrail: Header,
    pub(crate) files: Vec<Part>,
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: Checksum,
}

/// A bundle that is being written. It appears under its name only when [`finish`](Self::finish) is
/// called. If it is dropped before, it leaves nothing behind.
#[derive(Debug)]
pub struct BundleWriter {
    target: PathBuf,
    directory: tempfile::TempDir,
}

impl BundleWriter {
    /// Starts a bundle at `target`, which replaces an older bundle of its kind.
    pub fn create(target: &Path, format: &Format) -> Result<Self, ArtifactError> {
        let target = Self::check(target, format)?;
        let directory = tempfile::Builder::new()
            .prefix(".ontrail-")
            .tempdir_in(parent(&target))
            .map_err(ArtifactError::io(&target, WRITE_FOLDER))?;
        Ok(Self { target, directory })
    }

    /// Returns the folder to write, which a symbolic link may point to, or an error if it holds
    /// something that a bundle must not replace.
    pub(crate) fn check(target: &Path, format: &Format) -> Result<PathBuf, ArtifactError> {
        check_folder(target)?;
        let target = resolve(target)?;
        if is_occupied(&target, format) {
            let remedy = Destination::from(&target).message();
            return Err(ArtifactError::Occupied { path: target, remedy });
        }
        Ok(target)
    }

    /// Returns the path at which to write the file `name` of the bundle.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes the manifest with the checksums of all files, and moves the bundle to its target.
    pub fn finish(self, format: &Format, provenance: &Provenance) -> Result<(), ArtifactError> {
        let directory = self.directory.path();
        let files = list_parts(directory).map_err(ArtifactError::io(directory, READ_ANY))?;
        let manifest = Manifest { ontrail: format.header(provenance), files };
        write_atomically(&directory.join(MANIFEST), |out| write_pretty(out, &manifest))?;
        let target = self.target;
        let replace = || {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(directory, fs::Permissions::from_mode(0o755))?;
            }
            if target.exists() {
                // Moves the old bundle away first: a directory cannot be renamed to the name of one
                // that is not empty.
                let old =
                    tempfile::Builder::new().prefix(".ontrail-").tempdir_in(parent(&target))?;
                let aside = old.path().join("replaced");
                rename(&target, &aside)?;
                if let Err(error) = rename(directory, &target) {
                    rename(&aside, &target)?;
                    return Err(error);
                }
            } else {
                rename(directory, &target)?;
            }
            Ok(())
        };
        replace().map_err(ArtifactError::io(&target, WRITE_FOLDER))
    }
}

/// A bundle opened for reading.
#[derive(Debug, Clone)]
pub struct Bundle {
    directory: PathBuf,
    manifest: Manifest,
}

impl Bundle {
    /// Opens a bundle of the kind and the versions in `format`.
    pub fn open(directory: &Path, format: &Format) -> Result<Self, ArtifactError> {
        fs::metadata(directory).map_err(ArtifactError::io(directory, READ_ANY))?;
        if !directory.join(MANIFEST).is_file() {
            return Err(ArtifactError::NoBundle {
                path: directory.to_owned(),
                wanted: format.kind,
                rebuild: format.rebuild,
            });
        }
        let manifest = read_manifest(directory)?;
        format.accept(directory, &manifest.ontrail)?;
        Ok(Self { directory: directory.to_owned(), manifest })
    }

    /// Returns the provenance.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.manifest.ontrail.provenance
    }

    /// Returns the size of its files in bytes, without the manifest.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.manifest.files.iter().map(|part| part.bytes).sum()
    }

    /// Returns true if the manifest lists a file of this name.
    #[must_use]
    pub fn lists(&self, name: &str) -> bool {
        self.manifest.files.iter().any(|part| part.name == name)
    }

    /// Returns the content of a file, or an error if it has been changed.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ArtifactError> {
        let path = self.file(name)?;
        let bytes = fs::read(&path).map_err(ArtifactError::io(&path, READ))?;
        let listed = self.manifest.files.iter().find(|part| part.name == name);
        if listed.is_some_and(|part| part.sha256 != Checksum::of(&bytes)) {
            let bundle = self.directory.clone();
            return Err(ArtifactError::Altered { bundle, file: name.to_owned() });
        }
        Ok(bytes)
    }

    /// Returns the path of a file that the manifest lists, or an error if it is missing or has the
    /// wrong size.
    pub fn file(&self, name: &str) -> Result<PathBuf, ArtifactError> {
        let missing =
            || ArtifactError::Missing { bundle: self.directory.clone(), file: name.to_owned() };
        let part = self.manifest.files.iter().find(|part| part.name == name).ok_or_else(missing)?;
        let path = self.directory.join(name);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() == part.bytes => Ok(path),
            Ok(metadata) => Err(ArtifactError::Truncated {
                bundle: self.directory.clone(),
                file: name.to_owned(),
                found: metadata.len(),
                wanted: part.bytes,
            }),
            Err(_) => Err(missing()),
        }
    }
}

pub(crate) fn read_manifest(directory: &Path) -> Result<Manifest, ArtifactError> {
    let path = directory.join(MANIFEST);
    let text = fs::read_to_string(&path).map_err(ArtifactError::io(&path, READ))?;
    serde_json::from_str(&text).map_err(|error| ArtifactError::json(&path, &error))
}

/// Returns true if `target` holds something that a bundle must not replace: a file, a bundle of
/// another kind, or a folder with anything in it that no manifest lists.
fn is_occupied(target: &Path, format: &Format) -> bool {
    if !target.exists() {
        return false;
    }
    let Ok(entries) = fs::read_dir(target) else { return true };
    let manifest = read_manifest(target).ok().filter(|m| m.ontrail.kind == format.kind);
    let is_own = |name: &str| {
        let listed = |manifest: &Manifest| manifest.files.iter().any(|part| part.name == name);
        manifest.as_ref().is_some_and(|manifest| name == MANIFEST || listed(manifest))
    };
    let mut names =
        entries.map(|entry| entry.map(|e| e.file_name().to_string_lossy().into_owned()));
    names.any(|name| !name.is_ok_and(|name| is_own(&name)))
}

fn list_parts(directory: &Path) -> std::io::Result<Vec<Part>> {
    let mut parts = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let (sha256, bytes) = sha256_of_file(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        parts.push(Part { name, bytes, sha256 });
    }
    parts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::tests::synced;

    const FORMAT: Format = Format { kind: "test bundle", version: 1, oldest: 1, rebuild: "make" };

    fn write(target: &Path, content: &str) -> Result<(), ArtifactError> {
        let bundle = BundleWriter::create(target, &FORMAT)?;
        fs::write(bundle.path("a.txt"), content).unwrap();
        bundle.finish(&FORMAT, &Provenance::default())
    }

    #[test]
    fn a_bundle_is_written_opened_and_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("bundle");
        for content in ["old", "new content"] {
            write(&target, content).unwrap();
            assert!(synced().contains(&directory.path().to_owned()));
            let bundle = Bundle::open(&target, &FORMAT).unwrap();
            assert_eq!(fs::read_to_string(bundle.file("a.txt").unwrap()).unwrap(), content);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn an_unfinished_bundle_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        drop(BundleWriter::create(&directory.path().join("bundle"), &FORMAT).unwrap());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_truncated_bundle_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("bundle");
        write(&target, "content").unwrap();
        fs::write(target.join("a.txt"), "con").unwrap();
        let bundle = Bundle::open(&target, &FORMAT).unwrap();
        let error = bundle.file("a.txt").unwrap_err().to_string();
        assert!(error.contains("`a.txt` has 3 bytes instead of 7"), "{error}");
        assert!(bundle.file("b.txt").is_err());
        fs::write(target.join("a.txt"), "CONTENT").unwrap();
        let error = bundle.read("a.txt").unwrap_err().to_string();
        assert!(error.contains("`a.txt` has been changed"), "{error}");
        fs::write(target.join("a.txt"), "content").unwrap();
        assert_eq!(bundle.read("a.txt").unwrap(), b"content");
    }

    #[test]
    fn a_path_without_a_bundle_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("table.tsv");
        fs::write(&file, "a").unwrap();
        for path in [directory.path(), file.as_path()] {
            let error = Bundle::open(path, &FORMAT).unwrap_err().to_string();
            assert!(error.contains("this is not a test bundle; make one with `make`"), "{error}");
        }
    }

    #[test]
    fn foreign_files_are_never_replaced() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("thesis.txt"), "years of work").unwrap();
        let error = write(directory.path(), "x").unwrap_err();
        assert!(matches!(error, ArtifactError::Occupied { .. }), "{error}");
        assert!(directory.path().join("thesis.txt").exists());
        let target = directory.path().join("bundle");
        write(&target, "x").unwrap();
        fs::write(target.join("notes.md"), "mine").unwrap();
        assert!(matches!(write(&target, "y").unwrap_err(), ArtifactError::Occupied { .. }));
        assert_eq!(fs::read_to_string(target.join("notes.md")).unwrap(), "mine");
    }
}
