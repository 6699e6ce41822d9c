//! Periodic boxes: forces by nearest images, exact sums, shifts and wraps, continuation, and physical laws.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Group, Instructions, Member};
use beadwork_model::externals::{External, Restrain};
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    DebyeHuckel, DpdConservative, DpdThermostat, FeneBond, HarmonicBond, HarmonicTrap,
    LennardJones, PairPotential,
};
use beadwork_model::{
    Boundary, Dynamics, ForceUnit, Integrator, Pair, ParticleType, Precision, Protocol, Single,
    Stage, StageKind, System,
};
use beadwork_simulation::{MemberState, Places, StepError};

use crate::boxed::{SIDES, at_random, calm, mixture, with_thermostat};
use crate::support::{choices, dynamics, protocol, stage};

/// The same without a boundary.
fn open(system: System) -> System {
    System { boundary: Boundary::Open, ..system }
}

fn every_case() -> impl Iterator<Item = (Integrator, Precision)> {
    Integrator::ALL.into_iter().flat_map(|one| Precision::ALL.map(|precision| (one, precision)))
}

fn paths() -> Vec<CpuPath> {
    let available = Instructions::ALL.into_iter().filter(|one| one.is_available());
    [CpuPath::Reference].into_iter().chain(available.map(CpuPath::PairSimd)).collect()
}

fn member_of(system: &Arc<System>, dynamics: Dynamics, replica: u64) -> Member {
    let protocol = Arc::new(protocol(dynamics, vec![stage(u64::MAX, vec![])]));
    Member::new(system.clone(), protocol, replica, &system.particles.positions)
}

fn places(member: &Member) -> Places {
    member.state().extra.places.unwrap()
}

/// r_i − r_j of the nearest of all images within one side.
fn nearest(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        let apart = a[axis] - b[axis];
        let images = (-3..=3).map(|sides| apart + f64::from(sides) * SIDES[axis]);
        images.fold(f64::INFINITY, |best, one| if one.abs() < best.abs() { one } else { best })
    })
}

fn add(forces: &mut [[f64; 3]], i: usize, j: usize, apart: [f64; 3], factor: f64) {
    for axis in 0..3 {
        forces[i][axis] += factor * apart[axis];
        forces[j][axis] -= factor * apart[axis];
    }
}

/// Forces of [`mixture`] by a double loop, without its angles.
fn plain_forces(system: &System, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let all = &system.interactions;
    let types = &system.particles.types;
    let mut forces = vec![[0.0; 3]; positions.len()];
    for i in 0..positions.len() {
        for j in i + 1..positions.len() {
            if all.excluded.contains(&(i, j)) {
                continue;
            }
            let apart = nearest(positions[i], positions[j]);
            let r2 = apart.iter().map(|x| x * x).sum::<f64>();
            let charged = all.pairs_by::<DebyeHuckel>().unwrap().between(types[i], types[j]);
            if r2 < charged.cutoff.powi(2) {
                add(&mut forces, i, j, apart, charged.potential.force_over_distance(r2));
            }
            let soft = all.pairs_by::<DpdConservative>().unwrap().between(types[i], types[j]);
            if r2 < soft.cutoff.powi(2) {
                add(&mut forces, i, j, apart, soft.potential.force_over_distance(r2));
            }
        }
    }
    for bond in all.bonded_by::<HarmonicBond>() {
        let apart = nearest(positions[bond.i], positions[bond.j]);
        let r = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
        let HarmonicBond { stiffness, length } = bond.potential;
        add(&mut forces, bond.i, bond.j, apart, -stiffness * (r - length) / r);
    }
    for single in all.singles_by::<HarmonicTrap>() {
        let HarmonicTrap { stiffness, centre } = single.potential;
        let apart = nearest(positions[single.bead], centre);
        for axis in 0..3 {
            forces[single.bead][axis] -= stiffness * apart[axis];
        }
    }
    forces
}

#[test]
fn forces_are_those_of_a_double_loop_over_nearest_images() {
    for beads in [60, 460] {
        // More beads than this are searched by cells.
        let mut system = if beads > 400 { dense(beads) } else { mixture(beads) };
        system.interactions.angles.clear();
        let system = Arc::new(system);
        let positions = &system.particles.positions;
        let expected = plain_forces(&system, positions);
        let unit = ForceUnit::of(&system).unit;
        let largest = expected.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(largest > 1.0);
        for precision in Precision::ALL {
            // Each of some fifty contributions is rounded to a unit; r² of a few loses some digits, which a
            // force of slope 100 multiplies.
            let rounding = if precision == Precision::Single { 2e-5 } else { 1e-12 };
            let bound = 60.0 * unit + rounding * largest;
            for path in paths() {
                let dynamics = calm((Integrator::Brownian, precision));
                let mut member = member_of(&system, dynamics, 0).with_path(path);
                let found = member.interaction_forces().unwrap();
                for (bead, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    for axis in 0..3 {
                        let error = (found[axis] - expected[axis]).abs();
                        assert!(error < bound, "bead {bead} of {beads}, {path:?}: {error:e}");
                    }
                }
            }
        }
    }
}

/// As [`mixture`], with beads closer together.
fn dense(beads: usize) -> System {
    let mixed = mixture(60);
    let mut system = at_random(beads, 0.35, 4);
    system.interactions = mixed.interactions.clone();
    system.interactions.bonded.clear();
    system.interactions.singles.clear();
    system
}

/// Bonds, angles and fields too: the force is minus the slope of the energy, here in f64 by central differences.
#[test]
fn forces_are_slopes_of_the_energy() {
    let system = Arc::new(mixture(60));
    let dynamics = calm((Integrator::Brownian, Precision::Double));
    let forces = member_of(&system, dynamics, 0).interaction_forces().unwrap();
    let width = 1e-5;
    for bead in 0..system.beads() {
        for axis in 0..3 {
            let energy = |shift: f64| {
                let mut positions = system.particles.positions.clone();
                positions[bead][axis] += shift;
                system.energies(&positions).total()
            };
            let slope = (energy(width) - energy(-width)) / (2.0 * width);
            // The third derivative is below 10⁴, and energies of some 10³ have 13 digits.
            let error = (forces[bead][axis] + slope).abs();
            assert!(error < 1e-5, "bead {bead}: {} {slope}", forces[bead][axis]);
        }
    }
}

#[test]
fn forces_without_fields_add_up_to_exactly_zero() {
    let mut system = mixture(60);
    system.interactions.singles.clear();
    let unit = ForceUnit::of(&system).unit;
    let system = Arc::new(system);
    for path in paths() {
        let dynamics = calm((Integrator::Brownian, Precision::Double));
        let mut member = member_of(&system, dynamics, 0).with_path(path);
        let forces = member.interaction_forces().unwrap();
        for axis in 0..3 {
            let whole = |force: &[f64; 3]| {
                let units = force[axis] / unit;
                // Every force is a whole number of units, below 2⁵³ here.
                assert!(units.fract() == 0.0 && units.abs() < 2.0_f64.powi(53));
                units as i128
            };
            assert_eq!(forces.iter().map(whole).sum::<i128>(), 0);
        }
        assert!(forces.iter().flatten().any(|force| force.abs() > 1.0));
    }
}

/// Positions whose fractions of the sides are exact: multiples of 2⁻²⁰ of them.
fn on_a_grid(system: &mut System) {
    for position in &mut system.particles.positions {
        for axis in 0..3 {
            let part = SIDES[axis] / 2.0_f64.powi(20);
            position[axis] = (position[axis] / part).round() * part;
        }
    }
}

#[test]
fn shifts_by_whole_sides_change_no_bit() {
    let mut system = mixture(60);
    on_a_grid(&mut system);
    let mut shifted = system.clone();
    let mut sides = choices(3, 7).map(|choice| choice as i32 - 3);
    let mut shifts = Vec::new();
    for position in &mut shifted.particles.positions {
        let shift = [(); 3].map(|()| sides.next().unwrap());
        (0..3).for_each(|axis| position[axis] += f64::from(shift[axis]) * SIDES[axis]);
        shifts.push(shift);
    }
    let [system, shifted] = [system, shifted].map(Arc::new);
    for case in every_case() {
        let [mut here, mut there] =
            [&system, &shifted].map(|system| member_of(system, calm(case), 1));
        for _ in 0..10 {
            here.advance(7).unwrap();
            there.advance(7).unwrap();
            let (here, there) = (places(&here), places(&there));
            assert_eq!(here.fractions, there.fractions, "{case:?}");
            for (bead, shift) in shifts.iter().enumerate() {
                let moved = [0, 1, 2].map(|axis| here.images[bead][axis] + shift[axis]);
                assert_eq!(there.images[bead], moved, "{case:?}");
            }
        }
    }
}

/// Without fields nothing marks the origin: a box that is moved by any exact fraction, so that other beads lie across its
/// faces, gives the same displacements to the bit.
#[test]
fn the_faces_of_a_box_change_no_bit() {
    let mut system = mixture(60);
    system.interactions.singles.clear();
    on_a_grid(&mut system);
    let system = Arc::new(system);
    let offset = [0x1234_5678_i64 << 32, 0x7fff_ffff << 32, -(0x2345_6789_i64 << 32)];
    for case in every_case() {
        let mut here = member_of(&system, calm(case), 2);
        let mut state = here.state();
        let moved = |at: [i64; 3]| [0, 1, 2].map(|axis| at[axis].wrapping_add(offset[axis]));
        for fractions in &mut state.extra.places.as_mut().unwrap().fractions {
            *fractions = moved(*fractions);
        }
        let protocol = Arc::new(here.protocol().clone());
        let mut there = Member::restore(system.clone(), protocol, 2, state);
        let mut crossed = false;
        for _ in 0..10 {
            here.advance(9).unwrap();
            there.advance(9).unwrap();
            let expected: Vec<_> = places(&here).fractions.into_iter().map(moved).collect();
            let there = places(&there);
            assert_eq!(there.fractions, expected, "{case:?}");
            crossed |= there.images != places(&here).images;
        }
        assert!(crossed, "{case:?}");
    }
}

/// Every integrator, at every step, alone and with the thermostat of pairs.
#[test]
fn an_interruption_at_every_step_changes_nothing() {
    let plain = Arc::new(mixture(40));
    let warm = Arc::new(with_thermostat(mixture(40)));
    for case in every_case() {
        let thermal = (case.0 == Integrator::VelocityVerlet).then_some(&warm);
        for system in [Some(&plain), thermal].into_iter().flatten() {
            let mut whole = member_of(system, calm(case), 5);
            let mut parts = whole.clone();
            for step in 0..60 {
                whole.advance(1).unwrap();
                parts.advance(1).unwrap();
                let state: MemberState = parts.state();
                assert_eq!(state.check(system, parts.protocol()), Ok(()));
                let protocol = Arc::new(parts.protocol().clone());
                parts = Member::restore(system.clone(), protocol, 5, state);
                assert_eq!(parts.state(), whole.state(), "{case:?}, step {step}");
            }
            assert!(places(&whole).images.iter().flatten().any(|&image| image != 0));
        }
    }
}

fn run(
    system: &Arc<System>,
    dynamics: Dynamics,
    replica: u64,
    path: CpuPath,
    threads: usize,
) -> MemberState {
    let mut member = member_of(system, dynamics, replica).with_path(path);
    member.set_threads(threads);
    let mut chunks = choices(replica, 30);
    let mut left = 50;
    while left > 0 {
        let chunk = chunks.next().unwrap().min(left);
        member.advance(chunk).unwrap();
        left -= chunk;
    }
    member.state()
}

/// Instructions, threads, skins (with lists by cells and of all pairs) and other members change no bit.
#[test]
fn every_path_gives_the_bits_of_the_reference_path() {
    let small = Arc::new(mixture(45));
    let one_term = |mut system: System| {
        system.interactions.pairs.truncate(1);
        Arc::new(system)
    };
    // More beads than one thread takes.
    let large = Arc::new(with_thermostat(dense(530)));
    let systems = [
        small,
        one_term(mixture(45)),
        Arc::new(with_thermostat(mixture(45))),
        one_term(with_thermostat(mixture(45))),
        large,
        Arc::new(open(with_thermostat(mixture(45)))),
        one_term(open(with_thermostat(dense(150)))),
    ];
    for (number, system) in systems.iter().enumerate() {
        let thermal = system.interactions.thermostat.is_some();
        for case in every_case().filter(|case| !thermal || case.0 == Integrator::VelocityVerlet) {
            let dynamics = calm(case);
            let expected = run(system, dynamics.clone(), 3, CpuPath::Reference, 1);
            let skins = [(0.3, 1), (0.05, 3), (2.0, 1)].into_iter().cycle();
            for (path, (skin, threads)) in paths().into_iter().zip(skins) {
                let dynamics = Dynamics { skin, ..dynamics.clone() };
                let found = run(system, dynamics, 3, path, threads);
                assert_eq!(found, expected, "system {number}, {case:?}, {path:?}, skin {skin}");
            }
        }
    }
}

/// From one cell a side to many, all beads at one point, types without beads, excluded pairs, and skins with which a list
/// serves one evaluation or all: none changes a bit, with any number of threads.
#[test]
fn cells_lists_and_threads_change_no_bit() {
    let sides = [[4.0, 4.0, 4.0], [4.5, 7.0, 9.0], [17.0, 6.1, 8.3], [4.0, 40.0, 4.0]];
    for (number, lengths) in sides.into_iter().enumerate() {
        let mut system = with_thermostat(at_random(530, 0.0, number as u64));
        system.boundary = Boundary::Periodic { lengths };
        let sizes = [0, 1, 2].map(|axis| lengths[axis] / SIDES[axis]);
        for at in &mut system.particles.positions {
            *at = [0, 1, 2].map(|axis| if number == 0 { 1.0 } else { at[axis] * sizes[axis] });
        }
        // The second of three types has no bead, and the largest cutoffs in two of the boxes.
        let last = if number % 2 == 0 { 1 } else { 2 };
        system.particles.types.iter_mut().for_each(|kind| *kind *= 2);
        system.types = ["a", "none", "b"].map(|name| ParticleType::new(name, 1.0)).to_vec();
        // Hundreds of beads at one point would fly apart beyond all limits with the usual forces.
        let (strength, friction) = if number == 0 { (0.05, 0.01) } else { (25.0, 4.5) };
        let soft = |a: usize, b: usize| {
            let cutoff = [0.8, 1.0, 2.0][a.max(b).min(last)];
            let potential = DpdConservative { strength, cutoff };
            PairEntry { potential, cutoff }
        };
        system.interactions.pairs = vec![PairTable::new(3, soft).into()];
        if let Some(thermostat) = &mut system.interactions.thermostat {
            let potential = DpdThermostat { friction, cutoff: 1.0 };
            let entry = PairEntry { potential, cutoff: 1.0 };
            thermostat.table = PairTable::new(3, |_, _| entry);
        }
        system.interactions.excluded = (0..529).step_by(7).map(|i| (i, i + 1)).collect();
        let system = Arc::new(system);
        for precision in Precision::ALL {
            let case = (Integrator::VelocityVerlet, precision);
            let dynamics = Dynamics { friction: 0.0, skin: 0.3, ..dynamics(case, 0.02) };
            let expected = run(&system, dynamics.clone(), 2, CpuPath::Reference, 1);
            for (skin, threads) in [(0.0, 1), (0.05, 3), (0.3, 2), (2.0, 2)] {
                let dynamics = Dynamics { skin, ..dynamics.clone() };
                let found = run(&system, dynamics, 2, CpuPath::best(), threads);
                assert_eq!(found, expected, "box {number}, {precision:?}, skin {skin}");
            }
        }
    }
}

#[test]
fn members_in_company_have_the_bits_that_they_have_alone() {
    let plain = Arc::new(mixture(40));
    let warm = Arc::new(with_thermostat(mixture(40)));
    let free = Arc::new(open(with_thermostat(mixture(40))));
    for case in every_case() {
        let thermal = case.0 == Integrator::VelocityVerlet;
        let thermal = [thermal.then_some(&warm), thermal.then_some(&free)];
        for system in [Some(&plain)].into_iter().chain(thermal).flatten() {
            for instructions in Instructions::ALL.into_iter().filter(|one| one.is_available()) {
                let mut group = Group::new(instructions);
                let width = group.width(case.1).min(5);
                let member = |replica| member_of(system, calm(case), replica);
                let mut members: Vec<Member> = (0..width as u64).map(member).collect();
                let mut expected = members.clone();
                for member in &mut expected {
                    *member = member.clone().with_path(CpuPath::Reference);
                    member.advance(60).unwrap();
                }
                for _ in 0..3 {
                    let mut all: Vec<_> = members.iter_mut().collect();
                    for outcome in group.advance(&mut all, 20) {
                        assert_eq!(outcome, Ok(20));
                    }
                }
                for (member, expected) in members.iter().zip(&expected) {
                    assert_eq!(member.state(), expected.state(), "{case:?} {instructions:?}");
                }
            }
        }
    }
}

/// Free beads that cross the box many times: the mean square displacement of unwrapped positions is 6 D t for any step.
#[test]
fn an_ideal_gas_diffuses_by_its_images() {
    let mut system = at_random(600, 0.0, 9);
    system.boundary = Boundary::Periodic { lengths: [1.0, 1.5, 2.0] };
    let system = Arc::new(system);
    for precision in Precision::ALL {
        let (timestep, steps) = (1e-3, 500);
        let dynamics = dynamics((Integrator::Brownian, precision), timestep);
        let mut member = member_of(&system, dynamics, 0);
        member.advance(steps).unwrap();
        let positions = member.positions();
        let start = &system.particles.positions;
        // In units of the variance 2 D t of an axis; D = 1.
        let variance = 2.0 * timestep * steps as f64;
        let square = |(at, from): (&[f64; 3], &[f64; 3])| {
            (0..3).map(|axis| (at[axis] - from[axis]).powi(2)).sum::<f64>() / variance
        };
        let sum: f64 = positions.iter().zip(start).map(square).sum();
        let count = 3.0 * system.beads() as f64;
        // The squares of n normal numbers have the mean n and the variance 2 n.
        assert!((sum - count).abs() < 4.0 * (2.0 * count).sqrt(), "{sum} {count}");
        assert!(places(&member).images.iter().flatten().any(|image| image.abs() >= 2));
    }
}

/// Without friction the energy of velocity Verlet oscillates by an amount in proportion to the square of the step.
#[test]
fn the_energy_error_grows_with_the_square_of_the_step() {
    let mut system = mixture(60);
    // Forces jump where charges pass their cutoff, and where a bead is half a side of the box away from the middle of a
    // field or of an angle.
    system.interactions.pairs.remove(0);
    system.interactions.angles.clear();
    system.interactions.singles.clear();
    let system = Arc::new(system);
    let spread = |timestep: f64| {
        let case = (Integrator::VelocityVerlet, Precision::Double);
        let dynamics = Dynamics { friction: 0.0, skin: 0.3, ..dynamics(case, timestep) };
        let mut member = member_of(&system, dynamics, 0);
        let energy = |member: &mut Member| {
            let velocities = member.state().extra.motion.unwrap().velocities;
            let masses = system.particles.types.iter().map(|&kind| f64::from(1 + kind));
            let square = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
            let twice: f64 = masses.zip(&velocities).map(|(mass, v)| mass * square(v)).sum();
            0.5 * twice + system.energies(&member.positions()).total()
        };
        let first = energy(&mut member);
        let mut sum = 0.0;
        let samples = 100;
        for _ in 0..samples {
            member.advance((0.02 / timestep).round() as u64).unwrap();
            sum += (energy(&mut member) - first).powi(2);
        }
        (sum / f64::from(samples)).sqrt()
    };
    let [coarse, fine] = [0.01, 0.005].map(spread);
    let ratio = coarse / fine;
    // 4 but for higher orders of the step, which is a thirtieth of the fastest period.
    assert!((3.5..4.5).contains(&ratio), "{coarse} {fine}");
}

/// Forces conserve the momentum exactly; velocities round it by half a last place a step.
#[test]
fn the_momentum_is_conserved() {
    let mut system = mixture(60);
    system.interactions.singles.clear();
    let system = Arc::new(with_thermostat(system));
    for (precision, epsilon) in [(Precision::Single, 6e-8), (Precision::Double, 1.2e-16)] {
        let steps = 400;
        let case = (Integrator::VelocityVerlet, precision);
        let mut member = member_of(&system, Dynamics { friction: 0.0, ..calm(case) }, 0);
        member.advance(steps).unwrap();
        let velocities = member.state().extra.motion.unwrap().velocities;
        for axis in 0..3 {
            let masses = system.particles.types.iter().map(|&kind| f64::from(1 + kind));
            let momentum: f64 = masses.zip(&velocities).map(|(mass, v)| mass * v[axis]).sum();
            // Each of two half kicks a step rounds a velocity of up to 4 and a kick, for beads of mass up to 2.
            let walk = (2.0 * 2.0 * system.beads() as f64 * steps as f64).sqrt();
            assert!(momentum.abs() < 5.0 * 2.0 * 4.0 * epsilon * walk, "{momentum:e}");
        }
    }
}

#[test]
fn forces_beyond_the_range_name_their_bead() {
    let mut system = at_random(30, 1.0, 5);
    system.particles.positions[17] = system.particles.positions[11];
    system.particles.positions[17][0] += 1e-3;
    let pair = LennardJones::cut(1.0, 1.0, 2.5);
    system.interactions.pairs =
        vec![PairTable::new(2, |_, _| PairEntry { potential: pair, cutoff: 2.5 }).into()];
    let limit = ForceUnit::of(&system).limit;
    let system = Arc::new(system);
    for case in every_case() {
        for path in paths() {
            let mut member = member_of(&system, calm(case), 0).with_path(path);
            let before = member.state();
            let failure = member.advance(5).unwrap_err();
            let expected = StepError::ForceTooLarge { bead: 11, limit };
            assert_eq!((failure.error, failure.step), (expected, 0), "{case:?} {path:?}");
            assert_eq!(member.state(), before);
        }
        let mut group = Group::new(Instructions::best());
        let mut members = [0, 1].map(|replica| member_of(&system, calm(case), replica));
        let mut all: Vec<_> = members.iter_mut().collect();
        for outcome in group.advance(&mut all, 5) {
            assert_eq!(outcome.unwrap_err().error, StepError::ForceTooLarge { bead: 11, limit });
        }
    }
}

/// A move of a quarter of a side is an error that names the bead; the member stays at its last sound state.
#[test]
fn moves_beyond_a_quarter_of_a_side_name_their_bead() {
    let mut system = at_random(40, 0.0, 6);
    // The shortest side is 8: a bead with a strong field alone moves too far.
    let potential = HarmonicTrap { stiffness: 10_000.0, centre: [0.0; 3] };
    system.particles.positions[23] = [3.0, 0.0, 0.0];
    system.interactions.singles = vec![vec![Single { bead: 23, potential }].into()];
    let system = Arc::new(system);
    for case in every_case() {
        let timestep = if case.0.has_velocities() { 0.05 } else { 1e-3 };
        let dynamics = Dynamics { skin: 0.3, ..dynamics(case, timestep) };
        for path in paths() {
            let mut member = member_of(&system, dynamics.clone(), 0).with_path(path);
            let before = member.state();
            let failure = member.advance(3).unwrap_err();
            assert_eq!(failure.error, StepError::MovedTooFar { bead: 23 }, "{case:?} {path:?}");
            let after = member.state();
            assert_eq!((after.positions, after.step), (before.positions, 0), "{case:?}");
            assert_eq!(after.extra.places, before.extra.places, "{case:?}");
        }
        let mut group = Group::new(Instructions::best());
        let mut members = [0, 1].map(|replica| member_of(&system, dynamics.clone(), replica));
        let mut all: Vec<_> = members.iter_mut().collect();
        for outcome in group.advance(&mut all, 3) {
            assert_eq!(outcome.unwrap_err().error, StepError::MovedTooFar { bead: 23 });
        }
    }
}

/// A bond that breaks is found one step later, when its bead may have crossed a face: images go back with positions.
#[test]
fn a_broken_bond_restores_the_images() {
    let mut system = at_random(4, 0.0, 7);
    system.particles.positions = vec![[3.9, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0; 3], [0.0, 3.0, 0.0]];
    let potential = FeneBond { stiffness: 1.0, limit: 0.3, length: 0.9 };
    system.interactions.bonded = vec![vec![Pair { i: 0, j: 1, potential }].into()];
    let system = Arc::new(system);
    for precision in Precision::ALL {
        let dynamics = dynamics((Integrator::Brownian, precision), 0.01);
        for path in paths() {
            let mut member = member_of(&system, dynamics.clone(), 0).with_path(path);
            let failure = member.advance(10_000).unwrap_err();
            assert!(matches!(failure.error, StepError::BrokenBond { i: 0, j: 1, .. }));
            let state = member.state();
            let mut again = member_of(&system, dynamics.clone(), 0);
            again.advance(state.step).unwrap();
            assert_eq!(again.state().extra.places, state.extra.places);
        }
    }
}

/// FIRE in a box finds a minimum across the faces.
#[test]
fn minimisation_moves_across_faces() {
    let mut system = mixture(60);
    // Opposite charges without a hard core have no minimum.
    system.interactions.pairs.remove(0);
    let system = Arc::new(system);
    let kind = StageKind::Minimise { tolerance: 1e-3, steps: 4_000, push_off: 0 };
    let stages = vec![Stage { kind, ..stage(0, vec![]) }];
    let dynamics = calm((Integrator::Brownian, Precision::Double));
    let protocol = Arc::new(protocol(dynamics, stages));
    let start = &system.particles.positions;
    let mut member = Member::new(system.clone(), protocol, 0, start);
    member.advance(4_000).unwrap();
    assert_eq!(member.remaining(), 0);
    assert!(system.energies(&member.positions()).total() < system.energies(start).total() - 10.0);
    assert!(member.state().step < 4_000);
}

#[test]
fn what_does_not_fit_a_box_is_refused() {
    let case = (Integrator::Brownian, Precision::Single);
    let usual = protocol(calm(case), vec![stage(1, vec![])]);
    let fits = |system: &System, protocol: &Protocol| system.problem_with(protocol);
    let system = mixture(40);
    assert_eq!(fits(&system, &usual), None);
    let in_box = |lengths| System { boundary: Boundary::Periodic { lengths }, ..system.clone() };
    let problem = fits(&in_box([8.0, 6.9, 9.0]), &usual).unwrap();
    assert!(
        problem.contains("along y is 6.9, less than twice the largest cutoff, 3.5"),
        "{problem}"
    );
    let problem = fits(&in_box([8.0, 9.0, 0.0]), &usual).unwrap();
    assert!(problem.contains("along z is 0: give a positive length"), "{problem}");
    let mut bonded = at_random(4, 0.0, 7);
    let potential = HarmonicBond { stiffness: 1.0, length: 4.0 };
    bonded.interactions.bonded = vec![vec![Pair { i: 0, j: 2, potential }].into()];
    let problem = fits(&bonded, &usual).unwrap();
    assert!(problem.contains("not more than twice the length 4 of the bond"), "{problem}");
    let restrain = External::Restrain(Restrain { beads: vec![0], stiffness: 1.0 });
    let driven = protocol(calm(case), vec![stage(1, vec![restrain])]);
    assert!(fits(&system, &driven).unwrap().contains("has drives, which need open space"));
    let problem = fits(&with_thermostat(system), &usual).unwrap();
    assert_eq!(
        problem,
        "a pair thermostat needs the integrator \"velocity-verlet\", not \"brownian\""
    );
}
