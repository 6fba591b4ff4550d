//! The semantic disambiguation graph (SDG): a page on Amazon the shop is not a page on the rain forest.
//!
//! The words of a topic are the nodes of a graph; an edge says how much two of them stand together on pages
//! of the topic, counted in a background corpus ([`Occurrences`]). Words that are as much at home on other
//! pages are ambiguous ([`Identification`], by fuzzy rules over three indicators), and each of these has
//! words that show, where they are on a page too, that it has the topic's meaning. A [`Disambiguator`]
//! takes ambiguous words away from a page that has not enough of those.
//!
//! ```
//! use ontrail_page::{Html, Source};
//! use ontrail_sdg::{Disambiguator, Occurrences, Sdg, Settings, TopicTerm};
//!
//! let term = |term: &str, weight| TopicTerm { term: term.to_owned(), weight, occurrences: 4 };
//! let terms = [term("amazon", 1.0), term("forest", 0.8), term("river", 0.6), term("parrot", 0.4)];
//! let mut background = Occurrences::new(terms.len());
//! for _ in 0..6 {
//!     background.add(true, [(0, 1), (1, 2), (2, 1)]);
//!     background.add(true, [(1, 1), (3, 2)]);
//!     background.add(false, [(0, 3)]);
//! }
//! let sdg = Sdg::build("rain forest", &terms, &background, &Settings::default())?;
//! assert!(sdg.terms[0].ambiguous && !sdg.terms[1].ambiguous);
//!
//! let analyzer = sdg.analyzer();
//! let disambiguator = Disambiguator::new(&sdg, &analyzer)?;
//! let read = |html: &str| Html::parse(html.as_bytes(), Source::default()).analyze(&analyzer);
//! let shop = disambiguator.judge(&read("<p>Order at Amazon today"));
//! assert!(shop[0].removed && shop[0].present.is_empty());
//! let river = disambiguator.judge(&read("<p>Where the Amazon leaves the forest it is a wide river"));
//! assert!(!river[0].removed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows nothing of how topic pages are found and does not fetch.

mod ambiguity;
mod build;
mod disambiguate;
pub mod fuzzy;
mod graph;
mod picture;
mod sdg;
mod senses;
mod settings;

pub use ambiguity::{Ambiguity, Identification, Indicators, TermCounts};
pub use build::{BuildError, TopicTerm};
pub use disambiguate::{Disambiguator, Judgement, Present};
pub use graph::{Occurrences, Pair};
pub use picture::{EdgeChoice, Picture};
pub use sdg::{Edge, FORMAT, Node, ReadError, Sdg, SdgError, analyzer_for};
pub use senses::Senses;
pub use settings::{Bounds, INDICATORS, Importance, Settings, SettingsError, Shape};
