//! `angles` in `[system]`.

use beadwork_model::potentials::angle::AngleTerm;
use beadwork_model::potentials::{CosineAngle, CosineSquaredAngle, HarmonicAngle};
use beadwork_model::units::Dimension;
use beadwork_model::{Angle, Interactions};

use super::between::{Between, StartBeads, between, listed, of_number};
use super::lists::{keep_list, list_of, open_kind};
use super::type_numbers::{number_of_type, types_in_files};
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, Error};
use crate::numbers::Bound;
use crate::section::Section;

/// The kinds of angles and their keys.
const KINDS: [(&str, &[&str]); 3] = [
    ("harmonic", &["kind", "between", "number", "stiffness", "angle"]),
    ("cosine", &["kind", "between", "number", "stiffness"]),
    ("cosine-squared", &["kind", "between", "number", "stiffness", "angle"]),
];

/// Reads `angles` into the interactions.
pub(super) fn read_angles(
    section: &mut Section<'_>,
    beads: &StartBeads<'_>,
    interactions: &mut Interactions,
) -> Result<(), Error> {
    let mut resolved = Vec::new();
    let mut numbers = Vec::new();
    for (index, node) in list_of(section, "angles")?.iter().enumerate() {
        let name = format!("`angles` {} in [system]", index + 1);
        let mut inner = open_kind(node, &name, &KINDS)?.in_units(section.units);
        interactions.angles.push(read_angle(&mut inner, beads)?);
        numbers.push(number_of_type(&inner));
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    keep_list(section, "angles", resolved);
    let types = types_in_files(&numbers);
    if types.iter().zip(0..).any(|(kind, term)| *kind != term) {
        interactions.angle_types = types;
    }
    Ok(())
}

fn read_angle(section: &mut Section<'_>, beads: &StartBeads<'_>) -> Result<AngleTerm, Error> {
    let kind = section.choice("kind", &KINDS.map(|(kind, _)| kind), None)?;
    let of_file = &beads.file.angles;
    let triples = match between(section, !of_file.is_empty(), false)? {
        Between::Listed(lists) => listed(section, "between", &lists, beads.molecules.len())?,
        Between::File(number) => of_number(section, of_file, number)?,
        Between::Chain | Between::Near => {
            beads.refuse_chains_of_others(section)?;
            beads.in_chains::<3>()
        }
    };
    if triples.is_empty() {
        let problem = "selects no beads: \"chain\" needs molecules of three beads";
        return Err(section.fault(BAD_VALUE, "between", problem));
    }
    let bound = Bound::NotNegative;
    let stiffness =
        section.required_quantity("stiffness", Dimension::Energy, bound, "10 kJ/mol")?;
    fn angles<F: Copy>(triples: Vec<[usize; 3]>, potential: F) -> AngleTerm
    where
        AngleTerm: From<Vec<Angle<F>>>,
    {
        let angle = |beads| Angle { beads, potential };
        triples.into_iter().map(angle).collect::<Vec<_>>().into()
    }
    Ok(match kind {
        0 => angles(triples, HarmonicAngle { stiffness, angle: degrees(section)?.to_radians() }),
        1 => angles(triples, CosineAngle { stiffness }),
        _ => angles(triples, CosineSquaredAngle::at_degrees(stiffness, degrees(section)?)),
    })
}

/// `angle`, degrees.
fn degrees(section: &mut Section<'_>) -> Result<f64, Error> {
    let degrees = section.number("angle", Bound::NotNegative)?;
    let degrees = degrees.ok_or_else(|| section.missing("angle", "120.0"))?;
    if degrees > 180.0 {
        let problem = format!("is in degrees and at most 180, but is {degrees}");
        return Err(section.fault(BAD_VALUE, "angle", &problem));
    }
    Ok(degrees)
}
