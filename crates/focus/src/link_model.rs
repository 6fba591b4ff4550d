//! Files of link models: what crawls have learned about links.

use std::path::Path;

use ontrail_artifact::{ArtifactError, Destination, Format, Provenance, read_json, write_json};
use ontrail_pilot::KeptModel;

/// The format of link models.
pub const LINK_MODEL: Format =
    Format { kind: "link model", version: 1, oldest: 1, rebuild: "ontrail crawl learn" };

/// Writes a link model.
pub fn write_link_model<'a>(
    to: impl Into<Destination<'a>>,
    provenance: &Provenance,
    model: &KeptModel,
) -> Result<(), ArtifactError> {
    write_json(to, &LINK_MODEL, provenance, model)
}

/// Reads a link model. Its numbers are not checked yet.
pub fn read_link_model(path: &Path) -> Result<KeptModel, ArtifactError> {
    read_json(path, &LINK_MODEL).map(|(_, model)| model)
}
