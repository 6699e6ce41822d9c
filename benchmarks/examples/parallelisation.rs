//! Time of a step and memory by each plan over the size of a system, of one run and of many, as CSV: P4's comparison
//! of parallelisations. Systems are helices of so many residues or structures from files (SOP, Cα < 8 Å); `FILE#1` is
//! the first assembly of a file.
//!
//! `parallelisation [SIZE|FILE,…] [RUNS,…] [block|launches-by-particle|launches-by-pair,…] [double] [pulled]
//! [hybrid-taus] [second-order]`; `-` stands for what is left out.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_cuda::{Device, Ensemble, Job, Plan, fits_a_block};
use beadwork_model::drives::{Drive, Ends, Spring};
use beadwork_model::force_fields::sop::{Beads, Parameters, build};
use beadwork_model::potentials::NativeContact;
use beadwork_model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork_simulation::SamplePoint;
use beadwork_structure::{Atom, Chain, ReadOptions, Residue, Structure, read, read_assembly};

const SIZES: &str = "30,60,100,200,400,800,1600,3200,6400,10000";
const RUNS: &str = "1,10,100,1000";

/// Wall time of the launch that is measured, at least, seconds.
const LONG_ENOUGH: f64 = 0.3;
const REPEATS: usize = 3;
/// Beads of all runs together at most: what is larger is left out.
const MOST_BEADS: usize = 4_000_000;

/// An α helix of C-alphas: 2.3 Å radius, 100° and 1.5 Å a residue.
fn helix(residues: usize) -> Structure {
    let atom = |number: usize| {
        let angle = (100.0 * number as f64).to_radians();
        Atom {
            name: "CA".into(),
            element: "C".into(),
            position: [2.3 * angle.cos(), 2.3 * angle.sin(), 1.5 * number as f64],
            occupancy: 1.0,
            beta: 0.0,
        }
    };
    let residue = |number: usize| Residue {
        name: "ALA".into(),
        number: number as i32 + 1,
        insertion: None,
        chain: 0,
        atoms: number..number + 1,
    };
    Structure {
        source: format!("helix of {residues}"),
        atoms: (0..residues).map(atom).collect(),
        residues: (0..residues).map(residue).collect(),
        chains: vec![Chain { id: "A".into(), segment: String::new(), residues: 0..residues }],
        disulfides: vec![],
        warnings: vec![],
        models: 1,
    }
}

fn system_of(name: &str) -> System {
    let options = ReadOptions::default();
    let structure = match (name.parse(), name.split_once('#')) {
        (Ok(residues), _) => helix(residues),
        (_, Some((file, assembly))) => {
            let (unit, assembly) = read_assembly(Path::new(file), &options, assembly).unwrap();
            assembly.build(&unit, |_| true).unwrap()
        }
        (_, None) => read(Path::new(name), &options).unwrap(),
    };
    build(&structure, Beads::from_structure(&structure), &Parameters::default()).unwrap().0
}

/// Seconds of a step, the least, the median and the most of the repeats, and bytes of the card's memory that members
/// and kernels take; `None` where a plan cannot do it.
fn measure(device: &Device, plan: Plan, members: &[Member]) -> Option<([f64; 3], u64)> {
    let free = device.free_memory().unwrap();
    let mut ensemble = Ensemble::new(device).unwrap().with_plan(plan);
    let mut time = |steps: u32| {
        let points = [SamplePoint { steps, row: true }];
        let jobs: Vec<Job<'_>> =
            members.iter().map(|member| Job { member, points: &points }).collect();
        let begin = Instant::now();
        match ensemble.advance(&jobs) {
            Ok(results) if results.iter().any(|result| result.samples() != 1) => {
                eprintln!("{}, {} runs: not all are sound at the end", plan.name(), members.len());
                None
            }
            Ok(_) => Some(begin.elapsed().as_secs_f64()),
            Err(error) => {
                eprintln!("{}, {} runs: {error}", plan.name(), members.len());
                None
            }
        }
    };
    // The first launch compiles and records; a short one tells what going there and back costs.
    let short = 64;
    time(short)?;
    let mut steps = 1024;
    while time(steps)? < LONG_ENOUGH && steps < 1 << 24 {
        steps *= 2;
    }
    let mut each = Vec::new();
    for _ in 0..REPEATS {
        let overhead = time(short)?;
        each.push((time(steps)? - overhead) / f64::from(steps - short));
    }
    each.sort_by(f64::total_cmp);
    let taken = free.saturating_sub(device.free_memory().unwrap());
    Some(([each[0], each[REPEATS / 2], each[REPEATS - 1]], taken))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let list = |place: usize, otherwise: &str| -> Vec<String> {
        let text = arguments.get(place).map_or("-", String::as_str);
        let text = if text == "-" { otherwise } else { text };
        text.split(',').map(String::from).collect()
    };
    let names = Plan::ALL.map(Plan::name).join(",");
    let plans: Vec<Plan> = list(2, &names)
        .iter()
        .map(|name| Plan::ALL.into_iter().find(|plan| plan.name() == *name).unwrap())
        .collect();
    let precision = if has("double") { Precision::Double } else { Precision::Single };
    let generator =
        if has("hybrid-taus") { Generator::HybridTaus } else { Generator::Philox4x32x10 };
    let integrator =
        if has("second-order") { Integrator::BrownianSecondOrder } else { Integrator::Brownian };
    let device = Device::open(0).unwrap();
    println!(
        "system,beads,native_contacts,runs,plan,precision,generator,integrator,pulled,\
         microseconds_a_step,least,most,nanoseconds_a_bead_and_step,bytes,card"
    );
    for name in list(0, SIZES) {
        let system = Arc::new(system_of(&name));
        let beads = system.beads();
        let last = beads - 1;
        let stem = Path::new(&name).file_stem().unwrap().to_string_lossy();
        let ends = Ends { fixed: vec![0], pulled: vec![last], direction: None };
        let spring = Spring { ends, stiffness: 0.05, speed: 2.5e-8, update_every: 1 };
        let pulled = has("pulled");
        let stage = Stage {
            name: "run".into(),
            kind: StageKind::Dynamics { steps: u64::MAX },
            fixed: if pulled { vec![0] } else { vec![] },
            drives: if pulled { vec![Drive::Spring(spring)] } else { vec![] },
            stops: vec![],
        };
        let protocol = Arc::new(Protocol {
            dynamics: Dynamics {
                integrator,
                temperature: 0.6,
                friction: 12_500.0,
                timestep: 20.0,
                precision,
                skin: 4.0,
            },
            stages: vec![stage],
            ends: (vec![0], vec![last]),
            seed: 1,
            randomness: generator.into(),
        });
        for runs in list(1, RUNS) {
            let runs: usize = runs.parse().unwrap();
            if runs * beads > MOST_BEADS && runs > 1 {
                continue;
            }
            let members: Vec<Member> = (0..runs as u64)
                .map(|n| {
                    Member::new(system.clone(), protocol.clone(), n, &system.particles.positions)
                })
                .collect();
            for &plan in &plans {
                // By the block plan, what does not fit into a block would be stepped by launches.
                if plan == Plan::Block && !fits_a_block(&device, &members[0]) {
                    continue;
                }
                let Some(([least, median, most], bytes)) = measure(&device, plan, &members) else {
                    continue;
                };
                println!(
                    "{stem},{beads},{},{runs},{},{},{},{},{pulled},{:.4},{:.4},{:.4},{:.5},{bytes},{}",
                    system.interactions.bonded_by::<NativeContact>().len(),
                    plan.name(),
                    precision.name(),
                    generator.name(),
                    integrator.name(),
                    median * 1e6,
                    least * 1e6,
                    most * 1e6,
                    median * 1e9 / (runs * beads) as f64,
                    device.properties().name
                );
            }
        }
    }
}
