//! Parses numbers as strictly as each file format requires.

/// A plain decimal number (sign, digits, one point), as the fixed columns of a PDB file hold.
///
/// Stricter than `str::parse`, which would also take `nan`, `inf` and exponents.
pub(crate) fn plain_decimal(text: &str) -> Option<f64> {
    finite(text, "+-.")
}

/// Parses a finite number from a text of digits and the given `signs`.
fn finite(text: &str, signs: &str) -> Option<f64> {
    let allowed = |letter: char| letter.is_ascii_digit() || signs.contains(letter);
    let value = text.chars().all(allowed).then(|| text.parse().ok()).flatten();
    value.filter(|value: &f64| value.is_finite())
}

/// A decimal number that may have an exponent.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    finite(text, "+-.eE")
}

/// A number of a CIF file: an exponent and a standard uncertainty, `1.52(3)`, are allowed.
pub(crate) fn cif_number(text: &str) -> Option<f64> {
    let value = match text.split_once('(') {
        Some((value, rest)) => {
            let uncertainty = rest.strip_suffix(')')?;
            if uncertainty.is_empty() || !uncertainty.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            value
        }
        None => text,
    };
    decimal(value)
}

/// The residue number of columns 23–26 of a PDB file: decimal, or hybrid-36 above 9999.
///
/// Hybrid-36 (R. W. Grosse-Kunstleve, <https://cci.lbl.gov/hybrid_36/>): `A000` to `ZZZZ` continue
/// after 9999, `a000` to `zzzz` after those.
pub(crate) fn residue_number(columns: &str) -> Option<i32> {
    hybrid_36::<4>(columns)
}

/// The serial number of an atom in five columns of a PDB file: decimal, or hybrid-36 above 99999.
pub(crate) fn serial_number(columns: &str) -> Option<i32> {
    hybrid_36::<5>(columns)
}

fn hybrid_36<const WIDTH: u32>(columns: &str) -> Option<i32> {
    let text = columns.trim();
    let first = text.bytes().next()?;
    if !first.is_ascii_alphabetic() {
        return text.parse().ok().filter(|_| first != b'+');
    }
    let upper = first.is_ascii_uppercase();
    let one_case = text.bytes().all(|byte| {
        byte.is_ascii_digit() || (byte.is_ascii_alphabetic() && byte.is_ascii_uppercase() == upper)
    });
    if text.len() != WIDTH as usize || !one_case {
        return None;
    }
    let value = i32::from_str_radix(text, 36).ok()?;
    let letter_block = 36_i32.pow(WIDTH - 1);
    Some(value - 10 * letter_block + 10_i32.pow(WIDTH) + if upper { 0 } else { 26 * letter_block })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_decimals() {
        assert_eq!(plain_decimal("-12.500"), Some(-12.5));
        assert_eq!(plain_decimal("7"), Some(7.0));
        for damaged in ["", "nan", "inf", "********", "1e3", "1.2.3", "12 3", "-", "."] {
            assert_eq!(plain_decimal(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn cif_numbers() {
        assert_eq!(cif_number("1.52(3)"), Some(1.52));
        assert_eq!(cif_number("1.5e1"), Some(15.0));
        for damaged in ["", "?", "nan", "inf", "1.5(", "1.5()", "1.5(3", "1.5(x)", "1e999"] {
            assert_eq!(cif_number(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn hybrid_36_continues_the_decimals() {
        assert_eq!(residue_number("  -3"), Some(-3));
        assert_eq!(residue_number("9999"), Some(9999));
        assert_eq!(residue_number("A000"), Some(10_000));
        assert_eq!(residue_number("A00Z"), Some(10_035));
        // Each of the 26 leading letters covers 36³ numbers.
        assert_eq!(residue_number("ZZZZ"), Some(10_000 + 26 * 46_656 - 1));
        assert_eq!(residue_number("a000"), Some(10_000 + 26 * 46_656));
        assert_eq!(serial_number("99999"), Some(99_999));
        assert_eq!(serial_number("A0001"), Some(100_001));
        assert_eq!(serial_number("a0000"), Some(100_000 + 26 * 36_i32.pow(4)));
        assert_eq!(serial_number("A000"), None);
        for damaged in ["    ", "1 2 ", "****", "1A34", "Aa00", "--1", "+5", "12.0", " A00"] {
            assert_eq!(residue_number(damaged), None, "{damaged}");
        }
    }
}
