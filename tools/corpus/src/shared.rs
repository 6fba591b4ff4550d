//! What several verbs share.

use ontrail_artifact::Format;

/// The kind of artifact that a written dataset is.
pub(crate) const DATASET: Format =
    Format { kind: "dataset", version: 1, oldest: 1, rebuild: "ontrail corpus split" };
