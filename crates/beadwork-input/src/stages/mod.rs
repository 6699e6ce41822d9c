//! Reads `[[stage]]`: the stages of a run, one after another.

mod context;
mod externals;
mod indentation;
mod places;
mod short_lines;
mod stop_rules;

use std::collections::HashSet;

use beadwork_model::units::Dimension;
use beadwork_model::{Stage, StageKind};

use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, STEPS};
use crate::exchange::{PlacementAsked, TUNE_TEMPERATURES, read_placement};
use crate::models::ELASTIC_POLYMER;
use crate::numbers::Bound;
use crate::section::{Read, Section, UsualQuantity};
use crate::sections::SECTIONS;
use crate::steps::{self, Clock, TimeStep};
use externals::read_drives;
use stop_rules::read_stops;

pub(crate) use context::StageContext;
pub(crate) use externals::{drive_accepts, settable_keys};
pub(crate) use indentation::MOST_POINTS;
pub(crate) use places::refuse_inside;
pub(crate) use short_lines::refuse_short_lines;
pub(crate) use stop_rules::STOP_EVERY;

/// The keys of a stage in which beads move in time.
pub(crate) const KEYS: [&str; 9] = [
    "name",
    "duration",
    "steps",
    "minimise",
    "fixed",
    "drives",
    "stop",
    "stop_every",
    TUNE_TEMPERATURES,
];
/// The keys of a stage in which chains are sampled.
pub(crate) const KEYS_OF_CHAINS: [&str; 4] = ["name", "sweeps", "tune", TUNE_TEMPERATURES];

/// Keys that stages of chains cannot have.
const NOT_OF_CHAINS: [(&str, &str); 7] = [
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
const MINIMISE_KEYS: [&str; 3] = ["tolerance", "steps", "push_off"];
#[derive(Default)]
pub(crate) struct StagesRead {
    pub stages: Vec<Stage>,
    /// The stages that place temperatures anew.
    pub placements: Vec<PlacementAsked>,
    pub resolved: Vec<Table>,
}

/// Reads all stages of a run in which beads move in time.
pub(crate) fn read(nodes: &[Node], context: &mut StageContext<'_>) -> Result<StagesRead, Error> {
    let (clock, exchanges) = (Clock::Steps(context.timestep), context.exchanges);
    read_each(nodes, clock, exchanges, |section, _, name| read_stage(section, name, context))
}

/// Reads all stages; `read` makes a stage from its section, number and name.
pub(crate) fn read_each(
    nodes: &[Node],
    clock: Clock<'_>,
    exchanges: bool,
    mut read: impl FnMut(&mut Section<'_>, usize, String) -> Result<Stage, Error>,
) -> Result<StagesRead, Error> {
    let (keys, refused): (&[&str], &[(&str, &str)]) = match clock {
        Clock::Steps(_) => (&KEYS, &[]),
        Clock::Sweeps => (&KEYS_OF_CHAINS, &NOT_OF_CHAINS),
    };
    let mut stages = StagesRead::default();
    let mut names = HashSet::new();
    let mut total = 0u64;
    for (index, node) in nodes.iter().enumerate() {
        let default_name = default_name(index);
        let name = node.get("name").map_or(default_name.clone(), Node::plain);
        let title = format!("stage \"{name}\"");
        Section::refuse(node, &title, ELASTIC_POLYMER, refused)?;
        let mut section = Section::open(node, &title, keys)?.in_units(clock.units());
        let name = section.text_or("name", &default_name)?;
        check_name(&name, &section, &mut names)?;
        let stage = read(&mut section, index, name.value)?;
        total = total.saturating_add(stage.steps());
        if total > steps::MAXIMUM_STEPS {
            let problem = format!(
                "{title}: the run has more than 2^48 = {} {} with this stage: make its stages shorter",
                steps::MAXIMUM_STEPS,
                clock.counted()
            );
            return Err(section.place.error(STEPS, problem));
        }
        stages.placements.extend(read_placement(&mut section, index, exchanges)?);
        stages.stages.push(stage);
        stages.resolved.push(section.resolved);
    }
    Ok(stages)
}

/// The name of a stage for which the input gives none.
pub(crate) fn default_name(index: usize) -> String {
    format!("stage-{}", index + 1)
}

fn check_name(
    name: &Read<String>,
    section: &Section<'_>,
    before: &mut HashSet<String>,
) -> Result<(), Error> {
    let text = &name.value;
    if text.is_empty() || !text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
        let problem = format!(
            "may only have letters, digits, - and _, since it is part of paths and file names; it is \"{text}\""
        );
        return Err(section.fault(BAD_VALUE, "name", &problem));
    }
    // A stage may be called "run": paths then mean the stage, and [run] has one rare key.
    if SECTIONS.contains(&text.as_str()) && text != "run" {
        let problem = format!("cannot be \"{text}\", which is the name of a section");
        return Err(section.fault(BAD_VALUE, "name", &problem));
    }
    if !before.insert(text.clone()) {
        return Err(section.fault(CONFLICT, "name", "is that of an earlier stage: choose another"));
    }
    Ok(())
}

fn read_stage(
    section: &mut Section<'_>,
    name: String,
    context: &mut StageContext<'_>,
) -> Result<Stage, Error> {
    let kind = read_kind(section, context.timestep)?;
    let fixed_text = section.text_or("fixed", "none")?;
    let mut fixed = context.select_or_none(&fixed_text, format!("{}, fixed", section.name))?;
    let externals = read_drives(section, context, &mut fixed)?;
    let stops = read_stops(section, context, &externals)?;
    if matches!(kind, StageKind::Minimise { .. }) {
        let refused = [("drives", externals.is_empty()), ("stop", stops.is_empty())];
        let given = refused.into_iter().filter(|(_, is_empty)| !is_empty).map(|(key, _)| key);
        for key in given.chain([TUNE_TEMPERATURES]) {
            section.exclude(&[key], "a minimisation has no time in which it could act")?;
        }
    }
    if context.exchanges && !stops.is_empty() {
        let because = "replicas of [exchange] would leave the stage at different times, and replicas in different stages cannot be exchanged: leave it out and give the stage the length that it is to have; rows can be left out afterwards";
        section.exclude(&["stop"], because)?;
    }
    context.before = Some((name.clone(), externals.clone()));
    Ok(Stage { name, kind, fixed, externals, stops })
}

fn read_kind(section: &mut Section<'_>, timestep: &TimeStep) -> Result<StageKind, Error> {
    let Some(node) = section.node("minimise") else {
        return match steps::read(section, "duration", "steps", timestep)? {
            Some(steps) => Ok(StageKind::Dynamics { steps: steps.value }),
            None => Err(steps::missing(section, "duration", "steps", "20 us")),
        };
    };
    section.exclude(
        &["duration", "steps"],
        "a minimisation ends by itself; its own `steps` goes into `minimise`",
    )?;
    let name = format!("{}, minimise", section.name);
    let mut inner = Section::open(node, &name, &MINIMISE_KEYS)?.in_units(section.units);
    let usual = UsualQuantity::new("0.01 kcal/(mol A)", 0.01);
    let tolerance = inner.quantity_or("tolerance", Dimension::Force, Bound::Positive, usual)?;
    let steps = inner.integer_or("steps", 1, 10_000)?.value;
    let push_off = inner.integer_or("push_off", 0, 0)?.value;
    if push_off > steps {
        let problem = format!("is a part of `steps` and at most {steps}, but is {push_off}");
        return Err(inner.fault(BAD_VALUE, "push_off", &problem));
    }
    section.keep("minimise", Value::Table(inner.resolved));
    Ok(StageKind::Minimise { tolerance: tolerance.value, steps, push_off })
}
