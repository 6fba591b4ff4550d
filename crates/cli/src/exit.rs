//! The start and the end of a tool: its arguments, its exit code, and error reports.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Parser};

use crate::help::parse;
use crate::language::Language;
use crate::printer::{GlobalArgs, Printer, harmless, in_language, style};

/// The result of a tool's work, unless it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The work is done: exit code 0.
    Done,
    /// A well-formed "no", such as a check that found problems: exit code 1.
    No,
}

/// Is the whole `main` of a tool that is a binary of its own: parses its arguments and the global
/// options, and runs it.
pub fn tool_main<C: Args>(
    name: &'static str,
    run: impl FnOnce(&C, &mut Printer) -> anyhow::Result<ExitStatus>,
) -> ExitCode {
    let args: Alone<C> =
        parse(|command| command.name(name).bin_name(name).version(env!("CARGO_PKG_VERSION")));
    run_tool(&args.global, |printer| run(&args.command, printer))
}

#[derive(Parser)]
struct Alone<C: Args> {
    #[command(flatten)]
    command: C,
    // The last, because the heading of these options holds for whatever follows it.
    #[command(flatten)]
    global: GlobalArgs,
}

/// Runs a tool and turns its result into an exit code. Reports an error on standard error.
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
            report(&error, args.language());
            ExitCode::from(2)
        }
    }
}

/// Sets the number of threads of this process. Only the first call has an effect.
pub fn use_threads(threads: u16) {
    // Fails only if the pool exists already.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
}

/// Prints an error and its causes. Ignores failures to print: there is nowhere left to report them.
fn report(error: &anyhow::Error, language: Language) {
    let (is, because) = match language {
        Language::En => ("error", "because"),
        Language::Zh => ("错误", "原因"),
    };
    let text = |message: &dyn std::fmt::Display| in_language(harmless(&message), language);
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{0}{is}{0:#}: {1}", style::ERROR, text(error));
    for cause in error.chain().skip(1) {
        let _ = writeln!(out, "  {because}: {}", text(&cause));
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        // serde_json hides the error of writing within its own.
        let json = || cause.downcast_ref::<serde_json::Error>()?.io_error_kind();
        io.or_else(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
