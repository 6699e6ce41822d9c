//! A system: beads, their start, and their interactions.

use std::ops::Range;

use crate::dynamics::Dynamics;
use crate::interactions::Interactions;
use crate::models::{ElasticPolymer, Model, Oscillators};
use crate::particles::{Boundary, ParticleType, Particles};
use crate::potentials::EnergyKind;
use crate::potentials::bonded::ListedPair;
use crate::units::{BOLTZMANN, Units};

/// Beads, their start and their interactions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// The beads.
    pub particles: Particles,
    /// The types of the beads: each number in `particles.types` is a place here. Where nothing asks for masses, frictions or names of
    /// types, they may be missing.
    pub types: Vec<ParticleType>,
    /// Names of types that no bead has, but files name.
    pub types_without_beads: Vec<String>,
    /// The boundary.
    pub boundary: Boundary,
    /// The interactions.
    pub interactions: Interactions,
    /// Counts from the construction of the system.
    pub counts: Counts,
    /// The units of its lengths, energies and temperatures.
    pub units: Units,
    /// The model that the system represents.
    pub model: Model,
    /// The ends of those linear molecules whose first and last beads they are not, by the first bead, ascending.
    pub ends: Vec<(u32, [u32; 2])>,
}

/// The numbers that `check` prints and Table I of \[A\] lists.
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
    /// Pairs that the contact rule finds, bonded ones included as in \[A\].
    pub native_contacts: usize,
    /// Native contacts that carry energy, because they are not bonded.
    pub native_contacts_with_energy: usize,
    /// Pairs that are neither bonded nor native; these pairs repel.
    pub nonnative_pairs: usize,
}

impl System {
    /// The chain, if Monte Carlo samples the system. All other systems are stepped by dynamics.
    pub fn sampled_chain(&self) -> Option<&ElasticPolymer> {
        match &self.model {
            Model::ElasticPolymer(polymer) => Some(polymer),
            _ => None,
        }
    }

    /// Whether Monte Carlo samples the system, in sweeps without time.
    pub fn is_sampled(&self) -> bool {
        self.sampled_chain().is_some()
    }

    /// The particles, if no particle acts on another.
    pub fn independent_particles(&self) -> Option<&Oscillators> {
        match &self.model {
            Model::Oscillators(particles) => Some(particles),
            _ => None,
        }
    }

    /// One unit of the temperatures in its tables, as kB T in the unit of its energy: 1 K, or 1 in reduced units.
    pub fn temperature_unit(&self) -> f64 {
        match self.units {
            Units::Real => BOLTZMANN,
            Units::Reduced => 1.0,
        }
    }

    /// Whether any type has friction.
    pub fn has_friction(&self, dynamics: &Dynamics) -> bool {
        self.types.iter().any(|kind| kind.friction.unwrap_or(dynamics.friction) != 0.0)
    }

    /// Whether friction and noise hold beads at the temperature of `dynamics`. Otherwise it is that of the velocities at the
    /// start alone.
    pub fn holds_temperature(&self, dynamics: &Dynamics) -> bool {
        self.has_friction(dynamics) || self.interactions.thermostat.is_some()
    }

    /// Gives every type the friction ξ = γ m of a collision rate γ, 1/ps, for integrators with velocities.
    pub fn set_collision_rate(&mut self, rate: f64) {
        let unit = self.units.acceleration();
        for kind in &mut self.types {
            kind.friction = Some(rate * kind.mass / unit);
        }
    }

    /// Whether each bead has a type that is known.
    pub fn has_types(&self) -> bool {
        let largest = self.particles.types.iter().max();
        largest.is_none_or(|&largest| usize::from(largest) < self.types.len())
    }

    /// The masses of some beads, Da.
    pub fn masses(&self, beads: Range<usize>) -> impl Iterator<Item = f64> + Clone + '_ {
        beads.map(|bead| self.mass(bead))
    }

    /// The mass of a bead.
    pub fn mass(&self, bead: usize) -> f64 {
        self.types[usize::from(self.particles.types[bead])].mass
    }

    /// Whether any interaction has this kind of energy.
    pub fn has_energy(&self, kind: EnergyKind) -> bool {
        self.interactions.have_energy(kind)
    }

    /// The number of beads.
    pub fn beads(&self) -> usize {
        self.particles.len()
    }

    /// All bonds, sorted, for viewers to draw; contacts are not included.
    pub fn bonds(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<_> = self.interactions.bonds().map(|bond| bond.beads).collect();
        pairs.sort_unstable();
        pairs
    }

    /// All bonds with their rest lengths, Å, term after term.
    pub fn bonds_at_rest(&self) -> Vec<(usize, usize, f64)> {
        let at_rest = |bond: ListedPair| (bond.beads.0, bond.beads.1, bond.rest_length);
        self.interactions.bonds().map(at_rest).collect()
    }

    /// A name for each type that no other has, for answers. Beads of one type of an input that differ in their charge are of several
    /// types here, which share its name: it is then followed by the charge, as in `A(+1)` and `A(0)`.
    pub fn type_labels(&self) -> Vec<String> {
        let shared = |name: &str| self.types.iter().filter(|kind| kind.name == name).count() > 1;
        let of_bead =
            |kind: usize| self.particles.types.iter().position(|of| usize::from(*of) == kind);
        let label = |(kind, name): (usize, &String)| match of_bead(kind) {
            Some(bead) if shared(name) => match self.particles.charge(bead) {
                0.0 => format!("{name}(0)"),
                charge => format!("{name}({charge:+})"),
            },
            _ => name.clone(),
        };
        self.types.iter().map(|kind| &kind.name).enumerate().map(label).collect()
    }

    /// `bead 17 (GLY 18 of chain A)`, for messages. Beads count from 0.
    pub fn bead_label(&self, bead: usize) -> String {
        match self.particles.labels.get(bead) {
            Some(label) => {
                let insertion = label.insertion.map(String::from).unwrap_or_default();
                let of_chain = match label.chain.as_str() {
                    "" => String::new(),
                    chain => format!(" of chain {chain}"),
                };
                format!(
                    "bead {bead} ({} {}{insertion}{of_chain})",
                    label.residue_name, label.residue_number
                )
            }
            None => format!("bead {bead}"),
        }
    }
}
