//! `pairs` in `[system]`: interactions between all pairs within a cutoff, by the types of two beads.

use beadwork_model::potentials::pair::{
    AshbaughHatch, DebyeHuckel, DpdConservative, ForceShiftedLennardJones, LennardJones, MOST_MU,
    MOST_NU, Morse, PairEntry, PairTable, PairTerm, SixthPowerRepulsion, WangFrenkel,
};
use beadwork_model::potentials::{DpdThermostat, PairNoise, PairThermostat};
use beadwork_model::units::{COULOMB, Dimension, Units};

use super::by_types::{self, ByTypes, Mixing, Parameter};
use super::lists::{keep_list, list_of, open_kind};
use super::types::Types;
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error};
use crate::numbers::Bound;
use crate::section::Section;

/// The kinds of terms and their keys.
const KINDS: [(&str, &[&str]); 9] = [
    ("lennard-jones", &["kind", "depth", "diameter", "cutoff", "shift"]),
    ("wca", &["kind", "depth", "diameter"]),
    ("ashbaugh-hatch", &["kind", "depth", "diameter", "stickiness", "cutoff"]),
    ("wang-frenkel", &["kind", "depth", "diameter", "cutoff", "mu", "nu"]),
    ("morse", &["kind", "depth", "steepness", "length", "cutoff"]),
    ("sixth-power", &["kind", "strength", "diameter", "cutoff"]),
    ("debye-huckel", &["kind", "permittivity", "strength", "screening_length", "cutoff"]),
    ("dpd", &["kind", "repulsion", "cutoff", "friction", "noise"]),
    ("dpd-thermostat", &["kind", "friction", "cutoff", "noise"]),
];
const SHIFTS: [&str; 3] = ["energy", "force", "none"];
const NOISES: [(&str, PairNoise); 2] =
    [("uniform", PairNoise::Uniform), ("normal", PairNoise::Normal)];

const DEPTH: Parameter = Parameter {
    key: "depth",
    dimension: Dimension::Energy,
    bound: Bound::NotNegative,
    mixing: Mixing::Geometric,
};
const DIAMETER: Parameter = Parameter {
    key: "diameter",
    dimension: Dimension::Length,
    bound: Bound::Positive,
    mixing: Mixing::Arithmetic,
};
const CUTOFF: Parameter = Parameter { key: "cutoff", ..DIAMETER };
const LENGTH: Parameter = Parameter { key: "length", ..DIAMETER };
const STRENGTH: Parameter = Parameter { key: "strength", ..DEPTH };
const STICKINESS: Parameter = Parameter {
    key: "stickiness",
    dimension: Dimension::Number,
    bound: Bound::NotNegative,
    mixing: Mixing::Arithmetic,
};
const STEEPNESS: Parameter = Parameter {
    key: "steepness",
    dimension: Dimension::InverseLength,
    bound: Bound::Positive,
    mixing: Mixing::None,
};
const REPULSION: Parameter = Parameter {
    key: "repulsion",
    dimension: Dimension::Force,
    bound: Bound::NotNegative,
    mixing: Mixing::None,
};
const FRICTION: Parameter =
    Parameter { key: "friction", dimension: Dimension::Friction, ..REPULSION };

/// The terms of `pairs`.
#[derive(Clone, Debug, Default)]
pub(super) struct PairsRead {
    pub terms: Vec<PairTerm>,
    pub thermostat: Option<PairThermostat>,
    /// Whether charges act.
    pub has_charges: bool,
    pub warnings: Vec<String>,
}

/// Reads `pairs`, a list of tables.
pub(super) fn read(section: &mut Section<'_>, types: &Types) -> Result<PairsRead, Error> {
    let mut read = PairsRead::default();
    let mut resolved = Vec::new();
    for (index, node) in list_of(section, "pairs")?.iter().enumerate() {
        let name = format!("`pairs` {} in [system]", index + 1);
        let mut inner = open_kind(node, &name, &KINDS)?.in_units(section.units);
        read_term(&mut inner, types, &mut read)?;
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    keep_list(section, "pairs", resolved);
    Ok(read)
}

fn read_term(section: &mut Section<'_>, types: &Types, read: &mut PairsRead) -> Result<(), Error> {
    let (kind, _) = KINDS[section.choice("kind", &KINDS.map(|(kind, _)| kind), None)?];
    let names = &types.names;
    let mut parameter = |which: Parameter| by_types::required(section, which, names);
    let term = match kind {
        "lennard-jones" => lennard_jones(section, types, &mut read.warnings)?,
        "wca" => {
            let [depth, diameter] = parameters(&mut parameter, [DEPTH, DIAMETER])?;
            let pair = |a, b| {
                let (depth, diameter) = (depth.between(a, b), diameter.between(a, b));
                LennardJones::weeks_chandler_andersen(depth, diameter)
            };
            let cutoff = ByTypes::new(names.len(), |a, b| pair(a, b).cutoff);
            types.table(&cutoff, |a, b, _| pair(a, b))
        }
        "ashbaugh-hatch" => {
            let all = [DEPTH, DIAMETER, STICKINESS, CUTOFF];
            let [depth, diameter, stickiness, cutoff] = parameters(&mut parameter, all)?;
            types.table(&cutoff, |a, b, cutoff| {
                let [depth, diameter, stickiness] =
                    [&depth, &diameter, &stickiness].map(|values| values.between(a, b));
                AshbaughHatch::shifted(depth, diameter, stickiness, cutoff)
            })
        }
        "wang-frenkel" => {
            let [depth, diameter, cutoff] = parameters(&mut parameter, [DEPTH, DIAMETER, CUTOFF])?;
            let [mu, nu] = [exponent(section, "mu", MOST_MU)?, exponent(section, "nu", MOST_NU)?];
            refuse_short(section, names, &cutoff, &diameter)?;
            types.table(&cutoff, |a, b, cutoff| {
                WangFrenkel::new(depth.between(a, b), diameter.between(a, b), cutoff, mu, nu)
            })
        }
        "morse" => {
            let all = [DEPTH, STEEPNESS, LENGTH, CUTOFF];
            let [depth, steepness, length, cutoff] = parameters(&mut parameter, all)?;
            types.table(&cutoff, |a, b, cutoff| {
                let [depth, steepness, length] =
                    [&depth, &steepness, &length].map(|values| values.between(a, b));
                Morse::shifted(depth, steepness, length, cutoff)
            })
        }
        "sixth-power" => {
            let [strength, diameter, cutoff] =
                parameters(&mut parameter, [STRENGTH, DIAMETER, CUTOFF])?;
            types.table(&cutoff, |a, b, _| SixthPowerRepulsion {
                strength: strength.between(a, b),
                diameter: diameter.between(a, b),
            })
        }
        "debye-huckel" => {
            read.has_charges = true;
            debye_huckel(section, types)?
        }
        "dpd" => {
            let [repulsion, cutoff] = parameters(&mut parameter, [REPULSION, CUTOFF])?;
            if section.has("friction") {
                read_thermostat(section, types, &cutoff, read)?;
            } else {
                section.exclude(&["noise"], "there is no `friction`, and so no noise of pairs")?;
            }
            types.table(&cutoff, |a, b, cutoff| DpdConservative {
                strength: repulsion.between(a, b),
                cutoff,
            })
        }
        _ => {
            let cutoff = by_types::required(section, CUTOFF, names)?;
            return read_thermostat(section, types, &cutoff, read);
        }
    };
    read.terms.push(term);
    Ok(())
}

/// A Lennard-Jones term, whose `shift` makes the energy, the force, or neither of them end at 0 at the cutoff.
fn lennard_jones(
    section: &mut Section<'_>,
    types: &Types,
    warnings: &mut Vec<String>,
) -> Result<PairTerm, Error> {
    let names = &types.names;
    let mut parameter = |which: Parameter| by_types::required(section, which, names);
    let [depth, diameter, cutoff] = parameters(&mut parameter, [DEPTH, DIAMETER, CUTOFF])?;
    let acts = |a, b| depth.between(a, b) > 0.0 && types.have_beads(a, b);
    let short = pair_of_short(names.len(), &cutoff, &diameter, acts);
    warnings.extend(short.map(|(a, b)| {
        format!(
            "{}: `cutoff` of the types {} and {} is within their diameter, so that they repel alone, by a force that ends where it is large: write kind = \"wca\" for repulsion, or a cutoff such as 2.5 diameters; go on if it is meant",
            section.name, names[a], names[b]
        )
    }));
    Ok(match SHIFTS[section.choice("shift", &SHIFTS, Some(SHIFTS[0]))?] {
        "force" => types.table(&cutoff, |a, b, cutoff| {
            ForceShiftedLennardJones::new(depth.between(a, b), diameter.between(a, b), cutoff)
        }),
        "none" => types.table(&cutoff, |a, b, cutoff| {
            LennardJones::cut(depth.between(a, b), diameter.between(a, b), cutoff)
        }),
        _ => types.table(&cutoff, |a, b, cutoff| {
            LennardJones::shifted(depth.between(a, b), diameter.between(a, b), cutoff)
        }),
    })
}

/// A Debye-Hückel term, of charges that a salt screens.
fn debye_huckel(section: &mut Section<'_>, types: &Types) -> Result<PairTerm, Error> {
    let strength = read_strength(section)?;
    let screening = section.required_quantity(
        "screening_length",
        Dimension::Length,
        Bound::Positive,
        "0.96 nm",
    )?;
    let cutoff = by_types::required(section, CUTOFF, &types.names)?;
    let table = PairTable::new(types.count(), |a, b| {
        let product = types.charges[a] * types.charges[b];
        let cutoff = cutoff.between(types.named[a], types.named[b]);
        let potential = DebyeHuckel::shifted(strength * product, 1.0 / screening, cutoff);
        // Beads without charge need no list.
        PairEntry { potential, cutoff: if product == 0.0 { 0.0 } else { cutoff } }
    });
    Ok(table.into())
}

/// Several parameters of one term.
fn parameters<const N: usize>(
    read: &mut impl FnMut(Parameter) -> Result<ByTypes, Error>,
    all: [Parameter; N],
) -> Result<[ByTypes; N], Error> {
    let mut found = Vec::with_capacity(N);
    for parameter in all {
        found.push(read(parameter)?);
    }
    let mut found = found.into_iter();
    Ok([(); N].map(|()| found.next().unwrap_or_else(|| ByTypes::same(0, 0.0))))
}

/// A whole number from 1 to `most`.
fn exponent(section: &mut Section<'_>, key: &str, most: u32) -> Result<u32, Error> {
    let value = section.integer_or(key, 1, 1)?.value;
    u32::try_from(value).ok().filter(|&value| value <= most).ok_or_else(|| {
        section.fault(BAD_VALUE, key, &format!("must be at most {most}, but is {value}"))
    })
}

/// The first two of some types that act on each other and whose cutoff is within their diameter.
fn pair_of_short(
    types: usize,
    cutoff: &ByTypes,
    diameter: &ByTypes,
    act: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let mut pairs = (0..types).flat_map(|a| (a..types).map(move |b| (a, b)));
    pairs.find(|&(a, b)| cutoff.between(a, b) <= diameter.between(a, b) && act(a, b))
}

/// Refuses cutoffs within the diameter, where the formula has no meaning.
fn refuse_short(
    section: &Section<'_>,
    names: &[String],
    cutoff: &ByTypes,
    diameter: &ByTypes,
) -> Result<(), Error> {
    let short = pair_of_short(names.len(), cutoff, diameter, |_, _| true);
    let Some((a, b)) = short else { return Ok(()) };
    let problem =
        format!("of the types {} and {} must be beyond their diameter", names[a], names[b]);
    Err(section.fault(BAD_VALUE, "cutoff", &problem))
}

/// The energy times the length of two unit charges: from the permittivity in real units, a number in reduced ones.
fn read_strength(section: &mut Section<'_>) -> Result<f64, Error> {
    let (key, other, example) = match section.units {
        Units::Real => ("permittivity", "strength", "78.5"),
        Units::Reduced => ("strength", "permittivity", "1.0"),
    };
    let because = match section.units {
        Units::Real => "real units have the relative `permittivity` of the solvent",
        Units::Reduced => "reduced units have the `strength` of two unit charges",
    };
    section.exclude(&[other], because)?;
    let number = section.number(key, Bound::Positive)?;
    let number = number.ok_or_else(|| section.missing(key, example))?;
    Ok(if section.units == Units::Real { COULOMB / number } else { number })
}

/// Drag and noise of pairs.
fn read_thermostat(
    section: &mut Section<'_>,
    types: &Types,
    cutoff: &ByTypes,
    read: &mut PairsRead,
) -> Result<(), Error> {
    if read.thermostat.is_some() {
        let problem = "makes a second pair thermostat, and a system has one: give one of them all frictions, by pairs of types";
        return Err(section.fault(CONFLICT, "friction", problem));
    }
    let friction = by_types::required(section, FRICTION, &types.names)?;
    let words = NOISES.map(|(word, _)| word);
    let (_, noise) = NOISES[section.choice("noise", &words, Some(words[0]))?];
    let table = PairTable::new(types.count(), |a, b| {
        let [a, b] = [a, b].map(|kind| types.named[kind]);
        let (friction, cutoff) = (friction.between(a, b), cutoff.between(a, b));
        let potential = DpdThermostat { friction, cutoff };
        PairEntry { potential, cutoff: if friction == 0.0 { 0.0 } else { cutoff } }
    });
    read.thermostat = Some(PairThermostat { table, noise });
    Ok(())
}
