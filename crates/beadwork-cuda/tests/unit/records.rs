//! Tests of `src/batch/records.rs`.

use super::*;

#[test]
fn records_have_no_padding() {
    fn check<T>() {
        let number = size_of::<T>();
        let system = 16 + (MOST_TERMS + 1) * 16 + MOST_TERMS * (4 + 8 + 32) + 9 * 8;
        assert_eq!(size_of::<Sides<T>>(), 8 * number + 2 * 8);
        assert_eq!(size_of::<System<T>>(), system + 4 * number + size_of::<Sides<T>>());
        assert_eq!(size_of::<Member<T>>(), 14 * 8 + 6 * 4 + 2 * 8 + 4 * 8 + 3 * 8 + 6 * number);
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn units_of_squares_are_fine_and_do_not_overflow() {
    for amplitude in [1e-12_f32, 1e-4, 0.0438, 3.0, 1e9] {
        let unit = square_unit(amplitude);
        let square = f64::from(amplitude) * f64::from(amplitude);
        assert!(unit > 2e-5 * square / 2.0 && unit < 3e-4 * square, "{amplitude}: {unit}");
        assert_eq!(square_base_of(amplitude).to_bits() & 0x7f_ffff, 0);
        // The next number above the base is one unit away.
        let base = square_base_of(amplitude);
        let next = f32::from_bits(base.to_bits() + 1);
        assert_eq!(f64::from(next) - f64::from(base), unit);
        let wide = f64::from(amplitude);
        let base = square_base_of(wide);
        assert_eq!(f64::from_bits(base.to_bits() + 1) - base, square_unit(wide));
    }
    assert!(square_unit(0.0_f32) > 0.0);
}
