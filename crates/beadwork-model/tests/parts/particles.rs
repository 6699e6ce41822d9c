//! The arrays of beads.

use beadwork_model::Particles;
use beadwork_structure::Label;

/// Systems of 10⁷ beads must fit into the memory of one machine, with everything else.
#[test]
fn a_bead_takes_64_bytes_at_most() {
    let bytes = size_of::<Label>()
        + size_of::<[f64; 3]>()
        + size_of::<u16>()
        + size_of::<f32>()
        + size_of::<u32>();
    assert!(bytes <= 64, "{bytes}");
}

#[test]
fn molecules_begin_where_their_number_changes() {
    let particles = Particles {
        labels: vec![Label::default(); 5],
        molecules: vec![0, 0, 3, 4, 4],
        ..Particles::default()
    };
    assert_eq!(particles.molecule_starts().collect::<Vec<_>>(), [0, 2, 3]);
}
