//! Bars made of characters.

/// Returns a horizontal bar for a share from 0 to 1, at most `columns` wide, in eighths of a
/// column.
///
/// ```
/// # use ontrail_cli::bar;
/// assert_eq!(bar(0.5, 4), "██");
/// assert_eq!(bar(0.3, 4), "█▎");
/// assert_eq!(bar(f64::NAN, 4), "");
/// ```
#[must_use]
pub fn bar(share: f64, columns: u16) -> String {
    let parts = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    // NaN clamps to NaN, and a cast of NaN is 0.
    let exact = (share.clamp(0.0, 1.0) * f64::from(columns) * 8.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
    let eighths = exact as usize;
    let mut text = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        text.push(parts[eighths % 8]);
    }
    text
}
