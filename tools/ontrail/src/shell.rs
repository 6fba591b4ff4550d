//! `ontrail completions` and `ontrail man`, from the same definitions as the help.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use ontrail_artifact::{check_folder, create_folder, write_atomically};
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
    /// Replace pages of the same names even if Ontrail did not make them
    #[arg(long)]
    force: bool,
}

/// Renders the pages of a command and of its subcommands.
fn render(command: clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        render(inner.clone(), pages)?;
    }
    let page = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    pages.push((page.get_filename(), text));
    Ok(())
}

/// Returns true if nothing has this name yet, or a manual page of Ontrail.
fn is_replaceable(page: &Path) -> bool {
    !page.is_symlink() && !page.exists()
        || page.is_file() && fs::read_to_string(page).is_ok_and(|text| text.contains(".TH ontrail"))
}

pub(crate) fn man(args: &Man, printer: &mut Printer) -> Result<ExitStatus> {
    let folder = &args.output;
    check_folder(folder)?;
    create_folder(folder)
        .with_context(|| format!("{}: cannot create the folder", folder.display()))?;
    // The `help` subcommand would repeat every page.
    let mut command = crate::Args::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    render(command, &mut pages).context("cannot write manual pages")?;
    // The folder is shared with other programs, and pages there have no sidecars.
    let foreign =
        pages.iter().map(|(name, _)| folder.join(name)).find(|page| !is_replaceable(page));
    if let Some(page) = foreign.filter(|_| !args.force) {
        bail!(
            "{}: not a manual page of ontrail, so it is not replaced; --force replaces it",
            page.display()
        );
    }
    for (name, text) in pages {
        write_atomically(&folder.join(name), |out| out.write_all(&text))?;
    }
    printer.note(format_args!("manual pages are in {}; start with ontrail.1", folder.display()));
    Ok(ExitStatus::Done)
}
