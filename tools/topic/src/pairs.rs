//! Reads files of word pairs with human similarity scores.

use std::path::Path;

use anyhow::{Result, bail};
use ontrail_intake::read_text;

/// Two words, and their similarity as judged by people.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    pub(crate) words: (String, String),
    pub(crate) human: Option<f64>,
}

/// Reads lines of two words and an optional score, separated by tabs or commas. The first line may
/// be a heading.
pub(crate) fn read(path: &Path) -> Result<Vec<Pair>> {
    let text = read_text(path)?;
    let mut pairs: Vec<Pair> = Vec::new();
    let mut is_first = true;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let separator = if line.contains('\t') { '\t' } else { ',' };
        let fields: Vec<&str> = line.split(separator).map(str::trim).collect();
        let (a, b, score) = match fields.as_slice() {
            [a, b] => (a, b, None),
            [a, b, score, ..] => (a, b, Some(score)),
            _ => bail!(
                "{}: line {number}: expected two words and a score, separated by tabs or commas",
                path.display()
            ),
        };
        if a.is_empty() || b.is_empty() {
            bail!("{}: line {number}: a word is missing", path.display());
        }
        let parsed = |score: &str| score.parse::<f64>().ok().filter(|score| score.is_finite());
        let human = match score {
            None => None,
            Some(score) => match parsed(score) {
                None if is_first && !score.contains(|c: char| c.is_ascii_digit()) => {
                    is_first = false;
                    continue; // a heading
                }
                None => bail!("{}: line {number}: {score:?} is not a score", path.display()),
                some => some,
            },
        };
        is_first = false;
        pairs.push(Pair { words: ((*a).to_owned(), (*b).to_owned()), human });
    }
    if pairs.is_empty() {
        bail!("{}: the file has no pairs of words", path.display());
    }
    Ok(pairs)
}
