//! Numbers and energies of native contacts, within chains and between them.

use std::collections::BTreeMap;

use crate::potentials::NativeContact;
use crate::system::System;

/// A number of contacts and the sum of their depths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactSum {
    /// How many.
    pub contacts: usize,
    /// Σ ε, kcal/mol.
    pub energy: f64,
}

impl ContactSum {
    fn count(&mut self, depth: f64) {
        self.contacts += 1;
        self.energy += depth;
    }
}

/// The native contacts of a system that carry energy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactSums {
    /// Within chains.
    pub within: ContactSum,
    /// Between different chains.
    pub between: ContactSum,
    /// Between two chains with these identifiers, in their order.
    pub pairs: BTreeMap<[String; 2], ContactSum>,
}

/// Counts the native contacts of a system; `chains` has an identifier for each molecule.
pub fn contact_sums(system: &System, chains: &[String]) -> ContactSums {
    let molecules = &system.particles.molecules;
    let mut sums = ContactSums::default();
    let mut pairs: BTreeMap<[&str; 2], ContactSum> = BTreeMap::new();
    for contact in system.interactions.bonded_by::<NativeContact>() {
        let depth = contact.potential.depth;
        let [one, other] = [contact.i, contact.j].map(|bead| molecules[bead] as usize);
        if one == other {
            sums.within.count(depth);
            continue;
        }
        sums.between.count(depth);
        let mut pair = [one, other].map(|chain| chains.get(chain).map_or("", String::as_str));
        pair.sort_unstable();
        pairs.entry(pair).or_default().count(depth);
    }
    let owned = |(pair, sum): ([&str; 2], ContactSum)| (pair.map(str::to_string), sum);
    sums.pairs = pairs.into_iter().map(owned).collect();
    sums
}
