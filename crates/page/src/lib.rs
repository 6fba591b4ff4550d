#![doc = include_str!("../README.md")]

mod analyses;
mod analysis;
mod block;
mod collapse;
mod content;
mod declared;
mod group;
mod hint;
mod html;
mod limits;
mod link;
mod media;
mod metadata;
mod page;
mod passage;
mod robots;
mod separation;
mod source;
mod tags;
mod tree;
mod url;
mod walk;

pub use analyses::Analyses;
pub use block::{BlockId, BlockKind, ContentBlock};
pub use content::Content;
pub use group::{LabelGroup, Tag};
pub use html::Html;
pub use limits::{Cuts, Limits};
pub use link::{LinkKind, LinkTerms, PageLink, Rel};
pub use media::Media;
pub use metadata::Metadata;
pub use page::{Occurrence, Page};
pub use passage::{Cursor, Passage, Passages};
pub use robots::{AgentRobots, RobotsMeta};
pub use source::Source;
pub use url::{normalise, resolve};
