//! `ontrail-corpus`: the tool as a binary of its own.

use clap::Parser;
use ontrail_cli::{GlobalArgs, run_tool};
use ontrail_tool_corpus::Command;

#[derive(Parser)]
#[command(name = "ontrail-corpus", version)]
struct Args {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(flatten)]
    command: Command,
}

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    run_tool(&args.global, |printer| ontrail_tool_corpus::run(&args.command, printer))
}
