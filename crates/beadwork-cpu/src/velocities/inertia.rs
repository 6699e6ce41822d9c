//! Constants of steps with velocities, by bead; velocities at the start.

use beadwork_arithmetic::{Real, Vector, exponential};
use beadwork_model::{Dynamics, Integrator, ParticleType, Protocol, System};
use beadwork_random::{NoiseKey, Normal, Purpose};

use crate::arrays::aligned::Aligned;
use crate::arrays::coordinates::PADDING;
use crate::arrays::lanes::spread;
use crate::integrators::Inertia;

/// Constants of one type of beads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeInertia<T> {
    /// h/(2m), in units of velocity over force.
    pub half_kick: T,
    /// exp(−ξh/m) where noise changes velocities, ξ where noise is a force.
    pub drag: T,
    /// The size of the noise in one component: a velocity or a force.
    pub amplitude: T,
}

/// The constants of each type at a temperature, kB T in the unit of the energy.
pub(crate) fn constants_of_types<T: Real>(
    system: &System,
    dynamics: &Dynamics,
    temperature: f64,
) -> Vec<TypeInertia<T>> {
    let unit = system.units.acceleration();
    let step = dynamics.timestep;
    let of_type = |kind: &ParticleType| {
        let friction = kind.friction.unwrap_or(dynamics.friction);
        let (drag, square) = match dynamics.integrator {
            Integrator::VelocityVerlet => (friction, 2.0 * temperature * friction / step),
            _ => {
                let kept = exponential(-(friction * step / kind.mass * unit));
                (kept, (1.0 - kept * kept) * temperature / kind.mass * unit)
            }
        };
        TypeInertia {
            half_kick: T::from_f64(0.5 * step / kind.mass * unit),
            drag: T::from_f64(drag),
            amplitude: T::from_f64(square.sqrt()),
        }
    };
    system.types.iter().map(of_type).collect()
}

/// The constants of each bead, in arrays that are padded as coordinates are.
#[derive(Clone, Debug)]
pub(crate) struct InertiaArrays<T> {
    pub half_step: T,
    /// The constants of each type.
    pub types: Vec<TypeInertia<T>>,
    half_kicks: Aligned<T>,
    drags: Aligned<T>,
    amplitudes: Aligned<T>,
}

impl<T: Real> InertiaArrays<T> {
    pub fn new(system: &System, dynamics: &Dynamics, temperature: f64) -> Self {
        let types = constants_of_types::<T>(system, dynamics, temperature);
        let by_bead = |constant: fn(&TypeInertia<T>) -> T| {
            let mut numbers = Aligned::new(T::zero(), system.beads().next_multiple_of(PADDING));
            for (number, &kind) in numbers.iter_mut().zip(&system.particles.types) {
                *number = constant(&types[usize::from(kind)]);
            }
            numbers
        };
        InertiaArrays {
            half_step: T::from_f64(0.5 * dynamics.timestep),
            half_kicks: by_bead(|constants| constants.half_kick),
            drags: by_bead(|constants| constants.drag),
            amplitudes: by_bead(|constants| constants.amplitude),
            types,
        }
    }

    /// The constants of a bead.
    pub fn of_bead(&self, bead: usize) -> TypeInertia<T> {
        TypeInertia {
            half_kick: self.half_kicks[bead],
            drag: self.drags[bead],
            amplitude: self.amplitudes[bead],
        }
    }

    /// The constants of the beads from `first` on, and the sizes of their noise.
    #[inline(always)]
    pub fn load<V: Vector<Scalar = T>>(&self, first: usize) -> (Inertia<V>, V) {
        let inertia = Inertia {
            half_step: spread(self.half_step),
            half_kick: V::load(&self.half_kicks[first..]),
            drag: V::load(&self.drags[first..]),
        };
        (inertia, V::load(&self.amplitudes[first..]))
    }
}

/// Velocities of a member at its start, from the distribution of Maxwell and Boltzmann; zero at T = 0.
///
/// Where the integrator conserves momentum, the velocity of the centre of mass is subtracted.
pub(crate) fn initial_velocities(
    system: &System,
    protocol: &Protocol,
    replica: u64,
) -> Vec<[f64; 3]> {
    let Dynamics { temperature, integrator, .. } = protocol.dynamics;
    let key = NoiseKey::new(protocol.seed, Purpose::InitialVelocity, replica);
    let masses = || system.particles.types.iter().map(|&kind| system.types[usize::from(kind)].mass);
    let mut velocities: Vec<[f64; 3]> = masses()
        .enumerate()
        .map(|(bead, mass)| {
            let size = (temperature / mass * system.units.acceleration()).sqrt();
            <f64 as Normal>::normals(key, 0, bead as u32).map(|normal| size * normal)
        })
        .collect();
    let conserves =
        integrator == Integrator::VelocityVerlet && !system.has_friction(&protocol.dynamics);
    if conserves && velocities.len() > 1 {
        let mut momentum = [0.0; 3];
        for (velocity, mass) in velocities.iter().zip(masses()) {
            (0..3).for_each(|axis| momentum[axis] += mass * velocity[axis]);
        }
        let total: f64 = masses().sum();
        for velocity in &mut velocities {
            (0..3).for_each(|axis| velocity[axis] -= momentum[axis] / total);
        }
    }
    velocities
}
