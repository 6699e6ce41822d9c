//! The arrays of beads.

use beadwork_model::potentials::HarmonicBond;
use beadwork_model::{Pair, ParticleType, Particles, System, positions_of};
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

/// Heads of three molecules, then their tails, and a bead alone between them.
#[test]
fn molecules_are_lists_of_beads_in_any_order() {
    let molecules = vec![0, 1, 2, 3, 1, 0, 2, 2];
    let labels = vec![Label::default(); molecules.len()];
    let particles = Particles { labels, molecules, ..Particles::default() };
    let all = particles.beads_of_molecules();
    let expected: [&[u32]; 4] = [&[0, 5], &[1, 4], &[2, 6, 7], &[3]];
    assert_eq!(all.iter().collect::<Vec<_>>(), expected);
    assert_eq!(particles.molecule_starts().collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(!particles.are_in_order_of_molecules());
    let positions: Vec<[f64; 3]> = (0..8).map(|bead| [f64::from(bead), 0.0, 0.0]).collect();
    assert_eq!(positions_of(&positions, &[2, 6])[..], [[2.0, 0.0, 0.0], [6.0, 0.0, 0.0]]);
    assert_eq!(positions_of(&positions, &[2, 3])[..], positions[2..4]);
}

/// A linear molecule whose beads are numbered 0-2-1, a ring and a star: the ends of the first are 0 and 1.
#[test]
fn ends_of_linear_molecules_follow_from_their_bonds() {
    let bond = |(i, j): (usize, usize)| Pair {
        i,
        j,
        potential: HarmonicBond { stiffness: 1.0, length: 1.0 },
    };
    let bonds = [(0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (6, 7), (6, 8), (6, 9)];
    let particles = Particles::of_one_type(vec![Label::default(); 10], vec![[0.0; 3]; 10]);
    let mut system = System { particles, ..System::default() };
    system.particles.molecules = vec![0, 0, 0, 1, 1, 1, 2, 2, 2, 2];
    system.interactions.bonded = vec![bonds.map(bond).to_vec().into()];
    system.find_ends();
    assert_eq!(system.ends, [(0, [0, 1])]);
    assert_eq!(system.ends_of(&[0, 1, 2]), Some([0, 1]));
    assert_eq!(system.ends_of(&[6, 7, 8, 9]), Some([6, 9]));
    assert_eq!(system.ends_of(&[]), None);
}

/// Beads of a type A with charges of +1 and none, and one of a type B.
#[test]
fn types_that_charges_split_have_labels_of_their_own() {
    let mut particles = Particles::of_one_type(vec![Label::default(); 4], vec![[0.0; 3]; 4]);
    particles.types = vec![0, 1, 2, 1];
    particles.charges = vec![1.0, 0.0, -0.5, 0.0];
    let kind = |name: &str| ParticleType { name: name.to_string(), mass: 1.0, friction: None };
    let types = vec![kind("A"), kind("A"), kind("B")];
    let system = System { particles, types, ..System::default() };
    assert_eq!(system.type_labels(), ["A(+1)", "A(0)", "B"]);
}
