//! Time of a step and memory by each plan over the size of a system, of one run and of many, as CSV: a comparison of
//! parallelisations as in [A] of the book's list of sources. Systems are helices of so many residues or structures from
//! files (SOP, Cα < 8 Å); `FILE#1` is the first assembly of a file.
//!
//! `parallelisation [SIZE|FILE,…] [RUNS,…] [block|graph|by-pair,…] [double] [pulled]
//! [hybrid-taus] [second-order]`; `-` stands for what is left out. `by-pair` is [A]'s own scheme for small systems, a thread a
//! pair; it steps one run, without drives, in single precision.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, missing_docs)]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_benchmarks::kernels::ByPair;
use beadwork_benchmarks::trace;
use beadwork_cpu::Member;
use beadwork_cuda::{Device, Ensemble, Plan, fits_a_block};
use beadwork_model::System;
use beadwork_model::force_fields::sop::{Beads, Parameters, build};
use beadwork_model::potentials::NativeContact;
use beadwork_structure::{ReadOptions, Structure, read, read_assembly};
use common::{Words, advance, members};

const SIZES: &str = "30,60,100,200,400,800,1600,3200,6400,10000";
const RUNS: &str = "1,10,100,1000";

/// Wall time of the launch that is measured, at least, seconds.
const LONG_ENOUGH: f64 = 0.3;
const REPEATS: usize = 3;
/// Beads of all runs together at most: what is larger is left out.
const MOST_BEADS: usize = 4_000_000;

/// An α helix of C-alphas: 2.3 Å radius, 100° and 1.5 Å a residue.
fn helix(residues: usize) -> Structure {
    let position = |number: usize| {
        let angle = (100.0 * number as f64).to_radians();
        [2.3 * angle.cos(), 2.3 * angle.sin(), 1.5 * number as f64]
    };
    trace("helix", (0..residues).map(position).collect())
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

/// Makes so many steps, or says why not.
type Advance = Box<dyn FnMut(u32) -> Result<(), String>>;

/// What steps members: a plan, or threads for pairs.
#[derive(Clone, Copy)]
enum Scheme {
    Plan(Plan),
    ByPair,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Plan(plan) => plan.name(),
            Scheme::ByPair => "by-pair",
        }
    }

    fn begin(self, device: &Device, members: &[Member]) -> Result<Advance, String> {
        let text = |error: beadwork_cuda::Error| error.to_string();
        match self {
            Scheme::Plan(plan) => {
                let mut ensemble = Ensemble::new(device).map_err(text)?.with_plan(plan);
                let members = members.to_vec();
                Ok(Box::new(move |steps| match advance(&mut ensemble, &members, steps) {
                    Ok(true) => Ok(()),
                    Ok(false) => Err("not all are sound at the end".into()),
                    Err(error) => Err(text(error)),
                }))
            }
            Scheme::ByPair => {
                let mut by_pair = ByPair::new(device, &members[0]).map_err(text)?;
                Ok(Box::new(move |steps| by_pair.advance(steps).map_err(text)))
            }
        }
    }
}

/// Seconds of a step, the least, the median and the most of the repeats, and bytes of the card's memory that members
/// and kernels take; `None` where a scheme cannot do it.
fn measure(device: &Device, scheme: Scheme, members: &[Member]) -> Option<([f64; 3], u64)> {
    let free = device.free_memory().unwrap();
    let told = |problem: &String| eprintln!("{}, {} runs: {problem}", scheme.name(), members.len());
    let mut advance = scheme.begin(device, members).inspect_err(told).ok()?;
    let mut time = |steps: u32| {
        let began = Instant::now();
        advance(steps).inspect_err(told).ok()?;
        Some(began.elapsed().as_secs_f64())
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
    let words = Words::read();
    let all = || Plan::ALL.into_iter().map(Scheme::Plan).chain([Scheme::ByPair]);
    let names: Vec<&str> = all().map(Scheme::name).collect();
    let scheme = |name: &String| all().find(|scheme| scheme.name() == *name).unwrap();
    let schemes: Vec<Scheme> = words.list(2, &names.join(",")).iter().map(scheme).collect();
    let device = Device::open(0).unwrap();
    println!(
        "system,beads,native_contacts,runs,plan,precision,generator,integrator,pulled,\
         microseconds_a_step,least,most,nanoseconds_a_bead_and_step,bytes,card"
    );
    for name in words.list(0, SIZES) {
        let system = Arc::new(system_of(&name));
        let beads = system.particles.positions.len();
        let stem = Path::new(&name).file_stem().unwrap().to_string_lossy();
        let protocol = Arc::new(words.protocol(beads, 4.0));
        let dynamics = &protocol.dynamics;
        for runs in words.list(1, RUNS) {
            let runs: usize = runs.parse().unwrap();
            if runs * beads > MOST_BEADS && runs > 1 {
                continue;
            }
            let members = members(&system, &protocol, runs);
            for &scheme in &schemes {
                let has_program = match scheme {
                    Scheme::Plan(Plan::Independent) => false,
                    // What does not fit into a block would be stepped by graphs.
                    Scheme::Plan(Plan::Block) => fits_a_block(&device, &members[0]),
                    Scheme::Plan(Plan::Graph) => true,
                    Scheme::ByPair => runs == 1,
                };
                if !has_program {
                    continue;
                }
                let Some(([least, median, most], bytes)) = measure(&device, scheme, &members)
                else {
                    continue;
                };
                println!(
                    "{stem},{beads},{},{runs},{},{},{},{},{},{:.4},{:.4},{:.4},{:.5},{bytes},{}",
                    system.interactions.bonded_by::<NativeContact>().len(),
                    scheme.name(),
                    dynamics.precision.name(),
                    protocol.randomness.generator().name(),
                    dynamics.integrator.name(),
                    words.has("pulled"),
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
