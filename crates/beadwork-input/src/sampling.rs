//! Inputs of chains that are sampled and not moved in time: `[sampling]`, `[random]` and stages.

use beadwork_model::{Dynamics, Generator, Integrator, Model, Stage, StageKind, System};

use crate::document::{Node, Table};
use crate::error::{BAD_VALUE, CONFLICT, Error};
use crate::models::ELASTIC_POLYMER;
use crate::noise;
use crate::numbers::Bound;
use crate::section::Section;
use crate::settings::{DEFAULT_SEED, RandomRead, read_precision};
use crate::stages::{StagesRead, read_each};
use crate::steps::{Clock, sweeps};
use crate::words::underscored;

const SAMPLING_KEYS: [&str; 3] = ["displacement", "temperature", "precision"];
const RANDOM_KEYS: [&str; 3] = ["seed", "noise", "generator"];

const DISPLACEMENT: f64 = 0.1;
/// The fewest sweeps between fits of displacements: with fewer, the accepted share is too uncertain.
const TUNE_EVERY: u64 = 100;
/// The fewest fits of a stage that suffice: each changes a displacement by a quarter at most.
const FEWEST_FITS: u64 = 10;

/// Sections that only other models have, and what to do instead.
pub(crate) const SECTIONS_OF_OTHERS: [(&str, &str); 1] = [(
    "dynamics",
    "chains are sampled and not moved in time; write [sampling] with `displacement`, `temperature` and `precision`",
)];
const RANDOM_OF_OTHERS: [(&str, &str); 3] =
    [("scheme", NOISE), ("distribution", NOISE), ("accept_flaws", NOISE)];
const NOISE: &str =
    "moves are made of the words of philox4x32-10, numbered by sweep and move; leave it out";

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

/// Reads `[random]`.
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
        Ok(Stage { name, kind, fixed: Vec::new(), externals: Vec::new(), stops: Vec::new() })
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
