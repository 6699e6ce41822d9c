//! Measurements of samples on the card: every number is the host's, to the bit.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job, LaunchOverrides, Plan};
use beadwork_model::observables::{MeasuredColumn, Observable, PullColumn};
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{DpdConservative, FeneBond};
use beadwork_model::{
    Boundary, Dynamics, Integrator, Model, Precision, Protocol, StageKind, System,
};
use beadwork_simulation::{Measurement, SamplePoint};

use crate::boxed::{at_random, at_random_in, calm, mixture, mixture_in, with_thermostat};
use crate::everything::{
    crowd, crowd_and_types, enter, everything, everything_and_types, protocol_of,
};
use crate::same_bits::{pulled, systems};
use crate::stepping::{device, new_member, protocol_of as protocol_of_member};
use crate::support::{CASES, WITH_VELOCITIES, helix, protocol, sop_dynamics, stage};

type Case = (Integrator, Precision);

/// What the host measures of the state of a member.
fn by_host(member: &Member, replica: u64) -> String {
    let system = Arc::new(member.system().clone());
    let protocol = protocol_of_member(member);
    let again = Member::restore(system, protocol, replica, member.state());
    assert_eq!(again.measured(), None);
    format!("{:?}", again.with_path(CpuPath::Reference).observe())
}

/// The mean force of a drive that pulls alone follows from its work, and is the one that the card adds up, pN.
fn assert_own_mean(row: &Measurement, what: &str) {
    let column = PullColumn { pull: "a".into(), quantity: Observable::MeanForce };
    if let Some(own) = row.of_column(&MeasuredColumn::OfPull(column)) {
        let all = row.get(Observable::MeanForce).unwrap();
        assert!((own - all).abs() < 1e-6, "{what}: {own} for {all}");
    }
}

/// Steps members through all of their stages in launches of `steps` steps, and compares each sample with the host. Returns the
/// samples that were measured on the card, and all.
fn compare(
    ensemble: &mut Ensemble,
    mut members: Vec<Member>,
    steps: u32,
    what: &str,
) -> [usize; 2] {
    let (mut on_card, mut all) = (0, 0);
    loop {
        let mut jobs = Vec::new();
        let mut done = true;
        for (number, member) in members.iter_mut().enumerate() {
            let protocol = protocol_of_member(member);
            if !enter(member, &protocol) {
                continue;
            }
            done = false;
            if !matches!(member.stage().kind, StageKind::Dynamics { .. }) {
                member.advance(u64::MAX).unwrap();
                continue;
            }
            let steps = member.remaining().min(u64::from(steps)) as u32;
            let apart = (steps / 3).max(1);
            let mut points =
                vec![SamplePoint { steps: apart, row: true }; (steps / apart) as usize];
            points[0].row = number % 2 == 0;
            jobs.push((number, points));
        }
        if done {
            return [on_card, all];
        }
        let launched: Vec<Job<'_>> =
            jobs.iter().map(|(number, points)| Job { member: &members[*number], points }).collect();
        let results = ensemble.advance(&launched).unwrap();
        for ((number, points), result) in jobs.iter().zip(&results) {
            let member = &mut members[*number];
            for (sample, point) in points.iter().enumerate().take(result.samples()) {
                result.bring(sample, member).unwrap();
                all += 1;
                on_card += usize::from(member.measured().is_some());
                let expected = by_host(member, *number as u64);
                let found = match point.row {
                    true => member.measure(),
                    false => member.observe(),
                };
                let step = member.step_number();
                assert_eq!(format!("{found:?}"), expected, "{what}, member {number}, step {step}");
                if !member.protocol().dynamics.integrator.has_velocities() {
                    assert_own_mean(&found.unwrap(), what);
                }
            }
            if result.fail(member).unwrap().is_some() {
                member.end_stage();
            }
        }
    }
}

/// The same system as beads in molecules of seven, a single bead last: other columns, with means over molecules.
fn in_molecules(mut system: System) -> System {
    let beads = system.beads();
    system.model = Model::Beads;
    system.particles.molecules = (0..beads as u32).map(|bead| bead / 7).collect();
    if let Some(last) = system.particles.molecules.last_mut() {
        *last += 1;
    }
    for (number, kind) in system.types.iter_mut().enumerate() {
        kind.mass = 90.0 + 7.3 * number as f64;
    }
    system
}

fn ensemble(device: &Device) -> Ensemble {
    Ensemble::new(device).unwrap()
}

#[test]
fn measurements_on_the_card_are_those_of_the_host() {
    let Some(device) = device() else { return };
    let named = systems().into_iter().filter(|(_, system)| system.beads() < 300);
    for ((name, system), case) in named.zip(CASES.into_iter().chain(WITH_VELOCITIES).cycle()) {
        let molecules = in_molecules(system.as_ref().clone());
        for (model, system) in [("", system), (" in molecules", Arc::new(molecules))] {
            let protocol = pulled(&system, case, beadwork_model::Generator::Philox4x32x10, 40);
            let members = (0..3).map(|number| new_member(&system, &protocol, number)).collect();
            let what = format!("{name}{model}, {case:?}");
            let [on_card, all] = compare(&mut ensemble(&device), members, 23, &what);
            assert!(on_card == all && all > 10, "{what}: {on_card} of {all}");
        }
    }
}

/// Externals of all kinds, restraints, fixed beads, members of two sizes and of different systems in one launch.
#[test]
fn measurements_with_drives_are_those_of_the_host() {
    let Some(device) = device() else { return };
    let systems = [Arc::new(everything()), Arc::new(everything_and_types())];
    for case in CASES {
        let member = |number: u64| {
            let generator = beadwork_model::Generator::Philox4x32x10;
            let protocol = protocol_of(case, generator, number);
            new_member(&systems[number as usize % 2], &protocol, number)
        };
        let what = format!("{case:?}");
        let members = (0..6).map(member).collect();
        let [on_card, all] = compare(&mut ensemble(&device), members, 50, &what);
        assert!(on_card == all && all > 30, "{what}: {on_card} of {all}");
    }
}

fn in_form(device: &Device, lanes: bool) -> Ensemble {
    let overrides = LaunchOverrides { lanes: Some(lanes), ..LaunchOverrides::default() };
    ensemble(device).with_overrides(overrides)
}

/// Virials, pressures and sizes need positions without wrap-around, of several samples of a launch.
#[test]
fn measurements_in_a_box_are_those_of_the_host() {
    let Some(device) = device() else { return };
    let cases: [Case; 6] = [
        (Integrator::Brownian, Precision::Single),
        (Integrator::BrownianSecondOrder, Precision::Double),
        (Integrator::Langevin, Precision::Single),
        (Integrator::LangevinMiddle, Precision::Double),
        (Integrator::VelocityVerlet, Precision::Single),
        (Integrator::VelocityVerlet, Precision::Double),
    ];
    for (number, case) in cases.into_iter().enumerate() {
        let mixed = mixture([60, 150, 40][number % 3]);
        let heated = case.0 == Integrator::VelocityVerlet;
        let system = if heated { with_thermostat(mixed) } else { mixed };
        let system = Arc::new(in_molecules(system));
        let protocol = Arc::new(protocol(calm(case), vec![stage(60, vec![])]));
        for plan in [Plan::Block, Plan::Grid] {
            let what = format!("{case:?} {plan:?}");
            let members = (0..3).map(|number| new_member(&system, &protocol, number)).collect();
            let mut of_plan = in_form(&device, number % 2 == 1 && plan == Plan::Block);
            of_plan = of_plan.with_plan(plan);
            let [on_card, all] = compare(&mut of_plan, members, 30, &what);
            assert!(on_card == all && all > 15, "{what}: {on_card} of {all}");
        }
    }
}

/// Every formula acts in a box too, and nothing but fields.
#[test]
fn every_formula_in_a_box_is_measured_as_on_the_host() {
    let Some(device) = device() else { return };
    let mut every = everything_and_types();
    let lengths = [61.0, 64.0, 80.0];
    every.boundary = Boundary::Periodic { lengths };
    let mut fields = at_random(33, 0.5, 5);
    fields.interactions.singles = mixture(33).interactions.singles;
    for (system, timestep) in [(every, 1.0), (fields, 1e-4)] {
        let system = Arc::new(in_molecules(system));
        for precision in Precision::ALL {
            let dynamics = Dynamics { timestep, ..sop_dynamics((Integrator::Brownian, precision)) };
            let protocol = Arc::new(protocol(dynamics, vec![stage(40, vec![])]));
            let members = (0..2).map(|number| new_member(&system, &protocol, number)).collect();
            let mut blocks = ensemble(&device).with_plan(Plan::Block);
            let [on_card, all] = compare(&mut blocks, members, 20, "in a box");
            assert!(on_card == all && all > 8, "{on_card} of {all}");
        }
    }
}

/// The samples before a bond breaks are measured; other members go on.
#[test]
fn a_member_that_fails_is_measured_until_then() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    let member = |number: u64| {
        let mut dynamics = sop_dynamics(CASES[0]);
        dynamics.temperature = if number == 1 { 60.0 } else { dynamics.temperature };
        let protocol = Arc::new(protocol(dynamics, vec![stage(400, vec![])]));
        new_member(&system, &protocol, number)
    };
    let members: Vec<Member> = (0..3).map(member).collect();
    assert!(members[1].clone().advance(400).is_err());
    let [on_card, all] = compare(&mut ensemble(&device), members, 30, "a hot member");
    assert!(on_card == all && all > 80, "{on_card} of {all}");
}

/// Moves the limit of a FENE bond to its length, almost.
fn stretch(system: &mut System) {
    let bond = &mut system.interactions.bonded_by_mut::<FeneBond>()[3];
    let at = &system.particles.positions;
    let square = |axis: usize| (at[bond.i][axis] - at[bond.j][axis]).powi(2);
    let distance = (square(0) + square(1) + square(2)).sqrt();
    bond.potential.length = distance - bond.potential.limit * (1.0 - 1e-6);
}

/// A member that does not move in one step.
fn at_rest(system: System) -> Member {
    let dynamics = Dynamics { temperature: 0.0, timestep: 1e-9, ..sop_dynamics(CASES[0]) };
    let protocol: Arc<Protocol> = Arc::new(protocol(dynamics, vec![stage(3, vec![])]));
    let start = system.particles.positions.clone();
    Member::new(Arc::new(system), protocol, 0, &start)
}

/// Whether a bond near its limit still holds depends on precision, so the host decides it.
#[test]
fn a_bond_near_its_limit_is_left_to_the_host() {
    let Some(device) = device() else { return };
    for mut system in [helix(20), crowd()] {
        let what = format!("{} beads", system.beads());
        let calm = at_rest(system.clone());
        assert_eq!(compare(&mut ensemble(&device), vec![calm], 3, &what), [3, 3]);
        stretch(&mut system);
        let member = at_rest(system);
        assert_eq!(compare(&mut ensemble(&device), vec![member], 3, &what), [0, 3]);
    }
}

/// Large systems in boxes, of which one has two cells along a side, and in open space beyond the cells. An emulated card
/// would take long for more beads.
#[test]
fn measurements_of_large_members_are_those_of_the_host() {
    let Some(device) = device() else { return };
    let is_card = device.properties().name != "emulated card";
    let of_range = |sides, beads, range| mixture_in(sides, beads, range);
    let mut open = of_range([8.0, 10.0, 90.0], 1_200, 1.0);
    open.boundary = Boundary::Open;
    let mut cases = vec![
        (of_range([16.0, 20.0, 18.0], 1_100, 0.6), Integrator::VelocityVerlet, Precision::Single),
        (
            of_range([8.0, 10.0, 81.0], 1_300, 1.0),
            Integrator::BrownianSecondOrder,
            Precision::Double,
        ),
        (open, Integrator::LangevinMiddle, Precision::Single),
    ];
    if is_card {
        let sides = [40.0, 30.0, 26.0];
        for (number, integrator) in
            [Integrator::VelocityVerlet, Integrator::Langevin, Integrator::Brownian]
                .into_iter()
                .enumerate()
        {
            let precision = Precision::ALL[number % 2];
            cases.push((of_range(sides, 6_000, 0.6), integrator, precision));
        }
    }
    for (system, integrator, precision) in cases {
        let beads = system.beads();
        let heated = integrator == Integrator::VelocityVerlet;
        let system = in_molecules(if heated { with_thermostat(system) } else { system });
        let system = Arc::new(system);
        let protocol = Arc::new(protocol(calm((integrator, precision)), vec![stage(6, vec![])]));
        let members = (0..2).map(|number| new_member(&system, &protocol, number)).collect();
        let what = format!("{beads} beads, {integrator:?} {precision:?}");
        assert_eq!(compare(&mut ensemble(&device), members, 6, &what), [6, 6], "{what}");
    }
}

/// Molecules of more than 1,024 beads, whose sizes are sums of runs too, beside small ones; every formula, and externals.
#[test]
fn measurements_of_large_molecules_are_those_of_the_host() {
    let Some(device) = device() else { return };
    let mut one_molecule = in_molecules(crowd_and_types());
    let ends = one_molecule.beads() - 40;
    for (bead, molecule) in one_molecule.particles.molecules.iter_mut().enumerate() {
        *molecule = bead.saturating_sub(ends) as u32 / 20;
    }
    for (system, case) in [(crowd(), CASES[0]), (one_molecule, CASES[1])] {
        let system = Arc::new(system);
        let protocol = pulled(&system, case, beadwork_model::Generator::Philox4x32x10, 4);
        let members = (0..2).map(|number| new_member(&system, &protocol, number)).collect();
        let what = format!("{case:?}, a system of molecules of more than a thousand beads");
        let [on_card, all] = compare(&mut ensemble(&device), members, 4, &what);
        assert!(on_card == all && all > 3, "{what}: {on_card} of {all}");
    }
}

/// A warp has room for 512 partners of a bead; the host measures more crowded samples.
#[test]
fn a_crowded_sample_is_left_to_the_host() {
    let Some(device) = device() else { return };
    for (crowded, expected) in [(500, [3, 3]), (600, [0, 3])] {
        let mut system = at_random_in([12.0, 20.0, 24.0], 1_100, 0.0, 7);
        for (bead, at) in system.particles.positions.iter_mut().enumerate() {
            let part = |axis: usize| ((axis + 2) as f64 * 0.618 * bead as f64).fract();
            *at = match bead < crowded {
                true => [0, 1, 2].map(|axis| 0.5 * part(axis)),
                false => [4.0 + 4.0 * part(0), 16.0 * part(1), 20.0 * part(2)],
            };
        }
        let soft = DpdConservative { strength: 1e-6, cutoff: 1.5 };
        let entry = PairEntry { potential: soft, cutoff: 1.5 };
        system.interactions.pairs = vec![PairTable::new(2, |_, _| entry).into()];
        let system = Arc::new(in_molecules(system));
        let dynamics = calm((Integrator::VelocityVerlet, Precision::Single));
        let dynamics = Dynamics { temperature: 0.0, ..dynamics };
        let protocol = Arc::new(protocol(dynamics, vec![stage(3, vec![])]));
        let members = vec![new_member(&system, &protocol, 0)];
        let what = format!("{crowded} beads at one place");
        assert_eq!(compare(&mut ensemble(&device), members, 3, &what), expected, "{what}");
    }
}
