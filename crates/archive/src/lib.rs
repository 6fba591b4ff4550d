//! Web archives in the WARC format (1.0 and 1.1), read record by record.
//!
//! [`Records`] streams over an archive of any size, packed with gzip record by record, as a whole,
//! or not at all. A `response` record holds what a server sent, byte for byte, and
//! [`Record::response`] takes it apart: status, headers, and the body freed of chunks and
//! compression. [`find`] looks up one address.
//!
//! The crate knows nothing of what is in the pages.

mod error;
mod record;
mod response;

pub use error::ArchiveError;
pub use record::{Record, Records, find};
pub use response::Response;
