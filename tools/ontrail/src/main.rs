//! `ontrail`: every tool under one name.

mod demo;
mod project;
mod report;
mod shell;
mod stage;

use clap::{Parser, Subcommand};
use ontrail_cli::{ExitStatus, GlobalArgs, Printer, parse, run_tool};

/// Focused crawling: learn what a topic is, then bring home the pages that belong to it
#[derive(Parser)]
#[command(
    name = "ontrail",
    version,
    after_help = "\
Examples:
  ontrail demo                         show the whole pipeline on the data that ships
  ontrail new rain --topic 暴雨灾害     create a project
  ontrail crawl --help                 show the commands of a tool

The tools from lattice to bench are also separate binaries, `ontrail-TOOL`.

Exit code: 0 done, 1 a well-formed \"no\", 2 an error."
)]
struct Args {
    #[command(subcommand)]
    tool: Tool,
    #[command(flatten)]
    global: GlobalArgs,
}

#[derive(Subcommand)]
enum Tool {
    Demo(demo::Demo),
    New(project::New),
    Run(project::Run),
    Report(report::ReportArgs),
    Lattice(ontrail_tool_lattice::Command),
    Topic(ontrail_tool_topic::Command),
    Bcw(ontrail_tool_bcw::Command),
    Sdg(ontrail_tool_sdg::Command),
    Seeds(ontrail_tool_seeds::Command),
    Crawl(ontrail_tool_crawl::Command),
    Lab(ontrail_tool_lab::Command),
    Corpus(ontrail_tool_corpus::Command),
    Inspect(ontrail_tool_inspect::Command),
    Bench(ontrail_tool_bench::Command),
    Completions(shell::Completions),
    Man(shell::Man),
}

fn main() -> std::process::ExitCode {
    let args: Args = parse(|command| command);
    run_tool(&args.global, |printer| run(&args.tool, printer))
}

fn run(tool: &Tool, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    match tool {
        Tool::Demo(args) => demo::run(args, printer),
        Tool::New(args) => project::new(args, printer),
        Tool::Run(args) => project::run(args, printer),
        Tool::Report(args) => report::run(args, printer),
        Tool::Lattice(args) => ontrail_tool_lattice::run(args, printer),
        Tool::Topic(args) => ontrail_tool_topic::run(args, printer),
        Tool::Bcw(args) => ontrail_tool_bcw::run(args, printer),
        Tool::Sdg(args) => ontrail_tool_sdg::run(args, printer),
        Tool::Seeds(args) => ontrail_tool_seeds::run(args, printer),
        Tool::Crawl(args) => ontrail_tool_crawl::run(args, printer),
        Tool::Lab(args) => ontrail_tool_lab::run(args, printer),
        Tool::Corpus(args) => ontrail_tool_corpus::run(args, printer),
        Tool::Inspect(args) => ontrail_tool_inspect::run(args, printer),
        Tool::Bench(args) => ontrail_tool_bench::run(args, printer),
        Tool::Completions(args) => shell::completions(args, printer),
        Tool::Man(args) => shell::man(args, printer),
    }
}
