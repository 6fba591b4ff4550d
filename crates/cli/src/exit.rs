//! How a tool ends.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser};

use crate::printer::{GlobalArgs, Printer, harmless, style};

/// How a tool's work ended, if it was not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The work is done: exit code 0.
    Done,
    /// A well-formed "no", such as a check that found problems: exit code 1.
    No,
}

/// The whole `main` of a tool that is a binary of its own: its arguments and the flags of every tool.
pub fn tool_main<C: Args>(
    name: &'static str,
    run: impl FnOnce(&C, &mut Printer) -> anyhow::Result<ExitStatus>,
) -> ExitCode {
    let command =
        Alone::<C>::command().name(name).bin_name(name).version(env!("CARGO_PKG_VERSION"));
    let parsed = Alone::<C>::from_arg_matches(&command.get_matches());
    let args = parsed.unwrap_or_else(|error| error.exit());
    run_tool(&args.global, |printer| run(&args.command, printer))
}

#[derive(Parser)]
struct Alone<C: Args> {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(flatten)]
    command: C,
}

/// Runs a tool and turns what it returns into an exit code, reporting an error on standard error.
pub fn run_tool(
    args: &GlobalArgs,
    run: impl FnOnce(&mut Printer) -> anyhow::Result<ExitStatus>,
) -> ExitCode {
    let mut printer = Printer::new(args);
    if let Some(threads) = args.threads {
        use_threads(threads);
    }
    let result = run(&mut printer).and_then(|status| Ok(printer.flush().map(|()| status)?));
    match result {
        Ok(ExitStatus::Done) => ExitCode::SUCCESS,
        Ok(ExitStatus::No) => ExitCode::from(1),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            ExitCode::from(2)
        }
    }
}

/// Bounds the threads of this process; the first to say so is heeded.
pub fn use_threads(threads: u16) {
    // Fails only if the pool is there already.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
}

/// Prints an error and its causes. There is nowhere left to complain if that fails too.
fn report(error: &anyhow::Error) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{0}error{0:#}: {1}", style::ERROR, harmless(error));
    for cause in error.chain().skip(1) {
        let _ = writeln!(out, "  because: {}", harmless(&cause));
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        // Whatever writes JSON hides the error of writing within its own.
        let json = || cause.downcast_ref::<serde_json::Error>()?.io_error_kind();
        io.or_else(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
