//! Builds independent particles, each in its own harmonic well or free.

pub use crate::models::{Dimensions, Law, Oscillators};

use super::labels;
use crate::interactions::Interactions;
use crate::models::Model;
use crate::particles::{ParticleType, Particles};
use crate::potentials::HarmonicTrap;
use crate::potentials::listed::Single;
use crate::system::{Counts, System};

/// The mass of a particle in files for viewers, Da; overdamped dynamics needs none.
const PARTICLE_MASS: f64 = 110.0;

impl Oscillators {
    /// The system.
    pub fn build(self) -> System {
        let beads = match self.dimensions {
            Dimensions::One => self.particles.div_ceil(3),
            Dimensions::Three => self.particles,
        };
        let well = HarmonicTrap { stiffness: self.stiffness, centre: [0.0; 3] };
        let wells: Vec<_> = (0..beads).map(|bead| Single { bead, potential: well }).collect();
        let singles = if self.stiffness > 0.0 { vec![wells.into()] } else { Vec::new() };
        System {
            particles: Particles::of_one_type(
                labels(beads, "X", "OSC"),
                vec![[self.start; 3]; beads],
            ),
            types: vec![ParticleType::new("particle", PARTICLE_MASS)],
            interactions: Interactions { singles, ..Interactions::default() },
            counts: Counts { beads, chains: 1, ..Counts::default() },
            model: Model::Oscillators(self),
            ..System::default()
        }
    }
}
