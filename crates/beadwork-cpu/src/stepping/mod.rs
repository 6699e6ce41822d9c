//! A member that is stepped alone: its state, and the steps that change it.
//!
//! [`Stepper`] has a part for each subject, and each part a file: `beads`, `member_forces`, `threads`, `clock`, `averages`,
//! `look_ahead`. Steps are in `dynamics`, `inertial_step` and `minimiser`; `advance` chooses among them.

mod advance;
mod averages;
mod beads;
mod clock;
mod cpu_path;
mod descent;
mod dynamics;
mod externals;
mod force_path;
mod forces;
mod in_lanes;
mod inertial_step;
mod look_ahead;
mod measure;
mod member_forces;
mod minimiser;
mod motion;
mod push_off;
mod state;
mod stepper;
mod temperature;
mod threads;
mod view;

pub use cpu_path::CpuPath;
pub use descent::StepControl;
pub use stepper::Stepper;
pub use view::{DescentView, MemberView, MotionView, NoiseSource, Progress};
