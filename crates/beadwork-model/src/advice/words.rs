//! Numbers in sentences.

/// Numbers from here on follow from mistyped values, and are written as 1.2e99.
const LARGE: f64 = 1e15;

/// A number with so many decimals; a very large one as `1.23e99`, since all of its digits would hide the sentence.
pub fn with_decimals(number: f64, decimals: usize) -> String {
    if is_large(number) { format!("{number:.2e}") } else { format!("{number:.decimals$}") }
}

/// A number as it is; a very large or very small one as `1e99`.
pub fn plain(number: f64) -> String {
    let is_tiny = number != 0.0 && number.abs() < 1.0 / LARGE;
    if is_large(number) || is_tiny { format!("{number:e}") } else { number.to_string() }
}

fn is_large(number: f64) -> bool {
    number.is_finite() && number.abs() >= LARGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_few_digits() {
        assert_eq!(
            (with_decimals(12.346, 2), with_decimals(12.0, 0)),
            ("12.35".into(), "12".into())
        );
        assert_eq!((with_decimals(-1.234e99, 0), plain(1e99)), ("-1.23e99".into(), "1e99".into()));
        assert_eq!((plain(0.02), plain(5e14)), ("0.02".into(), "500000000000000".into()));
        assert_eq!((plain(0.0), plain(-1e-99)), ("0".into(), "-1e-99".into()));
    }
}
