//! Forces are slopes of energies, the same in either precision and with any neighbour list.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Forces, Instructions, Member, MemberState, NeighbourList};
use beadwork_model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, NativeContact, PairPotential, SixthPowerRepulsion,
};
use beadwork_model::{
    Dynamics, Integrator, Interactions, Pair, Precision, Repulsion, System, Trap,
};
use beadwork_random::Normal;

use crate::support::{
    CASES, coordinates, helix, member, protocol, shaken, sop_dynamics, stage, system,
};

/// Forces in either precision, at positions that both can hold.
fn forces<T: Normal>(system: &System, positions: &[[f64; 3]], skin: f64) -> Vec<[f64; 3]> {
    let (cutoff, excluded) = match &system.interactions.repulsion {
        Some(repulsion) => (repulsion.cutoff, repulsion.excluded.as_slice()),
        None => (0.0, [].as_slice()),
    };
    let mut neighbours = NeighbourList::<T>::new(positions.len(), cutoff, skin, excluded);
    let positions: Vec<[T; 3]> = positions.iter().map(|p| p.map(T::from_f64)).collect();
    let mut forces = vec![[T::zero(); 3]; positions.len()];
    Forces::<T>::new(system).evaluate(&positions, &mut neighbours, &mut forces).unwrap();
    forces.into_iter().map(|force| force.map(|component| component.to_f64())).collect()
}

/// A helix with every term: SOP, harmonic bonds (one without length), and traps.
fn every_term() -> System {
    let mut system = helix(14);
    system.interactions.harmonic_bonds = vec![
        Pair { i: 0, j: 9, potential: HarmonicBond { stiffness: 0.7, length: 8.0 } },
        Pair { i: 3, j: 13, potential: HarmonicBond { stiffness: 0.2, length: 0.0 } },
    ];
    let trap = |bead, stiffness| Trap {
        bead,
        potential: HarmonicTrap { stiffness, centre: [1.0, -2.0, 3.0] },
    };
    system.interactions.harmonic_traps = vec![trap(2, 0.5), trap(7, 0.1)];
    system
}

/// A central difference with step δ = 1e-5 Å is wrong by δ² V‴/6, some 1e-7 where a FENE bond is
/// stretched by an Å, and by rounding, 1e-16 · 100/δ = 1e-9.
#[test]
fn forces_are_minus_the_gradient_of_the_energy() {
    let system = every_term();
    let step = 1e-5;
    for seed in 0..5 {
        let positions = shaken(&system.particles.positions, 0.15, seed);
        let analytic = forces::<f64>(&system, &positions, 1.0);
        for bead in 0..positions.len() {
            for axis in 0..3 {
                let energy = |shift: f64| {
                    let mut moved = positions.clone();
                    moved[bead][axis] += shift;
                    system.energies(&moved).total()
                };
                let slope = (energy(step) - energy(-step)) / (2.0 * step);
                let force = analytic[bead][axis];
                assert!(
                    (force + slope).abs() < 1e-6 * slope.abs().max(1.0),
                    "seed {seed}, bead {bead}, axis {axis}: {force} and {}",
                    -slope
                );
            }
        }
    }
}

/// Forces in f64 with each bead's terms added the other way round: an independent sum, from which
/// rounding alone separates the engine's.
fn forces_backwards(system: &System, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let all = &system.interactions;
    let mut terms: Vec<(usize, usize, f64)> = Vec::new();
    let apart = |i: usize, j: usize| [0, 1, 2].map(|axis| positions[i][axis] - positions[j][axis]);
    let square = |i: usize, j: usize| apart(i, j).iter().map(|c| c * c).sum::<f64>();
    for bond in &all.fene_bonds {
        let factor = bond.potential.force_over_distance(square(bond.i, bond.j));
        terms.push((bond.i, bond.j, factor));
    }
    for contact in &all.native_contacts {
        let factor = contact.potential.force_over_distance(square(contact.i, contact.j));
        terms.push((contact.i, contact.j, factor));
    }
    let repulsion = all.repulsion.as_ref().unwrap();
    for i in 0..positions.len() {
        for j in i + 1..positions.len() {
            let r2 = square(i, j);
            if r2 < repulsion.cutoff.powi(2) && !repulsion.excluded.contains(&(i, j)) {
                terms.push((i, j, repulsion.potential.force_over_distance(r2)));
            }
        }
    }
    let mut forces = vec![[0.0; 3]; positions.len()];
    for (i, j, factor) in terms.into_iter().rev() {
        for (axis, component) in apart(i, j).into_iter().enumerate() {
            forces[i][axis] += factor * component;
            forces[j][axis] -= factor * component;
        }
    }
    forces
}

/// The largest error of a bead's force, over the root mean square of the forces, in 1,000 thermal
/// configurations: 5e-6 in single and 1e-12 in double precision, by every set of instructions.
#[test]
fn forces_of_every_bead_are_within_five_millionths_in_single_and_a_billionth_of_that_in_double() {
    let system = Arc::new(helix(40));
    let mut run = member(&system, sop_dynamics(CASES[0]), vec![], 1);
    let ways: Vec<CpuPath> = Instructions::ALL
        .into_iter()
        .filter(|instructions| instructions.is_available())
        .map(CpuPath::PairSimd)
        .chain([CpuPath::Reference])
        .collect();
    let mut worst = [0.0_f64; 2];
    for configuration in 0..1000 {
        run.advance(20).unwrap();
        // Of an f32 trajectory, so that both precisions see the same places.
        let positions = run.positions();
        let expected = forces_backwards(&system, &positions);
        let square = |force: [f64; 3]| force.iter().map(|c| c * c).sum::<f64>();
        let size = expected.iter().map(|&force| square(force)).sum::<f64>();
        let size = (size / expected.len() as f64).sqrt();
        let way = ways[configuration % ways.len()];
        for (number, case) in CASES[..2].iter().enumerate() {
            let mut here = member(&system, sop_dynamics(*case), vec![], 1);
            let state = MemberState { positions: positions.clone(), ..here.state() };
            let protocol = Arc::new(protocol(sop_dynamics(*case), vec![stage(1, vec![])]));
            here = Member::restore(system.clone(), protocol, 0, state).with_path(way);
            let found = here.interaction_forces().unwrap();
            for (a, b) in found.iter().zip(&expected) {
                let error = square([0, 1, 2].map(|axis| a[axis] - b[axis])).sqrt();
                worst[number] = worst[number].max(error / size);
            }
        }
    }
    let [single, double] = worst;
    assert!(single < 5e-6 && double < 1e-12, "{worst:?}");
    // Were they nothing, nothing would have been computed.
    assert!(single > 1e-8 && double > 1e-17, "{worst:?}");
}

#[test]
fn skins_cannot_be_seen_in_a_trajectory() {
    let system = Arc::new(helix(40));
    for case in CASES {
        let run = |skin: f64| {
            let dynamics = Dynamics { skin, ..sop_dynamics(case) };
            let mut run = member(&system, dynamics, vec![], 5);
            run.advance(3_000).unwrap();
            coordinates(&run)
        };
        let reference = run(2.0);
        for skin in [0.5, 6.0, 100.0] {
            assert_eq!(run(skin), reference, "{case:?}, skin {skin}");
        }
    }
}

/// 11.2² rounded to f32 is more than the square of 11.2 rounded to f32: a pair just between is
/// within the cutoff and must be found without any skin too.
#[test]
fn a_pair_at_the_cutoff_is_found_without_a_skin() {
    let cutoff = (0..1_000)
        .map(|tenth| 11.0 + f64::from(tenth) / 10.0)
        .find(|&cutoff| (cutoff as f32) * (cutoff as f32) < (cutoff * cutoff) as f32)
        .unwrap();
    let potential = SixthPowerRepulsion { strength: 1.0, diameter: 3.8 };
    let repulsion = Some(Repulsion { potential, cutoff, excluded: vec![] });
    let positions = vec![[0.0; 3], [f64::from(cutoff as f32), 0.0, 0.0]];
    let system = system(positions.clone(), Interactions { repulsion, ..Interactions::default() });
    let with_skin = forces::<f32>(&system, &positions, 2.0);
    assert_ne!(with_skin[0], [0.0; 3], "{cutoff}");
    assert_eq!(forces::<f32>(&system, &positions, 0.0), with_skin, "{cutoff}");
}

/// Every potential between two beads, one at a time, in places where sums cannot cancel by luck.
#[test]
fn what_acts_on_one_bead_acts_back_to_the_bit() {
    let pair = |interactions: Interactions| system(vec![[0.0; 3]; 2], interactions);
    let systems = [
        pair(Interactions {
            fene_bonds: vec![Pair {
                i: 0,
                j: 1,
                potential: FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 },
            }],
            ..Interactions::default()
        }),
        pair(Interactions {
            harmonic_bonds: vec![Pair {
                i: 0,
                j: 1,
                potential: HarmonicBond { stiffness: 1.7, length: 2.9 },
            }],
            ..Interactions::default()
        }),
        pair(Interactions {
            native_contacts: vec![Pair {
                i: 0,
                j: 1,
                potential: NativeContact { depth: 1.5, length: 5.1 },
            }],
            ..Interactions::default()
        }),
        pair(Interactions {
            repulsion: Some(Repulsion {
                potential: SixthPowerRepulsion { strength: 1.0, diameter: 3.8 },
                cutoff: 20.0,
                excluded: vec![],
            }),
            ..Interactions::default()
        }),
    ];
    for system in systems {
        for seed in 0..200 {
            let positions = shaken(&[[10.1, -3.3, 7.7], [12.3, -1.1, 9.9]], 0.3, seed);
            for forces in
                [forces::<f64>(&system, &positions, 1.0), forces::<f32>(&system, &positions, 1.0)]
            {
                assert_ne!(forces[0], [0.0; 3]);
                assert_eq!(forces[0], forces[1].map(|component| -component));
            }
        }
    }
}

/// In a chain the sums of a bead are rounded, so that the whole cancels up to that: each of its
/// n additions by half a unit of the largest partial sum.
#[test]
fn the_forces_of_a_chain_cancel_up_to_rounding() {
    let system = helix(40);
    let positions = shaken(&system.particles.positions, 0.15, 3);
    for (forces, epsilon) in [
        (forces::<f64>(&system, &positions, 1.0), f64::EPSILON),
        (forces::<f32>(&system, &positions, 1.0), f64::from(f32::EPSILON)),
    ] {
        // No bead has more than 39 partners, no partial sum exceeds 200 kcal/(mol Å).
        let bound = 40.0 * 39.0 * 0.5 * epsilon * 200.0;
        for axis in 0..3 {
            let sum: f64 = forces.iter().map(|force| force[axis]).sum();
            assert!(sum.abs() < bound, "{sum:e} of {bound:e}");
        }
        assert!(forces.iter().flatten().all(|component| component.abs() < 200.0));
    }
}

/// Without noise the centre of a free chain stays where it is, though the chain relaxes.
#[test]
fn a_relaxing_chain_keeps_its_centre() {
    let system = Arc::new(helix(30));
    for integrator in Integrator::ALL {
        let dynamics =
            Dynamics { temperature: 0.0, ..sop_dynamics((integrator, Precision::Double)) };
        let start = shaken(&system.particles.positions, 0.2, 9);
        let protocol = Arc::new(protocol(dynamics, vec![stage(2_000, vec![])]));
        let mut run = Member::new(system.clone(), protocol, 0, &start);
        run.advance(2_000).unwrap();
        let end = run.positions();
        for axis in 0..3 {
            let shift: f64 = (0..30).map(|bead| end[bead][axis] - start[bead][axis]).sum();
            // 2,000 steps of 30 positions below 50 Å, each rounded once.
            assert!(shift.abs() < 2_000.0 * 30.0 * 50.0 * f64::EPSILON, "{shift:e}");
        }
        assert!(system.energies(&end).total() < system.energies(&start).total() - 5.0);
    }
}

#[test]
fn a_measured_energy_is_that_of_all_pairs() {
    use beadwork_model::observables::Observable;
    let system = Arc::new(every_term());
    for case in CASES {
        let mut run = member(&system, sop_dynamics(case), vec![], 2);
        for _ in 0..50 {
            run.advance(37).unwrap();
            let measured = run.measure().unwrap();
            let energies = system.energies(&run.positions());
            for (observable, expected) in [
                (Observable::BondEnergy, energies.bonds),
                (Observable::ContactEnergy, energies.native_contacts),
                (Observable::RepulsionEnergy, energies.repulsion),
                (Observable::TrapEnergy, energies.traps),
                (Observable::TotalEnergy, energies.total()),
            ] {
                assert_eq!(measured.get(observable), Some(expected), "{case:?} {observable:?}");
            }
        }
    }
}
