//! A molecule between a tip and a surface: laws, and a WW domain at temperature zero against tables of an independent program.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests too")]

mod fixed_beads;
mod going_on;
mod noise;

use std::path::Path;
use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_model::externals::{
    BasePath, Cantilever, Contact, External, ExternalProblem, Moment, MoveSchedule, Surface,
    SurfacePlace, SurfacePoints, Tip, TipPlace,
};
use beadwork_model::force_fields::sop::{Beads, Parameters, build_from_topology};
use beadwork_model::made_systems::globule;
use beadwork_model::observables::Observable;
use beadwork_model::units::{PICONEWTON_NANOMETRES_PER_KCAL_MOL, PICONEWTONS_PER_FORCE};
use beadwork_model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork_simulation::StepError;
use beadwork_structure::{ReadOptions, read, read_sop_gpu_topology};
use beadwork_testing::shared_data;

/// Friction for which h/ζ is 0.08/50 at 20 ps, of beads and of the tip.
const FRICTION: f64 = 12_500.0;
const BEADS: usize = 34;

/// The tip of the tables; in an order of its own it moves every `moves_every` steps.
pub fn tip(moves_every: u64, schedule: MoveSchedule) -> Tip {
    Tip {
        beads: (0..BEADS).collect(),
        radius: 100.0,
        contact: Contact { epsilon: 1.0, sigma: 1.0, twelfth: 0.0, sixth: 1.0 },
        cantilever: Cantilever {
            stiffness: 0.5,
            friction: FRICTION,
            direction: [0.0, 0.0, -1.0],
            path: BasePath { speed: 2e-4 / 20.0, out: Some(50_000), rest: 0, cycles: 1 },
            moves_every,
            schedule,
            along_only: false,
            contact_force: 0.1,
            temperature: 0.0,
            goes_on: false,
        },
        place: TipPlace::Above(4.0),
    }
}

fn surface(sigma: f64, points: Option<SurfacePoints>) -> Surface {
    Surface {
        beads: (0..BEADS).collect(),
        contact: Contact { epsilon: 0.2, sigma, twelfth: 1.0, sixth: -2.0 },
        normal: [0.0, 0.0, 1.0],
        place: SurfacePlace::Below(10.0),
        points,
        goes_on: false,
    }
}

/// A molecule that moves as proteins do, wherever the tests run.
pub fn molecule() -> System {
    globule(BEADS).unwrap()
}

/// The WW domain of the tables.
fn ww() -> Option<System> {
    let topology = read_sop_gpu_topology(&shared_data("sop-gpu/ww/ww.top")?).unwrap();
    let start = shared_data("sop-gpu/ww/ww_ca.pdb")?;
    let structure = read(&start, &ReadOptions::default()).unwrap();
    let positions = Beads::from_structure(&structure).positions;
    Some(build_from_topology(&topology, positions, &Parameters::default()).unwrap())
}

fn protocol(externals: Vec<External>, precision: Precision) -> Protocol {
    Protocol {
        dynamics: Dynamics {
            integrator: Integrator::Brownian,
            temperature: 0.0,
            friction: FRICTION,
            timestep: 20.0,
            precision,
            skin: 4.0,
        },
        stages: vec![Stage {
            name: "indent".into(),
            kind: StageKind::Dynamics { steps: 100_000 },
            fixed: vec![],
            externals,
            stops: vec![],
        }],
        ends: (vec![0], vec![BEADS - 1]),
        columns: Vec::new(),
        seed: 1,
        randomness: Generator::Philox4x32x10.into(),
    }
}

/// The largest difference from a table, relative to the larger of the value and of `scale`.
fn difference(tip: Tip, surface: Surface, table: &Path) -> f64 {
    let system = ww().unwrap();
    let start = system.particles.positions.clone();
    let externals = vec![External::Tip(tip), External::Surface(surface)];
    let protocol = protocol(externals, Precision::Double);
    let mut member = Member::new(Arc::new(system), Arc::new(protocol), 0, &start);
    let text = std::fs::read_to_string(table).unwrap();
    let mut worst = 0.0_f64;
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
        member.advance(row[0] as u64 - member.step_number()).unwrap();
        let measured = member.measure().unwrap();
        let get = |observable| measured.get(observable).unwrap();
        // In Å and kcal/(mol Å); the force on the tip is along −z, so its opposite is the table's.
        let pairs = [
            (10.0 * get(Observable::BaseTravel), row[1], 1.0),
            (10.0 * get(Observable::TipX), row[2], 1.0),
            (10.0 * get(Observable::TipY), row[3], 1.0),
            (10.0 * get(Observable::TipZ), row[4], 1.0),
            (get(Observable::TipForce) / PICONEWTONS_PER_FORCE, row[7], 1e-3),
            (get(Observable::BondEnergy), row[9], 1e-3),
            (get(Observable::ContactEnergy), row[10], 1.0),
            (get(Observable::RepulsionEnergy), row[11], 1.0),
            (get(Observable::TipEnergy), row[12], 1e-3),
            (get(Observable::SurfaceEnergy), row[13], 1.0),
        ];
        for (found, expected, scale) in pairs {
            let off = (found - expected).abs() / expected.abs().max(scale);
            worst = worst.max(off);
        }
        rows += 1;
    }
    assert_eq!(rows, 101);
    eprintln!("largest difference {worst:.2e}");
    worst
}

#[test]
fn a_tip_that_moves_at_every_step_on_a_plane() {
    let Some(table) = shared_data("sop-gpu/reference/indent_ww_plane_every.csv") else { return };
    let of = |tip, surface| difference(tip, surface, &table);
    let plane = surface(10.0, None);
    assert!(of(tip(1, MoveSchedule::Earlier), plane.clone()) < 1e-6);
    // The table tells each of these from it.
    assert!(of(tip(1, MoveSchedule::Present), plane) > 1e-6);
}

#[test]
fn a_tip_that_moves_by_means_on_points() {
    let Some(table) = shared_data("sop-gpu/reference/indent_ww_points_nav.csv") else { return };
    let points = SurfacePoints { side: 15, spacing: 5.0 };
    let of = |tip| difference(tip, surface(8.0, Some(points)), &table);
    assert!(of(tip(100, MoveSchedule::Present)) < 1e-6);
    assert!(of(tip(100, MoveSchedule::Earlier)) > 1e-6);
}

/// The force of each external on its beads is the slope of its energy.
#[test]
fn forces_are_slopes_of_energies() {
    let positions: Vec<[f64; 3]> = (0..BEADS)
        .map(|bead| {
            let turn = bead as f64;
            [4.0 * turn.sin(), 4.0 * turn.cos(), 1.5 * turn]
        })
        .collect();
    let points = SurfacePoints { side: 3, spacing: 5.0 };
    let mut tilted = tip(10, MoveSchedule::Present);
    tilted.cantilever.direction = [0.6, 0.0, 0.8];
    let externals = [
        External::Tip(tip(1, MoveSchedule::Earlier)),
        External::Tip(tilted),
        External::Surface(surface(10.0, None)),
        External::Surface(surface(8.0, Some(points))),
        External::Surface(Surface { normal: [0.0, 0.6, 0.8], ..surface(10.0, None) }),
    ];
    for external in externals {
        let state = external.begin(&positions);
        for (bead, &at) in positions.iter().enumerate() {
            let force = external.force(&state, Moment::default(), bead, at);
            for axis in 0..3 {
                let energy = |step: f64| {
                    let mut moved = at;
                    moved[axis] += step;
                    external.energy(&state, Moment::default(), bead, moved)
                };
                let h = 1e-4;
                let slope = (energy(h) - energy(-h)) / (2.0 * h);
                let bound = 1e-6 * force[axis].abs() + 1e-9;
                assert!((force[axis] + slope).abs() < bound, "{} {bead}", external.kind());
            }
        }
    }
}

/// At temperature zero the base's work is the energy that bonds, contacts, tip, surface and cantilever gain, and what
/// friction takes from beads and tip; what is left falls with the time step, as the scheme is of first order.
#[test]
fn the_work_of_the_base_is_accounted_for() {
    let system = Arc::new(molecule());
    let left = |halvings: u32| {
        let parts = 1_u32 << halvings;
        let timestep = 20.0 / f64::from(parts);
        let mut own = tip(1, MoveSchedule::Earlier);
        own.cantilever.path = BasePath { speed: 2e-3 / 20.0, out: None, rest: 0, cycles: 1 };
        let (stiffness, direction) = (own.cantilever.stiffness, own.cantilever.direction);
        let externals = vec![External::Tip(own), External::Surface(surface(10.0, None))];
        let mut protocol = protocol(externals, Precision::Double);
        protocol.dynamics.timestep = timestep;
        protocol.stages[0].kind = StageKind::Dynamics { steps: 10_000 * u64::from(parts) };
        let start = system.particles.positions.clone();
        let mut member = Member::new(system.clone(), Arc::new(protocol), 0, &start);
        // kcal/mol: the total of the table, and the cantilever's energy, which follows from tip and base.
        let energy = |member: &mut Member| {
            let measured = member.measure().unwrap();
            let state = member.state();
            // Å: the tip as the table has it, which moves with the step that comes.
            let tip = [Observable::TipX, Observable::TipY, Observable::TipZ]
                .map(|column| 10.0 * measured.get(column).unwrap());
            let base = 10.0 * measured.get(Observable::BaseTravel).unwrap();
            let cantilever = (0..3).map(|axis| {
                let base = state.externals[0].origin[axis] + base * direction[axis];
                0.5 * stiffness * (base - tip[axis]).powi(2)
            });
            let total = measured.get(Observable::TotalEnergy).unwrap();
            let work = measured.get(Observable::Work).unwrap() / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
            (total + cantilever.sum::<f64>(), work, state.positions, tip)
        };
        let square = |a: [f64; 3], b: [f64; 3]| -> f64 {
            (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum()
        };
        let (first, _, mut before, mut tip_before) = energy(&mut member);
        let (mut last, mut work, mut dissipated) = (first, 0.0, 0.0);
        for _ in 0..10_000 * parts {
            member.advance(1).unwrap();
            let (now, done, positions, tip) = energy(&mut member);
            let moved: f64 = positions.iter().zip(&before).map(|(a, b)| square(*a, *b)).sum();
            dissipated += FRICTION / timestep * (moved + square(tip, tip_before));
            (last, work, before, tip_before) = (now, done, positions, tip);
        }
        eprintln!("work {work:.6} gained {:.6} lost {dissipated:.6}", last - first);
        assert!(work > 1.0, "{work}");
        (work - (last - first) - dissipated).abs() / work
    };
    let residuals = [0, 1, 2].map(left);
    eprintln!("residuals {residuals:?}");
    assert!(residuals[0] < 0.02, "{residuals:?}");
    for pair in residuals.windows(2) {
        assert!((0.4..0.6).contains(&(pair[1] / pair[0])), "{residuals:?}");
    }
}

/// Where a bead is too near to the tip, or to a surface after it, the tip has moved already; the state that is left can be read.
#[test]
fn a_state_after_a_bead_that_is_too_near_is_one_of_a_member() {
    let system = Arc::new(molecule());
    let start = &system.particles.positions;
    // The tip follows its base by 1 Å a step, and pushes too little to move a bead or itself.
    let weak = Contact { epsilon: 1e-6, sigma: 4.0, twelfth: 0.0, sixth: 1.0 };
    let path = BasePath { speed: 0.05, out: None, rest: 0, cycles: 1 };
    let still = tip(1, MoveSchedule::Earlier);
    let place = TipPlace::Above(3.5);
    let cantilever = Cantilever { friction: 10.0, path, ..still.cantilever };
    let fast = Tip { contact: weak, place, cantilever, ..still.clone() };
    // (0.008/0.1) 6 (0.1/0.05)⁷ = 61 kcal/(mol Å) draw the lowest bead by 61 · 20/12,500 Å, through the plane, in one step.
    let drawing = Contact { epsilon: 0.008, sigma: 0.1, twelfth: 0.0, sixth: -1.0 };
    let place = SurfacePlace::Below(0.05);
    let near = Surface { contact: drawing, place, ..surface(1.0, None) };
    for (tip, surface, failing) in [(fast, surface(10.0, None), 0), (still, near, 1)] {
        let externals = vec![External::Tip(tip), External::Surface(surface)];
        for precision in Precision::ALL {
            let protocol = Arc::new(protocol(externals.clone(), precision));
            for path in [CpuPath::Reference, CpuPath::best()] {
                let member = Member::new(system.clone(), protocol.clone(), 0, start);
                let mut member = member.with_path(path);
                let failure = member.advance(1_000).unwrap_err();
                let StepError::External { number, problem: ExternalProblem::TooNear { .. } } =
                    failure.error
                else {
                    panic!("{failure:?}")
                };
                let state = member.state();
                let moved = state.externals[0].moving.and_then(|moving| moving.step);
                assert_eq!((number, moved), (failing, Some(failure.step)), "{path:?}");
                assert_eq!(state.stage_step + 1, failure.step);
                assert_eq!(state.check(&system, &protocol), Ok(()));
            }
        }
    }
}
