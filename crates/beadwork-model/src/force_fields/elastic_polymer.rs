//! Builds the elastic, flexible chain of beads and springs of \[G\].

pub use crate::models::{DIAMETER_PER_LENGTH, DIAMETERS_PER_CUTOFF, ElasticPolymer};

use super::labels;
use crate::interactions::Interactions;
use crate::models::Model;
use crate::particles::{ParticleType, Particles};
use crate::potentials::listed::Pair;
use crate::potentials::pair::PairTable;
use crate::system::{Counts, System};
use crate::units::Units;

/// The mass of a monomer in files for viewers, Da; reduced units have no masses.
const MONOMER_MASS: f64 = 110.0;

impl ElasticPolymer {
    /// The chain as a system, straight.
    pub fn build(self) -> System {
        let beads = self.monomers;
        let bond = |i: usize| Pair { i, j: i + 1, potential: self.bonds };
        let bonds: Vec<_> = (0..beads.saturating_sub(1)).map(bond).collect();
        System {
            particles: Particles::of_one_type(labels(beads, "M", "MON"), self.straight()),
            types: vec![ParticleType::new("monomer", MONOMER_MASS)],
            counts: Counts { beads, chains: 1, bonds: bonds.len(), ..Counts::default() },
            interactions: Interactions {
                bonded: vec![bonds.into()],
                pairs: vec![PairTable::of_one_type(self.pairs, self.pairs.cutoff).into()],
                ..Interactions::default()
            },
            units: Units::Reduced,
            model: Model::ElasticPolymer(self),
            ..System::default()
        }
    }
}
