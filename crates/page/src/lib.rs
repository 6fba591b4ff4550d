//! A page turned into what the rest of Ontrail looks at.
//!
//! [`PageReader`] takes the bytes of an HTML page, as they come from a server or a file, and returns
//! a [`Page`]: its terms counted per [`LabelGroup`], its content blocks, its links with anchor and
//! context, and what its head says (title, language, robots, canonical address). Bytes may be
//! anything at all: every loop is bounded by [`Limits`], nothing recurses, and nothing panics.
//!
//! ```
//! use ontrail_page::{LabelGroup, PageReader, Source};
//! use ontrail_text::Analyzer;
//!
//! let html = "<title>暴雨预警</title><p>暴雨 <a href='/rain'>雨情</a></p>";
//! let analyzer = Analyzer::new();
//! let url = "http://example.org/".parse()?;
//! let page = PageReader::new(&analyzer).read(html.as_bytes(), Source::at(&url));
//! let rainstorm = page.vocabulary().get("暴雨").unwrap();
//! assert_eq!(page.count(rainstorm, LabelGroup::Title), 1);
//! assert_eq!(page.count(rainstorm, LabelGroup::Body), 1);
//! assert_eq!(page.links[0].url.as_str(), "http://example.org/rain");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows nothing of topics and does not fetch.

mod block;
mod declared;
mod group;
mod limits;
mod link;
mod page;
mod reader;
mod run;
mod tags;
mod tree;
mod url;
mod walk;

pub use block::{Block, BlockId, BlockKind};
pub use group::{LabelGroup, Tag};
pub use limits::{Cuts, Limits};
pub use link::{Link, LinkKind, Rel};
pub use page::{Occurrence, Page, Passage, RobotsMeta};
pub use reader::{PageReader, Source};
pub use url::{normalise, resolve};
