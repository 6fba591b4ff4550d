//! The forms of inverse document frequency on the command line.

use clap::ValueEnum;
use ontrail_text::weight::Idf;

/// A form of inverse document frequency. n of N texts contain the term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum IdfName {
    /// log(N / n + 0.01)
    Offset,
    /// log(N / n)
    Plain,
    /// log((N + 1) / (n + 1)) + 1
    Smooth,
}

impl From<IdfName> for Idf {
    fn from(name: IdfName) -> Self {
        match name {
            IdfName::Offset => Self::Offset,
            IdfName::Plain => Self::Plain,
            IdfName::Smooth => Self::Smooth,
        }
    }
}
