//! Where an external with a surface is among its beads.

use super::{ExternalState, Law, Moment};

/// The bead that is nearest to the surface of an external, or deepest behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestBead {
    /// The bead.
    pub bead: usize,
    /// Å: its distance from the surface, less than 0 behind it.
    pub clearance: f64,
    /// The beads behind the surface.
    pub behind: usize,
    /// The beads on which it cannot act, because they are behind the surface or so near that the force is beyond all bounds.
    pub refused: usize,
}

/// The bead nearest to the surface of an external in this state; `None` if it has no surface.
pub fn nearest_bead(
    law: &dyn Law,
    state: &ExternalState,
    positions: &[[f64; 3]],
) -> Option<NearestBead> {
    let mut nearest: Option<NearestBead> = None;
    let (mut behind, mut refused) = (0, 0);
    for (entry, &bead) in law.beads().iter().enumerate() {
        let clearance = law.clearance(state, positions[bead])?;
        behind += usize::from(clearance <= 0.0);
        // Within σ of the surface alone forces are beyond all bounds, and those of many points take time.
        let is_near = law.way_back(state, positions[bead], 1.0) >= 0.0;
        refused += usize::from(is_near && !can_act(law, state, entry, positions[bead]));
        if nearest.is_none_or(|one| clearance < one.clearance) {
            nearest = Some(NearestBead { bead, clearance, behind: 0, refused: 0 });
        }
    }
    Some(NearestBead { behind, refused, ..nearest? })
}

/// Whether a stage can begin with the bead at this place.
fn can_act(law: &dyn Law, state: &ExternalState, entry: usize, at: [f64; 3]) -> bool {
    let force = law.force(state, Moment::default(), entry, at);
    match law.reaction_unit() {
        Some(unit) => unit.whole(force).is_some(),
        None => !force.iter().any(|component| component.is_nan()),
    }
}

/// Å: how far an external must go back until all of its beads have this room, in σ of its contact; less than 0 if it may go
/// forward, −∞ if it meets none.
pub fn way_back(law: &dyn Law, state: &ExternalState, positions: &[[f64; 3]], sigmas: f64) -> f64 {
    let ways = law.beads().iter().map(|&bead| law.way_back(state, positions[bead], sigmas));
    ways.fold(f64::NEG_INFINITY, f64::max)
}
