//! Outputs: where a command writes, and in which format.

use std::error::Error;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use ontrail_artifact::Destination;

use crate::printer::Printer;

/// The option of every command that writes files.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ForceArgs {
    /// Replace an output file even if Ontrail did not make it, or if it has been changed since
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// Returns the destination that a user named. If it is standard output, whatever the printer
    /// prints goes to standard error from now on.
    pub fn destination<'a>(self, path: &'a Path, printer: &mut Printer) -> Result<Destination<'a>> {
        let to = Destination::new(path, self.force);
        if to.is_stdout() {
            printer.leave_stdout()?;
        }
        Ok(to)
    }
}

/// A file to write, in the format that its extension names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile<F> {
    /// Path of the file.
    pub path: PathBuf,
    /// Format of the file.
    pub form: F,
}

/// Parses the name of an output file. `form_of` maps extensions to formats; its error lists them.
/// A stream without an extension, such as `-`, gets the format of the file name `usual`.
pub fn output_file<F, E>(
    form_of: fn(&Path) -> Result<F, E>,
    usual: &'static str,
) -> impl TypedValueParser<Value = OutputFile<F>>
where
    F: Clone + Send + Sync + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    PathBufValueParser::new().try_map(move |path| {
        let form = match form_of(&path) {
            Err(_) if Destination::from(&path).is_stream() => form_of(Path::new(usual)),
            form => form,
        };
        form.map(|form| OutputFile { path, form })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_of_an_output_names_its_format() {
        fn form_of(path: &Path) -> Result<char, String> {
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("a") => Ok('a'),
                Some("b") => Ok('b'),
                _ => Err(format!("{}: name a .a or .b file", path.display())),
            }
        }
        let parse = |name: &str| {
            let parser = output_file(form_of, "x.b");
            let output = clap::Arg::new("output").long("output").value_parser(parser);
            let matches =
                clap::Command::new("x").arg(output).try_get_matches_from(["x", "--output", name]);
            matches.map(|mut found| found.remove_one::<OutputFile<char>>("output"))
        };
        let file = |path: &str, form| OutputFile { path: path.into(), form };
        assert_eq!(parse("x.a").unwrap(), Some(file("x.a", 'a')));
        assert_eq!(parse("-").unwrap(), Some(file("-", 'b')));
        let error = parse("x.c").unwrap_err().to_string();
        assert!(error.contains("'--output <output>': x.c: name a .a or .b file"), "{error}");
    }
}
