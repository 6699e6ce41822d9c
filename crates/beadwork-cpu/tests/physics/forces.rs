//! Forces are slopes of energies, and agree in both precisions and with any neighbour list.

use std::sync::Arc;

use beadwork_cpu::reference::Forces;
use beadwork_cpu::{CpuPath, Instructions, Member};
use beadwork_model::observables::Observable;
use beadwork_model::potentials::angle::{AngleFormula, AngleVisitor};
use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::potentials::single::{SingleFormula, SingleVisitor};
use beadwork_model::potentials::{
    CosineSquaredAngle, FeneBond, HarmonicBond, HarmonicTrap, LennardJones, NativeContact,
    SixthPowerRepulsion,
};
use beadwork_model::{
    Angle, Angles, Dynamics, Integrator, Interactions, Pair, Pairs, Precision, Single, Singles,
    System,
};
use beadwork_random::Normal;
use beadwork_simulation::MemberState;

use crate::everything::everything_and_types;
use crate::order::{apart, pair_forces};
use crate::support::{
    CASES, coordinates, helix, member, protocol, shaken, sop_dynamics, stage, system,
};

/// Forces in either precision, at positions that both represent exactly.
fn forces<T: Normal>(system: &Arc<System>, positions: &[[f64; 3]], skin: f64) -> Vec<[f64; 3]> {
    let positions: Vec<[T; 3]> = positions.iter().map(|p| p.map(T::from_f64)).collect();
    let mut forces = vec![[T::zero(); 3]; positions.len()];
    Forces::new(system, skin).evaluate(&positions, &mut forces).unwrap();
    forces.into_iter().map(|force| force.map(|component| component.to_f64())).collect()
}

/// A helix with every term of SOP, harmonic bonds (one without length), and traps.
fn every_term() -> Arc<System> {
    let mut system = helix(14);
    *system.interactions.bonded_by_mut() = vec![
        Pair { i: 0, j: 9, potential: HarmonicBond { stiffness: 0.7, length: 8.0 } },
        Pair { i: 3, j: 13, potential: HarmonicBond { stiffness: 0.2, length: 0.0 } },
    ];
    let trap = |bead, stiffness| Single {
        bead,
        potential: HarmonicTrap { stiffness, centre: [1.0, -2.0, 3.0] },
    };
    system.interactions.singles = vec![vec![trap(2, 0.5), trap(7, 0.1)].into()];
    Arc::new(system)
}

/// A system with types of beads and several pair terms and angles; no field acts on its beads.
fn free_with_types() -> Arc<System> {
    let mut system = everything_and_types();
    system.interactions.singles.clear();
    Arc::new(system)
}

/// A central difference with step δ = 1e-5 Å is wrong by δ² V‴/6, some 1e-7 where a FENE bond is
/// stretched by an Å, and by rounding, 1e-16 · 100/δ = 1e-9.
#[test]
fn forces_are_minus_the_gradient_of_the_energy() {
    for system in [every_term(), Arc::new(everything_and_types())] {
        for seed in 0..5 {
            assert_forces_are_slopes(&system, seed);
        }
    }
}

fn assert_forces_are_slopes(system: &Arc<System>, seed: u64) {
    let step = 1e-5;
    let positions = shaken(&system.particles.positions, 0.15, seed);
    let analytic = forces::<f64>(system, &positions, 1.0);
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

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn square(a: [f64; 3]) -> f64 {
    dot(a, a)
}

/// Forces of an angle from its cosine c: −V′(c) ∂c/∂r of the outer beads, across their arms.
fn angle_forces<F: AngleFormula>(angle: &Angle<F>, positions: &[[f64; 3]]) -> [[f64; 3]; 3] {
    let [i, j, k] = angle.beads;
    let [a, b] = [i, k].map(|bead| apart(positions, bead, j));
    let [long_a, long_b] = [a, b].map(|arm| square(arm).sqrt());
    let [unit_a, unit_b] = [(a, long_a), (b, long_b)].map(|(arm, long)| arm.map(|c| c / long));
    let cosine = dot(unit_a, unit_b);
    let pull = -angle.potential.slope(cosine);
    let across = |along: [f64; 3], other: [f64; 3], long: f64| {
        [0, 1, 2].map(|axis| pull * (other[axis] - cosine * along[axis]) / long)
    };
    let (on_i, on_k) = (across(unit_a, unit_b, long_a), across(unit_b, unit_a, long_b));
    [on_i, [0, 1, 2].map(|axis| -on_i[axis] - on_k[axis]), on_k]
}

/// The forces of a term, with its entries in reverse order.
struct Backwards<'a>(&'a [[f64; 3]]);

impl AngleVisitor for Backwards<'_> {
    type Output = Vec<(usize, [f64; 3])>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        let forces = |angle: &Angle<F>| angle.beads.into_iter().zip(angle_forces(angle, self.0));
        term.iter().rev().flat_map(forces).collect()
    }
}

impl SingleVisitor for Backwards<'_> {
    type Output = Vec<(usize, [f64; 3])>;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> Self::Output {
        let force = |single: &Single<F>| (single.bead, single.potential.force(self.0[single.bead]));
        term.iter().rev().map(force).collect()
    }
}

/// Forces in f64 with each bead's terms added in reverse order: an independent sum, which differs from the engine's
/// only by rounding.
fn forces_backwards(system: &System, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let all = &system.interactions;
    let mut forces = vec![[0.0; 3]; positions.len()];
    let mut add = |bead: usize, force: [f64; 3]| {
        for axis in 0..3 {
            forces[bead][axis] += force[axis];
        }
    };
    let singles = all.singles.iter().rev().flat_map(|term| term.visit(Backwards(positions)));
    let angles = all.angles.iter().rev().flat_map(|term| term.visit(Backwards(positions)));
    singles.chain(angles).for_each(|(bead, force)| add(bead, force));
    for (i, j, force) in pair_forces(system, positions).into_iter().rev() {
        add(i, force);
        add(j, force.map(|component| -component));
    }
    forces
}

/// The largest error of a bead's force, over the root mean square of the forces, in 1,000 thermal
/// configurations: 5e-6 in single and 1e-12 in double precision, by every set of instructions.
#[test]
fn forces_of_every_bead_are_within_five_millionths_in_single_and_a_billionth_of_that_in_double() {
    assert_forces_are_exact(&Arc::new(helix(40)));
    assert_forces_are_exact(&Arc::new(everything_and_types()));
}

fn assert_forces_are_exact(system: &Arc<System>) {
    let mut run = member(system, sop_dynamics(CASES[0]), vec![], 1);
    let paths: Vec<CpuPath> = Instructions::ALL
        .into_iter()
        .filter(|instructions| instructions.is_available())
        .map(CpuPath::PairSimd)
        .chain([CpuPath::Reference])
        .collect();
    let mut worst = [0.0_f64; 2];
    for configuration in 0..1000 {
        run.advance(20).unwrap();
        // Positions of an f32 trajectory, which both precisions represent exactly.
        let positions = run.positions();
        let expected = forces_backwards(system, &positions);
        let size = expected.iter().map(|&force| square(force)).sum::<f64>();
        let size = (size / expected.len() as f64).sqrt();
        let path = paths[configuration % paths.len()];
        for (number, case) in CASES[..2].iter().enumerate() {
            let mut here = member(system, sop_dynamics(*case), vec![], 1);
            let state = MemberState { positions: positions.clone(), ..here.state() };
            let protocol = Arc::new(protocol(sop_dynamics(*case), vec![stage(1, vec![])]));
            here = Member::restore(system.clone(), protocol, 0, state).with_path(path);
            let found = here.interaction_forces().unwrap();
            for (a, b) in found.iter().zip(&expected) {
                let error = square([0, 1, 2].map(|axis| a[axis] - b[axis])).sqrt();
                worst[number] = worst[number].max(error / size);
            }
        }
    }
    let [single, double] = worst;
    assert!(single < 5e-6 && double < 1e-12, "{worst:?}");
    // Errors of zero would mean that nothing was computed.
    assert!(single > 1e-8 && double > 1e-17, "{worst:?}");
}

#[test]
fn trajectories_do_not_depend_on_the_skin() {
    for system in [Arc::new(helix(40)), Arc::new(everything_and_types())] {
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
}

/// 11.2² rounded to f32 is more than the square of 11.2 rounded to f32: a pair at a squared distance between the two is
/// within the cutoff, and must be found even without a skin.
#[test]
fn a_pair_at_the_cutoff_is_found_without_a_skin() {
    let cutoff = (0..1_000)
        .map(|tenth| 11.0 + f64::from(tenth) / 10.0)
        .find(|&cutoff| (cutoff as f32) * (cutoff as f32) < (cutoff * cutoff) as f32)
        .unwrap();
    let potential = SixthPowerRepulsion { strength: 1.0, diameter: 3.8 };
    let pairs = vec![PairTable::of_one_type(potential, cutoff).into()];
    let positions = vec![[0.0; 3], [f64::from(cutoff as f32), 0.0, 0.0]];
    let system = system(positions.clone(), Interactions { pairs, ..Interactions::default() });
    let with_skin = forces::<f32>(&system, &positions, 2.0);
    assert_ne!(with_skin[0], [0.0; 3], "{cutoff}");
    assert_eq!(forces::<f32>(&system, &positions, 0.0), with_skin, "{cutoff}");
}

/// Tests every potential between two beads, one at a time, where sums cannot cancel by chance; then several at once.
#[test]
fn forces_of_pairs_are_opposite_to_the_bit() {
    fn bonded<F>(potential: F) -> Interactions
    where
        BondedTerm: From<Pairs<F>>,
    {
        let term = vec![Pair { i: 0, j: 1, potential }].into();
        Interactions { bonded: vec![term], ..Interactions::default() }
    }
    let repulsion = SixthPowerRepulsion { strength: 1.0, diameter: 3.8 };
    let repulsion = PairTable::of_one_type(repulsion, 20.0);
    let attraction = LennardJones::shifted(0.7, 3.4, 9.0);
    let attraction = PairTable::of_one_type(attraction, 9.0);
    let pairs = |pairs| Interactions { pairs, ..Interactions::default() };
    let fene = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };
    let both = vec![repulsion.clone().into(), attraction.clone().into()];
    for interactions in [
        bonded(fene),
        bonded(HarmonicBond { stiffness: 1.7, length: 2.9 }),
        bonded(NativeContact { depth: 1.5, length: 5.1 }),
        pairs(vec![repulsion.into()]),
        pairs(vec![attraction.into()]),
        Interactions { pairs: both, ..bonded(fene) },
    ] {
        let system = system(vec![[0.0; 3]; 2], interactions);
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

/// The force on the middle bead is the opposite of the sum of the others, rounded once.
#[test]
fn the_forces_of_an_angle_cancel_to_the_bit() {
    let potential = CosineSquaredAngle { stiffness: 3.0, cosine: -0.4 };
    let angles = vec![vec![Angle { beads: [2, 0, 1], potential }].into()];
    let interactions = Interactions { angles, ..Interactions::default() };
    let system = system(vec![[0.0; 3]; 3], interactions);
    for seed in 0..200 {
        let start = [[10.1, -3.3, 7.7], [12.3, -1.1, 9.9], [9.0, -0.2, 6.1]];
        let positions = shaken(&start, 0.3, seed);
        let double = forces::<f64>(&system, &positions, 1.0);
        let single = forces::<f32>(&system, &positions, 1.0);
        for axis in 0..3 {
            assert_ne!(double[0][axis], 0.0);
            assert_eq!(double[0][axis], -(double[2][axis] + double[1][axis]));
            let [middle, one, other] = [0, 1, 2].map(|bead: usize| single[bead][axis] as f32);
            assert_eq!(middle, -(other + one));
        }
    }
}

/// In a chain the sums of a bead are rounded, so the total is zero only up to this rounding: each of its n additions by
/// half a unit of the largest partial sum.
#[test]
fn the_forces_of_a_chain_cancel_up_to_rounding() {
    assert_forces_cancel(&Arc::new(helix(40)));
    assert_forces_cancel(&free_with_types());
}

fn assert_forces_cancel(system: &Arc<System>) {
    let positions = shaken(&system.particles.positions, 0.15, 3);
    for (forces, epsilon) in [
        (forces::<f64>(system, &positions, 1.0), f64::EPSILON),
        (forces::<f32>(system, &positions, 1.0), f64::from(f32::EPSILON)),
    ] {
        // No bead has more than 39 partners and angles, no partial sum exceeds 200 kcal/(mol Å).
        let bound = 40.0 * 39.0 * 0.5 * epsilon * 200.0;
        for axis in 0..3 {
            let sum: f64 = forces.iter().map(|force| force[axis]).sum();
            assert!(sum.abs() < bound, "{sum:e} of {bound:e}");
        }
        assert!(forces.iter().flatten().all(|component| component.abs() < 200.0));
    }
}

/// Without noise the centre of a free chain does not move while the chain relaxes.
#[test]
fn a_relaxing_chain_keeps_its_centre() {
    for system in [Arc::new(helix(30)), free_with_types()] {
        for integrator in Integrator::OVERDAMPED {
            assert_keeps_its_centre(&system, integrator);
        }
    }
}

fn assert_keeps_its_centre(system: &Arc<System>, integrator: Integrator) {
    let dynamics = Dynamics { temperature: 0.0, ..sop_dynamics((integrator, Precision::Double)) };
    let start = shaken(&system.particles.positions, 0.2, 9);
    let protocol = Arc::new(protocol(dynamics, vec![stage(2_000, vec![])]));
    let mut run = Member::new(system.clone(), protocol, 0, &start);
    run.advance(2_000).unwrap();
    let end = run.positions();
    for axis in 0..3 {
        let shift: f64 = (0..start.len()).map(|bead| end[bead][axis] - start[bead][axis]).sum();
        // 2,000 steps of 31 positions at most, below 50 Å, each rounded once.
        assert!(shift.abs() < 2_000.0 * 31.0 * 50.0 * f64::EPSILON, "{shift:e}");
    }
    assert!(system.energies(&end).total() < system.energies(&start).total() - 5.0);
}

#[test]
fn a_measured_energy_includes_all_pairs() {
    for system in [every_term(), Arc::new(everything_and_types())] {
        for case in CASES {
            for path in [CpuPath::Reference, CpuPath::best()] {
                let mut run = member(&system, sop_dynamics(case), vec![], 2).with_path(path);
                assert_energies(&system, &mut run);
            }
        }
    }
}

fn assert_energies(system: &System, run: &mut Member) {
    for _ in 0..50 {
        run.advance(37).unwrap();
        let measured = run.measure().unwrap();
        let energies = system.energies(&run.positions());
        for (observable, expected) in [
            (Observable::BondEnergy, energies.bonds),
            (Observable::ContactEnergy, energies.contacts),
            (Observable::RepulsionEnergy, energies.pairs),
            (Observable::TrapEnergy, energies.singles),
            (Observable::TotalEnergy, energies.total()),
        ] {
            assert_eq!(measured.get(observable), Some(expected), "{observable:?}");
        }
    }
}
