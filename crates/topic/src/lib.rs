//! What a topic is, and how near a text comes to it.
//!
//! A [`Topic`] is a list of weighted terms, made from an ontology ([`weigh()`]), from texts about it
//! ([`Learning`]) or by hand, and kept as one JSON file whatever it was made from. A [`Scorer`] makes it
//! ready; a [`PageView`] is a page as the topic sees it, and says how near the page is, or a block of it,
//! or a link, by the model asked for ([`Model`]: the cosine, SSRM or SVSM).
//!
//! ```
//! use ontrail_page::{Html, Source};
//! use ontrail_topic::{Model, Origin, Scorer, Term, Topic};
//!
//! let terms = vec![Term::new("暴雨", 2.0), Term::new("flash flood", 1.0)];
//! let topic = Topic::new("rain", Origin::Keywords, terms)?;
//! let analyzer = topic.analyzer().build();
//! let scorer = Scorer::new(&topic, &analyzer, Model::labels(), None)?;
//! let html = Html::parse("<p>暴雨 and flash floods".as_bytes(), Source::default());
//! let page = html.analyze(&analyzer);
//! let view = scorer.view(&page);
//! // Both terms stand in body text, so W_D = (1, 1): (2 + 1) / (√5 · √2).
//! assert!((view.relevance() - 3.0 / 10.0_f64.sqrt()).abs() < 1e-12);
//! assert_eq!(view.reasons()[0].term, "暴雨");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows nothing of OWL and does not fetch.

mod anchor;
mod learn;
mod model;
mod profile;
mod scorer;
mod topic;
mod view;
mod weigh;

pub use anchor::{AnchorText, PagesMet};
pub use learn::{Counts, Learning, Method};
pub use model::{Model, Norm, Similarity, Weighting};
pub use scorer::{Feature, Scorer, ScorerError, words_as_read};
pub use topic::{Background, FORMAT, Origin, ReadError, Term, Topic, TopicError};
pub use view::{Nearest, PageView, Reason};
pub use weigh::{Names, weigh};
