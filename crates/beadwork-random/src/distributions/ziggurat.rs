//! [`ziggurat`] and its tables, which are computed at first use.

use std::sync::LazyLock;

use beadwork_arithmetic::natural_logarithm;

use super::normal::Normal;

const LAYERS: usize = 256;

/// Layers of equal area that cover exp(−x²/2), x ≥ 0, bottom up: layer 0 is the tail beyond r and the rectangle under
/// it, layer n ≥ 1 reaches to xₙ between the heights f(xₙ) and f(xₙ₊₁).
///
/// The tables need additions, products, divisions, roots and beadwork's logarithm only: all machines agree.
#[derive(Clone, Debug, PartialEq)]
struct Ziggurat {
    area: f64,
    /// x₀ = area/f(r), the width of a rectangle with the area of layer 0; x₁ = r; …; x₂₅₆ = 0.
    widths: [f64; LAYERS + 1],
    /// f(xₙ) from n = 1 on; the last entry is 1.
    heights: [f64; LAYERS + 1],
}

impl Ziggurat {
    /// The tables for the r whose topmost layer ends at height 1; bisection finds this r.
    fn new() -> Self {
        // A larger r gives smaller layers, which end at a lower height.
        let (mut low, mut high) = (3.0, 4.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if Self::starting_at(middle).is_none() {
                low = middle;
            } else {
                high = middle;
            }
        }
        let tables = Self::starting_at(high);
        tables.unwrap_or(Self { area: 0.0, widths: [0.0; LAYERS + 1], heights: [0.0; LAYERS + 1] })
    }

    /// The tables for this r; `None` if the layers pass height 1 before all of them are placed.
    fn starting_at(r: f64) -> Option<Self> {
        let bottom = exponential(-0.5 * r * r);
        // ∫ exp(−x²/2) from r on, by Laplace's continued fraction 1/(r + 1/(r + 2/(r + …))).
        let fraction = (1..=200).rev().fold(r, |below, n| r + f64::from(n) / below);
        let area = r * bottom + bottom / fraction;
        let (mut widths, mut heights) = ([0.0; LAYERS + 1], [1.0; LAYERS + 1]);
        (widths[0], heights[0]) = (area / bottom, 0.0);
        (widths[1], heights[1]) = (r, bottom);
        for layer in 2..LAYERS {
            heights[layer] = heights[layer - 1] + area / widths[layer - 1];
            if heights[layer] >= 1.0 {
                return None;
            }
            widths[layer] = (-2.0 * natural_logarithm(heights[layer])).sqrt();
        }
        let top = heights[LAYERS - 1] + area / widths[LAYERS - 1];
        (top <= 1.0).then_some(Self { area, widths, heights })
    }
}

/// eˣ of a number in [−12, 0], to a few units in the last place: the series of x/32, squared five times.
fn exponential(x: f64) -> f64 {
    let part = x / 32.0;
    let mut power = (1..=18).rev().fold(1.0, |sum, n| 1.0 + part / f64::from(n) * sum);
    for _ in 0..5 {
        power *= power;
    }
    power
}

static TABLES: LazyLock<Ziggurat> = LazyLock::new(Ziggurat::new);

/// A standard normal number by rejection from layers of equal area, mostly one uniform number and one comparison.
///
/// The layer and the sign come from bits of the word that the uniform number does not use. In a layer of width xₙ, the
/// point u xₙ is accepted if it is below xₙ₊₁, or if a uniform height between f(xₙ) and f(xₙ₊₁) is under the curve
/// there. In the tail, r + a with a = −ln u/r is accepted if −2 ln u' > a².
///
/// # Reference
/// Marsaglia and Tsang, J. Stat. Softw. 5, 8 (2000), doi:10.18637/jss.v005.i08; independent bits after Doornik (2005).
///
/// ```
/// use beadwork_random::ziggurat;
///
/// // The middle of layer 1, which begins at r = 3.654: far below the next width, taken at once.
/// let number: f32 = ziggurat(&mut || 0x8000_0001);
/// assert!((number - 0.5 * 3.654_153).abs() < 1e-5);
/// ```
#[inline]
pub fn ziggurat<T: Normal>(draw: &mut impl FnMut() -> u32) -> T {
    let Ziggurat { widths, heights, .. } = &*TABLES;
    loop {
        let (uniform, bits) = T::uniform_from(draw);
        let layer = bits as usize % LAYERS;
        let sign = if bits & LAYERS as u32 == 0 { T::from_f64(1.0) } else { T::from_f64(-1.0) };
        let x = uniform * T::from_f64(widths[layer]);
        if x < T::from_f64(widths[layer + 1]) {
            return sign * x;
        }
        if layer == 0 {
            return sign * tail(widths[1], draw);
        }
        let (low, high) = (T::from_f64(heights[layer]), T::from_f64(heights[layer + 1]));
        let height = low + T::uniform_from(draw).0 * (high - low);
        if natural_logarithm(height) < T::from_f64(-0.5) * x * x {
            return sign * x;
        }
    }
}

/// A number beyond r from the tail of the normal distribution.
#[cold]
fn tail<T: Normal>(r: f64, draw: &mut impl FnMut() -> u32) -> T {
    loop {
        let beyond = -natural_logarithm(T::uniform_from(draw).0) / T::from_f64(r);
        let bound = T::from_f64(-2.0) * natural_logarithm(T::uniform_from(draw).0);
        if beyond * beyond < bound {
            return T::from_f64(r) + beyond;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_have_equal_areas_and_end_at_the_top() {
        let Ziggurat { area, widths, heights } = Ziggurat::new();
        // Marsaglia and Tsang print r = 3.6541528853610088 and an area of 0.00492867323399 for 256 layers.
        assert!((widths[1] - 3.654_152_885_361_009).abs() < 1e-12, "{}", widths[1]);
        assert!((area - 0.004_928_673_233_99).abs() < 1e-13, "{area}");
        assert_eq!((widths[LAYERS], heights[LAYERS]), (0.0, 1.0));
        for layer in 1..LAYERS {
            assert!(widths[layer + 1] < widths[layer] && heights[layer] < heights[layer + 1]);
            let rectangle = widths[layer] * (heights[layer + 1] - heights[layer]);
            assert!((rectangle - area).abs() < 1e-12, "layer {layer} has {rectangle}");
            let height = (-0.5 * widths[layer] * widths[layer]).exp();
            assert!((heights[layer] - height).abs() < 1e-14, "layer {layer}");
        }
    }

    #[test]
    fn the_exponential_is_that_of_the_library() {
        for n in 0..=1200 {
            let x = -f64::from(n) / 100.0;
            assert!((exponential(x) / x.exp() - 1.0).abs() < 1e-14, "{x}");
        }
    }
}
