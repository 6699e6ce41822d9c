//! The unit of sums of forces in a periodic box.

use crate::potentials::angle::{AngleFormula, AngleVisitor};
use crate::potentials::bonded::BondedVisitor;
use crate::potentials::listed::{Angles, Pairs, Singles};
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::potentials::single::{SingleFormula, SingleVisitor};
use crate::system::System;
use crate::units::Units;

/// How forces are rounded to whole numbers.
///
/// A contribution to a bead's force is rounded once to a multiple of `unit`. The unit follows from the system alone: the
/// largest contribution that counts, `limit`, is 2¹⁵ times the largest plausible force, and as many units as leave room
/// for one contribution of each bead, bond, angle and field in 63 bits, but 2⁵¹ at most, which a double rounds by an addition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceUnit {
    /// kcal/(mol Å): a power of two.
    pub unit: f64,
    /// kcal/(mol Å): contributions at or beyond this force are errors.
    pub limit: f64,
}

/// The limit over the largest plausible force.
const HEADROOM: f64 = 32_768.0;
/// An energy that a term plausibly has, of either sign: 64 kT at room temperature, kcal/mol, or 64 in reduced units.
const PLAUSIBLE_ENERGIES: f64 = 64.0;
const ROOM_TEMPERATURE: f64 = 0.6;

impl ForceUnit {
    /// The unit of a system.
    pub fn of(system: &System) -> ForceUnit {
        let interactions = &system.interactions;
        let angles: usize = interactions.angles.iter().map(|term| term.visit(Count)).sum();
        let singles: usize = interactions.singles.iter().map(|term| term.visit(Count)).sum();
        let bonded: usize = interactions.bonded.iter().map(|term| term.visit(Count)).sum();
        let contributions = (system.beads() + bonded + angles + singles).max(2) as u64;
        let bits = (62 - contributions.next_power_of_two().ilog2()).min(51);
        let mut limit = HEADROOM;
        // At most a factor of two above the plausible force, by exact steps.
        let plausible = largest_plausible_force(system);
        while limit < HEADROOM * plausible {
            limit *= 2.0;
        }
        while limit > 2.0 * HEADROOM * plausible {
            limit *= 0.5;
        }
        ForceUnit { unit: limit / (1_u64 << bits) as f64, limit }
    }
}

/// The largest force, kcal/(mol Å), of any term within the plausible energies.
fn largest_plausible_force(system: &System) -> f64 {
    let energy = match system.units {
        Units::Real => ROOM_TEMPERATURE,
        Units::Reduced => 1.0,
    };
    let scan = Scan { energy: PLAUSIBLE_ENERGIES * energy };
    let interactions = &system.interactions;
    let bonded = interactions.bonded.iter().map(|term| term.visit(scan));
    let pairs = interactions.pairs.iter().map(|term| term.visit(scan));
    let angles = interactions.angles.iter().map(|term| term.visit(scan));
    let singles = interactions.singles.iter().map(|term| term.visit(scan));
    // An energy of kT over a unit of length, where nothing else acts.
    bonded.chain(pairs).chain(angles).chain(singles).fold(energy, f64::max)
}

/// Finds the largest force of a term where its energy is no larger than `energy`, with either sign.
#[derive(Clone, Copy)]
struct Scan {
    energy: f64,
}

impl Scan {
    /// Over distances from 2⁻¹⁰ to 2¹⁰ units of length below the cutoff, in steps of a sixteenth.
    fn pair(self, potential: &impl PairFormula, cutoff: f64) -> f64 {
        let mut largest = self.spring(potential.stiffness());
        let mut r = 1.0 / 1024.0;
        while r < cutoff.min(1024.0) {
            if potential.holds(r * r) && potential.energy(r * r).abs() <= self.energy {
                largest = largest.max(potential.force_over_distance(r * r).abs() * r);
            }
            r *= 1.0625;
        }
        largest
    }

    /// The force of a spring at this energy.
    fn spring(self, stiffness: f64) -> f64 {
        (2.0 * self.energy * stiffness).sqrt()
    }
}

impl BondedVisitor for Scan {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> f64 {
        let mut largest = 0.0_f64;
        let mut last = None;
        for pair in term {
            // Bonds with the same parameters follow each other.
            if last != Some(&pair.potential) {
                largest = largest.max(self.pair(&pair.potential, f64::INFINITY));
            }
            last = Some(&pair.potential);
        }
        largest
    }
}

impl PairVisitor for Scan {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> f64 {
        let forces = term.entries().iter().map(|entry| self.pair(&entry.potential, entry.cutoff));
        forces.fold(0.0, f64::max)
    }
}

impl AngleVisitor for Scan {
    type Output = f64;

    /// Slopes over cos θ, with arms of one unit of length.
    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> f64 {
        let of_angle = |potential: &F| {
            let cosines = (-31..32).map(|part| f64::from(part) / 32.0);
            let plausible = cosines.filter(|&cosine| potential.energy(cosine).abs() <= self.energy);
            plausible.map(|cosine| potential.slope(cosine).abs()).fold(0.0, f64::max)
        };
        term.iter().map(|angle| of_angle(&angle.potential)).fold(0.0, f64::max)
    }
}

impl SingleVisitor for Scan {
    type Output = f64;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> f64 {
        let forces = term.iter().map(|single| self.spring(single.potential.stiffness()));
        forces.fold(0.0, f64::max)
    }
}

/// Counts the entries of a term.
struct Count;

impl BondedVisitor for Count {
    type Output = usize;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> usize {
        term.len()
    }
}

impl AngleVisitor for Count {
    type Output = usize;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> usize {
        term.len()
    }
}

impl SingleVisitor for Count {
    type Output = usize;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> usize {
        term.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particles;
    use crate::potentials::pair::{DpdConservative, LennardJones};

    fn unit(beads: usize, term: crate::potentials::PairTerm) -> ForceUnit {
        let labels = vec![beadwork_structure::Label::default(); beads];
        let particles = Particles::of_one_type(labels, vec![[0.0; 3]; beads]);
        let mut system = System { particles, units: Units::Reduced, ..System::default() };
        system.interactions.pairs.push(term);
        ForceUnit::of(&system)
    }

    #[test]
    fn the_unit_follows_from_the_forces_and_the_number_of_beads() {
        let dpd = |strength| {
            PairTable::of_one_type(DpdConservative { strength, cutoff: 1.0 }, 1.0).into()
        };
        // The largest force is nearly 25: the next power of two is 32.
        let small = unit(1_000, dpd(25.0));
        assert_eq!(small.limit, 32.0 * HEADROOM);
        assert_eq!(small.unit, small.limit / 2.0_f64.powi(51));
        // Of a million beads each may push the same one.
        let large = unit(1_000_000, dpd(25.0));
        assert_eq!((large.limit, large.unit), (small.limit, small.limit / 2.0_f64.powi(42)));
        assert_eq!(unit(1_000, dpd(1e-3)).limit, HEADROOM);
        // At 64 ε the force of a Lennard-Jones pair is about 1,000 ε/σ.
        let lj = LennardJones::cut(1.0, 1.0, 2.5);
        assert_eq!(unit(10, PairTable::of_one_type(lj, 2.5).into()).limit, 1_024.0 * HEADROOM);
    }
}
