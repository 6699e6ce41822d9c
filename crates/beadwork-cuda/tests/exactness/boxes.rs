//! Periodic boxes and the pair thermostat: lanes, blocks and clusters have the bits of the reference path, whatever the
//! launches, and name its errors.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job, LaunchOverrides, Plan, Rounding, obstacle, usual_plan};
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    DpdConservative, DpdThermostat, FeneBond, HarmonicTrap, LennardJones, PairNoise, PairThermostat,
};
use beadwork_model::{
    Boundary, Dynamics, Generator, Integrator, Interactions, Pair, Precision, Protocol, Single,
    Stage, System,
};
use beadwork_simulation::{Failure, MemberState, SamplePoint, StepError};

use crate::boxed::{at_random, calm, mixture, mixture_of_range};
use crate::stepping::{assert_same, by_reference, device, new_member, stepped, without_squares};
use crate::support::{CASES, WITH_VELOCITIES, choices, dynamics, protocol, stage};

type Case = (Integrator, Precision);

/// Beads with a core whose cutoff is a quarter of the sides or more.
pub fn lennard_jones(beads: usize) -> System {
    let mut system = at_random(beads, 1.5, 8);
    let pair = LennardJones::cut(1.0, 1.0, 2.5);
    let entry = PairEntry { potential: pair, cutoff: 2.5 };
    system.interactions.pairs = vec![PairTable::new(2, |_, _| entry).into()];
    system
}

/// A fluid of DPD with friction, repulsion and cutoffs by types, which a factor multiplies.
fn dpd_fluid(beads: usize, noise: PairNoise, range: f64) -> System {
    let mut system = at_random(beads, 0.0, 9);
    let cutoff = |a: usize, b: usize| range * (2.5 + 0.5 * (a + b) as f64);
    let soft = |a, b| {
        let cutoff = cutoff(a, b);
        PairEntry { potential: DpdConservative { strength: 25.0, cutoff }, cutoff }
    };
    let drag = |a, b| {
        let cutoff = cutoff(a, b) - 0.25 * range;
        let friction = 4.5 + (a + b) as f64;
        PairEntry { potential: DpdThermostat { friction, cutoff }, cutoff }
    };
    system.interactions.pairs = vec![PairTable::new(2, soft).into()];
    let thermostat = PairThermostat { table: PairTable::new(2, drag), noise };
    system.interactions.thermostat = Some(thermostat);
    system
}

/// A plan of the tests: lanes, a block, a cluster of two, or a grid with lists, with lists that warps share, or with bricks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Lanes,
    Block,
    Cluster,
    Grid,
    SharedLists,
    Bricks,
}

pub const FORMS: [Form; 6] =
    [Form::Lanes, Form::Block, Form::Cluster, Form::Grid, Form::SharedLists, Form::Bricks];

/// Those of the grid plan.
pub const GRIDS: [Form; 3] = [Form::Grid, Form::SharedLists, Form::Bricks];

/// A factor for cutoffs: bricks need three cells or more along each side.
fn range(form: Form) -> f64 {
    if form == Form::Bricks { 0.6 } else { 1.0 }
}

pub fn in_form(device: &Device, form: Form) -> Ensemble {
    let (lanes, cluster, members) = match form {
        Form::Lanes => (true, None, Some(8)),
        Form::Block => (false, Some(1), Some(2)),
        Form::Cluster => (false, Some(2), Some(1)),
        Form::Grid | Form::SharedLists | Form::Bricks => (false, None, None),
    };
    let plan = if GRIDS.contains(&form) { Plan::Grid } else { Plan::Block };
    let (lists, shared_lists) = (Some(form != Form::Bricks), Some(form == Form::SharedLists));
    let lanes = Some(lanes);
    let overrides =
        LaunchOverrides { lanes, cluster, members, lists, shared_lists, ..Default::default() };
    let ensemble = Ensemble::new(device).unwrap().with_plan(plan);
    ensemble.with_rounding(Rounding::AsWritten).with_overrides(overrides)
}

fn protocol_of(case: Case, generator: Generator, steps: u64) -> Arc<Protocol> {
    let stages = vec![stage(steps, vec![]), Stage { fixed: vec![0, 7], ..stage(steps, vec![]) }];
    Arc::new(Protocol { randomness: generator.into(), ..protocol(calm(case), stages) })
}

/// Steps members 3 and 4 in launches of several lengths, and compares them with the reference path.
#[track_caller]
fn check(
    device: &Device,
    form: Form,
    name: &str,
    system: System,
    case: Case,
    generator: Generator,
) {
    if form == Form::Bricks {
        // Else lists would be tested in their place.
        let Boundary::Periodic { lengths } = system.boundary else { unreachable!() };
        let cutoff = system.interactions.pair_cutoff();
        assert!(lengths.iter().all(|length| *length > 3.01 * cutoff), "{name}");
    }
    let (system, protocol) = (Arc::new(system), protocol_of(case, generator, 24));
    let expected: Vec<MemberState> =
        (3..5).map(|number| by_reference(&system, &protocol, number)).collect();
    let start = new_member(&system, &protocol, 3).state();
    assert_ne!(start.extra.places.map(|places| places.images), {
        expected[0].extra.places.clone().map(|places| places.images)
    });
    for chunks in [vec![100], vec![1, 6, 2], vec![11]] {
        let all = (3..5).map(|number| new_member(&system, &protocol, number)).collect();
        let found = stepped(&mut in_form(device, form), all, chunks.iter().copied().cycle());
        for (found, expected) in found.into_iter().zip(&expected) {
            let what = format!("{name} {case:?} {generator:?}, {form:?}, launches of {chunks:?}");
            assert_eq!(found.extra.motion, expected.extra.motion, "{what}");
            assert_eq!(found.extra.places, expected.extra.places, "{what}");
            assert_same(&without_squares(found), &without_squares(expected.clone()), &what);
        }
    }
}

/// Compares 60 beads with bonds, angles and fields with the reference path.
pub fn check_mixture(device: &Device, form: Form, case: Case, generator: Generator) {
    check(device, form, "60 beads", mixture_of_range(60, range(form)), case, generator);
}

/// All pairs, bits of near pairs or masks, lists; each case has one system in turn.
fn every_integrator(form: Form) {
    let Some(device) = device() else { return };
    let mixture = |beads| mixture_of_range(beads, range(form));
    let systems = [
        ("45 beads with cores", lennard_jones(45)),
        ("60 beads with bonds, angles and fields", mixture(60)),
        ("150 beads with bonds, angles and fields", mixture(150)),
    ];
    // Bricks have no generators with a state.
    let other = if form == Form::Bricks { Generator::SaruTea } else { Generator::HybridTaus };
    let generators = [Generator::Philox4x32x10, other].into_iter().cycle();
    let cases = CASES.into_iter().chain(WITH_VELOCITIES).zip(generators).enumerate();
    for (number, (case, generator)) in cases {
        // Lanes have few beads; each system has both precisions.
        let place = match form {
            Form::Lanes => (number + number / 2) % 2,
            _ => number % 3,
        };
        let (name, system) = &systems[place];
        check(&device, form, name, system.clone(), case, generator);
    }
}

#[test]
fn lanes_in_a_box_are_the_reference_path_to_the_bit() {
    every_integrator(Form::Lanes);
}

#[test]
fn a_block_in_a_box_is_the_reference_path_to_the_bit() {
    every_integrator(Form::Block);
}

#[test]
fn a_grid_in_a_box_is_the_reference_path_to_the_bit() {
    every_integrator(Form::Grid);
}

#[test]
fn a_grid_with_shared_lists_in_a_box_is_the_reference_path_to_the_bit() {
    every_integrator(Form::SharedLists);
}

#[test]
fn bricks_in_a_box_are_the_reference_path_to_the_bit() {
    every_integrator(Form::Bricks);
}

/// After 100 steps of a launch beads are dealt out to other threads.
#[test]
fn a_grid_that_deals_beads_out_is_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    let (philox, single) = (Generator::Philox4x32x10, Precision::Single);
    for form in GRIDS {
        for (system, integrator) in [
            (dpd_fluid(600, PairNoise::Uniform, range(form)), Integrator::VelocityVerlet),
            (mixture_of_range(150, range(form)), Integrator::LangevinMiddle),
            (mixture(150), Integrator::Brownian),
        ] {
            let case = (integrator, single);
            let (system, protocol) = (Arc::new(system), protocol_of(case, philox, 230));
            let expected = by_reference(&system, &protocol, 3);
            for chunks in [[1000, 1000], [70, 150]] {
                let member = new_member(&system, &protocol, 3);
                let chunks = chunks.into_iter().cycle();
                let found = stepped(&mut in_form(&device, form), vec![member], chunks);
                let what = format!("{form:?} {integrator:?}");
                let found = found.into_iter().next().unwrap();
                assert_eq!(found.extra.motion, expected.extra.motion, "{what}");
                assert_eq!(found.extra.places, expected.extra.places, "{what}");
                assert_same(&without_squares(found), &without_squares(expected.clone()), &what);
            }
        }
    }
}

/// Threads with many slots, among which beads are dealt out three times; and beads with more neighbours than a shared sum of 32 bits has
/// room for.
#[test]
fn shared_lists_of_many_slots_and_neighbours_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    let case = (Integrator::VelocityVerlet, Precision::Single);
    for (beads, steps, cluster) in [(600, 115, Some(2)), (4_200, 2, None)] {
        let system = Arc::new(dpd_fluid(beads, PairNoise::Uniform, 1.0));
        let protocol = protocol_of(case, Generator::Philox4x32x10, steps);
        let expected = by_reference(&system, &protocol, 3);
        let threads = cluster.map(|_| 32);
        let (lists, shared_lists) = (Some(true), Some(true));
        let overrides =
            LaunchOverrides { cluster, threads, lists, shared_lists, ..Default::default() };
        let ensemble = Ensemble::new(&device).unwrap().with_plan(Plan::Grid);
        let mut ensemble = ensemble.with_rounding(Rounding::AsWritten).with_overrides(overrides);
        let member = new_member(&system, &protocol, 3);
        let found = stepped(&mut ensemble, vec![member], [1_000].into_iter().cycle());
        let found = found.into_iter().next().unwrap();
        assert_eq!(found.extra.motion, expected.extra.motion, "{beads} beads");
        assert_same(&without_squares(found), &without_squares(expected), &format!("{beads} beads"));
    }
}

#[test]
fn a_cluster_in_a_box_is_the_reference_path_to_the_bit() {
    every_integrator(Form::Cluster);
}

/// Kinds of noise between pairs, in both precisions; 140 beads have lists.
fn thermostats(form: Form) {
    let Some(device) = device() else { return };
    let few = [Generator::Philox4x32x10, Generator::Philox4x32x7, Generator::Saru];
    let generators = few.into_iter().chain([Generator::SaruTea, Generator::HybridTaus]);
    for (number, generator) in generators.enumerate() {
        let noise = [PairNoise::Uniform, PairNoise::Normal][number / 2 % 2];
        let precision = Precision::ALL[number % 2];
        let beads = match form {
            Form::Lanes => 64,
            Form::Bricks => 250,
            _ if number == 2 => 140,
            _ => 64,
        };
        let name = format!("{beads} beads of a DPD fluid with {noise:?} noise");
        let case = (Integrator::VelocityVerlet, precision);
        check(&device, form, &name, dpd_fluid(beads, noise, range(form)), case, generator);
    }
}

#[test]
fn lanes_with_a_pair_thermostat_are_the_reference_path_to_the_bit() {
    thermostats(Form::Lanes);
}

#[test]
fn a_block_with_a_pair_thermostat_is_the_reference_path_to_the_bit() {
    thermostats(Form::Block);
}

#[test]
fn a_cluster_with_a_pair_thermostat_is_the_reference_path_to_the_bit() {
    thermostats(Form::Cluster);
}

#[test]
fn a_grid_with_a_pair_thermostat_is_the_reference_path_to_the_bit() {
    thermostats(Form::Grid);
}

#[test]
fn shared_lists_with_a_pair_thermostat_are_the_reference_path_to_the_bit() {
    thermostats(Form::SharedLists);
}

#[test]
fn bricks_with_a_pair_thermostat_are_the_reference_path_to_the_bit() {
    thermostats(Form::Bricks);
}

/// Cells that hold more beads than they have room for at first, at the start and after some steps, and so many that bricks
/// become lists.
#[test]
fn bricks_with_crowded_cells_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for (crowd, spread) in [(60, 0.3), (60, 4.0), (400, 0.3)] {
        let mut system = dpd_fluid(500, PairNoise::Uniform, 1.0);
        let weak =
            PairEntry { potential: DpdConservative { strength: -0.05, cutoff: 2.5 }, cutoff: 2.5 };
        system.interactions.pairs = vec![PairTable::new(2, |_, _| weak).into()];
        system.interactions.thermostat = None;
        for (bead, at) in system.particles.positions.iter_mut().enumerate().take(crowd) {
            *at =
                [1.0, 2.0, 3.0].map(|part| (spread * part * bead as f64 * 0.618).fract() * spread);
        }
        let case = (Integrator::LangevinMiddle, Precision::Single);
        let (system, protocol) =
            (Arc::new(system), protocol_of(case, Generator::Philox4x32x10, 40));
        let expected = by_reference(&system, &protocol, 3);
        let member = new_member(&system, &protocol, 3);
        let found =
            stepped(&mut in_form(&device, Form::Bricks), vec![member], [100].into_iter().cycle());
        let found = found.into_iter().next().unwrap();
        assert_eq!(found.extra.motion, expected.extra.motion, "{crowd} beads within {spread}");
        assert_same(&without_squares(found), &without_squares(expected), "crowded");
    }
}

/// All beads are in a third of the box, so that bricks there have more of them than they have room for, though no cell has: a launch
/// is given up, in which beads of such bricks had no forces.
#[test]
fn bricks_with_too_many_beads_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for beads in [800, 1_500] {
        let mut system = dpd_fluid(beads, PairNoise::Uniform, 0.3);
        system.interactions.thermostat = None;
        for at in &mut system.particles.positions {
            at[2] *= 0.34;
        }
        let case = (Integrator::LangevinMiddle, Precision::Single);
        let (system, protocol) =
            (Arc::new(system), protocol_of(case, Generator::Philox4x32x10, 12));
        let expected = by_reference(&system, &protocol, 3);
        let member = new_member(&system, &protocol, 3);
        let found =
            stepped(&mut in_form(&device, Form::Bricks), vec![member], [100].into_iter().cycle());
        let found = found.into_iter().next().unwrap();
        assert_eq!(found.extra.motion, expected.extra.motion, "{beads} beads");
        assert_same(&without_squares(found), &without_squares(expected), "too many");
    }
}

/// In open space, and alone: without any pair term.
#[test]
fn a_pair_thermostat_in_open_space_is_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for (form, alone) in FORMS.into_iter().zip([false, true, false, true, false]) {
        let mut system = dpd_fluid(50, PairNoise::Uniform, 1.0);
        system.boundary = Boundary::Open;
        if alone {
            system.interactions.pairs.clear();
        }
        let system = Arc::new(system);
        let case = (Integrator::VelocityVerlet, Precision::Single);
        let protocol = protocol_of(case, Generator::Philox4x32x10, 24);
        let expected = by_reference(&system, &protocol, 3);
        let member = new_member(&system, &protocol, 3);
        let found = stepped(&mut in_form(&device, form), vec![member], choices(2, 9));
        assert_eq!(found[0].extra.motion, expected.extra.motion, "{form:?}");
        assert_same(&found[0], &expected, &format!("{form:?}"));
    }
}

/// The failure of a member, and the member in the state that it leaves.
fn failure_of(ensemble: &mut Ensemble, mut member: Member) -> (Failure, MemberState) {
    let points = [SamplePoint { steps: 300, row: false }];
    let results = ensemble.advance(&[Job { member: &member, points: &points }]).unwrap();
    assert_eq!(results[0].samples(), 0);
    let failure = results[0].fail(&mut member).unwrap().expect("a member that fails");
    (failure, member.state())
}

/// A member fails at the same step for the same reason as on the reference path, and stays in the same state.
#[track_caller]
fn check_failure(system: System, dynamics: &Dynamics, is_expected: impl Fn(StepError) -> bool) {
    let Some(device) = device() else { return };
    let stages = vec![stage(300, vec![])];
    let protocol = Arc::new(protocol(dynamics.clone(), stages));
    let system = Arc::new(system);
    let start = system.particles.positions.clone();
    let member = || Member::new(system.clone(), protocol.clone(), 1, &start);
    let mut on_host = member().with_path(CpuPath::Reference);
    let expected = on_host.advance(300).unwrap_err();
    assert!(is_expected(expected.error), "{expected:?}");
    for form in FORMS {
        let (failure, state) = failure_of(&mut in_form(&device, form), member());
        let what = format!("{form:?} {:?} {:?}", dynamics.integrator, dynamics.precision);
        assert_eq!(failure.step, expected.step, "{what}: {failure:?}");
        match (failure.error, expected.error) {
            (StepError::BrokenBond { i, j, .. }, StepError::BrokenBond { i: k, j: l, .. }) => {
                assert_eq!((i, j), (k, l), "{what}");
            }
            (found, expected) => assert_eq!(found, expected, "{what}"),
        }
        let mut sound = member().with_path(CpuPath::Reference);
        sound.advance(on_host.step_number()).unwrap();
        let sound = without_squares(sound.state());
        assert_same(&without_squares(state), &sound, &what);
        assert_eq!(sound.extra.places, on_host.state().extra.places, "{what}");
    }
}

/// Integrators with other ends of a step, in both precisions.
fn some_cases() -> [Case; 3] {
    [CASES[0], CASES[3], WITH_VELOCITIES[4]]
}

/// Fields throw two beads onto each other, across a face, in one step.
#[test]
fn forces_beyond_the_range_name_their_bead_on_a_gpu() {
    for case in some_cases() {
        let mut system = at_random(30, 1.2, 5);
        let pair = LennardJones::cut(1.0, 1.0, 2.5);
        let entry = PairEntry { potential: pair, cutoff: 2.5 };
        system.interactions.pairs = vec![PairTable::new(2, |_, _| entry).into()];
        system.particles.positions[11] = [-3.9, 0.1, 0.2];
        system.particles.positions[17] = [3.9, 0.1, 0.2];
        let trap = |bead, x| {
            let potential = HarmonicTrap { stiffness: 1e9, centre: [x, 0.1, 0.2] };
            Single { bead, potential }
        };
        system.interactions.singles = vec![vec![trap(17, 3.999), trap(11, -3.999)].into()];
        // A displacement of the distance to the field's point: k h/ξ = 1, or h² k/(2m) = 1.
        let timestep = if case.0.has_velocities() { 2e-9_f64.sqrt() } else { 1e-9 };
        let dynamics = Dynamics { skin: 0.3, temperature: 0.0, ..dynamics(case, timestep) };
        check_failure(system, &dynamics, |error| {
            matches!(error, StepError::ForceTooLarge { bead: 11, .. })
        });
    }
}

/// A field that a step overshoots grows until a move is a quarter of a side.
#[test]
fn moves_beyond_a_quarter_of_a_side_name_their_bead_on_a_gpu() {
    for case in some_cases() {
        let mut system = at_random(40, 0.0, 6);
        let potential = HarmonicTrap { stiffness: 3.0, centre: [3.9, 0.0, 0.0] };
        system.particles.positions[23] = [3.5, 0.0, 0.0];
        system.interactions.singles = vec![vec![Single { bead: 23, potential }].into()];
        // The largest stable steps are 2/k and 2/√k; the second-order scheme has 2/k too.
        let timestep = if case.0.has_velocities() { 1.5 } else { 0.9 };
        let dynamics = Dynamics { skin: 0.3, temperature: 1e-3, ..dynamics(case, timestep) };
        check_failure(system, &dynamics, |error| error == StepError::MovedTooFar { bead: 23 });
    }
}

/// A bond across a face breaks: images go back with positions.
#[test]
fn a_bond_that_breaks_in_a_box_is_named_on_a_gpu() {
    for case in some_cases() {
        let mut system = at_random(6, 0.0, 7);
        system.particles.positions[..2].copy_from_slice(&[[3.9, 0.0, 0.0], [-3.2, 0.0, 0.0]]);
        let potential = FeneBond { stiffness: 1.0, limit: 0.3, length: 0.9 };
        let bonded = vec![vec![Pair { i: 0, j: 1, potential }].into()];
        system.interactions = Interactions { bonded, ..Interactions::default() };
        let timestep = if case.0.has_velocities() { 0.05 } else { 0.004 };
        let dynamics = Dynamics { skin: 0.3, ..dynamics(case, timestep) };
        check_failure(system, &dynamics, |error| {
            matches!(error, StepError::BrokenBond { i: 0, j: 1, .. })
        });
    }
}

/// A small box takes a block, also where only fields act and with a generator that has a state.
#[test]
fn boxes_and_pair_thermostats_take_blocks() {
    let Some(device) = device() else { return };
    let mut fields = mixture(60);
    let singles = std::mem::take(&mut fields.interactions.singles);
    fields.interactions = Interactions { singles, ..Interactions::default() };
    let heated = System { boundary: Boundary::Open, ..dpd_fluid(20, PairNoise::Uniform, 1.0) };
    let of_a_key = Generator::Philox4x32x10;
    let cases = [
        (fields, CASES[0], vec![of_a_key, Generator::Ran2]),
        (heated, WITH_VELOCITIES[4], vec![of_a_key]),
    ];
    for (system, case, generators) in cases {
        let system = Arc::new(system);
        for generator in generators {
            let member = new_member(&system, &protocol_of(case, generator, 9), 3);
            let plan = usual_plan(&device, &member, Some(1));
            assert_eq!(
                (obstacle(&member), plan),
                (None, Some(Plan::Block)),
                "{}",
                generator.name()
            );
        }
    }
}

/// Fluids in boxes of more than 128 beads take bricks though they have room in a block, but not where many beads are near each
/// other, as in boxes with fewer than three cells along a side, or with a generator that has a state for each bead.
#[test]
fn fluids_of_a_few_hundred_beads_take_bricks() {
    let Some(device) = device() else { return };
    let plan = |beads, range, generator| {
        let system = Arc::new(dpd_fluid(beads, PairNoise::Uniform, range));
        let member = new_member(&system, &protocol_of(WITH_VELOCITIES[4], generator, 9), 3);
        usual_plan(&device, &member, Some(1))
    };
    let philox = Generator::Philox4x32x10;
    assert_eq!(plan(150, 0.6, philox), Some(Plan::Grid));
    assert_eq!(plan(128, 0.6, philox), Some(Plan::Block));
    assert_eq!(plan(400, 0.6, philox), Some(Plan::Block));
    assert_eq!(plan(150, 1.0, philox), Some(Plan::Block));
    assert_eq!(plan(150, 0.6, Generator::HybridTaus), Some(Plan::Block));
}

/// Fused sums of products: the same number of steps, and nearly the same positions after a few of them.
#[test]
fn fused_sums_in_a_box_are_near_the_reference_path() {
    let Some(device) = device() else { return };
    let system = Arc::new(dpd_fluid(64, PairNoise::Uniform, 1.0));
    for precision in Precision::ALL {
        let case = (Integrator::VelocityVerlet, precision);
        let protocol = protocol_of(case, Generator::Philox4x32x10, 5);
        let expected = by_reference(&system, &protocol, 3);
        for form in FORMS {
            let mut ensemble = in_form(&device, form).with_rounding(Rounding::Fused);
            let member = new_member(&system, &protocol, 3);
            let found = stepped(&mut ensemble, vec![member], std::iter::repeat(4)).remove(0);
            // Some hundred roundings of forces of some hundred, in steps of 0.005.
            let bound = if precision == Precision::Single { 1e-4 } else { 1e-12 };
            let errors = found.positions.iter().flatten().zip(expected.positions.iter().flatten());
            let largest = errors.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(largest < bound, "{form:?} {precision:?}: {largest:e}");
        }
    }
}
