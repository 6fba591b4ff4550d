#![doc = include_str!("../README.md")]

/// Formats a count with thousands separators.
///
/// ```
/// # use ontrail_numbers::count;
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

/// Formats a number with three decimals, or in scientific notation if it is very small or very
/// large.
///
/// ```
/// # use ontrail_numbers::decimal;
/// assert_eq!(decimal(0.25), "0.250");
/// assert_eq!(decimal(-0.0), "0.000");
/// assert_eq!(decimal(0.000_012_34), "1.23e-5");
/// assert_eq!(decimal(1e200), "1.00e200");
/// ```
#[must_use]
pub fn decimal(number: f64) -> String {
    let is_plain = number == 0.0 || (0.001..1e6).contains(&number.abs());
    // Adding 0 turns -0 into 0.
    if is_plain { format!("{:.3}", number + 0.0) } else { format!("{number:.2e}") }
}

/// Formats a number with two decimals, or in scientific notation from a million upwards.
///
/// ```
/// # use ontrail_numbers::brief;
/// assert_eq!(brief(2.345_6), "2.35");
/// assert_eq!(brief(-0.001), "0.00");
/// assert_eq!(brief(12_345_678.0), "1.2e7");
/// ```
#[must_use]
pub fn brief(number: f64) -> String {
    // Adding 0 drops the sign of a number that rounds to -0.
    let rounded = (number * 100.0).round() / 100.0 + 0.0;
    if number.abs() < 1e6 { format!("{rounded:.2}") } else { format!("{number:.1e}") }
}

/// Formats a size in bytes, in the unit that suits it; units are powers of 1000.
///
/// ```
/// # use ontrail_numbers::bytes;
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
