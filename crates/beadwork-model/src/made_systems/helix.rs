//! An ideal alpha helix of 16 residues.

use beadwork_structure::{ReadOptions, parse};

use super::sop_system;
use crate::{Error, System};

const HELIX: &str = include_str!("helix.pdb");

/// The SOP system of an ideal alpha helix of 16 residues.
///
/// # Errors
/// None: its structure is part of the program.
pub fn helix() -> Result<System, Error> {
    sop_system(&parse(HELIX, "helix.pdb", &ReadOptions::default())?, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_helix_can_be_built() {
        let counts = helix().unwrap().counts;
        assert_eq!((counts.beads, counts.bonds), (16, 15));
    }
}
