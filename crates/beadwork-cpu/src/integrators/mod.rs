//! One file an integrator, each a formula for a bead's displacement.
//!
//! Lanes are beads of one system or replicas of one bead; see [`crate::moves`] and [`crate::group`].

pub(crate) mod brownian;
pub(crate) mod brownian_second_order;
