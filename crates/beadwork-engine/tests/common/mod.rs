//! A helix, plans for it, and the folders of their runs.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test uses a part; clippy.toml excuses tests but not the functions they call"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use beadwork_engine::{
    CheckpointSet, Control, Ending, MemberCheckpoint, MemberPlan, MemberStatus, Outcome, Plan,
    Progress, run,
};
use beadwork_io::{RunFolder, TrajectoryFormat};
use beadwork_model::externals::{Ends, External, Spring};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::force_fields::sop::{Beads, Parameters, build};
use beadwork_model::{
    Dynamics, Exchange, Generator, Integrator, Placement, Precision, Protocol, Stage, StageKind,
    System, Tuning,
};
use beadwork_structure::{ReadOptions, parse};
use beadwork_testing::Dice;

/// An ideal alpha helix of 16 residues: radius 2.3 Å, rise 1.5 Å and 100° a residue.
pub fn helix() -> Arc<System> {
    let mut text = String::new();
    for number in 1..=16 {
        let turn = f64::from(number) * 100f64.to_radians();
        let (x, y, z) = (2.3 * turn.cos(), 2.3 * turn.sin(), 1.5 * f64::from(number));
        writeln!(
            text,
            "ATOM  {number:5}  CA  ALA A{number:4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           C"
        )
        .unwrap();
    }
    let structure = parse(&text, "helix", &ReadOptions::default()).unwrap();
    let beads = Beads::from_structure(&structure);
    Arc::new(build(&structure, beads, &Parameters::default()).unwrap().0)
}

pub fn dynamics() -> Dynamics {
    Dynamics {
        integrator: Integrator::Brownian,
        temperature: 0.6,
        friction: 12_500.0,
        timestep: 20.0,
        precision: Precision::Single,
        skin: 4.0,
    }
}

pub fn stage(name: &str, steps: u64) -> Stage {
    Stage {
        name: name.to_string(),
        kind: StageKind::Dynamics { steps },
        fixed: Vec::new(),
        externals: Vec::new(),
        stops: Vec::new(),
    }
}

/// The ends of the pulling externals: the first bead, which is held, and the last.
pub fn ends() -> Ends {
    Ends { fixed: vec![0], pulled: vec![15], direction: None, ..Ends::default() }
}

/// 0.2 kcal/(mol Å²) is 139 pN/nm; the base moves 5 Å in 1000 steps of 20 ps.
pub fn spring(update_every: u64) -> External {
    External::Spring(Spring { ends: ends(), stiffness: 0.2, speed: 2.5e-4, update_every })
}

/// A stage in which an external acts.
pub fn driven(name: &str, steps: u64, external: External) -> Stage {
    let fixed = external.ends().map(|ends| ends.fixed.clone()).unwrap_or_default();
    Stage { fixed, externals: vec![external], ..stage(name, steps) }
}

pub fn protocol(stages: Vec<Stage>) -> Protocol {
    Protocol {
        dynamics: dynamics(),
        stages,
        ends: (vec![0], vec![15]),
        columns: Vec::new(),
        seed: 20_101,
        randomness: Generator::Philox4x32x10.into(),
    }
}

/// A plan whose members differ in their replica number alone.
pub fn plan(protocol: Protocol, replicas: u64) -> Plan {
    let system = helix();
    let start = Arc::new(system.particles.positions.clone());
    let protocol = Arc::new(protocol);
    let member = |replica| MemberPlan {
        system: system.clone(),
        protocol: protocol.clone(),
        replica,
        start: start.clone(),
        velocities: None,
        exchange: None,
    };
    Plan {
        members: (0..replicas).map(member).collect(),
        table_every: 50,
        trajectory: Some((200, TrajectoryFormat::Xtc.into())),
        checkpoint_seconds: 1e9,
        stop_on_failure: false,
        fingerprint: "test".to_string(),
    }
}

/// A ladder of chains of nine monomers with this many sweeps in each of two stages; its temperatures are placed in the first.
pub fn ladder(sweeps: u64) -> Plan {
    let polymer = ElasticPolymer::new(9);
    let sampled = |name: &str, displacement| Stage {
        kind: StageKind::Sample { sweeps, displacement, tune_every: Some(100) },
        ..stage(name, 0)
    };
    let dynamics = Dynamics { friction: 1.0, timestep: 1.0, ..dynamics() };
    let stages = vec![sampled("equilibrate", Some(0.3)), sampled("sample", None)];
    let every = 10;
    let attempts = sweeps / every;
    let tuning = Tuning { stage: 0, by: Placement::Acceptance, first: 0, attempts };
    let temperatures = vec![0.4, 0.6, 0.9, 1.4];
    let exchange = Arc::new(Exchange { temperatures, every, tunings: vec![tuning] });
    let mut plan = plan(Protocol { dynamics, ..protocol(stages) }, 4);
    let (system, start) = (Arc::new(polymer.build()), Arc::new(polymer.straight()));
    for member in &mut plan.members {
        (member.system, member.start) = (system.clone(), start.clone());
        member.exchange = Some(exchange.clone());
    }
    plan
}

/// A run folder that is removed when the test ends.
#[derive(Debug)]
pub struct TemporaryRun {
    pub folder: RunFolder,
    _place: tempfile::TempDir,
}

impl TemporaryRun {
    pub fn new() -> TemporaryRun {
        // In memory if possible, because tests wait for thousands of checkpoints to reach the disk.
        let memory = Path::new("/dev/shm");
        let temporary = if memory.is_dir() {
            tempfile::tempdir_in(memory).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        };
        TemporaryRun {
            folder: RunFolder::create(&temporary.path().join("run")).unwrap().0,
            _place: temporary,
        }
    }

    /// A run that was interrupted after its first steps and before any member had finished; members begin in order.
    pub fn begun(plan: &Plan) -> (TemporaryRun, Outcome) {
        // On a busy machine the run may end before the interruption.
        for _ in 0..100 {
            let temporary = TemporaryRun::new();
            let (interrupted, progress) = (AtomicBool::new(false), Progress::default());
            let control = Control::on_processors(&interrupted, 1);
            let outcome = std::thread::scope(|scope| {
                let run =
                    scope.spawn(|| run(&temporary.folder, plan, &control, &progress).unwrap());
                while progress.computed.get() == 0 && !run.is_finished() {
                    std::thread::yield_now();
                }
                interrupted.store(true, Ordering::Relaxed);
                run.join().unwrap()
            });
            // The run may have finished before this thread got a core.
            let is_over = |status: &Option<MemberStatus>| *status == Some(MemberStatus::Finished);
            if outcome.ending == Ending::Interrupted && !outcome.statuses.iter().any(is_over) {
                return (temporary, outcome);
            }
        }
        panic!("100 runs, and each was over before it was interrupted");
    }

    /// Runs to the end.
    pub fn run(&self, plan: &Plan) -> Outcome {
        let outcome = self.run_for(plan, None, &Progress::default());
        assert_eq!(outcome.ending, Ending::Finished);
        outcome
    }

    pub fn run_for(&self, plan: &Plan, time: Option<Duration>, progress: &Progress) -> Outcome {
        let interrupted = AtomicBool::new(false);
        let deadline = time.map(|time| Instant::now() + time);
        let control = Control { deadline, ..Control::on_processors(&interrupted, 2) };
        run(&self.folder, plan, &control, progress).unwrap()
    }

    pub fn checkpoint(&self, plan: &Plan, member: usize) -> MemberCheckpoint {
        let members = member..member + 1;
        let set = CheckpointSet::read(&self.folder, plan, &members).unwrap();
        set.members[0].clone().unwrap()
    }

    /// Every file with its bytes, checkpoints too.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for name in ["tables", "trajectories", "checkpoints"] {
            for entry in fs::read_dir(self.folder.root().join(name)).unwrap() {
                let path = entry.unwrap().path();
                files.insert(named(&path), fs::read(&path).unwrap());
            }
        }
        files
    }
}

fn named(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Asserts that two runs left the same bytes.
pub fn assert_same(
    what: &str,
    expected: &BTreeMap<String, Vec<u8>>,
    found: &BTreeMap<String, Vec<u8>>,
) {
    assert!(expected.keys().eq(found.keys()), "{what}");
    for (name, bytes) in expected {
        assert!(bytes == &found[name], "{what}: {name} differs");
    }
}

/// Moments at which to interrupt a run. They are drawn from the time that a whole run takes on this machine, so they
/// come before its end on fast and slow machines alike.
#[derive(Debug)]
pub struct Moments {
    whole: Duration,
    dice: Dice,
}

impl Moments {
    /// `run` is a whole run.
    pub fn within(seed: u64, run: impl FnOnce()) -> Moments {
        let began = Instant::now();
        run();
        Moments { whole: began.elapsed(), dice: Dice(seed) }
    }

    pub fn next(&mut self) -> Duration {
        self.dice.below(self.whole)
    }
}
