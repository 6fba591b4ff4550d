//! `ontrail bench`: benchmarks that users can run on their own machine and data.

mod bcw;
mod crawl;
mod endurance;
mod lattice;
mod page;
mod sdg;
mod strategies;
mod timing;
mod topic;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Measure the speed of Ontrail on your own machine and data
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench page datasets/rainstorm-pages
  ontrail bench crawl --pages 5000
  ontrail bench strategies --recipes bfs,ontrail
  ontrail bench lattice --threads 1 --json")]
pub struct Command {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, Clone, Subcommand)]
enum Benchmark {
    Page(page::PageBench),
    Lattice(lattice::LatticeBench),
    Topic(topic::TopicBench),
    Bcw(bcw::BcwBench),
    Sdg(sdg::SdgBench),
    Crawl(crawl::CrawlBench),
    Endurance(endurance::EnduranceBench),
    Strategies(strategies::StrategiesBench),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.benchmark {
        Benchmark::Page(args) => page::run(args, printer),
        Benchmark::Lattice(args) => lattice::run(args, printer),
        Benchmark::Topic(args) => topic::run(args, printer),
        Benchmark::Bcw(args) => bcw::run(args, printer),
        Benchmark::Sdg(args) => sdg::run(args, printer),
        Benchmark::Crawl(args) => crawl::run(args, printer),
        Benchmark::Endurance(args) => endurance::run(args, printer),
        Benchmark::Strategies(args) => strategies::run(args, printer),
    }
}
