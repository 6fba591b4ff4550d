//! What every tool does alike on the command line.
//!
//! Data goes to standard output and all else to standard error. The exit code is 0 when the work is
//! done, 1 for a well-formed "no", 2 for an error, and an error names the file, the place in it and
//! what to do. A reader that closes its end early, as `head` does, is no error.
//!
//! ```no_run
//! use ontrail_cli::{ExitStatus, GlobalArgs, Printer, run_tool};
//!
//! fn main() -> std::process::ExitCode {
//!     run_tool(&GlobalArgs::default(), |printer| {
//!         printer.line(format_args!("{} pages", 3))?;
//!         Ok(ExitStatus::Done)
//!     })
//! }
//! ```
//!
//! The crate knows nothing of what the tools do.

mod arguments;
mod bar;
mod exit;
mod printer;
mod progress;
mod stop;
mod table;

pub use arguments::{
    OutputFile, address, output_file, pixels_per_unit, share, share_above_zero, significance,
};
pub use bar::bar;
pub use exit::{ExitStatus, run_tool, tool_main, use_threads};
pub use ontrail_numbers::{brief, bytes, count, decimal};
pub use printer::{ColorChoice, GlobalArgs, Printer, quoted, style};
pub use progress::{LiveLine, Progress};
pub use stop::stop_flag;
pub use table::{Align, Table, width};
