//! Where output goes and how it looks.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::progress::{LiveLine, Progress};
use crate::table::Table;
use ontrail_numbers::count;

/// How many of the things that were passed over are shown.
const EXAMPLES_SHOWN: usize = 10;

/// Text with its control characters made visible. Titles, anchors and labels are written by strangers,
/// and a terminal obeys what it is sent.
pub(crate) fn harmless(text: &impl fmt::Display) -> String {
    let visible = |c: char| match c {
        '\n' | '\t' => c,
        _ if c.is_control() => '\u{fffd}',
        _ => c,
    };
    text.to_string().chars().map(visible).collect()
}

/// A word as it must be typed in a shell.
///
/// ```
/// # use ontrail_cli::quoted;
/// assert_eq!(quoted("暴雨.owl"), "暴雨.owl");
/// assert_eq!(quoted("a b's"), r"'a b'\''s'");
/// ```
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./=,:+@".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The flags that every tool has.
#[derive(Debug, Clone, Default, Args)]
pub struct GlobalArgs {
    /// Print the result as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
    /// Print nothing but the result, warnings and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Show no progress bars
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Use so many threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub color: ColorChoice,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The few styles in use. Output is legible without them.
pub mod style {
    use anstyle::{AnsiColor, Style};

    /// Errors.
    pub const ERROR: Style = AnsiColor::Red.on_default().bold();
    /// Warnings.
    pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    /// Headings.
    pub const HEADING: Style = Style::new().bold();
    /// Things of less weight.
    pub const FAINT: Style = Style::new().dimmed();
    /// Commands a user may type.
    pub const COMMAND: Style = AnsiColor::Cyan.on_default();
}

/// Prints a tool's results and notes.
#[derive(Debug)]
pub struct Printer {
    out: io::BufWriter<anstream::Stdout>,
    json: bool,
    quiet: bool,
    progress: bool,
    excerpt: Option<Excerpt>,
}

/// How much of the result is still shown, and how much was not.
#[derive(Debug, Clone, Copy)]
struct Excerpt {
    room: usize,
    left_out: usize,
}

impl Printer {
    /// A printer that does as the flags say.
    #[must_use]
    pub fn new(args: &GlobalArgs) -> Self {
        let choice = match args.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let out = io::BufWriter::new(anstream::stdout());
        let progress = !args.no_progress && !args.quiet && io::stderr().is_terminal();
        Self { out, json: args.json, quiet: args.quiet, progress, excerpt: None }
    }

    /// Whether the result is wanted as JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Does some work of which at most so many lines of the result are shown, for people and not as JSON. Returns how many
    /// lines were left out as well.
    pub fn excerpt<T>(&mut self, lines: usize, work: impl FnOnce(&mut Self) -> T) -> (T, usize) {
        let (json, quiet) = (self.json, self.quiet);
        self.excerpt = Some(Excerpt { room: lines, left_out: 0 });
        self.json = false;
        // Where nothing is shown of the result, neither is what is said about it.
        self.quiet |= lines == 0;
        let done = work(self);
        (self.json, self.quiet) = (json, quiet);
        let left_out = self.excerpt.take().map_or(0, |excerpt| excerpt.left_out);
        (done, left_out)
    }

    /// Whether there is room for so many more lines of the result.
    fn has_room(&mut self, lines: usize) -> bool {
        let Some(excerpt) = &mut self.excerpt else { return true };
        let fits = lines <= excerpt.room;
        // What comes after something that was left out is left out too: an excerpt is the beginning.
        excerpt.room = if fits { excerpt.room - lines } else { 0 };
        excerpt.left_out += if fits { 0 } else { lines };
        fits
    }

    /// Prints a line of the result.
    pub fn line(&mut self, line: impl fmt::Display) -> io::Result<()> {
        let line = harmless(&line);
        if self.has_room(line.lines().count().max(1)) {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Prints a heading.
    pub fn heading(&mut self, heading: impl fmt::Display) -> io::Result<()> {
        let style = style::HEADING;
        if self.has_room(1) {
            writeln!(self.out, "{style}{}{style:#}", harmless(&heading))?;
        }
        Ok(())
    }

    /// Prints a command that the user may type.
    pub fn command(&mut self, command: impl fmt::Display) -> io::Result<()> {
        let style = style::COMMAND;
        if self.has_room(1) {
            writeln!(self.out, "{style}$ {}{style:#}", harmless(&command))?;
        }
        Ok(())
    }

    /// Prints a table, indented by two spaces.
    pub fn table(&mut self, table: &Table) -> io::Result<()> {
        for line in table.lines() {
            if self.has_room(1) {
                writeln!(self.out, "  {}", harmless(&line))?;
            }
        }
        Ok(())
    }

    /// Prints the result as one JSON object.
    pub fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value)?;
        writeln!(self.out)
    }

    /// Says something on standard error that is not part of the result.
    pub fn note(&mut self, note: impl fmt::Display) {
        if !self.quiet {
            let _ = self.out.flush();
            let _ = writeln!(anstream::stderr(), "{}", harmless(&note));
        }
    }

    /// Warns on standard error.
    pub fn warn(&mut self, warning: impl fmt::Display) {
        let _ = self.out.flush();
        let style = style::WARNING;
        let _ = writeln!(anstream::stderr(), "{style}warning{style:#}: {}", harmless(&warning));
    }

    /// Warns that so many things were passed over, with the first few of them; says nothing of none.
    pub fn passed_over(&mut self, number: u64, what: &str, examples: &[impl fmt::Display]) {
        if number > 0 {
            let mut warning = format!("{} {what} passed over, such as", count(number));
            for example in examples.iter().take(EXAMPLES_SHOWN) {
                warning += &format!("\n  {example}");
            }
            self.warn(warning);
        }
    }

    /// A progress display for `steps` steps, which shows only on a terminal.
    #[must_use]
    pub fn progress(&self, what: &'static str, steps: Option<u64>) -> Progress {
        Progress::new(what, steps, self.progress)
    }

    /// A line that shows how work stands, which shows only on a terminal.
    #[must_use]
    pub fn live_line(&self) -> LiveLine {
        LiveLine::new(self.progress)
    }

    /// Whether progress shows.
    #[must_use]
    pub fn shows_progress(&self) -> bool {
        self.progress
    }

    /// Makes everything printed so far appear.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_the_beginning_and_counts_the_rest() {
        let mut printer = Printer::new(&GlobalArgs { json: true, ..GlobalArgs::default() });
        let (asked, left_out) = printer.excerpt(2, |printer| {
            printer.line("a").unwrap();
            printer.heading("b").unwrap();
            printer.line("c\nd").unwrap();
            printer.line("e").unwrap();
            printer.is_json()
        });
        assert_eq!((asked, left_out), (false, 3));
        assert!(printer.is_json() && printer.has_room(1_000));
        assert_eq!(printer.excerpt(0, |printer| printer.quiet), (true, 0));
        assert!(!printer.quiet);
    }
}
