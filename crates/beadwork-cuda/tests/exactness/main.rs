//! What a GPU makes of members, against the plain path of the CPU and against itself.
//!
//! Without a GPU each test says "skipped: no CUDA device".

#[path = "../../../beadwork-cpu/tests/physics/everything.rs"]
#[allow(dead_code)]
mod everything;
#[path = "../../../beadwork-cpu/tests/physics/support.rs"]
#[allow(dead_code)]
mod support;

mod failures;
mod flown;
mod forces;
mod plans;
mod same_bits;
