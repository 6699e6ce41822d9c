//! `[system]` of beads whose interactions the input lists, in open space or in a periodic box.

mod bonds;
mod build;
mod by_types;
mod checks;
mod memory;
mod molecules;
mod pairs;
mod repeat;
mod start;
mod start_velocities;
mod type_keys;
mod types;

use std::collections::BTreeSet;
use std::sync::Arc;

use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::units::{Dimension, Units};
use beadwork_model::{Boundary, Counts, ForceUnit, Interactions, Model, Particles, System};

use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, MISSING_KEY, START, WRONG_TYPE};
use crate::files::Files;
use crate::section::{Bound, Section, number_of, quantity_of};
use crate::settings::DynamicsRead;
use crate::system::{Built, BuiltSystems, FromElsewhere, MODELS};
use bonds::Beads;
use molecules::OwnBox;
use pairs::PairsRead;
use start::StartRead;

pub(crate) use checks::refuse_overlap;
pub(crate) use start_velocities::warning as warning_of_velocities;
pub(crate) use type_keys::TypeKeys;
pub(crate) use types::MOST_TYPES;

pub(crate) const BEADS: &str = "beads";
/// The keys of `[system]`.
const KEYS: [&str; 11] = [
    "model",
    "units",
    "box",
    "start",
    "build",
    "types",
    "bonds",
    "angles",
    "pairs",
    "exclude",
    "force_unit",
];
pub(crate) const UNITS: [(&str, Units); 2] = [("real", Units::Real), ("reduced", Units::Reduced)];
const OPEN: &str = "open";
const FILE: &str = "file";
const CUBE: &str = "cube";
/// The most bonds between two beads whose pair interactions are left out.
const MOST_BONDS_BETWEEN: u64 = 10;
const EXCLUDE_KEYS: [&str; 2] = ["bonds", "list"];

/// Reads `[system]`; returns its resolved form and what it describes.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
    dynamics: &DynamicsRead,
    seed: u64,
) -> Result<(Table, Arc<Built>), Error> {
    let mut section = Section::open(node, "[system]", &KEYS)?;
    section.choice("model", &MODELS, None)?;
    let words = UNITS.map(|(word, _)| word);
    let units = UNITS[section.choice("units", &words, Some(words[0]))?].1;
    let mut section = section.in_units(units);
    let sides = read_sides(&section)?;
    let StartRead {
        beads: mut file,
        backs,
        sides,
        in_file,
        is_random,
        mut starts,
        velocities,
        start,
        mut warnings,
    } = start::read(&mut section, files, replicas, sides, &dynamics.dynamics, seed)?;
    let boundary = read_box(&mut section, sides, &file)?;
    let types = types::read(&mut section, &file, dynamics)?;
    let PairsRead { terms, thermostat, has_charges } = pairs::read(&mut section, &types)?;
    let mut interactions = Interactions { pairs: terms, thermostat, ..Interactions::default() };
    let molecules = molecules::numbers(&section, &file);
    let own = in_file.map(|in_file| in_file.own_box(&file, boundary));
    let mut measured_in = boundary;
    let mut positions = file.positions.clone();
    if let Some(own) = own.filter(|own| own.boundary != boundary && !own.has_images) {
        let known = molecules::known_bonds(&section, &file, &molecules);
        for positions in std::iter::once(&mut file.positions).chain(starts.iter_mut().flatten()) {
            own.join_what_is_cut(positions, &known);
        }
        if own.is_of_file_alone {
            positions.clone_from(&file.positions);
            // Where no bond is known yet, beads are near each other in the box of the file.
            measured_in = if known.is_empty() { own.boundary } else { boundary };
        }
    }
    let beads = Beads {
        types: &types,
        file: &file,
        backs: &backs,
        molecules: &molecules,
        boundary: measured_in,
    };
    let bonds_asked = bonds::read_bonds(&mut section, &beads, &mut interactions)?;
    bonds::read_angles(&mut section, &beads, &mut interactions)?;
    if let Some(own) = own {
        let others = starts.iter_mut().flatten();
        for positions in std::iter::once(&mut positions).chain(others) {
            let found = join(&section, positions, own, &interactions, boundary, &file.source)?;
            warnings.extend(found.filter(|found| !warnings.contains(found)));
        }
    }
    interactions.excluded = read_exclusions(&mut section, &interactions, file.len())?;
    warnings.extend(file.warnings.iter().cloned());
    warnings.extend(checks::warning_of_units(&file, units));
    warnings.extend(checks::warnings(&file, &types, has_charges));
    warnings.extend(checks::warning_of_bonds(&file, &interactions));
    warnings.extend(checks::warning_of_bonds_twice(&file));
    warnings.extend(checks::warnings_of_lists_twice(&section));
    warnings.extend(checks::warning_of_angles(&file, &interactions));
    if bonds_asked.are_along_chains_by_default {
        warnings.extend(checks::warning_of_chains(&file, &backs, &molecules));
    }
    warnings.extend(checks::warning_of_molecules(&backs, &interactions));
    let mut system = System {
        counts: counts(&interactions, &molecules, file.len()),
        particles: Particles {
            labels: file.labels.clone(),
            positions,
            types: types.of_beads.clone(),
            charges: match types.charges.iter().any(|&charge| charge != 0.0) {
                true => types
                    .of_beads
                    .iter()
                    .map(|&kind| types.charges[usize::from(kind)] as f32)
                    .collect(),
                false => Vec::new(),
            },
            molecules,
        },
        types: types.particle_types,
        types_without_beads: types.without_beads,
        boundary,
        interactions,
        units,
        model: Model::Beads,
        ends: Vec::new(),
    };
    system.find_ends();
    checks::refuse(&section, &system)?;
    keep_force_unit(&mut section, &system)?;
    let others = FromElsewhere {
        collision_rate: dynamics.collision_rate,
        seed: is_random.then_some(seed),
        ..FromElsewhere::default()
    };
    built.get_or_build(section.resolved, others, || {
        Ok(Built { start, starts, velocities, warnings, ..system.into() })
    })
}

/// Makes the molecules of a start whole, along their bonds in the box of the file. Returns a warning if its images say otherwise.
fn join(
    section: &Section<'_>,
    positions: &mut [[f64; 3]],
    own: OwnBox,
    interactions: &Interactions,
    boundary: Boundary,
    source: &str,
) -> Result<Option<String>, Error> {
    let bonds: Vec<_> = interactions.bonded.iter().flat_map(BondedTerm::pairs).collect();
    let mut warning = None;
    if own.has_images {
        // In the file's own box forces are right whatever images say, and another warning names images that are wrong.
        if own.boundary == boundary || !own.is_of_file_alone {
            return Ok(None);
        }
        let mended = own.join_in_spite_of_images(positions, &bonds);
        warning = (mended > 0).then(|| {
            format!(
                "the images in {source} tear {mended} molecule(s) whose bonds are short in its box: their beads are taken where the bonds have them"
            )
        });
    } else if boundary == Boundary::Open {
        own.join_what_is_cut(positions, &bonds);
    } else {
        let near = |position, anchor| own.boundary.near(position, anchor);
        molecules::join_along_bonds(positions, &bonds, near);
    }
    if own.is_of_file_alone
        && own.boundary != boundary
        && let Some((i, j)) = own.torn_in(boundary, positions, &bonds)
    {
        let problem = format!(
            "is not the box of {source}, through which the bond of the beads {i} and {j} goes: their molecule is bonded to itself through that box and has no place in another; write \"{FILE}\", or take another start"
        );
        return Err(section
            .value_place("box")
            .error(START, format!("{}: `box` {problem}", section.name)));
    }
    Ok(warning)
}

/// The entries of a list of tables; none if the key is absent.
fn list_of<'a>(section: &Section<'a>, key: &str) -> Result<&'a [Node], Error> {
    match section.node(key) {
        None => Ok(&[]),
        Some(node) => node.list().ok_or_else(|| pairs::wrong_list(section, key, node)),
    }
}

/// Records a list of tables that the input has.
fn keep_list(section: &mut Section<'_>, key: &str, resolved: Vec<Node>) {
    if section.has(key) {
        section.keep(key, Value::List(resolved));
    }
}

/// Opens an entry of a list whose `kind` decides which keys it may have.
fn open_kind<'a>(
    node: &'a Node,
    name: &str,
    kinds: &[(&str, &[&str])],
) -> Result<Section<'a>, Error> {
    let kind = node.get("kind").map(Node::plain).unwrap_or_default();
    let entries = node.table().map_or(&[][..], |table| &table.entries);
    // For an unknown kind, accepts every key here, so that `choice` reports the kind.
    let every = || entries.iter().map(|entry| entry.key.as_str()).collect();
    let known = kinds.iter().find(|(known, _)| *known == kind);
    let keys: Vec<&str> = known.map_or_else(every, |(_, keys)| keys.to_vec());
    Section::open(node, name, &keys)
}

/// The sides that `box` gives.
fn read_sides(section: &Section<'_>) -> Result<Option<[f64; 3]>, Error> {
    let Some(node) = section.node("box") else { return Ok(None) };
    let Some(list) = node.list() else {
        if matches!(node.text(), Some(FILE | OPEN | CUBE)) {
            return Ok(None);
        }
        let problem = format!(
            "must be three sides such as [20, 20, 20], \"{FILE}\" for that of the start file, \"{CUBE}\" for that of a density in `build`, or \"{OPEN}\", found {}",
            node.found()
        );
        return Err(section.fault(WRONG_TYPE, "box", &problem));
    };
    let name = "[system]: a side of `box`";
    let side = |node: &Node| match section.units {
        Units::Real => {
            quantity_of(node, name, Dimension::Length, Bound::Positive).map(|read| read.value)
        }
        Units::Reduced => number_of(node, name, Bound::Positive),
    };
    let sides: Vec<f64> = list.iter().map(side).collect::<Result<_, _>>()?;
    let sides = <[f64; 3]>::try_from(sides).map_err(|sides| {
        let problem = format!("must have three sides, along x, y and z, but has {}", sides.len());
        section.fault(WRONG_TYPE, "box", &problem)
    })?;
    // Before beads are placed between them.
    refuse_absurd_sides(section, sides).map(|()| Some(sides))
}

/// Refuses sides of which no box can be made, whatever is in it.
fn refuse_absurd_sides(section: &Section<'_>, lengths: [f64; 3]) -> Result<(), Error> {
    let empty = System { boundary: Boundary::Periodic { lengths }, ..System::default() };
    match empty.boundary_problem() {
        Some(problem) => {
            let place = place_of_side(section, &problem);
            Err(place.error(CONFLICT, format!("{}: {problem}", section.name)))
        }
        None => Ok(()),
    }
}

/// The side of `box` that a problem of the boundary names; all of `box` if it names none.
fn place_of_side<'a>(section: &'a Section<'_>, problem: &str) -> &'a Location {
    let sides = section.node("box").and_then(Node::list).unwrap_or_default();
    let mut axes = ["along x", "along y", "along z"].into_iter().zip(sides);
    let side = axes.find(|(axis, _)| problem.contains(axis)).map(|(_, side)| &side.place);
    side.unwrap_or_else(|| section.value_place("box"))
}

/// Reads `box`: three sides, those of `build` with a density, or those of the start file, or none. `sides` are those given or
/// built.
fn read_box(
    section: &mut Section<'_>,
    sides: Option<[f64; 3]>,
    file: &beadwork_structure::Configuration,
) -> Result<Boundary, Error> {
    let of_file = file.bounds.map(|bounds| bounds.map(|[low, high]| high - low));
    let word = section.node("box").and_then(Node::text);
    if let Some(node) = section.node("box") {
        section.keep("box", node.value.clone());
    }
    match (sides, word, of_file) {
        (Some(lengths), word, _) => {
            if !section.has("box") {
                section.keep("box", Value::Text(CUBE.to_string()));
            } else if let Some(word) = word.filter(|word| *word != CUBE) {
                let problem = format!(
                    "is \"{word}\", and `build` has a density: write \"{CUBE}\", or leave it out"
                );
                return Err(section.fault(CONFLICT, "box", &problem));
            }
            Ok(Boundary::Periodic { lengths })
        }
        (None, Some(CUBE), _) => {
            let problem = format!(
                "is \"{CUBE}\", but `build` has no density: give the density, or write the sides of the box, such as [20, 20, 20]"
            );
            Err(section.fault(CONFLICT, "box", &problem))
        }
        (None, Some(FILE), Some(lengths)) => {
            refuse_absurd_sides(section, lengths)?;
            Ok(Boundary::Periodic { lengths })
        }
        (None, Some(FILE), None) => {
            let problem = format!(
                "is \"{FILE}\", and {} has no box: write its sides, such as [20, 20, 20]",
                file.source
            );
            Err(section.fault(MISSING_KEY, "box", &problem))
        }
        (None, Some(_), _) => Ok(Boundary::Open),
        (None, None, None) => {
            section.keep("box", Value::Text(OPEN.to_string()));
            Ok(Boundary::Open)
        }
        (None, None, Some([x, y, z])) => {
            let problem = format!(
                "[system]: {} has a box of {x} x {y} x {z}: write box = \"{FILE}\" for periodic boundaries, or box = \"{OPEN}\" for open space",
                file.source
            );
            Err(section.place.error(MISSING_KEY, problem))
        }
    }
}

/// Reads `exclude`: pairs on which no pair term acts, ascending.
fn read_exclusions(
    section: &mut Section<'_>,
    interactions: &Interactions,
    beads: usize,
) -> Result<Vec<(usize, usize)>, Error> {
    let bonds: Vec<(usize, usize)> =
        interactions.bonded.iter().flat_map(BondedTerm::pairs).collect();
    let Some(node) = section.node("exclude") else {
        if bonds.is_empty() || !interactions.act_on_pairs() {
            section.keep("exclude", Value::Integer(0));
            return Ok(Vec::new());
        }
        let problem = "[system]: there are bonds and pairs, and it is not said whether pairs act between bonded beads: write exclude = 0 if they do, as in DPD and in Kremer-Grest chains, exclude = 1 to leave out bonded beads, 2 to leave out those with two bonds between them too, and so on";
        return Err(section.place.error(MISSING_KEY, problem));
    };
    let mut listed = Vec::new();
    let reach = if node.table().is_some() {
        let mut inner = Section::open(node, "`exclude` in [system]", &EXCLUDE_KEYS)?;
        let reach = inner.integer_or("bonds", 0, 0)?.value;
        if let Some(list) = inner.node("list") {
            let Some(nodes) = list.list() else {
                let problem =
                    format!("must be a list of pairs [[0, 5], …], found {}", list.found());
                return Err(inner.fault(WRONG_TYPE, "list", &problem));
            };
            listed = bonds::listed::<2>(&inner, "list", nodes, beads)?;
            inner.keep("list", list.value.clone());
        }
        section.keep("exclude", Value::Table(inner.resolved));
        reach
    } else {
        section.integer_or("exclude", 0, 0)?.value
    };
    if reach > MOST_BONDS_BETWEEN {
        let problem = format!("must be at most {MOST_BONDS_BETWEEN} bonds, but is {reach}");
        return Err(section.fault(BAD_VALUE, "exclude", &problem));
    }
    let mut excluded = within_bonds(&bonds, beads, reach as usize);
    excluded.extend(listed.into_iter().map(|[i, j]: [usize; 2]| (i.min(j), i.max(j))));
    Ok(excluded.into_iter().collect())
}

/// The pairs with at most so many bonds between them.
fn within_bonds(bonds: &[(usize, usize)], beads: usize, reach: usize) -> BTreeSet<(usize, usize)> {
    if reach == 0 || bonds.is_empty() {
        return BTreeSet::new();
    }
    let mut neighbours = vec![Vec::new(); beads];
    for &(i, j) in bonds {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut pairs = BTreeSet::new();
    for i in 0..beads {
        let mut reached = vec![i];
        let mut from = 0;
        for _ in 0..reach {
            let to = reached.len();
            for place in from..to {
                for &j in &neighbours[reached[place]] {
                    if !reached.contains(&j) {
                        reached.push(j);
                    }
                }
            }
            from = to;
        }
        pairs.extend(reached.into_iter().filter(|&j| i < j).map(|j| (i, j)));
    }
    pairs
}

fn counts(interactions: &Interactions, molecules: &[u32], beads: usize) -> Counts {
    let bonds = interactions.bonded.iter().map(|term| term.pairs().len()).sum();
    let chains = molecules.iter().max().map_or(0, |last| *last as usize + 1);
    Counts { beads, chains, bonds, ..Counts::default() }
}

/// Records the unit of the sums of forces in a box. A unit that is given must be the one that follows from the system.
fn keep_force_unit(section: &mut Section<'_>, system: &System) -> Result<(), Error> {
    if system.boundary == Boundary::Open {
        return section.exclude(&["force_unit"], "only periodic boxes have a force unit");
    }
    // The unit is a power of two.
    let unit = format!("2^{:.0}", ForceUnit::of(system).unit.log2());
    if let Some(given) = section.text("force_unit", &unit)?
        && given.value != unit
    {
        let problem =
            format!("is {}, and {unit} follows from the system: leave it out", given.value);
        return Err(section.fault(CONFLICT, "force_unit", &problem));
    }
    section.keep("force_unit", Value::Text(unit));
    Ok(())
}
