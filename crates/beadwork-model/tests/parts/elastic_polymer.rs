//! The elastic polymer.

use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::potentials::{LennardJones, PairPotential};

fn squared_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum()
}

#[test]
fn the_straight_chain_has_the_energy_computed_by_hand() {
    // The distances are 0.7, 1.4 and 2.1; the last is beyond the cutoff of 1.559. With (σ/r)⁶ = r₀⁶/2r⁶ the unshifted
    // energy is −1 at r₀ and 4 (1/128)(1/128 − 1) at 2 r₀.
    let chain = ElasticPolymer::new(4);
    let system = chain.build();
    let shift = chain.pairs.shift;
    assert!((shift + 0.016_316_891_136).abs() < 1e-12);
    let far = 4.0 / 128.0 * (1.0 / 128.0 - 1.0);
    let expected = 3.0 * (-1.0 - shift) + 2.0 * (far - shift);
    let energies = system.energies(&system.particles.positions);
    assert!((energies.total() - expected).abs() < 1e-12);
    assert!(energies.bonds.abs() < 1e-12);
    assert_eq!(chain.contacts(&system.particles.positions), 0);
}

/// Each senseless number causes its own warning; numbers at the limits cause none.
#[test]
fn warns_of_numbers_that_make_no_chain() {
    let usual = ElasticPolymer::new(13);
    assert!(usual.warnings().is_empty());
    let said = |change: &dyn Fn(&mut ElasticPolymer)| {
        let mut chain = usual;
        change(&mut chain);
        chain.warnings()
    };
    // 2^(1/6) of 0.6236 is 0.7.
    let repulsive = said(&|chain| chain.pairs.cutoff = 0.69);
    assert!(repulsive[0].contains("cutoff, 0.6900") && repulsive[0].contains("= 0.7000"));
    assert!(said(&|chain| chain.pairs.cutoff = 0.71).is_empty());
    let negative = said(&|chain| chain.bonds.limit = 0.9);
    assert!(negative[0].contains("0.7 +/- 0.9 may shrink to nothing"), "{negative:?}");
    assert!(said(&|chain| chain.bonds.limit = 0.69).is_empty());
    // 4 ((2/0.7)¹² − (2/0.7)⁶) is about 1.2e6; the shift by the cutoff is far below.
    let wide = said(&|chain| (chain.pairs.diameter, chain.pairs.cutoff) = (2.0, 5.0));
    assert!(
        wide[0].contains("by 1.182e6 depths") && wide[0].contains("diameter, 2.0000"),
        "{wide:?}"
    );
    assert!(said(&|chain| (chain.pairs.diameter, chain.pairs.cutoff) = (0.7, 1.75)).is_empty());
    let loose = said(&|chain| chain.bonds.stiffness = 0.0);
    assert!(loose[0].starts_with("bond_stiffness is 0"), "{loose:?}");
    for one in [repulsive, negative, wide, loose] {
        assert_eq!(one.len(), 1, "{one:?}");
    }
}

#[test]
fn folded_chains_have_bonds_at_rest_and_contacts() {
    let chain = ElasticPolymer::new(70);
    let folded = chain.folded();
    for (one, next) in folded.iter().zip(&folded[1..]) {
        let distance = squared_distance(*one, *next).sqrt();
        assert!((distance - chain.bonds.length).abs() < 1e-12, "{one:?} {next:?}");
    }
    assert!(chain.contacts(&folded) > 70);
}

#[test]
fn contacts_exclude_bonds() {
    let chain = ElasticPolymer::new(3);
    let triangle = [[0.0; 3], [0.7, 0.0, 0.0], [0.35, 0.6, 0.0]];
    assert_eq!(chain.contacts(&triangle), 1);
    assert_eq!(chain.contacts(&[[0.0; 3], [0.7, 0.0, 0.0], [1.0, 0.0, 0.0]]), 0);
}

/// The icosahedra of 13 and 55 with the pure Lennard-Jones energy, −44.326801 and −279.248470 (Cambridge Cluster
/// Database; physics.md §6), relaxed from ideal shells.
#[test]
fn pure_lennard_jones_icosahedra() {
    for (shells, expected) in [(1, -44.326_801), (2, -279.248_470)] {
        let pairs = LennardJones::shifted(1.0, 1.0, 1e3);
        let mut positions = icosahedron(shells, 2.0_f64.powf(1.0 / 6.0));
        let energy = relax(&pairs, &mut positions);
        assert!((energy - expected).abs() < 1e-5, "{energy} for {} beads", positions.len());
    }
}

/// The Mackay icosahedron: its centre, then the corners, edges and faces of each shell.
fn icosahedron(shells: usize, spacing: f64) -> Vec<[f64; 3]> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut corners = Vec::new();
    for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        corners.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
    }
    let scale = spacing / 2.0;
    let edge = |a: &[f64; 3], b: &[f64; 3]| (squared_distance(*a, *b) - 4.0).abs() < 1e-9;
    let mut positions = vec![[0.0; 3]];
    for shell in 1..=shells {
        let size = shell as f64 * scale;
        let at = |corner: &[f64; 3]| corner.map(|x| x * size);
        positions.extend(corners.iter().map(at));
        if shell == 2 {
            for (number, a) in corners.iter().enumerate() {
                for b in corners.iter().skip(number + 1).filter(|b| edge(a, b)) {
                    positions.push([0, 1, 2].map(|axis| (at(a)[axis] + at(b)[axis]) / 2.0));
                }
            }
        }
    }
    positions
}

/// Steepest descent with a step that grows and shrinks; returns the energy.
fn relax(pairs: &LennardJones, positions: &mut Vec<[f64; 3]>) -> f64 {
    let energy_of = |positions: &[[f64; 3]]| -> f64 {
        let square = |i: usize, j: usize| squared_distance(positions[i], positions[j]);
        (0..positions.len())
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| pairs.energy(square(i, j)))
            .sum()
    };
    let (mut energy, mut step) = (energy_of(positions), 1e-3);
    for _ in 0..3_000 {
        let mut forces = vec![[0.0; 3]; positions.len()];
        for i in 0..positions.len() {
            for j in 0..i {
                let r2 = squared_distance(positions[i], positions[j]);
                let f = pairs.force_over_distance(r2);
                for axis in 0..3 {
                    let pull = f * (positions[i][axis] - positions[j][axis]);
                    forces[i][axis] += pull;
                    forces[j][axis] -= pull;
                }
            }
        }
        let trial: Vec<[f64; 3]> = positions
            .iter()
            .zip(&forces)
            .map(|(x, f)| [0, 1, 2].map(|axis| x[axis] + step * f[axis]))
            .collect();
        let moved = energy_of(&trial);
        if moved < energy {
            (energy, step) = (moved, step * 1.1);
            *positions = trial;
        } else {
            step /= 2.0;
        }
    }
    energy
}
