//! Arguments that several tools have, checked while the command line is parsed.
//!
//! A wrong argument must be refused before any file is read. These are value parsers for clap, so the
//! complaint names the argument, ends with exit code 2, and also reaches `ontrail run`, which parses every
//! stage of a project before it begins the first.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};
use url::Url;

/// A file to write, in the form that the ending of its name tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile<F> {
    /// Where to write it.
    pub path: PathBuf,
    /// The form to write it in.
    pub form: F,
}

/// Parses the name of a file to write. `form_of` knows the endings and says which there are.
pub fn output_file<F, E>(
    form_of: fn(&Path) -> Result<F, E>,
) -> impl TypedValueParser<Value = OutputFile<F>>
where
    F: Clone + Send + Sync + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    PathBufValueParser::new()
        .try_map(move |path| form_of(&path).map(|form| OutputFile { path, form }))
}

/// Parses an address of the web, whole from its scheme on.
pub fn address(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|error| format!("`{text}` is not an absolute address: {error}"))
}

/// Parses a number from 0 to 1: a share, a probability, a similarity.
///
/// ```
/// # use ontrail_cli::share;
/// assert_eq!(share("0.5"), Ok(0.5));
/// assert_eq!(share("1.5").unwrap_err(), "1.5 is not from 0 to 1");
/// ```
pub fn share(text: &str) -> Result<f64, String> {
    number(text, "from 0 to 1", |number| (0.0..=1.0).contains(&number))
}

/// Parses a number above 0 and at most 1, where 0 would let everything pass.
pub fn share_above_zero(text: &str) -> Result<f64, String> {
    number(text, "above 0 and at most 1", |number| number > 0.0 && number <= 1.0)
}

/// Parses a number between 0 and 1, both excluded: the error that a test accepts.
pub fn significance(text: &str) -> Result<f64, String> {
    number(text, "between 0 and 1", |number| number > 0.0 && number < 1.0)
}

/// Parses how many pixels a unit of a picture has.
pub fn pixels_per_unit(text: &str) -> Result<f32, String> {
    // What a person types has few digits.
    #[expect(clippy::cast_possible_truncation, reason = "within the range")]
    number(text, "above 0 and at most 20", |number| number > 0.0 && number <= 20.0)
        .map(|number| number as f32)
}

/// Parses a number that must be allowed. NaN is within no range.
fn number(text: &str, range: &str, is_allowed: impl Fn(f64) -> bool) -> Result<f64, String> {
    let number: f64 = text.trim().parse().map_err(|_| format!("{text:?} is not a number"))?;
    if is_allowed(number) { Ok(number) } else { Err(format!("{text} is not {range}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_at_their_ends() {
        assert_eq!((share("0"), share("1")), (Ok(0.0), Ok(1.0)));
        assert_eq!(share_above_zero("1"), Ok(1.0));
        assert_eq!(share_above_zero("0").unwrap_err(), "0 is not above 0 and at most 1");
        assert_eq!(significance("1").unwrap_err(), "1 is not between 0 and 1");
        assert_eq!(pixels_per_unit("20"), Ok(20.0));
        assert!(pixels_per_unit("20.5").is_err());
    }

    #[test]
    fn what_is_no_number_is_in_no_range() {
        assert_eq!(share("NaN").unwrap_err(), "NaN is not from 0 to 1");
        assert_eq!(share("much").unwrap_err(), "\"much\" is not a number");
    }

    #[test]
    fn an_output_tells_its_form() {
        fn form_of(path: &Path) -> Result<char, String> {
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("a") => Ok('a'),
                _ => Err(format!("{}: name a .a file", path.display())),
            }
        }
        let parse = |name: &str| {
            let output = clap::Arg::new("output").long("output").value_parser(output_file(form_of));
            let matches =
                clap::Command::new("x").arg(output).try_get_matches_from(["x", "--output", name]);
            matches.map(|mut found| found.remove_one::<OutputFile<char>>("output"))
        };
        let file = OutputFile { path: "x.a".into(), form: 'a' };
        assert_eq!(parse("x.a").unwrap(), Some(file));
        let error = parse("x.b").unwrap_err().to_string();
        assert!(error.contains("'--output <output>': x.b: name a .a file"), "{error}");
    }
}
