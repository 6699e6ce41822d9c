//! How this machine would step the members of a request.

use crate::device::Backend;
use crate::engine::{CpuAssignment, GpuAssignment};
use serde_json::{Value, json};

/// Where members are stepped, and how many at a time.
pub struct Stepping {
    pub words: String,
    /// Members that are stepped at a time.
    pub at_once: usize,
    pub json: Value,
}

impl Stepping {
    pub fn on_cpu(assignment: &CpuAssignment) -> Stepping {
        Stepping {
            words: assignment.describe(),
            at_once: assignment.workers * assignment.together,
            json: json!({
                "device": Backend::Cpu,
                "instructions": assignment.instructions.name(),
                "members_at_a_time": assignment.together,
                "threads": assignment.workers * assignment.threads_each,
                "threads_a_member": assignment.threads_each,
            }),
        }
    }

    pub fn on_gpus(assignment: &GpuAssignment) -> Stepping {
        Stepping {
            words: assignment.describe(),
            at_once: assignment.at_once(),
            json: json!({
                "device": Backend::Cuda,
                "gpus": assignment.cards,
                "members_at_a_time": assignment.together,
                "threads": assignment.threads,
            }),
        }
    }
}
