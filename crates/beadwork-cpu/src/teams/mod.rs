//! Threads that share the beads of one system.

pub(crate) mod sharing;
pub(crate) mod team;
pub(crate) mod team_size;
