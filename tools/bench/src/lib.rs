//! `ontrail bench`: the benchmarks that a user can repeat on their own data.

mod bcw;
mod crawl;
mod lattice;
mod page;
mod sdg;
mod strategies;
mod timing;
mod topic;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Measure the speed of Ontrail on your own machine and data.
#[derive(Debug, Clone, Args)]
pub struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Subcommand)]
enum What {
    Page(page::PageBench),
    Lattice(lattice::LatticeBench),
    Topic(topic::TopicBench),
    Bcw(bcw::BcwBench),
    Sdg(sdg::SdgBench),
    Crawl(crawl::CrawlBench),
    Strategies(strategies::StrategiesBench),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.what {
        What::Page(args) => page::run(args, printer),
        What::Lattice(args) => lattice::run(args, printer),
        What::Topic(args) => topic::run(args, printer),
        What::Bcw(args) => bcw::run(args, printer),
        What::Sdg(args) => sdg::run(args, printer),
        What::Crawl(args) => crawl::run(args, printer),
        What::Strategies(args) => strategies::run(args, printer),
    }
}
