//! Vectors of three numbers.

/// The centre of `beads`, Å; `position` returns the position of a bead.
#[inline(always)]
pub fn centre(beads: &[usize], position: impl Fn(usize) -> [f64; 3]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for &bead in beads {
        let at = position(bead);
        for axis in 0..3 {
            sum[axis] += at[axis];
        }
    }
    sum.map(|component| component / beads.len() as f64)
}

/// The point on the line along `axis` through the centre of `beads` that lies `distance`, Å, before the first of them.
pub(super) fn point_before(
    beads: &[usize],
    positions: &[[f64; 3]],
    axis: [f64; 3],
    distance: f64,
) -> [f64; 3] {
    let centre = centre(beads, |bead| positions[bead]);
    let along = beads.iter().map(|&bead| dot(positions[bead], axis));
    let first = along.fold(f64::INFINITY, f64::min);
    let shift = first - distance - dot(centre, axis);
    [0, 1, 2].map(|k| centre[k] + shift * axis[k])
}

/// `vector` with length one; `None` if it has no length.
pub fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    let length = dot(vector, vector).sqrt();
    (length > 0.0 && length.is_finite()).then(|| vector.map(|component| component / length))
}

/// Scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
