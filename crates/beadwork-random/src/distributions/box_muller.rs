//! [`box_muller`].

use beadwork_arithmetic::{Elementary, natural_logarithm, sine_cosine_of_turns};

/// Two independent standard normal numbers from two independent uniform ones in (0, 1).
///
/// [ρ cos 2πv, ρ sin 2πv] with ρ = √(−2 ln u), u the first and v the second number. With the uniforms of
/// [`uniform`](super::uniform) the largest magnitude is √(2·24 ln 2) = 5.77 for `f32`, √(2·53 ln 2) = 8.57 for `f64`.
///
/// # Reference
/// Box and Muller, Ann. Math. Statist. 29, 610 (1958), doi:10.1214/aoms/1177706645.
///
/// ```
/// use beadwork_random::box_muller;
///
/// // ρ = 2 at u = e⁻²; a quarter turn points along the second axis.
/// let [first, second] = box_muller((-2.0_f64).exp(), 0.25);
/// assert_eq!(first, 0.0);
/// assert!((second - 2.0).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn box_muller<T: Elementary>(radius: T, angle: T) -> [T; 2] {
    let radius = (T::from_f64(-2.0) * natural_logarithm(radius)).sqrt();
    let (sine, cosine) = sine_cosine_of_turns(angle);
    [radius * cosine, radius * sine]
}
