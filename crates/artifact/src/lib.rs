#![doc = include_str!("../README.md")]

mod bundle;
mod checksum;
mod describe;
mod destination;
mod durable;
mod error;
mod folder;
mod format;
mod json;
mod layout;
mod output;
mod provenance;
mod sidecar;
mod write;

pub use bundle::{Bundle, BundleWriter};
pub use checksum::{Checksum, sha256_of_file};
pub use describe::{Description, Mismatch, Shape, describe};
pub use destination::{Destination, check_folder};
pub use durable::{create_file, create_folder, rename, sync_folder};
pub use error::ArtifactError;
pub use folder::FolderWriter;
pub use format::Format;
pub use json::{read_json, write_json};
pub use output::Output;
pub use provenance::{Input, Provenance};
pub use sidecar::{sidecar_path, write_with_sidecar};
pub use write::{write_atomically, write_privately};
