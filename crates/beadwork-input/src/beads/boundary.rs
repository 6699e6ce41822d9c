//! `box` in `[system]`: the sides of a periodic box, or open space.

use beadwork_model::units::{Dimension, Units};
use beadwork_model::{Boundary, System};
use beadwork_structure::Configuration;

use crate::document::{Node, Value};
use crate::error::{CONFLICT, Error, Location, MISSING_KEY, WRONG_TYPE};
use crate::numbers::{Bound, number_of, quantity_of};
use crate::section::Section;

/// No box.
pub(super) const OPEN: &str = "open";
/// The box of the start file.
pub(super) const FILE: &str = "file";
/// The box that follows from a density.
const CUBE: &str = "cube";

/// The sides that `box` gives.
pub(super) fn read_sides(section: &Section<'_>) -> Result<Option<[f64; 3]>, Error> {
    let Some(node) = section.node("box") else { return Ok(None) };
    let Some(list) = node.list() else {
        if matches!(node.text(), Some(FILE | OPEN | CUBE)) {
            return Ok(None);
        }
        let problem = format!(
            "must be three sides such as [20, 20, 20], \"{FILE}\" for that of the start file, \"{CUBE}\" for that of a density in `build`, or \"{OPEN}\", found {}",
            node.found()
        );
        return Err(section.fault(WRONG_TYPE, "box", &problem));
    };
    let name = "[system]: a side of `box`";
    let side = |node: &Node| match section.units {
        Units::Real => {
            quantity_of(node, name, Dimension::Length, Bound::Positive).map(|read| read.value)
        }
        Units::Reduced => number_of(node, name, Bound::Positive),
    };
    let sides: Vec<f64> = list.iter().map(side).collect::<Result<_, _>>()?;
    let sides = <[f64; 3]>::try_from(sides).map_err(|sides| {
        let problem = format!("must have three sides, along x, y and z, but has {}", sides.len());
        section.fault(WRONG_TYPE, "box", &problem)
    })?;
    // Before beads are placed between them.
    refuse_absurd_sides(section, sides).map(|()| Some(sides))
}

/// Refuses sides of which no box can be made, whatever is in it.
fn refuse_absurd_sides(section: &Section<'_>, lengths: [f64; 3]) -> Result<(), Error> {
    let empty = System { boundary: Boundary::Periodic { lengths }, ..System::default() };
    match empty.boundary_problem() {
        Some(problem) => {
            let place = place_of_side(section, &problem);
            Err(place.error(CONFLICT, format!("{}: {problem}", section.name)))
        }
        None => Ok(()),
    }
}

/// The side of `box` that a problem of the boundary names; all of `box` if it names none.
pub(super) fn place_of_side<'a>(section: &'a Section<'_>, problem: &str) -> &'a Location {
    let sides = section.node("box").and_then(Node::list).unwrap_or_default();
    let mut axes = ["along x", "along y", "along z"].into_iter().zip(sides);
    let side = axes.find(|(axis, _)| problem.contains(axis)).map(|(_, side)| &side.place);
    side.unwrap_or_else(|| section.value_place("box"))
}

/// Reads `box`: three sides, those of `build` with a density, or those of the start file, or none. `sides` are those given or
/// built.
pub(super) fn read_box(
    section: &mut Section<'_>,
    sides: Option<[f64; 3]>,
    file: &Configuration,
) -> Result<Boundary, Error> {
    let of_file = file.bounds.map(|bounds| bounds.map(|[low, high]| high - low));
    let word = section.node("box").and_then(Node::text);
    if let Some(node) = section.node("box") {
        section.keep("box", node.value.clone());
    }
    match (sides, word, of_file) {
        (Some(lengths), word, _) => {
            if !section.has("box") {
                section.keep("box", Value::Text(CUBE.to_string()));
            } else if let Some(word) = word.filter(|word| *word != CUBE) {
                let problem = format!(
                    "is \"{word}\", and `build` has a density: write \"{CUBE}\", or leave it out"
                );
                return Err(section.fault(CONFLICT, "box", &problem));
            }
            Ok(Boundary::Periodic { lengths })
        }
        (None, Some(CUBE), _) => {
            let problem = format!(
                "is \"{CUBE}\", but `build` has no density: give the density, or write the sides of the box, such as [20, 20, 20]"
            );
            Err(section.fault(CONFLICT, "box", &problem))
        }
        (None, Some(FILE), Some(lengths)) => {
            refuse_absurd_sides(section, lengths)?;
            Ok(Boundary::Periodic { lengths })
        }
        (None, Some(FILE), None) => {
            let problem = format!(
                "is \"{FILE}\", and {} has no box: write its sides, such as [20, 20, 20]",
                file.source
            );
            Err(section.fault(MISSING_KEY, "box", &problem))
        }
        (None, Some(_), _) => Ok(Boundary::Open),
        (None, None, None) => {
            section.keep("box", Value::Text(OPEN.to_string()));
            Ok(Boundary::Open)
        }
        (None, None, Some([x, y, z])) => {
            let problem = format!(
                "[system]: {} has a box of {x} x {y} x {z}: write box = \"{FILE}\" for periodic boundaries, or box = \"{OPEN}\" for open space",
                file.source
            );
            Err(section.place.error(MISSING_KEY, problem))
        }
    }
}
