//! The memory that a run takes, as estimated.

use crate::input::{Point, Request, estimated_list};

/// Bytes of a bead of the system, and of its names while topologies are written. Runs of 2 and of 4 million beads of a DPD fluid
/// were read to take 880 bytes a bead at their peak; how much of that is the member's was not.
pub const OF_SYSTEM: f64 = 480.0;

/// Bytes of a member in memory: copies of the lists, positions and forces, and a neighbour list.
pub fn estimated_memory(point: &Point) -> f64 {
    let counts = point.system.counts;
    let pairs = counts.nonnative_pairs.min(counts.beads * 250);
    let bytes = counts.beads * 400 + (counts.bonds + counts.native_contacts) * 24;
    bytes as f64 + estimated_list(point).max((pairs * 8) as f64)
}

/// Bytes of a list of near pairs from which on no step is tried: the first one alone takes many seconds.
const LONGEST_LIST: f64 = 3e9;

/// Says how long the list of near pairs is, if it is too long for a try.
pub fn long_list(request: &Request) -> Option<String> {
    let longest = request.points.iter().map(estimated_list).fold(0.0, f64::max);
    (longest > LONGEST_LIST)
        .then(|| format!("the list of near pairs would take about {:.0} GB", longest / 1e9))
}
