//! `[analysis]`: how the answer is found.

use beadwork_model::Units;
use beadwork_model::units::Dimension;

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
    /// Time over which forces are averaged, ps or in reduced units. If `None`, the time in which the base of a spring or a tip
    /// travels 0.25 nm, or 0.25 in reduced units.
    pub window: Option<f64>,
    /// The smallest fall after a force peak, kcal/(mol Å) or in reduced units. If `None`, which only reduced units have, it follows
    /// from the force at which a tip is in contact.
    pub prominence: Option<f64>,
    /// The deformations between which a slope is found, beside the initial one, Å or in reduced units.
    pub slope: Option<(f64, f64)>,
    /// The deformations between which Hertz's law is fitted, Å or in reduced units.
    pub hertz: Option<(f64, f64)>,
}

/// Reads `[analysis]`. Its stages are judged once the point is known. Of a run that has begun, ranges may end before contact.
pub(crate) fn read_analysis(
    node: &Node,
    clock: Clock<'_>,
    units: Units,
    is_begun: bool,
) -> Result<(Analysis, Table), Error> {
    let mut section = Section::open(node, "[analysis]", &KEYS)?.in_units(units);
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
        let none = Analysis { stages, window: None, prominence: None, slope: None, hertz: None };
        return Ok((none, section.resolved));
    }
    let window = match is_automatic(&mut section, "window") {
        true => None,
        false => section.quantity("window", Dimension::Time, Bound::Positive)?,
    };
    let window = window.map(|time| time.value);
    // No force is a usual one in all reduced units.
    let prominence = match units == Units::Reduced && is_automatic(&mut section, "prominence") {
        true => None,
        false => {
            let (force, bound) = (Dimension::Force, Bound::Positive);
            Some(section.quantity_or("prominence", force, bound, "40 pN")?.value)
        }
    };
    let slope = read_range(&mut section, "slope", is_begun)?;
    let hertz = read_range(&mut section, "hertz", is_begun)?;
    Ok((Analysis { stages, window, prominence, slope, hertz }, section.resolved))
}

/// Whether a value follows from others, because the key is absent or says so; then the resolved form says so.
fn is_automatic(section: &mut Section<'_>, key: &str) -> bool {
    let is = section.node(key).is_none_or(|node| node.text() == Some(AUTOMATIC));
    if is {
        section.keep(key, Value::Text(AUTOMATIC.to_string()));
    }
    is
}

/// Two deformations, the smaller one first, not both before contact unless the run has begun.
fn read_range(
    section: &mut Section<'_>,
    key: &str,
    is_begun: bool,
) -> Result<Option<(f64, f64)>, Error> {
    let expected = match section.units {
        Units::Real => "two deformations such as [\"0 nm\", \"3 nm\"]",
        Units::Reduced => "two deformations without units such as [0.0, 3.0]",
    };
    let Some([from, to]) = section.two_lengths(key, expected)? else { return Ok(None) };
    let problem = match (from < to, to > 0.0 || is_begun) {
        (true, true) => return Ok(Some((from, to))),
        (true, false) => {
            "ends before contact, where nothing is deformed yet: deformations count from contact, so write an end above 0".to_string()
        }
        _ => format!("must be {expected}, of which the first is the smaller"),
    };
    Err(section.fault(BAD_VALUE, key, &problem))
}
