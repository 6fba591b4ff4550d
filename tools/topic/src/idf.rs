//! The forms of rarity on the command line.

use clap::ValueEnum;
use ontrail_text::weight::Idf;

/// The forms of rarity by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum IdfName {
    Offset,
    Plain,
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
