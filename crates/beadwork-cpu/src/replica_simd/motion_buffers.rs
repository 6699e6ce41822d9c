//! The arrays of steps with velocities, over replicas.

use beadwork_arithmetic::Vector;
use beadwork_random::Normal;

use crate::arrays::aligned::Aligned;
use crate::integrators::Inertia;
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
    pub pair_keys: Vec<[u32; 2]>,
    pub pair_noise: Vec<T>,
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
    pub fn inertia<V: Vector<Scalar = T>>(&self, bead: usize) -> (Inertia<V>, V) {
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
