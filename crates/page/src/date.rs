//! Dates as pages write them, as ISO 8601.

/// The names of the months, by their first three letters.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Returns a date in ISO 8601 from one in any common form: `2024-07-18T09:30`, `2024年7月18日`,
/// `18 July 2024`, `Thu, 18 Jul 2024 09:30:00 GMT`.
pub(crate) fn date(value: &str) -> Option<String> {
    let value = value.trim();
    let (year, month, day, rest) = in_numbers(value).or_else(|| in_words(value))?;
    let is_date = (1000..=9999).contains(&year) && (1..=days_of(year, month)).contains(&day);
    is_date.then(|| format!("{year:04}-{month:02}-{day:02}{}", time(rest).unwrap_or_default()))
}

/// Returns the number of days of a month; 0 if there is no such month.
fn days_of(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Reads year, month and day in numbers, and returns the rest.
fn in_numbers(value: &str) -> Option<(u32, u32, u32, &str)> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 8 {
        let number = |range| value.get::<std::ops::Range<usize>>(range)?.parse::<u32>().ok();
        return Some((number(0..4)?, number(4..6)?, number(6..8)?, &value[8..]));
    }
    let (year, rest) = leading_number(value, 4)?;
    let (month, rest) = leading_number(rest.strip_prefix(['-', '/', '.', '年'])?, 2)?;
    let (day, rest) = leading_number(rest.strip_prefix(['-', '/', '.', '月'])?, 2)?;
    Some((year, month, day, rest.strip_prefix('日').unwrap_or(rest)))
}

/// Reads a date with the English name of its month, and returns the rest.
fn in_words(value: &str) -> Option<(u32, u32, u32, &str)> {
    let (month, from, to) = month_in(value)?;
    let before = value[..from].trim_end_matches([' ', '-', '.', ',']);
    let before = ["st", "nd", "rd", "th"].iter().find_map(|it| before.strip_suffix(it));
    let before = before.unwrap_or_else(|| value[..from].trim_end_matches([' ', '-', '.', ',']));
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let after = value[to..].trim_start_matches([' ', '-', '.', ',']);
    if (1..=2).contains(&digits) {
        let (year, rest) = leading_number(after, 4)?;
        return Some((year, month, before[before.len() - digits..].parse().ok()?, rest));
    }
    let (day, rest) = leading_number(after, 2)?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let (year, rest) = leading_number(rest.trim_start_matches([' ', ',']), 4)?;
    Some((year, month, day, rest))
}

/// Finds the name of a month near the start, and returns its number and its place.
fn month_in(value: &str) -> Option<(u32, usize, usize)> {
    let mut start = None;
    for (at, c) in value.char_indices().chain([(value.len(), ' ')]).take(40) {
        match (c.is_ascii_alphabetic(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = value[from..at].to_ascii_lowercase();
                let month = MONTHS.iter().position(|month| word.starts_with(month));
                if let Some(month) = month.and_then(|month| u32::try_from(month + 1).ok()) {
                    return Some((month, from, at));
                }
                start = None;
            }
            _ => {}
        }
    }
    None
}

/// Returns the time of day, with its offset, as it follows the date in ISO 8601.
fn time(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(['T', ' ', ',']).unwrap_or(rest).trim();
    let (hour, after) = leading_number(rest, 2)?;
    let (minute, mut after) = leading_number(after.strip_prefix(':')?, 2)?;
    let mut time = format!("T{hour:02}:{minute:02}");
    let mut is_time = hour < 24 && minute < 60;
    if let Some((second, rest)) = after.strip_prefix(':').and_then(|it| leading_number(it, 2)) {
        is_time &= second <= 60;
        time += &format!(":{second:02}");
        after = rest;
        if let Some(rest) = after.strip_prefix('.') {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count().min(9);
            if digits > 0 {
                time += &after[..=digits];
            }
            after = rest[digits..].trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    is_time.then(|| time + &offset(after.trim()).unwrap_or_default())
}

/// Returns the offset from UTC: `Z` or `+08:00`.
fn offset(value: &str) -> Option<String> {
    if ["Z", "z", "GMT", "UTC"].contains(&value) {
        return Some("Z".to_owned());
    }
    let sign = value.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let (hours, rest) = leading_number(&value[1..], 2)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let minutes = if rest.is_empty() { 0 } else { leading_number(rest, 2)?.0 };
    (hours <= 18 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// Splits off a number of at most `most` digits.
fn leading_number(value: &str, most: usize) -> Option<(u32, &str)> {
    let length = value.bytes().take(most).take_while(u8::is_ascii_digit).count();
    Some((value[..length].parse().ok()?, &value[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_many_forms_become_iso_dates() {
        for (value, expected) in [
            ("2024-07-18", Some("2024-07-18")),
            ("2019-11-18T10:05:00Z", Some("2019-11-18T10:05:00Z")),
            ("2019-11-18T10:05:00.000+01:00", Some("2019-11-18T10:05:00.000+01:00")),
            ("2019-11-18T10:05:00+0800", Some("2019-11-18T10:05:00+08:00")),
            ("2024年7月8日", Some("2024-07-08")),
            ("2024年07月08日09:30", Some("2024-07-08T09:30")),
            ("2024/7/8 09:30", Some("2024-07-08T09:30")),
            ("20240718", Some("2024-07-18")),
            ("2024-13-18", None),
            ("2023-02-29", None),
            ("2024-02-29", Some("2024-02-29")),
            ("18 July 2024", Some("2024-07-18")),
            ("July 18th, 2024", Some("2024-07-18")),
            ("3rd March 2021", Some("2021-03-03")),
            ("Thu, 18 Jul 2024 09:30:00 GMT", Some("2024-07-18T09:30:00Z")),
            ("Thu, 18 Jul 2024 09:30:00 -0500", Some("2024-07-18T09:30:00-05:00")),
            ("Monday", None),
            ("", None),
            ("年月日", None),
            ("2024-07-18 at noon", Some("2024-07-18")),
            ("2024-07-18T25:00", Some("2024-07-18")),
            ("May 雨 2024", None),
        ] {
            assert_eq!(date(value).as_deref(), expected, "{value}");
        }
    }
}
