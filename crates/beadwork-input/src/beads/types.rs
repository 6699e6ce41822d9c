//! `types` in `[system]`: names, masses, charges and frictions of beads.

use std::collections::HashMap;

use beadwork_model::ParticleType;
use beadwork_model::potentials::pair::{PairEntry, PairFormula, PairTable, PairTerm};
use beadwork_model::units::{Dimension, Units};
use beadwork_structure::Configuration;

use super::by_types::ByTypes;
use super::lists::{keep_list, list_of};
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, MISSING_KEY};
use crate::numbers::Bound;
use crate::section::Section;
use crate::settings::DynamicsRead;

const KEYS: [&str; 4] = ["name", "mass", "charge", "friction"];
/// Tables of pairs have an entry for each two types.
pub(crate) const MOST_TYPES: usize = 1_000;

/// The types of a system. Beads of one named type may have several charges; each charge makes a type of its own.
#[derive(Clone, Debug)]
pub(super) struct Types {
    /// The names that the input uses.
    pub names: Vec<String>,
    /// The named type of each type.
    pub named: Vec<usize>,
    /// The charge of each type, elementary charges.
    pub charges: Vec<f64>,
    /// The type of each bead.
    pub of_beads: Vec<u16>,
    pub particle_types: Vec<ParticleType>,
    /// Names that no bead has.
    pub without_beads: Vec<String>,
}

impl Types {
    pub fn count(&self) -> usize {
        self.named.len()
    }

    /// Whether there are beads of both named types.
    pub fn have_beads(&self, a: usize, b: usize) -> bool {
        self.named.contains(&a) && self.named.contains(&b)
    }

    /// The charge of each bead; empty if all are 0.
    pub fn charges_of_beads(&self) -> Vec<f32> {
        if self.charges.iter().all(|&charge| charge == 0.0) {
            return Vec::new();
        }
        self.of_beads.iter().map(|&kind| self.charges[usize::from(kind)] as f32).collect()
    }

    /// A pair term from its cutoffs and a formula of two named types and their cutoff.
    pub fn table<F>(&self, cutoff: &ByTypes, formula: impl Fn(usize, usize, f64) -> F) -> PairTerm
    where
        F: PairFormula + Copy,
        PairTerm: From<PairTable<F>>,
    {
        let entry = |a: usize, b: usize| {
            let (a, b) = (self.named[a], self.named[b]);
            let cutoff = cutoff.between(a, b);
            PairEntry { potential: formula(a, b, cutoff), cutoff }
        };
        PairTable::new(self.count(), entry).into()
    }
}

/// A type as the input lists it.
#[derive(Clone, Debug, Default)]
struct ListedType {
    name: String,
    mass: Option<f64>,
    charge: Option<f64>,
    friction: Option<f64>,
}

/// A type that beads of a configuration have, whatever their charges.
struct NamedType {
    name: String,
    mass: f64,
    charge: Option<f64>,
    friction: Option<f64>,
}

/// The code of an error of `[system]`, and its text.
type Problem = (&'static str, String);

/// Reads `types`, and finds those of the beads of a configuration.
pub(super) fn read(
    section: &mut Section<'_>,
    beads: &Configuration,
    dynamics: &DynamicsRead,
) -> Result<Types, Error> {
    let listed = read_list(section, dynamics)?;
    let types = named_types(listed, beads, section.units).and_then(|named| combine(&named, beads));
    types.map_err(|(code, problem)| {
        section.value_place("types").error(code, format!("[system]: {problem}"))
    })
}

fn read_list(section: &mut Section<'_>, dynamics: &DynamicsRead) -> Result<Vec<ListedType>, Error> {
    let mut listed: Vec<ListedType> = Vec::new();
    let mut resolved = Vec::new();
    for (index, node) in list_of(section, "types")?.iter().enumerate() {
        let name = format!("`types` {} in [system]", index + 1);
        let mut inner = Section::open(node, &name, &KEYS)?.in_units(section.units);
        let kind = read_one(&mut inner, dynamics)?;
        if listed.iter().any(|other| other.name == kind.name) {
            return Err(inner.fault(CONFLICT, "name", "is that of an earlier type: leave one out"));
        }
        listed.push(kind);
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    keep_list(section, "types", resolved);
    Ok(listed)
}

/// The types that are listed, or else those of a configuration, with the masses of either.
fn named_types(
    listed: Vec<ListedType>,
    beads: &Configuration,
    units: Units,
) -> Result<Vec<NamedType>, Problem> {
    let used = |name: usize| beads.types.iter().any(|&kind| usize::from(kind) == name);
    for (number, name) in beads.type_names.iter().enumerate() {
        let known = listed.iter().any(|kind| kind.name == *name);
        if !known && !listed.is_empty() && used(number) {
            let names: Vec<&str> = listed.iter().map(|kind| kind.name.as_str()).collect();
            let problem = format!(
                "beads of {} have the type {name}, which `types` lacks; it has {}: add {{ name = \"{name}\", mass = … }}",
                beads.source,
                names.join(", ")
            );
            return Err((MISSING_KEY, problem));
        }
    }
    let of_file = |name: &String| ListedType { name: name.clone(), ..ListedType::default() };
    let all = match listed.is_empty() {
        true => beads.type_names.iter().map(of_file).collect(),
        false => listed,
    };
    let with_mass = |ListedType { name, mass, charge, friction }| {
        let of_file = beads.type_names.iter().position(|of_file| *of_file == name);
        let mass = match (mass.or_else(|| beads.masses[of_file?]), units) {
            (Some(mass), _) if mass > 0.0 => mass,
            (Some(mass), _) => {
                let problem = format!("the mass of type {name} is {mass}: it must be more than 0");
                return Err((BAD_VALUE, problem));
            }
            (None, Units::Reduced) => 1.0,
            (None, Units::Real) => {
                let problem = format!(
                    "neither `types` nor {} has the mass of type {name}: write types = [ {{ name = \"{name}\", mass = 100.0 }} ], in Da",
                    beads.source
                );
                return Err((MISSING_KEY, problem));
            }
        };
        Ok(NamedType { name, mass, charge, friction })
    };
    all.into_iter().map(with_mass).collect()
}

/// The types of a system: one for each charge that beads of a named type have.
fn combine(all: &[NamedType], beads: &Configuration) -> Result<Types, Problem> {
    let named_as = |name: &String| all.iter().position(|named| named.name == *name);
    let numbers: Vec<usize> =
        beads.type_names.iter().map(|name| named_as(name).unwrap_or_default()).collect();
    let mut known: HashMap<(usize, u64), u16> = HashMap::new();
    let mut types = Types {
        names: all.iter().map(|named| named.name.clone()).collect(),
        named: Vec::new(),
        charges: Vec::new(),
        of_beads: Vec::with_capacity(beads.types.len()),
        particle_types: Vec::new(),
        without_beads: Vec::new(),
    };
    for (bead, &kind) in beads.types.iter().enumerate() {
        let number = numbers[usize::from(kind)];
        let NamedType { name, mass, charge: of_type, friction } = &all[number];
        let of_bead = beads.charges.as_ref().map(|charges| charges[bead]);
        if let (Some(of_type), Some(of_bead)) = (*of_type, of_bead)
            && of_type != of_bead
        {
            let problem = format!(
                "type {name} has the charge {of_type} in `types`, and bead {bead} of it has {of_bead} in {}: leave one of them out",
                beads.source
            );
            return Err((CONFLICT, problem));
        }
        let charge = of_bead.or(*of_type).unwrap_or(0.0);
        let next = types.named.len();
        let combination = *known.entry((number, charge.to_bits())).or_insert(next as u16);
        if usize::from(combination) == next {
            if next == MOST_TYPES {
                let problem = format!(
                    "beads of {} have more than {MOST_TYPES} combinations of type and charge: round the charges",
                    beads.source
                );
                return Err((BAD_VALUE, problem));
            }
            types.named.push(number);
            types.charges.push(charge);
            let (name, mass, friction) = (name.clone(), *mass, *friction);
            types.particle_types.push(ParticleType { name, mass, friction });
        }
        types.of_beads.push(combination);
    }
    let has_no_bead = |number: &usize| !types.named.contains(number);
    let without_beads = (0..all.len()).filter(has_no_bead).map(|number| all[number].name.clone());
    types.without_beads = without_beads.collect();
    Ok(types)
}

fn read_one(section: &mut Section<'_>, dynamics: &DynamicsRead) -> Result<ListedType, Error> {
    let name = section.required_text("name", "A")?.value;
    if name.is_empty() || name.chars().any(char::is_whitespace) {
        let problem = "must be a word without spaces";
        return Err(section.fault(BAD_VALUE, "name", problem));
    }
    let mass = section.number_in("mass", Bound::Positive, "Da")?;
    let charge = section.number_in("charge", Bound::Any, "e")?;
    let friction = match dynamics.dynamics.integrator.has_velocities() {
        _ if !section.has("friction") => None,
        false => {
            let problem = "needs an integrator with velocities such as \"langevin\"; beads without them all have the friction of [dynamics]";
            return Err(section.fault(CONFLICT, "friction", problem));
        }
        true if dynamics.collision_rate.is_some() => {
            let problem = "cannot be used with a collision rate, which gives every type a friction: write `friction` in [dynamics] in its place, for the types without a friction of their own";
            return Err(section.fault(CONFLICT, "friction", problem));
        }
        true => section.quantity("friction", Dimension::Friction, Bound::NotNegative)?,
    };
    Ok(ListedType { name, mass, charge, friction: friction.map(|friction| friction.value) })
}
