//! The space of a system: open, or a periodic box.

use beadwork_arithmetic::{Elementary, Real, Vector};
use beadwork_model::System;

use super::for_lanes::Space;
use super::open::OpenSpace;
use super::periodic_box::{PeriodicBox, place};
use crate::arrays::lanes::Triple;

/// The space of a system in one precision.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Geometry<T> {
    Open,
    Periodic(PeriodicBox<T>),
}

impl<T: Real + Elementary> Geometry<T> {
    pub fn new(system: &System) -> Self {
        PeriodicBox::of(system).map_or(Geometry::Open, Geometry::Periodic)
    }

    pub fn is_periodic(&self) -> bool {
        matches!(self, Geometry::Periodic(_))
    }

    /// A coordinate as paths hold it, and the image of its bead, from a position, Å.
    pub fn place(&self, position: [f64; 3]) -> ([T; 3], [i32; 3]) {
        let Geometry::Periodic(PeriodicBox { lengths, .. }) = self else {
            return (position.map(T::from_f64), [0; 3]);
        };
        place(*lengths, position)
    }

    /// The position, Å, of an image of a bead.
    pub fn position(&self, coordinate: [T; 3], image: [i32; 3]) -> [f64; 3] {
        match self {
            Geometry::Open => coordinate.map(Real::to_f64),
            Geometry::Periodic(PeriodicBox { lengths, .. }) => [0, 1, 2].map(|axis| {
                let fraction = coordinate[axis].to_fraction() as f64 / 2.0_f64.powi(64);
                (f64::from(image[axis]) + fraction) * lengths[axis]
            }),
        }
    }

    /// Whether a coordinate is a point: those of a box always are.
    pub fn is_point(&self, coordinate: [T; 3]) -> bool {
        self.is_periodic() || coordinate.iter().all(|component| component.is_finite())
    }

    /// The whole sides that a bead crosses in a move shorter than half a side, along an axis.
    pub fn crossed(from: T, to: T) -> i32 {
        let (from, to) = (from.to_fraction(), to.to_fraction());
        let shift = to.wrapping_sub(from);
        match from.overflowing_add(shift) {
            (_, false) => 0,
            (_, true) => {
                if shift > 0 {
                    1
                } else {
                    -1
                }
            }
        }
    }
}

impl<T: Real + Elementary + Vector<Scalar = T>> Geometry<T> {
    /// a − b, Å.
    #[inline(always)]
    pub fn separation(&self, a: [T; 3], b: [T; 3]) -> [T; 3] {
        let (a, b) = (Triple(a), Triple(b));
        let Triple(apart) = match self {
            Geometry::Open => OpenSpace.separation::<T>(a, b),
            Geometry::Periodic(sides) => sides.separation::<T>(a, b),
        };
        apart
    }

    /// Squared distance, Å².
    #[inline(always)]
    pub fn square(&self, a: [T; 3], b: [T; 3]) -> T {
        Triple(self.separation(a, b)).square()
    }

    /// A coordinate after a displacement, Å.
    pub fn advance(&self, from: [T; 3], shift: [T; 3]) -> [T; 3] {
        let (from, shift) = (Triple(from), Triple(shift));
        let Triple(to) = match self {
            Geometry::Open => OpenSpace.advance::<T>(from, shift),
            Geometry::Periodic(sides) => sides.advance::<T>(from, shift),
        };
        to
    }

    /// The image of a bead that is nearest to an anchor, Å.
    pub fn near(&self, coordinate: [T; 3], anchor: [f64; 3]) -> [T; 3] {
        match self {
            Geometry::Open => coordinate,
            Geometry::Periodic(_) => {
                let Triple(near) = Triple(anchor.map(T::from_f64))
                    + Triple(self.separation(coordinate, self.place(anchor).0));
                near
            }
        }
    }
}

/// Runs an expression with the space of a geometry: once with each type of space.
macro_rules! in_space {
    ($geometry:expr, $space:ident => $expression:expr) => {
        match $geometry {
            $crate::space::Geometry::Open => {
                let $space = $crate::space::OpenSpace;
                $expression
            }
            $crate::space::Geometry::Periodic($space) => $expression,
        }
    };
}

pub(crate) use in_space;
