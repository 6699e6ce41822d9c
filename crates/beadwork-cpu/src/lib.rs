//! How a CPU steps a member: neighbour list, forces, noise, integrators.
//!
//! This is the plain path: the definition that faster ones are held to. A trajectory depends on
//! the system, the protocol and the replica number alone. Sums over partners run in ascending bead
//! number, and a pair beyond the cutoff adds nothing, so that neither the skin nor the moments at
//! which neighbour lists are rebuilt can be seen in it.

mod forces;
mod integrators;
mod member;
mod minimiser;
mod neighbours;
mod noise;
mod state;
mod stepper;

pub use forces::Forces;
pub use member::Member;
pub use neighbours::NeighbourList;
pub use state::{Failure, MemberState, MinimiserState, Sums, Trouble};
pub use stepper::{Measurement, Stepper};
