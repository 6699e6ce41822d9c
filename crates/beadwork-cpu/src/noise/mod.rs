//! Random displacements and forces of a step.

pub(crate) mod kicks;
pub(crate) mod member_noise;
pub(crate) mod pair_thermal;
