//! Describes an artifact, and checks that it has not been changed.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::bundle::{MANIFEST, read_manifest};
use crate::checksum::{Checksum, sha256_of_file};
use crate::error::{ArtifactError, READ};
use crate::format::Header;
use crate::json::{header_of, is_edited, read_text};
use crate::provenance::Provenance;
use crate::sidecar::{Sidecar, sidecar_path};
use crate::write::parent;

/// The form in which an artifact is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// One JSON file.
    Json,
    /// A directory with a manifest.
    Bundle,
    /// A file in a foreign format with a sidecar.
    Sidecar,
}

/// The description of an artifact.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Description {
    /// The kind.
    pub kind: String,
    /// The version of its format.
    pub format: u32,
    /// The form in which it is stored.
    pub shape: Shape,
    /// The provenance.
    pub provenance: Provenance,
    /// The files with their sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// The files that have changed since the artifact was made.
    pub mismatches: Vec<Mismatch>,
}

/// A file that has changed since it was made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Mismatch {
    /// The file.
    pub file: String,
    /// The fault, such as "has 3 bytes instead of 4".
    pub problem: String,
}

/// Describes the artifact at `path` and checks its files. Returns `None` if it is not an artifact.
///
/// For a manifest, describes its bundle; for a sidecar, the file that it belongs to.
pub fn describe(path: &Path) -> Result<Option<Description>, ArtifactError> {
    // The sidecar is beside the file that a symbolic link points to.
    let real = path.canonicalize().ok().filter(|_| path.is_symlink());
    let path = real.as_deref().unwrap_or(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == MANIFEST {
        return bundle(parent(path)).map(Some);
    }
    if let Some(described) = name.strip_suffix(".ontrail.json") {
        return sidecar(&path.with_file_name(described)).map(Some);
    }
    if path.is_dir() {
        return if path.join(MANIFEST).exists() { bundle(path).map(Some) } else { Ok(None) };
    }
    if sidecar_path(path).exists() {
        return sidecar(path).map(Some);
    }
    json(path)
}

fn bundle(path: &Path) -> Result<Description, ArtifactError> {
    let manifest = read_manifest(path)?;
    let check = |part: &crate::bundle::Part| {
        mismatch(&path.join(&part.name), &part.name, part.bytes, &part.sha256)
    };
    let mismatches = manifest.files.iter().filter_map(check).collect();
    let files = manifest.files.iter().map(|part| (part.name.clone(), part.bytes)).collect();
    Ok(described(manifest.ontrail, Shape::Bundle, files, mismatches))
}

fn sidecar(path: &Path) -> Result<Description, ArtifactError> {
    let beside = sidecar_path(path);
    let text = fs::read_to_string(&beside).map_err(ArtifactError::io(&beside, READ))?;
    let Sidecar { ontrail, bytes, sha256 } =
        serde_json::from_str(&text).map_err(|error| ArtifactError::json(&beside, &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mismatches = mismatch(path, &name, bytes, &sha256).into_iter().collect();
    Ok(described(ontrail, Shape::Sidecar, vec![(name, bytes)], mismatches))
}

fn json(path: &Path) -> Result<Option<Description>, ArtifactError> {
    // Artifacts start with the header, so other files need not be read completely.
    let mut start = String::new();
    let opened = File::open(path).map_err(ArtifactError::io(path, READ))?;
    let is_text = opened.take(64).read_to_string(&mut start).is_ok();
    if !is_text
        || !start
            .trim_start_matches('\u{feff}')
            .trim_start()
            .trim_start_matches('{')
            .trim_start()
            .starts_with("\"ontrail\"")
    {
        return Ok(None);
    }
    let text = read_text(path).map_err(ArtifactError::io(path, READ))?;
    let header = header_of(path, &text)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let edited =
        || Mismatch { file: name.clone(), problem: "has been edited since it was made".to_owned() };
    let mismatches = is_edited(&text).then(edited).into_iter().collect();
    Ok(Some(described(header, Shape::Json, vec![(name, text.len() as u64)], mismatches)))
}

fn described(
    header: Header,
    shape: Shape,
    files: Vec<(String, u64)>,
    mismatches: Vec<Mismatch>,
) -> Description {
    let Header { kind, format, provenance } = header;
    Description { kind, format, shape, provenance, files, mismatches }
}

fn mismatch(path: &Path, name: &str, bytes: u64, sha256: &Checksum) -> Option<Mismatch> {
    let problem = match sha256_of_file(path) {
        Err(error) => format!("cannot read this file: {error}"),
        Ok((_, found)) if found != bytes => format!("has {found} bytes instead of {bytes}"),
        Ok((found, _)) if found != *sha256 => {
            "has a different checksum than when it was made".to_owned()
        }
        Ok(_) => return None,
    };
    Some(Mismatch { file: name.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::BundleWriter;
    use crate::format::Format;
    use crate::json::write_json;
    use crate::sidecar::write_with_sidecar;

    const FORMAT: Format = Format { kind: "test thing", version: 1, oldest: 1, rebuild: "make" };

    #[test]
    fn every_shape_is_recognised_and_checked() {
        let directory = tempfile::tempdir().unwrap();
        let provenance = Provenance::default();
        let json = directory.path().join("x.json");
        write_json(&json, &FORMAT, &provenance, &1).unwrap();
        let table = directory.path().join("x.tsv");
        write_with_sidecar(&table, &FORMAT, &provenance, |out| out.write_all(b"a\tb\n")).unwrap();
        let folder = directory.path().join("folder");
        let bundle = BundleWriter::create(&folder, &FORMAT).unwrap();
        fs::write(bundle.path("part"), "data").unwrap();
        bundle.finish(&FORMAT, &provenance).unwrap();

        for (path, shape) in
            [(&json, Shape::Json), (&table, Shape::Sidecar), (&folder, Shape::Bundle)]
        {
            let description = describe(path).unwrap().unwrap();
            assert_eq!((description.shape, description.kind.as_str()), (shape, "test thing"));
            assert_eq!(description.mismatches, []);
        }

        fs::write(&table, "a\tc\n").unwrap();
        fs::write(folder.join("part"), "dat").unwrap();
        let problem = |path: &Path| describe(path).unwrap().unwrap().mismatches[0].problem.clone();
        assert_eq!(problem(&table), "has a different checksum than when it was made");
        assert_eq!(problem(&sidecar_path(&table)), problem(&table));
        assert_eq!(problem(&folder.join(MANIFEST)), problem(&folder));
        assert_eq!(problem(&folder), "has 3 bytes instead of 4");
    }

    #[test]
    fn other_files_and_folders_are_not_described() {
        let directory = tempfile::tempdir().unwrap();
        let page = directory.path().join("page.html");
        fs::write(&page, "<p>\u{1}").unwrap();
        assert_eq!(describe(&page).unwrap(), None);
        assert_eq!(describe(directory.path()).unwrap(), None);
    }
}
