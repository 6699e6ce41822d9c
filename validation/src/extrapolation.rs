//! The value of a polynomial at zero, through means with errors.

/// The value at zero of the polynomial of this degree through points (x, y, standard error of y) by weighted least squares,
/// and its standard error. There are more points than the degree, at different x.
///
/// ```
/// use beadwork_validation::extrapolation::at_zero;
/// // The line through two points with equal errors s, at 1 and 2: y₀ = 2 y₁ − y₂ with the error √5 s.
/// let (value, error) = at_zero(&[(1.0, 5.0, 0.1), (2.0, 7.0, 0.1)], 1);
/// assert!((value - 3.0).abs() < 1e-12 && (error - 0.1 * 5.0_f64.sqrt()).abs() < 1e-12);
/// ```
pub fn at_zero(points: &[(f64, f64, f64)], degree: usize) -> (f64, f64) {
    // Normal equations: M c = b with M = Σ xⁱ⁺ʲ/s² and b = Σ xⁱ y/s². The covariance of c is M⁻¹.
    let power = |x: f64, exponent: usize| x.powi(exponent as i32);
    let size = degree + 1;
    let sum = |term: &dyn Fn(&(f64, f64, f64)) -> f64| -> f64 {
        points.iter().map(|point| term(point) / (point.2 * point.2)).sum()
    };
    // Beside b stands the first unit vector: the solution's first elements are c₀ and (M⁻¹)₀₀.
    let mut rows: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let matrix = (0..size).map(|j| sum(&|&(x, ..)| power(x, i + j)));
            let right = [sum(&|&(x, y, _)| power(x, i) * y), f64::from(u8::from(i == 0))];
            matrix.chain(right).collect()
        })
        .collect();
    // Elimination from the last column to the second leaves the first equation with c₀ alone. M is positive, so no pivot is 0.
    for pivot in (1..size).rev() {
        let (above, rest) = rows.split_at_mut(pivot);
        for row in above {
            let factor = row[pivot] / rest[0][pivot];
            row.iter_mut().zip(&rest[0]).for_each(|(value, of_pivot)| *value -= factor * of_pivot);
        }
    }
    let first = &rows[0];
    (first[size] / first[0], (first[size + 1] / first[0]).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_met_exactly() {
        let cubic = |x: f64| 2.0 - 3.0 * x + 0.5 * x * x + 4.0 * x * x * x;
        let points: Vec<_> = [0.3, 0.5, 0.8, 1.1, 1.7].map(|x| (x, cubic(x), 0.1 + x)).into();
        assert!((at_zero(&points, 3).0 - 2.0).abs() < 1e-10);
        assert!((at_zero(&points, 2).0 - 2.0).abs() > 0.1);
    }

    #[test]
    fn a_constant_is_the_weighted_mean() {
        // Weights 1 and 1/4.
        let (value, error) = at_zero(&[(1.0, 0.0, 1.0), (2.0, 2.0, 2.0)], 0);
        assert!((value - 0.4).abs() < 1e-12 && (error - 0.8_f64.sqrt()).abs() < 1e-12);
    }
}
