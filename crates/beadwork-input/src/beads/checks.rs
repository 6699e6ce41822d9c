//! Whether a system of beads can be simulated from its start.

use std::collections::{BTreeSet, HashMap};

use beadwork_model::advice::with_decimals;
use beadwork_model::potentials::angle::AngleTerm;
use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::units::Units;
use beadwork_model::{BrokenBond, Interactions, Model, Stage, StageKind, System};
use beadwork_structure::Configuration;

use super::boundary::place_of_side;
use super::types::Types;
use crate::document::Node;
use crate::error::{BAD_VALUE, Error, Location, START};
use crate::section::Section;
use crate::steps::rounded;

/// The share that equal spheres fill at most: π/√18.
const CLOSEST_PACKING: f64 = 0.7405;

/// The warnings of the file, and those about its units, what is left out of it, bonds and angles. Chains and molecules that `build` made have
/// others, [`warning_of_chains`] and [`warning_of_molecules`].
pub(super) fn warnings(
    section: &Section<'_>,
    file: &Configuration,
    types: &Types,
    has_charges: bool,
    interactions: &Interactions,
) -> Vec<String> {
    let mut warnings = file.warnings.clone();
    warnings.extend(warning_of_units(file, section.units));
    warnings.extend(warnings_of_unused(file, types, has_charges));
    warnings.extend(warning_of_bonds(file, interactions));
    warnings.extend(warning_of_bonds_twice(file));
    warnings.extend(warnings_of_lists_twice(section));
    warnings.extend(warning_of_angles(file, interactions));
    warnings
}

/// Warns of charges on which no term acts, and of dihedrals.
fn warnings_of_unused(file: &Configuration, types: &Types, has_charges: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    if types.charges.iter().any(|&charge| charge != 0.0) && !has_charges {
        warnings.push(
            "beads have charges, and no term of `pairs` acts on them: add one of the kind \"debye-huckel\", or leave the charges out".to_string(),
        );
    }
    for (count, what) in [(file.dihedrals, "dihedrals"), (file.impropers, "improper dihedrals")] {
        if count > 0 {
            warnings.push(format!(
                "the {count} {what} of {} are left out: no term acts on four beads",
                file.source
            ));
        }
    }
    warnings
}

/// The sentence about a LAMMPS data file whose first line names other units than those of the input.
fn warning_of_units(file: &Configuration, units: Units) -> Option<String> {
    let style = file.unit_style.as_deref().filter(|style| !style.is_empty())?;
    let taken = match (units, style) {
        // Lengths of both are in Å, masses in g/mol, charges in elementary charges.
        (Units::Real, "real" | "metal") | (Units::Reduced, "lj") => return None,
        (Units::Real, _) => "lengths are taken as Å, masses as Da, charges as elementary charges",
        (Units::Reduced, _) => "numbers are taken as reduced ones",
    };
    Some(format!(
        "the first line of {} names the units {style}, but its {taken}, since [system] has units = \"{}\"",
        file.source,
        if units == Units::Real { "real" } else { "reduced" }
    ))
}

/// The sentence about angles of the file that no term of `angles` has.
fn warning_of_angles(file: &Configuration, interactions: &Interactions) -> Option<String> {
    let ascending = |[i, j, k]: [usize; 3]| [i.min(k), j, i.max(k)];
    let terms = interactions.angles.iter().flat_map(AngleTerm::triples);
    let taken: BTreeSet<[usize; 3]> = match file.angles.is_empty() {
        true => return None,
        false => terms.map(ascending).collect(),
    };
    let is_left = |beads: [usize; 3]| !taken.contains(&ascending(beads));
    let left = file.angles.iter().filter(|(beads, _)| is_left(*beads)).count();
    let (all, source) = (file.angles.len(), &file.source);
    match left {
        0 => None,
        left if left == all => Some(format!(
            "no term acts on the {all} angles of {source}: add one to `angles`, or ignore this warning"
        )),
        left => Some(format!(
            "no term of `angles` acts on {left} of the {all} angles of {source}: add one, or ignore this warning"
        )),
    }
}

/// The sentence about a bond that the file has more than once.
fn warning_of_bonds_twice(file: &Configuration) -> Option<String> {
    let ascending = |&([i, j], kind): &([usize; 2], u32)| (i.min(j), i.max(j), kind);
    let mut bonds: Vec<(usize, usize, u32)> = file.bonds.iter().map(ascending).collect();
    bonds.sort_unstable();
    let twice = bonds.windows(2).filter(|two| two[0] == two[1]).count();
    let (i, j, _) = *bonds.windows(2).find(|two| two[0] == two[1])?.first()?;
    let others = if twice > 1 { format!(", and {} others too", twice - 1) } else { String::new() };
    Some(format!(
        "{} has the bond of the beads {i} and {j} more than once{others}: each acts once, where other programs may count it twice",
        file.source
    ))
}

/// The sentences about lists of beads in `between` that the input has more than once, in either direction.
fn warnings_of_lists_twice(section: &Section<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["bonds", "angles"] {
        let terms = section.node(key).and_then(Node::list).unwrap_or_default();
        for (number, term) in terms.iter().enumerate() {
            let lists = term.get("between").and_then(Node::list).unwrap_or_default();
            let mut seen = BTreeSet::new();
            let twice = lists.iter().find(|list| {
                let beads: Vec<String> =
                    list.list().unwrap_or_default().iter().map(Node::plain).collect();
                let reversed = beads.iter().rev().cloned().collect();
                !seen.insert(beads.min(reversed))
            });
            found.extend(twice.map(|list| {
                format!(
                    "`between` of `{key}` {} in [system] has the beads {} more than once: they have one term; leave the others out",
                    number + 1,
                    list.plain()
                )
            }));
        }
    }
    found
}

/// The sentence about bonds of the file that no term of `bonds` has.
fn warning_of_bonds(file: &Configuration, interactions: &Interactions) -> Option<String> {
    if let Some(written) = file.bonds_written {
        let joined: usize = interactions.bonded.iter().map(|term| term.pairs().len()).sum();
        return (joined != written).then(|| {
            format!(
                "the run that wrote {} had {written} bonds, which this file cannot hold, and `bonds` joins {joined} pairs: start from the .gsd file beside it, which has them",
                file.source
            )
        });
    }
    if file.bonds.is_empty() {
        return None;
    }
    let taken: BTreeSet<(usize, usize)> =
        interactions.bonded.iter().flat_map(BondedTerm::pairs).collect();
    let is_left = |&[i, j]: &[usize; 2]| !taken.contains(&(i.min(j), i.max(j)));
    let left = file.bonds.iter().filter(|(pair, _)| is_left(pair)).count();
    (left > 0).then(|| {
        format!(
            "no term of `bonds` acts on {left} of the {} bonds of {}: add one, or ignore this warning",
            file.bonds.len(),
            file.source
        )
    })
}

/// The sentence about a start without bonds, whose molecules are joined bead after bead because the input does not say how.
pub(super) fn warning_of_chains(
    file: &Configuration,
    backs: &[u32],
    molecules: &[u32],
) -> Option<String> {
    let mut beads: HashMap<u32, usize> = HashMap::new();
    molecules.iter().for_each(|molecule| *beads.entry(*molecule).or_default() += 1);
    let largest = beads.values().copied().max().unwrap_or(0);
    // Two beads are bonded in one way alone.
    if !backs.is_empty() || largest < 3 {
        return None;
    }
    let what = match file.molecules {
        Some(_) => "no bonds: the beads of each molecule are joined one after another".to_string(),
        None => format!(
            "neither bonds nor molecules: its {} beads are joined one after another as one chain",
            file.len()
        ),
    };
    Some(format!(
        "{} has {what}; if molecules are branched or rings, start from a file with bonds or list them; write between = \"chain\" in `bonds` to drop this warning",
        file.source
    ))
}

/// The sentence about molecules of `build` that no bond holds together.
pub(super) fn warning_of_molecules(backs: &[u32], interactions: &Interactions) -> Option<String> {
    let are_joined = backs.iter().any(|&back| back > 0);
    let has_bonds = interactions.bonded.iter().any(|term| !term.pairs().is_empty());
    (are_joined && !has_bonds).then(|| {
        "`build` has molecules of several beads, but nothing holds them together: give `bonds` in [system]".to_string()
    })
}

/// Refuses boxes that are too small, broken bonds, and densities that cannot be.
pub(super) fn refuse(section: &Section<'_>, system: &System) -> Result<(), Error> {
    if let Some(problem) = system.boundary_problem() {
        let place = place_of_side(section, &problem);
        return Err(place.error(BAD_VALUE, format!("{}: {problem}", section.name)));
    }
    let start = if section.has("build") { "build" } else { "start" };
    if let Some(BrokenBond { beads: [i, j], distance, rest_length, limit }) = system.broken_bond() {
        let (unit, apart) = (system.units.of_length(), with_decimals(distance, 4));
        let built = section.resolved.get("build");
        let remedy = match built.map(|built| built.get("placement").and_then(Node::text)) {
            None => "take other coordinates, or a larger `limit`",
            Some(Some("random")) => "give `build` a `bond_length` within these bounds",
            Some(_) => {
                "bonds of a lattice are as long as the density makes them: give `build` placement = \"random\" and a `bond_length`, or a higher `density`"
            }
        };
        let problem = format!(
            "has the beads {i} and {j} {apart}{unit} apart, and their bond holds within {rest_length} +/- {limit}{unit} only: {remedy}"
        );
        return Err(section.fault(START, start, &problem));
    }
    // Bonded beads on which pair terms do not act may be nearer than these allow.
    if section.has("build")
        && system.interactions.excluded.is_empty()
        && let Some(filled) = system.packing_fraction()
        && filled > CLOSEST_PACKING
    {
        let problem = format!(
            "cannot be built at this density: where two beads have an energy of 64{}, the box is filled to {:.0} % by spheres, and no packing fills more than 74 %; take a lower `density`, a larger `box` or a smaller `count`",
            system.units.of_energy(),
            100.0 * filled
        );
        return Err(section.fault(BAD_VALUE, "build", &problem));
    }
    Ok(())
}

/// Refuses beads in one place, unless the first stage pushes them apart.
pub(crate) fn refuse_overlap(
    place: &Location,
    system: &System,
    stages: &[Stage],
) -> Result<(), Error> {
    let pushes = |stage: &Stage| matches!(stage.kind, StageKind::Minimise { push_off: 1.., .. });
    if system.model != Model::Beads || stages.first().is_some_and(pushes) {
        return Ok(());
    }
    let Some([i, j]) = system.overlapping_beads() else { return Ok(()) };
    let positions = &system.particles.positions;
    let apart = system.boundary.squared_distance(positions[i], positions[j]).sqrt();
    let problem = format!(
        "[system]: the start has the beads {i} and {j} {}{} apart, where their energy exceeds 10^12{} or is not a number: move them apart, or let a first stage push them apart by minimise = {{ push_off = 1_000 }}",
        rounded((1e4 * apart).round() / 1e4),
        system.units.of_length(),
        system.units.of_energy()
    );
    Err(place.error(START, problem))
}
