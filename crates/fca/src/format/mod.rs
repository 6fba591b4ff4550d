//! File formats of contexts.
//!
//! Burmeister's format (.cxt), CSV, FIMI transactions (.dat) and JSON can be read and written.
//! Files saved by ConExp (.cex) and its text export (.txt) can only be read. Burmeister and FIMI
//! files, which tend to be large, are read as a stream. Errors say where in the file they are. A
//! file whose name ends in `.gz` is decompressed while reading.

mod burmeister;
mod conexp;
mod fimi;
mod json;
mod lines;
mod table;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use crate::context::{Context, ContextError};
use lines::Lines;

pub use table::{Scale, ScaleError, read_scaled};

/// A file format of contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `.cxt`: one name per line, then one row of crosses and dots for each object.
    Burmeister,
    /// `.csv`: the attributes in the first line, then one line for each object.
    Csv,
    /// `.dat`: one line of attribute numbers for each object; the names are in separate files.
    Fimi,
    /// `.json`: the names, and the attribute numbers of each object.
    Json,
    /// `.cex`: a file saved by ConExp. Read only.
    ConExp,
    /// `.txt`: the text export of a line diagram by ConExp. Read only.
    ConExpText,
}

impl Format {
    /// Returns the format that a file's extension stands for.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "cxt" => Some(Self::Burmeister),
            "csv" => Some(Self::Csv),
            "dat" => Some(Self::Fimi),
            "json" => Some(Self::Json),
            "cex" => Some(Self::ConExp),
            "txt" => Some(Self::ConExpText),
            _ => None,
        }
    }

    /// Returns true if contexts can be written in this format.
    #[must_use]
    pub fn is_written(self) -> bool {
        !matches!(self, Self::ConExp | Self::ConExpText)
    }
}

/// The reason why a context cannot be read from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file cannot be opened or read.
    #[error("{path}: cannot read the file", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file's extension is that of no format.
    #[error(
        "{path}: not the name of a context; contexts end in .cxt (Burmeister), .csv, .dat (FIMI), \
         .json, .cex (ConExp) or .txt (ConExp's text export), optionally followed by .gz",
        path = path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// The file breaks the rules of its format.
    #[error("{path}: {place}{reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The place of the error in the file.
        place: Place,
        /// The error, and what was expected instead.
        reason: String,
    },
    /// The file is well-formed, but its content is not a valid context.
    #[error("{path}: {reason}", path = path.display())]
    Context {
        /// The file.
        path: PathBuf,
        /// The reason why it is not valid.
        reason: ContextError,
    },
}

/// A place in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The line, if known.
    pub line: Option<u64>,
    /// The column, if known; in bytes where the line is not plain text.
    pub column: Option<u64>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: "),
            (Some(line), None) => write!(f, "line {line}: "),
            (None, _) => Ok(()),
        }
    }
}

/// Returns the line and column of a byte offset, both counted from 1, the column in bytes.
#[must_use]
pub fn place_of(bytes: &[u8], offset: u64) -> Place {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let before = &bytes[..offset];
    let line = before.split(|&byte| byte == b'\n').count() as u64;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    Place { line: Some(line), column: Some((offset - start) as u64 + 1) }
}

/// The error of a parser; the caller adds the file.
#[derive(Debug)]
pub(crate) enum ParseError {
    Io(std::io::Error),
    Malformed(Place, String),
    Context(ContextError),
}

impl ParseError {
    fn at_line(line: u64, reason: impl Into<String>) -> Self {
        Self::Malformed(Place { line: Some(line), column: None }, reason.into())
    }

    fn at(line: u64, column: usize, reason: impl Into<String>) -> Self {
        Self::Malformed(Place { line: Some(line), column: Some(column as u64) }, reason.into())
    }

    fn nowhere(reason: impl Into<String>) -> Self {
        Self::Malformed(Place::default(), reason.into())
    }

    fn in_file(self, path: &Path) -> FormatError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => FormatError::Io { path, source },
            Self::Malformed(place, reason) => FormatError::Malformed { path, place, reason },
            Self::Context(reason) => FormatError::Context { path, reason },
        }
    }
}

impl From<std::io::Error> for ParseError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ContextError> for ParseError {
    fn from(error: ContextError) -> Self {
        Self::Context(error)
    }
}

/// Reads a context from a file, in the format of its extension.
pub fn read(path: &Path) -> Result<Context, FormatError> {
    let format = Format::of(path).ok_or_else(|| FormatError::Unknown { path: path.to_owned() })?;
    let names = match format {
        Format::Fimi => fimi::NameFiles::beside(path)?,
        _ => fimi::NameFiles::default(),
    };
    let read = || parse(open(path)?, format, names);
    read().map_err(|error| error.in_file(path))
}

/// Reads a context from any source. Errors call the source `name`.
pub fn read_from(
    input: &mut dyn BufRead,
    format: Format,
    name: &Path,
) -> Result<Context, FormatError> {
    let parsed = skip_mark(input)
        .map_err(ParseError::from)
        .and_then(|()| parse(input, format, fimi::NameFiles::default()));
    parsed.map_err(|error| error.in_file(name))
}

fn parse(
    input: impl BufRead,
    format: Format,
    names: fimi::NameFiles,
) -> Result<Context, ParseError> {
    match format {
        Format::Burmeister => burmeister::read(Lines::new(input)),
        Format::Csv => table::read(input),
        Format::Fimi => fimi::read(Lines::new(input), names),
        Format::Json => json::read(input),
        Format::ConExp => conexp::read_cex(input),
        Format::ConExpText => conexp::read_text(Lines::new(input)),
    }
}

/// Writes a context. FIMI files have no names; [`names_beside`] returns the files to write those
/// to.
///
/// # Panics
///
/// If the format is read only; see [`Format::is_written`].
pub fn write(context: &Context, format: Format, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Burmeister => burmeister::write(context, out),
        Format::Csv => table::write(context, out),
        Format::Fimi => fimi::write(context, out),
        Format::Json => json::write(context, out),
        Format::ConExp | Format::ConExpText => panic!("{format:?} is a read-only format"),
    }
}

/// Returns the paths of the attribute names and of the object names of a FIMI file.
#[must_use]
pub fn names_beside(path: &Path) -> [PathBuf; 2] {
    fimi::names_beside(path)
}

/// Returns the first name that would change if it were written in a format with one name per line:
/// one that is empty, has a line break, or has white space at either end.
#[must_use]
pub fn unwritable_name(context: &Context, format: Format) -> Option<String> {
    if !matches!(format, Format::Burmeister | Format::Fimi) {
        return None;
    }
    let mut names = context.objects().iter().chain(context.attributes().iter());
    let bad = |name: &str| name.is_empty() || name.contains(['\n', '\r']) || name.trim() != name;
    names.find(|name| bad(name)).map(std::borrow::Cow::into_owned)
}

/// Opens a file, and decompresses it if its name ends in `.gz`.
fn open(path: &Path) -> Result<Box<dyn BufRead>, ParseError> {
    let file = File::open(path)?;
    let is_compressed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let input: Box<dyn Read> = if is_compressed {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut input = BufReader::with_capacity(1 << 16, input);
    skip_mark(&mut input)?;
    Ok(Box::new(input))
}

/// Skips the byte order mark that some editors write at the start of UTF-8 files.
fn skip_mark(input: &mut dyn BufRead) -> std::io::Result<()> {
    if input.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    Ok(())
}
