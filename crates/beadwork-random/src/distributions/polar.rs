//! [`polar`].

use beadwork_arithmetic::natural_logarithm;

use super::normal::Normal;

/// Two independent standard normal numbers by rejection, without sine and cosine.
///
/// Draws v = 2u − 1 from two uniform numbers until s = v₁² + v₂² < 1; the result is v √(−2 ln s / s). This takes 1.27
/// pairs on average, so threads of a warp wait for each other, and keyed noise must come from a stream.
///
/// # Reference
/// Marsaglia and Bray, SIAM Rev. 6, 260 (1964), doi:10.1137/1006063.
///
/// ```
/// use beadwork_random::polar;
///
/// // u = ¾, ¼ (and half a cell): v = ½, −½, s = ½, and both numbers have the magnitude √(ln 2).
/// let mut words = [0xc000_0000, 0, 0x4000_0000, 0].into_iter();
/// let [first, second]: [f64; 2] = polar(&mut || words.next().unwrap_or(0));
/// assert!((first - 2_f64.ln().sqrt()).abs() < 1e-14);
/// assert!((second + first).abs() < 1e-14);
/// ```
#[inline]
pub fn polar<T: Normal>(draw: &mut impl FnMut() -> u32) -> [T; 2] {
    let (one, two) = (T::from_f64(1.0), T::from_f64(2.0));
    loop {
        let x = two * T::uniform_from(draw).0 - one;
        let y = two * T::uniform_from(draw).0 - one;
        let square = x * x + y * y;
        if square < one {
            let factor = (T::from_f64(-2.0) * natural_logarithm(square) / square).sqrt();
            return [x * factor, y * factor];
        }
    }
}
