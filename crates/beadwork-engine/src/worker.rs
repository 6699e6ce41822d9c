//! Workers: threads with members of their own.

use beadwork_cuda::{Device, LaunchOverrides};
use beadwork_simulation::exchange::Ladder;

use crate::Error;
use crate::cpu_assignment::{CpuAssignment, rooms};
use crate::cpu_stepping::CpuStepping;
use crate::devices::Devices;
use crate::gpu_assignment::GpuAssignment;
use crate::gpu_sampling::GpuSampling;
use crate::gpu_stepping::GpuStepping;
use crate::member::MemberRun;
use crate::plan::Plan;
use crate::threads::on_each;

/// The most threads of all workers that write checkpoints at a time. They mostly wait for the disk, which confirms files of many
/// threads together.
const MOST_WRITERS: usize = 32;
/// The most beads in the checkpoints that all of them hold.
const MOST_BEADS: usize = 2_000_000;

/// How members are divided among threads.
#[derive(Debug)]
pub struct Workers {
    /// The most members that each worker has at a time.
    pub rooms: Vec<usize>,
    /// Threads that share the beads of each member.
    pub threads_each: usize,
    /// Whether each worker has all replicas of its ladders and exchanges them by itself.
    pub have_whole_ladders: bool,
    /// The most threads of all workers that write checkpoints at a time.
    writers: usize,
    assignment: Assignment,
}

#[derive(Debug)]
enum Assignment {
    Cpu(CpuAssignment),
    Cuda(GpuAssignment, Vec<Device>, Option<(beadwork_cuda::Plan, LaunchOverrides)>),
}

impl Workers {
    /// Workers for `open` members of a plan that have steps left.
    pub fn of(
        devices: &Devices,
        plan: &Plan,
        open: usize,
        threads: usize,
        form: Option<(beadwork_cuda::Plan, LaunchOverrides)>,
    ) -> Workers {
        let (workers, together, threads_each, have_whole_ladders, assignment) = match devices {
            Devices::Cpu => {
                let cpu = CpuAssignment::of(plan, open, threads);
                (cpu.workers, cpu.together, cpu.threads_each, false, Assignment::Cpu(cpu))
            }
            Devices::Cuda(devices) => {
                let gpu = GpuAssignment::new(devices, plan, open, threads);
                let (workers, together, sampled) = (gpu.workers, gpu.together, gpu.are_sampled());
                (workers, together, 1, sampled, Assignment::Cuda(gpu, devices.clone(), form))
            }
        };
        let rooms = rooms(open, workers, together);
        let beads = plan.members.iter().map(|member| member.system.beads()).max().unwrap_or(0);
        let writers = (MOST_BEADS / beads.max(1)).clamp(1, MOST_WRITERS);
        Workers { rooms, threads_each, have_whole_ladders, writers, assignment }
    }

    /// Worker number `number`, without members yet.
    pub fn worker<'a>(&self, number: usize) -> Result<Worker<'a>, Error> {
        let stepping = match &self.assignment {
            Assignment::Cpu(assignment) => Stepping::Cpu(Box::new(CpuStepping::new(*assignment))),
            Assignment::Cuda(assignment, devices, form) => {
                let Some(device) = devices.get(assignment.card(number)) else {
                    let reason = "No GPU was given, and some members have steps left.".to_string();
                    return Err(beadwork_cuda::Error::NoDevice { reason }.into());
                };
                let threads = assignment.threads / assignment.workers;
                if assignment.are_sampled() {
                    Stepping::Sampling(GpuSampling::new(device, threads))
                } else {
                    Stepping::Gpu(Box::new(GpuStepping::new(
                        device,
                        assignment.members_on_card(),
                        threads,
                        *form,
                    )?))
                }
            }
        };
        let writers = (self.writers / self.rooms.len().max(1)).max(1);
        Ok(Worker { runs: Vec::new(), room: self.rooms[number], writers, stepping })
    }
}

enum Stepping {
    Cpu(Box<CpuStepping>),
    Gpu(Box<GpuStepping>),
    Sampling(GpuSampling),
}

/// The members that one thread steps at a time.
pub struct Worker<'a> {
    pub runs: Vec<MemberRun<'a>>,
    room: usize,
    /// The most threads that write its members' checkpoints.
    writers: usize,
    stepping: Stepping,
}

impl<'a> Worker<'a> {
    pub fn has_room(&self) -> bool {
        self.runs.len() < self.room
    }

    /// Steps each member for a time slice, and writes its rows and frames. No output depends on the length of a slice,
    /// or on which members are stepped together. A worker that has all replicas of its `ladders` also exchanges them.
    pub fn run_slice(&mut self, ladders: &mut [Ladder]) -> Result<(), Error> {
        match &mut self.stepping {
            Stepping::Cpu(stepping) => stepping.run_slice(&mut self.runs)?,
            Stepping::Gpu(stepping) => stepping.run_slice(&mut self.runs)?,
            Stepping::Sampling(sampling) => sampling.run_slice(&mut self.runs, ladders)?,
        }
        let due = self.runs.iter().filter(|run| run.has_checkpoint_due()).count();
        on_each(self.others_for(due), self.runs.iter_mut(), MemberRun::write_if_due)
    }

    /// The threads beside the worker's own that write so many checkpoints.
    pub fn others_for(&self, checkpoints: usize) -> usize {
        self.writers.min(checkpoints).saturating_sub(1)
    }

    pub fn has_steps_to_make(&self) -> bool {
        self.runs.iter().any(MemberRun::has_steps_to_make)
    }

    /// Takes the members that make no more steps in this run.
    pub fn take_finished(&mut self) -> Vec<MemberRun<'a>> {
        self.runs.extract_if(.., |run| !run.is_running() || run.is_paused()).collect()
    }
}
