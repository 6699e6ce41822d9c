//! A system: beads, where they start, and what acts between them.

use beadwork_structure::Identity;

use crate::force_fields::elastic_polymer::ElasticPolymer;
use crate::force_fields::oscillators::Oscillators;
use crate::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, LennardJones, NativeContact, PairPotential,
    SixthPowerRepulsion,
};

/// A potential between two named beads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<P> {
    /// The bead with the smaller number.
    pub i: usize,
    /// The bead with the larger number.
    pub j: usize,
    /// What acts between them.
    pub potential: P,
}

/// A trap on one bead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trap {
    /// The bead.
    pub bead: usize,
    /// The well.
    pub potential: HarmonicTrap,
}

/// Repulsion between all pairs that are not excluded.
#[derive(Clone, Debug, PartialEq)]
pub struct Repulsion {
    /// The potential, the same for all pairs.
    pub potential: SixthPowerRepulsion,
    /// Å: nothing acts at or beyond this distance; the energy is not shifted.
    pub cutoff: f64,
    /// Pairs (i < j, ascending, unique) that do not repel: bonded ones and native contacts.
    pub excluded: Vec<(usize, usize)>,
}

/// What acts on beads, one field a term.
///
/// Lists are sorted by (i, j) and hold each pair once, so that sums over them have one order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interactions {
    /// Backbone and other covalent bonds.
    pub fene_bonds: Vec<Pair<FeneBond>>,
    /// Harmonic springs between beads.
    pub harmonic_bonds: Vec<Pair<HarmonicBond>>,
    /// Attractions of the native structure.
    pub native_contacts: Vec<Pair<NativeContact>>,
    /// Excluded volume.
    pub repulsion: Option<Repulsion>,
    /// Between all pairs, bonded ones too.
    pub lennard_jones: Option<LennardJones>,
    /// Wells that hold single beads.
    pub harmonic_traps: Vec<Trap>,
}

impl Interactions {
    /// Whether anything acts between beads, traps being what acts on one.
    pub fn act_between_beads(&self) -> bool {
        let bonds = self.fene_bonds.is_empty() && self.harmonic_bonds.is_empty();
        let pairs = self.repulsion.is_none() && self.lennard_jones.is_none();
        !(bonds && self.native_contacts.is_empty() && pairs)
    }
}

/// Beads, their start and their interactions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// Who each bead is.
    pub beads: Vec<Identity>,
    /// Start, Å.
    pub positions: Vec<[f64; 3]>,
    /// What acts.
    pub interactions: Interactions,
    /// The first bead of each chain; chains may share a name.
    pub chain_starts: Vec<usize>,
    /// How the system was counted when it was built.
    pub counts: Counts,
    /// What it is a model of.
    pub model: Model,
}

/// What a system is a model of: it says which questions are asked of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Model {
    /// Molecules, by the Self-Organized Polymer model.
    #[default]
    Sop,
    /// Independent particles.
    Oscillators(Oscillators),
    /// One elastic, flexible chain, in reduced units.
    ElasticPolymer(ElasticPolymer),
}

/// The numbers that `check` prints and P4's Table I lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Beads.
    pub beads: usize,
    /// Chains.
    pub chains: usize,
    /// All bonds, disulfides included.
    pub bonds: usize,
    /// Bonds that are not of the backbone.
    pub extra_bonds: usize,
    /// Pairs that the contact rule finds, bonded ones included as P4 counts.
    pub native_contacts: usize,
    /// Those of them that carry energy, since they are not bonded as well.
    pub native_contacts_with_energy: usize,
    /// Pairs that are neither bonded nor native: those that repel.
    pub nonnative_pairs: usize,
}

/// Energy by term, kcal/mol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// FENE and harmonic bonds.
    pub bonds: f64,
    /// Native contacts.
    pub native_contacts: f64,
    /// Repulsion.
    pub repulsion: f64,
    /// Lennard-Jones pairs.
    pub lennard_jones: f64,
    /// Traps.
    pub traps: f64,
}

impl Energies {
    /// The sum of all terms, kcal/mol.
    pub fn total(&self) -> f64 {
        self.bonds + self.native_contacts + self.repulsion + self.lennard_jones + self.traps
    }
}

/// Squared distance, Å².
pub(crate) fn squared_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

impl System {
    /// Energies at `positions`, Å, over all pairs: the definition that faster paths are held to.
    pub fn energies(&self, positions: &[[f64; 3]]) -> Energies {
        let mut energies = self.energies_without_repulsion(positions);
        if let Some(repulsion) = &self.interactions.repulsion {
            let square = repulsion.cutoff * repulsion.cutoff;
            let mut excluded = repulsion.excluded.iter().copied().peekable();
            for i in 0..positions.len() {
                for j in i + 1..positions.len() {
                    if excluded.next_if_eq(&(i, j)).is_some() {
                        continue;
                    }
                    let r2 = squared_distance(positions[i], positions[j]);
                    if r2 < square {
                        energies.repulsion += repulsion.potential.energy(r2);
                    }
                }
            }
        }
        energies
    }

    /// The energies that need no search for neighbours.
    pub fn energies_without_repulsion(&self, positions: &[[f64; 3]]) -> Energies {
        let Interactions {
            fene_bonds,
            harmonic_bonds,
            native_contacts,
            harmonic_traps,
            lennard_jones,
            repulsion: _,
        } = &self.interactions;
        let mut energies = Energies {
            bonds: pair_energy(fene_bonds, positions) + pair_energy(harmonic_bonds, positions),
            native_contacts: pair_energy(native_contacts, positions),
            ..Energies::default()
        };
        if let Some(potential) = lennard_jones {
            for i in 0..positions.len() {
                for j in i + 1..positions.len() {
                    let r2 = squared_distance(positions[i], positions[j]);
                    energies.lennard_jones += potential.energy(r2);
                }
            }
        }
        for trap in harmonic_traps {
            energies.traps += trap.potential.energy(positions[trap.bead]);
        }
        energies
    }

    /// All bonded pairs, sorted: what a viewer should draw.
    pub fn bonded_pairs(&self) -> Vec<(usize, usize)> {
        let fene = self.interactions.fene_bonds.iter().map(|bond| (bond.i, bond.j));
        let harmonic = self.interactions.harmonic_bonds.iter().map(|bond| (bond.i, bond.j));
        let mut pairs: Vec<_> = fene.chain(harmonic).collect();
        pairs.sort_unstable();
        pairs
    }

    /// `bead 17 (GLY 18 of chain A)`, for messages. Beads count from 0.
    pub fn bead_label(&self, bead: usize) -> String {
        match self.beads.get(bead) {
            Some(identity) => {
                let insertion = identity.insertion.map(String::from).unwrap_or_default();
                format!(
                    "bead {bead} ({} {}{insertion} of chain {})",
                    identity.residue_name, identity.residue_number, identity.chain
                )
            }
            None => format!("bead {bead}"),
        }
    }
}

fn pair_energy<P: PairPotential<f64>>(pairs: &[Pair<P>], positions: &[[f64; 3]]) -> f64 {
    pairs
        .iter()
        .map(|pair| pair.potential.energy(squared_distance(positions[pair.i], positions[pair.j])))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three beads on a line at 0, 3 and 6 Å: one bond at rest, one native contact at its
    /// minimum, one repelling pair at 3 Å, and a trap 2 Å away.
    #[test]
    fn energies_by_term_on_paper() {
        let system = System {
            positions: vec![[0.0; 3], [3.0, 0.0, 0.0], [6.0, 0.0, 0.0]],
            interactions: Interactions {
                fene_bonds: vec![Pair {
                    i: 0,
                    j: 1,
                    potential: FeneBond { stiffness: 20.0, limit: 2.0, length: 3.0 },
                }],
                native_contacts: vec![Pair {
                    i: 0,
                    j: 2,
                    potential: NativeContact { depth: 1.5, length: 6.0 },
                }],
                repulsion: Some(Repulsion {
                    potential: SixthPowerRepulsion { strength: 1.0, diameter: 3.0 },
                    cutoff: 20.0,
                    excluded: vec![(0, 1), (0, 2)],
                }),
                harmonic_traps: vec![Trap {
                    bead: 2,
                    potential: HarmonicTrap { stiffness: 1.0, centre: [6.0, 2.0, 0.0] },
                }],
                ..Interactions::default()
            },
            ..System::default()
        };
        let energies = system.energies(&system.positions);
        assert_eq!(energies.bonds, 0.0);
        assert_eq!(energies.native_contacts, -1.5);
        assert_eq!(energies.repulsion, 1.0);
        assert_eq!(energies.traps, 2.0);
        assert_eq!(energies.total(), 1.5);
    }

    #[test]
    fn nothing_repels_at_or_beyond_the_cutoff() {
        let mut system = System {
            positions: vec![[0.0; 3], [0.0, 5.0, 0.0]],
            interactions: Interactions {
                repulsion: Some(Repulsion {
                    potential: SixthPowerRepulsion { strength: 1.0, diameter: 5.0 },
                    cutoff: 5.0,
                    excluded: vec![],
                }),
                ..Interactions::default()
            },
            ..System::default()
        };
        assert_eq!(system.energies(&system.positions).repulsion, 0.0);
        system.positions[1][1] = 4.999;
        assert!(system.energies(&system.positions).repulsion > 1.0);
    }
}
