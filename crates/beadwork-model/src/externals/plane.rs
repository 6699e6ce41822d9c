//! A plane on one side of some beads.

use super::Contact;
use super::vectors::point_before;

/// A plane from which an external acts. The state of the external has a point of it and its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The potential at a distance from it.
    pub contact: Contact,
    /// The unit vector away from it, towards the beads.
    pub normal: [f64; 3],
    /// Where it is when the stage begins.
    pub place: SurfacePlace,
}

/// Where a surface is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SurfacePlace {
    /// Å: a point of the plane, around which the points lie.
    At([f64; 3]),
    /// Å: the distance below the lowest bead.
    Below(f64),
}

impl Plane {
    /// Where it is when a stage begins with beads at `positions`, Å.
    pub(super) fn origin(&self, beads: &[usize], positions: &[[f64; 3]]) -> [f64; 3] {
        match self.place {
            SurfacePlace::At(point) => point,
            SurfacePlace::Below(gap) => point_before(beads, positions, self.normal, gap),
        }
    }
}
