//! The stiffness that angles give the directions in which their beads move.

use std::collections::HashMap;

use crate::potentials::angle::{AngleFormula, AngleTerm, AngleVisitor};
use crate::potentials::listed::Angles;
use crate::system::System;

impl System {
    /// The largest stiffness, kcal/(mol Å²), of an angle at rest along any direction of its three beads: 6 k/b², where k is that of
    /// the angle and b the shorter of its bonds, as where the middle bead moves against both others. Angles without two bonds that
    /// have a length at rest, of their own or with pair terms, do not count.
    pub fn stiffest_angle(&self) -> f64 {
        self.stiffest_angle_per(&|_| 1.0)
    }

    /// The largest of these stiffnesses over the mass of the lightest bead of its angle, kcal/(mol Å² Da).
    pub(crate) fn stiffest_angle_per_mass(&self) -> f64 {
        let lightest = |beads: [usize; 3]| {
            beads.into_iter().map(|bead| self.mass(bead)).fold(f64::INFINITY, f64::min)
        };
        self.stiffest_angle_per(&lightest)
    }

    fn stiffest_angle_per(&self, divisor: &dyn Fn([usize; 3]) -> f64) -> f64 {
        if self.interactions.angles.is_empty() {
            return 0.0;
        }
        let lengths = self.lengths_at_rest();
        let of_term = |term: &AngleTerm| term.visit(Stiffest { lengths: &lengths, divisor });
        self.interactions.angles.iter().map(of_term).fold(0.0, f64::max)
    }
}

struct Stiffest<'a> {
    lengths: &'a HashMap<(usize, usize), f64>,
    /// Of the stiffness of an angle of three beads.
    divisor: &'a dyn Fn([usize; 3]) -> f64,
}

impl AngleVisitor for Stiffest<'_> {
    type Output = f64;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> f64 {
        let length = |i: usize, j: usize| self.lengths.get(&(i.min(j), i.max(j))).copied();
        let stiffness = |[i, j, k]: [usize; 3], potential: &F| {
            let shorter = length(i, j)?.min(length(j, k)?);
            Some(6.0 * potential.stiffness() / (shorter * shorter) / (self.divisor)([i, j, k]))
        };
        let of_terms = term.iter().filter_map(|angle| stiffness(angle.beads, &angle.potential));
        of_terms.fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particles;
    use crate::potentials::listed::{Angle, Pair};
    use crate::potentials::pair::{LennardJones, PairTable};
    use crate::potentials::{
        CosineAngle, CosineSquaredAngle, FeneBond, HarmonicAngle, HarmonicBond,
    };
    use beadwork_structure::Label;

    fn chain(lengths: [f64; 2]) -> System {
        let bond = |(i, length): (usize, f64)| Pair {
            i,
            j: i + 1,
            potential: HarmonicBond { stiffness: 1.0, length },
        };
        let mut system = System::default();
        let bonds: Vec<_> = lengths.into_iter().enumerate().map(bond).collect();
        system.interactions.bonded = vec![bonds.into()];
        system
    }

    #[test]
    fn angles_are_as_stiff_as_their_shorter_bond_makes_them() {
        let beads = [0, 1, 2];
        let harmonic = HarmonicAngle { stiffness: 4.0, angle: 1.9 };
        let squared = CosineSquaredAngle { stiffness: 4.0, cosine: 0.5 };
        for (term, expected) in [
            (vec![Angle { beads, potential: harmonic }].into(), 6.0),
            (vec![Angle { beads, potential: CosineAngle { stiffness: 2.0 } }].into(), 3.0),
            (vec![Angle { beads, potential: squared }].into(), 4.5),
        ] {
            let mut system = chain([3.0, 2.0]);
            system.interactions.angles = vec![term];
            assert_eq!(system.stiffest_angle(), expected);
            system.interactions.bonded = chain([3.0, 0.0]).interactions.bonded;
            assert_eq!(system.stiffest_angle(), 0.0);
        }
        assert_eq!(chain([3.0, 2.0]).stiffest_angle(), 0.0);
    }

    /// Bonds of Kremer and Grest rest where FENE and the repulsion of pairs balance: at 0.9609 σ.
    #[test]
    fn bonds_without_a_length_rest_where_pairs_hold_their_beads() {
        let positions = (0..3).map(|bead| [f64::from(bead), 0.0, 0.0]).collect();
        let particles = Particles::of_one_type(vec![Label::default(); 3], positions);
        let mut system = System { particles, ..System::default() };
        let potential = FeneBond { stiffness: 30.0, limit: 1.5, length: 0.0 };
        let bonds = [[0, 1], [2, 1]].map(|[i, j]| Pair { i, j, potential }).to_vec();
        system.interactions.bonded = vec![bonds.into()];
        let angle = Angle { beads: [0, 1, 2], potential: CosineAngle { stiffness: 2.0 } };
        system.interactions.angles = vec![vec![angle].into()];
        assert_eq!(system.stiffest_angle(), 0.0);
        let repulsion = LennardJones::weeks_chandler_andersen(1.0, 1.0);
        let table = PairTable::of_one_type(repulsion, repulsion.cutoff);
        system.interactions.pairs = vec![table.into()];
        let expected = 12.0 / 0.9609_f64.powi(2);
        assert!((system.stiffest_angle() / expected - 1.0).abs() < 2e-4);
        system.interactions.excluded = vec![(1, 2)];
        assert_eq!(system.stiffest_angle(), 0.0);
    }
}
