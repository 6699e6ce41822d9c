//! The short sections: `[dynamics]`, `[random]`, `[output]`, `[analysis]`, `[run]`.

use std::path::PathBuf;

use beadwork_model::observables::Observable;
use beadwork_model::units::{Dimension, PICONEWTONS_PER_FORCE, Units};
use beadwork_model::{
    Distribution, Dynamics, Generator, Integrator, Precision, Randomness, Scheme,
};

use crate::beads::BEADS;
use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, WRONG_TYPE};
use crate::noise::{self, Noise};
use crate::oscillators::OSCILLATORS;
use crate::polymers::{ELASTIC_POLYMER, OUTPUT_OF_OTHERS};
use crate::request::Point;
use crate::residues::RESIDUES;
use crate::section::{Bound, Read, Section, Usual, meant, quoted};
use crate::steps::{Clock, TimeStep};

const DYNAMICS_KEYS: [&str; 8] = [
    "integrator",
    "temperature",
    "friction",
    "collision_rate",
    "diffusion",
    "timestep",
    "precision",
    "skin",
];
const RANDOM_KEYS: [&str; 6] =
    ["seed", "noise", "generator", "scheme", "distribution", "accept_flaws"];
const OUTPUT_KEYS: [&str; 6] = ["folder", "table", "trajectory", "checkpoint", "parquet", "ends"];
const ANALYSIS_KEYS: [&str; 3] = ["stages", "window", "prominence"];
const RUN_KEYS: [&str; 1] = ["on_failure"];

/// Steps or sweeps between rows of the table; SOP-GPU renews forces at this interval.
const TABLE_EVERY: u32 = 1000;
pub(crate) const DEFAULT_SEED: u32 = 20101;
const PICOSECONDS_PER_SECOND: f64 = 1e12;
pub(crate) const AUTOMATIC: &str = "automatic";

/// The format of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrajectoryKind {
    /// GROMACS's compressed format.
    Xtc,
    /// The format of CHARMM and NAMD.
    Dcd,
    /// The format of HOOMD-blue, for bead models.
    Gsd,
}

/// What a run writes, where and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The folder of the run, relative to the current directory.
    pub folder: PathBuf,
    /// Steps or sweeps between rows of the table, at least 1.
    pub table_every: u64,
    /// Steps or sweeps between frames, at least 1, and their format.
    pub trajectory: Option<(u64, TrajectoryKind)>,
    /// Seconds of wall time between checkpoints.
    pub checkpoint_seconds: f64,
    /// Whether a finished run also writes all tables into one Parquet file.
    pub parquet: bool,
}

/// How the answer is computed from the tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The names of the stages that are answered for. If empty, each kind of run answers for its own: the first that pulls, or
    /// the last.
    pub stages: Vec<String>,
    /// Time over which forces are averaged, ps. If `None`, the time in which a spring's base travels 0.25 nm.
    pub window: Option<f64>,
    /// The smallest fall after a force peak, pN.
    pub prominence: f64,
}

/// What happens when a member becomes unphysical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The other members continue.
    Continue,
    /// All members stop.
    Stop,
}

/// How a run is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// What happens when a member becomes unphysical.
    pub on_failure: OnFailure,
}

/// Which types of a `[system]` have a friction of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypesWithFriction {
    /// Some of them.
    Some,
    /// All.
    All,
}

/// `[dynamics]` as it was read. If replicas exchange temperatures, the temperature is 0.
#[derive(Clone, Debug)]
pub(crate) struct DynamicsRead {
    pub dynamics: Dynamics,
    /// The time step as it was written, and where.
    pub timestep: TimeStep,
    pub timestep_place: Location,
    /// γ, 1/ps, if the friction of each type is γ times its mass.
    pub collision_rate: Option<f64>,
}

/// Reads `[dynamics]` of a model in some units, some of whose types may have a friction of their own.
pub(crate) fn read_dynamics(
    node: &Node,
    model: &str,
    units: Units,
    exchange: bool,
    types_have_friction: Option<TypesWithFriction>,
) -> Result<(DynamicsRead, Table), Error> {
    let mut section = Section::open(node, "[dynamics]", &DYNAMICS_KEYS)?.in_units(units);
    let usual = Some(match model {
        RESIDUES | BEADS => Integrator::Langevin,
        _ => Integrator::Brownian,
    });
    let integrator = match model {
        // Their law is that of beads without velocities.
        OSCILLATORS => {
            section.named("integrator", Integrator::OVERDAMPED, Integrator::name, usual)?
        }
        _ => section.named("integrator", Integrator::ALL, Integrator::name, usual)?,
    };
    let temperature = if exchange {
        section.exclude(&["temperature"], "[exchange] has the temperatures: leave it out")?;
        let because = "with the temperatures of [exchange] it would make frictions that differ: write `friction` in its place";
        section.exclude(&["diffusion"], because)?;
        0.0
    } else {
        let (kind, bound) = (Dimension::Temperature, Bound::NotNegative);
        let usual = if model == RESIDUES { "298 K" } else { "300 K" };
        section.quantity_or("temperature", kind, bound, Usual::new(usual, 1.0))?.value
    };
    let (friction, collision_rate) = match integrator.has_velocities() {
        true => read_drag(&mut section, integrator, types_have_friction)?,
        false => (read_friction(&mut section, temperature)?, None),
    };
    let usual = if integrator.has_velocities() { "10 fs" } else { "20 ps" };
    let timestep = section.quantity_or("timestep", Dimension::Time, Bound::Positive, usual)?;
    let precision = read_precision(&mut section)?;
    let usual = Usual::new("4 A", 0.4);
    let skin = section.quantity_or("skin", Dimension::Length, Bound::NotNegative, usual)?;
    let (step, skin) = (timestep.value, skin.value);
    let dynamics = Dynamics { integrator, temperature, friction, timestep: step, precision, skin };
    let timestep_place = section.value_place("timestep").clone();
    let timestep = TimeStep { quantity: timestep, units };
    let read = DynamicsRead { dynamics, timestep, timestep_place, collision_rate };
    Ok((read, section.resolved))
}

/// The friction of beads without velocities, from `friction` or `diffusion`.
fn read_friction(section: &mut Section<'_>, temperature: f64) -> Result<f64, Error> {
    let because = "beads without velocities do not collide: write `friction`, or an integrator with velocities such as \"langevin\"";
    section.exclude(&["collision_rate"], because)?;
    section.one_of("friction", "diffusion")?;
    match section.quantity("diffusion", Dimension::Diffusion, Bound::Positive)? {
        // Einstein's relation, ξ = kT/D.
        Some(diffusion) if temperature > 0.0 => Ok(temperature / diffusion.value),
        Some(_) => {
            let problem =
                "says nothing of the friction at temperature 0: write `friction` in its place";
            Err(section.fault(CONFLICT, "diffusion", problem))
        }
        None => {
            let usual = "8.685e6 pN ps/nm";
            Ok(section.quantity_or("friction", Dimension::Friction, Bound::Positive, usual)?.value)
        }
    }
}

/// The friction of beads with velocities: one coefficient for all, or a collision rate, by which each bead has its mass
/// times the rate.
fn read_drag(
    section: &mut Section<'_>,
    integrator: Integrator,
    types_have_friction: Option<TypesWithFriction>,
) -> Result<(f64, Option<f64>), Error> {
    let because = "beads with velocities have a friction or a collision rate: write one of them";
    section.exclude(&["diffusion"], because)?;
    section.one_of("friction", "collision_rate")?;
    let bound = Bound::NotNegative;
    if let Some(friction) = section.quantity("friction", Dimension::Friction, bound)? {
        return Ok((friction.value, None));
    }
    // A collision rate would give a friction to every type.
    if types_have_friction == Some(TypesWithFriction::All) && !section.has("collision_rate") {
        return Ok((0.0, None));
    }
    if types_have_friction.is_some() && !section.has("collision_rate") {
        let example = if section.units == Units::Real { "\"1000 pN ps/nm\"" } else { "1.0" };
        return Err(section.missing(
            "friction",
            &format!("{example}, for the types without a friction of their own"),
        ));
    }
    // Without friction, velocity Verlet conserves the energy.
    let usual = match integrator {
        Integrator::VelocityVerlet => Usual::new("0 /ps", 0.0),
        _ => Usual::from("0.01 /ps"),
    };
    let rate = section.quantity_or("collision_rate", Dimension::Rate, bound, usual)?;
    Ok((0.0, Some(rate.value)))
}

pub(crate) fn read_precision(section: &mut Section<'_>) -> Result<Precision, Error> {
    section.named("precision", Precision::ALL, Precision::name, Some(Precision::Single))
}

/// `[random]` as it was read.
pub(crate) struct RandomRead {
    pub seed: u64,
    pub randomness: Randomness,
    /// Which noise the run gets, and where the input says so.
    pub noise: (Noise, Location),
    pub resolved: Table,
}

/// Reads `[random]`: the seed, the generator, its scheme and the distribution of the noise.
pub(crate) fn read_random(node: &Node, integrator: Integrator) -> Result<RandomRead, Error> {
    let mut section = Section::open(node, "[random]", &RANDOM_KEYS)?;
    let seed = section.integer_or("seed", 0, DEFAULT_SEED)?;
    let noise = noise::read(&mut section)?;
    let usual = Some(Generator::Philox4x32x10);
    let generator = section.named("generator", Generator::ALL, Generator::name, usual)?;
    let usual = Randomness::from(generator);
    let scheme = section.named("scheme", Scheme::ALL, Scheme::name, Some(usual.scheme()))?;
    let (every, likely) = (Distribution::ALL, Some(usual.distribution()));
    let distribution = section.named("distribution", every, Distribution::name, likely)?;
    let accepted = section.boolean_or("accept_flaws", false)?;
    let randomness = Randomness::new(generator, scheme, distribution).map_err(|error| {
        let (name, shared) = (generator.name(), scheme.name());
        if error.code() == "random/no-such-distribution" {
            let problem = format!(
                "is \"{}\", which takes a varying number of words, but in the scheme \"{shared}\" each bead has a fixed number of them: take \"box-muller\" or \"uniform\"",
                distribution.name()
            );
            return section.fault(CONFLICT, "distribution", &problem);
        }
        let schemes: Vec<&str> = generator.schemes().iter().map(|scheme| scheme.name()).collect();
        let problem = format!(
            "is \"{shared}\", in which the generator \"{name}\" does not run: it runs in {}",
            quoted(&schemes)
        );
        section.fault(CONFLICT, "scheme", &problem)
    })?;
    for (key, name, flaws, instead) in [
        ("generator", generator.name(), generator.flaws(), "philox4x32-10"),
        ("scheme", scheme.name(), scheme.flaws(), usual.scheme().name()),
    ] {
        if let Some(flaws) = flaws
            && !accepted
        {
            let problem = format!(
                "\"{name}\" is for repeating published work only: {flaws}; write accept_flaws = true beside it to use it all the same, or take \"{instead}\""
            );
            return Err(section.fault(CONFLICT, key, &problem));
        }
    }
    if distribution == Distribution::Uniform && integrator == Integrator::BrownianSecondOrder {
        let problem = "\"uniform\" has the fourth moment 9/5 where a normal number has 3, which the second order of \"brownian-second-order\" rests on: take \"box-muller\", or integrator = \"brownian\"";
        return Err(section.fault(CONFLICT, "distribution", problem));
    }
    Ok(RandomRead { seed: seed.value, randomness, noise, resolved: section.resolved })
}

/// The two groups whose distance is the extension.
#[derive(Clone, Debug)]
pub(crate) enum EndsChoice {
    /// The ends of the first pulling drive; without one, the first and the last bead.
    Drive,
    /// Two selections, as they were written.
    Selections((Read<String>, Read<String>)),
}

/// `[output]`, with the places at which later errors point.
#[derive(Clone, Debug)]
pub(crate) struct OutputRead {
    pub output: Output,
    /// Columns of tables on request, and where the input asks for them.
    pub columns: Read<Vec<Observable>>,
    pub ends: EndsChoice,
    pub table_place: Location,
    pub trajectory_place: Location,
}

pub(crate) fn read_output(
    node: &Node,
    default_folder: &str,
    model: &str,
    clock: Clock<'_>,
) -> Result<(OutputRead, Table), Error> {
    if let Clock::Sweeps = clock {
        Section::refuse(node, "[output]", ELASTIC_POLYMER, &OUTPUT_OF_OTHERS)?;
    }
    let mut section = Section::open(node, "[output]", &OUTPUT_KEYS)?;
    let folder = section.text_or("folder", default_folder)?;
    if folder.value.trim().is_empty() {
        return Err(section.fault(BAD_VALUE, "folder", "is empty: name a folder"));
    }
    let table = section.sub_table("table");
    let more: &[&str] = if let Clock::Steps(_) = clock { &["columns"] } else { &[] };
    let keys = [clock.keys(), more].concat();
    let mut inner = Section::open(&table, "`table` in [output]", &keys)?.in_units(clock.units());
    let table_every = clock.interval_or(&mut inner, TABLE_EVERY)?;
    let columns = read_columns(&mut inner)?;
    section.keep("table", Value::Table(inner.resolved));
    let mut trajectory = None;
    let mut trajectory_place = section.place.clone();
    if let Some(node) = section.node("trajectory") {
        let keys = [clock.keys(), &["format"]].concat();
        let mut inner =
            Section::open(node, "`trajectory` in [output]", &keys)?.in_units(clock.units());
        let every = clock.interval(&mut inner)?;
        let usual = if clock.units() == Units::Reduced { "dcd" } else { "xtc" };
        let formats = ["xtc", "dcd", "gsd"];
        let kind = match (inner.choice("format", &formats, Some(usual))?, clock.units()) {
            (2, _) if model == BEADS => TrajectoryKind::Gsd,
            (2, _) => {
                let problem = "cannot be \"gsd\", which is for model = \"beads\": take \"dcd\"";
                return Err(inner.fault(CONFLICT, "format", problem));
            }
            (0, Units::Real) => TrajectoryKind::Xtc,
            (0, Units::Reduced) => {
                let problem = "cannot be \"xtc\", whose steps of 0.001 nm are too coarse for reduced lengths: take \"dcd\"";
                return Err(inner.fault(CONFLICT, "format", problem));
            }
            _ => TrajectoryKind::Dcd,
        };
        if kind == TrajectoryKind::Dcd && every.value > i32::MAX as u64 {
            let instead = match clock.units() {
                Units::Real => ", or format = \"xtc\"",
                Units::Reduced => "",
            };
            let problem = format!(
                "must be below 2^31 {}, which is all that a DCD file can say: take a shorter interval{instead}",
                clock.counted()
            );
            let key = *clock.keys().iter().find(|key| inner.has(key)).unwrap_or(&"every");
            return Err(inner.fault(BAD_VALUE, key, &problem));
        }
        trajectory = Some((every.value, kind));
        trajectory_place = every.place;
        section.keep("trajectory", Value::Table(inner.resolved));
    }
    let checkpoint = section.quantity_or("checkpoint", Dimension::Time, Bound::Positive, "60 s")?;
    let parquet = section.boolean_or("parquet", false)?;
    let ends = match clock {
        Clock::Steps(_) => read_ends(&mut section)?,
        // The end-to-end distance has a column of its own.
        Clock::Sweeps => EndsChoice::Drive,
    };
    let output = Output {
        folder: PathBuf::from(folder.value),
        table_every: table_every.value,
        trajectory,
        checkpoint_seconds: checkpoint.value / PICOSECONDS_PER_SECOND,
        parquet,
    };
    let table_place = table_every.place;
    Ok((OutputRead { output, columns, ends, table_place, trajectory_place }, section.resolved))
}

/// Columns on request.
fn read_columns(section: &mut Section<'_>) -> Result<Read<Vec<Observable>>, Error> {
    let place = section.value_place("columns").clone();
    let Some(node) = section.node("columns") else { return Ok(Read { value: Vec::new(), place }) };
    let words = Observable::ON_REQUEST.map(|(word, _)| word);
    let Some(list) = node.list() else {
        let names = quoted(&words);
        let problem = format!(
            "must be a list in brackets, such as columns = [\"momentum\"], with names from {names}"
        );
        return Err(section.fault(WRONG_TYPE, "columns", &problem));
    };
    let mut value = Vec::new();
    for node in list {
        let word = node.text().unwrap_or("what is no text");
        let Some((_, columns)) = Observable::ON_REQUEST.iter().find(|(known, _)| *known == word)
        else {
            let end = meant(word, &words, '"');
            let names = quoted(&words);
            let problem = format!("has \"{word}\", but its names are from {names}{end}");
            return Err(section.fault(BAD_VALUE, "columns", &problem));
        };
        value.extend_from_slice(columns);
    }
    section.keep("columns", node.value.clone());
    value.sort_unstable_by_key(|&column| column as usize);
    value.dedup();
    Ok(Read { value, place })
}

fn read_ends(section: &mut Section<'_>) -> Result<EndsChoice, Error> {
    let Some(node) = section.node("ends") else {
        section.keep("ends", Value::Text("drive".to_string()));
        return Ok(EndsChoice::Drive);
    };
    let selection = |node: &Node| {
        node.text().map(|text| Read { value: text.to_string(), place: node.place.clone() })
    };
    let choice = match node.list() {
        Some([from, to]) => selection(from).zip(selection(to)).map(EndsChoice::Selections),
        _ => (node.text() == Some("drive")).then_some(EndsChoice::Drive),
    };
    let choice = choice.ok_or_else(|| {
        let problem = format!(
            "must be two selections such as [\"first\", \"last\"], or \"drive\" for those of the first pulling drive, found {}",
            node.found()
        );
        section.fault(WRONG_TYPE, "ends", &problem)
    })?;
    section.keep("ends", node.value.clone());
    Ok(choice)
}

/// Reads `[analysis]`. Its stages are judged by [`check_analysed`], once the point is known.
pub(crate) fn read_analysis(node: &Node, clock: Clock<'_>) -> Result<(Analysis, Table), Error> {
    let mut section = Section::open(node, "[analysis]", &ANALYSIS_KEYS)?;
    let stages = match section.node("stages").filter(|node| node.text() != Some(AUTOMATIC)) {
        None => {
            section.keep("stages", Value::Text(AUTOMATIC.to_string()));
            Vec::new()
        }
        Some(node) => {
            section.keep("stages", node.value.clone());
            let name = |node: &Node| node.text().map(str::to_string);
            let names = node.list().map(|list| list.iter().map(name).collect::<Option<Vec<_>>>());
            let names = names.flatten().filter(|names| !names.is_empty()).ok_or_else(|| {
                let problem = format!(
                    "must be a list of names of stages such as [\"pull\", \"refold\"], or \"automatic\", found {}",
                    node.found()
                );
                section.fault(WRONG_TYPE, "stages", &problem)
            })?;
            if let Some(twice) =
                (1..names.len()).find(|&place| names[..place].contains(&names[place]))
            {
                let problem = format!("has \"{}\" twice", names[twice]);
                return Err(section.fault(BAD_VALUE, "stages", &problem));
            }
            names
        }
    };
    if let Clock::Sweeps = clock {
        section.exclude(&["window", "prominence"], "chains that are sampled have no forces")?;
        return Ok((Analysis { stages, window: None, prominence: 0.0 }, section.resolved));
    }
    let window = if section.node("window").is_none_or(|node| node.text() == Some(AUTOMATIC)) {
        section.keep("window", Value::Text(AUTOMATIC.to_string()));
        None
    } else {
        section.quantity("window", Dimension::Time, Bound::Positive)?.map(|time| time.value)
    };
    let prominence =
        section.quantity_or("prominence", Dimension::Force, Bound::NotNegative, "40 pN")?;
    let prominence = prominence.value * PICONEWTONS_PER_FORCE;
    Ok((Analysis { stages, window, prominence }, section.resolved))
}

/// Refuses stages of `[analysis]` that a point cannot answer for.
pub(crate) fn check_analysed(node: &Node, analysis: &Analysis, point: &Point) -> Result<(), Error> {
    for name in &analysis.stages {
        point.analysed_stage(name).map_err(|problem| {
            let place = node.get("stages").map_or(&node.place, |node| &node.place);
            place.error(BAD_VALUE, format!("[analysis]: `stages`: {problem}"))
        })?;
    }
    Ok(())
}

pub(crate) fn read_run(node: &Node) -> Result<(RunSettings, Table), Error> {
    let mut section = Section::open(node, "[run]", &RUN_KEYS)?;
    let on_failure = match section.choice("on_failure", &["continue", "stop"], Some("continue"))? {
        0 => OnFailure::Continue,
        _ => OnFailure::Stop,
    };
    Ok((RunSettings { on_failure }, section.resolved))
}
