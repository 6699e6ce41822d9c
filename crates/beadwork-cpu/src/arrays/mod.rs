//! Numbers of beads in memory, as loops over lanes read them.

pub(crate) mod aligned;
pub(crate) mod coordinates;
pub(crate) mod free;
pub(crate) mod lanes;
pub(crate) mod whole_sum;
