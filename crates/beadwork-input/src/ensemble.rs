//! `[ensemble]`: how many replicas, and the points of a sweep.

use std::collections::HashSet;

use beadwork_model::units::{self, Dimension};

use crate::beads::build;
use crate::document::{Node, Table, Value};
use crate::error::{Error, Location, SWEEP};
use crate::paths::{self, EITHER};
use crate::section::Section;
use crate::sections::section_node;
use crate::stages;

const ENSEMBLE_KEYS: [&str; 2] = ["replicas", "sweep"];
const MODE: &str = "mode";
const MODES: [&str; 2] = ["product", "zip"];

/// Each point needs memory for its protocol and often for its system.
const MAXIMUM_POINTS: usize = 100_000;
/// Tables and file names count the members; no machine can step more.
pub(crate) const MAXIMUM_MEMBERS: u64 = 1_000_000;
/// The sections that all points share. A stage may also be called `run`.
const SHARED: [&str; 3] = ["ensemble", "output", "analysis"];

/// One path of a sweep and the values it takes.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// With numbers in place of names of drives, so that each key has one path.
    pub path: String,
    pub place: Location,
    pub values: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(crate) struct Ensemble {
    pub replicas: u64,
    /// Where the number of replicas is written, if the input gives it.
    pub replicas_place: Option<Location>,
    pub axes: Vec<Axis>,
    /// Whether the lists are paired.
    zip: bool,
    /// The place of the sweep or, without one, of the section.
    pub place: Location,
}

/// A path that may have the value [`ALL`] in place of a list.
pub(crate) const ALL_OF: &str = "system.sequence.name";
pub(crate) const ALL: &str = "all";

/// Reads `[ensemble]` of a document, which may be absent; `all` are the values that [`ALL`] stands for. Of a run that has begun, lists
/// may set the same thing, and have values that mean the same.
pub(crate) fn read(
    root: &Node,
    all: Option<Vec<String>>,
    is_begun: bool,
) -> Result<Ensemble, Error> {
    let node = section_node(root, "ensemble");
    let mut section = Section::open(&node, "[ensemble]", &ENSEMBLE_KEYS)?;
    let replicas = section.integer_or("replicas", 1, 1)?;
    let mut axes = Vec::new();
    let mut zip = false;
    let mut place = section.place.clone();
    if let Some(node) = section.node("sweep") {
        let Some(table) = node.table() else {
            let problem = format!("must be a table of lists, found {}", node.found());
            return Err(section.fault(SWEEP, "sweep", &problem));
        };
        place = node.place.clone();
        let every: Vec<&str> = table.entries.iter().map(|entry| entry.key.as_str()).collect();
        let mut inner = Section::open(node, "[ensemble.sweep]", &every)?;
        zip = inner.choice(MODE, &MODES, Some("product"))? == 1;
        flatten(root, (table, ""), (&all.unwrap_or_default(), is_begun), &mut axes)?;
    }
    let replicas_place = section.has("replicas").then(|| section.key_place("replicas").clone());
    let ensemble = Ensemble { replicas: replicas.value, replicas_place, axes, zip, place };
    ensemble.check_members(ensemble.replicas, "[ensemble]", &replicas.place)?;
    Ok(ensemble)
}

/// A path may be written in quotes or as dotted keys, which TOML nests.
fn flatten(
    root: &Node,
    (table, prefix): (&Table, &str),
    (all, is_begun): (&[String], bool),
    axes: &mut Vec<Axis>,
) -> Result<(), Error> {
    for entry in &table.entries {
        if prefix.is_empty() && entry.key == MODE {
            continue;
        }
        let path = format!("{prefix}{}", entry.key);
        if let Some(inner) = entry.node.table() {
            flatten(root, (inner, &format!("{path}.")), (all, is_begun), axes)?;
            continue;
        }
        let path = paths::by_number(root, &path);
        let fault = |problem: &str| {
            entry.node.place.error(SWEEP, format!("[ensemble.sweep]: \"{path}\" {problem}"))
        };
        let expanded: Vec<Node>;
        let list = match path == ALL_OF && entry.node.text() == Some(ALL) {
            true => {
                let name = |name: &String| Node::new(Value::Text(name.clone()), &entry.node.place);
                expanded = all.iter().map(name).collect();
                Some(expanded.as_slice())
            }
            false => entry.node.list(),
        };
        let Some(values) = list else {
            return Err(fault(&format!("must be a list of values, found {}", entry.node.found())));
        };
        if values.is_empty() {
            return Err(fault("has no values; give at least one or take the line out"));
        }
        let section = path.split('.').next().unwrap_or_default();
        if SHARED.contains(&section) {
            return Err(fault("cannot be swept: all points of a run share it"));
        }
        if path == format!("{section}.name") {
            return Err(fault("cannot be swept: settings and answers find a stage by its name"));
        }
        // In a zip a value may be repeated beside another one; in a product a repeated value is a mistake.
        let product = table.get(MODE).is_none_or(|mode| mode.plain() != MODES[1]);
        let mut seen = HashSet::new();
        let repeated = values.iter().position(|value| !seen.insert(value.plain()));
        if let Some(index) = repeated.filter(|_| product) {
            let problem = format!(
                "has the value {} twice: leave one out; `replicas` in [ensemble] makes more trajectories of a point",
                values[index].plain()
            );
            return Err(fault(&problem));
        }
        if let Some(same) = (product && !is_begun).then(|| same_meaning(values)).flatten() {
            let [one, other] = same.map(Node::plain);
            let problem =
                format!("has the values {one} and {other}, which mean the same: leave one out");
            return Err(fault(&problem));
        }
        if axes.iter().any(|axis| axis.path == path) {
            return Err(fault("is there twice: keep one of its lists"));
        }
        if let Some(axis) = axes.iter().find(|axis| !is_begun && meet(&axis.path, &path)) {
            let problem = format!("and \"{}\" set the same thing: sweep one of them", axis.path);
            return Err(fault(&problem));
        }
        let values = values.to_vec();
        axes.push(Axis { path, place: entry.place.clone(), values });
    }
    Ok(())
}

/// The largest relative difference of one quantity in two units: both were rounded.
const ROUNDING: f64 = 1e-12;

/// Two values that mean the same, such as `1000 um/s` and `1 mm/s`, or 1 and 1.0.
fn same_meaning(values: &[Node]) -> Option<[&Node; 2]> {
    // What is compared by dimension; plain numbers have none.
    let meaning = |node: &Node| match node.text() {
        None => node.number().map(|number| (usize::MAX, number)),
        // A text without a unit may be a name, as that of a chain.
        Some(text) => Dimension::all().enumerate().find_map(|(index, dimension)| {
            let quantity = units::parse(text, dimension).ok()?;
            (dimension != Dimension::Number).then_some((index, quantity.value))
        }),
    };
    let known = values.iter().enumerate().filter_map(|(place, node)| {
        let (dimension, number) = meaning(node)?;
        Some((dimension, number, place))
    });
    let mut known: Vec<(usize, f64, usize)> = known.collect();
    known.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let is_whole = |place: usize| matches!(values[place].value, Value::Integer(_));
    known.windows(2).find_map(|pair| {
        let ((one, a, first), (other, b, second)) = (pair[0], pair[1]);
        let allowed = if one == usize::MAX { 0.0 } else { ROUNDING * a.abs().max(b.abs()) };
        // Large integers are no floating-point numbers.
        let is_same =
            one == other && (a - b).abs() <= allowed && !(is_whole(first) && is_whole(second));
        is_same.then(|| [first.min(second), first.max(second)].map(|place| &values[place]))
    })
}

/// Whether two different paths of a sweep set the same thing: one path lies within the other, or setting one key removes the other.
fn meet(one: &str, other: &str) -> bool {
    undoes(one, other) || undoes(other, one)
}

/// Whether setting the path `above` sets all that `below` names, or removes it.
fn undoes(above: &str, below: &str) -> bool {
    let parts = |path| str::split(path, '.').collect::<Vec<_>>();
    // `pull.stage.fixed` is the stage's own key, and `pull.drives.1.fixed` another one.
    let is_of_stage = |path| matches!(parts(path)[..], [_, "stage", key, ..] if key != "drives");
    let is_of_drive = |path| matches!(parts(path)[..], [_, "drives", ..]);
    if is_of_stage(above) && is_of_drive(below) || is_of_drive(above) && is_of_stage(below) {
        return false;
    }
    let [above, below] = [above, below].map(keys_of);
    covers(&above, &below) || replaces(&above, &below)
}

/// The keys of a path, those of a stage and of `build` in their full form.
fn keys_of(path: &str) -> Vec<&str> {
    match path.split('.').collect::<Vec<_>>() {
        keys if keys.starts_with(&["system", "build"]) => {
            [&keys[..2], &build::keys_in_full(&keys[2..])].concat()
        }
        mut keys => {
            if keys.len() > 2 && keys[1] == "stage" {
                keys.remove(1);
            }
            keys
        }
    }
}

/// Whether setting `above` sets all that `below` names. A drive's key has a short path, and a long one with the drive's number.
fn covers(above: &[&str], below: &[&str]) -> bool {
    let is_of_stage =
        |key: &str| stages::KEYS.contains(&key) || stages::KEYS_OF_CHAINS.contains(&key);
    below.starts_with(above)
        || match (above, below) {
            ([one, "drives"], [other, key, ..]) => one == other && !is_of_stage(key),
            ([one, "drives", _, long @ ..], [other, short @ ..]) if !long.is_empty() => {
                one == other && short.starts_with(long)
            }
            ([one, short @ ..], [other, "drives", _, long @ ..]) => {
                one == other && long.starts_with(short)
            }
            _ => false,
        }
}

/// Whether setting one of these keys of a table removes the other.
fn replaces(one: &[&str], other: &[&str]) -> bool {
    let (Some((one, table)), Some((other, same))) = (one.split_last(), other.split_last()) else {
        return false;
    };
    let (pair, turned) = ((*one, *other), (*other, *one));
    table == same && EITHER.iter().any(|known| *known == pair || *known == turned)
}

impl Ensemble {
    /// Refuses more members than can be counted.
    pub fn check_members(
        &self,
        replicas: u64,
        section: &str,
        place: &Location,
    ) -> Result<(), Error> {
        let points = self.count()? as u64;
        if points.checked_mul(replicas).is_some_and(|members| members <= MAXIMUM_MEMBERS) {
            return Ok(());
        }
        let problem = format!(
            "{section}: {points} point(s) of {replicas} replicas are more than {MAXIMUM_MEMBERS} members: ask for fewer"
        );
        Err(place.error(SWEEP, problem))
    }

    /// The path of the sweep that makes an override of `path` useless, since each point sets it.
    pub fn hides(&self, path: &str) -> Option<&str> {
        // A path above that of the sweep sets other keys too.
        let axis = self.axes.iter().find(|axis| undoes(&axis.path, path));
        axis.map(|axis| axis.path.as_str())
    }

    fn count(&self) -> Result<usize, Error> {
        let lengths = self.axes.iter().map(|axis| axis.values.len());
        if !self.zip {
            let count = lengths.fold(1usize, usize::saturating_mul);
            if count > MAXIMUM_POINTS {
                let problem = format!(
                    "[ensemble.sweep]: the product of the lists has {count} points, more than {MAXIMUM_POINTS}: shorten the lists or split the run"
                );
                return Err(self.place.error(SWEEP, problem));
            }
            return Ok(count);
        }
        let Some(first) = self.axes.first() else { return Ok(1) };
        let count = first.values.len();
        if let Some(axis) = self.axes.iter().find(|axis| axis.values.len() != count) {
            let problem = format!(
                "[ensemble.sweep]: mode = \"zip\" pairs the lists, but \"{}\" has {count} values and \"{}\" {}: make them equally long",
                first.path,
                axis.path,
                axis.values.len()
            );
            return Err(axis.place.error(SWEEP, problem));
        }
        Ok(count)
    }

    /// For each point the index of its value on each axis; the last axis varies fastest.
    pub fn points(&self) -> Result<Vec<Vec<usize>>, Error> {
        let count = self.count()?;
        if self.zip {
            return Ok((0..count).map(|point| vec![point; self.axes.len()]).collect());
        }
        let mut points = vec![Vec::new()];
        for axis in &self.axes {
            let with = |point: &Vec<usize>, index| [point.as_slice(), &[index]].concat();
            let longer = |point| (0..axis.values.len()).map(move |index| with(point, index));
            points = points.iter().flat_map(longer).collect();
        }
        Ok(points)
    }

    /// The points that come before one along each axis, whose numbers are lower; where lists are paired the one before it.
    pub fn neighbours_before(&self, number: usize, indices: &[usize]) -> Vec<usize> {
        if self.zip {
            return number.checked_sub(1).into_iter().collect();
        }
        let mut stride = 1;
        let mut before = Vec::new();
        for (axis, index) in self.axes.iter().zip(indices).rev() {
            if *index > 0 {
                before.push(number - stride);
            }
            stride *= axis.values.len();
        }
        before
    }

    /// The resolved form. If replicas exchange temperatures, `[exchange]` gives their number, not this section.
    pub fn resolved(&self, exchange: bool) -> Option<Value> {
        let node = |value| Node::new(value, &self.place);
        let mut table = Table::default();
        if !exchange {
            let replicas = i64::try_from(self.replicas).unwrap_or(i64::MAX);
            table.set("replicas", &self.place, node(Value::Integer(replicas)));
        }
        if !self.axes.is_empty() {
            let mut sweep = Table::default();
            let mode = MODES[usize::from(self.zip)].to_string();
            sweep.set(MODE, &self.place, node(Value::Text(mode)));
            for axis in &self.axes {
                sweep.set(&axis.path, &self.place, node(Value::List(axis.values.clone())));
            }
            table.set("sweep", &self.place, node(Value::Table(sweep)));
        }
        (!table.entries.is_empty()).then_some(Value::Table(table))
    }
}
