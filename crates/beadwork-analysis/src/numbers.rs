//! Formats numbers for people.

/// A whole number in groups of three digits: 1 234 567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(" ")
}

/// A number of at least 0, rounded to a whole one in groups of three digits; from 10¹⁵ on as `1.5e20`.
pub fn grouped_whole(number: f64) -> String {
    match number < 1e15 {
        true => grouped(number.round() as u64),
        false => significant(number),
    }
}

/// A number with four significant digits, without zeros at the end.
pub fn significant(value: f64) -> String {
    rounded(value, 4)
}

/// A number with this many decimals, and without the minus of a zero: `0.0` of −0.04.
pub fn fixed(value: f64, decimals: usize) -> String {
    unsigned_zero(format!("{value:.decimals$}"))
}

/// A number as it is written, without the minus of a zero.
pub(crate) fn unsigned_zero(number: String) -> String {
    match number.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_string(),
        _ => number,
    }
}

/// A number with this many significant digits, without zeros at the end; from 10¹⁵ on as `1.5e20`.
pub fn rounded(value: f64, digits: i32) -> String {
    if value.is_finite() && value.abs() >= 1e15 {
        let decimals = (digits - 1).max(0) as usize;
        let text = format!("{value:.decimals$e}");
        let (number, power) = text.split_once('e').unwrap_or((text.as_str(), "0"));
        let number = match number.contains('.') {
            true => number.trim_end_matches('0').trim_end_matches('.'),
            false => number,
        };
        return format!("{number}e{power}");
    }
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = (digits - 1 - magnitude).clamp(0, 12) as usize;
    let text = fixed(value, decimals);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(grouped_whole(1_234_566.6), "1 234 567");
        assert_eq!(grouped_whole(999_999_999_999_999.0), "999 999 999 999 999");
        assert_eq!(grouped_whole(1.77e101), "1.77e101");
        assert_eq!(grouped_whole(f64::INFINITY), "inf");
        assert_eq!(significant(100.00004), "100");
        assert_eq!(significant(0.012_345), "0.01235");
        assert_eq!(significant(2.5), "2.5");
        assert_eq!(significant(0.0), "0");
        assert_eq!(significant(123_456_789_012_345.0), "123456789012345");
        assert_eq!(significant(-1.234_56e20), "-1.235e20");
        assert_eq!(significant(1e99), "1e99");
        assert_eq!(rounded(2.6e15, 1), "3e15");
        assert_eq!(significant(f64::INFINITY), "inf");
        assert_eq!(significant(f64::NEG_INFINITY), "-inf");
    }

    #[test]
    fn zero_has_no_minus() {
        assert_eq!([fixed(-0.04, 1), fixed(-0.06, 1), fixed(-0.3, 0)], ["0.0", "-0.1", "0"]);
        assert_eq!(
            [significant(-0.0), significant(-1e-20), significant(-1e-3)],
            ["0", "0", "-0.001"]
        );
    }
}
