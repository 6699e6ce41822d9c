//! The momentum of all beads.

use super::Sample;
use crate::sums::sum;

/// Σ m v along an axis, Da Å/ps; `None` without velocities.
pub(super) fn momentum(sample: &Sample<'_>, axis: usize) -> Option<f64> {
    let velocities = sample.velocities?.of_beads;
    let beads = velocities.len();
    Some(sum(beads, beads, |bead| sample.system.mass(bead) * velocities[bead][axis]))
}
