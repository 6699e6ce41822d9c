//! Externals: forces, ramps, springs and fixed beads.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External, FirstStep, Force, ForceRamp, Restrain, Spring};
use beadwork_model::observables::{MeasuredColumn, Observable, PullColumn, extension};
use beadwork_model::potentials::{FeneBond, PairPotential, RepulsiveFeneBond};
use beadwork_model::units::{PICONEWTON_NANOMETRES_PER_KCAL_MOL, PICONEWTONS_PER_FORCE};
use beadwork_model::{
    Dynamics, Integrator, Interactions, Pair, ParticleType, Precision, Stage, StageKind, System,
    Units,
};

use crate::oscillators::discrete_law;
use crate::support::{
    CASES, along_x, assert_joint, coordinates, deviation, dynamics, helix, member, protocol,
    shaken, sop_dynamics, stage, system, trapped,
};

const STIFFNESS: f64 = 4.0;

fn cold(case: (Integrator, Precision), timestep: f64) -> Dynamics {
    Dynamics { temperature: 0.0, ..dynamics(case, timestep) }
}

/// The largest deviation from exact arithmetic after some hundred steps, relative to the largest value: each step
/// rounds some ten times, and errors decay with the mode.
fn rounding(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 100.0 * f64::from(f32::EPSILON),
        Precision::Double => 100.0 * f64::EPSILON,
    }
}

/// x of bead 0 after each of `steps` steps.
fn path(run: &mut Member, steps: usize) -> Vec<f64> {
    (0..steps)
        .map(|_| {
            run.advance(1).unwrap();
            run.positions()[0][0]
        })
        .collect()
}

#[track_caller]
fn assert_path(found: &[f64], expected: impl Fn(f64) -> f64, bound: f64) {
    let largest = (1..=found.len()).map(|n| expected(n as f64).abs()).fold(0.0, f64::max);
    for (index, x) in found.iter().enumerate() {
        let expected = expected((index + 1) as f64);
        assert!((x - expected).abs() <= bound * largest, "step {}: {x} for {expected}", index + 1);
    }
}

/// Without noise x_n = (f/k)(1 − cⁿ), and a force on a group is shared equally.
#[test]
fn a_constant_force_moves_each_of_its_beads_by_its_share_over_k() {
    let system = trapped(3, STIFFNESS);
    for case in CASES {
        let a = 0.2;
        let (factor, _) = discrete_law(case.0, a);
        let force = Force { ends: along_x(vec![0, 2]), force: 6.0 };
        let mut run = member(&system, cold(case, a / STIFFNESS), vec![External::Force(force)], 1);
        let path = path(&mut run, 150);
        assert_path(&path, |n| 3.0 / STIFFNESS * (1.0 - factor.powf(n)), rounding(case.1));
        let end = run.positions();
        assert_eq!(end[0], end[2]);
        assert_eq!((end[1], &end[0][1..]), ([0.0; 3], &[0.0, 0.0][..]));
        let row = run.measure().unwrap();
        let force = row.get(Observable::Force).unwrap() / PICONEWTONS_PER_FORCE;
        assert!((force - 6.0).abs() < 1e-12);
        // Work is force times displacement of the centre.
        let work = row.get(Observable::Work).unwrap() / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
        assert!((work - 6.0 * end[0][0]).abs() < 1e-12 * work, "{work}");
    }
}

/// With noise the mean displacement is f/k in both schemes, whatever the step.
#[test]
fn the_mean_displacement_under_a_force_is_force_over_stiffness() {
    let beads = 1_000;
    let system = trapped(beads, STIFFNESS);
    let mut deviations = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        for (seed, a) in [0.2, 1.2].into_iter().enumerate() {
            let force = Force { ends: along_x((0..beads).collect()), force: 2.0 * beads as f64 };
            let seed = 800 + 10 * number as u64 + seed as u64;
            let externals = vec![External::Force(force)];
            let mut run = member(&system, dynamics(case, a / STIFFNESS), externals, seed);
            run.advance(200).unwrap();
            let mut means = vec![0.0; beads];
            for _ in 0..20 {
                run.advance(20).unwrap();
                for (mean, position) in means.iter_mut().zip(run.positions()) {
                    *mean += position[0] / 20.0;
                }
            }
            deviations.push(deviation(&means, 0.5));
        }
    }
    assert_joint(&deviations);
}

/// x_n = (r_f/k)(t_n − τ(1 − cⁿ)): in both schemes the lag behind the ramp is exactly τ.
#[test]
fn a_ramp_is_followed_with_the_lag_of_the_well() {
    let beads = 1_000;
    let system = trapped(beads, STIFFNESS);
    let rate = 3.0;
    let mut deviations = Vec::new();
    for (seed, case) in CASES.into_iter().enumerate() {
        let a = 0.25;
        let (factor, _) = discrete_law(case.0, a);
        let (timestep, tau) = (a / STIFFNESS, 1.0 / STIFFNESS);
        let law = |n: f64| rate / STIFFNESS * (n * timestep - tau * (1.0 - factor.powf(n)));
        let ramp = ForceRamp { ends: along_x((0..beads).collect()), rate: rate * beads as f64 };
        let externals = vec![External::ForceRamp(ramp)];
        let mut run = member(&system, cold(case, timestep), externals.clone(), 1);
        // In f32, force and distance after 100 steps are rounded.
        assert_path(&path(&mut run, 100), law, rounding(case.1));
        let mut run = member(&system, dynamics(case, timestep), externals, 900 + seed as u64);
        for n in [10, 60] {
            run.advance(n - run.step_number()).unwrap();
            let x: Vec<f64> = run.positions().iter().map(|position| position[0]).collect();
            deviations.push(deviation(&x, law(n as f64)));
        }
    }
    assert_joint(&deviations);
}

fn spring(stiffness: f64, speed: f64, update_every: u64) -> External {
    External::Spring(Spring { ends: along_x(vec![0]), stiffness, speed, update_every })
}

/// A spring κ whose base moves at ν acts as a ramp κν on a well of stiffness k + κ.
#[test]
fn a_moving_spring_pulls_as_a_ramp_on_two_parallel_springs() {
    let system = trapped(2, STIFFNESS);
    let (kappa, speed) = (1.5, 0.02);
    let total = STIFFNESS + kappa;
    for case in CASES {
        let timestep = 0.1 / total;
        let (factor, _) = discrete_law(case.0, 0.1);
        let law = |n: f64| kappa * speed / total * (n * timestep - (1.0 - factor.powf(n)) / total);
        let mut run = member(&system, cold(case, timestep), vec![spring(kappa, speed, 1)], 1);
        let path = path(&mut run, 300);
        assert_path(&path, law, rounding(case.1));
        // The measured force is κ (base − bead).
        let force = run.measure().unwrap().get(Observable::Force).unwrap() / PICONEWTONS_PER_FORCE;
        let expected = kappa * (speed * run.time() - path[299]);
        assert!((force - expected).abs() < 1e-12, "{force} {expected}");
    }
}

/// Work on the bead is the energy ½ k x² of the well plus the loss ξ∫v² dt with v ≈ κν/(k + κ): slower pulling costs
/// less work, and never less than the energy of the well.
#[test]
fn a_slow_spring_does_little_more_work_than_the_well_stores() {
    let system = trapped(2, STIFFNESS);
    let (kappa, travel) = (1.5, 3.0);
    let total = STIFFNESS + kappa;
    let x = kappa * travel / total;
    let mut last = f64::INFINITY;
    for speed in [0.4, 0.1, 0.025] {
        let case = (Integrator::Brownian, Precision::Double);
        let timestep = 0.005;
        let mut run = member(&system, cold(case, timestep), vec![spring(kappa, speed, 1)], 1);
        run.advance((travel / speed / timestep).round() as u64).unwrap();
        let row = run.measure().unwrap();
        let work = row.get(Observable::Work).unwrap() / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
        let stored = row.get(Observable::TrapEnergy).unwrap();
        let speed_of_bead = kappa * speed / total;
        let lost = speed_of_bead * speed_of_bead * travel / speed;
        // While the lag builds up within τ = 1/(k + κ), the loss is smaller by 3/2 τ v².
        let lost_early = 1.5 * speed_of_bead.powi(2) / total;
        assert!(work > stored, "{work} {stored}");
        let excess = work - stored - (lost - lost_early);
        assert!(excess.abs() < 0.02 * lost, "speed {speed}: {excess} of {lost}");
        assert!(work < last);
        last = work;
        let lag = speed_of_bead / total;
        assert!((stored - 0.5 * STIFFNESS * (x - lag).powi(2)).abs() < 1e-9 * stored);
    }
}

/// A resting spring stores ½ κ |x − x₀|², so the work on the bead is minus that along every path. A sum of forces at
/// one end of each step would be wrong by κ Σ |Δx|²/2.
#[test]
fn the_work_of_a_resting_spring_is_what_it_stores() {
    let system = trapped(2, STIFFNESS);
    let kappa = 1.5;
    for (seed, case) in CASES.into_iter().enumerate() {
        let externals = vec![spring(kappa, 0.0, 1)];
        let mut run = member(&system, dynamics(case, 0.02), externals, 950 + seed as u64);
        for _ in 0..20 {
            run.advance(100).unwrap();
            let row = run.measure().unwrap();
            let work = row.get(Observable::Work).unwrap() / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
            let square: f64 = run.positions()[0].iter().map(|x| x * x).sum();
            // 2,000 sums of numbers of order one.
            assert!((work + 0.5 * kappa * square).abs() < 1e-12, "{case:?}: {work}");
        }
    }
}

/// Between renewals the force is held: the same recursions, written out. The second-order scheme looks ahead to a
/// renewal at the predicted position, but renews from the true one.
#[test]
fn a_held_spring_renews_its_force_at_its_interval() {
    let system = trapped(2, STIFFNESS);
    let (kappa, speed, every) = (1.5, 0.7, 7);
    for case in CASES {
        let timestep = 0.02;
        let externals = vec![spring(kappa, speed, every)];
        let mut run = member(&system, cold(case, timestep), externals, 1);
        let found = path(&mut run, 100);
        let law = |step: u64, x: f64| kappa * (speed * timestep * step as f64 - x);
        let (mut x, mut held) = (0.0, 0.0);
        let mut expected = Vec::new();
        for step in 0..100 {
            if step % every == 0 {
                held = law(step, x);
            }
            let force = held - STIFFNESS * x;
            let ahead = x + timestep * force;
            x = match case.0 {
                Integrator::Brownian => ahead,
                _ => {
                    let renewed = (step + 1) % every == 0;
                    let pull = if renewed { law(step + 1, ahead) } else { held };
                    x + 0.5 * timestep * (force + pull - STIFFNESS * ahead)
                }
            };
            expected.push(x);
        }
        assert_path(&found, |n| expected[n as usize - 1], rounding(case.1));
        // The result differs from that of a continuous spring.
        let mut continuous =
            member(&system, cold(case, timestep), vec![spring(kappa, speed, 1)], 1);
        continuous.advance(100).unwrap();
        assert!((continuous.positions()[0][0] - found[99]).abs() > 1e-3);
    }
}

/// In a well k with a resting spring κ from x₀: ⟨x⟩ = κ x₀/(k + κ) and ⟨F⟩ = κ k x₀/(k + κ). Each of many springs in
/// one stage pulls its own bead, and their forces are summed.
#[test]
fn resting_springs_stretch_wells_by_the_ratio_of_stiffnesses() {
    let beads = 200;
    let kappa = 1.0;
    let mut system = System::clone(&trapped(beads, STIFFNESS));
    system.particles.positions = vec![[5.0, 0.0, 0.0]; beads];
    let system = Arc::new(system);
    let mut deviations = Vec::new();
    for (seed, case) in CASES.into_iter().enumerate() {
        let externals = (0..beads)
            .map(|bead| {
                let ends = along_x(vec![bead]);
                External::Spring(Spring { ends, stiffness: kappa, speed: 0.0, update_every: 1 })
            })
            .collect();
        let mut run = member(&system, dynamics(case, 0.04), externals, 1_000 + seed as u64);
        run.advance(100).unwrap();
        run.measure().unwrap();
        // a = 0.2: blocks of 50 steps are ten relaxation times, so their correlation is a tenth of a percent.
        let mut forces = Vec::new();
        let mut extensions = vec![0.0; beads];
        for _ in 0..20 {
            run.advance(50).unwrap();
            let row = run.measure().unwrap();
            forces.push(row.get(Observable::MeanForce).unwrap() / PICONEWTONS_PER_FORCE);
            for (sum, position) in extensions.iter_mut().zip(run.positions()) {
                *sum += position[0] / 20.0;
            }
        }
        deviations.push(deviation(&extensions, 5.0 * kappa / (STIFFNESS + kappa)));
        // kappa·k·x₀/(k + κ) = 4 a bead.
        deviation(&forces, 4.0 * beads as f64);
    }
    assert_joint(&deviations);
}

/// All kinds of externals, stages and schemes: fixed beads keep their bits, free beads move.
#[test]
fn fixed_beads_never_move() {
    let system = Arc::new(helix(20));
    let start = shaken(&system.particles.positions, 0.1, 1);
    let fixed = vec![0, 7, 8];
    let ends = || Ends { fixed: vec![0], pulled: vec![0, 19], direction: None, ..Ends::default() };
    for case in CASES {
        let stages = [
            (StageKind::Minimise { tolerance: 1e-2, steps: 200, push_off: 0 }, vec![]),
            (
                StageKind::Dynamics { steps: 500 },
                vec![External::Restrain(Restrain { beads: vec![0, 3, 7], stiffness: 1.0 })],
            ),
            (
                StageKind::Dynamics { steps: 500 },
                vec![
                    External::Force(Force { ends: ends(), force: 1.0 }),
                    External::ForceRamp(ForceRamp { ends: ends(), rate: 1e-5 }),
                    External::Spring(Spring {
                        ends: ends(),
                        stiffness: 0.05,
                        speed: 1e-4,
                        update_every: 10,
                    }),
                ],
            ),
        ]
        .map(|(kind, externals)| Stage {
            kind,
            fixed: fixed.clone(),
            ..stage(0, externals)
        });
        let protocol = protocol(sop_dynamics(case), stages.to_vec());
        let mut run = Member::new(system.clone(), Arc::new(protocol), 0, &start);
        let before = run.positions();
        for number in 0..3 {
            if number > 0 {
                run.begin_stage(number);
            }
            run.advance(u64::MAX).unwrap();
            let now = run.positions();
            for bead in 0..20 {
                assert_eq!(now[bead] == before[bead], fixed.contains(&bead), "{case:?} {bead}");
            }
        }
        assert!(coordinates(&run).iter().all(|x| x.is_finite()));
    }
}

/// The mean force of a named external follows from its work; it is the mean over the steps that all externals together have,
/// whether rows are near or far, and whether the member goes on from a state. The shares of several add up to the sum.
#[test]
fn named_externals_have_columns_of_their_own() {
    let system = Arc::new(helix(20));
    let ends = |name: &str| Ends {
        fixed: vec![2],
        pulled: vec![18, 19],
        name: name.into(),
        ..Ends::default()
    };
    let spring = |name: &str, speed: f64, update_every: u64| {
        External::Spring(Spring { ends: ends(name), stiffness: 0.05, speed, update_every })
    };
    let force = External::Force(Force { ends: ends("clamp"), force: -0.4 });
    let ramp = External::ForceRamp(ForceRamp { ends: ends("ramp"), rate: 1e-5 });
    let sideways = Ends { fixed: vec![], direction: Some([0.0, 0.6, 0.8]), ..ends("side") };
    let sideways =
        External::Spring(Spring { ends: sideways, stiffness: 0.08, speed: -2e-4, update_every: 1 });
    let together = vec![spring("a", 1e-4, 1), force.clone(), ramp.clone(), sideways.clone()];
    for case in CASES {
        for externals in
            [vec![spring("a", 1e-4, 1)], vec![force.clone()], vec![ramp.clone()], together.clone()]
        {
            assert_named(&system, case, &externals);
        }
    }
    // A base that stands and a force that is held leave no trace of their means in the work.
    for external in [spring("a", 0.0, 1), spring("a", 1e-4, 10)] {
        let stages = vec![stage(100, vec![external])];
        let protocol = Arc::new(protocol(sop_dynamics(CASES[0]), stages));
        let mut run = Member::new(system.clone(), protocol, 0, &system.particles.positions);
        run.advance(100).unwrap();
        let row = run.measure().unwrap();
        let of_a = |quantity| row.of_column(&pull_column("a", quantity));
        assert_eq!(of_a(Observable::MeanForce), None);
        assert_eq!(of_a(Observable::Force), row.get(Observable::Force));
    }
}

fn pull_column(name: &str, quantity: Observable) -> MeasuredColumn {
    MeasuredColumn::OfPull(PullColumn { pull: name.into(), quantity })
}

/// Rows at irregular steps, with a restored state between two of them.
fn assert_named(system: &Arc<System>, case: (Integrator, Precision), externals: &[External]) {
    let protocol = protocol(sop_dynamics(case), vec![stage(20_000, externals.to_vec())]);
    let protocol = Arc::new(protocol);
    let mut run = Member::new(system.clone(), protocol.clone(), 0, &system.particles.positions);
    let mut step = 0;
    for steps in [1, 2, 700, 40, 3_000, 1, 999] {
        run.advance(steps / 2).unwrap();
        let state = run.state();
        run = Member::restore(system.clone(), protocol.clone(), 0, state);
        run.advance(steps - steps / 2).unwrap();
        step += steps;
        let row = run.measure().unwrap();
        let sum = |quantity| -> f64 {
            let of = |one: &External| row.of_column(&pull_column(one.name().unwrap(), quantity));
            externals.iter().map(|one| of(one).unwrap()).sum()
        };
        for quantity in [Observable::Force, Observable::MeanForce, Observable::Work] {
            let (all, sum) = (row.get(quantity).unwrap(), sum(quantity));
            // pN and pN nm of the size of one; a step's way of the base divides the rounding of the work.
            assert!((all - sum).abs() < 1e-6, "{case:?} {quantity:?} at {step}: {sum} for {all}");
        }
        let of_a = |quantity| row.of_column(&pull_column("a", quantity));
        if externals[0].name() == Some("a") {
            let way = 1e-4 * 20.0 * step as f64 / 10.0;
            assert!((of_a(Observable::BaseTravel).unwrap() - way).abs() < 1e-12);
        }
        let positions = run.positions();
        if externals.len() > 1 {
            let expected = extension(&[2], &[18, 19], &positions) / 10.0;
            assert_eq!(of_a(Observable::Extension), Some(expected));
            // Without held beads the extension is the way along the direction, here against it in the long run.
            let side = row.of_column(&pull_column("side", Observable::Extension)).unwrap();
            let (start, now) = (&system.particles.positions, &positions);
            let way = |axis: usize| {
                0.5 * (18..20).map(|bead| now[bead][axis] - start[bead][axis]).sum::<f64>()
            };
            assert!((side - (0.6 * way(1) + 0.8 * way(2)) / 10.0).abs() < 1e-7, "{side}");
        }
    }
}

/// Without noise and from rest, a step moves a bead by the first step's mobility times the force, with each integrator.
#[test]
fn the_mobility_of_the_first_step_is_the_way_by_a_force() {
    for units in [Units::Real, Units::Reduced] {
        let mut free = Arc::unwrap_or_clone(system(vec![[0.0; 3]; 2], Interactions::default()));
        free.units = units;
        free.types = vec![ParticleType { friction: Some(2.5), ..ParticleType::new("bead", 40.0) }];
        let free = Arc::new(free);
        for integrator in Integrator::ALL {
            let dynamics = cold((integrator, Precision::Double), 0.1);
            let pulled = Force { ends: along_x(vec![1]), force: 6.0 };
            let stage = stage(1, vec![External::Force(pulled)]);
            let first = FirstStep::of(&free, &dynamics, &stage);
            let protocol = Arc::new(protocol(dynamics, vec![stage]));
            let mut run = Member::new(free.clone(), protocol, 0, &free.particles.positions);
            run.advance(1).unwrap();
            let (way, expected) = (run.positions()[1][0], 6.0 * first.mobilities[1]);
            assert!(expected > 0.0);
            assert!((way / expected - 1.0).abs() < 1e-9, "{integrator:?}: {way} for {expected}");
        }
    }
    // Beads that do not move have none.
    let (free, dynamics) = (trapped(2, 1.0), cold(CASES[0], 0.1));
    let held = Stage { fixed: vec![1], ..stage(1, vec![]) };
    assert_eq!(FirstStep::of(&free, &dynamics, &held).mobilities, [0.1, 0.0]);
    let kind = StageKind::Minimise { tolerance: 1.0, steps: 1, push_off: 0 };
    let minimised = Stage { kind, ..stage(1, vec![]) };
    assert_eq!(FirstStep::of(&free, &dynamics, &minimised).mobilities, [0.0, 0.0]);
}

/// A bead has the room that the first of its own bonds to break leaves it, from where the energy of the bond is lowest.
#[test]
fn the_rooms_of_the_first_step_are_those_of_bonds() {
    let fene = FeneBond { stiffness: 20.0, limit: 0.4, length: 3.8 };
    let repulsive = RepulsiveFeneBond { stiffness: 30.0, limit: 1.5, depth: 1.0, diameter: 1.0 };
    let bonded = vec![
        vec![Pair { i: 0, j: 1, potential: fene }].into(),
        vec![Pair { i: 1, j: 2, potential: repulsive }].into(),
    ];
    let chain = system(vec![[0.0; 3]; 4], Interactions { bonded, ..Interactions::default() });
    let first = FirstStep::of(&chain, &cold(CASES[0], 0.1), &stage(1, vec![]));
    let [one, two, three, free] = first.rooms[..] else { panic!("four beads") };
    assert_eq!((one, two, free), (0.4, 0.4, f64::INFINITY));
    let force = |r: f64| repulsive.force_over_distance(r * r);
    assert!(force(1.5 - three - 1e-9) > 0.0 && force(1.5 - three + 1e-9) < 0.0, "{three}");
}
