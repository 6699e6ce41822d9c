//! Force fields build systems from files or parameters: one file for each force field.

pub mod elastic_polymer;
pub mod oscillators;
pub mod residues;
pub mod sop;

use beadwork_structure::Label;

/// Labels of beads without a structure file: one chain, one residue for each bead.
fn labels(beads: usize, name: &str, residue_name: &str) -> Vec<Label> {
    let label = |bead: usize| Label {
        name: name.into(),
        residue_name: residue_name.into(),
        // A PDB file has four columns for residue numbers, so they restart at 1 after 9,999.
        residue_number: (bead % 9_999 + 1) as i32,
        chain: "A".into(),
        ..Label::default()
    };
    (0..beads).map(label).collect()
}
