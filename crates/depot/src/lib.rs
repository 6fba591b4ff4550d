#![doc = include_str!("../README.md")]

mod address;
mod depot;
mod error;
mod fetched;
mod ledger;
mod mirror;
mod record;
mod stores;
mod transfer;
mod uploader;

#[cfg(test)]
mod tests;

pub use address::{Address, is_address};
pub use depot::{Depot, Listing, StoredObject};
pub use error::DepotError;
pub use fetched::Fetched;
pub use ledger::{LEDGER, Ledger, UploadStatus};
pub use mirror::{Candidate, Mirror};
pub use record::Record;
pub use uploader::{Moment, Scan, Uploader};
