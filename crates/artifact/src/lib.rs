//! What passes from one tool to the next, and how it says where it came from.
//!
//! Every output of Ontrail states its kind, the version of its format and its [`Provenance`]: the
//! tool, the command, the parameters, the seed and the checksums of what it was made from. There
//! are three shapes, and [`describe`] recognises all of them:
//!
//! - a JSON file with a header beside its content ([`write_json`], [`read_json`]);
//! - a directory with a `manifest.json` that lists its files ([`BundleWriter`], [`Bundle`]);
//! - a file in a foreign format with a sidecar `FILE.ontrail.json` ([`write_with_sidecar`]).
//!
//! Nothing carries a time stamp: the same command on the same inputs gives the same bytes. Nothing
//! is ever half-written: files and directories are made under a temporary name and renamed. Nothing is
//! replaced that Ontrail did not make, or that someone has changed since: [`Output::check`] says so before
//! any work is done for it.
//!
//! What the content means is the business of the crate that owns it.

mod bundle;
mod checksum;
mod describe;
mod error;
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
pub use error::ArtifactError;
pub use format::Format;
pub use json::{check_json_replaceable, read_json, write_json};
pub use output::Output;
pub use provenance::{Input, Provenance};
pub use sidecar::{sidecar_path, write_with_sidecar};
pub use write::write_atomically;
