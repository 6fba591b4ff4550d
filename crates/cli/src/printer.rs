//! Printing: results to standard output, notes and warnings to standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;

use ontrail_numbers::count;

use crate::catalogue::translate;
use crate::language::Language;
use crate::progress::{LiveLine, ProgressBar};
use crate::table::Table;

/// Number of skipped items that a warning shows.
const EXAMPLES_SHOWN: usize = 10;

/// Returns text with its control characters replaced. Strangers write titles, anchor texts and
/// labels, and a terminal obeys the escape codes in them.
pub(crate) fn harmless(text: &impl fmt::Display) -> String {
    let visible = |c: char| match c {
        '\n' | '\t' => c,
        _ if c.is_control() => '\u{fffd}',
        _ => c,
    };
    text.to_string().chars().map(visible).collect()
}

/// Returns JSON with its control characters escaped. JSON itself requires that only for those below
/// the space; the others can occur in strings alone.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_control() && c != '\n' {
            out += &format!("\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns a writer to standard error for logs. It replaces control characters like all printing.
#[must_use]
pub fn log_writer() -> impl io::Write {
    HarmlessWriter { out: io::stderr(), rest: Vec::new() }
}

/// A writer of text that replaces control characters.
struct HarmlessWriter<W> {
    out: W,
    /// The beginning of a character whose end is not yet written.
    rest: Vec<u8>,
}

impl<W: Write> Write for HarmlessWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend(bytes);
        let written = std::mem::take(&mut self.rest);
        let mut chunks = written.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.out.write_all(harmless(&chunk.valid()).as_bytes())?;
            let invalid = chunk.invalid();
            let is_cut = chunks.peek().is_none()
                && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if is_cut {
                self.rest = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.out.write_all("\u{fffd}".as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns a word as it must be typed in a shell.
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

/// The options that every tool has.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Print the result as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only the result, warnings and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Do not show progress bars
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Number of threads to use [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub color: ColorChoice,
    /// Language of messages, given before the name of a tool [default: from the variable LANG]
    #[arg(long, value_name = "LANG", value_enum, hide_possible_values = true)]
    pub lang: Option<Language>,
}

impl GlobalArgs {
    /// Returns the language of messages: the one that was asked for, or that of the environment.
    #[must_use]
    pub fn language(&self) -> Language {
        self.lang.unwrap_or_else(Language::of_environment)
    }
}

/// The choice of when to use colour.
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
    /// Less important text.
    pub const FAINT: Style = Style::new().dimmed();
    /// Commands that a user may type.
    pub const COMMAND: Style = AnsiColor::Cyan.on_default();
}

/// The place where results are printed.
#[derive(Debug)]
enum Sink {
    Stdout(anstream::Stdout),
    Stderr(anstream::Stderr),
    Nowhere,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Stderr(out) => out.write(bytes),
            Self::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Stderr(out) => out.flush(),
            Self::Nowhere => Ok(()),
        }
    }
}

/// Prints a tool's results and notes.
#[derive(Debug)]
pub struct Printer {
    out: io::BufWriter<Sink>,
    json: bool,
    quiet: bool,
    progress: bool,
    language: Language,
    excerpt: Option<Excerpt>,
}

/// The number of lines of the result that may still be shown, and of those that were not.
#[derive(Debug, Clone, Copy)]
struct Excerpt {
    room: usize,
    left_out: usize,
}

impl Printer {
    /// Creates a printer with the options of the command line.
    #[must_use]
    pub fn new(args: &GlobalArgs) -> Self {
        let choice = match args.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let out = io::BufWriter::new(Sink::Stdout(anstream::stdout()));
        let progress = !args.no_progress && !args.quiet && io::stderr().is_terminal();
        let language = args.language();
        Self { out, json: args.json, quiet: args.quiet, progress, language, excerpt: None }
    }

    /// Returns true if the user wants the result as JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Leaves standard output to the file that a command writes there. The result is printed on
    /// standard error instead, unless the user wants only the file.
    pub fn leave_stdout(&mut self) -> anyhow::Result<()> {
        if self.json {
            anyhow::bail!(
                "--json prints to standard output, and so does this output; write it to a file"
            );
        }
        self.out.flush()?;
        let sink = if self.quiet { Sink::Nowhere } else { Sink::Stderr(anstream::stderr()) };
        self.out = io::BufWriter::new(sink);
        Ok(())
    }

    /// Does some work and shows at most `lines` lines of its result, as text even if JSON is
    /// wanted. Also returns the number of lines that were left out.
    pub fn excerpt<T>(&mut self, lines: usize, work: impl FnOnce(&mut Self) -> T) -> (T, usize) {
        let (json, quiet) = (self.json, self.quiet);
        self.excerpt = Some(Excerpt { room: lines, left_out: 0 });
        self.json = false;
        // Without the result, notes about it are of no use.
        self.quiet |= lines == 0;
        let done = work(self);
        (self.json, self.quiet) = (json, quiet);
        let left_out = self.excerpt.take().map_or(0, |excerpt| excerpt.left_out);
        (done, left_out)
    }

    /// Returns true if the excerpt has room for this many more lines.
    fn has_room(&mut self, lines: usize) -> bool {
        let Some(excerpt) = &mut self.excerpt else { return true };
        let fits = lines <= excerpt.room;
        // An excerpt is the beginning: after a gap, everything is left out.
        excerpt.room = if fits { excerpt.room - lines } else { 0 };
        excerpt.left_out += if fits { 0 } else { lines };
        fits
    }

    /// Prints a line of the result.
    pub fn line(&mut self, line: impl fmt::Display) -> io::Result<()> {
        let line = self.shown(&line);
        if self.has_room(line.lines().count().max(1)) {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Prints a heading.
    pub fn heading(&mut self, heading: impl fmt::Display) -> io::Result<()> {
        let style = style::HEADING;
        if self.has_room(1) {
            writeln!(self.out, "{style}{}{style:#}", self.shown(&heading))?;
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
        for line in table.in_language(self.language).lines() {
            if self.has_room(1) {
                writeln!(self.out, "  {}", harmless(&line))?;
            }
        }
        Ok(())
    }

    /// Prints the result as one JSON object.
    pub fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        let json = serde_json::to_string_pretty(value)?;
        writeln!(self.out, "{}", escaped(&json))
    }

    /// Returns a writer to standard output for data in other formats, such as tables and texts. It
    /// replaces control characters as all printing does.
    pub fn data(&mut self) -> impl io::Write + '_ {
        HarmlessWriter { out: &mut self.out, rest: Vec::new() }
    }

    /// Prints a note on standard error, unless the user wants only the result.
    pub fn note(&mut self, note: impl fmt::Display) {
        if !self.quiet {
            let _ = self.out.flush();
            let _ = writeln!(anstream::stderr(), "{}", self.shown(&note));
        }
    }

    /// Prints a warning on standard error.
    pub fn warn(&mut self, warning: impl fmt::Display) {
        let _ = self.out.flush();
        let style = style::WARNING;
        let word = match self.language {
            Language::En => "warning",
            Language::Zh => "警告",
        };
        let _ = writeln!(anstream::stderr(), "{style}{word}{style:#}: {}", self.shown(&warning));
    }

    /// Warns that items were skipped, and shows the first few. Prints nothing if there are none.
    pub fn skipped(&mut self, number: u64, what: &str, examples: &[impl fmt::Display]) {
        if number > 0 {
            let mut warning = format!("skipped {} {what}, such as", count(number));
            for example in examples.iter().take(EXAMPLES_SHOWN) {
                warning += &format!("\n  {example}");
            }
            self.warn(warning);
        }
    }

    /// Returns a progress bar for `steps` steps. It is visible only on a terminal.
    #[must_use]
    pub fn progress(&self, what: &'static str, steps: Option<u64>) -> ProgressBar {
        ProgressBar::new(&in_language(what.to_owned(), self.language), steps, self.progress)
    }

    /// Returns a line of text that can be rewritten. It is visible only on a terminal.
    #[must_use]
    pub fn live_line(&self) -> LiveLine {
        LiveLine::new(self.progress)
    }

    /// Returns true if progress is visible.
    #[must_use]
    pub fn shows_progress(&self) -> bool {
        self.progress
    }

    /// Writes out everything printed so far.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Returns a message in the user's language and without control characters.
    fn shown(&self, text: &impl fmt::Display) -> String {
        in_language(harmless(text), self.language)
    }
}

/// Translates a message, unless the language is English.
pub(crate) fn in_language(text: String, language: Language) -> String {
    match language {
        Language::En => text,
        Language::Zh => translate(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Escape codes that a terminal obeys: with ESC, and with the one character that stands for it.
    const HOSTILE: &str = "a\u{1b}]0;owned\u{7}b\u{9b}2Jc\rd\u{7f}\u{8}";

    #[test]
    fn control_characters_are_replaced_and_line_breaks_and_tabs_are_not() {
        let clean = harmless(&HOSTILE);
        assert_eq!(clean, "a\u{fffd}]0;owned\u{fffd}b\u{fffd}2Jc\u{fffd}d\u{fffd}\u{fffd}");
        assert_eq!(harmless(&"暴雨\n\té"), "暴雨\n\té");
    }

    #[test]
    fn data_is_clean_however_it_is_cut_into_pieces() {
        for size in 1..=HOSTILE.len() {
            let mut writer = HarmlessWriter { out: Vec::new(), rest: Vec::new() };
            for piece in HOSTILE.as_bytes().chunks(size) {
                writer.write_all(piece).unwrap();
            }
            assert_eq!(String::from_utf8(writer.out).unwrap(), harmless(&HOSTILE), "{size}");
        }
        let mut writer = HarmlessWriter { out: Vec::new(), rest: Vec::new() };
        writer.write_all(b"a\xffb\xe6\x9a\xb4").unwrap();
        assert_eq!(writer.out, "a\u{fffd}b暴".as_bytes());
    }

    #[test]
    fn json_is_clean_and_means_the_same() {
        let json = escaped(&serde_json::to_string_pretty(&[HOSTILE]).unwrap());
        assert!(!json.chars().any(|c| c.is_control() && c != '\n'), "{json:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [HOSTILE]);
    }

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
