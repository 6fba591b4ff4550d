//! A project: a folder for real work on one topic, with one file that configures all of it.

mod config;
mod crawl;
mod kind;
mod new;
mod plan;
mod run;

pub(crate) use new::{New, run as new};
pub(crate) use run::{Run, run};

/// The file that makes a folder a project.
const CONFIG: &str = "ontrail.toml";
/// What is known of the stages that were done.
const LEDGER: &str = "models/stages.json";
