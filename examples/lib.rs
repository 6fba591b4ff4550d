//! Four small programs that use Ontrail as a library. Run one in a checkout with
//! `cargo run -p ontrail-examples --example NAME`:
//!
//! - `read_page`: the terms, content blocks and links of a page;
//! - `context_to_owl`: from documents to a formal context and an OWL ontology;
//! - `train_and_predict`: a page classifier, trained and tried;
//! - `crawl_archive`: a crawl of an archive by a recipe of one's own.
