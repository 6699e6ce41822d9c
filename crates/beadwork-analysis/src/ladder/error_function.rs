//! The complementary error function and its inverse.

use std::f64::consts::PI;

/// erfc(x) = 2/√π ∫ₓ^∞ e^{−t²} dt for x ≥ 0, relatively to about 10⁻¹³: the series of erf below 2 (Abramowitz
/// and Stegun, eq. 7.1.6), the continued fraction above (7.1.14).
pub(super) fn complementary(x: f64) -> f64 {
    let gaussian = (-x * x).exp() / PI.sqrt();
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for order in 1..60 {
            term *= 2.0 * x * x / f64::from(2 * order + 1);
            sum += term;
        }
        return 1.0 - 2.0 * gaussian * sum;
    }
    let fraction = (1..=80).rev().fold(x, |below, order| x + 0.5 * f64::from(order) / below);
    gaussian / fraction
}

/// The x ≥ 0 whose erfc is the value, which is in (0, 1]; by halving the interval.
pub(super) fn inverse_complementary(value: f64) -> f64 {
    // erfc(27.3) is below all normal numbers.
    let (mut low, mut high) = (0.0, 27.3);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if complementary(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    if value < 1.0 { 0.5 * (low + high) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_values() {
        // Abramowitz and Stegun, tables 7.1 and 7.3.
        let table = [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953),
            (1.0, 0.157_299_207_050_285),
            (2.0, 4.677_734_981_047_27e-3),
            (5.0, 1.537_459_794_428_03e-12),
        ];
        for (x, value) in table {
            assert!((complementary(x) / value - 1.0).abs() < 1e-12, "{x}");
            assert!((inverse_complementary(value) - x).abs() < 1e-11, "{x}");
        }
        // Both ways of computing meet.
        let (below, above) = (complementary(2.0_f64.next_down()), complementary(2.0));
        assert!((below / above - 1.0).abs() < 1e-12);
    }
}
