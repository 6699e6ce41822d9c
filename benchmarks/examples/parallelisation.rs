//! Measures the time of a step and the memory on a GPU for each plan, system size and number of runs, without files:
//! the comparison of parallelisations in \[A\] of the book's list of sources, and the speed of each form of block.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_benchmarks::kernels::ByPair;
use beadwork_benchmarks::{Fluid, Workload, generator_of, precision_of};
use beadwork_cpu::Member;
use beadwork_cuda::{Device, Ensemble, Error, Job, LaunchOverrides, Plan, fits_a_block};
use beadwork_model::externals::{Ends, External, Spring};
use beadwork_model::made_systems::{one_stage, sop_gpu_dynamics, sop_system, trace};
use beadwork_model::potentials::NativeContact;
use beadwork_model::{Boundary, Dynamics, Generator, Integrator, Precision, Protocol, System};
use beadwork_simulation::SamplePoint;
use beadwork_structure::{ReadOptions, Structure, read, read_assembly};
use clap::{Parser, ValueEnum};

/// The least wall time of a measured launch, seconds.
const LONG_ENOUGH: f64 = 0.3;
const REPEATS: usize = 3;
/// The most beads of all runs together; larger combinations are left out.
const MOST_BEADS: usize = 12_000_000;

#[derive(Parser)]
struct Options {
    /// Residues of an alpha helix, residues-N for a disordered chain of N residues with velocities, slab-CHAINSxN for
    /// chains of them in a box, dpd-N, melt-N or
    /// lennard-jones-N for fluids of N beads, or files of structures; FILE#1 is the first assembly of a file.
    #[arg(value_delimiter = ',', default_value = "30,60,100,200,400,800,1600,3200,6400,10000")]
    systems: Vec<String>,
    /// Runs that are stepped at once.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 100, 1000])]
    runs: Vec<usize>,
    /// Plans, or by-pair: the published threads for pairs, which step one run in single precision without drives.
    #[arg(long, value_delimiter = ',', value_parser = scheme_of, default_values = SCHEMES.map(Scheme::name))]
    plan: Vec<Scheme>,
    #[arg(long, default_value = "single", value_parser = precision_of)]
    precision: Precision,
    #[arg(long, default_value = "philox4x32-10", value_parser = generator_of)]
    generator: Generator,
    /// Use the integrator of second order.
    #[arg(long)]
    second_order: bool,
    /// Pull the last bead away from the first.
    #[arg(long)]
    pulled: bool,
    /// Also make contacts between side chains closer than this many angstroms.
    #[arg(long)]
    side_chain_cutoff: Option<f64>,
    /// Angstroms by which neighbour lists reach beyond the cutoff, instead of 4 for proteins and the usual skin of chains.
    #[arg(long)]
    skin: Option<f64>,
    /// Put the system into a periodic box with sides of this many angstroms: if no pair is near across a face, the
    /// difference is the price of coordinates and sums of forces as whole numbers.
    #[arg(long)]
    side_of_box: Option<f64>,
    /// Whether the block plan gives each member a lane.
    #[arg(long)]
    lanes: Option<bool>,
    /// Blocks of the cluster that steps a member.
    #[arg(long)]
    cluster: Option<usize>,
    /// Members of a block.
    #[arg(long)]
    members: Option<usize>,
    /// Threads of a block that have beads.
    #[arg(long)]
    threads: Option<usize>,
    /// Blocks that a multiprocessor holds.
    #[arg(long)]
    blocks: Option<usize>,
    /// Lanes that share the neighbours of a slot in the grid plan.
    #[arg(long)]
    slot_lanes: Option<usize>,
    /// Whether the grid plan lists neighbours in boxes.
    #[arg(long)]
    lists: Option<bool>,
    /// Whether the lanes of a warp share neighbour lists in boxes of the grid plan.
    #[arg(long)]
    shared_lists: Option<bool>,
    /// Cells of a brick along x, y and z.
    #[arg(long, value_parser = brick_of)]
    brick: Option<[u32; 3]>,
    /// Steps before the first measurement, for starts that relax.
    #[arg(long, default_value_t = 0)]
    relax: u32,
}

/// The way members are stepped: a plan, or a thread for each pair.
#[derive(Clone, Copy)]
enum Scheme {
    Plan(Plan),
    ByPair,
}

/// All schemes that step proteins.
const SCHEMES: [Scheme; 3] = [Scheme::Plan(Plan::Block), Scheme::Plan(Plan::Grid), Scheme::ByPair];

/// Makes this many steps, or returns the reason why it cannot.
type Advance = Box<dyn FnMut(u32) -> Result<(), String>>;

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Plan(plan) => plan.name(),
            Scheme::ByPair => "by-pair",
        }
    }

    fn has_program(self, device: &Device, members: &[Member]) -> bool {
        match self {
            // The grid plan would step larger members in place of the block plan.
            Scheme::Plan(Plan::Block) => fits_a_block(device, &members[0]),
            Scheme::Plan(_) => true,
            Scheme::ByPair => members.len() == 1,
        }
    }
}

fn scheme_of(name: &str) -> Result<Scheme, String> {
    let found = SCHEMES.into_iter().find(|scheme| scheme.name() == name);
    found.ok_or_else(|| format!("it may be {}", SCHEMES.map(Scheme::name).join(", ")))
}

/// `4,4,4`.
fn brick_of(text: &str) -> Result<[u32; 3], String> {
    let sides: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    let sides = sides.ok().and_then(|sides| <[u32; 3]>::try_from(sides).ok());
    sides.ok_or_else(|| "write three whole numbers, such as 4,4,4".to_string())
}

/// An α helix of C-alphas: 2.3 Å radius, 100° and 1.5 Å a residue.
fn helix(residues: usize) -> Structure {
    let position = |number: usize| {
        let angle = (100.0 * number as f64).to_radians();
        [2.3 * angle.cos(), 2.3 * angle.sin(), 1.5 * number as f64]
    };
    trace("helix", (0..residues).map(position).collect())
}

impl Options {
    /// A system, and its dynamics if they are not those of SOP-GPU.
    fn system(&self, name: &str) -> (System, Option<Dynamics>) {
        let (mut system, dynamics) = self.in_open_space(name);
        if let Some(side) = self.side_of_box {
            system.boundary = Boundary::Periodic { lengths: [side; 3] };
        }
        (system, dynamics)
    }

    fn in_open_space(&self, name: &str) -> (System, Option<Dynamics>) {
        if let Some(length) = name.strip_prefix("residues-") {
            let Workload { system, dynamics, .. } =
                Workload::residues(length.parse().unwrap()).unwrap();
            return (Arc::unwrap_or_clone(system), Some(dynamics));
        }
        if let Some((chains, length)) =
            name.strip_prefix("slab-").and_then(|name| name.split_once('x'))
        {
            let Workload { system, dynamics, .. } =
                Workload::slab(chains.parse().unwrap(), length.parse().unwrap()).unwrap();
            return (Arc::unwrap_or_clone(system), Some(dynamics));
        }
        if let Some((fluid, beads)) = name.rsplit_once('-')
            && let Ok(fluid) = Fluid::from_str(fluid, true)
        {
            let Workload { system, dynamics, .. } =
                Workload::fluid(fluid, beads.parse().unwrap()).unwrap();
            return (Arc::unwrap_or_clone(system), Some(dynamics));
        }
        (self.protein(name), None)
    }

    fn protein(&self, name: &str) -> System {
        let options = ReadOptions::default();
        let structure = match (name.parse(), name.split_once('#')) {
            (Ok(residues), _) => helix(residues),
            (_, Some((file, assembly))) => {
                let (unit, assembly) = read_assembly(Path::new(file), &options, assembly).unwrap();
                assembly.build(&unit, |_| true).unwrap()
            }
            (_, None) => read(Path::new(name), &options).unwrap(),
        };
        sop_system(&structure, self.side_chain_cutoff).unwrap()
    }

    fn protocol(&self, beads: usize, own: Option<Dynamics>) -> Protocol {
        let integrator = match self.second_order {
            true => Integrator::BrownianSecondOrder,
            false => Integrator::Brownian,
        };
        let dynamics =
            Dynamics { integrator, precision: self.precision, skin: 4.0, ..sop_gpu_dynamics(20.0) };
        let mut dynamics = own.unwrap_or(dynamics);
        dynamics.skin = self.skin.unwrap_or(dynamics.skin);
        let mut protocol = one_stage(dynamics, self.generator, 1, u64::MAX, beads);
        if self.pulled {
            let ends = Ends {
                fixed: vec![0],
                pulled: vec![beads - 1],
                direction: None,
                ..Ends::default()
            };
            let spring = Spring { ends, stiffness: 0.05, speed: 2.5e-8, update_every: 1 };
            protocol.stages[0].fixed = vec![0];
            protocol.stages[0].externals = vec![External::Spring(spring)];
        }
        protocol
    }

    fn begin(&self, scheme: Scheme, device: &Device, starts: &[Member]) -> Result<Advance, Error> {
        let text = |error: Error| error.to_string();
        let Scheme::Plan(plan) = scheme else {
            let mut by_pair = ByPair::new(device, &starts[0])?;
            return Ok(Box::new(move |steps| by_pair.advance(steps).map_err(text)));
        };
        let &Options {
            lanes,
            cluster,
            members,
            threads,
            blocks,
            slot_lanes,
            lists,
            shared_lists,
            brick,
            ..
        } = self;
        let overrides = LaunchOverrides {
            lanes,
            cluster,
            members,
            threads,
            blocks,
            lists,
            shared_lists,
            slot_lanes,
            brick,
            helpers: None,
        };
        let mut ensemble = Ensemble::new(device)?.with_plan(plan).with_overrides(overrides);
        let mut members = starts.to_vec();
        if self.relax > 0 {
            relax(&mut ensemble, &mut members, self.relax)?;
        }
        Ok(Box::new(move |steps| match advance(&mut ensemble, &members, steps).map_err(text)? {
            true => Ok(()),
            false => Err("not all are sound at the end".to_string()),
        }))
    }
}

/// Makes this many steps of all members and keeps their states.
fn relax(ensemble: &mut Ensemble, members: &mut [Member], steps: u32) -> Result<(), Error> {
    let points = [SamplePoint { steps, row: false }];
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    let results = ensemble.advance(&jobs)?;
    for (member, found) in members.iter_mut().zip(&results) {
        found.bring(0, member)?;
    }
    Ok(())
}

/// Has a card make this many steps of all members; returns whether all are sound at the end.
fn advance(ensemble: &mut Ensemble, members: &[Member], steps: u32) -> Result<bool, Error> {
    let points = [SamplePoint { steps, row: true }];
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    Ok(ensemble.advance(&jobs)?.iter().all(|found| found.samples() == 1))
}

/// The least, median and largest seconds of a step over the repeats, and the bytes of the card's memory that members
/// and kernels take.
fn measure(
    options: &Options,
    device: &Device,
    scheme: Scheme,
    members: &[Member],
) -> Result<([f64; 3], u64), String> {
    let free = device.free_memory().unwrap();
    let mut advance = options.begin(scheme, device, members).map_err(|error| error.to_string())?;
    let mut time = |steps: u32| {
        let began = Instant::now();
        advance(steps).map(|()| began.elapsed().as_secs_f64())
    };
    // The first launch compiles and records. A later short launch measures the overhead of copies and launches.
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
    Ok(([each[0], each[REPEATS / 2], each[REPEATS - 1]], taken))
}

fn main() {
    let options = Options::parse();
    let device = Device::open(0).unwrap();
    println!(
        "system,beads,native_contacts,runs,plan,precision,generator,integrator,pulled,\
         microseconds_a_step,least,most,nanoseconds_a_bead_and_step,bytes,card"
    );
    for name in &options.systems {
        let (system, dynamics) = options.system(name);
        let system = Arc::new(system);
        let start = &system.particles.positions;
        let beads = start.len();
        let stem = Path::new(name).file_stem().unwrap().to_string_lossy();
        let protocol = Arc::new(options.protocol(beads, dynamics));
        for &runs in &options.runs {
            if runs * beads > MOST_BEADS && runs > 1 {
                continue;
            }
            let member = |run| Member::new(system.clone(), protocol.clone(), run, start);
            let members: Vec<Member> = (0..runs as u64).map(member).collect();
            let able = options.plan.iter().filter(|scheme| scheme.has_program(&device, &members));
            for &scheme in able {
                let measured = measure(&options, &device, scheme, &members);
                let ([least, median, most], bytes) = match measured {
                    Ok(measured) => measured,
                    Err(problem) => {
                        eprintln!("{}, {runs} runs: {problem}", scheme.name());
                        continue;
                    }
                };
                println!(
                    "{stem},{beads},{},{runs},{},{},{},{},{},{:.4},{:.4},{:.4},{:.5},{bytes},{}",
                    system.interactions.bonded_by::<NativeContact>().len(),
                    scheme.name(),
                    options.precision.name(),
                    options.generator.name(),
                    protocol.dynamics.integrator.name(),
                    options.pulled,
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
