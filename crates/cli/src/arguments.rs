//! Arguments that several tools have, checked while the command line is parsed.
//!
//! A wrong argument must be refused before any file is read. These are value parsers for clap, so
//! the error names the argument and exits with code 2. `ontrail run` benefits too: it parses
//! every stage of a project before it runs the first.

use url::Url;

/// Parses an absolute URL.
pub fn absolute_url(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|error| format!("`{text}` is not an absolute URL: {error}"))
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

/// Parses a number between 0 and 1, both excluded: the significance level of a test.
pub fn significance(text: &str) -> Result<f64, String> {
    number(text, "between 0 and 1", |number| number > 0.0 && number < 1.0)
}

/// Parses the number of pixels per unit of a picture.
pub fn pixels_per_unit(text: &str) -> Result<f32, String> {
    #[expect(clippy::cast_possible_truncation, reason = "within the range")]
    number(text, "above 0 and at most 20", |number| number > 0.0 && number <= 20.0)
        .map(|number| number as f32)
}

/// Parses a number of times a second.
pub fn per_second(text: &str) -> Result<f64, String> {
    number(text, "from 0.001 to 1000000", |number| (0.001..=1e6).contains(&number))
}

/// Parses a number and checks its range. NaN is in no range.
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
        assert_eq!(per_second("0.5"), Ok(0.5));
        assert_eq!(per_second("0").unwrap_err(), "0 is not from 0.001 to 1000000");
        assert!(pixels_per_unit("20.5").is_err());
    }

    #[test]
    fn nan_and_words_are_refused() {
        assert_eq!(share("NaN").unwrap_err(), "NaN is not from 0 to 1");
        assert_eq!(share("much").unwrap_err(), "\"much\" is not a number");
    }
}
