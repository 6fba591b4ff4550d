//! Web archives in the WARC format: 1.0 and 1.1 are read, 1.1 is written.
//!
//! [`Records`] streams over an archive of any size, packed with gzip record by record, as a whole,
//! or not at all. A `response` record holds what a server sent, byte for byte, and
//! [`Record::response`] takes it apart: status, headers, and the body freed of chunks and
//! compression. [`find`] looks up one address; a [`Library`] many, in several archives.
//! [`Capture`] makes the records of one visit, and [`surt`] and [`index_line`] the line that an index
//! (CDXJ) has of it.
//!
//! The crate knows nothing of what is in the pages.

mod capture;
mod coding;
mod error;
mod library;
mod record;
mod response;

pub use capture::{Capture, Packed, digest, index_line, surt, warcinfo};
pub use coding::{Unpacked, unpack};
pub use error::ArchiveError;
pub use library::{Holding, Library, record_at};
pub use record::{Record, Records, find};
pub use response::Response;
