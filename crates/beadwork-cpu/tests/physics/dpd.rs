//! Dissipative particle dynamics: the force of the pair thermostat, its noise, and the temperature of a small fluid.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    DpdConservative, DpdThermostat, PairNoise, PairPotential, PairThermostat,
};
use beadwork_model::{
    Boundary, Distribution, Dynamics, Generator, Integrator, ParticleType, Particles, Precision,
    Protocol, Randomness, Scheme, System, Units,
};
use beadwork_random::{Owner, PairStream, box_muller, symmetric_uniform, uniform_f64};
use beadwork_structure::Label;

use crate::boxed::uniform;
use crate::support::{dynamics, protocol, stage};

/// Groot and Warren's fluid: three beads in a unit of volume, repulsion 25, friction 4.5.
fn fluid(beads: usize, noise: PairNoise) -> System {
    let side = (beads as f64 / 3.0).cbrt();
    let mut next = uniform(12);
    let positions = (0..beads).map(|_| [(); 3].map(|()| (next() - 0.5) * side)).collect();
    let particles = Particles::of_one_type(vec![Label::default(); beads], positions);
    let mut system = System {
        particles,
        types: vec![ParticleType::new("bead", 1.0)],
        boundary: Boundary::Periodic { lengths: [side; 3] },
        units: Units::Reduced,
        ..System::default()
    };
    let soft = DpdConservative { strength: 25.0, cutoff: 1.0 };
    system.interactions.pairs = vec![PairTable::of_one_type(soft, 1.0).into()];
    let thermostat = PairThermostat::of_one_type(4.5, 1.0);
    system.interactions.thermostat = Some(PairThermostat { noise, ..thermostat });
    system
}

fn verlet(precision: Precision, timestep: f64) -> Dynamics {
    let case = (Integrator::VelocityVerlet, precision);
    Dynamics { friction: 0.0, skin: 0.2, ..dynamics(case, timestep) }
}

fn member(system: &Arc<System>, dynamics: Dynamics, randomness: Randomness) -> Member {
    let protocol = protocol(dynamics, vec![stage(u64::MAX, vec![])]);
    let protocol = Protocol { randomness, ..protocol };
    Member::new(system.clone(), Arc::new(protocol), 7, &system.particles.positions)
}

fn every_pair_noise() -> impl Iterator<Item = (Randomness, PairNoise)> {
    let published = Scheme::OnePerCallPublished;
    let published = Randomness::new(Generator::Saru, published, Distribution::BoxMuller).unwrap();
    let few = [Generator::Philox4x32x10, Generator::Philox4x32x7, Generator::Saru];
    let few = few.into_iter().chain([Generator::SaruTea, Generator::HybridTaus]);
    few.map(Randomness::from).chain([published]).flat_map(|randomness| {
        [PairNoise::Uniform, PairNoise::Normal].map(|noise| (randomness, noise))
    })
}

/// The random number of a pair, from the words of its stream.
fn number(stream: PairStream, step: u64, i: usize, j: usize, noise: PairNoise) -> f64 {
    let [a, b, c, d] = stream.words(step, i as u32, j as u32);
    match noise {
        PairNoise::Uniform => symmetric_uniform(uniform_f64(a, b)),
        PairNoise::Normal => box_muller(uniform_f64(a, b), uniform_f64(c, d))[0],
    }
}

/// A step by hand: half a kick, a drift, and at its end the forces of the formula as it is printed, with the velocities of the
/// half step; in a box and in open space, beside a conservative term and alone.
#[test]
fn a_step_is_that_of_the_printed_equations() {
    let h = 0.02;
    for (randomness, noise) in every_pair_noise() {
        for (open, alone) in [(false, false), (true, false), (false, true)] {
            let mut system = fluid(60, noise);
            if open {
                system.boundary = Boundary::Open;
            }
            if alone {
                system.interactions.pairs.clear();
            }
            let system = Arc::new(system);
            let mut run = member(&system, verlet(Precision::Double, h), randomness);
            // The first step begins without the thermostat: the second shows all parts.
            run.advance(1).unwrap();
            let before = run.state();
            let motion = before.extra.motion.unwrap();
            run.advance(1).unwrap();
            let after = run.state();
            let kick = |v: f64, f: f64| v + 0.5 * h * f;
            let [velocities, forces] = [motion.velocities, motion.forces.unwrap()];
            let half: Vec<[f64; 3]> = velocities
                .iter()
                .zip(&forces)
                .map(|(v, f)| [0, 1, 2].map(|axis| kick(v[axis], f[axis])))
                .collect();
            let positions: Vec<[f64; 3]> = before
                .positions
                .iter()
                .zip(&half)
                .map(|(x, v)| [0, 1, 2].map(|axis| x[axis] + h * v[axis]))
                .collect();
            let stream = PairStream::new(randomness, Owner { seed: 20_101, replica: 7 });
            let mut expected = vec![[0.0; 3]; 60];
            for i in 0..60 {
                for j in i + 1..60 {
                    let apart = system.boundary.separation(positions[i], positions[j]);
                    let r = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
                    if r >= 1.0 {
                        continue;
                    }
                    let along = apart.map(|x| x / r);
                    let omega = 1.0 - r;
                    let speed: f64 =
                        (0..3).map(|axis| (half[i][axis] - half[j][axis]) * along[axis]).sum();
                    let random = number(stream, 1, i, j, noise) * (2.0 * 4.5 / h).sqrt();
                    let conservative = if alone { 0.0 } else { 25.0 * omega };
                    let force = conservative - 4.5 * omega * omega * speed - random * omega;
                    for axis in 0..3 {
                        expected[i][axis] += force * along[axis];
                        expected[j][axis] -= force * along[axis];
                    }
                }
            }
            let motion = after.extra.motion.unwrap();
            let found = motion.forces.unwrap();
            for bead in 0..60 {
                for axis in 0..3 {
                    let error = found[bead][axis] - expected[bead][axis];
                    assert!(error.abs() < 1e-7, "{randomness:?} {noise:?} {open}: {error:e}");
                    let velocity = kick(half[bead][axis], expected[bead][axis]);
                    assert!((motion.velocities[bead][axis] - velocity).abs() < 1e-8);
                    assert!((after.positions[bead][axis] - positions[bead][axis]).abs() < 1e-12);
                }
            }
        }
    }
}

/// The force of a table by types, and its opposite for the other order of two beads.
#[test]
fn the_force_is_opposite_on_both_beads() {
    for precision in Precision::ALL {
        let mut system = fluid(2, PairNoise::Uniform);
        system.boundary = Boundary::Open;
        system.types.push(ParticleType::new("other", 1.0));
        system.particles.types = vec![0, 1];
        system.particles.positions = vec![[0.0; 3], [0.3, 0.4, 0.2]];
        system.interactions.pairs.clear();
        let formula = |a, b| DpdThermostat { friction: (1 + a + b) as f64, cutoff: 1.5 };
        let table = PairTable::new(2, |a, b| PairEntry { potential: formula(a, b), cutoff: 1.5 });
        system.interactions.thermostat = Some(PairThermostat { table, noise: PairNoise::Normal });
        let system = Arc::new(system);
        let mut run = member(&system, verlet(precision, 0.01), Generator::SaruTea.into());
        for _ in 0..20 {
            run.advance(1).unwrap();
            let forces = run.state().extra.motion.unwrap().forces.unwrap();
            assert_eq!(forces[0], forces[1].map(|component| -component));
            assert!(forces[0][0] != 0.0);
        }
    }
}

/// kT from the velocities of beads of mass 1 whose momentum is zero.
fn kinetic_temperature(member: &Member) -> f64 {
    let velocities = member.state().extra.motion.unwrap().velocities;
    let squares = velocities.iter().flatten().map(|v| v * v).sum::<f64>();
    squares / (3 * velocities.len() - 3) as f64
}

/// The mean kinetic temperature of a small fluid over the blocks of a run, with its standard error.
fn temperature(precision: Precision, timestep: f64, noise: PairNoise) -> (f64, f64) {
    let system = Arc::new(fluid(192, noise));
    let mut run = member(&system, verlet(precision, timestep), Generator::Philox4x32x10.into());
    run.advance(500).unwrap();
    let blocks: Vec<f64> = (0..20)
        .map(|_| {
            let samples = (0..40).map(|_| {
                run.advance(3).unwrap();
                kinetic_temperature(&run)
            });
            samples.sum::<f64>() / 40.0
        })
        .collect();
    beadwork_testing::mean_and_standard_error(&blocks)
}

/// The drag of the half step makes the fluid warmer, by about 0.47 kT h at small steps: long runs of 3,000 beads give
/// 1.010 at h = 0.02 and 1.028 at 0.04, each within 0.002.
#[test]
fn a_small_fluid_has_the_temperature_of_its_time_step() {
    for (timestep, expected) in [(0.02, 1.010), (0.04, 1.028)] {
        for precision in Precision::ALL {
            let (mean, error) = temperature(precision, timestep, PairNoise::Uniform);
            let bound = 5.0 * error + 0.002;
            assert!(error < 0.01, "{error}");
            assert!((mean - expected).abs() < bound, "{mean} ± {error}, expected {expected}");
        }
    }
    let (mean, error) = temperature(Precision::Single, 0.02, PairNoise::Normal);
    assert!((mean - 1.010).abs() < 5.0 * error + 0.002, "{mean} ± {error}");
}

/// Without the thermostat's noise, at T = 0, drag alone takes all relative motion, and the momentum stays.
#[test]
fn drag_alone_cools_a_fluid() {
    let system = Arc::new(fluid(100, PairNoise::Uniform));
    let warm = verlet(Precision::Double, 0.01);
    let mut run = member(&system, warm.clone(), Generator::Saru.into());
    run.advance(200).unwrap();
    run.set_temperature(0.0);
    run.advance(4_000).unwrap();
    let kinetic = kinetic_temperature(&run);
    assert!(kinetic < 1e-3, "{kinetic}");
    // What remains is a minimum of the conservative energy.
    assert!(run.interaction_forces().unwrap().iter().flatten().all(|force| force.abs() < 1.0));
    let pair = DpdConservative { strength: 25.0, cutoff: 1.0 };
    assert!(system.energies(&run.positions()).total() < 100.0 * pair.energy(0.0));
}
