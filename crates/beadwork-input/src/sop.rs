//! `[system]` of proteins by the Self-Organized Polymer model: structure, contacts, bonds, repulsion and start.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use beadwork_model::force_fields::sop::{
    self, ContactDepth, ContactRule, ListedContact, Parameters,
};
use beadwork_model::units::Dimension;
use beadwork_structure::parse_sop_gpu_topology;

use crate::built::{Built, BuiltSystems, FromElsewhere};
use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, Error, Location};
use crate::files::Files;
use crate::models::MODELS;
use crate::numbers::Bound;
use crate::pair_list::{self, CONTACT_VALUES, ListedPair};
use crate::section::Section;
use crate::settings::DynamicsRead;
use crate::starts::read_start;
use crate::structure_source::{Chosen, Source};

const KEYS: [&str; 7] =
    ["model", "structure", "topology", "contacts", "bonds", "repulsion", "start"];
const CONTACT_KEYS: [&str; 5] =
    ["file", "cutoff", "side_chain_cutoff", "side_chain_hydrogens", "energy"];
const BOND_KEYS: [&str; 4] = ["stiffness", "limit", "disulfides", "extra"];
const REPULSION_KEYS: [&str; 3] = ["strength", "diameter", "cutoff"];
/// Energies of contacts, kcal/mol, that are taken without a warning.
const USUAL_ENERGIES: RangeInclusive<f64> = 0.05..=5.0;

/// Reads `[system]`; returns its resolved form and what it describes.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
    dynamics: Option<&DynamicsRead>,
) -> Result<(Table, Arc<Built>), Error> {
    let mut section = Section::open(node, "[system]", &KEYS)?;
    section.choice("model", &MODELS, Some(MODELS[0]))?;
    let mut parameters = Parameters::default();
    let source = Source::read(&mut section, files)?;
    let topology = files.named(&mut section, "topology", "ww.top")?;
    let contacts = if topology.is_some() {
        section.exclude(&["contacts"], "the topology lists the contacts and their energies")?;
        None
    } else {
        read_contacts(&mut section, files, &mut parameters)?
    };
    let bonds = read_bonds(&mut section, files, topology.is_some(), &mut parameters)?;
    read_repulsion(&mut section, &mut parameters)?;
    let start = read_start(&mut section, files, replicas)?;

    let collision_rate = dynamics.and_then(|read| read.collision_rate);
    let others = FromElsewhere { collision_rate, ..FromElsewhere::default() };
    built.get_or_build(section.resolved, others, || {
        // Only contacts by side chains need other atoms than alpha carbons.
        let distances = &parameters.contacts;
        let side_chains =
            matches!(distances, ContactRule::Distance { side_chain_cutoff: Some(_), .. });
        let Chosen { structure, beads, assembly } = source.choose(files, side_chains)?;
        let named = source.named();
        let mut warnings: Vec<String> = structure.warnings.iter().map(&named).collect();
        let columns = if topology.is_none() { beads.columns.as_slice() } else { &[] };
        warnings.extend(warning_of_energies(columns, parameters.depth).as_ref().map(&named));
        let mut blame = &source.place;
        let system = if let Some((path, place)) = &topology {
            let (text, source) = files.text(path, place)?;
            let topology = parse_sop_gpu_topology(&text, &source).map_err(place.blame())?;
            sop::build_from_topology(&topology, beads.positions, &parameters)
                .map_err(place.blame())?
        } else {
            let read = |path: &PathBuf, values| {
                let name = path.display().to_string();
                pair_list::read(files.contents(path), &name, &beads.labels, values)
            };
            if let Some((path, place)) = &contacts {
                blame = place;
                let listed = |pair: ListedPair| {
                    let ListedPair { i, j, length, energy: depth } = pair;
                    ListedContact { i, j, length, depth }
                };
                let pairs = read(path, &CONTACT_VALUES)?;
                parameters.contacts = ContactRule::List(pairs.into_iter().map(listed).collect());
            }
            if let Some((path, place)) = &bonds {
                blame = place;
                let pairs = read(path, &[])?;
                parameters.extra_bonds = pairs.iter().map(|pair| (pair.i, pair.j)).collect();
            }
            let (system, found) =
                sop::build(&structure, beads, &parameters).map_err(blame.blame())?;
            warnings.extend(found.iter().map(&named));
            system
        };
        let starts = start.map(|start| start.read(files, system.beads())).transpose()?;
        Ok(Built { assembly, starts, warnings, ..system.into() })
    })
}

/// The sentence about a column of a structure that gives the energies of contacts and holds something else.
fn warning_of_energies(columns: &[(f64, f64)], depth: ContactDepth) -> Option<String> {
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

/// Reads the rule of contacts; returns the file that lists them, if there is one.
fn read_contacts(
    section: &mut Section<'_>,
    files: &mut Files,
    parameters: &mut Parameters,
) -> Result<Option<(PathBuf, Location)>, Error> {
    let node = section.sub_table("contacts");
    let mut inner = Section::open(&node, "`contacts` in [system]", &CONTACT_KEYS)?;
    let list = files.named(&mut inner, "file", "contacts.csv")?;
    parameters.contacts = if list.is_some() {
        let keys = ["cutoff", "side_chain_cutoff", "side_chain_hydrogens"];
        inner.exclude(&keys, "the file lists the contacts")?;
        ContactRule::List(Vec::new())
    } else {
        let cutoff = inner.quantity_or("cutoff", Dimension::Length, Bound::NotNegative, "8 A")?;
        let side_chain = inner.quantity("side_chain_cutoff", Dimension::Length, Bound::Positive)?;
        ContactRule::Distance {
            cutoff: cutoff.value,
            side_chain_cutoff: side_chain.map(|cutoff| cutoff.value),
            side_chain_hydrogens: inner.boolean_or("side_chain_hydrogens", true)?,
        }
    };
    let column = inner.node("energy").and_then(Node::text);
    let column = column.filter(|text| text.starts_with(char::is_alphabetic));
    parameters.depth = match column {
        Some("occupancy") => ContactDepth::Occupancy,
        Some("beta") => ContactDepth::Beta,
        Some(other) => {
            let problem = format!(
                "does not know \"{other}\"; it may be an energy such as \"1.5 kcal/mol\", or \"occupancy\" or \"beta\", the columns of the structure file"
            );
            return Err(inner.fault(BAD_VALUE, "energy", &problem));
        }
        None => {
            let usual = "1.5 kcal/mol";
            let energy =
                inner.quantity_or("energy", Dimension::Energy, Bound::NotNegative, usual)?;
            ContactDepth::Constant(energy.value)
        }
    };
    if let Some(column) = column {
        inner.keep("energy", Value::Text(column.to_string()));
    }
    section.keep("contacts", Value::Table(inner.resolved));
    Ok(list)
}

/// Reads the parameters of bonds; returns the file that lists extra ones, if there is one.
fn read_bonds(
    section: &mut Section<'_>,
    files: &mut Files,
    topology: bool,
    parameters: &mut Parameters,
) -> Result<Option<(PathBuf, Location)>, Error> {
    let node = section.sub_table("bonds");
    let mut inner = Section::open(&node, "`bonds` in [system]", &BOND_KEYS)?;
    let (kind, usual) = (Dimension::Stiffness, "20 kcal/(mol A^2)");
    let stiffness = inner.quantity_or("stiffness", kind, Bound::NotNegative, usual)?;
    parameters.bond_stiffness = stiffness.value;
    let limit = inner.quantity_or("limit", Dimension::Length, Bound::Positive, "2 A")?;
    parameters.bond_limit = limit.value;
    parameters.disulfides = false;
    let mut extra = None;
    if topology {
        inner.exclude(&["disulfides", "extra"], "the topology lists the bonds")?;
    } else {
        parameters.disulfides = inner.boolean_or("disulfides", true)?;
        extra = files.named(&mut inner, "extra", "bonds.csv")?;
    }
    section.keep("bonds", Value::Table(inner.resolved));
    Ok(extra)
}

fn read_repulsion(section: &mut Section<'_>, parameters: &mut Parameters) -> Result<(), Error> {
    let node = section.sub_table("repulsion");
    let mut inner = Section::open(&node, "`repulsion` in [system]", &REPULSION_KEYS)?;
    let strength =
        inner.quantity_or("strength", Dimension::Energy, Bound::NotNegative, "1 kcal/mol")?;
    let diameter = inner.quantity_or("diameter", Dimension::Length, Bound::Positive, "3.8 A")?;
    let cutoff = inner.quantity_or("cutoff", Dimension::Length, Bound::Positive, "20 A")?;
    parameters.repulsion_strength = strength.value;
    parameters.repulsion_diameter = diameter.value;
    parameters.repulsion_cutoff = cutoff.value;
    section.keep("repulsion", Value::Table(inner.resolved));
    Ok(())
}
