//! Energies of a system in f64: the definition that every path is held to.

use crate::near_pairs::near_pairs;
use crate::particles::Boundary;
use crate::potentials::EnergyKind;
use crate::potentials::angle::{AngleFormula, AngleVisitor, cosine};
use crate::potentials::bonded::{BondedTerm, BondedVisitor};
use crate::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::potentials::single::{SingleFormula, SingleVisitor};
use crate::system::{Angles, Pairs, Singles, System};

/// Energy by kind, kcal/mol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Bonds.
    pub bonds: f64,
    /// Native contacts.
    pub contacts: f64,
    /// Angles.
    pub angles: f64,
    /// Pairs within a cutoff.
    pub pairs: f64,
    /// Single beads.
    pub singles: f64,
}

impl Energies {
    /// The sum of all terms, kcal/mol.
    pub fn total(&self) -> f64 {
        self.bonds + self.contacts + self.angles + self.pairs + self.singles
    }

    fn of(&mut self, kind: EnergyKind) -> &mut f64 {
        match kind {
            EnergyKind::Bond => &mut self.bonds,
            EnergyKind::Contact => &mut self.contacts,
            EnergyKind::Angle => &mut self.angles,
            EnergyKind::Pair => &mut self.pairs,
            EnergyKind::Single => &mut self.singles,
        }
    }
}

/// Squared distance, Å².
pub(crate) fn squared_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = Boundary::Open.separation(a, b);
    x * x + y * y + z * z
}

/// The positions at which energies are asked for.
#[derive(Clone, Copy)]
struct At<'a>(&'a [[f64; 3]]);

impl System {
    /// Energies at `positions`, Å. Pairs are summed in ascending order of (i, j).
    pub fn energies(&self, positions: &[[f64; 3]]) -> Energies {
        let cutoff = self.interactions.pair_cutoff();
        let mut excluded = self.interactions.excluded.iter().copied().peekable();
        let mut kept = Vec::new();
        self.energies_of_pairs(positions, |add| {
            near_pairs(
                positions.len(),
                |bead| positions[bead],
                cutoff,
                |i, partners| {
                    kept.clear();
                    for &j in partners {
                        let pair = (i, j as usize);
                        // Exclusions ascend as the pairs do; those of far pairs are passed by.
                        while excluded.next_if(|&other| other < pair).is_some() {}
                        if excluded.next_if_eq(&pair).is_none() {
                            kept.push(j);
                        }
                    }
                    add(i, &kept);
                },
            );
        })
    }

    /// The same, with pairs that the caller knows to be near: `pairs` calls what it is given for each bead i, ascending,
    /// with the beads j > i, ascending, that may be within the cutoff and are not excluded.
    pub fn energies_of_pairs(
        &self,
        positions: &[[f64; 3]],
        pairs: impl FnOnce(&mut dyn FnMut(usize, &[u32])),
    ) -> Energies {
        // Sums over lists begin with −0, as those of iterators do: bonds at rest have −0 each, which +0 would not leave.
        let mut energies = Energies { bonds: -0.0, contacts: -0.0, ..Energies::default() };
        let at = At(positions);
        for term in &self.interactions.bonded {
            let (kind, energy) = term.visit(at);
            *energies.of(kind) += energy;
        }
        if !self.interactions.pairs.is_empty() {
            let types = &self.particles.types;
            pairs(&mut |i, partners| {
                for term in &self.interactions.pairs {
                    let energies = &mut energies;
                    term.visit(OfRow { i, partners, positions, types, energies });
                }
            });
        }
        for term in &self.interactions.angles {
            energies.angles += term.visit(at);
        }
        for term in &self.interactions.singles {
            energies.singles += term.visit(at);
        }
        energies
    }
}

impl BondedVisitor for At<'_> {
    type Output = (EnergyKind, f64);

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let At(positions) = self;
        let energy = |pair: &crate::system::Pair<F>| {
            pair.potential.energy(squared_distance(positions[pair.i], positions[pair.j]))
        };
        (F::ENERGY, term.iter().map(energy).sum())
    }
}

/// A bead and those beyond it that may be near.
struct OfRow<'a> {
    i: usize,
    partners: &'a [u32],
    positions: &'a [[f64; 3]],
    types: &'a [u16],
    energies: &'a mut Energies,
}

impl PairVisitor for OfRow<'_> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &PairTable<F>) {
        let OfRow { i, partners, positions, types, energies } = self;
        let sum = energies.of(F::ENERGY);
        for &j in partners {
            let j = j as usize;
            let entry = term.between(types[i], types[j]);
            let r2 = squared_distance(positions[i], positions[j]);
            if r2 < entry.cutoff * entry.cutoff {
                *sum += entry.potential.energy(r2);
            }
        }
    }
}

impl AngleVisitor for At<'_> {
    type Output = f64;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> f64 {
        let At(positions) = self;
        let energy = |angle: &crate::system::Angle<F>| {
            let [i, j, k] = angle.beads.map(|bead| positions[bead]);
            let apart = |outer| Boundary::Open.separation(outer, j);
            angle.potential.energy(cosine(apart(i), apart(k)))
        };
        term.iter().map(energy).sum()
    }
}

impl SingleVisitor for At<'_> {
    type Output = f64;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> f64 {
        let At(positions) = self;
        // One after another from zero, as the table has always summed them.
        term.iter().fold(0.0, |sum, single| sum + single.potential.energy(positions[single.bead]))
    }
}

impl BondedTerm {
    /// Whether its pairs are bonds, as opposed to contacts.
    pub(crate) fn is_bond(&self) -> bool {
        struct Kind;
        impl BondedVisitor for Kind {
            type Output = EnergyKind;

            fn visit<F: PairFormula>(self, _: &Pairs<F>) -> EnergyKind {
                F::ENERGY
            }
        }
        self.visit(Kind) == EnergyKind::Bond
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particles;
    use crate::potentials::pair::PairEntry;
    use crate::potentials::{
        CosineSquaredAngle, FeneBond, HarmonicTrap, NativeContact, SixthPowerRepulsion,
    };
    use crate::system::{Angle, Interactions, Pair, Single};

    fn particles(positions: Vec<[f64; 3]>) -> Particles {
        Particles::of_one_type(vec![Default::default(); positions.len()], positions)
    }

    fn repulsion(diameter: f64, cutoff: f64) -> PairTable<SixthPowerRepulsion> {
        PairTable::of_one_type(SixthPowerRepulsion { strength: 1.0, diameter }, cutoff)
    }

    /// Three beads on a line at 0, 3 and 6 Å: one bond at rest, one native contact at its minimum, one repelling pair at
    /// 3 Å, a straight angle, and a trap 2 Å away.
    #[test]
    fn energies_by_kind_on_paper() {
        let bond = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.0 };
        let contact = NativeContact { depth: 1.5, length: 6.0 };
        let angle = CosineSquaredAngle { stiffness: 2.0, cosine: 0.0 };
        let trap = HarmonicTrap { stiffness: 1.0, centre: [6.0, 2.0, 0.0] };
        let system = System {
            particles: particles(vec![[0.0; 3], [3.0, 0.0, 0.0], [6.0, 0.0, 0.0]]),
            interactions: Interactions {
                bonded: vec![
                    vec![Pair { i: 0, j: 1, potential: bond }].into(),
                    vec![Pair { i: 0, j: 2, potential: contact }].into(),
                ],
                pairs: vec![repulsion(3.0, 20.0).into()],
                excluded: vec![(0, 1), (0, 2)],
                angles: vec![vec![Angle { beads: [0, 1, 2], potential: angle }].into()],
                singles: vec![vec![Single { bead: 2, potential: trap }].into()],
            },
            ..System::default()
        };
        let energies = system.energies(&system.particles.positions);
        let expected =
            Energies { bonds: 0.0, contacts: -1.5, angles: 1.0, pairs: 1.0, singles: 2.0 };
        assert_eq!(energies, expected);
        assert_eq!(energies.total(), 2.5);
    }

    #[test]
    fn nothing_acts_at_or_beyond_the_cutoff() {
        let mut system = System {
            particles: particles(vec![[0.0; 3], [0.0, 5.0, 0.0]]),
            interactions: Interactions {
                pairs: vec![repulsion(5.0, 5.0).into()],
                ..Interactions::default()
            },
            ..System::default()
        };
        assert_eq!(system.energies(&system.particles.positions).pairs, 0.0);
        system.particles.positions[1][1] = 4.999;
        assert!(system.energies(&system.particles.positions).pairs > 1.0);
    }

    /// Beads 0 and 1 are of different types, 2 is like 0: (σ/r)⁶ with σ of the two types, and several terms add up.
    #[test]
    fn types_choose_parameters_and_terms_add_up() {
        let mut particles = particles(vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
        particles.types = vec![0, 1, 0];
        let table = PairTable::new(2, |a, b| PairEntry {
            potential: SixthPowerRepulsion { strength: 1.0, diameter: 2.0 * (1 + a + b) as f64 },
            cutoff: if a == b { 2.5 } else { 10.0 },
        });
        let system = System {
            particles,
            interactions: Interactions {
                pairs: vec![table.clone().into(), table.into()],
                ..Interactions::default()
            },
            ..System::default()
        };
        // Once: (0, 1) at 2 with σ = 4 is 64, (0, 2) at 2 with σ = 2 is 1, (1, 2) at √8 with σ = 4 is 8.
        let energies = system.energies(&system.particles.positions);
        assert!((energies.pairs - 2.0 * 73.0).abs() < 1e-12, "{energies:?}");
    }
}
