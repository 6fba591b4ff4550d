//! An argument that consists of five numbers.

use std::fmt;
use std::str::FromStr;

/// Five numbers, separated by commas.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(crate) struct Five(pub(crate) [f64; 5]);

impl FromStr for Five {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, String> = text
            .split(',')
            .map(|part| part.trim().parse().map_err(|_| format!("{part:?} is not a number")))
            .collect();
        let count = |numbers: Vec<f64>| {
            format!("found {} numbers; give five, separated by commas", numbers.len())
        };
        numbers?.try_into().map(Self).map_err(count)
    }
}

impl fmt::Display for Five {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.map(|number| number.to_string()).join(","))
    }
}
