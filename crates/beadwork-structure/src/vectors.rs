//! Vectors in space, summed in a fixed order.

pub(crate) type Vector = [f64; 3];

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn difference(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The vector with length 1; `None` if it has no direction.
pub(crate) fn unit(vector: Vector) -> Option<Vector> {
    let length = dot(vector, vector).sqrt();
    (length > 0.0 && length.is_finite()).then(|| vector.map(|component| component / length))
}

/// The mean of some positions, added one after another.
pub(crate) fn centre(positions: impl Iterator<Item = Vector>) -> Vector {
    let (mut sum, mut count) = ([0.0; 3], 0);
    for position in positions {
        sum = [sum[0] + position[0], sum[1] + position[1], sum[2] + position[2]];
        count += 1;
    }
    sum.map(|component| component / f64::from(count.max(1)))
}
