//! Pages of HTML to look at, which need nothing else and no network.
//!
//! A [`Page`] is a title and [`Part`]s: tables, figures, charts, pictures to look into, a tree, a list of pages. Whoever wants a
//! page hands over data; markup is written here alone, by templates that escape whatever is put into them. The parts bring the
//! style and the scripts that they need.
//!
//! ```
//! use ontrail_report::{Page, Part, Table};
//!
//! let table = Table::new("Hosts", ["host", "pages"], [["a.example", "3"]]);
//! let page = Page::new("A <crawl>", "three pages", vec![Part::Table(table)]);
//! assert!(page.html().contains("<h1>A &lt;crawl&gt;</h1>"));
//! ```
//!
//! The crate does not know what the figures mean.

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
pub use evaluation::{ClassRow, EvaluationPage, Reliability};
pub use form::{Form, NoForm};
pub use page::Page;
pub use page_list::{ListWords, ListedPage, PageList, PageListWords};
pub use part::{Chapter, Part, Run};
pub use table::Table;
pub use terms::TermRow;
pub use tree::{Branch, Tree, TreeWords};
pub use viewer::{Viewer, viewer_page};
