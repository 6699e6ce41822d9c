//! A surface on which a molecule lies.

use super::{Contact, ExternalState, Law, Moment, PARAMETERS, Plane, SurfacePlace, dot};

/// A plane, or a square of fixed points in it, below some beads.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The beads on which it acts.
    pub beads: Vec<usize>,
    /// The potential at a distance from the plane, or from each point.
    pub contact: Contact,
    /// The unit vector away from the surface, towards the beads.
    pub normal: [f64; 3],
    /// Where it is when the stage begins.
    pub place: SurfacePlace,
    /// The points that stand for it; a plane without any.
    pub points: Option<SurfacePoints>,
    /// Whether it stays where that of the stage before is.
    pub goes_on: bool,
}

/// A square of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoints {
    /// Points along a side.
    pub side: usize,
    /// Å: between neighbours.
    pub spacing: f64,
}

/// The unit vectors along the sides of a square with this normal.
fn sides(normal: [f64; 3]) -> [[f64; 3]; 2] {
    // The axis that is least along the normal, x before y before z; for a normal along z, the sides are x and y.
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let least = (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(0);
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let along = dot(axis, normal);
    let flat = [0, 1, 2].map(|k| axis[k] - along * normal[k]);
    let first = super::unit(flat).unwrap_or(axis);
    [first, cross(normal, first)]
}

impl Surface {
    fn own_plane(&self) -> Plane {
        Plane { contact: self.contact, normal: self.normal, place: self.place }
    }

    /// Å: how far a place is from the nearest of its points, seen along its normal; 0 for a plane.
    pub fn beside(&self, state: &ExternalState, at: [f64; 3]) -> f64 {
        let Some(SurfacePoints { side, spacing }) = self.points else { return 0.0 };
        let apart = [0, 1, 2].map(|axis| at[axis] - state.origin[axis]);
        let last = (side as f64 - 1.0).max(0.0);
        let [first, second] = sides(self.normal).map(|axis| {
            // In spacings from the first row; the centre of all points is at the origin.
            let along = dot(apart, axis) / spacing + 0.5 * last;
            (along - along.round().clamp(0.0, last)) * spacing
        });
        first.hypot(second)
    }
}

impl Law for Surface {
    fn examples(beads: usize) -> Vec<Surface> {
        let plane = Surface {
            beads: (0..beads).step_by(2).collect(),
            contact: Contact { epsilon: 0.2, sigma: 5.0, twelfth: 1.0, sixth: -2.0 },
            normal: [0.0, 0.0, 1.0],
            place: SurfacePlace::Below(5.0),
            points: None,
            goes_on: false,
        };
        let points = Some(SurfacePoints { side: 3, spacing: 4.0 });
        vec![plane.clone(), Surface { points, place: SurfacePlace::Below(9.0), ..plane }]
    }

    fn beads(&self) -> &[usize] {
        &self.beads
    }

    fn plane(&self) -> Option<Plane> {
        Some(self.own_plane())
    }

    fn begin(&self, positions: &[[f64; 3]]) -> ExternalState {
        let origin = self.own_plane().origin(&self.beads, positions);
        let anchors = self.points.map_or_else(Vec::new, |SurfacePoints { side, spacing }| {
            let [first, second] = sides(self.normal);
            let place = |k: usize| (k as f64 - 0.5 * (side as f64 - 1.0)) * spacing;
            let point = |(i, j): (usize, usize)| {
                [0, 1, 2].map(|k| origin[k] + place(i) * first[k] + place(j) * second[k])
            };
            (0..side).flat_map(|i| (0..side).map(move |j| (i, j))).map(point).collect()
        });
        ExternalState { origin, direction: self.normal, anchors, ..ExternalState::default() }
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }

    fn force(&self, state: &ExternalState, _: Moment, _: usize, at: [f64; 3]) -> [f64; 3] {
        if self.points.is_none() {
            let force = self.contact.force(state.height(at));
            return self.normal.map(|component| force * component);
        }
        let mut sum = [0.0; 3];
        for point in &state.anchors {
            let apart = [0, 1, 2].map(|axis| at[axis] - point[axis]);
            let distance = dot(apart, apart).sqrt();
            let over_distance = self.contact.force(distance) / distance;
            for axis in 0..3 {
                sum[axis] += over_distance * apart[axis];
            }
        }
        sum
    }

    fn energy(&self, state: &ExternalState, _: Moment, _: usize, at: [f64; 3]) -> f64 {
        if self.points.is_none() {
            return self.contact.energy(state.height(at));
        }
        let energy = |point: &[f64; 3]| {
            let apart = [0, 1, 2].map(|axis| at[axis] - point[axis]);
            self.contact.energy(dot(apart, apart).sqrt())
        };
        state.anchors.iter().map(energy).sum()
    }

    fn anchors(&self) -> usize {
        self.points.map_or(0, |points| points.side * points.side)
    }

    fn parameters(&self, _: f64) -> [f64; PARAMETERS] {
        let [strength, sigma, twelfth, sixth] = self.contact.factors();
        [self.anchors() as f64, strength, sigma, twelfth, sixth]
    }
}
