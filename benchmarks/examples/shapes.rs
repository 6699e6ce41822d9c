//! Steps per second of a protein by the block plan, for several numbers of members and forms of blocks, without files:
//! `shapes PDB SIDE_CHAIN_CUTOFF|- MEMBERS,… [MEMBERS_OF_A_BLOCK,…|-] [THREADS,…|-] [BLOCKS,…|-] [lanes|quads] [pulled] [hybrid-taus] [double]`.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_cuda::{Device, Ensemble, Job, LaunchOverrides};
use beadwork_model::drives::{Drive, Ends, Spring};
use beadwork_model::force_fields::sop::{Beads, ContactRule, Parameters, build};
use beadwork_model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork_simulation::SamplePoint;
use beadwork_structure::{ReadOptions, read};

fn numbers(text: Option<&String>) -> Vec<Option<usize>> {
    match text.map(String::as_str) {
        None | Some("-") => vec![None],
        Some(text) => text.split(',').map(|number| number.parse().ok()).collect(),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let structure = read(Path::new(&arguments[0]), &ReadOptions::default()).unwrap();
    let parameters = Parameters {
        contacts: ContactRule::Distance {
            cutoff: 8.0,
            side_chain_cutoff: arguments[1].parse().ok(),
            side_chain_hydrogens: true,
        },
        ..Parameters::default()
    };
    let (system, _) = build(&structure, Beads::from_structure(&structure), &parameters).unwrap();
    let system: Arc<System> = Arc::new(system);
    let last = system.beads() - 1;
    let pulled = has("pulled");
    let ends = Ends { fixed: vec![0], pulled: vec![last], direction: None };
    let spring = Spring { ends, stiffness: 0.05, speed: 2.5e-8, update_every: 1 };
    let stage = Stage {
        name: "run".into(),
        kind: StageKind::Dynamics { steps: u64::MAX },
        fixed: if pulled { vec![0] } else { vec![] },
        drives: if pulled { vec![Drive::Spring(spring)] } else { vec![] },
        stops: vec![],
    };
    let protocol = Arc::new(Protocol {
        dynamics: Dynamics {
            integrator: Integrator::Brownian,
            temperature: 0.6,
            friction: 12_500.0,
            timestep: 20.0,
            precision: if has("double") { Precision::Double } else { Precision::Single },
            skin: std::env::var("SKIN").map_or(4.0, |skin| skin.parse().unwrap()),
        },
        stages: vec![stage],
        ends: (vec![0], vec![last]),
        seed: 1,
        randomness: if has("hybrid-taus") {
            Generator::HybridTaus.into()
        } else {
            Generator::Philox4x32x10.into()
        },
    });
    let device = Device::open(0).unwrap();
    println!("{} beads, {:?}", system.beads(), device.properties());
    for count in numbers(arguments.get(2)) {
        let count = count.unwrap_or(1);
        let members: Vec<Member> = (0..count as u64)
            .map(|n| Member::new(system.clone(), protocol.clone(), n, &system.particles.positions))
            .collect();
        for block in numbers(arguments.get(3)) {
            for (threads, blocks) in numbers(arguments.get(4)).into_iter().flat_map(|threads| {
                numbers(arguments.get(5)).into_iter().map(move |b| (threads, b))
            }) {
                let mut ensemble =
                    Ensemble::new(&device).unwrap().with_overrides(LaunchOverrides {
                        lanes: has("lanes").then_some(true).or(has("quads").then_some(false)),
                        cluster: std::env::var("CLUSTER").ok().and_then(|text| text.parse().ok()),
                        members: block,
                        threads,
                        blocks,
                    });
                let mut steps = 200_u32;
                let mut seconds = 0.0;
                // The first launch compiles.
                while seconds < 0.2 {
                    let points = [SamplePoint { steps, row: true }];
                    let jobs: Vec<Job<'_>> =
                        members.iter().map(|member| Job { member, points: &points }).collect();
                    ensemble.advance(&jobs).unwrap();
                    let began = Instant::now();
                    let results = ensemble.advance(&jobs).unwrap();
                    seconds = began.elapsed().as_secs_f64();
                    assert!(results.iter().all(|result| result.samples() == 1));
                    if seconds < 0.2 {
                        steps = (f64::from(steps) * (0.25 / seconds).clamp(1.5, 20.0)) as u32;
                    }
                }
                println!(
                    "{count} members, {block:?} in a block, {threads:?} threads, {blocks:?} blocks: {:.4e} trajectory-steps/s, {:.3} us a step",
                    f64::from(steps) * count as f64 / seconds,
                    seconds / f64::from(steps) * 1e6
                );
            }
        }
    }
}
