//! The memory that a run takes, as estimated.

use crate::input::Point;

/// Bytes of a bead of the system, and of its names while topologies are written. Runs of 2 and of 4 million beads of a DPD fluid
/// were read to take 880 bytes a bead at their peak; how much of that is the member's was not.
pub const OF_SYSTEM: f64 = 480.0;

/// Bytes of a member in memory: copies of the lists, positions and forces, and a neighbour list.
pub fn estimated_memory(point: &Point) -> f64 {
    let counts = point.system.counts;
    let pairs = counts.nonnative_pairs.min(counts.beads * 250);
    (counts.beads * 400 + (counts.bonds + counts.native_contacts) * 24 + pairs * 8) as f64
}
