//! `[system]` of proteins by the Self-Organized Polymer model: structure, contacts, bonds, repulsion and start.

mod contacts;
mod listed_contacts;

use std::path::PathBuf;
use std::sync::Arc;

use beadwork_model::force_fields::sop::{
    self, ContactRule, DepthsBetweenChains, ListedContact, Parameters,
};
use beadwork_model::units::Dimension;
use beadwork_structure::parse_sop_gpu_topology;

use crate::built::{Built, BuiltSystems, FromElsewhere};
use crate::document::{Node, Table, Value};
use crate::error::{Error, Location};
use crate::files::Files;
use crate::models::MODELS;
use crate::numbers::Bound;
use crate::pair_list::{self, CONTACT_VALUES, ListedPair};
use crate::section::Section;
use crate::settings::DynamicsRead;
use crate::starts::read_start;
use crate::structure_source::{Chosen, Source};
use contacts::{ContactsRead, read_contacts, warning_of_energies, warning_of_no_effect};

const KEYS: [&str; 7] =
    ["model", "structure", "topology", "contacts", "bonds", "repulsion", "start"];
const BOND_KEYS: [&str; 4] = ["stiffness", "limit", "disulfides", "extra"];
const REPULSION_KEYS: [&str; 3] = ["strength", "diameter", "cutoff"];

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
        ContactsRead::default()
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
        let Chosen { structure, beads, assembly, turned } = source.choose(files, side_chains)?;
        let named = source.named();
        let mut warnings: Vec<String> = structure.warnings.iter().map(&named).collect();
        let columns = if topology.is_none() { beads.columns.as_slice() } else { &[] };
        warnings.extend(warning_of_energies(columns, parameters.depth).as_ref().map(&named));
        let mut blame = &source.place;
        let mut chains = beads.chains_in_file(&structure);
        let system = if let Some((path, place)) = &topology {
            let (text, source) = files.text(path, place)?;
            let topology = parse_sop_gpu_topology(&text, &source).map_err(place.blame())?;
            let system = sop::build_from_topology(&topology, beads.positions, &parameters)
                .map_err(place.blame())?;
            let first = |bead: usize| system.particles.labels[bead].chain.to_string();
            chains = system.particles.molecule_starts().map(first).collect();
            system
        } else {
            let read = |path: &PathBuf, values| {
                let name = path.display().to_string();
                pair_list::read(files.contents(path), &name, &beads.labels, values)
            };
            contacts.refuse_unknown_chains(&structure, &beads)?;
            if !files.is_begun {
                contacts.refuse_too_many(&structure, &beads, &parameters.contacts)?;
            }
            let mut list_read = None;
            if let Some((path, place)) = &contacts.list {
                blame = place;
                let listed = |&ListedPair { i, j, length, energy: depth, .. }: &ListedPair| {
                    ListedContact { i, j, length, depth }
                };
                let list = read(path, &CONTACT_VALUES)?;
                if list.pairs.iter().all(|pair| pair.energy.is_some()) {
                    warnings.extend(warning_of_no_effect(path, &parameters.between_chains));
                    parameters.between_chains = DepthsBetweenChains::default();
                }
                parameters.contacts = ContactRule::List(list.pairs.iter().map(listed).collect());
                list_read = Some((path, list));
            }
            if let Some((path, place)) = &bonds {
                blame = place;
                let list = read(path, &[])?;
                parameters.extra_bonds = list.pairs.iter().map(|pair| (pair.i, pair.j)).collect();
            }
            let (system, found) =
                sop::build(&structure, beads, &parameters).map_err(blame.blame())?;
            warnings.extend(found.iter().map(&named));
            if let Some((path, list)) = &list_read {
                warnings.extend(listed_contacts::warnings(path, list, &system));
            }
            system
        };
        let starts = start.map(|start| start.read(files, system.beads())).transpose()?;
        let file = contacts.list.as_ref().and_then(|(path, _)| path.file_name());
        let contact_list = file.map(|name| name.to_string_lossy().into_owned());
        let chain_pairs = parameters.between_chains.pairs.keys().cloned().collect();
        let built = Built { contact_list, chain_pairs, ..system.into() };
        Ok(Built { assembly, turned, chains, starts, warnings, ..built })
    })
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
