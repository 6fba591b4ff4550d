//! What several verbs share.

use anyhow::{Result, bail};
use ontrail_artifact::Format;

/// The kind of artifact that a written dataset is.
pub(crate) const DATASET: Format =
    Format { kind: "dataset", version: 1, oldest: 1, rebuild: "ontrail corpus split" };

/// Refuses a similarity that no pair of texts could have, or that all have.
pub(crate) fn check_similarity(similarity: f64) -> Result<()> {
    if similarity > 0.0 && similarity <= 1.0 {
        return Ok(());
    }
    bail!("--similarity: {similarity} is not above 0 and at most 1")
}
