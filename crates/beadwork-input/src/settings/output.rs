//! `[output]`: what a run writes, where and how often.

use std::path::PathBuf;

use beadwork_model::observables::Observable;
use beadwork_model::units::{Dimension, Units};

use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, WRONG_TYPE};
use crate::models::{BEADS, ELASTIC_POLYMER};
use crate::numbers::Bound;
use crate::section::{Read, Section};
use crate::steps::Clock;
use crate::words::{meant, quoted};

const KEYS: [&str; 6] = ["folder", "table", "trajectory", "checkpoint", "parquet", "ends"];
/// Keys that `[output]` of chains cannot have.
const KEYS_OF_OTHERS: [(&str, &str); 1] =
    [("ends", "the table has the distance of the first monomer from the last; leave it out")];

/// Steps or sweeps between rows of the table; SOP-GPU renews forces at this interval.
const TABLE_EVERY: u32 = 1000;
const PICOSECONDS_PER_SECOND: f64 = 1e12;

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

/// The two groups whose distance is the extension.
#[derive(Clone, Debug)]
pub(crate) enum EndsChoice {
    /// The ends of the first pulling drive; without one, the first and the last bead.
    External,
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
        Section::refuse(node, "[output]", ELASTIC_POLYMER, &KEYS_OF_OTHERS)?;
    }
    let mut section = Section::open(node, "[output]", &KEYS)?;
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
        Clock::Sweeps => EndsChoice::External,
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
        return Ok(EndsChoice::External);
    };
    let selection = |node: &Node| {
        node.text().map(|text| Read { value: text.to_string(), place: node.place.clone() })
    };
    let choice = match node.list() {
        Some([from, to]) => selection(from).zip(selection(to)).map(EndsChoice::Selections),
        _ => (node.text() == Some("drive")).then_some(EndsChoice::External),
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
