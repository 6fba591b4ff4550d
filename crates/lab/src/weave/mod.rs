//! Webs woven from texts: hosts, pages, links and all that is wrong with real ones, with the truth about every page.
//!
//! A web is planned as a whole ([`plan`]) and written page by page ([`html`]), so its size is bounded by the disk and not by memory.
//! What it is like is set by name ([`WeaveSettings`]) and measured when it is there ([`Woven`]).

mod address;
mod allot;
mod host;
mod html;
mod links;
mod measure;
mod plan;
mod settings;
mod texts;
mod words;
mod write;

pub use measure::Woven;
pub use settings::WeaveSettings;
pub use texts::SourceText;
pub use write::{LABELS, LINKS, SEEDS, SETTINGS, WEB, WeaveError, WeaveFile, weave};
