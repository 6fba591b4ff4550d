//! Where an artifact is to be written, asked about before any work is done for it.

use std::path::Path;

use crate::bundle::BundleWriter;
use crate::describe::Shape;
use crate::error::ArtifactError;
use crate::format::Format;
use crate::json::check_json_replaceable;
use crate::sidecar::check_replaceable;

/// A place for an artifact. Reading the input may take hours, so a tool asks first whether it may write
/// there at all. Whoever writes several artifacts asks for all of them before it writes the first.
///
/// ```
/// # use ontrail_artifact::{Format, Output};
/// # const FORMAT: Format = Format { kind: "topic", version: 1, oldest: 1, rebuild: "make" };
/// # use std::path::Path;
/// Output::json(Path::new("rain.topic.json"), &FORMAT).check(["pages.tar.gz"])?;
/// # Ok::<(), ontrail_artifact::ArtifactError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    path: &'a Path,
    format: &'a Format,
    shape: Shape,
}

impl<'a> Output<'a> {
    /// A JSON file that [`write_json`](crate::write_json) will write.
    #[must_use]
    pub fn json(path: &'a Path, format: &'a Format) -> Self {
        Self { path, format, shape: Shape::Json }
    }

    /// A file in a foreign format that [`write_with_sidecar`](crate::write_with_sidecar) will write.
    #[must_use]
    pub fn file(path: &'a Path, format: &'a Format) -> Self {
        Self { path, format, shape: Shape::Sidecar }
    }

    /// A directory that a [`BundleWriter`] will write.
    #[must_use]
    pub fn bundle(path: &'a Path, format: &'a Format) -> Self {
        Self { path, format, shape: Shape::Bundle }
    }

    /// Refuses a place that holds one of the inputs, or anything else that must not be replaced: what
    /// Ontrail did not make, what someone changed since, an artifact of another kind.
    pub fn check<P: AsRef<Path>>(
        self,
        inputs: impl IntoIterator<Item = P>,
    ) -> Result<(), ArtifactError> {
        inputs.into_iter().try_for_each(|input| self.check_apart_from(input.as_ref()))?;
        match self.shape {
            Shape::Json => check_json_replaceable(self.path, self.format),
            Shape::Sidecar => check_replaceable(self.path),
            Shape::Bundle => BundleWriter::check(self.path, self.format),
        }
    }

    /// Refuses to write over what is being read, or over a folder that holds it.
    fn check_apart_from(self, input: &Path) -> Result<(), ArtifactError> {
        // What is not there yet cannot be written over.
        let (Ok(input), Ok(whole)) = (input.canonicalize(), self.path.canonicalize()) else {
            return Ok(());
        };
        if !input.starts_with(&whole) {
            return Ok(());
        }
        let relation = if input == whole { "is" } else { "holds" };
        Err(ArtifactError::IsRead { path: self.path.to_owned(), relation })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FORMAT: Format = Format { kind: "test", version: 1, oldest: 1, rebuild: "make" };
    const NOTHING: [&str; 0] = [];

    #[test]
    fn a_free_place_may_be_written_in_every_shape() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        for output in [Output::json, Output::file, Output::bundle] {
            output(&path, &FORMAT).check(["no/such/input"]).unwrap();
        }
    }

    #[test]
    fn what_somebody_else_made_is_refused_in_every_shape() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thesis.json");
        fs::write(&path, "{}").unwrap();
        for output in [Output::json, Output::file, Output::bundle] {
            let error = output(&path, &FORMAT).check(NOTHING).unwrap_err();
            assert!(matches!(error, ArtifactError::Occupied { .. }), "{error}");
        }
    }

    #[test]
    fn what_is_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("data.tsv");
        fs::write(&input, "a").unwrap();
        let error = Output::file(&input, &FORMAT).check([&input]).unwrap_err().to_string();
        assert!(error.ends_with("data.tsv: is what is read; write to another name"), "{error}");
        let error = Output::bundle(folder.path(), &FORMAT).check([&input]).unwrap_err().to_string();
        assert!(error.ends_with(": holds what is read; write to another name"), "{error}");
    }
}
