//! `[system]`: which molecule, by which force field, starting where.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use beadwork_model::System;
use beadwork_model::force_fields::sop::{
    self, Beads, ContactDepth, ContactRule, ListedContact, Parameters,
};
use beadwork_model::units::Dimension;
use beadwork_structure::{Label, ReadOptions, Selection, read_sop_gpu_topology};

use crate::document::{Entry, Node, Place, Table, Value, inline};
use crate::error::{BAD_VALUE, Error, START};
use crate::files::{Files, REPLICA};
use crate::oscillators::{self, OSCILLATORS};
use crate::pair_list::{self, Kind};
use crate::polymers::{self, ELASTIC_POLYMER};
use crate::section::{Bound, Read, Section};
use crate::structure_source::{AssemblyUsed, Chosen, Source};

pub(crate) const SYSTEM_KEYS: [&str; 7] =
    ["model", "structure", "topology", "contacts", "bonds", "repulsion", "start"];
const CONTACT_KEYS: [&str; 5] =
    ["file", "cutoff", "side_chain_cutoff", "side_chain_hydrogens", "energy"];
const BOND_KEYS: [&str; 4] = ["stiffness", "limit", "disulfides", "extra"];
const REPULSION_KEYS: [&str; 3] = ["strength", "diameter", "cutoff"];
const START_KEYS: [&str; 2] = ["file", "first"];
const MAXIMUM_STARTS: u64 = 100_000;

/// Every model; the first is the default.
pub(crate) const MODELS: [&str; 3] = ["sop", OSCILLATORS, ELASTIC_POLYMER];

/// The model that `[system]` names, known or not.
pub(crate) fn model(node: &Node) -> Option<&str> {
    match node.table()?.get("model").map(|model| &model.value) {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// Refuses a model that there is not: what else looks wrong would be judged by the rules of another one.
pub(crate) fn check_model(node: &Node) -> Result<(), Error> {
    let Some(entries) = node.table().map(|table| &table.entries) else { return Ok(()) };
    let entries = entries.iter().filter(|entry| entry.key == "model").cloned().collect();
    let table = Table { entries };
    let node = Node { value: Value::Table(table), place: node.place.clone() };
    let mut section = Section::open(&node, "[system]", &["model"])?;
    section.choice("model", &MODELS, Some(MODELS[0])).map(drop)
}

/// A system that was built, for all points of a sweep that ask for the same.
#[derive(Debug)]
pub(crate) struct Built {
    pub system: Arc<System>,
    pub assembly: Option<AssemblyUsed>,
    /// Å, by replica; one for all where the name of the file has no `{replica}`.
    pub starts: Option<Vec<Vec<[f64; 3]>>>,
    pub warnings: Vec<String>,
}

/// Systems by their resolved text.
pub(crate) type BuiltSystems = BTreeMap<String, Arc<Built>>;

/// Reads `[system]`; returns its resolved form and what it describes.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
) -> Result<(Table, Arc<Built>), Error> {
    match model(node) {
        Some(OSCILLATORS) => return oscillators::read(node, built),
        Some(ELASTIC_POLYMER) => return polymers::read(node, files, replicas, built),
        _ => {}
    }
    let mut section = Section::open(node, "[system]", &SYSTEM_KEYS)?;
    section.choice("model", &MODELS, Some(MODELS[0]))?;
    let source = Source::read(&mut section, files)?;
    let topology = match section.text("topology", "ww.top")? {
        Some(read) => {
            let path = files.load(&read.value, &read.place)?;
            section.keep("topology", Value::Text(files.resolved_name(&read.value)));
            section.exclude(&["contacts"], "the topology lists the contacts and their energies")?;
            Some((path, read.place))
        }
        None => None,
    };
    let contacts = match topology {
        Some(_) => None,
        None => Some(read_contacts(&mut section, files)?),
    };
    let bonds = read_bonds(&mut section, files, topology.is_some())?;
    let mut parameters = Parameters {
        bond_stiffness: bonds.stiffness,
        bond_limit: bonds.limit,
        disulfides: bonds.disulfides,
        ..Parameters::default()
    };
    read_repulsion(&mut section, &mut parameters)?;
    let start = read_start(&mut section, files, replicas)?;

    let key = inline(&Value::Table(section.resolved.clone()));
    if let Some(known) = built.get(&key) {
        return Ok((section.resolved, known.clone()));
    }
    let side_chains = contacts.as_ref().is_some_and(Contacts::need_side_chains);
    let Chosen { structure, beads, assembly } = source.choose(files, side_chains)?;
    let file = source.name.trim_start_matches("inputs/");
    let named = |warning: &String| format!("{file}: {warning}");
    let mut warnings: Vec<String> = structure.warnings.iter().map(named).collect();
    let system = match (&topology, contacts) {
        (Some((path, place)), _) => {
            let topology = read_sop_gpu_topology(path)
                .map_err(|error| Error::from(error).at(place.location()))?;
            sop::build_from_topology(&topology, beads.positions, &parameters)
                .map_err(|error| Error::from(error).at(place.location()))?
        }
        (None, contacts) => {
            let mut blame = source.place.clone();
            if let Some(contacts) = contacts {
                if let Some((path, place)) = &contacts.list {
                    blame = place.clone();
                    let name = path.display().to_string();
                    let pairs = pair_list::read(
                        files.contents(path),
                        &name,
                        &beads.labels,
                        Kind::Contacts,
                    )?;
                    let listed = pairs.iter().map(|pair| ListedContact {
                        i: pair.i,
                        j: pair.j,
                        length: pair.length,
                        depth: pair.energy,
                    });
                    parameters.contacts = ContactRule::List(listed.collect());
                } else {
                    parameters.contacts = contacts.rule;
                }
                parameters.depth = contacts.depth;
            }
            if let Some((path, place)) = &bonds.extra {
                blame = place.clone();
                let name = path.display().to_string();
                let pairs =
                    pair_list::read(files.contents(path), &name, &beads.labels, Kind::Bonds)?;
                parameters.extra_bonds = pairs.iter().map(|pair| (pair.i, pair.j)).collect();
            }
            let (system, found) = sop::build(&structure, beads, &parameters)
                .map_err(|error| Error::from(error).at(blame.location()))?;
            warnings.extend(found.iter().map(named));
            system
        }
    };
    let starts = start.map(|start| start.read(system.beads())).transpose()?;
    let result = Arc::new(Built { system: Arc::new(system), assembly, starts, warnings });
    built.insert(key, result.clone());
    Ok((section.resolved, result))
}

/// A text where a table may stand is the table's file.
pub(crate) fn as_table(node: &Node) -> Node {
    match node.value {
        Value::Text(_) => {
            let entry =
                Entry { key: "file".to_string(), place: node.place.clone(), node: node.clone() };
            Node { value: Value::Table(Table { entries: vec![entry] }), place: node.place.clone() }
        }
        _ => node.clone(),
    }
}

/// Parses a selection; an error points at the word in question.
pub(crate) fn parse_selection(text: &str, place: &Place) -> Result<Selection, Error> {
    Selection::parse(text).map_err(|error| {
        let place = match &error {
            beadwork_structure::Error::BadSelection { column, length, .. } => {
                place.within(text, column.saturating_sub(1), *length)
            }
            _ => place.clone(),
        };
        Error::from(error).at(place.location())
    })
}

/// The beads that a selection matches, at least one.
pub(crate) fn select(
    beads: &[Label],
    selection: &Read<String>,
    role: &str,
) -> Result<Vec<usize>, Error> {
    let indices = parse_selection(&selection.value, &selection.place)?.indices(beads);
    if indices.is_empty() {
        let error = beadwork_model::Error::EmptySelection {
            role: role.to_string(),
            selection: selection.value.clone(),
            hint: format!("there are {}", sop::describe_chains(beads)),
        };
        return Err(Error::from(error).at(selection.place.location()));
    }
    Ok(indices)
}

struct Contacts {
    rule: ContactRule,
    list: Option<(PathBuf, Place)>,
    depth: ContactDepth,
}

impl Contacts {
    /// Whether the rule looks at other atoms than alpha carbons.
    fn need_side_chains(&self) -> bool {
        matches!(self.rule, ContactRule::Distance { side_chain_cutoff: Some(_), .. })
    }
}

/// A sub-table that may be absent.
fn sub_table(section: &Section<'_>, key: &str) -> Node {
    section.node(key).cloned().unwrap_or_else(|| Node {
        value: Value::Table(Table::default()),
        place: section.place.clone(),
    })
}

fn read_contacts(section: &mut Section<'_>, files: &mut Files) -> Result<Contacts, Error> {
    let node = sub_table(section, "contacts");
    let mut inner = Section::open(&node, "`contacts` in [system]", &CONTACT_KEYS)?;
    let mut list = None;
    let mut rule = ContactRule::List(Vec::new());
    if let Some(file) = inner.text("file", "contacts.csv")? {
        inner.exclude(
            &["cutoff", "side_chain_cutoff", "side_chain_hydrogens"],
            "the file lists the contacts",
        )?;
        let path = files.load(&file.value, &file.place)?;
        inner.keep("file", Value::Text(files.resolved_name(&file.value)));
        list = Some((path, file.place));
    } else {
        let cutoff = inner.quantity_or("cutoff", Dimension::Length, Bound::NotNegative, "8 A")?;
        let side_chain_cutoff =
            inner.quantity("side_chain_cutoff", Dimension::Length, Bound::Positive)?;
        let side_chain_hydrogens = inner.boolean_or("side_chain_hydrogens", true)?;
        rule = ContactRule::Distance {
            cutoff: cutoff.value.value,
            side_chain_cutoff: side_chain_cutoff.map(|read| read.value.value),
            side_chain_hydrogens,
        };
    }
    let depth = match inner.node("energy").map(|node| &node.value) {
        Some(Value::Text(text)) if text == "occupancy" => {
            inner.keep("energy", Value::Text(text.clone()));
            ContactDepth::Occupancy
        }
        Some(Value::Text(text)) if text == "beta" => {
            inner.keep("energy", Value::Text(text.clone()));
            ContactDepth::Beta
        }
        Some(Value::Text(text)) if text.starts_with(char::is_alphabetic) => {
            let problem = format!(
                "does not know \"{text}\"; it may be an energy such as \"1.5 kcal/mol\", or \"occupancy\" or \"beta\", the columns of the structure file"
            );
            return Err(inner.fault(BAD_VALUE, "energy", &problem));
        }
        _ => {
            let energy = inner.quantity_or(
                "energy",
                Dimension::Energy,
                Bound::NotNegative,
                "1.5 kcal/mol",
            )?;
            ContactDepth::Constant(energy.value.value)
        }
    };
    section.keep("contacts", Value::Table(inner.resolved));
    Ok(Contacts { rule, list, depth })
}

struct Bonds {
    stiffness: f64,
    limit: f64,
    disulfides: bool,
    extra: Option<(PathBuf, Place)>,
}

fn read_bonds(
    section: &mut Section<'_>,
    files: &mut Files,
    topology: bool,
) -> Result<Bonds, Error> {
    let node = sub_table(section, "bonds");
    let mut inner = Section::open(&node, "`bonds` in [system]", &BOND_KEYS)?;
    let stiffness = inner.quantity_or(
        "stiffness",
        Dimension::Stiffness,
        Bound::NotNegative,
        "20 kcal/(mol A^2)",
    )?;
    let limit = inner.quantity_or("limit", Dimension::Length, Bound::Positive, "2 A")?;
    let mut disulfides = false;
    let mut extra = None;
    if topology {
        inner.exclude(&["disulfides", "extra"], "the topology lists the bonds")?;
    } else {
        disulfides = inner.boolean_or("disulfides", true)?;
        if let Some(file) = inner.text("extra", "bonds.csv")? {
            let path = files.load(&file.value, &file.place)?;
            inner.keep("extra", Value::Text(files.resolved_name(&file.value)));
            extra = Some((path, file.place));
        }
    }
    section.keep("bonds", Value::Table(inner.resolved));
    Ok(Bonds { stiffness: stiffness.value.value, limit: limit.value.value, disulfides, extra })
}

fn read_repulsion(section: &mut Section<'_>, parameters: &mut Parameters) -> Result<(), Error> {
    let node = sub_table(section, "repulsion");
    let mut inner = Section::open(&node, "`repulsion` in [system]", &REPULSION_KEYS)?;
    let strength =
        inner.quantity_or("strength", Dimension::Energy, Bound::NotNegative, "1 kcal/mol")?;
    let diameter = inner.quantity_or("diameter", Dimension::Length, Bound::Positive, "3.8 A")?;
    let cutoff = inner.quantity_or("cutoff", Dimension::Length, Bound::Positive, "20 A")?;
    parameters.repulsion_strength = strength.value.value;
    parameters.repulsion_diameter = diameter.value.value;
    parameters.repulsion_cutoff = cutoff.value.value;
    section.keep("repulsion", Value::Table(inner.resolved));
    Ok(())
}

/// Files of start coordinates.
pub(crate) struct Start {
    pub paths: Vec<PathBuf>,
    /// Whether each replica has its own.
    pub is_series: bool,
    pub place: Place,
}

pub(crate) fn read_start(
    section: &mut Section<'_>,
    files: &mut Files,
    replicas: u64,
) -> Result<Option<Start>, Error> {
    let Some(node) = section.node("start").map(as_table) else { return Ok(None) };
    let mut inner = Section::open(&node, "`start` in [system]", &START_KEYS)?;
    let file = inner.required_text("file", "start_{replica}.pdb")?;
    let first = inner.integer_or("first", 0, 0)?;
    if inner.has("first") && !file.value.contains(REPLICA) && first.value != 0 {
        return Err(inner.fault(
            BAD_VALUE,
            "first",
            "numbers files, but the file name has no {replica} in which the number could stand",
        ));
    }
    // Coordinates are held for all replicas at once.
    let series = if file.value.contains(REPLICA) { replicas } else { 1 };
    let end = first.value.checked_add(series).filter(|_| series <= MAXIMUM_STARTS).ok_or_else(|| {
        let problem = format!(
            "needs a file for each of {replicas} replicas, numbered from {}: give fewer replicas, at most {MAXIMUM_STARTS}, or one file for all",
            first.value
        );
        inner.fault(BAD_VALUE, "file", &problem)
    })?;
    let numbers: Vec<u64> = (first.value..end).collect();
    let paths = files.load_series(&file.value, &numbers, &file.place)?;
    inner.keep("file", Value::Text(files.resolved_name(&file.value)));
    section.keep("start", Value::Table(inner.resolved));
    Ok(Some(Start { paths, is_series: file.value.contains(REPLICA), place: file.place }))
}

impl Start {
    fn read(&self, beads: usize) -> Result<Vec<Vec<[f64; 3]>>, Error> {
        self.paths
            .iter()
            .map(|path| {
                let structure = beadwork_structure::read(path, &ReadOptions::default())
                    .map_err(|error| Error::from(error).at(self.place.location()))?;
                let positions = Beads::from_structure(&structure).positions;
                if positions.len() == beads {
                    return Ok(positions);
                }
                let problem = format!(
                    "[system]: the start file {} has {} C-alphas and the system {beads}: both must be of the same molecule and chains",
                    path.display(),
                    positions.len()
                );
                Err(Error::new(START, problem).at(self.place.location()))
            })
            .collect()
    }
}
