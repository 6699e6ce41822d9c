//! The members that one thread has in hand.

use beadwork_cuda::Device;
use beadwork_simulation::exchange::Ladder;

use crate::Error;
use crate::devices::Devices;
use crate::fleet::Fleet;
use crate::flights::Flights;
use crate::lanes::Lanes;
use crate::manner::Manner;
use crate::member::MemberRun;
use crate::plan::Plan;
use crate::walks::Walks;

/// How members are shared out over threads.
#[derive(Debug)]
pub enum Crews {
    Cpu(Manner),
    Cuda(Fleet, Vec<Device>),
}

impl Crews {
    /// Crews for `open` members of a plan that are still to be stepped.
    pub fn of(devices: &Devices, plan: &Plan, open: usize, threads: usize) -> Crews {
        match devices {
            Devices::Cpu => Crews::Cpu(Manner::of(plan, open, threads)),
            Devices::Cuda(devices) => {
                Crews::Cuda(Fleet::new(devices, plan, open, threads), devices.clone())
            }
        }
    }

    /// Threads that have members of their own.
    pub fn count(&self) -> usize {
        match self {
            Crews::Cpu(manner) => manner.crews,
            Crews::Cuda(fleet, _) => fleet.crews,
        }
    }

    /// Members that a crew has in hand at most.
    pub fn room(&self, crew: usize) -> usize {
        match self {
            Crews::Cpu(manner) => manner.room(crew),
            Crews::Cuda(fleet, _) => fleet.room(crew),
        }
    }

    /// Whether a crew exchanges the temperatures of its ladders by itself, and has all replicas of each.
    pub fn have_whole_ladders(&self) -> bool {
        matches!(self, Crews::Cuda(fleet, _) if fleet.are_sampled())
    }

    /// Threads that share the beads of each member.
    pub fn threads_each(&self) -> usize {
        match self {
            Crews::Cpu(manner) => manner.threads_each,
            Crews::Cuda(..) => 1,
        }
    }

    /// Crew number `number`, without members yet.
    pub fn crew<'a>(&self, number: usize) -> Result<Crew<'a>, Error> {
        let (room, stepping) = match self {
            Crews::Cpu(manner) => {
                (manner.room(number), Stepping::Lanes(Box::new(Lanes::new(*manner))))
            }
            Crews::Cuda(fleet, devices) => {
                let Some(device) = devices.get(fleet.card(number)) else {
                    let reason = "No GPU was given to step members on that are not over yet.";
                    let reason = reason.to_string();
                    return Err(beadwork_cuda::Error::NoDevice { reason }.into());
                };
                let stepping = if fleet.are_sampled() {
                    Stepping::Walks(Walks::new(device, fleet.threads / fleet.crews))
                } else {
                    Stepping::Flights(Box::new(Flights::new(device, fleet.members_on_card())?))
                };
                (fleet.room(number), stepping)
            }
        };
        Ok(Crew { runs: Vec::new(), room, stepping })
    }
}

/// What steps the members of a crew.
enum Stepping {
    Lanes(Box<Lanes>),
    Flights(Box<Flights>),
    Walks(Walks),
}

/// Some members of a run.
pub struct Crew<'a> {
    pub runs: Vec<MemberRun<'a>>,
    room: usize,
    stepping: Stepping,
}

impl<'a> Crew<'a> {
    /// Whether another member would be stepped along.
    pub fn has_room(&self) -> bool {
        self.runs.len() < self.room
    }

    /// Some steps, rows, frames and stages of each member. How long a breath is, and with whom a
    /// member is stepped, cannot be seen in any output. `ladders` are those of the crew, which
    /// exchanges at most such that it has all replicas of.
    pub fn breathe(&mut self, ladders: &mut [Ladder]) -> Result<(), Error> {
        match &mut self.stepping {
            Stepping::Lanes(lanes) => lanes.breathe(&mut self.runs)?,
            Stepping::Flights(flights) => flights.breathe(&mut self.runs)?,
            Stepping::Walks(walks) => walks.breathe(&mut self.runs, ladders)?,
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
