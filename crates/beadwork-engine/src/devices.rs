//! The devices that step members.

use beadwork_cuda::Device;

/// The devices that step the members of a run. Trajectories of the processor and of GPUs differ in their last bits.
#[derive(Clone, Debug, Default)]
pub enum Devices {
    /// This machine's processor.
    #[default]
    Cpu,
    /// GPUs, at least one.
    Cuda(Vec<Device>),
}
