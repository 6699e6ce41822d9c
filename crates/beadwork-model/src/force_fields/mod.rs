//! From what a file said to what is simulated: one file a force field.

pub mod elastic_polymer;
pub mod oscillators;
pub mod sop;

use beadwork_structure::Label;

/// Labels of beads that no structure names: one chain, a residue a bead.
fn labels(beads: usize, name: &str, residue_name: &str) -> Vec<Label> {
    let label = |bead: usize| Label {
        name: name.into(),
        residue_name: residue_name.into(),
        // Residue numbers restart at 1 where the columns of a PDB file end.
        residue_number: (bead % 9_999 + 1) as i32,
        chain: "A".into(),
        ..Label::default()
    };
    (0..beads).map(label).collect()
}
