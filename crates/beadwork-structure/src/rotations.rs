//! Rotations as matrices, quaternions (w, x, y, z), and axes with an angle.

use crate::assembly::Operator;
use crate::vectors::{Vector, cross, difference, dot, unit};

/// Largest deviation, degrees, of the angle of an operator from that of its axis. Files with three decimals have 0.1.
const ANGLE_OF_OPERATORS: f64 = 0.5;
/// Å: an operator that shifts along its axis by more is a screw.
const SCREW_OF_OPERATORS: f64 = 0.5;
/// The highest order of an axis; beyond it angles of successive orders differ too little.
const HIGHEST_ORDER: u32 = 24;

/// The matrix of a quaternion of length 1.
pub(crate) fn matrix([w, x, y, z]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
}

/// A turn about an axis, of 180 degrees at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// The unit vector about which it turns counter-clockwise.
    pub direction: Vector,
    /// Degrees.
    pub angle: f64,
    /// Å: the shift along the axis.
    pub screw: f64,
    /// The cotangent of half the angle.
    half_cotangent: f64,
}

impl Turn {
    /// The turn of an operator; `None` if it does not turn.
    pub fn of(operator: &Operator) -> Option<Turn> {
        let r = &operator.rotation;
        let trace = r[0][0] + r[1][1] + r[2][2];
        // The largest of the four squares gives the component from which the others follow (Shepperd, J. Guid. Control
        // 1, 223, 1978).
        let squares = [trace, r[0][0], r[1][1], r[2][2]];
        let mut largest = 0;
        for index in 1..4 {
            if squares[index] > squares[largest] {
                largest = index;
            }
        }
        let differences = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
        let (scalar, vector) = match largest {
            0 => (1.0 + trace, differences),
            number => {
                let i = number - 1;
                let mut vector = [0, 1, 2].map(|j| r[i][j] + r[j][i]);
                vector[i] = 1.0 + 2.0 * r[i][i] - trace;
                (differences[i], vector)
            }
        };
        // A quaternion and its opposite are one rotation.
        let sign = if scalar < 0.0 { -1.0 } else { 1.0 };
        let vector = vector.map(|component| sign * component);
        let direction = unit(vector)?;
        let (scalar, length) = (scalar.abs(), dot(vector, vector).sqrt());
        let angle = 2.0 * length.atan2(scalar).to_degrees();
        let screw = dot(operator.translation, direction);
        Some(Turn { direction, angle, screw, half_cotangent: scalar / length })
    }

    /// The point of the axis of an operator, whose turn this is, that is nearest to a point.
    pub fn nearest_on_axis(&self, operator: &Operator, point: Vector) -> Vector {
        // The operator moves the point along a chord k of a circle about the axis u, whose middle lies at
        // (k + cot(θ/2) u × k)/2 from it.
        let moved = difference(operator.apply(point), point);
        let along = dot(moved, self.direction);
        let chord = [0, 1, 2].map(|axis| moved[axis] - along * self.direction[axis]);
        let aside = cross(self.direction, chord);
        [0, 1, 2].map(|axis| point[axis] + 0.5 * (chord[axis] + self.half_cotangent * aside[axis]))
    }

    /// n, where the angle is 360/n degrees up to `tolerance`, 2 at least.
    pub fn order_within(&self, tolerance: f64) -> Option<u32> {
        let order = (360.0 / self.angle).round();
        let fits = (2.0..=f64::from(HIGHEST_ORDER)).contains(&order)
            && (self.angle - 360.0 / order).abs() <= tolerance;
        fits.then_some(order as u32)
    }

    /// The order of the axis of an operator of an assembly, if it has one.
    pub fn order(&self) -> Option<u32> {
        if self.screw.abs() > SCREW_OF_OPERATORS {
            None
        } else {
            self.order_within(ANGLE_OF_OPERATORS)
        }
    }
}

/// The rotation by the least angle that turns a unit vector to +z.
pub(crate) fn to_z(direction: Vector) -> [[f64; 3]; 3] {
    let cosine = direction[2];
    if cosine <= -1.0 + 1e-12 {
        // Opposite: half a turn about x.
        return [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    }
    let [x, y, _] = cross(direction, [0.0, 0.0, 1.0]);
    // Rodrigues' formula, I + K + K²/(1 + cos θ), where K is the matrix of the cross product.
    let scale = 1.0 / (1.0 + cosine);
    [
        [1.0 - y * y * scale, x * y * scale, y],
        [x * y * scale, 1.0 - x * x * scale, -x],
        [-y, x, 1.0 - (x * x + y * y) * scale],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_have_their_axis_and_angle() {
        let half = 0.5_f64.sqrt();
        for (direction, angle) in [
            ([0.0, 0.0, 1.0], 90.0),
            ([half, half, 0.0], 180.0),
            ([0.6, 0.0, -0.8], 120.0),
            ([0.0, -1.0, 0.0], 72.0),
            ([0.6, 0.64, 0.48], 179.0),
            ([0.48, -0.6, 0.64], 15.0),
        ] {
            let (sine, cosine) = (angle / 2.0_f64).to_radians().sin_cos();
            let [x, y, z] = direction.map(|component| sine * component);
            let operator = Operator {
                rotation: matrix([cosine, x, y, z]),
                translation: direction.map(|component| 3.0 * component),
            };
            let turn = Turn::of(&operator).unwrap();
            assert!((turn.angle - angle).abs() < 1e-9, "{turn:?}");
            assert!(dot(turn.direction, direction).abs() > 1.0 - 1e-12, "{turn:?}");
            assert!((turn.screw.abs() - 3.0).abs() < 1e-9);
            assert_eq!(turn.order(), None);
        }
        assert!(Turn::of(&Operator::IDENTITY).is_none());
    }

    #[test]
    fn directions_turn_to_z() {
        let half = 0.5_f64.sqrt();
        for direction in [
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            [1.0, 0.0, 0.0],
            [half, -half, 0.0],
            [0.6, 0.64, -0.48],
            [-0.48, 0.6, 0.64],
        ] {
            let rotation = to_z(direction);
            let found = rotation.map(|row| dot(row, direction));
            for (found, expected) in found.into_iter().zip([0.0, 0.0, 1.0]) {
                assert!((found - expected).abs() < 1e-15, "{direction:?} {found}");
            }
            assert!(Operator::new(rotation, [0.0; 3]).is_ok());
        }
        assert_eq!(to_z([0.0, 0.0, 1.0]), Operator::IDENTITY.rotation);
    }

    #[test]
    fn points_have_a_nearest_one_on_an_axis() {
        let quarter = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        // About the line x = 2, y = 1.
        let operator = Operator { rotation: quarter, translation: [3.0, -1.0, 0.0] };
        let turn = Turn::of(&operator).unwrap();
        assert_eq!(turn.order(), Some(4));
        let nearest = turn.nearest_on_axis(&operator, [2.0, 6.0, 40.0]);
        for (found, expected) in nearest.into_iter().zip([2.0, 1.0, 40.0]) {
            assert!((found - expected).abs() < 1e-12, "{nearest:?}");
        }
    }
}
