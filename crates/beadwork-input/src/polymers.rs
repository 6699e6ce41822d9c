//! Inputs of elastic polymers, which are sampled and not moved in time: `[system]`, `[sampling]`, `[random]` and stages.

use std::sync::Arc;

use beadwork_model::force_fields::elastic_polymer::{
    DIAMETER_PER_LENGTH, DIAMETERS_PER_CUTOFF, ElasticPolymer,
};
use beadwork_model::potentials::{FeneBond, LennardJones, PairPotential};
use beadwork_model::{Dynamics, Generator, Integrator, Model, Stage, StageKind, System};
use beadwork_structure::parse_positions;

use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, START};
use crate::exchange::TUNE_TEMPERATURES;
use crate::files::Files;
use crate::noise;
use crate::section::{Bound, Section, underscored};
use crate::settings::{AUTOMATIC, DEFAULT_SEED, RandomRead, read_precision};
use crate::stages::{StagesRead, read_each};
use crate::steps::{Clock, sweeps};
use crate::system::{Built, BuiltSystems, FromElsewhere, MODELS, Start, read_start};

pub(crate) const ELASTIC_POLYMER: &str = "elastic-polymer";
const KEYS: [&str; 9] = [
    "model",
    "monomers",
    "depth",
    "bond_length",
    "diameter",
    "cutoff",
    "bond_stiffness",
    "bond_limit",
    "start",
];
const SAMPLING_KEYS: [&str; 3] = ["displacement", "temperature", "precision"];
const RANDOM_KEYS: [&str; 3] = ["seed", "noise", "generator"];
pub(crate) const STAGE_KEYS: [&str; 4] = ["name", "sweeps", "tune", TUNE_TEMPERATURES];

/// Every move computes the energy with every monomer.
const MOST_MONOMERS: u64 = 10_000;
const DISPLACEMENT: f64 = 0.1;
/// The fewest sweeps between fits of displacements: with fewer, the accepted share is too uncertain.
const TUNE_EVERY: u64 = 100;
/// The fewest fits of a stage that suffice: each changes a displacement by a quarter at most.
const FEWEST_FITS: u64 = 10;

// Sections that only other models have, and what to do instead.
pub(crate) const SECTIONS_OF_OTHERS: [(&str, &str); 1] = [(
    "dynamics",
    "chains are sampled and not moved in time; write [sampling] with `displacement`, `temperature` and `precision`",
)];
const RANDOM_OF_OTHERS: [(&str, &str); 3] =
    [("scheme", NOISE), ("distribution", NOISE), ("accept_flaws", NOISE)];
const NOISE: &str =
    "moves are made of the words of philox4x32-10, numbered by sweep and move; leave it out";
/// Keys that stages of chains cannot have.
pub(crate) const STAGES_OF_OTHERS: [(&str, &str); 7] = [
    ("duration", COUNTED),
    ("steps", COUNTED),
    (
        "minimise",
        "chains come to low energies by sampling; leave it out, or begin with a stage with tune = true",
    ),
    ("fixed", "every monomer is moved; leave it out"),
    ("drives", "nothing pulls at chains that are sampled; leave it out"),
    ("stop", "a stage ends after its sweeps; leave it out"),
    ("stop_every", "a stage ends after its sweeps; leave it out"),
];
const COUNTED: &str =
    "chains are sampled and not moved in time; write for example sweeps = 1_000_000";
/// Keys that `[output]` of chains cannot have.
pub(crate) const OUTPUT_OF_OTHERS: [(&str, &str); 1] =
    [("ends", "the table has the distance of the first monomer from the last; leave it out")];

/// Reads `[system]`; returns its resolved form and what it describes.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
) -> Result<(Table, Arc<Built>), Error> {
    let mut section = Section::open(node, "[system]", &KEYS)?;
    section.choice("model", &MODELS, None)?;
    let monomers = section.required_integer("monomers", 2, "13")?;
    if monomers > MOST_MONOMERS {
        let problem = format!(
            "must be at most 10_000, but is {monomers}: each move takes the energy with all other monomers, so that longer chains take too long"
        );
        return Err(section.fault(BAD_VALUE, "monomers", &problem));
    }
    let depth = section.number_or("depth", Bound::Positive, 1.0)?;
    let length = section.number_or("bond_length", Bound::Positive, 0.7)?;
    let automatic = section.node("diameter").and_then(Node::text) == Some(AUTOMATIC);
    let diameter = if automatic { None } else { section.number("diameter", Bound::Positive)? };
    let diameter = diameter.unwrap_or_else(|| {
        // Records the word, not the value, so that the diameter follows a swept bond length.
        section.keep("diameter", Value::Text(AUTOMATIC.to_string()));
        length * DIAMETER_PER_LENGTH
    });
    let cutoff = section.number_or("cutoff", Bound::Positive, DIAMETERS_PER_CUTOFF)?;
    let stiffness = section.number_or("bond_stiffness", Bound::NotNegative, 40.0)?;
    let limit = section.number_or("bond_limit", Bound::Positive, 0.3)?;
    let start = read_start(&mut section, files, replicas)?;
    built.get_or_build(section.resolved, FromElsewhere::default(), || {
        let polymer = ElasticPolymer {
            monomers: monomers as usize,
            pairs: LennardJones::shifted(depth, diameter, cutoff * diameter),
            bonds: FeneBond { stiffness, limit, length },
        };
        let starts = start.map(|start| read_starts(&start, files, &polymer)).transpose()?;
        let warnings = polymer.warnings();
        Ok(Built { starts, warnings, ..polymer.build().into() })
    })
}

/// Start coordinates. The numbers of the files are in units of the length.
fn read_starts(
    start: &Start,
    files: &Files,
    polymer: &ElasticPolymer,
) -> Result<Vec<Vec<[f64; 3]>>, Error> {
    let fault = |problem: String| start.place.error(START, problem);
    let mut starts = Vec::with_capacity(start.paths.len());
    for (replica, path) in start.paths.iter().enumerate() {
        let (text, source) = files.text(path, &start.place)?;
        let positions = parse_positions(&text, &source).map_err(start.place.blame())?;
        let path = path.display();
        if positions.len() != polymer.monomers {
            return Err(fault(format!(
                "[system]: the start file {path} has {} atoms and the chain {} monomers: give a file with an atom for each",
                positions.len(),
                polymer.monomers
            )));
        }
        let who =
            if start.is_series { format!("replica {replica}") } else { "all replicas".to_string() };
        let FeneBond { limit, length, .. } = polymer.bonds;
        for (bead, pair) in positions.windows(2).enumerate() {
            let square = (0..3).map(|axis| (pair[1][axis] - pair[0][axis]).powi(2)).sum::<f64>();
            if !polymer.bonds.holds(square) {
                return Err(fault(format!(
                    "[system]: in the start of {who}, {path}, the bond of beads {bead} and {} is {:.3} long, and bonds hold within {length} +/- {limit} only: give a start whose bonds hold, or leave `start` out for a straight chain",
                    bead + 1,
                    square.sqrt()
                )));
            }
        }
        if let Some((i, j, distance)) =
            nearest_in_one_place(&positions, NEAREST * polymer.pairs.diameter)
        {
            let distance = match distance {
                0.0 => "0".to_string(),
                _ => format!("{distance:.2e}"),
            };
            return Err(fault(format!(
                "[system]: in the start of {who}, {path}, beads {i} and {j} are {distance} apart, and the energy of beads in one place is infinite: move them apart"
            )));
        }
        starts.push(positions);
    }
    Ok(starts)
}

/// Two monomers that are closer than this many diameters have an energy beyond all numbers of single precision.
const NEAREST: f64 = 1e-3;

/// Two positions closer than a limit, and their distance, if there are such positions.
fn nearest_in_one_place(positions: &[[f64; 3]], limit: f64) -> Option<(usize, usize, f64)> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&i, &j| positions[i][0].total_cmp(&positions[j][0]));
    for (place, &i) in order.iter().enumerate() {
        let near =
            order[place + 1..].iter().take_while(|&&j| positions[j][0] - positions[i][0] < limit);
        for &j in near {
            let [a, b] = [positions[i], positions[j]];
            let distance = (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt();
            if distance < limit {
                return Some((i.min(j), i.max(j), distance));
            }
        }
    }
    None
}

/// Reads `[sampling]`: the counterpart of `[dynamics]`, and the largest component of the first stage's displacements.
/// If replicas `exchange` temperatures, the section has no temperature, and the one returned is 0.
pub(crate) fn read_sampling(
    node: &Node,
    system: &System,
    exchange: bool,
) -> Result<(Dynamics, f64, Table), Error> {
    let mut section = Section::open(node, "[sampling]", &SAMPLING_KEYS)?;
    let displacement = section.number_or("displacement", Bound::Positive, DISPLACEMENT)?;
    let length = match &system.model {
        Model::ElasticPolymer(polymer) => polymer.bonds.length,
        _ => f64::INFINITY,
    };
    if displacement > length {
        let problem = format!(
            "must be at most a bond's length, {length}, but is {displacement}: longer moves tear bonds and are never accepted"
        );
        return Err(section.fault(BAD_VALUE, "displacement", &problem));
    }
    let temperature = if exchange {
        section.exclude(&["temperature"], "[exchange] has the temperatures: leave it out")?;
        0.0
    } else {
        let temperature = section.number("temperature", Bound::Positive)?;
        temperature.ok_or_else(|| section.missing("temperature", "0.5"))?
    };
    let precision = read_precision(&mut section)?;
    let dynamics = Dynamics {
        integrator: Integrator::Brownian,
        temperature,
        friction: 1.0,
        // Time is counted in sweeps.
        timestep: 1.0,
        precision,
        skin: 0.0,
    };
    Ok((dynamics, displacement, section.resolved))
}

pub(crate) fn read_random(node: &Node) -> Result<RandomRead, Error> {
    Section::refuse(node, "[random]", ELASTIC_POLYMER, &RANDOM_OF_OTHERS)?;
    let mut section = Section::open(node, "[random]", &RANDOM_KEYS)?;
    let seed = section.integer_or("seed", 0, DEFAULT_SEED)?.value;
    let noise = noise::read(&mut section)?;
    let only = Generator::Philox4x32x10;
    let generator = section.named("generator", Generator::ALL, Generator::name, Some(only))?;
    if generator != only {
        let problem = format!(
            "is \"{}\", and moves are made of the words of \"{}\" alone: leave it out",
            generator.name(),
            only.name()
        );
        return Err(section.fault(CONFLICT, "generator", &problem));
    }
    Ok(RandomRead { seed, randomness: only.into(), noise, resolved: section.resolved })
}

/// Reads all stages of a run. Replicas exchange temperatures every `exchange_every` sweeps, if it is given.
pub(crate) fn read_stages(
    nodes: &[Node],
    displacement: f64,
    exchange_every: Option<u64>,
) -> Result<StagesRead, Error> {
    // Where replicas exchange temperatures, displacements are fitted at exchanges.
    let every = exchange_every.map_or(TUNE_EVERY, |every| every * TUNE_EVERY.div_ceil(every));
    read_each(nodes, Clock::Sweeps, exchange_every.is_some(), |section, index, name| {
        let sweeps = sweeps(section, "sweeps", "1_000_000")?
            .ok_or_else(|| section.missing("sweeps", "1_000_000"))?
            .value;
        let kind = StageKind::Sample {
            sweeps,
            displacement: (index == 0).then_some(displacement),
            tune_every: section.boolean_or("tune", false)?.then_some(every),
        };
        Ok(Stage { name, kind, fixed: Vec::new(), drives: Vec::new(), stops: Vec::new() })
    })
}

/// Above this many pair depths of temperature, no chain collapses or freezes.
const MOST_DEPTHS: f64 = 20.0;

/// The warning that the highest temperature is far above every transition of a chain, as a value in kelvin would be.
pub(crate) fn warning_of_heat(system: &System, temperatures: &[f64]) -> Option<String> {
    let Model::ElasticPolymer(polymer) = &system.model else { return None };
    let highest = temperatures.iter().copied().fold(0.0, f64::max);
    let depths = highest / polymer.pairs.depth;
    (depths > MOST_DEPTHS).then(|| {
        format!(
            "the temperature {highest} is {depths:.0} times the depth of a pair, {}, far above where chains collapse: are these kelvin? Temperatures are in units of the energy, k_B being 1",
            polymer.pairs.depth
        )
    })
}

/// The warning that a stage is too short to fit displacements.
pub(crate) fn warning_of_fits(stages: &[Stage]) -> Option<String> {
    let mut before = 0;
    stages.iter().find_map(|stage| {
        let StageKind::Sample { sweeps, tune_every, .. } = stage.kind else { return None };
        let (first, end) = (before, before + sweeps);
        before = end;
        let every = tune_every?;
        let fits = end / every - first / every;
        let instead = if every > TUNE_EVERY { ", or exchange more often" } else { "" };
        (fits < FEWEST_FITS).then(|| {
            format!(
                "stage \"{}\" has tune = true and fits displacements {fits} time(s), once in {} of its {} sweeps, and each time they change by a quarter at most: make it longer{instead}",
                stage.name,
                underscored(every),
                underscored(sweeps)
            )
        })
    })
}

/// The warning that the last stage fits displacements.
pub(crate) fn warning(stages: &[Stage]) -> Option<String> {
    let tuned = |stage: &Stage| matches!(stage.kind, StageKind::Sample { tune_every: Some(_), .. });
    stages.last().is_some_and(tuned).then(|| {
        "the last stage, whose averages are the answer, has tune = true: where displacements follow what was accepted, averages are biased; add a stage without it".to_string()
    })
}
