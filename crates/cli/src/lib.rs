#![doc = include_str!("../README.md")]

mod arguments;
mod bar;
mod catalogue;
mod exit;
mod help;
mod language;
mod names;
mod output;
mod printer;
mod progress;
mod stop;
mod table;

pub use arguments::{
    absolute_url, per_second, pixels_per_unit, share, share_above_zero, significance,
};
pub use bar::bar;
pub use exit::{ExitStatus, run_tool, tool_main, use_threads};
pub use help::{in_language, parse};
pub use language::Language;
pub use names::{join_names, room_for_names};
pub use ontrail_numbers::{brief, bytes, count, decimal};
pub use output::{ForceArgs, OutputFile, output_file};
pub use printer::{ColorChoice, GlobalArgs, Printer, log_writer, quoted, style};
pub use progress::{LiveLine, ProgressBar};
pub use stop::stop_flag;
pub use table::{Align, Table, width};
