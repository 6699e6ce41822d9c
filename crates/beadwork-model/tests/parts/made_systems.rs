//! Made systems: globules that resemble proteins.

use std::f64::consts::PI;

use beadwork_model::made_systems::globule;
use beadwork_model::{Boundary, near_pairs};

const SIZES: [usize; 4] = [50, 1_000, 3_000, 20_000];

fn positions(beads: usize) -> Vec<[f64; 3]> {
    globule(beads).unwrap().particles.positions
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn bonds_have_the_length_of_a_chain_of_residues() {
    for beads in SIZES {
        let chain = positions(beads);
        assert_eq!(chain.len(), beads);
        for (bead, pair) in chain.windows(2).enumerate() {
            let length = distance(pair[0], pair[1]);
            assert!((3.2..4.4).contains(&length), "{beads}: bond {bead} is {length} A");
        }
    }
}

#[test]
fn no_two_beads_overlap() {
    for beads in SIZES {
        let chain = positions(beads);
        let mut least = f64::INFINITY;
        let nearest = |i: usize, partners: &[u32]| {
            for &j in partners.iter().filter(|&&j| j as usize > i + 1) {
                least = least.min(distance(chain[i], chain[j as usize]));
            }
        };
        near_pairs(Boundary::Open, beads, |bead| chain[bead], 6.0, nearest);
        assert!((3.4..6.0).contains(&least), "{beads}: two beads are {least} A apart");
    }
}

#[test]
fn density_and_contacts_are_those_of_a_protein() {
    let system = globule(20_000).unwrap();
    let positions = &system.particles.positions;
    // Beads within 40 Å of the middle share the volume of that sphere.
    let centre =
        [0, 1, 2].map(|k| positions.iter().map(|position| position[k]).sum::<f64>() / 20_000.0);
    let inside = positions.iter().filter(|position| distance(**position, centre) < 40.0).count();
    let volume = 4.0 / 3.0 * PI * 40.0_f64.powi(3) / inside as f64;
    // A residue has 110 Da at 0.73 cm³/g.
    assert!((volume / 135.0 - 1.0).abs() < 0.1, "{volume} A^3 a bead");
    let contacts = system.counts.native_contacts as f64 / 20_000.0;
    assert!((4.0..5.2).contains(&contacts), "{contacts} contacts a bead");
}

#[test]
fn interactions_follow_the_model() {
    let system = globule(1_000).unwrap();
    assert!(system.interactions.excluded.windows(2).all(|pair| pair[0] < pair[1]));
    let energies = system.energies(&system.particles.positions);
    assert!(energies.bonds.abs() < 1e-9);
    let contacts = system.counts.native_contacts as f64;
    assert!((energies.contacts + 1.5 * contacts).abs() < 1e-6);
    assert!(energies.pairs > 0.0);
}

/// Doctor and benchmarks count on it, also where a whole number of helices with their linkers would just do.
#[test]
fn globules_have_as_many_beads_as_asked_for() {
    for beads in (2..700).chain([1_000, 2_400, 20_000]) {
        assert_eq!(positions(beads).len(), beads);
    }
}
