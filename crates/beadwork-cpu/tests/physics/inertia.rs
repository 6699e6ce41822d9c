//! Laws of the integrators with velocities, each that of its discrete scheme.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::potentials::{HarmonicTrap, SixthPowerRepulsion};
use beadwork_model::units::Units;
use beadwork_model::{
    Distribution, Dynamics, Generator, Integrator, Interactions, ParticleType, Precision, Protocol,
    Randomness, Scheme, Single, System,
};
use beadwork_testing::{ks_statistic, ks_threshold, normal_cdf};

use crate::support::{WITH_VELOCITIES, assert_joint, helix, protocol, sop_dynamics, stage, system};

const MASSES: [f64; 2] = [1.0, 4.0];
const STIFFNESS: f64 = 4.0;
const FRICTION: f64 = 1.5;

/// `count` beads of alternating masses in wells of [`STIFFNESS`], or free, in reduced units.
fn in_wells(count: usize, stiffness: f64) -> Arc<System> {
    let potential = HarmonicTrap { stiffness, centre: [0.0; 3] };
    let wells: Vec<_> = (0..count).map(|bead| Single { bead, potential }).collect();
    let singles = if stiffness > 0.0 { vec![wells.into()] } else { vec![] };
    let interactions = Interactions { singles, ..Interactions::default() };
    let mut system = Arc::unwrap_or_clone(system(vec![[0.0; 3]; count], interactions));
    system.types = MASSES.map(|mass| ParticleType::new("bead", mass)).to_vec();
    system.particles.types = (0..count).map(|bead| (bead % 2) as u16).collect();
    system.units = Units::Reduced;
    Arc::new(system)
}

fn warm((integrator, precision): (Integrator, Precision), timestep: f64) -> Dynamics {
    Dynamics { integrator, temperature: 1.0, friction: FRICTION, timestep, precision, skin: 2.0 }
}

/// ⟨x²⟩ and ⟨v²⟩ at the end of steps in a harmonic well, kT = 1, from the linear map of the scheme: it is iterated on
/// the covariances of x, v and the force that is carried over a step, until they no longer change.
fn stationary(integrator: Integrator, mass: f64, h: f64) -> (f64, f64) {
    let (k, half) = (0.5 * h / mass, 0.5 * h);
    let c = (-FRICTION * h / mass).exp();
    let s = ((1.0 - c * c) / mass).sqrt();
    let force = |x: f64| -STIFFNESS * x;
    // One step of (x, v, f) with the normal number g.
    let step = |[x, v, f]: [f64; 3], g: f64| match integrator {
        Integrator::VelocityVerlet => {
            let v = v + k * f;
            let x = x + h * v;
            let f = force(x) - FRICTION * v + g * (2.0 * FRICTION / h).sqrt();
            [x, v + k * f, f]
        }
        _ => {
            let kick = if integrator == Integrator::Langevin { k } else { 2.0 * k };
            let v = v + kick * f;
            let middle = x + half * v;
            let v = c * v + s * g;
            let x = middle + half * v;
            let f = force(x);
            [x, if integrator == Integrator::Langevin { v + k * f } else { v }, f]
        }
    };
    let units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let map = units.map(|unit| step(unit, 0.0));
    let noise = step([0.0; 3], 1.0);
    let mut covariance = [[0.0; 3]; 3];
    for _ in 0..100_000 {
        let mut next = [[0.0; 3]; 3];
        for a in 0..3 {
            for b in 0..3 {
                next[a][b] = noise[a] * noise[b];
                for i in 0..3 {
                    for j in 0..3 {
                        next[a][b] += map[i][a] * covariance[i][j] * map[j][b];
                    }
                }
            }
        }
        covariance = next;
    }
    (covariance[0][0], covariance[1][1])
}

/// Variances of positions and velocities in wells at three time steps. The well of the light beads has ω = 2 and becomes
/// unstable at h = 1. For BAOAB theory has closed forms: kT/k at any step, and kT/m (1 − h²ω²/4).
#[test]
fn variances_in_wells_are_those_of_the_scheme() {
    for h in [0.1, 0.4, 0.8] {
        let (x2, v2) = stationary(Integrator::Langevin, 1.0, h);
        assert!((x2 * STIFFNESS - 1.0).abs() < 1e-9, "{x2}");
        assert!((v2 - (1.0 - h * h * STIFFNESS / 4.0)).abs() < 1e-9, "{v2}");
        let (x2, v2) = stationary(Integrator::LangevinMiddle, 1.0, h);
        assert!((x2 * STIFFNESS - 1.0).abs() < 1e-9 && (v2 - 1.0).abs() < 1e-9, "{x2} {v2}");
    }
    let beads = 2_000;
    let system = in_wells(beads, STIFFNESS);
    let mut deviations = Vec::new();
    for (number, case) in WITH_VELOCITIES.into_iter().enumerate() {
        // The drag of velocity Verlet is explicit, and unstable sooner.
        let verlet = case.0 == Integrator::VelocityVerlet;
        for h in if verlet { [0.1, 0.2, 0.4] } else { [0.1, 0.4, 0.8] } {
            let protocol = protocol(warm(case, h), vec![stage(u64::MAX, vec![])]);
            let start = &system.particles.positions;
            let mut run = Member::new(system.clone(), Arc::new(protocol), number as u64, start);
            // The slowest mode of the heavy beads decays with γ/2 = 0.19.
            let apart = (25.0 / h) as u64;
            run.advance(2 * apart).unwrap();
            let mut sums = [[0.0; 2]; 2];
            let samples = 10;
            for _ in 0..samples {
                run.advance(apart).unwrap();
                let state = run.state();
                let velocities = state.extra.motion.unwrap().velocities;
                for bead in 0..beads {
                    let square = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
                    sums[bead % 2][0] += square(state.positions[bead]);
                    sums[bead % 2][1] += square(velocities[bead]);
                }
            }
            let count = (3 * samples * beads / 2) as f64;
            for (kind, mass) in MASSES.into_iter().enumerate() {
                let (x2, v2) = stationary(case.0, mass, h);
                for (sum, expected) in sums[kind].into_iter().zip([x2, v2]) {
                    // Squares of n normal numbers have the mean n and the variance 2n.
                    let deviation = (sum / expected - count) / (2.0 * count).sqrt();
                    assert!(deviation.abs() < 4.0, "{case:?}, m {mass}, h {h}: {deviation}");
                    deviations.push(deviation);
                }
            }
        }
    }
    assert_joint(&deviations);
}

/// Free beads: x(n) − x(0) has a variance that grows by kT h/m (1 + c)/(1 − c) a step, which is 2 D h with D = kT/ξ for
/// small steps; after the time t it lacks 2 D m/ξ (1 − e^(−ξt/m)).
#[test]
fn free_beads_diffuse_with_kt_over_the_friction() {
    let beads = 6_000;
    let system = in_wells(beads, 0.0);
    for case in WITH_VELOCITIES {
        let (h, steps) = (0.05, 2_000);
        let protocol = protocol(warm(case, h), vec![stage(steps, vec![])]);
        let start = &system.particles.positions;
        let mut run = Member::new(system.clone(), Arc::new(protocol), 5, start);
        run.advance(steps).unwrap();
        let positions = run.positions();
        for (kind, mass) in MASSES.into_iter().enumerate() {
            let time = steps as f64 * h;
            let relaxation = mass / FRICTION;
            let expected =
                2.0 / FRICTION * (time - relaxation * (1.0 - (-time / relaxation).exp()));
            let squares: f64 =
                positions.iter().skip(kind).step_by(2).flatten().map(|x| x * x).sum();
            let count = (3 * beads / 2) as f64;
            let deviation = (squares / expected - count) / (2.0 * count).sqrt();
            // The schemes' own diffusion differs from this by (ξh/m)²/12, 5 × 10⁻⁴ at most.
            let bias = (FRICTION * h / mass).powi(2) / 12.0 * (count / 2.0).sqrt();
            assert!(deviation.abs() < 4.0 + bias, "{case:?}, m {mass}: {deviation}");
        }
    }
}

#[test]
fn velocities_begin_with_the_distribution_of_maxwell_and_boltzmann() {
    let beads = 20_000;
    let system = in_wells(beads, 0.0);
    let mut firsts = Vec::new();
    for (seed, replica) in [(1, 0), (1, 1), (2, 0)] {
        let dynamics = warm((Integrator::Langevin, Precision::Double), 0.1);
        let protocol = Protocol { seed, ..protocol(dynamics, vec![stage(1, vec![])]) };
        let start = &system.particles.positions;
        let member = Member::new(system.clone(), Arc::new(protocol), replica, start);
        let velocities = member.state().extra.motion.unwrap().velocities;
        for (kind, mass) in MASSES.into_iter().enumerate() {
            for axis in 0..3 {
                let scaled = velocities.iter().skip(kind).step_by(2).map(|v| v[axis] * mass.sqrt());
                let mut scaled: Vec<f64> = scaled.collect();
                let distance = ks_statistic(&mut scaled, normal_cdf);
                assert!(distance < ks_threshold(scaled.len(), 1e-5), "axis {axis}: {distance}");
            }
        }
        firsts.push(velocities[0]);
    }
    assert!(firsts[0] != firsts[1] && firsts[0] != firsts[2] && firsts[1] != firsts[2]);
}

/// A helix whose energy has no jump at a cutoff.
fn smooth_helix() -> Arc<System> {
    let mut system = helix(30);
    let repulsion = SixthPowerRepulsion { strength: 1.0, diameter: 3.8 };
    system.interactions.pairs = vec![PairTable::of_one_type(repulsion, 1e3).into()];
    Arc::new(system)
}

/// A helix without friction: the largest error of the energy over a time falls as h², and the momentum stays zero.
#[test]
fn without_friction_energy_is_conserved_to_second_order() {
    let system = smooth_helix();
    let error = |halvings: u32| {
        let case = (Integrator::VelocityVerlet, Precision::Double);
        let timestep = 0.02 / f64::from(1 << halvings);
        let dynamics = Dynamics { friction: 0.0, timestep, ..sop_dynamics(case) };
        let protocol = protocol(dynamics, vec![stage(u64::MAX, vec![])]);
        let start = &system.particles.positions;
        let mut run = Member::new(system.clone(), Arc::new(protocol), 0, start);
        let energy = |run: &Member| {
            let state = run.state();
            let velocities = state.extra.motion.unwrap().velocities;
            let mass = system.types[0].mass;
            let twice: f64 = velocities.iter().flatten().map(|v| mass * v * v).sum();
            for axis in 0..3 {
                let momentum: f64 = velocities.iter().map(|v| v[axis]).sum();
                assert!(momentum.abs() < 1e-10, "{momentum:e}");
            }
            system.energies(&state.positions).total() + 0.5 * twice / system.units.acceleration()
        };
        let first = energy(&run);
        let mut largest = 0.0_f64;
        for _ in 0..100 << halvings {
            run.advance(4).unwrap();
            largest = largest.max((energy(&run) - first).abs());
        }
        largest
    };
    // At 0.02 ps itself, terms of higher order still show.
    let errors = [error(1), error(2), error(3)];
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        // The next term of the error is of order h⁴.
        assert!((3.4..4.6).contains(&ratio), "{errors:?}");
    }
}

/// Velocity Verlet run back with opposite velocities returns to its start.
#[test]
fn without_friction_trajectories_are_reversible() {
    let system = Arc::new(helix(30));
    let case = (Integrator::VelocityVerlet, Precision::Double);
    let dynamics = Dynamics { friction: 0.0, ..sop_dynamics(case) };
    let protocol = Arc::new(protocol(dynamics, vec![stage(u64::MAX, vec![])]));
    let start = &system.particles.positions;
    let mut run = Member::new(system.clone(), protocol.clone(), 0, start);
    run.advance(400).unwrap();
    let far = run.positions();
    let mut state = run.state();
    let motion = state.extra.motion.as_mut().unwrap();
    motion.velocities.iter_mut().flatten().for_each(|v| *v = -*v);
    let mut back = Member::restore(system.clone(), protocol, 0, state);
    back.advance(400).unwrap();
    let apart = |a: &[[f64; 3]], b: &[[f64; 3]]| {
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(apart(&far, start) > 0.5);
    // Rounding errors of 10⁻¹⁵ grow by chaos, e-fold in some ps; the run takes 8 ps each way.
    assert!(apart(&back.positions(), start) < 1e-8, "{:e}", apart(&back.positions(), start));
}

/// The kicks of two steps that follow each other at one position are one kick in the other order: LangevinMiddle has the
/// positions of BAOAB if its first velocity lacks half a kick.
#[test]
fn both_orders_of_langevin_dynamics_visit_the_same_positions() {
    let beads = 20;
    let system = in_wells(beads, STIFFNESS);
    let h = 0.2;
    let start = vec![[0.3, -0.2, 0.5]; beads];
    let run = |integrator, half_kicks: f64| {
        let dynamics = warm((integrator, Precision::Double), h);
        let protocol = Arc::new(protocol(dynamics, vec![stage(u64::MAX, vec![])]));
        let member = Member::new(system.clone(), protocol.clone(), 7, &start);
        let mut state = member.state();
        let velocities = &mut state.extra.motion.as_mut().unwrap().velocities;
        for (bead, velocity) in velocities.iter_mut().enumerate() {
            let kick = -STIFFNESS * 0.5 * h / MASSES[bead % 2] * half_kicks;
            (0..3).for_each(|axis| velocity[axis] += kick * start[bead][axis]);
        }
        let mut member = Member::restore(system.clone(), protocol, 7, state);
        member.advance(100).unwrap();
        member.positions()
    };
    let (ordered, middle) = (run(Integrator::Langevin, 0.0), run(Integrator::LangevinMiddle, -1.0));
    for (a, b) in ordered.iter().flatten().zip(middle.iter().flatten()) {
        // A hundred steps in a stable well, each rounded some ten times.
        assert!((a - b).abs() < 1e-13, "{a} {b}");
    }
}

/// The published thermostat draws uniform numbers of variance 1: the temperature is that of normal ones.
#[test]
fn uniform_noise_gives_the_same_temperature() {
    let beads = 4_000;
    let system = in_wells(beads, 0.0);
    let scheme = Scheme::OnePerCallPublished;
    let randomness = Randomness::new(Generator::Saru, scheme, Distribution::Uniform).unwrap();
    let (h, steps) = (0.05, 400);
    let dynamics = warm((Integrator::VelocityVerlet, Precision::Single), h);
    let protocol = Protocol { randomness, ..protocol(dynamics, vec![stage(steps, vec![])]) };
    let start = &system.particles.positions;
    let mut run = Member::new(system.clone(), Arc::new(protocol), 5, start);
    run.advance(steps).unwrap();
    let velocities = run.state().extra.motion.unwrap().velocities;
    let twice: f64 = velocities
        .iter()
        .enumerate()
        .map(|(bead, v)| MASSES[bead % 2] * v.iter().map(|x| x * x).sum::<f64>())
        .sum();
    let count = (3 * beads) as f64;
    // For a free bead of mass m: ⟨m v²⟩ = kT/(1 − a²), a = ξh/(2m), from v ← (1 − a) v′ + …, see `stationary`.
    let factor = MASSES.map(|mass| free_velocity_square(mass, h) * mass);
    let expected = 0.5 * (factor[0] + factor[1]);
    let deviation = (twice / count / expected - 1.0) / (2.0 / count).sqrt();
    assert!(deviation.abs() < 4.0, "{deviation}");
}

/// ⟨v²⟩ of a free bead by the thermostat of velocity Verlet, kT = 1: with w the velocity of the half step,
/// w ← w + 2k f, f = −ξ w + R, so that ⟨w²⟩ = 4k² ⟨R²⟩/(1 − (1 − 2kξ)²); v = w + k f of the same f.
fn free_velocity_square(mass: f64, h: f64) -> f64 {
    let k = 0.5 * h / mass;
    let noise = 2.0 * FRICTION / h;
    let kept = 1.0 - 2.0 * k * FRICTION;
    let half = 4.0 * k * k * noise / (1.0 - kept * kept);
    (1.0 - k * FRICTION).powi(2) * half + k * k * noise
}
