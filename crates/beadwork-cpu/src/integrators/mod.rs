//! One file an integrator: a step of dynamics each.

pub(crate) mod brownian;
pub(crate) mod brownian_second_order;
