//! What is recorded of each upload: a small object beside the files, one for each of them.
//!
//! There is no common list that an uploader could leave half-written or that two uploaders could
//! overwrite. A record is written after its object was verified and removed before the object is
//! replaced, so that an object without a record is one whose upload has not ended.

use ontrail_artifact::Checksum;
use serde::{Deserialize, Serialize};

/// The folder of the records.
pub(crate) const FOLDER: &str = "uploaded";
/// The version of the format.
const FORMAT: u32 = 1;

/// What is recorded of an upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    format: u32,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 checksum of the file.
    pub sha256: Checksum,
    /// The entity tag of the object, if the store has such tags and shows the same ones in lists.
    /// It changes whenever somebody replaces the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

impl Record {
    pub(crate) fn new(bytes: u64, sha256: Checksum, tag: Option<String>) -> Self {
        Self { format: FORMAT, bytes, sha256, tag }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let text = serde_json::to_string(self).expect("numbers and texts always serialise");
        (text + "\n").into_bytes()
    }

    /// Reads a record; none if it is cut off or of an unknown format.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let record: Self = serde_json::from_slice(bytes).ok()?;
        (record.format == FORMAT).then_some(record)
    }
}

/// Returns the name of the record of a file.
pub(crate) fn record_name(name: &str) -> String {
    format!("{FOLDER}/{name}.json")
}

/// Returns the name of the file that a record is about.
pub(crate) fn recorded_name(record: &str) -> Option<&str> {
    record.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_suffix(".json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back_and_half_a_record_is_not() {
        let record = Record::new(3, Checksum::of(b"abc"), Some("tag".to_owned()));
        let bytes = record.encode();
        assert_eq!(Record::decode(&bytes), Some(record));
        assert!((0..bytes.len() - 1).all(|length| Record::decode(&bytes[..length]).is_none()));
        assert_eq!(recorded_name(&record_name("log/00000.parquet")), Some("log/00000.parquet"));
        assert_eq!(recorded_name("log/00000.parquet"), None);
    }
}
