//! Parsing of the command line, and the headings of help in the user's language.

use std::io::Write as _;

use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, FromArgMatches};

use crate::catalogue::translate;
use crate::language::Language;
use crate::printer::{harmless, in_language as in_user_language};

/// Parses the command line of this process. Ends the process after printing help or an error.
pub fn parse<P: CommandFactory + FromArgMatches>(change: impl FnOnce(Command) -> Command) -> P {
    let language =
        Language::of_command_line(std::env::args()).unwrap_or_else(Language::of_environment);
    let command = in_language(change(P::command()), language);
    let parsed = command.try_get_matches().and_then(|found| P::from_arg_matches(&found));
    parsed.unwrap_or_else(|error| end(&error, language))
}

/// Prints help or an error of the command line and ends the process.
fn end(error: &clap::Error, language: Language) -> ! {
    let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    // An error names arguments, which may come from a file or from the web.
    let is_clean = std::env::args_os().all(|arg| !arg.to_string_lossy().contains(char::is_control));
    if is_help || (language == Language::En && is_clean) {
        error.exit();
    }
    let text = in_user_language(harmless(&error.render()), language);
    let _ = write!(anstream::stderr(), "{text}");
    std::process::exit(error.exit_code());
}

/// Puts the headings of a command's help, and of all commands below it, into a language.
#[must_use]
pub fn in_language(command: Command, language: Language) -> Command {
    if language == Language::En {
        return command;
    }
    let after = command.get_after_help().map(|text| after_help(&text.to_string()));
    let mut command = command
        .help_template("{before-help}{about-with-newline}\n用法：{usage}\n\n{all-args}{after-help}")
        .subcommand_help_heading("命令")
        .mut_args(with_heading)
        .mut_subcommands(|below| in_language(below, language));
    if let Some(after) = after {
        command = command.after_help(after);
    }
    command
}

fn with_heading(arg: Arg) -> Arg {
    let heading = match arg.get_help_heading() {
        Some(heading) => translate(heading),
        None if arg.is_positional() => "参数".to_owned(),
        None => "选项".to_owned(),
    };
    arg.help_heading(heading)
}

/// Translates the headings behind the options: lines that end with a colon.
fn after_help(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix(':') {
        Some(heading) if !heading.starts_with(' ') => format!("{}：", translate(heading)),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
