//! A tip with noise of its own: the law of its scheme, and where the energy goes.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{BasePath, Cantilever, External, MoveSchedule, Tip, TipPlace};
use beadwork_model::observables::Observable;
use beadwork_model::units::PICONEWTON_NANOMETRES_PER_KCAL_MOL;
use beadwork_model::{Precision, StageKind, System};
use beadwork_random::{NoiseKey, Normal, Purpose};

use crate::{BEADS, FRICTION, molecule, protocol, surface, tip};

/// kcal/mol.
const TEMPERATURE: f64 = 0.6;
const RESTING: BasePath = BasePath { speed: 0.0, out: None, rest: 0, cycles: 1 };

/// A tip on its spring far from all beads. With a = κ n h/ζ each move is x ← (1 − a) x + √(2 kT a/κ) g, so that
/// ⟨x²⟩ = (kT/κ)/(1 − a/2), and moves that are m apart correlate by (1 − a)^m.
#[test]
fn a_free_tip_has_the_equipartition_of_its_scheme() {
    let system = Arc::new(molecule());
    let start = system.particles.positions.clone();
    for (every, precision, along_only) in [
        (1_u64, Precision::Double, false),
        (10, Precision::Single, false),
        (4, Precision::Double, true),
    ] {
        let share = 0.2;
        let stiffness = 0.5;
        let own = Tip {
            cantilever: Cantilever {
                temperature: TEMPERATURE,
                friction: every as f64 * 20.0 * stiffness / share,
                stiffness,
                path: RESTING,
                along_only,
                ..tip(every, MoveSchedule::Earlier).cantilever
            },
            place: TipPlace::At([3.0, -7.0, 1e5]),
            contact: beadwork_model::externals::Contact {
                sigma: 30.0,
                ..tip(1, MoveSchedule::Earlier).contact
            },
            ..tip(every, MoveSchedule::Earlier)
        };
        let mut protocol = protocol(vec![External::Tip(own)], precision);
        protocol.stages[0].fixed = (0..BEADS).collect();
        protocol.stages[0].kind = StageKind::Dynamics { steps: u64::MAX / 4 };
        let mut member = Member::new(system.clone(), Arc::new(protocol), 3, &start);
        let (moves, warm) = (40_000, 50);
        let (mut squares, mut products, mut last) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for number in 0..moves + warm {
            member.advance(every).unwrap();
            let state = member.state();
            let (origin, moving) = (state.externals[0].origin, state.externals[0].moving.unwrap());
            let x = [0, 1, 2].map(|axis| moving.position[axis] - origin[axis]);
            if number >= warm {
                for axis in 0..3 {
                    squares[axis] += x[axis] * x[axis] / f64::from(moves);
                    products[axis] += x[axis] * last[axis] / f64::from(moves);
                }
            }
            last = x;
        }
        let variance = TEMPERATURE / stiffness / (1.0 - 0.5 * share);
        // The variance of a mean of squares of a Gaussian process with correlation c^m is 2 v² (1 + c²)/((1 − c²) N).
        let c = 1.0 - share;
        let error = variance * (2.0 * (1.0 + c * c) / ((1.0 - c * c) * f64::from(moves))).sqrt();
        eprintln!("{every}: {squares:?} {variance} ± {error}, {products:?}");
        let axes = if along_only { 2..3 } else { 0..3 };
        for axis in axes {
            // Five standard errors: one of seven comparisons fails by chance in 250,000 choices of a seed.
            assert!((squares[axis] - variance).abs() < 5.0 * error, "{squares:?} {variance}");
            assert!((products[axis] - c * variance).abs() < 5.0 * error, "{products:?}");
        }
        if along_only {
            assert_eq!(&last[..2], [0.0, 0.0]);
        }
    }
}

/// The part of a trajectory between two bases: what the base did, what was gained, and the heat.
struct Balance {
    work: f64,
    gained: f64,
    /// What friction took, less what noise gave.
    heat: f64,
    /// What noise alone gave.
    by_noise: f64,
}

/// With noise, friction takes Σ ζ (Δx/h) ∘ Δx of beads and tip, and noise gives Σ (noise force) ∘ Δx, where ∘ takes the mean
/// of the force before and behind a step (Sekimoto, *Stochastic Energetics*, 2010, ch. 4). Their difference is the heat. Displacements
/// and the words of the noise tell all of it, and no force is asked for.
fn balance(system: &Arc<System>, halvings: u32, replica: u64) -> Balance {
    let parts = 1_u64 << halvings;
    let timestep = 20.0 / parts as f64;
    let steps = 2_000 * parts;
    let own = Tip {
        // So wide that no move of the noise is an error.
        contact: beadwork_model::externals::Contact {
            epsilon: 1.0,
            sigma: 6.0,
            twelfth: 0.0,
            sixth: 1.0,
        },
        cantilever: Cantilever {
            path: BasePath { speed: 1e-2 / 20.0, out: None, rest: 0, cycles: 1 },
            temperature: TEMPERATURE,
            ..tip(1, MoveSchedule::Earlier).cantilever
        },
        place: TipPlace::Above(8.0),
        ..tip(1, MoveSchedule::Earlier)
    };
    let (stiffness, direction) = (own.cantilever.stiffness, own.cantilever.direction);
    let externals = vec![External::Tip(own), External::Surface(surface(10.0, None))];
    let mut protocol = protocol(externals, Precision::Double);
    protocol.dynamics.timestep = timestep;
    protocol.dynamics.temperature = TEMPERATURE;
    protocol.stages[0].kind = StageKind::Dynamics { steps: steps + 1 };
    let keys = [Purpose::ThermalForce, Purpose::ExternalForce]
        .map(|purpose| NoiseKey::new(protocol.seed, purpose, replica));
    let start = system.particles.positions.clone();
    let mut member = Member::new(system.clone(), Arc::new(protocol), replica, &start);
    // kcal/mol and Å: energy with that of the cantilever, work, and positions of beads and tip.
    let look = |member: &mut Member| {
        let measured = member.measure().unwrap();
        let state = member.state();
        let get = |observable| measured.get(observable).unwrap();
        let tip = [Observable::TipX, Observable::TipY, Observable::TipZ].map(|one| 10.0 * get(one));
        let base = 10.0 * get(Observable::BaseTravel);
        let cantilever: f64 = (0..3)
            .map(|axis| state.externals[0].origin[axis] + base * direction[axis] - tip[axis])
            .map(|stretch| 0.5 * stiffness * stretch * stretch)
            .sum();
        let work = get(Observable::Work) / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
        let mut places = state.positions;
        places.push(tip);
        (get(Observable::TotalEnergy) + cantilever, work, places)
    };
    let amplitude = (2.0 * TEMPERATURE * timestep / FRICTION).sqrt();
    let (first, _, mut before) = look(&mut member);
    let mut found = Balance { work: 0.0, gained: 0.0, heat: 0.0, by_noise: 0.0 };
    // The displacement of each place without its noise, and with it, of the step before.
    let mut last: Option<Vec<[[f64; 3]; 2]>> = None;
    for step in 0..=steps {
        member.advance(1).unwrap();
        let (energy, work, places) = look(&mut member);
        let drifts: Vec<[[f64; 3]; 2]> = (0..=BEADS)
            .map(|place| {
                // The tip makes its move at the beginning of the next step, with that step's noise.
                let normals = match place {
                    BEADS => f64::normals(keys[1], step + 1, 0),
                    bead => f64::normals(keys[0], step, bead as u32),
                };
                let moved = [0, 1, 2].map(|axis| places[place][axis] - before[place][axis]);
                [[0, 1, 2].map(|axis| moved[axis] - amplitude * normals[axis]), moved]
            })
            .collect();
        if let Some(last) = last {
            for ([drift, moved], [next, _]) in last.iter().zip(&drifts) {
                for axis in 0..3 {
                    let force = 0.5 * FRICTION / timestep * (drift[axis] + next[axis]);
                    found.heat += force * moved[axis];
                    found.by_noise +=
                        FRICTION / timestep * moved[axis] * moved[axis] - force * moved[axis];
                }
            }
        }
        if step < steps {
            (found.gained, found.work) = (energy - first, work);
        }
        (last, before) = (Some(drifts), places);
    }
    found
}

#[test]
fn with_noise_the_work_of_the_base_is_energy_and_heat() {
    let system = Arc::new(molecule());
    let residual = |halvings: u32| -> f64 {
        let squares = (0..4).map(|replica| {
            let Balance { work, gained, heat, by_noise } = balance(&system, halvings, replica);
            eprintln!(
                "{halvings}: work {work:.4} gained {gained:.4} heat {heat:.4} noise {by_noise:.1}"
            );
            assert!(work > 5.0, "{work}");
            // Noise gives far more than the base does, and friction takes it.
            assert!(by_noise > 100.0 * work, "{by_noise}");
            (work - gained - heat).powi(2)
        });
        (squares.sum::<f64>() / 4.0).sqrt()
    };
    let residuals = [0, 2, 4].map(residual);
    eprintln!("residuals {residuals:?}");
    assert!(residuals[2] < 0.1, "{residuals:?}");
    assert!(residuals.windows(2).all(|pair| pair[1] < 0.6 * pair[0]), "{residuals:?}");
}
