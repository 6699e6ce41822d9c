//! How a CPU steps a member: neighbour search, forces, noise, integrators.
//!
//! [`Forces::evaluate`] and [`Way::Plain`] are the plain path, the definition. The others give the
//! same bits faster: [`Way::Vectors`] takes one member with lanes over pairs and beads, [`Group`]
//! several members with a lane each. A trajectory depends on the system, the protocol and the
//! replica number alone: neither the instructions, the skin and the moments at which neighbour
//! lists are rebuilt, nor what else is stepped with it can be seen in it.

mod aligned;
mod coordinates;
pub mod exchange;
mod forces;
mod group;
mod handover;
mod integrators;
mod lanes;
mod measure;
mod member;
mod minimiser;
pub mod monte_carlo;
mod moves;
mod neighbours;
mod noise;
mod pulling;
mod state;
mod stepper;
mod team;
mod tiles;

pub use beadwork_arithmetic::Instructions;
pub use coordinates::Coordinates;
pub use forces::Forces;
pub use group::Group;
pub use handover::{NoiseSource, Progressed, Standing};
pub use measure::Measurement;
pub use member::Member;
pub use neighbours::NeighbourList;
pub use state::{Failure, MemberState, MinimiserState, Sums, Trouble};
pub use stepper::{Stepper, Way};
