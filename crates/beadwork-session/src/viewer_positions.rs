//! Beads and positions in PDB files, which viewers read.

use std::path::Path;

use beadwork_io::{TopologyBead, atomic, pdb};
use beadwork_model::System;

use crate::segments::segment_names;
use crate::topology_names::ShortNames;

/// Writes positions for viewers, moved to their centre if they are beyond the range of a PDB file.
pub(crate) fn write_pdb(
    path: &Path,
    system: &System,
    positions: &[[f64; 3]],
    title: &str,
) -> Result<(), beadwork_io::Error> {
    atomic::write(path, pdb_text(path, system, positions, title)?.as_bytes())
}

/// The text of [`write_pdb`]; `path` is the name in messages.
pub(crate) fn pdb_text(
    path: &Path,
    system: &System,
    positions: &[[f64; 3]],
    title: &str,
) -> Result<String, beadwork_io::Error> {
    let (beads, positions) = (topology_beads(system), centred_if_far(positions));
    pdb::text(path, &beads, &positions, &system.bonds(), system.boundary.sides(), title)
}

/// The beads with their names in files for viewers.
pub(crate) fn topology_beads(system: &System) -> Vec<TopologyBead> {
    let particles = &system.particles;
    let names = ShortNames::of(system);
    let bead = |(bead, segment): (usize, String)| {
        let label = &particles.labels[bead];
        let kind = usize::from(particles.types[bead]);
        TopologyBead {
            name: names.name(&label.name).into(),
            residue_name: names.name(&label.residue_name).into(),
            residue_number: label.residue_number,
            insertion: label.insertion,
            chain: label.chain.as_str().into(),
            segment: segment.into(),
            mass: system.types.get(kind).map_or(0.0, |kind| kind.mass),
            charge: particles.charge(bead).into(),
            occupancy: 1.0,
            beta: 0.0,
        }
    };
    segment_names(system).into_iter().enumerate().map(bead).collect()
}

/// Coordinates that a PDB file can hold, Å.
const LEAST_IN_PDB: f64 = -999.0;
const MOST_IN_PDB: f64 = 9999.0;

/// The nearest position that a PDB file can hold.
pub(crate) fn within_range(position: [f64; 3]) -> [f64; 3] {
    position.map(|at| at.clamp(LEAST_IN_PDB, MOST_IN_PDB))
}

/// Moves a structure to its centre if it is beyond the range of a PDB file, -999.999 to 9999.999 Å. The file serves viewers
/// only.
pub(crate) fn centred_if_far(positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let fits = |component: &f64| (LEAST_IN_PDB..MOST_IN_PDB).contains(component);
    if positions.iter().flatten().all(fits) {
        return positions.to_vec();
    }
    let mut centre = [0.0; 3];
    for position in positions {
        for axis in 0..3 {
            centre[axis] += position[axis] / positions.len() as f64;
        }
    }
    positions.iter().map(|position| [0, 1, 2].map(|axis| position[axis] - centre[axis])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_structures_are_centred_and_near_ones_left() {
        let near = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        assert_eq!(centred_if_far(&near), near);
        assert_eq!(
            centred_if_far(&[[-2000.0, 0.0, 0.0], [-2002.0, 0.0, 4.0]]),
            [[1.0, 0.0, -2.0], [-1.0, 0.0, 2.0]]
        );
    }
}
