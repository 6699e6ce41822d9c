//! `bonds` and `angles` in `[system]`.

use std::collections::{BTreeSet, HashMap};

use beadwork_model::potentials::angle::AngleTerm;
use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::potentials::{
    CosineAngle, CosineSquaredAngle, ElasticNetworkSpring, FeneBond, HarmonicAngle, HarmonicBond,
    NativeContact, RepulsiveFeneBond,
};
use beadwork_model::units::{Dimension, Units};
use beadwork_model::{Angle, Boundary, Interactions, Pair, near_pairs};
use beadwork_structure::Configuration;

use super::by_types::{self, ByTypes, Mixing, Parameter};
use super::molecules;
use super::types::Types;
use crate::document::{Node, Value};
use crate::error::{self, BAD_VALUE, CONFLICT, Error, MISSING_KEY, WRONG_TYPE};
use crate::section::{Bound, Section};

/// The kinds of bonds and their keys.
const BONDS: [(&str, &[&str]); 4] = [
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
/// The kinds of angles and their keys.
const ANGLES: [(&str, &[&str]); 3] = [
    ("harmonic", &["kind", "between", "number", "stiffness", "angle"]),
    ("cosine", &["kind", "between", "number", "stiffness"]),
    ("cosine-squared", &["kind", "between", "number", "stiffness", "angle"]),
];
/// Files that a run writes keep numbers of types up to this one, since they name all types below.
const MOST_TYPES: u64 = 10_000;
/// Rest lengths are the distances at the start.
const START: &str = "start";
const CHAIN: &str = "chain";
const FILE: &str = "file";
const NEAR: &str = "near";

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

/// What the readers of bonds and angles need to know of the beads.
pub(super) struct Beads<'a> {
    pub types: &'a Types,
    pub file: &'a Configuration,
    /// Of molecules that were built: bead k is bonded to bead k − `backs[k]`, and begins a molecule with 0.
    pub backs: &'a [u32],
    /// The molecule of each bead.
    pub molecules: &'a [u32],
    pub boundary: Boundary,
}

impl Beads<'_> {
    fn distance(&self, [i, j]: [usize; 2]) -> f64 {
        let positions = &self.file.positions;
        self.boundary.squared_distance(positions[i], positions[j]).sqrt()
    }

    /// Groups of so many beads that follow each other in a molecule, along its branches too if it was built.
    fn in_chains<const N: usize>(&self) -> Vec<[usize; N]> {
        if !self.backs.is_empty() {
            return (0..self.backs.len()).filter_map(|last| self.path_to(last)).collect();
        }
        molecules::runs(self.molecules)
    }

    /// Refuses to join the beads of molecules one after another where the file says that they are bonded in another way.
    fn refuse_chains_of_others(&self, section: &Section<'_>) -> Result<(), Error> {
        let Some(elsewhere) = &self.file.bonds_elsewhere else { return Ok(()) };
        let problem = format!(
            "joins the beads of each molecule of {} one after another, and there they are bonded in another way, which this file cannot hold: {elsewhere}. Start from that file, or list the beads",
            self.file.source
        );
        Err(section.fault(error::START, "between", &problem))
    }

    /// The beads on the way to one of a built molecule, from its beginning.
    fn path_to<const N: usize>(&self, last: usize) -> Option<[usize; N]> {
        let mut path = [last; N];
        for place in (1..N).rev() {
            let back = self.backs[path[place]] as usize;
            path[place - 1] = path[place] - back;
            if back == 0 {
                return None;
            }
        }
        Some(path)
    }

    fn named_types(&self, [i, j]: [usize; 2]) -> [usize; 2] {
        [i, j].map(|bead| self.types.named[usize::from(self.types.of_beads[bead])])
    }
}

/// Reads `bonds` into the interactions.
pub(super) fn read_bonds(
    section: &mut Section<'_>,
    beads: &Beads<'_>,
    interactions: &mut Interactions,
) -> Result<BondsAsked, Error> {
    let mut resolved = Vec::new();
    let mut asked = BondsAsked::default();
    let mut entries = Vec::new();
    for (index, node) in super::list_of(section, "bonds")?.iter().enumerate() {
        let name = format!("`bonds` {} in [system]", index + 1);
        let mut inner = super::open_kind(node, &name, &BONDS)?.in_units(section.units);
        let pairs = read_bond(&mut inner, beads, interactions)?;
        entries.push((number_of_type(&inner), pairs));
        let word = inner.resolved.get("between").and_then(Node::text);
        asked.are_along_chains_by_default |= node.get("between").is_none() && word == Some(CHAIN);
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    super::keep_list(section, "bonds", resolved);
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

/// The number of the file's type that an entry of `bonds` or `angles` chooses.
fn number_of_type(section: &Section<'_>) -> Option<u64> {
    match section.resolved.get("number")?.value {
        Value::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// The type, counted from 0, that each entry of `bonds` or `angles` has in files that a run writes. Entries that choose a type of
/// the start file keep its number, so that the same input reads the written file in the same way; the others take the numbers that
/// are left, in their order.
fn types_in_files(numbers: &[Option<u64>]) -> Vec<u32> {
    if numbers.iter().flatten().any(|number| *number > MOST_TYPES) {
        return (0..numbers.len() as u32).collect();
    }
    let mut next = 0;
    let of_entry = |number: &Option<u64>| match number {
        Some(number) => u32::try_from(number - 1).unwrap_or(u32::MAX),
        None => {
            while numbers.contains(&Some(u64::from(next) + 1)) {
                next += 1;
            }
            next += 1;
            next - 1
        }
    };
    numbers.iter().map(of_entry).collect()
}

fn read_bond(
    section: &mut Section<'_>,
    beads: &Beads<'_>,
    interactions: &mut Interactions,
) -> Result<Vec<[usize; 2]>, Error> {
    let kind = section.choice("kind", &BONDS.map(|(kind, _)| kind), None)?;
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
            if kind == 3 {
                let bond = |pair| ElasticNetworkSpring {
                    stiffness: of_types(&stiffness, pair),
                    length: length.of(beads, pair),
                };
                add(section, interactions.bonded_by_mut(), &pairs, bond)?;
                return Ok(pairs);
            }
            let bond = |pair| HarmonicBond {
                stiffness: of_types(&stiffness, pair),
                length: length.of(beads, pair),
            };
            add(section, interactions.bonded_by_mut(), &pairs, bond)?;
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
enum Lengths {
    ByTypes(ByTypes),
    /// The distances at the start.
    Start,
}

impl Lengths {
    fn of(&self, beads: &Beads<'_>, pair: [usize; 2]) -> f64 {
        match self {
            Lengths::Start => beads.distance(pair),
            Lengths::ByTypes(values) => {
                let [a, b] = beads.named_types(pair);
                values.between(a, b)
            }
        }
    }
}

fn read_lengths(
    section: &mut Section<'_>,
    beads: &Beads<'_>,
    usual: Option<f64>,
    needs: impl Fn(usize, usize) -> bool,
) -> Result<Lengths, Error> {
    if section.node("length").and_then(Node::text) == Some(START) {
        section.keep("length", Value::Text(START.to_string()));
        return Ok(Lengths::Start);
    }
    let names = &beads.types.names;
    let read = by_types::read(section, LENGTH, names, needs)?;
    match (read, usual) {
        (Some(lengths), _) => Ok(Lengths::ByTypes(lengths)),
        (None, Some(length)) => Ok(Lengths::ByTypes(ByTypes::same(names.len(), length))),
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
fn read_pairs(section: &mut Section<'_>, beads: &Beads<'_>) -> Result<Vec<[usize; 2]>, Error> {
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
fn near(section: &mut Section<'_>, beads: &Beads<'_>) -> Result<Vec<[usize; 2]>, Error> {
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

/// Which beads a term of bonds or angles acts on.
enum Between {
    Chain,
    /// Those of the start file, or those with this number there.
    File(Option<u64>),
    Near,
    Listed(Vec<Node>),
}

fn between(section: &mut Section<'_>, in_file: bool, of_pairs: bool) -> Result<Between, Error> {
    let usual = if in_file { FILE } else { CHAIN };
    let word = section.node("between").map_or(Some(usual), Node::text);
    if word != Some(FILE) {
        section.exclude(&["number"], "it chooses among the bonds or angles of \"file\"")?;
    }
    if word != Some(NEAR) {
        section.exclude(&["within"], "it belongs to between = \"near\"")?;
    }
    let Some(node) = section.node("between") else {
        section.keep("between", Value::Text(usual.to_string()));
        return of_word(section, usual, in_file);
    };
    let near = of_pairs && node.text() == Some(NEAR);
    section.keep("between", node.value.clone());
    match (node.text(), node.list()) {
        _ if near => Ok(Between::Near),
        (Some(word @ (CHAIN | FILE)), _) => of_word(section, word, in_file),
        (None, Some(list)) => Ok(Between::Listed(list.to_vec())),
        _ => {
            let (near, example) = match of_pairs {
                true => (format!(", \"{NEAR}\""), "[[0, 1], [1, 2]]"),
                false => (String::new(), "[[0, 1, 2], [1, 2, 3]]"),
            };
            let problem = format!(
                "must be \"{CHAIN}\" for beads that follow each other in a molecule, \"{FILE}\" for those of the start file{near}, or a list of beads such as {example}, found {}",
                node.found()
            );
            Err(section.fault(WRONG_TYPE, "between", &problem))
        }
    }
}

fn of_word(section: &mut Section<'_>, word: &str, in_file: bool) -> Result<Between, Error> {
    if word == CHAIN {
        return Ok(Between::Chain);
    }
    if !in_file {
        let problem =
            "is \"file\", and the start has no such list: write \"chain\", or list the beads";
        return Err(section.fault(MISSING_KEY, "between", problem));
    }
    Ok(Between::File(section.integer("number", 1, "1")?.map(|read| read.value)))
}

/// The beads of the file's bonds or angles with this number; of all without one.
fn of_number<const N: usize>(
    section: &Section<'_>,
    of_file: &[([usize; N], u32)],
    number: Option<u64>,
) -> Result<Vec<[usize; N]>, Error> {
    let chosen = |kind: u32| number.is_none_or(|number| u64::from(kind) == number);
    let found: Vec<_> =
        of_file.iter().filter(|(_, kind)| chosen(*kind)).map(|(beads, _)| *beads).collect();
    if found.is_empty() {
        let kinds: BTreeSet<u32> = of_file.iter().map(|(_, kind)| *kind).collect();
        let kinds: Vec<String> = kinds.iter().map(u32::to_string).collect();
        let problem = format!("is no type of the start file, which has {}", kinds.join(", "));
        return Err(section.fault(BAD_VALUE, "number", &problem));
    }
    Ok(found)
}

/// Beads that a key lists, which must be among the `most` of the system and differ.
pub(super) fn listed<const N: usize>(
    section: &Section<'_>,
    key: &str,
    lists: &[Node],
    most: usize,
) -> Result<Vec<[usize; N]>, Error> {
    let mut all = Vec::with_capacity(lists.len());
    for node in lists {
        let numbers: Option<Vec<usize>> = node.list().and_then(|list| {
            let number = |node: &Node| match node.value {
                Value::Integer(number) => usize::try_from(number).ok(),
                _ => None,
            };
            list.iter().map(number).collect()
        });
        let fault = |code, problem: String| {
            Err(node.place.error(code, format!("{}: `{key}` {problem}", section.name)))
        };
        let Some(numbers) = numbers.and_then(|list| <[usize; N]>::try_from(list).ok()) else {
            return fault(WRONG_TYPE, format!("must have lists of {N} beads, counted from 0"));
        };
        if let Some(bead) = numbers.iter().find(|&&bead| bead >= most) {
            return fault(
                BAD_VALUE,
                format!("names bead {bead}, and the last of the {most} beads is {}", most - 1),
            );
        }
        if let Some(place) = (1..N).find(|&place| numbers[..place].contains(&numbers[place])) {
            return fault(
                BAD_VALUE,
                format!("names bead {} twice: it must have {N} different beads", numbers[place]),
            );
        }
        all.push(numbers);
    }
    Ok(all)
}

/// Reads `angles` into the interactions.
pub(super) fn read_angles(
    section: &mut Section<'_>,
    beads: &Beads<'_>,
    interactions: &mut Interactions,
) -> Result<(), Error> {
    let mut resolved = Vec::new();
    let mut numbers = Vec::new();
    for (index, node) in super::list_of(section, "angles")?.iter().enumerate() {
        let name = format!("`angles` {} in [system]", index + 1);
        let mut inner = super::open_kind(node, &name, &ANGLES)?.in_units(section.units);
        interactions.angles.push(read_angle(&mut inner, beads)?);
        numbers.push(number_of_type(&inner));
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    super::keep_list(section, "angles", resolved);
    let types = types_in_files(&numbers);
    if types.iter().zip(0..).any(|(kind, term)| *kind != term) {
        interactions.angle_types = types;
    }
    Ok(())
}

fn read_angle(section: &mut Section<'_>, beads: &Beads<'_>) -> Result<AngleTerm, Error> {
    let kind = section.choice("kind", &ANGLES.map(|(kind, _)| kind), None)?;
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
