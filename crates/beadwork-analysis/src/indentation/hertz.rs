//! Hertz's law of a sphere that is pressed into an elastic half space.

/// A fit of F = (4/3) E √R (d − d₀)^(3/2) (Johnson, *Contact Mechanics*, 1985, §4.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hertz {
    /// The reduced modulus E: that of the half space over 1 − ν², if the sphere is rigid.
    pub modulus: f64,
    /// d₀, the depth at which the force begins.
    pub zero: f64,
    /// The root mean square distance of the forces from the law.
    pub deviation: f64,
    /// The number of points.
    pub points: usize,
}

impl Hertz {
    /// The force of the law at a depth, for a sphere of this radius.
    pub fn force(&self, depth: f64, radius: f64) -> f64 {
        self.modulus * radius.sqrt() * (depth - self.zero).max(0.0).powf(1.5) / 0.75
    }
}

/// Fewer points than this fix no modulus and zero.
const FEWEST_POINTS: usize = 5;
/// The depths at which the zero is looked for before it is refined.
const TRIED: usize = 400;
/// The zero is looked for down to this multiple of the range below it.
const BELOW: f64 = 4.0;

/// The law of a sphere of radius `radius` that fits points (d, F) best, by least squares of F with the zero free. `None` for fewer
/// than five points, if the force does not grow, and if the best zero is farther below the points than four times their range: such
/// points bend in another way.
pub fn hertz(points: &[(f64, f64)], radius: f64) -> Option<Hertz> {
    let depths = || points.iter().map(|point| point.0);
    let (least, most) =
        (depths().fold(f64::INFINITY, f64::min), depths().fold(f64::NEG_INFINITY, f64::max));
    let range = most - least;
    let is_positive = |length: f64| length.is_finite() && length > 0.0;
    if points.len() < FEWEST_POINTS || !is_positive(range) || !is_positive(radius) {
        return None;
    }
    let lowest = least - BELOW * range;
    let step = (most - lowest) / TRIED as f64;
    let tried = (0..TRIED).map(|number| lowest + number as f64 * step);
    let best = tried
        .map(|zero| (zero, squares(points, zero).1))
        .reduce(|best, next| if next.1 < best.1 { next } else { best })?
        .0;
    let zero = least_between(best - step, best + step, |zero| squares(points, zero).1);
    let (factor, square) = squares(points, zero);
    let is_inside = zero > lowest + 0.5 * step && zero < most - 0.5 * step;
    (is_inside && factor > 0.0).then(|| Hertz {
        modulus: 0.75 * factor / radius.sqrt(),
        zero,
        deviation: (square / points.len() as f64).sqrt(),
        points: points.len(),
    })
}

/// The factor of (d − d₀)^(3/2) that fits best, and the sum of squares that is left.
fn squares(points: &[(f64, f64)], zero: f64) -> (f64, f64) {
    let shape = |depth: f64| (depth - zero).max(0.0).powf(1.5);
    let sum = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|(depth, force)| value(shape(*depth), *force)).sum()
    };
    let own = sum(&|shape, _| shape * shape);
    let factor = if own > 0.0 { sum(&|shape, force| shape * force) / own } else { 0.0 };
    (factor, sum(&|shape, force| (force - factor * shape).powi(2)))
}

/// The place of the least value between two places, by the golden section.
fn least_between(from: f64, to: f64, value: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut from, mut to) = (from, to);
    for _ in 0..80 {
        let (left, right) = (to - golden * (to - from), from + golden * (to - from));
        if value(left) < value(right) {
            to = right;
        } else {
            from = left;
        }
    }
    0.5 * (from + to)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of the law with E = 20, R = 9, d₀ = −0.2: (4/3) · 20 · 3 = 80.
    fn points(noise: f64) -> Vec<(f64, f64)> {
        let point = |number: usize| {
            let depth = 0.01 * number as f64;
            let sign = if number.is_multiple_of(2) { noise } else { -noise };
            (depth, 80.0 * (depth + 0.2).powf(1.5) + sign)
        };
        (0..100).map(point).collect()
    }

    #[test]
    fn the_modulus_is_found_with_its_zero() {
        let found = hertz(&points(0.0), 9.0).unwrap();
        assert!((found.modulus - 20.0).abs() < 1e-6, "{found:?}");
        assert!((found.zero + 0.2).abs() < 1e-6 && found.deviation < 1e-6, "{found:?}");
        assert!((found.force(0.8, 9.0) - 80.0).abs() < 1e-4 && found.force(-1.0, 9.0) == 0.0);
        let rough = hertz(&points(2.0), 9.0).unwrap();
        assert!((rough.modulus - 20.0).abs() < 0.5, "{rough:?}");
        assert!((rough.deviation - 2.0).abs() < 0.05, "{rough:?}");
    }

    #[test]
    fn a_zero_among_the_points_is_found() {
        let before = (1..40).map(|number| (-0.2 - 0.01 * f64::from(number), 0.0));
        let all: Vec<(f64, f64)> = before.chain(points(0.0)).collect();
        let found = hertz(&all, 9.0).unwrap();
        assert!((found.modulus - 20.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn other_curves_have_no_modulus() {
        let curve = |force: fn(f64) -> f64| -> Vec<(f64, f64)> {
            (0..50)
                .map(|number| 0.02 * f64::from(number))
                .map(|depth| (depth, force(depth)))
                .collect()
        };
        assert_eq!(hertz(&curve(|_| 5.0), 9.0), None);
        assert_eq!(hertz(&curve(|depth| 10.0 - depth), 9.0), None);
        // A force that grows ever more slowly has a zero far below, and a deviation that tells.
        let root = hertz(&curve(|depth| (10.0 * depth).sqrt()), 9.0).unwrap();
        assert!(root.zero < -0.5 && root.deviation > 0.2, "{root:?}");
        assert_eq!(hertz(&points(0.0)[..4], 9.0), None);
        assert_eq!(hertz(&[(0.0, f64::NAN); 9], 9.0), None);
    }
}
