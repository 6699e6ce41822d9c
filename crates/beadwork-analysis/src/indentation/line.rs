//! A straight line through points.

/// A straight line through points, by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// y over x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// The root mean square distance of the points from the line, along y.
    pub deviation: f64,
    /// The number of points.
    pub points: usize,
}

/// The line through points, by least squares; `None` unless two of them differ in x.
///
/// ```
/// use beadwork_analysis::indentation::line;
/// let found = line(&[(0.0, 1.0), (1.0, 4.0), (2.0, 7.0)]).unwrap();
/// assert_eq!((found.slope, found.intercept, found.deviation), (3.0, 1.0, 0.0));
/// ```
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let common: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    if points.len() < 2 || spread <= 0.0 || !common.is_finite() {
        return None;
    }
    let slope = common / spread;
    let off = |point: &(f64, f64)| (point.1 - y - slope * (point.0 - x)).powi(2);
    let square = points.iter().map(off).sum::<f64>() / count;
    Some(Line { slope, intercept: y - slope * x, deviation: square.sqrt(), points: points.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_one_place_have_no_line() {
        assert_eq!(line(&[]), None);
        assert_eq!(line(&[(1.0, 2.0)]), None);
        assert_eq!(line(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    /// The line is y = 1, from which the points are 1, 2 and 1 away: √(6/3).
    #[test]
    fn deviations_are_along_y() {
        let found = line(&[(0.0, 0.0), (1.0, 3.0), (2.0, 0.0)]).unwrap();
        assert_eq!((found.slope, found.intercept), (0.0, 1.0));
        assert!((found.deviation - 2f64.sqrt()).abs() < 1e-15);
    }
}
