//! A page turned into what the rest of Ontrail looks at, in two steps.
//!
//! [`Html::parse`] takes the bytes of an HTML page, as they come from a server or a file, and keeps
//! what stands on it: the text in passages, the links, and what the head says (title, language, robots,
//! canonical address). [`Html::analyze`] finds the terms of an analyzer in that and returns a [`Page`]:
//! terms counted per [`LabelGroup`], content blocks, and the terms at each link. A page is parsed once,
//! and analyzed once per vocabulary ([`Analyses`]). Bytes may be anything at all: every loop is bounded
//! by [`Limits`], nothing recurses, and nothing panics.
//!
//! ```
//! use ontrail_page::{Html, LabelGroup, Source};
//! use ontrail_text::Analyzer;
//!
//! let bytes = "<title>暴雨预警</title><p>暴雨 <a href='/rain'>雨情</a></p>".as_bytes();
//! let url = "http://example.org/".parse()?;
//! let html = Html::parse(bytes, Source::at(&url));
//! assert_eq!(html.title, "暴雨预警");
//! assert_eq!(html.links[0].url.as_str(), "http://example.org/rain");
//! let page = html.analyze(&Analyzer::new());
//! let rainstorm = page.vocabulary().get("暴雨").unwrap();
//! assert_eq!(page.count(rainstorm, LabelGroup::Title), 1);
//! assert_eq!(page.count(rainstorm, LabelGroup::Body), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows nothing of topics and does not fetch.

mod analyses;
mod analysis;
mod block;
mod collapse;
mod declared;
mod group;
mod html;
mod limits;
mod link;
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
pub use block::{Block, BlockId, BlockKind};
pub use group::{LabelGroup, Tag};
pub use html::Html;
pub use limits::{Cuts, Limits};
pub use link::{Link, LinkKind, LinkTerms, Rel};
pub use page::{Occurrence, Page};
pub use passage::{Cursor, Passage, Passages};
pub use robots::RobotsMeta;
pub use source::Source;
pub use url::{normalise, resolve};
