//! Reads `[system]`: the molecule, its force field and its start.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use beadwork_model::System;
use beadwork_model::force_fields::sop::{
    self, Beads, ContactDepth, ContactRule, ListedContact, Parameters,
};
use beadwork_model::units::{Dimension, Units};
use beadwork_structure::{Label, ReadOptions, Selection, parse_sop_gpu_topology};

use crate::beads::{self, BEADS};
use crate::document::{Node, Table, Value, inline};
use crate::error::{BAD_VALUE, Error, Location, START};
use crate::files::{Files, REPLICA};
use crate::oscillators::{self, OSCILLATORS};
use crate::pair_list::{self, CONTACT_VALUES, ListedPair};
use crate::polymers::{self, ELASTIC_POLYMER};
use crate::residues::{self, RESIDUES};
use crate::section::{Bound, Read, Section};
use crate::settings::DynamicsRead;
use crate::structure_source::{AssemblyUsed, Chosen, Source};

pub(crate) const SYSTEM_KEYS: [&str; 7] =
    ["model", "structure", "topology", "contacts", "bonds", "repulsion", "start"];
const CONTACT_KEYS: [&str; 5] =
    ["file", "cutoff", "side_chain_cutoff", "side_chain_hydrogens", "energy"];
const BOND_KEYS: [&str; 4] = ["stiffness", "limit", "disulfides", "extra"];
const REPULSION_KEYS: [&str; 3] = ["strength", "diameter", "cutoff"];
const START_KEYS: [&str; 2] = ["file", "first"];
const MAXIMUM_STARTS: u64 = 100_000;
/// Energies of contacts, kcal/mol, that are taken without a warning.
const USUAL_ENERGIES: RangeInclusive<f64> = 0.05..=5.0;
/// Chains whose residues a message lists.
const SHOWN_CHAINS: usize = 6;

/// Every model; the first is the default.
pub(crate) const MODELS: [&str; 5] = ["sop", RESIDUES, BEADS, OSCILLATORS, ELASTIC_POLYMER];

/// The model that `[system]` names, even if it is unknown.
pub(crate) fn model(node: &Node) -> Option<&str> {
    node.get("model")?.text()
}

/// The units of the quantities beside it, even if its word is unknown.
pub(crate) fn units(node: &Node) -> Units {
    let word = node.get("units").and_then(Node::text).filter(|_| model(node) == Some(BEADS));
    let known = beads::UNITS.iter().find(|(known, _)| Some(*known) == word);
    known.map_or(Units::Real, |(_, units)| *units)
}

/// Refuses an unknown model before anything else, because the model decides which keys are allowed; and unknown units, in
/// which other sections are written.
pub(crate) fn check_model(node: &Node) -> Result<(), Error> {
    let Some(table) = node.table() else { return Ok(()) };
    let keys: Vec<&str> = table.entries.iter().map(|entry| entry.key.as_str()).collect();
    let mut section = Section::open(node, "[system]", &keys)?;
    if MODELS[section.choice("model", &MODELS, Some(MODELS[0]))?] == BEADS {
        let words = beads::UNITS.map(|(word, _)| word);
        section.choice("units", &words, Some(words[0]))?;
    }
    Ok(())
}

/// The file of beads from which a system starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFile {
    /// The name of the file; of the first replica, if each has one.
    pub file: String,
    /// The frame that is taken, counted from 0.
    pub frame: usize,
    /// Number of frames in the file; 0 where its format has no frames.
    pub frames: usize,
}

/// A system that was built. All points of a sweep with the same resolved `[system]` share it.
#[derive(Debug)]
pub(crate) struct Built {
    pub system: Arc<System>,
    pub assembly: Option<AssemblyUsed>,
    /// The file from which beads start, and its frame.
    pub start: Option<StartFile>,
    /// Start positions, Å: one set for each replica; one for all if the file name has no `{replica}`.
    pub starts: Option<Vec<Vec<[f64; 3]>>>,
    /// Start velocities, Å/ps, in the same way; drawn if there are none.
    pub velocities: Option<Vec<Arc<Vec<[f64; 3]>>>>,
    pub warnings: Vec<String>,
}

impl From<System> for Built {
    fn from(system: System) -> Built {
        Built {
            system: system.into(),
            assembly: None,
            start: None,
            starts: None,
            velocities: None,
            warnings: Vec::new(),
        }
    }
}

/// Systems by their resolved text, and by what else they depend on.
#[derive(Debug, Default)]
pub(crate) struct BuiltSystems {
    known: BTreeMap<String, Arc<Built>>,
}

/// What a system takes from other sections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FromElsewhere {
    /// γ, 1/ps, if the friction of each type is γ times its mass.
    pub collision_rate: Option<f64>,
    /// The temperature of the water, K.
    pub water: Option<f64>,
    /// The seed, if beads are placed at random.
    pub seed: Option<u64>,
}

impl BuiltSystems {
    /// The system with this resolved form; builds it unless an earlier point has done so.
    pub fn get_or_build(
        &mut self,
        resolved: Table,
        others: FromElsewhere,
        build: impl FnOnce() -> Result<Built, Error>,
    ) -> Result<(Table, Arc<Built>), Error> {
        let text = inline(&Value::Table(resolved.clone()));
        let FromElsewhere { collision_rate, water, seed } = others;
        let key = format!("{text} {collision_rate:?} {water:?} {seed:?}");
        let built = match self.known.entry(key) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                let mut built = build()?;
                if let Some(rate) = collision_rate {
                    Arc::make_mut(&mut built.system).set_collision_rate(rate);
                }
                new.insert(Arc::new(built)).clone()
            }
        };
        Ok((resolved, built))
    }
}

/// Reads `[system]`; returns its resolved form and what it describes. Only models that are sampled have no dynamics.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
    dynamics: Option<&DynamicsRead>,
    seed: u64,
) -> Result<(Table, Arc<Built>), Error> {
    match (model(node), dynamics) {
        (Some(OSCILLATORS), _) => return oscillators::read(node, built),
        (Some(ELASTIC_POLYMER), _) => return polymers::read(node, files, replicas, built),
        (Some(RESIDUES), Some(dynamics)) => {
            return residues::read(node, files, replicas, built, dynamics);
        }
        (Some(BEADS), Some(dynamics)) => {
            return beads::read(node, files, replicas, built, dynamics, seed);
        }
        _ => {}
    }
    let mut section = Section::open(node, "[system]", &SYSTEM_KEYS)?;
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

/// Where a table may stand, a text is short for a table with this file.
pub(crate) fn as_table(node: &Node) -> Node {
    if node.text().is_none() {
        return node.clone();
    }
    let mut table = Table::default();
    table.set("file", &node.place, node.clone());
    Node::new(Value::Table(table), &node.place)
}

/// Parses a selection; an error points at the wrong word.
pub(crate) fn parse_selection(text: &str, place: &Location) -> Result<Selection, Error> {
    Selection::parse(text).map_err(|error| {
        let place = match &error {
            beadwork_structure::Error::BadSelection { column, length, .. } => {
                place.within(text, column.saturating_sub(1), *length)
            }
            _ => place.clone(),
        };
        Error::from(error).at(&place)
    })
}

/// The beads that a selection matches; refuses a selection that matches none.
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
            hint: format!("there are {}{}", sop::describe_chains(beads), residues_of(beads)),
        };
        return Err(Error::from(error).at(&selection.place));
    }
    Ok(indices)
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

/// The residues of each chain, for messages: `; residues 1-76 of A`. The lowest and the highest number: chains may have gaps.
fn residues_of(beads: &[Label]) -> String {
    let mut chains: Vec<(&str, i32, i32)> = Vec::new();
    for bead in beads {
        let (chain, number) = (bead.chain.as_str(), bead.residue_number);
        match chains.last_mut() {
            Some((id, low, high)) if *id == chain => {
                *low = number.min(*low);
                *high = number.max(*high);
            }
            _ => chains.push((chain, number, number)),
        }
    }
    let shown: Vec<String> = chains
        .iter()
        .take(SHOWN_CHAINS)
        .map(|(id, low, high)| {
            let of = if id.is_empty() { String::new() } else { format!(" of {id}") };
            format!("{low} to {high}{of}")
        })
        .collect();
    let more = if chains.len() > SHOWN_CHAINS { ", …" } else { "" };
    format!("; residues {}{more}; the first bead has index 0", shown.join(", "))
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

pub(crate) struct Start {
    pub paths: Vec<PathBuf>,
    /// Whether each replica has a file of its own.
    pub is_series: bool,
    pub place: Location,
}

pub(crate) fn read_start(
    section: &mut Section<'_>,
    files: &mut Files,
    replicas: u64,
) -> Result<Option<Start>, Error> {
    read_start_with(section, files, replicas, &START_KEYS)
}

/// Reads `start`, which may have these keys; `file` and `first` among them.
pub(crate) fn read_start_with(
    section: &mut Section<'_>,
    files: &mut Files,
    replicas: u64,
    keys: &[&str],
) -> Result<Option<Start>, Error> {
    let Some(node) = section.node("start").map(as_table) else { return Ok(None) };
    let mut inner = Section::open(&node, "`start` in [system]", keys)?;
    let file = inner.required_text("file", "start_{replica}.pdb")?;
    let first = inner.integer_or("first", 0, 0)?;
    let is_series = file.value.contains(REPLICA);
    if !is_series && first.value != 0 {
        let problem = "numbers files, but the file name has no {replica} for the number";
        return Err(inner.fault(BAD_VALUE, "first", problem));
    }
    // All coordinates of all replicas are in memory at the same time.
    let series = if is_series { replicas } else { 1 };
    let end = first.value.checked_add(series).filter(|_| series <= MAXIMUM_STARTS).ok_or_else(|| {
        let problem = format!(
            "needs a file for each of {replicas} replicas, numbered from {}: give fewer replicas, at most {MAXIMUM_STARTS}, or one file for all",
            first.value
        );
        inner.fault(BAD_VALUE, "file", &problem)
    })?;
    let numbers: Vec<u64> = (first.value..end).collect();
    let paths = files.load_series(&file.value, &numbers, &file.place)?;
    files.note_positions(&paths);
    inner.keep("file", Value::Text(files.resolved_name(&file.value)));
    section.keep("start", Value::Table(inner.resolved));
    Ok(Some(Start { paths, is_series, place: file.place }))
}

impl Start {
    /// The positions of the C-alphas in each file.
    pub fn read(&self, files: &Files, beads: usize) -> Result<Vec<Vec<[f64; 3]>>, Error> {
        let positions = |path: &PathBuf| {
            let (text, source) = files.text(path, &self.place)?;
            let structure = beadwork_structure::parse(&text, &source, &ReadOptions::default())
                .map_err(self.place.blame())?;
            let positions = Beads::from_structure(&structure).positions;
            if positions.len() != beads {
                let problem = format!(
                    "[system]: the start file {} has {} C-alphas and the system {beads}: both must be of the same molecule and chains",
                    path.display(),
                    positions.len()
                );
                return Err(self.place.error(START, problem));
            }
            Ok(positions)
        };
        self.paths.iter().map(positions).collect()
    }
}
