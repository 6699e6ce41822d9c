//! The two parts of a step with velocities for one system, with one bead in each lane.

use std::marker::PhantomData;

use beadwork_arithmetic::{Family, Kernel, Vector};
use beadwork_random::Normal;

use crate::arrays::coordinates::{Coordinates, CoordinatesPart};
use crate::arrays::free::Free;
use crate::arrays::lanes::{Triple, all_lanes};
use crate::integrators::{InertialScheme, Moving};
use crate::noise::kicks::Kicks;
use crate::pair_simd::moves::store;
use crate::space::{Space, TooFar};
use crate::velocities::inertia::InertiaArrays;

/// `if_free` in the lanes with a free bead, `if_fixed` in the others.
#[inline(always)]
pub(crate) fn of_free<V: Vector>(free: u32, if_free: Triple<V>, if_fixed: Triple<V>) -> Triple<V> {
    if free & all_lanes::<V>() == all_lanes::<V>() {
        return if_free;
    }
    Triple::select(V::mask_from_bits(free), if_free, if_fixed)
}

/// The noise of the beads from `first` on; zero in the part of a step that has none.
#[inline(always)]
fn noise_of<V: Vector>(
    kicks: &mut Option<Kicks<'_, V::Scalar>>,
    first: usize,
    free: &Free,
    amplitude: V,
) -> Triple<V>
where
    V::Scalar: Normal,
{
    match kicks {
        Some(kicks) => kicks.of::<V>(first, free) * amplitude,
        None => Triple::zero(),
    }
}

/// The first part of a step, from positions, velocities and forces to the next positions.
pub(crate) struct BeginMove<'a, S, T, G> {
    pub space: G,
    pub too_far: &'a TooFar,
    pub kicks: Option<Kicks<'a, T>>,
    pub inertia: &'a InertiaArrays<T>,
    pub free: &'a Free,
    pub forces: &'a Coordinates<T>,
    pub positions: &'a Coordinates<T>,
    pub velocities: &'a Coordinates<T>,
    pub next_positions: CoordinatesPart<'a, T>,
    pub next_velocities: CoordinatesPart<'a, T>,
    pub scheme: PhantomData<S>,
}

impl<S: InertialScheme, T: Normal, G: Space<T>> Kernel for BeginMove<'_, S, T, G> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(mut self) {
        let beads = self.next_positions.beads.clone();
        for first in beads.step_by(T::Vector::<F>::WIDTH) {
            self.step::<T::Vector<F>>(first);
        }
    }
}

impl<S: InertialScheme, T: Normal, G: Space<T>> BeginMove<'_, S, T, G> {
    #[inline(always)]
    fn step<V: Vector<Scalar = T>>(&mut self, first: usize) {
        let free = self.free.lanes::<V>(first);
        let (inertia, amplitude) = self.inertia.load::<V>(first);
        let noise = noise_of(&mut self.kicks, first, self.free, amplitude);
        let (position, velocity) =
            (self.positions.load::<V>(first), self.velocities.load::<V>(first));
        let (bead, force) = (Moving::new(position, velocity), self.forces.load(first));
        let to = S::before(self.space, bead, force, noise, inertia);
        if G::WRAPS {
            self.too_far.note::<V>(to.fits, free, first);
        }
        store(&mut self.next_positions, first, of_free(free, to.position, position));
        store(&mut self.next_velocities, first, of_free(free, to.velocity, velocity));
    }
}

/// The second part of a step: it adds the forces of a thermostat to the forces, and changes the velocities by them.
pub(crate) struct EndMove<'a, S, T> {
    pub kicks: Option<Kicks<'a, T>>,
    pub inertia: &'a InertiaArrays<T>,
    pub free: &'a Free,
    pub forces: CoordinatesPart<'a, T>,
    pub velocities: CoordinatesPart<'a, T>,
    pub scheme: PhantomData<S>,
}

impl<S: InertialScheme, T: Normal> Kernel for EndMove<'_, S, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(mut self) {
        for first in self.forces.beads.clone().step_by(T::Vector::<F>::WIDTH) {
            self.step::<T::Vector<F>>(first);
        }
    }
}

impl<S: InertialScheme, T: Normal> EndMove<'_, S, T> {
    #[inline(always)]
    fn step<V: Vector<Scalar = T>>(&mut self, first: usize) {
        let free = self.free.lanes::<V>(first);
        let (inertia, amplitude) = self.inertia.load::<V>(first);
        let noise = noise_of(&mut self.kicks, first, self.free, amplitude);
        let velocity = load::<V>(&self.velocities, first);
        let plain = load(&self.forces, first);
        let force = of_free(free, S::with_thermostat(velocity, plain, noise, inertia), plain);
        let to = S::after(velocity, force, inertia);
        store(&mut self.forces, first, force);
        store(&mut self.velocities, first, of_free(free, to, velocity));
    }
}

#[inline(always)]
fn load<V: Vector>(part: &CoordinatesPart<'_, V::Scalar>, first: usize) -> Triple<V> {
    let place = first - part.beads.start;
    let [x, y, z] = &part.axes;
    Triple([V::load(&x[place..]), V::load(&y[place..]), V::load(&z[place..])])
}
