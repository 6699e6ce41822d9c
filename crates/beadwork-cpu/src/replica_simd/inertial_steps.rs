//! A step with velocities, with a replica in each lane.

use beadwork_arithmetic::{Instructions, Vector};
use beadwork_random::Normal;

use crate::arrays::lanes::Triple;
use crate::integrators::{InertialScheme, Moving};
use crate::pair_simd::inertial_moves::of_free;
use crate::replica_simd::arrays::Arrays;
use crate::replica_simd::buffers::Buffers;
use crate::replica_simd::forces::evaluate;
use crate::replica_simd::motion_buffers::MotionBuffers;
use crate::replica_simd::terms::{LanesThermal, Terms};
use crate::space::{Geometry, Space};

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
