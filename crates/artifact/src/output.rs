//! Checks the destination of an artifact before any work is done.

use std::path::Path;

use crate::bundle::BundleWriter;
use crate::describe::Shape;
use crate::destination::Destination;
use crate::error::ArtifactError;
use crate::format::Format;
use crate::json::check_json_replaceable;
use crate::sidecar::check_replaceable;

/// The destination of an artifact. Reading the input may take hours, so a tool first checks whether
/// it may write there. A tool that writes several artifacts checks all of them before it writes the
/// first.
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
    to: Destination<'a>,
    format: &'a Format,
    shape: Shape,
}

impl<'a> Output<'a> {
    /// Creates the destination of a JSON file, to be written by [`write_json`](crate::write_json).
    #[must_use]
    pub fn json(to: impl Into<Destination<'a>>, format: &'a Format) -> Self {
        Self { to: to.into(), format, shape: Shape::Json }
    }

    /// Creates the destination of a file in a foreign format, to be written by
    /// [`write_with_sidecar`](crate::write_with_sidecar).
    #[must_use]
    pub fn file(to: impl Into<Destination<'a>>, format: &'a Format) -> Self {
        Self { to: to.into(), format, shape: Shape::Sidecar }
    }

    /// Creates the destination of a directory, to be written by a [`BundleWriter`].
    #[must_use]
    pub fn bundle(to: impl Into<Destination<'a>>, format: &'a Format) -> Self {
        Self { to: to.into(), format, shape: Shape::Bundle }
    }

    /// Returns an error if the destination contains one of the inputs, or anything else that must
    /// not be replaced: something that Ontrail did not make, something that has been changed since,
    /// or an artifact of another kind.
    pub fn check<P: AsRef<Path>>(
        self,
        inputs: impl IntoIterator<Item = P>,
    ) -> Result<(), ArtifactError> {
        inputs.into_iter().try_for_each(|input| self.check_apart_from(input.as_ref()))?;
        match self.shape {
            Shape::Json => check_json_replaceable(self.to, self.format).map(drop),
            Shape::Sidecar => check_replaceable(self.to).map(drop),
            Shape::Bundle => BundleWriter::check(self.to.path(), self.format).map(drop),
        }
    }

    /// Returns an error if the destination is an input, or a folder that contains an input.
    fn check_apart_from(self, input: &Path) -> Result<(), ArtifactError> {
        let path = self.to.path();
        // A path that does not exist yet cannot be overwritten.
        let (Ok(input), Ok(whole)) = (input.canonicalize(), path.canonicalize()) else {
            return Ok(());
        };
        if !input.starts_with(&whole) {
            return Ok(());
        }
        let relation = if input == whole { "is" } else { "contains" };
        Err(ArtifactError::IsRead { path: path.to_owned(), relation })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FORMAT: Format = Format { kind: "test", version: 1, oldest: 1, rebuild: "make" };
    const NOTHING: [&str; 0] = [];

    #[test]
    fn a_free_destination_is_accepted_in_every_shape() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        for output in [Output::json, Output::file, Output::bundle] {
            output(&path, &FORMAT).check(["no/such/input"]).unwrap();
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_replaced_only_by_force_and_never_by_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thesis.json");
        fs::write(&path, "{}").unwrap();
        for output in [Output::json, Output::file] {
            let error = output(Destination::new(&path, false), &FORMAT).check(NOTHING).unwrap_err();
            assert!(error.to_string().ends_with("or replace it with --force"), "{error}");
            output(Destination::new(&path, true), &FORMAT).check(NOTHING).unwrap();
        }
        let forced = Destination::new(&path, true);
        let error = Output::bundle(forced, &FORMAT).check(NOTHING).unwrap_err();
        assert!(matches!(error, ArtifactError::NeedsFolder { .. }), "{error}");
        let error = Output::json(forced, &FORMAT).check([&path]).unwrap_err();
        assert!(matches!(error, ArtifactError::IsRead { .. }), "{error}");
    }

    #[test]
    fn an_input_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("data.tsv");
        fs::write(&input, "a").unwrap();
        let error = Output::file(&input, &FORMAT).check([&input]).unwrap_err().to_string();
        let advice = "an input of this command; choose another name for the output";
        assert!(error.ends_with(&format!("data.tsv: is {advice}")), "{error}");
        let error = Output::bundle(folder.path(), &FORMAT).check([&input]).unwrap_err().to_string();
        assert!(error.ends_with(&format!(": contains {advice}")), "{error}");
    }
}
