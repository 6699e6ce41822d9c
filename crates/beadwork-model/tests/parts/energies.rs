//! Energies of small systems, computed by hand.

use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    CosineSquaredAngle, DebyeHuckel, FeneBond, HarmonicTrap, NativeContact, PairPotential,
    SixthPowerRepulsion,
};
use beadwork_model::{Angle, Boundary, Energies, Interactions, Pair, Particles, Single, System};

fn particles(positions: Vec<[f64; 3]>) -> Particles {
    Particles::of_one_type(vec![Default::default(); positions.len()], positions)
}

fn repulsion(diameter: f64, cutoff: f64) -> PairTable<SixthPowerRepulsion> {
    PairTable::of_one_type(SixthPowerRepulsion { strength: 1.0, diameter }, cutoff)
}

/// Three beads on a line at 0, 3 and 6 Å: one bond at rest, one native contact at its minimum, one repelling pair at
/// 3 Å that is charged too, a straight angle, and a trap 2 Å away.
#[test]
fn energies_by_kind_computed_by_hand() {
    let bond = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.0 };
    let contact = NativeContact { depth: 1.5, length: 6.0 };
    let angle = CosineSquaredAngle { stiffness: 2.0, cosine: 0.0 };
    let trap = HarmonicTrap { stiffness: 1.0, centre: [6.0, 2.0, 0.0] };
    let bare = DebyeHuckel { strength: 1.5, inverse_length: 0.0, shift: 0.0 };
    let charges = PairTable::of_one_type(bare, 20.0);
    let system = System {
        particles: particles(vec![[0.0; 3], [3.0, 0.0, 0.0], [6.0, 0.0, 0.0]]),
        interactions: Interactions {
            thermostat: None,
            bonded: vec![
                vec![Pair { i: 0, j: 1, potential: bond }].into(),
                vec![Pair { i: 0, j: 2, potential: contact }].into(),
            ],
            pairs: vec![repulsion(3.0, 20.0).into(), charges.into()],
            excluded: vec![(0, 1), (0, 2)],
            angles: vec![vec![Angle { beads: [0, 1, 2], potential: angle }].into()],
            singles: vec![vec![Single { bead: 2, potential: trap }].into()],
        },
        ..System::default()
    };
    let energies = system.energies(&system.particles.positions);
    let expected = Energies {
        bonds: 0.0,
        contacts: -1.5,
        angles: 1.0,
        pairs: 1.0,
        charges: 0.5,
        singles: 2.0,
    };
    assert_eq!(energies, expected);
    assert_eq!(energies.total(), 3.0);
}

#[test]
fn nothing_acts_at_or_beyond_the_cutoff() {
    let mut system = System {
        particles: particles(vec![[0.0; 3], [0.0, 5.0, 0.0]]),
        interactions: Interactions {
            pairs: vec![repulsion(5.0, 5.0).into()],
            ..Interactions::default()
        },
        ..System::default()
    };
    assert_eq!(system.energies(&system.particles.positions).pairs, 0.0);
    system.particles.positions[1][1] = 4.999;
    assert!(system.energies(&system.particles.positions).pairs > 1.0);
}

/// Beads 0 and 2 are of one type, bead 1 of another: σ in (σ/r)⁶ depends on the two types, and several terms add up.
#[test]
fn types_choose_parameters_and_terms_add_up() {
    let mut particles = particles(vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    particles.types = vec![0, 1, 0];
    let table = PairTable::new(2, |a, b| PairEntry {
        potential: SixthPowerRepulsion { strength: 1.0, diameter: 2.0 * (1 + a + b) as f64 },
        cutoff: if a == b { 2.5 } else { 10.0 },
    });
    let system = System {
        particles,
        interactions: Interactions {
            pairs: vec![table.clone().into(), table.into()],
            ..Interactions::default()
        },
        ..System::default()
    };
    // One term gives: (0, 1) at 2 with σ = 4 is 64, (0, 2) at 2 with σ = 2 is 1, (1, 2) at √8 with σ = 4 is 8.
    let energies = system.energies(&system.particles.positions);
    assert!((energies.pairs - 2.0 * 73.0).abs() < 1e-12, "{energies:?}");
}

/// Enough beads for several threads: energies and the virial have the bits of sums over all pairs in ascending order, without
/// those excluded.
#[test]
fn threads_add_pairs_in_ascending_order() {
    let (beads, side) = (3_000, 20.0);
    let number = |n: usize| (n * n * 2654435761 % 3001) as f64 / 3001.0 * side;
    let at = |bead: usize| [3 * bead, 3 * bead + 1, 3 * bead + 2].map(number);
    let boundary = Boundary::Periodic { lengths: [side; 3] };
    let excluded: Vec<(usize, usize)> = (0..beads - 2)
        .flat_map(|bead| [(bead, bead + 1), (bead, bead + 2)])
        .chain([(beads - 2, beads - 1)])
        .collect();
    let terms = [repulsion(1.0, 2.5), repulsion(0.7, 1.5)];
    let system = System {
        particles: particles((0..beads).map(at).collect()),
        interactions: Interactions {
            pairs: terms.iter().map(|term| term.clone().into()).collect(),
            excluded: excluded.clone(),
            ..Interactions::default()
        },
        boundary,
        ..System::default()
    };
    let positions = &system.particles.positions;
    let partners = |i: usize| {
        (i as u32 + 1..beads as u32)
            .filter(|&j| excluded.binary_search(&(i, j as usize)).is_err())
            .collect::<Vec<u32>>()
    };
    let energies = system.energies_of_pairs(positions, |row| {
        (0..beads).for_each(|i| row(i, &partners(i)));
    });
    let mut virial = 0.0;
    for i in 0..beads {
        for entry in terms.iter().map(|term| term.between(0, 0)) {
            for j in partners(i) {
                let r2 = boundary.squared_distance(positions[i], positions[j as usize]);
                if r2 < entry.cutoff * entry.cutoff {
                    virial += r2 * entry.potential.force_over_distance(r2);
                }
            }
        }
    }
    assert!(energies.pairs > 0.0 && virial > 0.0 && virial.is_finite());
    assert_eq!(system.energies_and_virial(positions), (energies, Some(virial)));
}
