//! However a member is stepped, pair by pair, with vectors of any width, or in a lane beside
//! others, its state is the same to the bit.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Group, Instructions, Member, MemberState};
use beadwork_model::drives::{Drive, Ends, Restrain, Spring};
use beadwork_model::{
    Dynamics, Integrator, Precision, Protocol, Randomness, Stage, StageKind, System,
};

use crate::everything::{crowd, enter, everything, protocol_of, start_of};
use crate::support::{CASES, choices, protocol, some_randomness, sop_dynamics, stage};

fn available() -> impl Iterator<Item = Instructions> {
    Instructions::ALL.into_iter().filter(|instructions| instructions.is_available())
}

fn each_case(body: impl Fn((Integrator, Precision), Randomness, &Arc<System>)) {
    let system = Arc::new(everything());
    for case in CASES {
        for generator in some_randomness() {
            body(case, generator, &system);
        }
    }
}

fn alone(
    system: &Arc<System>,
    protocol: &Arc<Protocol>,
    number: u64,
    mut ways: impl Iterator<Item = CpuPath>,
    mut chunks: impl Iterator<Item = u64>,
) -> MemberState {
    let start = start_of(system, number);
    let mut member = Member::new(system.clone(), protocol.clone(), number, &start);
    while enter(&mut member, protocol) {
        member = member.with_path(ways.next().unwrap());
        member.advance(chunks.next().unwrap()).unwrap();
    }
    member.state()
}

fn plain(system: &Arc<System>, protocol: &Arc<Protocol>, number: u64) -> MemberState {
    let ways = std::iter::repeat(CpuPath::Reference);
    alone(system, protocol, number, ways, std::iter::repeat(u64::MAX))
}

#[test]
fn vectors_of_any_width_give_the_bits_of_the_plain_path() {
    each_case(|case, generator, system| {
        for number in [0, 5] {
            let protocol = protocol_of(case, generator, number);
            let expected = plain(system, &protocol, number);
            for instructions in available() {
                let ways = std::iter::repeat(CpuPath::PairSimd(instructions));
                let found = alone(system, &protocol, number, ways, std::iter::repeat(u64::MAX));
                assert_eq!(found, expected, "{case:?} {generator:?} {instructions:?}");
            }
        }
    });
}

#[test]
fn the_way_may_change_at_any_step() {
    each_case(|case, generator, system| {
        let protocol = protocol_of(case, generator, 3);
        let mut ways = vec![CpuPath::Reference];
        ways.extend(available().map(CpuPath::PairSimd));
        let ways = choices(5, ways.len() as u64).map(move |choice| ways[choice as usize]);
        let found = alone(system, &protocol, 3, ways, choices(6, 40));
        assert_eq!(found, plain(system, &protocol, 3), "{case:?} {generator:?}");
    });
}

/// A large system's beads are shared by threads in runs of 256: any number of threads, more than
/// there are cores too, gives the bits of the plain path.
#[test]
fn threads_give_the_bits_of_the_plain_path() {
    let system = Arc::new(crowd());
    let last = system.particles.positions.len() - 1;
    let ends = Ends { fixed: vec![0], pulled: vec![5, last], direction: None };
    let spring = Spring { ends, stiffness: 0.05, speed: 1e-4, update_every: 1 };
    let restrain = Restrain { beads: vec![1, 300, last], stiffness: 0.5 };
    let drives = vec![Drive::Spring(spring), Drive::Restrain(restrain)];
    for case in CASES {
        for generator in some_randomness() {
            let stages = vec![
                Stage {
                    kind: StageKind::Minimise { tolerance: 0.05, steps: 5 },
                    ..stage(0, vec![])
                },
                Stage { fixed: vec![0, 256, 700], ..stage(12, drives.clone()) },
            ];
            let dynamics = Dynamics { skin: 0.5, ..sop_dynamics(case) };
            let protocol = Protocol { randomness: generator, ..protocol(dynamics, stages) };
            let protocol = Arc::new(protocol);
            let run = |way: CpuPath, threads: usize| {
                let start = &system.particles.positions;
                let mut member =
                    Member::new(system.clone(), protocol.clone(), 3, start).with_path(way);
                member.set_threads(threads);
                while enter(&mut member, &protocol) {
                    member.advance(5).unwrap();
                }
                let row = member.measure().unwrap();
                (member.state(), row)
            };
            let expected = run(CpuPath::Reference, 1);
            for threads in [1, 2, 3, 7] {
                let found = run(CpuPath::best(), threads);
                assert_eq!(found, expected, "{case:?} {generator:?} {threads}");
            }
            let baseline = CpuPath::PairSimd(Instructions::Baseline);
            assert_eq!(run(baseline, 2), expected, "{case:?} {generator:?}");
        }
    }
}

/// Members meet in changing company, at different steps and stages, as a run with a queue and stop
/// rules brings them together.
#[test]
fn a_member_cannot_tell_with_whom_it_is_stepped() {
    each_case(|case, generator, system| {
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
            // Noise that is drawn word after word fits with no other.
            let expected = if generator.is_in_lanes() { width.min(4) } else { 0 };
            assert!(width == 1 || together >= expected, "{instructions:?}: {together}");
            assert!(generator.is_in_lanes() || together == 0, "{generator:?}: {together}");
            for (number, member) in members.iter().enumerate() {
                let expected = plain(system, &protocols[number], number as u64);
                assert_eq!(
                    member.state(),
                    expected,
                    "{case:?} {generator:?} {instructions:?}, member {number}"
                );
            }
        }
    });
}

/// One member's bond breaks; its failure and its last state are those it has alone, and the others
/// do not notice.
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
