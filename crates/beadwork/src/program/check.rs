//! `beadwork check`: what an input means, without running it.

mod chains;
mod cores;
mod pace;

use std::fmt::Write as _;
use std::path::PathBuf;

use beadwork::device::Backend;
use beadwork::engine::{CpuAssignment, Devices, GpuAssignment, Kind, Plan};
use beadwork::input::{AssemblyUsed, Point, Request};
use beadwork::model::drives::Drive;
use beadwork::model::force_fields::oscillators::{Dimensions, Oscillators};
use beadwork::model::observables::{expected_temperature_reading, extension};
use beadwork::model::units::{
    ANGSTROMS_PER_NANOMETRE, BOLTZMANN, PICONEWTONS_PER_FORCE, PICOSECONDS_PER_NANOSECOND,
};
use beadwork::model::{Dynamics, Model, Precision, Stage, StageKind, advice};
use beadwork::part::Part;
use beadwork::session::{plan, refuse_what_is_not_built_in};
use clap::Args;
use serde_json::json;

use super::Failure;
use super::output::{grouped, remark, say, significant, simulated};
use super::run::threads_or_cores;
use super::size::{self, estimated_bytes};

const EXAMPLE: &str = "\
Example:
  beadwork check protein.toml --set pull.speed=\"1 um/s\"";

/// Explain an input without running it.
///
/// Counts beads, bonds and contacts, says what each selection matched, compares the time step with
/// the stiffest bond and the chain's drag with the forces of interest, and estimates the duration, on
/// GPUs, of oscillators and of chains by stepping the members for a moment.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Check {
    /// The input.
    input: PathBuf,
    #[command(flatten)]
    overrides: super::run::Overrides,
    #[command(flatten)]
    choice: super::run::DeviceChoice,
    /// Threads that the run will have; by default as many as the machine has cores.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

/// um/s in one Å/ps.
const MICROMETRES_PER_SECOND: f64 = 1e8;
/// Seconds that a vector takes for a pair and for a bead in one step of members that are stepped
/// together, and for one member alone the seconds of a bead and of a vector of beads: for an
/// estimate of the duration that is right within a factor of a few.
const SECONDS_PER_PAIR: f64 = 2.7e-9;
const SECONDS_PER_BEAD_TOGETHER: f64 = 6.3e-8;
const SECONDS_PER_BEAD_ALONE: [f64; 2] = [1.2e-8, 1.4e-7];

impl Check {
    pub fn run(self) -> Result<u8, Failure> {
        let request = beadwork::input::load(&self.input, &self.overrides.parse()?)?;
        refuse_what_is_not_built_in(&request)?;
        let plan = plan(&request, &Part::whole(&request));
        let threads = threads_or_cores(self.threads);
        let chosen = self.choice.device.for_plan(&plan, threads)?;
        if let Some(notice) = &chosen.notice {
            remark(&format!("note: {notice}"));
        }
        let members = plan.members.len();
        let (stepping, estimate) = match &chosen.devices {
            Devices::Cpu => {
                let cpu_assignment = cpu_assignment(&request, threads);
                let of_table = |point: &Point| point.system.model == Model::Sop;
                let measured = !request.points.iter().any(of_table);
                let measured =
                    measured.then(|| cores::measure(&request, &cpu_assignment)).flatten();
                let basis = if measured.is_some() { MEASURED } else { ROUGH };
                let of_table =
                    |point: &Point| estimated_seconds(point, request.replicas, &cpu_assignment);
                let seconds =
                    measured.unwrap_or_else(|| request.points.iter().map(of_table).collect());
                let estimate = on_cores(&request, &cpu_assignment, &seconds, basis);
                (Stepping::Cpu(cpu_assignment, seconds), Ok(estimate))
            }
            Devices::Cuda(cards) => {
                let gpu_assignment = GpuAssignment::new(cards, &plan, members, threads);
                let pace = pace::measure(&cards[0], &plan, &gpu_assignment);
                let estimate = pace.map(|pace| on_gpus(&plan, gpu_assignment.cards.len(), pace));
                (Stepping::Cuda(gpu_assignment), estimate)
            }
        };
        if self.json {
            let text = serde_json::to_string_pretty(&as_json(&request, &stepping, &estimate))
                .map_err(|error| Failure::machine(error.to_string()))?;
            say(&text)?;
        } else {
            say(&in_words(&request, &stepping, &estimate))?;
        }
        Ok(0)
    }
}

/// How the members of a request are stepped here.
enum Stepping {
    /// With the core seconds of each point.
    Cpu(CpuAssignment, Vec<f64>),
    Cuda(GpuAssignment),
}

impl Stepping {
    fn describe(&self) -> String {
        match self {
            Stepping::Cpu(cpu_assignment, _) => cpu_assignment.describe(),
            Stepping::Cuda(gpu_assignment) => gpu_assignment.describe(),
        }
    }

    /// Members that are stepped at once.
    fn at_once(&self) -> usize {
        match self {
            Stepping::Cpu(cpu_assignment, _) => cpu_assignment.workers * cpu_assignment.together,
            Stepping::Cuda(gpu_assignment) => gpu_assignment.at_once(),
        }
    }

    fn as_json(&self) -> serde_json::Value {
        match self {
            Stepping::Cpu(cpu_assignment, _) => json!({
                "device": Backend::Cpu,
                "instructions": cpu_assignment.instructions.name(),
                "members_at_a_time": cpu_assignment.together,
                "threads": cpu_assignment.workers * cpu_assignment.threads_each,
                "threads_a_member": cpu_assignment.threads_each,
            }),
            Stepping::Cuda(gpu_assignment) => json!({
                "device": Backend::Cuda,
                "gpus": gpu_assignment.cards,
                "members_at_a_time": gpu_assignment.together,
                "threads": gpu_assignment.threads,
            }),
        }
    }
}

/// How long the whole will take.
struct Estimate {
    seconds: f64,
    /// Of all members together.
    steps_per_second: f64,
    /// `2 core(s)`.
    on: String,
    /// What it rests on.
    basis: &'static str,
}

/// What estimates rest on.
const ROUGH: &str = "a rough estimate";
const MEASURED: &str = "measured for a moment";

impl Estimate {
    /// In words, with what steps are called.
    fn describe(&self, counted: &str) -> String {
        let seconds = std::time::Duration::from_secs(self.seconds.ceil() as u64);
        // Two digits of a rough number.
        let digits = 10_f64.powf(self.steps_per_second.max(10.0).log10().floor() - 1.0);
        let rate = (self.steps_per_second / digits).round() * digits;
        format!(
            "about {} on {} of this machine, {} {counted}/s ({})",
            humantime::format_duration(seconds),
            self.on,
            grouped(rate as u64),
            self.basis
        )
    }
}

fn on_cores(
    request: &Request,
    cpu_assignment: &CpuAssignment,
    seconds: &[f64],
    basis: &'static str,
) -> Estimate {
    let total: f64 = seconds.iter().sum();
    let steps = |point: &Point| point.protocol.steps() as f64 * request.replicas as f64;
    // More threads than cores are no faster.
    let used = (cpu_assignment.workers * cpu_assignment.threads_each).min(threads_or_cores(None));
    let seconds = total / used as f64;
    let steps: f64 = request.points.iter().map(steps).sum();
    Estimate { seconds, steps_per_second: steps / seconds, on: format!("{used} core(s)"), basis }
}

fn on_gpus(plan: &Plan, cards: usize, pace: pace::Pace) -> Estimate {
    let steps = plan.members.iter().map(|member| member.protocol.steps() as f64);
    let (all, longest) = steps.fold((0.0, 0.0_f64), |(all, most), s| (all + s, most.max(s)));
    // Cards in a batch are no faster for the longest of few members.
    let seconds = all / pace.steps_per_second / cards as f64;
    let seconds = seconds.max(longest * pace.seconds_per_step);
    let on = format!("{cards} GPU(s)");
    Estimate { seconds, steps_per_second: all / seconds, on, basis: MEASURED }
}

/// How the processor steps the members of a request.
fn cpu_assignment(request: &Request, threads: usize) -> CpuAssignment {
    let beads = request.points.iter().map(|point| point.system.counts.beads).max().unwrap_or(0);
    let precision = request.points[0].protocol.dynamics.precision;
    let kinds = request.points.iter();
    let kind = Kind::of(kinds.map(|point| (&*point.system, point.protocol.randomness)));
    CpuAssignment::new(beads, precision, kind, request.members() as usize, threads)
}

/// Seconds of one core for all replicas of a point.
fn estimated_seconds(point: &Point, replicas: u64, cpu_assignment: &CpuAssignment) -> f64 {
    let counts = point.system.counts;
    let pairs = counts.nonnative_pairs.min(counts.beads * 150) + counts.native_contacts;
    let width = match point.protocol.dynamics.precision {
        Precision::Single => cpu_assignment.instructions.width::<f32>(),
        Precision::Double => cpu_assignment.instructions.width::<f64>(),
    } as f64;
    let bead = if cpu_assignment.together > 1 {
        SECONDS_PER_BEAD_TOGETHER / width
    } else {
        SECONDS_PER_BEAD_ALONE[0] + SECONDS_PER_BEAD_ALONE[1] / width
    };
    let step = pairs as f64 * SECONDS_PER_PAIR / width + counts.beads as f64 * bead;
    step * point.protocol.steps() as f64 * replicas as f64
}

/// Bytes that one member takes while it runs: its own copy of the lists, positions and forces, and
/// a neighbour list of at most all pairs.
fn estimated_memory(point: &Point) -> f64 {
    let counts = point.system.counts;
    let pairs = counts.nonnative_pairs.min(counts.beads * 250);
    (counts.beads * 200 + (counts.bonds + counts.native_contacts) * 24 + pairs * 8) as f64
}

fn as_json(
    request: &Request,
    stepping: &Stepping,
    estimate: &Result<Estimate, String>,
) -> serde_json::Value {
    let estimate = estimate.as_ref().ok();
    let point = &request.points[0];
    let dynamics = &point.protocol.dynamics;
    let mut all = json!({
        "counts": point.system.counts,
        "points": request.points.iter().enumerate().map(|(number, point)| json!({
            "settings": point.settings,
            "counts": point.system.counts,
            "assembly": point.assembly.as_ref().map(assembly_as_json),
            steps_of(point): point.protocol.steps(),
            "estimated_core_seconds": match stepping {
                Stepping::Cpu(_, seconds) => seconds.get(number),
                Stepping::Cuda(_) => None,
            },
            "estimated_memory_bytes_per_running_member": estimated_memory(point),
        })).collect::<Vec<_>>(),
        "replicas": request.replicas,
        "members": request.members(),
        "stepping": stepping.as_json(),
        "estimated_seconds": estimate.map(|estimate| estimate.seconds),
        format!("estimated_{}_per_second", steps_of(point)): estimate.map(|estimate| estimate.steps_per_second),
        "estimate_rests_on": estimate.map(|estimate| estimate.basis),
        "exchange": chains::exchange_as_json(request),
        "selections": point.selections.iter().map(|(role, text, beads)| json!({
            "role": role, "selection": text, "beads": beads,
        })).collect::<Vec<_>>(),
        "stages": chains::stages_as_json(point),
        "output": {
            "folder": request.output.folder,
            format!("table_every_{}", steps_of(point)): request.output.table_every,
            "estimated_bytes": estimated_bytes(request),
            "free_bytes": beadwork::io::free_space(&request.output.folder),
        },
        "warnings": warnings(request),
    });
    if !chains::is_sampled(point) {
        all["timestep_ps"] = json!(dynamics.timestep);
        all["bond_step"] = json!(advice::bond_step(&point.system, dynamics));
        all["advised_bond_step"] = json!(advice::ADVISED_BOND_STEP);
        all["temperature_read_over_bath"] = json!(temperature_factor(point));
    }
    all
}

/// What the steps of a point's run are called.
fn steps_of(point: &Point) -> &'static str {
    if chains::is_sampled(point) { "sweeps" } else { "steps" }
}

fn in_words(request: &Request, stepping: &Stepping, estimate: &Result<Estimate, String>) -> String {
    let mut text = String::new();
    let mut first = String::new();
    describe_point(&mut first, request, &request.points[0]);
    for (number, point) in request.points.iter().enumerate() {
        if request.points.len() > 1 {
            let _ = writeln!(text, "Point {number}: {}", point.settings_in_words());
        }
        let mut described = String::new();
        describe_point(&mut described, request, point);
        // Of later points, only what is not so at the first.
        let known = |line: &str| number > 0 && first.lines().any(|other| other == line);
        for line in described.lines().filter(|line| !known(line)) {
            let _ = writeln!(text, "{line}");
        }
    }
    let members = request.members();
    let at_once = stepping.at_once();
    let _ =
        writeln!(text, "Ensemble     {members} member(s): {}", chains::describe_ensemble(request));
    let _ = writeln!(text, "Stepping     {}", stepping.describe());
    let _ = writeln!(
        text,
        "Output       {}, about {:.0} MB",
        request.output.folder.display(),
        (estimated_bytes(request) / 1e6).max(1.0)
    );
    let memory = request.points.iter().map(estimated_memory).fold(0.0, f64::max);
    let _ = writeln!(
        text,
        "Memory       about {:.0} MB for {at_once} running member(s)",
        (memory * at_once as f64 / 1e6).max(1.0)
    );
    let duration = match estimate {
        Ok(estimate) => estimate.describe(steps_of(&request.points[0])),
        Err(reason) => {
            format!("not estimated: {}", reason.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    };
    let _ = writeln!(text, "Duration     {duration}");
    for warning in warnings(request) {
        let _ = writeln!(text, "Warning      {warning}");
    }
    text
}

/// What looks odd, in the input or on this machine.
fn warnings(request: &Request) -> Vec<String> {
    let room = size::warning(&request.output.folder, estimated_bytes(request));
    request.warnings.iter().cloned().chain(room).collect()
}

fn assembly_as_json(assembly: &AssemblyUsed) -> serde_json::Value {
    let generators: Vec<_> = assembly
        .generators
        .iter()
        .map(|generator| json!({ "operators": generator.operators, "chains": generator.chains }))
        .collect();
    json!({ "id": assembly.id, "generators": generators })
}

/// `1: 60 operator(s) on chain(s) A, B, C; 1 operator(s) on chain(s) D`.
fn describe_assembly(assembly: &AssemblyUsed) -> String {
    const SHOWN: usize = 4;
    let generators: Vec<String> = assembly
        .generators
        .iter()
        .take(SHOWN)
        .map(|generator| {
            let chains: Vec<&str> = generator
                .chains
                .iter()
                .map(|id| if id.is_empty() { "without id" } else { id.as_str() })
                .collect();
            format!("{} operator(s) on chain(s) {}", generator.operators, chains.join(", "))
        })
        .collect();
    let more = if assembly.generators.len() > SHOWN { "; …" } else { "" };
    format!("{}: {}{more}", assembly.id, generators.join("; "))
}

fn describe_point(text: &mut String, request: &Request, point: &Point) {
    let dynamics = &point.protocol.dynamics;
    match &point.system.model {
        Model::Sop => describe_molecules(text, point),
        Model::Oscillators(particles) => describe_oscillators(text, particles, dynamics),
        Model::ElasticPolymer(polymer) => chains::describe(text, point, polymer),
    }
    if !chains::is_sampled(point) {
        let temperature = match point.exchange {
            Some(_) => String::new(),
            None => format!(", kT = {:.4} kcal/mol", dynamics.temperature),
        };
        let _ = writeln!(
            text,
            "Dynamics     {}, {} precision, {} noise{temperature}",
            dynamics.integrator.name(),
            dynamics.precision.name(),
            point.protocol.randomness.name()
        );
    }
    let _ = match &point.system.model {
        Model::Sop => writeln!(
            text,
            "Time step    {}; 4 k h/friction = {:.3} for the stiffest bond (advised: at most {})",
            simulated(dynamics.timestep),
            advice::bond_step(&point.system, dynamics),
            advice::ADVISED_BOND_STEP
        ),
        Model::Oscillators(particles) => writeln!(
            text,
            "Time step    {}; a = k h/friction = {}",
            simulated(dynamics.timestep),
            significant(particles.stiffness * dynamics.timestep / dynamics.friction)
        ),
        Model::ElasticPolymer(_) => Ok(()),
    };
    if let Some(factor) = temperature_factor(point) {
        let bath = dynamics.temperature / BOLTZMANN;
        let _ = match point.exchange {
            Some(_) => writeln!(
                text,
                "Temperature  tables will read {:.1} % {} than the bath has: they count the drift of each step",
                100.0 * (factor - 1.0).abs(),
                if factor > 1.0 { "more" } else { "less" }
            ),
            None => writeln!(
                text,
                "Temperature  tables will read about {:.0} K in a bath of {} K: they count the drift of each step",
                factor * bath,
                significant(bath)
            ),
        };
    }
    chains::describe_exchange(text, point);
    for (number, stage) in point.protocol.stages.iter().enumerate() {
        let what = match stage.kind {
            StageKind::Dynamics { steps } => format!(
                "{} steps = {}",
                grouped(steps),
                simulated(steps as f64 * dynamics.timestep)
            ),
            StageKind::Minimise { tolerance, steps } => {
                format!("minimise to {tolerance} kcal/(mol A), at most {} steps", grouped(steps))
            }
            StageKind::Sample { sweeps, tune_every: None, .. } => chains::counted(point, sweeps),
            StageKind::Sample { sweeps, tune_every: Some(every), .. } => format!(
                "{}, displacements fitted every {}",
                chains::counted(point, sweeps),
                chains::counted(point, every)
            ),
        };
        let stops: Vec<&str> = stage.stops.iter().map(|stop| stop.text.as_str()).collect();
        let stops = if stops.is_empty() {
            String::new()
        } else {
            format!("; until {}", stops.join(" or "))
        };
        let fixed = if stage.fixed.is_empty() {
            String::new()
        } else {
            format!("; {} bead(s) fixed", stage.fixed.len())
        };
        let placed = chains::describe_tuning(point, number);
        let _ = writeln!(text, "Stage        {}: {what}{fixed}{stops}{placed}", stage.name);
        for drive in &stage.drives {
            let time = stage.steps() as f64 * dynamics.timestep;
            let _ = writeln!(text, "             {}", describe_drive(drive, time));
        }
    }
    if point.system.model == Model::Sop {
        let ends = extension(&point.protocol.ends, &point.system.particles.positions);
        let _ = writeln!(
            text,
            "Extension    {:.3} nm in the structure, between the ends that the table measures",
            ends / ANGSTROMS_PER_NANOMETRE
        );
    }
    for (role, selection, beads) in &point.selections {
        let shown: Vec<String> =
            beads.iter().take(3).map(|&bead| point.system.bead_label(bead)).collect();
        let more =
            if beads.len() > 3 { format!(" and {} more", beads.len() - 3) } else { String::new() };
        let _ = writeln!(text, "Selection    {role}, \"{selection}\": {}{more}", shown.join(", "));
    }
    let rows = point.protocol.steps() / request.output.table_every;
    let _ = writeln!(
        text,
        "Table        a row every {} ({} rows a member)",
        chains::counted(point, request.output.table_every),
        grouped(rows)
    );
    let _ = match request.output.trajectory {
        Some((every, _)) => writeln!(
            text,
            "Trajectory   a frame every {} ({} frames a member)",
            chains::counted(point, every),
            grouped(point.protocol.steps() / every)
        ),
        None => writeln!(text, "Trajectory   none"),
    };
}

/// The temperature that tables will have over that of the bath, where molecules move.
fn temperature_factor(point: &Point) -> Option<f64> {
    let moves = |stage: &Stage| matches!(stage.kind, StageKind::Dynamics { .. });
    let dynamics = &point.protocol.dynamics;
    let is_read = point.system.model == Model::Sop && dynamics.temperature > 0.0;
    (is_read && point.protocol.stages.iter().any(moves))
        .then(|| expected_temperature_reading(&point.system, dynamics))
        .flatten()
}

/// What a system of molecules consists of.
fn describe_molecules(text: &mut String, point: &Point) {
    let counts = point.system.counts;
    let _ = writeln!(
        text,
        "System       {} beads in {} chain(s), {} bonds ({} not of the backbone)",
        counts.beads, counts.chains, counts.bonds, counts.extra_bonds
    );
    if let Some(assembly) = &point.assembly {
        let _ = writeln!(text, "Assembly     {}", describe_assembly(assembly));
    }
    let bonded = counts.native_contacts - counts.native_contacts_with_energy;
    let note = if bonded > 0 {
        format!(" ({bonded} of them bonded, without energy)")
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "Contacts     {} native{note}, {} non-native pairs",
        counts.native_contacts,
        grouped(counts.nonnative_pairs as u64)
    );
}

/// Independent particles and the law that awaits them.
fn describe_oscillators(text: &mut String, particles: &Oscillators, dynamics: &Dynamics) {
    let number = grouped(particles.particles as u64);
    let _ = match particles.dimensions {
        Dimensions::One => writeln!(
            text,
            "System       {number} particles on lines, three a bead, {} beads",
            grouped(particles.particles.div_ceil(3) as u64)
        ),
        Dimensions::Three => writeln!(text, "System       {number} particles in space, one a bead"),
    };
    let law = particles.law(dynamics);
    let diffusion = dynamics.temperature / dynamics.friction * PICOSECONDS_PER_NANOSECOND
        / (ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE);
    let spread = match (law.relaxation(), law.stationary()) {
        (Some(steps), Some(variance)) => format!(
            "relaxation time {}, variance {} nm^2 of each coordinate",
            simulated(steps * dynamics.timestep),
            significant(variance / (ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE))
        ),
        _ if particles.stiffness > 0.0 => "with this time step no well holds them".to_string(),
        _ => "free, no well holds them".to_string(),
    };
    let _ = writeln!(text, "Law          diffusion {} nm^2/ns; {spread}", significant(diffusion));
}

/// A drive in words; `time`, ps, is the stage's longest.
fn describe_drive(drive: &Drive, time: f64) -> String {
    let stiffness = |value: f64| value * PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
    match drive {
        Drive::Spring(spring) => format!(
            "spring of {} pN/nm, base at {} um/s: travels {} nm",
            significant(stiffness(spring.stiffness)),
            significant(spring.speed * MICROMETRES_PER_SECOND),
            significant(spring.speed * time / ANGSTROMS_PER_NANOMETRE)
        ),
        Drive::Force(force) => {
            format!("constant force of {} pN", significant(force.force * PICONEWTONS_PER_FORCE))
        }
        Drive::ForceRamp(ramp) => {
            let last = ramp.rate * time * PICONEWTONS_PER_FORCE;
            format!("force that grows to {} pN", significant(last))
        }
        Drive::Restrain(restrain) => format!(
            "restraints of {} pN/nm on {} bead(s)",
            significant(stiffness(restrain.stiffness)),
            restrain.beads.len()
        ),
    }
}
