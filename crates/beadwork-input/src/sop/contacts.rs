//! `contacts` in `[system]`: which residues attract each other, and how strongly.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use beadwork_model::advice::plain;
use beadwork_model::force_fields::sop::{
    self, Beads, ContactDepth, ContactRule, DepthsBetweenChains, Parameters,
};
use beadwork_model::units::Dimension;
use beadwork_structure::Structure;

use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location};
use crate::files::Files;
use crate::numbers::Bound;
use crate::section::Section;

const KEYS: [&str; 7] = [
    "file",
    "cutoff",
    "side_chain_cutoff",
    "side_chain_hydrogens",
    "energy",
    "between_chains",
    "chain_pairs",
];
/// Energies of contacts, kcal/mol, that are taken without a warning.
const USUAL_ENERGIES: RangeInclusive<f64> = 0.05..=5.0;

/// More native contacts a residue than in any protein: within 8 Å they are about 4, within 20 Å about 120.
const MOST_CONTACTS: f64 = 250.0;

/// What can be judged only where the structure is known.
#[derive(Debug, Default)]
pub(super) struct ContactsRead {
    /// The file that lists the contacts.
    pub list: Option<(PathBuf, Location)>,
    /// The key of the longer cutoff, its value, Å, and where it is written.
    longest: Option<(&'static str, f64, Location)>,
    /// Pairs of identifiers of chains, and where they are written.
    pairs: Vec<([String; 2], Location)>,
}

impl ContactsRead {
    /// Refuses pairs of chains that the beads do not have.
    pub fn refuse_unknown_chains(&self, structure: &Structure, beads: &Beads) -> Result<(), Error> {
        for ([one, other], place) in &self.pairs {
            if !beads.has_chains(structure, [one, other]) {
                let problem = format!(
                    "`contacts` in [system]: {}; there are {}, and a pair has the identifiers of the file, which count for all copies",
                    sop::no_such_pair([one, other]),
                    sop::describe_chains(&beads.labels)
                );
                return Err(place.error(BAD_VALUE, problem));
            }
        }
        Ok(())
    }

    /// Refuses a cutoff within which far too many residues are, before a list of them takes all memory.
    pub fn refuse_too_many(
        &self,
        structure: &Structure,
        beads: &Beads,
        rule: &ContactRule,
    ) -> Result<(), Error> {
        let residues = beads.labels.len() as f64;
        let Some((key, cutoff, place)) = &self.longest else { return Ok(()) };
        if 0.5 * residues <= MOST_CONTACTS {
            return Ok(());
        }
        let contacts = sop::estimated_contacts(structure, beads, rule);
        if contacts <= MOST_CONTACTS * residues {
            return Ok(());
        }
        let problem = format!(
            "`contacts` in [system]: `{key}` is {} A, within which there are about {contacts:.1e} pairs of residues, {:.0} for each residue: residues so far apart are no native contacts, and a list of them takes memory without bound; the model was made with a `cutoff` of 8 A and a `side_chain_cutoff` of 5.2 A; mind nm and A",
            plain(*cutoff),
            contacts / residues
        );
        Err(place.error(BAD_VALUE, problem))
    }
}

/// Reads the rule of contacts and their depths.
pub(super) fn read_contacts(
    section: &mut Section<'_>,
    files: &mut Files,
    parameters: &mut Parameters,
) -> Result<ContactsRead, Error> {
    let node = section.sub_table("contacts");
    let mut inner = Section::open(&node, "`contacts` in [system]", &KEYS)?;
    let list = files.named(&mut inner, "file", "contacts.csv")?;
    let mut longest = None;
    parameters.contacts = if list.is_some() {
        let keys = ["cutoff", "side_chain_cutoff", "side_chain_hydrogens"];
        inner.exclude(&keys, "the file lists the contacts")?;
        ContactRule::List(Vec::new())
    } else {
        let cutoff = inner.quantity_or("cutoff", Dimension::Length, Bound::NotNegative, "8 A")?;
        let side_chain = inner.quantity("side_chain_cutoff", Dimension::Length, Bound::Positive)?;
        let of_side_chains = side_chain.as_ref().map_or(0.0, |cutoff| cutoff.value);
        let (key, value) = match of_side_chains > cutoff.value {
            true => ("side_chain_cutoff", of_side_chains),
            false => ("cutoff", cutoff.value),
        };
        longest = Some((key, value, inner.value_place(key).clone()));
        ContactRule::Distance {
            cutoff: cutoff.value,
            side_chain_cutoff: side_chain.map(|cutoff| cutoff.value),
            side_chain_hydrogens: inner.boolean_or("side_chain_hydrogens", true)?,
        }
    };
    parameters.depth = read_depth(&mut inner)?;
    let any = inner.quantity("between_chains", Dimension::Energy, Bound::NotNegative)?;
    let mut depths =
        DepthsBetweenChains { any: any.map(|energy| energy.value), ..Default::default() };
    let pairs = read_chain_pairs(&mut inner, &mut depths)?;
    parameters.between_chains = depths;
    section.keep("contacts", Value::Table(inner.resolved));
    Ok(ContactsRead { list, longest, pairs })
}

/// Reads `energy`: a value, or a column of the structure.
fn read_depth(section: &mut Section<'_>) -> Result<ContactDepth, Error> {
    let column = section.node("energy").and_then(Node::text);
    let column = column.filter(|text| text.starts_with(char::is_alphabetic));
    let depth = match column {
        Some("occupancy") => ContactDepth::Occupancy,
        Some("beta") => ContactDepth::Beta,
        Some(other) => {
            let problem = format!(
                "does not know \"{other}\"; it may be an energy such as \"1.5 kcal/mol\", or \"occupancy\" or \"beta\", the columns of the structure file"
            );
            return Err(section.fault(BAD_VALUE, "energy", &problem));
        }
        None => {
            let usual = "1.5 kcal/mol";
            let energy =
                section.quantity_or("energy", Dimension::Energy, Bound::NotNegative, usual)?;
            ContactDepth::Constant(energy.value)
        }
    };
    if let Some(column) = column {
        section.keep("energy", Value::Text(column.to_string()));
    }
    Ok(depth)
}

/// Reads `chain_pairs`, a table of energies by two identifiers of chains with a blank between them.
fn read_chain_pairs(
    section: &mut Section<'_>,
    depths: &mut DepthsBetweenChains,
) -> Result<Vec<([String; 2], Location)>, Error> {
    let Some(node) = section.node("chain_pairs") else { return Ok(Vec::new()) };
    let name = format!("`chain_pairs` of {}", section.name);
    let entries = node.table().map_or(&[][..], |table| &table.entries);
    let known: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let mut inner = Section::open(node, &name, &known)?;
    let mut pairs: Vec<([String; 2], Location)> = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let key = &entry.key;
        let mut identifiers: Vec<&str> = key.split_whitespace().collect();
        identifiers.sort_unstable();
        let &[one, other] = identifiers.as_slice() else {
            let problem = format!(
                "{name}: `{key}` must be two identifiers of chains with a blank between them, such as \"A B\""
            );
            return Err(entry.place.error(BAD_VALUE, problem));
        };
        let pair = [one.to_string(), other.to_string()];
        if let Some(earlier) = pairs.iter().position(|(known, _)| *known == pair) {
            let earlier = known[..number][earlier];
            let problem = format!("{name}: `{key}` is the same pair as `{earlier}`: keep one");
            return Err(entry.place.error(CONFLICT, problem));
        }
        if let Some(energy) = inner.quantity(key, Dimension::Energy, Bound::NotNegative)? {
            depths.pairs.insert(pair.clone(), energy.value);
        }
        pairs.push((pair, entry.place.clone()));
    }
    section.keep("chain_pairs", Value::Table(inner.resolved));
    Ok(pairs)
}

/// The sentence about a column of a structure that gives the energies of contacts and holds something else.
pub(super) fn warning_of_energies(columns: &[(f64, f64)], depth: ContactDepth) -> Option<String> {
    let (word, name) = match depth {
        ContactDepth::Beta => ("beta", "temperature factors"),
        ContactDepth::Occupancy => ("occupancy", "occupancies"),
        ContactDepth::Constant(_) => return None,
    };
    let of_column = |&(occupancy, factor): &(f64, f64)| match depth {
        ContactDepth::Occupancy => occupancy,
        _ => factor,
    };
    let mut values: Vec<f64> = columns.iter().map(of_column).collect();
    values.sort_unstable_by(f64::total_cmp);
    let median = *values.get(values.len() / 2)?;
    (!USUAL_ENERGIES.contains(&median)).then(|| {
        format!(
            "energy = \"{word}\" takes the {name} as energies of contacts in kcal/mol, and half of the beads have {median} or more, where 1 to 2 is usual: the file seems to have no energies there; write them into this column, or energy = \"1.5 kcal/mol\""
        )
    })
}

/// The sentence about energies between chains beside a list that says the energy of each contact.
pub(super) fn warning_of_no_effect(list: &Path, depths: &DepthsBetweenChains) -> Option<String> {
    let given =
        [("`between_chains`", depths.any.is_some()), ("`chain_pairs`", !depths.pairs.is_empty())];
    let keys: Vec<&str> = given.into_iter().filter_map(|(key, is)| is.then_some(key)).collect();
    let have = if keys.len() > 1 { "have" } else { "has" };
    let name = list.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    (!keys.is_empty()).then(|| {
        format!("{} {have} no effect: every contact in {name} has an energy", keys.join(" and "))
    })
}
