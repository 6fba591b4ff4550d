#![doc = include_str!("../README.md")]

mod capture;
mod coding;
mod error;
mod library;
mod places;
mod record;
mod response;

pub use capture::{Capture, Packed, digest, index_line, surt, warcinfo};
pub use coding::{Unpacked, unpack};
pub use error::ArchiveError;
pub use library::{Holding, Library, record_at};
pub use places::{PlacedRecord, PlacedRecords};
pub use record::{Record, Records, find};
pub use response::Response;
