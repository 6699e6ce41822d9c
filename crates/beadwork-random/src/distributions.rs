//! From words to numbers with a distribution, one file each.

pub mod box_muller;
pub mod normal;
pub mod uniform;

pub use box_muller::box_muller;
pub use normal::{LaneCounter, Normal, normals_from_states, normals_in_lanes};
pub use uniform::{uniform_f32, uniform_f64};
