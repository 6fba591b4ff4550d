//! Projects: folders for real work on one topic, each configured by one file.

mod config;
mod crawl;
mod examples;
mod kind;
mod new;
mod plan;
mod run;

pub(crate) use new::{New, run as new};
pub(crate) use run::{Run, run};

/// Name of the configuration file. A folder with this file is a project.
const CONFIG: &str = "ontrail.toml";
/// Path of the ledger, which records the finished stages.
const LEDGER: &str = "models/stages.json";
