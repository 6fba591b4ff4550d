#![doc = include_str!("../README.md")]

mod asset;
mod confusion;
mod evaluation;
mod form;
mod page;
mod page_list;
mod part;
mod table;
mod terms;
mod tree;
mod viewer;

pub use confusion::Confusion;
pub use evaluation::{ClassRow, EvaluationPage, MistakeRow, Reliability, Thresholds};
pub use form::{Form, NoForm};
pub use page::Page;
pub use page_list::{ListWords, ListedPage, PageList, PageListWords};
pub use part::{Chapter, Part, Run};
pub use table::Table;
pub use terms::TermRow;
pub use tree::{Branch, Tree, TreeWords};
pub use viewer::{Viewer, viewer_page};
