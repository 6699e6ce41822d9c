//! Whether a system of beads can be simulated from its start.

use beadwork_model::{BrokenBond, System};
use beadwork_structure::Configuration;

use super::types::Types;
use crate::error::{BAD_VALUE, Error, START};
use crate::section::Section;

/// Sentences about what the input has and the run will not use.
pub(super) fn warnings(
    section: &Section<'_>,
    file: &Configuration,
    types: &Types,
    has_charges: bool,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if types.charges.iter().any(|&charge| charge != 0.0) && !has_charges {
        warnings.push(
            "beads have charges, and no term of `pairs` acts on them: add one of the kind \"debye-huckel\", or leave the charges out".to_string(),
        );
    }
    if file.velocities.is_some() {
        warnings.push(format!(
            "velocities of {} are not used: those of the start are drawn at the temperature",
            file.source
        ));
    }
    for (count, what) in [(file.dihedrals, "dihedrals"), (file.impropers, "improper dihedrals")] {
        if count > 0 {
            warnings.push(format!(
                "the {count} {what} of {} are left out: no term acts on four beads",
                file.source
            ));
        }
    }
    if !file.angles.is_empty() && !section.has("angles") {
        warnings.push(format!(
            "no term acts on the {} angles of {}: add one to `angles`, or ignore them",
            file.angles.len(),
            file.source
        ));
    }
    if !file.bonds.is_empty() && !section.has("bonds") {
        warnings.push(format!(
            "no term acts on the {} bonds of {}: add one to `bonds`, or ignore them",
            file.bonds.len(),
            file.source
        ));
    }
    warnings
}

/// Refuses boxes that are too small, broken bonds, and beads in one place.
pub(super) fn refuse(section: &Section<'_>, system: &System) -> Result<(), Error> {
    if let Some(problem) = system.boundary_problem() {
        return Err(section.fault(BAD_VALUE, "box", &problem));
    }
    let positions = &system.particles.positions;
    let start = if section.has("build") { "build" } else { "start" };
    if let Some(BrokenBond { beads: [i, j], distance, rest_length, limit }) = system.broken_bond() {
        let problem = format!(
            "has the beads {i} and {j} {distance:.4} apart, and their bond holds within {rest_length} +/- {limit} only: take other coordinates, or a larger `limit`"
        );
        return Err(section.fault(START, start, &problem));
    }
    if let Some([i, j]) = system.overlapping_beads() {
        let apart = system.boundary.squared_distance(positions[i], positions[j]).sqrt();
        let problem = format!(
            "has the beads {i} and {j} {apart:.1e} apart, where their energy is beyond all bounds: move them apart"
        );
        return Err(section.fault(START, start, &problem));
    }
    Ok(())
}
