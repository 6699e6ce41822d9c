//! The rotation that superposes one set of positions on another with the least mean square deviation, by the largest
//! eigenvector of a symmetric 4 × 4 matrix (Horn, J. Opt. Soc. Am. A 4, 629, 1987; the result is that of Kabsch 1976).

use std::array::from_fn;

use crate::assembly::Operator;
use crate::rotations::matrix;
use crate::vectors::{Vector, centre, difference, dot};

/// A rotation and translation, and how well it superposes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Superposition {
    /// Moves the first set onto the second.
    pub operator: Operator,
    /// Å: the root mean square deviation that remains.
    pub deviation: f64,
}

/// Superposes the first positions of pairs on the second; there must be three or more.
pub(crate) fn superpose(pairs: &[(Vector, Vector)]) -> Superposition {
    let from = centre(pairs.iter().map(|pair| pair.0));
    let to = centre(pairs.iter().map(|pair| pair.1));
    // Σ a bᵀ of positions relative to their centres.
    let mut products = [[0.0; 3]; 3];
    for &(a, b) in pairs {
        let (a, b) = (difference(a, from), difference(b, to));
        for (row, x) in products.iter_mut().zip(a) {
            for (sum, y) in row.iter_mut().zip(b) {
                *sum += x * y;
            }
        }
    }
    let rotation = matrix(largest_eigenvector(horn_matrix(&products)));
    let moved = |[x, y, z]: Vector| rotation.map(|row| row[0] * x + row[1] * y + row[2] * z);
    let translation = difference(to, moved(from));
    let operator = Operator { rotation, translation };
    let squares: f64 = pairs
        .iter()
        .map(|&(a, b)| {
            let apart = difference(operator.apply(a), b);
            dot(apart, apart)
        })
        .sum();
    Superposition { operator, deviation: (squares / pairs.len() as f64).sqrt() }
}

/// Horn's matrix, whose largest eigenvector is the quaternion (w, x, y, z) of the rotation.
fn horn_matrix(s: &[[f64; 3]; 3]) -> [[f64; 4]; 4] {
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = *s;
    [
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ]
}

/// The eigenvector of the largest eigenvalue, by Jacobi's rotations in the order of rows.
fn largest_eigenvector(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    const SWEEPS: usize = 50;
    let mut vectors = [[0.0; 4]; 4];
    (0..4).for_each(|index| vectors[index][index] = 1.0);
    for _ in 0..SWEEPS {
        let places = (0..4).flat_map(|p| (p + 1..4).map(move |q| (p, q)));
        for (p, q) in places {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let sign = if theta < 0.0 { -1.0 } else { 1.0 };
            let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (one, other) = (a[p], a[q]);
            a[p] = from_fn(|column| c * one[column] - s * other[column]);
            a[q] = from_fn(|column| s * one[column] + c * other[column]);
            for row in &mut vectors {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
        }
    }
    let mut largest = 0;
    for index in 1..4 {
        if a[index][index] > a[largest][largest] {
            largest = index;
        }
    }
    vectors.map(|row| row[largest])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_body_is_found_again() {
        let body: Vec<Vector> = (0..12)
            .map(|n| {
                let n = f64::from(n);
                [n * n % 7.0, 3.0 * n % 5.0 + 0.1 * n, 2.0 * n % 3.0]
            })
            .collect();
        // Unnormalised quaternions of rotations; the last turns by 180 degrees.
        for q in [[1.0, 0.2, -0.3, 0.4], [0.1, 1.0, 2.0, -3.0], [0.0, 1.0, 1.0, 0.5]] {
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rotation = matrix(q.map(|x| x / length));
            let operator = Operator { rotation, translation: [5.0, -70.0, 3.0] };
            let pairs: Vec<_> = body.iter().map(|&at| (at, operator.apply(at))).collect();
            let found = superpose(&pairs);
            assert!(found.deviation < 1e-12, "{found:?}");
            let entries = found.operator.rotation.as_flattened().iter();
            for (found, expected) in entries.zip(rotation.as_flattened()) {
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
            // One position is 3 Å off: the deviation is at most 3 Å/√12.
            let mut off = pairs;
            off[3].1[2] += 3.0;
            let deviation = superpose(&off).deviation;
            assert!(deviation > 0.5 && deviation < 3.0 / 12.0_f64.sqrt(), "{deviation}");
        }
    }
}
