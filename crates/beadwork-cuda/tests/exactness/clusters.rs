//! Members that several blocks share, those of a cluster or of a grid: more blocks than work, threads with many slots,
//! rows, failures and lists that grow during a launch.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job, LaunchOverrides, Plan, Rounding};
use beadwork_model::externals::{External, Restrain};
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{DebyeHuckel, DpdConservative, HarmonicTrap};
use beadwork_model::{Boundary, Dynamics, Generator, Protocol, Single, System};
use beadwork_simulation::SamplePoint;

use crate::boxed::{calm, mixture};
use crate::everything::{everything, everything_and_types};
use crate::plans::{cases, length_of, samples_of};
use crate::same_bits::pulled;
use crate::stepping::{assert_same, by_reference, device, new_member, stepped, without_squares};
use crate::support::{CASES, WITH_VELOCITIES, helix, protocol, sop_dynamics, stage};

/// Blocks that share a member, the threads of a block, and the lanes of a slot.
#[derive(Clone, Copy, Debug)]
struct Form {
    plan: Plan,
    blocks: usize,
    threads: Option<usize>,
    slot_lanes: Option<usize>,
}

const fn cluster(blocks: usize, threads: Option<usize>) -> Form {
    Form { plan: Plan::Block, blocks, threads, slot_lanes: None }
}

const fn grid(blocks: usize, threads: Option<usize>) -> Form {
    Form { plan: Plan::Grid, blocks, threads, slot_lanes: Some(1) }
}

/// A grid with several lanes for each slot, which no thread then has several of.
const fn sharing(slot_lanes: usize, blocks: usize, threads: Option<usize>) -> Form {
    Form { slot_lanes: Some(slot_lanes), ..grid(blocks, threads) }
}

const FORMS: [Form; 9] = [
    cluster(2, None),
    cluster(4, Some(32)),
    cluster(16, Some(32)),
    cluster(2, Some(32)),
    grid(4, None),
    grid(3, Some(32)),
    grid(1, Some(64)),
    sharing(2, 3, None),
    sharing(4, 4, None),
];

/// Those of some forms that the card has.
fn of_card(device: &Device, forms: &[Form]) -> Vec<Form> {
    let has = |form: &&Form| {
        form.plan == Plan::Grid || form.blocks <= device.properties().blocks_per_cluster
    };
    let found: Vec<Form> = forms.iter().filter(has).copied().collect();
    if found.len() < forms.len() {
        println!("skipped: this card has no clusters of 16 blocks");
    }
    found
}

fn shared(device: &Device, form: Form) -> Ensemble {
    let overrides = LaunchOverrides {
        lanes: Some(false),
        cluster: Some(form.blocks),
        threads: form.threads,
        slot_lanes: form.slot_lanes,
        ..LaunchOverrides::default()
    };
    Ensemble::new(device).unwrap().with_plan(form.plan).with_overrides(overrides)
}

/// Systems with masks and with lists, each with warps that have no slots.
fn clusters_systems() -> [Arc<System>; 3] {
    [Arc::new(everything()), Arc::new(helix(34)), Arc::new(helix(203))]
}

#[test]
fn in_several_blocks_steps_are_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    for ((case, generator), has_drives) in cases().zip([false, true].into_iter().cycle()) {
        for system in [Arc::new(helix(34)), Arc::new(helix(101))] {
            let protocol = if has_drives {
                pulled(&system, case, generator, 40)
            } else {
                // So narrow that outer lists are found anew several times.
                let dynamics = Dynamics { skin: 0.2, ..sop_dynamics(case) };
                let stages = vec![stage(40, vec![])];
                Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) })
            };
            let expected = without_squares(by_reference(&system, &protocol, 1));
            let forms = [
                cluster(2, None),
                cluster(16, Some(32)),
                grid(4, Some(32)),
                grid(2, None),
                sharing(2, 4, None),
                sharing(4, 2, None),
            ];
            for form in of_card(&device, &forms) {
                let ensemble = shared(&device, form);
                let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
                let member = new_member(&system, &protocol, 1);
                let found = stepped(&mut ensemble, vec![member], std::iter::repeat(23)).remove(0);
                let beads = system.particles.positions.len();
                let what = format!("{beads} beads, {form:?} {case:?} {generator:?}");
                assert_same(&without_squares(found), &expected, &what);
            }
        }
    }
}

#[test]
fn in_several_blocks_rows_are_those_of_a_block() {
    let Some(device) = device() else { return };
    for system in clusters_systems() {
        for (case, generator) in cases() {
            let protocol = pulled(&system, case, generator, 120);
            let mut members: Vec<Member> =
                (0..3).map(|number| new_member(&system, &protocol, number)).collect();
            for member in &mut members {
                member.advance(60).unwrap();
                member.begin_stage(1);
            }
            let point = |(place, &steps): (usize, &u32)| SamplePoint {
                steps,
                row: !place.is_multiple_of(3),
            };
            let points = |steps: &[u32]| steps.iter().enumerate().map(point).collect();
            let points: [Vec<SamplePoint>; 3] =
                [points(&[1, 2, 7, 8, 9, 3, 4, 1]), points(&[]), points(&[1, 1, 1, 1, 30, 3])];
            let expected = samples_of(&mut shared(&device, cluster(1, None)), &members, &points);
            for form in of_card(&device, &FORMS) {
                let found = samples_of(&mut shared(&device, form), &members, &points);
                for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let what = format!("{form:?} {case:?} {generator:?}, point {number}");
                    assert_same(&found.0, &expected.0, &what);
                    assert_eq!(found.1, expected.1, "{what}");
                }
            }
        }
    }
}

#[test]
fn in_several_blocks_a_broken_bond_is_found_at_the_same_step() {
    let Some(device) = device() else { return };
    let mut broken = 0;
    for system in clusters_systems() {
        for (case, generator) in cases() {
            let dynamics = Dynamics { temperature: 60.0, ..sop_dynamics(case) };
            let stages = vec![stage(400, vec![])];
            let hot =
                Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) });
            let mut on_host = new_member(&system, &hot, 0);
            let Err(expected) = on_host.advance(400) else { continue };
            broken += 1;
            let lengths = [3, 400].into_iter().cycle();
            for (form, steps) in of_card(&device, &FORMS).into_iter().zip(lengths) {
                let ensemble = shared(&device, form);
                let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
                let mut one = new_member(&system, &hot, 0);
                let found = loop {
                    let steps = one.remaining().min(steps) as u32;
                    let points = [SamplePoint { steps, row: false }];
                    let results =
                        ensemble.advance(&[Job { member: &one, points: &points }]).unwrap();
                    for point in 0..results[0].samples() {
                        results[0].bring(point, &mut one).unwrap();
                    }
                    if let Some(failure) = results[0].fail(&mut one).unwrap() {
                        break failure;
                    }
                };
                let what = format!("{form:?}, {steps} steps {case:?} {generator:?}");
                assert_eq!(found.step, expected.step, "{what}");
                assert_eq!(length_of(&found), length_of(&expected), "{what}");
                assert_eq!(one.state().positions, on_host.state().positions, "{what}");
            }
        }
    }
    assert!(broken > 0);
}

/// The most partners within reach of any slot.
fn longest_list(system: &System, positions: &[[f64; 3]], reach: f64) -> usize {
    let excluded = &system.interactions.excluded;
    let mut counts = vec![0; 4 * positions.len()];
    for (i, a) in positions.iter().enumerate() {
        for (j, b) in positions.iter().enumerate() {
            let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
            let pair = (i.min(j), i.max(j));
            if i != j && square < reach * reach && excluded.binary_search(&pair).is_err() {
                counts[4 * i + j % 4] += 1;
            }
        }
    }
    counts.into_iter().max().unwrap_or(0)
}

/// Traps pull together beads that start far apart, so lists made at the start become too short within 500 steps.
pub fn contracting() -> System {
    let folded = helix(203);
    let mut system = folded.clone();
    system.interactions.bonded.clear();
    let trap =
        |(bead, &centre)| Single { bead, potential: HarmonicTrap { stiffness: 20.0, centre } };
    let traps: Vec<_> = folded.particles.positions.iter().enumerate().map(trap).collect();
    system.interactions.singles = vec![traps.into()];
    for position in &mut system.particles.positions {
        position[2] *= 50.0;
    }
    system
}

/// A protocol by which [`contracting`] contracts.
pub fn contraction(generator: Generator) -> Protocol {
    let (case, _) = cases().next().unwrap();
    let dynamics = Dynamics { skin: 24.0, ..sop_dynamics(case) };
    Protocol { randomness: generator.into(), ..protocol(dynamics, vec![stage(500, vec![])]) }
}

#[test]
fn in_several_blocks_lists_grow_during_a_launch() {
    let Some(device) = device() else { return };
    let system = Arc::new(contracting());
    let start = system.particles.positions.clone();
    let (_, generator) = cases().next().unwrap();
    let protocol = Arc::new(contraction(generator));
    let member = || Member::new(system.clone(), protocol.clone(), 0, &start);
    let mut on_host = member().with_path(CpuPath::Reference);
    on_host.advance(500).unwrap();
    let expected = without_squares(on_host.state());
    let reach = system.interactions.pair_cutoff() + 24.0;
    let (at_first, at_last) =
        (longest_list(&system, &start, reach), longest_list(&system, &expected.positions, reach));
    // The initial capacity of lists (`capacity` in `src/tables/system.rs`).
    assert!(at_last > (at_first + at_first / 2 + 4).next_multiple_of(4), "{at_first} {at_last}");
    for form in of_card(&device, &FORMS) {
        let ensemble = shared(&device, form);
        let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
        let found = stepped(&mut ensemble, vec![member()], std::iter::repeat(500)).remove(0);
        assert_same(&without_squares(found), &expected, &format!("{form:?}"));
    }
}

/// The lanes of externals and those of beads must fit into a block.
#[test]
fn in_several_blocks_there_is_room_for_many_drives() {
    let Some(device) = device() else { return };
    let system = Arc::new(helix(510));
    let restrain = |bead| External::Restrain(Restrain { beads: vec![bead], stiffness: 0.5 });
    let stages = vec![stage(3, (0..31).map(restrain).collect())];
    let protocol = Arc::new(protocol(sop_dynamics(CASES[0]), stages));
    let expected = without_squares(by_reference(&system, &protocol, 0));
    let forms =
        [cluster(2, None), cluster(2, Some(1024)), grid(2, None), sharing(4, 3, Some(1024))];
    for form in of_card(&device, &forms) {
        let ensemble = shared(&device, form);
        let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
        let member = new_member(&system, &protocol, 0);
        let found = stepped(&mut ensemble, vec![member], std::iter::repeat(3)).remove(0);
        assert_same(&without_squares(found), &expected, &format!("{form:?}"));
    }
}

/// Terms of several types, some of which act on some beads only, with masks and with lists; tables in shared memory.
#[test]
fn in_several_blocks_types_are_those_of_the_reference_path_to_the_bit() {
    let Some(device) = device() else { return };
    let open = |beads| System { boundary: Boundary::Open, ..mixture(beads) };
    let systems = [everything_and_types(), open(150), some_charged(60), some_charged(140)];
    let generators = [Generator::Philox4x32x10, Generator::HybridTaus].into_iter().cycle();
    let all = CASES.into_iter().chain(WITH_VELOCITIES).zip(generators);
    for (number, (case, generator)) in all.enumerate() {
        let system = Arc::new(systems[(number + number / 4) % 4].clone());
        let stages = vec![stage(30, vec![])];
        let dynamics = Dynamics { skin: 0.4, ..calm(case) };
        let protocol = Protocol { randomness: generator.into(), ..protocol(dynamics, stages) };
        let protocol = Arc::new(protocol);
        let expected = without_squares(by_reference(&system, &protocol, 1));
        for form in of_card(&device, &[cluster(1, None), cluster(4, None), grid(4, None)]) {
            let ensemble = shared(&device, form);
            let mut ensemble = ensemble.with_rounding(Rounding::AsWritten);
            let member = new_member(&system, &protocol, 1);
            let found = stepped(&mut ensemble, vec![member], std::iter::repeat(17)).remove(0);
            let beads = system.beads();
            let what = format!("{beads} beads, {form:?} {case:?} {generator:?}");
            assert_same(&without_squares(found), &expected, &what);
        }
    }
}

/// Beads of which one in three has a charge: between others only the first pair term acts.
fn some_charged(beads: usize) -> System {
    let mut system = System { boundary: Boundary::Open, ..mixture(beads) };
    let soft = |_, _| {
        let cutoff = 1.5;
        PairEntry { potential: DpdConservative { strength: 20.0, cutoff }, cutoff }
    };
    let charged = |a: usize, b: usize| {
        let cutoff = if a == 1 && b == 1 { 3.5 } else { 0.0 };
        PairEntry { potential: DebyeHuckel::shifted(2.0, 0.8, 3.5), cutoff }
    };
    let pairs = vec![PairTable::new(2, soft).into(), PairTable::new(2, charged).into()];
    system.interactions.pairs = pairs;
    system
}
