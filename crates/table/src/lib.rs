#![doc = include_str!("../README.md")]

mod batch;
mod check;
mod contain;
mod error;
mod table;
mod thrift;
mod write;

pub use batch::Batch;
pub use error::TableError;
pub use table::{Batches, Table};
pub use write::{TableWriter, Values};
