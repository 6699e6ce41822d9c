//! A step with velocities, with a replica in each lane.

use beadwork_arithmetic::{Instructions, Vector};
use beadwork_random::Normal;

use crate::arrays::aligned::Aligned;
use crate::arrays::lanes::Triple;
use crate::integrators::{Inertia, InertialScheme, Moving};
use crate::pair_simd::inertial_moves::of_free;
use crate::replica_simd::arrays::Arrays;
use crate::replica_simd::buffers::Buffers;
use crate::replica_simd::forces::evaluate;
use crate::replica_simd::terms::{LanesThermal, Terms};
use crate::space::{Geometry, Space};
use crate::stepping::Stepper;

/// Arrays of steps with velocities, in the order bead, axis, lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct MotionBuffers<T> {
    pub velocities: Aligned<T>,
    /// The velocities one step earlier.
    pub previous: Aligned<T>,
    /// The forces at the end of a step while it is made.
    pub next_forces: Aligned<T>,
    /// For each bead and lane: h/(2m), the factor of the friction and the size of the noise.
    constants: [Aligned<T>; 3],
    half_steps: Vec<T>,
    /// For each lane: the key and the size of the noise of pairs.
    pair_keys: Vec<[u32; 2]>,
    pair_noise: Vec<T>,
}

impl<T: Normal> MotionBuffers<T> {
    /// Copies velocities and constants of members into lanes of `width`; other lanes do not move.
    pub fn pack(&mut self, members: &[&mut Stepper<T>], width: usize) {
        let Some(beads) = members.first().map(|first| first.coordinates().len()) else { return };
        for array in [&mut self.velocities, &mut self.previous, &mut self.next_forces] {
            *array = Aligned::new(T::zero(), 3 * beads * width);
        }
        self.constants = [(); 3].map(|()| Aligned::new(T::zero(), beads * width));
        self.half_steps = vec![T::zero(); width];
        self.pair_keys = vec![[0; 2]; width];
        self.pair_noise = vec![T::zero(); width];
        for (lane, member) in members.iter().enumerate() {
            let Some(motion) = member.motion() else { continue };
            self.half_steps[lane] = motion.inertia.half_step;
            self.pair_keys[lane] = motion.pair_stream.key_words();
            self.pair_noise[lane] = motion.pair_noise;
            for bead in 0..beads {
                let place = bead * width + lane;
                let constants = motion.inertia.of_bead(bead);
                self.constants[0][place] = constants.half_kick;
                self.constants[1][place] = constants.drag;
                self.constants[2][place] = constants.amplitude;
                for (axis, component) in motion.velocities.get(bead).into_iter().enumerate() {
                    self.velocities[(bead * 3 + axis) * width + lane] = component;
                }
            }
        }
    }

    #[inline(always)]
    fn inertia<V: Vector<Scalar = T>>(&self, bead: usize) -> (Inertia<V>, V) {
        let [half_kicks, drags, amplitudes] = &self.constants;
        let place = bead * V::WIDTH;
        let inertia = Inertia {
            half_step: V::load(&self.half_steps),
            half_kick: V::load(&half_kicks[place..]),
            drag: V::load(&drags[place..]),
        };
        (inertia, V::load(&amplitudes[place..]))
    }
}

/// The first part of a step of all lanes; positions and velocities become those of the next step.
/// Returns bits of the lanes whose beads moved too far for the space.
#[inline(always)]
pub(crate) fn begin<S: InertialScheme, V: Vector, G: Space<V::Scalar>>(
    space: G,
    buffers: &mut Buffers<V::Scalar>,
) -> u32
where
    V::Scalar: Normal,
{
    let mut too_far = 0;
    let Buffers { positions, previous, forces, kicks, free, motion, .. } = buffers;
    for (bead, &free) in free.iter().enumerate() {
        let (inertia, amplitude) = motion.inertia::<V>(bead);
        let position = Triple::<V>::load(positions, bead * 3);
        let velocity = Triple::<V>::load(&motion.velocities, bead * 3);
        let noise = match S::NOISE_AFTER {
            true => Triple::zero(),
            false => Triple::load(kicks, bead * 3) * amplitude,
        };
        let force = Triple::load(forces, bead * 3);
        let to = S::before(space, Moving::new(position, velocity), force, noise, inertia);
        if G::WRAPS {
            too_far |= free & !V::mask_to_bits(to.fits);
        }
        of_free(free, to.position, position).store(previous, bead * 3);
        of_free(free, to.velocity, velocity).store(&mut motion.previous, bead * 3);
    }
    exchange(buffers);
    too_far
}

/// Swaps present and previous positions and velocities.
pub(crate) fn exchange<T>(buffers: &mut Buffers<T>) {
    std::mem::swap(&mut buffers.positions, &mut buffers.previous);
    std::mem::swap(&mut buffers.motion.velocities, &mut buffers.motion.previous);
}

/// Computes the forces of the interactions at the new positions; returns bits of the lanes that cannot make the step.
pub(crate) fn evaluate_next<T: Normal>(
    buffers: &mut Buffers<T>,
    terms: &Terms<T>,
    geometry: Geometry<T>,
    instructions: Instructions,
    lanes: u32,
    steps: &[[u32; 2]],
) -> u32 {
    let Buffers { positions, sums, whole, motion, list, .. } = buffers;
    let MotionBuffers { velocities, next_forces: total, pair_keys, pair_noise, .. } = motion;
    let (keys, sizes) = (pair_keys.as_slice(), pair_noise.as_slice());
    let thermal = LanesThermal { velocities, keys, steps, sizes };
    let arrays = Arrays { geometry, positions, sums, whole, counted: u32::MAX, total };
    evaluate(terms, instructions, list, lanes, Some(thermal), arrays)
}

/// The second part of a step of all lanes.
#[inline(always)]
pub(crate) fn end<S: InertialScheme, V: Vector>(buffers: &mut Buffers<V::Scalar>)
where
    V::Scalar: Normal,
{
    let Buffers { forces, kicks, free, motion, .. } = buffers;
    for (bead, &free) in free.iter().enumerate() {
        let (inertia, amplitude) = motion.inertia::<V>(bead);
        let velocity = Triple::<V>::load(&motion.velocities, bead * 3);
        let noise = match S::NOISE_AFTER {
            true => Triple::load(kicks, bead * 3) * amplitude,
            false => Triple::zero(),
        };
        let plain = Triple::load(&motion.next_forces, bead * 3);
        let force = of_free(free, S::with_thermostat(velocity, plain, noise, inertia), plain);
        force.store(&mut motion.next_forces, bead * 3);
        let to = S::after(velocity, force, inertia);
        of_free(free, to, velocity).store(&mut motion.velocities, bead * 3);
    }
    std::mem::swap(forces, &mut motion.next_forces);
}
