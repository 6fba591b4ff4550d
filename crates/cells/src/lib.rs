#![doc = include_str!("../README.md")]

use std::borrow::Cow;

/// Returns a cell that no spreadsheet takes for a formula: with an apostrophe in front if it starts
/// like one.
#[must_use]
pub fn guarded(cell: &str) -> Cow<'_, str> {
    if is_risky(cell) { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

/// Returns the text of a cell that [`guarded`] wrote.
#[must_use]
pub fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_risky(text) => text,
        _ => cell,
    }
}

/// Returns true if a text starts like a formula, after any apostrophes, and is not a number.
fn is_risky(text: &str) -> bool {
    let is_formula = text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']);
    is_formula && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formulas_get_an_apostrophe_and_other_cells_do_not() {
        for formula in ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "-", "'=1"]
        {
            assert_eq!(guarded(formula), format!("'{formula}"));
        }
        for cell in ["", "rain", "-1.5", "+7", "-1e-9", " =1", "'rain", "a=b", "暴雨"] {
            assert_eq!(guarded(cell), cell);
            assert_eq!(unguarded(cell), cell);
        }
    }

    proptest! {
        #[test]
        fn a_cell_is_read_back_as_it_was(cell in "['=+@1a\t\r-]{0,5}") {
            let written = guarded(&cell).into_owned();
            prop_assert_eq!(unguarded(&written), cell);
            let is_formula = written.starts_with(['=', '+', '-', '@', '\t', '\r']);
            prop_assert!(!is_formula || written.parse::<f64>().is_ok());
        }
    }
}
