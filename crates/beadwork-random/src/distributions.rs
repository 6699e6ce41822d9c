//! From words to numbers with a distribution, one file each.

pub mod box_muller;
pub mod normal;
pub mod uniform;

pub use box_muller::box_muller;
pub use normal::Normal;
pub use uniform::{uniform_f32, uniform_f64};
