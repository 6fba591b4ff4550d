//! Items that several commands share.

use ontrail_artifact::Format;

/// The artifact format of datasets.
pub(crate) const DATASET: Format =
    Format { kind: "dataset", version: 1, oldest: 1, rebuild: "ontrail corpus split" };
