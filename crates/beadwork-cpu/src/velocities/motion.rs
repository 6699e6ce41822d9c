//! The velocities of a member.

use beadwork_model::{Dynamics, Protocol, System};
use beadwork_random::{Normal, Owner, PairStream};

use super::inertia::{InertiaArrays, initial_velocities};
use crate::arrays::coordinates::{Coordinates, to_f64};
use crate::noise::pair_thermal::noise_size;

/// Velocities of a member, and what its steps keep with them. Between steps the forces are those at its positions.
#[derive(Clone, Debug)]
pub(crate) struct Motion<T> {
    pub inertia: InertiaArrays<T>,
    /// Å/ps.
    pub velocities: Coordinates<T>,
    /// The velocities one step earlier, or of the next step while it is made.
    pub other_velocities: Coordinates<T>,
    /// The forces at the end of a step while it is made.
    pub next_forces: Coordinates<T>,
    /// The noise of pairs.
    pub pair_stream: PairStream,
    /// The size of the noise of pairs.
    pub pair_noise: T,
    /// Whether the member's forces are those at its positions, with the forces of a thermostat.
    pub forces_are_known: bool,
}

impl<T: Normal> Motion<T> {
    /// The velocities of a member at its start; `None` if its integrator has none.
    pub fn new(system: &System, protocol: &Protocol, replica: u64) -> Option<Motion<T>> {
        let dynamics = &protocol.dynamics;
        if !dynamics.integrator.has_velocities() {
            return None;
        }
        let zero = || Coordinates::zero(system.beads());
        let mut motion = Motion {
            inertia: InertiaArrays::new(system, dynamics, dynamics.temperature),
            velocities: zero(),
            other_velocities: zero(),
            next_forces: zero(),
            pair_stream: PairStream::new(
                protocol.randomness,
                Owner { seed: protocol.seed, replica },
            ),
            pair_noise: noise_size(dynamics, dynamics.temperature),
            forces_are_known: false,
        };
        motion.set_velocities(&initial_velocities(system, protocol, replica));
        Some(motion)
    }

    /// Multiplies all velocities. The forces at the beginning of the next step are computed anew, because a thermostat's
    /// part of them belongs to the old velocities.
    pub fn rescale(&mut self, factor: f64) {
        for bead in 0..self.velocities.len() {
            let scaled = to_f64(self.velocities.get(bead)).map(|v| T::from_f64(factor * v));
            self.velocities.set(bead, scaled);
        }
        self.forces_are_known = false;
    }

    /// Continues at another temperature, kB T in the unit of the energy.
    pub fn set_temperature(&mut self, system: &System, dynamics: &Dynamics, temperature: f64) {
        self.inertia = InertiaArrays::new(system, dynamics, temperature);
        self.pair_noise = noise_size(dynamics, temperature);
    }

    /// Goes back to the velocities one step ago.
    pub fn go_back(&mut self) {
        self.velocities.copy_from(&self.other_velocities);
    }

    pub fn set_velocities(&mut self, velocities: &[[f64; 3]]) {
        for (bead, velocity) in velocities.iter().enumerate() {
            self.velocities.set(bead, velocity.map(T::from_f64));
        }
    }
}
