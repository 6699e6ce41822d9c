//! Thins out the points of a curve without a visible change.

/// Thins the points to about `most`: cuts the sequence into equal parts and keeps of each the points with the least and
/// greatest y, in their order, and the first and last point of all. Parts are of the sequence and not of x, because the
/// extension of a pulled chain goes back and forth.
pub fn thin(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let most = most.max(4);
    if points.len() <= most {
        return points.to_vec();
    }
    let inner = &points[1..points.len() - 1];
    let stretches = (most - 2) / 2;
    let mut kept = vec![points[0]];
    for stretch in 0..stretches {
        let start = stretch * inner.len() / stretches;
        let end = (stretch + 1) * inner.len() / stretches;
        let (mut least, mut greatest) = (start, start);
        for place in start..end {
            if inner[place].1 < inner[least].1 {
                least = place;
            }
            if inner[place].1 > inner[greatest].1 {
                greatest = place;
            }
        }
        kept.push(inner[least.min(greatest)]);
        if least != greatest {
            kept.push(inner[least.max(greatest)]);
        }
    }
    kept.push(points[points.len() - 1]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_and_ends_survive() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|x| (f64::from(x), 1.0)).collect();
        points[54_321].1 = 9.0;
        points[54_400].1 = -9.0;
        let thin = thin(&points, 2_000);
        assert!(thin.len() <= 2_000);
        assert!(thin.contains(&(54_321.0, 9.0)) && thin.contains(&(54_400.0, -9.0)));
        assert_eq!((thin[0], thin[thin.len() - 1]), (points[0], points[99_999]));
        assert!(thin.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn few_points_stay() {
        let points = [(0.0, 1.0), (1.0, 2.0)];
        assert_eq!(thin(&points, 2_000), points);
    }
}
