//! `beadwork check`: explains an input without running it.

mod beads;
mod chains;
mod pace;

use std::fmt::Write as _;
use std::path::PathBuf;

use beadwork::device::Backend;
use beadwork::engine::{CpuAssignment, Devices, GpuAssignment};
use beadwork::input::{AssemblyUsed, GeneratorUsed, Point, Request};
use beadwork::model::externals::External;
use beadwork::model::force_fields::oscillators::{Dimensions, Oscillators};
use beadwork::model::force_fields::residues::Residues;
use beadwork::model::observables::{
    Observable, OnRequest, expected_temperature_reading, extension,
};
use beadwork::model::units::{
    ANGSTROMS_PER_NANOMETRE, BOLTZMANN, PICONEWTONS_PER_FORCE, PICOSECONDS_PER_NANOSECOND,
};
use beadwork::model::{Dynamics, Model, Stage, StageKind, System, Units, advice};
use beadwork::part::Part;
use beadwork::session::{plan, refuse_what_files_cannot_hold, refuse_what_is_not_built_in};
use clap::Args;
use serde_json::json;

use super::Failure;
use super::output::{grouped, remark, say, say_json, significant, simulated, time_in};
use super::size::{self, estimated_bytes};
use super::threads::{threads_or_cores, use_threads};
use pace::{Estimate, FAILS};

const EXAMPLE: &str = "\
Example:
  beadwork check protein.toml --set pull.speed=\"1 um/s\"";

/// Explain an input without running it.
///
/// Counts beads, bonds and contacts, lists what each selection matched, compares the time step with the stiffest bond
/// and the chain's drag with the forces of interest, and estimates the duration from stepping some members for a
/// moment.
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
    pub json: bool,
}

/// um/s in one Å/ps.
const MICROMETRES_PER_SECOND: f64 = 1e8;

impl Check {
    pub fn run(self) -> Result<u8, Failure> {
        let threads = threads_or_cores(self.threads);
        use_threads(threads)?;
        let request = beadwork::input::load(&self.input, &self.overrides.parse()?)?;
        refuse_what_is_not_built_in(&request)?;
        refuse_what_files_cannot_hold(&request)?;
        let plan = plan(&request, &Part::whole(&request));
        let chosen = self.choice.device.for_plan(&plan, threads)?;
        if let Some(notice) = &chosen.notice {
            remark(&format!("note: {notice}"));
        }
        let members = plan.members.len();
        let (stepping, estimate) = match &chosen.devices {
            Devices::Cpu => {
                let assignment = CpuAssignment::of(&plan, members, threads);
                let stepping = Stepping {
                    words: assignment.describe(),
                    at_once: assignment.workers * assignment.together,
                    json: json!({
                        "device": Backend::Cpu,
                        "instructions": assignment.instructions.name(),
                        "members_at_a_time": assignment.together,
                        "threads": assignment.workers * assignment.threads_each,
                        "threads_a_member": assignment.threads_each,
                    }),
                };
                (stepping, pace::on_cpu(&request, &plan, &assignment))
            }
            Devices::Cuda(cards) => {
                let assignment = GpuAssignment::new(cards, &plan, members, threads);
                let stepping = Stepping {
                    words: assignment.describe(),
                    at_once: assignment.at_once(),
                    json: json!({
                        "device": Backend::Cuda,
                        "gpus": assignment.cards,
                        "members_at_a_time": assignment.together,
                        "threads": assignment.threads,
                    }),
                };
                (stepping, pace::on_gpus(&cards[0], &plan, &assignment))
            }
        };
        if self.json {
            say_json(&as_json(&request, &stepping, &estimate))?;
        } else {
            say(&in_words(&request, &stepping, &estimate))?;
        }
        Ok(0)
    }
}

/// How this machine would step the members of a request.
struct Stepping {
    words: String,
    /// Members that are stepped at a time.
    at_once: usize,
    json: serde_json::Value,
}

/// The duration in words; `counted` is the plural name of a step.
fn describe_duration(estimate: &Estimate, counted: &str) -> String {
    let seconds = std::time::Duration::from_secs(estimate.seconds.ceil() as u64);
    // Two digits of a rough number.
    let digits = 10_f64.powf(estimate.steps_per_second.max(10.0).log10().floor() - 1.0);
    let rate = (estimate.steps_per_second / digits).round() * digits;
    format!(
        "about {} on {} of this machine, {} {counted}/s (measured for a moment)",
        humantime::format_duration(seconds),
        estimate.on,
        grouped(rate as u64)
    )
}

/// Bytes of a bead of the system, and of its names while topologies are written. Runs of 2 and of 4 million beads of a DPD fluid
/// were read to take 880 bytes a bead at their peak; how much of that is the member's was not.
const OF_SYSTEM: f64 = 480.0;

/// Bytes of a member in memory: copies of the lists, positions and forces, and a neighbour list.
fn estimated_memory(point: &Point) -> f64 {
    let counts = point.system.counts;
    let pairs = counts.nonnative_pairs.min(counts.beads * 250);
    (counts.beads * 400 + (counts.bonds + counts.native_contacts) * 24 + pairs * 8) as f64
}

fn as_json(
    request: &Request,
    stepping: &Stepping,
    estimate: &Result<Estimate, String>,
) -> serde_json::Value {
    let (estimate, problem) = (estimate.as_ref().ok(), estimate.as_ref().err());
    let point = &request.points[0];
    let dynamics = &point.protocol.dynamics;
    let mut all = json!({
        "counts": point.system.counts,
        "start": point.start.as_ref().map(beads::start_as_json),
        "points": request.points.iter().enumerate().map(|(number, point)| json!({
            "settings": point.settings,
            "counts": point.system.counts,
            "assembly": point.assembly.as_ref().map(assembly_as_json),
            steps_of(point): point.protocol.steps(),
            "estimated_core_seconds": estimate.and_then(|estimate| estimate.core_seconds.get(number)),
            "estimated_memory_bytes_per_running_member": estimated_memory(point),
        })).collect::<Vec<_>>(),
        "replicas": request.replicas,
        "members": request.members(),
        "stepping": stepping.json,
        "estimated_seconds": estimate.map(|estimate| estimate.seconds),
        format!("estimated_{}_per_second", steps_of(point)): estimate.map(|estimate| estimate.steps_per_second),
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
        "warnings": warnings(request, problem),
        "notes": request.notes,
        "seed": point.protocol.seed,
    });
    if !point.system.is_sampled() {
        let timestep = match point.system.units {
            Units::Real => "timestep_ps",
            Units::Reduced => "timestep",
        };
        all[timestep] = json!(dynamics.timestep);
        if dynamics.integrator.has_velocities() {
            all["bond_phase"] = json!(advice::bond_phase(&point.system, dynamics));
            all["advised_bond_phase"] = json!(advice::ADVISED_BOND_PHASE);
        } else {
            all["bond_step"] = json!(advice::bond_step(&point.system, dynamics));
            all["advised_bond_step"] = json!(advice::ADVISED_BOND_STEP);
        }
        all["temperature_read_over_bath"] = json!(temperature_factor(point));
    }
    all
}

/// The plural name of a point's steps.
fn steps_of(point: &Point) -> &'static str {
    if point.system.is_sampled() { "sweeps" } else { "steps" }
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
        // Later points print only the lines that differ from those of the first.
        let known = |line: &str| number > 0 && first.lines().any(|other| other == line);
        for line in described.lines().filter(|line| !known(line)) {
            let _ = writeln!(text, "{line}");
        }
    }
    let members = request.members();
    let at_once = stepping.at_once;
    let _ =
        writeln!(text, "Ensemble     {members} member(s): {}", chains::describe_ensemble(request));
    let _ = writeln!(text, "Stepping     {}", stepping.words);
    let _ = writeln!(
        text,
        "Output       {}, about {:.0} MB",
        request.output.folder.display(),
        (estimated_bytes(request) / 1e6).max(1.0)
    );
    let memory = request.points.iter().map(estimated_memory).fold(0.0, f64::max);
    let systems = request.points.iter().map(|point| OF_SYSTEM * point.system.beads() as f64);
    let systems = systems.fold(0.0, f64::max);
    let _ = writeln!(
        text,
        "Memory       about {:.0} MB with {at_once} running member(s)",
        ((memory * at_once as f64 + systems) / 1e6).max(1.0)
    );
    let duration = match estimate {
        Ok(estimate) => describe_duration(estimate, steps_of(&request.points[0])),
        Err(reason) if reason.starts_with(FAILS) => "not estimated".to_string(),
        Err(reason) => format!("not estimated: {}", in_one_line(reason)),
    };
    let _ = writeln!(text, "Duration     {duration}");
    for note in &request.notes {
        let _ = writeln!(text, "Note         {note}");
    }
    for warning in warnings(request, estimate.as_ref().err()) {
        let _ = writeln!(text, "Warning      {warning}");
    }
    text
}

/// Warnings about the input, about the disk, and about a run that will fail; `problem` is why its duration was not estimated.
fn warnings(request: &Request, problem: Option<&String>) -> Vec<String> {
    let room = size::warning(&request.output.folder, estimated_bytes(request));
    let fails = problem.filter(|reason| reason.starts_with(FAILS)).map(|reason| {
        let reason = in_one_line(reason);
        format!("{reason}; if beads of the start overlap or stretch bonds, a first stage with `minimise` moves them apart")
    });
    request.warnings.iter().cloned().chain(room).chain(fails).collect()
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn assembly_as_json(assembly: &AssemblyUsed) -> serde_json::Value {
    let generators = assembly.generators.iter();
    let generators =
        generators.map(|one| json!({ "operators": one.operators, "chains": one.chains }));
    json!({ "id": assembly.id, "generators": generators.collect::<Vec<_>>() })
}

/// `1: 60 operator(s) on chain(s) A, B, C; 1 operator(s) on chain(s) D`.
fn describe_assembly(assembly: &AssemblyUsed) -> String {
    const SHOWN: usize = 4;
    let named = |id: &String| if id.is_empty() { "without id".to_string() } else { id.clone() };
    let described = |generator: &GeneratorUsed| {
        let chains: Vec<String> = generator.chains.iter().map(named).collect();
        format!("{} operator(s) on chain(s) {}", generator.operators, chains.join(", "))
    };
    let generators: Vec<String> = assembly.generators.iter().take(SHOWN).map(described).collect();
    let more = if assembly.generators.len() > SHOWN { "; …" } else { "" };
    format!("{}: {}{more}", assembly.id, generators.join("; "))
}

fn describe_point(text: &mut String, request: &Request, point: &Point) {
    match &point.system.model {
        Model::Sop => describe_molecules(text, point),
        Model::Oscillators(particles) => {
            describe_oscillators(text, particles, &point.protocol.dynamics);
        }
        Model::ElasticPolymer(polymer) => chains::describe(text, point, polymer),
        Model::Residues(residues) => describe_residues(text, &point.system, residues),
        Model::Beads => beads::describe(text, &point.system, point.start.as_ref()),
    }
    if !point.system.is_sampled() {
        describe_dynamics(text, point);
    }
    chains::describe_exchange(text, point);
    describe_stages(text, point);
    if Observable::Extension.is_measured_in(&point.system, &point.protocol.dynamics) {
        let ends = extension(&point.protocol.ends, &point.system.particles.positions);
        let unit = Observable::Extension.unit_in(point.system.units);
        let _ = writeln!(
            text,
            "Extension    {:.3}{} at the start, between the ends that the table measures",
            unit.convert(ends),
            behind(unit.symbol())
        );
    }
    for (role, selection, beads) in &point.selections {
        let shown: Vec<String> =
            beads.iter().take(3).map(|&bead| point.system.bead_label(bead)).collect();
        let more =
            if beads.len() > 3 { format!(" and {} more", beads.len() - 3) } else { String::new() };
        let _ = writeln!(text, "Selection    {role}, \"{selection}\": {}{more}", shown.join(", "));
    }
    let output = |every: u64, what: &str| {
        let (interval, count) = (chains::counted(point, every), point.protocol.steps() / every);
        format!("a {what} every {interval} ({} {what}s a member)", grouped(count))
    };
    let asked = |(_, columns): &&OnRequest| {
        columns.iter().all(|column| point.protocol.columns.contains(column))
    };
    let asked: Vec<&str> = Observable::ON_REQUEST.iter().filter(asked).map(|one| one.0).collect();
    let more =
        if asked.is_empty() { String::new() } else { format!(", also with {}", asked.join(", ")) };
    let _ = writeln!(text, "Table        {}{more}", output(request.output.table_every, "row"));
    let frames = request.output.trajectory.map(|(every, _)| output(every, "frame"));
    let _ = writeln!(text, "Trajectory   {}", frames.as_deref().unwrap_or("none"));
}

/// Integrator, time step and the temperature that tables will show.
fn describe_dynamics(text: &mut String, point: &Point) {
    let dynamics = &point.protocol.dynamics;
    let temperature = match point.exchange {
        Some(_) => String::new(),
        None => {
            let unit = point.system.units.of_energy();
            let start = if point.system.holds_temperature(dynamics) {
                ""
            } else {
                " at the start; nothing holds the temperature"
            };
            format!(", kT = {:.4}{unit}{start}", dynamics.temperature)
        }
    };
    let stability = match &point.system.model {
        Model::Oscillators(particles) => format!(
            "a = k h/friction = {}",
            significant(particles.stiffness * dynamics.timestep / dynamics.friction)
        ),
        _ if point.system.stiffest_bond() == 0.0 => "no bonds".to_string(),
        _ if dynamics.integrator.has_velocities() => format!(
            "2 h sqrt(k/m) = {:.3} for the stiffest bond and the lightest bead (advised: at most {})",
            advice::bond_phase(&point.system, dynamics),
            advice::ADVISED_BOND_PHASE
        ),
        _ => format!(
            "4 k h/friction = {:.3} for the stiffest bond (advised: at most {})",
            advice::bond_step(&point.system, dynamics),
            advice::ADVISED_BOND_STEP
        ),
    };
    let _ = writeln!(
        text,
        "Dynamics     {}, {} precision, {} noise{temperature}\nTime step    {}; {stability}",
        dynamics.integrator.name(),
        dynamics.precision.name(),
        point.protocol.randomness.name(),
        time_in(point.system.units, dynamics.timestep)
    );
    let Some(factor) = temperature_factor(point) else { return };
    let bath = dynamics.temperature / BOLTZMANN;
    let reading = match point.exchange {
        Some(_) => format!(
            "{:.1} % {} than the bath has",
            100.0 * (factor - 1.0).abs(),
            if factor > 1.0 { "more" } else { "less" }
        ),
        None => format!("about {:.0} K in a bath of {} K", factor * bath, significant(bath)),
    };
    let _ = writeln!(
        text,
        "Temperature  tables will read {reading}: they count the drift of each step"
    );
}

fn describe_stages(text: &mut String, point: &Point) {
    for (number, stage) in point.protocol.stages.iter().enumerate() {
        let time = stage.steps() as f64 * point.protocol.dynamics.timestep;
        let what = match stage.kind {
            StageKind::Dynamics { steps } => {
                format!("{} steps = {}", grouped(steps), time_in(point.system.units, time))
            }
            StageKind::Minimise { tolerance, steps, push_off } => {
                let unit = point.system.units.of_force();
                let soft = match push_off {
                    0 => String::new(),
                    some => format!("{} of them with soft repulsions", grouped(some)),
                };
                let comma = if push_off > 0 { ", " } else { "" };
                format!(
                    "minimise to {tolerance}{unit}, at most {} steps{comma}{soft}",
                    grouped(steps)
                )
            }
            StageKind::Sample { sweeps, tune_every, .. } => {
                let fits = |every| {
                    format!(", displacements fitted every {}", chains::counted(point, every))
                };
                chains::counted(point, sweeps) + &tune_every.map(fits).unwrap_or_default()
            }
        };
        let fixed = match stage.fixed.len() {
            0 => String::new(),
            fixed => format!("; {fixed} bead(s) fixed"),
        };
        let stops: Vec<&str> = stage.stops.iter().map(|stop| stop.text.as_str()).collect();
        let until = if stops.is_empty() { "" } else { "; until " };
        let _ = writeln!(
            text,
            "Stage        {}: {what}{fixed}{until}{}{}",
            stage.name,
            stops.join(" or "),
            chains::describe_tuning(point, number)
        );
        for external in &stage.externals {
            let _ = writeln!(
                text,
                "             {}",
                describe_drive(external, time, point.system.units)
            );
        }
    }
}

/// The temperature that tables will show, divided by that of the bath.
fn temperature_factor(point: &Point) -> Option<f64> {
    let moves = |stage: &Stage| matches!(stage.kind, StageKind::Dynamics { .. });
    let dynamics = &point.protocol.dynamics;
    let is_read = point.system.model == Model::Sop && dynamics.temperature > 0.0;
    (is_read && point.protocol.stages.iter().any(moves))
        .then(|| expected_temperature_reading(&point.system, dynamics))
        .flatten()
}

/// The beads, bonds and contacts of a molecule.
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
    let note = match counts.native_contacts - counts.native_contacts_with_energy {
        0 => String::new(),
        bonded => format!(" ({bonded} of them bonded, without energy)"),
    };
    let _ = writeln!(
        text,
        "Contacts     {} native{note}, {} non-native pairs",
        grouped(counts.native_contacts as u64),
        grouped(counts.nonnative_pairs as u64)
    );
}

/// Proteins of residues, their charge, and the water around them.
fn describe_residues(text: &mut String, system: &System, residues: &Residues) {
    let counts = system.counts;
    let charge: f64 = system.particles.charges.iter().map(|&charge| f64::from(charge)).sum();
    let _ = writeln!(
        text,
        "System       {} residues in {} chain(s) by {}, {} bonds, {} restraint(s), charge {charge:+.2} e, {:.1} kDa",
        counts.beads,
        counts.chains,
        residues.model.name(),
        counts.bonds,
        counts.native_contacts,
        system.masses(0..system.beads()).sum::<f64>() / 1e3
    );
    if residues.model.depends_on_solution() {
        let solution = &residues.solution;
        let _ = writeln!(
            text,
            "Solution     water of {} K: relative permittivity {:.2}, Bjerrum length {:.4} nm, screening length {:.4} nm; histidine {:+.3} e",
            (100.0 * solution.temperature).round() / 100.0,
            solution.permittivity(),
            solution.bjerrum_length(),
            1.0 / solution.inverse_screening_length(),
            solution.histidine_charge()
        );
    }
}

/// Independent particles and the law of their motion.
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

/// A unit behind a number.
fn behind(symbol: &str) -> String {
    if symbol.is_empty() { String::new() } else { format!(" {symbol}") }
}

/// An external in a stage that lasts at most `time`.
fn describe_drive(external: &External, time: f64, units: Units) -> String {
    if units == Units::Reduced {
        return match external {
            External::Spring(spring) => format!(
                "spring of stiffness {}, base at speed {}: travels {}",
                significant(spring.stiffness),
                significant(spring.speed),
                significant(spring.speed * time)
            ),
            External::Force(force) => format!("constant force of {}", significant(force.force)),
            External::ForceRamp(ramp) => {
                format!("force that grows to {}", significant(ramp.rate * time))
            }
            External::Restrain(restrain) => format!(
                "restraints of stiffness {} on {} bead(s)",
                significant(restrain.stiffness),
                restrain.beads.len()
            ),
        };
    }
    let stiffness = |value: f64| value * PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
    match external {
        External::Spring(spring) => format!(
            "spring of {} pN/nm, base at {} um/s: travels {} nm",
            significant(stiffness(spring.stiffness)),
            significant(spring.speed * MICROMETRES_PER_SECOND),
            significant(spring.speed * time / ANGSTROMS_PER_NANOMETRE)
        ),
        External::Force(force) => {
            format!("constant force of {} pN", significant(force.force * PICONEWTONS_PER_FORCE))
        }
        External::ForceRamp(ramp) => {
            let last = ramp.rate * time * PICONEWTONS_PER_FORCE;
            format!("force that grows to {} pN", significant(last))
        }
        External::Restrain(restrain) => format!(
            "restraints of {} pN/nm on {} bead(s)",
            significant(stiffness(restrain.stiffness)),
            restrain.beads.len()
        ),
    }
}
