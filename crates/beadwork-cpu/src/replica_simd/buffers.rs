//! The arrays of a group, over replicas.

use std::sync::Arc;

use beadwork_arithmetic::Instructions;
use beadwork_model::{Integrator, System};
use beadwork_random::{HybridTaus, Normal};

use crate::arrays::aligned::Aligned;
use crate::arrays::coordinates::Coordinates;
use crate::noise::member_noise::Noise;
use crate::replica_simd::list::ReplicaList;
use crate::replica_simd::motion_buffers::MotionBuffers;
use crate::replica_simd::terms::Terms;
use crate::space::{Geometry, PARTIAL_SUMS};
use crate::stepping::Stepper;

/// `sums` has the order bead, partial sum, axis, lane; `states` bead, word, lane; other arrays bead, axis, lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers<T> {
    /// Lanes of a vector.
    pub width: usize,
    pub beads: usize,
    pub positions: Aligned<T>,
    /// The positions one step earlier.
    pub previous: Aligned<T>,
    pub forces: Aligned<T>,
    pub sums: Aligned<T>,
    /// In a box: sums of whole numbers, and images, in the order bead, axis, lane.
    pub whole: Aligned<i64>,
    pub images: Vec<i32>,
    pub geometry: Option<Geometry<T>>,
    pub kicks: Aligned<T>,
    /// Predicted positions and the forces there, for schemes that look ahead.
    pub ahead: Aligned<T>,
    pub forces_ahead: Aligned<T>,
    /// For integrators with velocities.
    pub motion: MotionBuffers<T>,
    /// States of generators that have any. The second copy holds the states after a step that may still fail.
    pub states: Vec<u32>,
    pub next_states: Vec<u32>,
    /// The lanes in which each bead is free.
    pub free: Vec<u32>,
    pub list: ReplicaList<T>,
    /// The terms of a system.
    pub terms: Option<(Arc<System>, Terms<T>)>,
}

impl<T: Normal> Buffers<T> {
    /// Copies members into the lanes. Lanes without a member copy the first one's positions, so that their numbers do
    /// not overflow.
    pub fn pack(&mut self, members: &[&mut Stepper<T>], instructions: Instructions) {
        let Some(first) = members.first() else { return };
        let beads = first.coordinates().len();
        let width = instructions.width::<T>();
        if (self.beads, self.width) != (beads, width) {
            *self = Self::default();
            (self.beads, self.width) = (beads, width);
        }
        let vectors = beads * 3 * width;
        let wanted = |array: &mut Aligned<T>, length: usize| {
            if array.len() != length {
                *array = Aligned::new(T::zero(), length);
            }
        };
        wanted(&mut self.positions, vectors);
        wanted(&mut self.previous, vectors);
        wanted(&mut self.forces, vectors);
        let periodic = first.geometry().is_periodic();
        wanted(&mut self.sums, if periodic { 0 } else { vectors * PARTIAL_SUMS });
        let whole = if periodic { vectors } else { 0 };
        if self.whole.len() != whole {
            self.whole = Aligned::new(0, whole);
        }
        self.images.resize(whole, 0);
        self.geometry = Some(first.geometry());
        wanted(&mut self.kicks, vectors);
        if first.protocol().dynamics.integrator == Integrator::BrownianSecondOrder {
            wanted(&mut self.ahead, vectors);
            wanted(&mut self.forces_ahead, vectors);
        }
        self.list.adopt(first);
        if !self.terms.as_ref().is_some_and(|(system, _)| Arc::ptr_eq(system, first.system())) {
            self.terms = Some((first.system().clone(), Terms::new(first.system())));
        }
        self.free.clear();
        self.free.resize(beads, 0);
        let stateful = matches!(first.noise(), Noise::Stateful(_));
        self.states.resize(if stateful { beads * 4 * width } else { 0 }, 0);
        for lane in 0..width {
            let member = members.get(lane).unwrap_or(first);
            put(member.coordinates(), &mut self.positions, width, lane);
            for (bead, image) in member.images().iter().enumerate() {
                for (axis, &sides) in image.iter().enumerate() {
                    self.images[(bead * 3 + axis) * width + lane] = sides;
                }
            }
            if member.motion().is_some() {
                put(member.forces(), &mut self.forces, width, lane);
            }
            if let Noise::Stateful(noise) = member.noise() {
                for (bead, generator) in noise.iter().enumerate() {
                    for (word, value) in generator.state().into_iter().enumerate() {
                        self.states[(bead * 4 + word) * width + lane] = value;
                    }
                }
            }
            // Lanes without a member have no mobility, so their beads do not move although they count as free.
            for &bead in &member.free().beads {
                self.free[bead as usize] |= 1 << lane;
            }
        }
        self.next_states.clone_from(&self.states);
        if first.motion().is_some() {
            self.motion.pack(members, width);
        }
    }

    /// Counts the sides that beads of all lanes crossed between the previous positions and the present ones.
    pub fn count_crossings(&mut self) {
        let moves = self.previous.iter().zip(self.positions.iter());
        for (image, (&from, &to)) in self.images.iter_mut().zip(moves) {
            *image += Geometry::crossed(from, to);
        }
    }

    fn take(&self, lane: usize, array: &[T], into: &mut Coordinates<T>) {
        for (axis, components) in into.axes.iter_mut().enumerate() {
            for bead in 0..self.beads {
                components[bead] = array[(bead * 3 + axis) * self.width + lane];
            }
        }
    }

    /// Copies the results of `steps` steps back to the members.
    pub fn unpack(&self, members: &mut [&mut Stepper<T>], steps: u64) {
        if steps == 0 {
            return;
        }
        for (lane, member) in members.iter_mut().enumerate() {
            let stepped = member.take_steps(steps);
            self.take(lane, &self.positions, stepped.positions);
            self.take(lane, &self.previous, stepped.previous);
            for (bead, image) in stepped.images.iter_mut().enumerate() {
                for (axis, sides) in image.iter_mut().enumerate() {
                    *sides = self.images[(bead * 3 + axis) * self.width + lane];
                }
            }
            if let Some([velocities, forces]) = stepped.motion {
                self.take(lane, &self.motion.velocities, velocities);
                self.take(lane, &self.forces, forces);
            }
            if let Noise::Stateful(noise) = stepped.noise {
                for (bead, generator) in noise.iter_mut().enumerate() {
                    let word = |word: usize| self.states[(bead * 4 + word) * self.width + lane];
                    *generator =
                        HybridTaus::from_lanes::<f32>(&[word(0), word(1), word(2), word(3)], 0);
                }
            }
        }
    }
}

/// Copies coordinates into a lane of an array.
fn put<T: Normal>(from: &Coordinates<T>, array: &mut [T], width: usize, lane: usize) {
    for (axis, components) in from.axes.iter().enumerate() {
        for bead in 0..from.len() {
            array[(bead * 3 + axis) * width + lane] = components[bead];
        }
    }
}
