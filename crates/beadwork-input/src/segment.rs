//! The inputs of a steered run: a segment of it ends where something was set, and the next one begins from a file with the state
//! there. Both are resolved inputs with other stages.

use std::path::Path;

use beadwork_model::units::{self, Dimension, Units};

use crate::beads::FORCE_UNIT;
use crate::document::{self, Node, Table, Value, as_table};
use crate::error::{CONFLICT, Error, Location, STEPS};
use crate::exchange::TUNE_TEMPERATURES;
use crate::files::REPLICA;
use crate::input_text::read_text;
use crate::load::parse_begun;
use crate::models::{self, BEADS, OSCILLATORS};
use crate::paths::stage_names;
use crate::request::Request;
use crate::steps::whole;

/// Where a segment ended, and with what the next one begins.
#[derive(Clone, Copy, Debug)]
pub struct Next<'a> {
    /// The first stage that it has.
    pub stage: usize,
    /// The steps that are left of that stage; `None` for its whole length.
    pub left: Option<u64>,
    /// Stages of its own in place of those, as TOML.
    pub stages: Option<&'a str>,
    /// The files of the start, beside the input, with `{replica}` in the name.
    pub start: &'a str,
    /// Whether velocities are those of these files.
    pub with_velocities: bool,
    /// Whether the beads are in a box, which these files have.
    pub in_box: bool,
}

/// Reads a resolved input as one that ends after so many steps, or sweeps, of one of its stages.
///
/// # Errors
/// A sweep, whose points may need other lengths; a stage that places temperatures; all errors of [`crate::load`].
pub fn cut(path: &Path, stage: usize, steps: u64) -> Result<Request, Error> {
    let name = path.display().to_string();
    let mut root = document::parse(&read_text(path)?, &name)?;
    refuse_sweep(&root)?;
    keep_stages(&mut root, |place| place <= stage);
    set_length(&mut root, stage, steps)?;
    parse_begun(&written(&root), &name, path.parent().unwrap_or(Path::new("")), &[])
}

/// The text of the input of the segment that follows one with this resolved input. Its noise is its own: the seed follows from that
/// of the segment before and from the start.
///
/// # Errors
/// A sweep, replica exchange, and oscillators, whose starts no file holds.
pub fn next_segment(path: &Path, next: &Next<'_>) -> Result<String, Error> {
    let name = path.display().to_string();
    let mut root = document::parse(&read_text(path)?, &name)?;
    refuse_sweep(&root)?;
    if root.get("exchange").is_some() {
        return Err(Error::new(
            CONFLICT,
            "a run that exchanges temperatures has no second segment, since its replicas would begin on the rungs of the first one: begin a run with other settings",
        ));
    }
    match next.stages {
        Some(text) => {
            let own = document::parse(text, "stages")?;
            let stages = own.get("stage").cloned().unwrap_or_else(|| Node::empty(&own.place));
            set(&mut root, &["stage"], stages.value);
            forget_stages_of_answers(&mut root);
        }
        None => {
            keep_stages(&mut root, |place| place >= next.stage);
            if let Some(left) = next.left {
                set_length(&mut root, 0, left)?;
            }
        }
    }
    let base = path.parent().unwrap_or(Path::new(""));
    set_start(&mut root, next, base)?;
    set(&mut root, &["random", "noise"], Value::Text("fresh".to_string()));
    Ok(written(&root))
}

/// The steps, or sweeps, in a time such as `1 us`, or in a number of reduced units.
///
/// # Errors
/// A text that is no time, a time that is not a whole number of steps, points with time steps of their own, and sampled chains,
/// which have no time.
pub fn steps_in(request: &Request, time: &str) -> Result<u64, Error> {
    let root = document::parse(&request.resolved, "resolved.toml")?;
    let timestep = root.get("dynamics").and_then(|dynamics| dynamics.get("timestep"));
    let Some(timestep) = timestep else {
        let problem = format!(
            "\"{time}\" is a time, and chains are sampled in sweeps, which have none: give a number of sweeps"
        );
        return Err(Error::new(CONFLICT, problem));
    };
    let mut timesteps = request.points.iter().map(|point| point.protocol.dynamics.timestep);
    let first = timesteps.next();
    if timesteps.any(|other| Some(other) != first) {
        let problem = format!(
            "\"{time}\" is a time, and the members have different time steps: give a number of steps"
        );
        return Err(Error::new(CONFLICT, problem));
    }
    let dimension = match root.get("system").map(models::units) {
        Some(Units::Reduced) => Dimension::Number,
        _ => Dimension::Time,
    };
    let quantity = units::parse(time, dimension)?;
    let timestep = units::parse(&timestep.plain(), dimension)?;
    whole(&quantity, &timestep)
        .map_err(|problem| Error::new(STEPS, format!("the time \"{time}\" {problem}")))
}

fn written(root: &Node) -> String {
    root.table().map(document::write).unwrap_or_default()
}

/// Sets the value at the end of keys; makes tables on the way.
fn set(node: &mut Node, keys: &[&str], value: Value) {
    let place = node.place.clone();
    let ([key, rest @ ..], Some(table)) = (keys, node.table_mut()) else { return };
    if rest.is_empty() {
        table.set(key, &place, Node::new(value, &place));
        return;
    }
    if table.get(key).is_none() {
        table.set(key, &place, Node::empty(&place));
    }
    if let Some(inner) = table.get_mut(key) {
        set(inner, rest, value);
    }
}

fn refuse_sweep(root: &Node) -> Result<(), Error> {
    let sweep = root.get("ensemble").and_then(|ensemble| ensemble.get("sweep"));
    if sweep.and_then(Node::table).is_none_or(|sweep| sweep.entries.is_empty()) {
        return Ok(());
    }
    let problem = "a run with a sweep has no second segment, since the members of all points would need starts and lengths of their own: make a run of each point";
    Err(Error::new(CONFLICT, problem))
}

/// Drops the other stages.
fn keep_stages(root: &mut Node, is_kept: impl Fn(usize) -> bool) {
    let stages = root.table_mut().and_then(|table| table.get_mut("stage"));
    if let Some(Node { value: Value::List(stages), .. }) = stages {
        let mut place = 0..;
        stages.retain(|_| place.next().is_some_and(&is_kept));
    }
    let names = stage_names(root);
    let named = root.get("analysis").and_then(|analysis| analysis.get("stages"));
    let named = named.and_then(Node::list).unwrap_or_default();
    if named.iter().filter_map(Node::text).any(|name| !names.iter().any(|one| one == name)) {
        forget_stages_of_answers(root);
    }
}

/// The answer is of the stages that each kind of run has for it: those that were named are gone.
fn forget_stages_of_answers(root: &mut Node) {
    if let Some(table) = root.table_mut().and_then(|table| table.get_mut("analysis")) {
        table.table_mut().into_iter().for_each(|table| table.remove("stages"));
    }
}

/// Gives a stage a number of steps or sweeps in place of its length.
fn set_length(root: &mut Node, stage: usize, steps: u64) -> Result<(), Error> {
    let place = root.place.clone();
    let stages = root.table_mut().and_then(|table| table.get_mut("stage"));
    let stage = stages.and_then(|stages| stages.list_mut().get_mut(stage));
    let Some(table) = stage.and_then(Node::table_mut) else { return Ok(()) };
    if table.get(TUNE_TEMPERATURES).is_some() {
        let problem = "a stage that places temperatures does so at fractions of its length, and cannot end early";
        return Err(Error::new(CONFLICT, problem));
    }
    // A minimisation has its own largest number of steps.
    if table.get("minimise").is_some() {
        return Ok(());
    }
    let key = if table.get("sweeps").is_some() { "sweeps" } else { "steps" };
    let length = Node::new(Value::Integer(i64::try_from(steps).unwrap_or(i64::MAX)), &place);
    // The key keeps its place among the others.
    match table.entries.iter_mut().find(|entry| ["duration", key].contains(&&*entry.key)) {
        Some(entry) => (entry.key, entry.node) = (key.to_string(), length),
        None => table.set(key, &place, length),
    }
    Ok(())
}

/// The files of the start, in place of what the beads came from.
fn set_start(root: &mut Node, next: &Next<'_>, base: &Path) -> Result<(), Error> {
    let place = root.place.clone();
    let Some(system) = root.table_mut().and_then(|table| table.get_mut("system")) else {
        return Ok(());
    };
    let model = models::model(system).unwrap_or_default().to_string();
    if model == OSCILLATORS {
        let problem = "oscillators begin at one distance from the origin, and no file says otherwise: their positions cannot be set, and a run of them has no second segment";
        return Err(Error::new(CONFLICT, problem));
    }
    let before = system.get("start").map(as_table);
    let Some(system) = system.table_mut() else { return Ok(()) };
    let mut start = Table::default();
    start.set("file", &place, Node::new(Value::Text(next.start.to_string()), &place));
    if model == BEADS {
        // The unit of forces follows from the system, and the box from the file.
        ["build", FORCE_UNIT].iter().for_each(|key| system.remove(key));
        let word = if next.with_velocities { "file" } else { "draw" };
        start.set("velocities", &place, Node::new(Value::Text(word.to_string()), &place));
        let word = if next.in_box { "file" } else { "open" };
        system.set("box", &place, Node::new(Value::Text(word.to_string()), &place));
        if let Some(before) = before {
            list_terms_of_file(system, &before, base)?;
        }
    }
    system.set("start", &place, Node::new(Value::Table(start), &place));
    Ok(())
}

/// Lists the beads of bonds and angles that were those of the start file, since the files of the next start have none.
fn list_terms_of_file(system: &mut Table, start: &Node, base: &Path) -> Result<(), Error> {
    let is_of_file = |node: &Node| node.get("between").and_then(Node::text) == Some("file");
    let any = ["bonds", "angles"].iter().filter_map(|key| system.get(key)?.list());
    if start.get("repeat").is_some() || !any.flatten().any(is_of_file) {
        return Ok(());
    }
    let Some(file) = start.get("file").and_then(Node::text) else { return Ok(()) };
    let first = start.get("first").and_then(Node::number).unwrap_or(0.0);
    let path = base.join(file.replace(REPLICA, &first.to_string()));
    let frame = start.get("frame").and_then(Node::number).unwrap_or(0.0) as i64;
    let file = beadwork_structure::read_configuration(&path, frame)?;
    let listed = |beads: &[usize], place: &Location| {
        let beads = beads.iter().map(|&bead| Node::new(Value::Integer(bead as i64), place));
        Node::new(Value::List(beads.collect()), place)
    };
    let mut list = |key: &str, terms: &[(&[usize], u32)]| {
        let Some(list) = system.get_mut(key) else { return };
        for node in list.list_mut().iter_mut().filter(|node| is_of_file(node)) {
            let place = node.place.clone();
            let number = node.get("number").and_then(Node::number);
            let chosen =
                terms.iter().filter(|(_, kind)| number.is_none_or(|it| it == f64::from(*kind)));
            let chosen = chosen.map(|(beads, _)| listed(beads, &place)).collect();
            let Some(table) = node.table_mut() else { continue };
            table.remove("number");
            table.set("between", &place, Node::new(Value::List(chosen), &place));
        }
    };
    let bonds: Vec<(&[usize], u32)> =
        file.bonds.iter().map(|(beads, kind)| (beads.as_slice(), *kind)).collect();
    list("bonds", &bonds);
    let angles: Vec<(&[usize], u32)> =
        file.angles.iter().map(|(beads, kind)| (beads.as_slice(), *kind)).collect();
    list("angles", &angles);
    Ok(())
}
