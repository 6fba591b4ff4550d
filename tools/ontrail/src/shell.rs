//! `ontrail completions` and `ontrail man`, from the same definitions as the help.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use ontrail_cli::{ExitStatus, Printer};

/// Print a script that makes a shell complete ontrail's commands and flags
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail completions bash > ~/.local/share/bash-completion/completions/ontrail
  ontrail completions zsh > ~/.zfunc/_ontrail
  ontrail completions fish > ~/.config/fish/completions/ontrail.fish")]
pub(crate) struct Completions {
    /// Shell to write the script for
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn completions(args: &Completions, printer: &mut Printer) -> Result<ExitStatus> {
    let mut script = Vec::new();
    generate(args.shell, &mut crate::Args::command(), "ontrail", &mut script);
    printer.line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(ExitStatus::Done)
}

/// Write manual pages for all commands into a folder
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail man -o ~/.local/share/man/man1
  man ontrail-lab-weave")]
pub(crate) struct Man {
    /// Folder for the pages; it is created if necessary
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

pub(crate) fn man(args: &Man, printer: &mut Printer) -> Result<ExitStatus> {
    let folder = &args.output;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot create the folder", folder.display()))?;
    // The `help` subcommand would repeat every page.
    let command = crate::Args::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("{}: cannot write manual pages", folder.display()))?;
    printer.note(format_args!("manual pages are in {}; start with ontrail.1", folder.display()));
    Ok(ExitStatus::Done)
}
