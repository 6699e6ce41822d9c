//! Reads `[[stage]]`: the stages of a run, one after another.

use std::collections::HashSet;

use beadwork_model::drives::{Drive, Ends, Force, ForceRamp, Restrain, Spring, unit};
use beadwork_model::observables::Observable;
use beadwork_model::units::{self, Dimension};
use beadwork_model::{Stage, StageKind, StopRule};
use beadwork_structure::{Label, chain_words};

use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, STEPS, UNKNOWN_KEY, WRONG_TYPE};
use crate::exchange::{Asked, TUNE_TEMPERATURES, read_placement};
use crate::polymers::{self, ELASTIC_POLYMER};
use crate::request::{SECTIONS, SelectedBeads};
use crate::section::{Bound, Read, Section, Usual, meant};
use crate::steps::{self, Clock, TimeStep};
use crate::system::select;

pub(crate) const STAGE_KEYS: [&str; 9] = [
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
/// Steps between tests of the stop rules.
const STOP_EVERY: u32 = 1000;
const MINIMISE_KEYS: [&str; 3] = ["tolerance", "steps", "push_off"];
/// The kinds of drives and their keys.
const DRIVES: [(&str, &[&str]); 4] = [
    ("spring", &["kind", "fixed", "pulled", "stiffness", "speed", "direction", "update_every"]),
    ("force", &["kind", "fixed", "pulled", "force", "direction"]),
    ("force-ramp", &["kind", "fixed", "pulled", "rate", "stiffness", "speed", "direction"]),
    ("restrain", &["kind", "select", "stiffness"]),
];

fn drive_keys(kind: &str) -> Option<&'static [&'static str]> {
    DRIVES.iter().find(|(known, _)| *known == kind).map(|(_, keys)| *keys)
}

/// The keys that a path may set in this drive.
pub(crate) fn settable_keys(drive: &Node) -> impl Iterator<Item = &'static str> {
    let kind = drive.get("kind").map(Node::plain);
    let keys = kind.as_deref().and_then(drive_keys).unwrap_or_default();
    keys.iter().copied().filter(move |key| drive_accepts(drive, key))
}

/// Whether a path may set this key of this drive. A ramp written by its rate has no stiffness.
pub(crate) fn drive_accepts(drive: &Node, key: &str) -> bool {
    let Some(table) = drive.table() else { return false };
    let kind = table.get("kind").map(Node::plain).unwrap_or_default();
    let Some(keys) = drive_keys(&kind) else { return false };
    let has = |key: &str| table.get(key).is_some();
    keys.contains(&key)
        && match (kind.as_str(), key) {
            ("force-ramp", "rate") => has("rate") || !(has("stiffness") || has("speed")),
            ("force-ramp", "stiffness" | "speed") => !has("rate"),
            _ => true,
        }
}

/// The data that the reader of a stage needs from the rest of the point.
pub(crate) struct Context<'a> {
    pub beads: &'a [Label],
    /// The columns of the tables, which stop rules may watch.
    pub observables: &'a [Observable],
    pub timestep: &'a TimeStep,
    /// Whether replicas exchange temperatures.
    pub exchanges: bool,
    /// The beads that each selection has matched so far.
    pub selections: Vec<SelectedBeads>,
}

impl Context<'_> {
    /// The beads that a selection matches; records them.
    pub fn select(&mut self, text: &Read<String>, role: String) -> Result<Vec<usize>, Error> {
        let beads = select(self.beads, text, &role)?;
        self.selections.push((role, text.value.clone(), beads.clone()));
        Ok(beads)
    }

    /// The same, but the selection `none` matches no beads.
    fn select_or_none(&mut self, text: &Read<String>, role: String) -> Result<Vec<usize>, Error> {
        if text.value.trim() == "none" { Ok(Vec::new()) } else { self.select(text, role) }
    }
}

#[derive(Default)]
pub(crate) struct StagesRead {
    pub stages: Vec<Stage>,
    /// The stages that place temperatures anew.
    pub placements: Vec<Asked>,
    pub resolved: Vec<Table>,
}

/// Reads all stages of a run in which beads move in time.
pub(crate) fn read(nodes: &[Node], context: &mut Context<'_>) -> Result<StagesRead, Error> {
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
        Clock::Steps(_) => (&STAGE_KEYS, &[]),
        Clock::Sweeps => (&polymers::STAGE_KEYS, &polymers::STAGES_OF_OTHERS),
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
    context: &mut Context<'_>,
) -> Result<Stage, Error> {
    let kind = read_kind(section, context.timestep)?;
    let fixed_text = section.text_or("fixed", "none")?;
    let mut fixed = context.select_or_none(&fixed_text, format!("{}, fixed", section.name))?;
    let drives = read_drives(section, context, &mut fixed)?;
    let stops = read_stops(section, context)?;
    if matches!(kind, StageKind::Minimise { .. }) {
        let refused = [("drives", drives.is_empty()), ("stop", stops.is_empty())];
        let given = refused.into_iter().filter(|(_, is_empty)| !is_empty).map(|(key, _)| key);
        for key in given.chain([TUNE_TEMPERATURES]) {
            section.exclude(&[key], "a minimisation has no time in which it could act")?;
        }
    }
    if context.exchanges && !stops.is_empty() {
        let because = "replicas of [exchange] would leave the stage at different times, and replicas in different stages cannot be exchanged: leave it out and give the stage the length that it is to have; rows can be left out afterwards";
        section.exclude(&["stop"], because)?;
    }
    Ok(Stage { name, kind, fixed, drives, stops })
}

/// Reads the drives of a stage, and adds the beads that they hold to those that the stage holds.
fn read_drives(
    section: &mut Section<'_>,
    context: &mut Context<'_>,
    fixed: &mut Vec<usize>,
) -> Result<Vec<Drive>, Error> {
    let mut drives = Vec::new();
    let mut resolved = Vec::new();
    if let Some(node) = section.node("drives") {
        let Some(list) = node.list() else {
            let problem =
                format!("must be a list of tables [ {{ kind = … }} ], found {}", node.found());
            return Err(section.fault(WRONG_TYPE, "drives", &problem));
        };
        for (index, node) in list.iter().enumerate() {
            let name = format!("{}, drive {}", section.name, index + 1);
            let (drive, table) = read_drive(node, &name, context)?;
            fixed.extend(drive.ends().iter().flat_map(|ends| &ends.fixed));
            drives.push(drive);
            resolved.push(Node::new(Value::Table(table), &node.place));
        }
        fixed.sort_unstable();
        fixed.dedup();
        for (drive, node) in drives.iter().zip(list) {
            refuse_pulling_fixed(section, drive, node, fixed, context.beads)?;
        }
    }
    section.keep("drives", Value::List(resolved));
    Ok(drives)
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
    let usual = Usual::new("0.01 kcal/(mol A)", 0.01);
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

fn read_drive(node: &Node, name: &str, context: &mut Context<'_>) -> Result<(Drive, Table), Error> {
    let kind = node.get("kind").map(Node::plain);
    let entries = node.table().map_or(&[][..], |table| &table.entries);
    // For an unknown kind, accepts every key here, so that `choice` below reports the kind.
    let every: Vec<&str> = match kind.as_deref().and_then(drive_keys) {
        Some(keys) => keys.to_vec(),
        None => entries.iter().map(|entry| entry.key.as_str()).collect(),
    };
    let mut section = Section::open(node, name, &every)?.in_units(context.timestep.units);
    let drive = match section.choice("kind", &DRIVES.map(|(kind, _)| kind), None)? {
        0 => {
            let ends = read_ends(&mut section, context)?;
            let (stiffness, speed) = read_spring(&mut section)?;
            let update_every = section.integer_or("update_every", 1, 1)?.value;
            Drive::Spring(Spring { ends, stiffness, speed, update_every })
        }
        1 => {
            let ends = read_ends(&mut section, context)?;
            let force =
                section.required_quantity("force", Dimension::Force, Bound::Any, "100 pN")?;
            Drive::Force(Force { ends, force })
        }
        2 => {
            let ends = read_ends(&mut section, context)?;
            Drive::ForceRamp(ForceRamp { ends, rate: read_rate(&mut section)? })
        }
        _ => {
            let text = section.required_text("select", "index 0-9")?;
            let beads = context.select(&text, format!("{name}, select"))?;
            let stiffness = read_stiffness(&mut section, "1 kcal/(mol A^2)")?;
            Drive::Restrain(Restrain { beads, stiffness })
        }
    };
    Ok((drive, section.resolved))
}

fn read_stiffness(section: &mut Section<'_>, example: &str) -> Result<f64, Error> {
    section.required_quantity("stiffness", Dimension::Stiffness, Bound::NotNegative, example)
}

fn read_spring(section: &mut Section<'_>) -> Result<(f64, f64), Error> {
    let stiffness = read_stiffness(section, "35 pN/nm")?;
    let speed = section.required_quantity("speed", Dimension::Speed, Bound::Any, "2.5 um/s")?;
    Ok((stiffness, speed))
}

/// r_f, given directly or as stiffness times speed of the spring that the ramp replaces.
fn read_rate(section: &mut Section<'_>) -> Result<f64, Error> {
    if let Some(rate) = section.quantity("rate", Dimension::LoadingRate, Bound::Any)? {
        section.exclude(&["stiffness", "speed"], "the rate says how fast the force grows")?;
        return Ok(rate.value);
    }
    if !section.has("stiffness") && !section.has("speed") {
        let example = "\"87.5 pN/ms\" (or stiffness = \"35 pN/nm\" and speed = \"2.5 um/s\")";
        return Err(section.missing("rate", example));
    }
    let (stiffness, speed) = read_spring(section)?;
    Ok(stiffness * speed)
}

fn read_ends(section: &mut Section<'_>, context: &mut Context<'_>) -> Result<Ends, Error> {
    let direction = match section.vector("direction")? {
        None => None,
        Some(vector) => Some(unit(vector).ok_or_else(|| {
            section.fault(BAD_VALUE, "direction", "must have a length: it is [0, 0, 0]")
        })?),
    };
    let fixed_text = section.required_text("fixed", "first")?;
    let fixed = context.select_or_none(&fixed_text, format!("{}, fixed", section.name))?;
    if fixed.is_empty() && direction.is_none() {
        let problem = "can be \"none\" only beside a `direction`: without one the pull runs from the fixed to the pulled beads";
        return Err(section.fault(BAD_VALUE, "fixed", problem));
    }
    let pulled_text = section.required_text("pulled", "last")?;
    let pulled = context.select(&pulled_text, format!("{}, pulled", section.name))?;
    Ok(Ends { fixed, pulled, direction })
}

fn refuse_pulling_fixed(
    section: &Section<'_>,
    drive: &Drive,
    node: &Node,
    fixed: &[usize],
    beads: &[Label],
) -> Result<(), Error> {
    let Some(ends) = drive.ends() else { return Ok(()) };
    let Some(bead) = ends.pulled.iter().find(|bead| fixed.binary_search(bead).is_ok()) else {
        return Ok(());
    };
    let who = &beads[*bead];
    let insertion = who.insertion.map(String::from).unwrap_or_default();
    let place = node.get("pulled").map_or(&node.place, |pulled| &pulled.place);
    let problem = format!(
        "{}: bead {bead} ({}, residue {}{insertion} {}) is both fixed and pulled, so that pulling cannot move it: take it out of one of the selections",
        section.name,
        chain_words(&who.chain),
        who.residue_number,
        who.residue_name
    );
    Err(place.error(CONFLICT, problem))
}

fn read_stops(section: &mut Section<'_>, context: &Context<'_>) -> Result<Vec<StopRule>, Error> {
    let Some(node) = section.node("stop") else {
        section.keep("stop", Value::List(Vec::new()));
        section.integer_or("stop_every", 1, STOP_EVERY)?;
        return Ok(Vec::new());
    };
    let single = std::slice::from_ref(node);
    let rules = node.list().unwrap_or(single);
    let mut stops = Vec::new();
    for rule in rules {
        let Value::Text(text) = &rule.value else {
            let problem = format!(
                "must be a text such as \"extension > 25 nm\", or a list of such, found {}",
                rule.found()
            );
            return Err(section.fault(WRONG_TYPE, "stop", &problem));
        };
        let stop = parse_stop(text, context).map_err(|(code, problem)| {
            rule.place.error(code, format!("{}: `stop`: {problem}", section.name))
        })?;
        stops.push(stop);
    }
    section.keep("stop", node.value.clone());
    let every = section.integer_or("stop_every", 1, STOP_EVERY)?.value;
    Ok(stops.into_iter().map(|stop| StopRule { every, ..stop }).collect())
}

/// `WORD < QUANTITY` or `WORD > QUANTITY`.
fn parse_stop(text: &str, context: &Context<'_>) -> Result<StopRule, (&'static str, String)> {
    let (known, units) = (context.observables, context.timestep.units);
    let Some(at) = text.find(['<', '>']) else {
        let problem =
            format!("\"{text}\" has neither < nor >; write for example \"extension > 25 nm\"");
        return Err((BAD_VALUE, problem));
    };
    let (word, rest) = (text[..at].trim(), text[at + 1..].trim());
    if rest.starts_with('=') {
        let problem = format!("\"{text}\" has an = that is not needed: write < or > alone");
        return Err((BAD_VALUE, problem));
    }
    let Some(&observable) = known.iter().find(|one| one.word() == word) else {
        let words: Vec<&str> = known.iter().map(|one| one.word()).collect();
        let meant = meant(word, &words, '"');
        let problem = format!("nothing is called \"{word}\"{meant} Known: {}", words.join(", "));
        return Err((UNKNOWN_KEY, problem));
    };
    if observable.is_average() {
        let problem = format!(
            "{word} is an average between rows of the table, which must not decide where a stage ends: watch another one, such as force or extension"
        );
        return Err((BAD_VALUE, problem));
    }
    let unit = observable.unit_in(units);
    let quantity = units::parse(rest, unit.dimension());
    let quantity = quantity.map_err(|error| (error.code(), error.to_string()))?;
    Ok(StopRule {
        text: text.to_string(),
        observable,
        above: text[at..].starts_with('>'),
        threshold: unit.convert(quantity.value),
        every: STOP_EVERY.into(),
    })
}
