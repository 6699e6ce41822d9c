//! `bonds` in `[system]`.

use std::collections::{BTreeSet, HashMap};

use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::potentials::{FeneBond, HarmonicBond, NativeContact, RepulsiveFeneBond};
use beadwork_model::units::{Dimension, Units};
use beadwork_model::{Interactions, Pair, near_pairs};

use super::between::{Between, CHAIN, StartBeads, between, listed, of_number};
use super::by_types::{self, ByTypes, Mixing, Parameter};
use super::lists::{keep_list, list_of, open_kind};
use super::type_numbers::{number_of_type, types_in_files};
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error};
use crate::numbers::Bound;
use crate::section::Section;

/// The kinds of bonds and their keys.
const KINDS: [(&str, &[&str]); 4] = [
    ("harmonic", &["kind", "between", "number", "within", "stiffness", "length"]),
    (
        "fene",
        &[
            "kind",
            "between",
            "number",
            "within",
            "stiffness",
            "length",
            "limit",
            "depth",
            "diameter",
        ],
    ),
    ("native-contact", &["kind", "between", "number", "within", "depth", "length"]),
    ("elastic-network", &["kind", "between", "number", "within", "stiffness", "length"]),
];
/// Rest lengths are the distances at the start.
const START: &str = "start";
const STIFFNESS: Parameter = Parameter {
    key: "stiffness",
    dimension: Dimension::Stiffness,
    bound: Bound::NotNegative,
    mixing: Mixing::None,
};
const LENGTH: Parameter = Parameter { key: "length", dimension: Dimension::Length, ..STIFFNESS };
const LIMIT: Parameter = Parameter { key: "limit", bound: Bound::Positive, ..LENGTH };
const DEPTH: Parameter = Parameter { key: "depth", dimension: Dimension::Energy, ..STIFFNESS };
const DIAMETER: Parameter = Parameter { key: "diameter", ..LIMIT };

/// Reads `bonds` into the interactions.
pub(super) fn read_bonds(
    section: &mut Section<'_>,
    beads: &StartBeads<'_>,
    interactions: &mut Interactions,
) -> Result<BondsAsked, Error> {
    let mut resolved = Vec::new();
    let mut asked = BondsAsked::default();
    let mut entries = Vec::new();
    for (index, node) in list_of(section, "bonds")?.iter().enumerate() {
        let name = format!("`bonds` {} in [system]", index + 1);
        let mut inner = open_kind(node, &name, &KINDS)?.in_units(section.units);
        let pairs = read_bond(&mut inner, beads, interactions)?;
        entries.push((number_of_type(&inner), pairs));
        let word = inner.resolved.get("between").and_then(Node::text);
        asked.are_along_chains_by_default |= node.get("between").is_none() && word == Some(CHAIN);
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    keep_list(section, "bonds", resolved);
    let numbers: Vec<Option<u64>> = entries.iter().map(|(number, _)| *number).collect();
    let types = types_in_files(&numbers);
    let of_pairs: HashMap<[usize; 2], u32> = entries
        .iter()
        .zip(&types)
        .flat_map(|((_, pairs), kind)| pairs.iter().map(|pair| (*pair, *kind)))
        .collect();
    let terms: Vec<Vec<(usize, usize)>> =
        interactions.bonded.iter().map(BondedTerm::pairs).collect();
    let of_pair = |&(i, j): &(usize, usize)| of_pairs.get(&[i, j]).copied().unwrap_or_default();
    let is_as_terms =
        terms.iter().zip(0..).all(|(pairs, term)| pairs.iter().all(|pair| of_pair(pair) == term));
    if !is_as_terms || terms.len() != entries.len() {
        interactions.bond_types = terms.iter().flatten().map(of_pair).collect();
    }
    Ok(asked)
}

/// What follows from how `bonds` was written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BondsAsked {
    /// Whether beads that follow each other in a molecule are joined, although no entry says so.
    pub are_along_chains_by_default: bool,
}

fn read_bond(
    section: &mut Section<'_>,
    beads: &StartBeads<'_>,
    interactions: &mut Interactions,
) -> Result<Vec<[usize; 2]>, Error> {
    let kind = section.choice("kind", &KINDS.map(|(kind, _)| kind), None)?;
    let pairs = read_pairs(section, beads)?;
    let names = &beads.types.names;
    let bonded: BTreeSet<[usize; 2]> = pairs.iter().map(|&pair| beads.named_types(pair)).collect();
    let needs = |a, b| bonded.contains(&[a, b]) || bonded.contains(&[b, a]);
    let of_types = |values: &ByTypes, pair: [usize; 2]| {
        let [a, b] = beads.named_types(pair);
        values.between(a, b)
    };
    match kind {
        1 if section.has("depth") || section.has("diameter") => {
            let because =
                "a bond with a repulsion of its own, `depth` and `diameter`, has no rest length";
            section.exclude(&["length"], because)?;
            let mut values = |which| by_types::required_where(section, which, names, needs);
            let [stiffness, limit] = [values(STIFFNESS)?, values(LIMIT)?];
            let [depth, diameter] = [values(DEPTH)?, values(DIAMETER)?];
            let bond = |pair| RepulsiveFeneBond {
                stiffness: of_types(&stiffness, pair),
                limit: of_types(&limit, pair),
                depth: of_types(&depth, pair),
                diameter: of_types(&diameter, pair),
            };
            add(section, interactions.bonded_by_mut(), &pairs, bond)?;
        }
        0 | 1 | 3 => {
            let stiffness = by_types::required_where(section, STIFFNESS, names, needs)?;
            let usual = if kind == 1 { Some(0.0) } else { None };
            let length = read_lengths(section, beads, usual, needs)?;
            if kind == 1 {
                let limit = by_types::required_where(section, LIMIT, names, needs)?;
                let bond = |pair| FeneBond {
                    stiffness: of_types(&stiffness, pair),
                    limit: of_types(&limit, pair),
                    length: length.of(beads, pair),
                };
                add(section, interactions.bonded_by_mut(), &pairs, bond)?;
                return Ok(pairs);
            }
            let bond = |pair| HarmonicBond {
                stiffness: of_types(&stiffness, pair),
                length: length.of(beads, pair),
            };
            let bonds = match kind {
                3 => interactions.elastic_network_mut(),
                _ => interactions.bonded_by_mut(),
            };
            add(section, bonds, &pairs, bond)?;
        }
        _ => {
            let depth = by_types::required_where(section, DEPTH, names, needs)?;
            let length = read_lengths(section, beads, None, needs)?;
            let contact = |pair| NativeContact {
                depth: of_types(&depth, pair),
                length: length.of(beads, pair),
            };
            add(section, interactions.bonded_by_mut(), &pairs, contact)?;
        }
    }
    Ok(pairs)
}

/// Adds bonds of one formula; refuses a pair that has one already.
fn add<F: Copy>(
    section: &Section<'_>,
    bonds: &mut Vec<Pair<F>>,
    pairs: &[[usize; 2]],
    potential: impl Fn([usize; 2]) -> F,
) -> Result<(), Error> {
    let bond = |&[i, j]: &[usize; 2]| Pair { i, j, potential: potential([i, j]) };
    bonds.extend(pairs.iter().map(bond));
    bonds.sort_by_key(|bond| (bond.i, bond.j));
    let twice = bonds.windows(2).find(|two| (two[0].i, two[0].j) == (two[1].i, two[1].j));
    let Some([Pair { i, j, .. }, _]) = twice else { return Ok(()) };
    let problem = format!("has the beads {i} and {j} for the second time: leave one out");
    Err(section.fault(CONFLICT, "between", &problem))
}

/// Rest lengths.
enum RestLengths {
    ByTypes(ByTypes),
    /// The distances at the start.
    Start,
}

impl RestLengths {
    fn of(&self, beads: &StartBeads<'_>, pair: [usize; 2]) -> f64 {
        match self {
            RestLengths::Start => beads.distance(pair),
            RestLengths::ByTypes(values) => {
                let [a, b] = beads.named_types(pair);
                values.between(a, b)
            }
        }
    }
}

fn read_lengths(
    section: &mut Section<'_>,
    beads: &StartBeads<'_>,
    usual: Option<f64>,
    needs: impl Fn(usize, usize) -> bool,
) -> Result<RestLengths, Error> {
    if section.node("length").and_then(Node::text) == Some(START) {
        section.keep("length", Value::Text(START.to_string()));
        return Ok(RestLengths::Start);
    }
    let names = &beads.types.names;
    let read = by_types::read(section, LENGTH, names, needs)?;
    match (read, usual) {
        (Some(lengths), _) => Ok(RestLengths::ByTypes(lengths)),
        (None, Some(length)) => Ok(RestLengths::ByTypes(ByTypes::same(names.len(), length))),
        (None, None) => {
            let example = match section.units {
                Units::Real => "\"3.8 A\"",
                Units::Reduced => "1.0",
            };
            let example = format!("{example}, or \"{START}\" for the distances at the start");
            Err(section.missing("length", &example))
        }
    }
}

/// The pairs that `between` names, ascending within each.
fn read_pairs(section: &mut Section<'_>, beads: &StartBeads<'_>) -> Result<Vec<[usize; 2]>, Error> {
    let of_file = &beads.file.bonds;
    let pairs = match between(section, !of_file.is_empty(), true)? {
        Between::Chain => {
            beads.refuse_chains_of_others(section)?;
            beads.in_chains::<2>()
        }
        Between::File(number) => of_number(section, of_file, number)?,
        Between::Near => near(section, beads)?,
        Between::Listed(lists) => listed(section, "between", &lists, beads.molecules.len())?,
    };
    let ascending = |[i, j]: [usize; 2]| [i.min(j), i.max(j)];
    let mut unique: Vec<[usize; 2]> = pairs.into_iter().map(ascending).collect();
    unique.sort_unstable();
    unique.dedup();
    if unique.is_empty() {
        let problem = "selects no beads: \"chain\" needs molecules of two beads, \"near\" beads of a molecule within the distance";
        return Err(section.fault(BAD_VALUE, "between", problem));
    }
    Ok(unique)
}

/// The pairs of a molecule that are nearer than `within` at the start.
fn near(section: &mut Section<'_>, beads: &StartBeads<'_>) -> Result<Vec<[usize; 2]>, Error> {
    let within = section.required_quantity("within", Dimension::Length, Bound::Positive, "9 A")?;
    let positions = &beads.file.positions;
    let mut pairs = Vec::new();
    near_pairs(
        beads.boundary,
        positions.len(),
        |bead| positions[bead],
        within,
        |i, others| {
            let near = |&j: &usize| {
                beads.molecules[i] == beads.molecules[j] && beads.distance([i, j]) < within
            };
            pairs.extend(others.iter().map(|&j| j as usize).filter(near).map(|j| [i, j]));
        },
    );
    Ok(pairs)
}
