//! Weaves webs from labelled texts: hosts, pages, links and the faults of the real web, with the
//! ground truth for every page.
//!
//! A web is planned as a whole ([`plan`]) and written page by page ([`html`]), so its size is
//! limited by the disk and not by memory. [`WeaveSettings`] sets its properties by name, and
//! [`Woven`] has the properties that were measured on the finished web.

mod allot;
mod anchor;
mod chrome;
mod host;
mod html;
mod links;
mod measure;
mod plan;
mod settings;
mod template;
mod texts;
mod urls;
mod words;
mod write;

pub use measure::Woven;
pub use settings::{REALISTIC, WeaveSettings};
pub use texts::SourceText;
pub use write::{LABELS, LINKS, SEEDS, SETTINGS, WEB, WeaveError, WeaveFile, weave};
