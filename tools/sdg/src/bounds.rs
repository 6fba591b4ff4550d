//! The bounds of an indicator as one argument.

use std::str::FromStr;

use ontrail_sdg::Bounds;

/// The bounds of an indicator, separated by a comma.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoundsArg(pub(crate) Bounds);

impl FromStr for BoundsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| {
            part.trim().parse::<f64>().map_err(|_| format!("{part:?} is not a number"))
        };
        let (low, high) =
            text.split_once(',').ok_or("give two numbers separated by a comma, such as 2,5")?;
        Ok(Self(Bounds { low: number(low)?, high: number(high)? }))
    }
}
