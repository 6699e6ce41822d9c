//! Warns of beads that fall onto each other, because nothing repels them at short distances.

use std::collections::{HashMap, HashSet};

use crate::potentials::bonded::BondedTerm;
use crate::potentials::{EnergyKind, PairTerm};
use crate::start_check::EnergyOf;
use crate::system::System;
use crate::units::Units;

/// Parts of a cutoff at which pair terms repel, if they do so anywhere.
const NEAR: [f64; 4] = [1e-3, 1e-2, 0.1, 0.3];
/// A part of a cutoff at which an attraction without bounds exceeds every other energy.
const TOUCHING: f64 = 1e-6;
/// An energy below this counts as an attraction without bounds: in kT at room temperature, or in the reduced unit of energy.
const BOTTOMLESS: f64 = -1e3;
/// kT at room temperature, kcal/mol.
const ROOM_TEMPERATURE: f64 = 0.6;

/// Warns of FENE bonds whose beads nothing repels. A bond around a length does not collapse. Harmonic springs of length 0 are those
/// of a Rouse chain.
pub(super) fn warning_of_bare_bonds(system: &System) -> Option<String> {
    let bonded = &system.interactions.bonded;
    let pulling: Vec<PullingBond> = bonded.iter().flat_map(pulling_together).collect();
    if pulling.is_empty() {
        return None;
    }
    let held: HashSet<(usize, usize)> = bonded.iter().flat_map(held_apart).collect();
    let types_of = |(i, j): (usize, usize)| {
        let of_beads = &system.particles.types;
        [i, j].map(|bead| of_beads.get(bead).copied().unwrap_or(0))
    };
    let mut known: HashMap<[u16; 2], bool> = HashMap::new();
    let mut repel =
        |types: [u16; 2]| *known.entry(types).or_insert_with(|| types_repel(system, types));
    let is_excluded =
        |beads: &(usize, usize)| system.interactions.excluded.binary_search(beads).is_ok();
    let is_bare = |bond: &&PullingBond| {
        let beads = bond.beads;
        !held.contains(&beads) && (is_excluded(&beads) || !repel(types_of(beads)))
    };
    let bare: Vec<&PullingBond> = pulling.iter().filter(is_bare).collect();
    let &&PullingBond { beads: (i, j), has_own } = bare.first()?;
    let own = match has_own {
        true => "give the bond a `depth` above 0, since a depth of 0 repels nothing",
        false => "give the bond a repulsion of its own by `depth` and `diameter`",
    };
    let (reason, remedy) = match types_repel(system, types_of((i, j))) {
        true => (
            "`exclude` keeps from them the pair terms that repel",
            "or write exclude = 0, or a `list` in `exclude` without such pairs",
        ),
        false => {
            ("no term of `pairs` repels them", "or add such a term, as \"wca\", with exclude = 0")
        }
    };
    Some(format!(
        "{} of {} bond(s) of the kind \"fene\" without a length pull their beads into one place, the first between beads {i} and {j} (counted from 0): {reason}; {own}, {remedy}. Ignore this warning if springs of ideal chains are meant",
        bare.len(),
        pulling.len()
    ))
}

/// Warns of two types whose pair terms attract the more the nearer the beads are, such as opposite charges without a core.
pub(super) fn warning_of_bottomless_attraction(system: &System) -> Option<String> {
    if !system.interactions.have_energy(EnergyKind::Charge) {
        return None;
    }
    let mut counts = vec![0_usize; system.types.len()];
    for &kind in &system.particles.types {
        if let Some(count) = counts.get_mut(usize::from(kind)) {
            *count += 1;
        }
    }
    let kinds = counts.len();
    let cutoffs = system.interactions.pair_cutoffs();
    let excluded = excluded_by_types(system);
    let meet = |a: usize, b: usize| {
        let (of_a, of_b) = (counts[a] as u64, counts[b] as u64);
        let pairs = if a == b { of_a * of_a.saturating_sub(1) / 2 } else { of_a * of_b };
        pairs > excluded.get(&(a, b)).copied().unwrap_or(0)
    };
    let falls = |a: usize, b: usize| {
        let types = [a as u16, b as u16];
        is_bottomless(system, types, cutoffs.between(types[0], types[1]))
    };
    let mut pairs = (0..kinds).flat_map(|a| (a..kinds).map(move |b| (a, b)));
    let (a, b) = pairs.find(|&(a, b)| meet(a, b) && falls(a, b))?;
    let labels = system.type_labels();
    Some(format!(
        "beads of the types {} and {} attract each other without bounds and fall into one place: add a term to `pairs` that repels them at short distances, such as \"wca\"",
        labels[a], labels[b]
    ))
}

/// How many pairs of two types, the lower one first, no pair term acts on.
fn excluded_by_types(system: &System) -> HashMap<(usize, usize), u64> {
    let mut counts = HashMap::new();
    for &(i, j) in &system.interactions.excluded {
        let of_beads = [i, j].map(|bead| system.particles.types.get(bead));
        if let [Some(&a), Some(&b)] = of_beads {
            let types = (usize::from(a.min(b)), usize::from(a.max(b)));
            *counts.entry(types).or_insert(0) += 1;
        }
    }
    counts
}

/// A bond that only a repulsion of others keeps from its length of 0.
struct PullingBond {
    beads: (usize, usize),
    /// Whether the bond has a repulsion of its own, of depth 0.
    has_own: bool,
}

/// The bonds of a term that only a repulsion of others keeps from their length of 0.
fn pulling_together(term: &BondedTerm) -> Vec<PullingBond> {
    match term {
        BondedTerm::FeneBond(bonds) => {
            let centred = bonds.iter().filter(|bond| bond.potential.length == 0.0);
            centred.map(|bond| PullingBond { beads: (bond.i, bond.j), has_own: false }).collect()
        }
        BondedTerm::RepulsiveFeneBond(bonds) => {
            let soft = bonds.iter().filter(|bond| bond.potential.depth == 0.0);
            soft.map(|bond| PullingBond { beads: (bond.i, bond.j), has_own: true }).collect()
        }
        BondedTerm::HarmonicBond(_)
        | BondedTerm::NativeContact(_)
        | BondedTerm::ElasticNetworkSpring(_) => Vec::new(),
    }
}

/// The pairs of a term that push their beads apart at short distances, whatever else pulls them together.
fn held_apart(term: &BondedTerm) -> Vec<(usize, usize)> {
    match term {
        BondedTerm::FeneBond(bonds) => {
            let long = bonds.iter().filter(|bond| bond.potential.length > 0.0);
            long.map(|bond| (bond.i, bond.j)).collect()
        }
        BondedTerm::HarmonicBond(bonds) | BondedTerm::ElasticNetworkSpring(bonds) => {
            let long = bonds.iter().filter(|bond| bond.potential.length > 0.0);
            long.map(|bond| (bond.i, bond.j)).collect()
        }
        BondedTerm::NativeContact(contacts) => {
            let deep = contacts.iter().filter(|contact| contact.potential.depth > 0.0);
            deep.map(|contact| (contact.i, contact.j)).collect()
        }
        BondedTerm::RepulsiveFeneBond(bonds) => {
            let hard = bonds.iter().filter(|bond| bond.potential.depth > 0.0);
            hard.map(|bond| (bond.i, bond.j)).collect()
        }
    }
}

/// Whether the pair terms push two beads apart that are near each other.
fn types_repel(system: &System, types: [u16; 2]) -> bool {
    let reach = system.interactions.pair_cutoffs().between(types[0], types[1]);
    NEAR.iter().any(|part| system.pair_force(types, part * reach) > 0.0)
}

/// Whether the energy of two beads, whose pair terms reach so far, falls without bounds as they approach.
fn is_bottomless(system: &System, types: [u16; 2], reach: f64) -> bool {
    let scale = match system.units {
        Units::Real => ROOM_TEMPERATURE,
        Units::Reduced => 1.0,
    };
    let r2 = (TOUCHING * reach).powi(2);
    let energy = |term: &PairTerm| term.visit(EnergyOf { types, r2 });
    let energy: f64 = system.interactions.pairs.iter().map(energy).sum();
    reach > 0.0 && energy < BOTTOMLESS * scale
}
