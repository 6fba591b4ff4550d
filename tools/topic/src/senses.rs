//! Reads the disambiguation graph of a topic.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use ontrail_cli::Printer;
use ontrail_sdg::{Sdg, Senses};
use ontrail_topic::Topic;

/// Reads a graph, and warns if it has no term of the topic.
pub(crate) fn read(path: &Path, topic: &Topic, printer: &mut Printer) -> Result<Senses> {
    let sdg = Sdg::read(path)?;
    let senses = Senses::new(&sdg)?;
    let mut reader = senses.analyzer().reader();
    let own: BTreeSet<String> =
        topic.terms.iter().filter_map(|term| reader.single_term(&term.term)).collect();
    let mut is_own = |name: &str| reader.single_term(name).is_some_and(|form| own.contains(&form));
    let is_related = sdg.names().any(&mut is_own);
    drop(reader);
    let path = path.display();
    if !is_related {
        printer.warn(format_args!(
            "{path}: the graph has no term of the topic {:?}; it may be the graph of another topic",
            topic.name
        ));
    }
    if let Some(warning) = senses.warning() {
        printer.warn(format_args!("{path}: {warning}"));
    }
    Ok(senses)
}
