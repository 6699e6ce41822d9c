//! The members that one thread has in hand.

use beadwork_cuda::Device;
use beadwork_simulation::exchange::Ladder;

use crate::Error;
use crate::cpu_assignment::CpuAssignment;
use crate::cpu_stepping::CpuStepping;
use crate::devices::Devices;
use crate::gpu_assignment::GpuAssignment;
use crate::gpu_sampling::GpuSampling;
use crate::gpu_stepping::GpuStepping;
use crate::member::MemberRun;
use crate::plan::Plan;

/// How members are shared out over threads.
#[derive(Debug)]
pub enum Workers {
    Cpu(CpuAssignment),
    Cuda(GpuAssignment, Vec<Device>),
}

impl Workers {
    /// Workers for `open` members of a plan that are still to be stepped.
    pub fn of(devices: &Devices, plan: &Plan, open: usize, threads: usize) -> Workers {
        match devices {
            Devices::Cpu => Workers::Cpu(CpuAssignment::of(plan, open, threads)),
            Devices::Cuda(devices) => {
                Workers::Cuda(GpuAssignment::new(devices, plan, open, threads), devices.clone())
            }
        }
    }

    /// Threads that have members of their own.
    pub fn count(&self) -> usize {
        match self {
            Workers::Cpu(assignment) => assignment.workers,
            Workers::Cuda(assignment, _) => assignment.workers,
        }
    }

    /// Members that a worker has in hand at most.
    pub fn room(&self, worker: usize) -> usize {
        match self {
            Workers::Cpu(assignment) => assignment.room(worker),
            Workers::Cuda(assignment, _) => assignment.room(worker),
        }
    }

    /// Whether a worker exchanges the temperatures of its ladders by itself, and has all replicas of each.
    pub fn have_whole_ladders(&self) -> bool {
        matches!(self, Workers::Cuda(assignment, _) if assignment.are_sampled())
    }

    /// Threads that share the beads of each member.
    pub fn threads_each(&self) -> usize {
        match self {
            Workers::Cpu(assignment) => assignment.threads_each,
            Workers::Cuda(..) => 1,
        }
    }

    /// Worker number `number`, without members yet.
    pub fn worker<'a>(&self, number: usize) -> Result<Worker<'a>, Error> {
        let (room, stepping) = match self {
            Workers::Cpu(assignment) => {
                (assignment.room(number), Stepping::Cpu(Box::new(CpuStepping::new(*assignment))))
            }
            Workers::Cuda(assignment, devices) => {
                let Some(device) = devices.get(assignment.card(number)) else {
                    let reason = "No GPU was given to step members on that are not over yet.";
                    let reason = reason.to_string();
                    return Err(beadwork_cuda::Error::NoDevice { reason }.into());
                };
                let stepping = if assignment.are_sampled() {
                    Stepping::Sampling(GpuSampling::new(
                        device,
                        assignment.threads / assignment.workers,
                    ))
                } else {
                    Stepping::Gpu(Box::new(GpuStepping::new(device, assignment.members_on_card())?))
                };
                (assignment.room(number), stepping)
            }
        };
        Ok(Worker { runs: Vec::new(), room, stepping })
    }
}

/// What steps the members of a worker.
enum Stepping {
    Cpu(Box<CpuStepping>),
    Gpu(Box<GpuStepping>),
    Sampling(GpuSampling),
}

/// Some members of a run.
pub struct Worker<'a> {
    pub runs: Vec<MemberRun<'a>>,
    room: usize,
    stepping: Stepping,
}

impl<'a> Worker<'a> {
    /// Whether another member would be stepped along.
    pub fn has_room(&self) -> bool {
        self.runs.len() < self.room
    }

    /// Some steps, rows, frames and stages of each member. How long a slice is, and with whom a
    /// member is stepped, cannot be seen in any output. `ladders` are those of the worker, which
    /// exchanges at most such that it has all replicas of.
    pub fn run_slice(&mut self, ladders: &mut [Ladder]) -> Result<(), Error> {
        match &mut self.stepping {
            Stepping::Cpu(lanes) => lanes.run_slice(&mut self.runs)?,
            Stepping::Gpu(flights) => flights.run_slice(&mut self.runs)?,
            Stepping::Sampling(sampling) => sampling.run_slice(&mut self.runs, ladders)?,
        }
        for run in &mut self.runs {
            run.keep()?;
        }
        Ok(())
    }

    /// Whether any of them has steps to make before its next exchange.
    pub fn has_steps_to_make(&self) -> bool {
        self.runs.iter().any(MemberRun::has_steps_to_make)
    }

    /// Takes out those that are over.
    pub fn take_finished(&mut self) -> Vec<MemberRun<'a>> {
        let (running, over) =
            std::mem::take(&mut self.runs).into_iter().partition(MemberRun::is_running);
        self.runs = running;
        over
    }
}
