//! Numbers for people.

/// A count with its thousands set apart.
///
/// ```
/// # use ontrail_cli::count;
/// assert_eq!(count(44_960), "44,960");
/// assert_eq!(count(7), "7");
/// ```
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with four decimals, or as many digits as tell it from others where it is very small or large.
///
/// ```
/// # use ontrail_cli::decimal;
/// assert_eq!(decimal(0.25), "0.2500");
/// assert_eq!(decimal(-0.0), "0.0000");
/// assert_eq!(decimal(0.000_012_34), "1.23e-5");
/// assert_eq!(decimal(1e200), "1.00e200");
/// ```
#[must_use]
pub fn decimal(number: f64) -> String {
    let is_plain = number == 0.0 || (0.001..1e6).contains(&number.abs());
    // Adding 0 makes 0 of -0.
    if is_plain { format!("{:.4}", number + 0.0) } else { format!("{number:.2e}") }
}

/// A size in bytes, in the unit that suits it.
///
/// ```
/// # use ontrail_cli::bytes;
/// assert_eq!(bytes(999), "999 B");
/// assert_eq!(bytes(1_500), "1.5 kB");
/// assert_eq!(bytes(16_000_000), "16.0 MB");
/// ```
#[must_use]
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return if unit == "B" { format!("{number} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// A horizontal bar for a share from 0 to 1, at most `columns` wide, in eighths of a column.
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
