//! Checkpoints with a correct checksum and wrong contents: impossible ones are refused with a message, possible ones
//! are continued, and none makes the program panic.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use beadwork_cpu::Member;
use beadwork_engine::{
    CheckpointSet, Control, Error, MemberCheckpoint, MemberStatus, Outcome, Plan, Progress, run,
    statuses,
};
use beadwork_io::checkpoint;
use beadwork_model::{Generator, Placement, Protocol, Stage, StageKind};
use beadwork_simulation::exchange::LadderState;
use beadwork_testing::Dice;

use crate::common::{TemporaryRun, driven, ladder, plan, protocol, spring, stage};

/// A plan with a minimisation that ends early, a pull and dynamics.
fn pulled(generator: Generator) -> Plan {
    let minimise = StageKind::Minimise { tolerance: 1e-9, steps: 300, push_off: 0 };
    let stages = vec![
        Stage { kind: minimise, ..stage("minimise", 0) },
        driven("pull", 2_000, spring(1)),
        stage("relax", 1_000),
    ];
    plan(Protocol { randomness: generator.into(), ..protocol(stages) }, 1)
}

/// A run that stopped in the middle of its second stage, and its checkpoint.
fn stopped(plan: &Plan) -> (TemporaryRun, CheckpointSet) {
    let temporary = TemporaryRun::new();
    let mut shorter = plan.clone();
    for member in &mut shorter.members {
        let stages = &mut Arc::make_mut(&mut member.protocol).stages;
        stages.truncate(2);
        match &mut stages[1].kind {
            StageKind::Dynamics { steps } | StageKind::Sample { sweeps: steps, .. } => *steps /= 2,
            StageKind::Minimise { .. } => unreachable!(),
        }
    }
    go_on(&temporary, &shorter).unwrap();
    let members = plan.checkpoint_groups()[0].clone();
    let mut set = CheckpointSet::read(&temporary.folder, plan, &members).unwrap();
    for member in set.members.iter_mut().flatten() {
        member.status = MemberStatus::Running;
    }
    set.clone().write(&temporary.folder, &members).unwrap();
    (temporary, set)
}

/// Continues the run in the folder.
fn go_on(temporary: &TemporaryRun, plan: &Plan) -> Result<Outcome, Error> {
    let interrupted = &AtomicBool::new(false);
    let control = Control::on_processors(interrupted, 1);
    run(&temporary.folder, plan, &control, &Progress::default())
}

/// Writes a checkpoint with a change of the first member, and asserts that continuing refuses it.
fn refuses(plan: &Plan, change: impl Fn(&mut MemberCheckpoint), reason: &str) {
    let (temporary, mut set) = stopped(plan);
    change(set.members[0].as_mut().unwrap());
    refuses_set(plan, &temporary, set, reason);
}

fn refuses_set(plan: &Plan, temporary: &TemporaryRun, set: CheckpointSet, reason: &str) {
    set.write(&temporary.folder, &plan.checkpoint_groups()[0]).unwrap();
    let files = temporary.files();
    for error in [statuses(&temporary.folder, plan).map(drop), go_on(temporary, plan).map(drop)] {
        let error = error.unwrap_err();
        assert_eq!(error.code(), "engine/unfit-checkpoint");
        assert!(error.to_string().contains(reason), "{error}");
    }
    crate::common::assert_same(reason, &files, &temporary.files());
}

#[test]
fn impossible_steps_and_stages_are_refused() {
    let plan = pulled(Generator::Philox4x32x10);
    let refuses = |change: fn(&mut MemberCheckpoint), reason| refuses(&plan, change, reason);
    refuses(
        |c| c.state.stage = 3,
        "it is in stage 3 (counted from 0), and the input has 3 stage(s)",
    );
    refuses(|c| c.state.stage = usize::MAX, "it is in stage");
    let steps = "its numbers of steps are not possible in stage";
    refuses(|c| c.state.stage_step = 2_001, steps);
    refuses(|c| c.state.stage_step = c.state.step + 1, steps);
    refuses(|c| c.state.step = u64::MAX, steps);
    refuses(|c| c.state.step = 301 + c.state.stage_step, steps);
    refuses(|c| c.state.dynamics_step = c.state.step + 1, steps);
    refuses(|c| c.replica = 1, "it is of replica 1, not 0");
    refuses(|c| c.record.last_row = Some(u64::MAX), "its files are not those of the run");
    refuses(|c| c.record.last_frame = Some(c.state.step + 1), "its files are not those of the run");
    refuses(|c| c.record.trajectory = None, "its files are not those of the run");
}

#[test]
fn states_of_other_systems_are_refused() {
    let plan = pulled(Generator::Philox4x32x10);
    let refuses = |change: fn(&mut MemberCheckpoint), reason| refuses(&plan, change, reason);
    let positions = "it has no finite positions of 16 beads";
    refuses(|c| c.state.positions.push([0.0; 3]), positions);
    refuses(|c| c.state.positions.clear(), positions);
    refuses(|c| c.state.positions[3][1] = f64::NAN, positions);
    let externals = "its drives are not those of stage \"pull\"";
    refuses(|c| c.state.externals.clear(), externals);
    refuses(|c| c.state.externals.push(c.state.externals[0].clone()), externals);
    refuses(|c| c.state.externals[0].anchors.push([0.0; 3]), externals);
    refuses(|c| c.state.externals[0].last.as_mut().unwrap().step = 4_000, externals);
    refuses(|c| c.state.sums.moves = u64::MAX, "its sums are of more steps than were made");
    refuses(|c| c.state.chain = Some(Default::default()), "its Monte Carlo moves");
}

/// Refuses states of another generator, a wrong number of states, and missing states.
#[test]
fn states_of_other_generators_are_refused() {
    use Generator::{HybridTaus, Lcg, Mt19937, Philox4x32x10, Xorwow};
    let reason = "its random numbers are of another generator";
    for (generator, other) in
        [(Philox4x32x10, HybridTaus), (HybridTaus, Lcg), (Mt19937, Xorwow), (Lcg, Philox4x32x10)]
    {
        let foreign = pulled(other).members.remove(0);
        let foreign =
            Member::new(foreign.system, foreign.protocol, 0, &foreign.start).state().noise;
        let change = |c: &mut MemberCheckpoint| c.state.noise.clone_from(&foreign);
        refuses(&pulled(generator), change, reason);
    }
}

#[test]
fn states_of_other_minimisations_are_refused() {
    let plan = pulled(Generator::Philox4x32x10);
    let reason = "its minimisation is not that of stage \"minimise\"";
    let change = |c: &mut MemberCheckpoint| c.state.minimiser.as_mut().unwrap().velocities.clear();
    // The state is made by hand, because the run stops after the minimisation.
    let (temporary, mut set) = stopped(&plan);
    let checkpoint = set.members[0].as_mut().unwrap();
    let state = &mut checkpoint.state;
    (state.stage, state.stage_step, state.step, state.dynamics_step) = (0, 100, 100, 0);
    state.externals.clear();
    (checkpoint.record.last_row, checkpoint.record.last_frame) = (None, None);
    state.sums = Default::default();
    let velocities = vec![[0.0; 3]; 16];
    state.minimiser = Some(beadwork_simulation::MinimiserState {
        velocities,
        timestep: 0.01,
        mixing: 0.1,
        downhill: 0,
    });
    let members = plan.checkpoint_groups()[0].clone();
    set.clone().write(&temporary.folder, &members).unwrap();
    statuses(&temporary.folder, &plan).unwrap();
    change(set.members[0].as_mut().unwrap());
    refuses_set(&plan, &temporary, set, reason);
}

#[test]
fn impossible_ladders_are_refused() {
    let plan = ladder(400);
    let refuses = |change: fn(&mut CheckpointSet), reason| {
        let (temporary, mut set) = stopped(&plan);
        change(&mut set);
        refuses_set(&plan, &temporary, set, reason);
    };
    let whole = "it is not of a ladder of 4 replicas";
    refuses(|set| set.ladder.as_mut().unwrap().rungs[0] = 4, whole);
    refuses(|set| set.ladder.as_mut().unwrap().rungs = vec![0, 1, 1, 3], whole);
    refuses(|set| set.ladder.as_mut().unwrap().temperatures.truncate(3), whole);
    refuses(|set| set.members.truncate(3), whole);
    let temperatures = "its temperatures are not those of the input";
    refuses(|set| set.ladder.as_mut().unwrap().temperatures[0] = 0.3, temperatures);
    refuses(|set| set.ladder.as_mut().unwrap().temperatures[1] = f64::NAN, temperatures);
    refuses(|set| set.ladder.as_mut().unwrap().temperatures[1] = 2.0, temperatures);
    let counts = "its counts of exchanges are not possible";
    refuses(|set| set.ladder.as_mut().unwrap().attempt = u64::MAX, counts);
    refuses(|set| set.ladder.as_mut().unwrap().record.accepted[0] = 1_000, counts);
    refuses(|set| set.ladder.as_mut().unwrap().record.upward.clear(), counts);
    refuses(|set| set.ladder.as_mut().unwrap().record.turned.clear(), counts);
    refuses(|set| set.ladder.as_mut().unwrap().record.last_end.clear(), counts);
    let between = "its replicas have not made the same exchanges";
    refuses(|set| set.ladder.as_mut().unwrap().attempt += 2, between);
    let member = |set: &mut CheckpointSet| set.members[2].as_mut().unwrap().state.stage = 2;
    refuses(member, "it is in stage 2 (counted from 0), and the input has 2 stage(s)");
    let moves = "its Monte Carlo moves are not those of the system";
    refuses(|set| set.members[1].as_mut().unwrap().state.chain = None, moves);
    let chain = |set: &mut CheckpointSet| {
        set.members[1].as_mut().unwrap().state.chain.as_mut().unwrap().fit.accepted = 1 << 60;
    };
    refuses(chain, moves);
}

/// The rule that placed the temperatures is written after the replicas; checkpoints of earlier builds lack it.
#[test]
fn ladders_of_earlier_builds_lack_the_rule_of_placement() {
    let plan = ladder(400);
    let (temporary, expected) = stopped(&plan);
    let path = temporary.folder.checkpoint(0);
    let read = || CheckpointSet::read(&temporary.folder, &plan, &(0..4)).unwrap();
    assert_eq!(expected.ladder.as_ref().unwrap().placed_by, Some(Placement::Acceptance));
    assert_eq!(
        (read().ladder, read().members),
        (expected.ladder.clone(), expected.members.clone())
    );
    let mut payload = checkpoint::read(&path, "ladder").unwrap().unwrap();
    // The last two bytes hold the rule: one says that there is a rule, the other which.
    payload.truncate(payload.len() - 2);
    checkpoint::write(&path, "ladder", &payload).unwrap();
    let ladder = expected.ladder.map(|ladder| LadderState { placed_by: None, ..ladder });
    assert_eq!((read().ladder, read().members), (ladder, expected.members));
}

/// Changes bytes at any place after the version and the fingerprint, and corrects the checksum.
#[test]
fn changed_bytes_never_make_the_program_panic() {
    let plans = [
        (pulled(Generator::Philox4x32x10), 150),
        (pulled(Generator::HybridTaus), 50),
        (pulled(Generator::LaggedFibonacci), 20),
        (ladder(400), 150),
    ];
    let mut dice = Dice(16);
    let (mut refused, mut gone_on) = (0, 0);
    for (plan, tries) in plans {
        let (temporary, _) = stopped(&plan);
        let path = temporary.folder.checkpoint(0);
        let kind = if plan.ladders().is_empty() { "member" } else { "ladder" };
        let payload = checkpoint::read(&path, kind).unwrap().unwrap();
        let files = temporary.files();
        for _ in 0..tries {
            let mut forged = payload.clone();
            for _ in 0..1 + dice.next() % 3 {
                // Half of the changes are among the first fields, which are numbers of steps and lengths.
                let end = if dice.next().is_multiple_of(2) { forged.len() } else { 48 };
                let at = 7 + dice.next() as usize % (end - 7);
                forged[at] = dice.next() as u8;
            }
            for (name, bytes) in &files {
                fs::write(temporary.folder.root().join(name), bytes).unwrap();
            }
            checkpoint::write(&path, kind, &forged).unwrap();
            match go_on(&temporary, &plan) {
                Ok(_) => gone_on += 1,
                Err(Error::Worker) => panic!("a thread died"),
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 50 && gone_on > 50, "{refused} were refused, {gone_on} gone on with");
}
