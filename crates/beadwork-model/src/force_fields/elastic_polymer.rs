//! The elastic, flexible chain of beads and springs whose structural transitions P3 samples.

use beadwork_structure::Label;

use crate::energies::squared_distance;
use crate::particles::{ParticleType, Particles};
use crate::potentials::pair::PairTable;
use crate::potentials::{FeneBond, LennardJones, PairPotential};
use crate::system::{Counts, Interactions, Model, Pair, System};

/// A chain of N monomers in reduced units (k_B = 1): a cut and shifted Lennard-Jones energy between all pairs, bonded
/// ones too, and a FENE energy of each bond (P3, equations 1 to 4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticPolymer {
    /// N, at least 2.
    pub monomers: usize,
    /// ε, σ and r_c.
    pub pairs: LennardJones,
    /// K, R and r₀.
    pub bonds: FeneBond,
}

/// A contact is a pair that is not bonded and closer than so many bond lengths: between the first shell of neighbours
/// and the second, which in a dense cluster begins at √2.
const CONTACT: f64 = 1.25;

/// What viewers are told of a monomer's mass, Da; reduced units have none.
const MONOMER_MASS: f64 = 110.0;

/// σ/r₀ = 2^(−1/6), with which pairs are lowest in energy where bonds are at rest (P3 §3.1).
pub const DIAMETER_PER_LENGTH: f64 = 0.890_898_718_140_339_3;

/// r_c/σ.
pub const DIAMETERS_PER_CUTOFF: f64 = 2.5;

/// Depths: a pair with more energy than this where its bond is at rest is not what was meant. It has none with a diameter
/// equal to the bond's length, and more than this from diameters a third longer on.
const MOST_ENERGY_AT_REST: f64 = 100.0;

impl ElasticPolymer {
    /// P3's chain: ε = 1, r₀ = 0.7, σ = 2^(−1/6) r₀, r_c = 2.5 σ, K = 40, R = 0.3.
    pub fn new(monomers: usize) -> ElasticPolymer {
        let length = 0.7;
        let diameter = length * DIAMETER_PER_LENGTH;
        ElasticPolymer {
            monomers,
            pairs: LennardJones { depth: 1.0, diameter, cutoff: DIAMETERS_PER_CUTOFF * diameter },
            bonds: FeneBond { stiffness: 40.0, limit: 0.3, length },
        }
    }

    /// The straight chain with all bonds at rest, along x.
    pub fn straight(&self) -> Vec<[f64; 3]> {
        (0..self.monomers).map(|monomer| [monomer as f64 * self.bonds.length, 0.0, 0.0]).collect()
    }

    /// The chain going to and fro through a cubic lattice, four monomers wide and deep, with all bonds at rest: each monomer
    /// has many near it.
    pub fn folded(&self) -> Vec<[f64; 3]> {
        let turned =
            |place: usize, row: usize| if row.is_multiple_of(2) { place } else { 3 - place };
        let place = |monomer: usize| {
            let (row, layer) = (monomer / 4, monomer / 16);
            [turned(monomer % 4, row), turned(row % 4, layer), layer]
        };
        let scaled = |place: [usize; 3]| place.map(|number| self.bonds.length * number as f64);
        (0..self.monomers).map(|monomer| scaled(place(monomer))).collect()
    }

    /// Sentences on numbers with which this is no chain that holds together, collapses and freezes.
    pub fn warnings(&self) -> Vec<String> {
        let ElasticPolymer { pairs, bonds, .. } = self;
        let FeneBond { stiffness, limit, length } = *bonds;
        let mut warnings = Vec::new();
        let minimum = pairs.diameter / DIAMETER_PER_LENGTH;
        if pairs.cutoff <= minimum {
            warnings.push(format!(
                "pairs repel only: the cutoff, {:.4}, is not beyond the distance at which their energy is lowest, 2^(1/6) diameters = {minimum:.4}, so that chains neither collapse nor freeze; a cutoff of {DIAMETERS_PER_CUTOFF} diameters is usual",
                pairs.cutoff
            ));
        }
        if limit >= length {
            warnings.push(format!(
                "bonds of {length} +/- {limit} may shrink to nothing, where they hold monomers in one place: take a bond_limit below the bond_length"
            ));
        }
        let energy = pairs.energy(length * length);
        if energy > MOST_ENERGY_AT_REST * pairs.depth {
            warnings.push(format!(
                "bonded monomers repel each other by {:.3e} depths where their bond is at rest: the diameter, {:.4}, is too large for bonds of {length}; with \"automatic\", {:.4}, the energy of a pair is lowest there",
                energy / pairs.depth,
                pairs.diameter,
                length * DIAMETER_PER_LENGTH
            ));
        }
        if stiffness == 0.0 {
            warnings.push(format!(
                "bond_stiffness is 0: within {length} +/- {limit} nothing holds bonds at their length"
            ));
        }
        warnings
    }

    /// The chain as a system, straight.
    pub fn build(self) -> System {
        let label = |monomer: usize| Label {
            name: "M".into(),
            residue_name: "MON".into(),
            // Numbers of a viewer's file begin anew where its columns end.
            residue_number: (monomer % 9_999 + 1) as i32,
            chain: "A".into(),
            ..Label::default()
        };
        let beads = self.monomers;
        let bond = |i: usize| Pair { i, j: i + 1, potential: self.bonds };
        let bonds: Vec<_> = (0..beads.saturating_sub(1)).map(bond).collect();
        System {
            particles: Particles::of_one_type((0..beads).map(label).collect(), self.straight()),
            types: vec![ParticleType { name: "monomer".into(), mass: MONOMER_MASS }],
            counts: Counts { beads, chains: 1, bonds: bonds.len(), ..Counts::default() },
            interactions: Interactions {
                bonded: vec![bonds.into()],
                pairs: vec![PairTable::of_one_type(self.pairs, self.pairs.cutoff).into()],
                ..Interactions::default()
            },
            model: Model::ElasticPolymer(self),
            ..System::default()
        }
    }

    /// Pairs in contact.
    pub fn contacts(&self, positions: &[[f64; 3]]) -> usize {
        let square = (CONTACT * self.bonds.length).powi(2);
        let near = |i: usize, j: usize| squared_distance(positions[i], positions[j]) < square;
        (0..positions.len()).map(|i| (i + 2..positions.len()).filter(|&j| near(i, j)).count()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_straight_chain_on_paper() {
        // Distances of 0.7, 1.4 and 2.1, the last beyond the cutoff of 1.559: with (σ/r)⁶ = r₀⁶/2r⁶ the unshifted energy
        // is −1 at r₀ and 4 (1/128)(1/128 − 1) at 2 r₀.
        let chain = ElasticPolymer::new(4);
        let system = chain.build();
        let shift = chain.pairs.energy_at_cutoff();
        assert!((shift + 0.016_316_891_136).abs() < 1e-12);
        let far = 4.0 / 128.0 * (1.0 / 128.0 - 1.0);
        let expected = 3.0 * (-1.0 - shift) + 2.0 * (far - shift);
        let energies = system.energies(&system.particles.positions);
        assert!((energies.total() - expected).abs() < 1e-12);
        assert!(energies.bonds.abs() < 1e-12);
        assert_eq!(chain.contacts(&system.particles.positions), 0);
    }

    /// Each number that makes no sense has its sentence, and those at the border have none.
    #[test]
    fn numbers_that_make_no_chain_are_warned_of() {
        let usual = ElasticPolymer::new(13);
        assert!(usual.warnings().is_empty());
        let said = |change: &dyn Fn(&mut ElasticPolymer)| {
            let mut chain = usual;
            change(&mut chain);
            chain.warnings()
        };
        // 2^(1/6) of 0.6236 is 0.7.
        let repulsive = said(&|chain| chain.pairs.cutoff = 0.69);
        assert!(repulsive[0].contains("cutoff, 0.6900") && repulsive[0].contains("= 0.7000"));
        assert!(said(&|chain| chain.pairs.cutoff = 0.71).is_empty());
        let negative = said(&|chain| chain.bonds.limit = 0.9);
        assert!(negative[0].contains("0.7 +/- 0.9 may shrink to nothing"), "{negative:?}");
        assert!(said(&|chain| chain.bonds.limit = 0.69).is_empty());
        // 4 ((2/0.7)¹² − (2/0.7)⁶) is about 1.2e6; the shift by the cutoff is far below.
        let wide = said(&|chain| (chain.pairs.diameter, chain.pairs.cutoff) = (2.0, 5.0));
        assert!(
            wide[0].contains("by 1.182e6 depths") && wide[0].contains("diameter, 2.0000"),
            "{wide:?}"
        );
        assert!(said(&|chain| (chain.pairs.diameter, chain.pairs.cutoff) = (0.7, 1.75)).is_empty());
        let loose = said(&|chain| chain.bonds.stiffness = 0.0);
        assert!(loose[0].starts_with("bond_stiffness is 0"), "{loose:?}");
        for one in [repulsive, negative, wide, loose] {
            assert_eq!(one.len(), 1, "{one:?}");
        }
    }

    #[test]
    fn folded_chains_have_bonds_at_rest_and_contacts() {
        let chain = ElasticPolymer::new(70);
        let folded = chain.folded();
        for (one, next) in folded.iter().zip(&folded[1..]) {
            let distance = squared_distance(*one, *next).sqrt();
            assert!((distance - chain.bonds.length).abs() < 1e-12, "{one:?} {next:?}");
        }
        assert!(chain.contacts(&folded) > 70);
    }

    #[test]
    fn contacts_leave_bonds_out() {
        let chain = ElasticPolymer::new(3);
        let triangle = [[0.0; 3], [0.7, 0.0, 0.0], [0.35, 0.6, 0.0]];
        assert_eq!(chain.contacts(&triangle), 1);
        assert_eq!(chain.contacts(&[[0.0; 3], [0.7, 0.0, 0.0], [1.0, 0.0, 0.0]]), 0);
    }

    /// The icosahedra of 13 and 55 with the pure Lennard-Jones energy, −44.326801 and −279.248470 (Cambridge Cluster
    /// Database; physics.md §6), relaxed here from ideal shells.
    #[test]
    fn pure_lennard_jones_icosahedra() {
        for (shells, expected) in [(1, -44.326_801), (2, -279.248_470)] {
            let pairs = LennardJones { depth: 1.0, diameter: 1.0, cutoff: 1e3 };
            let mut positions = icosahedron(shells, 2.0_f64.powf(1.0 / 6.0));
            let energy = relax(&pairs, &mut positions);
            assert!((energy - expected).abs() < 1e-5, "{energy} for {} beads", positions.len());
        }
    }

    /// The Mackay icosahedron: its centre, and shell by shell the corners, edges and faces.
    fn icosahedron(shells: usize, spacing: f64) -> Vec<[f64; 3]> {
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let mut corners = Vec::new();
        for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
            corners.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
        }
        let scale = spacing / 2.0;
        let edge = |a: &[f64; 3], b: &[f64; 3]| (squared_distance(*a, *b) - 4.0).abs() < 1e-9;
        let mut positions = vec![[0.0; 3]];
        for shell in 1..=shells {
            let size = shell as f64 * scale;
            let at = |corner: &[f64; 3]| corner.map(|x| x * size);
            positions.extend(corners.iter().map(at));
            if shell == 2 {
                for (number, a) in corners.iter().enumerate() {
                    for b in corners.iter().skip(number + 1).filter(|b| edge(a, b)) {
                        positions.push([0, 1, 2].map(|axis| (at(a)[axis] + at(b)[axis]) / 2.0));
                    }
                }
            }
        }
        positions
    }

    /// Steepest descent with a step that grows and shrinks; returns the energy.
    fn relax(pairs: &LennardJones, positions: &mut Vec<[f64; 3]>) -> f64 {
        let energy_of = |positions: &[[f64; 3]]| -> f64 {
            let square = |i: usize, j: usize| squared_distance(positions[i], positions[j]);
            (0..positions.len())
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .map(|(i, j)| pairs.energy(square(i, j)))
                .sum()
        };
        let (mut energy, mut step) = (energy_of(positions), 1e-3);
        for _ in 0..3_000 {
            let mut forces = vec![[0.0; 3]; positions.len()];
            for i in 0..positions.len() {
                for j in 0..i {
                    let r2 = squared_distance(positions[i], positions[j]);
                    let f = pairs.force_over_distance(r2);
                    for axis in 0..3 {
                        let pull = f * (positions[i][axis] - positions[j][axis]);
                        forces[i][axis] += pull;
                        forces[j][axis] -= pull;
                    }
                }
            }
            let trial: Vec<[f64; 3]> = positions
                .iter()
                .zip(&forces)
                .map(|(x, f)| [0, 1, 2].map(|axis| x[axis] + step * f[axis]))
                .collect();
            let moved = energy_of(&trial);
            if moved < energy {
                (energy, step) = (moved, step * 1.1);
                *positions = trial;
            } else {
                step /= 2.0;
            }
        }
        energy
    }
}
