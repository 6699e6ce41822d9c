//! Every path gives the same bits: pair by pair, with vectors of any width, and with one member in each lane.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Group, Instructions, Member};
use beadwork_model::externals::{Ends, External, Restrain, Spring};
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::potentials::{LennardJones, PairTerm};
use beadwork_model::{
    Dynamics, Generator, Integrator, Interactions, Precision, Protocol, Randomness, Stage,
    StageKind, System,
};
use beadwork_simulation::MemberState;
use beadwork_testing::few_or_many;

use crate::everything::{
    crowd, crowd_and_types, enter, everything, everything_and_types, protocol_of, start_of,
    with_long_range_between_few,
};
use crate::support::{
    CASES, WITH_VELOCITIES, choices, protocol, some_randomness, sop_dynamics, stage,
    tip_and_surface,
};

fn available() -> impl Iterator<Item = Instructions> {
    Instructions::ALL.into_iter().filter(|instructions| instructions.is_available())
}

/// Systems with types of beads and two pair terms, one of them, or none; one with Lennard-Jones pairs of one type; and
/// one whose pair terms have very different cutoffs.
fn with_types(system: &System) -> Vec<System> {
    let with = |pairs: &[PairTerm]| {
        let interactions = Interactions { pairs: pairs.to_vec(), ..system.interactions.clone() };
        System { interactions, ..system.clone() }
    };
    let all = &system.interactions.pairs;
    let one_type = LennardJones::shifted(0.5, 3.6, 9.0);
    let one_type = PairTable::of_one_type(one_type, 9.0).into();
    let one_type = System { particles: everything().particles, ..with(&[one_type]) };
    let long_range = with_long_range_between_few(system.clone());
    vec![with(all), with(&all[..1]), one_type, with(&all[1..]), long_range, with(&[])]
}

/// Each system with kinds of noise. Noise and forces are independent, so one system has all kinds, and the others two:
/// a generator without a state, and one with a state for each bead.
fn each_case(body: impl Fn((Integrator, Precision), Randomness, &Arc<System>)) {
    let one_type = Arc::new(everything());
    let types: Vec<_> = with_types(&everything_and_types()).into_iter().map(Arc::new).collect();
    // With few cases: all pair terms, pairs of one type, and different cutoffs.
    let (step, generators) = few_or_many((2, 1), (1, 2));
    for case in CASES {
        for generator in some_randomness() {
            body(case, generator, &one_type);
        }
        for system in types.iter().step_by(step) {
            for generator in &FEW_GENERATORS[..generators] {
                body(case, (*generator).into(), system);
            }
        }
    }
    for case in WITH_VELOCITIES {
        for generator in FEW_GENERATORS {
            body(case, generator.into(), &types[0]);
        }
    }
}

const FEW_GENERATORS: [Generator; 2] = [Generator::Philox4x32x10, Generator::HybridTaus];

fn alone(
    system: &Arc<System>,
    protocol: &Arc<Protocol>,
    number: u64,
    mut paths: impl Iterator<Item = CpuPath>,
    mut chunks: impl Iterator<Item = u64>,
) -> MemberState {
    let start = start_of(system, number);
    let mut member = Member::new(system.clone(), protocol.clone(), number, &start);
    while enter(&mut member, protocol) {
        member = member.with_path(paths.next().unwrap());
        member.advance(chunks.next().unwrap()).unwrap();
    }
    member.state()
}

fn reference(system: &Arc<System>, protocol: &Arc<Protocol>, number: u64) -> MemberState {
    let paths = std::iter::repeat(CpuPath::Reference);
    alone(system, protocol, number, paths, std::iter::repeat(u64::MAX))
}

#[test]
fn vectors_of_any_width_give_the_bits_of_the_reference_path() {
    each_case(|case, generator, system| {
        for number in [0, 5] {
            let protocol = protocol_of(case, generator, number);
            let expected = reference(system, &protocol, number);
            for instructions in available() {
                let paths = std::iter::repeat(CpuPath::PairSimd(instructions));
                let found = alone(system, &protocol, number, paths, std::iter::repeat(u64::MAX));
                assert_eq!(found, expected, "{case:?} {generator:?} {instructions:?}");
            }
        }
    });
}

#[test]
fn the_path_may_change_at_any_step() {
    each_case(|case, generator, system| {
        let protocol = protocol_of(case, generator, 3);
        let mut paths = vec![CpuPath::Reference];
        paths.extend(available().map(CpuPath::PairSimd));
        let paths = choices(5, paths.len() as u64).map(move |choice| paths[choice as usize]);
        let found = alone(system, &protocol, 3, paths, choices(6, 40));
        assert_eq!(found, reference(system, &protocol, 3), "{case:?} {generator:?}");
    });
}

/// Threads share the beads of a large system in runs of 256. Any number of threads, even more than there are cores,
/// gives the bits of the reference path.
#[test]
fn threads_give_the_bits_of_the_reference_path() {
    let few = FEW_GENERATORS.map(Randomness::from);
    let generators = few_or_many(few.to_vec(), some_randomness().collect());
    assert_threads_change_nothing(&Arc::new(crowd()), &generators);
    let mut crowd = crowd_and_types();
    assert_threads_change_nothing(&Arc::new(crowd.clone()), &few);
    let long_range = with_long_range_between_few(crowd.clone());
    assert_threads_change_nothing(&Arc::new(long_range), &few[..1]);
    crowd.interactions.pairs.truncate(1);
    assert_threads_change_nothing(&Arc::new(crowd), &few);
}

fn assert_threads_change_nothing(system: &Arc<System>, generators: &[Randomness]) {
    let last = system.particles.positions.len() - 1;
    let ends = Ends { fixed: vec![0], pulled: vec![5, last], direction: None, ..Ends::default() };
    let spring = Spring { ends, stiffness: 0.05, speed: 1e-4, update_every: 1 };
    let restrain = Restrain { beads: vec![1, 300, last], stiffness: 0.5 };
    let externals = vec![External::Spring(spring), External::Restrain(restrain)];
    for case in CASES {
        for &generator in generators {
            let stages = vec![
                Stage {
                    kind: StageKind::Minimise { tolerance: 0.05, steps: 5, push_off: 0 },
                    ..stage(0, vec![])
                },
                Stage { fixed: vec![0, 256, 700], ..stage(12, externals.clone()) },
                stage(16, tip_and_surface(system.beads())),
            ];
            let dynamics = Dynamics { skin: 0.5, ..sop_dynamics(case) };
            let protocol = Protocol { randomness: generator, ..protocol(dynamics, stages) };
            let protocol = Arc::new(protocol);
            let run = |path: CpuPath, threads: usize| {
                let start = &system.particles.positions;
                let mut member =
                    Member::new(system.clone(), protocol.clone(), 3, start).with_path(path);
                member.set_threads(threads);
                while enter(&mut member, &protocol) {
                    member.advance(5).unwrap();
                }
                let row = member.measure().unwrap();
                (member.state(), row)
            };
            let expected = run(CpuPath::Reference, 1);
            for threads in few_or_many(vec![2, 7], vec![1, 2, 3, 7]) {
                let found = run(CpuPath::best(), threads);
                assert_eq!(found, expected, "{case:?} {generator:?} {threads}");
            }
            let baseline = CpuPath::PairSimd(Instructions::Baseline);
            assert_eq!(run(baseline, 2), expected, "{case:?} {generator:?}");
        }
    }
}

/// A member may get more or fewer threads between any two steps, as it does where other programs take cores.
#[test]
fn the_number_of_threads_may_change_at_any_step() {
    let (sop, types) = (Arc::new(crowd()), Arc::new(crowd_and_types()));
    let cases = CASES.into_iter().chain(WITH_VELOCITIES);
    for (case, system) in cases.zip([&sop, &types].into_iter().cycle()) {
        let stages = vec![stage(60, vec![])];
        let dynamics = Dynamics { skin: 0.5, ..sop_dynamics(case) };
        let protocol =
            Protocol { randomness: FEW_GENERATORS[0].into(), ..protocol(dynamics, stages) };
        let protocol = Arc::new(protocol);
        let start = &system.particles.positions;
        let run = |path: CpuPath, mut threads: Box<dyn Iterator<Item = u64>>| {
            let mut member =
                Member::new(system.clone(), protocol.clone(), 3, start).with_path(path);
            for _ in 0..20 {
                member.set_threads(threads.next().unwrap() as usize + 1);
                member.advance(3).unwrap();
            }
            member.state()
        };
        let expected = run(CpuPath::Reference, Box::new(std::iter::repeat(0)));
        assert_eq!(run(CpuPath::best(), Box::new(choices(4, 4))), expected, "{case:?}");
    }
}

/// The members that are stepped together change, and are at different steps and stages, as in a run with a queue and
/// stop rules.
#[test]
fn a_member_does_not_depend_on_those_it_is_stepped_with() {
    each_case(|case, generator, system| {
        let mut expected: Vec<MemberState> = Vec::new();
        for instructions in available() {
            let mut group = Group::new(instructions);
            let width = group.width(case.1);
            let count = width as u64 + 3;
            let protocols: Vec<_> =
                (0..count).map(|number| protocol_of(case, generator, number)).collect();
            let mut members: Vec<Member> = (0..count)
                .map(|number| {
                    let protocol = protocols[number as usize].clone();
                    Member::new(system.clone(), protocol, number, &start_of(system, number))
                })
                .collect();
            let mut choice = choices(17, 1 << 20);
            let mut together = 0;
            loop {
                let running: Vec<usize> = (0..members.len())
                    .filter(|&place| enter(&mut members[place], &protocols[place]))
                    .collect();
                let Some(&first) =
                    running.get(choice.next().unwrap() as usize % running.len().max(1))
                else {
                    break;
                };
                let steps = choice.next().unwrap() % 40;
                let mask = choice.next().unwrap() | choice.next().unwrap();
                let leader = members[first].clone();
                let mut team: Vec<&mut Member> = members
                    .iter_mut()
                    .enumerate()
                    .filter(|(place, member)| {
                        running.contains(place)
                            && (*place == first
                                || mask & (1 << (place % 20)) != 0 && Group::fit(&leader, member))
                    })
                    .map(|(_, member)| member)
                    .collect();
                if team.len() == 1 {
                    team[0].advance(steps).unwrap();
                    continue;
                }
                team.truncate(width);
                together = together.max(team.len());
                for outcome in group.advance(&mut team, steps) {
                    outcome.unwrap();
                }
            }
            // A member whose noise is drawn word after word cannot join a group.
            let least = if generator.is_in_lanes() { width.min(4) } else { 0 };
            assert!(width == 1 || together >= least, "{instructions:?}: {together}");
            assert!(generator.is_in_lanes() || together == 0, "{generator:?}: {together}");
            for (number, member) in members.iter().enumerate() {
                if expected.len() == number {
                    expected.push(reference(system, &protocols[number], number as u64));
                }
                assert_eq!(
                    member.state(),
                    expected[number],
                    "{case:?} {generator:?} {instructions:?}, member {number}"
                );
            }
        }
    });
}

/// The bond of one member breaks. Its failure and last state are the same as when it is stepped alone, and the other
/// members are not affected.
#[test]
fn a_failure_in_a_group_is_the_failure_alone() {
    each_case(|case, generator, system| {
        let hot = |number: u64| {
            let mut dynamics = sop_dynamics(case);
            if number == 2 {
                // Fails within some hundred steps: the displacement of a step is a third of the
                // bond's limit.
                dynamics.temperature = 60.0;
            }
            let stages = vec![stage(400, vec![])];
            Arc::new(Protocol { randomness: generator, ..protocol(dynamics, stages) })
        };
        let member = |number: u64| {
            Member::new(system.clone(), hot(number), number, &start_of(system, number))
        };
        for instructions in available() {
            let mut group = Group::new(instructions);
            let count = group.width(case.1).min(5) as u64;
            if count < 3 {
                continue;
            }
            let mut members: Vec<Member> = (0..count).map(member).collect();
            let mut team: Vec<&mut Member> = members.iter_mut().collect();
            let outcomes = group.advance(&mut team, 400);
            for number in 0..count {
                let mut alone = member(number).with_path(CpuPath::Reference);
                let expected = alone.advance(400);
                let place = number as usize;
                assert_eq!(expected.is_err(), number == 2, "{case:?} {generator:?}");
                assert_eq!(outcomes[place], expected, "{case:?} {generator:?} {number}");
                assert_eq!(
                    members[place].state(),
                    alone.state(),
                    "{case:?} {generator:?} {number}"
                );
            }
        }
    });
}
