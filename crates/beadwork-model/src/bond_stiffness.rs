//! The stiffness of bonds together with the pair terms that act between bonded beads.

use std::collections::HashMap;

use crate::potentials::bonded::BondedVisitor;
use crate::potentials::listed::{Pair, Pairs};
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::potentials::{EnergyKind, PairTerm};
use crate::system::System;

impl System {
    /// The largest stiffness of a bond, kcal/(mol Å²); contacts do not count. Where pair terms act between bonded beads, as
    /// in the chains of Kremer and Grest, it is the curvature of all energies of the pair at their minimum, if that is larger.
    pub fn stiffest_bond(&self) -> f64 {
        self.stiffest_bond_per(&|_, _| 1.0)
    }

    /// The largest of these stiffnesses over the mass of the lighter bead of its bond, kcal/(mol Å² Da).
    pub(crate) fn stiffest_bond_per_mass(&self) -> f64 {
        self.stiffest_bond_per(&|i, j| self.mass(i).min(self.mass(j)))
    }

    fn stiffest_bond_per(&self, divisor: &dyn Fn(usize, usize) -> f64) -> f64 {
        let terms = self.interactions.bonded.iter();
        let bonds = terms.filter(|term| term.energy_kind() == EnergyKind::Bond);
        bonds.map(|term| term.visit(Stiffest { system: self, divisor })).fold(0.0, f64::max)
    }

    /// Å: the distance of bonded beads i < j at rest: the rest length of their bond, or where the energies of the pair have their
    /// minimum, as in the chains of Kremer and Grest. Bonds without either have none.
    pub(crate) fn lengths_at_rest(&self) -> HashMap<(usize, usize), f64> {
        let terms = self.interactions.bonded.iter();
        let bonds = terms.filter(|term| term.energy_kind() == EnergyKind::Bond);
        bonds.flat_map(|term| term.visit(AtRest(self))).collect()
    }

    fn is_excluded(&self, i: usize, j: usize) -> bool {
        self.interactions.excluded.binary_search(&(i.min(j), i.max(j))).is_ok()
    }

    /// −V′(r) of the pair terms between two types at a distance, kcal/(mol Å).
    pub(crate) fn pair_force(&self, types: [u16; 2], r: f64) -> f64 {
        let force = |term: &PairTerm| term.visit(PairForce { types, r });
        self.interactions.pairs.iter().map(force).sum()
    }
}

struct Stiffest<'a> {
    system: &'a System,
    /// Of the stiffness of a bond of two beads, the same for beads of the same types.
    divisor: &'a dyn Fn(usize, usize) -> f64,
}

impl BondedVisitor for Stiffest<'_> {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> f64 {
        let Stiffest { system, divisor } = self;
        let (mut largest, mut stiffness) = (0.0_f64, 0.0);
        for (number, bond) in term.iter().enumerate() {
            // Neighbours in the list mostly have the same parameters, and some formulas search for their minimum.
            if number == 0 || bond.potential != term[number - 1].potential {
                stiffness = bond.potential.stiffness();
            }
            largest = largest.max(stiffness / divisor(bond.i, bond.j));
        }
        if system.interactions.pairs.is_empty() {
            return largest;
        }
        let of_beads = &system.particles.types;
        // Bonds with the same parameters between the same types have one curvature.
        let mut known: Vec<(F, [u16; 2])> = Vec::new();
        for bond in term {
            let types = [of_beads[bond.i], of_beads[bond.j]];
            let is_known = known.iter().any(|(one, of)| *one == bond.potential && *of == types);
            if system.is_excluded(bond.i, bond.j) || is_known || known.len() == MOST_KINDS {
                continue;
            }
            known.push((bond.potential, types));
            let minimum = minimum(system, &bond.potential, types);
            let curvature = minimum.map_or(0.0, |minimum| minimum.curvature);
            largest = largest.max(curvature / divisor(bond.i, bond.j));
        }
        largest
    }
}

struct AtRest<'a>(&'a System);

impl BondedVisitor for AtRest<'_> {
    type Output = Vec<((usize, usize), f64)>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let AtRest(system) = self;
        let of_beads = &system.particles.types;
        let mut known: Vec<(F, [u16; 2], Option<f64>)> = Vec::new();
        let mut with_pairs = |i: usize, j: usize, bond: F| {
            if system.interactions.pairs.is_empty() || system.is_excluded(i, j) {
                return None;
            }
            let types = [of_beads[i], of_beads[j]];
            if let Some((.., found)) = known.iter().find(|one| one.0 == bond && one.1 == types) {
                return *found;
            }
            if known.len() == MOST_KINDS {
                return None;
            }
            let found = minimum(system, &bond, types).map(|minimum| minimum.distance);
            known.push((bond, types, found));
            found
        };
        let at_rest = |bond: &Pair<F>| {
            let own = Some(bond.potential.rest_length()).filter(|&length| length > 0.0);
            let length = own.or_else(|| with_pairs(bond.i, bond.j, bond.potential))?;
            Some(((bond.i.min(bond.j), bond.i.max(bond.j)), length))
        };
        term.iter().filter_map(at_rest).collect()
    }
}

/// The energy of two bonded beads at its first minimum.
struct Minimum {
    /// Å.
    distance: f64,
    /// kcal/(mol Å²).
    curvature: f64,
}

/// More kinds of bonds than this are not distinguished.
const MOST_KINDS: usize = 256;
/// The ratio of distances at which the minimum is looked for.
const RATIO: f64 = 1.02;

/// The first minimum of a bond's energy and the pair terms between its beads; `None` if no pair term acts there.
fn minimum<F: PairFormula>(system: &System, bond: &F, types: [u16; 2]) -> Option<Minimum> {
    let force = |r: f64| r * bond.force_over_distance(r * r) + system.pair_force(types, r);
    let reach = system.interactions.pair_cutoffs().between(types[0], types[1]);
    let mut low = reach / 1024.0;
    while low < reach && !(force(low) > 0.0 && force(low * RATIO) <= 0.0) {
        low *= RATIO;
    }
    let mut high = low * RATIO;
    if low >= reach || !bond.holds(high * high) {
        return None;
    }
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if force(middle) > 0.0 { low = middle } else { high = middle }
    }
    if system.pair_force(types, low) == 0.0 {
        return None;
    }
    let step = 1e-4 * low;
    let curvature = (force(low - step) - force(low + step)) / (2.0 * step);
    Some(Minimum { distance: low, curvature })
}

/// −V′(r) of a pair term, zero beyond its cutoff.
struct PairForce {
    types: [u16; 2],
    r: f64,
}

impl PairVisitor for PairForce {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> f64 {
        let entry = term.between(self.types[0], self.types[1]);
        match self.r < entry.cutoff {
            true => self.r * entry.potential.force_over_distance(self.r * self.r),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particles;
    use crate::potentials::pair::LennardJones;
    use crate::potentials::{FeneBond, HarmonicBond, RepulsiveFeneBond};
    use beadwork_structure::Label;

    fn pair() -> System {
        let positions = vec![[0.0; 3], [0.97, 0.0, 0.0]];
        let particles = Particles::of_one_type(vec![Label::default(); 2], positions);
        let mut system = System { particles, ..System::default() };
        let repulsion = LennardJones::weeks_chandler_andersen(1.0, 1.0);
        let table = PairTable::of_one_type(repulsion, repulsion.cutoff);
        system.interactions.pairs = vec![table.into()];
        system
    }

    /// FENE of 30 ε/σ² and 1.5 σ with the repulsion of Weeks, Chandler and Andersen. By hand at the minimum, r = 0.9609 σ:
    /// 30 (1 + x)/(1 − x)² with x = (r/1.5)² gives 121.7, and 4 (156/r¹⁴ − 42/r⁸) gives 859.6.
    #[test]
    fn bonds_of_kremer_and_grest_are_stiffer_than_their_constant() {
        let mut system = pair();
        let potential = FeneBond { stiffness: 30.0, limit: 1.5, length: 0.0 };
        system.interactions.bonded = vec![vec![Pair { i: 0, j: 1, potential }].into()];
        let stiffness = system.stiffest_bond();
        assert!((stiffness - 981.3).abs() < 0.1, "{stiffness}");
        system.interactions.excluded = vec![(0, 1)];
        assert_eq!(system.stiffest_bond(), 30.0);
    }

    /// The same numbers, if the repulsion belongs to the bond and pair terms leave bonded beads out.
    #[test]
    fn a_repulsion_of_its_own_makes_a_bond_as_stiff() {
        let mut system = pair();
        let potential =
            RepulsiveFeneBond { stiffness: 30.0, limit: 1.5, depth: 1.0, diameter: 1.0 };
        system.interactions.bonded = vec![vec![Pair { i: 0, j: 1, potential }].into()];
        system.interactions.excluded = vec![(0, 1)];
        let stiffness = system.stiffest_bond();
        assert!((stiffness - 981.3).abs() < 0.1, "{stiffness}");
        let potential = RepulsiveFeneBond { depth: 0.0, ..potential };
        assert_eq!(potential.stiffness(), 30.0);
    }

    /// A bond that is longer than the pair terms reach has its own stiffness.
    #[test]
    fn pairs_beyond_their_cutoff_make_no_bond_stiffer() {
        let mut system = pair();
        let potential = HarmonicBond { stiffness: 7.0, length: 3.0 };
        system.interactions.bonded = vec![vec![Pair { i: 0, j: 1, potential }].into()];
        assert_eq!(system.stiffest_bond(), 7.0);
    }
}
