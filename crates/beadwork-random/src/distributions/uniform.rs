//! Uniform numbers strictly inside (0, 1).
//!
//! A number is the middle of one of 2ᵖ equal cells, (n + ½)·2⁻ᵖ, with p one less than the bits of the precision: every
//! value is exact, none is 0 or 1, and the distribution is symmetric about ½. High bits are used, since the low bits
//! of some generators are poor.

use beadwork_arithmetic::Lane;

/// The uniform number (n + ½)·2⁻²³, n being the word's top 23 bits. From 2⁻²⁴ to 1 − 2⁻²⁴.
///
/// ```
/// use beadwork_random::uniform_f32;
///
/// assert_eq!(uniform_f32(0x8000_0000), 0.5 + 0.5_f32.powi(24));
/// ```
#[inline(always)]
pub const fn uniform_f32(word: u32) -> f32 {
    const CELL: f32 = 1.0 / (1_u32 << 23) as f32;
    ((word >> 9) as f32 + 0.5) * CELL
}

/// The uniform number (n + ½)·2⁻⁵², n being the top 52 bits of the two words. From 2⁻⁵³ to 1 − 2⁻⁵³.
///
/// ```
/// use beadwork_random::uniform_f64;
///
/// assert_eq!(uniform_f64(0x8000_0000, 0), 0.5 + 0.5_f64.powi(53));
/// ```
#[inline(always)]
pub const fn uniform_f64(high: u32, low: u32) -> f64 {
    const CELL: f64 = 1.0 / (1_u64 << 52) as f64;
    let top = (high as u64) << 20 | (low as u64) >> 12;
    (top as f64 + 0.5) * CELL
}

/// √3 (2u − 1) of a uniform number u: uniform in (−√3, √3), of mean 0 and variance 1.
///
/// The noise of Phillips, Anderson and Glotzer (2011) and of HOOMD-blue. Its fourth moment is 9/5 where a normal number's is 3.
///
/// ```
/// use beadwork_random::symmetric_uniform;
///
/// assert_eq!(symmetric_uniform(0.5_f64), 0.0);
/// assert_eq!(symmetric_uniform(0.75_f64), 0.75_f64.sqrt());
/// ```
#[inline(always)]
pub fn symmetric_uniform<T: Lane>(uniform: T) -> T {
    let root = T::from_f64(3.0).sqrt();
    root * (T::from_f64(2.0) * uniform - T::from_f64(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_ends_inside_the_interval() {
        let half_cell = 2_f32.powi(-24);
        assert_eq!(uniform_f32(0), half_cell);
        assert_eq!(uniform_f32((1 << 9) - 1), half_cell);
        assert_eq!(uniform_f32(1 << 9), 3.0 * half_cell);
        assert_eq!(uniform_f32(u32::MAX), 1.0 - half_cell);
        assert!(uniform_f32(u32::MAX) < 1.0);
    }

    #[test]
    fn double_precision_ends_inside_the_interval() {
        let half_cell = 2_f64.powi(-53);
        assert_eq!(uniform_f64(0, 0), half_cell);
        assert_eq!(uniform_f64(0, (1 << 12) - 1), half_cell);
        assert_eq!(uniform_f64(0, 1 << 12), 3.0 * half_cell);
        assert_eq!(uniform_f64(1, 0), 2_f64.powi(-32) + half_cell);
        assert_eq!(uniform_f64(u32::MAX, u32::MAX), 1.0 - half_cell);
        assert!(uniform_f64(u32::MAX, u32::MAX) < 1.0);
    }

    #[test]
    fn single_precision_values_all_differ_and_lie_inside() {
        let mut previous = 0.0;
        for n in 0..1_u32 << 23 {
            let value = uniform_f32(n << 9);
            assert!(previous < value && value < 1.0, "cell {n} gives {value} after {previous}");
            // The mirrored word gives the mirrored number, exactly.
            assert_eq!(uniform_f32(!(n << 9)), 1.0 - value);
            previous = value;
        }
    }
}
