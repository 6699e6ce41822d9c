//! Space: where the nearest image of a bead is, and how forces on a bead add up.

mod for_lanes;
mod geometry;
mod open;
mod periodic_box;
mod too_far;

pub use for_lanes::PARTIAL_SUMS;
pub(crate) use for_lanes::Space;
pub(crate) use geometry::{Geometry, in_space};
pub(crate) use open::OpenSpace;
pub use periodic_box::PeriodicBox;
pub(crate) use too_far::TooFar;
