//! Warns of beads that fall onto each other, because nothing repels them at short distances.

use std::collections::HashMap;

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
    let pulling: Vec<(usize, usize)> =
        system.interactions.bonded.iter().flat_map(pulling_together).collect();
    let types_of = |(i, j): (usize, usize)| {
        let of_beads = &system.particles.types;
        [i, j].map(|bead| of_beads.get(bead).copied().unwrap_or(0))
    };
    let mut known: HashMap<[u16; 2], bool> = HashMap::new();
    let mut repel =
        |types: [u16; 2]| *known.entry(types).or_insert_with(|| types_repel(system, types));
    let is_excluded =
        |bond: &(usize, usize)| system.interactions.excluded.binary_search(bond).is_ok();
    let is_bare = |bond: &(usize, usize)| is_excluded(bond) || !repel(types_of(*bond));
    let bare: Vec<(usize, usize)> = pulling.iter().copied().filter(is_bare).collect();
    let (i, j) = *bare.first()?;
    let own = "give the bond a repulsion of its own by `depth` and `diameter`";
    let (reason, remedy) = match types_repel(system, types_of((i, j))) {
        true => ("`exclude` keeps from them the pair terms that repel", "or write exclude = 0"),
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
    let meet = |a: usize, b: usize| counts[a] > 0 && counts[b] > usize::from(a == b);
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

/// The pairs of a term that only a repulsion of others keeps apart.
fn pulling_together(term: &BondedTerm) -> Vec<(usize, usize)> {
    match term {
        BondedTerm::FeneBond(bonds) => {
            let centred = bonds.iter().filter(|bond| bond.potential.length == 0.0);
            centred.map(|bond| (bond.i, bond.j)).collect()
        }
        BondedTerm::RepulsiveFeneBond(bonds) => {
            let soft = bonds.iter().filter(|bond| bond.potential.depth == 0.0);
            soft.map(|bond| (bond.i, bond.j)).collect()
        }
        BondedTerm::HarmonicBond(_)
        | BondedTerm::NativeContact(_)
        | BondedTerm::ElasticNetworkSpring(_) => Vec::new(),
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
