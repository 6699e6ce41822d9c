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
            bonded: vec![
                vec![Pair { i: 0, j: 1, potential: bond }].into(),
                vec![Pair { i: 0, j: 2, potential: contact }].into(),
            ],
            pairs: vec![repulsion(3.0, 20.0).into(), charges.into()],
            excluded: vec![(0, 1), (0, 2)],
            angles: vec![vec![Angle { beads: [0, 1, 2], potential: angle }].into()],
            singles: vec![vec![Single { bead: 2, potential: trap }].into()],
            ..Interactions::default()
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

/// A fluid in a box with two pair terms and excluded pairs.
fn fluid(beads: usize, side: f64) -> System {
    let number = |n: usize| (n * n * 2654435761 % 3001) as f64 / 3001.0 * side;
    let at = |bead: usize| [3 * bead, 3 * bead + 1, 3 * bead + 2].map(number);
    let excluded = (0..beads - 2)
        .flat_map(|bead| [(bead, bead + 1), (bead, bead + 2)])
        .chain([(beads - 2, beads - 1)]);
    let terms = [repulsion(1.0, 2.5), repulsion(0.7, 1.5)];
    System {
        particles: particles((0..beads).map(at).collect()),
        interactions: Interactions {
            pairs: terms.map(Into::into).to_vec(),
            excluded: excluded.collect(),
            ..Interactions::default()
        },
        boundary: Boundary::Periodic { lengths: [side; 3] },
        ..System::default()
    }
}

/// The energy and r·F of each pair in the box of [`fluid`], row by row, by comparing all pairs.
fn rows(system: &System) -> Vec<Vec<[f64; 2]>> {
    let terms = [repulsion(1.0, 2.5), repulsion(0.7, 1.5)];
    let (beads, positions) = (system.beads(), &system.particles.positions);
    let row = |i: usize| {
        let mut values = Vec::new();
        for entry in terms.iter().map(|term| term.between(0, 0)) {
            for j in partners(system, i) {
                let r2 = system.boundary.squared_distance(positions[i], positions[j as usize]);
                if r2 < entry.cutoff * entry.cutoff {
                    let virial = r2 * entry.potential.force_over_distance(r2);
                    values.push([entry.potential.energy(r2), virial]);
                }
            }
        }
        values
    };
    (0..beads).map(row).collect()
}

/// The beads j > i that are not excluded.
fn partners(system: &System, i: usize) -> Vec<u32> {
    let excluded = &system.interactions.excluded;
    (i as u32 + 1..system.beads() as u32)
        .filter(|&j| excluded.binary_search(&(i, j as usize)).is_err())
        .collect()
}

fn add(values: impl IntoIterator<Item = [f64; 2]>) -> [f64; 2] {
    values.into_iter().fold([-0.0; 2], |[a, b], [x, y]| [a + x, b + y])
}

/// Both ways to the energies of a system have these sums of pairs.
#[track_caller]
fn assert_sums(system: &System, [pairs, virial]: [f64; 2]) {
    let positions = &system.particles.positions;
    let energies = system.energies_of_pairs(positions, |row| {
        (0..system.beads()).for_each(|i| row(i, &partners(system, i)));
    });
    assert!(energies.pairs > 0.0 && virial > 0.0 && virial.is_finite());
    assert_eq!(energies.pairs, pairs);
    assert_eq!(system.energies_and_virial(positions), (energies, Some(virial)));
}

/// Up to 1,024 beads energies and the virial are sums over all pairs, one after another.
#[test]
fn few_beads_add_pairs_in_ascending_order() {
    let system = fluid(1_024, 14.0);
    assert_sums(&system, add(rows(&system).into_iter().flatten()));
}

/// Of more beads, pairs of a bead add up first, then those of 256 beads, then all, on any number of threads.
#[test]
fn many_beads_add_rows_and_runs_in_ascending_order() {
    for (beads, side) in [(1_025, 14.0), (3_000, 20.0)] {
        let system = fluid(beads, side);
        let rows = rows(&system);
        let of_rows: Vec<[f64; 2]> = rows.iter().map(|row| add(row.iter().copied())).collect();
        let of_runs = of_rows.chunks(256).map(|run| add(run.iter().copied()));
        let by_runs = add(of_runs);
        assert_sums(&system, by_runs);
        // Else this would test nothing.
        assert_ne!(by_runs, add(rows.into_iter().flatten()));
    }
}
