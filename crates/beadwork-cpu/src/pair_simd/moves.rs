//! The steps of the integrators for one system, with one bead in each lane.

use std::marker::PhantomData;
use std::ops::Range;

use beadwork_arithmetic::{Family, Kernel, Pair, Vector};
use beadwork_random::Normal;

use crate::arrays::coordinates::{Coordinates, CoordinatesPart};
use crate::arrays::free::Free;
use crate::arrays::lanes::{Triple, all_lanes, spread};
use crate::integrators::{Acting, Scheme};
use crate::noise::kicks::Kicks;
use crate::space::{Space, TooFar};
use crate::teams::sharing::RUN;

/// Writes a vector of space for each lane, from bead `first` on.
#[inline(always)]
pub(crate) fn store<V: Vector>(
    part: &mut CoordinatesPart<'_, V::Scalar>,
    first: usize,
    vectors: Triple<V>,
) {
    let place = first - part.beads.start;
    let Triple([x, y, z]) = vectors;
    x.store(&mut part.axes[0][place..]);
    y.store(&mut part.axes[1][place..]);
    z.store(&mut part.axes[2][place..]);
}

/// r + shift and |shift|² if the bead is free, else r and zero.
#[inline(always)]
pub(crate) fn displace<V: Vector, G: Space<V::Scalar>>(
    space: G,
    from: Triple<V>,
    shift: Triple<V>,
    free: u32,
) -> (Triple<V>, V) {
    let (to, square) = (space.advance(from, shift), shift.square());
    if free & all_lanes::<V>() == all_lanes::<V>() {
        return (to, square);
    }
    let mask = V::mask_from_bits(free);
    (Triple::select(mask, to, from), V::select(mask, square, V::zero()))
}

/// The step of one vector of beads; the output is |Δr|², Å², or zero if a bead is fixed.
trait Move<T> {
    fn beads(&self) -> Range<usize>;

    fn step<V: Vector<Scalar = T>>(&mut self, first: usize) -> V
    where
        T: Normal;
}

/// Moves all beads of a part and writes Σ|Δr|², Å², of each of its [`RUN`]s in f64, in the order of
/// the beads.
#[inline(always)]
fn move_all<F: Family, T: Normal>(mut moves: impl Move<T>, runs: &mut [f64]) {
    let beads = moves.beads();
    let mut first = beads.start;
    let mut number = 0;
    while first < beads.end {
        let end = (first + RUN).min(beads.end);
        let mut sum = 0.0;
        let mut lanes = [0.0; 32];
        // Two vectors at a time hide each other's latency.
        while first + T::Vector::<F>::WIDTH < end {
            let squares = moves.step::<Pair<T::Vector<F>>>(first);
            squares.to_f64_lanes(&mut lanes);
            for square in &lanes[..2 * T::Vector::<F>::WIDTH] {
                sum += square;
            }
            first += 2 * T::Vector::<F>::WIDTH;
        }
        while first < end {
            let squares = moves.step::<T::Vector<F>>(first);
            squares.to_f64_lanes(&mut lanes);
            for square in &lanes[..T::Vector::<F>::WIDTH] {
                sum += square;
            }
            first += T::Vector::<F>::WIDTH;
        }
        if let Some(run) = runs.get_mut(number) {
            *run = sum;
        }
        number += 1;
    }
}

/// The first part of a step that looks ahead: the predicted positions, and the kicks for both parts.
pub(crate) struct MoveAhead<'a, S, T, G> {
    pub space: G,
    pub too_far: &'a TooFar,
    pub kicks: Kicks<'a, T>,
    pub mobility: T,
    pub free: &'a Free,
    pub forces: &'a Coordinates<T>,
    pub from: &'a Coordinates<T>,
    pub ahead: CoordinatesPart<'a, T>,
    pub kept: CoordinatesPart<'a, T>,
    pub scheme: PhantomData<S>,
}

impl<S: Scheme, T: Normal, G: Space<T>> Move<T> for MoveAhead<'_, S, T, G> {
    #[inline(always)]
    fn beads(&self) -> Range<usize> {
        self.ahead.beads.clone()
    }

    #[inline(always)]
    fn step<V: Vector<Scalar = T>>(&mut self, first: usize) -> V {
        let free = self.free.lanes::<V>(first);
        let kick = self.kicks.of::<V>(first, self.free);
        let shift = S::before(Acting {
            force: self.forces.load(first),
            force_ahead: Triple::zero(),
            kick,
            mobility: spread::<V>(self.mobility),
        });
        let (to, square) = displace(self.space, self.from.load(first), shift, free);
        if G::WRAPS {
            self.too_far.note::<V>(self.space.fits(shift), free, first);
        }
        store(&mut self.ahead, first, to);
        store(&mut self.kept, first, kick);
        square
    }
}

impl<S: Scheme, T: Normal, G: Space<T>> Kernel for MoveAhead<'_, S, T, G> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        move_all::<F, T>(self, &mut []);
    }
}

/// Data for [`MoveToEnd`] besides the forces at the beginning of the step.
pub(crate) enum KnownBeforeMove<'a, T> {
    /// For schemes that do not look ahead: kicks are drawn.
    Kicks(Kicks<'a, T>),
    /// The forces at the predicted positions, and the kicks of the first part.
    Ahead { forces: &'a Coordinates<T>, kicks: &'a Coordinates<T> },
}

/// The last part of a step.
pub(crate) struct MoveToEnd<'a, S, T, G> {
    pub space: G,
    pub too_far: &'a TooFar,
    pub known: KnownBeforeMove<'a, T>,
    pub mobility: T,
    pub free: &'a Free,
    pub forces: &'a Coordinates<T>,
    pub from: &'a Coordinates<T>,
    pub to: CoordinatesPart<'a, T>,
    pub runs: &'a mut [f64],
    pub scheme: PhantomData<S>,
}

impl<S: Scheme, T: Normal, G: Space<T>> Move<T> for MoveToEnd<'_, S, T, G> {
    #[inline(always)]
    fn beads(&self) -> Range<usize> {
        self.to.beads.clone()
    }

    #[inline(always)]
    fn step<V: Vector<Scalar = T>>(&mut self, first: usize) -> V {
        let free = self.free.lanes::<V>(first);
        let (kick, force_ahead) = match &mut self.known {
            KnownBeforeMove::Kicks(kicks) => (kicks.of::<V>(first, self.free), Triple::zero()),
            KnownBeforeMove::Ahead { forces, kicks } => (kicks.load(first), forces.load(first)),
        };
        let force = self.forces.load(first);
        let mobility = spread::<V>(self.mobility);
        let shift = S::after(Acting { force, force_ahead, kick, mobility });
        let (to, square) = displace(self.space, self.from.load(first), shift, free);
        if G::WRAPS {
            self.too_far.note::<V>(self.space.fits(shift), free, first);
        }
        store(&mut self.to, first, to);
        square
    }
}

impl<S: Scheme, T: Normal, G: Space<T>> Kernel for MoveToEnd<'_, S, T, G> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(mut self) {
        let runs = std::mem::take(&mut self.runs);
        move_all::<F, T>(self, runs);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/moves.rs"]
mod tests;
