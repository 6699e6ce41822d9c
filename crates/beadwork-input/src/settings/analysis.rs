//! `[analysis]`: how the answer is found.

use beadwork_model::Units;
use beadwork_model::units::{Dimension, PICONEWTONS_PER_FORCE};

use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, Error, WRONG_TYPE};
use crate::numbers::Bound;
use crate::section::{AUTOMATIC, Section};
use crate::steps::Clock;

const KEYS: [&str; 5] = ["stages", "window", "prominence", "slope", "hertz"];

/// How the answer is computed from the tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The names of the stages that are answered for. If empty, each kind of run answers for its own: the first that pulls, or
    /// the last.
    pub stages: Vec<String>,
    /// Time over which forces are averaged, ps. If `None`, the time in which the base of a spring or a tip travels 0.25 nm.
    pub window: Option<f64>,
    /// The smallest fall after a force peak, pN.
    pub prominence: f64,
    /// The deformations between which a slope is found, beside the initial one, Å.
    pub slope: Option<(f64, f64)>,
    /// The deformations between which Hertz's law is fitted, Å.
    pub hertz: Option<(f64, f64)>,
}

/// Reads `[analysis]`. Its stages are judged once the point is known.
pub(crate) fn read_analysis(
    node: &Node,
    clock: Clock<'_>,
    units: Units,
) -> Result<(Analysis, Table), Error> {
    let mut section = Section::open(node, "[analysis]", &KEYS)?;
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
        let keys = ["window", "prominence", "slope", "hertz"];
        section.exclude(&keys, "chains that are sampled have no forces")?;
        let none = Analysis { stages, window: None, prominence: 0.0, slope: None, hertz: None };
        return Ok((none, section.resolved));
    }
    let window = if section.node("window").is_none_or(|node| node.text() == Some(AUTOMATIC)) {
        section.keep("window", Value::Text(AUTOMATIC.to_string()));
        None
    } else {
        section.quantity("window", Dimension::Time, Bound::Positive)?.map(|time| time.value)
    };
    let prominence =
        section.quantity_or("prominence", Dimension::Force, Bound::Positive, "40 pN")?;
    let prominence = prominence.value * PICONEWTONS_PER_FORCE;
    let mut section = section.in_units(units);
    let slope = read_range(&mut section, "slope")?;
    let hertz = read_range(&mut section, "hertz")?;
    Ok((Analysis { stages, window, prominence, slope, hertz }, section.resolved))
}

/// Two deformations, the smaller one first.
fn read_range(section: &mut Section<'_>, key: &str) -> Result<Option<(f64, f64)>, Error> {
    let expected = "two deformations such as [\"0 nm\", \"3 nm\"]";
    let Some([from, to]) = section.two_lengths(key, expected)? else { return Ok(None) };
    if from < to {
        return Ok(Some((from, to)));
    }
    let problem = format!("must be {expected}, of which the first is the smaller");
    Err(section.fault(BAD_VALUE, key, &problem))
}
