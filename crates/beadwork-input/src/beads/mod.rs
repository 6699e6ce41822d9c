//! `[system]` of beads whose interactions the input lists, in open space or in a periodic box.

mod angles;
mod between;
mod bonds;
mod boundary;
pub(crate) mod build;
mod by_types;
mod checks;
mod exclusions;
mod lists;
mod memory;
mod molecules;
mod pairs;
mod repeat;
mod start;
mod start_velocities;
mod type_keys;
mod type_numbers;
mod types;

pub use memory::{estimated_list, free_memory, refuse_long_lists};

use std::sync::Arc;

use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::{Boundary, Counts, ForceUnit, Interactions, Model, Particles, System};
use beadwork_structure::Configuration;

use crate::built::{Built, BuiltSystems, FromElsewhere};
use crate::document::{Node, Table, Value};
use crate::error::{CONFLICT, Error, START};
use crate::files::Files;
use crate::models::{MODELS, UNITS};
use crate::section::Section;
use crate::settings::DynamicsRead;
use angles::read_angles;
use between::StartBeads;
use bonds::read_bonds;
use boundary::{FILE, read_box, read_sides};
use exclusions::read_exclusions;
use molecules::OwnBox;
use pairs::PairsRead;
use start::StartRead;

pub(crate) use checks::refuse_overlap;
pub(crate) use start_velocities::warning as warning_of_velocities;
pub(crate) use type_keys::TypeKeys;
pub(crate) use types::MOST_TYPES;

/// The key of the unit in which forces in a box are added up; it follows from the system.
pub(crate) const FORCE_UNIT: &str = "force_unit";

/// The keys of `[system]`.
const KEYS: [&str; 11] = [
    "model", "units", "box", "start", "build", "types", "bonds", "angles", "pairs", "exclude",
    FORCE_UNIT,
];

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
    } = start::read(&mut section, files, replicas, sides, dynamics, seed)?;
    let boundary = read_box(&mut section, sides, &file)?;
    let types = types::read(&mut section, &file, dynamics)?;
    let PairsRead { terms, thermostat, has_charges, warnings: of_pairs } =
        pairs::read(&mut section, &types)?;
    warnings.extend(of_pairs);
    let mut interactions = Interactions { pairs: terms, thermostat, ..Interactions::default() };
    let molecules = molecules::numbers(&section, &file);
    let own = in_file.map(|in_file| in_file.own_box(&file, boundary));
    let others = starts.as_deref_mut().unwrap_or_default();
    let (mut positions, measured_in) =
        join_before_bonds(&section, own, &mut file, others, &molecules, boundary);
    let beads = StartBeads {
        types: &types,
        file: &file,
        backs: &backs,
        molecules: &molecules,
        boundary: measured_in,
    };
    let bonds_asked = read_bonds(&mut section, &beads, &mut interactions)?;
    read_angles(&mut section, &beads, &mut interactions)?;
    if let Some(own) = own {
        let others = starts.iter_mut().flatten();
        for positions in std::iter::once(&mut positions).chain(others) {
            let found = join(&section, positions, own, &interactions, boundary, &file.source)?;
            warnings.extend(found.filter(|found| !warnings.contains(found)));
        }
    }
    interactions.excluded = read_exclusions(&mut section, &interactions, file.len())?;
    warnings.extend(checks::warnings(&section, &file, &types, has_charges, &interactions));
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
            charges: types.charges_of_beads(),
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

/// Joins molecules that the box of the file cuts, in `file` and `starts`, along bonds that follow from the input before `bonds` is read.
/// Does nothing if the system has the same box, or if images of the file say where beads are. Returns the positions of the system,
/// which stay as the file has them if the start repeats its box, and the box in which distances for bonds and angles are measured.
fn join_before_bonds(
    section: &Section<'_>,
    own: Option<OwnBox>,
    file: &mut Configuration,
    starts: &mut [Vec<[f64; 3]>],
    molecules: &[u32],
    boundary: Boundary,
) -> (Vec<[f64; 3]>, Boundary) {
    let mut positions = file.positions.clone();
    let Some(own) = own.filter(|own| own.boundary != boundary && !own.has_images) else {
        return (positions, boundary);
    };
    let known = molecules::known_bonds(section, file, molecules);
    for positions in std::iter::once(&mut file.positions).chain(starts) {
        own.join_what_is_cut(positions, &known);
    }
    if !own.is_of_file_alone {
        return (positions, boundary);
    }
    positions.clone_from(&file.positions);
    // Where no bond is known yet, beads are near each other in the box of the file.
    (positions, if known.is_empty() { own.boundary } else { boundary })
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

fn counts(interactions: &Interactions, molecules: &[u32], beads: usize) -> Counts {
    let bonds = interactions.bonded.iter().map(|term| term.pairs().len()).sum();
    let chains = molecules.iter().max().map_or(0, |last| *last as usize + 1);
    Counts { beads, chains, bonds, ..Counts::default() }
}

/// Records the unit of the sums of forces in a box. A unit that is given must be the one that follows from the system.
fn keep_force_unit(section: &mut Section<'_>, system: &System) -> Result<(), Error> {
    if system.boundary == Boundary::Open {
        return section.exclude(&[FORCE_UNIT], "only periodic boxes have a force unit");
    }
    // The unit is a power of two.
    let unit = format!("2^{:.0}", ForceUnit::of(system).unit.log2());
    if let Some(given) = section.text(FORCE_UNIT, &unit)?
        && given.value != unit
    {
        let problem =
            format!("is {}, and {unit} follows from the system: leave it out", given.value);
        return Err(section.fault(CONFLICT, FORCE_UNIT, &problem));
    }
    section.keep(FORCE_UNIT, Value::Text(unit));
    Ok(())
}
